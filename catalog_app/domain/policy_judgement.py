"""The judgement of merge policies on a plan: which one lets it through, and why the others do not. Pure.

The first one that lets the plan through says what the merge needs. Where none does, the merge waits for people as the
rule asks, for one at least. What is unknown is not let through.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from catalog_app.domain.plan_facts import ChangedTable, PlanFacts
from catalog_app.domain.policies import Policy, PolicySet, RowRule
from lakeui.common.counts import counted


@dataclass(frozen=True, slots=True)
class Reason:
    """What one limit of a policy says of a plan, in a sentence. ``limit`` is its name in the policy."""

    limit: str
    is_met: bool
    message: str


@dataclass(frozen=True, slots=True)
class PolicyJudgement:
    """What one policy says of a plan."""

    policy: str
    lets_through: bool
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class PolicyVerdict:
    """What the policies of one rule come to. ``policy``: the one that let the plan through, "" where none did.
    ``required_approvals`` follow, by ``approvers`` alone where these are named. ``message`` says it in a sentence.
    ``drawn``: table and key of each row that was drawn. ``is_judged``: somebody looked at the plan.
    """

    pattern: str
    version: int
    policy: str
    required_approvals: int
    approvers: tuple[str, ...]
    merges: bool
    spot_check: int
    author_id: int | None
    message: str
    judgements: tuple[PolicyJudgement, ...] = ()
    drawn: frozenset[tuple[str, str]] = frozenset()
    is_judged: bool = True

    def rows_drawn(self, facts: PlanFacts) -> frozenset[tuple[str, str]]:
        """Table and key of the rows of the plan that somebody who approves it looks at."""
        return frozenset((row.table, row.key) for row in facts.spot_rows[: self.spot_check])

    def approvals(self, names: Iterable[str]) -> int:
        """How many approvals count here, of the people of these names."""
        return len({name for name in names if not self.approvers or name in self.approvers})

    def is_fulfilled(self, names: Iterable[str]) -> bool:
        """Whether enough of them approved."""
        return self.approvals(names) >= self.required_approvals

    def as_json(self) -> dict[str, Any]:
        """What REST and the audit say of it."""
        return {
            "pattern": self.pattern,
            "version": self.version,
            "policy": self.policy,
            "required_approvals": self.required_approvals,
            "approvers": list(self.approvers),
            "merges": self.merges,
            "spot_check": self.spot_check,
            "message": self.message,
            "judgements": [
                {
                    "policy": item.policy,
                    "lets_through": item.lets_through,
                    "reasons": [asdict(reason) for reason in item.reasons],
                }
                for item in self.judgements
            ],
        }


def policy_judge(policies: PolicySet, facts: PlanFacts | None, at: datetime) -> PolicyVerdict:
    """What the policies say of the plan at that time; ``facts`` None: it was not looked at yet."""
    asked = max(1, policies.approvals)
    if facts is None:
        message = "No policy was judged on this plan yet, so it waits for a person."
        return replace(_waits(policies, asked, message), is_judged=False)
    judgements: list[PolicyJudgement] = []
    for policy in policies.policies:
        reasons = tuple(_reasons(policy, facts, at))
        judgements.append(PolicyJudgement(policy.name, all(reason.is_met for reason in reasons), reasons))
        if judgements[-1].lets_through:
            verdict = _let_through(policies, policy, judgements)
            return replace(verdict, drawn=verdict.rows_drawn(facts))
    unmet = [next(r.message for r in item.reasons if not r.is_met) for item in judgements]
    names = ", ".join(f"{item.policy} ({why})" for item, why in zip(judgements, unmet, strict=True))
    message = f"No policy lets this merge through, so it needs {_people(asked, ())}: {names}."
    return _waits(policies, asked, message, tuple(judgements))


def _waits(
    policies: PolicySet, asked: int, message: str, judgements: tuple[PolicyJudgement, ...] = ()
) -> PolicyVerdict:
    return PolicyVerdict(
        policies.pattern, policies.version, "", asked, (), False, 0, policies.author_id, message, judgements
    )


def _let_through(policies: PolicySet, policy: Policy, judgements: Sequence[PolicyJudgement]) -> PolicyVerdict:
    if policy.needed:
        text = f"Policy {policy.name} lets this merge through with {_people(policy.needed, policy.approvers)}"
        text += f", who looks at {counted(policy.spot_check, 'drawn row')}." if policy.spot_check else "."
    else:
        text = f"Policy {policy.name} lets this merge through without a person."
    return PolicyVerdict(
        policies.pattern,
        policies.version,
        policy.name,
        policy.needed,
        policy.approvers,
        policy.merges,
        policy.spot_check,
        policies.author_id,
        text,
        tuple(judgements),
    )


def _people(count: int, approvers: Sequence[str]) -> str:
    return counted(count, "approval") + (f" by {' or '.join(approvers)}" if approvers else "")


def _reasons(policy: Policy, facts: PlanFacts, at: datetime) -> Iterator[Reason]:
    """Each limit of the policy with what the plan is beside it. What a person decided waits for a person."""
    found = facts.conflicts + facts.decided
    yield Reason("conflicts", not found, f"it has {counted(found, 'conflict')}, decided ones too")
    if policy.tables:
        others = [table.name for table in facts.tables if not table.matches(policy.tables)]
        yield _of_names("tables", others, "it changes", "it changes these tables only")
    if policy.operations:
        others = sorted({kind for table in facts.tables for kind in table.operations} - {*policy.operations})
        yield _of_names("operations", others, "it holds", "it holds these operations only")
    yield from _of_rows(policy, facts)
    if policy.max_dropped_columns is not None:
        dropped = [f"{table.name}.{column}" for table in facts.tables for column in table.dropped_columns]
        yield _at_most("max_dropped_columns", len(dropped), policy.max_dropped_columns, "dropped column")
    if policy.refuse_stale_reads:
        yield _of_names("refuse_stale_reads", facts.stale_reads, "it was made from stale reads of", "no read is stale")
    if policy.hours is not None:
        hours = policy.hours
        text = f"{hours.begin} to {hours.end} {hours.zone} on {', '.join(hours.days)}"
        is_in = hours.holds(at)
        yield Reason("hours", is_in, f"the time is {'in' if is_in else 'outside'} {text}")
    for rule in policy.rules:
        yield _of_rule(rule, facts)
    if policy.spot_check:
        problem = _not_looked_at(facts.tables)
        drawn = min(policy.spot_check, len(facts.spot_rows))
        yield Reason("spot_check", not problem, problem or f"{counted(drawn, 'changed row')} drawn to be looked at")


def _of_rows(policy: Policy, facts: PlanFacts) -> Iterator[Reason]:
    uncounted = sorted({kind for table in facts.tables for kind in table.uncounted})
    limits = (
        ("max_rows", policy.max_rows, sum(table.rows for table in facts.tables), "changed row"),
        ("max_deleted", policy.max_deleted, sum(table.deleted for table in facts.tables), "deleted row"),
    )
    for name, limit, count, what in limits:
        if limit is not None and uncounted:
            yield Reason(name, False, f"nothing counts the rows that {', '.join(uncounted)} takes")
        elif limit is not None:
            yield _at_most(name, count, limit, what)
    if policy.max_share is not None:
        table = max(facts.tables, key=lambda item: item.share, default=None)
        share = table.share if table else 0.0
        where = f" of {table.name}" if table else ""
        if uncounted:
            yield Reason("max_share", False, f"nothing counts the rows that {', '.join(uncounted)} takes")
        else:
            message = f"it changes {share:.2%}{where}, and {policy.max_share:.2%} is the most"
            yield Reason("max_share", share <= policy.max_share, message)
    if policy.max_emptied is not None:
        problem = _not_looked_at(facts.tables)
        emptied = sum(table.looked_at.emptied for table in facts.tables if table.looked_at)
        yield (
            Reason("max_emptied", False, problem)
            if problem
            else _at_most("max_emptied", emptied, policy.max_emptied, "emptied value")
        )


def _of_rule(rule: RowRule, facts: PlanFacts) -> Reason:
    """What the rows of all tables of the rule say; the name of the limit is the condition."""
    name = f"rules: {rule.condition}"
    tables = [table for table in facts.tables if rule.holds_for(table)]
    problem = _not_looked_at(tables)
    if problem:
        return Reason(name, False, problem)
    key = rule.key
    for table in tables:
        assert table.looked_at is not None
        found = table.looked_at.rules.get(key)
        if found is None or found.problem:
            why = found.problem if found else "it was not asked of the rows"
            return Reason(name, False, f"the rule {rule.condition} has no answer in {table.name}: {why}")
        if found.rows:
            does = "does" if found.rows == 1 else "do"
            rows = f"{counted(found.rows, 'row')} of {table.name}"
            message = f"{rows} {does} not fulfil {rule.condition}, such as {found.example}"
            return Reason(name, False, message)
    return Reason(name, True, f"every changed row fulfils {rule.condition}")


def _not_looked_at(tables: Sequence[ChangedTable]) -> str:
    for table in tables:
        if table.is_database:
            continue
        if table.looked_at is None:
            return f"the changed rows of {table.name} were not looked at"
        if table.looked_at.problem:
            return f"{table.name}: {table.looked_at.problem}"
    return ""


def _at_most(limit: str, count: int, most: int, what: str) -> Reason:
    return Reason(limit, count <= most, f"it has {counted(count, what)}, and {most:,} is the most")


def _of_names(limit: str, others: Sequence[str], does: str, fine: str) -> Reason:
    shown = ", ".join(others[:3]) + (f" and {len(others) - 3} more" if len(others) > 3 else "")
    return Reason(limit, not others, f"{does} {shown}" if others else fine)
