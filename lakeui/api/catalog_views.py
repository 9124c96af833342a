"""``/api/v1/catalogs/`` and their branches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from catalog_app.models import Branch
from catalog_app.selectors.branches import (
    branch_detail,
    branches_list,
    catalogs_list,
    catalogs_summarise,
    sort_key,
)
from catalog_app.selectors.divergence import divergences_load
from catalog_app.selectors.people import catalogs_visible, role_of
from catalog_app.services.catalogs import MAIN
from lakeui.api.base import ApiView, catalog_of, checked, principal_of, tagged
from lakeui.api.lake_serializers import BranchAnswer, BranchFilter, CatalogAnswer, CatalogDetail, CatalogFilter
from lakeui.api.paging import keyset_page, page_body, page_schema
from lakeui.api.serializers import ProblemDocument
from merge_app.audit.selectors import audit_counts
from merge_app.jobs.selectors import unfinished_count

NOT_FOUND: dict[Any, Any] = {(404, "application/problem+json"): ProblemDocument}
BAD_REQUEST: dict[Any, Any] = {(400, "application/problem+json"): ProblemDocument}
FORBIDDEN: dict[Any, Any] = {(403, "application/problem+json"): ProblemDocument}
CONFLICT: dict[Any, Any] = {(409, "application/problem+json"): ProblemDocument}
STALE: dict[Any, Any] = {(412, "application/problem+json"): ProblemDocument}
NOT_MODIFIED: dict[Any, Any] = {304: OpenApiResponse(description="Nothing changed.")}
IF_NONE_MATCH = OpenApiParameter(
    "If-None-Match", str, OpenApiParameter.HEADER, description="ETag of what you have; 304 if it is still that."
)
IF_MATCH = OpenApiParameter(
    "If-Match", str, OpenApiParameter.HEADER, description="ETag of what you saw; 412 if it has changed since."
)


class CatalogListView(ApiView):
    @extend_schema(
        operation_id="catalog_list",
        summary="List catalogs",
        tags=["catalogs"],
        parameters=[CatalogFilter, IF_NONE_MATCH],
        responses={200: page_schema("CatalogPage", CatalogAnswer(many=True)), **NOT_MODIFIED, **BAD_REQUEST},
    )
    def get(self, request: Request) -> Response:
        filters = checked(CatalogFilter, request)
        page = keyset_page(filters, str, int)
        found = catalogs_list(catalogs_visible(principal_of(request)), **filters, after=page.after, limit=page.fetch)
        body = page_body(
            request,
            page,
            found,
            key=lambda entry: sort_key(entry.catalog),
            shown=lambda entries: CatalogAnswer(entries, many=True).data,
        )
        return tagged(request, Response(body))


class CatalogView(ApiView):
    @extend_schema(
        operation_id="catalog_get",
        summary="Look at a catalog",
        tags=["catalogs"],
        parameters=[IF_NONE_MATCH],
        responses={200: CatalogDetail, **NOT_MODIFIED, **NOT_FOUND},
    )
    def get(self, request: Request, catalog: str) -> Response:
        found = catalog_of(request, catalog)
        (summary,) = catalogs_summarise([found])
        main = branch_detail(found, MAIN)
        role = role_of(principal_of(request), found.pk)
        body = {
            **CatalogAnswer(summary).data,
            "role": role.value if role else None,
            "main": branches_shown([main])[0],
            "running_task_count": unfinished_count(catalog=found.name),
            **audit_counts(catalog_id=found.pk),
        }
        return tagged(request, Response(body))


class BranchListView(ApiView):
    @extend_schema(
        operation_id="branch_list",
        summary="List the branches of a catalog",
        description="Each with its newest commit and how many commits it is ahead of and behind its parent.",
        tags=["branches"],
        parameters=[BranchFilter, IF_NONE_MATCH],
        responses={
            200: page_schema("BranchPage", BranchAnswer(many=True)),
            **NOT_MODIFIED,
            **BAD_REQUEST,
            **NOT_FOUND,
        },
    )
    def get(self, request: Request, catalog: str) -> Response:
        filters = checked(BranchFilter, request)
        page = keyset_page(filters, str if filters["order"] == "name" else int, int)
        found = branches_list(catalog_of(request, catalog), **filters, after=page.after, limit=page.fetch)
        return tagged(request, Response(page_body(request, page, found, key=sort_key, shown=branches_shown)))


class BranchView(ApiView):
    @extend_schema(
        operation_id="branch_get",
        summary="Look at a branch",
        description="The ETag begins with the head's version. A slash in the name may be written as it is or as %2F.",
        tags=["branches"],
        parameters=[IF_NONE_MATCH],
        responses={200: BranchAnswer, **NOT_MODIFIED, **NOT_FOUND},
    )
    def get(self, request: Request, catalog: str, branch: str) -> Response:
        found = branch_detail(catalog_of(request, catalog), branch)
        return tagged(request, Response(branches_shown([found])[0]), head=found.head_version)


def branches_shown(branches: Sequence[Branch]) -> list[dict[str, Any]]:
    """Branches as JSON, each with how far it is from its parent: two queries for all."""
    pairs = [(branch, branch.parent) for branch in branches if branch.parent is not None]
    context = {"divergences": divergences_load(pairs)}
    return list(BranchAnswer(branches, many=True, context=context).data)
