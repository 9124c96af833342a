"""What a protection asks, judged as a value: no database."""

from __future__ import annotations

from dataclasses import replace

import pytest

from catalog_app.domain.protection import (
    Change,
    MergeAuthority,
    Protection,
    may_bypass,
    pattern_matches,
    protection_refusal,
    strictest,
)
from catalog_app.domain.roles import RIGHTS, Action, Principal, Role, Scope, may, scope_allows

OPEN = Protection(("*",))
STRICT = Protection(
    ("main",),
    required_approvals=2,
    required_checks=frozenset({"no nulls"}),
    merge_role=Role.MAINTAINER,
    refuse_direct_writes=True,
    refuse_direct_merges=True,
    refuse_deletion=True,
    allow_queue_unchanged=False,
    allow_bypass=False,
)


@pytest.mark.parametrize(
    ("pattern", "name", "matches"),
    [
        ("main", "main", True),
        ("main", "MAIN", True),
        ("main", "mainline", False),
        ("release/*", "release/2.0", True),
        ("release/*", "release/2/hotfix", True),
        ("release/*", "Release/", True),
        ("release/*", "prerelease/1", False),
        ("v?", "v1", True),
        ("v?", "v12", False),
        ("v[12]", "v2", True),
        ("v[!12]", "v2", False),
        ("*", "anything/at all", True),
    ],
)
def test_patterns_match_names_as_documented(pattern: str, name: str, matches: bool) -> None:
    assert pattern_matches(pattern, name) is matches


def test_strictest_of_several_rules_holds_for_each_field() -> None:
    other = replace(OPEN, required_approvals=3, required_checks=frozenset({"fresh"}), merge_role=Role.OWNER)
    other = replace(other, required_statuses=frozenset({"ci/tests"}))
    found = strictest([STRICT, other])
    assert found == replace(
        STRICT,
        patterns=("main", "*"),
        required_approvals=3,
        required_checks=frozenset({"no nulls", "fresh"}),
        required_statuses=frozenset({"ci/tests"}),
        merge_role=Role.OWNER,
    )


def test_without_a_rule_there_is_no_protection() -> None:
    assert strictest([]) is None


@pytest.mark.parametrize("change", Change)
@pytest.mark.parametrize("role", [Role.CONTRIBUTOR, Role.REVIEWER, Role.MAINTAINER, Role.OWNER])
def test_an_open_rule_refuses_nothing(change: Change, role: Role) -> None:
    assert protection_refusal(OPEN, change, role) is None


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("change", [Change.WRITE, Change.DELETION, Change.MERGE])
def test_strict_rule_refuses_direct_changes_of_every_role(change: Change, role: Role) -> None:
    assert protection_refusal(STRICT, change, role) is not None


@pytest.mark.parametrize(
    ("role", "approvals", "checks", "refused"),
    [
        (Role.MAINTAINER, 2, {"no nulls"}, None),
        (Role.MAINTAINER, 2, {"no nulls", "another"}, None),
        (Role.MAINTAINER, 1, {"no nulls"}, "2 approvals"),
        (Role.MAINTAINER, 2, {"another"}, "no nulls"),
        (Role.REVIEWER, 2, {"no nulls"}, "role maintainer"),
        (None, 2, {"no nulls"}, "role maintainer"),
    ],
)
def test_request_passes_with_all_the_rule_asks(
    role: Role | None, approvals: int, checks: set[str], refused: str | None
) -> None:
    refusal = protection_refusal(STRICT, Change.MERGE, role, MergeAuthority(7, approvals, frozenset(checks)))
    assert refusal is None if refused is None else refusal is not None and refused in refusal.reason


@pytest.mark.parametrize(
    "rule",
    [
        replace(OPEN, required_approvals=1),
        replace(OPEN, required_checks=frozenset({"fresh"})),
        replace(OPEN, required_statuses=frozenset({"ci"})),
    ],
)
def test_rule_asking_approvals_or_checks_refuses_direct_merges(rule: Protection) -> None:
    assert protection_refusal(rule, Change.MERGE, Role.OWNER) is not None


@pytest.mark.parametrize("change", [Change.WRITE, Change.DELETION, Change.NAMING])
def test_an_approved_request_opens_nothing_but_its_merge(change: Change) -> None:
    authority = MergeAuthority(7, 9, frozenset({"no nulls"}))
    assert protection_refusal(STRICT, change, Role.CONTRIBUTOR, authority) is not None


@pytest.mark.parametrize("role", Role)
def test_only_owners_bypass_and_only_where_rule_allows(role: Role) -> None:
    assert may_bypass(OPEN, role) is (role is Role.OWNER)
    assert may_bypass(STRICT, role) is False


def test_roles_are_ordered_from_viewer_to_owner() -> None:
    assert sorted(Role, reverse=True)[0] is Role.OWNER
    assert Role.VIEWER < Role.CONTRIBUTOR < Role.REVIEWER < Role.MAINTAINER < Role.OWNER
    assert not may(None, Action.READ)


@pytest.mark.parametrize("action", Action)
def test_role_has_all_rights_of_roles_before_it(action: Action) -> None:
    allowed = [may(role, action) for role in Role]
    assert allowed == sorted(allowed)
    assert allowed[-1]


def test_token_reads_and_does_what_its_scopes_say() -> None:
    reader = Principal(1, "alice", scopes=frozenset())
    assert [action for action in Action if scope_allows(reader, action)] == [
        action for action in Action if RIGHTS[action].scope is Scope.READ
    ]
    assert all(scope_allows(Principal(1, "alice", scopes=frozenset(Scope)), action) for action in Action)
