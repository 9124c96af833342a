"""What follows a merge: merged again it changes nothing, and reverted it leaves what was there before."""

from __future__ import annotations

from tests.lineage.histories.history import MIRROR, History, Law, Merged


class Again(Law):
    def merging(self, history: History, source: str, target: str) -> None:
        """The same merge on a branch cut for it, taken back there."""
        if target == MIRROR:
            return
        fork = history.fork(target)
        before, head = history.reader.state(fork).plain(), history.lake.head(fork)
        if history.refusals(source, fork) or history.lake.head(fork) == head:
            return
        (last, *_) = history.lake.sql("SHOW MERGES LIMIT 1", fork).rows
        history.lake.sql(f"RESTORE MERGE '{last[0]}'", fork)
        assert history.reader.state(fork).plain() == before, "a reverted merge leaves something"
        after = history.lake.head(fork)
        assert not history.refusals(source, fork), "a reverted merge is refused again"
        assert history.lake.head(fork) == after, "a reverted merge comes again"

    def merged(self, history: History, merge: Merged) -> None:
        if merge.is_refused or merge.target == MIRROR:
            return
        head = history.lake.head(merge.target)
        plan = history.lake.dry_run(merge.source, merge.target)
        assert not plan["conflicts"], "the same merge again is refused"
        assert not plan["plan"]["objects"], f"the same merge again does something: {plan['plan']}"
        assert not history.refusals(merge.source, merge.target), "the same merge again is refused"
        assert history.lake.head(merge.target) == head, "the same merge again makes a version"
