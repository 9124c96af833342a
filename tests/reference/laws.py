"""The laws of merging (§6), each as what a history must keep."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from random import Random
from typing import Any

from tests.reference.breaches import breaches
from tests.reference.chance import Chance, statement_by_chance
from tests.reference.facts import Fact, Refused
from tests.reference.history import History, Law, Merged
from tests.reference.sides import Decisions
from tests.reference.state import State
from tests.reference.statements import put_attributes


class FastForward(Law):
    """K(target) ⊆ K(source): the merged state is the source's."""

    def merged(self, history: History, merge: Merged) -> None:
        if merge.done == "merged" and merge.before.known.covers(merge.into.known):
            assert merge.after.seen() == merge.before.seen(), "a fast forward differs from its source"

    def refused(self, history: History, merge: Merged) -> None:
        assert not merge.before.known.covers(merge.into.known), "a fast forward is refused"


class ThereAndBack(Law):
    """After source → target, target → source gives both the same state."""

    def merged(self, history: History, merge: Merged) -> None:
        back = history.lake.outcome(merge.target, merge.source)
        if merge.done == "merged":
            assert back == merge.after.seen(), "the way back differs"


class Mirror(Law):
    """A branch that only merges main is always equal to main."""

    def stepped(self, history: History, b: str, rng: Random) -> None:
        branches = history.lake.branches
        assert branches["mirror"].seen() == branches["main"].seen(), "the mirror differs"


class Forwarding(Law):
    """Merging from a mirror equals merging from main: same verdicts, same state."""

    def stepped(self, history: History, b: str, rng: Random) -> None:
        target = rng.choice(history.names[1:])
        lake = history.lake
        assert lake.outcome("main", target) == lake.outcome("mirror", target), "the mirror is merged differently"


class Rest(Law):
    """Branches that only merge each other come to "nothing to merge"."""

    def ended(self, history: History) -> None:
        lake, names = history.lake, history.names
        for a, b in pairwise(names):
            with lake.tried():
                try:
                    for _ in range(3):
                        last = [lake.merge(a, b), lake.merge(b, a)]
                except Refused:
                    continue
                assert last == ["nothing", "nothing"], "no rest"
                assert lake.branches[a].seen() == lake.branches[b].seen(), "at rest, and different"


class RoundTrip(Law):
    """A change of a table and RESTORE to the version before it change no merge."""

    CHANGES = (
        Chance.overwrite,
        Chance.truncate,
        Chance.drop_partition,
        Chance.rename_partition,
        Chance.update,
        Chance.delete,
        Chance.insert,
        Chance.change_key,
        Chance.add_partition,
        Chance.add_column,
        Chance.alter_column,
        Chance.rename,
        None,
    )

    def stepped(self, history: History, b: str, rng: Random) -> None:
        lake = history.lake
        head, target = lake.branches[b], rng.choice([name for name in history.names if name != b])
        live = [t for t in head.facts if t.startswith("T") and head.is_alive(t)]
        if not live:
            return
        t, change = rng.choice(live), rng.choice(self.CHANGES)
        statement = change(Chance(rng, head, t, "trip", lake.columns)) if change else put_attributes(t, exists=None)
        before = lake.outcome(b, target)
        with lake.tried():
            lake.branch("trip", head)
            try:
                if statement:
                    lake.commit("trip", statement)
                    lake.restore("trip", 0)
            except Refused:
                return
            assert lake.outcome("trip", target) == before, ("a round trip is merged", change)


class NoLoss(Law):
    """A row of the source that is news to the target, and whose absence there the source knows, is live after.

    Likewise of the target, unless a scope of the source took it. What is the same on both stays.
    """

    def merged(self, history: History, merge: Merged) -> None:
        for t, r in rows_of(merge):
            s, d, after = (state.fact(t, "row", r) for state in (merge.before, merge.into, merge.after))
            source, target = merge.before.known, merge.into.known
            if s.value is not None and not target.knows(s.stamp) and source.knows(d.stamp):
                assert after.value == s.value, "a row of the source is lost"
            if d.value is not None and not source.knows(d.stamp) and target.knows(s.stamp):
                assert after.value == d.value or scopes(merge, t), "a row of the target is lost"
            if s.value is not None and s.stamp == d.stamp:
                assert after == d, "a row of both is lost"


class NoInvention(Law):
    """Every row of the result has an image of the source or target, by `cell` and by key cells of theirs.

    Files show every live row once.
    """

    def merged(self, history: History, merge: Merged) -> None:
        for t, r in rows_of(merge):
            s, d, after = (state.fact(t, "row", r) for state in (merge.before, merge.into, merge.after))
            if after.value is None:
                continue
            assert self._reads(merge, t, r), "a value that was taken is seen again"
            if history.lake.conflicts == "cell" or merge.after.is_keyed(t):
                assert self._is_of_cells(after, s, d), "a cell is invented"
            else:
                assert after.value in (s.value, d.value), "a row is invented"

    def _reads(self, merge: Merged, t: str, r: Any) -> bool:
        """Each live column reads what a side that has row and column reads, or the value of older rows.

        A restored column shows what rows of a side hold whose drop was known then (R13).
        """
        columns = merge.after.columns(t)
        image = merge.after.value(t, "row", r)
        had: dict[str, set[Any]] = {c: {column.default} for c, column in columns.items()}
        for side, other in ((merge.before, merge.into), (merge.into, merge.before)):
            if (of := side.value(t, "row", r)) is not None:
                for c, column in side.columns(t).items():
                    had.setdefault(c, set()).add(column.read(of, c))
                for c, cell in of:
                    if other.known.knows(side.fact(t, "column", c, "exists").stamp):
                        had.setdefault(c, set()).add(cell)
        return all(column.read(image, c) in had[c] for c, column in columns.items())

    def _is_of_cells(self, after: Fact, *sides: Fact) -> bool:
        cells = {*dict(sides[0].value or ()).items(), *dict(sides[1].value or ()).items()}
        had = dict(cells)
        return all(item in cells or (item[0] not in had or item[1] in (None, ("d", 1))) for item in after.value)

    def stepped(self, history: History, b: str, rng: Random) -> None:
        state = history.lake.branches[b]
        assert not breaches(state)
        for t in state.facts:
            shown = sorted(history.lake.files.shown(state, t), key=str)
            live = sorted(((r, fact.value) for r, fact in state.rows(t).items()), key=str)
            assert shown == live, "files show other rows than the live ones"


class CompactionIsInvisible(Law):
    """The same history without compactions gives the same states and verdicts."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def stepped(self, history: History, b: str, rng: Random) -> None:
        self.seen.append(history.lake.branches[b].seen())

    def ended(self, history: History) -> None:
        if history.compacts:
            quiet = CompactionIsInvisible()
            other = History(history.seed, history.steps, quiet, compacts=False).play()
            assert quiet.seen == self.seen, "a compaction is seen"
            assert other.journal == history.journal, "a compaction changes a verdict"


class PlanIsResult(Law):
    """Dry run and merge agree; a refused merge changes nothing."""

    def merging(self, history: History, source: str, target: str, decisions: Decisions) -> None:
        self.plan = history.lake.outcome(source, target, decisions)
        heads = history.lake.branches
        self.before = [(o, dict(of)) for name in (source, target) for o, of in heads[name].facts.items()]
        self.version = history.lake.version

    def merged(self, history: History, merge: Merged) -> None:
        assert merge.after.seen() == self.plan, "the merge differs from its dry run"
        assert self._sides(merge.before, merge.into) == self.before, "a merge changes a side"

    def refused(self, history: History, merge: Merged) -> None:
        assert isinstance(self.plan, tuple), "the dry run is not refused"
        assert merge.after is merge.into, "a refused merge moves the head"
        assert history.lake.version == self.version, "a refused merge takes a version"
        assert self._sides(merge.before, merge.into) == self.before, "a refused merge changes a side"

    def _sides(self, *states: State) -> list[Any]:
        return [(o, dict(of)) for state in states for o, of in state.facts.items()]


class Retention(Law):
    """§10: forgetting what every readable state knows changes no state and no verdict."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def history(self, seed: int, steps: Sequence[int]) -> History:
        return History(seed, steps, self, readable=2, forgets=True)

    def stepped(self, history: History, b: str, rng: Random) -> None:
        self.seen.append(history.lake.branches[b].seen())

    def ended(self, history: History) -> None:
        if history.forgets:
            whole = Retention()
            other = History(history.seed, history.steps, whole, readable=2).play()
            assert other.journal == history.journal, "what is forgotten changes a verdict"
            assert whole.seen == self.seen, "what is forgotten is missed"


class Serial(Law):
    """A transaction equals its statements one after another: the same state, and the same to every other branch."""

    def stepped(self, history: History, b: str, rng: Random) -> None:
        lake, head = history.lake, history.lake.branches[b]
        tried = [statement_by_chance(rng, head, f"serial{i}", lake.columns) for i in range(3)]
        statements = [statement for statement in tried if statement]
        target = rng.choice([name for name in history.names if name != b])
        with lake.tried():
            lake.branch("one", head)
            lake.branch("many", head)
            try:
                lake.commit("one", *statements)
                for statement in statements:
                    lake.commit("many", statement)
            except Refused:
                return
            one, many = (plain(lake.branches[name].seen()) for name in ("one", "many"))
            assert one == many, "a transaction differs from its statements"
            one, many = (plain(lake.outcome(name, target)) for name in ("one", "many"))
            assert one == many, ("a transaction is merged differently", [s.__qualname__ for s in statements])


class MovedHead(Law):
    """P8: work on a head that moved since equals a branch that is cut there and merged (R2, R11)."""

    def stepped(self, history: History, b: str, rng: Random) -> None:
        lake, seen = history.lake, history.lake.past[b][-2:][0]
        statement = statement_by_chance(rng, seen, "moved", lake.columns)
        if statement is None:
            return
        with lake.tried():
            lake.branch("cut", seen)
            try:
                lake.commit("cut", statement)
            except Refused:
                return
            expected = plain(lake.outcome("cut", b))
        with lake.tried():
            try:
                lake.commit(b, statement, seen=seen)
                got = plain(lake.branches[b].seen())
            except Refused as refused:
                got = refused.codes
        assert got == expected, ("a moved head is judged differently", statement.__qualname__)


def plain(outcome: object) -> object:
    """Rows without their ids, which are of commits."""
    if not isinstance(outcome, dict):
        return outcome
    return {o: (others, columns, sorted(rows.values(), key=str)) for o, (others, columns, rows) in outcome.items()}


def rows_of(merge: Merged) -> list[tuple[str, Any]]:
    """The rows, live or deleted, of tables that both sides show."""
    both = [t for t in merge.after.facts if merge.before.is_alive(t) and merge.into.is_alive(t)]
    return [(t, key[1]) for t in both for key in merge.after.facts[t] if key[0] == "row"]


def scopes(merge: Merged, t: str) -> bool:
    """Whether an overwrite or a drop of a partition of the source is news to the target."""
    source, target = merge.before.known, merge.into.known
    return any(
        scope.table == t
        and scope.kind in ("overwrite", "drop partition")
        and source.knows(scope.stamp)
        and not target.knows(scope.stamp)
        for scope in merge.before.journal
    )
