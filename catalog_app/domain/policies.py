"""Merge policies: which merges go without a person and which need whom. A rule of protection holds some in order. Pure.

``policy_judgement`` judges them on the plan of a merge.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, time
from fnmatch import fnmatchcase
from typing import Any
from zoneinfo import ZoneInfo

from catalog_app.domain.plan_facts import ChangedTable

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
