"""``…/reviews/``: approvals of what was seen, and requests for changes."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, connection, transaction

from catalog_app.models import Agent
from tests.api.sql.test_statements import problem
from tests.review.conftest import ReviewLake


def votes(lake: ReviewLake, number: int = 1) -> dict[str, tuple[bool, bool]]:
    """Of each reviewer, whether the last word counts and whether it is stale."""
    found = lake.read(f"merge-requests/{number}/")["votes"]
    return {vote["reviewer"]: (vote["counts"], vote["is_stale"]) for vote in found}


def test_approval_is_of_the_fingerprint_looked_at(lake: ReviewLake) -> None:
    lake.protect()
    request = lake.open()
    seen = lake.fingerprint()
    response = lake.review("bob", request)
    assert (response.status_code, response.json()["fingerprint"]) == (201, seen)
    detail = lake.detail(request)
    assert (detail["state"], detail["mergeable"], detail["blockers"], detail["approvals"]) == ("approved", True, [], 1)
    assert lake.timeline(request)[1:] == [("reviewed", "", ""), ("state", "open", "approved")]


def test_an_approval_of_another_fingerprint_is_refused(lake: ReviewLake) -> None:
    request = lake.open()
    problem(lake.review("bob", request, fingerprint="0" * 64), 412, "STALE")
    seen = lake.fingerprint()
    lake.write("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '2')", "alice", "b")
    problem(lake.review("bob", request, fingerprint=seen), 412, "STALE")
    problem(lake.post("bob", "1/reviews/", {"verdict": "approve"}), 400, "INVALID_VALUE")
    assert lake.detail(request)["votes"] == []


@pytest.mark.parametrize("branch", ["b", "main"])
def test_moved_head_makes_approvals_stale_and_shows_changes(lake: ReviewLake, branch: str) -> None:
    lake.protect()
    request = lake.open()
    review = lake.review("bob", request).json()["id"]
    lake.write("CREATE DATABASE e", "alice", branch)
    detail = lake.detail(request)
    assert (detail["state"], detail["mergeable"], detail["approvals"], detail["stale_approvals"]) == (
        "open", False, 0, 1,
    )  # fmt: skip
    assert votes(lake) == {"bob": (False, True)}
    assert [entry["state"] for entry in lake.read("merge-requests/?state=open")["results"]] == ["open"]
    assert lake.read("merge-requests/?state=approved")["results"] == []
    changes = lake.read(f"merge-requests/1/reviews/{review}/changes/")
    here, there = ("source", "destination") if branch == "b" else ("destination", "source")
    assert ([commit["statement"] for commit in changes[here]], changes[there]) == (["CREATE DATABASE e"], [])
    assert changes["rules_changed"] is False


def test_a_stale_approval_given_again_counts_again(lake: ReviewLake) -> None:
    lake.protect()
    request = lake.open()
    lake.review("bob", request)
    lake.write("CREATE DATABASE e", "alice")
    lake.review("bob", request)
    assert (lake.detail(request)["state"], votes(lake)) == ("approved", {"bob": (True, False)})


def test_no_author_approves_their_own_request(lake: ReviewLake) -> None:
    request = lake.open(by="bob")
    problem(lake.review("bob", request), 403, "PERMISSION_DENIED")


def test_last_writer_of_source_does_not_count(lake: ReviewLake) -> None:
    lake.protect()
    request = lake.open()
    lake.write("CREATE DATABASE e", "bob", "b")
    lake.review("bob", request)
    detail = lake.detail(request)
    assert (detail["state"], votes(lake)) == ("open", {"bob": (False, False)})
    assert "last to write" in detail["votes"][0]["reason"]
    assert [blocker["code"] for blocker in detail["blockers"]] == ["APPROVALS_MISSING"]
    assert lake.read("merge-requests/")["results"][0]["approvals"] == 0
    lake.review("carol", request)
    assert lake.detail(request)["mergeable"] is True


def test_writers_of_the_parent_branch_do_not_count(lake: ReviewLake) -> None:
    """Else a branch of somebody's own work would do to approve it oneself."""
    lake.protect()
    lake.write("CREATE DATABASE e", "bob", "b")
    lake.write("CREATE BRANCH c FROM b", "alice")
    request = lake.open(source="c")
    lake.review("bob", request, fingerprint=lake.fingerprint("c...main"))
    assert (lake.detail(request)["state"], votes(lake)) == ("open", {"bob": (False, False)})
    assert lake.read("merge-requests/")["results"][0]["approvals"] == 0


def test_writers_of_the_target_may_approve(lake: ReviewLake) -> None:
    lake.protect()
    lake.write("CREATE DATABASE e", "bob")
    lake.write("CREATE BRANCH c", "alice")
    request = lake.open(source="c")
    lake.review("bob", request, fingerprint=lake.fingerprint("c...main"))
    assert votes(lake) == {"bob": (True, False)}


def test_required_approvals_come_from_different_people(lake: ReviewLake) -> None:
    lake.protect(required_approvals=2)
    request = lake.open()
    for _ in range(2):
        lake.review("bob", request)
    assert (lake.detail(request)["state"], lake.detail(request)["required_approvals"]) == ("open", 2)
    lake.review("carol", request)
    assert lake.detail(request)["state"] == "approved"


def test_requested_changes_block_until_that_person_lifts_them(lake: ReviewLake) -> None:
    lake.protect()
    request = lake.open()
    lake.review("carol", request, "request_changes", body="Why **so** many?")
    lake.review("bob", request)
    assert lake.detail(request)["state"] == "changes_requested"
    lake.write("CREATE DATABASE e", "alice", "b")
    lake.review("bob", request)
    assert lake.detail(request)["state"] == "changes_requested"
    lake.review("carol", request, "withdraw")
    detail = lake.detail(request)
    assert (detail["state"], detail["mergeable"]) == ("approved", True)
    texts = [review["body_html"] for review in lake.read("merge-requests/1/reviews/")["results"]]
    assert texts[0] == "<p>Why <strong>so</strong> many?</p>\n"


def test_an_approval_lifts_ones_own_request_for_changes(lake: ReviewLake) -> None:
    request = lake.open()
    lake.review("carol", request, "request_changes")
    lake.review("carol", request)
    assert lake.detail(request)["state"] == "approved"


def test_only_reviewers_review_and_only_open_requests(lake: ReviewLake) -> None:
    request = lake.open(is_draft=True)
    problem(lake.review("victor", request), 403, "PERMISSION_DENIED")
    problem(lake.review("mallory", request), 404, "NOT_FOUND")
    problem(lake.review("bob", request), 409, "WRONG_STATE")
    lake.patch("alice", "1/", {"state": "closed"})
    problem(lake.review("bob", request, "request_changes"), 409, "WRONG_STATE")


def test_who_lost_the_role_since_does_not_count(lake: ReviewLake) -> None:
    lake.protect()
    request = lake.open()
    lake.review("bob", request)
    request.catalog.members.filter(user__username="bob").update(role="viewer")
    assert (lake.detail(request)["mergeable"], votes(lake)) == (False, {"bob": (False, False)})


def test_conflicts_show_as_soon_as_anybody_reviewed(lake: ReviewLake) -> None:
    request = lake.open()
    lake.write("DROP TABLE d.t", "dora")
    lake.review("bob", request, "request_changes")
    lake.review("bob", request, "withdraw")
    detail = lake.detail(request)
    assert (detail["state"], detail["planned"]["conflicts"]) == ("conflicted", 1)
    assert "CONFLICTS" in [blocker["code"] for blocker in detail["blockers"]]
    lake.write("UNDROP TABLE d.t", "dora")
    assert (lake.detail(request)["state"], lake.detail(request)["planned"]["is_current"]) == ("open", False)


def test_repeated_review_with_same_key_is_one_review(lake: ReviewLake) -> None:
    request = lake.open()
    body = {"verdict": "approve", "fingerprint": lake.fingerprint()}
    ids = {lake.post("bob", "1/reviews/", body, Idempotency_Key="k").json()["id"] for _ in range(2)}
    assert len(ids) == request.reviews.count() == 1


@pytest.mark.parametrize("change", ["DELETE FROM", "UPDATE"])
def test_the_database_refuses_to_rewrite_reviews(lake: ReviewLake, change: str) -> None:
    lake.review("bob", lake.open())
    text = f"{change} merge_app_review" + (" SET verdict = 'withdraw'" if change == "UPDATE" else "")
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(text)


@pytest.mark.parametrize("agents", [("alice",), ("bob",), ("alice", "bob")])
def test_who_answers_for_agent_cannot_approve_for_it(lake: ReviewLake, agents: tuple[str, ...]) -> None:
    """Alice writes, bob asks: whichever is an agent of dora, her approval does not count."""
    lake.protect()
    request = lake.open(by="bob")
    other = lake.review("dora", request)
    assert other.status_code == 201
    assert lake.detail(request)["approvals"] == 1
    for name in agents:
        Agent.objects.create(user=lake.people[name].user, owner=lake.people["dora"].user, purpose="writes")
    assert lake.detail(request, "carol")["approvals"] == 0
    (listed,) = lake.people["carol"].get(lake.requests).json()["results"]
    assert listed["approvals"] == 0
    again = lake.review("dora", request)
    assert again.status_code == (403 if "bob" in agents else 201)
    assert lake.review("carol", request).status_code == 201
    assert lake.detail(request, "carol")["approvals"] == 1


def since(lake: ReviewLake, review: int, number: int = 1) -> dict[str, str]:
    """The objects that the comparison shows since the review, with what became of each."""
    found = lake.read(f"compare/b...main/?merge_request={number}&since_review={review}")
    assert found["counts"]["objects"] >= len(found["results"])
    return {entry["name"]: entry["since_review"] for entry in found["results"]}


def test_objects_changed_since_a_review_are_shown_alone(lake: ReviewLake) -> None:
    lake.write("CREATE DATABASE quiet", "alice", "b")
    request = lake.open()
    review = lake.review("bob", request).json()["id"]
    path = f"merge-requests/1/reviews/{review}/changes/"
    assert (since(lake, review), lake.read(path)["summary"]) == ({}, "nothing changed.")
    lake.write("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '2')", "alice", "b")
    lake.write("CREATE DATABASE e", "alice", "b")
    assert since(lake, review) == {"d.t": "changed", "e": "new"}
    changes = lake.read(path)
    assert changes["summary"] == "2 commits on b change d.t, e."
    assert [(item["name"], item["change"]) for item in changes["objects"]] == [("d.t", "changed"), ("e", "new")]
    lake.write("DROP DATABASE quiet", "alice", "b")
    gone = [item["name"] for item in lake.read(path)["objects"] if item["change"] == "gone"]
    assert gone == ["quiet"]
    assert since(lake, review) == {"d.t": "changed", "e": "new"}


def test_target_commit_on_another_object_leaves_request_unchanged(lake: ReviewLake) -> None:
    request = lake.open()
    review = lake.review("bob", request).json()["id"]
    lake.write("CREATE DATABASE e", "alice")
    changes = lake.read(f"merge-requests/1/reviews/{review}/changes/")
    assert (changes["summary"], changes["objects"]) == ("1 commit on main changes nothing of the request.", [])
    lake.write("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '3')", "alice")
    assert since(lake, review) == {"d.t": "changed"}


def test_merged_request_shows_what_changed_before_merge(lake: ReviewLake, local_worker: None) -> None:
    request = lake.open()
    review = lake.review("bob", request).json()["id"]
    lake.write("CREATE DATABASE e", "alice", "b")
    assert lake.post("alice", "1/merge/", {}).status_code == 200
    lake.write("CREATE DATABASE later", "alice", "b")
    assert lake.detail(request)["state"] == "merged"
    assert since(lake, review) == {"e": "new"}
    assert lake.read(f"merge-requests/1/reviews/{review}/changes/")["summary"] == "1 commit on b changes e."


def test_since_review_names_a_review_of_the_request(lake: ReviewLake) -> None:
    request = lake.open()
    review = lake.review("bob", request).json()["id"]
    alice, pair = lake.people["alice"], f"{lake.address}compare/b...main/"
    problem(alice.get(f"{pair}?since_review={review}"), 400, "INVALID_VALUE")
    problem(alice.get(f"{pair}?merge_request=1&since_review={review + 1}"), 404, "NOT_FOUND")
    problem(lake.people["mallory"].get(f"{pair}?merge_request=1&since_review={review}"), 404, "NOT_FOUND")
