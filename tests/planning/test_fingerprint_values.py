"""A fingerprint is kept with approvals and audit records, so its value for one content may not change."""

from __future__ import annotations

from catalog_app.domain.operations import (
    FileEffects,
    ObjectKind,
    ObjectName,
    Operation,
    OperationKind,
    PropertyChange,
    Rename,
)
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.state import DatabaseState, TableState
from merge_app.planning.fingerprint import fingerprint
from merge_app.planning.values import Action, ObjectPlan

TABLE = TableState(
    table_id=5,
    database_id=2,
    name="t",
    comment="",
    properties={"z": "1", "a": "2"},
    declared_partitions=frozenset({("2", None), ("1", "x")}),
    is_dropped=False,
    schema_version=3,
    schema=Schema((Column(1, "id", "bigint", nullable=False), Column(2, "m", "int", aliases=(4,)))),
)
OPERATIONS = (
    Operation(
        OperationKind.RENAME,
        ObjectKind.TABLE,
        5,
        changes=(Rename(ObjectName("s", 2), ObjectName("t", 2)), PropertyChange("a", None, "2")),
        metrics={"rows": 3, "files": 1},
        version=7,
        branch="dev",
    ),
)
DIGEST = "b368407e762ff094913627eb21bc35844dd4dc2d2d5ea262ab6c27aa52545393"


def digest(operations: tuple[Operation, ...] = OPERATIONS) -> str:
    database = DatabaseState(2, "d", "", {}, False)
    plans = (
        ObjectPlan(ObjectKind.DATABASE, 2, "d", Action.CREATE, None, database, ()),
        ObjectPlan(ObjectKind.TABLE, 5, "d.t", Action.ALTER, TABLE, TABLE, operations),
    )
    return fingerprint((), plans, source_head=9, destination_head=8, rules_digest="rules")


def test_one_content_has_the_value_that_it_always_had() -> None:
    assert digest() == DIGEST


def test_files_of_an_operation_do_not_count() -> None:
    (rename,) = OPERATIONS
    loaded = Operation(**{**{name: getattr(rename, name) for name in rename.__slots__}, "effects": FileEffects()})
    assert digest((loaded,)) == DIGEST
