"""MERGE INTO: freeze the source, leave out files that cannot match, let the engine stage, commit (rows §1, §2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from catalog_app.domain.files import NewDataFile
from catalog_app.domain.generated import identities_of
from catalog_app.domain.operations import Operation
from catalog_app.domain.quoting import quote_name
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.state import TableState
from catalog_app.engine.copy_on_write import Copied, Marks
from catalog_app.engine.inputs_outputs import QuerySource
from catalog_app.engine.merge_values import FrozenSource, MergeChanges, MergeTask, SourceRows
from catalog_app.pruning.comparison import family, length_of
from catalog_app.pruning.keys import KnownKeys, files_with_keys, known_keys
from catalog_app.pruning.predicates import ANYTHING
from catalog_app.selectors.segments import SegmentState, table_scan
from lakeui.common.counts import counted
from lakeui.common.faults import fault_point
from lakeui.frontdoor.call import Call, ResolvedTable, table_for_writing
from lakeui.frontdoor.columns.evolving import Evolved
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.expressions.checks import staged_fit
from lakeui.frontdoor.expressions.keys import assigns_key, refuse_duplicate_keys
from lakeui.frontdoor.expressions.pruning import pruned
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.queries.plain_reads import plain_read
from lakeui.frontdoor.queries.queries import query_source
from lakeui.frontdoor.rows.committing import commit_operations
from lakeui.frontdoor.rows.merge_clauses import PreparedClauses, merge_prepare
from lakeui.frontdoor.rows.merge_operations import merge_operations, metrics_total
from lakeui.frontdoor.rows.returned_rows import returned, returning_check
from lakeui.frontdoor.rows.write_modes import copies_files
from lakeui.frontdoor.rows.writes import definition_of, staging, touched_copy, write_metrics
from lakeui.sql import statements as sql
from lakeui.sql.char_keys import with_padded_keys
from merge_app.execution.apply import Applied
from merge_app.execution.commit import ReadSet

UNNAMED_SOURCE = "__lake_source"
"""What a source without alias is called: no statement can write it."""


class Kept(Protocol):
    """What is written of the table beside its rows."""

    def is_wanted(self) -> bool:
        """Whether there is something to write although no row changes."""

    def write(self, target: ResolvedTable, applied: Applied) -> None:
        """Part of the commit's transaction."""


@dataclass(frozen=True, slots=True)
class _Merge:
    """One MERGE on its way: where it acts, and the files that were there when it began. ``text`` is what a person
    wrote, empty where that was no MERGE. ``told_apart_by``: the columns, names folded, of which a row with the same
    values that came since matters. Those of ON without them. ``dropped``: columns that go with the commit, where the
    schema evolves. ``supersedes``: as in MergeTask. ``concerns``: whether rows of a segment can be acted on, where
    more is known of that than the statement says. ``fills_fields``: as in MergeTask; so do those whose schema evolves.
    ``kept``: what is written with the commit. ``said``: the word that the statement begins with.
    """

    call: Call
    statement: sql.MergeInto
    source: QuerySource
    target: ResolvedTable
    segments: Sequence[SegmentState]
    text: str = ""
    told_apart_by: frozenset[str] | None = None
    dropped: tuple[str, ...] = ()
    supersedes: bool = False
    concerns: Callable[[SegmentState], bool] = lambda _: True
    fills_fields: bool = False
    kept: Kept | None = None
    said: str = "MERGE"

    @property
    def table(self) -> TableState:
        return self.target.table

    @property
    def fills(self) -> bool:
        return self.fills_fields or self.statement.with_schema_evolution

    @property
    def source_alias(self) -> str:
        return self.statement.source_alias or UNNAMED_SOURCE


@dataclass(frozen=True, slots=True)
class _Staged:
    """What the engine made, with the files that it looked at."""

    evolved: Evolved
    changes: MergeChanges
    copied: Copied
    chosen: Sequence[SegmentState]
    keys: Sequence[KnownKeys]


def merge_into(call: Call, statement: sql.MergeInto) -> StatementResult:
    target = table_for_writing(call, statement.table)
    returning_check(statement.returning, target)
    done = merge_from(call, statement, target, query_source(call, statement.source), text=call.text)
    return returned(call, statement.returning, target, done)


def merge_from(
    call: Call,
    statement: sql.MergeInto,
    target: ResolvedTable,
    source: QuerySource,
    *,
    text: str = "",
    told_apart_by: frozenset[str] | None = None,
    dropped: tuple[str, ...] = (),
    supersedes: bool = False,
    computed: FrozenSource | None = None,
    concerns: Callable[[SegmentState], bool] = lambda _: True,
    fills_fields: bool = False,
    kept: Kept | None = None,
    said: str = "MERGE",
    prepared: PreparedClauses | None = None,
) -> StatementResult:
    """Do what the statement says with the rows of ``source``, which is its own with what it stands for. ``computed``:
    these rows, where they are there already, with the values that the statement's keys compare. ``prepared``: what its
    clauses come to, where Spark need not be asked. More in _Merge.
    """
    segments = call.segments(target.place.snapshot, target.table.table_id)
    how = (text, told_apart_by, dropped, supersedes, concerns, fills_fields, kept, said)
    merge = _Merge(call, statement, source, target, segments, *how)
    with staging(call):
        prepared = prepared or _prepared(merge, computed)
        with _frozen(merge, prepared, computed) as frozen:
            staged = _stage(merge, prepared, frozen)
    return _commit(merge, staged)


def _prepared(merge: _Merge, computed: FrozenSource | None) -> PreparedClauses:
    plain = plain_read(merge.statement.source, merge.source) if merge.text else None
    source = SourceRows(merge.source, merge.source_alias, merge.statement.source_columns, plain=plain)
    described = None if computed is None else computed.described or computed.columns
    return merge_prepare(
        merge.statement,
        merge.table,
        source,
        described,
        text=merge.text,
        dropped=merge.dropped,
        fills_fields=merge.fills,
    )


def _frozen(
    merge: _Merge, prepared: PreparedClauses, computed: FrozenSource | None
) -> AbstractContextManager[FrozenSource]:
    if computed is not None:
        return nullcontext(computed)
    merge.call.context.step("read source", "compute its rows once")
    return engine().frozen(merge.table.table_id, prepared.source)


def _stage(merge: _Merge, prepared: PreparedClauses, frozen: FrozenSource) -> _Staged:
    fresh, rules = prepared.evolved, prepared.rules
    keys = _keys(merge, frozen)
    chosen = _worth_reading(merge, keys)
    read = f"{len(chosen):,} of {counted(len(merge.segments), 'file')} of {merge.target.label}"
    merge.call.context.step(f"{merge.said.lower()} rows", read)
    scan = table_scan(merge.target.place.snapshot, fresh.table, chosen)
    copies = copies_files(merge.table, merge.said.lower())
    identities = identities_of(fresh.table.properties, fresh.table.schema)
    on, alias = _on(merge, frozen), merge.statement.alias
    compares, beside = _compares(merge, frozen), merge.statement.beside or None
    task = MergeTask(scan, alias, on, rules, copies, merge.supersedes, merge.fills, identities, compares, beside)
    changes = engine().merge(task, frozen)
    staged_fit(replace(merge.target, table=fresh.table), (*changes.images, *changes.inserted))
    _refuse_duplicate_keys(merge, fresh.table, changes)
    marks = Marks(changes.updated, changes.deleted, changes.images)
    copied = touched_copy(merge.call, merge.target, merge.said.lower(), scan, marks)
    return _Staged(fresh, changes, copied, chosen, keys)


# -- clauses ----------------------------------------------------------------------------------------------------------


def _on(merge: _Merge, frozen: FrozenSource) -> str:
    """What matches. Keys that are never NULL are compared by =: of <=> Spark makes two keys, looked up slower."""
    statement = merge.statement
    on = statement.on_present if statement.on_present and _are_present(statement, frozen) else statement.on.text
    lengths = _char_lengths(merge, frozen)
    return with_padded_keys(on, statement.alias, lengths) if lengths else on


def _are_present(statement: sql.MergeInto, frozen: FrozenSource) -> bool:
    """Whether no key that is compared by <=> is NULL."""
    # Fewer are known where the table is only about to get a column that is compared.
    return len(frozen.keys) == len(statement.keys) and all(
        values is not None and not values[1].null_count
        for key, values in zip(statement.keys, frozen.keys, strict=True)
        if key.null_safe
    )


def _compares(merge: _Merge, frozen: FrozenSource) -> tuple[tuple[int, str], ...]:
    """What ON compares by =, where it does no more than that, as MergeTask has it."""
    found, statement = _compared_keys(merge), merge.statement
    is_known = statement.is_by_keys_alone or statement.beside
    if not is_known or len(found) < len(statement.keys) or not _are_present(statement, frozen):
        return ()
    return tuple((column.id, key.source) for key, column in found)


def _compared_keys(merge: _Merge) -> list[tuple[sql.MergeKey, Column]]:
    """The keys of ON with the columns that they are compared with, without columns that are only about to come."""
    found = ((key, merge.table.schema.named(key.column)) for key in merge.statement.keys)
    return [(key, column) for key, column in found if column is not None]


def _char_lengths(merge: _Merge, frozen: FrozenSource) -> dict[sql.MergeKey, int]:
    """The keys that are texts and stand beside a CHAR column, with its length."""
    return {
        key: length_of(column.type)
        for (key, column), kind in zip(_compared_keys(merge), frozen.key_types, strict=False)
        if family(column.type) == "char" and kind == "string"
    }


# -- files ------------------------------------------------------------------------------------------------------------


def _keys(merge: _Merge, frozen: FrozenSource) -> list[KnownKeys]:
    """What is known of the columns of ON, one entry a comparison that statistics can answer."""
    found = []
    for (key, column), values in zip(_compared_keys(merge), frozen.keys, strict=True):
        if values is not None:
            kind, array = values
            found.append(known_keys(column, kind, array, null_safe=key.null_safe))
    return [keys for keys in found if keys is not None]


def _worth_reading(merge: _Merge, keys: Sequence[KnownKeys]) -> list[SegmentState]:
    """Segments that can hold a matched row, or one that WHEN NOT MATCHED BY SOURCE acts on."""
    columns = merge.table.schema.columns
    matching = pruned(merge.segments, columns, merge.statement.on.predicate)
    holding = files_with_keys(keys, [segment.statistics for segment in matching])
    chosen = {segment.segment_id for segment, may_hold in zip(matching, holding, strict=True) if may_hold}
    for clause in merge.statement.clauses:
        if clause.family is sql.MergeFamily.NOT_MATCHED_BY_SOURCE:
            predicate = clause.condition.predicate if clause.condition else ANYTHING
            chosen.update(segment.segment_id for segment in pruned(merge.segments, columns, predicate))
    return [segment for segment in merge.segments if segment.segment_id in chosen and merge.concerns(segment)]


def _may_hold(segment: SegmentState, keys: Sequence[KnownKeys]) -> bool:
    return bool(files_with_keys(keys, [segment.statistics])[0])


# -- primary keys -----------------------------------------------------------------------------------------------------


def _refuse_duplicate_keys(merge: _Merge, table: TableState, changes: MergeChanges) -> None:
    """Refuse keys that would exist twice. Where ON compares nothing but the whole key, and rows are written under what
    it compares, updated rows keep their key and inserted ones can only clash with each other.
    """
    schema = table.schema
    if not schema.primary_key or not (changes.inserted or _assigns_key(merge.statement, schema)):
        return
    target = replace(merge.target, table=table)
    if _matches_by_key(merge.statement, schema) and _keeps_keys(merge.statement, schema):
        refuse_duplicate_keys(target, changes.inserted, [])
        return
    written: tuple[NewDataFile, ...] = (*changes.images, *changes.inserted)
    refuse_duplicate_keys(target, written, _left(merge.segments, changes))


def _assigns_key(statement: sql.MergeInto, schema: Schema) -> bool:
    """Whether an updated row may get another key."""
    actions = (clause.action for clause in statement.clauses if isinstance(clause.action, sql.MergeUpdate))
    given = [action.assignments for action in actions]
    return any(values is None or assigns_key(schema, [name for name, _ in values]) for values in given)


def _key_columns(schema: Schema) -> list[Column]:
    return [column for column in schema.columns if column.id in schema.primary_key]


def _matches_by_key(statement: sql.MergeInto, schema: Schema) -> bool:
    compared = {key.column.casefold() for key in statement.keys}
    return statement.is_by_keys_alone and compared == {column.name.casefold() for column in _key_columns(schema)}


def _keeps_keys(statement: sql.MergeInto, schema: Schema) -> bool:
    """Whether rows are written under the very key that they were compared by, or under the one that they have."""
    compared = {key.column.casefold(): key.source.casefold() for key in statement.keys}
    names = [column.name.casefold() for column in _key_columns(schema)]
    alias = quote_name(statement.source_alias or UNNAMED_SOURCE)
    for clause in statement.clauses:
        if isinstance(clause.action, sql.MergeDelete):
            continue
        if clause.action.assignments is None:
            given = {name: f"{alias}.{quote_name(name)}".casefold() for name in names}
        else:
            given = {name.casefold(): text.casefold() for name, text in clause.action.assignments}
        is_update = isinstance(clause.action, sql.MergeUpdate)
        if any(given.get(name, compared.get(name) if is_update else None) != compared.get(name) for name in names):
            return False
    return True


def _left(segments: Sequence[SegmentState], changes: MergeChanges) -> list[SegmentState]:
    """The segments as they are once the staged deletes take effect."""
    paths: dict[int, tuple[str, ...]] = {}
    for file in (*changes.updated, *changes.deleted):
        paths[file.data_file_id] = (*paths.get(file.data_file_id, ()), file.path)
    emptied = {*changes.emptied_by_update, *changes.emptied_by_delete}
    return [
        replace(segment, delete_paths=(*segment.delete_paths, *paths.get(segment.file_id, ())))
        for segment in segments
        if segment.file_id not in emptied
    ]


# -- the commit -------------------------------------------------------------------------------------------------------


def _commit(merge: _Merge, staged: _Staged) -> StatementResult:
    operations = merge_operations(merge.table, staged.changes, staged.copied)
    removed = sum(operation.metrics["files_removed"] for operation in operations)
    shared = {
        "files_scanned": len(staged.chosen),
        "files_skipped": len(merge.segments) - len(staged.chosen),
        "files_reused": len(merge.segments) - removed,
    }
    metrics = metrics_total([shared, *(operation.metrics for operation in operations)])
    if not operations and (merge.kept is None or not merge.kept.is_wanted()):
        return StatementResult(version=merge.target.place.snapshot.version, metrics=metrics)
    fault_point("write.registered")
    merge.call.context.step("commit", "write one version")
    done: list[Operation | None] = []
    if operations:
        first = replace(operations[0], metrics=write_metrics(**operations[0].metrics, **shared))
        done = [staged.evolved.change, first, *operations[1:]]
    table = staged.evolved.table if operations else merge.table
    return commit_operations(
        merge.call,
        branch=merge.target.place.branch,
        seen=merge.target.place.snapshot,
        operation=merge.said,
        operations=done,
        databases={merge.target.place.database.database_id: merge.target.place.database},
        tables={merge.table.table_id: table} if operations else {},
        definitions=definition_of(merge.target),
        metrics=metrics,
        tested=_tested(merge, staged) if staged.changes.inserted else (),
        keep=None if merge.kept is None else partial(merge.kept.write, replace(merge.target, table=table)),
    )


def _tested(merge: _Merge, staged: _Staged) -> tuple[ReadSet, ...]:
    """A row was inserted because no row of these files matched: one that came since might have."""
    seen = frozenset(segment.file_id for segment in merge.segments)
    asked = merge.told_apart_by
    keys = tuple(keys for keys in staged.keys if asked is None or keys.column.name.casefold() in asked)
    return (ReadSet(merge.table.table_id, seen, lambda segment: _may_hold(segment, keys)),)
