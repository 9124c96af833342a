"""``/api/v1/tasks/``: what runs, what ran, and stopping it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from lakeui.api.http.base import ApiView, NewestFirst, principal_of, scopes_of, tagged
from lakeui.api.http.prefer import read_preference
from lakeui.api.http.serializers import ProblemDocument, TaskAnswer, TaskFilter, TaskSummary, task_url
from lakeui.api.http.waiting import task_awaited
from lakeui.api.sql.sql_view import PREFER
from merge_app.jobs.retrying import task_retry
from merge_app.jobs.selectors import task_check_visible, task_list, task_require_cancellable
from merge_app.jobs.services import task_cancel

_PAGE = inline_serializer(
    "TaskPage",
    {
        "next": serializers.URLField(allow_null=True),
        "previous": serializers.URLField(allow_null=True),
        "results": TaskSummary(many=True),
    },
)
_NOT_FOUND: dict[Any, Any] = {(404, "application/problem+json"): ProblemDocument}
_IF_NONE_MATCH = OpenApiParameter(
    "If-None-Match", str, OpenApiParameter.HEADER, description="ETag of what you have; 304 if it is still that."
)


class TaskPages(NewestFirst):
    """Newest or oldest first, as the query says."""

    def __init__(self, order: str) -> None:
        super().__init__()
        sign = "-" if order.startswith("-") else ""
        self.ordering = (f"{sign}created_at", f"{sign}pk")


class TaskListView(ApiView):
    serves_limited_tokens = True

    @extend_schema(
        operation_id="task_list",
        summary="List tasks",
        tags=["tasks"],
        parameters=[
            TaskFilter,
            OpenApiParameter("cursor", str, description="From `next` or `previous`."),
            OpenApiParameter("limit", int, description="Entries a page, at most 200."),
        ],
        responses={200: _PAGE},
    )
    def get(self, request: Request) -> Response:
        query = TaskFilter(data=request.query_params)
        query.is_valid(raise_exception=True)
        chosen = dict(query.validated_data)
        pages = TaskPages(chosen.pop("order"))
        page = pages.paginate_queryset(
            task_list(principal_of(request), **chosen).defer("result", "steps", "parts"), request, view=self
        )
        return tagged(request, pages.get_paginated_response(TaskSummary(page, many=True).data))


class TaskView(ApiView):
    serves_limited_tokens = True

    @extend_schema(
        operation_id="task_get",
        summary="Look at a task, or wait for it",
        tags=["tasks"],
        parameters=[PREFER, _IF_NONE_MATCH],
        responses={200: TaskAnswer, 304: OpenApiResponse(description="Nothing changed."), **_NOT_FOUND},
    )
    def get(self, request: Request, task_id: UUID) -> Response:
        preference = read_preference(request.headers.get("Prefer", ""), default_wait=0)
        task_check_visible(principal_of(request), task_id)
        task = task_awaited(task_id, person=int(request.user.pk or 0), seconds=preference.wait)
        response = Response(TaskAnswer(task).data)
        if preference.applied:
            response["Preference-Applied"] = preference.applied
        return tagged(request, response)


class TaskCancelView(ApiView):
    serves_limited_tokens = True

    @extend_schema(
        operation_id="task_cancel",
        summary="Cancel a task",
        description="Your own, or as a maintainer of its catalog anybody's. A waiting task stops at once, a running one"
        " at its next check. Its commit is never torn.",
        tags=["tasks"],
        request=None,
        responses={
            200: OpenApiResponse(TaskAnswer, description="It is cancelled."),
            202: OpenApiResponse(TaskAnswer, description="It was asked to stop."),
            (403, "application/problem+json"): ProblemDocument,
            (409, "application/problem+json"): ProblemDocument,
            **_NOT_FOUND,
        },
    )
    def post(self, request: Request, task_id: UUID) -> Response:
        task_require_cancellable(principal_of(request), task_id)
        task = task_cancel(task_id=task_id)
        return Response(TaskAnswer(task).data, status=200 if task.is_finished else 202)


class TaskRetryView(ApiView):
    serves_limited_tokens = True

    @extend_schema(
        operation_id="task_retry",
        summary="Retry a task",
        description="Queues what a failed, cancelled or lost task of your own was to do as a new task, for the heads as"
        " they are then. Asking again answers the same new task.",
        tags=["tasks"],
        request=None,
        responses={
            202: OpenApiResponse(TaskAnswer, description="The new task; `retry_of` names the one that it repeats."),
            (403, "application/problem+json"): ProblemDocument,
            (409, "application/problem+json"): ProblemDocument,
            **_NOT_FOUND,
        },
    )
    def post(self, request: Request, task_id: UUID) -> Response:
        task_check_visible(principal_of(request), task_id)
        task = task_retry(task_id=task_id, user=request.user, scopes=scopes_of(request))
        return Response(TaskAnswer(task).data, status=202, headers={"Location": task_url(task)})
