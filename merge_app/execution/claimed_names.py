"""Names that a merge may give to objects, which the target may have given to others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from catalog_app.domain.operations import ObjectKind, Operation, OperationKind, Rename
from catalog_app.domain.state import DatabaseState, TableState
from merge_app.execution.source_side import SourceSide
from merge_app.planning.merge_plan import Decision, Resolution
from merge_app.planning.net_changes import ObjectKey

_NAMING = (Decision.RENAME, Decision.TAKE_SOURCE)


def _claims(operations: Sequence[Operation], kind: ObjectKind) -> set[int]:
    return {
        item.object_id
        for item in operations
        if item.object_kind is kind
        and (
            item.kind in (OperationKind.CREATE, OperationKind.UNDROP)
            or any(isinstance(change, Rename) for change in item.changes)
        )
    }


def places_claimed(
    side: SourceSide,
    target_states: Mapping[int, TableState],
    news: AbstractSet[ObjectKey],
    resolutions: Sequence[Resolution],
) -> list[tuple[int, str]]:
    """Where the tables may come to lie that the source made, undropped or renamed, and those that people renamed or
    took whole from the source. ``target_states`` are the target's states, which may bear another name or lie elsewhere,
    ``news`` the objects whose names facts may change.
    """
    claimed = [
        [states[i] for states in (side.tables, target_states) if i in states]
        for i in _claims(side.operations, ObjectKind.TABLE) | {i for kind, i in news if kind is ObjectKind.TABLE}
    ]
    found = [(database.database_id, state.name) for states in claimed for database in states for state in states]
    for item in resolutions:
        state = side.tables.get(item.object_id) if item.object_kind is ObjectKind.TABLE else None
        if state is not None and item.decision in _NAMING:
            found.append((state.database_id, item.name or state.name))
    return found


def names_claimed(
    side: SourceSide,
    target_states: Mapping[int, DatabaseState],
    news: AbstractSet[ObjectKey],
    resolutions: Sequence[Resolution],
) -> list[str]:
    """The same of databases."""
    claimed = _claims(side.operations, ObjectKind.DATABASE) | {i for kind, i in news if kind is ObjectKind.DATABASE}
    found = [states[i].name for states in (side.databases, target_states) for i in claimed if i in states]
    for item in resolutions:
        state = side.databases.get(item.object_id) if item.object_kind is ObjectKind.DATABASE else None
        if state is not None and item.decision in _NAMING:
            found.append(item.name or state.name)
    return found
