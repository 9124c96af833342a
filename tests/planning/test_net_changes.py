"""P7: what is left of a side."""

from __future__ import annotations

from dataclasses import replace

import pytest

from catalog_app.domain.operations import Operation
from catalog_app.domain.schema import Column
from merge_app.planning.net_changes import ObjectChanges, Restores, TakenBack, net_changes
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


def _only(operations: list[Operation]) -> ObjectChanges:
    (changes,) = net_changes(side("dev", operations, 100)).values()
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


DEV, OTHER = 2, 3


def _dev(*operations: Operation) -> tuple[Operation, ...]:
    """Commits of dev from 100 on."""
    return tuple(replace(item, origin=(DEV, item.version)) for item in side("dev", operations, 100))


def _to(then: int, *, at: int) -> Restores:
    return {(DEV, at, then): TakenBack({DEV: at - 1}, {DEV: then})}


def _restore(then: int) -> Operation:
    return overwrite(1, removed=[1], metrics={"restored_version": then})


def test_a_restore_and_what_it_takes_back_cancel() -> None:
    done = _dev(delete((7, 1)), _restore(99))
    assert net_changes(done, restores=_to(99, at=101)) == {}
    (changes,) = net_changes(done).values()
    assert list(changes.versions) == ["overwrite"]


def test_what_the_restored_version_knew_stays() -> None:
    done = _dev(insert(5), delete((7, 1)), _restore(100))
    (changes,) = net_changes(done, restores=_to(100, at=102)).values()
    assert changes.versions == {"insert": (100,)}


def test_a_restore_takes_back_merged_commits_alone() -> None:
    """``OTHER`` 50 came by a merge at 100; 60 came otherwise, so the branch of the restore did not know it."""
    first, second, restore = _dev(delete((7, 1)), delete((8, 1)), _restore(99))
    done = [replace(first, origin=(OTHER, 50)), replace(second, origin=(OTHER, 60)), restore]
    taken_back = {(DEV, 102, 99): TakenBack({DEV: 101, OTHER: 50}, {DEV: 99})}
    (changes,) = net_changes(done, restores=taken_back).values()
    assert changes.versions == {"delete": (101,)}


def test_a_restore_taken_back_takes_nothing_back() -> None:
    done = _dev(insert(5), _restore(99), _restore(100))
    (changes,) = net_changes(done, restores={**_to(99, at=101), **_to(100, at=102)}).values()
    assert changes.versions == {"insert": (100,)}


def test_restores_of_one_commit_have_own_versions() -> None:
    """A transaction restores this table to 100 and another one to 99."""
    done = _dev(insert(5), delete((7, 1)), _restore(100))
    (changes,) = net_changes(done, restores={**_to(100, at=102), **_to(99, at=102)}).values()
    assert changes.versions == {"insert": (100,)}


@pytest.mark.parametrize(
    ("other", "is_unknown"), [({}, True), ({DEV: 99}, True), ({DEV: 100}, False), ({OTHER: 9}, True)]
)
def test_whether_anyone_else_knows_what_is_taken(other: dict[int, int], is_unknown: bool) -> None:
    assert TakenBack({DEV: 100, OTHER: 5}, {DEV: 99, OTHER: 5}).is_unknown_to(other) is is_unknown
    assert not TakenBack({OTHER: 5}, {}).is_unknown_to({OTHER: 1})


def test_recorded_operations_set_something_else() -> None:
    result = merged([set_property("p", "1", "2"), set_property("q", "1", "1")])
    (operation,) = table_of(result).operations
    assert [change.key for change in operation.changes] == ["p"]  # type: ignore[union-attr]
