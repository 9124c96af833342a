"""``table_changes`` and ``table_difference`` in a query: which snapshots they compare, and the query that does."""

from __future__ import annotations

from dataclasses import dataclass

from catalog_app.domain.files import TableScan
from catalog_app.domain.state import TableState
from catalog_app.engine.change_tables import (
    CHANGE_TYPE,
    COMMIT_TIME,
    COMMIT_VERSION,
    ROW_ID,
    ChangedScans,
    commits_query,
    difference_query,
)
from catalog_app.engine.inputs_outputs import QuerySource
from catalog_app.selectors.objects import database_get, table_get
from catalog_app.selectors.restrictions import restrictions_refuse
from catalog_app.selectors.snapshot_diff import table_commits
from catalog_app.selectors.snapshots import (
    Snapshot,
    branch_snapshot,
    moment_parse,
    tag_find,
    version_at,
    version_check,
)
from catalog_app.selectors.tags import tag_get
from lakeui.common.counts import counted
from lakeui.common.errors import InvalidValue, NotFound, NotSupported
from lakeui.frontdoor.call import Call, branch_of, place_of, table_for_reading, view_asked
from lakeui.frontdoor.changed_files import files_changed, state_valid
from lakeui.frontdoor.queries.named_points import named_snapshot, tag_snapshot
from lakeui.sql import statements as sql
from merge_app.execution.reads import TableRead

MOST_COMMITS = 100
"""The changes of so many commits are one query; each of them is a join."""


@dataclass(frozen=True, slots=True)
class ChangesFound:
    """The query of a table of changes, what it reads, and in words what it compares."""

    query: QuerySource
    label: str
    detail: str


def changes_found(call: Call, name: sql.TableName, changes: sql.TableChanges) -> ChangesFound:
    """The call keeps that the table was read. Raises RowsRestricted: changes show rows that a filter hides now."""
    restrictions_refuse(call.principal, call.catalog_named(name.catalog))
    return _difference(call, name, changes) if changes.is_net else _commits(call, name, changes)


# -- of each commit ---------------------------------------------------------------------------------------------------


def _commits(call: Call, name: sql.TableName, changes: sql.TableChanges) -> ChangesFound:
    _refuse_view(call, name)
    found = table_for_reading(call, name)
    head, table_id = found.place.snapshot, found.table.table_id
    first = _version(call, name, head, changes.first)
    last = head.version if changes.last is None else _version(call, name, head, changes.last)
    if first > last:
        raise InvalidValue(
            f"Version {first} is later than version {last}.", remedy="Give the older one first; both are included."
        )
    after, before = head.at(last), head.at(_known(call, name, max(first - 1, 0)))
    state = _state(after, table_id, found.label)
    _refuse_names(state, (CHANGE_TYPE, COMMIT_VERSION, COMMIT_TIME))
    commits = table_commits(before, after, table_id, limit=MOST_COMMITS + 1)
    if len(commits) > MOST_COMMITS:
        raise InvalidValue(
            f"More than {MOST_COMMITS} commits from version {first} to {last} changed {found.label}.",
            remedy="Ask for fewer versions at once, or for the net change with table_difference(table, from, to).",
        )
    scans = []
    for version, time in commits:
        changed = files_changed(head.at(version - 1), head.at(version), state)
        scans.append(ChangedScans(_as(state, changed.before), _as(state, changed.after), version, time))
    _read(call, table_id, after)
    files = sum(len(scan.before.files) + len(scan.after.files) for scan in scans)
    detail = (
        f"versions {first} to {last}: {counted(len(scans), 'commit')} changed it, {counted(files, 'file')} to compare"
    )
    return ChangesFound(commits_query(scans, _empty(state)), found.label, detail)


def _version(call: Call, name: sql.TableName, head: Snapshot, point: sql.ChangePoint) -> int:
    """A version of the branch. A text is a tag of it, or a time."""
    if isinstance(point, int):
        return _known(call, name, point)
    catalog = call.catalog_named(name.catalog)
    if isinstance(point, str):
        found = tag_find(catalog, point)
        if found is None:
            return version_at(branch_of(call, name), moment_parse(point))
        tag = found
    elif point.is_tag:
        tag = tag_get(catalog, point.name)
    else:
        raise InvalidValue(
            "table_changes reads versions of one branch, and a branch is none.",
            remedy="Compare the two with table_difference(table, from, to).",
        )
    limits = dict(zip(head.branch_ids, head.limits, strict=True))
    if tag.version > limits.get(tag.branch_id, -1):
        raise InvalidValue(
            f"The tag {tag.name} is of branch {tag.branch.name}, at a version that this branch has not lived through.",
            remedy="Compare the two with table_difference(table, from, to).",
        )
    return _known(call, name, tag.version)


def _known(call: Call, name: sql.TableName, version: int) -> int:
    """The version, if the branch has it, and the name's tag where it has one."""
    place = place_of(call, name)
    if place.snapshot.version < version <= place.branch.head_version:
        where = f"at or before version {place.snapshot.version}, of which {name.at} is the tag"
        raise NotFound("version", str(version), where=where)
    return version_check(place.branch, version)


# -- of two snapshots -------------------------------------------------------------------------------------------------


def _difference(call: Call, name: sql.TableName, changes: sql.TableChanges) -> ChangesFound:
    assert changes.last is not None
    before, after = (_snapshot(call, name, point) for point in (changes.first, changes.last))
    database = database_get(after, name.database)
    table = table_get(after, database, name.table)
    _refuse_names(table, (CHANGE_TYPE, ROW_ID))
    changed = files_changed(before, after, table)
    for side in (before, after):
        _read(call, table.table_id, side)
    files = counted(changed.files, "file")
    detail = f"{changes.first} against {changes.last}: {files} to compare, {changed.files_shared} shared"
    query = difference_query(_as(table, changed.before), _as(table, changed.after))
    return ChangesFound(query, f"{database.name}.{table.name}", detail)


def _snapshot(call: Call, name: sql.TableName, point: sql.ChangePoint) -> Snapshot:
    """A number is a version of the branch that the name is of. A text is a tag, else a branch, else a time."""
    if isinstance(point, int):
        place = place_of(call, name)
        return place.snapshot.at(version_check(place.branch, point))
    catalog = call.catalog_named(name.catalog)
    if isinstance(point, sql.NamedPoint):
        return named_snapshot(call, catalog, point)
    tag = tag_find(catalog, point)
    if tag is not None:
        return tag_snapshot(tag)
    try:
        return branch_snapshot(call.branch_at(catalog, point))
    except NotFound as unknown:
        try:
            moment = moment_parse(point)
        except InvalidValue:
            raise unknown from None
    branch = branch_of(call, name)
    return branch_snapshot(branch).at(version_at(branch, moment))


# -- shared -----------------------------------------------------------------------------------------------------------


def _state(snapshot: Snapshot, table_id: int, label: str) -> TableState:
    state = state_valid(snapshot, table_id)
    if state is None:
        raise NotFound("table", label, where=f"at version {snapshot.version}")
    return state


def _refuse_view(call: Call, name: sql.TableName) -> None:
    asked = view_asked(call, name)
    if asked is not None:
        raise NotSupported(
            f"{asked[0].database.name}.{asked[1].name} is a view: its rows have no ids to compare by.",
            remedy="Ask for the changes of the tables that it reads.",
        )


def _refuse_names(table: TableState, names: tuple[str, ...]) -> None:
    for name in names:
        if table.schema.named(name) is not None:
            raise InvalidValue(
                f"{table.name} has a column {name} of its own.", remedy="Rename the column.", column=name
            )


def _as(table: TableState, scan: TableScan) -> TableScan:
    """Both sides are read as the table is at the end."""
    return TableScan(table.table_id, table.schema, scan.files)


def _empty(table: TableState) -> TableScan:
    return TableScan(table.table_id, table.schema, ())


def _read(call: Call, table_id: int, snapshot: Snapshot) -> None:
    call.reads.add(TableRead(table_id, snapshot.branch_ids[0], snapshot.version))
