"""``/api/v1/merges/`` (the audit) and ``/api/v1/rules/`` (the rule tables as data)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from catalog_app.rules.loader import rules_as_json
from catalog_app.selectors.people import catalogs_known, catalogs_visible
from catalog_app.selectors.restrictions import restrictions_refuse
from lakeui.api.http.answers import BAD_REQUEST, FORBIDDEN, NOT_FOUND
from lakeui.api.http.base import ApiView, NewestFirst, principal_of, tagged
from lakeui.api.http.serializers import MergeFilter, MergeSummary, ProblemDocument
from lakeui.frontdoor.compute import engine, reading
from merge_app.audit.selectors import attempt_get, audit_get, audit_list, audit_summaries
from merge_app.comparison.replaying import merge_replay

_PAGE = inline_serializer(
    "MergePage",
    {
        "next": serializers.URLField(allow_null=True),
        "previous": serializers.URLField(allow_null=True),
        "results": MergeSummary(many=True),
    },
)


class MergePages(NewestFirst):
    ordering = ("-recorded_at", "-number")


class MergeListView(ApiView):
    serves_limited_tokens = True

    @extend_schema(
        operation_id="merge_list",
        summary="List audit records",
        description="Attempts to merge, or the records of another kind. These are restores, transactions, changes of"
        " members and protection rules (`settings`), and emergencies in which an owner went past a protection"
        " (`bypass`).",
        tags=["merges"],
        parameters=[MergeFilter, OpenApiParameter("cursor", str, description="From `next` or `previous`.")],
        responses={200: _PAGE, **FORBIDDEN},
    )
    def get(self, request: Request) -> Response:
        query = MergeFilter(data=request.query_params)
        query.is_valid(raise_exception=True)
        pages = MergePages()
        chosen = {name: value for name, value in query.validated_data.items() if name != "limit"}
        principal = principal_of(request)
        if "catalog" in chosen:
            # An empty list would say that there is no record of it.
            for known in catalogs_known(principal).filter(name__iexact=chosen["catalog"], dropped_at__isnull=True):
                restrictions_refuse(principal, known)
        found = audit_list(visible=catalogs_visible(principal), **chosen)
        page: list[Any] = pages.paginate_queryset(found, request, view=self) or []
        return tagged(request, pages.get_paginated_response(audit_summaries(page)))


class MergeView(ApiView):
    serves_limited_tokens = True

    @extend_schema(
        operation_id="merge_get",
        summary="The audit record of one attempt",
        tags=["merges"],
        parameters=[OpenApiParameter("merge_id", str, OpenApiParameter.PATH)],
        responses={200: OpenApiTypes.OBJECT, (404, "application/problem+json"): ProblemDocument},
    )
    def get(self, request: Request, merge_id: str) -> Response:
        return tagged(request, Response(audit_get(merge_id, visible=catalogs_visible(principal_of(request)))))


class MergeReplay(serializers.Serializer[Any]):
    """An attempt to merge, planned once more."""

    merge_id = serializers.UUIDField()
    recorded = serializers.CharField(help_text="The fingerprint that the record has.")
    computed = serializers.CharField(help_text="That of the plan of today.")
    is_same = serializers.BooleanField()
    reason = serializers.CharField(allow_blank=True, help_text="Why they differ, where that is known.")


class MergeReplayView(ApiView):
    @extend_schema(
        operation_id="merge_replay",
        summary="Plan an attempt once more",
        description="From the stored heads and the recorded decisions. The same rules make the same fingerprint. It"
        " writes nothing. 404 where the retention took a version.",
        tags=["merges"],
        parameters=[OpenApiParameter("merge_id", str, OpenApiParameter.PATH)],
        responses={200: MergeReplay, **BAD_REQUEST, **NOT_FOUND},
    )
    def get(self, request: Request, merge_id: str) -> Response:
        record = attempt_get(merge_id, visible=catalogs_visible(principal_of(request)))
        with reading():
            found = merge_replay(record, engine)
        return Response({"merge_id": record.merge_id, **asdict(found), "is_same": found.is_same})


class RulesView(ApiView):
    serves_limited_tokens = True

    @extend_schema(
        operation_id="rules_get",
        summary="The conflict rule tables",
        description="Every cell with its verdict, note, and whether it is the seed's or an extension.",
        tags=["rules"],
        responses={200: OpenApiTypes.OBJECT},
    )
    def get(self, request: Request) -> Response:
        return tagged(request, Response(rules_as_json()))
