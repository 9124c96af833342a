"""What the merge of a table comes to whose rows are merged by cell, with what people decided of them (R10, R14)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import nsmallest
from typing import Any

import numpy as np
import pyarrow as pa

from catalog_app.domain.operations import OperationKind
from catalog_app.domain.row_merge import KEYS_SHOWN, RowConflicts, RowJudgement, Take
from catalog_app.rules.codes import VerdictCode
from catalog_app.storage.cells import RowCells
from merge_app.execution.lineage.cells import NOTHING_MADE, CellConflict, Cells, MadeRows
from merge_app.execution.lineage.keys import Keys
from merge_app.execution.lineage.looked_at import LookedAt, RefusedRow
from merge_app.execution.lineage.placed import Placed
from merge_app.lineage.ascending import are_among
from merge_app.lineage.choices import Choices, with_cells
from merge_app.lineage.facts import Ints, Kind, Mask, image_codes
from merge_app.lineage.outcomes import Finding, Outcome, TableOutcome
from merge_app.lineage.rules import KEPT
from merge_app.lineage.scopes import swept_rows
from merge_app.planning.row_merges import BY_ROW_ID

INSERT, UPDATE, DELETE = OperationKind.INSERT, OperationKind.UPDATE, OperationKind.DELETE
Pair = tuple[OperationKind, OperationKind]
_CLASHES = frozenset({VerdictCode.PRIMARY_KEY_CLASH, *BY_ROW_ID})


@dataclass(slots=True)
class _Conflicts:
    """Rows in conflict by position, each once, under the changes that met first."""

    found: dict[int, tuple[Pair, RefusedRow]] = field(default_factory=dict)

    def add(self, pair: Pair, key: str, at: int, *, is_left: bool) -> None:
        known = self.found.get(at)
        if known is None:
            self.found[at] = pair, RefusedRow(key, is_left)
        elif is_left and not known[1].is_left:
            self.found[at] = known[0], RefusedRow(known[1].key, is_left)

    @property
    def rows(self) -> dict[int, RefusedRow]:
        return {at: row for at, (_, row) in self.found.items()}

    def judged(self) -> tuple[RowConflicts, ...]:
        by_pair: dict[Pair, list[RefusedRow]] = {}
        for pair, row in self.found.values():
            by_pair.setdefault(pair, []).append(row)
        return tuple(_conflicts(pair, by_pair[pair]) for pair in sorted(by_pair))


def _conflicts(pair: Pair, found: Sequence[RefusedRow]) -> RowConflicts:
    keys = [row.key for row in found]
    left = [row.key for row in found if row.is_left]
    shown, shown_left = (tuple(nsmallest(KEYS_SHOWN, each, key=str.encode)) for each in (keys, left))
    return RowConflicts(*pair, len(keys), len(left), shown, shown_left)


@dataclass(frozen=True, slots=True, eq=False)
class _Case:
    """The rows as they are judged. ``live``: where either side shows them."""

    rows: LookedAt
    choices: Choices | None
    live: tuple[Mask, Mask]
    conflicts: _Conflicts = field(default_factory=_Conflicts)

    @classmethod
    def of(cls, rows: LookedAt, cells: Cells) -> _Case:
        return cls(rows, cells.choices, (rows.is_live(0), rows.is_live(1)))


def primary_key_outcome(rows: LookedAt, cells: Cells, keys: Keys, *, is_statement: bool) -> LookedAt:
    """Clashes of keys become conflicts by the changes that met; what was decided of them is the merge's own."""
    case = _Case.of(rows, cells)
    live, conflicts, merged = case.live, case.conflicts, rows.merged
    at = np.flatnonzero(are_among(merged.pairs.row_id, swept_rows(merged.findings)))
    swept = set(rows.images(at, 0).tolist())
    cells.conflicts = [item for item in cells.conflicts if item.image not in swept]
    for item, place in zip(cells.conflicts, _places_of(case, cells.conflicts), strict=True):
        pair = (UPDATE, UPDATE) if item.has_base else (INSERT, INSERT)
        conflicts.add(pair, item.key, place, is_left=item.is_left)
    clashing = _clashing(merged)
    gone = clashing[live[0][clashing] != live[1][clashing]]
    overtaken = 0
    if is_statement:
        _inserted_judge(case)
        overtaken = int((~live[0][gone]).sum())
        gone = gone[live[0][gone]]
    edited = _gone_decide(case, gone)
    _partitions_decide(case)
    made = _made(merged, cells, [*edited, *_written_anew(case)])
    _ids_judge(case)
    if keys.has_place:
        _places_judge(case, keys)
    left = rows.with_findings(item for item in merged.findings if item.code is not VerdictCode.PRIMARY_KEY_CLASH)
    return replace(left, made=made, named=conflicts.rows, judged=_judged(case), overtaken=overtaken)


def row_names(sides: tuple[Placed, Placed]) -> Callable[[Ints], Sequence[str]]:
    """What names the row of an image that either side has: its row id as text."""
    shown = [(side.facts.image.value, image_codes(side.file, side.position)) for side in sides]
    images = np.concatenate([codes for pair in shown for codes in pair])
    row_ids = np.concatenate([side.row_id for side in sides for _ in range(2)])
    images, first = np.unique(images, return_index=True)
    return lambda asked: [str(row_id) for row_id in row_ids[first[np.searchsorted(images, asked)]].tolist()]


def chosen_rows_outcome(rows: LookedAt, cells: Cells) -> LookedAt:
    """Rows of a table without a primary key, merged by cell as people decided: choices name rows by row id."""
    case, merged = _Case.of(rows, cells), rows.merged
    for item in cells.conflicts:
        place = int(np.searchsorted(merged.pairs.row_id, int(item.key)))
        case.conflicts.add((UPDATE, UPDATE), item.key, place, is_left=item.is_left)
    clashing = _clashing(merged)
    edited = _gone_decide(case, clashing[case.live[0][clashing] != case.live[1][clashing]])
    _partitions_decide(case)
    found = case.conflicts.rows
    left = merged.pairs.row_id[sorted(at for at, row in found.items() if row.is_left)]
    judged = RowJudgement({}, conflicts=case.conflicts.judged(), is_decided=True)
    decided = rows.with_findings(_left_findings(merged.findings, left))
    return replace(decided, made=_made(merged, cells, edited), named=found, judged=judged)


def _left_findings(findings: Iterable[Finding], left: Ints) -> Iterator[Finding]:
    for finding in findings:
        if finding.code not in _CLASHES or finding.rows is None:
            yield finding
        elif (rows := finding.rows[are_among(finding.rows, left)]).size:
            yield replace(finding, rows=rows)


def _places_of(case: _Case, conflicts: Sequence[CellConflict]) -> list[int]:
    """The positions of rows by the images that the source shows."""
    if not conflicts:
        return []
    at = np.flatnonzero(case.live[0])
    images = case.rows.images(at, 0)
    order = np.argsort(images)
    wanted = np.array([item.image for item in conflicts], dtype=np.int64)
    found: list[int] = at[order[np.searchsorted(images, wanted, sorter=order)]].tolist()
    return found


def _clashing(merged: TableOutcome, *, by_partition: bool = False) -> Ints:
    """Positions of the rows that rules refuse, for their images or for their partitions."""
    clashes = (f for f in merged.findings if f.code in _CLASHES and bool(f.keys) == by_partition)
    found = [finding.rows for finding in clashes if finding.rows is not None]
    rows = np.unique(np.concatenate([merged.pairs.row_id[:0], *found]))
    at: Ints = np.searchsorted(merged.pairs.row_id, rows)
    return at


def _gone_decide(case: _Case, gone: Ints) -> list[MadeRows]:
    """Rows that one side took away and the other changed."""
    edited = []
    for number, pair, at in (
        (0, (UPDATE, DELETE), gone[case.live[0][gone]]),
        (1, (DELETE, UPDATE), gone[~case.live[0][gone]]),
    ):
        if not len(at):
            continue
        kept = case.rows.read(at, number)
        by_hand: list[tuple[int, Mapping[int, Any]]] = []
        for place, key in enumerate(kept.keys):
            take = case.choices.gone(key, kept) if case.choices is not None else None
            case.conflicts.add(pair, key, int(at[place]), is_left=take is None)
            if isinstance(take, Take):
                outcome = Outcome.SOURCE_DECIDED if take is Take.SOURCE else Outcome.TARGET_DECIDED
                case.rows.merged.rows.outcome[at[place]] = outcome
            elif take is not None:
                by_hand.append((place, take))
        if by_hand:
            rows = np.array([place for place, _ in by_hand], dtype=np.int64)
            columns = with_cells(kept.take(rows), [given for _, given in by_hand])
            case.rows.merged.rows.give(at[rows], case.rows.images(at[rows], number), Outcome.CELLS)
            edited.append(MadeRows(at[rows], RowCells(columns)))
    return edited


def _partitions_decide(case: _Case) -> None:
    """Rows that both sides wrote into other partitions: the partition is a cell. Of rows whose cells conflict too, the
    conflict stands with these.
    """
    partitions, at = case.rows.merged.partitions, _clashing(case.rows.merged, by_partition=True)
    if not len(at):
        return
    for place, key in zip(at, case.rows.read(at, 1).keys, strict=True):
        taken_from = {
            case.choices.side_of(key, column) if case.choices is not None else None
            for column in case.rows.cells.schema.partition_by
        }
        is_kept = taken_from == {Take.DESTINATION}
        partitions.outcome[place] = Outcome.TARGET_DECIDED if is_kept else Outcome.SOURCE_DECIDED
        is_left = None in taken_from or len(taken_from) > 1
        case.conflicts.add((UPDATE, UPDATE), key, int(place), is_left=is_left)


def _made(merged: TableOutcome, cells: Cells, edited: Iterable[MadeRows]) -> MadeRows:
    parts = [part for part in (cells.of(merged), *edited) if len(part.at)]
    if not parts:
        return NOTHING_MADE
    columns = {
        column: pa.concat_arrays([part.cells.columns[column] for part in parts]) for column in parts[0].cells.columns
    }
    return MadeRows(np.concatenate([part.at for part in parts]), RowCells(columns))


def _inserted_judge(case: _Case) -> None:
    """A statement inserts no key that others inserted since, not even an equal row: one after the other it would be
    refused. An overwrite takes what lies in its scope.
    """
    pairs = case.rows.merged.pairs
    both = np.flatnonzero(case.live[0] & case.live[1])
    source, target = case.rows.sides[0].facts.image, case.rows.sides[1].facts.image
    is_new = case.rows.news.from_source(source.stamp[pairs.source_at[both]])
    is_new &= case.rows.news.from_target(target.stamp[pairs.target_at[both]])
    is_new &= source.kind[pairs.source_at[both]] != Kind.OVERWRITE
    is_new &= case.rows.sides[0].row_id[pairs.source_at[both]] != case.rows.sides[1].row_id[pairs.target_at[both]]
    for key, place in _keys(case, both[is_new], 1):
        case.conflicts.add((INSERT, INSERT), key, place, is_left=True)


def _keys(case: _Case, at: Ints, number: int) -> Iterator[tuple[str, int]]:
    """The keys of rows as a side has them, with their positions."""
    return zip(case.rows.read(at, number).keys, at.tolist(), strict=True) if len(at) else iter(())


def _written_anew(case: _Case) -> Iterator[MadeRows]:
    """Rows that keep their image, and whose id came under another key. They get the id that the other side gave to the
    key, if it did (R14).
    """
    ids, from_source, of_both = _result_ids(case)
    at = _twice(case, ids)
    at = at[(ids[at] != of_both[at]) & case.live[0][at] & case.live[1][at]]
    for number, rows in enumerate((at[from_source[at]], at[~from_source[at]])):
        if len(rows):
            case.rows.merged.rows.give(rows, case.rows.images(rows, number), Outcome.CELLS)
            yield MadeRows(rows, RowCells(case.rows.read(rows, number).columns))


def _ids_judge(case: _Case) -> None:
    """No row lives under two keys (R14)."""
    ids, from_source, _ = _result_ids(case)
    twice = _twice(case, ids)
    for number in (0, 1):
        rows = twice[case.live[number][twice] & (from_source[twice] if number == 0 else ~from_source[twice])]
        for key, place in _keys(case, rows, number):
            case.conflicts.add((UPDATE, UPDATE), key, place, is_left=True)


def _result_ids(case: _Case) -> tuple[Ints, Mask, Ints]:
    """By row the id in the result, whether it is the source's, and the id of a row that is made of both."""
    source, target, of_both = case.rows.row_ids
    outcome = case.rows.merged.rows.outcome
    from_source = np.isin(outcome, (Outcome.SOURCE, Outcome.SOURCE_DECIDED))
    ids = np.where(outcome == Outcome.CELLS, of_both, np.where(from_source, source, target))
    return ids, from_source, of_both


def _twice(case: _Case, ids: Ints) -> Ints:
    """Positions of live rows of the result that share an id."""
    at = np.flatnonzero(case.rows.stays)
    _, of_id, counts = np.unique(ids[at], return_inverse=True, return_counts=True)
    found: Ints = at[counts[of_id.reshape(-1)] > 1]
    return found


def _places_judge(case: _Case, keys: Keys) -> None:
    """No key is there twice that holds a partition column: two rows that renames of both sides put into one partition
    clash.
    """
    at = np.flatnonzero(case.rows.stays)
    found = keys.result_keys(case.rows.merged.pairs.row_id[at], case.rows.partitions[at])
    twice = at[np.bincount(found, minlength=1)[found] > 1] if len(at) else at
    for number in (1, 0):
        rows = twice[case.live[number][twice] & ((number == 1) | ~case.live[1][twice])]
        for key, place in _keys(case, rows, number):
            case.conflicts.add((INSERT, INSERT), key, place, is_left=True)


def _judged(case: _Case) -> RowJudgement:
    outcome = case.rows.merged.rows.outcome
    stays = case.rows.stays
    comes = np.isin(outcome, (Outcome.SOURCE, Outcome.SOURCE_DECIDED, Outcome.CELLS))
    counts = {
        INSERT: int((stays & ~case.live[1]).sum()),
        UPDATE: int((stays & case.live[1] & comes).sum()),
        DELETE: int((~stays & case.live[1]).sum()),
    }
    combined = int((outcome == Outcome.CELLS).sum())
    changes = {kind: rows for kind, rows in counts.items() if rows}
    return RowJudgement(changes, combined, case.conflicts.judged(), dict(_discarded(case.rows.merged)))


def _discarded(merged: TableOutcome) -> Iterator[tuple[OperationKind, int]]:
    for code, kind in ((VerdictCode.DISCARDED_UPDATE, UPDATE), (VerdictCode.DISCARDED_DELETE, DELETE)):
        found = [item.rows for item in merged.findings if item.code is code and item.rule != KEPT]
        rows = sum(len(each) for each in found if each is not None)
        if rows:
            yield kind, rows
