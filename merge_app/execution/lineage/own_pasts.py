"""Facts that are as both sides know the row, and did not come after that fact: equal ones stay without a decision
(lineage §3), so the past of each is its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from merge_app.execution.lineage.crossed import branches_of
from merge_app.execution.lineage.vectors import CommitsKnown, Vectors
from merge_app.lineage.facts import ABSENT, Ints, Mask
from merge_app.lineage.segments import DOT


@dataclass(frozen=True, slots=True, eq=False)
class OwnPasts:
    """``row``, ``value`` and ``stamp`` of all facts of rows that both sides know. ``branches``: on which these and the
    facts of either side were made.
    """

    row: Ints
    value: Ints
    stamp: Ints
    branches: Sequence[int] = ()
    vectors: Vectors = field(default_factory=Vectors)

    def are_changes(self, rows: Ints, values: Ints, stamps: Ints, base_stamps: Ints) -> Mask:
        """Which facts differ from the newest one that they came after. ``values`` and ``stamps``: of a side, which
        shows what both know since ``base_stamps``. A commit that is not made yet came after all that both know. Of
        two equal facts the newer one counts, so a fact that is older than the base is the base (lineage §3).
        """
        found = np.zeros(len(rows), dtype=np.bool_)
        asked = np.flatnonzero((stamps != DOT) & (base_stamps > 0) & (stamps > base_stamps))
        if not len(asked) or len(self.branches) < 2:
            return found
        made = branches_of(np.unique(np.concatenate([stamps[asked], self.stamp])), self.branches)
        known = CommitsKnown({version: branch for version, branch in made.items() if branch}, self.vectors)
        after: dict[tuple[int, int], bool] = {}
        for at in asked.tolist():
            pair = int(stamps[at]), int(base_stamps[at])
            if pair not in after:
                after[pair] = not known.made.keys() >= set(pair) or known.knew(*pair)
            if not after[pair]:
                found[at] = self._before(known, int(rows[at]), pair[0]) != values[at]
        return found

    def _before(self, known: CommitsKnown, row: int, stamp: int) -> int:
        """The newest value of the row that a commit knew."""
        at = np.flatnonzero(self.row == row)
        at = at[np.lexsort((self.value[at], self.stamp[at]))]
        came = [place for place in at.tolist() if self._knew(known, stamp, int(self.stamp[place]))]
        return int(self.value[came[-1]]) if came else ABSENT

    def _knew(self, known: CommitsKnown, stamp: int, other: int) -> bool:
        return other in known.made and known.knew(stamp, other)
