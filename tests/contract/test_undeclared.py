"""No operation takes what the document does not describe: another member, another parameter, a key twice, another type.

The operations are those of the committed document, all of them, and the lake is that of the contract.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import transaction
from django.test import Client

from tests.contract.conftest import Contract

DOCUMENT = json.loads((Path(settings.BASE_DIR) / "frontend" / "openapi.json").read_text())
WORD = "brnach"
TAKES = {"string": 7, "integer": "7", "boolean": "true"}
"""By the type that a member has, a value of another type that would be converted."""


def operations() -> list[Any]:
    """Method, address, described body and parameters of each operation."""
    return [
        pytest.param(method, path, operation, id=operation["operationId"])
        for path, item in DOCUMENT["paths"].items()
        for method, operation in item.items()
    ]


def described(operation: Any) -> dict[str, Any]:
    """The JSON body of an operation, {} where it takes none."""
    content: dict[str, Any] = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    return content


def resolved(shape: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in shape:
        return resolved(DOCUMENT["components"]["schemas"][shape["$ref"].rpartition("/")[2]])
    return shape


def objects(shape: dict[str, Any], value: Any, path: str = "") -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Path, value and shape of each object with members in an example, the whole first."""
    shape = resolved(shape)
    if "properties" in shape and isinstance(value, dict):
        yield path, value, shape
        for name, item in value.items():
            yield from objects(shape["properties"][name], item, f"{path}.{name}" if path else name)
    elif shape.get("type") == "array" and isinstance(value, list):
        for number, item in enumerate(value):
            yield from objects(shape["items"], item, f"{path}[{number}]")


def ask(contract: Contract, method: str, path: str, body: Any = None, query: str = "") -> Any:
    """The answer; what the call did is taken back."""
    text = body if isinstance(body, str) else json.dumps(body)
    with transaction.atomic():
        response = Client(raise_request_exception=False).generic(
            method.upper(),
            path.format(**contract.names) + query,
            "" if body is None else text,
            content_type="application/json",
            headers=contract.owner,
        )
        transaction.set_rollback(True)
    return response


def refused(response: Any, field: str, nearest: str | None) -> None:
    document = json.loads(response.content)
    assert (response.status_code, document["code"]) == (400, "INVALID_VALUE"), response.content
    assert (document["field"], document["nearest"]) == (field, nearest), document


@pytest.mark.parametrize(("method", "path", "operation"), operations())
def test_an_unknown_parameter_is_refused(contract: Contract, method: str, path: str, operation: Any) -> None:
    known = [entry["name"] for entry in operation.get("parameters", []) if entry["in"] == "query"]
    refused(ask(contract, method, path, query="?zzzzzz=1"), "zzzzzz", None)
    for name in known[:1]:
        refused(ask(contract, method, path, query=f"?{name}q=1"), f"{name}q", name)


@pytest.mark.parametrize(("method", "path", "operation"), operations())
def test_a_parameter_is_not_there_twice(contract: Contract, method: str, path: str, operation: Any) -> None:
    for entry in operation.get("parameters", []):
        if entry["in"] == "query" and entry["schema"].get("type") != "array":
            query = f"?{entry['name']}=1&{entry['name']}=2"
            refused(ask(contract, method, path, query=query), entry["name"], entry["name"])


@pytest.mark.parametrize(
    ("method", "path", "operation"), [entry for entry in operations() if entry.values[0] not in ("get", "head")]
)
def test_an_unknown_member_is_refused_at_every_depth(
    contract: Contract, method: str, path: str, operation: Any
) -> None:
    content = described(operation)
    if not content:
        takes_file = "requestBody" in operation
        response = ask(contract, method, path, {WORD: 1})
        assert takes_file or (response.status_code, response.json()["field"]) == (400, WORD), response.content
        return
    example = content["example"]
    for where, value, shape in objects(content["schema"], example):
        name = next(iter(shape["properties"]))
        value[f"{name}q"] = 1
        refused(ask(contract, method, path, example), f"{where}.{name}q" if where else f"{name}q", name)
        del value[f"{name}q"]


@pytest.mark.parametrize(("method", "path", "operation"), [e for e in operations() if described(e.values[2])])
def test_a_member_is_not_there_twice(contract: Contract, method: str, path: str, operation: Any) -> None:
    name, value = next(iter(described(operation)["example"].items()))
    member = f"{json.dumps(name)}: {json.dumps(value)}"
    refused(ask(contract, method, path, f"{{{member}, {member}}}"), name, name)


@pytest.mark.parametrize(("method", "path", "operation"), [e for e in operations() if described(e.values[2])])
def test_a_value_of_another_type_is_not_converted(contract: Contract, method: str, path: str, operation: Any) -> None:
    content = described(operation)
    for name, shape in resolved(content["schema"])["properties"].items():
        kind = resolved(shape).get("type")
        kind = kind[0] if isinstance(kind, list) else kind
        if kind in TAKES:
            refused(ask(contract, method, path, {**content["example"], name: TAKES[kind]}), name, None)


@pytest.mark.parametrize(("method", "path", "operation"), [e for e in operations() if described(e.values[2])])
def test_a_body_without_end_is_refused(contract: Contract, method: str, path: str, operation: Any) -> None:
    refused(ask(contract, method, path, "[" * 100_000), "body", None)
    refused(ask(contract, method, path, "[" * 200 + "]" * 200), "body", None)


@pytest.mark.parametrize(("method", "path", "operation"), [e for e in operations() if described(e.values[2])])
def test_the_document_allows_no_other_members(contract: Contract, method: str, path: str, operation: Any) -> None:
    content = described(operation)
    for where, _, shape in objects(content["schema"], content["example"]):
        assert shape["additionalProperties"] is False, where
