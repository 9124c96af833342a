"""``…/branches/{branch}/databases/`` and the lists of their tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from catalog_app.domain.quoting import quote_name, quote_text
from catalog_app.domain.state import DatabaseState
from catalog_app.selectors.listing import (
    LastChange,
    TableEntry,
    TableSize,
    last_changes,
    table_sizes,
    tables_count,
    tables_page,
)
from catalog_app.selectors.objects import databases_list
from lakeui.api.http.answers import BAD_REQUEST, IF_MATCH, IF_NONE_MATCH, NOT_FOUND, NOT_MODIFIED, STALE
from lakeui.api.http.base import ApiView, catalog_of, checked, head_tagged, head_unchanged
from lakeui.api.http.idempotency import IDEMPOTENCY_KEY
from lakeui.api.http.lookup import AddressedBranch, AddressedDatabase, addressed_branch, addressed_database
from lakeui.api.http.paging import keyset_page, page_body, page_schema
from lakeui.api.http.strict import body_checked
from lakeui.api.sql.resource_writes import AS_TASK, DRY_RUN, NewName, Write, WriteOptions, gone, or_rehearsed, written
from lakeui.api.sql.sql_view import PREFER
from lakeui.api.tables.table_serializers import (
    DatabaseAnswer,
    DatabaseDetail,
    ObjectPage,
    TablePage,
    TableSummary,
    VersionQuery,
)

REFUSALS: dict[Any, Any] = {**NOT_MODIFIED, **BAD_REQUEST, **NOT_FOUND}


class DatabaseRequest(NewName):
    comment = serializers.CharField(required=False, default="", allow_blank=True, max_length=10_000)
    properties = serializers.DictField(
        child=serializers.CharField(allow_blank=True, max_length=10_000), required=False, default=dict
    )


class DropDatabase(WriteOptions):
    cascade = serializers.BooleanField(required=False, default=False, help_text="Its tables go with it.")


class DatabaseListView(ApiView):
    keeps_restrictions = frozenset({"get"})

    @extend_schema(
        operation_id="database_list",
        summary="List the databases of a branch",
        tags=["databases"],
        parameters=[ObjectPage, IF_NONE_MATCH],
        responses={200: page_schema("DatabasePage", DatabaseAnswer(many=True)), **REFUSALS},
    )
    def get(self, request: Request, catalog: str, branch: str) -> Response:
        filters = checked(ObjectPage, request)
        place = addressed_branch(request, catalog, branch, filters.pop("version", None))
        return head_tagged(request, place.branch, lambda: self._body(request, place, filters))

    def _body(self, request: Request, place: AddressedBranch, filters: dict[str, Any]) -> Any:
        page = keyset_page(filters, str)
        search = filters.get("search", "").casefold()
        found = [state for state in databases_list(place.snapshot) if search in state.name.casefold()]
        if page.after is not None:
            found = [state for state in found if _key(state) > page.after]
        return page_body(
            request,
            page,
            found[: page.fetch],
            key=_key,
            shown=lambda entries: DatabaseAnswer(entries, many=True).data,
        )

    @extend_schema(
        operation_id="database_create",
        summary="Create a database",
        description="As CREATE DATABASE does: one commit on the branch.",
        tags=["databases"],
        parameters=[PREFER, IDEMPOTENCY_KEY],
        request=DatabaseRequest,
        responses={201: DatabaseDetail, **DRY_RUN, **AS_TASK},
    )
    def post(self, request: Request, catalog: str, branch: str) -> HttpResponse:
        wanted = body_checked(DatabaseRequest, request)
        found = catalog_of(request, catalog)

        def made(_: Any) -> Response:
            place = addressed_database(request, catalog, branch, wanted["name"], None)
            address = reverse("api-database", args=[catalog, branch, place.database.name], request=request)
            return Response(_shown(place), status=201, headers={"Location": address})

        return written(request, Write(_create_written(wanted), wanted, found.name, branch), made)


def _create_written(wanted: dict[str, Any]) -> str:
    comment = f" COMMENT {quote_text(wanted['comment'])}" if wanted["comment"] else ""
    pairs = ", ".join(f"{quote_text(key)} = {quote_text(value)}" for key, value in wanted["properties"].items())
    properties = f" WITH DBPROPERTIES ({pairs})" if pairs else ""
    return f"CREATE DATABASE {quote_name(wanted['name'])}{comment}{properties}"


def _key(state: DatabaseState) -> tuple[str]:
    return (state.name.casefold(),)


class DatabaseView(ApiView):
    keeps_restrictions = frozenset({"get"})

    @extend_schema(
        operation_id="database_get",
        summary="Look at a database",
        tags=["databases"],
        parameters=[VersionQuery, IF_NONE_MATCH],
        responses={200: DatabaseDetail, **REFUSALS},
    )
    def get(self, request: Request, catalog: str, branch: str, database: str) -> Response:
        place = addressed_database(request, catalog, branch, database, checked(VersionQuery, request).get("version"))
        return head_tagged(request, place.branch, lambda: _shown(place))

    @extend_schema(
        operation_id="database_rename",
        summary="Rename a database",
        description="As ALTER DATABASE .. RENAME TO does: one commit on the branch.",
        tags=["databases"],
        parameters=[IF_MATCH, PREFER, IDEMPOTENCY_KEY],
        request=NewName,
        responses={200: or_rehearsed(DatabaseDetail), **AS_TASK, **STALE},
    )
    def patch(self, request: Request, catalog: str, branch: str, database: str) -> HttpResponse:
        wanted = body_checked(NewName, request)
        found = catalog_of(request, catalog)
        statement = f"ALTER DATABASE {quote_name(database)} RENAME TO {quote_name(wanted['name'])}"

        def renamed(_: Any) -> Response:
            return Response(_shown(addressed_database(request, catalog, branch, wanted["name"], None)))

        write = Write(statement, wanted, found.name, branch)
        return written(request, write, renamed, check=_if_match(request, catalog, branch, database))

    @extend_schema(
        operation_id="database_drop",
        summary="Drop a database",
        description="As DROP DATABASE does: one commit on the branch; `undrops/` brings it back.",
        tags=["databases"],
        parameters=[DropDatabase, IF_MATCH, PREFER, IDEMPOTENCY_KEY],
        responses={204: OpenApiResponse(description="It is dropped."), **DRY_RUN, **AS_TASK, **STALE},
    )
    def delete(self, request: Request, catalog: str, branch: str, database: str) -> HttpResponse:
        options = checked(DropDatabase, request)
        found = catalog_of(request, catalog)
        cascade = " CASCADE" if options["cascade"] else ""
        statement = f"DROP DATABASE {quote_name(database)}{cascade}"
        write = Write(statement, options, found.name, branch)
        return written(request, write, gone, check=_if_match(request, catalog, branch, database))


def _if_match(request: Request, catalog: str, branch: str, database: str) -> Callable[[], None]:
    """Raises Stale, when called, if the branch has moved since If-Match; without that header nothing is read."""

    def check() -> None:
        if "If-Match" in request.headers:
            head_unchanged(request, addressed_database(request, catalog, branch, database, None).branch)

    return check


def _shown(place: AddressedDatabase) -> dict[str, Any]:
    count = tables_count(place.snapshot, place.database.database_id)
    return {**DatabaseAnswer(place.database).data, "table_count": count}


class TableListView(ApiView):
    keeps_restrictions = frozenset({"get"})

    @extend_schema(
        operation_id="table_list",
        summary="List the tables of a database",
        tags=["tables"],
        parameters=[TablePage, IF_NONE_MATCH],
        responses={200: page_schema("TablePage", TableSummary(many=True)), **REFUSALS},
    )
    def get(self, request: Request, catalog: str, branch: str, database: str) -> Response:
        filters = checked(TablePage, request)
        place = addressed_database(request, catalog, branch, database, filters.pop("version", None))
        return head_tagged(request, place.branch, lambda: self._body(request, place, filters))

    def _body(self, request: Request, place: AddressedDatabase, filters: dict[str, Any]) -> Any:
        page = keyset_page(filters, str, int)
        asks_sizes = filters.pop("include", "") == "sizes"
        # How many rows there are tells of hidden ones, and so does a commit that changed some.
        with_sizes = asks_sizes and not place.branch.catalog.is_restricted
        found = tables_page(place.snapshot, place.database.database_id, **filters, after=page.after, limit=page.fetch)
        table_ids = [entry.table_id for entry in found]
        sizes = table_sizes(place.snapshot, table_ids) if with_sizes else None
        changes = last_changes(place.snapshot, table_ids) if with_sizes else {}

        def shown(entries: Sequence[TableEntry]) -> Any:
            summaries = [_summary(entry, place, sizes, changes.get(entry.table_id)) for entry in entries]
            return TableSummary(summaries, many=True).data

        return page_body(request, page, found, key=lambda entry: (entry.name_key, entry.table_id), shown=shown)


def _summary(
    entry: TableEntry, place: AddressedDatabase, sizes: Mapping[int, TableSize] | None, change: LastChange | None
) -> dict[str, Any]:
    size = None if sizes is None else sizes.get(entry.table_id, TableSize())
    return {**asdict(entry), "database": place.database.name, "sizes": size, "last_change": change}
