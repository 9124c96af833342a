"""Every error code of the contract: one class, its status, and a case in the table of failures or a test of its own."""

from __future__ import annotations

import psycopg
import pytest
from django.db import OperationalError
from django.test import RequestFactory

from lakeui.api.http.errors import page_failed
from lakeui.common.errors import LakeError
from tests.api.conftest import Caller, FakeDoor
from tests.api.sql.test_statements import problem
from tests.sql.test_failures import CASES

CONTRACT = {
    "SYNTAX_ERROR": 400,
    "NOT_SUPPORTED": 400,
    "FORBIDDEN_STATEMENT": 400,
    "INVALID_VALUE": 400,
    "UNAUTHENTICATED": 401,
    "PERMISSION_DENIED": 403,
    "ROWS_RESTRICTED": 403,
    "NOT_FOUND": 404,
    "ALREADY_EXISTS": 409,
    "SAME_BRANCH": 409,
    "BRANCH_MOVED": 409,
    "MERGE_CONFLICT": 409,
    "STALE": 412,
    "NOT_NULL_VIOLATION": 422,
    "INVALID_DEFAULT": 422,
    "DUPLICATE_KEY": 422,
    "CHECK_VIOLATED": 422,
    "CARDINALITY": 422,
    "TYPE_NARROWING": 422,
    "PROPERTY_NOT_FOUND": 422,
    "ENGINE_ENDED_OFTEN": 429,
    "ENGINE_ERROR": 502,
    "STORE_ERROR": 502,
    "ENGINE_AWAY": 503,
    "DATABASE_AWAY": 503,
    "OVERLOADED": 503,
}
"""The list of interfaces §2."""

NOT_OF_STATEMENTS = {
    "ROWS_RESTRICTED",  # tests/on_spark/queries/test_nothing_restricted_leaves.py
    "UNAUTHENTICATED",  # tests/api/people/test_own_tokens.py
    "STALE",  # tests/review
    "ENGINE_ERROR",  # tests/faults/test_killed_servers.py
    "ENGINE_AWAY",  # tests/engine/test_away.py
    "ENGINE_ENDED_OFTEN",  # tests/jobs/test_ended_engines.py
    "STORE_ERROR",  # below
    "DATABASE_AWAY",  # below
    "OVERLOADED",  # tests/upsert/test_replacing.py
}
"""What no statement ends in by itself, and where it is tried."""


def _classes(base: type[LakeError]) -> list[type[LakeError]]:
    return [found for child in base.__subclasses__() for found in (child, *_classes(child))]


def test_every_code_of_the_contract_has_its_status() -> None:
    known = {kind.code: kind.status for kind in _classes(LakeError)}
    assert {code: known.get(code) for code in CONTRACT} == CONTRACT


def test_every_statement_code_is_among_the_failures() -> None:
    assert {case.code for case in CASES} == CONTRACT.keys() - NOT_OF_STATEMENTS


@pytest.mark.parametrize("code", CONTRACT)
def test_every_code_is_answered_as_a_problem(alice: Caller, door: FakeDoor, code: str) -> None:
    class Raised(LakeError):
        pass

    Raised.code, Raised.status = code, CONTRACT[code]
    door.fail(Raised("What happened.", remedy="The way out."))
    body = problem(alice.sql("SELECT 1"), CONTRACT[code], code)
    assert (body["detail"], body["remedy"]) == ("What happened.", "The way out.")


@pytest.mark.parametrize(
    "cause",
    [None, psycopg.errors.AdminShutdown(), psycopg.errors.CannotConnectNow(), psycopg.errors.ConnectionFailure()],
)
def test_an_unreachable_database_is_no_internal_fault(
    alice: Caller, door: FakeDoor, cause: psycopg.Error | None
) -> None:
    failed = OperationalError("the connection is closed")
    failed.__cause__ = cause
    door.fail(failed)
    answer = alice.sql("SELECT 1")
    body = problem(answer, 503, "DATABASE_AWAY")
    assert (answer["Retry-After"], body["retry_after"]) == ("5", 5)
    assert "connection is closed" not in answer.content.decode()


def test_a_store_that_failed_is_named(alice: Caller, door: FakeDoor) -> None:
    door.fail(
        OSError("When uploading key 'k' in bucket 'b': AWS Error ACCESS_DENIED during PutObject operation: hidden")
    )
    answer = alice.sql("SELECT 1")
    body = problem(answer, 502, "STORE_ERROR")
    assert (body["operation"], body["store_code"]) == ("PutObject", "ACCESS_DENIED")
    assert "hidden" not in answer.content.decode()


def test_another_failure_of_the_database_is_one_inside(alice: Caller, door: FakeDoor) -> None:
    failed = OperationalError("deadlock detected")
    failed.__cause__ = psycopg.errors.DeadlockDetected()
    door.fail(failed)
    problem(alice.sql("SELECT 1"), 500, "INTERNAL_ERROR")


def test_an_absent_database_is_no_internal_fault() -> None:
    try:
        raise OperationalError("the connection is closed")
    except OperationalError:
        answers = [page_failed(RequestFactory().get(path)) for path in ("/api/v1/catalogs/", "/")]
    assert [answer.status_code for answer in answers] == [503, 500]
    assert answers[0]["Retry-After"] == "5"
