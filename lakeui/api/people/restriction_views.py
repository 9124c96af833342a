"""``/api/v1/catalogs/{catalog}/restrictions/``: which rows and columns of tables are hidden, and from whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from catalog_app.domain.names import LONGEST_NAME, name_folded
from catalog_app.domain.restrictions import Restriction as RestrictionValue
from catalog_app.domain.restrictions import expression_stated
from catalog_app.domain.roles import Action, Role
from catalog_app.models import Catalog, Restriction
from catalog_app.selectors.objects import database_get, databases_list, databases_load, table_get, tables_load
from catalog_app.selectors.people import group_get
from catalog_app.selectors.restrictions import restriction_value, stored_restriction_get, stored_restrictions
from catalog_app.selectors.snapshots import branch_get, branch_snapshot
from catalog_app.services.catalogs import MAIN
from catalog_app.services.restrictions import restriction_add, restriction_change, restriction_remove
from lakeui.api.http.answers import (
    BAD_REQUEST,
    CONFLICT,
    FORBIDDEN,
    IF_MATCH,
    IF_NONE_MATCH,
    NOT_FOUND,
    NOT_MODIFIED,
    STALE,
)
from lakeui.api.http.base import ApiView, catalog_of, checked, principal_of, tagged, unchanged
from lakeui.api.http.paging import PageFilter, keyset_page, page_body, page_schema
from lakeui.api.http.strict import body_checked
from lakeui.common.errors import InvalidValue, NotFound
from lakeui.frontdoor.changed_files import state_valid
from lakeui.frontdoor.expressions.restrictions import restriction_stated
from merge_app.audit.settings import setting_recorder

LONGEST_EXPRESSION, MOST_MASKS = 10_000, 1000
_ROLES = [role.value for role in Role if role is not Role.OWNER]


class Hidden(serializers.Serializer[Any]):
    row_filter = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=LONGEST_EXPRESSION,
        help_text="A condition over columns of the table: rows for which it is not true are hidden. `current_user()`"
        " is the name of who reads. Empty hides no row.",
    )
    masks = serializers.DictField(
        child=serializers.CharField(max_length=LONGEST_EXPRESSION),
        required=False,
        help_text="By column the expression that is read in its place, such as `NULL` or `sha2(email, 256)`.",
    )


class RestrictionChange(Hidden):
    branch = serializers.CharField(
        required=False, default=MAIN, max_length=LONGEST_NAME, help_text="Where columns are looked up."
    )


class RestrictionRequest(RestrictionChange):
    database = serializers.CharField(max_length=LONGEST_NAME)
    table = serializers.CharField(max_length=LONGEST_NAME)
    role = serializers.ChoiceField(
        _ROLES, required=False, help_text="It holds for this role and those below it. Or give `group`."
    )
    group = serializers.CharField(required=False, max_length=150)


class RestrictionFilter(PageFilter):
    table_id = serializers.IntegerField(required=False, min_value=1, help_text="Of this table alone.")


class RestrictionAnswer(serializers.Serializer[Any]):
    """What is hidden of a table, and from whom: from a role and those below it, or from a group."""

    id = serializers.IntegerField()
    table = serializers.CharField(source="table_name", help_text="What it was called when the restriction was set.")
    table_now = serializers.SerializerMethodField(help_text="What it is called on main now; null where main lacks it.")
    table_id = serializers.IntegerField(help_text="The restriction holds for this table on every branch.")
    role = serializers.SerializerMethodField()
    group = serializers.CharField(source="group.name", allow_null=True, default=None)
    row_filter = serializers.SerializerMethodField()
    masks = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()
    created_by = serializers.SerializerMethodField()

    def get_table_now(self, found: Restriction) -> str | None:
        names: dict[int, str] = self.context["names"]
        return names.get(found.table_id)

    @extend_schema_field(serializers.ChoiceField(_ROLES, allow_null=True))
    def get_role(self, found: Restriction) -> str | None:
        return found.role or None

    def get_row_filter(self, found: Restriction) -> str:
        value = restriction_value(found)
        return expression_stated(value.row_filter, value.names)

    def get_masks(self, found: Restriction) -> dict[str, str]:
        value = restriction_value(found)
        return {mask.name: expression_stated(mask.expression, value.names) for mask in value.masks}

    def get_created_by(self, found: Restriction) -> str:
        return found.created_by.get_username() if found.created_by else ""


def _shown(catalog: Catalog, found: Restriction) -> Any:
    return _all_shown(catalog, [found])[0]


def _all_shown(catalog: Catalog, found: Sequence[Restriction]) -> Any:
    names = _names_now(catalog, {entry.table_id for entry in found})
    return RestrictionAnswer(found, many=True, context={"names": names}).data


def _names_now(catalog: Catalog, table_ids: set[int]) -> dict[int, str]:
    """What main calls those of the tables that it has."""
    snapshot = branch_snapshot(branch_get(catalog, MAIN))
    tables = [table for table in tables_load(snapshot, table_ids).values() if not table.is_dropped]
    databases = databases_load(snapshot, {table.database_id for table in tables})
    return {
        table.table_id: f"{databases[table.database_id].name}.{table.name}"
        for table in tables
        if not databases[table.database_id].is_dropped
    }


class RestrictionListView(ApiView):
    @extend_schema(
        operation_id="restriction_list",
        summary="List what is hidden of tables",
        description="In the order in which it was set.",
        tags=["restrictions"],
        parameters=[RestrictionFilter, IF_NONE_MATCH],
        responses={
            200: page_schema("RestrictionPage", RestrictionAnswer(many=True)),
            **NOT_MODIFIED,
            **BAD_REQUEST,
            **FORBIDDEN,
            **NOT_FOUND,
        },
    )
    def get(self, request: Request, catalog: str) -> Response:
        filters = checked(RestrictionFilter, request)
        page = keyset_page(filters, int)
        place = catalog_of(request, catalog)
        found = stored_restrictions(place).filter(**filters).order_by("pk")
        if page.after is not None:
            found = found.filter(pk__gt=page.after[0])
        body = page_body(
            request,
            page,
            list(found[: page.fetch]),
            key=lambda entry: (entry.pk,),
            shown=lambda part: _all_shown(place, part),
        )
        return tagged(request, Response(body))

    @extend_schema(
        operation_id="restriction_add",
        summary="Hide rows or columns of a table",
        description="Takes the role owner. It holds at once, on every branch, tag and version. For whom it holds, the"
        " catalog can be read by SELECT and its lists of names. All else that could show rows is refused.",
        tags=["restrictions"],
        request=RestrictionRequest,
        responses={201: RestrictionAnswer, **BAD_REQUEST, **FORBIDDEN, **NOT_FOUND, **CONFLICT},
    )
    def post(self, request: Request, catalog: str) -> Response:
        found = catalog_of(request, catalog, Action.MANAGE_RESTRICTIONS)
        body = body_checked(RestrictionRequest, request)
        role, group = body.get("role"), body.get("group")
        if (role is None) == (group is None):
            raise InvalidValue("Give either a role or a group.", remedy="Send one of the two.", field="role")
        snapshot = branch_snapshot(branch_get(found, name_folded(body["branch"])))
        database = database_get(snapshot, name_folded(body["database"]))
        table = table_get(snapshot, database, name_folded(body["table"]))
        value = restriction_stated(database, table, body.get("row_filter", ""), body.get("masks", {}))
        made = restriction_add(
            catalog=found,
            table_name=f"{database.name}.{table.name}",
            value=_hiding(value),
            role=role or "",
            group=None if group is None else group_get(group),
            user_id=principal_of(request).user_id,
            record=setting_recorder(principal_of(request)),
        )
        address = reverse("api-restriction", args=[found.name, made.pk], request=request)
        return Response(_shown(found, made), status=201, headers={"Location": address})


class RestrictionView(ApiView):
    @extend_schema(
        operation_id="restriction_get",
        summary="Look at a restriction",
        tags=["restrictions"],
        parameters=[IF_NONE_MATCH],
        responses={200: RestrictionAnswer, **NOT_MODIFIED, **FORBIDDEN, **NOT_FOUND},
    )
    def get(self, request: Request, catalog: str, restriction_id: int) -> Response:
        place = catalog_of(request, catalog)
        return tagged(request, Response(_shown(place, stored_restriction_get(place, restriction_id))))

    @extend_schema(
        operation_id="restriction_change",
        summary="Hide other rows or columns",
        description="Takes the role owner. What is left out stays; there is no time between before and after.",
        tags=["restrictions"],
        parameters=[IF_MATCH],
        request=RestrictionChange(partial=True),
        responses={200: RestrictionAnswer, **BAD_REQUEST, **FORBIDDEN, **NOT_FOUND, **STALE},
    )
    def patch(self, request: Request, catalog: str, restriction_id: int) -> Response:
        found = catalog_of(request, catalog, Action.MANAGE_RESTRICTIONS)
        body = body_checked(RestrictionChange, request, partial=True)
        present = stored_restriction_get(found, restriction_id)
        snapshot = branch_snapshot(branch_get(found, name_folded(body.get("branch", MAIN))))
        table = state_valid(snapshot, present.table_id)
        if table is None:
            raise NotFound("table", present.table_name, where=f"on branch {body.get('branch', MAIN)}")
        database = next(item for item in databases_list(snapshot) if item.database_id == table.database_id)
        stated = restriction_stated(database, table, body.get("row_filter", ""), body.get("masks", {}))

        def changed(before: Restriction) -> RestrictionValue:
            value = restriction_value(before)
            return _hiding(
                replace(
                    value,
                    row_filter=stated.row_filter if "row_filter" in body else value.row_filter,
                    masks=stated.masks if "masks" in body else value.masks,
                    names={**value.names, **stated.names},
                )
            )

        after = restriction_change(
            catalog=found,
            restriction_id=restriction_id,
            value=changed,
            check=lambda before: unchanged(request, _shown(found, before)),
            record=setting_recorder(principal_of(request)),
        )
        return tagged(request, Response(_shown(found, after)))

    @extend_schema(
        operation_id="restriction_remove",
        summary="Lift a restriction",
        description="Takes the role owner.",
        tags=["restrictions"],
        parameters=[IF_MATCH],
        responses={
            204: OpenApiResponse(description="It hides nothing any more."),
            **FORBIDDEN,
            **NOT_FOUND,
            **STALE,
        },
    )
    def delete(self, request: Request, catalog: str, restriction_id: int) -> Response:
        place = catalog_of(request, catalog, Action.MANAGE_RESTRICTIONS)
        restriction_remove(
            catalog=place,
            restriction_id=restriction_id,
            check=lambda present: unchanged(request, _shown(place, present)),
            record=setting_recorder(principal_of(request)),
        )
        return Response(status=204)


def _hiding(value: RestrictionValue) -> RestrictionValue:
    if not value.hides_something:
        raise InvalidValue(
            "The restriction hides nothing.", remedy="Give row_filter, masks or both, or lift it.", field="row_filter"
        )
    return value
