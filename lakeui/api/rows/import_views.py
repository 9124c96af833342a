"""``…/branches/{branch}/imports/``: send a file, see what is in it, choose how it is read, load it into a table."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from catalog_app.domain.roles import Action
from catalog_app.models import Branch, FileImport
from catalog_app.selectors.imports import import_get, imports_list
from catalog_app.selectors.snapshots import branch_get
from catalog_app.services.imports import import_create, import_discard, import_reread
from catalog_app.storage.warehouse import Warehouse
from lakeui.api.http.answers import BAD_REQUEST, FORBIDDEN, NOT_FINISHED, NOT_FOUND
from lakeui.api.http.base import ApiView, NewestFirst, catalog_of, scopes_of, session_of
from lakeui.api.http.file_views import DISPOSITION, TOO_LARGE, FileView
from lakeui.api.http.idempotency import IDEMPOTENCY_KEY, request_digest, task_key
from lakeui.api.http.prefer import read_preference
from lakeui.api.http.serializers import ProblemDocument, StatementAnswer
from lakeui.api.http.strict import body_checked
from lakeui.api.http.uploads import upload_encoding, upload_name, upload_read
from lakeui.api.rows.import_serializers import ImportAnswer, LoadRequest, ReadingRequest, import_shown
from lakeui.api.sql.sql_view import PREFER, task_response
from lakeui.frontdoor.entries.imports import import_admit, import_lifetime
from lakeui.tasks.imports import TASK_KIND, load_parameters, load_read
from merge_app.jobs.services import task_submit

_PAGE = inline_serializer(
    "ImportPage",
    {
        "next": serializers.URLField(allow_null=True),
        "previous": serializers.URLField(allow_null=True),
        "results": ImportAnswer(many=True),
    },
)


class ImportListView(FileView):
    @extend_schema(
        operation_id="import_list",
        summary="List your imports",
        description="Files that you sent to this branch and that have not expired, newest first.",
        tags=["imports"],
        parameters=[
            OpenApiParameter("cursor", str, description="From `next` or `previous`."),
            OpenApiParameter("limit", int, description="Entries a page, at most 200."),
        ],
        responses={200: _PAGE, **NOT_FOUND},
    )
    def get(self, request: Request, catalog: str, branch: str) -> Response:
        pages = NewestFirst()
        found = imports_list(_branch(request, catalog, branch), user_id=request.user.pk)
        page = pages.paginate_queryset(found, request, view=self)
        return pages.get_paginated_response([import_shown(made) for made in page or []])

    @extend_schema(
        operation_id="import_create",
        summary="Send a file",
        description="CSV, JSON (an array of objects, or an object a line), Parquet or Arrow IPC, recognized by content."
        " As it is or compressed by gzip, zstd or bzip2. The encoding of text is that of its byte order mark, or of"
        " `charset` in Content-Type, else UTF-8 where it is that, else the likeliest. The answer says which."
        " Lines of a title before the names of columns are skipped, with a warning."
        " Nothing is written to a table yet.",
        tags=["imports"],
        parameters=[DISPOSITION],
        request={
            "application/octet-stream": OpenApiTypes.BINARY,
            "multipart/form-data": inline_serializer("ImportUpload", {"file": serializers.FileField()}),
        },
        responses={201: ImportAnswer, **BAD_REQUEST, **FORBIDDEN, **NOT_FOUND, **TOO_LARGE},
    )
    def post(self, request: Request, catalog: str, branch: str) -> Response:
        place = _branch(request, catalog, branch, Action.WRITE)
        with upload_read(request) as file:
            made = import_create(
                branch=place,
                user_id=request.user.pk,
                name=upload_name(file),
                file=Path(file.temporary_file_path()),
                warehouse=_warehouse(),
                lifetime=import_lifetime(),
                declared=upload_encoding(request, file),
                skips_title=True,
            )
        address = reverse("api-import", args=[place.catalog.name, place.name, made.pk], request=request)
        return Response(import_shown(made), status=201, headers={"Location": address})


class ImportView(ApiView):
    @extend_schema(
        operation_id="import_get",
        summary="Look at an import",
        tags=["imports"],
        responses={200: ImportAnswer, **NOT_FOUND},
    )
    def get(self, request: Request, catalog: str, branch: str, import_id: UUID) -> Response:
        return Response(import_shown(_import(request, catalog, branch, import_id)))

    @extend_schema(
        operation_id="import_reread",
        summary="Read an import another way",
        description="Only what is sent changes. Columns are chosen by their `source`.",
        tags=["imports"],
        request=ReadingRequest,
        responses={200: ImportAnswer, **BAD_REQUEST, **FORBIDDEN, **NOT_FOUND},
    )
    def patch(self, request: Request, catalog: str, branch: str, import_id: UUID) -> Response:
        body = body_checked(ReadingRequest, request)
        made = _import(request, catalog, branch, import_id, Action.WRITE)
        return Response(import_shown(import_reread(made, body, warehouse=_warehouse())))

    @extend_schema(
        operation_id="import_discard",
        summary="Throw an import away",
        tags=["imports"],
        responses={204: OpenApiResponse(description="The file is gone."), **FORBIDDEN, **NOT_FOUND},
    )
    def delete(self, request: Request, catalog: str, branch: str, import_id: UUID) -> Response:
        made = _import(request, catalog, branch, import_id, Action.WRITE)
        import_discard(made, warehouse=_warehouse())
        return Response(status=204)


class ImportLoadView(ApiView):
    @extend_schema(
        operation_id="import_load",
        summary="Load an import into a table",
        description="As one commit, or not at all. The file stays until it expires.",
        tags=["imports"],
        parameters=[PREFER, IDEMPOTENCY_KEY],
        request=LoadRequest,
        responses={
            200: StatementAnswer,
            **NOT_FINISHED,
            **BAD_REQUEST,
            **FORBIDDEN,
            **NOT_FOUND,
            (409, "application/problem+json"): ProblemDocument,
            (422, "application/problem+json"): ProblemDocument,
        },
    )
    def post(self, request: Request, catalog: str, branch: str, import_id: UUID) -> HttpResponse:
        body = body_checked(LoadRequest, request)
        key = task_key(request)
        made = _import(request, catalog, branch, import_id)
        parameters = load_parameters(made, body)
        session = session_of(request, made.branch.catalog.name, made.branch.name, message=body.get("message", ""))
        task = task_submit(
            kind=TASK_KIND,
            parameters=parameters,
            user=request.user,
            idempotency_key=key,
            request_digest=request_digest(request, parameters) if key else "",
            catalog_id=import_admit(load_read(parameters), name=made.name, session=session),
            scopes=scopes_of(request),
        )
        return task_response(task, read_preference(request.headers.get("Prefer", "")))


def _branch(request: Request, catalog: str, branch: str, action: Action = Action.READ) -> Branch:
    return branch_get(catalog_of(request, catalog, action), branch)


def _import(request: Request, catalog: str, branch: str, import_id: UUID, action: Action = Action.READ) -> FileImport:
    return import_get(_branch(request, catalog, branch, action), import_id, user_id=request.user.pk)


def _warehouse() -> Warehouse:
    return Warehouse(settings.LAKEUI["WAREHOUSE"])
