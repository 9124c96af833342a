"""``/api/v1/catalogs/{catalog}/queries/``: queries that people keep under a name, alone or for all readers."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from catalog_app.selectors.branches import sort_key
from lakeui.api.http.answers import (
    BAD_REQUEST,
    CONFLICT,
    FORBIDDEN,
    IF_MATCH,
    IF_NONE_MATCH,
    NOT_FOUND,
    NOT_MODIFIED,
    STALE,
)
from lakeui.api.http.base import ApiView, catalog_of, checked, principal_of, tagged, unchanged
from lakeui.api.http.idempotency import IDEMPOTENCY_KEY, once
from lakeui.api.http.paging import PageFilter, keyset_page, page_body, page_schema
from lakeui.api.http.serializers import ProblemDocument
from lakeui.api.http.strict import body_checked
from merge_app.queries.models import SavedQuery
from merge_app.queries.services import queries_list, query_change, query_get, query_remove, query_save

LONGEST_NAME, LONGEST_TEXT = 100, 100_000


class SavedQueryFilter(PageFilter):
    search = serializers.CharField(required=False, max_length=200, help_text="Text in the name.")


class SavedQueryRequest(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=LONGEST_NAME, help_text="Each of your own has another one.")
    text = serializers.CharField(max_length=LONGEST_TEXT, trim_whitespace=False, help_text="SQL; it is not run.")
    is_shared = serializers.BooleanField(
        default=False, help_text="Whoever sees the catalog reads it. Else you alone, as texts may hold secrets."
    )


class SavedQueryAnswer(SavedQueryRequest):
    """A query that is kept. Its owner alone changes it."""

    id = serializers.IntegerField()
    owner = serializers.CharField(source="owner.username")
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


def _shown(query: SavedQuery) -> Any:
    return SavedQueryAnswer(query).data


class SavedQueryListView(ApiView):
    @extend_schema(
        operation_id="saved_query_list",
        summary="List saved queries",
        description="Your own, and those that others share in the catalog.",
        tags=["sql"],
        parameters=[SavedQueryFilter, IF_NONE_MATCH],
        responses={
            200: page_schema("SavedQueryPage", SavedQueryAnswer(many=True)),
            **NOT_MODIFIED,
            **BAD_REQUEST,
            **NOT_FOUND,
        },
    )
    def get(self, request: Request, catalog: str) -> Response:
        filters = checked(SavedQueryFilter, request)
        page = keyset_page(filters, str, int)
        found_in = catalog_of(request, catalog)
        found = queries_list(principal_of(request), found_in, **filters, after=page.after, limit=page.fetch)
        body = page_body(
            request, page, found, key=sort_key, shown=lambda entries: SavedQueryAnswer(entries, many=True).data
        )
        return tagged(request, Response(body))

    @extend_schema(
        operation_id="saved_query_add",
        summary="Save a query",
        tags=["sql"],
        parameters=[IDEMPOTENCY_KEY],
        request=SavedQueryRequest,
        responses={
            201: SavedQueryAnswer,
            **BAD_REQUEST,
            **FORBIDDEN,
            **NOT_FOUND,
            **CONFLICT,
            (422, "application/problem+json"): ProblemDocument,
        },
    )
    def post(self, request: Request, catalog: str) -> Response:
        fields = body_checked(SavedQueryRequest, request)

        def save() -> Response:
            found = catalog_of(request, catalog)
            query = query_save(principal=principal_of(request), catalog=found, fields=fields)
            address = reverse("api-saved-query", args=[found.name, query.pk], request=request)
            return Response(_shown(query), status=201, headers={"Location": address})

        return once(request, save)


class SavedQueryView(ApiView):
    @extend_schema(
        operation_id="saved_query_get",
        summary="Look at a saved query",
        tags=["sql"],
        parameters=[IF_NONE_MATCH],
        responses={200: SavedQueryAnswer, **NOT_MODIFIED, **NOT_FOUND},
    )
    def get(self, request: Request, catalog: str, query_id: int) -> Response:
        return tagged(
            request, Response(_shown(query_get(principal_of(request), catalog_of(request, catalog), query_id)))
        )

    @extend_schema(
        operation_id="saved_query_change",
        summary="Rename, rewrite or share a query of your own",
        tags=["sql"],
        parameters=[IF_MATCH],
        request=SavedQueryRequest(partial=True),
        responses={200: SavedQueryAnswer, **BAD_REQUEST, **FORBIDDEN, **NOT_FOUND, **CONFLICT, **STALE},
    )
    def patch(self, request: Request, catalog: str, query_id: int) -> Response:
        found = catalog_of(request, catalog)
        query = query_change(
            principal=principal_of(request),
            catalog=found,
            query_id=query_id,
            fields=body_checked(SavedQueryRequest, request, partial=True),
            check=lambda present: unchanged(request, _shown(present)),
        )
        return tagged(request, Response(_shown(query)))

    @extend_schema(
        operation_id="saved_query_remove",
        summary="Remove a saved query",
        description="Your own; an owner of the catalog removes shared ones too.",
        tags=["sql"],
        parameters=[IF_MATCH],
        responses={204: OpenApiResponse(description="It is gone."), **FORBIDDEN, **NOT_FOUND, **STALE},
    )
    def delete(self, request: Request, catalog: str, query_id: int) -> Response:
        query_remove(
            principal=principal_of(request),
            catalog=catalog_of(request, catalog),
            query_id=query_id,
            check=lambda present: unchanged(request, _shown(present)),
        )
        return Response(status=204)
