"""``/api/v1/search/``: everything that has a name, by what people remember of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from catalog_app.selectors import former_names
from catalog_app.selectors.people import catalogs_visible
from catalog_app.selectors.search import (
    Found,
    Wanted,
    branches_search,
    catalogs_search,
    closeness,
    columns_search,
    databases_search,
    own_name,
    tables_search,
    tags_search,
    views_search,
)
from catalog_app.selectors.snapshots import branch_get
from lakeui.api.http.answers import BAD_REQUEST, NOT_FOUND
from lakeui.api.http.base import ApiView, catalog_of, checked, principal_of
from lakeui.common.errors import InvalidValue
from merge_app.audit.selectors import merges_search

KINDS = ("catalog", "branch", "tag", "database", "table", "view", "column", "merge")
LONGEST_LIST = 50


class SearchQuery(serializers.Serializer[Any]):
    q = serializers.CharField(max_length=200, help_text="Part of a name; `database.table` narrows to a database.")
    catalog = serializers.CharField(required=False, max_length=255, help_text="Search in this one only.")
    branch = serializers.CharField(
        required=False, max_length=255, help_text="Of that catalog: show objects there where they are on it."
    )
    kind = serializers.MultipleChoiceField(choices=KINDS, required=False)
    limit = serializers.IntegerField(required=False, default=20, min_value=1, max_value=LONGEST_LIST)


class SearchResult(serializers.Serializer[Any]):
    """Something with a name, and the parts of its address; those that it has not are null."""

    kind = serializers.ChoiceField(KINDS)
    label = serializers.CharField(  # type: ignore[assignment]  # DRF's metaclass takes declared fields off the class
        help_text="The name as a person reads it: `database.table.column`."
    )
    catalog = serializers.CharField()
    branch = serializers.CharField(allow_null=True)
    database = serializers.CharField(allow_null=True)
    table = serializers.CharField(allow_null=True)
    view = serializers.CharField(allow_null=True)
    column = serializers.CharField(allow_null=True)
    tag = serializers.CharField(allow_null=True)
    merge_id = serializers.UUIDField(allow_null=True)
    version = serializers.IntegerField(allow_null=True, help_text="Of a tag, and of a merge that made one.")
    former_name = serializers.CharField(
        allow_null=True, help_text="The name that the text matches, where the present name is another one."
    )
    until_version = serializers.IntegerField(
        allow_null=True,
        help_text="Of the commit that renamed or dropped it. Null of a branch, and where only `branch` did it.",
    )
    is_dropped = serializers.BooleanField(help_text="It was dropped; the address is where it was.")
    in_trash = serializers.BooleanField(help_text="UNDROP brings it back; a column comes with its table.")


class SearchAnswer(serializers.Serializer[Any]):
    """The closest first: the very name, names that begin with the text, then shorter before longer ones. What was
    renamed or dropped follows, where the list has room.
    """

    results = SearchResult(many=True)


class SearchView(ApiView):
    @extend_schema(
        operation_id="search",
        summary="Search by name",
        description="A name matches if it holds the text, or if each word of the text begins one of its words; names of"
        " tables and columns by words and beginning only. What lost such a name is found too: `former_name` says which,"
        " and `until_version` since when.",
        tags=["search"],
        parameters=[SearchQuery],
        responses={200: SearchAnswer, **BAD_REQUEST, **NOT_FOUND},
    )
    def get(self, request: Request) -> Response:
        query = checked(SearchQuery, request)
        wanted = _wanted(request, query)
        kinds = [kind for kind in KINDS if kind in (query.get("kind") or KINDS)]
        found = [item for kind in kinds for item in _SEARCHES[kind](wanted)]
        found.sort(key=lambda item: (*closeness(own_name(item), wanted.name)[:1], KINDS.index(item.kind)))
        if len(found) < wanted.limit:
            found += _former(wanted, kinds, found)
        body = {"results": [_shown(item) for item in found[: query["limit"]]]}
        return Response(SearchAnswer(body).data, headers={"Cache-Control": "private, no-cache"})


def _wanted(request: Request, query: dict[str, Any]) -> Wanted:
    catalog = catalog_of(request, query["catalog"]) if "catalog" in query else None
    if "branch" in query and catalog is None:
        raise InvalidValue("A branch is one of a catalog.", remedy="Send `catalog` too.")
    branch = branch_get(catalog, query["branch"]) if catalog is not None and "branch" in query else None
    visible = frozenset(catalogs_visible(principal_of(request)).values_list("pk", flat=True))
    return Wanted(query["q"], query["limit"], visible, catalog, branch)


def _former(wanted: Wanted, kinds: Iterable[str], found: Iterable[Found]) -> list[Found]:
    known = {(item.kind, item.object_id, item.column) for item in found}
    former = [
        item for kind in kinds if kind in former_names.KINDS for item in former_names.former_names(kind, wanted, known)
    ]
    return sorted(former, key=lambda item: closeness(item.former_name or own_name(item), wanted.name)[:1])


def _merges(wanted: Wanted) -> list[Found]:
    return [
        Found(
            "merge",
            f"{attempt.source} → {attempt.destination}",
            attempt.catalog.name,
            merge_id=str(attempt.merge_id),
            version=attempt.version,
        )
        for attempt in merges_search(text=wanted.text, catalog_ids=wanted.catalog_ids, limit=wanted.limit)
    ]


_SEARCHES = {
    "catalog": catalogs_search,
    "branch": branches_search,
    "tag": tags_search,
    "database": databases_search,
    "table": tables_search,
    "view": views_search,
    "column": columns_search,
    "merge": _merges,
}


def _shown(item: Found) -> dict[str, Any]:
    return {name: None if value == "" else value for name, value in asdict(item).items()}
