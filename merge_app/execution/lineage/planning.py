"""The rows of tables merged by lineage: files first, rows only of files that meet, steps as a value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from catalog_app.domain.operations import Operation
from catalog_app.domain.schema import Schema
from catalog_app.selectors.lineage import Lineage
from lakeui.common.errors import NotSupported
from merge_app.execution.added_rows import EngineSource
from merge_app.execution.lineage.readers import reader_of
from merge_app.execution.lineage.restoring import RestoredFiles
from merge_app.execution.lineage.rows import Reader, gone_rows, placed_rows
from merge_app.execution.lineage.scopes import overwritten_load, scopes_load, scopes_staged
from merge_app.execution.lineage.sides import Sides, sides_load
from merge_app.execution.reach import Reach
from merge_app.lineage.facts import (
    ABSENT,
    Aliveness,
    Granularity,
    Ints,
    Kind,
    News,
    RowFacts,
    Scope,
    ScopeKind,
    TableFacts,
)
from merge_app.lineage.finer import finer_verdicts
from merge_app.lineage.outcomes import CONFLICT, Outcome, TableOutcome
from merge_app.lineage.segments import DOT, FileSide, Group, Whose, groups
from merge_app.lineage.stepping import PartsApart, Rows, carried_by_row, carried_whole
from merge_app.lineage.steps import RowsPlan, Step, TableSteps
from merge_app.lineage.tables import table_merge


@dataclass(frozen=True, slots=True)
class TableCase:
    """One table whose rows the source changed. ``schema``: what files that a statement staged are written under."""

    table_id: int
    alive: Aliveness = field(default_factory=Aliveness)
    granularity: Granularity = Granularity.FILE
    schema: Schema | None = None


@dataclass(frozen=True, slots=True)
class Parties:
    """The two snapshots, what they reach, and what the source is besides a branch (see ``sides_load``)."""

    source: Lineage
    target: Lineage
    source_reach: Reach
    target_reach: Reach
    own: int | None = None
    staged: Sequence[Operation] = ()
    restored: Mapping[int, RestoredFiles] = field(default_factory=dict)


def rows_plan(cases: Sequence[TableCase], parties: Parties, engine: EngineSource) -> dict[int, RowsPlan]:
    """By table what its merge does to segments, and what the rules say of its rows."""
    tables = [case.table_id for case in cases]
    sides = sides_load(
        tables,
        parties.source,
        parties.target,
        (parties.source_reach, parties.target_reach),
        own=parties.own,
        staged=parties.staged,
        restored=parties.restored,
    )
    readers = {case.table_id: _reader(case, sides, engine) for case in cases}
    codes = {table_id: reader.code for table_id, reader in readers.items()}
    mine, theirs = (scopes_load(tables, item, codes) for item in (sides.source_news, sides.target_news))
    if parties.own is not None:
        mine = {table: [_as_dot(scope) for scope in scopes] for table, scopes in mine.items()}
    for case in cases:
        staged = [item for item in parties.staged if item.object_id == case.table_id]
        if staged:
            mine[case.table_id] = scopes_staged(staged, parties.source_reach, codes[case.table_id])
    overwritten = overwritten_load(tables)
    return {
        case.table_id: _table(
            case,
            sides,
            readers[case.table_id],
            (mine.get(case.table_id, []), theirs.get(case.table_id, [])),
            overwritten[case.table_id],
        )
        for case in cases
    }


def _reader(case: TableCase, sides: Sides, engine: EngineSource) -> Reader:
    both = sides.source[case.table_id], sides.target[case.table_id]
    shown = (file for side in both for file in side.shown)
    return reader_of(case.table_id, shown, (item for side in both for item in side.gone), engine, case.schema)


def _as_dot(scope: Scope) -> Scope:
    """A transaction's scopes are of its one commit."""
    return Scope(DOT, -1, scope.kind, scope.knows, scope.partition, scope.to, scope.then)


def _table(
    case: TableCase, sides: Sides, reader: Reader, scopes: tuple[list[Scope], list[Scope]], overwritten: set[int]
) -> RowsPlan:
    source, target = sides.source[case.table_id], sides.target[case.table_id]
    steps: list[Step] = []
    met: list[Group] = []
    skips = False
    for group in groups(source, target):
        if group.whose is Whose.SOURCE:
            steps += carried_whole(group)
        elif group.whose is Whose.ROWS or (scopes[0] and _decides(group, target)):
            met.append(group)
        skips |= group.whose is not Whose.SOURCE and any(source.lays_out(file) for file in group.source)
    if not met and not any(scope.kind is ScopeKind.RENAME_PARTITION for scope in scopes[0]):
        return RowsPlan(TableSteps(tuple(steps)), skips_layout=skips)
    together = _together(met)
    merged, more, kept = _rows(case, together, sides.news, reader, scopes, overwritten)
    whole = [item for item in together.source_gone if item.delete_file is None]
    emptied = tuple(gone_rows(item, reader) for item in whole) if merged.findings else ()
    finer = finer_verdicts(merged, case.granularity)
    return RowsPlan(TableSteps((*steps, *more), kept), merged.findings, merged, skips, emptied, reader.names, finer)


def _decides(group: Group, side: FileSide) -> bool:
    return bool(group.target_gone) or any(side.decides(file) for file in group.target)


def _together(met: Iterable[Group]) -> Group:
    found = list(met)
    return Group(
        Whose.ROWS,
        tuple(file for group in found for file in group.source),
        tuple(file for group in found for file in group.target),
        tuple(item for group in found for item in group.source_gone),
        tuple(item for group in found for item in group.target_gone),
    )


def _rows(
    case: TableCase,
    group: Group,
    news: News,
    reader: Reader,
    scopes: tuple[list[Scope], list[Scope]],
    overwritten: set[int],
) -> tuple[TableOutcome, list[Step], int]:
    source, target = placed_rows(group, reader, news)
    facts = TableFacts(
        source.facts,
        target.facts,
        case.alive,
        case.granularity,
        source_scopes=scopes[0],
        target_scopes=scopes[1],
        overwritten=overwritten,
    )
    merged = table_merge(case.table_id, facts, news, stamp=DOT, cells=_no_cells)
    places = (source.file, source.position), (target.file, target.position)
    rows = Rows.of(merged, *places, (source.facts, target.facts), source.undoes)
    try:
        steps = list(carried_by_row(group, rows, reader))
    except PartsApart as apart:
        raise NotSupported(
            f"A merge cannot part a file yet: {apart}.",
            remedy="UPDATE these rows on the destination, so that each partition has a file of its own.",
        ) from apart
    return merged, steps, _kept(merged, source.facts, target.facts)


def _kept(merged: TableOutcome, source: RowFacts, target: RowFacts) -> int:
    """How many rows that the source deleted stay, as the target updated them."""
    at = np.flatnonzero(merged.rows.outcome == Outcome.TARGET_DECIDED)
    mine, theirs = merged.pairs.source_at[at], merged.pairs.target_at[at]
    deleted = (source.image.value[mine] == ABSENT) & (source.image.kind[mine] == Kind.DELETE)
    return int((deleted & (target.image.value[theirs] != ABSENT)).sum())


def _no_cells(source: Ints, target: Ints, base: Ints) -> Ints:
    return np.full(len(source), CONFLICT, dtype=np.int64)
