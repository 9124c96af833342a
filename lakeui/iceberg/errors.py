"""Refusals as Iceberg's ErrorModel: the status, message and way out are those of lakeui's problem documents."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse

from lakeui.api.http.errors import exception_response
from lakeui.common.errors import LakeError

_MISSING = {
    "database": "NoSuchNamespaceException",
    "table": "NoSuchTableException",
    "view": "NoSuchViewException",
}
_BY_STATUS = {
    400: "BadRequestException",
    401: "NotAuthorizedException",
    403: "ForbiddenException",
    404: "NotFoundException",
    406: "UnsupportedOperationException",
    429: "TooManyRequestsException",
    503: "ServiceUnavailableException",
}


class ReadOnly(LakeError):
    """The operation is one of Iceberg's, and changes something."""

    code, status, title = "READ_ONLY", 406, "Read-only"


def iceberg_response(error: Exception, context: Mapping[str, Any]) -> HttpResponse:
    """The exception handler of the views here."""
    response = exception_response(error, context)
    return error_response(json.loads(response.content), dict(response.headers))


def error_response(problem: Mapping[str, Any], headers: Mapping[str, str]) -> HttpResponse:
    """A problem document as an ErrorModel."""
    status = int(problem["status"])
    message = " ".join(part for part in (problem["detail"], problem.get("remedy", "")) if part)
    body = {"error": {"message": message, "type": _kind(problem, status), "code": status, "stack": []}}
    kept = {name: value for name, value in headers.items() if name not in ("Content-Type", "Content-Length")}
    return HttpResponse(json.dumps(body), content_type="application/json", status=status, headers=kept)


def _kind(problem: Mapping[str, Any], status: int) -> str:
    if status == 404:
        return _MISSING.get(str(problem.get("kind", "")), _BY_STATUS[404])
    if problem["code"] == "NOT_SUPPORTED":
        return _BY_STATUS[406]
    return _BY_STATUS.get(status, "InternalServerError" if status >= 500 else _BY_STATUS[400])
