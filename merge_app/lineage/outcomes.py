"""What the merge by lineage answers: an outcome for each row, and findings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from catalog_app.rules.codes import CODE_TABLE, VerdictCode
from merge_app.lineage.ascending import are_among
from merge_app.lineage.facts import ABSENT, Array, FactColumns, Ints, Key, Kind, ObjectId, RowFacts, Scope
from merge_app.lineage.rules import KEPT

NO_BASE = -2
"""In place of a base image: there is none that both sides know, or the row was deleted in it."""
CONFLICT = -1
"""In place of a merged image: both sides changed one cell differently."""

MergeCells = Callable[[Ints, Ints, Ints], Ints]
"""Images of the source, of the target and of the base (or ``NO_BASE``) to merged images (or ``CONFLICT``)."""


class Outcome(IntEnum):
    """What becomes of a fact. From ``TARGET_DECIDED`` on, the fact gets the stamp of the merge."""

    TARGET = 0
    """The target's fact stays as it is."""
    SOURCE = 1
    """The source's fact comes as it is, with its stamp."""
    TARGET_DECIDED = 2
    """The target's value stays by decision."""
    SOURCE_DECIDED = 3
    """The source's value comes by decision."""
    CELLS = 4
    """The image is merged by cells."""
    SCOPE = 5
    """A scope of the source took the row away, or moved it to another partition."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Rows whose facts differ, by row id: their positions on the source and on the target, -1 where there is none."""

    row_id: Ints
    source_at: Array
    target_at: Array

    def __len__(self) -> int:
        return len(self.row_id)


@dataclass(frozen=True, slots=True, eq=False)
class ResultFacts:
    """Facts of the result. A fact that was decided brings nothing back."""

    stamp: Array
    kind: Array
    value: Array


@dataclass(slots=True, eq=False)
class Decided:
    """The outcome of one fact of each pair. ``given``: by position among the pairs, values that neither side had."""

    outcome: Array
    given_at: Array
    given: Array

    @classmethod
    def of(cls, outcome: Array) -> Decided:
        return cls(outcome, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))

    def give(self, at: Array, values: Array, outcome: Outcome) -> None:
        """Set values at these positions, over what was given before."""
        self.outcome[at] = outcome
        keep = ~are_among(self.given_at, at)
        places = np.concatenate([self.given_at[keep], at])
        order = np.argsort(places, kind="stable")
        self.given_at = places[order]
        self.given = np.concatenate([self.given[keep], values])[order]

    def take(self, at: Array) -> None:
        """The source's values come by decision, over what was given before."""
        self.outcome[at] = Outcome.SOURCE_DECIDED
        keep = ~are_among(self.given_at, at)
        self.given_at, self.given = self.given_at[keep], self.given[keep]

    def restricted(self, at: Array) -> Decided:
        """The outcome of the pairs at these sorted positions alone."""
        kept = are_among(self.given_at, at)
        return Decided(self.outcome[at], np.searchsorted(at, self.given_at[kept]), self.given[kept])

    def result(self, pairs: Pairs, source: FactColumns, target: FactColumns, stamp: int, by_scope: Kind) -> ResultFacts:
        """The facts after the merge. ``stamp``: the merge's; ``by_scope``: the kind of what a scope changed."""
        from_source = (self.outcome == Outcome.SOURCE) | (self.outcome == Outcome.SOURCE_DECIDED)
        stamps = chosen(from_source, pairs, source.stamp, target.stamp, 0)
        stamps[self.outcome >= Outcome.TARGET_DECIDED] = stamp
        kinds = chosen(from_source, pairs, source.kind, target.kind, Kind.NEVER)
        kinds[self.outcome == Outcome.SCOPE] = by_scope
        kinds[self.outcome == Outcome.CELLS] = Kind.UPDATE
        values = chosen(from_source, pairs, source.value, target.value, ABSENT)
        values[self.given_at] = self.given
        return ResultFacts(stamps, kinds, values)


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """A verdict or a note, and what caused it. ``rule``: of lineage.md or semantics.md.

    ``keys``: attributes. ``rows``: row ids of the source; ``target_rows``: of the target, where they differ.
    ``scopes``: of the source, then of the target.
    """

    code: VerdictCode
    object: ObjectId
    rule: str
    keys: tuple[Key, ...] = ()
    rows: Ints | None = None
    target_rows: Ints | None = None
    scopes: tuple[Scope, ...] = ()

    @property
    def is_conflict(self) -> bool:
        return CODE_TABLE[self.code].is_conflict


@dataclass(frozen=True, slots=True, eq=False)
class TableOutcome:
    """The merge of one table. Rows that are in no pair have equal facts on both sides."""

    pairs: Pairs
    rows: Decided
    partitions: Decided
    findings: tuple[Finding, ...]
    by_row: Mapping[VerdictCode, Ints] = field(default_factory=dict)
    """By verdict, the rows that the rules of single rows refuse. By ``file`` more may be refused."""

    @property
    def kept_rows(self) -> int:
        """How many rows that the source deleted or overwrote stay, as the target changed them."""
        return sum(len(item.rows) for item in self.findings if item.rule == KEPT and item.rows is not None)

    def row_facts(self, source: RowFacts, target: RowFacts, stamp: int) -> ResultFacts:
        """The rows of the pairs after the merge, ``stamp`` being the merge's."""
        return self.rows.result(self.pairs, source.image, target.image, stamp, Kind.OVERWRITE)

    def partition_facts(self, source: RowFacts, target: RowFacts, stamp: int) -> ResultFacts:
        return self.partitions.result(self.pairs, source.partition, target.partition, stamp, Kind.MOVE)


def chosen(from_source: Array, pairs: Pairs, source: Array, target: Array, none: int) -> Array:
    """One column of the pairs: the source's value where it is said, else the target's; ``none`` where it has no row."""
    values = taken(target, pairs.target_at, none)
    at = np.flatnonzero(from_source)
    values[at] = source[pairs.source_at[at]]
    return values


def taken(column: Array, at: Array, none: int) -> Array:
    """The values at positions, ``none`` at -1."""
    if not len(column):
        return np.full(len(at), none, dtype=column.dtype)
    values = column[at]
    values[at < 0] = none
    return values
