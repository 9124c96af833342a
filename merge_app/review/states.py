"""The states of a merge request, and which of them may follow which: data, checked when it is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class RequestState(StrEnum):
    DRAFT = "draft"
    OPEN = "open"
    CHANGES_REQUESTED = "changes_requested"
    APPROVED = "approved"
    QUEUED = "queued"
    MERGING = "merging"
    MERGED = "merged"
    CONFLICTED = "conflicted"
    CLOSED = "closed"


REVIEWED = frozenset(
    {RequestState.OPEN, RequestState.CHANGES_REQUESTED, RequestState.APPROVED, RequestState.CONFLICTED}
)
"""Waits for people. Which of these it is follows from its reviews and from the last attempt to merge."""

UNDERWAY = frozenset({RequestState.QUEUED, RequestState.MERGING})
"""lakeui has it in hand."""

FINISHED = frozenset({RequestState.MERGED, RequestState.CLOSED})

CHOSEN = frozenset({RequestState.DRAFT, RequestState.OPEN, RequestState.CLOSED})
"""What a person may set it to; the others come about."""

TRANSITIONS: Mapping[RequestState, frozenset[RequestState]] = {
    RequestState.DRAFT: frozenset({RequestState.OPEN, RequestState.CLOSED}),
    **{
        state: (REVIEWED - {state}) | UNDERWAY | {RequestState.DRAFT, RequestState.CLOSED}
        for state in (RequestState.OPEN, RequestState.APPROVED)
    },
    # Somebody or something is in the way: it has to become open or approved first.
    **{
        state: (REVIEWED - {state}) | {RequestState.DRAFT, RequestState.CLOSED}
        for state in (RequestState.CHANGES_REQUESTED, RequestState.CONFLICTED)
    },
    RequestState.QUEUED: REVIEWED | {RequestState.MERGING},
    RequestState.MERGING: REVIEWED | {RequestState.MERGED},
    RequestState.MERGED: frozenset(),
    RequestState.CLOSED: frozenset({RequestState.OPEN}),
}

_WHY: Mapping[RequestState, str] = {
    RequestState.DRAFT: "is a draft; mark it as ready first",
    RequestState.OPEN: "is open",
    RequestState.CHANGES_REQUESTED: "has a reviewer who requested changes",
    RequestState.APPROVED: "is approved",
    RequestState.QUEUED: "waits in the merge queue; take it out first",
    RequestState.MERGING: "is being merged",
    RequestState.MERGED: "was merged, which is final",
    RequestState.CONFLICTED: "conflicts with its target",
    RequestState.CLOSED: "is closed; reopen it first",
}

if TRANSITIONS.keys() != set(RequestState) or _WHY.keys() != set(RequestState):
    raise AssertionError("every state of a merge request needs its transitions and its words")


@dataclass(frozen=True, slots=True)
class Permit:
    """Whether something may be done; false with the reason as half a sentence."""

    reason: str = ""

    def __bool__(self) -> bool:
        return not self.reason


def may_become(state: RequestState, wanted: RequestState) -> Permit:
    """Whether a request may go from ``state`` to ``wanted``."""
    return Permit() if wanted in TRANSITIONS[state] else Permit(_WHY[state])


def may_change(state: RequestState) -> Permit:
    """Whether title, description, reviewers and labels may be edited, and the request be reviewed."""
    return Permit(_WHY[state]) if state in FINISHED | UNDERWAY else Permit()
