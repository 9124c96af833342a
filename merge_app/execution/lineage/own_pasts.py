"""Facts that are as both sides know the row, and did not come after that fact: equal ones stay without a decision
(lineage §3), so the past of each is its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from merge_app.execution.lineage.vectors import CommitsKnown, CommitsReached
from merge_app.lineage.facts import ABSENT, Ints, Mask
from merge_app.lineage.segments import DOT


@dataclass(frozen=True, slots=True, eq=False)
class OwnPasts:
    """``row``, ``value`` and ``stamp`` of all facts of rows that both sides know. ``commits``: those of the merge."""

    row: Ints
    value: Ints
    stamp: Ints
    commits: CommitsReached

    def are_changes(
        self, rows: Ints, values: Ints, stamps: Ints, base_stamps: Ints, differ: Callable[[Ints, Ints], Mask]
    ) -> Mask:
        """Which facts differ from the newest one that they came after. ``values`` and ``stamps``: of a side, which
        shows what both know since ``base_stamps``. A commit that is not made yet came after all that both know. Of
        two equal facts the newer one counts, so a fact that is older than the base is the base (lineage §3).
        ``differ``: where two values are not the same cells.
        """
        found = np.zeros(len(rows), dtype=np.bool_)
        asked = np.flatnonzero((stamps != DOT) & (base_stamps > 0) & (stamps > base_stamps))
        if not len(asked) or len(self.commits.branches) < 2:
            return found
        met = np.unique(np.concatenate([stamps[asked], self.stamp])).tolist()
        known = self.commits.known(met, self.commits.branches)
        pairs, pair_of = np.unique(np.stack([stamps[asked], base_stamps[asked]]), axis=1, return_inverse=True)
        for number, (stamp, base) in enumerate(pairs.T.tolist()):
            if known.made.keys() >= {stamp, base} and not known.knew(stamp, base):
                at = asked[pair_of.reshape(-1) == number]
                found[at] = differ(self._before(known, rows[at], stamp), values[at])
        return found

    def _before(self, known: CommitsKnown, rows: Ints, stamp: int) -> Ints:
        """By row its newest value that a commit knew."""
        came = [other for other in np.unique(self.stamp).tolist() if other in known.made and known.knew(stamp, other)]
        at = np.flatnonzero(np.isin(self.stamp, came))
        at = at[np.lexsort((self.value[at], self.stamp[at], self.row[at]))]
        row, value = np.append(self.row[at], -1), np.append(self.value[at], ABSENT)
        last = np.searchsorted(self.row[at], rows, side="right") - 1
        return np.where(row[last] == rows, value[last], ABSENT)
