"""``/api/v1/catalogs/{catalog}/compare/{source}...{destination}/``: what a merge would do, and why it may not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from catalog_app.domain.operations import ObjectKind
from catalog_app.models import Branch
from catalog_app.selectors.snapshots import branch_get
from lakeui.api.compare.comparing import Pair, comparison_read, object_read
from lakeui.api.compare.decision_comparing import decisions_read
from lakeui.api.compare.profile_serializers import CompareProfileAnswer
from lakeui.api.compare.row_comparing import PROFILED, ROW_ID, profile_read, rows_read, sides_key, sides_read
from lakeui.api.compare.row_serializers import (
    CompareRowsAnswer,
    CompareRowsQuery,
    CompareSidesAnswer,
    CompareSidesQuery,
)
from lakeui.api.compare.serializers import (
    CompareDecisionsAnswer,
    CompareQuery,
    ComparisonAnswer,
    DecidedQuery,
    DecisionsQuery,
    ObjectComparisonAnswer,
)
from lakeui.api.compare.since_review import objects_since, review_of
from lakeui.api.compare.table_readers import risks_of_readers
from lakeui.api.http.answers import BAD_REQUEST, IF_NONE_MATCH, NOT_FOUND, NOT_MODIFIED
from lakeui.api.http.base import ApiView, catalog_of, checked, principal_of, tagged
from lakeui.api.http.lookup import source_branch
from lakeui.api.http.paging import keyset_page, next_address, page_body
from lakeui.api.http.request_work import read_of
from lakeui.api.http.serializers import ProblemDocument
from lakeui.common.errors import InvalidValue, NotFound
from merge_app.planning.merge_plan import Resolution, Verdict
from merge_app.review.known_plans import heads_merged, resolutions_of
from merge_app.review.models import MergeRequest
from merge_app.review.selectors import request_get
from merge_app.review.since_review import changes_since

REFUSALS: dict[Any, Any] = {
    **NOT_MODIFIED,
    **BAD_REQUEST,
    **NOT_FOUND,
    (409, "application/problem+json"): ProblemDocument,
}


class CompareView(ApiView):
    @extend_schema(
        operation_id="compare",
        summary="Compare two branches",
        description="What merging `source` into `destination` would do with each object that the source changed, by"
        " the planner that a merge uses. A source of another catalog is written `catalog.branch`.",
        tags=["compare"],
        parameters=[CompareQuery, DecidedQuery, IF_NONE_MATCH],
        responses={200: ComparisonAnswer, **REFUSALS},
    )
    def get(self, request: Request, catalog: str, source: str, destination: str) -> Response:
        filters = checked(CompareQuery, request)
        pair = _pair(request, catalog, source, destination)
        page = keyset_page(filters, int)
        found = comparison_read(pair)
        first = page.after[0] if page.after else 0
        objects = _since_review(request, catalog, filters, found["objects"])
        matching = [item for item in enumerate(objects, 1) if _matches(item[1], filters)]
        listed = page_body(
            request,
            page,
            [item for item in matching if item[0] > first],
            key=lambda item: (item[0],),
            shown=lambda items: [entry for _, entry in items],
        )
        heads = {"source": _head(pair.source), "destination": _head(pair.destination)}
        databases = _databases(entry for _, entry in matching)
        return tagged(request, Response({**heads, **found["summary"], "databases": databases, **listed}))


class CompareObjectView(ApiView):
    @extend_schema(
        operation_id="compare_object",
        summary="Compare one object of two branches",
        description="The cells of the rule table in which the two meet, the commits of both branches, the states of the"
        " object side by side, and what it would be after the merge.",
        tags=["compare"],
        parameters=[DecidedQuery, IF_NONE_MATCH],
        responses={200: ObjectComparisonAnswer, **REFUSALS},
    )
    def get(self, request: Request, catalog: str, source: str, destination: str, kind: str, object_id: int) -> Response:
        if kind not in (ObjectKind.DATABASE, ObjectKind.TABLE):
            raise NotFound("kind of object", kind, nearest=ObjectKind.TABLE.value)
        body = object_read(_pair(request, catalog, source, destination), (ObjectKind(kind), object_id))
        return tagged(request, Response(body))


class CompareDecisionsView(ApiView):
    @extend_schema(
        operation_id="compare_decisions",
        summary="What each decision about an object's conflicts would do",
        description="For each decision that answers a conflict of the object: what it keeps, and what it leaves out, in"
        " numbers with examples. Rows are counted by the compute engine, so it is a resource of its own. Decisions that"
        " need a name or a value are described once they have it.",
        tags=["compare"],
        parameters=[DecisionsQuery, IF_NONE_MATCH],
        responses={200: CompareDecisionsAnswer, **REFUSALS},
    )
    def get(self, request: Request, catalog: str, source: str, destination: str, kind: str, object_id: int) -> Response:
        if kind not in (ObjectKind.DATABASE, ObjectKind.TABLE):
            raise NotFound("kind of object", kind, nearest=ObjectKind.TABLE.value)
        pair = _pair(request, catalog, source, destination)
        newest_by = checked(DecisionsQuery, request).get("newest_by", "")
        found = decisions_read(pair, (ObjectKind(kind), object_id), newest_by=newest_by)
        heads = {"source_head": pair.source.head_version, "destination_head": pair.destination.head_version}
        return tagged(request, Response({**heads, "results": found}))


class CompareRowsView(ApiView):
    @extend_schema(
        operation_id="compare_rows",
        summary="Compare the rows of one table of two branches",
        description="Rows of the table that one branch added, removed or changed, each beside the newest image that"
        " both branches know. A row has one id on both branches, so rows that both changed are known.",
        tags=["compare"],
        parameters=[CompareRowsQuery, DecidedQuery, IF_NONE_MATCH],
        responses={200: CompareRowsAnswer, **REFUSALS},
    )
    def get(self, request: Request, catalog: str, source: str, destination: str, table_id: int) -> Response:
        filters = checked(CompareRowsQuery, request)
        page = keyset_page(filters, int)
        pair = _pair(request, catalog, source, destination)
        found = dict(rows_read(pair, table_id, filters["side"], page, change=filters.get("change")))
        rows = found["rows"]
        following = next_address(request, (rows[-1][ROW_ID],)) if found.pop("more") else None
        return tagged(request, Response({"next": following, **found}))


class CompareSidesView(ApiView):
    @extend_schema(
        operation_id="compare_rows_side_by_side",
        summary="Compare the rows of one table of two branches side by side",
        description="Rows that either branch added, removed or changed, each as base, source and target have it: the"
        " base is the newest image that both branches know. Rows are one by primary key, without one by row id."
        " Conflicts come first; they are the ones of the merge, and with a primary key decided as parts of a merge"
        " request.",
        tags=["compare"],
        parameters=[CompareSidesQuery, DecidedQuery, IF_NONE_MATCH],
        responses={200: CompareSidesAnswer, **REFUSALS},
    )
    def get(self, request: Request, catalog: str, source: str, destination: str, table_id: int) -> Response:
        filters = checked(CompareSidesQuery, request)
        page = keyset_page(filters, bool, str)
        pair = _pair(request, catalog, source, destination)
        found = dict(sides_read(pair, table_id, page, only_conflicts="only" in filters))
        more = found.pop("more")
        following = next_address(request, sides_key(found["rows"][-1])) if more else None
        return tagged(request, Response({"next": following, **found}))


class CompareProfileView(ApiView):
    @extend_schema(
        operation_id="compare_profile",
        summary="What a change does to the values of a table",
        description="By column, of the rows that the source changed. They are: how many values differ, NULLs, different"
        " values, the least, the largest and the mean, before, after and merged. It counts the rows that the merge"
        f" looks at anyway, at most {PROFILED:,}, and scans no table. `risks` are what to look at first.",
        tags=["compare"],
        parameters=[DecidedQuery, IF_NONE_MATCH],
        responses={200: CompareProfileAnswer, **REFUSALS},
    )
    def get(self, request: Request, catalog: str, source: str, destination: str, table_id: int) -> Response:
        pair = _pair(request, catalog, source, destination)
        found = profile_read(pair, table_id)
        first, last = risks_of_readers(pair, table_id, principal_of(request))
        risks = [*map(asdict, first), *found["risks"], *map(asdict, last)]
        return tagged(request, Response({**found, "risks": risks}))


def _databases(entries: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The databases of entries in the order in which they come first, with how many there are."""
    found: dict[str, dict[str, Any]] = {}
    for entry in entries:
        name = entry["database"] or entry["name"]
        counted = found.setdefault(name, {"name": name, "objects": 0, "conflict": 0})
        counted["objects"] += 1
        counted["conflict"] += entry["verdict"] == Verdict.CONFLICT
    return list(found.values())


def _pair(request: Request, catalog: str, source: str, destination: str) -> Pair:
    """The branches as they are now; those of a request that is merged as they were merged.

    A request that merges while the branches are read is read once more: heads after its merge are not its comparison.
    """
    found = catalog_of(request, catalog)
    number = checked(DecidedQuery, request).get("merge_request")
    wanted = None if number is None else request_get(found, number)
    branches = _merged_of(request, wanted, source, destination)
    if branches is None:
        branches = source_branch(request, found, source), branch_get(found, destination)
        if wanted is not None and number is not None:
            wanted = request_get(found, number)
            branches = _merged_of(request, wanted, source, destination) or branches
    pair = Pair(*branches, reading=partial(read_of, request, branches[0]))
    return pair if wanted is None else replace(pair, resolutions=_decided(wanted, pair))


def _merged_of(
    request: Request, wanted: MergeRequest | None, source: str, destination: str
) -> tuple[Branch, Branch] | None:
    """The branches of a request as they were merged; None where it is not."""
    merged = None if wanted is None else heads_merged(wanted)
    if wanted is None or merged is None:
        return None
    catalog_of(request, merged[0].catalog.name)
    _names_check(wanted, source, destination)
    return merged


def _decided(wanted: MergeRequest, pair: Pair) -> tuple[Resolution, ...]:
    """What was decided in the merge request for the heads that are compared."""
    if (wanted.source_id, wanted.destination_id) != (pair.source.pk, pair.destination.pk):
        raise _of_other_branches(wanted)
    return resolutions_of(wanted, pair.source, pair.destination)


def _names_check(wanted: MergeRequest, source: str, destination: str) -> None:
    """Of branches that may be gone by now only the names are compared."""
    names = {wanted.source.name, f"{wanted.source.catalog.name}.{wanted.source.name}"}
    if source not in names or destination != wanted.destination.name:
        raise _of_other_branches(wanted)


def _of_other_branches(wanted: MergeRequest) -> InvalidValue:
    return InvalidValue(
        f"Merge request #{wanted.number} is of other branches.",
        remedy=f"It merges {wanted.source.name} into {wanted.destination.name}.",
    )


def _since_review(
    request: Request, catalog: str, filters: Mapping[str, Any], entries: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The entries that are not what the review saw that the filter names, each with what became of it."""
    if "since_review" not in filters:
        return entries
    number = checked(DecidedQuery, request).get("merge_request")
    if number is None:
        raise InvalidValue(
            "since_review names a review of a merge request, and no merge request is named.",
            remedy="Name it with merge_request.",
            field="since_review",
        )
    review = review_of(request_get(catalog_of(request, catalog), number), filters["since_review"])
    changes = {item.key: item.change for item in objects_since(review, changes_since(review))}
    keyed = ((entry, changes.get((entry["kind"], entry["object_id"]))) for entry in entries)
    return [{**entry, "since_review": change} for entry, change in keyed if change is not None]


def _matches(entry: dict[str, Any], filters: dict[str, Any]) -> bool:
    return (
        filters.get("kind", entry["kind"]) == entry["kind"]
        and filters.get("verdict", entry["verdict"]) == entry["verdict"]
        and filters.get("search", "").casefold() in entry["name"].casefold()
    )


def _head(branch: Branch) -> dict[str, Any]:
    return {
        "catalog": branch.catalog.name,
        "name": branch.name,
        "branch_id": branch.pk,
        "head_version": branch.head_version,
    }
