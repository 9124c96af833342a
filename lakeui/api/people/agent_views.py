"""``/api/v1/agents/``: programs that decide for themselves, and what holds each."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from catalog_app.domain.roles import Action, Role, Scope
from catalog_app.models import Agent, Catalog, CatalogMember
from catalog_app.selectors.expiries import LONGEST
from catalog_app.selectors.people import scope_require
from catalog_app.services.agents import agent_change, agent_create, agent_end, agent_get, agents_of
from catalog_app.services.people import member_add
from lakeui.access.models import AccessToken
from lakeui.access.tokens import token_create, tokens_list
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
from lakeui.api.http.base import ApiView, NewestFirst, catalog_of, checked, principal_of, scopes_of, tagged, unchanged
from lakeui.api.http.strict import body_checked
from lakeui.api.people.token_views import NewTokenAnswer, TokenAnswer, TokenPage, TokenQuery
from lakeui.common.errors import InvalidValue
from lakeui.frontdoor.statements import CHANGING_KINDS
from merge_app.audit.settings import setting_recorder

SCOPES = (Scope.READ, Scope.WRITE)
"""What tokens of agents may be used for; nothing that an agent may do takes more."""
MOST_PATTERNS = 100
LONGEST_PATTERN = 520


class AgentFields(serializers.Serializer[Any]):
    model = serializers.CharField(required=False, allow_blank=True, default="", max_length=200, help_text="Which one.")
    purpose = serializers.CharField(max_length=2000, help_text="What it is for.")
    tables = serializers.ListField(
        child=serializers.RegexField(r"^[^.]+\..+$", max_length=LONGEST_PATTERN),
        required=False,
        default=list,
        max_length=MOST_PATTERNS,
        help_text="What it may change, as `database.table` with `*`, `?` and `[ab]`; `database.*` is the database too."
        " None: everything on its branches.",
    )
    statements = serializers.ListField(
        child=serializers.ChoiceField(CHANGING_KINDS),
        required=False,
        default=list,
        max_length=len(CHANGING_KINDS),
        help_text="Kinds of statements by which it may change something. None: all of these.",
    )
    writes_per_hour = serializers.IntegerField(
        required=False, allow_null=True, default=None, min_value=0, max_value=1_000_000, help_text="Null: no limit."
    )
    rows_per_hour = serializers.IntegerField(
        required=False, allow_null=True, default=None, min_value=0, max_value=10**15, help_text="Null: no limit."
    )
    branch_days = serializers.IntegerField(
        required=False,
        allow_null=True,
        default=None,
        min_value=1,
        max_value=LONGEST.days,
        help_text="Days that a branch lives at most, from when the agent makes it, brings it back or sets its expiry."
        " Null: no limit.",
    )


class AgentRequest(AgentFields):
    name = serializers.RegexField(
        r"^[a-z0-9][a-z0-9_-]{0,49}$", help_text="Of its account, and of its branches: `agent/<name>/*`."
    )
    catalogs = serializers.ListField(
        child=serializers.CharField(max_length=255),
        required=False,
        default=list,
        max_length=MOST_PATTERNS,
        help_text="Where it becomes a contributor. You must own them.",
    )


class AgentAnswer(AgentFields):
    """An agent and what holds it."""

    name = serializers.CharField(source="user.username")
    owner = serializers.CharField(source="owner.username", help_text="Who answers for it.")
    branches = serializers.SerializerMethodField(help_text="The pattern of the branches that it may change.")
    catalogs = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()

    def get_branches(self, agent: Agent) -> str:
        return f"agent/{agent.user.username}/*"

    def get_catalogs(self, agent: Agent) -> list[str]:
        known: dict[int, list[str]] = self.context["catalogs"]
        return known.get(agent.user_id, [])


class AgentToken(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=200, help_text="What the token is for.")
    expires_at = serializers.DateTimeField(required=False, allow_null=True, default=None, help_text="Null: never.")

    def validate_expires_at(self, value: Any) -> Any:
        if value is not None and value <= timezone.now():
            raise serializers.ValidationError("This time is past.")
        return value


_AGENTS = inline_serializer("AgentList", {"results": AgentAnswer(many=True)})


def _shown(agents: list[Agent]) -> list[dict[str, Any]]:
    """Agents as JSON, with the names of their catalogs: one query for all."""
    places = CatalogMember.objects.filter(user__in=[agent.user_id for agent in agents], catalog__dropped_at=None)
    known: dict[int, list[str]] = {}
    for user_id, name in places.order_by("catalog__name").values_list("user", "catalog__name"):
        known.setdefault(user_id, []).append(name)
    return list(AgentAnswer(agents, many=True, context={"catalogs": known}).data)


class AgentListView(ApiView):
    @extend_schema(
        operation_id="agent_list",
        summary="List your agents",
        description="Those that you answer for, by name; a superuser sees all.",
        tags=["agents"],
        parameters=[IF_NONE_MATCH],
        responses={200: _AGENTS, **NOT_MODIFIED},
    )
    def get(self, request: Request) -> Response:
        return tagged(request, Response({"results": _shown(list(agents_of(principal_of(request))))}))

    @extend_schema(
        operation_id="agent_create",
        summary="Make an agent",
        description="An account that no password opens, and that never merges, approves or bypasses, whatever its role."
        " It changes branches of its own only.",
        tags=["agents"],
        request=AgentRequest,
        responses={201: AgentAnswer, **BAD_REQUEST, **FORBIDDEN, **NOT_FOUND, **CONFLICT},
    )
    def post(self, request: Request) -> Response:
        principal = principal_of(request)
        scope_require(principal, Action.MANAGE_AGENTS)
        body = body_checked(AgentRequest, request)
        found: list[Catalog] = [catalog_of(request, name, Action.MANAGE_MEMBERS) for name in body.pop("catalogs")]
        with transaction.atomic():
            agent = agent_create(principal=principal, name=body.pop("name"), fields=body)
            for catalog in {catalog.pk: catalog for catalog in found}.values():
                member_add(catalog=catalog, user=agent.user, role=Role.CONTRIBUTOR, record=setting_recorder(principal))
        agent = agent_get(principal, agent.user.username)
        address = reverse("api-agent", args=[agent.user.username], request=request)
        return Response(_shown([agent])[0], status=201, headers={"Location": address})


class AgentView(ApiView):
    @extend_schema(
        operation_id="agent_get",
        summary="Look at an agent",
        tags=["agents"],
        parameters=[IF_NONE_MATCH],
        responses={200: AgentAnswer, **NOT_MODIFIED, **NOT_FOUND},
    )
    def get(self, request: Request, name: str) -> Response:
        return tagged(request, Response(_shown([agent_get(principal_of(request), name)])[0]))

    @extend_schema(
        operation_id="agent_change",
        summary="Change what holds an agent",
        description="From its next request and commit on. Fields that are left out stay.",
        tags=["agents"],
        parameters=[IF_MATCH],
        request=AgentFields(partial=True),
        responses={200: AgentAnswer, **BAD_REQUEST, **FORBIDDEN, **NOT_FOUND, **STALE},
    )
    def patch(self, request: Request, name: str) -> Response:
        principal = principal_of(request)
        scope_require(principal, Action.MANAGE_AGENTS)
        body = body_checked(AgentFields, request, partial=True)
        with transaction.atomic():
            agent = agent_get(principal, name)
            unchanged(request, _shown([agent])[0])
            agent_change(principal=principal, agent=agent, fields=body)
        return tagged(request, Response(_shown([agent])[0]))

    @extend_schema(
        operation_id="agent_end",
        summary="End an agent",
        description="Its tokens open nothing any more. What it wrote stays.",
        tags=["agents"],
        responses={
            204: OpenApiResponse(description="It is ended, and its name stays taken."),
            **FORBIDDEN,
            **NOT_FOUND,
        },
    )
    def delete(self, request: Request, name: str) -> Response:
        principal = principal_of(request)
        scope_require(principal, Action.MANAGE_AGENTS)
        with transaction.atomic():
            agent = agent_get(principal, name)
            agent_end(principal=principal, agent=agent)
            tokens_list(agent.user).update(revoked_at=timezone.now())
        return Response(status=204)


class AgentTokenView(ApiView):
    @extend_schema(
        operation_id="agent_token_list",
        summary="List the tokens of an agent",
        description="Those that are not revoked, newest first, each with when it was used last.",
        tags=["agents"],
        parameters=[TokenQuery, IF_NONE_MATCH],
        responses={200: TokenPage, **NOT_MODIFIED, **BAD_REQUEST, **NOT_FOUND},
    )
    def get(self, request: Request, name: str) -> Response:
        checked(TokenQuery, request)
        pages = NewestFirst()
        agent = agent_get(principal_of(request), name)
        page = pages.paginate_queryset(tokens_list(agent.user), request, view=self)
        return tagged(request, pages.get_paginated_response(TokenAnswer(page, many=True).data))

    @extend_schema(
        operation_id="agent_token_create",
        summary="Make a token of an agent",
        description="The secret is in the answer, this once.",
        tags=["agents"],
        request=AgentToken,
        responses={201: NewTokenAnswer, **BAD_REQUEST, **FORBIDDEN, **NOT_FOUND},
    )
    def post(self, request: Request, name: str) -> Response:
        principal = principal_of(request)
        scope_require(principal, Action.MANAGE_AGENTS)
        body = body_checked(AgentToken, request)
        own = request.auth
        if isinstance(own, AccessToken) and own.expires_at is not None:
            body["expires_at"] = body["expires_at"] or own.expires_at
            if body["expires_at"] > own.expires_at:
                raise InvalidValue(
                    "A token made with a token cannot outlive it.",
                    remedy=f"Choose a time before {own.expires_at.isoformat()}, or sign in to make it.",
                )
        agent = agent_get(principal, name)
        allowed = scopes_of(request) or frozenset(Scope)
        token, secret = token_create(user=agent.user, scopes=[scope for scope in SCOPES if scope in allowed], **body)
        return Response({**TokenAnswer(token).data, "token": secret}, status=201, headers={"Cache-Control": "no-store"})

    @extend_schema(
        operation_id="agent_tokens_revoke",
        summary="Revoke all tokens of an agent",
        tags=["agents"],
        responses={204: OpenApiResponse(description="They open nothing any more."), **FORBIDDEN, **NOT_FOUND},
    )
    def delete(self, request: Request, name: str) -> Response:
        principal = principal_of(request)
        scope_require(principal, Action.MANAGE_AGENTS)
        tokens_list(agent_get(principal, name).user).update(revoked_at=timezone.now())
        return Response(status=204)
