"""Histories of branches and tables, and the graph of a catalog's commits."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from catalog_app.models import Catalog
from catalog_app.selectors.graph import NEWEST, graph_branches, graph_commits, graph_tags
from catalog_app.selectors.history import (
    CommitEntry,
    HistoryFilter,
    OperationEntry,
    commit_check,
    commit_operations,
    history_list,
)
from catalog_app.selectors.snapshots import Snapshot
from lakeui.api.branches.lake_serializers import CommitAnswer, GraphAnswer, GraphQuery, HistoryQuery, OperationAnswer
from lakeui.api.http.answers import BAD_REQUEST, IF_NONE_MATCH, NOT_FOUND, NOT_MODIFIED
from lakeui.api.http.base import ApiView, catalog_of, checked, tagged
from lakeui.api.http.lookup import addressed_branch
from lakeui.api.http.paging import PageFilter, keyset_page, page_body, page_schema
from merge_app.audit.selectors import failed_merges

COMMIT_PAGE = page_schema("CommitPage", CommitAnswer(many=True))
OPERATION_PAGE = page_schema("OperationPage", OperationAnswer(many=True))


class BranchHistoryView(ApiView):
    @extend_schema(
        operation_id="branch_history",
        summary="The history of a branch",
        description="Newest first. Commits inherited from the ancestors up to the cut are included.",
        tags=["branches"],
        parameters=[HistoryQuery, IF_NONE_MATCH],
        responses={200: COMMIT_PAGE, **NOT_MODIFIED, **BAD_REQUEST, **NOT_FOUND},
    )
    def get(self, request: Request, catalog: str, branch: str) -> Response:
        filters = checked(HistoryQuery, request)
        place = addressed_branch(request, catalog, branch, filters.pop("version", None))
        kind, _, number = filters.pop("object", "").partition(":")
        return history_response(request, place.snapshot, filters, (kind, int(number)) if number else None)


def history_response(
    request: Request, snapshot: Snapshot, filters: dict[str, Any], thing: tuple[str, int] | None
) -> Response:
    """A page of the commits that the chain sees, only those on ``thing`` (kind and id) if it is given."""
    page = keyset_page(filters, int)
    kind, object_id = thing or ("", None)
    wanted = HistoryFilter(**filters, object_kind=kind, object_id=object_id)
    found = history_list(snapshot, wanted, before=page.after[0] if page.after else None, limit=page.fetch)

    def key(entry: CommitEntry) -> tuple[int]:
        return (entry.version,)

    body = page_body(request, page, found, key=key, shown=lambda entries: CommitAnswer(entries, many=True).data)
    return tagged(request, Response(body))


class CommitOperationsView(ApiView):
    @extend_schema(
        operation_id="commit_operations",
        summary="What a commit did",
        description="The operations of a commit that the branch sees, in the order in which they were made.",
        tags=["branches"],
        parameters=[PageFilter, IF_NONE_MATCH],
        responses={200: OPERATION_PAGE, **NOT_MODIFIED, **BAD_REQUEST, **NOT_FOUND},
    )
    def get(self, request: Request, catalog: str, branch: str, version: int) -> Response:
        page = keyset_page(checked(PageFilter, request), int)
        place = addressed_branch(request, catalog, branch, None)
        commit_check(place.branch, version)
        found = commit_operations(place.snapshot, version, after=page.after[0] if page.after else 0, limit=page.fetch)

        def key(entry: OperationEntry) -> tuple[int]:
            return (entry.operation_id,)

        body = page_body(request, page, found, key=key, shown=lambda entries: OperationAnswer(entries, many=True).data)
        return tagged(request, Response(body))


class GraphView(ApiView):
    @extend_schema(
        operation_id="catalog_graph",
        summary="The branch graph of a catalog",
        description="Commits of all branches, newest first, and the branches that this stretch shows.",
        tags=["catalogs"],
        parameters=[GraphQuery, IF_NONE_MATCH],
        responses={200: GraphAnswer, **NOT_MODIFIED, **BAD_REQUEST, **NOT_FOUND},
    )
    def get(self, request: Request, catalog: str) -> Response:
        query = checked(GraphQuery, request)
        body = _graph(catalog_of(request, catalog), query.get("before"), query["limit"])
        return tagged(request, Response(GraphAnswer(body).data))


def _graph(catalog: Catalog, before: int | None, limit: int) -> dict[str, Any]:
    found = graph_commits(catalog, before=before or NEWEST, limit=limit + 1)
    commits = found[:limit]
    is_last = len(found) <= limit
    oldest = 0 if is_last else commits[-1].version
    newest = NEWEST if before is None else before - 1
    return {
        "commits": commits,
        "branches": graph_branches(
            catalog, branch_ids={commit.branch_id for commit in commits}, oldest=oldest, newest=newest, limit=limit
        ),
        "failed_merges": failed_merges(catalog_id=catalog.pk, oldest=oldest, newest=newest, limit=limit),
        "tags": graph_tags(catalog, oldest=oldest, newest=newest, limit=limit),
        "next_before": None if is_last else oldest,
    }
