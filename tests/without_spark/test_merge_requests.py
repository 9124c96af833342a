"""Merge requests over HTTP, with real workers, beside pushes and in a queue."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from catalog_app.models import Commit
from lakeui.common.faults import reached_mark
from tests.faults.worker import arm
from tests.support.reviewed import Reviewed, reviewed
from tests.support.soak import IS_SOAK
from tests.support.together import together

__all__ = ["reviewed"]

ROUNDS = 4 if IS_SOAK else 2


def test_check_finding_rows_in_merged_state_blocks_merge(reviewed: Reviewed) -> None:
    alice, dora = reviewed.alice, reviewed.dora
    query = "SELECT id, count(*) AS times FROM d.t GROUP BY id HAVING count(*) > 1"
    assert dora.post("checks/", {"name": "ids", "query": query, "is_required": True}).status_code == 201
    alice.sql("INSERT INTO d.t VALUES (9, 'b')", "b")
    dora.sql("INSERT INTO d.t VALUES (9, 'main')")
    number = reviewed.open("b")
    ran = alice.post(f"merge-requests/{number}/checks/")
    assert ran.json()["checks"] == [{"name": "ids", "state": "failed"}]
    (found,) = alice.get(f"merge-requests/{number}/checks/")["results"]
    assert found["result"]["sample"] == [[9, 2]]
    assert alice.post(f"merge-requests/{number}/merge/").json()["code"] == "MERGE_BLOCKED"
    assert len(reviewed.lake.rows("d.t")) == 3


def test_push_beside_approved_merge_never_merges_without_approval(reviewed: Reviewed) -> None:
    lake, alice = reviewed.lake, reviewed.alice
    reviewed.protect()
    for turn in range(ROUNDS):
        branch = f"r{turn}"
        lake.sql(f"CREATE BRANCH {branch}")
        lake.sql(f"INSERT INTO d.t VALUES ({100 + turn}, 'seen')", branch)
        number = reviewed.open(branch)
        reviewed.approve(number, branch)
        answers = together(
            lambda branch=branch: alice.sql("INSERT INTO d.t VALUES (-1, 'unapproved')", branch).status_code,
            lambda number=number: alice.post(f"merge-requests/{number}/merge/").status_code,
            seconds=180,
        )
        assert answers[0] == 200
        assert answers[1] in (200, 409)
        assert (answers[1] == 200) is (reviewed.state(number) == "merged")
        assert -1 not in [row[0] for row in lake.rows("d.t")]


def test_two_queued_requests_merge_one_after_the_other(reviewed: Reviewed, faults: Path) -> None:
    lake, alice = reviewed.lake, reviewed.alice
    reviewed.protect()
    numbers = []
    for turn in (1, 2):
        lake.sql(f"CREATE BRANCH q{turn}")
        lake.sql(f"INSERT INTO d.t VALUES ({turn}0, 'q{turn}')", f"q{turn}")
        numbers.append(reviewed.open(f"q{turn}"))
        reviewed.approve(numbers[-1], f"q{turn}")
    # The first is not merged before the second has entered: what it leaves would make the approval stale.
    arm(faults, "task.claimed", "pause")
    for number in numbers:
        assert alice.post(f"merge-requests/{number}/queue/").status_code == 200
    wait_until(reached_mark(faults, "task.claimed").exists)
    reached_mark(faults, "task.claimed").unlink()
    wait_until(lambda: [reviewed.state(number) for number in numbers] == ["merged"] * 2)
    assert lake.rows("d.t") == [(1, "base"), (10, "q1"), (2, "base"), (20, "q2")]
    merges = Commit.objects.filter(catalog__name=lake.catalog, merge_parent__isnull=False).order_by("version")
    assert [commit.statement[-2:] for commit in merges] == [f"#{number}" for number in numbers]


def wait_until(is_so: Callable[[], bool], seconds: float = 120) -> None:
    ended = threading.Event()
    for _ in range(int(seconds * 5)):
        if is_so():
            return
        ended.wait(0.2)
    raise AssertionError("it did not come to that")


def test_protected_branch_changes_only_by_request(reviewed: Reviewed) -> None:
    lake, dora = reviewed.lake, reviewed.dora
    before = lake.head()
    lake.sql("INSERT INTO d.t VALUES (3, 'b')", "b")
    opened = dora.sql("BEGIN").json()["transaction"]
    assert dora.sql("INSERT INTO d.t VALUES (4, 'x')", transaction=opened).status_code == 200
    reviewed.protect()
    for statement in (
        "INSERT INTO d.t VALUES (5, 'x')",
        "UPDATE d.t SET v = 'x'",
        "DELETE FROM d.t",
        "OPTIMIZE d.t",
        "MERGE BRANCH b",
        f"RESTORE TABLE d.t TO VERSION AS OF {before - 1}",
        f"RESTORE BRANCH main TO VERSION AS OF {before - 1}",
        "DROP TABLE d.t",
    ):
        assert dora.sql(statement).status_code == 403, statement
    assert dora.sql("COMMIT", transaction=opened).status_code == 403
    assert (lake.head(), lake.rows("d.t")) == (before, [(1, "base"), (2, "base")])
    number = reviewed.open("b")
    reviewed.approve(number, "b")
    assert reviewed.alice.post(f"merge-requests/{number}/merge/").status_code == 200
    assert len(lake.rows("d.t")) == 3
