"""Pages of rows that either side of a merge changed: each as the merge looks at it, with what becomes of it.

A row is compared with the newest image that both sides know. Rows in conflict are those that refuse the merge.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from catalog_app.domain.row_merge import Behind, RowConflicts
from catalog_app.domain.schema import Schema
from catalog_app.engine.answers import json_rows
from catalog_app.engine.inputs_outputs import QueryResult
from merge_app.execution.lineage.looked_at import LookedAt, RefusedRow
from merge_app.execution.lineage.row_changes import DONE, SOURCE, TARGET, Row, RowChanges
from merge_app.lineage.facts import ABSENT, Ints
from merge_app.lineage.outcomes import Outcome
from merge_app.lineage.result_rows import result_partitions

_Listed = tuple[bool, str, int]
"""Whether a row is in no conflict, its key, and its position among the pairs."""


def _is_listed(item: _Listed, after: tuple[bool, str] | None, key: str | None) -> bool:
    return (after is None or item[:2] > after) and (key is None or item[1] == key)


@dataclass
class ComparedRows:
    """The rows that a merge looked at, in the order of pages: conflicts first, each part by the text of the key."""

    changes: RowChanges
    only_conflicts: bool = False

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
    def computed(self) -> frozenset[int]:
        return frozenset(self.looked_at.cells.generated)

    @property
    def looked_at(self) -> LookedAt:
        return self.changes.looked_at

    @property
    def conflicts(self) -> tuple[RowConflicts, ...]:
        return self.looked_at.judged.conflicts if self.looked_at.judged is not None else ()

    def page(self, *, limit: int, behind: Behind | None = None, key: str | None = None) -> QueryResult:
        """The rows behind a place, or of one key. A row that is left open has no result."""
        after = None if behind is None else (not behind.is_conflict, behind.key)
        found = [item for item in self._refused if _is_listed(item, after, key)]
        if len(found) <= limit:
            found += [item for item in self._others if _is_listed(item, after, key)]
        end = min(limit, len(found))
        # Rows of one key are not parted: the next page begins behind a key.
        while 0 < end < len(found) and found[end][:2] == found[end - 1][:2]:
            end += 1
        at = np.array([item[2] for item in found[:end]], dtype=np.int64)
        rows = [
            [item[1], not item[0], self._row(item).is_left, *changes, *(image is not None for image in images), *cells]
            for item, changes, images in zip(found[:end], self._changes(at), self._images(at), strict=True)
            for cells in [[value for image in images for value in image or [None] * len(self.schema.columns)]]
        ]
        return QueryResult((), rows, len(found) > end)

    def _row(self, item: tuple[bool, str, int]) -> RefusedRow:
        return self.looked_at.conflicts.get(item[2], RefusedRow(item[1], is_left=False))

    def _changes(self, at: Ints) -> Iterator[list[str | None]]:
        source, target = self.changes.kinds(SOURCE)[at].tolist(), self.changes.kinds(TARGET)[at].tolist()
        return ([DONE[one], DONE[other]] for one, other in zip(source, target, strict=True))

    # -- what is shown ----------------------------------------------------------------------------------------------

    def _keys(self, at: Ints) -> Sequence[str]:
        """Keys as JSON; without a primary key row ids."""
        if not self.schema.is_keyed:
            return [str(row_id) for row_id in self.looked_at.merged.pairs.row_id[at].tolist()]
        return self.changes.names(*self.changes.named_by(at), self.schema.primary_key)

    def _images(self, at: Ints) -> Iterator[tuple[Row, ...]]:
        """The rows in base, source, target and result."""
        base, source, target = self.changes.shown(at)
        return zip(base, source, target, self._results(at, source, target), strict=True)

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
            refused = self.looked_at.conflicts.get(place)
            if (refused is not None and refused.is_left) or values[number] == ABSENT:
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
