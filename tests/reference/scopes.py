"""Scopes: what the source's operations say about rows that it does not know (§4)."""

from __future__ import annotations

from typing import Any

from tests.reference.facts import Scope
from tests.reference.sides import Sides
from tests.reference.state import State


def standing_scopes(source: State, target: State, t: str) -> list[Scope]:
    """The source's scopes that are news to the target, in order of stamps.

    Left out: what a restore took back that is not itself taken back (§4a), and predicates that precede an overwrite of
    the whole table by the source (R9).
    """
    news = [
        (number, scope)
        for number, scope in enumerate(source.journal)
        if scope.table == t and source.known.knows(scope.stamp) and not target.known.knows(scope.stamp)
    ]
    news.sort(key=lambda item: (item[1].stamp, item[0]))
    restores: list[Scope] = []
    for _, scope in reversed(news):
        if scope.kind == "restore" and not any(other.takes_back(scope) for other in restores):
            restores.append(scope)
    left = [item for item in news if not any(other.takes_back(item[1]) for other in restores)]
    whole = [item for item in left if item[1].kind == "overwrite" and item[1].partition is None]

    def is_overwritten(number: int, scope: Scope) -> bool:
        """By a later commit that knew it, or later in its own commit."""
        return any(
            other.knows.knows(scope.stamp) or (other.stamp == scope.stamp and later > number) for later, other in whole
        )

    return [
        scope for number, scope in left if scope.kind not in ("update", "delete") or not is_overwritten(number, scope)
    ]


def scope_carry_out(sides: Sides, scope: Scope) -> None:
    """On the target's rows that the source does not know, by where they are now.

    Where the source wrote the same key, its row takes the place of the target's (R10).
    """
    if scope.kind == "rename partition":
        _rename_carry_out(sides, scope)
    elif scope.kind in ("overwrite", "drop partition"):
        t, known, result = scope.table, sides.source.known, sides.result
        for r in [r for r in result.rows(t) if scope.partition in (None, _place(sides, t, r))]:
            row = sides.target.fact(t, "row", r)
            is_theirs = result.fact(t, "row", r).stamp in (row.stamp, sides.stamp) or not _is_news(sides, t, r)
            if row.value is not None and not known.knows(row.stamp) and is_theirs and not _is_kept(sides, scope, r):
                sides.clashes.discard((t, r))
                if _is_written(sides, t, r):
                    _put_source(sides, t, r)
                else:
                    _sweep(sides, t, r)


def _sweep(sides: Sides, t: str, r: Any) -> None:
    """A decision of the merge: it came after what either side knows of the row."""
    key = ("row", r)
    past = sides.source.joined(t, *key).ever | sides.target.joined(t, *key).ever
    swept = sides.result.fact(t, *key).then(None, sides.stamp, "overwrite")
    sides.result.put_fact(t, key, swept.with_past(past))


def _is_kept(sides: Sides, scope: Scope, r: Any) -> bool:
    """Whether the source took the row in after the scope, by a merge, and the target has changed it since."""
    of_source = sides.source.fact(scope.table, "row", r)
    stamp = of_source.stamp_for(sides.target.known)
    return of_source.value is not None and sides.target.known.knows(stamp) and not scope.knows.knows(stamp)


def _is_written(sides: Sides, t: str, r: Any) -> bool:
    """Whether the source wrote the key too, and the target does not know that."""
    return sides.target.is_keyed(t) and sides.source.value(t, "row", r) is not None and _is_news(sides, t, r)


def _is_news(sides: Sides, t: str, r: Any) -> bool:
    """Whether the target does not know the source's row. What the source changed and changed back it knows (P7)."""
    known = sides.target.known
    return not known.knows(sides.source.fact(t, "row", r).stamp_for(known))


def _place(sides: Sides, t: str, r: Any) -> Any:
    """Where the target's row lies now: of a key that the source wrote too, the result may have the source's place."""
    if not _is_written(sides, t, r):
        return sides.result.partition(t, r)
    return sides.places.get((t, r), sides.target.partition(t, r))


def _put_source(sides: Sides, t: str, r: Any) -> None:
    """What is alike on both sides stays as it is. What comes is the source's overwrite, also where cells came to it."""
    sides.places[t, r] = sides.source.partition(t, r)
    for of in ("row", "partition", "id"):
        s, d = sides.source.joined(t, of, r), sides.target.joined(t, of, r)
        if s.value != sides.result.value(t, of, r) or (of == "row" and s.value != d.value):
            sides.result.put_fact(t, (of, r), sides.decided(s, d))


def _rename_carry_out(sides: Sides, scope: Scope) -> None:
    """R12: a rename is judged when its turn comes."""
    t, source, target, result = scope.table, sides.source, sides.target, sides.result
    if sides.is_judged(t):
        of_target = standing_scopes(target, source, t)
        if not any((it.kind, it.partition, it.to) == (scope.kind, scope.partition, scope.to) for it in of_target):
            if any(_fills(sides, t, r, scope.to) for r in result.in_scope(t, scope.to)):
                sides.verdicts.add("PARTITION_EXISTS")
            if any(it.kind == "drop partition" and it.partition == scope.partition for it in of_target):
                sides.verdicts.add("PARTITION_DROPPED_ON_DEST")
    for r in result.rows(t):
        if _is_written(sides, t, r) and _place(sides, t, r) == scope.partition:
            sides.places[t, r] = scope.to
    for r in result.in_scope(t, scope.partition):
        moved = target.fact(t, "partition", r)
        if target.value(t, "row", r) is not None and not source.known.knows(moved.stamp):
            result.put(t, ("partition", r), scope.to, sides.stamp, "move")


def _fills(sides: Sides, t: str, r: Any, to: str | None) -> bool:
    """Whether the target put the row into the partition, and the source neither knows that nor shows it there too."""
    source, target = sides.source, sides.target
    is_news = r in target.rows(t) and not source.known.knows(target.fact(t, "partition", r).stamp)
    return is_news and not (source.has(t, ("partition", r)) and source.partition(t, r) == to)
