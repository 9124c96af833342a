"""Every cell of the database rule table (4 x 4), end to end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.lake import Lake

SOURCE = {
    "drop": "DROP DATABASE {d} CASCADE",
    "rename": "ALTER DATABASE {d} RENAME TO {d}_s",
    "set properties": "ALTER DATABASE {d} SET DBPROPERTIES ('s' = '1')",
    "unset properties": "ALTER DATABASE {d} UNSET DBPROPERTIES ('k')",
}
DESTINATION = {
    "drop": "DROP DATABASE {d} CASCADE",
    "rename": "ALTER DATABASE {d} RENAME TO {d}_d",
    "set properties": "ALTER DATABASE {d} SET DBPROPERTIES ('d' = '1')",
    "unset properties": "ALTER DATABASE {d} UNSET DBPROPERTIES ('other')",
}
CONFLICTS = {(source, "drop") for source in SOURCE if source != "drop"}
CELLS = [(source, destination) for source in SOURCE for destination in DESTINATION]


def database(cell: tuple[str, str]) -> str:
    return "_".join(cell).replace(" ", "_")


@pytest.fixture(scope="module")
def merged(services: None) -> Iterator[tuple[Lake, dict[str, dict[str, object]]]]:
    lake = Lake()
    for cell in CELLS:
        lake.sql(f"CREATE DATABASE {database(cell)} WITH DBPROPERTIES ('k' = '0', 'other' = '0')")
        lake.sql(f"CREATE TABLE {database(cell)}.t (id INT)")
    for branch in ("fine", "clash"):
        lake.sql(f"CREATE BRANCH {branch}")
    for cell in CELLS:
        lake.sql(SOURCE[cell[0]].format(d=database(cell)), "clash" if cell in CONFLICTS else "fine")
        lake.sql(DESTINATION[cell[1]].format(d=database(cell)))
    lake.merge("fine")
    conflicts = {item["object"]: item for item in lake.refused("clash") if item["kind"] == "database"}
    yield lake, conflicts
    assert lake.breaches() == []


@pytest.mark.parametrize("cell", CELLS, ids="-".join)
def test_cell(merged: tuple[Lake, dict[str, dict[str, object]]], cell: tuple[str, str]) -> None:
    lake, conflicts = merged
    source, destination = cell
    name = database(cell)
    if cell in CONFLICTS:
        found = conflicts[name]
        assert (found["source_op"], found["dest_op"], found["code"]) == (source, "drop", "OBJECT_DROPPED_ON_DEST")
        return
    names = {row[0] for row in lake.sql("SHOW DATABASES").rows} & {name, f"{name}_s", f"{name}_d"}
    if source == "drop":
        assert not names
        return
    final = f"{name}_s" if source == "rename" else f"{name}_d" if destination == "rename" else name
    assert names == {final}
    properties = {row[0]: row[1] for row in lake.sql(f"DESCRIBE DATABASE {final}").rows}["Properties"]
    expected = {"k": "0", "other": "0"}
    for operation, key in ((source, "k"), (destination, "other")):
        if operation == "unset properties":
            del expected[key]
    expected |= {"s": "1"} if source == "set properties" else {}
    expected |= {"d": "1"} if destination == "set properties" else {}
    assert properties == "(" + ", ".join(f"{key}={value}" for key, value in sorted(expected.items())) + ")"
    assert [row[1] for row in lake.sql(f"SHOW TABLES IN {final}").rows] == ["t"]


def test_unset_of_one_key_on_both_sides_conflicts(lake: Lake) -> None:
    lake.sql("ALTER DATABASE d SET DBPROPERTIES ('k' = '0')")
    lake.sql("CREATE BRANCH b")
    lake.sql("ALTER DATABASE d UNSET DBPROPERTIES ('k')", "b")
    lake.sql("ALTER DATABASE d UNSET DBPROPERTIES ('k')")
    assert lake.codes("b") == {"UNSET_SAME_PROPERTY"}
