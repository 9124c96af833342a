"""What verdicts and properties say of cells. ``tests/stories/cells.toml`` has the merges."""

from __future__ import annotations

import pytest

from lakeui.common.errors import InvalidValue
from tests.support.lake import Lake


def put(assignments: str) -> str:
    return f"UPDATE d.t SET {assignments} WHERE id = 1"


@pytest.mark.parametrize(
    ("conflicts", "target", "reported"),
    [
        ("file", put("n = 11"), ["By row: 1 row in conflict.", "By cell this merges."]),
        ("file", put("v = 'M'"), ["By row: 1 row in conflict.", "By cell: 1 row in conflict."]),
        ("row", put("n = 11"), ["By cell this merges."]),
    ],
)
def test_a_verdict_names_cells_in_conflict(lake: Lake, conflicts: str, target: str, reported: list[str]) -> None:
    lake.sql(f"CREATE TABLE d.t (id INT, v STRING, n INT) TBLPROPERTIES ('merge.conflicts' = '{conflicts}')")
    lake.sql("INSERT INTO d.t VALUES (1, 'o', 10), (2, 'o', 20)")
    lake.sql("CREATE BRANCH b")
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
