"""Rows of a table without a primary key that people decided: the table is merged by cell, whatever its setting."""

from __future__ import annotations

from typing import Any

import pytest

from lakeui.common.errors import MergeConflict, NoOpenConflict
from lakeui.frontdoor import compute
from merge_app.comparison.compare import comparison_load
from tests.support.lake import Lake
from tests.support.rows import row_ids, run

WAS = "(1, 'o', 1), (2, 'o', 2), (3, 'o', 3), (4, 'o', 4)"


@pytest.fixture(params=["file", "row"])
def lake_by(lake: Lake, request: pytest.FixtureRequest) -> Lake:
    lake.sql(f"CREATE TABLE d.t (id INT, v STRING, n INT) TBLPROPERTIES ('merge.conflicts' = '{request.param}')")
    lake.sql(f"INSERT INTO d.t VALUES {WAS}")
    lake.sql("CREATE BRANCH b")
    lake.sql("CREATE BRANCH old")
    return lake


@pytest.fixture
def clashing(lake_by: Lake) -> Lake:
    """Both set v of row 1. Of row 2 b set v and main n; b changed row 3, and main row 4."""
    run(lake_by, "b", "UPDATE d.t SET v = 'b' WHERE id IN (1, 2, 3)")
    run(lake_by, "main", "UPDATE d.t SET v = 'm' WHERE id IN (1, 4)", "UPDATE d.t SET n = 20 WHERE id = 2")
    return lake_by


def row_id(lake: Lake, number: int) -> str:
    return str(row_ids(lake, "b")[number])


def decided(lake: Lake, *actions: str) -> dict[str, Any]:
    """The record of the merge."""
    chosen = ", ".join(f"TABLE d.t {action}" for action in actions)
    merged = lake.sql(f"MERGE BRANCH b TO main RESOLVE ({chosen})").extra
    assert lake.breaches() == []
    return lake.audit(merged["merge_id"])


def shown(lake: Lake, branch: str = "main") -> list[tuple[object, ...]]:
    return [tuple(row) for row in lake.sql("SELECT id, v, n FROM d.t ORDER BY id", branch).rows]


@pytest.mark.parametrize(("action", "cells"), [("TAKE SOURCE", ("b", 1)), ("""SET '{"v": "e", "n": 7}'""", ("e", 7))])
def test_one_row_is_decided_by_its_row_id(clashing: Lake, action: str, cells: tuple[object, ...]) -> None:
    decided(clashing, f"ROW '{row_id(clashing, 1)}' {action}")
    assert shown(clashing) == [(1, *cells), (2, "b", 20), (3, "b", 3), (4, "m", 4)]


def test_one_cell_is_decided_by_row_id(clashing: Lake) -> None:
    decided(clashing, f"CELL v OF '{row_id(clashing, 1)}' TAKE SOURCE")
    assert shown(clashing)[0] == (1, "b", 1)


def test_the_comparison_counts_rows_that_clash(clashing: Lake) -> None:
    run(clashing, "main", "DELETE FROM d.t WHERE id = 3")
    found = comparison_load(clashing.branch("b"), clashing.branch(), compute.engine)
    assert found.conflicting_rows == 2, "both updated row 1, and main deleted row 3, which b updated"


def test_the_record_says_what_was_decided(clashing: Lake) -> None:
    (conflict,) = clashing.dry_run("b")["conflicts"]
    assert (conflict["details"]["clashing"], conflict["details"]["keys"]) == (1, [row_id(clashing, 1)])
    offered = {(item["part"], item["part_key"], item["decision"]) for item in conflict["decisions"]}
    assert {("rows", "", "source"), ("rows", "", "destination"), ("row", row_id(clashing, 1), "edited")} <= offered
    body = decided(clashing, "ROWS TAKE TARGET")
    (made,) = body["resolutions"]
    assert made["effect"].startswith("Keeps what main has in all rows that both changed; leaves out 1 row")
    found = [item["code"] for item in body["findings"] if item["verdict"] == "decided"]
    assert found == ["SAME_FILE_UPDATE_UPDATE"]


def test_rows_that_are_left_stay_in_conflict(lake_by: Lake) -> None:
    run(lake_by, "b", "UPDATE d.t SET v = 'b'")
    run(lake_by, "main", "UPDATE d.t SET v = 'm'")
    with pytest.raises(MergeConflict) as refused:
        decided(lake_by, f"ROW '{row_id(lake_by, 1)}' TAKE SOURCE")
    (conflict,) = refused.value.details["conflicts"]
    assert conflict["details"]["clashing"] == 3
    assert shown(lake_by)[0] == (1, "m", 1)


def test_where_no_cell_clashes_both_are_kept(lake_by: Lake) -> None:
    run(lake_by, "b", "UPDATE d.t SET v = 'b' WHERE id = 1")
    run(lake_by, "main", "UPDATE d.t SET n = 10 WHERE id = 1")
    (conflict,) = lake_by.dry_run("b")["conflicts"]
    assert {"part": "rows", "part_key": "", "decision": "both"} in conflict["decisions"]
    with pytest.raises(NoOpenConflict):
        decided(lake_by, "ROWS TAKE SOURCE")
    decided(lake_by, "ROWS KEEP BOTH")
    assert shown(lake_by)[0] == (1, "b", 10)


def test_both_are_not_kept_where_a_cell_clashes(clashing: Lake) -> None:
    with pytest.raises(NoOpenConflict, match="KEEP BOTH of the rows"):
        decided(clashing, "ROWS KEEP BOTH")


@pytest.mark.parametrize(
    ("action", "first"),
    [("TAKE SOURCE", (1, "b", 1)), ("TAKE TARGET", None), ("""SET '{"v": "e"}'""", (1, "e", 1))],
)
def test_a_deleted_row_comes_back_or_stays_away(lake_by: Lake, action: str, first: tuple[object, ...] | None) -> None:
    run(lake_by, "b", "UPDATE d.t SET v = 'b' WHERE id IN (1, 2)")
    run(lake_by, "main", "DELETE FROM d.t WHERE id = 1", "UPDATE d.t SET v = 'm' WHERE id = 3")
    assert "SAME_FILE_UPDATE_DELETE" in lake_by.codes("b")
    decided(lake_by, f"ROW '{row_id(lake_by, 1)}' {action}")
    rest = [(2, "b", 2), (3, "m", 3), (4, "o", 4)]
    assert shown(lake_by) == ([first, *rest] if first else rest)
    lake_by.merge("main", "b")
    assert shown(lake_by, "b") == shown(lake_by)
