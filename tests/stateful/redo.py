"""What carrying out one side's changes on the other says, and what doing so to one thing needs."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.stateful.model import Entry, State, Thing
from tests.stateful.sides import Side

Conflict = tuple[str, int, str]
"""(Kind of thing, id, code)."""


@dataclass(slots=True)
class Verdict:
    """``required`` conflicts must be reported, ``possible`` ones may be: rows do not tell which files hold them."""

    required: set[Conflict] = field(default_factory=set)
    possible: set[Conflict] = field(default_factory=set)
    state: State = field(default_factory=State)
    entries: list[Entry] = field(default_factory=list)
    is_empty: bool = False


class Redo:
    """One thing that the source changed, redone on the destination."""

    def __init__(self, thing: Thing, mine: Side, theirs: Side, verdict: Verdict) -> None:
        self.thing, self.mine, self.theirs, self.verdict = thing, mine, theirs, verdict

    def conflict(self, code: str) -> None:
        self.verdict.required.add((*self.thing, code))
