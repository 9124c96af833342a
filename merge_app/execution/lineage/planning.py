"""The rows of tables merged by lineage: files first, rows only of files that meet, steps as a value."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from catalog_app.domain.operations import ObjectKind
from catalog_app.domain.row_merge import RowJudgement
from catalog_app.rules.codes import VerdictCode
from merge_app.execution.engine_source import EngineSource
from merge_app.execution.left_out_before import is_left_out
from merge_app.execution.lineage.cell_reader import CellReader
from merge_app.execution.lineage.cells import Cells
from merge_app.execution.lineage.kept_columns import KeptColumns, with_values_back
from merge_app.execution.lineage.keys import Keys, by_key_ranges
from merge_app.execution.lineage.known_rows import KnownRows
from merge_app.execution.lineage.looked_at import Lists, LookedAt, is_unknown
from merge_app.execution.lineage.made import made_completed, made_rows_written, with_computed_partitions
from merge_app.execution.lineage.met_rows import Met, met_places, met_rows, with_one_past, with_places, with_values
from merge_app.execution.lineage.placed import Placed, placed_rows
from merge_app.execution.lineage.primary_key_merge import (
    chosen_rows_outcome,
    primary_key_outcome,
    row_names,
)
from merge_app.execution.lineage.ranges import commits_since
from merge_app.execution.lineage.readers import Reader, reader_of
from merge_app.execution.lineage.rows import gone_rows
from merge_app.execution.lineage.scopes import overwritten_load, scopes_load, scopes_staged
from merge_app.execution.lineage.sides import Sides, sides_load
from merge_app.execution.lineage.source_side import SourceSide
from merge_app.execution.lineage.table_cases import RowsDecision, TableCase
from merge_app.execution.lineage.vectors import CommitsReached
from merge_app.execution.lineage.whole_groups import comes_whole, decides, goes_whole, together
from merge_app.lineage.choices import Choices
from merge_app.lineage.facts import (
    ABSENT,
    PREDICATES,
    Commits,
    Granularity,
    Ints,
    Kind,
    News,
    RowFacts,
    Scope,
    ScopeKind,
    TableFacts,
)
from merge_app.lineage.finer_verdicts import Finer, finer_verdicts
from merge_app.lineage.outcomes import Outcome, Pairs, TableOutcome
from merge_app.lineage.result_rows import Rows
from merge_app.lineage.row_steps import carried_by_row, carried_whole
from merge_app.lineage.scopes import SWEEPING, scopes_leave_out
from merge_app.lineage.segments import DOT, FileSide, Group, Whose, groups
from merge_app.lineage.shared_partitions import SharedPartitions
from merge_app.lineage.source_left_out import marked_as_decided, source_left_out
from merge_app.lineage.source_taken import source_taken, taken_whole
from merge_app.lineage.steps import RowsPlan, Step, TableSteps
from merge_app.lineage.tables import table_merge


def rows_plan(
    cases: Sequence[TableCase], side: SourceSide, engine: EngineSource
) -> dict[int, tuple[RowsPlan, RowsPlan | None]]:
    """By table what its merge does to segments, and what the rules say of its rows; the same as people decided, where
    they did.
    """
    found: dict[int, tuple[RowsPlan, RowsPlan | None]] = {}
    for case, given in _given(cases, side, engine):
        undecided = replace(case, decision=RowsDecision())
        found[case.table_id] = _plan(undecided, given)[0], _plan(case, given)[0] if case.decision else None
    return found


def rows_looked_at(case: TableCase, side: SourceSide, engine: EngineSource) -> LookedAt | None:
    """The rows that ``rows_plan`` looks at to plan the table, as it decides them; None without any."""
    ((_, given),) = _given([case], side, engine)
    return _plan(replace(case, decision=case.decision.of_rows, is_planned=False), given)[1]


def _given(cases: Sequence[TableCase], side: SourceSide, engine: EngineSource) -> list[tuple[TableCase, _Given]]:
    """With each table what it is planned by."""
    homes = side.homes.by_home([(ObjectKind.TABLE, case.table_id) for case in cases])
    home_of = {table_id: catalog_id for catalog_id, keys in homes.items() for _, table_id in keys}
    groups_of: dict[tuple[bool, int], list[TableCase]] = defaultdict(list)
    for case in cases:
        groups_of[case.is_new, home_of[case.table_id]].append(case)
    return [
        each
        for (are_new, catalog_id), group in sorted(groups_of.items())
        for each in _given_of_home(group, side, side.commits(catalog_id, are_new=are_new), engine)
    ]


def _given_of_home(
    cases: Sequence[TableCase], side: SourceSide, commits: CommitsReached, engine: EngineSource
) -> list[tuple[TableCase, _Given]]:
    tables = [case.table_id for case in cases]
    whole = [case.table_id for case in cases if case.may_come_whole]
    keyed = frozenset(case.table_id for case in cases if case.has_key)
    sides = sides_load(tables, side, whole, commits, keyed=keyed)
    readers = {case.table_id: _reader(case, sides, engine, commits) for case in cases}
    codes = {table_id: reader.code for table_id, reader in readers.items()}
    news = sides.source_news, sides.target_news
    source, target = scopes_load(tables, *news, codes, commits.vectors, own=side.own_branch)
    if side.own_branch is not None:
        source = {table: [_as_dot(scope) for scope in scopes] for table, scopes in source.items()}
    for case in cases:
        staged = [item for item in side.staged if item.object_id == case.table_id]
        if staged:
            source[case.table_id] = scopes_staged(staged, commits.source, codes[case.table_id])
    overwritten = cache(lambda: overwritten_load(tables))
    sweeping = [scope.knows for scopes in source.values() for scope in scopes if scope.kind in SWEEPING]
    since_scopes = cache(lambda: commits_since(commits.source, sweeping, commits.floors))
    scopes = {table_id: (source.get(table_id, []), target.get(table_id, [])) for table_id in tables}
    return [
        (case, _Given(side, sides, readers[case.table_id], scopes[case.table_id], overwritten, since_scopes))
        for case in cases
    ]


def _reader(case: TableCase, sides: Sides, engine: EngineSource, commits: CommitsReached) -> Reader:
    both = sides.source[case.table_id], sides.target[case.table_id]
    for side in both:
        commits.expect(side)
    shown = (file for side in both for file in side.shown)
    reader = reader_of(case.table_id, shown, (item for side in both for item in side.gone), engine, case.schema)
    reader.commits = commits
    if case.has_key:
        keys = Keys(case.merged, reader)
        reader.keys_of = lambda images: keys.codes(images, keys.places_shared(images))
    return reader


def _as_dot(scope: Scope) -> Scope:
    """A transaction's scopes are of its one commit."""
    return replace(scope, stamp=DOT, branch=-1)


@dataclass(frozen=True, slots=True, eq=False)
class _Given:
    """What one table is planned by, with a decision or without. ``scopes``: of source and target. ``overwritten`` and
    ``since_scopes`` are looked up when a table asks first.
    """

    side: SourceSide
    loaded: Sides
    reader: Reader
    scopes: tuple[list[Scope], list[Scope]]
    overwritten: Callable[[], Mapping[int, set[int]]]
    since_scopes: Callable[[], Commits]


def _plan(case: TableCase, given: _Given) -> tuple[RowsPlan, LookedAt | None]:
    source, target = given.loaded.source[case.table_id], given.loaded.target[case.table_id]
    if case.decision.takes_source:
        return _taken(together(groups(source, target)), given.loaded.news, given.reader), None
    if case.decision.leaves_out_source:
        return _left_out(together(groups(source, target)), given.loaded.news, given.reader), None
    return _merged(case.as_decided, given, source, target)


def _merged(case: TableCase, given: _Given, source: FileSide, target: FileSide) -> tuple[RowsPlan, LookedAt | None]:
    reader, written = given.reader, given.loaded.written.get(case.table_id)
    steps: list[Step] = [] if written is None else [written]
    met: list[Group] = []
    fresh: list[Group] = []
    skips = False
    found, acting = groups(source, target), given.scopes[0]
    kept = _kept_columns(case, reader)
    if case.has_key:
        # Predicates are not judged by key.
        found = by_key_ranges(found, case.merged, reader)
        acting = [scope for scope in acting if scope.kind not in PREDICATES]
    # A file holds rows that a person left out beside newer ones: these alone come.
    is_whole = cache(lambda: DOT in source.news or not is_left_out(case.table_id))
    for group in found:
        if case.lists is not Lists.NEEDED:
            is_fresh = case.lists is Lists.KNOWN and not case.has_key and is_unknown(group, source, target)
            (fresh if is_fresh else met).append(group)
        elif comes_whole(group, source, kept, is_whole) or goes_whole(group, target, kept):
            steps += carried_whole(group)
        elif group.whose is not Whose.TARGET or (acting and decides(group, target)):
            met.append(group)
        skips |= group.whose is not Whose.SOURCE and any(source.lays_out(file) for file in group.source)
    is_needed = met or case.lists is not Lists.NEEDED
    if not is_needed and not any(scope.kind is ScopeKind.RENAME_PARTITION for scope in given.scopes[0]):
        judged = RowJudgement({}) if case.has_key else None
        steps = with_values_back(kept, found, steps, _cell_reader(case, reader))
        return RowsPlan(TableSteps(tuple(steps)), skips_layout=skips, judged=judged), None
    all_met = together(met)
    rows = _rows(case, given, all_met)
    steps = with_values_back(kept, found, [*steps, *rows.steps], rows.looked_at.cells)
    plan = _rows_plan(case, TableSteps(tuple(steps), rows.kept), rows, all_met, target)
    return replace(plan, skips_layout=skips), replace(rows.looked_at, fresh=tuple(fresh))


def _rows_plan(case: TableCase, steps: TableSteps, rows: _MergedRows, met: Group, target: FileSide) -> RowsPlan:
    merged, reader = rows.looked_at.merged, rows.looked_at.cells.reader
    whole = [item for item in met.source_gone if item.delete_file is None]
    emptied = tuple(gone_rows(item, reader) for item in whole) if merged.findings and not case.has_key else ()
    return RowsPlan(
        steps,
        merged.findings,
        merged,
        emptied=emptied,
        partitions=reader.names,
        finer=rows.finer,
        judged=rows.looked_at.judged if case.has_key else None,
        inserted=tuple(
            file.file_id for file in target.shown if file.stamp.kind == "insert" and file.stamp.version in target.news
        ),
        clashes=rows.clashes,
    )


@dataclass(frozen=True, slots=True)
class _MergedRows:
    """``kept``: how many rows that the source deleted or overwrote stay, as the target changed them."""

    steps: list[Step]
    kept: int
    looked_at: LookedAt
    finer: Finer
    clashes: Mapping[VerdictCode, Ints]


LOOKED_INTO = 10_000
"""Of so many rows in conflict cells are read, to say what a finer setting would."""


def _rows(case: TableCase, given: _Given, group: Group) -> _MergedRows:
    news, reader = given.loaded.news, given.reader
    of_source, of_target = given.scopes
    places = (
        SharedPartitions.of_scopes(of_source, news.of_source),
        SharedPartitions.of_scopes(of_target, news.of_target),
    )
    keys = Keys(case.merged, reader, places)
    cell_reader = _cell_reader(case, reader)
    sides = _sides(case, given, group, keys, cell_reader)
    if case.decision.by_cell:
        cell_reader.row_names, cell_reader.with_keys = row_names(sides), True
    acting, left = _parted_scopes(of_source, {reader.code(values) for values in case.decision.partitions})
    facts = _table_facts(case, given, sides, acting)
    cells = Cells(cell_reader, group, case.how, _choices(case))
    merged = table_merge(case.table_id, facts, news, stamp=DOT, cells=cells)
    cell_reader.forget()
    scopes_leave_out(merged, facts, left)
    looked_at = LookedAt(merged, sides, news, group, cell_reader, combined=frozenset(case.how))
    looked_at = _decided(case, given.side, looked_at, cells, keys)
    merged, rows = looked_at.merged, _result(looked_at.merged, *sides)
    looked_at = replace(looked_at, made=made_completed(looked_at, rows))
    steps: list[Step] = []
    if case.is_planned:
        steps += carried_by_row(group, rows, reader)
        steps += made_rows_written(looked_at, rows)
    finer, clashes = _finer(case, given, group, facts, merged)
    kept = merged.kept_rows
    if given.side.staged:
        kept = looked_at.overtaken or _overtaken(merged, facts.source, facts.target)
    return _MergedRows(steps, kept, looked_at, finer, clashes)


def _decided(case: TableCase, side: SourceSide, rows: LookedAt, cells: Cells, keys: Keys) -> LookedAt:
    """With what keys and decisions make of it, and where computed partitions put the rows."""
    made = cells.of(rows.merged)
    rows = replace(with_computed_partitions(rows, made), made=made)
    if case.has_key:
        is_statement = bool(side.staged) and case.table_id not in side.restored
        rows = primary_key_outcome(rows, cells, keys, is_statement=is_statement)
    elif case.decision.by_cell:
        rows = chosen_rows_outcome(rows, cells)
    else:
        return rows
    # A decision may have given a row other cells.
    return with_computed_partitions(rows, rows.made)


def _table_facts(case: TableCase, given: _Given, sides: tuple[Placed, Placed], acting: Sequence[Scope]) -> TableFacts:
    """What is merged of the table. ``acting``: the scopes of the source that no decision leaves out."""
    return TableFacts(
        sides[0].facts,
        sides[1].facts,
        case.alive,
        case.granularity,
        case.has_key,
        source_scopes=acting,
        target_scopes=given.scopes[1],
        overwritten=given.overwritten().get(case.table_id, set()) if _is_predicate_among(acting) else frozenset(),
        since_scopes=given.since_scopes(),
    )


def _finer(
    case: TableCase, given: _Given, group: Group, facts: TableFacts, merged: TableOutcome
) -> tuple[Finer, Mapping[VerdictCode, Ints]]:
    """What a finer setting would say of a planned merge, and the rows in conflict by code."""
    if not case.is_planned or case.has_key:
        return {}, merged.by_row
    by_cell = _by_cell(case, given, group, facts) if _may_look(case, merged) else None
    finer = finer_verdicts(merged, case.granularity, by_cell)
    return finer, merged.by_row if by_cell is None else by_cell.by_row


def _is_predicate_among(scopes: Iterable[Scope]) -> bool:
    return any(scope.kind in PREDICATES for scope in scopes)


def _may_look(case: TableCase, merged: TableOutcome) -> bool:
    updated = merged.by_row.get(VerdictCode.SAME_FILE_UPDATE_UPDATE, ())
    return case.granularity is not Granularity.CELL and 0 < len(updated) <= LOOKED_INTO


def _by_cell(case: TableCase, given: _Given, group: Group, facts: TableFacts) -> TableOutcome:
    """What the rules would say by cell."""
    asked, cell_reader = replace(case, granularity=Granularity.CELL), _cell_reader(case, given.reader)
    source, target = _sides(asked, given, group, Keys(case.merged, given.reader), cell_reader)
    facts = replace(facts, source=source.facts, target=target.facts, granularity=Granularity.CELL)
    cells = Cells(cell_reader, group, asked.how)
    return table_merge(case.table_id, facts, given.loaded.news, stamp=DOT, cells=cells)


def _sides(case: TableCase, given: _Given, group: Group, keys: Keys, cells: CellReader) -> tuple[Placed, Placed]:
    """The rows of both sides; of those that both changed data columns are read, where cells are merged."""
    reader, news, by = given.reader, given.loaded.news, keys if case.has_key else None
    rows = placed_rows(group, reader, news, by)

    def known(pairs: Pairs) -> KnownRows:
        return KnownRows.of(reader, case.merged, rows.row_ids_of(pairs.row_id), by)

    met, apart = (find(rows.source.facts, rows.target.facts, news) for find in (met_rows, met_places))
    sides = with_places(apart, known(apart).places(apart.row_id), (rows.source, rows.target), news)
    if not (case.has_key or case.granularity is Granularity.CELL):
        return with_one_past(sides, reader, case.merged, news)
    pasts = Met.of(met, known(met))
    cells.cross(pasts.crossed, case.how)
    return with_values(pasts, sides, group, cells, case.how)


def _cell_reader(case: TableCase, reader: Reader) -> CellReader:
    absent = _kept_columns(case, reader).absent
    return CellReader(case.merged, reader, with_keys=case.has_key, absent=absent, generated=case.generated)


def _kept_columns(case: TableCase, reader: Reader) -> KeptColumns:
    return KeptColumns(reader, case.kept, case.kept_fields, case.merged)


def _choices(case: TableCase) -> Choices | None:
    return Choices.of(case.merged, case.choices) if case.choices else None


def _taken(group: Group, news: News, reader: Reader) -> RowsPlan:
    """The table as the source has it."""
    rows = placed_rows(group, reader, news, is_whole=True)
    merged = source_taken(TableFacts(rows.source.facts, rows.target.facts), news)
    steps = tuple(taken_whole(group, _result(merged, rows.source, rows.target)))
    return RowsPlan(TableSteps(steps), outcome=merged, partitions=reader.names)


def _left_out(group: Group, news: News, reader: Reader) -> RowsPlan:
    """The table as the target has it. Rows that the source changed are decided."""
    rows = placed_rows(group, reader, news)
    merged = source_left_out(TableFacts(rows.source.facts, rows.target.facts), news)
    steps = tuple(marked_as_decided(group, _result(merged, rows.source, rows.target), reader))
    return RowsPlan(TableSteps(steps, shows_alike=True), outcome=merged, partitions=reader.names)


def _result(merged: TableOutcome, source: Placed, target: Placed) -> Rows:
    places = (source.file, source.position), (target.file, target.position)
    return Rows.of(merged, *places, (source.facts, target.facts), source.undoes)


def _parted_scopes(scopes: Sequence[Scope], partitions: AbstractSet[int]) -> tuple[list[Scope], list[Scope]]:
    """The scopes, and those that drop or rename one of the partitions."""
    left = [
        scope
        for scope in scopes
        if scope.kind in (ScopeKind.DROP_PARTITION, ScopeKind.RENAME_PARTITION)
        and not partitions.isdisjoint((scope.partition, scope.to))
    ]
    return [scope for scope in scopes if scope not in left], left


def _overtaken(merged: TableOutcome, source: RowFacts, target: RowFacts) -> int:
    """How many rows that a statement took away stay, whatever others did to them: it has to look again."""
    at = np.flatnonzero(merged.rows.outcome == Outcome.TARGET_DECIDED)
    source_at, target_at = merged.pairs.source_at[at], merged.pairs.target_at[at]
    kinds = source.image.kind[source_at]
    deleted = (source.image.value[source_at] == ABSENT) & ((kinds == Kind.DELETE) | (kinds == Kind.OVERWRITE))
    return int((deleted & (target.image.value[target_at] != ABSENT)).sum())
