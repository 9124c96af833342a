"""Which tombstones of a table count: they move as the commits that made them do, and go with the rows they speak of."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

Place = tuple[int, int]
"""Branch and version of a commit."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """A commit that laid other rows over the whole table. ``knows`` is what it reached, by branch the newest version.
    ``keeps``: those commits before it whose tombstones count after it: none, or of a restore those that counted then.
    """

    place: Place
    knows: Mapping[int, int]
    keeps: frozenset[Place] = frozenset()

    def reaches(self, place: Place) -> bool:
        branch, version = place
        return self.knows.get(branch, 0) >= version


def newest(replacements: Collection[Replacement]) -> list[Replacement]:
    """Those that no other knew."""
    return [
        item
        for item in replacements
        if not any(other.place != item.place and other.reaches(item.place) for other in replacements)
    ]


def counting(commits: Collection[Place], replacements: Collection[Replacement]) -> frozenset[Place]:
    """The commits whose tombstones count where all ``commits`` and ``replacements`` are known. A replacement says of
    what it knew what counts, unless a later one that knew it says otherwise; of what is concurrent it says nothing.
    What a commit has beside its own replacement came after it: a transaction leaves out what its replacement forgot.
    """
    last = newest(replacements)
    return frozenset(
        place
        for place in commits
        if all(place == item.place or place in item.keeps or not item.reaches(place) for item in last)
    )
