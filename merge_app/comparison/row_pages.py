"""Pages of rows that either side of a merge changed: each as the merge looks at it, with what becomes of it.

A row is compared with the newest image that both sides know. Rows in conflict are those that refuse the merge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from catalog_app.domain.row_merge import Behind, RowConflicts
from catalog_app.domain.schema import Schema
from catalog_app.engine.answers import json_rows
from merge_app.execution.lineage.looked_at import LookedAt
from merge_app.execution.lineage.row_changes import DONE, SOURCE, TARGET, Row, RowChanges
from merge_app.lineage.facts import ABSENT, Ints
from merge_app.lineage.outcomes import Outcome
from merge_app.lineage.result_rows import result_partitions

_Listed = tuple[bool, str, int]
"""Whether a row is in no conflict, its key, and its position among the pairs."""


def _is_listed(item: _Listed, after: tuple[bool, str] | None, key: str | None) -> bool:
    return (after is None or item[:2] > after) and (key is None or item[1] == key)


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A row, named by its primary key or id. What a side did is None for nothing, and an image is None where the row is
    not there. A row that is left open has no result.
    """

    key: str
    is_conflict: bool
    is_open: bool
    source_change: str | None
    target_change: str | None
    base: Row
    source: Row
    target: Row
    result: Row


@dataclass(frozen=True, slots=True)
class RowPage:
    """``truncated``: there are more."""

    rows: list[ComparedRow]
    truncated: bool


@dataclass
class ComparedRows:
    """The rows of a table that either side changed, in the order of pages: conflicts first, each part by the text of
    the key. ``schema``: the columns that they are read under. ``changes`` None: the merge looks at none.
    """

    schema: Schema
    changes: RowChanges | None
    only_conflicts: bool = False

    def page(self, *, limit: int, behind: Behind | None = None, key: str | None = None) -> RowPage:
        """The rows behind a place, or of one key."""
        return RowPage([], truncated=False) if self._pages is None else self._pages.page(limit, behind, key)

    @cached_property
    def _pages(self) -> _Pages | None:
        return None if self.changes is None else _Pages(self.changes, self.only_conflicts)

    @property
    def computed(self) -> frozenset[int]:
        """The ids of columns that follow from others."""
        return frozenset() if self.changes is None else frozenset(self.changes.looked_at.cells.generated)

    @property
    def combined(self) -> frozenset[int]:
        """The ids of columns whose cells are put together of what both sides did."""
        return frozenset() if self.changes is None else self.changes.looked_at.combined

    @property
    def conflicts(self) -> tuple[RowConflicts, ...]:
        """Of a table with a primary key."""
        judged = None if self.changes is None else self.changes.looked_at.judged
        return () if judged is None else judged.conflicts


@dataclass
class _Pages:
    """Pages of the rows that a merge looked at."""

    changes: RowChanges
    only_conflicts: bool

    @cached_property
    def _refused(self) -> list[_Listed]:
        """The rows in conflict."""
        return sorted((False, row.key, at) for at, row in self.looked_at.conflicts.items())

    @cached_property
    def _others(self) -> list[_Listed]:
        """The other rows. Their keys are read when the conflicts do not fill a page."""
        if self.only_conflicts:
            return []
        changed = (self.changes.kinds(SOURCE) > 0) | (self.changes.kinds(TARGET) > 0)
        changed[list(self.looked_at.conflicts)] = False
        at = np.flatnonzero(changed)
        return sorted((True, key, int(place)) for place, key in zip(at, self._keys(at), strict=True))

    @property
    def schema(self) -> Schema:
        return self.changes.schema

    @property
    def looked_at(self) -> LookedAt:
        return self.changes.looked_at

    def page(self, limit: int, behind: Behind | None, key: str | None) -> RowPage:
        after = None if behind is None else (not behind.is_conflict, behind.key)
        found = [item for item in self._refused if _is_listed(item, after, key)]
        if len(found) <= limit:
            found += [item for item in self._others if _is_listed(item, after, key)]
        end = min(limit, len(found))
        # Rows of one key are not parted: the next page begins behind a key.
        while 0 < end < len(found) and found[end][:2] == found[end - 1][:2]:
            end += 1
        return RowPage(self._rows(found[:end]), len(found) > end)

    def _rows(self, listed: Sequence[_Listed]) -> list[ComparedRow]:
        at = np.array([place for *_, place in listed], dtype=np.int64)
        done = ([DONE[kind] for kind in self.changes.kinds(side)[at].tolist()] for side in (SOURCE, TARGET))
        base, source, target = self.changes.shown(at)
        images = base, source, target, self._results(at, source, target)
        return [
            ComparedRow(key, not is_other, self._is_open(place), *row)
            for (is_other, key, place), *row in zip(listed, *done, *images, strict=True)
        ]

    def _is_open(self, place: int) -> bool:
        refused = self.looked_at.conflicts.get(place)
        return refused is not None and refused.is_left

    def _keys(self, at: Ints) -> Sequence[str]:
        """Keys as JSON; without a primary key row ids."""
        if not self.schema.is_keyed:
            return [str(row_id) for row_id in self.looked_at.merged.pairs.row_id[at].tolist()]
        return self.changes.names(*self.changes.named_by(at), self.schema.primary_key)

    def _results(self, at: Ints, source: list[Row], target: list[Row]) -> list[Row]:
        """The rows after the merge."""
        merged, sides = self.looked_at.merged, self.looked_at.sides
        facts = sides[0].facts, sides[1].facts
        values = merged.row_facts(*facts, 0).value[at]
        partitions = result_partitions(merged, *facts)[at]
        outcome = merged.rows.outcome[at]
        is_source = np.isin(outcome, (Outcome.SOURCE, Outcome.SOURCE_DECIDED))
        made = {int(place): number for number, place in enumerate(self.looked_at.made.at)}
        found: list[Row] = [None] * len(at)
        apart: list[int] = []
        for number, place in enumerate(at.tolist()):
            if self._is_open(place) or values[number] == ABSENT:
                continue
            side = SOURCE if is_source[number] else TARGET
            if place in made:
                found[number] = self._made(made[place])
            elif self.changes.sides[side].partition[place] == partitions[number]:
                found[number] = (source, target)[side][number]
            else:
                apart.append(number)
        images = np.where(is_source, self.changes.sides[SOURCE].image[at], self.changes.sides[TARGET].image[at])
        for number, row in zip(apart, self.changes.read(images[apart], partitions[apart]), strict=True):
            found[number] = row
        return found

    def _made(self, place: int) -> list[Any]:
        """An image of the merge's own."""
        cells = self.looked_at.made.cells.columns
        one = [cells[column.id].slice(place, 1) for column in self.schema.columns]
        (row,) = json_rows(pa.Table.from_arrays(one, names=[str(n) for n in range(len(one))]))
        return row
