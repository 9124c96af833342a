"""EXPLAIN names the files that the statement reads and those that it leaves out."""

from __future__ import annotations

import pytest

from tests.e2e.lake import Lake
from tests.e2e.row_stories import story_made


@pytest.fixture
def told(lake: Lake) -> Lake:
    story_made(lake)
    return lake


def files(lake: Lake, statement: str) -> tuple[int, int]:
    """How many files are kept and skipped, of the table that the statement changes."""
    head = lake.head()
    rows = lake.sql(f"EXPLAIN {statement}").rows
    assert lake.head() == head
    own = {row[0] for row in lake.sql("SHOW SEGMENTS d.t").rows}
    kept, skipped = (
        sum(step == wanted and any(detail.startswith(path) for path in own) for step, detail in rows)
        for wanted in ("keep file", "skip file")
    )
    return kept, skipped


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM d.t WHERE id > 2",
        "DELETE FROM d.t WHERE id > 100",
        "DELETE FROM d.t",
        "UPDATE d.t SET v = 'z' WHERE id = 1 AND id IN (SELECT id FROM d.s)",
        "UPDATE d.t SET v = 'z' WHERE v IS NULL",
        "WITH n AS (SELECT 3 AS id) DELETE FROM d.t WHERE id IN (SELECT id FROM n)",
        "INSERT INTO d.t REPLACE WHERE id < 2 VALUES (0, 'n')",
    ],
)
def test_the_files_are_those_of_the_write(told: Lake, statement: str) -> None:
    explained = files(told, statement)
    metrics = told.sql(statement).metrics
    assert explained == (metrics["files_scanned"], metrics["files_skipped"])


def test_tables_of_subqueries_views_and_sources_are_named(told: Lake) -> None:
    def steps(statement: str) -> list[str]:
        return [f"{step} {detail}" for step, detail in told.sql(f"EXPLAIN {statement}").rows]

    found = steps("DELETE FROM d.t WHERE id IN (SELECT id FROM d.seen)")
    assert found[0] == "delete rows d.t"
    assert f"scan d.t at version {told.head()}: 2 of 2 files, 4 rows, no condition that statistics answer" in found
    assert "view d.seen" in found
    assert any(step.startswith("scan d.s at version") for step in found)
    merge = steps("MERGE INTO d.t USING d.s ON t.id = s.id AND t.id > 2 WHEN MATCHED THEN DELETE")
    assert [step for step in merge if step.startswith("skip file")]
    assert any("values of id" in step for step in merge)
    assert steps("SELECT * FROM d.t WHERE id = 1")[0].startswith("scan d.t at version")
    assert steps("INSERT INTO d.t TABLE d.s")[0] == "insert rows d.t"


def test_every_row_may_matter_to_not_matched_by_source(told: Lake) -> None:
    merge = "MERGE INTO d.t USING d.s ON t.id = s.id AND t.id > 2 WHEN NOT MATCHED BY SOURCE THEN DELETE"
    assert files(told, merge) == (2, 0)


def test_more_files_than_are_named_are_counted(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    story_made(lake)
    monkeypatch.setattr("lakeui.frontdoor.explaining.MOST_FILES", 1)
    assert ["more files", "1 more of d.t"] in lake.sql("EXPLAIN DELETE FROM d.t").rows
