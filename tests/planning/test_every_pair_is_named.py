"""Where the rule of a pair leaves out what one side did to a row, a note or a kept row says so."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from merge_app.lineage.rules import DECIDERS, DECIDERS_BY_KEY, NOTES, NOTES_OF_EQUALS, STAYS, Act, Decider

_GONE = {Act.DELETE, Act.OVERWRITE}
_BY_SCOPE = {(Act.OVERWRITE, Act.DELETE), (Act.OVERWRITE, Act.OVERWRITE), (Act.DELETE, Act.DELETE)}
"""Both sides took the row away: nothing is left out."""
_TAKEN = {(Act.REWRITE, Act.OVERWRITE), (Act.DELETE, Act.OVERWRITE)}
"""The target took the row away by an overwrite of its own, before which nothing of it counts."""


@pytest.mark.parametrize("table", [DECIDERS, DECIDERS_BY_KEY], ids=["rows", "keys"])
def test_no_pair_is_silent(table: Any) -> None:
    said = {*NOTES, *NOTES_OF_EQUALS, *STAYS}
    acts = [Act(number) for number in range(len(table))]
    silent = [
        (source.name, target.name)
        for source, target in itertools.product(acts, acts[: table.shape[1]])
        if table[source, target] != Decider.BOTH and (source, target) not in said | _BY_SCOPE | _TAKEN
    ]
    assert silent == []
