"""Merging of rows: the table of §3, cells (§5), and the verdicts A1, A3 and of predicates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.reference.facts import Fact, Image, Key, Scope
from tests.reference.scopes import standing_scopes
from tests.reference.sides import Sides, net_news
from tests.reference.state import State

WINNERS = {
    ("update", "update"): "both",
    ("update", "delete"): "both",
    ("update", "overwrite"): "target",
    ("update", "restore"): "target",
    ("delete", "update"): "target",
    ("delete", "delete"): "source",
    ("delete", "overwrite"): "source",
    ("delete", "restore"): "target",
    ("overwrite", "update"): "scope",
    ("overwrite", "delete"): "source",
    ("overwrite", "overwrite"): "source",
    ("overwrite", "restore"): "scope",
    ("restore", "update"): "source",
    ("restore", "delete"): "source",
    ("restore", "overwrite"): "target",
    ("restore", "restore"): "source",
}
"""The source's last change of the row and the target's: who decides (§3).

both: each wrote the row. scope: the target's image stays here, and a scope of the source may take it afterwards.
"""


WINNERS_BY_KEY = WINNERS | {
    ("update", "delete"): "both",
    ("delete", "update"): "both",
    ("update", "rewrite"): "target",
    ("delete", "rewrite"): "target",
    ("overwrite", "rewrite"): "scope",
    ("restore", "rewrite"): "target",
    ("rewrite", "update"): "both",
    ("rewrite", "delete"): "source",
    ("rewrite", "overwrite"): "source",
    ("rewrite", "restore"): "both",
    ("rewrite", "rewrite"): "both",
}
"""With a primary key (R10). rewrite: an overwrite wrote the key. A scope of the source goes before each "both"."""


def last_change(fact: Fact, other: State) -> str:
    """Writes of a live row are updates, whatever statement made them."""
    kind = fact.kind_for(other.known)
    if fact.value is None or kind == "restore":
        return {"insert": "update", "move": "update"}.get(kind, kind)
    return "update"


def row(sides: Sides, t: str, key: Key, s: Fact, d: Fact) -> Fact:
    by_key = sides.target.is_keyed(t)
    decision = sides.decisions.get((t, key[1])) if by_key else None
    if not sides.is_judged(t):
        winner = "source"
    elif by_key:
        winner = winner_by_key(sides, s, d)
    else:
        winner = WINNERS[last_change(s, sides.target), last_change(d, sides.source)]
    if winner != "both":
        sides.winners[t, key[1]] = (sides.source, sides.target) if winner == "source" else (sides.target, sides.source)
        return sides.decided(s, d) if winner == "source" else sides.decided(d, s)
    merges = s.value is not None and d.value is not None
    image = cells(sides, t, s, d) if merges and (by_key or sides.conflicts == "cell") else None
    if image is not None:
        return d.decided(s, image, sides.stamp, "update")
    if decision is not None:
        return row_decide(sides, s, d, decision)
    if by_key:
        sides.clashes.add((t, key[1]))
    else:
        sides.verdicts.add("SAME_FILE_UPDATE_UPDATE" if merges else "SAME_FILE_UPDATE_DELETE")
    return d


def is_rewritten(fact: Fact, other: State) -> bool:
    """Whether an overwrite wrote the row. A restore that brings it back says so too, as long as it is news (§4b)."""
    return fact.kind_for(other.known) == "overwrite" and fact.value is not None


def winner_by_key(sides: Sides, s: Fact, d: Fact) -> str:
    """A key that the source inserted is new: the target's overwrite never took it away (A4)."""
    of_source, of_target = (
        "rewrite" if is_rewritten(fact, other) else last_change(fact, other)
        for fact, other in ((s, sides.target), (d, sides.source))
    )
    if (of_source, of_target) == ("update", "rewrite") and base_image(sides, s, d) is None:
        return "both"
    if of_source == "rewrite" and d.value is None:
        return "source"
    return WINNERS_BY_KEY[of_source, of_target]


def row_decide(sides: Sides, s: Fact, d: Fact, decision: Any) -> Fact:
    """What a person chose is a decision of the merge: it gets the merge's stamp (R10)."""
    if decision == "source":
        return sides.decided(s, d)
    return sides.decided(d, s) if decision == "target" else d.decided(s, decision, sides.stamp)


def cells(sides: Sides, t: str, s: Fact, d: Fact) -> Image | None:
    """Cell by cell against the newest image that both sides know. None: one cell is changed differently."""
    base = base_image(sides, s, d)
    image = []
    for c, column in sides.result.columns(t).items():
        of_source, of_target = column.read(s.value, c), column.read(d.value, c)
        was = None if base is None else column.read(base, c)
        if of_source != of_target and (base is None or was not in (of_source, of_target)):
            return None
        image.append((c, of_target if of_source == was else of_source))
    return tuple(image)


def base_image(sides: Sides, s: Fact, d: Fact) -> Image | None:
    """The newest image that both sides know."""
    source, target = sides.source.known, sides.target.known
    known = [item for item in {*s.past, *d.past} if source.knows(item.stamp) and target.knows(item.stamp)]
    return max(known, key=lambda item: item.stamp).value if known else None


WRITTEN = ("insert", "update", "overwrite")


def row_partition(sides: Sides, t: str, key: Key, s: Fact, d: Fact) -> Fact:
    """The partition of a row that is not there says nothing (R7). Where both wrote the row elsewhere, they wrote one
    cell. A rename of the source is carried out as a scope, where it still applies.
    """
    source, target = sides.source, sides.target
    of_source, of_target = s.kind_for(target.known), d.kind_for(source.known)
    if not source.has(t, key) or (of_source == "move" and target.has(t, key)):
        return sides.decided(d, s)
    if target.has(t, key) and of_source in WRITTEN and of_target in WRITTEN and sides.is_judged(t):
        decision = sides.decisions.get((t, key[1])) if target.is_keyed(t) else None
        if decision is not None:
            return sides.decided(d, s) if decision == "target" else sides.decided(s, d)
        mine_row, theirs_row = source.fact(t, "row", key[1]), target.fact(t, "row", key[1])
        if not target.is_keyed(t):
            sides.verdicts.add("SAME_FILE_UPDATE_UPDATE")
        elif is_rewritten(theirs_row, source) and winner_by_key(sides, mine_row, theirs_row) == "target":
            return sides.decided(d, s)
        else:
            sides.clashes.add((t, key[1]))
            return d
    return sides.decided(s, d)


def partitions_follow(sides: Sides, t: str) -> None:
    """A row that a rule leaves to one side lies where that side has it (law 8), not where the row was written that is
    left out. Renames of the other side keep it.
    """
    for (table, r), (winner, loser) in sides.winners.items():
        key = ("partition", r)
        if table != t or not (winner.has(t, key) and loser.has(t, key)):
            continue
        place, left = winner.joined(t, *key), loser.joined(t, *key)
        is_news = not winner.known.knows(left.stamp)
        if is_news and left.value not in (place.value, _renamed(loser, winner, t, left, place.value)):
            sides.result.put_fact(t, key, sides.decided(place, left))


def _renamed(side: State, other: State, t: str, fact: Fact, place: Any) -> Any:
    """What the side's renames made of a place, if one of them decided where it has the row."""
    if fact.kind_for(other.known) == "move":
        for scope in standing_scopes(side, other, t):
            if scope.kind == "rename partition" and scope.partition == place:
                place = scope.to
    return place


def row_id(sides: Sides, t: str, key: Key, s: Fact, d: Fact) -> Fact:
    """Both inserted the key: one row of two, which has the younger id."""
    return max(s, d, key=lambda fact: fact.stamp)


def files_judge(sides: Sides, t: str) -> None:
    """A1, A3. A file is what one commit wrote of one range of row ids, as the other side has it (R8).

    A row that the other side changed and restored lies where it lay.
    """

    def touched(side: State, other: State, kind: str) -> set[tuple[Any, ...]]:
        found = set()
        for key, fact in net_news(side, other, t):
            if key[0] == "row" and fact.kind_for(other.known) == kind:
                was = other.fact(t, *key)
                if was.value is not None:
                    found.add((was.stamp_for(side.known), key[1].inserted, key[1].file))
        return found

    of_source = touched(sides.source, sides.target, "update")
    if of_source & touched(sides.target, sides.source, "update"):
        sides.verdicts.add("SAME_FILE_UPDATE_UPDATE")
    if of_source & touched(sides.target, sides.source, "delete"):
        sides.verdicts.add("SAME_FILE_UPDATE_DELETE")


def predicates_judge(sides: Sides, t: str, standing: Sequence[Scope]) -> None:
    """R9: the source's predicate was never evaluated on rows that the target inserted."""
    if not any(scope.kind in ("update", "delete") for scope in standing):
        return
    of = sides.source.facts[t]
    overwritten = {s.stamp.version for s in sides.target.journal if s.table == t and s.kind == "overwrite"}
    rows = sides.target.rows(t)
    if any(("row", r) not in of and r.inserted not in overwritten for r in rows):
        sides.verdicts.add("PREDICATE_DML_VS_INSERT")
