"""``POST …/suggestions/``: values that comments suggest become one commit on the source of a merge request."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from catalog_app.domain.roles import Action
from catalog_app.selectors.people import action_require
from lakeui import frontdoor
from lakeui.api.http.answers import NOT_FINISHED
from lakeui.api.http.base import ApiView, principal_of, scopes_of
from lakeui.api.http.idempotency import IDEMPOTENCY_KEY, request_digest, task_key
from lakeui.api.http.prefer import read_preference
from lakeui.api.http.serializers import StatementAnswer
from lakeui.api.http.strict import body_checked
from lakeui.api.requests.lookup import addressed_request
from lakeui.api.requests.views import KEY_REUSED, WRITES
from lakeui.api.sql.sql_view import PREFER, task_response
from lakeui.frontdoor.rows.suggested import Suggested, suggested_update
from lakeui.tasks.statements import bound, statement_session
from lakeui.tasks.suggestions import TASK_KIND
from merge_app.jobs.models import Task
from merge_app.jobs.selectors import task_known
from merge_app.jobs.services import task_submit
from merge_app.review.models import MergeRequest
from merge_app.review.suggestions import suggestions_begin, suggestions_of

MOST = 100


class SuggestionsBody(serializers.Serializer[Any]):
    """Which suggestions, all of one table. ``bypass_reason``: as for a statement on the source."""

    comments = serializers.ListField(
        child=serializers.IntegerField(min_value=1), min_length=1, max_length=MOST, help_text="Ids of their comments."
    )
    bypass_reason = serializers.CharField(required=False, default="", allow_blank=True, max_length=1000)

    def validate_comments(self, value: list[int]) -> list[int]:
        return list(dict.fromkeys(value))


class SuggestionsView(ApiView):
    @extend_schema(
        operation_id="suggestions_apply",
        summary="Apply suggested values",
        description="One commit on the source, by one UPDATE that names who suggested them. It takes the right to write"
        " there. Where a cell has another value than when its change was suggested, nothing is written"
        " (`SUGGESTION_OUTDATED`).",
        tags=["merge requests"],
        parameters=[PREFER, IDEMPOTENCY_KEY],
        request=SuggestionsBody,
        responses={
            200: StatementAnswer,
            **NOT_FINISHED,
            **WRITES,
            **KEY_REUSED,
        },
    )
    def post(self, request: Request, catalog: str, number: int) -> HttpResponse:
        wanted = body_checked(SuggestionsBody, request)
        preference = read_preference(request.headers.get("Prefer", ""))
        found = addressed_request(request, catalog, number)
        action_require(principal_of(request), found.source.catalog, Action.WRITE)
        return task_response(_submit(request, found, wanted), preference)


def _submit(request: Request, found: MergeRequest, wanted: dict[str, Any]) -> Task:
    """The task that applies them, judged already here; with a key that was used before, the task of then."""
    key, scopes = task_key(request), scopes_of(request)
    is_known = bool(key) and task_known(user_id=int(request.user.pk or 0), idempotency_key=key)
    parameters, catalog_id = ({}, None) if is_known else _admitted(request, found, wanted)
    with transaction.atomic():
        task = task_submit(
            kind=TASK_KIND,
            parameters=parameters,
            user=request.user,
            idempotency_key=key,
            request_digest=request_digest(request, wanted) if key else "",
            catalog_id=catalog_id,
            scopes=scopes,
        )
        if not is_known:
            suggestions_begin(principal=principal_of(request), request=found, comment_ids=wanted["comments"], task=task)
    return task


def _admitted(request: Request, found: MergeRequest, wanted: dict[str, Any]) -> tuple[dict[str, Any], int | None]:
    """The statement as a task holds it, and the catalog of the task. Raises for what may not be written."""
    comments = suggestions_of(found, wanted["comments"])
    chosen = [Suggested.of(comment) for comment in comments]
    update = suggested_update(found.source, chosen, note=f"merge request #{found.number}")
    parameters = {
        "catalog": found.source.catalog.name,
        "branch": found.source.name,
        "statement": update.statement,
        "parameters": update.parameters,
        "transaction": None,
        "bypass_reason": wanted["bypass_reason"],
    }
    read = frontdoor.parsed(update.statement, bound(parameters))
    session = statement_session(parameters, user=request.user, scopes=scopes_of(request))
    return parameters, frontdoor.admit(read, session)
