"""``/api/v1/catalogs/{catalog}/branches/{branch}/reset/``: a branch becomes what its parent is."""

from __future__ import annotations

import re
from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from catalog_app.domain.quoting import quote_name
from lakeui.api.branches.catalog_views import if_match
from lakeui.api.http.answers import IF_MATCH, STALE
from lakeui.api.http.base import ApiView, catalog_of
from lakeui.api.http.entity_tags import entity_tags
from lakeui.api.http.idempotency import IDEMPOTENCY_KEY
from lakeui.api.http.strict import body_checked
from lakeui.api.sql.resource_writes import AT_ONCE, Write, WriteOptions, written

_HEAD = re.compile(r'"(\d{1,18})-[0-9a-f]+"')
"""The tag of a branch, which begins with its head."""


class ResetRequest(WriteOptions):
    expected_head = serializers.IntegerField(
        required=False,
        allow_null=True,
        default=None,
        min_value=0,
        help_text="The version that the branch has to be at, else BRANCH_MOVED. Null: whatever it is at.",
    )


class DiscardedEntry(serializers.Serializer[Any]):
    """An object with changes that the parent does not have. Rows and columns are counted as a comparison counts them:
    where `rows_are_exact` is false, there are at most so many.
    """

    kind = serializers.ChoiceField(["database", "table", "view"])
    object = serializers.CharField(help_text="Full name.")
    operations = serializers.ListField(child=serializers.CharField())
    rows_inserted = serializers.IntegerField()
    rows_updated = serializers.IntegerField()
    rows_deleted = serializers.IntegerField()
    rows_are_exact = serializers.BooleanField()
    columns_added = serializers.IntegerField()
    columns_dropped = serializers.IntegerField()
    columns_changed = serializers.IntegerField()


class DiscardedAnswer(serializers.Serializer[Any]):
    """The branch that had the name; `undrops/` brings it back by its id, under another name."""

    branch_id = serializers.IntegerField()
    head_version = serializers.IntegerField()
    commits = serializers.IntegerField(help_text="Commits that the parent does not reach.")
    object_count = serializers.IntegerField()
    objects = DiscardedEntry(many=True, help_text="The first 200 by name.")


class ResetAnswer(serializers.Serializer[Any]):
    """A branch after its reset, or as it would be."""

    branch = serializers.CharField()
    branch_id = serializers.IntegerField(allow_null=True, help_text="Null of a dry run that would make a new branch.")
    parent = serializers.CharField()  # type: ignore[assignment]  # a declared field
    head_version = serializers.IntegerField()
    is_done = serializers.BooleanField(help_text="False: it is at the head of its parent already, and stays.")
    dry_run = serializers.BooleanField()
    discarded = DiscardedAnswer()


class BranchResetView(ApiView):
    @extend_schema(
        operation_id="branch_reset",
        summary="Reset a branch to its parent",
        description="As ALTER BRANCH .. RESET TO PARENT does. What the branch had of its own goes to the trash. A dry"
        " run answers what would be discarded. With If-Match or `expected_head` no newer commit is discarded.",
        tags=["branches"],
        parameters=[IF_MATCH, IDEMPOTENCY_KEY],
        request=ResetRequest,
        responses={200: ResetAnswer, **AT_ONCE, **STALE},
    )
    def post(self, request: Request, catalog: str, branch: str) -> HttpResponse:
        wanted = body_checked(ResetRequest, request)
        found = catalog_of(request, catalog)
        head = wanted["expected_head"] if wanted["expected_head"] is not None else _head_matched(request)
        statement = f"ALTER BRANCH {quote_name(branch)} RESET TO PARENT" + (
            "" if head is None else f" IF HEAD = {head}"
        )
        write = Write(statement, wanted, found.name)
        response = written(request, write, _shown, check=if_match(request, found, branch))
        if wanted["dry_run"] and isinstance(response, Response) and response.status_code == 200:
            return _shown(response.data)
        return response


def _head_matched(request: Request) -> int | None:
    """The head that If-Match names, so that the reset itself looks at it once more."""
    tags = [_HEAD.fullmatch(tag) for tag in entity_tags(request, "If-Match")]
    return int(tags[0][1]) if len(tags) == 1 and tags[0] else None


def _shown(body: dict[str, Any]) -> Response:
    return Response(ResetAnswer({**body["reset"], "dry_run": body.get("dry_run", False)}).data)
