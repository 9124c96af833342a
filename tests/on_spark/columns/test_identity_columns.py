"""Identity columns as Spark writes them; what they mean is tried in ``tests/in_memory``."""

from __future__ import annotations

import pytest

from catalog_app.engine import engine, merge_source, writing
from lakeui.common.errors import InvalidValue
from tests.support.lake import Lake

NUMBERS = "count(*), count(DISTINCT id), min(id), max(id)"


@pytest.fixture
def made(lake: Lake) -> Lake:
    lake.sql("CREATE TABLE d.t (id BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY, a BIGINT)")
    return lake


def test_few_rows_get_numbers(made: Lake) -> None:
    made.sql("INSERT INTO d.t (a) VALUES (1), (2)")
    made.sql("INSERT INTO d.t (a) VALUES (1 + 2)")
    made.sql("INSERT INTO d.t (a) SELECT id + 3 FROM range(3)")
    made.sql("INSERT INTO d.t BY NAME SELECT 7 AS a")
    made.sql(
        "MERGE INTO d.t USING (SELECT id AS a FROM range(9)) s ON t.a = s.a"
        " WHEN MATCHED AND s.a > 6 THEN UPDATE SET a = s.a * 10 WHEN NOT MATCHED THEN INSERT *"
    )
    found = made.rows("d.t")
    assert [a for _, a in sorted(found)][:6] == [1, 2, 3, 3, 4, 5]
    assert len({identifier for identifier, _ in found}) == len(found)
    with pytest.raises(InvalidValue, match="GENERATED ALWAYS AS IDENTITY"):
        made.sql("INSERT INTO d.t BY NAME SELECT CAST(1 AS BIGINT) AS id, 7 AS a")


def test_many_rows_of_many_tasks_get_numbers_without_gaps(made: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "SMALL_SCAN_ROWS", -1)
    monkeypatch.setattr(engine, "PROBABLY_MANY_ROWS", -1)
    monkeypatch.setattr(writing, "SMALL_ROWS", 0)
    monkeypatch.setattr(merge_source, "FEW_ROWS", 0)
    made.sql("INSERT INTO d.t (a) SELECT id FROM range(0, 10000, 1, 7) WHERE id % 3 > 0")
    assert made.rows("d.t", columns=NUMBERS) == [(6666, 6666, 1, 6666)]
    made.sql(
        "MERGE INTO d.t USING (SELECT id AS a FROM range(0, 12000, 1, 5)) s ON t.a = s.a"
        " WHEN NOT MATCHED THEN INSERT (a) VALUES (s.a)"
    )
    ((rows, distinct, least, most),) = made.rows("d.t", columns=NUMBERS)
    assert (rows, distinct, least) == (12000, 12000, 1)
    assert most <= 6666 + 12000
    assert made.breaches() == []
