"""``/api/v1/pipelines/``: keep, edit, try and run pipelines."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from catalog_app.domain.commit_messages import message_check
from catalog_app.domain.roles import Action
from catalog_app.selectors.people import action_require
from lakeui.api.http.answers import (
    BAD_REQUEST,
    CONFLICT,
    FORBIDDEN,
    IF_MATCH,
    IF_NONE_MATCH,
    NOT_FINISHED,
    NOT_FOUND,
    NOT_MODIFIED,
    STALE,
)
from lakeui.api.http.base import (
    ApiView,
    NewestFirst,
    catalog_of,
    checked,
    principal_of,
    scopes_of,
    session_of,
    tagged,
    unchanged,
)
from lakeui.api.http.idempotency import IDEMPOTENCY_KEY, request_digest, task_key
from lakeui.api.http.prefer import read_preference
from lakeui.api.http.serializers import ProblemDocument, StatementAnswer
from lakeui.api.http.strict import body_checked
from lakeui.api.pipelines.serializers import (
    FieldEntry,
    PipelineAnswer,
    PipelineEdit,
    PipelineFilter,
    PipelineRequest,
    PipelineSummary,
    PolicyAnswer,
    RehearsalAnswer,
    RehearsalRequest,
    RenderRequest,
    RunAnswer,
    RunRequest,
    RunSummary,
    ScheduleAnswer,
    ScheduleQuery,
    ValidationAnswer,
    ValidationRequest,
    VersionAnswer,
    VersionSummary,
    edited,
    fields_shown,
)
from lakeui.api.sql.sql_view import PREFER, task_response
from lakeui.frontdoor.entries.pipeline_runs import run_admit, run_rehearse, texts_examine
from merge_app.jobs.selectors import task_known
from merge_app.pipelines.cron import next_times
from merge_app.pipelines.definition.config_file import config_edit
from merge_app.pipelines.models import Pipeline, Trigger
from merge_app.pipelines.runs import dry_run_submit, run_submit
from merge_app.pipelines.selectors import (
    is_strict,
    pipeline_get,
    pipelines_list,
    run_get,
    runs_list,
    runs_named,
    version_get,
    versions_list,
)
from merge_app.pipelines.services import pipeline_create, pipeline_delete, pipeline_edit, policy_set

NEXT_RUNS = 5
_PAGING = [
    OpenApiParameter("cursor", str, description="From `next` or `previous`."),
    OpenApiParameter("limit", int, description="Entries a page, at most 200."),
]
_INVALID: dict[Any, Any] = {(422, "application/problem+json"): ProblemDocument}


def _page(name: str, entry: serializers.BaseSerializer[Any]) -> Any:
    return inline_serializer(
        name,
        {
            "next": serializers.URLField(allow_null=True),
            "previous": serializers.URLField(allow_null=True),
            "results": entry,
        },
    )


def _listed(view: ApiView, request: Request, found: QuerySet[Any]) -> tuple[NewestFirst, list[Any]]:
    pages = NewestFirst()
    return pages, list(pages.paginate_queryset(found, request, view=view) or [])


class PipelineListView(ApiView):
    serves_limited_tokens = True

    @extend_schema(
        operation_id="pipeline_list",
        summary="List pipelines",
        tags=["pipelines"],
        parameters=[PipelineFilter, *_PAGING, IF_NONE_MATCH],
        responses={200: _page("PipelinePage", PipelineSummary(many=True)), **NOT_MODIFIED, **BAD_REQUEST},
    )
    def get(self, request: Request) -> Response:
        pages, page = _listed(self, request, pipelines_list(principal_of(request), **checked(PipelineFilter, request)))
        runs = runs_named([pipeline.last_run_id for pipeline in page if pipeline.last_run_id is not None])
        shown = PipelineSummary(page, many=True, context={"runs": runs}).data
        return tagged(request, pages.get_paginated_response(shown))

    @extend_schema(
        operation_id="pipeline_create",
        summary="Make a pipeline",
        description="Its texts are checked: what is wrong with them is in `errors`, each with file, line and field.",
        tags=["pipelines"],
        request=PipelineRequest,
        responses={201: PipelineAnswer, **BAD_REQUEST, **FORBIDDEN, **NOT_FOUND, **CONFLICT, **_INVALID},
    )
    def post(self, request: Request) -> Response:
        wanted = body_checked(PipelineRequest, request)
        made = pipeline_create(
            catalog=catalog_of(request, wanted["catalog"], Action.EDIT_PIPELINE),
            values=edited(wanted),
            owner_id=request.user.pk,
            scopes=scopes_of(request),
        )
        address = reverse("api-pipeline", args=[made.pk], request=request)
        response = tagged(request, Response(PipelineAnswer(made).data, status=201))
        response["Location"] = address
        return response


class PipelineValidationView(ApiView):
    serves_limited_tokens = True

    @extend_schema(
        operation_id="pipeline_validate",
        summary="Check the texts of a pipeline",
        description="All that is wrong with them, each with file, line and field, and the configuration that they come"
        " to. Nothing is kept, rendered or asked of the target.",
        tags=["pipelines"],
        request=ValidationRequest,
        responses={200: ValidationAnswer, **BAD_REQUEST, **NOT_FOUND},
    )
    def post(self, request: Request) -> Response:
        body = body_checked(ValidationRequest, request)
        catalog = catalog_of(request, body["catalog"])
        configuration, mistakes = texts_examine(body, strict=is_strict(catalog.pk))
        shown = None if configuration is None else configuration.as_json()
        return Response(ValidationAnswer({"configuration": shown, "errors": mistakes}).data)


class PipelineRenderView(ApiView):
    serves_limited_tokens = True

    @extend_schema(
        operation_id="pipeline_render",
        summary="Look at what the first run of a new pipeline would go by",
        description="Answers the effective configuration and the SQL that the template makes, with your rights. Nothing"
        " is kept, and no query runs: run the SQL to see its rows.",
        tags=["pipelines"],
        request=RenderRequest,
        responses={200: RehearsalAnswer, **BAD_REQUEST, **NOT_FOUND, **_INVALID},
    )
    def post(self, request: Request) -> Response:
        wanted = body_checked(RenderRequest, request)
        catalog = catalog_of(request, wanted.pop("catalog"))
        draft = Pipeline(catalog=catalog, **edited(wanted))
        return _rehearsed(request, draft, {})


class PipelineFieldsView(ApiView):
    serves_limited_tokens = True

    @extend_schema(
        operation_id="pipeline_fields",
        summary="What a configuration may say",
        description="Every key of config.yaml, the strategies that read it and those that require it.",
        tags=["pipelines"],
        parameters=[IF_NONE_MATCH],
        responses={200: FieldEntry(many=True), **NOT_MODIFIED},
    )
    def get(self, request: Request) -> Response:
        return tagged(request, Response(fields_shown()))


class PipelineScheduleView(ApiView):
    serves_limited_tokens = True

    @extend_schema(
        operation_id="pipeline_schedule",
        summary="When a schedule has its next runs",
        description="Of a cron line and its time zone, whether a pipeline has them or not.",
        tags=["pipelines"],
        parameters=[ScheduleQuery],
        responses={200: ScheduleAnswer, **BAD_REQUEST},
    )
    def get(self, request: Request) -> Response:
        wanted = checked(ScheduleQuery, request)
        times = next_times(wanted["schedule"], wanted["schedule_timezone"], timezone.now(), NEXT_RUNS)
        return Response(ScheduleAnswer({"next_runs": times}).data)


class PipelinePolicyView(ApiView):
    @extend_schema(
        operation_id="pipeline_policy_get",
        summary="What a catalog wants of its pipelines",
        tags=["pipelines"],
        responses={200: PolicyAnswer, **NOT_FOUND},
    )
    def get(self, request: Request, catalog: str) -> Response:
        return Response({"strict": is_strict(catalog_of(request, catalog).pk)})

    @extend_schema(
        operation_id="pipeline_policy_set",
        summary="Say what a catalog wants of its pipelines",
        tags=["pipelines"],
        request=PolicyAnswer,
        responses={200: PolicyAnswer, **BAD_REQUEST, **FORBIDDEN, **NOT_FOUND},
    )
    def patch(self, request: Request, catalog: str) -> Response:
        body = body_checked(PolicyAnswer, request)
        policy_set(
            principal=principal_of(request),
            catalog=catalog_of(request, catalog, Action.MANAGE_PIPELINES),
            strict=body["strict"],
        )
        return Response(body)


class PipelineView(ApiView):
    serves_limited_tokens = True

    @extend_schema(
        operation_id="pipeline_get",
        summary="Look at a pipeline",
        tags=["pipelines"],
        parameters=[IF_NONE_MATCH],
        responses={200: PipelineAnswer, **NOT_MODIFIED, **NOT_FOUND},
    )
    def get(self, request: Request, pipeline_id: int) -> Response:
        return tagged(request, Response(PipelineAnswer(pipeline_asked(request, pipeline_id)).data))

    @extend_schema(
        operation_id="pipeline_edit",
        summary="Edit a pipeline",
        description="Makes a new version, unless nothing changes. Whoever wrote the newest version owns the pipeline:"
        " runs by schedule have the rights of its owner.",
        tags=["pipelines"],
        parameters=[IF_MATCH],
        request=PipelineEdit,
        responses={200: PipelineAnswer, **BAD_REQUEST, **FORBIDDEN, **NOT_FOUND, **CONFLICT, **STALE, **_INVALID},
    )
    def patch(self, request: Request, pipeline_id: int) -> Response:
        body = body_checked(PipelineEdit, request, partial=True)
        pipeline = pipeline_asked(request, pipeline_id, Action.EDIT_PIPELINE)
        unchanged(request, PipelineAnswer(pipeline).data)
        values = edited(body)
        if "settings" in body:
            values["config"] = config_edit(values.get("config", pipeline.config), body["settings"])
        pipeline = pipeline_edit(pipeline, values, author_id=request.user.pk, scopes=scopes_of(request))
        return tagged(request, Response(PipelineAnswer(pipeline).data))

    @extend_schema(
        operation_id="pipeline_delete",
        summary="Delete a pipeline",
        description="Its table stays.",
        tags=["pipelines"],
        parameters=[IF_MATCH],
        responses={204: OpenApiResponse(description="It is gone."), **FORBIDDEN, **NOT_FOUND, **STALE},
    )
    def delete(self, request: Request, pipeline_id: int) -> Response:
        pipeline = pipeline_asked(request, pipeline_id, Action.EDIT_PIPELINE)
        unchanged(request, PipelineAnswer(pipeline).data)
        pipeline_delete(pipeline)
        return Response(status=204)


class PipelineVersionListView(ApiView):
    serves_limited_tokens = True

    @extend_schema(
        operation_id="pipeline_version_list",
        summary="List the versions of a pipeline",
        tags=["pipelines"],
        parameters=_PAGING,
        responses={200: _page("PipelineVersionPage", VersionSummary(many=True)), **NOT_FOUND},
    )
    def get(self, request: Request, pipeline_id: int) -> Response:
        pages, page = _listed(self, request, versions_list(pipeline_asked(request, pipeline_id)))
        return pages.get_paginated_response(VersionSummary(page, many=True).data)


class PipelineVersionView(ApiView):
    serves_limited_tokens = True

    @extend_schema(
        operation_id="pipeline_version_get",
        summary="Look at a version of a pipeline",
        tags=["pipelines"],
        responses={200: VersionAnswer, **NOT_FOUND},
    )
    def get(self, request: Request, pipeline_id: int, version: int) -> Response:
        return Response(VersionAnswer(version_get(pipeline_asked(request, pipeline_id), version)).data)


class PipelineRehearsalView(ApiView):
    serves_limited_tokens = True

    @extend_schema(
        operation_id="pipeline_dry_run",
        summary="Look at what a run would go by",
        description="Answers the effective configuration and the SQL that the template makes. No query runs: what a run"
        " would write is answered by a run with `dry_run`.",
        tags=["pipelines"],
        request=RehearsalRequest,
        responses={200: RehearsalAnswer, **BAD_REQUEST, **NOT_FOUND, **_INVALID},
    )
    def post(self, request: Request, pipeline_id: int) -> Response:
        wanted = body_checked(RehearsalRequest, request)
        pipeline = pipeline_asked(request, pipeline_id)
        return _rehearsed(request, pipeline, wanted)


class PipelineRunListView(ApiView):
    serves_limited_tokens = True

    @extend_schema(
        operation_id="pipeline_run_list",
        summary="List the runs of a pipeline",
        tags=["pipelines"],
        parameters=[*_PAGING, IF_NONE_MATCH],
        responses={200: _page("PipelineRunPage", RunSummary(many=True)), **NOT_MODIFIED, **NOT_FOUND},
    )
    def get(self, request: Request, pipeline_id: int) -> Response:
        pages, page = _listed(self, request, runs_list(pipeline_asked(request, pipeline_id)))
        return tagged(request, pages.get_paginated_response(RunSummary(page, many=True).data))

    @extend_schema(
        operation_id="pipeline_run",
        summary="Run a pipeline",
        description="The newest version, as one commit or none, with your rights. One run of a pipeline at a time."
        " A dry run does all but the commit, with the texts that are sent, and leaves no run behind. It answers"
        " `metrics`, `examples`, `notes`, `log`, `configuration` and `sql`.",
        tags=["pipelines"],
        parameters=[PREFER, IDEMPOTENCY_KEY],
        request=RunRequest,
        responses={
            200: StatementAnswer,
            **NOT_FINISHED,
            **BAD_REQUEST,
            **FORBIDDEN,
            **NOT_FOUND,
            **CONFLICT,
            **_INVALID,
        },
    )
    def post(self, request: Request, pipeline_id: int) -> HttpResponse:
        texts = body_checked(RunRequest, request)
        is_dry, message = texts.pop("dry_run"), message_check(texts.pop("message", ""))
        pipeline = pipeline_asked(request, pipeline_id)
        key = task_key(request)
        asked = (
            {"pipeline": pipeline.pk}
            | ({"dry_run": True, **texts} if is_dry else {})
            | ({"message": message} if message else {})
        )
        digest = request_digest(request, asked) if key else ""
        sent: dict[str, Any] = {"idempotency_key": key, "request_digest": digest, "scopes": scopes_of(request)}
        admitted = None
        if not key or not task_known(user_id=int(request.user.pk or 0), idempotency_key=key):
            session = session_of(request, pipeline.catalog.name, pipeline.branch)
            admitted = run_admit(pipeline, texts, session=session)
        if is_dry:
            task = dry_run_submit(pipeline, texts, user=request.user, catalog_id=admitted, **sent)
        else:
            task = run_submit(pipeline, user=request.user, trigger=Trigger.MANUAL, message=message, **sent).task
        return task_response(task, read_preference(request.headers.get("Prefer", "")))


class PipelineRunView(ApiView):
    serves_limited_tokens = True

    @extend_schema(
        operation_id="pipeline_run_get",
        summary="Look at a run",
        tags=["pipelines"],
        parameters=[IF_NONE_MATCH],
        responses={200: RunAnswer, **NOT_MODIFIED, **NOT_FOUND},
    )
    def get(self, request: Request, pipeline_id: int, run_id: UUID) -> Response:
        return tagged(request, Response(RunAnswer(run_get(pipeline_asked(request, pipeline_id), run_id)).data))


def _rehearsed(request: Request, pipeline: Pipeline, texts: dict[str, str]) -> Response:
    session = session_of(request, pipeline.catalog.name, pipeline.branch)
    prepared = run_rehearse(pipeline, texts, session=session)
    body = {
        "configuration": prepared.configuration.as_json(),
        "sql": prepared.rendered,
        "creates_table": prepared.table is None,
    }
    return Response(RehearsalAnswer(body).data)


def pipeline_asked(request: Request, pipeline_id: int, action: Action = Action.READ) -> Pipeline:
    """The pipeline of an address. Raises NotFound where its catalog does not exist for whoever asks, and
    PermissionDenied where the action takes more than they have.
    """
    principal = principal_of(request)
    found = pipeline_get(principal, pipeline_id)
    action_require(principal, found.catalog, action)
    return found
