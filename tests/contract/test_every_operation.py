"""The interface answers whatever is asked of it as its document says: no failure of the server, and no status, header,
content type or body that the document does not describe.

Each run asks the same; ``LAKEUI_SOAK=1`` asks much more, and anew each time.
"""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from django.db import connection, transaction
from django.test import Client
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
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from lakeui.api.docs import openapi_document
from lakeui.wsgi import application
from tests.contract.conftest import Contract
from tests.soak import IS_SOAK

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


def described(*, examples: int, edges: bool) -> Any:
    """The document, for so many calls of each operation by chance; with the edges of every parameter where asked."""
    generation = GenerationConfig(max_examples=examples, deterministic=not IS_SOAK, database="none")
    # Methods that an address does not have are a test of their own, below.
    coverage = CoveragePhaseConfig(enabled=edges, unexpected_methods=set())
    project = ProjectConfig(generation=generation, phases=PhasesConfig(coverage=coverage))
    config = SchemathesisConfig(projects=ProjectsConfig(default=project))
    return schemathesis.openapi.from_wsgi("/api/v1/schema/", application, config=config)


DOCUMENT = openapi_document()
of_owner = described(examples=200 if IS_SOAK else 6, edges=True)
of_viewer = described(examples=200 if IS_SOAK else 4, edges=False)


def judged(case: Case, headers: dict[str, str]) -> None:
    """Hold the answer against the document, and take back what the call did."""
    with transaction.atomic():
        response = case.call(headers=headers)
        # What is judged at the end of a transaction is judged now: there is none.
        connection.check_constraints()
        transaction.set_rollback(True)
    case.validate_response(response, checks=CHECKS)


@of_owner.parametrize()
def test_an_owner_is_answered_as_documented_at_addresses_that_lead_somewhere(case: Case, contract: Contract) -> None:
    case.path_parameters = {name: contract.names[name] for name in case.path_parameters or {}}
    judged(case, contract.owner)


@of_viewer.parametrize()
def test_a_viewer_is_answered_as_documented_at_any_address(case: Case, contract: Contract) -> None:
    judged(case, contract.viewer)


def test_methods_that_an_address_does_not_have_are_refused(contract: Contract) -> None:
    client = Client(raise_request_exception=False)
    for path, item in DOCUMENT["paths"].items():
        address = path.format(**contract.names)
        for method in {"get", "post", "put", "patch", "delete", "options"} - item.keys():
            response = client.generic(method.upper(), address, headers={**contract.owner, "Accept": "*/*"})
            assert (response.status_code, response["Content-Type"]) == (405, "application/problem+json"), address


def test_strangers_are_told_to_sign_in_everywhere(contract: Contract) -> None:
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
def test_a_body_has_an_example_that_its_description_allows(name: str, content: dict[str, Any]) -> None:
    shape = {**content["schema"], "components": DOCUMENT["components"]}
    errors = Draft202012Validator(shape).iter_errors(content["example"])
    assert [f"{error.json_path}: {error.message}" for error in errors] == []
