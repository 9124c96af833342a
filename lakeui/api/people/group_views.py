"""``/api/v1/groups/`` and ``/api/v1/catalogs/{catalog}/groups/``: groups of people, and their roles in a catalog."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Group
from django.db.models import Count, Q
from django.db.models.functions import Lower
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from catalog_app.domain.roles import Action, Role
from catalog_app.models import GroupRole
from catalog_app.selectors.people import group_get, group_role_get, group_roles_list
from catalog_app.services.people import group_role_add, group_role_change, group_role_remove
from lakeui.access.people import group_add, group_enter, group_leave, group_remove
from lakeui.api.branches.lake_serializers import CatalogFilter
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
from lakeui.api.people.people_views import PersonAnswer, person_shown
from merge_app.audit.settings import setting_recorder

ROLES = [role.value for role in Role]
GONE = OpenApiResponse(description="It is gone.")


class GroupAnswer(serializers.Serializer[Any]):
    """A group of people."""

    name = serializers.CharField()
    member_count = serializers.IntegerField()


class GroupRequest(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=150)


class GroupRoleAnswer(serializers.Serializer[Any]):
    """A group's role in a catalog: each of its members has at least this role there."""

    group = serializers.CharField(source="group.name")
    member_count = serializers.IntegerField()
    role = serializers.ChoiceField(ROLES)
    created_at = serializers.DateTimeField()


class GroupRoleRequest(serializers.Serializer[Any]):
    group = serializers.CharField(max_length=150)
    role = serializers.ChoiceField(ROLES)


class GroupRoleChange(serializers.Serializer[Any]):
    role = serializers.ChoiceField(ROLES)


def _key(entry: Any) -> tuple[str, int]:
    return entry.sort_key, entry.pk


def _shown(found: GroupRole) -> Any:
    return GroupRoleAnswer(found).data


class GroupListView(ApiView):
    @extend_schema(
        operation_id="group_list",
        summary="List groups",
        description="By name. Everybody who is signed in sees them; who is in one, the staff does.",
        tags=["people"],
        parameters=[CatalogFilter, IF_NONE_MATCH],
        responses={200: page_schema("GroupPage", GroupAnswer(many=True)), **NOT_MODIFIED, **BAD_REQUEST},
    )
    def get(self, request: Request) -> Response:
        filters = checked(CatalogFilter, request)
        page = keyset_page(filters, str, int)
        found = Group.objects.annotate(sort_key=Lower("name"), member_count=Count("user"))
        if filters.get("search"):
            found = found.filter(name__icontains=filters["search"])
        if page.after is not None:
            found = found.filter(Q(sort_key__gt=page.after[0]) | Q(sort_key=page.after[0], pk__gt=page.after[1]))
        groups = list(found.order_by("sort_key", "pk")[: page.fetch])
        body = page_body(request, page, groups, key=_key, shown=lambda part: GroupAnswer(part, many=True).data)
        return tagged(request, Response(body))

    @extend_schema(
        operation_id="group_add",
        summary="Make a group",
        description="Takes a superuser.",
        tags=["people"],
        request=GroupRequest,
        responses={201: GroupAnswer, **BAD_REQUEST, **FORBIDDEN, **CONFLICT},
    )
    def post(self, request: Request) -> Response:
        group = group_add(principal_of(request), body_checked(GroupRequest, request)["name"])
        address = reverse("api-group", args=[group.name], request=request)
        return Response({"name": group.name, "member_count": 0}, status=201, headers={"Location": address})


class GroupView(ApiView):
    @extend_schema(
        operation_id="group_get",
        summary="Look at a group",
        tags=["people"],
        responses={200: GroupAnswer, **NOT_FOUND},
    )
    def get(self, request: Request, group: str) -> Response:
        found = group_get(group)
        return Response({"name": found.name, "member_count": found.user_set.count()})

    @extend_schema(
        operation_id="group_remove",
        summary="Remove a group",
        description="Takes a superuser, and that the group has no role in any catalog.",
        tags=["people"],
        responses={204: GONE, **BAD_REQUEST, **FORBIDDEN, **NOT_FOUND},
    )
    def delete(self, request: Request, group: str) -> Response:
        group_remove(principal_of(request), group)
        return Response(status=204)


class GroupMemberView(ApiView):
    @extend_schema(
        operation_id="group_enter",
        summary="Put somebody into a group",
        description="Takes a superuser. A second time changes nothing.",
        tags=["people"],
        request=None,
        responses={200: PersonAnswer, **FORBIDDEN, **NOT_FOUND},
    )
    def put(self, request: Request, group: str, username: str) -> Response:
        return Response(person_shown(group_enter(principal_of(request), group, username)))

    @extend_schema(
        operation_id="group_leave",
        summary="Take somebody out of a group",
        description="Takes a superuser.",
        tags=["people"],
        responses={204: GONE, **FORBIDDEN, **NOT_FOUND},
    )
    def delete(self, request: Request, group: str, username: str) -> Response:
        group_leave(principal_of(request), group, username)
        return Response(status=204)


class GroupRoleListView(ApiView):
    @extend_schema(
        operation_id="group_role_list",
        summary="List the groups that have a role in a catalog",
        tags=["members"],
        parameters=[PageFilter, IF_NONE_MATCH],
        responses={
            200: page_schema("GroupRolePage", GroupRoleAnswer(many=True)),
            **NOT_MODIFIED,
            **BAD_REQUEST,
            **NOT_FOUND,
        },
    )
    def get(self, request: Request, catalog: str) -> Response:
        page = keyset_page(checked(PageFilter, request), str, int)
        found = group_roles_list(catalog_of(request, catalog), after=page.after, limit=page.fetch)
        body = page_body(request, page, found, key=_key, shown=lambda part: GroupRoleAnswer(part, many=True).data)
        return tagged(request, Response(body))

    @extend_schema(
        operation_id="group_role_add",
        summary="Give a group a role",
        description="Takes the role owner.",
        tags=["members"],
        request=GroupRoleRequest,
        responses={201: GroupRoleAnswer, **BAD_REQUEST, **FORBIDDEN, **NOT_FOUND, **CONFLICT},
    )
    def post(self, request: Request, catalog: str) -> Response:
        found = catalog_of(request, catalog, Action.MANAGE_MEMBERS)
        body = body_checked(GroupRoleRequest, request)
        made = group_role_add(
            catalog=found,
            group=group_get(body["group"]),
            role=Role(body["role"]),
            record=setting_recorder(principal_of(request)),
        )
        address = reverse("api-group-role", args=[found.name, made.group.name], request=request)
        return Response(_shown(made), status=201, headers={"Location": address})


class GroupRoleView(ApiView):
    @extend_schema(
        operation_id="group_role_get",
        summary="Look at a group's role",
        tags=["members"],
        parameters=[IF_NONE_MATCH],
        responses={200: GroupRoleAnswer, **NOT_MODIFIED, **NOT_FOUND},
    )
    def get(self, request: Request, catalog: str, group: str) -> Response:
        return tagged(request, Response(_shown(group_role_get(catalog_of(request, catalog), group))))

    @extend_schema(
        operation_id="group_role_change",
        summary="Give a group another role",
        description="Takes the role owner.",
        tags=["members"],
        parameters=[IF_MATCH],
        request=GroupRoleChange,
        responses={200: GroupRoleAnswer, **BAD_REQUEST, **FORBIDDEN, **NOT_FOUND, **STALE},
    )
    def patch(self, request: Request, catalog: str, group: str) -> Response:
        found = catalog_of(request, catalog, Action.MANAGE_MEMBERS)
        changed = group_role_change(
            catalog=found,
            group=group,
            role=Role(body_checked(GroupRoleChange, request)["role"]),
            check=lambda present: unchanged(request, _shown(present)),
            record=setting_recorder(principal_of(request)),
        )
        return tagged(request, Response(_shown(changed)))

    @extend_schema(
        operation_id="group_role_remove",
        summary="Take a group's role away",
        description="Takes the role owner. Members who have a role by name keep it.",
        tags=["members"],
        parameters=[IF_MATCH],
        responses={204: GONE, **BAD_REQUEST, **FORBIDDEN, **NOT_FOUND, **STALE},
    )
    def delete(self, request: Request, catalog: str, group: str) -> Response:
        group_role_remove(
            catalog=catalog_of(request, catalog, Action.MANAGE_MEMBERS),
            group=group,
            check=lambda present: unchanged(request, _shown(present)),
            record=setting_recorder(principal_of(request)),
        )
        return Response(status=204)
