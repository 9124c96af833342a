"""The files that rows were inserted by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from catalog_app.selectors.rows import fetch_all, json_value
from merge_app.execution.lineage.readers import Reader
from merge_app.lineage.facts import Array, Ints, Mask
from merge_app.lineage.segments import DOT, Gone, ShownFile

_BIRTHS = """
SELECT f.base, f.id, f.partition, s.stamp, f.base + f.rows FROM catalog_app_datafile f LEFT JOIN LATERAL (
    SELECT s.stamp FROM catalog_app_segment s JOIN catalog_app_branch b ON b.id = s.branch_id
    WHERE s.file_id = f.id AND s.kind <> 'restore' ORDER BY b.is_workspace, s.stamp LIMIT 1
) s ON true
WHERE f.table_id = %(table)s AND NOT f.stores_row_ids AND f.base <= %(largest)s AND f.base + f.rows > %(smallest)s
ORDER BY f.base
"""
"""What a transaction inserted, its commit inserted: no other branch knows the stamps of a workspace."""

_CLONED_BIRTHS = """
SELECT f.base, f.id, f.partition, s.stamp, f.base + f.rows FROM catalog_app_datafile f
JOIN LATERAL (
    SELECT s.stamp FROM catalog_app_segment s JOIN catalog_app_branch b ON b.id = s.branch_id
    WHERE s.file_id = f.id AND s.kind = 'insert' ORDER BY b.is_workspace, s.id LIMIT 1
) s ON true
WHERE f.table_id = %(table)s AND f.stores_row_ids
  AND f.smallest_row_id <= %(largest)s AND f.largest_row_id >= %(smallest)s
ORDER BY f.id
"""
"""Files that were inserted with the ids of their rows: those of a clone. What wrote these rows first is not in the
table.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Births:
    """The files that rows were inserted by, with partition and stamp. ``own`` of them hold rows by address: ``first``
    ascends, ``end`` is behind the last. The others were inserted with the ids of their rows, by a clone: ``cloned`` are
    these ids, ascending, and ``cloned_at`` the places of their files. ``lies``: see ``lying``.
    """

    first: Ints
    file: Ints
    partition: Ints
    stamp: Ints
    end: Ints
    own: int
    cloned: Ints
    cloned_at: Ints
    lies: Ints

    @classmethod
    def load(cls, reader: Reader, row_ids: Ints) -> Births:
        own = fetch_all(_BIRTHS, _bounds(reader, row_ids))
        found = cls.of_rows(reader, own, (), row_ids[:0])
        lacking = row_ids[found.lacks(row_ids)]
        if not len(lacking):
            return found
        return cls.of_rows(reader, own, fetch_all(_CLONED_BIRTHS, _bounds(reader, lacking)), lacking)

    @classmethod
    def of_rows(
        cls, reader: Reader, own: Sequence[tuple[Any, ...]], cloned: Sequence[tuple[Any, ...]], lacking: Ints
    ) -> Births:
        """``lacking``: the row ids to look for in the files ``cloned``."""
        found = [
            (first, file_id, reader.code(tuple(json_value(partition))), DOT if stamp is None else stamp, end)
            for first, file_id, partition, stamp, end in (*own, *cloned)
        ]
        first, file, partition, stamp, end = (np.array([row[n] for row in found], dtype=np.int64) for n in range(5))
        held = [reader.rows(row[1], lacking)[1] for row in cloned]
        places = [np.full(len(ids), place, dtype=np.int64) for place, ids in enumerate(held, len(own))]
        # A file that holds a row which another one updated was inserted before that one.
        ids, at = (np.concatenate([lacking[:0], *parts])[::-1] for parts in (held, places))
        cloned_ids, newest = np.unique(ids, return_index=True)
        return cls(first, file, partition, stamp, end, len(own), cloned_ids, at[newest], partition)

    def lying(self, shown: Sequence[ShownFile], gone: Sequence[Gone], reader: Reader) -> Births:
        """With the partitions that a side shows the files in, or had them in when it took them away."""
        lies = {item.file_id: item.partition for items in (gone, shown) for item in items}
        files = zip(self.file.tolist(), self.partition.tolist(), strict=True)
        found = [reader.code(lies[file_id]) if file_id in lies else code for file_id, code in files]
        return replace(self, lies=np.array(found, dtype=np.int64))

    def lacks(self, row_ids: Ints) -> Mask:
        """Which of the rows have no address in a file of the table."""
        at = np.searchsorted(self.first[: self.own], row_ids, side="right") - 1
        inside = np.zeros(len(row_ids), dtype=np.bool_)
        known = at >= 0
        inside[known] = row_ids[known] < self.end[: self.own][at[known]]
        return ~inside

    def of(self, row_ids: Ints) -> Array:
        """The places of their files."""
        at: Array = np.searchsorted(self.first[: self.own], row_ids, side="right") - 1
        if len(self.cloned):
            place = np.minimum(np.searchsorted(self.cloned, row_ids), len(self.cloned) - 1)
            is_cloned = self.lacks(row_ids) & (self.cloned[place] == row_ids)
            at = np.where(is_cloned, self.cloned_at[place], at)
        return at


def _bounds(reader: Reader, row_ids: Ints) -> dict[str, int]:
    smallest, largest = (int(row_ids[0]), int(row_ids[-1])) if len(row_ids) else (0, -1)
    return {"table": reader.table_id, "smallest": smallest, "largest": largest}
