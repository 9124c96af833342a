"""RESTORE and UNDROP: what to bring back is found here; ``merge_app.execution.restore`` brings it back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db import transaction

from catalog_app.domain.checks import checks_enforced
from catalog_app.domain.names import name_check
from catalog_app.domain.state import DatabaseState, TableState
from catalog_app.models import Branch, Commit, CommitOperation
from catalog_app.selectors.objects import (
    database_get,
    databases_dropped,
    databases_load,
    databases_named,
    tables_dropped,
    tables_dropped_with,
    tables_list,
    tables_load,
    tables_named,
)
from catalog_app.selectors.segments import segments_list
from catalog_app.selectors.snapshots import (
    Snapshot,
    branch_snapshot,
    moment_parse,
    version_at,
    version_check,
)
from catalog_app.services import catalogs
from lakeui.common.counts import counted
from lakeui.common.errors import CheckViolated, InvalidValue, LakeError, NotFound
from lakeui.common.nearest import nearest_name
from lakeui.frontdoor.call import Call, Place, ResolvedTable, branch_of, place_of, table_for_writing
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.expressions.checks import segments_check
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.sql import statements as sql
from merge_app.audit.models import MergeAttempt
from merge_app.audit.selectors import merges_between
from merge_app.execution.deleted_keys import tables_with_other_tombstones
from merge_app.execution.restore import Recovery, Scope, branch_undropped, recovery_run, restore_plan, undrop_plan


def restore_table(call: Call, statement: sql.RestoreTable) -> StatementResult:
    branch = branch_of(call, statement.table)
    version = _version(branch, statement.to)
    table_id = _table_by_name(call, branch, statement.table, version)
    then = branch_snapshot(branch).at(version)
    if not _exists(then, table_id):
        label = f"{statement.table.database}.{statement.table.table}"
        raise NotFound("table", label, where=f"at version {version} of branch {branch.name}: it came later")
    planned = restore_plan(branch, version, Scope(frozenset(), frozenset({table_id})))
    notes = _partial_merges(branch, version, {table_id})
    return _run(call, "RESTORE TABLE", replace(planned, notes=notes))


def _version(branch: Branch, to: sql.PointInTime) -> int:
    if to.timestamp is not None:
        return version_at(branch, moment_parse(to.timestamp))
    assert to.version is not None
    return version_check(branch, to.version)


def _table_by_name(call: Call, branch: Branch, name: sql.TableName, version: int) -> int:
    """The id behind a name: as it is called now, else as it was called then."""
    try:
        return table_for_writing(call, name).table.table_id
    except NotFound as unknown:
        then = branch_snapshot(branch).at(version)
        for database in databases_named(then, [name.database]).values():
            for table_id in tables_named(then, [(database.database_id, name.table)]):
                return table_id
        raise unknown from None


def _exists(then: Snapshot, table_id: int) -> bool:
    state = tables_load(then, [table_id]).get(table_id)
    return state is not None and not state.is_dropped


def _partial_merges(branch: Branch, version: int, tables: set[int]) -> list[dict[str, Any]]:
    """A warning for each merge since that changed these tables and others, which stay as the merge left them."""
    notes = []
    for merge in merges_between(branch, version):
        others = merge.table_ids - tables
        if merge.table_ids & tables and others:
            message = (
                f"Version {merge.version} merged {merge.source} and changed {counted(len(merge.table_ids), 'table')};"
                f" {len(others)} of them stay as it left them. RESTORE MERGE '{merge.merge_id}' reverts all."
            )
            details = {"merge_id": merge.merge_id, "version": merge.version, "other_tables": sorted(others)}
            notes.append({"code": "PART_OF_MERGE", "message": message, "details": details})
    return notes


def restore_database(call: Call, statement: sql.RestoreDatabase) -> StatementResult:
    branch = branch_of(call, statement.database)
    version = _version(branch, statement.to)
    now = branch_snapshot(branch)
    then = now.at(version)
    database_id = _database_by_name(now, then, statement.database.database, branch, version)
    tables = {state.table_id for snapshot in (now, then) for state in tables_list(snapshot, [database_id])}
    tables |= {state.table_id for state in tables_dropped(now, database_id, since=version)}
    planned = restore_plan(branch, version, Scope(frozenset({database_id}), frozenset(tables)))
    return _run(call, "RESTORE DATABASE", replace(planned, notes=_partial_merges(branch, version, tables)))


def _database_by_name(now: Snapshot, then: Snapshot, name: str, branch: Branch, version: int) -> int:
    known_then = databases_named(then, [name])
    try:
        database_id = database_get(now, name).database_id
    except NotFound:
        if not known_then:
            raise
        return next(iter(known_then))
    state = databases_load(then, [database_id]).get(database_id)
    if state is None or state.is_dropped:
        raise NotFound("database", name, where=f"at version {version} of branch {branch.name}: it came later")
    return database_id


def restore_branch(call: Call, statement: sql.RestoreBranch) -> StatementResult:
    branch = call.named_branch(statement.branch)
    version = _version(branch, statement.to)
    return _run(call, "RESTORE BRANCH", restore_plan(branch, version, Scope()))


def restore_merge(call: Call, statement: sql.RestoreMerge) -> StatementResult:
    """Take every object that the merge changed back to what it was before, as one unit."""
    attempt = MergeAttempt.objects.filter(
        pk=UUID(statement.merge_id), catalog=call.catalog, kind="merge", outcome="merged"
    ).first()
    if attempt is None or attempt.version is None:
        raise NotFound("merge", statement.merge_id, where=f"that made a version of catalog {call.catalog.name}")
    commit = Commit.objects.select_related("branch").get(catalog=call.catalog, version=attempt.version)
    if commit.branch.dropped_at is not None:
        # Another branch may bear the name by now.
        raise NotFound("branch", commit.branch.name, where="any more: the one that was merged into was dropped")
    branch = call.branch_at(call.catalog, commit.branch.name)
    before = version_check(branch, commit.version - 1)
    operations = CommitOperation.objects.filter(commit=commit, already_done=False)
    changed = operations.values_list("object_kind", "object_id").distinct()
    databases = frozenset(identity for kind, identity in changed if kind == "database")
    tables = frozenset(identity for kind, identity in changed if kind == "table")
    # A merge may have brought nothing of a table but deletes of a pipeline.
    now = branch_snapshot(branch)
    tables |= tables_with_other_tombstones(now.at(before), now.at(commit.version), None)
    planned = restore_plan(branch, before, Scope(databases, tables))
    notes = _later_changes(commit, databases, tables)
    return _run(call, "RESTORE MERGE", replace(planned, notes=notes, merge_id=attempt.merge_id))


def _later_changes(commit: Commit, databases: frozenset[int], tables: frozenset[int]) -> list[dict[str, Any]]:
    """A warning where objects changed again after the merge: those changes go with it."""
    later = CommitOperation.objects.filter(branch=commit.branch_id, version__gt=commit.version, already_done=False)
    found = later.filter(object_kind="table", object_id__in=tables)
    found |= later.filter(object_kind="database", object_id__in=databases)
    versions = sorted(set(found.values_list("version", flat=True)))
    if not versions:
        return []
    message = f"What versions {', '.join(map(str, versions[:20]))} changed on these objects since is taken back too."
    return [{"code": "DROPS_DEST_CHANGES", "message": message, "details": {"versions": versions}}]


def undrop_table(call: Call, statement: sql.UndropTable) -> StatementResult:
    name = statement.table
    try:
        place = place_of(call, name)
    except NotFound as unknown:
        raise _in_dropped_database(call, name, unknown) from None
    dropped = tables_dropped(place.snapshot, place.database.database_id)
    label = f"{place.database.name}.{name.table}"
    state = _choose("table", label, name.table, dropped, statement.table_id, [item.table_id for item in dropped])
    assert isinstance(state, TableState)
    if statement.new_name is not None:
        name_check("table", statement.new_name)
    _rows_check(place, [state])
    return _run(call, "UNDROP TABLE", undrop_plan(place.branch, state, [], statement.new_name))


def _rows_check(place: Place, tables: Sequence[TableState]) -> None:
    """Refuse tables with rows that do not fit their constraints: merges below a drop bring both unjudged."""
    for table in tables:
        try:
            segments = segments_list(place.snapshot, table.table_id)
            segments_check(ResolvedTable(place, table), checks_enforced(table.properties), segments)
        except CheckViolated as refusal:
            refusal.remedy = "Bring back an earlier version: RESTORE TABLE .. TO VERSION AS OF .."
            raise


def _in_dropped_database(call: Call, name: sql.TableName, unknown: NotFound) -> LakeError:
    gone = databases_dropped(branch_snapshot(branch_of(call, name)))
    if any(state.name.casefold() == name.database.casefold() for state in gone):
        return InvalidValue(
            f"Database {name.database} was dropped itself.", remedy=f"UNDROP DATABASE {name.database} first."
        )
    return unknown


def _choose(
    kind: str,
    label: str,
    name: str,
    dropped: Sequence[DatabaseState | TableState],
    wanted_id: str | None,
    identities: Sequence[int],
) -> DatabaseState | TableState:
    """The one dropped object of that name, or of that id."""
    named = [
        (identity, state)
        for identity, state in zip(identities, dropped, strict=True)
        if state.name.casefold() == name.casefold() and wanted_id in (None, str(identity))
    ]
    if not named:
        nearest = nearest_name(name, [state.name for state in dropped])
        raise NotFound(f"dropped {kind}", label + (f" with id {wanted_id}" if wanted_id else ""), nearest=nearest)
    if len(named) > 1:
        ids = ", ".join(str(identity) for identity, _ in named)
        raise InvalidValue(
            f"Several dropped {kind}s were called {label}; their ids are {ids}.",
            remedy="Choose one by WITH ID.",
            candidates=[str(identity) for identity, _ in named],
        )
    return named[0][1]


def undrop_database(call: Call, statement: sql.UndropDatabase) -> StatementResult:
    branch = branch_of(call, statement.database)
    snapshot = branch_snapshot(branch)
    name = statement.database.database
    dropped = databases_dropped(snapshot)
    state = _choose("database", name, name, dropped, statement.database_id, [item.database_id for item in dropped])
    assert isinstance(state, DatabaseState)
    members = tables_dropped_with(snapshot, state.database_id)
    if statement.new_name is not None:
        name_check("database", statement.new_name)
    _rows_check(Place(branch, snapshot, state), members)
    return _run(call, "UNDROP DATABASE", undrop_plan(branch, state, members, statement.new_name))


def undrop_branch(call: Call, statement: sql.UndropBranch) -> StatementResult:
    with transaction.atomic():
        branch = catalogs.branch_undrop(
            catalog=call.catalog_named(statement.branch.catalog),
            name=statement.branch.branch,
            branch_id=statement.branch_id,
            new_name=statement.new_name,
            asked=call.asked,
            record=call.record_bypass,
        )
        recorded = branch_undropped(branch, call.header("UNDROP BRANCH"))
    extra = {"branch": branch.name, "audit_id": str(recorded.merge_id)}
    return StatementResult(version=branch.head_version, extra=extra)


def _run(call: Call, operation: str, recovery: Recovery) -> StatementResult:
    call.context.step("compare", f"{len(recovery.operations)} changes")
    call.context.check_cancelled()
    call.context.step("commit", "write one version")
    return recovery_answer(recovery_run(recovery, call.header(operation), engine))


def recovery_answer(result: dict[str, Any]) -> StatementResult:
    columns = [("audit_id", "string"), ("outcome", "string"), ("version", "bigint")]
    row = [result["audit_id"], result["outcome"], result["version"]]
    return StatementResult(columns=columns, rows=[row], row_count=1, version=result["version"], extra=result)
