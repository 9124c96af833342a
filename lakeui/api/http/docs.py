"""The OpenAPI document, and a plain page made from it that needs nothing from elsewhere."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from lakeui.api.http.base import ApiView

_VERBS = ("get", "post", "put", "patch", "delete")


class SchemaView(ApiView):
    """The OpenAPI 3.1 document, readable by anybody."""

    authentication_classes = []
    permission_classes = [AllowAny]
    renderer_classes = [OpenApiJsonRenderer]
    schema = None  # type: ignore[assignment]  # the document does not describe itself

    def get(self, request: Request) -> Response:
        return Response(openapi_document())


@cache
def openapi_document() -> dict[str, Any]:
    """The document of every view under /api/v1/. All requests share it, so it is never changed."""
    # Made once a process, as anybody may ask for it and to make it takes as long as a hundred other requests.
    document: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return document


@require_safe
def docs_page(request: HttpRequest) -> HttpResponse:
    """The operations in the order of their addresses."""
    document = openapi_document()
    operations = [
        {"verb": verb.upper(), "path": path, **_operation(document, item[verb])}
        for path, item in sorted(document["paths"].items())
        for verb in _VERBS
        if verb in item
    ]
    return render(request, "api/docs.html", {"info": document["info"], "operations": operations})


def _operation(document: dict[str, Any], operation: dict[str, Any]) -> dict[str, Any]:
    body = _content_schema(operation.get("requestBody", {}))
    return {
        "id": operation["operationId"],
        "summary": operation.get("summary", ""),
        "description": operation.get("description", ""),
        "parameters": [
            {"name": entry["name"], "place": entry["in"], "description": entry.get("description", "")}
            for entry in operation.get("parameters", [])
        ],
        "members": _members(document, body),
        "answers": [
            {"status": status, "description": answer.get("description", ""), "members": _members(document, shape)}
            for status, given in operation["responses"].items()
            for answer in [_resolved(document, given)]
            for shape in [_content_schema(answer)]
        ],
    }


def _content_schema(holder: dict[str, Any]) -> dict[str, Any]:
    first: dict[str, Any] = next(iter(holder.get("content", {}).values()), {})
    shape: dict[str, Any] = first.get("schema", {})
    return shape


def _members(document: dict[str, Any], shape: dict[str, Any]) -> list[dict[str, Any]]:
    """Name, type, obligation and meaning of each member of an object's schema."""
    shape = _resolved(document, shape)
    required = shape.get("required", [])
    return [
        {"name": name, "type": _type(entry), "required": name in required, "description": entry.get("description", "")}
        for name, entry in shape.get("properties", {}).items()
    ]


def _resolved(document: dict[str, Any], entry: dict[str, Any]) -> dict[str, Any]:
    """What the entry refers to, itself where it refers to nothing."""
    if "$ref" not in entry:
        return entry
    kind, name = entry["$ref"].split("/")[-2:]
    found: dict[str, Any] = document["components"][kind][name]
    return found


def _type(entry: dict[str, Any]) -> str:
    if "$ref" in entry:
        return str(entry["$ref"]).rpartition("/")[2]
    kind = entry.get("type", "")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)
