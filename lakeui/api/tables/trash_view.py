"""``…/branches/{branch}/trash/``: dropped databases and tables that can come back."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from catalog_app.selectors.trash import trash_key, trash_list
from lakeui.api.branches.lake_serializers import DroppedAnswer, TrashFilter
from lakeui.api.http.answers import BAD_REQUEST, IF_NONE_MATCH, NOT_FOUND, NOT_MODIFIED
from lakeui.api.http.base import ApiView, checked, tagged
from lakeui.api.http.lookup import addressed_branch
from lakeui.api.http.paging import keyset_page, page_body, page_schema


class TrashView(ApiView):
    @extend_schema(
        operation_id="branch_trash",
        summary="List the dropped databases and tables of a branch",
        description="The last dropped first. `undrops/` brings one back; a dropped database brings its tables along.",
        tags=["branches"],
        parameters=[TrashFilter, IF_NONE_MATCH],
        responses={
            200: page_schema("TrashPage", DroppedAnswer(many=True)),
            **NOT_MODIFIED,
            **BAD_REQUEST,
            **NOT_FOUND,
        },
    )
    def get(self, request: Request, catalog: str, branch: str) -> Response:
        filters = checked(TrashFilter, request)
        page = keyset_page(filters, int, str, int)
        snapshot = addressed_branch(request, catalog, branch, None).snapshot
        found = trash_list(snapshot, after=page.after, limit=page.fetch, **filters)
        return tagged(
            request,
            Response(
                page_body(
                    request, page, found, key=trash_key, shown=lambda entries: DroppedAnswer(entries, many=True).data
                )
            ),
        )
