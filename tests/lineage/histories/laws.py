"""The laws of merging (lineage §6) that compare states and verdicts. Those of rows are in ``row_laws``."""

from __future__ import annotations

from random import Random
from typing import Any

from lakeui.common.errors import LakeError
from tests.lineage.histories.chance import THEMES, statement_by_chance
from tests.lineage.histories.history import MIRROR, REFUSALS, History, Law, Merged
from tests.lineage.histories.states import State


class FastForward(Law):
    """K(target) ⊆ K(source): the merged state is the source's. A branch that is cut and not changed knows no more."""

    def stepped(self, history: History, b: str, rng: Random) -> None:
        if rng.random() < 0.3:
            version = rng.choice(history.versions[b])
            name = f"cut{history.forks}"
            history.forks += 1
            history.lake.sql(f"CREATE BRANCH {name} FROM {b} VERSION AS OF {version}")
            assert not history.refusals(b, name), "a fast forward is refused"
            assert history.reader.state(name).plain() == history.states[b].plain(), "a fast forward differs"


class ThereAndBack(Law):
    """After source → target, target → source gives both the same state."""

    def merged(self, history: History, merge: Merged) -> None:
        if not merge.is_refused and merge.target != MIRROR:
            assert history.outcome(merge.target, merge.source) == merge.after.plain(), "the way back differs"


class Mirror(Law):
    """A branch that only merges main is always equal to main."""

    def merged(self, history: History, merge: Merged) -> None:
        if merge.target == MIRROR:
            assert not merge.is_refused, f"the mirror is refused: {sorted(merge.codes)}"
            assert merge.after.plain() == merge.before.plain(), "the mirror differs"


class Forwarding(Law):
    """Merging from a mirror equals merging from main: same verdicts, same state."""

    def stepped(self, history: History, b: str, rng: Random) -> None:
        if rng.random() < 0.4:
            target = rng.choice(history.names[1:])
            assert history.outcome("main", target) == history.outcome(MIRROR, target), (
                "the mirror is merged differently"
            )


class Rest(Law):
    """Branches that only merge each other come to "nothing to merge"."""

    def ended(self, history: History) -> None:
        a, b = (history.fork(name) for name in history.names[:2])
        heads = []
        for _ in range(3):
            if history.refusals(a, b) or history.refusals(b, a):
                return
            heads.append((history.lake.head(a), history.lake.head(b)))
        assert heads[-1] == heads[-2], "no rest"
        one, other = (history.reader.state(name).plain() for name in (a, b))
        assert one == other, "at rest, and different"
        for source, target in ((a, b), (b, a)):
            plan = history.lake.dry_run(source, target)
            assert plan["plan"]["objects"] == [], f"no rest: {plan['plan']}"


class RoundTrip(Law):
    """A statement and RESTORE to the version before it change no merge."""

    def stepped(self, history: History, b: str, rng: Random) -> None:
        if rng.random() < 0.5:
            return
        state, theme = history.states[b], rng.choice(list(THEMES))
        text = statement_by_chance(rng, state, f"r{rng.randrange(1000)}", theme)
        if text is None or "ADD PARTITION" in text:
            return
        target = rng.choice([name for name in history.names if name != b])
        trip, before = history.fork(b), history.lake.head(b)
        try:
            history.lake.sql(text, trip)
            history.lake.sql(f"RESTORE BRANCH {trip} TO VERSION AS OF {before}", trip)
        except LakeError as refused:
            if refused.code not in REFUSALS:
                raise
            return
        assert history.reader.state(trip).plain() == state.plain(), f"RESTORE does not take back {text}"
        expected, got = history.outcome(b, target), history.outcome(trip, target)
        assert got == expected, f"a round trip is merged: {b}, {target}, {text}"


class CompactionIsInvisible(Law):
    """The same history without compactions, and with many, gives the same states and verdicts.

    One exception (§9, *Compaction x drop*): what the source only compacted and the target dropped is refused. A history
    is compared up to there.
    """

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def stepped(self, history: History, b: str, rng: Random) -> None:
        self.seen.append((history.journal[-1], list(history.outcomes), history.states[b].plain()))

    def ended(self, history: History) -> None:
        if history.layout != "drawn":
            return
        seen = []
        for layout in ("none", "many"):
            law = CompactionIsInvisible()
            other = History(history.seed, history.steps, [law], layout=layout)
            other.play()
            seen.append(law.seen)
        for (_, quiet, state), (said, outcomes, busy) in zip(*seen, strict=True):
            if is_of_dropped(quiet, outcomes):
                return
            assert quiet == outcomes, f"a compaction changes a verdict: {quiet[-2:]}, {outcomes[-2:]}: {said}"
            assert state == busy, f"a compaction is seen: {said}"


def is_of_dropped(quiet: list[Any], busy: list[Any]) -> bool:
    last = next((pair for pair in zip(quiet, busy, strict=False) if pair[0] != pair[1]), None)
    return last is not None and set(last[1]) - set(last[0]) == {"OBJECT_DROPPED_ON_DEST"}


class PlanIsResult(Law):
    """Dry run and merge agree; a refused merge changes nothing."""

    def merging(self, history: History, source: str, target: str) -> None:
        self.heads = [history.lake.head(name) for name in (source, target)]
        self.plan = history.lake.dry_run(source, target)
        assert self.heads == [history.lake.head(name) for name in (source, target)], "a dry run moves a head"

    def merged(self, history: History, merge: Merged) -> None:
        codes = {item["code"] for item in self.plan["conflicts"]}
        assert codes == merge.codes, f"the dry run says {codes}, the merge {merge.codes}"
        assert self.plan["mergeable"] == (not merge.is_refused)
        assert history.lake.head(merge.source) == self.heads[0], "a merge moves its source"
        assert history.reader.state(merge.source) == merge.before, "a merge changes its source"
        if merge.is_refused:
            assert history.lake.head(merge.target) == self.heads[1], "a refused merge moves the head"
            assert merge.after == merge.into, "a refused merge changes a branch"
        else:
            self._is_carried_out(history, merge)

    def _is_carried_out(self, history: History, merge: Merged) -> None:
        """Objects that the plan does not name stay; columns are those of the plan."""
        (last, *_) = history.lake.sql("SHOW MERGES LIMIT 1", merge.target).rows
        assert history.lake.audit(str(last[0]))["fingerprint"] == self.plan["fingerprint"], (
            "another plan is carried out"
        )
        for item in self.plan["plan"]["objects"]:
            self._columns(history, merge.after, item)

    def _columns(self, history: History, after: State, item: dict[str, Any]) -> None:
        number = history.reader.numbers.get(item["object_id"]) if item["kind"] == "table" else None
        if number in after.tables and "columns" in item:
            names = {column["name"] for column in item["columns"]}
            assert names == {column.name for column in after.tables[number].columns.values()}, "columns of the plan"
