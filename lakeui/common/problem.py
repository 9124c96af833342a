"""Problem documents (RFC 9457) for what is no LakeError."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

CONTENT_TYPE = "application/problem+json"


def problem(*, status: int, code: str, title: str, detail: str, remedy: str = "", **members: Any) -> dict[str, Any]:
    """A problem document; ``members`` are its extension members."""
    document: dict[str, Any] = {
        **members,
        "type": f"urn:lakeui:problem:{code}",
        "title": title,
        "status": status,
        "detail": detail,
        "code": code,
    }
    if remedy:
        document["remedy"] = remedy
    return document


def internal_problem() -> dict[str, Any]:
    """The problem of an unexpected exception: an ``error_id`` to find it in the log by, and nothing of its insides."""
    error_id = uuid4().hex
    return problem(
        status=500,
        code="INTERNAL_ERROR",
        title="Internal error",
        detail=f"Something failed inside lakeui. The log has the details under error id {error_id}.",
        remedy="Try again; if it comes back, pass the error id to whoever runs this server.",
        error_id=error_id,
    )
