"""Resources that are made, changed and dropped by statements: a view writes the text, the front door carries it out.

So a resource takes the same rights, protection and locks as its statement, and has the same dry run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiResponse, PolymorphicProxySerializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from catalog_app.domain.commit_messages import LONGEST_MESSAGE
from catalog_app.domain.names import LONGEST_NAME
from catalog_app.domain.quoting import quote_text
from catalog_app.selectors.protection import LONGEST_REASON
from catalog_app.services.catalogs import MAIN
from lakeui import frontdoor
from lakeui.api.http.answers import NOT_FINISHED
from lakeui.api.http.base import scopes_of
from lakeui.api.http.idempotency import once, task_key
from lakeui.api.http.serializers import ProblemDocument, StatementAnswer
from lakeui.api.sql.sql_view import statement_response
from lakeui.common.errors import InvalidValue
from lakeui.tasks.statements import statement_run
from merge_app.jobs.context import Context
from merge_app.jobs.selectors import task_known


class WriteOptions(serializers.Serializer[Any]):
    """How a resource is written, in a body; of DELETE in the address."""

    dry_run = serializers.BooleanField(
        required=False, default=False, help_text="Do all but the commit: 200, and nothing is changed."
    )
    bypass_reason = serializers.CharField(
        required=False,
        allow_blank=True,
        default="",
        max_length=LONGEST_REASON,
        help_text="Emergencies only: why an owner goes past the protection of a branch. It is kept in the audit.",
    )


class CommitOptions(WriteOptions):
    message = serializers.CharField(
        required=False,
        allow_blank=True,
        default="",
        max_length=LONGEST_MESSAGE,
        help_text="What the history says of the commit.",
    )


class NewName(WriteOptions):
    name = serializers.CharField(max_length=LONGEST_NAME)


class PointInTime(WriteOptions):
    """A version of a branch, or a time."""

    version = serializers.IntegerField(required=False, allow_null=True, default=None, min_value=0)
    timestamp = serializers.CharField(
        required=False, allow_null=True, default=None, max_length=64, help_text="2026-01-31 10:00:00, UTC unless said."
    )


_REFUSALS: dict[Any, Any] = {
    (status, "application/problem+json"): ProblemDocument for status in (400, 403, 404, 409, 422)
}
DRY_RUN: dict[Any, Any] = {200: OpenApiResponse(StatementAnswer, description="What its dry run answers.")}
AT_ONCE: dict[Any, Any] = _REFUSALS
AS_TASK: dict[Any, Any] = {
    **NOT_FINISHED,
    **_REFUSALS,
}


def or_rehearsed(kind: type[serializers.Serializer[Any]]) -> PolymorphicProxySerializer:
    """The changed resource, or what the dry run of the change answers."""
    return PolymorphicProxySerializer(
        component_name=f"{kind.__name__.removesuffix('Answer').removesuffix('Detail')}Changed",
        serializers=[kind, StatementAnswer],
        resource_type_field_name=None,
    )


@dataclass(frozen=True, slots=True)
class Write:
    """A statement, where it runs, and the options of its request."""

    statement: str
    options: dict[str, Any]
    catalog: str | None = None
    branch: str = MAIN

    @property
    def parameters(self) -> dict[str, Any]:
        """What ``POST /api/v1/sql/`` would be sent."""
        dry: dict[str, Any] = {"dry_run": True} if self.options["dry_run"] else {}
        if self.options.get("message"):
            dry["message"] = self.options["message"]
        return {
            "catalog": self.catalog,
            "branch": self.branch,
            "statement": self.statement,
            "transaction": None,
            "bypass_reason": self.options["bypass_reason"],
            **dry,
        }


def written(
    request: Request,
    write: Write,
    answer: Callable[[dict[str, Any]], Response],
    *,
    check: Callable[[], None] = lambda: None,
) -> HttpResponse:
    """Carry the statement out and answer what ``answer`` makes of its body. A dry run is answered with the body itself.
    ``check`` may object first (If-Match), not to a request that was answered before under its key.

    With an Idempotency-Key it is done once: a statement without a commit keeps its answer in its own transaction, any
    other is a task that its commit names.
    """
    parameters = write.parameters

    def shown(body: dict[str, Any]) -> Response:
        return Response(body) if write.options["dry_run"] else answer(body)

    def run() -> Response:
        check()
        return shown(_run(request, parameters, read))

    read = frontdoor.parsed(write.statement)
    if read.is_unrecorded:
        return once(request, run)
    key = task_key(request)
    if not key or not task_known(user_id=request.user.pk, idempotency_key=key):
        check()
    response = statement_response(request, parameters, read)
    return shown(response.data) if isinstance(response, Response) and response.status_code == 200 else response


def _run(request: Request, parameters: dict[str, Any], read: frontdoor.ParsedStatement) -> dict[str, Any]:
    return statement_run(parameters, user=request.user, scopes=scopes_of(request), context=Context(), read=read)


def gone(_: dict[str, Any]) -> Response:
    """What is answered of a resource that is there no more."""
    return Response(status=204)


def as_of_written(point: dict[str, Any], *, is_required: bool) -> str:
    """``VERSION AS OF n`` or ``TIMESTAMP AS OF '..'`` of a PointInTime. Raises InvalidValue where both are given, or
    neither and one ``is_required``.
    """
    version, timestamp = point["version"], point["timestamp"]
    if version is not None and timestamp is not None:
        raise InvalidValue(
            "Both version and timestamp are given.", remedy="Send one of them.", field="timestamp", nearest="version"
        )
    if version is not None:
        return f"VERSION AS OF {version}"
    if timestamp is not None:
        return f"TIMESTAMP AS OF {quote_text(timestamp)}"
    if is_required:
        raise InvalidValue("Neither version nor timestamp is given.", remedy="Send one.", field="version", nearest=None)
    return ""
