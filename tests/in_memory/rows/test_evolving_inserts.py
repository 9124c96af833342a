"""INSERT WITH SCHEMA EVOLUTION: the table gains columns of the query, in the commit of the rows."""

from __future__ import annotations

import pytest

from lakeui.common.errors import InvalidValue
from tests.in_memory.conftest import Begun
from tests.in_memory.rows.test_concurrent_statements import between_staging_and_commit
from tests.in_memory.rows.test_dry_runs import everything
from tests.support.lake import Lake

INTO = "INSERT WITH SCHEMA EVOLUTION INTO d.t"
OTHER = "SELECT 3 AS id, true AS more, 'c' AS v"


def filled_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a')")


@pytest.fixture
def filled(begun: Begun) -> Lake:
    return begun(filled_fill)


def columns(lake: Lake, branch: str = "main") -> list[list[str]]:
    return [row[:2] for row in lake.sql("DESCRIBE d.t", branch).rows if row[0] in ("id", "v", "more")]


def test_by_name_new_columns_come_with_the_rows(filled: Lake) -> None:
    head = filled.head()
    found = filled.sql(f"{INTO} BY NAME {OTHER}")
    assert filled.rows("d.t") == [(1, "a", None), (3, "c", True)]
    assert found.metrics["rows_inserted"] == 1
    versions = [row[0] for row in filled.sql("DESCRIBE HISTORY d.t").rows]
    assert [version for version in versions if version > head] == [found.version]


def test_by_place_columns_behind_last_one_are_new(filled: Lake) -> None:
    filled.sql(f"{INTO} SELECT 3 AS x, 'c' AS y, true AS more")
    assert filled.rows("d.t") == [(1, "a", None), (3, "c", True)]


def test_a_narrower_column_is_widened(filled: Lake) -> None:
    filled.sql(f"{INTO} SELECT 5000000000 AS id, 'c' AS v")
    assert columns(filled)[0] == ["id", "bigint"]
    assert filled.rows("d.t") == [(1, "a"), (5000000000, "c")]


def test_an_overwrite_takes_new_columns_too(filled: Lake) -> None:
    filled.sql(f"INSERT WITH SCHEMA EVOLUTION OVERWRITE d.t BY NAME {OTHER}")
    assert filled.rows("d.t") == [(3, "c", True)]


def test_a_query_without_rows_adds_no_column(filled: Lake) -> None:
    head = filled.head()
    filled.sql(f"{INTO} BY NAME SELECT * FROM ({OTHER}) WHERE id > 3")
    assert (filled.head(), len(columns(filled))) == (head, 2)


def test_by_place_known_name_behind_last_is_refused(filled: Lake) -> None:
    head = filled.head()
    with pytest.raises(InvalidValue, match="gives ID behind the last column") as refusal:
        filled.sql(f"{INTO} SELECT 3 AS x, 'c' AS y, 4 AS ID")
    assert "BY NAME" in str(refusal.value.remedy)
    assert filled.head() == head


def test_its_dry_run_changes_nothing(filled: Lake) -> None:
    before = everything(filled)
    dry = filled.sql(f"{INTO} BY NAME {OTHER} DRY RUN")
    assert dry.metrics["rows_inserted"] == 1
    assert dry.extra["examples"][0]["row"] == {"id": 3, "v": "c", "more": True}
    assert everything(filled) == before


def test_a_merge_brings_the_column_with_the_rows(filled: Lake) -> None:
    filled.sql("CREATE BRANCH b")
    filled.sql(f"{INTO} BY NAME {OTHER}", "b")
    filled.sql("INSERT INTO d.t VALUES (2, 'b')")
    filled.merge("b")
    assert filled.rows("d.t") == [(1, "a", None), (2, "b", None), (3, "c", True)]


def test_concurrent_inserts_add_one_new_column_once(filled: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"{INTO} BY NAME {OTHER}"
    with between_staging_and_commit(monkeypatch, "append", lambda: filled.sql(text)):
        filled.sql(text)
    assert [name for name, _ in columns(filled)] == ["id", "v", "more"]
    assert filled.rows("d.t") == [(1, "a", None), (3, "c", True), (3, "c", True)]
