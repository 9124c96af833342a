"""``/api/v1/catalogs/`` and their branches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from catalog_app.domain.names import LONGEST_NAME
from catalog_app.domain.quoting import quote_name, quote_text
from catalog_app.models import Branch, Catalog
from catalog_app.selectors.ahead_behind import divergences_load
from catalog_app.selectors.branches import (
    branch_detail,
    branches_list,
    catalogs_list,
    catalogs_summarise,
    parent_now,
    sort_key,
)
from catalog_app.selectors.people import catalogs_known, role_of
from catalog_app.services.catalogs import MAIN
from lakeui.api.branches.lake_serializers import BranchAnswer, BranchFilter, CatalogAnswer, CatalogDetail, CatalogFilter
from lakeui.api.http.answers import BAD_REQUEST, IF_MATCH, IF_NONE_MATCH, NOT_FOUND, NOT_MODIFIED, STALE
from lakeui.api.http.base import ApiView, catalog_of, checked, principal_of, tagged, unchanged
from lakeui.api.http.idempotency import IDEMPOTENCY_KEY
from lakeui.api.http.paging import keyset_page, page_body, page_schema
from lakeui.api.http.strict import body_checked
from lakeui.api.sql.resource_writes import (
    AT_ONCE,
    DRY_RUN,
    NewName,
    PointInTime,
    Write,
    WriteOptions,
    as_of_written,
    gone,
    or_rehearsed,
    written,
)
from lakeui.common.errors import InvalidValue
from merge_app.audit.selectors import audit_counts
from merge_app.jobs.selectors import unfinished_count
from merge_app.review.expiring import expiry_waits

_EXPIRES_HELP = (
    "When lakeui drops the branch: `7 days`, `36 hours`, `90 minutes`, or a time such as `2026-01-31 10:00:00` (UTC)."
    " Null: never."
)


class CatalogRequest(NewName):
    comment = serializers.CharField(required=False, default="", allow_blank=True, max_length=10_000)


class BranchRequest(NewName, PointInTime):
    """A branch to make: from the parent's head, or from a version of it, or from how it was at a time."""

    parent = serializers.CharField(  # type: ignore[assignment]  # a declared field
        required=False, default=MAIN, max_length=LONGEST_NAME, help_text="Branch."
    )
    expires = serializers.CharField(
        required=False, allow_null=True, default=None, max_length=64, help_text=_EXPIRES_HELP
    )


class BranchChange(WriteOptions):
    """Another name, or another expiry: one of them."""

    name = serializers.CharField(required=False, max_length=LONGEST_NAME)
    expires = serializers.CharField(required=False, allow_null=True, max_length=64, help_text=_EXPIRES_HELP)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("name" in attrs) == ("expires" in attrs):
            raise InvalidValue(
                "A change of a branch has one of name and expires.", remedy="Send the one, or two requests."
            )
        return attrs


class CatalogListView(ApiView):
    serves_limited_tokens = True

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
        found = catalogs_list(catalogs_known(principal_of(request)), **filters, after=page.after, limit=page.fetch)
        body = page_body(
            request,
            page,
            found,
            key=lambda entry: sort_key(entry.catalog),
            shown=lambda entries: CatalogAnswer(entries, many=True).data,
        )
        return tagged(request, Response(body))

    @extend_schema(
        operation_id="catalog_create",
        summary="Create a catalog",
        description="As CREATE CATALOG does. Whoever creates it owns it.",
        tags=["catalogs"],
        parameters=[IDEMPOTENCY_KEY],
        request=CatalogRequest,
        responses={201: CatalogDetail, **DRY_RUN, **AT_ONCE},
    )
    def post(self, request: Request) -> HttpResponse:
        wanted = body_checked(CatalogRequest, request)
        comment = f" COMMENT {quote_text(wanted['comment'])}" if wanted["comment"] else ""

        def made(_: Any) -> Response:
            found = catalog_of(request, wanted["name"])
            address = reverse("api-catalog", args=[found.name], request=request)
            return Response(_catalog_shown(request, found), status=201, headers={"Location": address})

        return written(request, Write(f"CREATE CATALOG {quote_name(wanted['name'])}{comment}", wanted), made)


class CatalogView(ApiView):
    keeps_restrictions = frozenset({"get"})

    @extend_schema(
        operation_id="catalog_get",
        summary="Look at a catalog",
        tags=["catalogs"],
        parameters=[IF_NONE_MATCH],
        responses={200: CatalogDetail, **NOT_MODIFIED, **NOT_FOUND},
    )
    def get(self, request: Request, catalog: str) -> Response:
        return tagged(request, Response(_catalog_shown(request, catalog_of(request, catalog))))

    @extend_schema(
        operation_id="catalog_rename",
        summary="Rename a catalog",
        description="As ALTER CATALOG .. RENAME TO does. The old name is free at once, and names nothing any more.",
        tags=["catalogs"],
        parameters=[IF_MATCH, IDEMPOTENCY_KEY],
        request=NewName,
        responses={200: or_rehearsed(CatalogDetail), **AT_ONCE, **STALE},
    )
    def patch(self, request: Request, catalog: str) -> HttpResponse:
        wanted = body_checked(NewName, request)
        statement = f"ALTER CATALOG {quote_name(catalog)} RENAME TO {quote_name(wanted['name'])}"

        def changed(_: Any) -> Response:
            return Response(_catalog_shown(request, catalog_of(request, wanted["name"])))

        def check() -> None:
            if "If-Match" in request.headers:
                unchanged(request, _catalog_shown(request, catalog_of(request, catalog)))

        return written(request, Write(statement, wanted, catalog), changed, check=check)

    @extend_schema(
        operation_id="catalog_drop",
        summary="Drop a catalog",
        description="As DROP CATALOG does; `dropped-catalogs/` brings it back.",
        tags=["catalogs"],
        parameters=[WriteOptions, IDEMPOTENCY_KEY],
        responses={204: OpenApiResponse(description="The name is free again."), **DRY_RUN, **AT_ONCE},
    )
    def delete(self, request: Request, catalog: str) -> HttpResponse:
        options = checked(WriteOptions, request)
        return written(request, Write(f"DROP CATALOG {quote_name(catalog)}", options, catalog), gone)


def _catalog_shown(request: Request, found: Catalog) -> dict[str, Any]:
    (summary,) = catalogs_summarise([found])
    main = branch_detail(found, MAIN)
    role = role_of(principal_of(request), found.pk)
    return {
        **CatalogAnswer(summary).data,
        "role": role.value if role else None,
        "main": branches_shown([main])[0],
        "running_task_count": unfinished_count(catalog=found.name),
        **audit_counts(catalog_id=found.pk),
    }


class BranchListView(ApiView):
    keeps_restrictions = frozenset({"get"})

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

    @extend_schema(
        operation_id="branch_create",
        summary="Create a branch",
        description="As CREATE BRANCH does. Branches and tags of a catalog share their names.",
        tags=["branches"],
        parameters=[IDEMPOTENCY_KEY],
        request=BranchRequest,
        responses={201: BranchAnswer, **DRY_RUN, **AT_ONCE},
    )
    def post(self, request: Request, catalog: str) -> HttpResponse:
        wanted = body_checked(BranchRequest, request)
        found = catalog_of(request, catalog)
        as_of = as_of_written(wanted, is_required=False)
        statement = f"CREATE BRANCH {quote_name(wanted['name'])} FROM {quote_name(wanted['parent'])} {as_of}".rstrip()
        if wanted["expires"] is not None:
            statement += f" WITH EXPIRY {quote_text(wanted['expires'])}"

        def made(_: Any) -> Response:
            branch = branch_detail(found, wanted["name"])
            address = reverse("api-branch", args=[found.name, branch.name], request=request)
            return Response(branches_shown([branch])[0], status=201, headers={"Location": address})

        return written(request, Write(statement, wanted, found.name), made)


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

    @extend_schema(
        operation_id="branch_rename",
        summary="Rename a branch, or set its expiry",
        description="As ALTER BRANCH .. RENAME TO, SET EXPIRY and UNSET EXPIRY do: one of them.",
        tags=["branches"],
        parameters=[IF_MATCH, IDEMPOTENCY_KEY],
        request=BranchChange,
        responses={200: or_rehearsed(BranchAnswer), **AT_ONCE, **STALE},
    )
    def patch(self, request: Request, catalog: str, branch: str) -> HttpResponse:
        wanted = body_checked(BranchChange, request)
        found = catalog_of(request, catalog)
        change = "UNSET EXPIRY"
        if "name" in wanted:
            change = f"RENAME TO {quote_name(wanted['name'])}"
        elif wanted["expires"] is not None:
            change = f"SET EXPIRY {quote_text(wanted['expires'])}"
        write = Write(f"ALTER BRANCH {quote_name(branch)} {change}", wanted, found.name)

        def changed(_: Any) -> Response:
            return Response(branches_shown([branch_detail(found, wanted.get("name", branch))])[0])

        return written(request, write, changed, check=if_match(request, found, branch))

    @extend_schema(
        operation_id="branch_drop",
        summary="Drop a branch",
        description="As DROP BRANCH does; `undrops/` brings it back.",
        tags=["branches"],
        parameters=[WriteOptions, IF_MATCH, IDEMPOTENCY_KEY],
        responses={204: OpenApiResponse(description="The name is free again."), **DRY_RUN, **AT_ONCE, **STALE},
    )
    def delete(self, request: Request, catalog: str, branch: str) -> HttpResponse:
        found = catalog_of(request, catalog)
        options = checked(WriteOptions, request)
        write = Write(f"DROP BRANCH {quote_name(branch)}", options, found.name)
        return written(request, write, gone, check=if_match(request, found, branch))


def if_match(request: Request, catalog: Catalog, name: str) -> Callable[[], None]:
    """Raises Stale, when called, if the branch is not as If-Match says; without that header nothing is read."""

    def check() -> None:
        if "If-Match" in request.headers:
            branch = branch_detail(catalog, name)
            unchanged(request, branches_shown([branch])[0], head=branch.head_version)

    return check


def branches_shown(branches: Sequence[Branch]) -> list[dict[str, Any]]:
    """Branches as JSON, each with how far it is from its parent: two queries for all, more where some have expired."""
    pairs = [(branch, parent) for branch in branches if (parent := parent_now(branch)) is not None]
    context = {"divergences": divergences_load(pairs), "waits": expiry_waits(branches)}
    return list(BranchAnswer(branches, many=True, context=context).data)
