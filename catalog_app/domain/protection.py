"""Protection of branches: what the rules of a catalog ask of whoever changes a branch, and the judge of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from fnmatch import fnmatchcase

from catalog_app.domain.owners import OwnerSet, owners_judge
from catalog_app.domain.plan_facts import PlanFacts
from catalog_app.domain.policies import PolicySet
from catalog_app.domain.policy_judgement import PolicyVerdict, policy_judge
from catalog_app.domain.roles import Action, Role, may
from lakeui.common.counts import counted


@dataclass(frozen=True, slots=True)
class Protection:
    """What holds for a branch. ``patterns`` are those of the rules that it comes from.

    ``required_statuses``: names of what other systems must have reported as a success of the source's head.
    ``merge_role``: the least role that may merge into the branch, or put a branch under its name.
    ``refuse_stale_reads``: what a merge or a COMMIT brings was made from no table that the branch changed since.
    ``allow_queue_unchanged``: the merge queue may go on after the head moved, if no verdict changed.
    ``allow_bypass``: an owner may go past everything here, with a reason.
    ``policies``: of each rule that has some; how many approvals such a rule asks for follows from the plan.
    ``owners``: of each rule that has some; which of them are asked follows from the plan.
    """

    patterns: tuple[str, ...]
    required_approvals: int = 0
    required_checks: frozenset[str] = frozenset()
    required_statuses: frozenset[str] = frozenset()
    merge_role: Role = Role.CONTRIBUTOR
    refuse_direct_writes: bool = False
    refuse_direct_merges: bool = False
    refuse_deletion: bool = False
    refuse_stale_reads: bool = False
    allow_queue_unchanged: bool = True
    allow_bypass: bool = True
    policies: tuple[PolicySet, ...] = ()
    owners: tuple[OwnerSet, ...] = ()

    @property
    def judges_plans(self) -> bool:
        """Whether what it asks follows from the plan."""
        return bool(self.policies or self.owners)

    @property
    def takes_requests(self) -> bool:
        """Whether only a merge request gets in: nothing else has approvals, checks, statuses or a judged plan."""
        asked = self.required_checks or self.required_statuses or self.policies
        by_owners = any(item.is_required for item in self.owners)
        return self.refuse_direct_merges or self.required_approvals > 0 or bool(asked) or by_owners


def pattern_matches(pattern: str, name: str) -> bool:
    """Whether a branch's name is of the pattern. ``*`` stands for any characters, slashes too, ``?`` for one, and
    ``[abc]`` or ``[!abc]`` for one of them or none of them. Upper and lower case are one, as in names of branches.
    """
    return fnmatchcase(name.casefold(), pattern.casefold())


def strictest(rules: Iterable[Protection]) -> Protection | None:
    """All rules at once: of each field what is asked most. None where there is no rule."""
    found = list(rules)
    if not found:
        return None
    return Protection(
        patterns=tuple(pattern for rule in found for pattern in rule.patterns),
        required_approvals=max(rule.required_approvals for rule in found),
        required_checks=frozenset().union(*(rule.required_checks for rule in found)),
        required_statuses=frozenset().union(*(rule.required_statuses for rule in found)),
        merge_role=max(rule.merge_role for rule in found),
        refuse_direct_writes=any(rule.refuse_direct_writes for rule in found),
        refuse_direct_merges=any(rule.refuse_direct_merges for rule in found),
        refuse_deletion=any(rule.refuse_deletion for rule in found),
        refuse_stale_reads=any(rule.refuse_stale_reads for rule in found),
        allow_queue_unchanged=all(rule.allow_queue_unchanged for rule in found),
        allow_bypass=all(rule.allow_bypass for rule in found),
        policies=tuple(policies for rule in found for policies in rule.policies),
        owners=tuple(owners for rule in found for owners in rule.owners),
    )


def policies_judge(protection: Protection, facts: PlanFacts | None, at: datetime) -> tuple[PolicyVerdict, ...]:
    """What the policies of each rule say of the plan: every one of them has to be fulfilled."""
    return tuple(policy_judge(policies, facts, at) for policies in protection.policies)


class Change(Enum):
    """What is about to happen to a protected branch."""

    WRITE = "write"
    """A statement's commit, a restore, an undrop, or a transaction's COMMIT."""
    MERGE = "merge"
    DELETION = "deletion"
    """Dropping the branch, its catalog, or giving it another name."""
    NAMING = "naming"
    """Making, renaming or undropping a branch so that it gets a protected name with what it holds."""


@dataclass(frozen=True, slots=True)
class MergeAuthority:
    """An approved merge request that a merge is carried out for: it passes where a direct merge is refused.

    Only the review of merge requests makes this value, under the locks of the merge that it is for, from what is true
    then: ``approvals`` counts the distinct people whose approval holds for exactly this plan, ``passed_checks`` names
    the checks that passed on it, ``passed_statuses`` what was reported as a success of its source. ``approvers`` are
    the names of these people, ``facts`` what policies are judged on ``at`` this time.
    """

    request_id: int
    approvals: int
    passed_checks: frozenset[str] = frozenset()
    passed_statuses: frozenset[str] = frozenset()
    approvers: frozenset[str] = frozenset()
    facts: PlanFacts | None = None
    at: datetime = field(default_factory=lambda: datetime.now(UTC))


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a protection refuses, how to get out, and the least role that gets past (None: no role does)."""

    reason: str
    remedy: str
    role: Role | None = None


def protection_refusal(
    protection: Protection,
    change: Change,
    role: Role | None,
    authority: MergeAuthority | None = None,
    stale_reads: Sequence[str] = (),
) -> Refusal | None:
    """What stands against the change by somebody of that role; None where it may go on. ``stale_reads``: the tables
    from which the change made rows, and which the branch changed since.
    """
    found = _change_refusal(protection, change, role, authority)
    if found is None and protection.refuse_stale_reads and stale_reads:
        return Refusal(
            f"it takes no rows from stale reads, and has newer changes of {', '.join(stale_reads)}",
            "Merge the branch into the source and run the statements there again; of a transaction, ROLLBACK and begin"
            " again.",
        )
    return found


def _change_refusal(
    protection: Protection, change: Change, role: Role | None, authority: MergeAuthority | None
) -> Refusal | None:
    match change:
        case Change.WRITE if protection.refuse_direct_writes:
            return Refusal(
                "it is changed by merges only",
                "Write on a branch of your own, then merge it or open a merge request.",
            )
        case Change.DELETION if protection.refuse_deletion:
            return Refusal("it may be neither dropped nor renamed", "Ask an owner to change the protection.")
        case Change.NAMING if protection.refuse_direct_writes and not _is_at_least(role, protection.merge_role):
            return _role_refusal(protection, "give a branch this name")
        case Change.MERGE:
            return _merge_refusal(protection, role, authority)
    return None


def _merge_refusal(protection: Protection, role: Role | None, authority: MergeAuthority | None) -> Refusal | None:
    if not _is_at_least(role, protection.merge_role):
        return _role_refusal(protection, "merge into it")
    if authority is None:
        return Refusal("it takes merge requests only", "Open a merge request.") if protection.takes_requests else None
    if authority.approvals < protection.required_approvals:
        return Refusal(
            f"it asks for {counted(protection.required_approvals, 'approval')} of what would be merged, and there are"
            f" {authority.approvals}",
            "Ask reviewers to approve what the request holds now.",
        )
    for verdict in policies_judge(protection, authority.facts, authority.at):
        if not verdict.is_fulfilled(authority.approvers):
            return Refusal(
                f"its policies ask for more. {verdict.message.removesuffix('.')}",
                "Ask reviewers to approve what the request holds now.",
            )
    for owned in owners_judge(protection.owners, authority.facts):
        if not owned.is_fulfilled(authority.approvers):
            return Refusal(
                f"it asks owners of tables. {owned.message.removesuffix('.')}",
                "Ask an owner to approve what the request holds now.",
            )
    missing = protection.required_checks - authority.passed_checks
    if missing:
        names = ", ".join(sorted(missing))
        return Refusal(f"these checks have not passed on what would be merged: {names}", "Run the checks again.")
    unreported = protection.required_statuses - authority.passed_statuses
    if unreported:
        names = ", ".join(sorted(unreported))
        return Refusal(f"no success was reported of the source as it is: {names}", "Run what reports these statuses.")
    return None


def _is_at_least(role: Role | None, least: Role) -> bool:
    return role is not None and role >= least


def _role_refusal(protection: Protection, what: str) -> Refusal:
    least = protection.merge_role
    return Refusal(f"it takes the role {least.value} to {what}", f"Ask a {least.value} of the catalog.", least)


def may_bypass(protection: Protection, role: Role | None) -> bool:
    """Whether somebody of that role gets past the protection with a reason."""
    return protection.allow_bypass and may(role, Action.BYPASS_PROTECTION)
