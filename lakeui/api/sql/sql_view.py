"""``POST /api/v1/sql/``: one statement, answered at once or as a task."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from django.conf import settings
from django.db import transaction
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from lakeui import frontdoor
from lakeui.api.http.answers import NOT_FINISHED
from lakeui.api.http.base import ApiView, scopes_of, session_of
from lakeui.api.http.downloads import CsvRenderer, ParquetRenderer, download_response, is_download
from lakeui.api.http.errors import problem_response
from lakeui.api.http.idempotency import IDEMPOTENCY_KEY, request_digest, task_key
from lakeui.api.http.prefer import LONGEST_WAIT_SECONDS, Preference, read_preference
from lakeui.api.http.request_work import query_of
from lakeui.api.http.serializers import ProblemDocument, StatementAnswer, StatementRequest, TaskAnswer, task_url
from lakeui.api.http.strict import body_checked
from lakeui.api.http.waiting import task_awaited
from lakeui.frontdoor.keeping import statement_kept
from lakeui.frontdoor.meant_tables import tables_proposed
from lakeui.frontdoor.recording import refusals_recorded
from lakeui.frontdoor.sessions.sql_sessions import session_filled
from lakeui.tasks.statements import TASK_KIND, bound, statement_run, statement_session, task_kind
from merge_app.jobs.context import Context
from merge_app.jobs.models import QUERY_TASK_KIND, Task, TaskState
from merge_app.jobs.request_work import LONGEST, query_task_require_place
from merge_app.jobs.selectors import task_known
from merge_app.jobs.services import task_submit

PREFER = OpenApiParameter(
    "Prefer",
    str,
    OpenApiParameter.HEADER,
    description=f"`wait=N`: wait up to N seconds (at most {LONGEST_WAIT_SECONDS}) for the result; `respond-async`:"
    " answer 202 at once. Work that takes longer is answered by its task: wait for that again.",
)


class SqlView(ApiView):
    """Runs one SQL statement."""

    serves_limited_tokens = True

    renderer_classes = [JSONRenderer, CsvRenderer, ParquetRenderer]

    @extend_schema(
        operation_id="sql_run",
        summary="Run one SQL statement",
        description="With `Accept: text/csv` or `application/vnd.apache.parquet`: the whole result of a SELECT as a"
        " file. CSV quotes every text, so that an empty one differs from NULL, and changes no text. One that begins"
        " with = + - @ may run as a formula where a spreadsheet opens the file. `escape_formulas` guards against that.",
        tags=["sql"],
        parameters=[PREFER, IDEMPOTENCY_KEY],
        request=StatementRequest,
        responses={
            (200, "application/json"): StatementAnswer,
            (200, CsvRenderer.media_type): OpenApiTypes.STR,
            (200, ParquetRenderer.media_type): OpenApiTypes.BINARY,
            **NOT_FINISHED,
            (400, "application/problem+json"): ProblemDocument,
            (401, "application/problem+json"): ProblemDocument,
            (403, "application/problem+json"): ProblemDocument,
            (404, "application/problem+json"): ProblemDocument,
            (409, "application/problem+json"): ProblemDocument,
            (413, "application/problem+json"): ProblemDocument,
            (422, "application/problem+json"): ProblemDocument,
        },
    )
    def post(self, request: Request) -> HttpResponseBase:
        sent = body_checked(StatementRequest, request)
        if is_download(request):
            return download_response(request, session_filled(sent, request.data, request.user))
        sent.pop("escape_formulas", None)
        return statement_response(request, sent, is_typed=True)


def statement_response(
    request: Request,
    sent: dict[str, Any],
    read: frontdoor.ParsedStatement | None = None,
    *,
    is_typed: bool = False,
) -> HttpResponse:
    """The answer to the statement that was sent: at once, or of the task that carries it out. ``read``: the statement,
    where it was read before. ``is_typed``: a person wrote it, and has it in their history.
    """
    key = task_key(request)
    preference = read_preference(request.headers.get("Prefer", ""))
    if key and task_known(user_id=int(request.user.pk or 0), idempotency_key=key):
        return task_response(_known(request, sent, key), preference)
    # Only a session looks at what was sent; a tool's request names none, and its body is no statement.
    members = request.data if sent.get("session") else ()
    parameters = session_filled(sent, members, request.user)
    # With a key even a quick statement is a task: its commit names the task, so it cannot happen twice.
    task: Task | None = None
    scopes = scopes_of(request)
    with ExitStack() as stack:
        context = Context()
        keeping = stack.enter_context(statement_kept(parameters, request.user if is_typed else None))
        # What is refused before it is run leaves its line in the log as what is run does.
        session = session_of(request, parameters["catalog"], parameters["branch"])
        proposed = tables_proposed(parameters["statement"], session)
        with refusals_recorded(session, lambda: read and read.statement), proposed:
            read = _read(parameters, read)
            if read.is_task or key or preference.respond_async:
                with transaction.atomic():
                    task = _submit(request, parameters, read, key, request_digest(request, sent))
                    keeping.becomes(task.pk)
            elif read.takes_query_place:
                context = stack.enter_context(query_of(request, parameters, read))
        if task is not None:
            return task_response(task, preference)
        body = statement_run(parameters, user=request.user, scopes=scopes, context=context, read=read)
        keeping.answers(body)
        return Response(body)


def _read(parameters: dict[str, Any], read: frontdoor.ParsedStatement | None) -> frontdoor.ParsedStatement:
    """What the parameters say, where it is not ``read`` yet: a dry run also where only their field asks for one."""
    read = read or frontdoor.parsed(parameters["statement"], bound(parameters))
    return read.without_commit() if parameters.get("dry_run") else read


def _known(request: Request, sent: dict[str, Any], key: str) -> Task:
    """The task of a key that was used before. Nothing is judged again: what the statement needed, or its session, may
    be gone by its own doing.
    """
    scopes, digest = scopes_of(request), request_digest(request, sent)
    return task_submit(
        kind=TASK_KIND, parameters=sent, user=request.user, idempotency_key=key, request_digest=digest, scopes=scopes
    )


def _submit(
    request: Request, parameters: dict[str, Any], read: frontdoor.ParsedStatement, key: str, digest: str
) -> Task:
    """The task of the statement, judged already here: who may not is refused at once."""
    scopes = scopes_of(request)
    session = statement_session(parameters, user=request.user, scopes=scopes)
    kind = task_kind(read)
    shown = parameters
    if kind == QUERY_TASK_KIND:
        shown = {**parameters, LONGEST: float(settings.LAKEUI["QUERY_TASK_SECONDS"]) or None}
        query_task_require_place(request.user)
    return task_submit(
        kind=kind,
        parameters=shown,
        user=request.user,
        idempotency_key=key,
        request_digest=digest if key else "",
        catalog_id=frontdoor.admit(read, session),
        scopes=scopes,
    )


def task_response(task: Task, preference: Preference) -> HttpResponse:
    """What the task answered, or the task itself if it takes longer than the client (or we) want to wait."""
    task = task_awaited(task.pk, person=task.created_by_id or 0, seconds=preference.wait, known=task)
    response: HttpResponse
    if task.state == TaskState.SUCCEEDED:
        response = Response(task.result)
    elif task.is_finished:
        response = problem_response({**(task.error or {}), "task": str(task.pk)})
    else:
        response = Response(TaskAnswer(task).data, status=202, headers={"Retry-After": "1"})
    response["Location"] = task_url(task)
    if preference.applied:
        response["Preference-Applied"] = preference.applied
    return response
