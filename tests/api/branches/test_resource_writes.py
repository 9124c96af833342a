"""Catalogs, branches, databases, merges, restores and undrops as resources: real metadata, real front door."""

from __future__ import annotations

import json
from typing import Any

import pytest

from catalog_app.domain.roles import Role
from tests.api.conftest import Caller, FakeDoor
from tests.api.sql.test_statements import problem
from tests.support.members import join
from tests.support.resource_lake import Lake


@pytest.fixture
def lake(alice: Caller) -> Lake:
    return Lake(alice)


def send(lake: Lake, method: str, path: str, body: Any = None, **headers: str) -> Any:
    """The answer to a request below the catalog's address."""
    return lake.caller.client.generic(
        method,
        lake.address + path,
        b"" if body is None else json.dumps(body),
        content_type="application/json",
        headers=lake.caller.headers | {name.replace("_", "-"): value for name, value in headers.items()},
    )


def made(lake: Lake, path: str, **body: Any) -> Any:
    """The JSON of what a POST made, which is what its Location shows."""
    response = send(lake, "POST", path, body, Prefer="wait=20")
    assert response.status_code == 201, response.content
    assert response["Location"].startswith(("http://testserver/api/v1/",))
    assert lake.caller.get(response["Location"]).status_code == 200
    return response.json()


def names(lake: Lake, path: str) -> list[str]:
    return [entry["name"] for entry in lake.read(path)["results"]]


class TestBranches:
    def test_a_branch_begins_at_mains_head_by_default(self, lake: Lake) -> None:
        body = made(lake, "branches/", name="feature/x")
        assert body == lake.read("branches/feature/x/")
        assert (body["parent"], body["fork_version"]) == ("main", lake.branch("main").head_version)
        early = made(lake, "branches/", name="early", parent="feature/x", version=2)
        assert (early["parent"], early["fork_version"]) == ("feature/x", 2)

    def test_a_branch_expiry_is_set_and_removed(self, lake: Lake) -> None:
        assert made(lake, "branches/", name="b", expires="7 days")["expires_at"] is not None
        changed = send(lake, "PATCH", "branches/b/", {"expires": "2 hours"})
        assert (changed.status_code, changed.json()) == (200, lake.read("branches/b/"))
        assert send(lake, "PATCH", "branches/b/", {"expires": None}).json()["expires_at"] is None
        problem(send(lake, "PATCH", "branches/b/", {"expires": "soon'"}), 400, "INVALID_VALUE")
        for body in ({}, {"expires": "1 day", "name": "c"}):
            problem(send(lake, "PATCH", "branches/b/", body), 400, "INVALID_VALUE")

    def test_a_dry_run_makes_none(self, lake: Lake) -> None:
        response = send(lake, "POST", "branches/", {"name": "b", "dry_run": True})
        assert (response.status_code, response.json()["dry_run"]) == (200, True)
        assert names(lake, "branches/") == ["main"]

    def test_a_branch_is_renamed_dropped_and_undropped(self, lake: Lake) -> None:
        made(lake, "branches/", name="b")
        renamed = send(lake, "PATCH", "branches/b/", {"name": "a/b`c"})
        assert (renamed.status_code, renamed.json()["name"]) == (200, "a/b`c")
        assert send(lake, "DELETE", "branches/a/b`c/?dry_run=true").status_code == 200
        assert names(lake, "branches/") == ["a/b`c", "main"]
        assert send(lake, "DELETE", "branches/a/b`c/").status_code == 204
        assert names(lake, "branches/") == ["main"]
        (gone,) = lake.read("branches/?dropped=true")["results"]
        body = made(lake, "undrops/", branch="a/b`c", id=str(gone["branch_id"]), name="back")
        assert body["outcome"] == "undrop"
        assert names(lake, "branches/") == ["back", "main"]

    def test_what_is_not_understood_is_refused_by_name(self, lake: Lake) -> None:
        unknown = problem(send(lake, "POST", "branches/", {"name": "b", "parnet": "x"}), 400, "INVALID_VALUE")
        assert (unknown["field"], unknown["nearest"]) == ("parnet", "parent")
        both = problem(
            send(lake, "POST", "branches/", {"name": "b", "version": 1, "timestamp": "2026-01-31"}),
            400,
            "INVALID_VALUE",
        )
        assert both["field"] == "timestamp"
        problem(send(lake, "POST", "branches/", {"name": "main"}), 409, "ALREADY_EXISTS")
        problem(send(lake, "POST", "branches/", {"name": "b", "parent": "mian"}), 404, "NOT_FOUND")
        problem(send(lake, "DELETE", "branches/none/"), 404, "NOT_FOUND")
        problem(send(lake, "DELETE", "branches/main/?force=true"), 400, "INVALID_VALUE")
        assert names(lake, "branches/") == ["main"]

    def test_a_key_makes_one_branch_and_repeats_it(self, lake: Lake) -> None:
        first = send(lake, "POST", "branches/", {"name": "b"}, Idempotency_Key="k")
        send(lake, "DELETE", "branches/b/")
        again = send(lake, "POST", "branches/", {"name": "b"}, Idempotency_Key="k")
        assert (again.status_code, again.json(), again["Location"]) == (201, first.json(), first["Location"])
        assert names(lake, "branches/") == ["main"]
        problem(send(lake, "POST", "branches/", {"name": "c"}, Idempotency_Key="k"), 422, "IDEMPOTENCY_KEY_REUSED")

    def test_a_dry_run_key_serves_no_write(self, lake: Lake) -> None:
        made(lake, "branches/", name="b")
        assert send(lake, "DELETE", "branches/b/?dry_run=true", Idempotency_Key="k").status_code == 200
        problem(send(lake, "DELETE", "branches/b/", Idempotency_Key="k"), 422, "IDEMPOTENCY_KEY_REUSED")


class TestKeysAndTags:
    """A key belongs to method, address and body; If-Match holds for branches and databases."""

    def test_idempotency_keys_are_of_one_kind_of_resource(self, lake: Lake, local_worker: None) -> None:
        made(lake, "branches/", name="b")
        send(lake, "POST", "branches/", {"name": "e"}, Idempotency_Key="k")
        database = send(lake, "POST", "branches/main/databases/", {"name": "e"}, Idempotency_Key="k")
        problem(database, 422, "IDEMPOTENCY_KEY_REUSED")
        first = send(lake, "POST", "branches/main/databases/", {"name": "e"}, Idempotency_Key="j", Prefer="wait=20")
        assert first.status_code == 201
        problem(send(lake, "POST", "branches/", {"name": "f"}, Idempotency_Key="j"), 422, "IDEMPOTENCY_KEY_REUSED")
        other = send(lake, "POST", "branches/b/databases/", {"name": "e"}, Idempotency_Key="j")
        problem(other, 422, "IDEMPOTENCY_KEY_REUSED")
        assert names(lake, "branches/") == ["b", "e", "main"]
        assert names(lake, "branches/b/databases/") == ["d"]

    def test_the_same_change_as_sql_is_another_request(self, lake: Lake, local_worker: None) -> None:
        assert send(lake, "DELETE", "branches/main/databases/d/?cascade=true", Idempotency_Key="k").status_code == 204
        body = {
            "catalog": lake.catalog,
            "branch": "main",
            "statement": "DROP DATABASE `d` CASCADE",
            "bypass_reason": "",
        }
        again = lake.caller.post("/api/v1/sql/", body, Idempotency_Key="k")
        problem(again, 422, "IDEMPOTENCY_KEY_REUSED")

    def test_a_stale_etag_drops_no_branch(self, lake: Lake) -> None:
        made(lake, "branches/", name="b")
        seen = send(lake, "GET", "branches/b/")["ETag"]
        lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')", "b")
        problem(send(lake, "PATCH", "branches/b/", {"name": "c"}, If_Match=seen), 412, "STALE")
        problem(send(lake, "DELETE", "branches/b/", If_Match=seen), 412, "STALE")
        now = send(lake, "GET", "branches/b/")["ETag"]
        sent = [send(lake, "DELETE", "branches/b/", If_Match=now, Idempotency_Key="k") for _ in range(2)]
        assert [answer.status_code for answer in sent] == [204, 204]

    def test_a_reset_happens_once_and_refuses_stale_heads(self, lake: Lake) -> None:
        made(lake, "branches/", name="b/c")
        seen = send(lake, "GET", "branches/b/c/")["ETag"]
        head = lake.read("branches/b/c/")["head_version"]
        lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')", "b/c")
        address = "branches/b/c/reset/"
        problem(send(lake, "POST", address, {}, If_Match=seen), 412, "STALE")
        problem(send(lake, "POST", address, {"expected_head": head}), 409, "BRANCH_MOVED")
        wrong = problem(send(lake, "POST", address, {"expected_haed": head}), 400, "INVALID_VALUE")
        assert wrong["nearest"] == "expected_head"
        rehearsed = send(lake, "POST", address, {"dry_run": True})
        assert (rehearsed.status_code, rehearsed.json()["dry_run"]) == (200, True)
        assert lake.read("branches/b/c/")["head_version"] == head + 1
        now = send(lake, "GET", "branches/b/c/")["ETag"]
        first, again = (send(lake, "POST", address, {}, If_Match=now, Idempotency_Key="k") for _ in range(2))
        assert (first.status_code, first.json()) == (again.status_code, again.json()) == (200, first.json())
        assert {**first.json(), "dry_run": True, "branch_id": None} == rehearsed.json()
        assert first.json()["discarded"]["objects"][0]["operations"] == ["properties"]
        assert first.json()["branch_id"] == send(lake, "GET", "branches/b/c/").json()["branch_id"]
        assert len(lake.read("branches/?dropped=true")["results"]) == 1
        problem(send(lake, "POST", "branches/main/reset/", {}), 400, "INVALID_VALUE")

    def test_children_of_a_reset_branch_get_new_parent(self, lake: Lake) -> None:
        made(lake, "branches/", name="b")
        lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')", "b")
        made(lake, "branches/", name="c", parent="b")
        send(lake, "POST", "branches/b/reset/", {})
        lake.sql("ALTER BRANCH b RENAME TO n")
        shown = lake.read("branches/c/")
        assert (shown["parent"], shown["ahead"], shown["behind"]) == ("n", 1, 0)
        assert [row[:2] for row in lake.sql("SHOW BRANCHES").rows] == [["main", None], ["c", "n"], ["n", "main"]]

    def test_a_stale_etag_drops_no_database(self, lake: Lake, local_worker: None) -> None:
        made(lake, "branches/main/databases/", name="e")
        seen = send(lake, "GET", "branches/main/databases/e/")["ETag"]
        lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')", "main")
        problem(send(lake, "PATCH", "branches/main/databases/e/", {"name": "f"}, If_Match=seen), 412, "STALE")
        problem(send(lake, "DELETE", "branches/main/databases/e/?cascade=true", If_Match=seen), 412, "STALE")
        now = send(lake, "GET", "branches/main/databases/e/")["ETag"]
        address = "branches/main/databases/e/?cascade=true"
        sent = [send(lake, "DELETE", address, If_Match=now, Idempotency_Key="k") for _ in range(2)]
        assert [answer.status_code for answer in sent] == [204, 204]


class TestCatalogs:
    def test_whoever_creates_a_catalog_owns_and_drops_it(self, lake: Lake) -> None:
        response = lake.caller.post("/api/v1/catalogs/", {"name": "sales", "comment": "it's \\ ours"})
        body = response.json()
        assert (response.status_code, body["role"], body["comment"]) == (201, "owner", "it's \\ ours")
        assert lake.caller.get(response["Location"]).json() == body
        problem(lake.caller.post("/api/v1/catalogs/", {"name": "Sales"}), 409, "ALREADY_EXISTS")
        gone = lake.caller.client.delete("/api/v1/catalogs/sales/", headers=lake.caller.headers)
        assert gone.status_code == 204
        problem(lake.caller.get("/api/v1/catalogs/sales/"), 404, "NOT_FOUND")

    def test_a_catalog_is_renamed_dropped_and_undropped(self, lake: Lake) -> None:
        call, names = lake.caller, {"headers": lake.caller.headers, "content_type": "application/json"}
        call.post("/api/v1/catalogs/", {"name": "sales"})
        seen = call.get("/api/v1/catalogs/sales/")["ETag"]
        renamed = call.client.patch("/api/v1/catalogs/sales/", {"name": "orders"}, **names)
        assert (renamed.status_code, renamed.json()["name"]) == (200, "orders")
        headers = {**call.headers, "If-Match": seen}
        address = "/api/v1/catalogs/orders/"
        stale = call.client.patch(address, {"name": "x"}, content_type="application/json", headers=headers)
        problem(stale, 412, "STALE")
        assert call.client.delete(address, headers=call.headers).status_code == 204
        (gone,) = call.get("/api/v1/dropped-catalogs/").json()["results"]
        assert gone["name"] == "orders"
        back = call.post(f"/api/v1/dropped-catalogs/{gone['catalog_id']}/undrop/", {"name": "again"})
        assert (back.status_code, back.json()) == (201, {"catalog": "again"})
        assert call.get(back["Location"]).json()["name"] == "again"
        problem(call.post(f"/api/v1/dropped-catalogs/{gone['catalog_id']}/undrop/", {}), 404, "NOT_FOUND")


class TestDatabases:
    def test_a_database_is_created_renamed_dropped_and_undropped(self, lake: Lake, local_worker: None) -> None:
        properties = {"it's": "a \\ b", "empty": ""}
        body = made(lake, "branches/main/databases/", name="e", comment="x's", properties=properties)
        assert (body["name"], body["comment"], body["properties"]) == ("e", "x's", properties)
        renamed = send(lake, "PATCH", "branches/main/databases/e/", {"name": "f`g"})
        assert (renamed.status_code, renamed.json()["database_id"]) == (200, body["database_id"])
        assert send(lake, "DELETE", "branches/main/databases/f`g/").status_code == 204
        back = made(lake, "undrops/", branch="main", database="f`g", name="e")
        assert (back["outcome"], names(lake, "branches/main/databases/")) == ("undrop", ["d", "e"])

    def test_a_database_with_tables_goes_only_with_them(self, lake: Lake, local_worker: None) -> None:
        problem(send(lake, "DELETE", "branches/main/databases/d/"), 400, "INVALID_VALUE")
        assert send(lake, "DELETE", "branches/main/databases/d/?cascade=true&dry_run=true").status_code == 200
        assert names(lake, "branches/main/databases/") == ["d"]
        before = lake.branch("main").head_version
        assert send(lake, "DELETE", "branches/main/databases/d/?cascade=true").status_code == 204
        restored = made(lake, "restores/", branch="main", version=before)
        assert (restored["outcome"], names(lake, "branches/main/databases/")) == ("restore", ["d"])

    def test_a_key_makes_one_commit(self, lake: Lake, local_worker: None) -> None:
        sent = [
            send(lake, "POST", "branches/main/databases/", {"name": "e"}, Idempotency_Key="k", Prefer="wait=20")
            for _ in range(2)
        ]
        assert [(answer.status_code, answer.json()) for answer in sent] == [(201, sent[0].json())] * 2

    def test_what_waits_for_a_worker_is_a_task(self, lake: Lake, no_worker: None) -> None:
        response = send(lake, "POST", "branches/main/databases/", {"name": "e"}, Prefer="respond-async")
        assert (response.status_code, response.json()["state"]) == (202, "queued")
        assert response["Location"] == response.json()["url"]


@pytest.mark.usefixtures("local_worker")
class TestMerges:
    def test_a_dry_run_and_merge_share_one_plan(self, lake: Lake) -> None:
        made(lake, "branches/", name="b")
        lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')", "b")
        dry = send(lake, "POST", "merges/", {"source": "b", "dry_run": True})
        assert (dry.status_code, dry.json()["mergeable"]) == (200, True)
        assert [item["object"] for item in dry.json()["plan"]["objects"]] == ["d.t"]
        body = made(lake, "merges/", source="b", message="keys")
        assert (body["outcome"], body["version"]) == ("merged", lake.branch("main").head_version)
        assert lake.read("branches/main/history/?limit=1")["results"][0]["message"] == "keys"
        assert body["fingerprint"] == dry.json()["fingerprint"]
        again = made(lake, "merges/", source="b", destination="main")
        assert again["outcome"] == "nothing to merge"
        listed = lake.read("merges/")["results"]
        assert [entry["status"] for entry in listed] == ["nothing to merge", "merged", "mergeable"]
        assert [entry["status"] for entry in lake.read("merges/?outcome=merged&source=b")["results"]] == ["merged"]
        undone = made(lake, "restores/", merge_id=body["merge_id"], message="not yet")
        assert undone["outcome"] == "restore"
        assert lake.read("branches/main/history/?limit=1&search=not+yet")["results"][0]["version"] == undone["version"]

    def conflict(self, lake: Lake) -> None:
        lake.sql("CREATE TABLE d.u (id INT)")
        made(lake, "branches/", name="b")
        for table in ("t", "u"):
            lake.sql(f"ALTER TABLE d.{table} SET TBLPROPERTIES ('k' = '1')", "b")
            lake.sql(f"DROP TABLE d.{table}")

    def test_a_conflict_refuses_and_names_itself(self, lake: Lake) -> None:
        self.conflict(lake)
        before = lake.branch("main").head_version
        dry = send(lake, "POST", "merges/", {"source": "b", "dry_run": True})
        assert (dry.status_code, dry.json()["mergeable"]) == (200, False)
        refused = problem(send(lake, "POST", "merges/", {"source": "b"}, Prefer="wait=20"), 409, "MERGE_CONFLICT")
        assert sorted(item["object"] for item in refused["conflicts"]) == ["d.t", "d.u"]
        assert [entry["status"] for entry in lake.read("merges/")["results"]] == ["conflicted", "conflicted"]
        assert lake.branch("main").head_version == before

    def test_decisions_come_with_the_merge(self, lake: Lake) -> None:
        self.conflict(lake)
        some = [{"database": "d", "table": "t", "decision": "destination"}]
        refused = send(lake, "POST", "merges/", {"source": "b", "decisions": some}, Prefer="wait=20")
        assert [item["object"] for item in problem(refused, 409, "MERGE_CONFLICT")["conflicts"]] == ["d.u"]
        every = [*some, {"database": "d", "table": "u", "decision": "destination"}]
        assert made(lake, "merges/", source="b", decisions=every)["outcome"] == "merged"
        assert names(lake, "branches/main/databases/d/tables/") == []

    def test_decision_members_that_do_not_fit_are_refused(self, lake: Lake) -> None:
        for wrong, field in (
            ({"decision": "rename"}, "decisions.name"),
            ({"decision": "source", "value": "x"}, "decisions.value"),
            ({"decision": "source", "part": "column"}, "decisions.column"),
            ({"decision": "source", "part": "partition", "part_key": "2013"}, "decisions.part_key"),
        ):
            sent = {"source": "main", "decisions": [{"database": "d", "table": "t", **wrong}]}
            assert problem(send(lake, "POST", "merges/", sent), 400, "INVALID_VALUE")["field"] == field

    def test_what_a_protection_stops_waits_for_people(self, lake: Lake) -> None:
        made(lake, "branches/", name="b")
        lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')", "b")
        lake.caller.post(f"{lake.address}protection-rules/", {"pattern": "main", "required_approvals": 1})
        problem(send(lake, "POST", "merges/", {"source": "b"}, Prefer="wait=20"), 403, "PERMISSION_DENIED")
        assert lake.read("merges/")["results"][0]["status"] == "waits for people"
        reason = "The reviewers are away."
        assert made(lake, "merges/", source="b", bypass_reason=reason)["outcome"] == "merged"


class TestRestores:
    def test_a_restore_says_what_it_takes_back(self, lake: Lake) -> None:
        merge_id = "6914a7c7-3ccb-48b0-8e70-ef763b8de61c"
        for wrong, field in (
            ({"merge_id": merge_id, "version": 1}, "version"),
            ({"merge_id": merge_id, "database": "d"}, "database"),
            ({"table": "t", "version": 1}, "database"),
            ({"database": "d"}, "version"),
        ):
            assert problem(send(lake, "POST", "restores/", wrong), 400, "INVALID_VALUE")["field"] == field

    @pytest.mark.usefixtures("local_worker")
    def test_a_table_is_restored_and_undropped(self, lake: Lake) -> None:
        before = lake.branch("main").head_version
        lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')")
        made(lake, "restores/", database="d", table="t", version=before)
        assert lake.read("branches/main/databases/d/tables/t/")["properties"] == {}
        lake.sql("DROP TABLE d.t")
        made(lake, "undrops/", branch="main", database="d", table="t", name="u")
        assert names(lake, "branches/main/databases/d/tables/") == ["u"]


WRITES = [
    ("POST", "branches/", {"name": "b"}),
    ("PATCH", "branches/other/", {"name": "b"}),
    ("DELETE", "branches/other/", None),
    ("POST", "tags/", {"name": "t"}),
    ("POST", "branches/main/databases/", {"name": "e"}),
    ("PATCH", "branches/main/databases/d/", {"name": "e"}),
    ("DELETE", "branches/main/databases/d/", None),
    ("POST", "merges/", {"source": "other"}),
    ("POST", "restores/", {"version": 1}),
    ("POST", "undrops/", {"branch": "main", "database": "d"}),
    ("DELETE", "", None),
]


@pytest.mark.parametrize(("method", "path", "body"), WRITES)
def test_a_viewer_changes_nothing(lake: Lake, method: str, path: str, body: Any) -> None:
    lake.sql("CREATE BRANCH other")
    join(lake.caller.user, lake.catalog, Role.VIEWER)
    problem(send(lake, method, path, body), 403, "PERMISSION_DENIED")


def test_resources_are_written_by_the_front_door(lake: Lake, door: FakeDoor) -> None:
    send(lake, "PATCH", "branches/a`b/", {"name": "c"})
    send(lake, "DELETE", "branches/a`b/?bypass_reason=because")
    send(lake, "POST", "branches/", {"name": "x", "parent": "p`q", "timestamp": "it's", "dry_run": True})
    texts = [text for text, _, _ in door.calls]
    assert texts == [
        "ALTER BRANCH `a``b` RENAME TO `c`",
        "DROP BRANCH `a``b`",
        "CREATE BRANCH `x` FROM `p``q` TIMESTAMP AS OF 'it\\'s'",
    ]
    assert [(session.user, session.bypass_reason, session.dry_run) for _, session, _ in door.calls] == [
        (lake.caller.user, "", False),
        (lake.caller.user, "because", False),
        (lake.caller.user, "", True),
    ]


NUL = ["branches/a%00b/", "branches/main/databases/a%00b/", "tags/a%00b/", "tags/?cursor=WyJhXHUwMDAwIiwxXQ"]


@pytest.mark.parametrize("path", NUL)
def test_an_address_with_nul_is_refused(lake: Lake, path: str) -> None:
    problem(lake.caller.get(lake.address + path), 400, "INVALID_VALUE")


def test_half_a_character_is_refused(lake: Lake) -> None:
    written = {"name": "n", "properties": {"\ud800": "v"}}
    assert send(lake, "POST", "branches/main/databases/", written).status_code == 400
    decided = {"database": "d", "table": "t", "part": "partition", "part_key": '["\\ud800"]', "decision": "destination"}
    assert send(lake, "POST", "merges/", {"source": "b", "decisions": [decided]}).status_code == 400
