"""``/api/v1/catalogs/{catalog}/restrictions/preview/``: a table as a role or a group sees it, or would see it."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Group
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from catalog_app.domain.names import name_folded
from catalog_app.domain.restrictions import Restriction, restriction_replaced
from catalog_app.domain.roles import Action, Role
from catalog_app.models import Catalog, GroupRole
from catalog_app.models import Restriction as StoredRestriction
from catalog_app.selectors.objects import database_get, table_get
from catalog_app.selectors.people import group_get
from catalog_app.selectors.restrictions import restriction_value, restrictions_for
from catalog_app.selectors.snapshots import Snapshot, branch_get, branch_snapshot
from lakeui.api.http.answers import BAD_REQUEST, FORBIDDEN, NOT_FOUND
from lakeui.api.http.base import ApiView, catalog_of, session_of
from lakeui.api.http.request_work import read_of
from lakeui.api.http.serializers import StatementAnswer
from lakeui.api.http.strict import body_checked
from lakeui.api.people.restriction_views import RestrictionRequest
from lakeui.common.errors import InvalidValue
from lakeui.frontdoor.entries.restriction_previews import restriction_preview
from lakeui.frontdoor.expressions.restrictions import restriction_stated
from lakeui.sql.statements import TableName
from lakeui.tasks.statements import result_body

MOST_ROWS = 100


class RestrictionPreviewRequest(RestrictionRequest):
    reader = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=150, help_text="Whom `current_user()` names; else you."
    )
    limit = serializers.IntegerField(required=False, default=20, min_value=1, max_value=MOST_ROWS)


class RestrictionPreviewAnswer(StatementAnswer):
    restrictions = serializers.ListField(
        child=serializers.IntegerField(), help_text="The ids of those that hold for the table, as they are set."
    )


class RestrictionPreviewView(ApiView):
    @extend_schema(
        operation_id="restriction_preview",
        summary="Look at a table as a role or a group sees it",
        description="Takes the role owner. Changes nothing. `row_filter` and `masks` are tried in place of what is set"
        " for these people. With `role` and `group`: somebody with that role who is in that group. With `group` alone"
        " the role of the group counts, if it has one.",
        tags=["restrictions"],
        request=RestrictionPreviewRequest,
        responses={200: RestrictionPreviewAnswer, **BAD_REQUEST, **FORBIDDEN, **NOT_FOUND},
    )
    def post(self, request: Request, catalog: str) -> Response:
        found = catalog_of(request, catalog, Action.MANAGE_RESTRICTIONS)
        body = body_checked(RestrictionPreviewRequest, request)
        role, group = _whom(found, body)
        branch = branch_get(found, name_folded(body["branch"]))
        stored = restrictions_for(found, role, group)
        values = [restriction_value(item) for item in stored]
        proposed = _proposed(branch_snapshot(branch), body)
        if proposed is not None:
            own = [_is_of(item, body) for item in stored]
            values = [
                restriction_replaced(value, proposed) if is_own and value.table_id == proposed.table_id else value
                for value, is_own in zip(values, own, strict=True)
            ]
            values.append(proposed)
        name = TableName(name_folded(body["table"]), name_folded(body["database"]))
        with read_of(request, branch) as context:
            seen = restriction_preview(
                session_of(request, found.name, branch.name),
                name,
                tuple(values),
                reader=body["reader"],
                limit=body["limit"],
                context=context,
            )
        return Response({**result_body(seen), "restrictions": [item.pk for item in stored]})


def _whom(catalog: Catalog, body: dict[str, Any]) -> tuple[Role | None, Group | None]:
    group = group_get(body["group"]) if body.get("group") else None
    if body.get("role"):
        return Role(body["role"]), group
    if group is None:
        raise InvalidValue("Whose view it is, is not said.", remedy="Send `role`, `group` or both.", field="role")
    own = GroupRole.objects.filter(catalog=catalog, group=group).first()
    return (Role(own.role) if own else None), group


def _is_of(stored: StoredRestriction, body: dict[str, Any]) -> bool:
    """Whether the restriction is set for the very people that the proposed one is for: the group, else the role."""
    if body.get("group"):
        return bool(stored.group and stored.group.name == body["group"])
    return bool(stored.role == body["role"])


def _proposed(snapshot: Snapshot, body: dict[str, Any]) -> Restriction | None:
    row_filter, masks = body.get("row_filter", ""), body.get("masks", {})
    if not row_filter and not masks:
        return None
    database = database_get(snapshot, name_folded(body["database"]))
    return restriction_stated(database, table_get(snapshot, database, name_folded(body["table"])), row_filter, masks)
