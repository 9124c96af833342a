"""P7: what is left of a side."""

from __future__ import annotations

from dataclasses import replace

import pytest

from catalog_app.domain.operations import Operation
from catalog_app.domain.schema import Column
from merge_app.planning.net_changes import RestoreBase, net_changes
from tests.planning.build import (
    ORDERS,
    TABLE,
    create,
    delete,
    drop,
    insert,
    merged,
    overwrite,
    partition,
    rename,
    set_property,
    side,
    table_of,
    undrop,
    update,
)

C = Column(3, "c", "int")

NOTHING: dict[str, list[Operation]] = {
    "create then drop": [create(), insert(5), drop()],
    "drop then undrop": [drop(), undrop()],
    "drop, undrop, again": [drop(), undrop(), drop(), undrop()],
    "undrop then drop": [undrop(), insert(5), drop()],
    "add then drop a partition": [partition(None, ("x",)), partition(("x",), None)],
    "rename a partition there and back": [partition(("x",), ("y",)), partition(("y",), ("x",))],
}


@pytest.mark.parametrize("name", NOTHING)
def test_what_ends_where_it_began_is_nothing(name: str) -> None:
    assert net_changes(NOTHING[name]) == {}
    result = merged(NOTHING[name], [drop()], tables={TABLE: replace(ORDERS, is_dropped=True)})
    assert (result.findings, result.objects) == ((), ())


def _only(operations: list[Operation], base: int | None = None):  # type: ignore[no-untyped-def]
    (changes,) = net_changes(side("dev", operations, 100), base=RestoreBase(base)).values()
    return changes


def test_a_drop_absorbs_the_sides_earlier_changes() -> None:
    changes = _only([rename("orders", "x"), insert(5), delete((7, 1)), drop()])
    assert changes.dropped
    assert list(changes.versions) == ["drop"]
    assert [operation.version for operation in changes.operations] == [103]


def test_full_overwrites_absorb_earlier_data_but_no_definition() -> None:
    changes = _only(
        [rename("orders", "x"), insert(5), update(6, deletes=[(7, 1)]), overwrite(8, removed=[1, 5, 6]), insert(9)]
    )
    assert changes.versions == {"rename": (100,), "overwrite": (103,), "insert": (104,)}


def test_a_partition_overwrite_absorbs_nothing() -> None:
    changes = _only([insert(5), overwrite(8, removed=[1], partitions=(("x",),))])
    assert list(changes.versions) == ["insert", "overwrite"]


def test_swapped_partitions_stay_two_renames() -> None:
    changes = _only([partition(("x",), ("t",)), partition(("y",), ("x",)), partition(("t",), ("y",))])
    assert {(c.before, c.after) for c in changes.partitions} == {(("x",), ("y",)), (("y",), ("x",))}


def test_restores_to_base_cancel_and_older_overwrite() -> None:
    to_base = overwrite(1, removed=[1], metrics={"restored_version": 60})
    assert net_changes(side("dev", [delete((7, 1)), to_base], 100), base=RestoreBase(50)) == {}
    older = overwrite(1, removed=[1], metrics={"restored_version": 40})
    assert list(_only([delete((7, 1)), older], base=50).versions) == ["overwrite"]
    assert list(_only([delete((7, 1)), to_base]).versions) == ["overwrite"]


@pytest.mark.parametrize(("merged_at", "is_nothing"), [(55, True), (60, True), (61, False), (101, False), (102, True)])
def test_a_restore_cancels_own_work_alone(merged_at: int, is_nothing: bool) -> None:
    to_base = overwrite(1, removed=[1], metrics={"restored_version": 60})
    left = net_changes(side("dev", [delete((7, 1)), to_base], 100), base=RestoreBase(50, merges=(merged_at,)))
    assert (left == {}) is is_nothing


def test_recorded_operations_set_something_else() -> None:
    result = merged([set_property("p", "1", "2"), set_property("q", "1", "1")])
    (operation,) = table_of(result).operations
    assert [change.key for change in operation.changes] == ["p"]  # type: ignore[union-attr]
