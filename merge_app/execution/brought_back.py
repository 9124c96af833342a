"""What a merged drop absorbed comes with the object when the source brings it back.

Whoever merged the drop reaches what preceded it (P6) and never got it (P7). A drop and its undrop are nothing together
(P7): where the undrop is redone, each side counts as knowing of the object what it reached when it lost it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from catalog_app.domain.operations import ObjectKind, Operation, OperationKind
from catalog_app.selectors.objects import databases_load, drop_versions, tables_list, tables_load
from catalog_app.selectors.snapshots import Snapshot
from merge_app.execution.operations import operations_load
from merge_app.execution.reach import Reach, own_ranges, reach_load
from merge_app.planning.surviving import LIFECYCLE, ObjectKey


@dataclass(frozen=True, slots=True)
class BroughtBack:
    """The objects that the source brings back and the destination lacks. ``known``: by object, what the destination
    reached when it lost it, nothing if it never had it; ``known_by_source``: of those that the destination had, what
    the source reached when it lost them itself.
    """

    source: Snapshot
    destination: Snapshot
    known: Mapping[ObjectKey, Reach]
    known_by_source: Mapping[ObjectKey, Reach]

    def source_operations(self, operations: Sequence[Operation]) -> tuple[Operation, ...]:
        """The source's operations that the destination does not reach, with those on these objects that it did not
        reach when it lost them; of what it never had, all.
        """
        return _with_all(operations, self.source, self.known)

    def destination_operations(self, operations: Sequence[Operation]) -> tuple[Operation, ...]:
        """The destination's operations that the source does not reach, with those on these objects that it did not
        reach when it lost them itself.
        """
        return _with_all(operations, self.destination, self.known_by_source)


def brought_back_load(
    operations: Sequence[Operation],
    source: Snapshot,
    destination: Snapshot,
    *,
    among: Collection[ObjectKey] | None = None,
) -> BroughtBack:
    """``operations`` are the source's that the destination does not reach; no query where none is an undrop. A database
    comes back with its tables. ``among``: only these objects are of interest.
    """
    back = {(item.object_kind, item.object_id) for item in operations if item.kind is OperationKind.UNDROP}
    databases = _ids(back, ObjectKind.DATABASE)
    if databases:
        back |= {(ObjectKind.TABLE, state.table_id) for state in tables_list(source, databases)}
    if among is not None:
        back &= set(among)
    lacking = back - _valid(destination, back) if back else back
    lacking -= _merged_below(lacking, destination)
    had = _reached(destination, lacking) if lacking else {}
    known = {key: had.get(key, {}) for key in sorted(lacking)}
    return BroughtBack(source, destination, known, _reached(source, had) if had else {})


def _merged_below(lacking: set[ObjectKey], destination: Snapshot) -> set[ObjectKey]:
    """The objects whose facts are merged also while they are dropped (lineage R4): nothing of them is to be caught up.
    Not those that the destination never had.
    """
    if not lacking:
        return set()
    tables = tables_load(destination, _ids(lacking, ObjectKind.TABLE))
    databases = databases_load(destination, _ids(lacking, ObjectKind.DATABASE))
    return {(ObjectKind.TABLE, i) for i in tables} | {(ObjectKind.DATABASE, i) for i in databases}


def _valid(snapshot: Snapshot, keys: Collection[ObjectKey]) -> set[ObjectKey]:
    """Those of the objects that the chain shows."""
    tables = tables_load(snapshot, _ids(keys, ObjectKind.TABLE))
    homes = (state.database_id for state in tables.values())
    databases = databases_load(snapshot, {*homes, *_ids(keys, ObjectKind.DATABASE)})
    valid = {i for i, state in databases.items() if not state.is_dropped}
    shown = {i for i, state in tables.items() if not state.is_dropped and state.database_id in valid}
    return {(ObjectKind.DATABASE, i) for i in valid} | {(ObjectKind.TABLE, i) for i in shown}


def _lost_at(snapshot: Snapshot, keys: Collection[ObjectKey]) -> dict[ObjectKey, int]:
    """The versions at which the chain last lost the objects, a table also with its database; absent if it never did."""
    tables = tables_load(snapshot, _ids(keys, ObjectKind.TABLE))
    homes = {(ObjectKind.TABLE, i): (ObjectKind.DATABASE, state.database_id) for i, state in tables.items()}
    dropped = {(ObjectKind.TABLE, i) for i, state in tables.items() if state.is_dropped}
    drops = drop_versions(snapshot, _ids([*keys, *homes.values()], ObjectKind.DATABASE), tables)
    found = {}
    for key in keys:
        own, with_home = drops.get(key, 0), drops.get(homes.get(key, key), 0)
        found[key] = own if key in dropped else max(own, with_home)
    return {key: version for key, version in found.items() if version}


def _reached(snapshot: Snapshot, keys: Collection[ObjectKey]) -> dict[ObjectKey, Reach]:
    """What the chain reached when it last lost the objects; absent if it never did."""
    lost_at = _lost_at(snapshot, keys)
    reached = {version: reach_load(snapshot.at(version - 1)) for version in set(lost_at.values())}
    return {key: reached[version] for key, version in lost_at.items()}


def _ids(keys: Iterable[ObjectKey], kind: ObjectKind) -> list[int]:
    return list(dict.fromkeys(object_id for found, object_id in keys if found is kind))


def _with_all(
    operations: Sequence[Operation], snapshot: Snapshot, known: Mapping[ObjectKey, Reach]
) -> tuple[Operation, ...]:
    """The operations, those on the objects replaced by all on the chain that what is known of them does not reach. Of
    what made or ended an object that was there, only what is among the operations.
    """
    if not known:
        return tuple(operations)
    told = {item.operation_id for item in operations}
    found = [item for item in operations if (item.object_kind, item.object_id) not in known]
    groups: dict[tuple[tuple[int, int], ...], list[ObjectKey]] = defaultdict(list)
    for key, reach in known.items():
        groups[tuple(sorted(reach.items()))].append(key)
    for reached, keys in groups.items():
        reach = dict(reached)
        databases, tables = _ids(keys, ObjectKind.DATABASE), _ids(keys, ObjectKind.TABLE)
        whole = operations_load(own_ranges(snapshot, reach), reach, databases=databases, tables=tables)
        found += [item for item in whole if not reach or item.kind not in LIFECYCLE or item.operation_id in told]
    return tuple(sorted(found, key=lambda item: (item.version, item.operation_id or 0)))
