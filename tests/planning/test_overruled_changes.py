"""A change that a pull from the other side overruled is not redone there (semantics P1, P6)."""

from __future__ import annotations

from catalog_app.domain.operations import (
    ObjectKind,
    ObjectName,
    Operation,
    OperationKind,
    PropertyChange,
    Rename,
)
from merge_app.planning.overruled import without_overruled

RENAMED = Rename(ObjectName("t", 1), ObjectName("x", 1))
RENAMED_THERE = Rename(ObjectName("t", 1), ObjectName("y", 1))


def renamed(change: Rename, version: int) -> Operation:
    return Operation(OperationKind.RENAME, ObjectKind.TABLE, 7, (change,), version=version)


def test_a_rename_before_a_pulled_rename_is_left_out() -> None:
    assert without_overruled([(renamed(RENAMED, 1), False), (renamed(RENAMED_THERE, 2), True)]) == ()


def test_a_rename_after_a_pulled_rename_stays() -> None:
    mine = renamed(RENAMED, 2)
    assert without_overruled([(renamed(RENAMED_THERE, 1), True), (mine, False)]) == (mine,)


def test_other_properties_of_the_same_statement_stay() -> None:
    changes = (PropertyChange("a", None, "1"), PropertyChange("b", None, "1"))
    mine = Operation(OperationKind.SET_PROPERTIES, ObjectKind.TABLE, 7, changes, version=1)
    theirs = Operation(OperationKind.SET_PROPERTIES, ObjectKind.TABLE, 7, (changes[0],), version=2)
    (left,) = without_overruled([(mine, False), (theirs, True)])
    assert left.changes == (changes[1],)


def test_operations_without_attributes_stay() -> None:
    mine = Operation(OperationKind.INSERT, ObjectKind.TABLE, 7, version=1)
    assert without_overruled([(mine, False), (renamed(RENAMED, 2), True)]) == (mine,)
