"""``merge.conflicts`` = ``cell``, and sums of columns: stories as data, in both directions."""

from __future__ import annotations

from typing import Any

import pytest

from lakeui.common.errors import InvalidValue
from tests.support.lake import Lake
from tests.support.rows import OPTIMIZE

COLUMNS = "id INT, v STRING, n INT"
ANCESTOR = "(1, 'o', 10), (2, 'o', 20)"
SUM = ", 'merge.column.n' = 'sum'"
BOTH = {"SAME_FILE_UPDATE_UPDATE"}


def put(assignments: str, number: int = 1) -> str:
    return f"UPDATE d.t SET {assignments} WHERE id = {number}"


def lake_of(lake: Lake, more: str = "", *, key: str = "") -> Lake:
    properties = "'merge.conflicts' = 'cell'" + more if not key else more.removeprefix(", ")
    lake.sql(f"CREATE TABLE d.t ({COLUMNS}{key})" + (f" TBLPROPERTIES ({properties})" if properties else ""))
    lake.sql(f"INSERT INTO d.t VALUES {ANCESTOR}")
    lake.sql("CREATE BRANCH b")
    return lake


def shown(lake: Lake, branch: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in lake.sql("SELECT id, v, n FROM d.t ORDER BY id", branch).rows]


SECOND = (2, "o", 20)
STORIES: dict[str, dict[str, Any]] = {
    "different columns": {
        "source": [put("v = 'B'")], "target": [put("n = 11")], "merged": [(1, "B", 11), SECOND],
    },
    "different columns, compacted": {
        "source": [put("v = 'B'"), OPTIMIZE], "target": [OPTIMIZE, put("n = 11")],
        "merged": [(1, "B", 11), SECOND],
    },
    "one cell alike": {
        "source": [put("v = 'B', n = 11")], "target": [put("v = 'B'")], "merged": [(1, "B", 11), SECOND],
    },
    "one cell differently": {"source": [put("v = 'B'")], "target": [put("v = 'M'")], "merged": BOTH},
    "a cell and its null": {"source": [put("v = NULL")], "target": [put("n = 11")], "merged": [(1, None, 11), SECOND]},
    "several updates": {
        "source": [put("v = 'A'"), put("v = 'B'")], "target": [put("n = 1"), put("n = 11")],
        "merged": [(1, "B", 11), SECOND],
    },
    "a cell that was put back": {
        "source": [put("v = 'A'"), put("v = 'o'")], "target": [put("v = 'M'")], "merged": [(1, "M", 10), SECOND],
    },
    "counts without a sum": {"source": [put("n = n + 1")], "target": [put("n = n + 5")], "merged": BOTH},
}  # fmt: skip
SUMMED: dict[str, dict[str, Any]] = {
    "counts": {
        "source": [put("n = n + 1")], "target": [put("n = n + 5")], "merged": [(1, "o", 16), SECOND],
    },
    "counts that grew and shrank": {
        "source": [put("n = n + 1"), put("n = n + 1")], "target": [put("n = n - 5, v = 'M'")],
        "merged": [(1, "M", 7), SECOND],
    },
    "one delta twice": {
        "source": [put("n = n + 1")], "target": [put("n = n + 1")], "merged": [(1, "o", 12), SECOND],
    },
    "a count that is not there": {"source": [put("n = NULL")], "target": [put("n = 11")], "merged": BOTH},
}  # fmt: skip


def check(lake: Lake, story: dict[str, Any], *, flipped: bool) -> None:
    target_branch, source_branch = ("b", "main") if flipped else ("main", "b")
    for branch, statements in ((source_branch, story["source"]), (target_branch, story["target"])):
        for statement in statements:
            lake.sql(statement, branch)
    if isinstance(story["merged"], set):
        assert lake.codes(source_branch, target_branch) == story["merged"]
        return
    lake.merge(source_branch, target_branch)
    assert shown(lake, target_branch) == story["merged"]
    lake.merge(target_branch, source_branch)
    assert shown(lake, source_branch) == story["merged"]
    assert lake.breaches() == []


@pytest.mark.parametrize("flipped", [False, True], ids=["", "flipped"])
@pytest.mark.parametrize("name", STORIES)
def test_by_cell(lake: Lake, name: str, flipped: bool) -> None:
    check(lake_of(lake), STORIES[name], flipped=flipped)


@pytest.mark.parametrize("flipped", [False, True], ids=["", "flipped"])
@pytest.mark.parametrize("name", SUMMED)
def test_sums(lake: Lake, name: str, flipped: bool) -> None:
    check(lake_of(lake, SUM), SUMMED[name], flipped=flipped)


@pytest.mark.parametrize("name", ["counts", "counts that grew and shrank"])
def test_sums_of_a_table_with_a_primary_key(lake: Lake, name: str) -> None:
    check(lake_of(lake, SUM, key=", PRIMARY KEY (id)"), SUMMED[name], flipped=False)


def test_a_third_branch_merges_against_the_newest_base(lake: Lake) -> None:
    lake_of(lake, SUM)
    lake.sql("CREATE BRANCH c")
    for branch, delta in (("main", 1), ("b", 10), ("c", 100)):
        lake.sql(put(f"n = n + {delta}"), branch)
    lake.merge("b")
    lake.merge("b", "c")
    lake.merge("c")
    assert shown(lake, "main")[0] == (1, "o", 121)
    lake.sql(put("n = n + 1000"), "c")
    lake.merge("c")
    lake.merge("main", "b")
    assert [shown(lake, branch)[0][2] for branch in ("main", "b")] == [1121, 1121]


@pytest.mark.parametrize(
    ("conflicts", "target", "reported"),
    [
        ("file", put("n = 11"), ["By row: 1 row in conflict.", "By cell this merges."]),
        ("file", put("v = 'M'"), ["By row: 1 row in conflict.", "By cell: 1 row in conflict."]),
        ("row", put("n = 11"), ["By cell this merges."]),
    ],
)
def test_a_verdict_tells_what_cells_say(lake: Lake, conflicts: str, target: str, reported: list[str]) -> None:
    lake_of(lake)
    lake.sql(f"ALTER TABLE d.t SET TBLPROPERTIES ('merge.conflicts' = '{conflicts}')")
    lake.sql(put("v = 'B'"), "b")
    lake.sql(target)
    (found,) = lake.dry_run("b")["conflicts"]
    assert [item["text"] for item in found["details"]["finer"]] == reported


def properties_of(lake: Lake) -> str:
    return next(row[1] for row in lake.sql("DESCRIBE TABLE EXTENDED d.t").rows if row[0] == "Properties")


def test_a_column_property_follows_renames_and_drops(lake: Lake) -> None:
    lake.sql(
        "CREATE TABLE d.t (id INT, n INT, m INT)"
        " TBLPROPERTIES ('merge.conflicts' = 'cell', 'merge.column.n' = 'sum', 'merge.column.m' = 'sum')"
    )
    lake.sql("ALTER TABLE d.t RENAME COLUMN N TO total")
    assert properties_of(lake) == "(merge.column.m=sum, merge.column.total=sum, merge.conflicts=cell)"
    lake.sql("ALTER TABLE d.t DROP COLUMN total")
    assert properties_of(lake) == "(merge.column.m=sum, merge.conflicts=cell)"
    lake.sql("ALTER TABLE d.t ALTER COLUMN m TYPE BIGINT")
    with pytest.raises(InvalidValue, match=r"merge\.column\.m needs merge\.conflicts"):
        lake.sql("ALTER TABLE d.t UNSET TBLPROPERTIES ('merge.conflicts')")
    lake.sql("ALTER TABLE d.t UNSET TBLPROPERTIES ('merge.column.m', 'merge.conflicts')")
    assert properties_of(lake) == "()"
