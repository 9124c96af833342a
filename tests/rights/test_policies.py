"""Merge policies, judged as values: no database."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from catalog_app.domain.plan_facts import ChangedTable, LookedAt, PlanFacts, RowFinding, SpotRow, facts_read
from catalog_app.domain.policies import Hours, Policy, PolicySet, RowRule
from catalog_app.domain.policy_judgement import policy_judge
from catalog_app.domain.protection import Change, MergeAuthority, Protection, protection_refusal, strictest
from catalog_app.domain.roles import Role
from lakeui.common.errors import InvalidValue
from merge_app.comparison.row_rules import RowPair, condition_check, emptied_count, rule_ask

AT = datetime(2026, 11, 27, 12, 0, tzinfo=UTC)
"""A Friday."""
RULE = RowRule("new.price <= old.price * 1.1", ("shop.*",), ("update",))
TABLE = ChangedTable(
    ("shop.items",),
    ("update",),
    updated=4,
    rows_before=100,
    looked_at=LookedAt(0, {RULE.key: RowFinding(0)}),
)
FACTS = PlanFacts("f" * 64, (TABLE,))
ANY = Policy("any")


def verdict(policy: Policy, facts: PlanFacts = FACTS, at: datetime = AT, approvals: int = 1) -> Any:
    return policy_judge(PolicySet("main", 3, (policy,), approvals, 7), facts, at)


def table(**changes: Any) -> PlanFacts:
    return replace(FACTS, tables=(replace(TABLE, **changes),))


@pytest.mark.parametrize(
    ("policy", "within", "beyond", "why"),
    [
        (Policy("p", tables=("shop.*",)), FACTS, table(names=("hr.pay",)), "it changes hr.pay"),
        (Policy("p", tables=("shop.*",)), FACTS, table(names=("hr.pay", "shop.items")), "it changes shop.items"),
        (Policy("p", tables=("shop.i*",)), FACTS, table(names=("shop.*",)), "it changes shop.*"),
        (Policy("p", operations=("insert", "update")), FACTS, table(operations=("drop", "update")), "it holds drop"),
        (Policy("p", max_rows=4), FACTS, table(updated=5), "it has 5 changed rows, and 4 is the most"),
        (Policy("p", max_rows=4), FACTS, table(uncounted=("overwrite",)), "nothing counts the rows that overwrite"),
        (Policy("p", max_deleted=0), FACTS, table(deleted=1), "it has 1 deleted row, and 0 is the most"),
        (Policy("p", max_share=0.04), FACTS, table(updated=5), "it changes 5.00% of shop.items, and 4.00% is"),
        (Policy("p", max_share=0.5), FACTS, table(rows_before=0), "it changes 100.00%"),
        (Policy("p", max_dropped_columns=0), FACTS, table(dropped_columns=("price",)), "it has 1 dropped column"),
        (Policy("p", max_emptied=0), FACTS, table(looked_at=LookedAt(2)), "it has 2 emptied values"),
        (Policy("p", max_emptied=0), FACTS, table(looked_at=None), "were not looked at"),
        (Policy("p", max_emptied=0), FACTS, table(looked_at=LookedAt(problem="too many")), "too many"),
        (
            Policy("p", rules=(RULE,)),
            FACTS,
            table(looked_at=LookedAt(0, {RULE.key: RowFinding(2, 'row {"id":1}')})),
            '2 rows of shop.items do not fulfil new.price <= old.price * 1.1, such as row {"id":1}',
        ),
        (Policy("p", rules=(RULE,)), FACTS, table(looked_at=LookedAt(0, {})), "it was not asked of the rows"),
        (
            Policy("p", rules=(RULE,)),
            table(names=("hr.pay",), looked_at=LookedAt()),
            table(looked_at=LookedAt(0, {RULE.key: RowFinding(4, problem="there is no column price")})),
            "there is no column price",
        ),
        (Policy("p", refuse_stale_reads=True), FACTS, replace(FACTS, stale_reads=("d.t",)), "stale reads of d.t"),
        (Policy("p", spot_check=2), FACTS, table(looked_at=LookedAt(problem="it is dropped")), "it is dropped"),
        (ANY, FACTS, replace(FACTS, conflicts=1), "it has 1 conflict"),
        (ANY, FACTS, replace(FACTS, decided=1), "it has 1 conflict"),
    ],
)
def test_each_limit_passes_what_fits_and_explains_excess(
    policy: Policy, within: PlanFacts, beyond: PlanFacts, why: str
) -> None:
    assert verdict(policy, within).policy == policy.name
    found = verdict(policy, beyond)
    assert (found.policy, found.required_approvals) == ("", 1)
    assert why in found.message
    assert [reason.is_met for reason in found.judgements[0].reasons].count(False) == 1


@pytest.mark.parametrize(
    ("hours", "at", "holds"),
    [
        (Hours("08:00", "18:00"), AT, True),
        (Hours("08:00", "12:00"), AT, False),
        (Hours("12:00", "13:00", days=("fri",)), AT, True),
        (Hours("12:00", "13:00", days=("sat",)), AT, False),
        (Hours("20:00", "22:00", "Asia/Tokyo"), AT, True),
        (Hours("22:00", "06:00", days=("fri",)), AT.replace(day=28, hour=5), True),
        (Hours("22:00", "06:00", days=("sat",)), AT.replace(day=28, hour=5), False),
        (Hours("22:00", "06:00"), AT, False),
    ],
)
def test_hours_have_a_zone_and_may_pass_midnight(hours: Hours, at: datetime, holds: bool) -> None:
    assert hours.holds(at) is holds
    assert bool(verdict(replace(ANY, hours=hours), at=at).policy) is holds


def test_first_policy_passing_plan_says_what_it_needs() -> None:
    policies = (Policy("tiny", max_rows=1), Policy("small", max_rows=9, approvals=2, approvers=("bob",)), ANY)
    found = policy_judge(PolicySet("main", 3, policies, 5), FACTS, AT)
    assert (found.policy, found.required_approvals, found.approvers, found.version) == ("small", 2, ("bob",), 3)
    assert found.message == "Policy small lets this merge through with 2 approvals by bob."
    assert [item.policy for item in found.judgements] == ["tiny", "small"]
    assert not found.is_fulfilled(["carol", "dora"])
    assert json.loads(json.dumps(found.as_json()))["judgements"][0]["reasons"][1]["limit"] == "max_rows"


def test_unpassed_or_unjudged_plan_waits_for_people() -> None:
    assert verdict(Policy("p", max_rows=0), approvals=0).required_approvals == 1
    assert verdict(Policy("p", max_rows=0), approvals=3).required_approvals == 3
    unknown = policy_judge(PolicySet("main", 1, (ANY,)), None, AT)
    assert (unknown.policy, unknown.required_approvals, unknown.is_judged) == ("", 1, False)


@pytest.mark.parametrize("policy", [Policy("p", spot_check=2), Policy("p", approvers=("bob",))])
def test_spot_check_and_named_people_need_a_person(policy: Policy) -> None:
    assert verdict(policy).required_approvals == 1


def test_policies_of_several_rules_must_each_be_met() -> None:
    mild = Protection(("*",), policies=(PolicySet("*", 1, (ANY,)),))
    strict = Protection(("main",), policies=(PolicySet("main", 1, (Policy("p", max_rows=1),), 2),))
    both = strictest([mild, strict])
    assert both is not None
    assert both.takes_requests
    authority = MergeAuthority(7, 1, approvers=frozenset({"bob"}), facts=FACTS, at=AT)
    refusal = protection_refusal(both, Change.MERGE, Role.OWNER, authority)
    assert refusal is not None
    assert "No policy lets this merge through, so it needs 2 approvals: p (it has 4 changed rows" in refusal.reason
    assert protection_refusal(mild, Change.MERGE, Role.OWNER, replace(authority, approvers=frozenset())) is None
    assert protection_refusal(mild, Change.MERGE, Role.OWNER, replace(authority, facts=None, approvers=frozenset()))


def test_facts_come_back_from_their_stored_json() -> None:
    facts = replace(
        FACTS, stale_reads=("d.t",), spot_rows=(SpotRow("shop.items", "update", "1", {"a": 1}, {"a": None}),)
    )
    assert facts_read(json.loads(json.dumps(facts.as_json()))) == facts
    assert facts_read(json.loads(json.dumps(table(looked_at=None).as_json()))) == table(looked_at=None)


def test_twelve_policies_judge_hundred_tables_in_fifty_milliseconds() -> None:
    facts = replace(FACTS, tables=tuple(replace(TABLE, names=(f"shop.t{n}",)) for n in range(100)))
    policies = tuple(
        Policy(
            f"p{n}",
            tables=("shop.*",),
            operations=("update",),
            max_rows=10_000,
            max_share=0.5,
            max_deleted=0,
            max_emptied=0,
            max_dropped_columns=0,
            refuse_stale_reads=True,
            rules=(RULE,),
            hours=Hours("12:30", "13:00", "Europe/Berlin"),
        )
        for n in range(12)
    )
    took = []
    for _ in range(5):
        began = time.perf_counter()
        found = policy_judge(PolicySet("main", 1, policies), facts, AT)
        took.append(time.perf_counter() - began)
    assert len(found.judgements) == 12
    assert min(took) < 0.05


# -- conditions over old and new values -------------------------------------------------------------------------------

TYPES = {"id": "int", "price": "decimal(10,2)", "name": "string", "day": "date", "ok": "boolean"} | {
    "tags": "array<int>",
    "code": "char(5)",
}
OLD = {"id": 1, "price": "10.00", "name": "Tea", "day": "2026-01-01", "ok": True, "tags": [1]}
ROWS = [
    RowPair("1", OLD, {**OLD, "price": "11.00"}),
    RowPair("2", OLD, {**OLD, "price": "11.01", "name": None}),
    RowPair("3", None, OLD),
    RowPair("4", OLD, None),
]


@pytest.mark.parametrize(
    ("condition", "changes", "rows", "example"),
    [
        ("new.price <= old.price * 1.1", ("update",), 1, "row 2"),
        ("NEW.Price <= OLD.`price` * 1.1", ("insert", "update", "delete"), 3, "row 2"),
        ("old.price IS NULL OR new.price <= old.price * 1.1", ("insert", "update"), 1, "row 2"),
        ("new.name IS NOT NULL", ("insert", "update"), 1, "row 2"),
        ("new.name <=> old.name", ("update",), 1, "row 2"),
        ("new.day >= '2026-01-01' AND new.ok", ("insert",), 0, ""),
        ("new.ok", ("insert",), 0, ""),
        ("length(new.name) = 3 AND upper(new.name) IN ('TEA')", ("insert",), 0, ""),
        ("coalesce(new.price, 0) BETWEEN 1 AND 12", ("update",), 0, ""),
        ("CASE WHEN new.id = 1 THEN old.name LIKE 'T%' ELSE false END", ("update",), 0, ""),
        ("new.id = 1", ("delete",), 1, "row 4"),
    ],
)
def test_condition_applies_to_rows_changed_that_way(
    condition: str, changes: tuple[str, ...], rows: int, example: str
) -> None:
    condition_check(condition)
    assert rule_ask(condition, changes, ROWS, TYPES) == RowFinding(rows, example)


@pytest.mark.parametrize(
    ("condition", "why"),
    [
        ("new.missing = 1", "there is no column missing"),
        ("new.tags = 1", "the column tags is array<int>"),
        ("new.name > 3", "Cannot compare"),
        ("new.code <> 'bad'", "the column code is char(5)"),
    ],
)
def test_unanswerable_condition_says_why_and_fails_every_row(condition: str, why: str) -> None:
    found = rule_ask(condition, ("update",), ROWS, TYPES)
    assert (found.rows, why in found.problem) == (2, True), found.problem


@pytest.mark.parametrize(
    ("condition", "named"),
    [
        ("price < 1", "price is neither of old nor of new"),
        ("other.price < 1", "other.price is neither"),
        ("new.price < (SELECT 1)", "(SELECT 1)"),
        ("read_text('/etc/passwd') = new.name", "/etc/passwd"),
        ("new.price < rand()", "RAND()"),
        ("new.a.b < 1", "new.a.b"),
        ("1 = 1; DROP TABLE changed", "DROP TABLE changed"),
        ("SELECT 1", "SELECT 1"),
        ("new.price <", "not understood"),
        (" ", "1 to 2000 characters"),
        ("new.day < current_date()", "CURRENT_DATE"),
        (r"new.name LIKE 'a\\%'", "A backslash in new.name LIKE"),
    ],
)
def test_unknown_parts_of_condition_are_refused_by_name(condition: str, named: str) -> None:
    with pytest.raises(InvalidValue) as refusal:
        condition_check(condition)
    assert named in refusal.value.message


def test_emptied_values_are_those_of_rows_that_stay() -> None:
    assert emptied_count(ROWS) == 1
