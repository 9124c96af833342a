"""Names that a merge may give to objects, which the target may have given to others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from catalog_app.domain.operations import ObjectKind, Operation, OperationKind, Rename
from catalog_app.domain.state import ObjectState
from merge_app.execution.lineage.source_side import SourceSide
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
    kind: ObjectKind,
    target_states: Mapping[int, ObjectState],
    news: AbstractSet[ObjectKey],
    resolutions: Sequence[Resolution],
) -> set[tuple[int, str]]:
    """Databases and names under which objects of a kind may come to lie: those that the source made, undropped or
    renamed, and those that people renamed or took whole from the source. ``target_states`` may bear another name or
    lie elsewhere. ``news``: the objects whose names facts may change.
    """
    own: Mapping[int, ObjectState] = side.tables if kind is ObjectKind.TABLE else side.databases
    claimed = _claims(side.operations, kind) | {i for each, i in news if each is kind}
    shown = [[states[i] for states in (own, target_states) if i in states] for i in claimed]
    found = {(lying.database_id, named.name) for states in shown for lying in states for named in states}
    for item in resolutions:
        state = own.get(item.object_id) if item.object_kind is kind else None
        if state is not None and item.decision in _NAMING:
            found.add((state.database_id, item.name or state.name))
    return found
