"""Which Spark server a statement uses: what only reads that of queries, all else that of writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from catalog_app.engine.exporting import ExportFormat, ExportTarget
from lakeui.frontdoor import Session, compute, export
from tests.support.lake import Lake

QUERIES, WRITES = "sc://queries", "sc://writes"


@pytest.fixture
def asked(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that statements would use, in order."""
    lake.sql("CREATE TABLE d.t (id BIGINT, v STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a')")
    found: list[str] = []
    plain = compute.engine_make

    def noted() -> Any:
        found.append(compute.spark_remote())
        return plain()

    monkeypatch.setattr(compute, "engine_make", noted)
    monkeypatch.setitem(settings.LAKEUI, "SPARK_REMOTE", WRITES)
    monkeypatch.setitem(settings.LAKEUI, "SPARK_QUERY_REMOTE", QUERIES)
    return found


@pytest.mark.parametrize(
    ("statement", "remote"),
    [
        ("SELECT * FROM d.t", QUERIES),
        ("CREATE VIEW d.w AS SELECT id FROM d.t", QUERIES),
        ("INSERT INTO d.t SELECT id + 1, v FROM d.t", WRITES),
        ("INSERT INTO d.t VALUES (2, 'b')", WRITES),
        ("UPDATE d.t SET v = 'c' WHERE id = 1", WRITES),
        ("DELETE FROM d.t WHERE id = 1", WRITES),
        ("CREATE TABLE d.u AS SELECT id FROM d.t", WRITES),
        ("MERGE INTO d.t t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE", WRITES),
    ],
)
def test_each_statement_uses_one_server(lake: Lake, asked: list[str], statement: str, remote: str) -> None:
    lake.sql(statement)
    assert set(asked) == {remote}


def test_show_changes_uses_the_server_of_queries(lake: Lake, asked: list[str]) -> None:
    lake.sql("SHOW CHANGES d.t FROM VERSION 2 TO VERSION 3")
    assert asked == [QUERIES]


def test_a_download_uses_the_server_of_queries(lake: Lake, asked: list[str], tmp_path: Path) -> None:
    target = ExportTarget(tmp_path / "x", ExportFormat.CSV, most_rows=10)
    with pytest.raises(AttributeError, match="export"):
        export("SELECT * FROM d.t", Session(lake.catalog), target)
    assert asked == [QUERIES]


def test_one_server_serves_both_without_other_set(
    lake: Lake, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(settings.LAKEUI, "SPARK_QUERY_REMOTE", "")
    lake.sql("SELECT * FROM d.t")
    assert asked == [WRITES]
