"""``/api/v1/catalogs/{catalog}/members/``: who has which role, and who could be given one."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from catalog_app.domain.roles import Action, Role
from catalog_app.models import CatalogMember
from catalog_app.selectors.branches import sort_key
from catalog_app.selectors.people import candidates_list, member_get, members_list, user_get
from catalog_app.services.people import member_add, member_change, member_remove
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
from lakeui.api.http.paging import keyset_page, page_body, page_schema
from lakeui.api.http.strict import body_checked
from merge_app.audit.settings import setting_recorder

ROLES = [role.value for role in Role]


class MemberFilter(CatalogFilter):
    role = serializers.ChoiceField(ROLES, required=False)


class MemberAnswer(serializers.Serializer[Any]):
    """Somebody's role in a catalog."""

    username = serializers.CharField(source="user.username")
    full_name = serializers.CharField(source="user.get_full_name", allow_blank=True)
    is_active = serializers.BooleanField(source="user.is_active", help_text="Whether the account can sign in.")
    role = serializers.ChoiceField(ROLES)
    created_at = serializers.DateTimeField()


class MemberRequest(serializers.Serializer[Any]):
    username = serializers.CharField(max_length=150)
    role = serializers.ChoiceField(ROLES)


class RoleRequest(serializers.Serializer[Any]):
    role = serializers.ChoiceField(ROLES)


class CandidateAnswer(serializers.Serializer[Any]):
    """Somebody who has no role in the catalog yet."""

    username = serializers.CharField()
    full_name = serializers.CharField(source="get_full_name", allow_blank=True)


def _shown(member: CatalogMember) -> Any:
    return MemberAnswer(member).data


class MemberListView(ApiView):
    @extend_schema(
        operation_id="member_list",
        summary="List the members of a catalog",
        description="By user name. Superusers are owners of every catalog without being members.",
        tags=["members"],
        parameters=[MemberFilter, IF_NONE_MATCH],
        responses={200: page_schema("MemberPage", MemberAnswer(many=True)), **NOT_MODIFIED, **BAD_REQUEST, **NOT_FOUND},
    )
    def get(self, request: Request, catalog: str) -> Response:
        filters = checked(MemberFilter, request)
        page = keyset_page(filters, str, int)
        found = members_list(catalog_of(request, catalog), **filters, after=page.after, limit=page.fetch)
        shown = page_body(
            request, page, found, key=sort_key, shown=lambda entries: MemberAnswer(entries, many=True).data
        )
        return tagged(request, Response(shown))

    @extend_schema(
        operation_id="member_add",
        summary="Give somebody a role",
        description="Takes the role owner.",
        tags=["members"],
        request=MemberRequest,
        responses={201: MemberAnswer, **BAD_REQUEST, **FORBIDDEN, **NOT_FOUND, **CONFLICT},
    )
    def post(self, request: Request, catalog: str) -> Response:
        found = catalog_of(request, catalog, Action.MANAGE_MEMBERS)
        body = body_checked(MemberRequest, request)
        member = member_add(
            catalog=found,
            user=user_get(body["username"]),
            role=Role(body["role"]),
            record=setting_recorder(principal_of(request)),
        )
        address = reverse("api-member", args=[found.name, member.user.username], request=request)
        return Response(_shown(member), status=201, headers={"Location": address})


class MemberView(ApiView):
    @extend_schema(
        operation_id="member_get",
        summary="Look at a member",
        tags=["members"],
        parameters=[IF_NONE_MATCH],
        responses={200: MemberAnswer, **NOT_MODIFIED, **NOT_FOUND},
    )
    def get(self, request: Request, catalog: str, username: str) -> Response:
        return tagged(request, Response(_shown(member_get(catalog_of(request, catalog), username))))

    @extend_schema(
        operation_id="member_change",
        summary="Give a member another role",
        description="Takes the role owner. A catalog that has an owner keeps one.",
        tags=["members"],
        parameters=[IF_MATCH],
        request=RoleRequest,
        responses={200: MemberAnswer, **BAD_REQUEST, **FORBIDDEN, **NOT_FOUND, **STALE},
    )
    def patch(self, request: Request, catalog: str, username: str) -> Response:
        found = catalog_of(request, catalog, Action.MANAGE_MEMBERS)
        body = body_checked(RoleRequest, request)
        member = member_change(
            catalog=found,
            username=username,
            role=Role(body["role"]),
            check=lambda present: unchanged(request, _shown(present)),
            record=setting_recorder(principal_of(request)),
        )
        return tagged(request, Response(_shown(member)))

    @extend_schema(
        operation_id="member_remove",
        summary="Take a member's role away",
        description="Takes the role owner; everybody may leave. The catalog does not exist for them any more.",
        tags=["members"],
        parameters=[IF_MATCH],
        responses={
            204: OpenApiResponse(description="No member any more."),
            **BAD_REQUEST,
            **FORBIDDEN,
            **NOT_FOUND,
            **STALE,
        },
    )
    def delete(self, request: Request, catalog: str, username: str) -> Response:
        is_leaving = isinstance(request.user, User) and request.user.username == username
        action = Action.LEAVE_CATALOG if is_leaving else Action.MANAGE_MEMBERS
        member_remove(
            catalog=catalog_of(request, catalog, action),
            username=username,
            check=lambda present: unchanged(request, _shown(present)),
            record=setting_recorder(principal_of(request)),
        )
        return Response(status=204)


class CandidateListView(ApiView):
    @extend_schema(
        operation_id="candidate_list",
        summary="List who could become a member",
        description="Active users without a role in the catalog, by user name. Takes the role owner.",
        tags=["members"],
        parameters=[CatalogFilter],
        responses={
            200: page_schema("CandidatePage", CandidateAnswer(many=True)),
            **BAD_REQUEST,
            **FORBIDDEN,
            **NOT_FOUND,
        },
    )
    def get(self, request: Request, catalog: str) -> Response:
        found = catalog_of(request, catalog, Action.MANAGE_MEMBERS)
        filters = checked(CatalogFilter, request)
        page = keyset_page(filters, str, int)
        users = candidates_list(found, **filters, after=page.after, limit=page.fetch)
        return Response(
            page_body(
                request, page, users, key=sort_key, shown=lambda entries: CandidateAnswer(entries, many=True).data
            )
        )
