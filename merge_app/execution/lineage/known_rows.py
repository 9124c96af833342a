"""What both sides know of rows: the newest fact, partitions, and whether what a side shows came after these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from catalog_app.domain.schema import Schema
from merge_app.execution.lineage.keys import Keys
from merge_app.execution.lineage.pasts import SharedFacts, shared_facts
from merge_app.execution.lineage.readers import Reader
from merge_app.execution.lineage.vectors import CommitsKnown
from merge_app.lineage.facts import ABSENT, Ints, Mask, image_places
from merge_app.lineage.segments import DOT


@dataclass(frozen=True, slots=True, eq=False)
class KnownRows:
    """Facts of rows that both sides know. ``ids``: of each the row id, or the code of the key that the row had.
    ``columns``: how many columns of the table the file of each image has: one that was written after a drop has fewer.
    """

    reader: Reader
    facts: SharedFacts
    ids: Ints
    columns: Ints

    @classmethod
    def of(cls, reader: Reader, schema: Schema, row_ids: Ints, keys: Keys | None = None) -> KnownRows:
        """``row_ids``: ascending; with ``keys``, those of all rows that had one of the keys."""
        facts = shared_facts(reader, row_ids)
        ids = facts.row_id if keys is None else keys.codes(facts.image, keys.places_shared(facts.image))
        return cls(reader, facts, ids, _columns_held(reader, schema, facts.image))

    def newest(self, wanted: Ints) -> tuple[Ints, Ints]:
        """Of these rows the newest fact that both know: an image or ``ABSENT``, and its stamp, 0 for none."""
        return self._newest(wanted, self.facts.value, np.ones(len(self.ids), dtype=np.bool_))

    def places(self, wanted: Ints) -> Ints:
        """The partitions that both know of rows, ``ABSENT`` for none."""
        last, _ = self._newest(wanted, self.facts.image, ~self.facts.is_removal)
        places = np.full(len(last), ABSENT, dtype=np.int64)
        known = last != ABSENT
        places[known] = self.facts.places(self.reader, last[known])
        return places

    def _newest(self, wanted: Ints, images: Ints, among: Mask) -> tuple[Ints, Ints]:
        """Of images of one stamp the one with most columns; a commit that took one away and shows another shows that.
        ``among``: these facts.
        """
        ids, images, stamps, columns = (column[among] for column in (self.ids, images, self.facts.stamp, self.columns))
        order = np.lexsort((images, columns, images != ABSENT, stamps, ids))
        ids, images, stamps = ids[order], images[order], stamps[order]
        last = np.searchsorted(ids, wanted, side="right") - 1
        found = np.zeros(len(wanted), dtype=np.bool_)
        at = np.flatnonzero(last >= 0)
        found[at] = ids[last[at]] == wanted[at]
        base, stamp = np.full(len(wanted), ABSENT, dtype=np.int64), np.zeros(len(wanted), dtype=np.int64)
        base[found], stamp[found] = images[last[found]], stamps[last[found]]
        return base, stamp

    def are_changes(
        self, rows: Ints, values: Ints, stamps: Ints, base_stamps: Ints, differ: Callable[[Ints, Ints], Mask]
    ) -> Mask:
        """Which facts differ from the newest one that they came after. ``values`` and ``stamps``: of a side, which
        shows what both know since ``base_stamps``. Equal facts stay without a decision, so the past of each is its own:
        the newer one counts, and one that is older than the base is the base (lineage §3). A commit that is not made
        yet came after all that both know. ``differ``: where two values are not the same cells.
        """
        found, commits = np.zeros(len(rows), dtype=np.bool_), self.reader.commits
        asked = np.flatnonzero((stamps != DOT) & (base_stamps > 0) & (stamps > base_stamps))
        if not len(asked) or len(commits.branches) < 2:
            return found
        met = np.unique(np.concatenate([stamps[asked], self.facts.stamp])).tolist()
        known = commits.known(met, commits.branches)
        pairs, pair_of = np.unique(np.stack([stamps[asked], base_stamps[asked]]), axis=1, return_inverse=True)
        for number, (stamp, base) in enumerate(pairs.T.tolist()):
            if known.made.keys() >= {stamp, base} and not known.knew(stamp, base):
                at = asked[pair_of.reshape(-1) == number]
                found[at] = differ(self._before(known, rows[at], stamp), values[at])
        return found

    def _before(self, known: CommitsKnown, rows: Ints, stamp: int) -> Ints:
        """By row its newest value that a commit knew."""
        values, stamps = self.facts.value, self.facts.stamp
        came = [other for other in np.unique(stamps).tolist() if other in known.made and known.knew(stamp, other)]
        at = np.flatnonzero(np.isin(stamps, came))
        at = at[np.lexsort((values[at], stamps[at], self.ids[at]))]
        row, value = np.append(self.ids[at], -1), np.append(values[at], ABSENT)
        last = np.searchsorted(self.ids[at], rows, side="right") - 1
        return np.where(row[last] == rows, value[last], ABSENT)


def _columns_held(reader: Reader, schema: Schema, images: Ints) -> Ints:
    files, at = np.unique(image_places(images)[0], return_inverse=True)
    wanted = [column.ids for column in schema.columns]
    counts = [
        sum(any(held.column(i) is not None for i in ids) for ids in wanted)
        for held in (reader.scans[file_id].schema for file_id in files.tolist())
    ]
    return np.array(counts, dtype=np.int64)[at.reshape(-1)]
