"""Owners of tables, judged as values: no database."""

from __future__ import annotations

import pytest

from catalog_app.domain.owners import OwnerEntry, OwnerSet, owners_judge, pattern_fault
from catalog_app.domain.plan_facts import ChangedTable, PlanFacts
from catalog_app.domain.protection import Change, MergeAuthority, Protection, protection_refusal, strictest
from catalog_app.domain.roles import Role

ADA, BOB, NONE = ("ada",), ("bob",), ()


def changed(*names: str, is_database: bool = False) -> PlanFacts:
    return PlanFacts("f" * 64, (ChangedTable(names, ("update",), is_database=is_database),))


def owned(*entries: tuple[str, tuple[str, ...]], is_required: bool = True) -> OwnerSet:
    return OwnerSet("main", 1, tuple(OwnerEntry(pattern, people) for pattern, people in entries), is_required)


def asked(facts: PlanFacts, *entries: tuple[str, tuple[str, ...]]) -> list[str]:
    return [verdict.entry.pattern for verdict in owners_judge([owned(*entries)], facts)]


@pytest.mark.parametrize(
    ("pattern", "name", "matches"),
    [
        ("sales.*", "sales.orders", True),
        ("SALES.Orders", "sales.orders", True),
        ("sales.*", "sales2.orders", False),
        ("*.customers", "crm.customers", True),
        ("*.customers", "crm.old_customers", False),
        ("hr.**", "hr.pay", True),
        ("s?les.order?", "sales.orders", True),
        ("sales.order", "sales.orders", False),
        ("sales.a+b", "sales.aab", False),
        ("sales.*", "sales.a.b", True),
    ],
)
def test_pattern_matches_database_and_table(pattern: str, name: str, matches: bool) -> None:
    assert bool(asked(changed(name), (pattern, ADA))) is matches


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("sales", "it names no table"),
        ("sales.", "one of its two parts is empty"),
        (".orders", "one of its two parts is empty"),
        ("a.b.c", "it has more than two parts"),
        ("sales.[ab]", "'[' has no meaning in it"),
        ("sales.a b", "' ' has no meaning in it"),
        ("!sales.a", "'!' has no meaning in it"),
        ("**.a", "** stands for all tables"),
        ("sales.a**", "** stands for all tables"),
    ],
)
def test_what_is_not_understood_has_a_reason(pattern: str, why: str) -> None:
    assert why in pattern_fault(pattern)


def test_of_a_table_the_last_entry_counts() -> None:
    entries = (("*.*", ADA), ("sales.*", BOB), ("sales.drafts", NONE))
    assert asked(changed("hr.pay"), *entries) == ["*.*"]
    assert asked(changed("sales.orders"), *entries) == ["sales.*"]
    assert asked(changed("sales.drafts"), *entries) == []


def test_rename_still_asks_owner_of_old_name() -> None:
    assert asked(changed("hr.pay", "x.y"), ("hr.*", ADA), ("x.*", BOB)) == ["hr.*", "x.*"]
    assert asked(changed("hr.pay", "x.y"), ("hr.*", ADA), ("x.*", NONE)) == ["hr.*"]


def test_database_change_asks_owners_of_its_tables() -> None:
    database = changed("hr.*", "x.*", is_database=True)
    assert asked(database, ("hr.pay", ADA)) == ["hr.pay"]
    assert asked(database, ("hr.pay", ADA), ("hr.*", BOB)) == ["hr.*"]
    assert asked(database, ("hr.*", BOB), ("hr.pay", ADA)) == ["hr.*", "hr.pay"]
    assert asked(database, ("other.*", ADA)) == []


def test_protected_branch_waits_for_owner_of_each_table() -> None:
    rule = Protection(("main",), owners=(owned(("hr.*", ADA), ("sales.*", BOB)),))
    facts = PlanFacts("f" * 64, (*changed("hr.pay").tables, *changed("sales.orders").tables))

    def refusal(approvers: set[str], known: PlanFacts | None = facts) -> str:
        authority = MergeAuthority(1, len(approvers), approvers=frozenset(approvers), facts=known)
        found = protection_refusal(rule, Change.MERGE, Role.OWNER, authority)
        return found.reason if found else ""

    assert "sales.orders: an approval of an owner is missing (bob)" in refusal({"ada"})
    assert "hr.pay" in refusal({"bob", "carol"})
    assert refusal({"ada", "bob"}) == ""
    assert "not known of this plan" in refusal({"ada", "bob"}, None)
    assert refusal({"ada", "bob"}, changed("other.t")) == ""
    assert protection_refusal(rule, Change.MERGE, Role.OWNER) is not None


def test_owners_who_are_only_asked_refuse_nothing() -> None:
    rule = Protection(("main",), owners=(owned(("*.*", ADA), is_required=False),))
    authority = MergeAuthority(1, 0, facts=None)
    assert protection_refusal(rule, Change.MERGE, Role.OWNER, authority) is None
    assert (rule.takes_requests, rule.judges_plans) == (False, True)


def test_owners_of_each_of_several_rules_are_asked() -> None:
    found = strictest([Protection((item,), owners=(owned((f"{item}.*", ADA)),)) for item in ("a", "b")])
    assert found is not None
    assert [entry.pattern for item in found.owners for entry in item.entries] == ["a.*", "b.*"]
