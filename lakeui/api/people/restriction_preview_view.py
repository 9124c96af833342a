"""``/api/v1/catalogs/{catalog}/restrictions/preview/``: a table as a role or a group sees it, or would see it."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Group
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from catalog_app.domain.names import LONGEST_NAME, name_folded
from catalog_app.domain.restrictions import Restriction, restricted_columns, restriction_replaced
from catalog_app.domain.roles import Action, Role
from catalog_app.domain.state import TableState
from catalog_app.models import Catalog, GroupRole
from catalog_app.models import Restriction as StoredRestriction
from catalog_app.selectors.listing import TableSize, table_sizes
from catalog_app.selectors.objects import database_get, databases_load, table_get, tables_named
from catalog_app.selectors.people import group_get
from catalog_app.selectors.restrictions import restriction_value, restrictions_for
from catalog_app.selectors.snapshots import Snapshot, branch_get, branch_snapshot
from lakeui.api.http.answers import BAD_REQUEST, FORBIDDEN, NOT_FOUND
from lakeui.api.http.base import ApiView, catalog_of, session_of
from lakeui.api.http.request_work import read_of
from lakeui.api.http.serializers import StatementAnswer
from lakeui.api.http.strict import body_checked
from lakeui.api.people.restriction_views import RestrictionRequest
from lakeui.common.errors import InvalidValue, NotFound
from lakeui.frontdoor.changed_files import state_valid
from lakeui.frontdoor.entries.restriction_previews import restriction_preview
from lakeui.frontdoor.expressions.restrictions import restriction_stated
from lakeui.sql.statements import TableName
from lakeui.tasks.statements import result_body

MOST_ROWS = 100


class RestrictionPreviewRequest(RestrictionRequest):
    database = serializers.CharField(required=False, max_length=LONGEST_NAME)
    table = serializers.CharField(required=False, max_length=LONGEST_NAME)
    table_id = serializers.IntegerField(
        required=False, min_value=1, help_text="In place of `database` and `table`: whatever the branch calls it now."
    )
    reader = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=150, help_text="Whom `current_user()` names; else you."
    )
    limit = serializers.IntegerField(required=False, default=20, min_value=1, max_value=MOST_ROWS)


class RestrictionPreviewAnswer(StatementAnswer):
    table = serializers.CharField(help_text="What the branch calls it.")
    table_rows = serializers.IntegerField(
        allow_null=True, help_text="Rows that the table has for owners; null: a view."
    )
    masked = serializers.ListField(child=serializers.CharField(), help_text="Columns that a mask is read in place of.")
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
        snapshot = branch_snapshot(branch)
        name, table = _addressed(snapshot, body)
        stored = restrictions_for(found, role, group)
        values = _tried(stored, _proposed(snapshot, name, body), body)
        with read_of(request, branch) as context:
            seen = restriction_preview(
                session_of(request, found.name, branch.name),
                name,
                values,
                reader=body["reader"],
                limit=body["limit"],
                context=context,
            )
        about = {
            "table": f"{name.database}.{name.table}",
            "table_rows": None if table is None else _size(snapshot, table).rows,
            "masked": [] if table is None else _masked(table, values),
        }
        return Response({**result_body(seen), **about, "restrictions": [item.pk for item in stored]})


def _addressed(snapshot: Snapshot, body: dict[str, Any]) -> tuple[TableName, TableState | None]:
    """The table or view as the branch calls it, with the state of a table. Raises InvalidValue, NotFound."""
    has_names = "database" in body and "table" in body
    if has_names == ("table_id" in body) or ("database" in body) != ("table" in body):
        raise InvalidValue("Which table it is, is not said.", remedy="Send `table_id`, or both names.", field="table")
    if not has_names:
        state = state_valid(snapshot, body["table_id"])
        database = databases_load(snapshot, [state.database_id])[state.database_id] if state else None
        if state is None or database is None or database.is_dropped:
            raise NotFound("table", f"with id {body['table_id']}", where=f"on branch {body['branch']}")
        return TableName(state.name, database.name), state
    database = database_get(snapshot, name_folded(body["database"]))
    name = name_folded(body["table"])
    return TableName(name, database.name), next(
        iter(tables_named(snapshot, [(database.database_id, name)]).values()), None
    )


def _size(snapshot: Snapshot, table: TableState) -> TableSize:
    return table_sizes(snapshot, [table.table_id]).get(table.table_id, TableSize())


def _masked(table: TableState, values: tuple[Restriction, ...]) -> list[str]:
    own = [value for value in values if value.table_id == table.table_id]
    masked = restricted_columns(own, table.schema, table.name)
    return [column.name for column in table.schema.columns if column.id in masked]


def _tried(
    stored: list[StoredRestriction], proposed: Restriction | None, body: dict[str, Any]
) -> tuple[Restriction, ...]:
    """What is set, with what is proposed in the place of what is set for the same people."""
    values = [restriction_value(item) for item in stored]
    if proposed is None:
        return tuple(values)
    own = [_is_of(item, body) for item in stored]
    replaced = [
        restriction_replaced(value, proposed) if is_own and value.table_id == proposed.table_id else value
        for value, is_own in zip(values, own, strict=True)
    ]
    return (*replaced, proposed)


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


def _proposed(snapshot: Snapshot, name: TableName, body: dict[str, Any]) -> Restriction | None:
    row_filter, masks = body.get("row_filter", ""), body.get("masks", {})
    if not row_filter and not masks:
        return None
    assert name.database is not None, "it is addressed"
    database = database_get(snapshot, name.database)
    return restriction_stated(database, table_get(snapshot, database, name.table), row_filter, masks)
