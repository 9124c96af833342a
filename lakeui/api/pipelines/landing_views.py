"""``/api/v1/pipelines/{id}/landing-zones/``: files that a pipeline's runs read, and the archive of what they read."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from catalog_app.importing.spec import FileFormat
from catalog_app.storage.warehouse import Warehouse
from lakeui.api.http.answers import BAD_REQUEST, CONFLICT, FORBIDDEN, NOT_FOUND
from lakeui.api.http.base import ApiView, NewestFirst, checked, session_of
from lakeui.api.http.file_views import DISPOSITION, TOO_LARGE, FileView
from lakeui.api.http.strict import body_checked
from lakeui.api.http.uploads import upload_encoding, upload_name, upload_read
from lakeui.api.pipelines.views import pipeline_asked
from lakeui.frontdoor.entries.pipeline_runs import landing_admit
from merge_app.pipelines.landing import (
    landing_file_get,
    landing_files,
    landing_put,
    landing_remove,
    landing_return,
    zone_checked,
    zones_list,
)
from merge_app.pipelines.models import LandingFile, Pipeline

STATES = ["waiting", "archived"]
_STATE_HELP = "`waiting`: the next run reads it. `archived`: a run that succeeded read it."


class ZoneEntry(serializers.Serializer[Any]):
    """A landing zone: one that the template names, or one that has files."""

    name = serializers.CharField()
    waiting = serializers.IntegerField(help_text="Files that the next run reads.")
    waiting_bytes = serializers.IntegerField()
    archived = serializers.IntegerField(help_text="Files that runs read.")
    is_read = serializers.BooleanField(help_text="The template names it.")


class LandedColumnEntry(serializers.Serializer[Any]):
    name = serializers.CharField()
    type = serializers.CharField(help_text="As the file alone would be read.")


class LandingFileAnswer(serializers.Serializer[Any]):
    """A file of a landing zone."""

    id = serializers.UUIDField()
    zone = serializers.CharField()
    name = serializers.CharField()
    state = serializers.SerializerMethodField(help_text=_STATE_HELP)
    format = serializers.ChoiceField([item.value for item in FileFormat])
    bytes = serializers.IntegerField()
    rows = serializers.IntegerField()
    columns = LandedColumnEntry(many=True)
    warnings = serializers.ListField(child=serializers.CharField())
    created_by = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()
    archived_at = serializers.DateTimeField(allow_null=True)
    run = serializers.UUIDField(allow_null=True, source="claimed_by", help_text="Which archives it.")

    def get_state(self, file: LandingFile) -> str:
        return STATES[file.archived_at is not None]

    def get_created_by(self, file: LandingFile) -> str | None:
        return file.created_by.get_username() if file.created_by else None


class LandingFileFilter(serializers.Serializer[Any]):
    state = serializers.ChoiceField(STATES, required=False, help_text=_STATE_HELP)


class LandingFileEdit(serializers.Serializer[Any]):
    state = serializers.ChoiceField(["waiting"], help_text="Have the next run read it again.")


_PAGE = inline_serializer(
    "LandingFilePage",
    {
        "next": serializers.URLField(allow_null=True),
        "previous": serializers.URLField(allow_null=True),
        "results": LandingFileAnswer(many=True),
    },
)


class LandingZoneListView(ApiView):
    serves_limited_tokens = True

    @extend_schema(
        operation_id="landing_zone_list",
        summary="List the landing zones of a pipeline",
        description="Those that its template names, then those that have files.",
        tags=["pipelines"],
        responses={200: ZoneEntry(many=True), **NOT_FOUND},
    )
    def get(self, request: Request, pipeline_id: int) -> Response:
        return Response(ZoneEntry(zones_list(pipeline_asked(request, pipeline_id)), many=True).data)


class LandingFileListView(FileView):
    serves_limited_tokens = True

    @extend_schema(
        operation_id="landing_file_list",
        summary="List the files of a landing zone",
        description="Newest first.",
        tags=["pipelines"],
        parameters=[
            LandingFileFilter,
            OpenApiParameter("cursor", str, description="From `next` or `previous`."),
            OpenApiParameter("limit", int, description="Entries a page, at most 200."),
        ],
        responses={200: _PAGE, **BAD_REQUEST, **NOT_FOUND},
    )
    def get(self, request: Request, pipeline_id: int, zone: str) -> Response:
        wanted = checked(LandingFileFilter, request)
        pages = NewestFirst()
        found = landing_files(pipeline_asked(request, pipeline_id), zone, **wanted)
        page = pages.paginate_queryset(found, request, view=self)
        return pages.get_paginated_response(LandingFileAnswer(page or [], many=True).data)

    @extend_schema(
        operation_id="landing_file_create",
        summary="Send a file to a landing zone",
        description="CSV, JSON, Parquet or Arrow IPC, as for an import. `landing('zone')` reads it in the next run. It"
        " takes the right to run the pipeline. The same file sent twice is one, and answers 200.",
        tags=["pipelines"],
        parameters=[DISPOSITION],
        request={
            "application/octet-stream": OpenApiTypes.BINARY,
            "multipart/form-data": inline_serializer("LandingUpload", {"file": serializers.FileField()}),
        },
        responses={
            200: LandingFileAnswer,
            201: LandingFileAnswer,
            **BAD_REQUEST,
            **FORBIDDEN,
            **NOT_FOUND,
            **CONFLICT,
            **TOO_LARGE,
        },
    )
    def post(self, request: Request, pipeline_id: int, zone: str) -> Response:
        pipeline = _writable(request, pipeline_id)
        zone = zone_checked(zone)
        with upload_read(request) as file:
            made, is_new = landing_put(
                pipeline,
                zone=zone,
                name=upload_name(file),
                file=Path(file.temporary_file_path()),
                declared=upload_encoding(request, file),
                user_id=request.user.pk,
                warehouse=_warehouse(),
            )
        address = reverse("api-landing-file", args=[pipeline.pk, made.zone, made.pk], request=request)
        status = 201 if is_new else 200
        return Response(LandingFileAnswer(made).data, status=status, headers={"Location": address})


class LandingFileView(ApiView):
    serves_limited_tokens = True

    @extend_schema(
        operation_id="landing_file_get",
        summary="Look at a file of a landing zone",
        tags=["pipelines"],
        responses={200: LandingFileAnswer, **NOT_FOUND},
    )
    def get(self, request: Request, pipeline_id: int, zone: str, file_id: UUID) -> Response:
        return Response(LandingFileAnswer(landing_file_get(pipeline_asked(request, pipeline_id), zone, file_id)).data)

    @extend_schema(
        operation_id="landing_file_edit",
        summary="Have a file read again",
        description="Takes it out of the archive.",
        tags=["pipelines"],
        request=LandingFileEdit,
        responses={200: LandingFileAnswer, **BAD_REQUEST, **FORBIDDEN, **NOT_FOUND, **CONFLICT},
    )
    def patch(self, request: Request, pipeline_id: int, zone: str, file_id: UUID) -> Response:
        body_checked(LandingFileEdit, request)
        file = landing_file_get(_writable(request, pipeline_id), zone, file_id)
        return Response(LandingFileAnswer(landing_return(file)).data)

    @extend_schema(
        operation_id="landing_file_delete",
        summary="Delete a file of a landing zone",
        tags=["pipelines"],
        responses={204: OpenApiResponse(description="It is gone."), **FORBIDDEN, **NOT_FOUND},
    )
    def delete(self, request: Request, pipeline_id: int, zone: str, file_id: UUID) -> Response:
        landing_remove(landing_file_get(_writable(request, pipeline_id), zone, file_id), warehouse=_warehouse())
        return Response(status=204)


def _writable(request: Request, pipeline_id: int) -> Pipeline:
    """The pipeline, for who may run it: a run writes what the files hold."""
    pipeline = pipeline_asked(request, pipeline_id)
    landing_admit(pipeline, session=session_of(request, pipeline.catalog.name, pipeline.branch))
    return pipeline


def _warehouse() -> Warehouse:
    return Warehouse(settings.LAKEUI["WAREHOUSE"])
