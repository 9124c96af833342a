"""Checks: queries that must return no rows of the state that a merge would make."""

from __future__ import annotations

from typing import Any

import pytest

from catalog_app.domain.roles import Role
from catalog_app.models import Branch, Transaction
from catalog_app.services.files import addresses_allocate
from catalog_app.services.integrity import catalog_check
from lakeui.common.errors import RowsRestricted
from lakeui.frontdoor import Session, compute
from lakeui.frontdoor.queries.ruled_out import ruled_out
from lakeui.sql.statements import TableName
from merge_app.audit.models import MergeAttempt
from merge_app.audit.selectors import audit_get
from merge_app.review.models import Check, MergeRequest
from merge_app.review.verification import audit_verify
from tests.api.sql.test_statements import problem
from tests.review.conftest import ReviewLake
from tests.support.lake import Lake
from tests.support.members import join
from tests.support.memory_engine import MemoryEngine
from tests.support.stored_databases import StoredDatabases

pytestmark = pytest.mark.usefixtures("local_worker")


@pytest.fixture
def lake(stored: StoredDatabases, monkeypatch: pytest.MonkeyPatch) -> ReviewLake:
    """Table d.r, to which branch c adds a row."""
    engine = MemoryEngine(addresses_allocate)
    monkeypatch.setattr(compute, "engine_make", lambda: engine)
    return stored.once("lake", _lake_make, engine)


def _lake_make() -> ReviewLake:
    fresh = ReviewLake()
    fresh.write("CREATE TABLE d.r (id INT, v STRING)", "alice")
    fresh.write("INSERT INTO d.r VALUES (1, 'base')", "alice")
    fresh.write("CREATE BRANCH c", "alice")
    fresh.write("INSERT INTO d.r VALUES (7, 'bad')", "alice", "c")
    return fresh


@pytest.fixture
def request_of_c(lake: ReviewLake) -> MergeRequest:
    return lake.open(source="c")


def made(lake: ReviewLake, query: str, name: str = "no bad rows", by: str = "dora", **body: Any) -> Any:
    path = f"{lake.address}checks/"
    return lake.people[by].post(path, {"name": name, "query": query, "is_required": True, **body})


def checked(lake: ReviewLake) -> dict[str, str]:
    response = lake.post("alice", "1/checks/")
    assert response.status_code == 200, response.content
    return {entry["name"]: entry["state"] for entry in response.json()["checks"]}


def standing(lake: ReviewLake) -> Any:
    (found,) = lake.read("merge-requests/1/checks/")["results"]
    return found


BAD = "SELECT * FROM d.r WHERE v = 'bad'"
NONE = "SELECT * FROM d.r WHERE id = 99"


def test_a_check_reads_the_merged_state(lake: ReviewLake, request_of_c: MergeRequest) -> None:
    assert made(lake, BAD).status_code == 201
    heads = lake.branch("c").head_version, lake.branch("main").head_version
    assert checked(lake) == {"no bad rows": "failed"}
    found = standing(lake)
    assert (found["is_required"], found["is_current"], found["result"]["sample"]) == (True, True, [[7, "bad"]])
    assert [column["name"] for column in found["result"]["columns"]] == ["id", "v"]
    assert (found["result"]["source_head"], found["result"]["destination_head"]) == heads
    assert (lake.branch("c").head_version, lake.branch("main").head_version) == heads
    assert [tuple(row) for row in lake.write("SELECT * FROM d.r", "alice").rows] == [(1, "base")]


def test_statistics_say_nothing_of_what_is_hidden(lake: ReviewLake) -> None:
    lake.write("ALTER TABLE d.r ALTER COLUMN v SET MASK (NULL) FOR ROLE viewer", "dora")

    def ruled_out_for(name: str) -> list[bool]:
        session = Session(catalog=lake.catalog, branch="main", user=lake.people[name].user)
        return ruled_out(session, TableName("r", "d"), ["v IS NULL", "id > 1000"])

    assert ruled_out_for("dora") == [True, True]
    with pytest.raises(RowsRestricted):
        ruled_out_for("victor")


def test_nothing_of_the_workspace_is_left(lake: ReviewLake, request_of_c: MergeRequest) -> None:
    made(lake, BAD)
    checked(lake)
    assert not Transaction.objects.filter(state="open").exists()
    assert not Branch.objects.filter(is_workspace=True, dropped_at__isnull=True).exists()
    assert catalog_check(request_of_c.catalog) == []
    assert audit_verify(request_of_c.catalog) == []
    assert [branch["name"] for branch in lake.read("branches/")["results"]] == ["b", "c", "main"]


def test_a_required_check_gates_merging_until_it_passes(lake: ReviewLake, request_of_c: MergeRequest) -> None:
    made(lake, BAD)
    codes = [blocker["code"] for blocker in lake.detail(request_of_c)["blockers"]]
    assert codes == ["CHECK_MISSING"]
    checked(lake)
    found = problem(lake.post("alice", "1/merge/", {}), 409, "MERGE_BLOCKED")
    assert [blocker["code"] for blocker in found["blockers"]] == ["CHECK_FAILED"]
    lake.write("UPDATE d.r SET v = 'good' WHERE id = 7", "alice", "c")
    assert standing(lake)["is_current"] is False
    problem(lake.post("alice", "1/merge/", {}), 409, "MERGE_BLOCKED")
    assert checked(lake) == {"no bad rows": "passed"}
    body = lake.post("alice", "1/merge/", {}).json()
    assert body["outcome"] == "merged", body
    assert [(item["name"], item["state"]) for item in audit_get(body["merge_id"])["checks"]] == [
        ("no bad rows", "passed")
    ]


def test_an_advisory_check_reports_and_does_not_block(lake: ReviewLake, request_of_c: MergeRequest) -> None:
    made(lake, BAD, is_required=False)
    assert checked(lake) == {"no bad rows": "failed"}
    assert lake.detail(request_of_c)["mergeable"] is True
    assert lake.post("alice", "1/merge/", {}).status_code == 200


def test_a_protection_rule_requires_a_check_by_name(lake: ReviewLake, request_of_c: MergeRequest) -> None:
    made(lake, NONE, is_required=False)
    lake.protect(required_approvals=0, required_checks=["no bad rows"])
    problem(lake.post("alice", "1/merge/", {}), 409, "MERGE_BLOCKED")
    checked(lake)
    assert lake.post("alice", "1/merge/", {}).status_code == 200


def test_a_push_by_either_side_requires_another_run(lake: ReviewLake, request_of_c: MergeRequest) -> None:
    made(lake, NONE)
    checked(lake)
    assert lake.detail(request_of_c)["mergeable"] is True
    lake.write("CREATE DATABASE e", "dora")
    assert lake.detail(request_of_c)["mergeable"] is False


def test_a_changed_query_asks_for_another_run(lake: ReviewLake, request_of_c: MergeRequest) -> None:
    made(lake, NONE)
    checked(lake)
    dora = lake.people["dora"]
    path, headers = f"{lake.address}checks/no bad rows/", dora.headers
    changed = dora.client.patch(path, {"query": BAD}, content_type="application/json", headers=headers)
    assert changed.json()["query"] == BAD
    assert (standing(lake)["is_current"], lake.detail(request_of_c)["mergeable"]) == (False, False)
    assert dora.client.delete(path, headers=headers).status_code == 204
    assert lake.detail(request_of_c)["mergeable"] is True
    changes = MergeAttempt.objects.filter(catalog=request_of_c.catalog, kind="settings").order_by("number")
    assert [(item.body["before"], item.body["after"]) for item in changes] == [
        (None, {"query": NONE, "is_required": True}),
        ({"query": NONE, "is_required": True}, {"query": BAD, "is_required": True}),
        ({"query": BAD, "is_required": True}, None),
    ]
    assert audit_verify(request_of_c.catalog) == []


def test_a_query_that_cannot_run_blocks_with_reason(lake: ReviewLake, request_of_c: MergeRequest) -> None:
    made(lake, "SELECT * FROM d.gone")
    assert checked(lake) == {"no bad rows": "broken"}
    assert "gone" in standing(lake)["result"]["problem"]
    assert [blocker["code"] for blocker in lake.detail(request_of_c)["blockers"]] == ["CHECK_FAILED"]


def test_nothing_is_checked_where_the_branches_conflict(lake: ReviewLake, request_of_c: MergeRequest) -> None:
    made(lake, NONE)
    lake.write("DROP TABLE d.r", "dora")
    problem(lake.post("alice", "1/checks/"), 409, "MERGE_CONFLICT")
    assert standing(lake)["result"] is None
    assert not Transaction.objects.filter(state="open").exists()


@pytest.mark.parametrize("query", ["DELETE FROM d.r", "DROP TABLE d.r", "SHOW TABLES", "SELECT FROM"])
def test_only_queries_that_read_are_checks(lake: ReviewLake, query: str) -> None:
    assert made(lake, query).status_code == 400
    assert lake.read("checks/")["results"] == []


def test_a_check_names_its_own_catalog_alone(lake: ReviewLake) -> None:
    own, other = lake.catalog, "elsewhere"
    found = problem(made(lake, f"SELECT * FROM {other}.d.r"), 400, "INVALID_VALUE")
    assert other in found["detail"]
    assert own in found["remedy"]
    assert made(lake, f"SELECT * FROM {own}.d.r").status_code == 201


def test_an_older_check_reads_no_other_catalog(lake: ReviewLake, request_of_c: MergeRequest) -> None:
    """Who has the check run may read it; who wrote it may not."""
    other = Lake()
    other.sql("CREATE DATABASE d")
    other.sql("CREATE TABLE d.r (id INT)")
    join(lake.people["alice"].user, other.catalog, Role.VIEWER)
    query = f"SELECT * FROM {other.catalog}.d.r"
    assert lake.write(query, "alice").rows == []
    author = lake.people["dora"].user
    Check.objects.create(catalog=request_of_c.catalog, name="no bad rows", query=query, created_by=author)
    assert checked(lake) == {"no bad rows": "broken"}
    assert other.catalog in standing(lake)["result"]["problem"]


def test_only_maintainers_manage_checks_and_members_see_them(lake: ReviewLake) -> None:
    problem(made(lake, NONE, by="carol"), 403, "PERMISSION_DENIED")
    problem(made(lake, NONE, by="mallory"), 404, "NOT_FOUND")
    made(lake, NONE)
    problem(made(lake, NONE, name="NO bad rows"), 409, "ALREADY_EXISTS")
    assert [check["name"] for check in lake.read("checks/")["results"]] == ["no bad rows"]
    assert lake.people["victor"].get(f"{lake.address}checks/no bad rows/").status_code == 200
    problem(lake.people["mallory"].get(f"{lake.address}checks/"), 404, "NOT_FOUND")


def test_a_finished_request_is_not_checked(lake: ReviewLake, request_of_c: MergeRequest) -> None:
    lake.patch("alice", "1/", {"state": "closed"})
    problem(lake.post("alice", "1/checks/"), 409, "WRONG_STATE")


def of_null(column: str, **parameters: Any) -> dict[str, Any]:
    return {"template": "not_null", "parameters": {"table": "d.r", "column": column, **parameters}}


def test_a_check_of_a_template_shows_its_query(lake: ReviewLake) -> None:
    dora = lake.people["dora"]
    created = dora.post(f"{lake.address}checks/", {"name": "whole", **of_null("v")})
    assert created.status_code == 201, created.content
    assert created.json() | {"created_at": ""} == {
        "name": "whole",
        "query": "SELECT * FROM `d`.`r` WHERE `v` IS NULL",
        **of_null("v"),
        "is_required": False,
        "created_by": dora.user.username,
        "created_at": "",
    }
    path = f"{lake.address}checks/whole/"

    def change(body: Any) -> Any:
        return dora.client.patch(path, body, content_type="application/json", headers=dora.headers)

    changed = change(of_null("v", rows="changed"))
    assert changed.json()["parameters"] == {"table": "d.r", "column": "v", "rows": "changed"}
    problem(change({"parameters": {"table": "d.r"}}), 400, "INVALID_VALUE")
    assert change({"query": NONE}).json() | {"created_at": "", "created_by": ""} == {
        "name": "whole",
        "query": NONE,
        "template": "",
        "parameters": {},
        "is_required": False,
        "created_by": "",
        "created_at": "",
    }


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"query": NONE, **of_null("v")},
        {"parameters": {}},
        {"template": "not_null"},
        of_null("v", colum="w"),
        {"template": "bad_share", "parameters": {"table": "d.r", "condition": "input_file_name() = ''"}},
    ],
)
def test_a_check_asks_one_thing_that_is_understood(lake: ReviewLake, body: dict[str, Any]) -> None:
    response = lake.people["dora"].post(f"{lake.address}checks/", {"name": "odd", **body})
    assert response.status_code == 400, response.content
    assert lake.read("checks/")["results"] == []


SCHEMA = """
models:
  - name: r
    columns:
      - name: id
        data_tests: [unique, not_null]
      - name: v
        data_tests:
          - accepted_values: {values: [base], severity: warn}
          - dbt_expectations.expect_column_to_exist
"""


def imported(lake: ReviewLake, by: str = "dora", **body: Any) -> Any:
    return lake.people[by].post(f"{lake.address}dbt-tests/", {"text": SCHEMA, "database": "d", **body})


def test_tests_of_dbt_become_checks(lake: ReviewLake) -> None:
    looked = imported(lake, dry_run=True).json()
    assert [check["outcome"] for check in looked["checks"]] == ["made"] * 3
    assert lake.read("checks/")["results"] == []
    made = imported(lake, is_required=True)
    assert made.json() == {**looked, "dry_run": False}
    (skipped,) = made.json()["not_read"]
    assert (skipped["line"], skipped["test"]) == (10, "dbt_expectations.expect_column_to_exist of d.r")
    assert "lakeui knows not_null, unique" in skipped["reason"]
    kept = {check["name"]: (check["template"], check["is_required"]) for check in lake.read("checks/")["results"]}
    assert kept == {
        "unique: d.r.id": ("unique", True),
        "not_null: d.r.id": ("not_null", True),
        "accepted_values: d.r.v": ("accepted_values", False),
    }
    dora = lake.people["dora"]
    dora.client.patch(
        f"{lake.address}checks/not_null: d.r.id/",
        {"query": NONE},
        content_type="application/json",
        headers=dora.headers,
    )
    again = imported(lake).json()
    assert [check["outcome"] for check in again["checks"]] == ["present", "differs", "present"]
    assert lake.read("checks/not_null: d.r.id/")["query"] == NONE


def test_only_maintainers_make_checks_of_dbt(lake: ReviewLake) -> None:
    problem(imported(lake, by="carol", dry_run=True), 403, "PERMISSION_DENIED")
    problem(imported(lake, by="mallory"), 404, "NOT_FOUND")
    problem(imported(lake, text="- a: [", dry_run=True), 400, "INVALID_VALUE")
