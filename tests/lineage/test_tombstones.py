"""Which tombstones of a table count, by what each version vector knows."""

from __future__ import annotations

import pytest

from merge_app.lineage.deleted_keys import Replacement, counting

MAIN, CUT = 1, 2
OLD, NEW, ASIDE = (MAIN, 3), (MAIN, 7), (CUT, 6)
EVERY = {OLD, NEW, ASIDE}


@pytest.mark.parametrize(
    ("replacements", "left"),
    [
        ([], EVERY),
        # What it knew goes, what came later or beside it stays.
        ([Replacement((MAIN, 5), {MAIN: 5})], {NEW, ASIDE}),
        ([Replacement((MAIN, 8), {MAIN: 8, CUT: 6})], set()),
        # What its own commit has came after it.
        ([Replacement(NEW, {MAIN: 7})], {NEW, ASIDE}),
        # A restore keeps what counted where it went back to.
        ([Replacement((MAIN, 8), {MAIN: 8, CUT: 6}, frozenset({OLD}))], {OLD}),
        # The later one, which knew the other, decides of what both knew.
        ([Replacement((MAIN, 5), {MAIN: 5}), Replacement((MAIN, 8), {MAIN: 8}, frozenset({OLD}))], {OLD, ASIDE}),
        # Of two that are concurrent each takes what it knew.
        ([Replacement((MAIN, 8), {MAIN: 8}, frozenset({OLD})), Replacement((CUT, 7), {CUT: 7, MAIN: 4})], set()),
        ([Replacement((MAIN, 4), {MAIN: 4}), Replacement((CUT, 7), {CUT: 7})], {NEW}),
    ],
)
def test_a_replacement_speaks_of_what_it_knew(replacements: list[Replacement], left: set[tuple[int, int]]) -> None:
    assert counting(EVERY, replacements) == left
    assert counting(EVERY, replacements[::-1]) == left
