"""Owners of tables: asked for reviews, and required where the rule says so."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group

from catalog_app.domain.roles import Role
from catalog_app.models import Agent, GroupRole
from catalog_app.selectors.snapshots import catalog_get
from lakeui.common.errors import BranchProtected
from lakeui.tasks.merge_requests import policies_notify
from merge_app.audit.models import MergeAttempt
from merge_app.review.verification import audit_verify
from tests.api.sql.test_statements import problem
from tests.review.conftest import ReviewLake
from tests.review.test_merge_policies import approval, asked, change, detail, judged, protect, run_merge
from tests.review.test_resolutions import lake
from tests.support.members import join

__all__ = ["lake"]
pytestmark = pytest.mark.usefixtures("no_worker")


def owned(lake: ReviewLake, *owners: dict[str, Any], **rule: Any) -> Any:
    given = {"required_approvals": 0, "require_owner_approval": True, **rule}
    return protect(lake, owners=list(owners), **given)


def codes(lake: ReviewLake) -> list[str]:
    return [item["code"] for item in detail(lake)["blockers"]]


def group_of(lake: ReviewLake, name: str, *members: str) -> Group:
    group = Group.objects.create(name=name)
    GroupRole.objects.create(catalog=catalog_get(lake.catalog), group=group, role=Role.REVIEWER.value)
    for member in members:
        lake.people[member].user.groups.add(group)
    return group


def test_a_merge_waits_for_a_table_owner(lake: ReviewLake) -> None:
    owned(lake, {"pattern": "d.*", "people": ["bob"]})
    number = asked(lake)
    assert codes(lake) == ["POLICY_MISSING"]
    judged()
    shown = detail(lake, number)
    assert (shown["reviewers"], codes(lake)) == (["bob"], ["OWNER_MISSING"])
    assert shown["blockers"][0]["message"] == "d.r: an approval of an owner is missing (bob)."
    assert lake.post("carol", "1/reviews/", approval(lake)).status_code == 201
    assert codes(lake) == ["OWNER_MISSING"]
    problem(run_merge(lake), 409, "MERGE_BLOCKED")
    assert lake.post("bob", "1/reviews/", approval(lake)).status_code == 201
    (entry,) = detail(lake)["owners"]
    assert (entry["tables"], entry["approved_by"], detail(lake)["state"]) == (["d.r"], ["bob"], "approved")
    merged = run_merge(lake)
    assert merged.state == "succeeded", merged.error
    record = MergeAttempt.objects.get(outcome="merged")
    assert [(item["pattern"], item["approved_by"]) for item in record.body["owners"]] == [("d.*", ["bob"])]
    assert detail(lake)["owners"] == record.body["owners"]
    assert audit_verify(record.catalog) == []


def test_older_plan_approvals_count_for_no_owner(lake: ReviewLake) -> None:
    owned(lake, {"pattern": "d.*", "people": ["bob"]})
    asked(lake)
    judged()
    assert lake.post("bob", "1/reviews/", approval(lake)).status_code == 201
    assert codes(lake) == []
    lake.write("INSERT INTO d.r VALUES (3, 'more')", "alice", "c")
    assert codes(lake) == ["POLICY_MISSING"]
    policies_notify()
    judged()
    assert codes(lake) == ["OWNER_MISSING"]


def test_owners_are_asked_as_request_and_rule_change(lake: ReviewLake) -> None:
    rule = owned(lake, {"pattern": "e.**", "people": ["bob"]}, require_owner_approval=False)
    asked(lake)
    judged()
    assert (detail(lake)["reviewers"], codes(lake)) == ([], [])
    lake.write("CREATE DATABASE e", "alice", "c")
    policies_notify()
    judged()
    assert (detail(lake)["reviewers"], codes(lake)) == (["bob"], [])
    assert lake.patch("alice", "1/", {"reviewers": ["carol"]}).status_code == 200
    assert detail(lake)["reviewers"] == ["bob", "carol"]
    group_of(lake, "stewards", "dora")
    owners = [{"pattern": "e.*", "people": [], "groups": ["stewards"]}]
    assert change(lake, rule, owners=owners).status_code == 200
    policies_notify()
    assert detail(lake)["reviewers"] == ["carol", "dora"]
    assert change(lake, rule, owners=[]).status_code == 200
    policies_notify()
    assert detail(lake)["reviewers"] == ["carol"]


def test_who_leaves_the_group_owns_nothing_at_once(lake: ReviewLake) -> None:
    group = group_of(lake, "stewards", "bob")
    owned(lake, {"pattern": "d.r", "groups": ["stewards"]})
    asked(lake)
    judged()
    assert detail(lake)["blockers"][0]["message"].endswith("(a member of stewards).")
    assert lake.post("bob", "1/reviews/", approval(lake)).status_code == 201
    assert codes(lake) == []
    lake.people["bob"].user.groups.remove(group)
    assert codes(lake) == ["OWNER_MISSING"]
    problem(run_merge(lake), 409, "MERGE_BLOCKED")


def test_a_renamed_table_keeps_its_owner(lake: ReviewLake) -> None:
    owned(lake, {"pattern": "d.r", "people": ["bob"]})
    asked(lake, "ALTER TABLE d.r RENAME TO q")
    judged()
    assert codes(lake) == ["OWNER_MISSING"]


def test_a_catalog_owner_bypasses_with_a_reason(lake: ReviewLake) -> None:
    owned(lake, {"pattern": "d.*", "people": ["bob"]})
    asked(lake)
    judged()
    merged = run_merge(lake, by="dora", bypass_reason="Bob is ill")
    assert merged.state == "succeeded", merged.error
    assert MergeAttempt.objects.filter(kind="bypass").count() == 1


@pytest.mark.parametrize(
    "owners",
    [
        {"pattern": "d", "people": ["bob"]},
        {"pattern": "d.[ab]", "people": ["bob"]},
        {"pattern": "d.*", "people": ["mallory"]},
        {"pattern": "d.*", "people": ["nobody"]},
        {"pattern": "d.*", "people": ["robot"]},
        {"pattern": "d.*", "people": ["alice"]},
        {"pattern": "d.*", "groups": ["strangers"]},
    ],
)
def test_who_cannot_review_owns_nothing(lake: ReviewLake, owners: dict[str, Any]) -> None:
    robot = type(lake.people["bob"].user).objects.create_user("robot")
    join(robot, lake.catalog, Role.OWNER)
    Agent.objects.create(user=robot, owner=lake.people["dora"].user, purpose="Cleans")
    Group.objects.create(name="strangers")
    body = {"pattern": "main", "owners": [owners]}
    problem(lake.people["dora"].post(f"{lake.address}protection-rules/", body), 400, "INVALID_VALUE")


def test_only_owners_of_the_catalog_name_owners(lake: ReviewLake) -> None:
    rule = owned(lake, {"pattern": "d.*", "people": ["bob"]})
    for name in ("alice", "bob", "victor"):
        problem(change(lake, rule, by=name, owners=[]), 403, "PERMISSION_DENIED")
    problem(change(lake, rule, by="mallory", owners=[]), 404, "NOT_FOUND")


def test_a_direct_merge_is_refused_where_owners_approve(lake: ReviewLake) -> None:
    owned(lake, {"pattern": "e.*", "people": ["bob"]}, refuse_direct_merges=False)
    lake.write("INSERT INTO d.r VALUES (2, 'new')", "alice", "c")
    with pytest.raises(BranchProtected):
        lake.write("MERGE BRANCH c", "alice")
