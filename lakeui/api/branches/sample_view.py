"""``POST /api/v1/samples/``: a sample lake to learn on, as a task."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from lakeui.api.http.answers import NOT_FINISHED
from lakeui.api.http.base import ApiView, scopes_of
from lakeui.api.http.idempotency import IDEMPOTENCY_KEY, request_digest, task_key
from lakeui.api.http.prefer import read_preference
from lakeui.api.http.serializers import ProblemDocument
from lakeui.api.http.strict import body_checked
from lakeui.api.sql.sql_view import PREFER, task_response
from lakeui.demo.load import SAMPLES
from lakeui.tasks.samples import sample_submit
from merge_app.jobs.selectors import task_known


class SampleRequest(serializers.Serializer[Any]):
    """Which lake: ``flights`` has many rows and pipelines, ``shop`` has keys and nested columns."""

    sample = serializers.ChoiceField(list(SAMPLES))


class SampleAnswer(serializers.Serializer[Any]):
    """A sample lake that is loaded."""

    catalog = serializers.CharField()


class SampleView(ApiView):
    @extend_schema(
        operation_id="sample_load",
        summary="Load a sample lake",
        description="The sample `flights` makes the catalog `demo`, and `shop` makes `demo_shop`. Each has branches to"
        " merge, and you own it. It takes the right to create catalogs. A load that fails, or that you cancel, leaves"
        " no catalog.",
        tags=["catalogs"],
        parameters=[PREFER, IDEMPOTENCY_KEY],
        request=SampleRequest,
        responses={
            (200, "application/json"): SampleAnswer,
            **NOT_FINISHED,
            **{(status, "application/problem+json"): ProblemDocument for status in (400, 401, 403, 409, 422)},
        },
    )
    def post(self, request: Request) -> HttpResponse:
        wanted = body_checked(SampleRequest, request)
        key = task_key(request)
        task = sample_submit(
            wanted["sample"],
            user=request.user,
            scopes=scopes_of(request),
            idempotency_key=key,
            request_digest=request_digest(request, wanted) if key else "",
            is_known=bool(key) and task_known(user_id=int(request.user.pk or 0), idempotency_key=key),
        )
        return task_response(task, read_preference(request.headers.get("Prefer", "")))
