"""Each conflicting cell of the rule tables names decisions, and each of them takes the conflict away."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from catalog_app.domain.checks import LAYOUT, Violation, check_key
from catalog_app.domain.operations import FileEffects, ObjectKind, Operation, OperationKind, OverwriteScope
from catalog_app.domain.row_merge import RowConflicts, RowJudgement
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.state import TableState
from catalog_app.rules.codes import CODE_TABLE, VerdictCode
from lakeui.sql.decisions import decisions_parsed
from merge_app.lineage.facts import Fact, Key, Scope, ScopeKind
from merge_app.lineage.outcomes import Finding as CoreFinding
from merge_app.lineage.steps import RowsPlan, TableSteps
from merge_app.planning.attribute_sides import AttributeSides
from merge_app.planning.decision_phrases import PHRASES
from merge_app.planning.decisions import OR_DECIDE, Option, options_of, remedy_of_merge
from merge_app.planning.merge_plan import (
    Decision,
    Finding,
    LeftOutBefore,
    PlanInput,
    Resolution,
    TableFacts,
    Verdict,
)
from merge_app.planning.net_changes import ObjectKey
from merge_app.planning.plan import plan
from tests.planning.build import (
    DB,
    ORDERS,
    SHOP,
    TABLE,
    add_column,
    create,
    delete,
    drop_column,
    insert,
    merge_input,
    partition,
    rename,
    rename_column,
    retype,
    set_property,
    unset_property,
    update,
    with_facts,
)
from tests.planning.test_every_cell import DATABASE_STEPS, TABLE_STEPS

OTHER = 11
"""A table of which nothing is decided."""
BESIDE = {OTHER: replace(ORDERS, table_id=OTHER, database_id=2, name="others")}
LAID_OVER = Operation(
    OperationKind.OVERWRITE, ObjectKind.TABLE, TABLE, overwrite=OverwriteScope(), effects=FileEffects(), version=100
)
"""What the history gives for a table that is taken whole from the source."""


def conflicted(source: Operation, destination: Operation, **fields: object) -> PlanInput:
    """Both operations, and beside them a change of another table by the source."""
    tables = {TABLE: ORDERS, **BESIDE}
    databases = {DB: SHOP, 2: replace(SHOP, database_id=2, name="side")}
    aside = replace(set_property("aside", None, "1"), object_id=OTHER)
    given = merge_input([source, aside], [destination], **{"tables": tables, "databases": databases, **fields})
    return replace(given, replacements={(ObjectKind.TABLE, TABLE): (LAID_OVER,), (ObjectKind.DATABASE, DB): ()})


def without_first_column(source: Operation) -> PlanInput:
    """The source's operation names a column that the target dropped."""
    first, *left = ORDERS.schema.columns
    tables = {TABLE: replace(ORDERS, schema=Schema(tuple(left)))} | BESIDE
    return with_facts(conflicted(source, drop_column(first), tables=tables))


def resolution(finding: Finding, option: Option) -> Resolution:
    value = {
        Decision.RERUN: '[{"version":100,"kind":"update","alias":"o","condition":null,"assignments":[["a","1"]]}]',
        Decision.NEWEST: "a",
        Decision.EDITED: "{}",
    }.get(option.decision, "")
    name = "fresh" if option.decision is Decision.RENAME else ""
    return Resolution(
        finding.object_kind, finding.object_id, option.decision, option.part, option.part_key, name=name, value=value
    )


def typed(remedy: str) -> set[tuple[str, str]]:
    """The part and decision of everything that somebody can type of a refusal, as the grammar reads it."""
    found = set()
    for text in re.findall(r"RESOLVE \(((?:[^()]|\([^()]*\))*)\)", remedy.partition(OR_DECIDE)[2]):
        first, *others = text.split(" | ")
        (decided,) = decisions_parsed(first)
        decided_part = first.removesuffix(PHRASES[Decision(decided.decision)].form)
        for (item,) in map(decisions_parsed, (first, *(decided_part + other for other in others))):
            found.add((item.part, item.decision))
    return found


def check(given: PlanInput) -> None:
    conflicts = plan(given).conflicts
    assert conflicts
    for conflict in conflicts:
        options = options_of(conflict)
        assert options, conflict.code
        named = {(option.part.value, option.decision.value) for option in options if option.part.value != "row"}
        assert typed(remedy_of_merge(conflict)) == named
        for option in options:
            decided = plan(replace(given, resolutions=(resolution(conflict, option),)))
            left = {(item.code, item.object_id, item.source_operation) for item in decided.conflicts}
            assert (conflict.code, conflict.object_id, conflict.source_operation) not in left, option
            assert conflict.code in {item.code for item in decided.findings if item.verdict is Verdict.DECIDED}
            aside = [item for item in decided.objects if item.object_id == OTHER]
            assert [dict(item.after.properties)["aside"] for item in aside] == ["1"]


CELLS = [
    (steps, source, destination)
    for steps in (DATABASE_STEPS, TABLE_STEPS)
    for source, destination in itertools.product(steps["source"], repeat=2)
    if plan(conflicted(steps["source"][source], steps["destination"][destination])).conflicts
]


@pytest.mark.parametrize(
    ("steps", "source", "destination"), CELLS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_each_conflicting_cell_has_decisions_that_clear_it(
    steps: dict[str, dict[str, Operation]], source: str, destination: str
) -> None:
    check(conflicted(steps["source"][source], steps["destination"][destination]))


CLASH = RowJudgement(
    {},
    conflicts=(RowConflicts(update(1).kind, update(1).kind, 1, 0, ('{"a":1}',)),),
)
KEYED = {TABLE: replace(ORDERS, schema=Schema(ORDERS.schema.columns, primary_key=(1,)))}

LEFT_OUT = (LeftOutBefore(TABLE, "main", 7),)

X, Y = ("x",), ("y",)


def of_rows(code: VerdictCode, **found: Any) -> dict[int, TableFacts]:
    """Facts of rows that refuse the merge; as people decided, nothing does."""
    finding = CoreFinding(code, (ObjectKind.TABLE, TABLE), "", rows=np.array([1]), **found)
    planned = RowsPlan(TableSteps(), (finding,), partitions={0: X, 1: Y})
    return {TABLE: TableFacts(rows_plan=planned, rows_decided=RowsPlan(TableSteps()))}


RENAMES = Scope(1, "dev", ScopeKind.RENAME_PARTITION, {}, 0, 1)
RENAMED = partition(X, Y, new=[11], removed=[1])
REQUIRED = Column(7, "z", "int", nullable=False)
OPTIONAL = replace(REQUIRED, nullable=True)
WIDER = Schema((*ORDERS.schema.columns, OPTIONAL))
TAKEN = {TABLE: ORDERS, 12: replace(ORDERS, table_id=12, name="taken")} | BESIDE

CHECKED = check_key("c")


def typed_as(kind: str) -> TableState:
    """``orders`` with another type of its column a."""
    return replace(ORDERS, schema=Schema((Column(1, "a", kind), *ORDERS.schema.columns[1:])))


def renamed() -> PlanInput:
    """The source gives the table a name that the target gave to another one."""
    known: dict[Key, Fact] = {("exists",): Fact(True, 1), ("home",): Fact((ObjectKind.DATABASE, DB), 1)}
    home: dict[ObjectKey, dict[Key, Fact]] = {(ObjectKind.DATABASE, DB): {("exists",): Fact(True, 1)}}
    past = ((1, "orders"),)
    attributes = AttributeSides(
        home | {(ObjectKind.TABLE, TABLE): {**known, ("name",): Fact("taken", 9, past=past)}},
        home | {(ObjectKind.TABLE, TABLE): {**known, ("name",): Fact("orders", 1)}},
        of_source=frozenset({9}),
        of_target=frozenset(),
        makers={9: (2, "dev")},
        as_operations=frozenset({(ObjectKind.TABLE, OTHER)}),
    )
    source_tables = {TABLE: replace(ORDERS, name="taken")}
    return conflicted(
        rename("orders", "taken"), create(12), tables=TAKEN, source_tables=source_tables, attributes=attributes
    )


def parted() -> PlanInput:
    """The source has columns y and z, which are one on the target; z got its name there after it was added."""
    known: dict[Key, Fact] = {("exists",): Fact(True, 1), ("home",): Fact((ObjectKind.DATABASE, DB), 1)}
    known |= {("column", i, "exists"): Fact((None,), i) for i in (7, 8)}
    known |= {("column", i, "name"): Fact("z", i) for i in (7, 8)}
    known |= {("column", i, "type"): Fact("int", i) for i in (7, 8)}
    one, two = OPTIONAL, Column(8, "z", "int")
    joined = replace(two, aliases=(7,))
    home: dict[ObjectKey, dict[Key, Fact]] = {(ObjectKind.DATABASE, DB): {("exists",): Fact(True, 1)}}
    attributes = AttributeSides(
        home | {(ObjectKind.TABLE, TABLE): {**known, ("column", 7, "name"): Fact("y", 9)}},
        home | {(ObjectKind.TABLE, TABLE): {**known, ("column", 8, "aliases"): Fact((7,), 10)}},
        of_source=frozenset({9}),
        of_target=frozenset({10}),
        makers={9: (2, "dev"), 10: (1, "main")},
        as_operations=frozenset({(ObjectKind.TABLE, OTHER)}),
    )
    shown = {
        side: replace(ORDERS, schema=Schema(columns))
        for side, columns in (("source", (one, two)), ("target", (joined,)))
    }
    return conflicted(
        rename_column(7, "z", "y"),
        add_column(two),
        tables={TABLE: shown["target"]} | BESIDE,
        source_tables={TABLE: shown["source"]},
        attributes=attributes,
    )


CONDITIONS = {
    VerdictCode.UNSET_SAME_PROPERTY: with_facts(conflicted(unset_property("p"), unset_property("p"))),
    VerdictCode.PARTITION_DROPPED_ON_DEST: conflicted(
        RENAMED,
        partition(X, None, removed=[1]),
        facts=of_rows(VerdictCode.PARTITION_DROPPED_ON_DEST, scopes=(RENAMES,)),
    ),
    VerdictCode.PARTITION_EXISTS: conflicted(
        RENAMED, insert(31, partition=Y), facts=of_rows(VerdictCode.PARTITION_EXISTS, scopes=(RENAMES,))
    ),
    VerdictCode.NOT_NULL_WITHOUT_VALUE: with_facts(
        conflicted(
            add_column(REQUIRED),
            insert(9),
            facts={TABLE: TableFacts(lacking={("destination", 7): 4}, lacking_decided={})},
        )
    ),
    VerdictCode.NAME_EXISTS: renamed(),
    VerdictCode.COLUMN_NAME_TAKEN: with_facts(
        conflicted(
            rename_column(1, "a", "z"), add_column(OPTIONAL), tables={TABLE: replace(ORDERS, schema=WIDER)} | BESIDE
        )
    ),
    VerdictCode.SAME_FILE_UPDATE_DELETE: conflicted(
        update(31, deletes=[(32, 1)]), delete((34, 1)), facts=of_rows(VerdictCode.SAME_FILE_UPDATE_DELETE)
    ),
    VerdictCode.COLUMN_TYPE_NARROWING: with_facts(
        conflicted(
            retype(1, "int", "bigint"),
            retype(1, "int", "double"),
            tables={TABLE: typed_as("double")} | BESIDE,
        )
    ),
    VerdictCode.COLUMN_MISSING: with_facts(
        conflicted(
            retype(2, "int", "bigint"),
            drop_column(ORDERS.schema.columns[1]),
            tables={TABLE: replace(ORDERS, schema=Schema(ORDERS.schema.columns[:1]))} | BESIDE,
        )
    ),
    VerdictCode.SAME_FILE_UPDATE_UPDATE: conflicted(
        update(31, deletes=[(32, 1)]),
        update(33, deletes=[(34, 1)]),
        facts=of_rows(VerdictCode.SAME_FILE_UPDATE_UPDATE),
    ),
    VerdictCode.PRIMARY_KEY_CLASH: conflicted(
        update(31, deletes=[(32, 1)]),
        update(33, deletes=[(34, 2)]),
        tables=KEYED | BESIDE,
        facts={TABLE: TableFacts(rows=CLASH)},
    ),
    VerdictCode.COLUMNS_JOINED: parted(),
    VerdictCode.NO_COLUMN_LEFT: with_facts(
        conflicted(
            drop_column(ORDERS.schema.columns[0]),
            drop_column(ORDERS.schema.columns[1]),
            tables={TABLE: replace(ORDERS, schema=Schema(ORDERS.schema.columns[:1]))} | BESIDE,
        )
    ),
    VerdictCode.CHECK_DIFFERS: with_facts(
        conflicted(set_property(CHECKED, None, "`__lake_c1` > 0"), set_property(CHECKED, None, "`__lake_c1` > 1"))
    ),
    VerdictCode.CHECK_COLUMN_MISSING: without_first_column(set_property(CHECKED, None, "`__lake_c1` > 0")),
    VerdictCode.LAYOUT_DIFFERS: with_facts(
        conflicted(
            set_property(LAYOUT, "", "bucket(4, `__lake_c1`)"), set_property(LAYOUT, "", "bucket(8, `__lake_c1`)")
        )
    ),
    VerdictCode.LAYOUT_COLUMN_MISSING: without_first_column(set_property(LAYOUT, None, "bucket(4, `__lake_c1`)")),
    VerdictCode.CHECK_VIOLATED: with_facts(
        conflicted(
            set_property(CHECKED, None, "`__lake_c1` > 0"),
            insert(9),
            facts={TABLE: TableFacts(violated={("destination", CHECKED): Violation(2, '{"a":0}')})},
        )
    ),
    VerdictCode.LEFT_OUT_BEFORE: conflicted(update(31), retype(1, "int", "bigint"), left_out_before=LEFT_OUT),
}


@pytest.mark.parametrize("code", CONDITIONS)
def test_each_condition_has_decisions_that_clear_it(code: VerdictCode) -> None:
    assert code.value in {item.code for item in plan(CONDITIONS[code]).conflicts}
    check(CONDITIONS[code])


@pytest.mark.parametrize("code", [code for code, text in CODE_TABLE.items() if text.is_conflict])
def test_each_code_of_a_conflict_names_a_decision(code: VerdictCode) -> None:
    details = {"property": "p", "column_id": 1, "side": "source", "partition": ["x"], "keys": []}
    finding = Finding(
        Verdict.CONFLICT, code.value, ObjectKind.TABLE, TABLE, "shop.orders", "", "", "", "", "", details=details
    )
    assert options_of(finding)


def test_each_conflict_code_is_tried() -> None:
    of_cells = [conflicted(steps["source"][one], steps["destination"][other]) for steps, one, other in CELLS]
    tried = {item.code for given in (*of_cells, *CONDITIONS.values()) for item in plan(given).conflicts}
    assert tried == {code.value for code, text in CODE_TABLE.items() if text.is_conflict}
