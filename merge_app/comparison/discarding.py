"""What a reset of a branch discards: the commits that the parent does not reach, and their net changes by object.

The numbers are those that a comparison of the two shows. No row is read, and no other change is judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from catalog_app.domain.operations import ObjectKind
from catalog_app.domain.state import TableState
from catalog_app.models import Branch
from catalog_app.selectors.ahead_behind import divergences_load
from catalog_app.selectors.objects import databases_load
from catalog_app.selectors.snapshot_diff import changed_views
from catalog_app.selectors.snapshots import Snapshot, branch_snapshot
from catalog_app.selectors.views import views_load
from merge_app.comparison.compare import NOTHING, Brought, brought_by, operations_shown
from merge_app.execution.load import merge_source_load, plan_without_facts
from merge_app.planning.change_sets import change_sets_of
from merge_app.planning.merge_plan import PlanInput
from merge_app.planning.net_changes import ObjectChanges


@dataclass(frozen=True, slots=True)
class DiscardedObject:
    """An object with changes that are discarded. ``operations`` are axes of the rule tables, besides ``create`` and
    ``undrop``; of a view ``create``, ``change`` or ``drop``. ``name`` is the full one that the branch shows.
    """

    kind: ObjectKind
    name: str
    operations: tuple[str, ...]
    brought: Brought


@dataclass(frozen=True, slots=True)
class Discarded:
    """``commits`` counts those that decide something; ``objects`` are in the order of their names."""

    commits: int
    objects: tuple[DiscardedObject, ...]


def discarded_load(branch: Branch, parent: Branch) -> Discarded:
    """What the branch has that the parent does not reach, with both as these rows say they are."""
    if branch.head_version == branch.fork_version and branch.parent_id == parent.pk:
        return Discarded(0, ())
    source_snapshot, target_snapshot = branch_snapshot(branch), branch_snapshot(parent)
    given = plan_without_facts(merge_source_load(source_snapshot, target_snapshot))
    databases = _database_names(given, source_snapshot)
    changed = change_sets_of(given).source.values()
    found = [_object(changes, given, databases) for changes in changed]
    found += _views(source_snapshot, target_snapshot)
    ahead = divergences_load([(branch, parent)])[branch.pk, parent.pk].ahead
    return Discarded(ahead, tuple(sorted(found, key=lambda item: (item.name.casefold(), item.kind.value))))


def _database_names(given: PlanInput, source_snapshot: Snapshot) -> Mapping[int, str]:
    database_ids = {state.database_id for states in (given.source_tables, given.tables) for state in states.values()}
    known = {**given.databases, **given.source_databases}
    return {
        key: state.name
        for key, state in {**known, **databases_load(source_snapshot, database_ids - known.keys())}.items()
    }


def _object(changes: ObjectChanges, given: PlanInput, databases: Mapping[int, str]) -> DiscardedObject:
    brought = NOTHING if changes.dropped else brought_by(changes)
    if changes.kind is ObjectKind.DATABASE:
        name = databases[changes.object_id]
    else:
        table: TableState = given.source_tables.get(changes.object_id) or given.tables[changes.object_id]
        name = f"{databases[table.database_id]}.{table.name}"
    return DiscardedObject(changes.kind, name, operations_shown(changes), brought)


def _views(source_snapshot: Snapshot, target_snapshot: Snapshot) -> Iterator[DiscardedObject]:
    """Views that the branch made, changed or dropped. No merge carries them; a reset takes them back."""
    shared = dict(zip(target_snapshot.branch_ids, target_snapshot.limits, strict=True))
    levels = zip(source_snapshot.branch_ids, source_snapshot.limits, strict=True)
    then = Snapshot(source_snapshot.branch_ids, tuple(min(limit, shared.get(branch, 0)) for branch, limit in levels))
    changed = changed_views(then, source_snapshot)
    source, target = (views_load(at, changed) if changed else {} for at in (source_snapshot, target_snapshot))
    for view_id in changed:
        view, known = source.get(view_id), target.get(view_id)
        shown, seen_by = (view, source_snapshot) if view is not None else (known, target_snapshot)
        if shown is not None and view != known:
            (database,) = databases_load(seen_by, [shown.database_id]).values()
            done = "create" if known is None else "drop" if view is None else "change"
            yield DiscardedObject(ObjectKind.VIEW, f"{database.name}.{shown.name}", (done,), NOTHING)
