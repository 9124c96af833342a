"""Whatever a merge leaves out or overrides is named alike in dry run, comparison, result and audit record."""

from __future__ import annotations

from typing import Any

import pytest

from catalog_app.rules.codes import CODE_TABLE, VerdictCode
from lakeui.frontdoor import compute
from merge_app.comparison.compare import comparison_load
from merge_app.execution.report import finding_as_json
from tests.support.lake import Lake

_PLAIN = ("CREATE TABLE d.t (id INT, v STRING)", "INSERT INTO d.t VALUES (1, 'a'), (2, 'b')")
_KEYED = ("CREATE TABLE d.t (id INT PRIMARY KEY, v STRING)", *_PLAIN[1:])
_PARTED = (
    "CREATE TABLE d.t (id INT, v STRING, p STRING) PARTITIONED BY (p)",
    "INSERT INTO d.t VALUES (1, 'a', 'x'), (2, 'b', 'x'), (3, 'c', 'y')",
)
_HOMES = ("CREATE DATABASE e", "CREATE DATABASE f", *_PLAIN)
_SCHEMA = ("CREATE TABLE d.t (id INT, v STRING, w STRING DEFAULT 'w')", "INSERT INTO d.t VALUES (1, 'a', 'b')")
_RESTORED = (*_PLAIN, "UPDATE d.t SET v = 'now' WHERE id = 1")
_BACK = "RESTORE TABLE d.t TO VERSION AS OF 3"

Case = tuple[str, tuple[str, ...], tuple[str, ...], tuple[str, ...], str, dict[str, Any]]
CASES: tuple[Case, ...] = (
    ("update x overwrite", _PLAIN, ("UPDATE d.t SET v = 's' WHERE id = 1",), ("INSERT OVERWRITE d.t VALUES (9, 'z')",),
     "DISCARDED_UPDATE", {"rows": 1}),
    ("update x restore", _RESTORED, ("UPDATE d.t SET v = 's' WHERE id = 1",), (_BACK,),
     "DISCARDED_UPDATE", {"emptied_files": 1}),
    ("delete x overwrite", _PLAIN, ("DELETE FROM d.t WHERE id = 1",), ("INSERT OVERWRITE d.t VALUES (9, 'z')",),
     "DISCARDED_DELETE", {"rows": 1}),
    ("delete x update", _PLAIN, ("DELETE FROM d.t WHERE id = 1",), ("UPDATE d.t SET v = 'm' WHERE id < 3",),
     "DISCARDED_DELETE", {"rows": 1}),
    ("delete x drop of the partition", _PARTED, ("DELETE FROM d.t WHERE id = 1",),
     ("ALTER TABLE d.t DROP PARTITION (p = 'x')",), "DISCARDED_DELETE", {"rows": 1}),
    ("overwrite x update that moved the row", _PARTED, ("INSERT OVERWRITE d.t PARTITION (p = 'x') VALUES (9, 'z')",),
     ("UPDATE d.t SET p = 'y' WHERE id = 1",), "DISCARDED_DELETE", {"rows": 1}),
    ("drop of the partition x update that moved the row", _PARTED, ("ALTER TABLE d.t DROP PARTITION (p = 'x')",),
     ("UPDATE d.t SET p = 'y' WHERE id = 1",), "DISCARDED_DELETE", {"rows": 1}),
    ("overwrite x insert", _PLAIN, ("INSERT OVERWRITE d.t VALUES (9, 'z')",), ("INSERT INTO d.t VALUES (5, 'm')",),
     "DROPS_DEST_CHANGES", {"rows": 1}),
    ("overwrite that writes rows x delete", _PLAIN, ("INSERT OVERWRITE d.t VALUES (1, 's')",),
     ("DELETE FROM d.t WHERE id = 1",), "DROPS_DEST_CHANGES", {"rows": 1}),
    ("replaced table x delete of a whole file", _PLAIN, ("CREATE OR REPLACE TABLE d.t AS SELECT * FROM d.t",),
     ("DELETE FROM d.t",), "DROPS_DEST_CHANGES", {"rows": 2}),
    ("overwrite that writes rows x overwrite that takes all", _PLAIN, ("INSERT OVERWRITE d.t VALUES (1, 's')",),
     ("TRUNCATE TABLE d.t",), "DROPS_DEST_CHANGES", {"rows": 2}),
    ("replaced table x overwrite that takes all", _PLAIN, ("CREATE OR REPLACE TABLE d.t AS SELECT * FROM d.t",),
     ("TRUNCATE TABLE d.t",), "DROPS_DEST_CHANGES", {"rows": 2}),
    ("overwrite of a partition that writes rows x drop of the partition", _PARTED,
     ("INSERT OVERWRITE d.t PARTITION (p = 'x') VALUES (1, 's')",), ("ALTER TABLE d.t DROP PARTITION (p = 'x')",),
     "DROPS_DEST_CHANGES", {"rows": 2}),
    ("overwrite of a partition that writes rows x delete", _PARTED,
     ("INSERT OVERWRITE d.t PARTITION (p = 'x') VALUES (1, 's')",), ("DELETE FROM d.t WHERE id IN (1, 3)",),
     "DROPS_DEST_CHANGES", {"rows": 1}),
    ("overwrite x delete of a key that it writes", _KEYED, ("INSERT OVERWRITE d.t VALUES (1, 's')",),
     ("DELETE FROM d.t WHERE id = 1",), "DROPS_DEST_CHANGES", {"rows": 1}),
    ("overwrite x update of a key", _KEYED, ("INSERT OVERWRITE d.t VALUES (1, 's')",),
     ("UPDATE d.t SET v = 'm' WHERE id = 1",), "DROPS_DEST_CHANGES", {"rows": 1}),
    ("drop of a partition x insert", _PARTED, ("ALTER TABLE d.t DROP PARTITION (p = 'x')",),
     ("INSERT INTO d.t VALUES (5, 'm', 'x')",), "DROPS_DEST_CHANGES", {"rows": 1}),
    ("drop x insert", _PLAIN, ("DROP TABLE d.t",), ("INSERT INTO d.t VALUES (5, 'm')",),
     "DROPS_DEST_CHANGES", {"rows_inserted": 1}),
    ("restore x update", _RESTORED, (_BACK,), ("UPDATE d.t SET v = 'm' WHERE id = 1",),
     "OVERRIDDEN_BY_SOURCE", {"rows": 1}),
    ("restore x delete", _RESTORED, (_BACK,), ("DELETE FROM d.t WHERE id = 1",), "OVERRIDDEN_BY_SOURCE", {"rows": 1}),
    ("name x name", _PLAIN, ("ALTER TABLE d.t RENAME TO d.s",), ("ALTER TABLE d.t RENAME TO d.m",),
     "OVERRIDDEN_BY_SOURCE", {"source": "s", "destination": "m"}),
    ("home x home", _HOMES, ("ALTER TABLE d.t RENAME TO e.t",), ("ALTER TABLE d.t RENAME TO f.t",),
     "OVERRIDDEN_BY_SOURCE", {"attribute": "database_id"}),
    ("property x property", _PLAIN, ("ALTER TABLE d.t SET TBLPROPERTIES ('k' = 's')",),
     ("ALTER TABLE d.t SET TBLPROPERTIES ('k' = 'm')",), "OVERRIDDEN_BY_SOURCE", {"property": "k"}),
    ("default x default", _SCHEMA, ("ALTER TABLE d.t ALTER COLUMN w SET DEFAULT 's'",),
     ("ALTER TABLE d.t ALTER COLUMN w DROP DEFAULT",), "OVERRIDDEN_BY_SOURCE", {"attribute": "default"}),
    ("drop of a column x update of it", _SCHEMA, ("ALTER TABLE d.t DROP COLUMN w",), ("UPDATE d.t SET w = 'm'",),
     "DISCARDED_VALUE", {"side": "destination", "rows": 1}),
    ("insert x drop of a column", _SCHEMA, ("INSERT INTO d.t VALUES (5, 's', 's')",),
     ("ALTER TABLE d.t DROP COLUMN w",), "DISCARDED_VALUE", {"side": "source", "rows": 1}),
    ("rename of a partition x rename of it", _PARTED,
     ("ALTER TABLE d.t PARTITION (p = 'x') RENAME TO PARTITION (p = 's')",),
     ("ALTER TABLE d.t PARTITION (p = 'x') RENAME TO PARTITION (p = 'm')",), "DISCARDED_RENAME", {"rows": 2}),
    ("compaction x delete", (*_PLAIN, "INSERT INTO d.t VALUES (3, 'c')"), ("OPTIMIZE d.t",),
     ("DELETE FROM d.t WHERE id = 1",), "COMPACTION_SKIPPED", {}),
)  # fmt: skip

_SAID_OF_OTHERS = {VerdictCode.STALE_READ, VerdictCode.LOADED_TWICE, VerdictCode.BREAKS_VIEW}
"""Nothing of either side is left out there."""


def test_every_such_code_has_a_case() -> None:
    said = {VerdictCode(case[4]) for case in CASES} | {VerdictCode.DISCARDED_BY_DECISION}
    assert said == {code for code, text in CODE_TABLE.items() if not text.is_conflict} - _SAID_OF_OTHERS


def _shown(notes: Any) -> list[tuple[Any, ...]]:
    return [(note["code"], note["source_op"], note["dest_op"], note["message"], note["details"]) for note in notes]


def _compared(lake: Lake) -> list[Any]:
    found = comparison_load(lake.branch("b"), lake.branch(), compute.engine)
    return [finding_as_json(item) for each in found.objects for item in each.findings]


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_all_four_places_name_it(lake: Lake, case: Case) -> None:
    _, base, source, target, code, details = case
    for statement in (*base, "CREATE BRANCH b"):
        lake.sql(statement)
    for branch, statements in (("b", source), ("main", target)):
        for statement in statements:
            lake.sql(statement, branch)
    compared = _shown(item for item in _compared(lake) if item["verdict"] == "note")
    foreseen = _shown(lake.dry_run("b")["notes"])
    merged = lake.merge("b")
    assert _shown(merged["notes"]) == foreseen == compared == _shown(lake.audit(merged["merge_id"])["notes"])
    assert [note[0] for note in foreseen] == [code], foreseen
    assert {name: foreseen[0][4].get(name) for name in details} == details
    assert lake.breaches() == []


@pytest.mark.parametrize("decision", ["TAKE SOURCE", "TAKE TARGET", "SKIP"])
def test_decisions_name_what_they_leave_out(lake: Lake, decision: str) -> None:
    for statement in (*_PLAIN, "CREATE BRANCH b", "UPDATE d.t SET v = 'm' WHERE id = 1"):
        lake.sql(statement)
    lake.sql("UPDATE d.t SET v = 's' WHERE id = 1", "b")
    decided = f"MERGE BRANCH b RESOLVE (TABLE d.t {decision})"
    foreseen = _shown(lake.sql(f"{decided} DRY RUN").extra["notes"])
    merged = lake.sql(decided).extra
    assert _shown(merged["notes"]) == foreseen == _shown(lake.audit(merged["merge_id"])["notes"])
    assert {note[0] for note in foreseen} == {"DISCARDED_BY_DECISION"}
    assert f"1 row updated on {'main: id 1, v ' if decision == 'TAKE SOURCE' else 'b: id 1, v '}" in foreseen[0][3]
    assert ('v "m"' in foreseen[0][3]) == (decision == "TAKE SOURCE")


def test_a_home_is_named_by_its_name(lake: Lake) -> None:
    for statement in (*_HOMES, "CREATE BRANCH b", "ALTER TABLE d.t RENAME TO f.t"):
        lake.sql(statement)
    lake.sql("ALTER TABLE d.t RENAME TO e.t", "b")
    (note,) = lake.merge("b")["notes"]
    assert "The source's database e replaces the target's f." in note["message"]


def test_a_cell_of_both_is_no_choice(lake: Lake) -> None:
    """The row that a decision takes has the sum of both sides all the same, so the decision does not name it."""
    for statement in (
        "CREATE TABLE d.t (id INT PRIMARY KEY, n INT, v STRING) TBLPROPERTIES ('merge.column.n' = 'sum')",
        "INSERT INTO d.t VALUES (1, 10, 'o')",
        "CREATE BRANCH b",
        "UPDATE d.t SET n = n + 7, v = 'm'",
    ):
        lake.sql(statement)
    lake.sql("UPDATE d.t SET n = n + 5, v = 's'", "b")
    (note,) = lake.sql("""MERGE BRANCH b RESOLVE (TABLE d.t ROW '{"id":1}' TAKE SOURCE)""").extra["notes"]
    assert """keeps v "s" of b; leaves out v "m" of main.""" in note["message"]
    assert lake.rows("d.t") == [(1, 22, "s")]
