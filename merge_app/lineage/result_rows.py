"""The rows of a group of files as a merge leaves them: outcome, and where either side has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from merge_app.lineage.ascending import ascending
from merge_app.lineage.facts import ABSENT, Array, Ints, RowFacts
from merge_app.lineage.outcomes import Outcome, TableOutcome
from merge_app.lineage.segments import DOT, ShownFile


class MarksReader(Protocol):
    """What tells positions and row ids of a delete file."""

    def marks(self, delete_file: int) -> tuple[Ints, Ints]: ...

    def values(self, code: int) -> tuple[str | None, ...]:
        """The values of a partition."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The rows of a group that differ, by position: outcome, and where either side has them live (file 0: nowhere).
    ``is_own``: where the commit at hand decided the source's fact. ``partition``, ``placing`` and ``placed_kind``: of
    the result the code of the row's partition, how it was decided, and the kind of that fact. ``source_placed``: the
    stamp by which the source has its partition.
    """

    outcome: Array
    source_file: Ints
    source_position: Ints
    target_file: Ints
    target_position: Ints
    is_live: Array
    source_kind: Array
    target_kind: Array
    is_own: Array
    partition: Array
    placing: Array
    placed_kind: Array
    source_stamp: Ints
    source_undoes: Ints
    target_stamp: Ints
    source_placed: Ints

    @classmethod
    def of(
        cls,
        merged: TableOutcome,
        source: tuple[Ints, Ints],
        target: tuple[Ints, Ints],
        facts: tuple[RowFacts, RowFacts],
        undoes: Ints,
    ) -> Rows:
        """``source``, ``target``: files and positions of the rows of the sides; ``facts``: those of both sides;
        ``undoes``: of the source's images.
        """
        pairs = merged.pairs
        images = facts[0].image, facts[1].image
        values = merged.row_facts(*facts, DOT).value
        placed = merged.partition_facts(*facts, DOT)
        (source_file, source_position), (target_file, target_position) = source, target
        return cls(
            merged.rows.outcome,
            _at(source_file, pairs.source_at, 0),
            _at(source_position, pairs.source_at, -1),
            _at(target_file, pairs.target_at, 0),
            _at(target_position, pairs.target_at, -1),
            values != ABSENT,
            _at(images[0].kind, pairs.source_at, 0),
            _at(images[1].kind, pairs.target_at, 0),
            _at(images[0].stamp, pairs.source_at, 0) == DOT,
            result_partitions(merged, *facts),
            merged.partitions.outcome,
            placed.kind,
            _at(images[0].stamp, pairs.source_at, 0),
            _at(undoes, pairs.source_at, 0),
            _at(images[1].stamp, pairs.target_at, 0),
            _at(facts[0].partition.stamp, pairs.source_at, 0),
        )


def result_partitions(merged: TableOutcome, source: RowFacts, target: RowFacts) -> Array:
    """By row the code of its partition after the merge."""
    placed = merged.partition_facts(source, target, DOT).value
    of_source = _at(source.partition.value, merged.pairs.source_at, ABSENT)
    of_target = _at(target.partition.value, merged.pairs.target_at, ABSENT)
    # A side whose row is gone says nothing of its partition (R7).
    of_image = np.where(np.isin(merged.rows.outcome, SOURCES), of_source, of_target)
    found: Array = np.where(placed == ABSENT, of_image, placed)
    return found


def _at(column: Ints, at: Array, none: int) -> Ints:
    if not len(column):
        return np.full(len(at), none, dtype=np.int64)
    found: Ints = np.where(at < 0, none, column[at])
    return found


SOURCES = (Outcome.SOURCE, Outcome.SOURCE_DECIDED)


def by_file(files: Ints) -> dict[int, Array]:
    """By file, the places of its rows."""
    if not len(files):
        return {}
    order = np.argsort(files, kind="stable")
    found, starts = np.unique(files[order], return_index=True)
    return {int(file): part for file, part in zip(found, np.split(order, starts[1:]), strict=True) if file}


def positions_masked(file: ShownFile, reader: MarksReader) -> Ints:
    """The positions that the file's deletes mask, ascending."""
    found = [reader.marks(mark.file_id)[0] for mark in file.deletes]
    return ascending(np.concatenate([np.zeros(0, dtype=np.int64), *found]))
