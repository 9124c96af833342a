"""``EXPLAIN``: which tables and files a statement would read and which it would leave out, by the same means as it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from django.conf import settings

from catalog_app.domain.files import TableScan
from catalog_app.engine.inputs_outputs import QuerySource
from catalog_app.pruning.predicates import ANYTHING, Predicate
from catalog_app.selectors.segments import SegmentState, segments_list
from catalog_app.services.compaction import Reason
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.counts import counted
from lakeui.common.errors import NotSupported
from lakeui.frontdoor.call import Call, ResolvedTable, table_for_reading, table_for_writing, view_asked
from lakeui.frontdoor.compacted_files import files_due
from lakeui.frontdoor.compute import engine, interruptible, reading
from lakeui.frontdoor.expressions.pruning import pruned
from lakeui.frontdoor.inputs_outputs import StatementResult, answer
from lakeui.frontdoor.queries.change_tables import changes_found
from lakeui.frontdoor.queries.explaining_changes import CHANGES, change_steps
from lakeui.frontdoor.queries.queries import DEPTH, query_source, subquery_tables, view_query
from lakeui.frontdoor.queries.semi_joins import semi_join_meant
from lakeui.sql import statements as sql

MOST_FILES = 100
"""So many files of each table are named, kept ones first."""

Step = tuple[str, str]
COLUMNS = [("step", "string"), ("detail", "string")]


@dataclass(frozen=True, slots=True)
class _Read:
    """Files of a table that are read: all that statistics do not rule out for the predicate."""

    found: ResolvedTable
    predicate: Predicate
    shown: str


def explain(call: Call, statement: sql.Explain, run: Callable[[Call], StatementResult]) -> StatementResult:
    """Nothing is written; no row is read but by ANALYZE. ``run`` does what is explained, for statements whose change is
    looked at before it is taken back.
    """
    inner = statement.statement
    is_change = isinstance(inner, CHANGES) and not _reads_rows(inner)
    steps = list(change_steps(call, run) if is_change else read_steps(call, inner))
    if isinstance(inner, sql.Select) and statement.mode is not sql.ExplainMode.FILES:
        steps += list(_on_spark(call, inner, statement.mode))
    version = call.snapshot.version if call.session.catalog else None
    return answer(COLUMNS, [list(step) for step in steps], version)


def _reads_rows(statement: sql.Statement) -> bool:
    """Whether a statement on metadata reads rows too: it is explained by what it reads."""
    is_made = isinstance(statement, sql.CreateTable) and statement.query is not None
    return is_made or (isinstance(statement, sql.AddColumns) and statement.computes_rows)


def _on_spark(call: Call, statement: sql.Select, mode: sql.ExplainMode) -> Iterator[Step]:
    source = query_source(call, statement.query)
    with reading(), interruptible(call.context):
        if mode is sql.ExplainMode.PLAN:
            yield from (("plan", line) for line in engine().plan(source.text, source.tables))
            return
        began = time.monotonic()
        rows = engine().measure(source.text, source.tables)
        seconds = time.monotonic() - began
    files = {file.path: file.rows for scan in _scans(source) for file in scan.files}
    size = sum(Warehouse(settings.LAKEUI["WAREHOUSE"]).size(path) for path in files)
    yield "run", f"{counted(rows, 'row')} in {seconds:.3f} s"
    held = counted(sum(files.values()), "row")
    yield "read", f"{counted(len(files), 'file')} of {counted(size, 'byte')}, with {held}, deleted ones too"


def _scans(source: QuerySource) -> Iterator[TableScan]:
    for relation in source.tables.values():
        if isinstance(relation, TableScan):
            yield relation
        elif isinstance(relation, QuerySource):
            yield from _scans(relation)


def read_steps(call: Call, statement: sql.Statement) -> Iterator[Step]:
    """The tables and files that the statement reads or writes."""
    match statement:
        case sql.Select():
            yield from _tables(call, statement.query)
        case sql.Delete() | sql.Update():
            yield from _changed_rows(call, statement)
        case sql.Insert():
            target = table_for_writing(call, statement.table)
            yield ("overwrite" if statement.overwrite else "insert rows"), target.label
            if statement.replaces is not None:
                yield from _scan(_read(target, statement.replaces))
            if statement.query is not None:
                yield from _tables(call, statement.query)
        case sql.MergeInto():
            target = table_for_writing(call, statement.table)
            yield "merge rows", target.label
            yield from _tables(call, statement.source)
            yield from _merge_target(target, statement)
        case sql.AddColumns():
            target = table_for_writing(call, statement.table)
            yield from (("add column", f"{column.name} {column.type}") for column, _ in statement.columns)
            yield "update rows", target.label
            yield from _scan(_Read(target, ANYTHING, ""))
        case sql.Optimize():
            yield from _optimize(table_for_writing(call, statement.table), statement)
        case sql.CreateTable() if statement.query is not None:
            name = statement.table
            yield ("replace table" if statement.replaces else "create table"), f"{name.database}.{name.table}"
            yield from _tables(call, statement.query)
        case _:
            raise NotSupported(
                "EXPLAIN takes SELECT, INSERT, DELETE, UPDATE, MERGE INTO, OPTIMIZE, and CREATE, ALTER and DROP of"
                " databases and tables.",
                remedy="Put DRY RUN behind another statement.",
            )


def _changed_rows(call: Call, statement: sql.Delete | sql.Update) -> Iterator[Step]:
    target = table_for_writing(call, statement.table)
    yield ("delete rows" if isinstance(statement, sql.Delete) else "update rows"), target.label
    yield from _scan(_read(target, statement.where))
    yield from _tables(call, statement.subqueries)
    join = semi_join_meant(statement, target.table.schema, subquery_tables(call, statement.subqueries))
    yield from () if join is None else [_skipped_by([join.key])]


def _optimize(target: ResolvedTable, statement: sql.Optimize) -> Iterator[Step]:
    """The files that are written anew, by the reason of each, and about how many they become."""
    due = files_due(target, statement)
    size = sum(segment.bytes for segment in due.compaction.segments)
    yield "optimize", target.label
    yield "compact", f"{len(due.compaction.chosen):,} of {counted(len(due.segments), 'file')}, {counted(size, 'byte')}"
    for reason in Reason:
        if count := due.compaction.count(reason):
            yield "compact", f"{count:,} {_REASONS[reason]}"
    if due.compaction.chosen:
        yield "write", f"about {counted(due.compaction.files_after, 'file')}"


_REASONS = {
    Reason.DELETES: "with deleted rows",
    Reason.PUBLISHING: "that other engines would read otherwise",
    Reason.LAYOUT: "in another layout or order than is asked",
    Reason.SMALL: "small",
}


def _merge_target(target: ResolvedTable, statement: sql.MergeInto) -> Iterator[Step]:
    by_source = [clause for clause in statement.clauses if clause.family is sql.MergeFamily.NOT_MATCHED_BY_SOURCE]
    if by_source:
        yield "scan", f"{target.label}: files for WHEN NOT MATCHED BY SOURCE beside those that can match"
    yield from _scan(_Read(target, ANYTHING if by_source else statement.on.predicate, statement.on.text))
    if statement.keys:
        yield _skipped_by(statement.keys)


def _skipped_by(keys: Sequence[sql.MergeKey]) -> Step:
    names = ", ".join(key.column for key in keys)
    return "skip by keys", f"when it runs, files that hold none of the source's values of {names} are left out too"


def _read(found: ResolvedTable, where: sql.Condition | None) -> _Read:
    return _Read(found, where.predicate, where.text) if where is not None else _Read(found, ANYTHING, "")


def _tables(call: Call, given: sql.Query | sql.Subqueries, depth: int = 0) -> Iterator[Step]:
    for item in given.tables:
        if item.changes is not None:
            found = changes_found(call, item.name, item.changes)
            yield "compare", f"{found.label}, {found.detail}"
            continue
        asked = view_asked(call, item.name)
        if asked is None:
            table = table_for_reading(call, item.name)
            yield from _scan(_Read(table, given.where.get(item.placeholder, ANYTHING), "its WHERE"))
            continue
        place, view = asked
        yield "view", f"{place.database.name}.{view.name}"
        if depth < DEPTH:
            yield from _tables(call, view_query(call, view, item.name), depth + 1)


def _scan(read: _Read) -> Iterator[Step]:
    """The table with the count of its files, and each file with the reason."""
    found = read.found
    segments = segments_list(found.place.snapshot, found.table.table_id)
    kept = pruned(segments, found.table.schema.columns, read.predicate)
    ids = {segment.segment_id for segment in kept}
    skipped = [segment for segment in segments if segment.segment_id not in ids]
    rows = sum(segment.rows - segment.deleted_rows for segment in kept)
    why = "no condition that statistics answer" if read.predicate == ANYTHING else f"by {read.shown}"
    where = f"{found.label} at version {found.place.snapshot.version}"
    yield "scan", f"{where}: {len(kept):,} of {counted(len(segments), 'file')}, {counted(rows, 'row')}, {why}"
    named = [("keep file", segment, "a row can match") for segment in kept]
    named += [("skip file", segment, "its statistics rule out every row") for segment in skipped]
    for step, segment, reason in named[:MOST_FILES]:
        yield step, _file(segment, reason)
    if len(named) > MOST_FILES:
        yield "more files", f"{len(named) - MOST_FILES:,} more of {found.label}"


def _file(segment: SegmentState, reason: str) -> str:
    return f"{segment.path} ({counted(segment.rows - segment.deleted_rows, 'row')}): {reason}"
