"""Every cell of the table rule table (10 x 10), end to end: both sides' statements, the merge, the rows.

All cells that merge share one merge; all that conflict share one refused merge, which must name each of them (P5).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.lake import Lake

AXES = (
    "drop",
    "rename",
    "properties",
    "column",
    "partition",
    "insert",
    "delete",
    "update",
    "overwrite",
    "compaction",
)

SOURCE = {
    "drop": "DROP TABLE {t}",
    "rename": "ALTER TABLE {t} RENAME TO {t}_s",
    "properties": "ALTER TABLE {t} SET TBLPROPERTIES ('s' = '1')",
    "column": "ALTER TABLE {t} ADD COLUMN s_column INT",
    "partition": "ALTER TABLE {t} ADD PARTITION (p = 's')",
    "insert": "INSERT INTO {t} (id, v, p) VALUES (10, 's', 'x')",
    "delete": "DELETE FROM {t} WHERE id = 1",
    "update": "UPDATE {t} SET v = 'S' WHERE id = 2",
    "overwrite": "INSERT OVERWRITE {t} (id, v, p) VALUES (20, 'so', 'x')",
    "compaction": "OPTIMIZE {t}",
}
DESTINATION = {
    "drop": "DROP TABLE {t}",
    "rename": "ALTER TABLE {t} RENAME TO {t}_d",
    "properties": "ALTER TABLE {t} SET TBLPROPERTIES ('d' = '1')",
    "column": "ALTER TABLE {t} ADD COLUMN d_column INT",
    "partition": "ALTER TABLE {t} ADD PARTITION (p = 'd')",
    "insert": "INSERT INTO {t} (id, v, p) VALUES (11, 'd', 'y')",
    "delete": "DELETE FROM {t} WHERE id = 3",
    "update": "UPDATE {t} SET v = 'D' WHERE id = 4",
    "overwrite": "INSERT OVERWRITE {t} (id, v, p) VALUES (21, 'do', 'y')",
    "compaction": "OPTIMIZE {t}",
}
BASE = {1: ("a", "x"), 2: ("b", "x"), 3: ("c", "y"), 4: ("d", "y"), 5: ("e", "x")}

# Semantics §3: everything that a target drop meets, and predicates that never saw the target's new rows.
CONFLICTS = {(source, "drop"): "OBJECT_DROPPED_ON_DEST" for source in AXES if source != "drop"}
CONFLICTS |= {(source, "insert"): "PREDICATE_DML_VS_INSERT" for source in ("delete", "update")}
CELLS = [(source, destination) for source in AXES for destination in AXES]
FINE = [cell for cell in CELLS if cell not in CONFLICTS]


def table(cell: tuple[str, str]) -> str:
    return f"d.{cell[0]}_{cell[1]}"


@dataclass
class Outcome:
    lake: Lake
    fine: dict[str, Any]
    dry: dict[str, Any]
    conflicts: list[dict[str, Any]]
    heads_moved: bool


@pytest.fixture(scope="module")
def outcome(services: None) -> Iterator[Outcome]:
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql(
        "CREATE TABLE d.base AS SELECT * FROM VALUES (1,'a','x'),(2,'b','x'),(3,'c','y'),(4,'d','y') AS r(id, v, p)"
    )
    for cell in CELLS:
        lake.sql(f"CREATE TABLE {table(cell)} PARTITIONED BY (p) AS SELECT id, v, p FROM d.base")
        lake.sql(f"INSERT INTO {table(cell)} VALUES (5, 'e', 'x')")
    for branch in ("fine", "clash"):
        lake.sql(f"CREATE BRANCH {branch}")
    for cell in CELLS:
        lake.sql(SOURCE[cell[0]].format(t=table(cell)), "clash" if cell in CONFLICTS else "fine")
        lake.sql(DESTINATION[cell[1]].format(t=table(cell)))
    dry = lake.dry_run("fine")
    fine = lake.merge("fine")
    before = lake.head("clash"), lake.head()
    conflicts = lake.refused("clash")
    yield Outcome(lake, fine, dry, conflicts, before != (lake.head("clash"), lake.head()))
    assert lake.breaches() == []


def expected_rows(source: str, destination: str) -> list[tuple[Any, ...]]:
    """The target's statement, then the source's applied to what it left."""
    rows: dict[int, tuple[str, str]] = dict(BASE)
    match destination:
        case "insert":
            rows[11] = ("d", "y")
        case "delete":
            del rows[3]
        case "update":
            rows[4] = ("D", "y")
        case "overwrite":
            rows = {21: ("do", "y")}
    match source:
        case "insert":
            rows[10] = ("s", "x")
        case "delete":
            rows.pop(1, None)
        case "update" if 2 in rows:
            rows[2] = ("S", "x")
        case "overwrite":
            rows = {20: ("so", "x")}
    return sorted(((key, *value) for key, value in rows.items()), key=repr)


@pytest.mark.parametrize(("source", "destination"), FINE)
def test_cell_merges(outcome: Outcome, source: str, destination: str) -> None:
    name = table((source, destination)).removeprefix("d.")
    hit = [
        item
        for item in outcome.dry["findings"]
        if item["object"].split(".")[1] in (name, f"{name}_d", f"{name}_s") and item["rule_table"] == "table"
    ]
    assert [(item["source_op"], item["dest_op"]) for item in hit if item["verdict"] != "note"] in (
        [(source, destination)],
        [],
    )
    assert (source, destination) in {(item["source_op"], item["dest_op"]) for item in hit}
    tables = {row[1] for row in outcome.lake.sql("SHOW TABLES IN d").rows}
    if source == "drop":
        assert not tables & {name, f"{name}_d", f"{name}_s"}
        return
    final = f"{name}_s" if source == "rename" else f"{name}_d" if destination == "rename" else name
    assert tables & {name, f"{name}_d", f"{name}_s"} == {final}
    assert outcome.lake.rows(f"d.{final}", columns="id, v, p") == expected_rows(source, destination)
    _attributes_are_of_both(outcome.lake, final, source, destination)


def _attributes_are_of_both(lake: Lake, final: str, source: str, destination: str) -> None:
    described = lake.sql(f"DESCRIBE TABLE EXTENDED d.{final}").rows
    columns = [row[0] for row in described[: described.index(["", "", None, None, None])]]
    details = {row[0]: row[1] for row in described}
    partitions = {row[0] for row in lake.sql(f"SHOW PARTITIONS d.{final}").rows}
    assert ("s_column" in columns, "d_column" in columns) == (source == "column", destination == "column")
    assert ("s=1" in details["Properties"], "d=1" in details["Properties"]) == (
        source == "properties",
        destination == "properties",
    )
    assert ("p=s" in partitions, "p=d" in partitions) == (source == "partition", destination == "partition")


@pytest.mark.parametrize(("source", "destination"), list(CONFLICTS))
def test_cell_conflicts(outcome: Outcome, source: str, destination: str) -> None:
    hit = [item for item in outcome.conflicts if item["object"] == table((source, destination))]
    assert [(item["source_op"], item["dest_op"], item["code"]) for item in hit] == [
        (source, destination, CONFLICTS[source, destination])
    ]
    assert hit[0]["message"]
    assert hit[0]["remedy"]


def test_a_refused_merge_moves_no_head(outcome: Outcome) -> None:
    assert not outcome.heads_moved


def test_all_cells_are_there() -> None:
    assert len(CELLS) == 100
    assert len(FINE) + len(CONFLICTS) == 100
