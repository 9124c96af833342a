"""Merge policies: which merges go without a person and which need whom, judged on the plan of the merge. Pure.

A rule of protection holds policies in order. The first one that lets the plan through says what the merge needs.
Where none does, the merge waits for people as the rule asks, for one at least. What is unknown is not let through.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, time
from fnmatch import fnmatchcase
from typing import Any
from zoneinfo import ZoneInfo

CHANGES = ("insert", "update", "delete")
"""What may be done to a row."""
KINDS = (
    *("create", "drop", "undrop", "rename", "set properties", "unset properties", "column", "partition"),
    *("insert", "delete", "update", "overwrite", "compaction"),
)
"""Kinds of operations, as commits name them."""
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(frozen=True, slots=True)
class RowRule:
    """A condition that each changed row fulfils, in tables of these patterns. ``condition`` is SQL over ``old.column``
    and ``new.column``. A row for which it is NULL does not fulfil it. ``changes``: of which rows.
    """

    condition: str
    tables: tuple[str, ...] = ("*",)
    changes: tuple[str, ...] = CHANGES

    def holds_for(self, table: ChangedTable) -> bool:
        """Whether the rule is about the table: under one of its names, so that a new name is no way past it."""
        patterns = [pattern.casefold() for pattern in self.tables]
        return not table.is_database and any(
            fnmatchcase(name.casefold(), pattern) for name in table.names for pattern in patterns
        )

    @property
    def key(self) -> str:
        """What the result of a look at the rows is kept under."""
        return json.dumps([self.condition, sorted(self.changes)])


@dataclass(frozen=True, slots=True)
class Hours:
    """Hours of days in a zone, from ``begin`` to before ``end``: ``HH:MM``. An ``end`` that is not later is of the next
    day, and the day is that of ``begin``.
    """

    begin: str
    end: str
    zone: str = "UTC"
    days: tuple[str, ...] = DAYS

    def holds(self, at: datetime) -> bool:
        """Whether the time is in these hours."""
        local = at.astimezone(ZoneInfo(self.zone))
        begin, end, now = time.fromisoformat(self.begin), time.fromisoformat(self.end), local.time()
        today = local.weekday()
        if begin < end:
            return begin <= now < end and DAYS[today] in self.days
        return (now >= begin and DAYS[today] in self.days) or (now < end and DAYS[today - 1] in self.days)


@dataclass(frozen=True, slots=True)
class Policy:
    """What a merge may do at most to be let through; None is no limit, and of lists and patterns none is all.

    ``tables``: patterns of ``database.table``, ``database.*`` for the database itself. ``max_share``: of the rows that
    a table has on the target. ``max_emptied``: values that become NULL. ``approvals``: what it needs; 0 is no person.
    ``approvers``: user names, of which alone approvals count. ``spot_check``: so many changed rows are drawn, and a
    person approves who has them before them. ``merges``: lakeui merges as soon as nothing else is in the way.
    """

    name: str
    tables: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    max_rows: int | None = None
    max_share: float | None = None
    max_deleted: int | None = None
    max_emptied: int | None = None
    max_dropped_columns: int | None = None
    refuse_stale_reads: bool = False
    rules: tuple[RowRule, ...] = ()
    hours: Hours | None = None
    spot_check: int = 0
    approvals: int = 0
    approvers: tuple[str, ...] = ()
    merges: bool = False

    @property
    def needed(self) -> int:
        """Approvals of a merge that it lets through."""
        return max(self.approvals, 1 if self.spot_check or self.approvers else 0)

    @property
    def looks_at_rows(self) -> bool:
        """Whether the numbers of the plan are not enough."""
        return self.max_emptied is not None or bool(self.rules) or self.spot_check > 0


def policy_read(document: Mapping[str, Any]) -> Policy:
    """The policy of a stored document."""
    given = dict(document)
    given["rules"] = tuple(
        RowRule(rule["condition"], tuple(rule["tables"]), tuple(rule["changes"])) for rule in given.get("rules", ())
    )
    hours = given.get("hours")
    given["hours"] = hours and Hours(hours["begin"], hours["end"], hours["zone"], tuple(hours["days"]))
    for name in ("tables", "operations", "approvers"):
        given[name] = tuple(given.get(name, ()))
    return Policy(**given)


@dataclass(frozen=True, slots=True)
class PolicySet:
    """The policies of one rule of protection. ``version`` counts the changes of that rule. ``approvals``: what is asked
    where none lets a plan through. ``author_id``: who set them, and answers for what they merge.
    """

    pattern: str
    version: int
    policies: tuple[Policy, ...]
    approvals: int = 1
    author_id: int | None = None

    @property
    def merges(self) -> bool:
        """Whether some policy merges by itself."""
        return any(policy.merges for policy in self.policies)


def policies_digest(sets: Iterable[PolicySet]) -> str:
    """SHA-256 of the policies in force: what was looked at for others is looked at again."""
    described = [[item.pattern, item.version, [asdict(policy) for policy in item.policies]] for item in sets]
    return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest() if described else ""


# -- what is judged ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RowFinding:
    """How many changed rows do not fulfil a condition, the first of them, and why it could not be asked."""

    rows: int
    example: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class LookedAt:
    """What the changed rows of a table were found to be. ``problem``: why not all were looked at."""

    emptied: int = 0
    rules: Mapping[str, RowFinding] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ChangedTable:
    """What a merge does to a table or database. ``names``: before and after it. ``rows_before``: those of the target.
    ``uncounted``: kinds of operations that take rows which nothing counts. ``looked_at``: None: not asked for.
    ``is_database``: names do not say it, a table may be called ``*``.
    """

    names: tuple[str, ...]
    operations: tuple[str, ...]
    inserted: int = 0
    updated: int = 0
    deleted: int = 0
    rows_before: int = 0
    dropped_columns: tuple[str, ...] = ()
    uncounted: tuple[str, ...] = ()
    looked_at: LookedAt | None = None
    is_database: bool = False

    @property
    def name(self) -> str:
        return self.names[-1]

    @property
    def rows(self) -> int:
        """Rows that are changed, at most."""
        return self.inserted + self.updated + self.deleted

    @property
    def share(self) -> float:
        """Of the target's rows; new rows of an empty table are all of it."""
        return min(1.0, self.rows / self.rows_before) if self.rows_before else float(self.rows > 0)

    def matches(self, patterns: Iterable[str]) -> bool:
        """Whether each of its names is of one of the patterns. No other wildcard stands for the star of a database."""
        wanted = [pattern.casefold() for pattern in patterns]
        return all(
            any(
                fnmatchcase(name.casefold(), pattern)
                for pattern in wanted
                if pattern.endswith("*") or not name.endswith(".*")
            )
            for name in self.names
        )


@dataclass(frozen=True, slots=True)
class SpotRow:
    """A changed row that was drawn."""

    table: str
    change: str
    key: str
    old: Mapping[str, Any] | None
    new: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class PlanFacts:
    """What policies are judged on, of the plan with this fingerprint. ``decided``: conflicts that people decided.
    ``policies``: the digest of the policies for which rows were looked at.
    """

    fingerprint: str
    tables: tuple[ChangedTable, ...]
    stale_reads: tuple[str, ...] = ()
    conflicts: int = 0
    decided: int = 0
    spot_rows: tuple[SpotRow, ...] = ()
    policies: str = ""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def facts_read(document: Mapping[str, Any]) -> PlanFacts:
    """The facts that ``as_json`` wrote."""
    tables = tuple(_table_read(table) for table in document["tables"])
    rows = tuple(SpotRow(**row) for row in document["spot_rows"])
    return PlanFacts(**{**document, "tables": tables, "spot_rows": rows, "stale_reads": tuple(document["stale_reads"])})


def _table_read(document: Mapping[str, Any]) -> ChangedTable:
    lists = {name: tuple(document[name]) for name in ("names", "operations", "dropped_columns", "uncounted")}
    found = document["looked_at"]
    looked_at = found and LookedAt(
        found["emptied"], {key: RowFinding(**value) for key, value in found["rules"].items()}, found["problem"]
    )
    return ChangedTable(**{**document, **lists, "looked_at": looked_at})


# -- the judgement ----------------------------------------------------------------------------------------------------


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
    message = f"No policy lets this merge through, so it waits for {_people(asked, ())}: {names}."
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
        text += f", who looks at {_counted(policy.spot_check, 'drawn row')}." if policy.spot_check else "."
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
    return _counted(count, "approval") + (f" by {' or '.join(approvers)}" if approvers else "")


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def _reasons(policy: Policy, facts: PlanFacts, at: datetime) -> Iterator[Reason]:
    """Each limit of the policy with what the plan is beside it. What a person decided waits for a person."""
    found = facts.conflicts + facts.decided
    yield Reason("conflicts", not found, f"it has {_counted(found, 'conflict')}, decided ones too")
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
        yield Reason("spot_check", not problem, problem or f"{_counted(drawn, 'changed row')} drawn to be looked at")


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
    for table in tables:
        assert table.looked_at is not None
        found = table.looked_at.rules.get(rule.key)
        if found is None or found.problem:
            why = found.problem if found else "it was not asked of the rows"
            return Reason(name, False, f"the rule {rule.condition} has no answer in {table.name}: {why}")
        if found.rows:
            does = "does" if found.rows == 1 else "do"
            rows = f"{_counted(found.rows, 'row')} of {table.name}"
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
    return Reason(limit, count <= most, f"it has {_counted(count, what)}, and {most:,} is the most")


def _of_names(limit: str, others: Sequence[str], does: str, fine: str) -> Reason:
    shown = ", ".join(others[:3]) + (f" and {len(others) - 3} more" if len(others) > 3 else "")
    return Reason(limit, not others, f"{does} {shown}" if others else fine)
