"""``…/databases/{database}/views/``: the views of a database, and what each is made of."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from catalog_app.domain.state import COMMENT
from catalog_app.selectors.views import ViewState, view_made, views_list
from lakeui.api.http.answers import BAD_REQUEST, IF_NONE_MATCH, NOT_FOUND, NOT_MODIFIED
from lakeui.api.http.base import ApiView, checked, head_tagged
from lakeui.api.http.lookup import AddressedDatabase, addressed_database
from lakeui.api.http.paging import keyset_page, page_body, page_schema
from lakeui.api.tables.table_serializers import ObjectPage, VersionQuery
from lakeui.common.errors import NotFound
from lakeui.common.nearest import nearest_name

_REFUSALS: dict[Any, Any] = {**NOT_MODIFIED, **BAD_REQUEST, **NOT_FOUND}


class ViewSummary(serializers.Serializer[Any]):
    """A view as of the version that is looked at."""

    name = serializers.CharField()
    view_id = serializers.IntegerField()
    database = serializers.CharField()
    comment = serializers.CharField(allow_blank=True)


class ViewReadAnswer(serializers.Serializer[Any]):
    """A table or view of the same branch that the query names, and the columns of it that it may mean."""

    database = serializers.CharField()
    table = serializers.CharField()
    columns = serializers.ListField(child=serializers.CharField())


class ViewAnswer(ViewSummary):
    """``made_version`` is that of the commit which made the view what it is. ``reads`` is empty also of a view from
    before they were kept.
    """

    version = serializers.IntegerField()
    made_version = serializers.IntegerField()
    made_at = serializers.DateTimeField()
    query = serializers.CharField()
    column_names = serializers.ListField(
        child=serializers.CharField(),
        help_text="As the view names them; empty where the query does.",
    )
    properties = serializers.DictField(child=serializers.CharField(allow_blank=True))
    reads = ViewReadAnswer(many=True)


class ViewListView(ApiView):
    keeps_restrictions = frozenset({"get"})

    @extend_schema(
        operation_id="view_list",
        summary="List the views of a database",
        tags=["views"],
        parameters=[ObjectPage, IF_NONE_MATCH],
        responses={200: page_schema("ViewPage", ViewSummary(many=True)), **_REFUSALS},
    )
    def get(self, request: Request, catalog: str, branch: str, database: str) -> Response:
        filters = checked(ObjectPage, request)
        place = addressed_database(request, catalog, branch, database, filters.pop("version", None))
        return head_tagged(request, place.branch, lambda: self._body(request, place, filters))

    def _body(self, request: Request, place: AddressedDatabase, filters: dict[str, Any]) -> Any:
        page = keyset_page(filters, str)
        search = filters.get("search", "").casefold()
        found = [view for view in _views(place) if search in view.name.casefold()]
        if page.after is not None:
            found = [view for view in found if _key(view) > page.after]
        return page_body(
            request,
            page,
            found[: page.fetch],
            key=_key,
            shown=lambda views: ViewSummary([_summary(place, view) for view in views], many=True).data,
        )


class ViewView(ApiView):
    @extend_schema(
        operation_id="view_get",
        summary="Look at a view",
        tags=["views"],
        parameters=[VersionQuery, IF_NONE_MATCH],
        responses={200: ViewAnswer, **_REFUSALS},
    )
    def get(self, request: Request, catalog: str, branch: str, database: str, view: str) -> Response:
        place = addressed_database(request, catalog, branch, database, checked(VersionQuery, request).get("version"))
        found = _view(place, view)
        return head_tagged(request, place.branch, lambda: ViewAnswer(_body(place, found)).data)


def _views(place: AddressedDatabase) -> list[ViewState]:
    return views_list(place.snapshot, [place.database.database_id])


def _view(place: AddressedDatabase, name: str) -> ViewState:
    """Raises NotFound."""
    views = _views(place)
    for view in views:
        if view.name.casefold() == name.casefold():
            return view
    near = nearest_name(name, [view.name for view in views])
    raise NotFound("view", f"{place.database.name}.{name}", nearest=near and f"{place.database.name}.{near}")


def _key(view: ViewState) -> tuple[str]:
    return (view.name.casefold(),)


def _summary(place: AddressedDatabase, view: ViewState) -> dict[str, Any]:
    comment = view.properties.get(COMMENT, "")
    return {"name": view.name, "view_id": view.view_id, "database": place.database.name, "comment": comment}


def _body(place: AddressedDatabase, view: ViewState) -> dict[str, Any]:
    made_version, made_at = view_made(place.snapshot, view.view_id)
    return {
        **_summary(place, view),
        "version": place.snapshot.version,
        "made_version": made_version,
        "made_at": made_at,
        "query": view.query,
        "column_names": [name for name, _ in view.columns],
        "properties": {key: value for key, value in view.properties.items() if key != COMMENT},
        "reads": [asdict(read) for read in view.reads],
    }
