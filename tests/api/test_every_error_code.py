"""Every error code of the contract: one class, its status, and a case in the table of failures or a test of its own."""

from __future__ import annotations

import pytest

from lakeui.common.errors import LakeError
from tests.api.conftest import Caller, FakeDoor
from tests.api.test_statements import problem
from tests.sql.test_failures import CASES

CONTRACT = {
    "SYNTAX_ERROR": 400,
    "NOT_SUPPORTED": 400,
    "FORBIDDEN_STATEMENT": 400,
    "INVALID_VALUE": 400,
    "UNAUTHENTICATED": 401,
    "PERMISSION_DENIED": 403,
    "NOT_FOUND": 404,
    "ALREADY_EXISTS": 409,
    "SAME_BRANCH": 409,
    "BRANCH_MOVED": 409,
    "MERGE_CONFLICT": 409,
    "STALE": 412,
    "NOT_NULL_VIOLATION": 422,
    "DUPLICATE_KEY": 422,
    "CARDINALITY": 422,
    "TYPE_NARROWING": 422,
    "PROPERTY_NOT_FOUND": 422,
    "ENGINE_ENDED_OFTEN": 429,
    "ENGINE_ERROR": 502,
    "ENGINE_AWAY": 503,
    "OVERLOADED": 503,
}
"""The list of interfaces §2."""

NOT_OF_STATEMENTS = {
    "UNAUTHENTICATED",  # tests/api/test_own_tokens.py
    "PERMISSION_DENIED",  # tests/rights
    "BRANCH_MOVED",  # tests/sql/test_failures.py, over a branch that never rests
    "STALE",  # tests/review
    "ENGINE_ERROR",  # tests/faults/test_killed_servers.py
    "ENGINE_AWAY",  # tests/engine/test_away.py
    "ENGINE_ENDED_OFTEN",  # tests/jobs/test_ended_engines.py
    "OVERLOADED",  # tests/keyed/test_replacing.py
}
"""What no statement ends in by itself, and where it is tried."""


def _classes(base: type[LakeError]) -> list[type[LakeError]]:
    return [found for child in base.__subclasses__() for found in (child, *_classes(child))]


def test_every_code_of_the_contract_has_its_status() -> None:
    known = {kind.code: kind.status for kind in _classes(LakeError)}
    assert {code: known.get(code) for code in CONTRACT} == CONTRACT


def test_every_code_that_a_statement_ends_in_is_in_the_table_of_failures() -> None:
    assert {case.code for case in CASES} == CONTRACT.keys() - NOT_OF_STATEMENTS


@pytest.mark.parametrize("code", CONTRACT)
def test_every_code_is_told_as_a_problem(alice: Caller, door: FakeDoor, code: str) -> None:
    class Raised(LakeError):
        pass

    Raised.code, Raised.status = code, CONTRACT[code]
    door.fail(Raised("What happened.", remedy="The way out."))
    body = problem(alice.sql("SELECT 1"), CONTRACT[code], code)
    assert (body["detail"], body["remedy"]) == ("What happened.", "The way out.")
