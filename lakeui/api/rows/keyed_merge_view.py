"""``…/tables/{table}/rows/merge/``: rows in, matched by key, one commit."""

from __future__ import annotations

import hashlib
from pathlib import Path

from django.conf import settings
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from catalog_app.domain.roles import Action
from catalog_app.services.imports import import_create
from catalog_app.storage.warehouse import Warehouse
from lakeui.api.http.answers import BAD_REQUEST, FORBIDDEN, NOT_FINISHED, NOT_FOUND
from lakeui.api.http.base import catalog_of, checked, scopes_of, session_of
from lakeui.api.http.file_views import FileView
from lakeui.api.http.idempotency import IDEMPOTENCY_KEY, request_digest, task_key
from lakeui.api.http.lookup import addressed_table
from lakeui.api.http.prefer import read_preference
from lakeui.api.http.serializers import ProblemDocument, StatementAnswer
from lakeui.api.http.uploads import RawFileParser, upload_encoding, upload_name, upload_read
from lakeui.api.rows.import_serializers import KeyedMergeQuery
from lakeui.api.sql.sql_view import PREFER, task_response
from lakeui.frontdoor.entries.imports import import_admit, import_lifetime
from lakeui.frontdoor.rows.json_columns import map_choices
from lakeui.tasks.imports import TASK_KIND, load_parameters, load_read
from merge_app.jobs.services import task_submit


class KeyedMergeView(FileView):
    parser_classes = [RawFileParser]

    @extend_schema(
        operation_id="table_rows_merge",
        summary="Merge rows by key",
        description="The body is an Arrow IPC stream or file, Parquet, JSON or CSV. Its rows are matched with the"
        " table's by `key_columns` (NULL equals NULL, NaN equals NaN): `insert` adds those whose key is new, `update`"
        " replaces those whose key is there, `upsert` does both. As one commit, or not at all. What was sent is kept"
        " among your imports until it expires.",
        tags=["tables"],
        parameters=[KeyedMergeQuery, PREFER, IDEMPOTENCY_KEY],
        request={"application/octet-stream": OpenApiTypes.BINARY},
        responses={
            200: StatementAnswer,
            **NOT_FINISHED,
            **BAD_REQUEST,
            **FORBIDDEN,
            **NOT_FOUND,
            (409, "application/problem+json"): ProblemDocument,
            (413, "application/problem+json"): ProblemDocument,
            (422, "application/problem+json"): ProblemDocument,
        },
    )
    def post(self, request: Request, catalog: str, branch: str, database: str, table: str) -> HttpResponse:
        catalog_of(request, catalog, Action.WRITE)
        wanted = checked(KeyedMergeQuery, request)
        key = task_key(request)
        place = addressed_table(request, catalog, branch, database, table, None)
        with upload_read(request) as file:
            path = Path(file.temporary_file_path())
            digest = _digest(path, request) if key else ""
            made = import_create(
                branch=place.branch,
                user_id=request.user.pk,
                name=upload_name(file),
                file=path,
                warehouse=Warehouse(settings.LAKEUI["WAREHOUSE"]),
                lifetime=import_lifetime(),
                declared=upload_encoding(request, file),
                renames=False,
                maps=map_choices(place.table.schema),
            )
        parameters = load_parameters(
            made, {"database": place.database.name, "table": place.table.name, "mode": wanted.pop("strategy"), **wanted}
        )
        session = session_of(request, catalog, branch, message=wanted.get("message", ""))
        task = task_submit(
            kind=TASK_KIND,
            parameters=parameters,
            user=request.user,
            idempotency_key=key,
            request_digest=digest,
            catalog_id=import_admit(load_read(parameters), name=made.name, session=session),
            scopes=scopes_of(request),
        )
        return task_response(task, read_preference(request.headers.get("Prefer", "")))


def _digest(file: Path, request: Request) -> str:
    """What tells two requests under one key apart: where they go, and the rows."""
    with file.open("rb") as opened:
        content = hashlib.file_digest(opened, "sha256").hexdigest()
    return request_digest(request, content)
