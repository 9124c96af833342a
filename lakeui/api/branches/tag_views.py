"""``/api/v1/catalogs/{catalog}/tags/``: names for versions of branches, made and dropped by the front door."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from catalog_app.domain.names import LONGEST_NAME
from catalog_app.domain.quoting import quote_name
from catalog_app.models import Tag
from catalog_app.selectors.branches import sort_key
from catalog_app.selectors.tags import tag_get, tags_list
from catalog_app.services.catalogs import MAIN
from lakeui.api.branches.lake_serializers import CatalogFilter
from lakeui.api.http.answers import BAD_REQUEST, IF_MATCH, IF_NONE_MATCH, NOT_FOUND, NOT_MODIFIED, STALE
from lakeui.api.http.base import ApiView, catalog_of, checked, tagged, unchanged
from lakeui.api.http.idempotency import IDEMPOTENCY_KEY
from lakeui.api.http.paging import keyset_page, page_body, page_schema
from lakeui.api.http.strict import body_checked
from lakeui.api.sql.resource_writes import (
    AT_ONCE,
    DRY_RUN,
    NewName,
    Write,
    WriteOptions,
    gone,
    or_rehearsed,
    written,
)


class TagAnswer(serializers.Serializer[Any]):
    """A name for a version of a branch, which may have been dropped since: what a tag names never expires."""

    name = serializers.CharField()
    branch = serializers.CharField(source="branch.name")
    branch_id = serializers.IntegerField()
    version = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    created_by = serializers.SerializerMethodField()

    def get_created_by(self, tag: Tag) -> str:
        return tag.created_by.get_username() if tag.created_by else ""


class TagRequest(WriteOptions):
    name = serializers.CharField(max_length=LONGEST_NAME)
    branch = serializers.CharField(required=False, default=MAIN, max_length=LONGEST_NAME)
    version = serializers.IntegerField(
        required=False, allow_null=True, default=None, min_value=0, help_text="The branch's head when null."
    )


class TagListView(ApiView):
    keeps_restrictions = frozenset({"get"})

    @extend_schema(
        operation_id="tag_list",
        summary="List the tags of a catalog",
        tags=["tags"],
        parameters=[CatalogFilter, IF_NONE_MATCH],
        responses={200: page_schema("TagPage", TagAnswer(many=True)), **NOT_MODIFIED, **BAD_REQUEST, **NOT_FOUND},
    )
    def get(self, request: Request, catalog: str) -> Response:
        filters = checked(CatalogFilter, request)
        page = keyset_page(filters, str, int)
        found = tags_list(catalog_of(request, catalog), **filters, after=page.after, limit=page.fetch)
        body = page_body(request, page, found, key=sort_key, shown=lambda entries: TagAnswer(entries, many=True).data)
        return tagged(request, Response(body))

    @extend_schema(
        operation_id="tag_create",
        summary="Name a version of a branch",
        description="As CREATE TAG does. Branches and tags of a catalog share their names.",
        tags=["tags"],
        parameters=[IDEMPOTENCY_KEY],
        request=TagRequest,
        responses={201: TagAnswer, **DRY_RUN, **AT_ONCE},
    )
    def post(self, request: Request, catalog: str) -> HttpResponse:
        wanted = body_checked(TagRequest, request)
        found = catalog_of(request, catalog)
        statement = f"CREATE TAG {quote_name(wanted['name'])} FROM {quote_name(wanted['branch'])}"
        if wanted["version"] is not None:
            statement += f" VERSION AS OF {wanted['version']}"

        def made(_: Any) -> Response:
            tag = tag_get(found, wanted["name"])
            address = reverse("api-tag", args=[found.name, tag.name], request=request)
            return Response(TagAnswer(tag).data, status=201, headers={"Location": address})

        return written(request, Write(statement, wanted, found.name), made)


class TagView(ApiView):
    @extend_schema(
        operation_id="tag_get",
        summary="Look at a tag",
        tags=["tags"],
        parameters=[IF_NONE_MATCH],
        responses={200: TagAnswer, **NOT_MODIFIED, **NOT_FOUND},
    )
    def get(self, request: Request, catalog: str, tag: str) -> Response:
        return tagged(request, Response(TagAnswer(tag_get(catalog_of(request, catalog), tag)).data))

    @extend_schema(
        operation_id="tag_rename",
        summary="Rename a tag",
        description="As ALTER TAG .. RENAME TO does. It names the same version.",
        tags=["tags"],
        parameters=[IF_MATCH, IDEMPOTENCY_KEY],
        request=NewName,
        responses={200: or_rehearsed(TagAnswer), **AT_ONCE, **STALE},
    )
    def patch(self, request: Request, catalog: str, tag: str) -> HttpResponse:
        found = catalog_of(request, catalog)
        wanted = body_checked(NewName, request)
        statement = f"ALTER TAG {quote_name(tag)} RENAME TO {quote_name(wanted['name'])}"

        def changed(_: Any) -> Response:
            return Response(TagAnswer(tag_get(found, wanted["name"])).data)

        def check() -> None:
            if "If-Match" in request.headers:
                unchanged(request, TagAnswer(tag_get(found, tag)).data)

        return written(request, Write(statement, wanted, found.name), changed, check=check)

    @extend_schema(
        operation_id="tag_drop",
        summary="Drop a tag",
        description="As DROP TAG does. What it named stays, but may expire.",
        tags=["tags"],
        parameters=[WriteOptions, IDEMPOTENCY_KEY],
        responses={204: OpenApiResponse(description="The name is free again."), **DRY_RUN, **AT_ONCE},
    )
    def delete(self, request: Request, catalog: str, tag: str) -> HttpResponse:
        found = catalog_of(request, catalog)
        options = checked(WriteOptions, request)
        return written(request, Write(f"DROP TAG {quote_name(tag)}", options, found.name), gone)
