"""The rule of concurrent changes of one row, as data (lineage §3). Arrays are indexed by codes."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

import numpy as np

from catalog_app.rules.codes import VerdictCode
from merge_app.lineage.facts import Kind


class Act(IntEnum):
    """What a side last did to a row, as the rule table reads it."""

    UPDATE = 0
    DELETE = 1
    OVERWRITE = 2
    RESTORE = 3
    REWRITE = 4
    """An overwrite wrote the key. Without a primary key such a row is new, and counts as an update."""


class Decider(IntEnum):
    """Who decides a pair. ``SCOPE``: the target's stays until a scope takes it. ``BOTH``: both wrote (A1, A3, §5)."""

    SOURCE = 0
    TARGET = 1
    SCOPE = 2
    BOTH = 3


_S, _T, _P, _B = Decider.SOURCE, Decider.TARGET, Decider.SCOPE, Decider.BOTH
DECIDERS = np.array(
    [  # the target's:  update  delete  overwrite  restore
        [_B, _B, _T, _T],  # the source's update
        [_T, _S, _S, _T],  # delete
        [_P, _S, _S, _P],  # overwrite
        [_S, _S, _T, _S],  # restore
    ],
    dtype=np.int8,
)
DECIDERS_BY_KEY = np.array(
    [  # the target's:  update  delete  overwrite  restore  rewrite
        [_B, _B, _T, _T, _T],  # the source's update
        [_B, _S, _S, _T, _T],  # delete
        [_P, _S, _S, _P, _P],  # overwrite
        [_S, _S, _T, _S, _T],  # restore
        [_B, _S, _S, _B, _B],  # rewrite
    ],
    dtype=np.int8,
)
"""The same with a primary key (R10). A scope of the source goes before each ``BOTH``."""

_LIVE = dict.fromkeys(Kind, Act.UPDATE) | {Kind.RESTORE: Act.RESTORE}
_GONE = _LIVE | {Kind.DELETE: Act.DELETE, Kind.OVERWRITE: Act.OVERWRITE}
ACTS = np.array([[by_kind[kind] for kind in Kind] for by_kind in (_GONE, _LIVE)], dtype=np.int8)
"""By whether the row is live, and the kind of its last change."""

WRITTEN = np.isin(np.arange(len(Kind)), [Kind.INSERT, Kind.UPDATE, Kind.OVERWRITE])
"""Kinds that write a partition with the row, by kind."""

KEPT = "kept"
"""The rule of a delete, or of an overwrite, that finds the row changed: the target's image stays (§3)."""
DELETES_OVERWRITTEN = "§4: deleted rows"
"""Of a finding of rows that the target deleted where the source's overwrite wrote rows."""
STAYS = (
    (Act.DELETE, Act.UPDATE),
    *((Act.OVERWRITE, target) for target in (Act.UPDATE, Act.RESTORE, Act.REWRITE)),
)
"""Pairs to which ``KEPT`` applies where no scope of the source took the row in the end."""

Notes = Mapping[tuple[Act, Act], tuple[VerdictCode, str]]
NOTES: Notes = {
    (Act.UPDATE, Act.OVERWRITE): (VerdictCode.DISCARDED_UPDATE, "A4"),
    (Act.UPDATE, Act.RESTORE): (VerdictCode.DISCARDED_UPDATE, "A4"),
    (Act.RESTORE, Act.OVERWRITE): (VerdictCode.DISCARDED_UPDATE, "A4"),
    (Act.UPDATE, Act.REWRITE): (VerdictCode.DISCARDED_UPDATE, "A4"),
    (Act.RESTORE, Act.REWRITE): (VerdictCode.DISCARDED_UPDATE, "A4"),
    (Act.DELETE, Act.REWRITE): (VerdictCode.DISCARDED_DELETE, "A5"),
    (Act.DELETE, Act.RESTORE): (VerdictCode.DISCARDED_DELETE, "A5"),
    (Act.REWRITE, Act.DELETE): (VerdictCode.DROPS_DEST_CHANGES, "R10"),
    (Act.RESTORE, Act.UPDATE): (VerdictCode.OVERRIDDEN_BY_SOURCE, "P1"),
    (Act.RESTORE, Act.DELETE): (VerdictCode.OVERRIDDEN_BY_SOURCE, "P1"),
    (Act.RESTORE, Act.RESTORE): (VerdictCode.OVERRIDDEN_BY_SOURCE, "P1"),
}
"""What a person should know of a pair: the code, and the rule that speaks. Other pairs need no note."""
NOTES_OF_EQUALS: Notes = {(Act.DELETE, Act.OVERWRITE): (VerdictCode.DISCARDED_DELETE, "A5")}
"""The same of pairs that both deleted the row."""
