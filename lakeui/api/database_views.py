"""``…/branches/{branch}/databases/`` and the lists of their tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from catalog_app.domain.state import DatabaseState
from catalog_app.selectors.listing import TableEntry, TableSize, table_sizes, tables_count, tables_page
from catalog_app.selectors.objects import databases_list
from lakeui.api.base import ApiView, checked, head_tagged
from lakeui.api.catalog_views import BAD_REQUEST, IF_NONE_MATCH, NOT_FOUND, NOT_MODIFIED
from lakeui.api.paging import keyset_page, page_body, page_schema
from lakeui.api.places import BranchPlace, DatabasePlace, branch_place, database_place
from lakeui.api.table_serializers import (
    DatabaseAnswer,
    DatabaseDetail,
    ObjectPage,
    TablePage,
    TableSummary,
    VersionQuery,
)

REFUSALS: dict[Any, Any] = {**NOT_MODIFIED, **BAD_REQUEST, **NOT_FOUND}


class DatabaseListView(ApiView):
    @extend_schema(
        operation_id="database_list",
        summary="List the databases of a branch",
        tags=["databases"],
        parameters=[ObjectPage, IF_NONE_MATCH],
        responses={200: page_schema("DatabasePage", DatabaseAnswer(many=True)), **REFUSALS},
    )
    def get(self, request: Request, catalog: str, branch: str) -> Response:
        filters = checked(ObjectPage, request)
        place = branch_place(request, catalog, branch, filters.pop("version", None))
        return head_tagged(request, place.branch, lambda: self._body(request, place, filters))

    def _body(self, request: Request, place: BranchPlace, filters: dict[str, Any]) -> Any:
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


def _key(state: DatabaseState) -> tuple[str]:
    return (state.name.casefold(),)


class DatabaseView(ApiView):
    @extend_schema(
        operation_id="database_get",
        summary="Look at a database",
        tags=["databases"],
        parameters=[VersionQuery, IF_NONE_MATCH],
        responses={200: DatabaseDetail, **REFUSALS},
    )
    def get(self, request: Request, catalog: str, branch: str, database: str) -> Response:
        place = database_place(request, catalog, branch, database, checked(VersionQuery, request).get("version"))
        return head_tagged(request, place.branch, lambda: self._body(place))

    def _body(self, place: DatabasePlace) -> Any:
        count = tables_count(place.snapshot, place.database.database_id)
        return {**DatabaseAnswer(place.database).data, "table_count": count}


class TableListView(ApiView):
    @extend_schema(
        operation_id="table_list",
        summary="List the tables of a database",
        tags=["tables"],
        parameters=[TablePage, IF_NONE_MATCH],
        responses={200: page_schema("TablePage", TableSummary(many=True)), **REFUSALS},
    )
    def get(self, request: Request, catalog: str, branch: str, database: str) -> Response:
        filters = checked(TablePage, request)
        place = database_place(request, catalog, branch, database, filters.pop("version", None))
        return head_tagged(request, place.branch, lambda: self._body(request, place, filters))

    def _body(self, request: Request, place: DatabasePlace, filters: dict[str, Any]) -> Any:
        page = keyset_page(filters, str, int)
        with_sizes = filters.pop("include", "") == "sizes"
        found = tables_page(place.snapshot, place.database.database_id, **filters, after=page.after, limit=page.fetch)
        sizes = table_sizes(place.snapshot, [entry.table_id for entry in found]) if with_sizes else None

        def shown(entries: Sequence[TableEntry]) -> Any:
            return TableSummary([_summary(entry, place, sizes) for entry in entries], many=True).data

        return page_body(request, page, found, key=lambda entry: (entry.name_key, entry.table_id), shown=shown)


def _summary(entry: TableEntry, place: DatabasePlace, sizes: Mapping[int, TableSize] | None) -> dict[str, Any]:
    size = None if sizes is None else sizes.get(entry.table_id, TableSize())
    return {**asdict(entry), "database": place.database.name, "sizes": size}
