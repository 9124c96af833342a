"""Every refusal of the HTTP interface as application/problem+json (RFC 9457)."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import PermissionDenied as DjangoPermissionDenied
from django.core.exceptions import RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import Resolver404, resolve
from django.views.decorators.csrf import csrf_exempt
from rest_framework import exceptions
from rest_framework.views import set_rollback

from catalog_app.domain.stores import store_failure
from lakeui.api.http.strict import DEEPEST
from lakeui.common.errors import DatabaseAway, LakeError, NestedTooDeeply
from lakeui.common.problem import CONTENT_TYPE, internal_problem, problem

logger = logging.getLogger(__name__)

# Status → code, title and remedy of what Django REST Framework itself refuses.
FRAMEWORK = {
    400: ("INVALID_VALUE", "Invalid value", ""),
    401: ("UNAUTHENTICATED", "Not signed in", "Send the header Authorization: Bearer <token>, or sign in at /login/."),
    403: ("PERMISSION_DENIED", "Permission denied", ""),
    404: ("NOT_FOUND", "Not found", ""),
    405: ("METHOD_NOT_ALLOWED", "Method not allowed", ""),
    406: ("NOT_ACCEPTABLE", "Not acceptable", "Accept application/json."),
    413: ("TOO_LARGE", "Too large", ""),
    415: ("UNSUPPORTED_MEDIA_TYPE", "Unsupported media type", "Send the body as application/json."),
    429: ("TOO_MANY_REQUESTS", "Too many requests", "Wait as long as Retry-After says."),
}


class TooLarge(exceptions.APIException):
    """What was sent is longer than the server takes."""

    status_code = 413
    default_detail = "The body is too large."


def problem_response(document: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> HttpResponse:
    """The response of a problem document; its status is the document's."""
    body = json.dumps(document, default=str)
    response = HttpResponse(
        body, content_type=CONTENT_TYPE, status=int(document["status"]), headers=dict(headers or {})
    )
    response["Cache-Control"] = "no-store"
    return response


def exception_response(error: Exception, context: Mapping[str, Any]) -> HttpResponse:
    """The exception handler of every API view: whatever was raised, a problem document goes out."""
    set_rollback()
    if isinstance(error, RecursionError):
        logger.warning("what was sent to %s is nested too deeply", type(context.get("view")).__name__, exc_info=error)
        error = NestedTooDeeply("What was sent", deepest=DEEPEST)
    if _is_without_database(error):
        logger.warning("the database did not answer %s", type(context.get("view")).__name__, exc_info=error)
        error = DatabaseAway()
    # Of a statement it is named already; downloads, uploads and metadata reach the store by themselves.
    if failed := store_failure(error):
        logger.warning("the object store failed %s", type(context.get("view")).__name__, exc_info=error)
        error = failed
    if isinstance(error, LakeError):
        retry_after = error.details.get("retry_after")
        return problem_response(error.as_problem(), {"Retry-After": str(retry_after)} if retry_after else None)
    if isinstance(error, Http404):
        error = exceptions.NotFound("There is nothing at this address.")
    if isinstance(error, DjangoPermissionDenied):
        error = exceptions.PermissionDenied()
    if isinstance(error, RequestDataTooBig):
        error = TooLarge()
    if isinstance(error, exceptions.APIException):
        return _framework_response(error)
    document = internal_problem()
    view = type(context.get("view")).__name__
    logger.error("%s failed unexpectedly, error %s", view, document["error_id"], exc_info=error)
    return problem_response(document)


def _is_without_database(error: BaseException | None) -> bool:
    """Whether there was no connection, or it ended. Other failures of the database have a code of their own."""
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    state = getattr(error.__cause__, "sqlstate", None)
    return state is None or state.startswith(("08", "57P"))


def _framework_response(error: exceptions.APIException) -> HttpResponse:
    code, title, remedy = FRAMEWORK.get(error.status_code, FRAMEWORK[400])
    headers = {}
    if header := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = header
    if (wait := getattr(error, "wait", None)) is not None:
        headers["Retry-After"] = str(int(wait) + 1)
    members: dict[str, Any] = {}
    if isinstance(error, exceptions.ValidationError):
        members["errors"] = _field_errors(error.detail)
        detail = "; ".join(f"{entry['field']}: {entry['message']}" for entry in members["errors"])
    else:
        detail = str(error.detail)
    document = problem(status=error.status_code, code=code, title=title, detail=detail, remedy=remedy, **members)
    return problem_response(document, headers)


def _field_errors(detail: Any, field: str = "") -> list[dict[str, str]]:
    """Flat list of what is wrong with which field; the body as a whole is the field ``body``."""
    if isinstance(detail, Mapping):
        inner = [(f"{field}.{name}" if field else str(name), value) for name, value in detail.items()]
        return [
            entry for name, value in inner for entry in _field_errors(value, name.replace("non_field_errors", "body"))
        ]
    if isinstance(detail, list):
        return [entry for value in detail for entry in _field_errors(value, field)]
    return [{"field": field or "body", "message": str(detail)}]


@csrf_exempt  # nothing is here that could be done in somebody's name
def unknown_endpoint(request: HttpRequest, rest: str = "") -> HttpResponse:
    """Any address under /api/ that no other route takes."""
    nearest = f"{request.path}/"
    remedy = "The addresses are listed at /api/docs/."
    try:
        if resolve(nearest).func is not unknown_endpoint:
            remedy = f"Did you mean {nearest}?"
    except Resolver404:
        nearest = ""
    return problem_response(
        problem(
            status=404,
            code="NOT_FOUND",
            title="Not found",
            detail=f"There is no address {request.path}.",
            remedy=remedy,
            kind="address",
            name=request.path,
        )
    )


def _wants_problem(request: HttpRequest) -> bool:
    return request.path.startswith("/api/")


def page_bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _page(request, 400, "This request cannot be understood.")


def page_forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _page(request, 403, "You may not do this.")


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _page(request, 404, f"There is no address {request.path}.")


def page_failed(request: HttpRequest) -> HttpResponse:
    """The last resort: Django has logged the trace already, this adds the id to find it by."""
    if _wants_problem(request) and _is_without_database(sys.exc_info()[1]):
        away = DatabaseAway()
        return problem_response(away.as_problem(), {"Retry-After": str(away.details["retry_after"])})
    document = internal_problem()
    logger.error("%s %s failed, error %s", request.method, request.path, document["error_id"])
    if _wants_problem(request):
        return problem_response(document)
    return render(request, "500.html", {"error_id": document["error_id"]}, status=500)


def _page(request: HttpRequest, status: int, detail: str) -> HttpResponse:
    if _wants_problem(request):
        code, title, remedy = FRAMEWORK[status]
        return problem_response(problem(status=status, code=code, title=title, detail=detail, remedy=remedy))
    return render(request, f"{status}.html", status=status)
