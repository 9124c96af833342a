"""Histories of branches and tables, and the graph of a catalog's commits."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from catalog_app.selectors.history import CommitEntry, HistoryFilter, history_list
from catalog_app.selectors.lineage import Lineage
from lakeui.api.base import ApiView, checked, tagged
from lakeui.api.catalog_views import BAD_REQUEST, IF_NONE_MATCH, NOT_FOUND, NOT_MODIFIED
from lakeui.api.lake_serializers import CommitAnswer, HistoryQuery
from lakeui.api.paging import keyset_page, page_body, page_schema
from lakeui.api.places import branch_place

COMMIT_PAGE = page_schema("CommitPage", CommitAnswer(many=True))


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
        place = branch_place(catalog, branch, filters.pop("version", None))
        kind, _, number = filters.pop("object", "").partition(":")
        return history_response(request, place.lineage, filters, (kind, int(number)) if number else None)


def history_response(
    request: Request, lineage: Lineage, filters: dict[str, Any], thing: tuple[str, int] | None
) -> Response:
    """A page of the commits that the chain sees, only those on ``thing`` (kind and id) if it is given."""
    page = keyset_page(filters, int)
    kind, object_id = thing or ("", None)
    wanted = HistoryFilter(**filters, object_kind=kind, object_id=object_id)
    found = history_list(lineage, wanted, before=page.after[0] if page.after else None, limit=page.fetch)

    def key(entry: CommitEntry) -> tuple[int]:
        return (entry.version,)

    body = page_body(request, page, found, key=key, shown=lambda entries: CommitAnswer(entries, many=True).data)
    return tagged(request, Response(body))
