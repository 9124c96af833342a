"""Merge requests on real rows: over HTTP, with Spark and real workers."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connections
from django.test import Client

from catalog_app.domain.roles import Role
from catalog_app.models import Commit
from catalog_app.selectors.snapshots import catalog_get
from lakeui.access.tokens import token_create
from lakeui.common.faults import reached_mark
from merge_app.audit.verification import audit_verify
from tests.e2e.lake import Lake
from tests.faults.worker import arm
from tests.members import join
from tests.soak import IS_SOAK

ROUNDS = 4 if IS_SOAK else 2
CAST = {"alice": Role.CONTRIBUTOR, "bob": Role.REVIEWER, "dora": Role.OWNER}


class Person:
    """One of the cast with a token, at the resources of one catalog."""

    def __init__(self, name: str, lake: Lake, role: Role) -> None:
        self.user = User.objects.create_user(f"{name}-{secrets.token_hex(4)}")
        join(self.user, lake.catalog, role)
        self._client = Client(headers={"Authorization": f"Bearer {token_create(user=self.user, name='e2e')[1]}"})
        self._catalog = lake.catalog

    def get(self, path: str) -> Any:
        response = self._client.get(f"/api/v1/catalogs/{self._catalog}/{path}")
        assert response.status_code == 200, response.content
        return response.json()

    def post(self, path: str, body: Any = None) -> Any:
        address = f"/api/v1/catalogs/{self._catalog}/{path}"
        return self._client.post(address, body or {}, content_type="application/json", headers={"Prefer": "wait=120"})

    def sql(self, statement: str, branch: str = "main", transaction: str | None = None) -> Any:
        body = {"catalog": self._catalog, "branch": branch, "statement": statement, "transaction": transaction}
        return self._client.post("/api/v1/sql/", body, content_type="application/json", headers={"Prefer": "wait=120"})


class Reviewed:
    """Table d.t with two rows on main; who works on it, and a rule that takes approved requests only."""

    def __init__(self, lake: Lake) -> None:
        self.lake = lake
        self.alice, self.bob, self.dora = (Person(name, lake, role) for name, role in CAST.items())
        lake.sql("CREATE TABLE d.t (id INT, v STRING)")
        lake.sql("INSERT INTO d.t VALUES (1, 'base'), (2, 'base')")
        lake.sql("CREATE BRANCH b")

    def protect(self) -> None:
        refused = dict.fromkeys(("refuse_direct_writes", "refuse_deletion"), True)
        rule = {"pattern": "main", "required_approvals": 1, "merge_role": "contributor", **refused}
        made = self.dora.post("protection-rules/", rule)
        assert made.status_code == 201, made.content

    def open(self, source: str) -> int:
        opened = self.alice.post("merge-requests/", {"source": source, "destination": "main", "title": source})
        assert opened.status_code == 201, opened.content
        return int(opened.json()["number"])

    def approve(self, number: int, source: str) -> Any:
        seen = self.bob.get(f"compare/{source}...main/?merge_request={number}")["fingerprint"]
        return self.bob.post(f"merge-requests/{number}/reviews/", {"verdict": "approve", "fingerprint": seen})

    def state(self, number: int) -> str:
        return str(self.alice.get(f"merge-requests/{number}/")["state"])


@pytest.fixture
def reviewed(lake: Lake, celery_worker: None) -> Reviewed:
    return Reviewed(lake)


def test_a_request_from_opening_to_merged_with_a_conflict_decided_and_a_check_run(reviewed: Reviewed) -> None:
    lake, alice, bob, dora = reviewed.lake, reviewed.alice, reviewed.bob, reviewed.dora
    assert alice.sql("UPDATE d.t SET v = 'source' WHERE id = 1", "b").status_code == 200
    assert dora.sql("INSERT INTO d.t VALUES (3, 'main')").status_code == 200
    check = {"name": "sources", "query": "SELECT * FROM d.t WHERE v = 'bad'", "is_required": True}
    assert dora.post("checks/", check).status_code == 201
    reviewed.protect()
    number = reviewed.open("b")
    own = f"merge-requests/{number}/"

    compared = alice.get("compare/b...main/")
    (conflict,) = [entry for entry in compared["results"] if entry["verdict"] == "conflict"]
    assert alice.post(f"{own}merge/").status_code == 409
    heads = {side: compared[side]["head_version"] for side in ("source", "destination")}
    decided = {
        "object_kind": "table",
        "object_id": conflict["object_id"],
        "decision": "source",
        "source_head": heads["source"],
        "destination_head": heads["destination"],
    }
    assert alice.post(f"{own}resolutions/", decided).status_code == 201
    assert reviewed.approve(number, "b").status_code == 201
    assert alice.post(f"{own}merge/").json()["code"] == "MERGE_BLOCKED"

    ran = alice.post(f"{own}checks/")
    assert (ran.status_code, ran.json()["checks"]) == (200, [{"name": "sources", "state": "passed"}])
    merged = alice.post(f"{own}merge/")
    assert merged.status_code == 200, merged.content
    assert lake.rows("d.t") == [(1, "source"), (2, "base")]
    record = lake.audit(merged.json()["merge_id"])
    assert [item["reviewer"] for item in record["approvals"]] == [bob.user.username]
    assert [item["decision"] for item in record["resolutions"]] == ["source"]
    assert [(item["name"], item["state"]) for item in record["checks"]] == [("sources", "passed")]
    assert reviewed.state(number) == "merged"
    assert audit_verify(catalog_get(lake.catalog)) == []
    assert alice.get("compare/b...main/")["results"] == []


def test_rows_in_conflict_are_decided_by_rule_row_and_cell(reviewed: Reviewed) -> None:
    """``tests/review/test_resolutions.py`` asks for the open keys after each decision, in memory."""
    lake, alice, dora = reviewed.lake, reviewed.alice, reviewed.dora
    lake.sql("CREATE TABLE d.k (id INT PRIMARY KEY, v STRING, n INT)")
    lake.sql("INSERT INTO d.k VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3), (4, 'd', 4)")
    lake.sql("CREATE BRANCH rows")
    alice.sql("UPDATE d.k SET v = concat(v, ' source'), n = n + 100 WHERE id < 4", "rows")
    alice.sql("DELETE FROM d.k WHERE id = 4", "rows")
    dora.sql("UPDATE d.k SET v = concat(v, ' main'), n = n + 10")
    number = reviewed.open("rows")
    table_id = int(lake.sql("SHOW TABLES IN d").rows[0][2])
    compared = alice.get("compare/rows...main/")
    heads = {f"{side}_head": compared[side]["head_version"] for side in ("source", "destination")}

    def decide(decision: str, part: str, part_key: str = "", value: str = "") -> int:
        body = {"object_kind": "table", "object_id": table_id, "decision": decision, "part": part, **heads}
        answer = alice.post(f"merge-requests/{number}/resolutions/", {**body, "part_key": part_key, "value": value})
        return int(answer.status_code)

    def open_keys() -> list[str]:
        address = f"compare/rows...main/objects/table/{table_id}/rows/sides/?only=conflicts&merge_request={number}"
        return [row["key"] for row in alice.get(address)["rows"] if row["is_open"]]

    assert decide("larger", "rows") == 201
    assert open_keys() == ['{"id":4}'], "a deleted row has nothing that is larger"
    assert decide("destination", "row", '{"id":1}') == 201
    assert decide("edited", "cell", '2:{"id":2}', '"by hand"') == 201
    assert decide("source", "row", '{"id":4}') == 201
    merged = alice.post(f"merge-requests/{number}/merge/")
    assert merged.status_code == 200, merged.content
    assert lake.rows("d.k") == [(1, "a main", 11), (2, "by hand", 102), (3, "c source", 103)]
    assert len(lake.audit(merged.json()["merge_id"])["resolutions"]) == 4
    assert lake.breaches() == []


def test_a_check_that_finds_rows_of_the_merged_state_blocks_it(reviewed: Reviewed) -> None:
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


def test_an_approval_that_races_with_a_push_never_merges_what_nobody_saw(reviewed: Reviewed) -> None:
    lake, alice = reviewed.lake, reviewed.alice
    reviewed.protect()
    for turn in range(ROUNDS):
        branch = f"r{turn}"
        lake.sql(f"CREATE BRANCH {branch}")
        lake.sql(f"INSERT INTO d.t VALUES ({100 + turn}, 'seen')", branch)
        number = reviewed.open(branch)
        reviewed.approve(number, branch)
        answers = together(
            lambda branch=branch: alice.sql("INSERT INTO d.t VALUES (-1, 'sneaked')", branch).status_code,
            lambda number=number: alice.post(f"merge-requests/{number}/merge/").status_code,
        )
        assert answers[0] == 200
        assert answers[1] in (200, 409)
        assert (answers[1] == 200) is (reviewed.state(number) == "merged")
        assert -1 not in [row[0] for row in lake.rows("d.t")]


def together(*works: Callable[[], int]) -> list[int]:
    """What each answers, begun at once, each with a connection of its own."""
    barrier = threading.Barrier(len(works))
    answers = [0] * len(works)

    def run(place: int) -> None:
        barrier.wait(timeout=10)
        try:
            answers[place] = works[place]()
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=[place]) for place in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=180)
        assert not thread.is_alive()
    return answers


def test_two_in_the_queue_are_merged_one_after_the_other(reviewed: Reviewed, faults: Path) -> None:
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


def test_nothing_gets_into_a_protected_branch_but_by_a_request(reviewed: Reviewed) -> None:
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
