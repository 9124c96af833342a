"""``…/merge-requests/{number}/statuses/``: what other systems report of the source of a request."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from lakeui.api.http.answers import IF_NONE_MATCH, STALE
from lakeui.api.http.base import ApiView, principal_of, tagged
from lakeui.api.http.idempotency import IDEMPOTENCY_KEY, once
from lakeui.api.http.strict import body_checked
from lakeui.api.requests.lookup import addressed_request
from lakeui.api.requests.protection_views import LONGEST_NAME
from lakeui.api.requests.views import KEY_REUSED, READS, WRITES
from merge_app.review.approval_rules import StatusState
from merge_app.review.models import STATUS_STATES
from merge_app.review.statuses import StatusReport, status_report, statuses_standing

LONGEST_DESCRIPTION = 1000
LONGEST_URL = 2000


class NewStatus(serializers.Serializer[Any]):
    context = serializers.RegexField(  # type: ignore[assignment]  # a field named as a property of Serializer
        r"^[^\x00-\x1f\x7f]+$",
        max_length=LONGEST_NAME,
        help_text="What reports, as a protection rule names it: `ci/tests`.",
    )
    state = serializers.ChoiceField(STATUS_STATES)
    source_head = serializers.IntegerField(
        min_value=0, help_text="The version of the source that was looked at. 412 where it has a newer commit."
    )
    description = serializers.CharField(required=False, default="", allow_blank=True, max_length=LONGEST_DESCRIPTION)
    target_url = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=LONGEST_URL, help_text="http or https: the details."
    )

    def validate_target_url(self, value: str) -> str:
        if value and not _is_web_address(value):
            raise serializers.ValidationError("Not an address that begins with http:// or https://.")
        return value


def _is_web_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        has_host = bool(parts.hostname)
    except ValueError:
        return False
    return text.startswith(("http://", "https://")) and has_host and text.isprintable() and " " not in text


class StatusAnswer(serializers.Serializer[Any]):
    """What was reported of the source at one head."""

    id = serializers.IntegerField()
    context = serializers.CharField()  # type: ignore[assignment]  # a field named as a property of Serializer
    state = serializers.ChoiceField(STATUS_STATES)
    source_head = serializers.IntegerField()
    description = serializers.CharField(allow_blank=True)
    target_url = serializers.CharField(allow_blank=True)
    created_by = serializers.CharField(source="created_by.username")
    created_at = serializers.DateTimeField()


class ContextEntry(serializers.Serializer[Any]):
    """A context with its newest status. One that is not current was reported of an earlier head and does not count."""

    context = serializers.CharField()  # type: ignore[assignment]  # a field named as a property of Serializer
    is_required = serializers.BooleanField(help_text="By the target's protection.")
    is_current = serializers.BooleanField()
    status = StatusAnswer(allow_null=True)


_CONTEXTS = inline_serializer("StatusList", {"results": ContextEntry(many=True)})


class StatusListView(ApiView):
    @extend_schema(
        operation_id="merge_request_statuses",
        summary="What other systems report of a merge request",
        description="Each context that was reported or is required, with its newest status.",
        tags=["merge requests"],
        parameters=[IF_NONE_MATCH],
        responses={200: _CONTEXTS, **READS},
    )
    def get(self, request: Request, catalog: str, number: int) -> Response:
        found = statuses_standing(addressed_request(request, catalog, number))
        return tagged(request, Response({"results": ContextEntry(found, many=True).data}))

    @extend_schema(
        operation_id="merge_request_status",
        summary="Report a status of a merge request",
        description="Takes the role reviewer. A new commit on the source makes it stale. A protection rule may require"
        " contexts: without a `success` of each, the request is not merged.",
        tags=["merge requests"],
        parameters=[IDEMPOTENCY_KEY],
        request=NewStatus,
        responses={201: StatusAnswer, **WRITES, **STALE, **KEY_REUSED},
    )
    def post(self, request: Request, catalog: str, number: int) -> Response:
        body = body_checked(NewStatus, request)

        def report() -> Response:
            found = addressed_request(request, catalog, number)
            wanted = StatusReport(**{**body, "state": StatusState(body["state"])})
            status = status_report(principal=principal_of(request), request=found, report=wanted)
            address = reverse("api-statuses", args=[found.catalog.name, found.number], request=request)
            return Response(StatusAnswer(status).data, status=201, headers={"Location": address})

        return once(request, report)
