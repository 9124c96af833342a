"""A catalog of the reference model: branches, their past states, commits and merges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from random import Random

from tests.reference.breaches import breaches
from tests.reference.columns import ColumnIds
from tests.reference.facts import Refused
from tests.reference.files import Files
from tests.reference.forgetting import dead_facts
from tests.reference.merge import merge
from tests.reference.sides import Decisions
from tests.reference.stamps import Stamp
from tests.reference.state import State
from tests.reference.statements import Statement, restore


class Lake:
    def __init__(self, conflicts: str = "file") -> None:
        self.version, self.conflicts, self.files = 0, conflicts, Files()
        self.branches: dict[str, State] = {"main": State()}
        self.past: dict[str, list[State]] = {"main": [self.branches["main"]]}
        self.lines: dict[str, str] = {}
        """By branch that was reset: how stamps call the line of its commits. Others are called as the branch."""
        self.columns = ColumnIds(self._heads)

    def _heads(self) -> Iterable[State]:
        return self.branches.values()

    def branch(self, new: str, head: State) -> None:
        self.branches[new] = head
        self.past[new] = [head]

    def reset(self, b: str, parent: str, kept: str) -> None:
        """`b` is a new cut of its parent, and what it was continues as `kept`."""
        self.branches[kept], self.past[kept], self.lines[kept] = self.branches[b], self.past[b], self._line(b)
        self.lines[b] = f"{b} after {kept}"
        self.branch(b, self.branches[parent])

    def _line(self, b: str) -> str:
        return self.lines.get(b, b)

    def commit(self, b: str, *statements: Statement, seen: State | None = None, also: State | None = None) -> None:
        """Statements as one commit with one stamp (R11). If the head moved since `seen`, the work is merged into it.

        `also`: a state whose files may be shown again.
        """
        head = self.branches[b]
        work, stamp, mark = (seen or head).copy(), Stamp(self.version + 1, self._line(b)), len(head.journal)
        try:
            for statement in statements:
                statement(work, stamp)
            if found := breaches(work):
                raise Refused(*found)
            self.files.place(work, *([also] if also else []))
            work.known = work.known.beside(stamp)
            if seen is not None and seen is not head:
                work = self._merged(work, head, stamp)
            work.known = work.known.at(stamp)
        except Refused:
            del head.journal[mark:]
            raise
        self._append(b, work, stamp.version)

    def restore(self, b: str, version: int, objects: Sequence[str] | None = None) -> None:
        """`version` counts the states of the branch."""
        then = self.past[b][version]
        self.commit(b, restore(then, objects), also=then)

    def merged(self, source: str, target: str, decisions: Decisions | None = None) -> State | None:
        """The state that a merge would make. None: there is nothing to merge."""
        of_source, of_target = self.branches[source], self.branches[target]
        if of_target.known.covers(of_source.known):
            return None
        return self._merged(of_source, of_target, Stamp(self.version + 1, self._line(target)), decisions)

    def merge(self, source: str, target: str, decisions: Decisions | None = None) -> str:
        if (state := self.merged(source, target, decisions)) is None:
            return "nothing"
        self._append(target, state, self.version + 1)
        return "merged"

    def outcome(self, source: str, target: str, decisions: Decisions | None = None) -> object:
        """What a dry run says: the state as readers would see it, or the verdict codes."""
        try:
            return (self.merged(source, target, decisions) or self.branches[target]).seen()
        except Refused as refused:
            return refused.codes

    def compact(self, b: str, t: str) -> None:
        state = self.branches[b] = self.past[b][-1] = self.branches[b].copy()
        self.files.compact(state, t)

    def readable(self) -> list[State]:
        """The states that a branch may be cut from or restored to (§10)."""
        return [state for of in self.past.values() for state in of]

    def forget(self, rng: Random) -> int:
        """Forget some of what every readable state knows: deleted rows, dropped columns, scopes (§10)."""
        states = self.readable()
        gone = [key for key in dead_facts(states) if rng.random() < 0.7]
        for state in states:
            for o, key in gone:
                state.forget(o, key)
        journal = self.branches["main"].journal
        left = [s for s in journal if rng.random() < 0.3 or not all(state.known.knows(s.stamp) for state in states)]
        forgotten = len(gone) + len(journal) - len(left)
        journal[:] = left
        return forgotten

    def horizon(self, states: int) -> None:
        """No state is readable but the last ones of each branch."""
        for of in self.past.values():
            del of[:-states]

    @contextmanager
    def tried(self) -> Iterator[None]:
        """What happens inside is forgotten."""
        version, branches, past = self.version, dict(self.branches), {b: list(of) for b, of in self.past.items()}
        lines = dict(self.lines)
        journal = self.branches["main"].journal
        mark = len(journal)
        try:
            yield
        finally:
            self.version, self.branches, self.past, self.lines = version, branches, past, lines
            del journal[mark:]

    def _merged(self, source: State, target: State, stamp: Stamp, decisions: Decisions | None = None) -> State:
        state = merge(source, target, stamp, self.conflicts, decisions)
        self.files.place(state, source)
        return state

    def _append(self, b: str, state: State, version: int) -> None:
        self.version = version
        self.branches[b] = state
        self.past[b].append(state)
