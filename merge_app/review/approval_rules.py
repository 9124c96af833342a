"""What the reviews of a merge request come to: which approvals count, what stands in the way. Pure.

An approval counts for what its reviewer saw: both heads, the rules and the resolutions. The plan's fingerprint is a
function of these four, so they are compared where planning again would be too dear, and the fingerprint at the merge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from catalog_app.domain.owners import OwnerVerdict
from catalog_app.domain.policy_judgement import PolicyVerdict
from lakeui.common.counts import counted
from merge_app.review.states import RequestState


class ReviewVerdict(StrEnum):
    """``withdraw`` takes back what the same person said before."""

    APPROVE = "approve"
    REQUEST_CHANGES = "request_changes"
    WITHDRAW = "withdraw"


@dataclass(frozen=True, slots=True)
class Seen:
    """What a plan is a function of: what a reviewer looked at."""

    source_head: int
    destination_head: int
    rules_digest: str
    resolutions_digest: str = ""


@dataclass(frozen=True, slots=True)
class Vote:
    """The newest review of one reviewer. ``looked_at``: table and key of each drawn row that they had before them."""

    review_id: int
    reviewer_id: int
    reviewer: str
    verdict: ReviewVerdict
    seen: Seen
    fingerprint: str
    looked_at: frozenset[tuple[str, str]] = frozenset()


class CheckState(StrEnum):
    """``broken``: the query could not be run. ``missing``: it has not been run on what there is now."""

    MISSING = "missing"
    PASSED = "passed"
    FAILED = "failed"
    BROKEN = "broken"


class StatusState(StrEnum):
    """What another system reported of a source; ``missing``: nothing of its head."""

    MISSING = "missing"
    PENDING = "pending"
    SUCCESS = "success"
    FAILURE = "failure"
    ERROR = "error"


class BlockerCode(StrEnum):
    """Why a request may not be merged."""

    DRAFT = "DRAFT"
    CHANGES_REQUESTED = "CHANGES_REQUESTED"
    APPROVALS_MISSING = "APPROVALS_MISSING"
    POLICY_MISSING = "POLICY_MISSING"
    OWNER_MISSING = "OWNER_MISSING"
    CHECK_MISSING = "CHECK_MISSING"
    CHECK_FAILED = "CHECK_FAILED"
    STATUS_MISSING = "STATUS_MISSING"
    STATUS_FAILED = "STATUS_FAILED"
    CONFLICTS = "CONFLICTS"
    BRANCH_GONE = "BRANCH_GONE"


@dataclass(frozen=True, slots=True)
class Blocker:
    """One thing in the way. ``message`` is a sentence."""

    code: BlockerCode
    message: str


@dataclass(frozen=True, slots=True)
class Excluded:
    """An approval that does not count, and why."""

    vote: Vote
    reason: str
    is_stale: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """Everything that a judgement depends on.

    ``votes``: the last word of each person. ``answering``: who answers for author or last writer, where those are
    agents. ``reviewers``: who holds a role that may review, None where all of
    them may. ``checks``: state of each required check for what is ``seen`` now, ``statuses`` of each required context
    for the source's head. ``fingerprint``: that of the very plan
    which is about to be merged, "" where there is none yet. ``policies``: what those of each rule say of the plan.
    ``owners``: the entries that count for what the plan changes.
    """

    state: RequestState
    seen: Seen
    votes: Sequence[Vote]
    author_id: int | None
    last_writer_id: int | None
    answering: frozenset[int] = frozenset()
    required_approvals: int = 0
    reviewers: frozenset[int] | None = None
    checks: Mapping[str, CheckState] = field(default_factory=dict)
    statuses: Mapping[str, StatusState] = field(default_factory=dict)
    fingerprint: str = ""
    is_conflicted: bool = False
    is_gone: bool = False
    policies: tuple[PolicyVerdict, ...] = ()
    owners: tuple[OwnerVerdict, ...] = ()


@dataclass(frozen=True, slots=True)
class ApprovalState:
    """The judgement. ``counting`` are the approvals that count. No blockers: it may be merged. ``required_approvals``:
    what the rules ask for, and what the policies come to.
    """

    counting: tuple[Vote, ...]
    excluded: tuple[Excluded, ...]
    objections: tuple[Vote, ...]
    blockers: tuple[Blocker, ...]
    required_approvals: int
    passed_checks: frozenset[str] = frozenset()
    passed_statuses: frozenset[str] = frozenset()
    policies: tuple[PolicyVerdict, ...] = ()
    owners: tuple[OwnerVerdict, ...] = ()

    @property
    def approvers(self) -> frozenset[str]:
        """Who approved so that it counts."""
        return frozenset(vote.reviewer for vote in self.counting)

    @property
    def merging_policy(self) -> PolicyVerdict | None:
        """The policy by which lakeui merges as soon as nothing is in the way: every rule with policies has one."""
        merging = [verdict for verdict in self.policies if verdict.merges and verdict.author_id is not None]
        return merging[0] if merging and len(merging) == len(self.policies) else None

    @property
    def state(self) -> RequestState:
        """What people should call a request that waits for them."""
        if self.objections:
            return RequestState.CHANGES_REQUESTED
        codes = {blocker.code for blocker in self.blockers}
        if BlockerCode.CONFLICTS in codes:
            return RequestState.CONFLICTED
        is_approved = self.counting and not codes & {BlockerCode.APPROVALS_MISSING, BlockerCode.OWNER_MISSING}
        return RequestState.APPROVED if is_approved else RequestState.OPEN


def judge(case: Case) -> ApprovalState:
    """Count the votes. An approval counts once a person, never the author's nor the last writer's, and only for what is
    there now. Its reviewer looked at the rows that policies drew, and the required checks have passed on that. "Request
    changes" blocks whatever it was said of, until that person withdraws it.
    """
    counting: list[Vote] = []
    excluded: list[Excluded] = []
    for vote in case.votes:
        if vote.verdict is ReviewVerdict.APPROVE:
            reason, is_stale = _why_not(vote, case)
            if reason:
                excluded.append(Excluded(vote, reason, is_stale))
            else:
                counting.append(vote)
    objections = tuple(vote for vote in case.votes if vote.verdict is ReviewVerdict.REQUEST_CHANGES)
    blockers = (*_blockers(case, objections, counting),)
    passed = frozenset(name for name, state in case.checks.items() if state is CheckState.PASSED)
    reported = frozenset(name for name, state in case.statuses.items() if state is StatusState.SUCCESS)
    required = max([case.required_approvals, *(verdict.required_approvals for verdict in case.policies)])
    return ApprovalState(
        tuple(counting), tuple(excluded), objections, blockers, required, passed, reported, case.policies, case.owners
    )


def _why_not(vote: Vote, case: Case) -> tuple[str, bool]:
    if vote.reviewer_id == case.author_id:
        return "opened the request", False
    if vote.reviewer_id == case.last_writer_id:
        return "was the last to write to the source", False
    if vote.reviewer_id in case.answering:
        return "answers for the agent that opened the request, or was the last to write to the source", False
    if case.reviewers is not None and vote.reviewer_id not in case.reviewers:
        return "may not review in this catalog any more", False
    if case.fingerprint not in ("", vote.fingerprint):
        return _moved(vote.seen, case.seen) or "saw another plan of it", True
    moved = _moved(vote.seen, case.seen)
    if moved:
        return moved, True
    if any(not verdict.drawn <= vote.looked_at for verdict in case.policies):
        return "did not look at the rows that a policy drew", True
    return _unchecked(case), False


def _unchecked(case: Case) -> str:
    """Which required checks an approval still waits for, as half a sentence; empty where it waits for none."""
    waiting = [name for name, state in case.checks.items() if state is not CheckState.PASSED]
    return f"counts once required checks pass: {', '.join(waiting)}" if waiting else ""


def _moved(seen: Seen, now: Seen) -> str:
    """What changed since, as half a sentence; empty where nothing did."""
    if seen.source_head != now.source_head:
        return f"saw the source at version {seen.source_head}, it is at {now.source_head}"
    if seen.destination_head != now.destination_head:
        return f"saw the target at version {seen.destination_head}, it is at {now.destination_head}"
    if seen.rules_digest != now.rules_digest:
        return "saw it judged by other rules"
    if seen.resolutions_digest != now.resolutions_digest:
        return "saw other resolutions of its conflicts"
    return ""


def _blockers(case: Case, objections: Sequence[Vote], counting: Sequence[Vote]) -> list[Blocker]:
    found = []
    if case.is_gone:
        found.append(Blocker(BlockerCode.BRANCH_GONE, "The source or the target was dropped."))
    if case.state is RequestState.DRAFT:
        found.append(Blocker(BlockerCode.DRAFT, "The request is a draft."))
    found += [
        Blocker(BlockerCode.CHANGES_REQUESTED, f"{vote.reviewer} requested changes and has not lifted that.")
        for vote in objections
    ]
    approvals = len(counting)
    if approvals < case.required_approvals:
        found.append(
            Blocker(
                BlockerCode.APPROVALS_MISSING,
                f"{approvals} of {_needed(case.required_approvals)} for what the branches hold now.",
            )
        )
    names = [vote.reviewer for vote in counting]
    found += [
        Blocker(
            BlockerCode.APPROVALS_MISSING if verdict.is_judged else BlockerCode.POLICY_MISSING,
            f"{verdict.message} {verdict.approvals(names)} of {_needed(verdict.required_approvals)}.",
        )
        for verdict in case.policies
        if not verdict.is_fulfilled(names)
    ]
    found += [
        Blocker(BlockerCode.OWNER_MISSING if owned.is_judged else BlockerCode.POLICY_MISSING, owned.message)
        for owned in case.owners
        if not owned.is_fulfilled(names)
    ]
    found += [_check_blocker(name, state) for name, state in case.checks.items() if state is not CheckState.PASSED]
    found += [
        _status_blocker(context, state) for context, state in case.statuses.items() if state is not StatusState.SUCCESS
    ]
    if case.is_conflicted:
        found.append(Blocker(BlockerCode.CONFLICTS, "The branches conflict."))
    return found


def _needed(approvals: int) -> str:
    return counted(approvals, "approval counts", "approvals count")


def _check_blocker(name: str, state: CheckState) -> Blocker:
    match state:
        case CheckState.FAILED:
            return Blocker(BlockerCode.CHECK_FAILED, f"The required check {name} found rows.")
        case CheckState.BROKEN:
            return Blocker(BlockerCode.CHECK_FAILED, f"The required check {name} could not be run.")
        case _:
            return Blocker(BlockerCode.CHECK_MISSING, f"The required check {name} has not passed on this state yet.")


def _status_blocker(context: str, state: StatusState) -> Blocker:
    match state:
        case StatusState.FAILURE | StatusState.ERROR:
            return Blocker(BlockerCode.STATUS_FAILED, f"The required status {context} reports: {state}.")
        case StatusState.PENDING:
            return Blocker(BlockerCode.STATUS_MISSING, f"The required status {context} is pending.")
        case _:
            return Blocker(
                BlockerCode.STATUS_MISSING,
                f"The required status {context} was not reported of the source's newest commit.",
            )
