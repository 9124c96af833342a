"""Merging of attributes: objects, names, properties, columns."""

from __future__ import annotations

from tests.reference.facts import Fact, Key
from tests.reference.sides import Sides, net_news


def attribute(sides: Sides, o: str, key: Key, s: Fact, d: Fact) -> Fact:
    """P1: the source's value. A type goes only to what the target's type widens to (A6.1)."""
    if key[-1] == "type" and d.value > s.value:
        sides.narrowed.add(o)
    return sides.decided(s, d)


def columns_judge(sides: Sides, t: str) -> None:
    """R13: the drop of a column takes its values, also where the column stays because the other side added it too.

    Rows that only the dropping side knows must not show their values again.
    """
    for side, other in ((sides.source, sides.target), (sides.target, sides.source)):
        for c in sides.result.columns(t):
            exists = side.fact(t, "column", c, "exists")
            if exists.value or other.known.knows(exists.stamp):
                continue
            for fact in side.rows(t).values():
                if not other.known.knows(fact.stamp) and any(cell[0] == c for cell in fact.value):
                    sides.verdicts.add("COLUMN_MISSING")


def object_judge(sides: Sides, o: str) -> None:
    """Drops on the target (R5), one property unset on both sides, changes of a column that the target dropped."""
    source, target = sides.source, sides.target
    news = list(net_news(source, target, o))
    if not news:
        return
    if source.is_alive(o) and not target.is_alive(o) and not sides.result.is_alive(o):
        sides.verdicts.add("OBJECT_DROPPED_ON_DEST")
    if not sides.is_judged(o):
        return
    if o in sides.narrowed:
        sides.verdicts.add("COLUMN_TYPE_NARROWING")
    gone = {key for key, fact in net_news(target, source, o) if fact.value is None}
    for key, fact in news:
        if key[0] == "property" and fact.value is None and key in gone:
            sides.verdicts.add("UNSET_SAME_PROPERTY")
        if key[0] == "column" and key[2] != "exists" and ("column", key[1], "exists") in gone:
            sides.verdicts.add("COLUMN_MISSING")
