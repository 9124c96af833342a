"""Which reviews count, and what stands in the way."""

from __future__ import annotations

from dataclasses import replace

import pytest

from merge_app.review.approval_rules import BlockerCode, Case, CheckState, ReviewVerdict, Seen, Vote, judge
from merge_app.review.states import RequestState

NOW = Seen(7, 9, "rules")
AUTHOR, WRITER, BOB, CAROL = range(1, 5)
NAMES = {AUTHOR: "alice", WRITER: "will", BOB: "bob", CAROL: "carol"}


def vote(reviewer: int, verdict: ReviewVerdict = ReviewVerdict.APPROVE, seen: Seen = NOW) -> Vote:
    return Vote(reviewer * 10, reviewer, NAMES[reviewer], verdict, seen, "f")


def case(*votes: Vote, **given: object) -> Case:
    base = Case(RequestState.OPEN, NOW, votes, AUTHOR, WRITER, required_approvals=1)
    return replace(base, **given)  # type: ignore[arg-type]


def codes(found: Case) -> list[BlockerCode]:
    return [blocker.code for blocker in judge(found).blockers]


def test_an_approval_of_what_is_there_now_counts() -> None:
    standing = judge(case(vote(BOB)))
    assert (standing.state, standing.blockers) == (RequestState.APPROVED, ())


def test_too_few_approvals_are_named() -> None:
    assert codes(case()) == [BlockerCode.APPROVALS_MISSING]
    assert codes(case(vote(BOB), required_approvals=2)) == [BlockerCode.APPROVALS_MISSING]
    assert codes(case(vote(BOB), vote(CAROL), required_approvals=2)) == []


@pytest.mark.parametrize("reviewer", [AUTHOR, WRITER])
def test_neither_the_author_nor_the_last_writer_counts(reviewer: int) -> None:
    standing = judge(case(vote(reviewer)))
    assert (standing.counting, standing.state) == ((), RequestState.OPEN)
    assert [item.is_stale for item in standing.excluded] == [False]


def test_who_may_no_longer_review_does_not_count() -> None:
    assert codes(case(vote(BOB), reviewers=frozenset({CAROL}))) == [BlockerCode.APPROVALS_MISSING]
    assert codes(case(vote(BOB), reviewers=frozenset({BOB}))) == []


@pytest.mark.parametrize(
    "seen", [Seen(6, 9, "rules"), Seen(7, 8, "rules"), Seen(7, 9, "others"), Seen(7, 9, "rules", "resolved")]
)
def test_an_approval_of_anything_else_is_stale(seen: Seen) -> None:
    standing = judge(case(vote(BOB, seen=seen)))
    assert standing.state is RequestState.OPEN
    assert [item.is_stale for item in standing.excluded] == [True]
    assert standing.excluded[0].reason.startswith("saw ")


def test_requested_changes_block_whatever_they_were_said_of() -> None:
    objection = vote(CAROL, ReviewVerdict.REQUEST_CHANGES, Seen(1, 1, "old"))
    standing = judge(case(vote(BOB), objection))
    assert standing.state is RequestState.CHANGES_REQUESTED
    assert [blocker.code for blocker in standing.blockers] == [BlockerCode.CHANGES_REQUESTED]


def test_a_withdrawn_word_counts_neither_way() -> None:
    standing = judge(case(vote(BOB, ReviewVerdict.WITHDRAW), required_approvals=0))
    assert (standing.state, standing.blockers) == (RequestState.OPEN, ())


@pytest.mark.parametrize("state", [state for state in CheckState if state is not CheckState.PASSED])
def test_no_approval_counts_before_required_checks_pass(state: CheckState) -> None:
    found = judge(case(vote(BOB), checks={"no nulls": state, "no doubles": CheckState.PASSED}))
    assert (found.counting, found.state, len(found.blockers)) == ((), RequestState.OPEN, 2)
    assert [(item.reason, item.is_stale) for item in found.excluded] == [
        ("counts once required checks pass: no nulls", False)
    ]


def test_a_passed_check_does_not_block() -> None:
    assert codes(case(vote(BOB), checks={"no nulls": CheckState.PASSED})) == []


def test_conflicts_a_draft_and_a_dropped_branch_block() -> None:
    assert codes(case(vote(BOB), is_conflicted=True)) == [BlockerCode.CONFLICTS]
    assert judge(case(vote(BOB), is_conflicted=True)).state is RequestState.CONFLICTED
    assert codes(case(vote(BOB), state=RequestState.DRAFT)) == [BlockerCode.DRAFT]
    assert codes(case(vote(BOB), is_gone=True)) == [BlockerCode.BRANCH_GONE]
