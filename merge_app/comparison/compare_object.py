"""One object of two branches side by side: what each did to it, and what a merge would leave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from catalog_app.domain.operations import ObjectKind, Operation, OperationKind, PartitionChange
from catalog_app.domain.state import DatabaseState, TableState
from catalog_app.models import Branch, Commit, DataFile
from catalog_app.selectors.history import ROW_METRICS
from catalog_app.selectors.listing import TableSize, table_sizes
from catalog_app.selectors.objects import databases_load, tables_load
from catalog_app.selectors.snapshots import Snapshot, branch_snapshot
from lakeui.common.errors import NotFound
from merge_app.comparison.operation_files import OperationFiles, operation_files_load
from merge_app.comparison.preview import FilesPreview, files_preview, schemas_discarded
from merge_app.execution.engine_source import EngineSource
from merge_app.execution.lineage.source_side import SourceSide
from merge_app.execution.load import merge_source_load, plan_input_load
from merge_app.planning.attributes import base_state
from merge_app.planning.change_sets import change_sets_of
from merge_app.planning.merge_plan import Action, ObjectPlan, PlanInput, Resolution
from merge_app.planning.net_changes import ObjectKey
from merge_app.planning.plan import plan

State = DatabaseState | TableState

FILES_SHOWN = 20
"""A comparison names so many data files of a commit, those that were there before it first; it counts them all."""


@dataclass(frozen=True, slots=True)
class CommitFile:
    """A data file that a commit wrote or, where it is not ``is_new``, removed or masked in part."""

    file_id: int
    path: str
    is_new: bool


@dataclass(frozen=True, slots=True)
class SideCommit:
    """A commit of one side that changed the object. ``files_touched``: existing data files it removed or masked."""

    version: int
    branch: str
    operation: str
    statement: str
    author: str
    time: datetime
    operations: tuple[Operation, ...]
    rows: int
    files_added: int
    files_touched: int
    files: tuple[CommitFile, ...]


@dataclass(frozen=True, slots=True)
class ObjectSnapshot:
    """The object as one side sees it, by its full name."""

    name: str
    state: State


@dataclass(frozen=True, slots=True)
class States:
    """The object by the newest facts that both sides know (``base``), on both heads and after the merge; None where it
    does not exist or is dropped.
    """

    base: ObjectSnapshot | None
    source: ObjectSnapshot | None
    destination: ObjectSnapshot | None
    result: ObjectSnapshot | None


@dataclass(frozen=True, slots=True)
class ResultPreview:
    """A table after the merge against before. ``makes_schema_version``: the merge adds one visible version."""

    before: TableSize
    after: FilesPreview
    makes_schema_version: bool
    discarded_schema_versions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ObjectComparison:
    """Both sides' commits on the object, its states, and for a table what becomes of its segments."""

    action: Action
    source_commits: tuple[SideCommit, ...]
    destination_commits: tuple[SideCommit, ...]
    states: States
    source_partitions: tuple[PartitionChange, ...]
    destination_partitions: tuple[PartitionChange, ...]
    preview: ResultPreview | None


def object_comparison_load(
    source: Branch,
    destination: Branch,
    key: ObjectKey,
    engine: EngineSource,
    resolutions: tuple[Resolution, ...] = (),
) -> ObjectComparison:
    """Plan the merge of this object alone, with what was decided of it. Raises NotFound if the source did not change
    it.
    """
    with transaction.atomic():
        source_snapshot, target_snapshot = branch_snapshot(source), branch_snapshot(destination)
        side = object_side(source_snapshot, target_snapshot, key)
        chosen = tuple(item for item in resolutions if item.key_of_object == key)
        looked_at = {key[1]} if key[0] is ObjectKind.TABLE else set()
        given = plan_input_load(side, engine=engine, resolutions=chosen, only=looked_at)
        item = _planned(given, key)
        change_sets = change_sets_of(given)
        return ObjectComparison(
            action=item.shown_action,
            source_commits=_commits(side.operations, key, item, source),
            destination_commits=_commits(given.destination, key, item, destination),
            states=_states(item, given, target_snapshot),
            source_partitions=change_sets.source_of(*key).partitions,
            destination_partitions=change_sets.destination_of(*key).partitions,
            preview=_preview(item, source_snapshot, target_snapshot),
        )


def object_side(source_snapshot: Snapshot, target_snapshot: Snapshot, key: ObjectKey) -> SourceSide:
    """The source's side, narrowed to the object and, for a table, its database on either branch."""
    kind, object_id = key
    table_ids = [object_id] if kind is ObjectKind.TABLE else []
    tables = tables_load(source_snapshot, table_ids)
    database_ids = {
        state.database_id for state in (*tables.values(), *tables_load(target_snapshot, table_ids).values())
    }
    if kind is ObjectKind.DATABASE:
        database_ids.add(object_id)
    return merge_source_load(source_snapshot, target_snapshot, objects=(sorted(database_ids), table_ids))


def _planned(given: PlanInput, key: ObjectKey) -> ObjectPlan:
    for item in plan(given).objects:
        if (item.kind, item.object_id) == key:
            return item
    raise NotFound("changed " + key[0].value, str(key[1]), where="in this comparison")


def _commits(
    operations: Iterable[Operation], key: ObjectKey, item: ObjectPlan, branch: Branch
) -> tuple[SideCommit, ...]:
    by_version: dict[int, list[Operation]] = {}
    concerning = [found for found in operations if _concerns(found, key, item)]
    for operation in concerning:
        by_version.setdefault(operation.version, []).append(operation)
    commits = Commit.objects.filter(catalog_id=branch.catalog_id, version__in=by_version).order_by("version")
    known = operation_files_load(concerning)
    ids = {version: _file_ids(found, known) for version, found in by_version.items()}
    files = _files(ids)
    return tuple(_commit(c, by_version[c.version], ids[c.version], files[c.version]) for c in commits)


_FileIds = tuple[list[int], list[int]]


def _file_ids(operations: Iterable[Operation], known: Mapping[int, OperationFiles]) -> _FileIds:
    """The data files that operations of one commit touched, and those that they added; each by age."""
    files = [known[item.operation_id] for item in operations if item.operation_id is not None]
    return sorted({i for item in files for i in item.touched}), sorted({i for item in files for i in item.added})


def _files(found: Mapping[int, _FileIds]) -> dict[int, tuple[CommitFile, ...]]:
    """By version the first of them with their paths, which one statement finds."""
    shown = {
        version: [*((file_id, False) for file_id in touched), *((file_id, True) for file_id in added)][:FILES_SHOWN]
        for version, (touched, added) in found.items()
    }
    wanted = {file_id for files in shown.values() for file_id, _ in files}
    paths = dict(DataFile.objects.filter(pk__in=wanted).values_list("pk", "path")) if wanted else {}
    return {
        version: tuple(CommitFile(file_id, paths[file_id], is_new) for file_id, is_new in files if file_id in paths)
        for version, files in shown.items()
    }


def _concerns(operation: Operation, key: ObjectKey, item: ObjectPlan) -> bool:
    """Whether an operation is on the object, or drops the database that the table is in."""
    if (operation.object_kind, operation.object_id) == key:
        return True
    database_ids = {state.database_id for state in (item.before, item.after) if isinstance(state, TableState)}
    is_drop = operation.object_kind is ObjectKind.DATABASE and operation.kind is OperationKind.DROP
    return is_drop and operation.object_id in database_ids


def _commit(commit: Commit, operations: list[Operation], ids: _FileIds, files: tuple[CommitFile, ...]) -> SideCommit:
    touched, added = ids
    return SideCommit(
        version=commit.version,
        branch=operations[0].branch,
        operation=commit.operation,
        statement=commit.statement,
        author=commit.author_name,
        time=commit.committed_at,
        operations=tuple(operations),
        rows=sum(operation.metrics.get(name, 0) for operation in operations for name in ROW_METRICS),
        files_added=len(added),
        files_touched=len(touched),
        files=files,
    )


def _states(item: ObjectPlan, given: PlanInput, target_snapshot: Snapshot) -> States:
    key = item.kind, item.object_id
    return States(
        base=_base(given, key, target_snapshot),
        source=_snapshot(given.states_of(key)[1], given.source_databases),
        destination=_snapshot(item.before, given.databases),
        result=None if item.after.is_dropped else ObjectSnapshot(item.name, item.after),
    )


def _base(given: PlanInput, key: ObjectKey, target_snapshot: Snapshot) -> ObjectSnapshot | None:
    state = base_state(given, key)
    if not isinstance(state, TableState):
        return _snapshot(state, {})
    database = base_state(given, (ObjectKind.DATABASE, state.database_id))
    # Where neither side has it there any more, facts of that database need not be here.
    if not isinstance(database, DatabaseState):
        return _snapshot(state, databases_load(target_snapshot, [state.database_id]))
    return _snapshot(state, {database.database_id: database})


def _snapshot(state: State | None, databases: Mapping[int, DatabaseState]) -> ObjectSnapshot | None:
    if state is None or state.is_dropped:
        return None
    if isinstance(state, DatabaseState):
        return ObjectSnapshot(state.name, state)
    database = databases.get(state.database_id)
    return None if database is None or database.is_dropped else ObjectSnapshot(f"{database.name}.{state.name}", state)


def _preview(item: ObjectPlan, source_snapshot: Snapshot, target_snapshot: Snapshot) -> ResultPreview | None:
    if item.kind is not ObjectKind.TABLE:
        return None
    before = table_sizes(target_snapshot, [item.object_id]).get(item.object_id, TableSize())
    if item.action is Action.DROP:
        return ResultPreview(before, FilesPreview(), False, ())
    if item.data is None:
        after = FilesPreview(rows=before.rows, bytes=before.bytes, files=before.files)
    else:
        after = files_preview(item.object_id, item.data, source=source_snapshot, destination=target_snapshot)
    carried = sorted({operation.version for operation in item.carried_out})
    discarded = schemas_discarded(
        item.object_id, source_snapshot, carried=carried, kept=after.invisible_schema_versions
    )
    return ResultPreview(before, after, item.schema_changes, discarded)
