"""The interface answers whatever is asked of it as its document says: no failure of the server, and no status, header,
content type or body that the document does not describe.

Each run asks the same; ``LAKEUI_SOAK=1`` asks much more, and anew each time. What an operation is asked is made when
its test runs: made for all of them at once, it takes longer than all other tests take to be collected.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from django.conf import settings
from django.db import connection, transaction
from django.test import Client
from drf_spectacular.renderers import OpenApiJsonRenderer
from jsonschema import Draft202012Validator
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.config import (
    CoveragePhaseConfig,
    GenerationConfig,
    PhasesConfig,
    ProjectConfig,
    ProjectsConfig,
    SchemathesisConfig,
)
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation.feedback import FeedbackSources
from schemathesis.generation.meta import CoveragePhaseData, TestPhase
from schemathesis.pytest._test_builder import build_operation_test
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from schemathesis.specs.openapi.schemas import OpenApiSchema

from lakeui.api.http.docs import openapi_document
from lakeui.wsgi import application
from tests.contract.conftest import Contract
from tests.support.soak import IS_SOAK

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


@cache
def described(*, examples: int) -> OpenApiSchema:
    """The document, for so many calls of each operation by chance, and with the edges of every parameter."""
    generation = GenerationConfig(max_examples=examples, deterministic=not IS_SOAK, database="none")
    # Methods that an address does not have are a test of their own, below.
    coverage = CoveragePhaseConfig(unexpected_methods=set())
    project = ProjectConfig(generation=generation, phases=PhasesConfig(coverage=coverage))
    config = SchemathesisConfig(projects=ProjectsConfig(default=project))
    return schemathesis.openapi.from_wsgi("/api/v1/schema/", application, config=config)


DOCUMENT = json.loads((Path(settings.BASE_DIR) / "frontend" / "openapi.json").read_text())
OPERATIONS = [f"{method.upper()} {path}" for path, item in DOCUMENT["paths"].items() for method in item]


def ask(schema: OpenApiSchema, operation: str, judge: Callable[[Case], None]) -> None:
    """Judge each case of an operation."""
    found = schema.find_operation_by_label(operation)
    assert found is not None
    build_operation_test(
        config=schema.config,
        operation=found,
        test_func=judge,
        given_kwargs={},
        feedback=FeedbackSources(),
    )()


class Edges:
    """Which cases of one operation are asked.

    A call that was made already is not repeated: addresses are replaced, so many cases become the same call. Of the
    cases of one kind and place, as the wrong types of a member, the first is asked and about an eighth of the others.
    """

    def __init__(self) -> None:
        self._calls: set[str] = set()
        self._met: dict[tuple[object, ...], list[int]] = {}

    def is_new(self, case: Case) -> bool:
        call = repr((case.query, dict(case.headers or {}), case.cookies, case.body, case.media_type))
        if call in self._calls:
            return False
        self._calls.add(call)
        return IS_SOAK or self._is_chosen(case)

    def _is_chosen(self, case: Case) -> bool:
        edge = case.meta.phase.data if case.meta else None
        if not isinstance(edge, CoveragePhaseData):
            return True
        # Members of a body have places of their own; a parameter is one place, as itself and as its schema.
        is_body = edge.parameter_location is ParameterLocation.BODY
        place = edge.scenario, edge.parameter, edge.parameter_location, edge.location if is_body else None
        turn, met = self._met.setdefault(place, [len(self._met), 0])
        self._met[place][1] += 1
        return met == 0 or (met + turn) % 8 == 0


def judged(case: Case, headers: dict[str, str]) -> None:
    """Hold the answer against the document, and take back what the call did."""
    with transaction.atomic():
        # Its transport does not unpack what it says that it takes; tests/api/http/test_compression.py looks at that.
        response = case.call(headers={**headers, "Accept-Encoding": "identity"})
        # What is judged at the end of a transaction is judged now: there is none. The setting goes with the call.
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        transaction.set_rollback(True)
    case.validate_response(response, checks=CHECKS)


def test_the_stored_document_is_the_served_one() -> None:
    assert json.loads(OpenApiJsonRenderer().render(openapi_document())) == DOCUMENT


def is_by_chance(case: Case) -> bool:
    return case.meta is None or case.meta.phase.name is not TestPhase.COVERAGE


@pytest.mark.parametrize("operation", OPERATIONS)
def test_owners_and_viewers_are_answered_as_documented(operation: str, contract: Contract) -> None:
    """What is asked by chance, a viewer asks at addresses by chance too. To find it takes longer than to ask it."""
    edges = Edges()

    def judge(case: Case) -> None:
        if is_by_chance(case):
            judged(case, contract.viewer)
        case.path_parameters = {name: contract.names[name] for name in case.path_parameters or {}}
        if edges.is_new(case):
            judged(case, contract.owner)

    ask(described(examples=200 if IS_SOAK else 2), operation, judge)


def test_methods_an_address_lacks_are_refused(contract: Contract) -> None:
    client = Client(raise_request_exception=False)
    for path, item in DOCUMENT["paths"].items():
        address = path.format(**contract.names)
        for method in {"get", "post", "put", "patch", "delete", "options"} - item.keys():
            response = client.generic(method.upper(), address, headers={**contract.owner, "Accept": "*/*"})
            assert (response.status_code, response["Content-Type"]) == (405, "application/problem+json"), address


def test_strangers_are_asked_to_sign_in_everywhere(contract: Contract) -> None:
    client = Client(raise_request_exception=False)
    for path, item in DOCUMENT["paths"].items():
        for method, operation in item.items():
            response = client.generic(method.upper(), path.format(**contract.names))
            assert (response.status_code, "401" in operation["responses"]) == (401, True), (method, path)


def bodies() -> list[tuple[str, dict[str, Any]]]:
    """Operation id and described body of each operation that takes JSON."""
    operations = [operation for item in DOCUMENT["paths"].values() for operation in item.values()]
    described_bodies = [(entry["operationId"], entry.get("requestBody", {}).get("content", {})) for entry in operations]
    return [(name, content["application/json"]) for name, content in described_bodies if "application/json" in content]


@pytest.mark.parametrize(("name", "content"), bodies(), ids=lambda value: value if isinstance(value, str) else "")
def test_a_body_has_an_example_its_description_allows(name: str, content: dict[str, Any]) -> None:
    shape = {**content["schema"], "components": DOCUMENT["components"]}
    errors = Draft202012Validator(shape).iter_errors(content["example"])
    assert [f"{error.json_path}: {error.message}" for error in errors] == []
