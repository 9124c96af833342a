"""``/api/v1/tokens/``: the caller's own access tokens."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from catalog_app.domain.roles import Action, Scope, catalogs_of, scopes_read
from catalog_app.selectors.people import catalog_names, catalog_visible, scope_require
from lakeui.access.models import AccessToken
from lakeui.access.tokens import token_create, token_revoke, tokens_list
from lakeui.api.http.answers import BAD_REQUEST, FORBIDDEN, IF_NONE_MATCH, NOT_FOUND, NOT_MODIFIED
from lakeui.api.http.base import ApiView, NewestFirst, checked, principal_of, scopes_of, tagged
from lakeui.api.http.strict import body_checked
from lakeui.common.errors import InvalidValue, NotFound

MOST_CATALOGS = 100


class TokenQuery(serializers.Serializer[Any]):
    limit = serializers.IntegerField(required=False, min_value=1, max_value=200, help_text="Entries a page.")
    cursor = serializers.CharField(required=False, max_length=2000, help_text="From `next` or `previous`.")


class TokenRequest(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=200, help_text="What the token is for.")
    expires_at = serializers.DateTimeField(required=False, allow_null=True, default=None, help_text="Null: never.")
    scopes = serializers.ListField(
        child=serializers.ChoiceField([scope.value for scope in Scope]),
        required=False,
        allow_empty=False,
        help_text="What it may be used for: all that you may, or that the token may which makes it, when left out."
        " Every token may read.",
    )
    catalogs = serializers.ListField(
        child=serializers.CharField(max_length=255),
        required=False,
        allow_null=True,
        allow_empty=False,
        max_length=MOST_CATALOGS,
        default=None,
        help_text="Names of catalogs: no others exist for the token. Null: all that you see.",
    )

    def validate_expires_at(self, value: Any) -> Any:
        if value is not None and value <= timezone.now():
            raise serializers.ValidationError("This time is past.")
        return value


class TokenAnswer(serializers.ModelSerializer[AccessToken]):
    """A token without its secret; ``prefix`` is how the secret begins."""

    is_expired = serializers.SerializerMethodField()
    scopes = serializers.SerializerMethodField()
    catalogs = serializers.SerializerMethodField(
        help_text="Names of the catalogs that it is limited to, without those that are dropped. Null: it has no limit."
    )

    class Meta:
        model = AccessToken
        fields: tuple[str, ...] = (
            "id", "name", "prefix", "scopes", "catalogs", "created_at", "expires_at", "last_used_at", "is_expired",
        )  # fmt: skip
        read_only_fields: tuple[str, ...] = fields

    @extend_schema_field(serializers.ListField(child=serializers.ChoiceField([scope.value for scope in Scope])))
    def get_scopes(self, token: AccessToken) -> list[str]:
        return [scope for scope in token.scopes if catalogs_of(scopes_read([scope])) is None]

    def get_catalogs(self, token: AccessToken) -> list[str] | None:
        limits = catalogs_of(scopes_read(token.scopes))
        return None if limits is None else catalog_names(limits)

    def get_is_expired(self, token: AccessToken) -> bool:
        return token.expires_at is not None and token.expires_at <= timezone.now()


class NewTokenAnswer(TokenAnswer):
    """A token with its secret, which is shown this once."""

    token = serializers.CharField(read_only=True, help_text="The secret. It is kept nowhere.")

    class Meta(TokenAnswer.Meta):
        fields = (*TokenAnswer.Meta.fields, "token")
        read_only_fields = fields


class TokenPage(serializers.Serializer[Any]):
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    results = TokenAnswer(many=True)


class TokenListView(ApiView):
    @extend_schema(
        operation_id="token_list",
        summary="List your tokens",
        description="Those that are not revoked, newest first.",
        tags=["tokens"],
        parameters=[TokenQuery, IF_NONE_MATCH],
        responses={200: TokenPage, **NOT_MODIFIED, **BAD_REQUEST},
    )
    def get(self, request: Request) -> Response:
        checked(TokenQuery, request)
        pages = NewestFirst()
        page = pages.paginate_queryset(tokens_list(_user(request)), request, view=self)
        return tagged(request, pages.get_paginated_response(TokenAnswer(page, many=True).data))

    @extend_schema(
        operation_id="token_create",
        summary="Make a token",
        description="The secret is in the answer, this once. A token made with a token (of scope `admin`) ends no later"
        " and may no more than that one.",
        tags=["tokens"],
        request=TokenRequest,
        responses={201: NewTokenAnswer, **BAD_REQUEST, **FORBIDDEN, **NOT_FOUND},
    )
    def post(self, request: Request) -> Response:
        scope_require(principal_of(request), Action.MANAGE_TOKENS)
        wanted = body_checked(TokenRequest, request)
        own = request.auth
        if isinstance(own, AccessToken) and own.expires_at is not None:
            wanted["expires_at"] = wanted["expires_at"] or own.expires_at
            if wanted["expires_at"] > own.expires_at:
                raise InvalidValue(
                    "A token made with a token cannot outlive it.",
                    remedy=f"Choose a time before {own.expires_at.isoformat()}, or sign in to make it.",
                )
        wanted["scopes"] = _scopes(request, wanted.get("scopes"))
        wanted["catalogs"] = [catalog_visible(principal_of(request), name).pk for name in wanted["catalogs"] or ()]
        token, secret = token_create(user=_user(request), **wanted)
        answer = {**TokenAnswer(token).data, "token": secret}
        return Response(answer, status=201, headers={"Cache-Control": "no-store"})


class TokenView(ApiView):
    @extend_schema(
        operation_id="token_revoke",
        summary="Revoke a token",
        tags=["tokens"],
        responses={204: OpenApiResponse(description="It opens nothing any more."), **FORBIDDEN, **NOT_FOUND},
    )
    def delete(self, request: Request, token_id: int) -> Response:
        scope_require(principal_of(request), Action.MANAGE_TOKENS)
        token = tokens_list(_user(request)).filter(pk=token_id).first()
        if token is None:
            raise NotFound("token", str(token_id), where="of yours")
        token_revoke(token)
        return Response(status=204)


def _scopes(request: Request, wanted: list[str] | None) -> frozenset[Scope]:
    """What the new token may be used for."""
    # A token that is limited to catalogs makes none.
    allowed = frozenset(Scope) & (scopes_of(request) or frozenset(Scope))
    scopes = allowed if wanted is None else frozenset(Scope(name) for name in wanted)
    if not scopes <= allowed:
        raise InvalidValue(
            f"A token made with a token cannot do more: that one lacks {', '.join(sorted(scopes - allowed))}.",
            remedy="Leave them out, or sign in to make it.",
        )
    return scopes


def _user(request: Request) -> User:
    """Who asks; the permission of every view refuses all others."""
    assert isinstance(request.user, User)
    return request.user
