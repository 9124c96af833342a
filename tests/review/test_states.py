"""The states of a merge request, as data."""

from __future__ import annotations

import pytest

from merge_app.review.states import (
    CHOSEN,
    FINISHED,
    REVIEWED,
    TRANSITIONS,
    UNDERWAY,
    RequestState,
    may_become,
    may_change,
)

DRAFT, OPEN, CHANGES, APPROVED, QUEUED, MERGING, MERGED, CONFLICTED, CLOSED = RequestState
WANTED = {
    DRAFT: {OPEN, CLOSED},
    OPEN: {DRAFT, CHANGES, APPROVED, CONFLICTED, QUEUED, MERGING, CLOSED},
    CHANGES: {DRAFT, OPEN, APPROVED, CONFLICTED, CLOSED},
    APPROVED: {DRAFT, OPEN, CHANGES, CONFLICTED, QUEUED, MERGING, CLOSED},
    QUEUED: {OPEN, CHANGES, APPROVED, CONFLICTED, MERGING},
    MERGING: {OPEN, CHANGES, APPROVED, CONFLICTED, MERGED},
    MERGED: set(),
    CONFLICTED: {DRAFT, OPEN, CHANGES, APPROVED, CLOSED},
    CLOSED: {OPEN},
}


@pytest.mark.parametrize("state", RequestState)
def test_each_state_leads_only_where_the_table_says(state: RequestState) -> None:
    assert {wanted for wanted in RequestState if may_become(state, wanted)} == WANTED[state]


@pytest.mark.parametrize("state", RequestState)
def test_a_refused_transition_says_why(state: RequestState) -> None:
    for wanted in set(RequestState) - TRANSITIONS[state]:
        assert may_become(state, wanted).reason


def test_nothing_becomes_merged_but_what_is_being_merged() -> None:
    assert [state for state in RequestState if may_become(state, MERGED)] == [MERGING]


def test_underway_or_finished_request_is_not_edited() -> None:
    assert {state for state in RequestState if not may_change(state)} == UNDERWAY | FINISHED


def test_every_state_is_of_one_sort() -> None:
    assert {DRAFT} | REVIEWED | UNDERWAY | FINISHED == set(RequestState)
    assert not CHOSEN & UNDERWAY
