"""What the OpenAPI document says of every operation: the two ways to sign in, and what anybody may be answered."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import get_doc

from lakeui.api.http.examples import example_add


class OperationSchema(AutoSchema):
    """How one operation is described."""

    def get_description(self) -> str:  # type: ignore[override]  # as of drf-spectacular
        """Its own text, never the docstring that its view inherits: that one speaks to programmers."""
        text = str(super().get_description() or "")
        view = type(self.view)
        return "" if view.__doc__ is None and text == get_doc(view) else text


class BearerScheme(OpenApiAuthenticationExtension):
    target_class = "lakeui.access.authentication.BearerAuthentication"
    name = "Bearer"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "A token that `manage.py token USER` printed."}


class BrowserScheme(OpenApiAuthenticationExtension):
    target_class = "lakeui.access.authentication.BrowserAuthentication"
    name = "Browser"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": "sessionid",
            "description": "The session of a signed-in browser; unsafe methods need the header X-CSRFToken too.",
        }


_REFUSALS = {
    "400": ("InvalidRequest", "What was sent is not what is asked for."),
    "401": ("NotSignedIn", "No token and no session, or one that does not count any more."),
    "403": ("NotAllowed", "The role or the token's scopes do not allow it, or the header X-CSRFToken is missing."),
    "404": ("NotFound", "Something that the address names is not there, or not for whoever asks."),
    "405": ("MethodNotAllowed", "An id that is none makes this the address of a branch whose name holds slashes."),
    "406": ("NotAcceptable", "The answer cannot be had in what Accept asks for."),
    "413": ("TooLarge", "The body is longer than the server takes."),
    "415": ("UnsupportedMediaType", "The body is of a type that is not taken here."),
    "429": ("TooManyRequests", "Too many requests; Retry-After says in how many seconds to try again."),
}
"""Status → component and description of the problems that lie in the request as such, not in one operation."""
_UNSAFE = ("post", "put", "patch", "delete")


def document_complete(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """drf-spectacular's hook after the document is made: each operation gets the refusals that it may answer, besides
    those that it describes itself, and an example of its body.
    """
    result["components"]["responses"] = {name: _problem(text) for name, text in _REFUSALS.values()}
    retry = {"schema": {"type": "integer", "minimum": 1}, "description": "Seconds to wait."}
    result["components"]["responses"]["TooManyRequests"]["headers"] = {"Retry-After": retry}
    for path, item in result["paths"].items():
        for verb, operation in item.items():
            known = operation["responses"]
            for status in _statuses(path, verb, operation):
                known.setdefault(status, {"$ref": f"#/components/responses/{_REFUSALS[status][0]}"})
            operation["responses"] = dict(sorted(known.items()))
            example_add(operation)
            _close(result, operation.get("requestBody", {}).get("content", {}).get("application/json", {}))
    return result


def _close(document: dict[str, Any], described: Any) -> None:
    """Say of every object in a body that it has no other members."""
    if isinstance(described, list):
        for item in described:
            _close(document, item)
    elif isinstance(described, dict) and "$ref" in described:
        _close(document, document["components"]["schemas"][described["$ref"].rpartition("/")[2]])
    elif isinstance(described, dict):
        # A member may be called properties too: what is closed is an object.
        if described.get("type") == "object" and "properties" in described:
            described["additionalProperties"] = False
        for item in described.values():
            _close(document, item)


def _statuses(path: str, verb: str, operation: dict[str, Any]) -> list[str]:
    # Any operation refuses parameters and members that it does not describe.
    found = ["400", "401", "406", "429"]
    if verb in _UNSAFE:
        found.append("403")
    if verb in _UNSAFE and "{branch}" in path:
        found.append("405")
    if "{" in path:
        found.append("404")
    if "requestBody" in operation:
        found += ["413", "415"]
    return found


def _problem(description: str) -> dict[str, Any]:
    shape = {"schema": {"$ref": "#/components/schemas/ProblemDocument"}}
    return {"description": description, "content": {"application/problem+json": shape}}
