"""``/api/v1/results/``: results of any number of rows, each of one person, fetched in pages or as one stream."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from catalog_app.domain.results import kept_files_read, names_apart
from catalog_app.models import KeptResult
from catalog_app.selectors.people import catalogs_read_require
from catalog_app.services.results import (
    LIFETIME,
    MOST_OF_A_PERSON,
    result_get,
    result_let_go,
    result_missing,
    results_of,
)
from lakeui import frontdoor
from lakeui.api.http.answers import BAD_REQUEST, IF_NONE_MATCH, NOT_FINISHED, NOT_MODIFIED
from lakeui.api.http.base import ApiView, NewestFirst, checked, principal_of, scopes_of, tagged
from lakeui.api.http.downloads import CsvRenderer, FileRenderer, ParquetRenderer
from lakeui.api.http.idempotency import IDEMPOTENCY_KEY, request_digest, task_key
from lakeui.api.http.prefer import read_preference
from lakeui.api.http.request_work import query_of
from lakeui.api.http.serializers import ColumnEntry, ProblemDocument, StatementRequest
from lakeui.api.http.strict import body_checked
from lakeui.api.sql.sql_view import PREFER, task_response
from lakeui.frontdoor.keeping import statement_kept
from lakeui.frontdoor.sessions.sql_sessions import session_filled
from lakeui.tasks.results import KEEPS_RESULT, result_address, result_columns, result_make, warehouse_now
from lakeui.tasks.statements import bound, statement_session
from merge_app.jobs.models import QUERY_TASK_KIND, Task
from merge_app.jobs.request_work import LONGEST, TooManyQueries, query_task_require_place
from merge_app.jobs.selectors import task_known
from merge_app.jobs.services import task_submit

if TYPE_CHECKING:
    import pyarrow as pa

HOURS = int(LIFETIME.total_seconds() // 3600)
STREAMS = 4
"""In one web process. Each takes a thread for as long as its client reads."""
PAGE_BYTES = 8 * 1024 * 1024
"""A page of JSON has fewer rows than were asked for where they are wide, but one at least."""
_streams = threading.BoundedSemaphore(STREAMS)


def _refused(*statuses: int) -> dict[Any, Any]:
    return {(status, "application/problem+json"): ProblemDocument for status in statuses}


class ArrowRenderer(FileRenderer):
    media_type = "application/vnd.apache.arrow.stream"
    format = "arrow"


class ResultRequest(StatementRequest):
    """A query and the session that it runs in."""

    # What a query has no use for is not declared: a serializer leaves out a field that is None.
    bypass_reason = None  # type: ignore[assignment]
    dry_run = None  # type: ignore[assignment]
    message = None  # type: ignore[assignment]
    escape_formulas = None  # type: ignore[assignment]


class ResultList(serializers.Serializer[Any]):
    limit = serializers.IntegerField(required=False, min_value=1, max_value=200, help_text="Entries a page.")
    cursor = serializers.CharField(required=False, max_length=2000, help_text="From `next` or `previous`.")


class ResultAnswer(serializers.ModelSerializer[KeptResult]):
    """A result whose rows can be fetched."""

    url = serializers.SerializerMethodField()
    columns = serializers.SerializerMethodField()
    version = serializers.IntegerField(
        read_only=True, allow_null=True, help_text="Version of the session's branch that was read."
    )
    bytes = serializers.IntegerField(read_only=True, help_text="Of its files.")
    expires_at = serializers.DateTimeField(read_only=True, help_text="Then it is removed.")

    class Meta:
        model = KeptResult
        fields: tuple[str, ...] = (
            "id", "url", "statement", "columns", "row_count", "bytes", "version", "created_at", "expires_at",
        )  # fmt: skip
        read_only_fields: tuple[str, ...] = fields

    def get_url(self, kept: KeptResult) -> str:
        return result_address(kept)

    @extend_schema_field(ColumnEntry(many=True))
    def get_columns(self, kept: KeptResult) -> list[dict[str, str]]:
        return result_columns(kept)


class ResultPage(serializers.Serializer[Any]):
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    results = ResultAnswer(many=True)


class RowsQuery(serializers.Serializer[Any]):
    start = serializers.IntegerField(
        required=False, default=0, min_value=0, max_value=2**62, help_text="Rows to leave out at the beginning."
    )
    limit = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=2**62,
        help_text="The most rows: of JSON at most 10,000, and 1,000 where it is not said; of a stream any number.",
    )
    escape_formulas = serializers.BooleanField(
        required=False,
        default=False,
        help_text="In CSV: put an apostrophe before texts that a spreadsheet would run as formulas.",
    )


class ResultRows(serializers.Serializer[Any]):
    """Some rows of a result. Follow ``next`` until it is null."""

    next = serializers.URLField(allow_null=True)
    start = serializers.IntegerField()
    rows = serializers.ListField(child=serializers.ListField(child=serializers.JSONField()))


class ResultListView(ApiView):
    @extend_schema(
        operation_id="result_list",
        summary="List your kept results",
        description="Those that have not expired, newest first.",
        tags=["sql"],
        parameters=[ResultList, IF_NONE_MATCH],
        responses={200: ResultPage, **NOT_MODIFIED, **BAD_REQUEST},
    )
    def get(self, request: Request) -> Response:
        checked(ResultList, request)
        pages = NewestFirst()
        page = pages.paginate_queryset(results_of(_user_id(request)), request, view=self)
        return tagged(request, pages.get_paginated_response(ResultAnswer(page, many=True).data))

    @extend_schema(
        operation_id="result_make",
        summary="Run a query and keep its result",
        description="Any number of rows. They are fetched at `…/rows/` by whoever asked, in pages or as one stream, for"
        f" {HOURS} hours. One person may have {MOST_OF_A_PERSON} results. With `Prefer: respond-async` or a key the"
        " query runs as a task, whose result is the answer.",
        tags=["sql"],
        parameters=[PREFER, IDEMPOTENCY_KEY],
        request=ResultRequest,
        responses={
            201: ResultAnswer,
            **NOT_FINISHED,
            **_refused(400, 403, 404, 409, 422, 429),
        },
    )
    def post(self, request: Request) -> HttpResponseBase:
        sent = body_checked(ResultRequest, request)
        key = task_key(request)
        preference = read_preference(request.headers.get("Prefer", ""))
        if key or preference.respond_async:
            return _made(task_response(self._task(request, sent, key), preference))
        parameters = session_filled(sent, request.data, request.user)
        session = statement_session(parameters, user=request.user, scopes=scopes_of(request))
        with statement_kept(parameters, request.user) as keeping:
            read = _select_read(parameters)
            with query_of(request, parameters, read) as context:
                body = result_make(read, session, context)
            keeping.answers(body)
        return Response(body, status=201, headers={"Location": body["url"], "Cache-Control": "no-store"})

    def _task(self, request: Request, sent: dict[str, Any], key: str) -> Task:
        scopes, digest = scopes_of(request), request_digest(request, sent) if key else ""
        is_known = bool(key) and task_known(user_id=_user_id(request), idempotency_key=key)
        parameters = sent if is_known else session_filled(sent, request.data, request.user)
        longest = float(settings.LAKEUI["QUERY_TASK_SECONDS"]) or None
        with statement_kept(parameters, None if is_known else request.user) as keeping, transaction.atomic():
            task = task_submit(
                kind=QUERY_TASK_KIND,
                parameters={**parameters, KEEPS_RESULT: True, LONGEST: longest},
                user=request.user,
                idempotency_key=key,
                request_digest=digest,
                catalog_id=None if is_known else self._admitted(request, parameters),
                scopes=scopes,
            )
            keeping.becomes(task.pk)
        return task

    def _admitted(self, request: Request, parameters: dict[str, Any]) -> int | None:
        """The catalog that the task belongs to, if it is only one. Raises for what may not be queued."""
        session = statement_session(parameters, user=request.user, scopes=scopes_of(request))
        read = _select_read(parameters)
        query_task_require_place(request.user)
        return frontdoor.admit(read, session)


class ResultView(ApiView):
    @extend_schema(
        operation_id="result_get",
        summary="What a kept result has",
        tags=["sql"],
        parameters=[IF_NONE_MATCH],
        responses={200: ResultAnswer, **NOT_MODIFIED, **_refused(403, 404, 410)},
    )
    def get(self, request: Request, result_id: UUID) -> Response:
        return tagged(request, Response(ResultAnswer(_readable(request, result_id)).data))

    @extend_schema(
        operation_id="result_let_go",
        summary="Let a kept result go",
        tags=["sql"],
        responses={204: OpenApiResponse(description="It is no more."), **_refused(404, 410)},
    )
    def delete(self, request: Request, result_id: UUID) -> Response:
        found = result_get(identity=result_id, user_id=_user_id(request))
        result_let_go(found, warehouse=warehouse_now())
        return Response(status=204)


class ResultRowsView(ApiView):
    renderer_classes = [JSONRenderer, ArrowRenderer, CsvRenderer, ParquetRenderer]

    @extend_schema(
        operation_id="result_rows",
        summary="Fetch rows of a kept result",
        description="JSON is a page. With another `Accept` all rows from `start` on are one stream: an Arrow IPC"
        " stream, CSV, or a Parquet file. A stream that broke off continues from another `start`. Rights are asked at"
        f" each request. Each web process sends {STREAMS} streams at a time; one more is answered with 429.",
        tags=["sql"],
        parameters=[RowsQuery],
        responses={
            (200, "application/json"): ResultRows,
            (200, ArrowRenderer.media_type): OpenApiTypes.BINARY,
            (200, CsvRenderer.media_type): OpenApiTypes.STR,
            (200, ParquetRenderer.media_type): OpenApiTypes.BINARY,
            **_refused(400, 403, 404, 410, 429),
        },
    )
    def get(self, request: Request, result_id: UUID) -> HttpResponseBase:
        wanted = checked(RowsQuery, request)
        kept = _readable(request, result_id)
        try:
            if isinstance(request.accepted_renderer, FileRenderer):
                return _stream(request, kept, wanted)
            return Response(_page(request, kept, wanted), headers={"Cache-Control": "private, no-store"})
        except FileNotFoundError:
            raise result_missing(kept) from None


def _readable(request: Request, result_id: UUID) -> KeptResult:
    """The person's result, as long as they see what it was read from."""
    found = result_get(identity=result_id, user_id=_user_id(request))
    catalogs_read_require(principal_of(request), found.catalogs)
    return found


def _rows(kept: KeptResult, start: int, limit: int | None) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    from catalog_app.storage.kept_results import kept_batches, kept_schema

    warehouse, files = warehouse_now(), kept_files_read(kept.files or ())
    schema = kept_schema(warehouse, files, names_apart(name for name, _ in kept.columns))
    return schema, kept_batches(warehouse, files, schema, start=start, limit=limit)


def _page(request: Request, kept: KeptResult, wanted: dict[str, Any]) -> dict[str, Any]:
    import pyarrow as pa

    from catalog_app.engine.answers import json_rows

    start, limit = wanted["start"], min(wanted.get("limit", 1000), 10_000)
    schema, batches = _rows(kept, start, limit)
    size, rows = 0, []
    for batch in batches:
        rows += json_rows(pa.Table.from_batches([batch], schema))
        size += batch.nbytes
        if size >= PAGE_BYTES:
            break
    end = start + len(rows)
    following = f"{request.path}?{urlencode({'start': end, 'limit': limit})}"
    return {
        "next": request.build_absolute_uri(following) if end < kept.row_count else None,
        "start": start,
        "rows": rows,
    }


def _stream(request: Request, kept: KeptResult, wanted: dict[str, Any]) -> StreamingHttpResponse:
    from catalog_app.engine.result_streams import SENDERS, csv_sent

    kind = request.accepted_renderer
    if not _streams.acquire(blocking=False):
        raise TooManyQueries(
            f"This server sends {STREAMS} results, which is the most at a time.",
            remedy="Wait a moment, or fetch the rows in pages of JSON.",
            retry_after=2,
            running=[],
        )
    try:
        schema, batches = _rows(kept, wanted["start"], wanted.get("limit"))
        # Before the answer begins: what is gone is then a problem, not half a stream.
        first = list(next(([batch] for batch in batches), []))
        sender = SENDERS[kind.format]
        if kind.format == CsvRenderer.format:
            sender = partial(csv_sent, escapes=wanted["escape_formulas"])
        pieces = _Pieces(sender(schema, chain(first, batches)), _streams.release)
    except BaseException:
        _streams.release()
        raise
    response = StreamingHttpResponse(pieces, content_type=kind.media_type)
    response["Content-Disposition"] = f'attachment; filename="result.{kind.format}"'
    response["Cache-Control"] = "private, no-store"
    response["Lakeui-Rows"] = str(_count(kept, wanted))
    return response


def _count(kept: KeptResult, wanted: dict[str, Any]) -> int:
    left = max(kept.row_count - wanted["start"], 0)
    return min(left, wanted.get("limit", left))


class _Pieces:
    """The pieces of a stream. However it ends, its place is free: the server closes what it sent, also where the client
    hung up before the first piece.
    """

    def __init__(self, pieces: Iterator[bytes], release: Callable[[], None]) -> None:
        self._pieces = pieces
        self._release: Callable[[], None] | None = release

    def __iter__(self) -> Iterator[bytes]:
        return self._pieces

    def close(self) -> None:
        close = getattr(self._pieces, "close", None)
        try:
            if close is not None:
                close()
        finally:
            release, self._release = self._release, None
            if release is not None:
                release()


def _made(response: HttpResponse) -> HttpResponse:
    """The answer of a task that made a result, as the result's."""
    body = getattr(response, "data", None)
    if response.status_code == 200 and isinstance(body, dict) and "url" in body:
        response.status_code = 201
        response["Location"] = body["url"]
    return response


def _select_read(parameters: dict[str, Any]) -> frontdoor.ParsedStatement:
    from lakeui.frontdoor.entries.results import select_require

    read = frontdoor.parsed(parameters["statement"], bound(parameters))
    select_require(read)
    return read


def _user_id(request: Request) -> int:
    """Who asks; the permission of every view refuses all others."""
    assert request.user.pk is not None
    return int(request.user.pk)
