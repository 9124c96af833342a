"""Objects that one side dropped while the other changed them (R4, R5)."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from catalog_app.rules.codes import VerdictCode
from merge_app.lineage.facts import ObjectId
from merge_app.lineage.objects import ObjectsOutcome
from merge_app.lineage.outcomes import Finding


def drops_judge(
    objects: ObjectsOutcome, *, rows_of_source: AbstractSet[ObjectId], rows_of_target: AbstractSet[ObjectId]
) -> Iterator[Finding]:
    """``rows_of_source``, ``rows_of_target``: tables whose rows a side changed, net."""
    for thing, alive in objects.alive.items():
        if alive.result:
            continue
        mine, theirs = objects.source_news[thing], objects.target_news[thing]
        if alive.source and not alive.target and (mine or thing in rows_of_source):
            yield Finding(VerdictCode.OBJECT_DROPPED_ON_DEST, thing, "R5", tuple(mine))
        if alive.target and not alive.source and (theirs or thing in rows_of_target):
            yield Finding(VerdictCode.DROPS_DEST_CHANGES, thing, "R4", tuple(theirs))
