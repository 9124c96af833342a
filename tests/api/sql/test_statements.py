"""``POST /api/v1/sql/`` when the statement is answered inside the request, and its bad input."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from lakeui.common.errors import MergeConflict, NotFound, SyntaxProblem
from lakeui.sql.parameters import NO_PARAMETERS, Parameter, Parameters
from tests.api.conftest import Caller, FakeDoor

SQL = "/api/v1/sql/"


def problem(response: Any, status: int, code: str) -> dict[str, Any]:
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    body: dict[str, Any] = response.json()
    assert (body["status"], body["code"]) == (status, code)
    assert all(body[member] for member in ("type", "title", "detail"))
    return body


def test_a_quick_statement_answers_at_once(alice: Caller, door: FakeDoor) -> None:
    response = alice.sql("SELECT 1")
    assert response.status_code == 200
    assert response.json() == {
        "columns": [{"name": "n", "type": "int"}],
        "rows": [[1]],
        "row_count": 1,
        "truncated": False,
        "version": 7,
        "metrics": {"rows_inserted": 1},
        "notes": [],
    }
    text, session, context = door.calls[0]
    assert (text, session.catalog, session.branch, session.user, session.transaction, context.task_id) == (
        "SELECT 1", "demo", "main", alice.user, None, None,
    )  # fmt: skip


def test_temporary_views_and_overwrite_mode_belong_to_session(alice: Caller, door: FakeDoor) -> None:
    said = {"statement": "SELECT 1", "temporary_views": {"x": "SELECT 1 AS a "}, "partition_overwrite": "dynamic"}
    assert alice.post(SQL, said).status_code == 200
    found = door.calls[0][1].parameters
    assert (found.views, found.overwrites_dynamically) == ((("x", "SELECT 1 AS a "),), True)


@pytest.mark.parametrize(
    "member",
    [
        {"temporary_views": ["SELECT 1"]},
        {"temporary_views": {"x": 1.5}},
        {"temporary_views": {"x": "s" * (1 << 20), "y": "s"}},
        {"temporary_views": {"V": "SELECT 1 AS a", "w": "SELECT 1 AS a", "v": "SELECT 2 AS a"}},
        {"temporary_functions": {"F": "() RETURN 1", "f": "() RETURN 2"}},
        {"partition_overwrite": "both"},
    ],
)
def test_an_invalid_session_member_is_refused(alice: Caller, door: FakeDoor, member: dict[str, Any]) -> None:
    found = problem(alice.post(SQL, {"statement": "SELECT 1", **member}), 400, "INVALID_VALUE")
    assert next(iter(member)) in json.dumps(found)
    assert door.calls == []


def test_catalog_and_branch_may_be_left_out(alice: Caller, door: FakeDoor) -> None:
    assert alice.post(SQL, {"statement": "SHOW CATALOGS"}).status_code == 200
    assert (door.calls[0][1].catalog, door.calls[0][1].branch) == (None, "main")


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ([1, None], Parameters((Parameter(1), Parameter(None)))),
        ({"x": {"value": "2026-01-31", "type": "date"}}, Parameters(named={"x": Parameter("2026-01-31", "date")})),
        (None, NO_PARAMETERS),
    ],
)
def test_parameters_arrive_beside_the_statement(alice: Caller, door: FakeDoor, given: Any, read: Parameters) -> None:
    assert alice.post(SQL, {"statement": "SELECT ?", "parameters": given}).status_code == 200
    text, session, _ = door.calls[0]
    assert (text, session.parameters) == ("SELECT ?", read)


@pytest.mark.parametrize(
    ("given", "mention"),
    [
        ("1", "neither an array nor an object"),
        ([1, [2]], "Parameter 2"),
        ({"x": {"value": 1, "type": "TEXTS"}}, "Parameter :x"),
        ({"x": {"value": "1) OR (1=1", "type": "INT"}}, "Parameter :x"),
    ],
)
def test_what_is_no_parameter_is_refused_by_name(alice: Caller, door: FakeDoor, given: Any, mention: str) -> None:
    body = problem(alice.post(SQL, {"statement": "SELECT 1", "parameters": given}), 400, "INVALID_VALUE")
    assert body["field"] == "parameters"
    assert mention in body["detail"]
    assert door.calls == []


@pytest.mark.usefixtures("local_worker")
def test_a_task_keeps_its_parameters(alice: Caller, door: FakeDoor) -> None:
    response = alice.post(SQL, {"statement": "TASK", "parameters": ["it's"]}, Prefer="wait=20")
    assert response.status_code == 200, response.content
    assert door.calls[0][1].parameters == Parameters((Parameter("it's"),))


def test_the_statement_arrives_as_it_was_sent(alice: Caller, door: FakeDoor) -> None:
    statement = "  SELECT 'Zoë \U0001f600'\n -- end \n"
    alice.sql(statement)
    assert door.calls[0][0] == statement


@pytest.mark.parametrize(
    ("error", "status", "members"),
    [
        (SyntaxProblem("near FORM", line=1, column=10, near="FORM"), 400, {"line": 1, "column": 10, "near": "FORM"}),
        (NotFound("table", "a.flihgts", nearest="a.flights"), 404, {"kind": "table", "nearest": "a.flights"}),
        (MergeConflict("Conflicts.", conflicts=[{"code": "A"}, {"code": "B"}]), 409,
         {"conflicts": [{"code": "A"}, {"code": "B"}]}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("prefix", ["", "TASK "])
@pytest.mark.usefixtures("local_worker")
def test_inline_and_task_refusals_are_the_same_problem(
    alice: Caller, door: FakeDoor, error: Any, status: int, members: dict[str, Any], prefix: str
) -> None:
    door.fail(error)
    body = problem(alice.sql(f"{prefix}X"), status, error.code)
    assert {name: body[name] for name in members} == members
    assert body["detail"] == error.message


def test_an_unexpected_failure_has_id_and_no_trace(
    alice: Caller, door: FakeDoor, caplog: pytest.LogCaptureFixture
) -> None:
    door.fail(RuntimeError("secret inside"))
    response = alice.sql("SELECT 1")
    body = problem(response, 500, "INTERNAL_ERROR")
    assert "secret" not in response.content.decode()
    assert body["error_id"] in caplog.text
    assert "secret inside" in caplog.text


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"1",
        b"{}",
        b'{"statement": ""}',
        b'{"statement": null}',
        b'{"statement": 5, "branch": {}}',
        b'{"statement": "SELECT \\u0000"}',
        b'{"statement": "SELECT \\ud800"}',
        b'{"statement": "SELECT 1", "branch": ""}',
        b'{"statement": NaN}',
        b"\xff\xfe",
    ],
)
def test_a_bad_body_is_refused_before_anything_runs(alice: Caller, door: FakeDoor, body: bytes) -> None:
    problem(alice.post(SQL, body), 400, "INVALID_VALUE")
    assert door.calls == []


def test_what_is_wrong_is_said_field_by_field(alice: Caller, door: FakeDoor) -> None:
    body = problem(alice.post(SQL, {"branch": "x" * 300}), 400, "INVALID_VALUE")
    assert {entry["field"] for entry in body["errors"]} == {"statement", "branch"}


def test_a_statement_has_at_most_one_mebibyte(alice: Caller, door: FakeDoor) -> None:
    largest = "é" * (512 * 1024)
    assert alice.sql(largest).status_code == 200
    problem(alice.sql(largest + "x"), 413, "TOO_LARGE")


def test_a_huge_body_is_refused_by_its_length(alice: Caller, door: FakeDoor) -> None:
    problem(alice.post(SQL, json.dumps({"statement": "x", "more": "y" * 8_000_000})), 413, "TOO_LARGE")


def test_other_methods_types_and_addresses_are_problems(alice: Caller, door: FakeDoor) -> None:
    problem(alice.get(SQL), 405, "METHOD_NOT_ALLOWED")
    response = alice.client.post(SQL, {"statement": "x"}, headers=alice.headers)
    problem(response, 415, "UNSUPPORTED_MEDIA_TYPE")
    problem(alice.post(SQL, {"statement": "x"}, Accept="text/html"), 406, "NOT_ACCEPTABLE")
    assert "/api/v1/sql/" in problem(alice.post("/api/v1/sql", {}), 404, "NOT_FOUND")["remedy"]
    problem(alice.get("/api/v1/nothing/"), 404, "NOT_FOUND")


def test_a_browser_session_needs_the_csrf_token(alice: Caller, door: FakeDoor) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice.user)
    body = json.dumps({"statement": "SELECT 1"})
    problem(client.post(SQL, body, content_type="application/json"), 403, "PERMISSION_DENIED")
    client.get("/login/")
    token = "a" * 32
    client.cookies["csrftoken"] = token
    response = client.post(SQL, body, content_type="application/json", headers={"X-CSRFToken": token})
    assert response.status_code == 200


@pytest.mark.usefixtures("door", "transactional_db")
def test_no_statement_runs_unasked() -> None:
    problem(Client().post(SQL, {"statement": "x"}, content_type="application/json"), 401, "UNAUTHENTICATED")
    assert User.objects.count() == 0
