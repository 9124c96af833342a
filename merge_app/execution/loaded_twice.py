"""Which files both sides of a merge loaded by COPY INTO."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from catalog_app.domain.operations import ObjectKind, Operation, OperationKind
from catalog_app.selectors.snapshots import Snapshot
from catalog_app.services.deleted_keys import COPIED
from merge_app.execution.deleted_keys import Tombstones, tombstones_find, tombstones_read
from merge_app.planning.merge_plan import LoadedTwice


def loaded_twice_load(
    source: Snapshot, target: Snapshot, operations: Sequence[Operation], others: Sequence[Operation]
) -> tuple[LoadedTwice, ...]:
    """``operations`` are the source's and ``others`` the target's: only tables that both inserted into count."""
    return tuple(_loaded_twice(source, target, _inserted(operations) & _inserted(others)))


def _inserted(operations: Sequence[Operation]) -> frozenset[int]:
    return frozenset(
        item.object_id
        for item in operations
        if item.object_kind is ObjectKind.TABLE and item.kind is OperationKind.INSERT
    )


def _loaded_twice(source: Snapshot, target: Snapshot, tables: Collection[int]) -> Iterator[LoadedTwice]:
    for table_id in sorted(tables):
        of_source = _loads(source, table_id)
        of_target = _loads(target, table_id) if of_source else {}
        alone = [item for place, item in of_source.items() if place not in of_target]
        others = [item for place, item in of_target.items() if place not in of_source]
        if alone and others:
            files = _files(alone) & _files(others)
            if files:
                yield LoadedTwice(table_id, tuple(sorted(path for path, _ in files)))


def _loads(snapshot: Snapshot, table_id: int) -> dict[tuple[object, ...], Tombstones]:
    found = tombstones_find(snapshot, table_id)
    return {tuple(item.place): item for item in found if list(item.columns) == COPIED}


def _files(loads: Collection[Tombstones]) -> frozenset[tuple[str, str]]:
    """Paths, each with size and time: another file of the same path is another file."""
    parts = tombstones_read(loads)
    return frozenset(pair for part in parts for pair in zip(*(c.to_pylist() for c in part.columns), strict=True))
