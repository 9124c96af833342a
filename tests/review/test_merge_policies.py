"""Merge policies of a protection rule: judged on the plan, explained, recorded, and merging where they say so."""

from __future__ import annotations

from typing import Any

import pytest

from catalog_app.domain.roles import Role
from catalog_app.models import Agent, Commit, ProtectionRule
from lakeui.tasks.merge_requests import POLICY_KIND, policies_notify
from merge_app.audit.models import MergeAttempt
from merge_app.jobs.models import Task
from merge_app.jobs.runner import task_run
from merge_app.review.models import MergeRequest
from merge_app.review.verification import audit_verify
from tests.api.sql.test_statements import problem
from tests.review.conftest import ReviewLake
from tests.review.test_resolutions import lake, rows
from tests.support.members import join

__all__ = ["lake"]
pytestmark = pytest.mark.usefixtures("no_worker")
SMALL = {"name": "small", "tables": ["d.r"], "operations": ["insert", "update"], "max_rows": 2, "max_emptied": 0}


def protect(lake: ReviewLake, *policies: dict[str, Any], by: str = "dora", **rule: Any) -> Any:
    """The rule of main with these policies, through the interface."""
    given = {
        "pattern": "main",
        "merge_role": "contributor",
        "refuse_direct_writes": False,
        "policies": policies,
        **rule,
    }
    made = lake.people[by].post(f"{lake.address}protection-rules/", given)
    assert made.status_code == 201, made.content
    return made.json()


def change(lake: ReviewLake, rule: Any, by: str = "dora", **fields: Any) -> Any:
    caller, address = lake.people[by], f"{lake.address}protection-rules/{rule['id']}/"
    return caller.client.patch(address, fields, content_type="application/json", headers=caller._all({}))


def asked(lake: ReviewLake, statement: str = "INSERT INTO d.r VALUES (2, 'new')") -> int:
    """Alice changes c and asks for it; the number of the request."""
    lake.write(statement, "alice", "c")
    made = lake.post("alice", "", {"source": "c", "destination": "main", "title": "A change"})
    assert made.status_code == 201, made.content
    return int(made.json()["number"])


def judged() -> list[Task]:
    """Run what was rung for, as a worker would."""
    done = []
    while (task := Task.objects.filter(state="queued", kind=POLICY_KIND).order_by("created_at").first()) is not None:
        task_run(task_id=task.pk, worker="policies")
        task.refresh_from_db()
        done.append(task)
    return done


def detail(lake: ReviewLake, number: int = 1) -> Any:
    return lake.detail(MergeRequest.objects.get(number=number))


def spot_code(lake: ReviewLake, who: str, number: int = 1) -> str:
    """The code that the person reads beside the rows that were drawn."""
    return str(lake.people[who].get(f"{lake.address}merge-requests/{number}/").json()["spot_code"])


def approval(lake: ReviewLake, pair: str = "c...main", **fields: Any) -> dict[str, Any]:
    return {"verdict": "approve", "fingerprint": lake.fingerprint(pair), **fields}


def run_merge(lake: ReviewLake, by: str = "alice", number: int = 1, **body: Any) -> Any:
    """The answer, or the task as it ended."""
    answer = lake.post(by, f"{number}/merge/", body, Prefer="respond-async")
    if answer.status_code != 202:
        return answer
    task = Task.objects.get(pk=answer.json()["id"])
    task_run(task_id=task.pk, worker="merge")
    task.refresh_from_db()
    return task


def test_a_permitted_plan_needs_no_person(
    lake: ReviewLake,
) -> None:
    protect(lake, SMALL)
    number = asked(lake)
    assert [item["code"] for item in detail(lake)["blockers"]] == ["POLICY_MISSING"]
    (task,) = judged()
    assert task.state == "succeeded", task.error
    shown = detail(lake, number)
    assert (shown["mergeable"], shown["required_approvals"], shown["state"]) == (True, 0, "open")
    (verdict,) = shown["policies"]
    assert (verdict["policy"], verdict["version"]) == ("small", 1)
    assert verdict["message"] == "Policy small lets this merge through without a person."
    merged = run_merge(lake)
    assert merged.state == "succeeded", merged.error
    assert rows(lake) == [(1, "base"), (2, "new")]
    record = MergeAttempt.objects.get(outcome="merged")
    assert [(item["policy"], item["pattern"], item["version"]) for item in record.body["policies"]] == [
        ("small", "main", 1)
    ]
    assert record.body["policy_facts"]["tables"][0]["names"] == ["d.r"]
    assert detail(lake, number)["policies"][0]["policy"] == "small"
    assert audit_verify(record.catalog) == []


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("INSERT INTO d.r VALUES (2, 'a'), (3, 'b'), (4, 'c')", "it has 3 changed rows, and 2 is the most"),
        ("DELETE FROM d.r WHERE id = 1", "it holds delete"),
        ("UPDATE d.r SET v = NULL WHERE id = 1", "it has 1 emptied value"),
        ("DROP TABLE d.r", "it holds drop"),
        ("INSERT OVERWRITE d.r VALUES (9, 'z')", "it holds overwrite"),
        ("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '2')", "it changes d.t"),
    ],
)
def test_other_plans_wait_for_an_approval(lake: ReviewLake, statement: str, why: str) -> None:
    protect(lake, SMALL)
    number = asked(lake, statement)
    judged()
    shown = detail(lake, number)
    assert [item["code"] for item in shown["blockers"]] == ["APPROVALS_MISSING"]
    assert why in shown["blockers"][0]["message"]
    assert "so it needs 1 approval" in shown["policies"][0]["message"]
    problem(lake.post("alice", f"{number}/merge/", {}), 409, "MERGE_BLOCKED")
    approved = lake.post(
        "bob", f"{number}/reviews/", {"verdict": "approve", "fingerprint": lake.fingerprint("c...main")}
    )
    assert approved.status_code == 201, approved.content
    assert run_merge(lake, number=number).state == "succeeded"


def test_an_approval_does_not_cover_the_next_plan(lake: ReviewLake) -> None:
    protect(lake, {**SMALL, "max_rows": 0})
    asked(lake)
    judged()
    lake.post("bob", "1/reviews/", {"verdict": "approve", "fingerprint": lake.fingerprint("c...main")})
    assert detail(lake)["mergeable"]
    lake.write("INSERT INTO d.r VALUES (7, 'pushed')", "alice", "c")
    policies_notify()
    judged()
    assert (detail(lake)["mergeable"], detail(lake)["approvals"]) == (False, 0)


def test_old_and_new_value_rules_judge_changed_rows(lake: ReviewLake) -> None:
    rule = {"condition": "new.v LIKE 'ok%' AND old.id = new.id"}
    protect(lake, {"name": "ok only", "rules": [{**rule, "changes": ["update"]}]})
    asked(lake, "UPDATE d.r SET v = 'bad' WHERE id = 1")
    judged()
    assert "1 row of d.r does not fulfil new.v LIKE 'ok%'" in detail(lake)["policies"][0]["message"]
    lake.write("UPDATE d.r SET v = 'ok 1' WHERE id = 1", "alice", "c")
    policies_notify()
    judged()
    assert detail(lake)["policies"][0]["policy"] == "ok only"


RENAMED = "ALTER TABLE d.r RENAME TO d.q"
OTHER_V = ("ALTER TABLE d.r RENAME COLUMN v TO w", "ALTER TABLE d.r ADD COLUMN v STRING")
OK_ONLY = {"name": "ok", "rules": [{"condition": "new.v LIKE 'ok%'", "tables": ["d.r"]}]}
NOT_CHANGED = {"name": "same", "rules": [{"condition": "old.v IS NULL OR new.v = old.v"}]}
BAD = "UPDATE d.r SET v = 'bad' WHERE id = 1"


@pytest.mark.parametrize(
    ("policy", "statements", "why"),
    [
        (OK_ONLY, (BAD, RENAMED), "1 row of d.q does not fulfil new.v LIKE 'ok%'"),
        (
            OK_ONLY,
            (BAD, RENAMED, "CREATE TABLE d.r (id INT, v STRING)"),
            "1 row of d.q does not fulfil new.v LIKE 'ok%'",
        ),
        (NOT_CHANGED, (*OTHER_V, BAD), "another column is called v than before"),
        ({"name": "full", "max_emptied": 0}, OTHER_V, "another column is called v than before"),
        (
            {"name": "full", "max_emptied": 0},
            ("INSERT OVERWRITE d.r VALUES (1, NULL)", "ALTER TABLE d.r RENAME TO d.`*`"),
            "nothing counts the rows that overwrite takes",
        ),
    ],
)
def test_renaming_is_no_way_past_a_policy(
    lake: ReviewLake, policy: dict[str, Any], statements: tuple[str, ...], why: str
) -> None:
    protect(lake, policy)
    for statement in statements[:-1]:
        lake.write(statement, "alice", "c")
    asked(lake, statements[-1])
    judged()
    (verdict,) = detail(lake)["policies"]
    assert (verdict["policy"], why in verdict["message"]) == ("", True), verdict["message"]


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        ({"name": "few", "max_rows": 0}, "it has 1 changed row, and 0 is the most"),
        ({"name": "some", "max_share": 0.5}, "it changes 100.00% of d.r"),
        (OK_ONLY, "it is undropped with its rows"),
    ],
)
def test_rows_an_undrop_brings_back_are_new(lake: ReviewLake, policy: dict[str, Any], why: str) -> None:
    lake.write("DROP TABLE d.r", "dora")
    lake.write("MERGE BRANCH main TO c", "alice", "c")
    protect(lake, policy)
    asked(lake, "UNDROP TABLE d.r")
    judged()
    (verdict,) = detail(lake)["policies"]
    assert (verdict["policy"], why in verdict["message"]) == ("", True), verdict["message"]


def test_a_row_rule_is_not_applied_to_databases(lake: ReviewLake) -> None:
    protect(lake, {"name": "ok", "rules": [{"condition": "new.v LIKE 'ok%'"}]})
    asked(lake, "CREATE DATABASE fresh")
    (task,) = judged()
    assert task.state == "succeeded", task.error
    assert detail(lake)["policies"][0]["policy"] == "ok"
    assert run_merge(lake).state == "succeeded"


def test_a_spot_check_draws_the_same_rows(lake: ReviewLake) -> None:
    protect(lake, {"name": "look", "spot_check": 2})
    asked(lake, "INSERT INTO d.r VALUES (2, 'a'), (3, 'b'), (4, 'c')")
    judged()
    shown = detail(lake)
    assert (shown["required_approvals"], len(shown["spot_rows"])) == (1, 2)
    assert {row["change"] for row in shown["spot_rows"]} == {"insert"}
    assert detail(lake)["spot_rows"] == shown["spot_rows"]
    approved = lake.post("bob", "1/reviews/", approval(lake, spot_code=spot_code(lake, "bob")))
    assert approved.status_code == 201, approved.content
    assert run_merge(lake).state == "succeeded"
    record = MergeAttempt.objects.get(outcome="merged")
    assert record.body["policy_facts"]["spot_rows"][:2] == shown["spot_rows"]
    looked_at = sorted([row["table"], row["key"]] for row in shown["spot_rows"])
    assert [(item["reviewer"], item["looked_at"]) for item in record.body["approvals"]] == [("bob", looked_at)]


def test_drawn_rows_are_approved_by_their_reader(lake: ReviewLake) -> None:
    protect(lake, {"name": "look", "spot_check": 1})
    asked(lake, "INSERT INTO d.r VALUES (2, 'a'), (3, 'b')")
    judged()
    for code in ("", spot_code(lake, "carol"), spot_code(lake, "alice")):
        refused = problem(lake.post("bob", "1/reviews/", approval(lake, spot_code=code)), 400, "INVALID_VALUE")
        assert refused["field"] == "spot_code"
    assert lake.post("bob", "1/reviews/", {"verdict": "request_changes"}).status_code == 201
    assert lake.post("bob", "1/reviews/", approval(lake, spot_code=spot_code(lake, "bob"))).status_code == 201
    assert detail(lake)["mergeable"]


def test_rows_a_later_policy_draws_are_examined_too(lake: ReviewLake) -> None:
    rule = protect(lake, {"name": "look", "spot_check": 1})
    asked(lake, "INSERT INTO d.r VALUES (2, 'a'), (3, 'b')")
    judged()
    assert lake.post("bob", "1/reviews/", approval(lake, spot_code=spot_code(lake, "bob"))).status_code == 201
    change(lake, rule, policies=[{"name": "look", "spot_check": 2}])
    policies_notify()
    judged()
    shown = detail(lake)
    assert not shown["mergeable"]
    assert [(vote["counts"], vote["reason"]) for vote in shown["votes"]] == [
        (False, "did not look at the rows that a policy drew")
    ]
    assert lake.post("bob", "1/reviews/", approval(lake, spot_code=spot_code(lake, "bob"))).status_code == 201
    assert detail(lake)["mergeable"]


@pytest.mark.parametrize("limit", [{"max_rows": 0}, {"max_share": 0.5}, {"max_emptied": 5}, {"spot_check": 1}])
@pytest.mark.parametrize("is_brought_back", [False, True])
def test_a_column_filling_all_rows_changes_them_all(
    lake: ReviewLake, limit: dict[str, Any], is_brought_back: bool
) -> None:
    if is_brought_back:
        lake.write("ALTER TABLE d.r DROP COLUMN v", "alice")
        lake.write("CREATE BRANCH c2", "alice")
        head = lake.write("SHOW HISTORY LIMIT 1", "alice").rows[0][0]
        lake.write(f"RESTORE TABLE d.r TO VERSION AS OF {head - 1}", "alice", "c2")
    protect(lake, {"name": "quiet", "operations": ["column"], **limit})
    if is_brought_back:
        made = lake.post("alice", "", {"source": "c2", "destination": "main", "title": "A change"})
        assert made.status_code == 201, made.content
    else:
        asked(lake, "ALTER TABLE d.r ADD COLUMN score INT DEFAULT 7")
    judged()
    (verdict,) = detail(lake)["policies"]
    assert verdict["policy"] == "", verdict
    assert any(
        why in verdict["message"]
        for why in (
            "it has 1 changed row, and 0 is the most",
            "it changes 100.00%",
            "all of its rows show another value",
        )
    ), verdict


def test_only_approvals_of_named_people_count(lake: ReviewLake) -> None:
    protect(lake, {"name": "bob looks", "approvers": ["bob"]})
    asked(lake)
    judged()
    seen = lake.fingerprint("c...main")
    lake.post("carol", "1/reviews/", {"verdict": "approve", "fingerprint": seen})
    assert "by bob. 0 of 1 approval counts." in detail(lake)["blockers"][0]["message"]
    lake.post("bob", "1/reviews/", {"verdict": "approve", "fingerprint": seen})
    assert detail(lake)["mergeable"]


def test_policies_merge_for_agents_as_their_owner(lake: ReviewLake) -> None:
    alice = lake.people["alice"].user
    Agent.objects.create(user=alice, owner=lake.people["dora"].user, purpose="writes")
    protect(lake, {**SMALL, "merges": True})
    lake.write("CREATE BRANCH `agent/alice/x`", "alice")
    lake.write("INSERT INTO d.r VALUES (2, 'agent')", "alice", "agent/alice/x")
    made = lake.post("alice", "", {"source": "agent/alice/x", "destination": "main", "title": "Mine"})
    assert made.status_code == 201, made.content
    problem(lake.post("alice", "1/merge/", {}), 403, "PERMISSION_DENIED")
    (task,) = judged()
    assert (task.state, task.created_by.username) == ("succeeded", "dora"), task.error
    assert rows(lake) == [(1, "base"), (2, "agent")]
    commit = Commit.objects.get(merge_parent__isnull=False)
    assert commit.author_name == "dora"
    record = MergeAttempt.objects.get(outcome="merged")
    assert (record.body["request"]["author"], record.body["policies"][0]["merges"]) == ("alice", True)
    policies_notify()
    assert judged() == []


def test_who_lost_merge_rights_merges_by_no_policy(lake: ReviewLake) -> None:
    protect(lake, {**SMALL, "merges": True})
    join(lake.people["dora"].user, lake.catalog, Role.VIEWER)
    asked(lake)
    (task,) = judged()
    assert task.state == "failed"
    assert MergeAttempt.objects.filter(outcome="merged").count() == 0
    policies_notify()
    assert judged() == [], "what failed is not tried again as it is"


def test_a_changed_policy_is_recorded_versioned_and_rejudged(lake: ReviewLake) -> None:
    rule = protect(lake, SMALL)
    asked(lake)
    judged()
    assert detail(lake)["mergeable"]
    changed = change(lake, rule, policies=[{**SMALL, "max_rows": 0}])
    assert (changed.status_code, changed.json()["version"]) == (200, 2)
    shown = detail(lake)
    assert [item["code"] for item in shown["blockers"]] == ["POLICY_MISSING"]
    policies_notify()
    judged()
    assert "it has 1 changed row, and 0 is the most" in detail(lake)["policies"][0]["message"]
    record = MergeAttempt.objects.filter(kind="settings").latest("number")
    assert [record.body[at]["version"] for at in ("before", "after")] == [1, 2]
    assert [record.body[at]["policies"][0]["max_rows"] for at in ("before", "after")] == [2, 0]
    problem(lake.post("alice", "1/merge/", {}), 409, "MERGE_BLOCKED")


def test_merges_whose_source_moved_wait_for_a_person(lake: ReviewLake) -> None:
    protect(lake, SMALL)
    asked(lake)
    judged()
    lake.write("INSERT INTO d.r VALUES (3, 'x'), (4, 'y')", "alice", "c")
    task = run_merge(lake)
    assert (task.state, task.error["code"]) == ("failed", "MERGE_BLOCKED")
    assert "it has 3 changed rows" in task.error["detail"]
    assert rows(lake) == [(1, "base")]


@pytest.mark.parametrize(
    ("policy", "field"),
    [
        ({"name": "p", "max_row": 1}, "policies[0].max_row"),
        ({"name": "p", "hours": {"begin": "8", "end": "9"}}, None),
        ({"name": "p", "hours": {"begin": "108:00", "end": "09:000"}}, None),
        ({"name": "p", "hours": {"begin": "08:00", "end": "09:00", "zone": "Mars/North"}}, "zone"),
        ({"name": "p", "rules": [{"condition": "new.a < rand()"}]}, "condition"),
        ({"name": "p", "operations": ["vacuum"]}, None),
        ({"name": "p", "max_rows": -1}, None),
        ({}, None),
    ],
)
def test_unknown_policy_parts_are_refused_by_name(lake: ReviewLake, policy: dict[str, Any], field: str | None) -> None:
    given = {"pattern": "main", "policies": [policy]}
    refused = lake.people["dora"].post(f"{lake.address}protection-rules/", given)
    assert refused.status_code == 400, refused.content
    if field:
        assert refused.json()["field"] == field
    rule = protect(lake, SMALL)
    assert change(lake, rule, policies=[policy]).status_code == 400
    assert ProtectionRule.objects.get().policies[0]["name"] == "small"


def test_a_change_gives_omitted_members_their_defaults(lake: ReviewLake) -> None:
    rule = protect(lake, SMALL)
    assert change(lake, rule, policies=[{"name": "other"}]).status_code == 200
    stored = ProtectionRule.objects.get()
    assert (stored.policies[0]["tables"], stored.policies[0]["max_rows"]) == ([], None)
    assert lake.read("branches/main/protection/")["policies"][0]["name"] == "other"
