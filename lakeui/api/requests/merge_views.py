"""Merging a request, at once or in its turn."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from lakeui.api.http.answers import NOT_FINISHED, STALE
from lakeui.api.http.base import ApiView, principal_of, scopes_of
from lakeui.api.http.idempotency import IDEMPOTENCY_KEY, once, request_digest, task_key
from lakeui.api.http.prefer import read_preference
from lakeui.api.http.strict import body_checked
from lakeui.api.requests.lookup import addressed_request
from lakeui.api.requests.serializers import RequestDetail
from lakeui.api.requests.views import KEY_REUSED, WRITES, request_shown
from lakeui.api.sql.sql_view import PREFER, task_response
from lakeui.frontdoor.compute import engine
from lakeui.tasks.merge_requests import TASK_KIND, queue_notify
from merge_app.jobs.models import Task
from merge_app.jobs.services import task_submit
from merge_app.review.carry_out import MergeWish, merge_begin
from merge_app.review.models import MergeRequest
from merge_app.review.queue import queue_enter, queue_leave
from merge_app.review.selectors import request_get


class MergeBody(serializers.Serializer[Any]):
    """How to merge. ``fingerprint``: only if the request still is what was looked at."""

    fingerprint = serializers.CharField(required=False, default="", allow_blank=True, max_length=64)
    bypass_reason = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=1000,
        help_text="Owners only: why to go past the protection of the target this once.",
    )


class RequestMergeAnswer(serializers.Serializer[Any]):
    merge_id = serializers.UUIDField()
    outcome = serializers.CharField()
    version = serializers.IntegerField(allow_null=True)
    fingerprint = serializers.CharField()
    notes = serializers.ListField(child=serializers.DictField())
    merged = serializers.ListField(child=serializers.DictField())


class RequestMergeView(ApiView):
    @extend_schema(
        operation_id="merge_request_merge",
        summary="Merge a request",
        description="The merge is judged again under the locks of both branches: what was approved is what is merged.",
        tags=["merge requests"],
        parameters=[PREFER, IDEMPOTENCY_KEY],
        request=MergeBody,
        responses={
            200: RequestMergeAnswer,
            **NOT_FINISHED,
            **WRITES,
            **STALE,
            **KEY_REUSED,
        },
    )
    def post(self, request: Request, catalog: str, number: int) -> HttpResponse:
        body = body_checked(MergeBody, request)
        preference = read_preference(request.headers.get("Prefer", ""))
        found = addressed_request(request, catalog, number)
        return task_response(_submit(request, found, MergeWish(**body)), preference)


def _submit(request: Request, found: MergeRequest, wish: MergeWish) -> Task:
    """The task that merges the request; with a key that was used before, the task of then."""
    parameters = {
        "request": found.pk,
        "number": found.number,
        "catalog": found.catalog.name,
        "bypass_reason": wish.bypass_reason,
    }
    key = task_key(request)
    with transaction.atomic():
        task = task_submit(
            kind=TASK_KIND,
            parameters=parameters,
            user=request.user,
            idempotency_key=key,
            request_digest=request_digest(request, [parameters, wish.fingerprint]) if key else "",
            catalog_id=found.catalog_id,
            scopes=scopes_of(request),
        )
        merge_begin(principal=principal_of(request), request_id=found.pk, wish=wish, task=task)
    return task


class RequestQueueView(ApiView):
    @extend_schema(
        operation_id="merge_request_queue",
        summary="Put a request into the merge queue",
        description="Each target has one queue. Its requests merge one at a time, each planned anew on the head"
        " that the one before it left. Where a verdict changed, or the protection does not allow it, the request"
        " returns to people.",
        tags=["merge requests"],
        parameters=[IDEMPOTENCY_KEY],
        request=None,
        responses={200: RequestDetail, **WRITES, **STALE, **KEY_REUSED},
    )
    def post(self, request: Request, catalog: str, number: int) -> Response:
        def enter() -> Response:
            found = addressed_request(request, catalog, number)
            with transaction.atomic():
                queue_notify(queue_enter(principal=principal_of(request), request=found, engine=engine))
            return Response(request_shown(request_get(found.catalog, number), request.user.pk))

        return once(request, enter)

    @extend_schema(
        operation_id="merge_request_unqueue",
        summary="Take a request out of the merge queue",
        tags=["merge requests"],
        responses={200: RequestDetail, **WRITES},
    )
    def delete(self, request: Request, catalog: str, number: int) -> Response:
        found = addressed_request(request, catalog, number)
        queue_leave(principal=principal_of(request), request=found)
        return Response(request_shown(request_get(found.catalog, number), request.user.pk))
