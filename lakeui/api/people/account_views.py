"""``/api/v1/account/``: the caller's own account, password and sessions."""

from __future__ import annotations

from typing import Any, cast

from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import password_validators_help_texts, validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle

from catalog_app.domain.roles import Action
from catalog_app.selectors.people import scope_require
from lakeui.access.models import BrowserSession
from lakeui.access.people import standing_of
from lakeui.access.sessions import sessions_end, sessions_list
from lakeui.access.throttle import sign_in_allowed, sign_in_failed
from lakeui.api.http.answers import BAD_REQUEST, FORBIDDEN, IF_NONE_MATCH, NOT_FOUND, NOT_MODIFIED
from lakeui.api.http.base import ApiView, checked, principal_of, tagged
from lakeui.api.http.paging import PageFilter, keyset_page, page_body, page_schema
from lakeui.api.http.strict import body_checked
from lakeui.api.people.people_views import STANDINGS
from lakeui.common.errors import InvalidValue, NotFound, PermissionDenied
from merge_app.audit.accounts import account_record, accounts_lock


class AccountAnswer(serializers.Serializer[Any]):
    """Who asks. ``password_rules`` are what a new password has to keep."""

    username = serializers.CharField()
    full_name = serializers.CharField(allow_blank=True)
    email = serializers.CharField(allow_blank=True)
    standing = serializers.ChoiceField(STANDINGS)
    groups = serializers.ListField(child=serializers.CharField())
    has_password = serializers.BooleanField(help_text="False where one signs in elsewhere alone.")
    password_rules = serializers.ListField(child=serializers.CharField())


class PasswordRequest(serializers.Serializer[Any]):
    present = serializers.CharField(max_length=4096, trim_whitespace=False)
    new = serializers.CharField(max_length=4096, trim_whitespace=False)


class SignInAnswer(serializers.Serializer[Any]):
    """A browser in which one is signed in."""

    id = serializers.UUIDField(source="identity")
    signed_in_at = serializers.DateTimeField()
    last_seen_at = serializers.DateTimeField(help_text="To the minute.")
    expires_at = serializers.DateTimeField(source="expire_date")
    address = serializers.CharField(allow_blank=True)
    agent = serializers.CharField(allow_blank=True, help_text="What the browser calls itself.")
    is_this = serializers.SerializerMethodField()

    def get_is_this(self, found: BrowserSession) -> bool:
        return bool(found.session_key == self.context["key"])


def _user(request: Request) -> User:
    assert isinstance(request.user, User)
    return request.user


def _key(request: Request) -> str | None:
    """The key of the session that the request came by; None where it bore a token."""
    return None if request.auth is not None else request.session.session_key


class AccountView(ApiView):
    @extend_schema(
        operation_id="account_get",
        summary="Look at your account",
        tags=["account"],
        parameters=[IF_NONE_MATCH],
        responses={200: AccountAnswer, **NOT_MODIFIED},
    )
    def get(self, request: Request) -> Response:
        user = _user(request)
        shown = {
            "username": user.username,
            "full_name": user.get_full_name(),
            "email": user.email,
            "standing": standing_of(user).value,
            "groups": sorted(user.groups.values_list("name", flat=True)),
            "has_password": user.has_usable_password(),
            "password_rules": password_validators_help_texts(),
        }
        return tagged(request, Response(AccountAnswer(shown).data))


class PasswordView(ApiView):
    @extend_schema(
        operation_id="password_change",
        summary="Change your password",
        description="Your other sessions end; tokens work on. Wrong guesses count as failed sign-ins.",
        tags=["account"],
        request=PasswordRequest,
        responses={204: OpenApiResponse(description="The new one holds."), **BAD_REQUEST, **FORBIDDEN},
    )
    def put(self, request: Request) -> Response:
        principal, user = principal_of(request), _user(request)
        scope_require(principal, Action.MANAGE_ACCOUNT)
        body = body_checked(PasswordRequest, request)
        _password_check(request, user, body["present"])
        try:
            validate_password(body["new"], user)
        except ValidationError as problem:
            raise InvalidValue(" ".join(problem.messages), remedy="Choose another password.", field="new") from None
        with transaction.atomic():
            accounts_lock()
            user.set_password(body["new"])
            user.save(update_fields=["password"])
            sessions_end(user, but=_key(request))
            account_record(principal, "password", user.username, after={"by": "the person"})
        if request.auth is None:
            update_session_auth_hash(cast(HttpRequest, request), user)
        return Response(status=204)


def _password_check(request: Request, user: User, present: str) -> None:
    who = {"address": BaseThrottle().get_ident(request) or "", "username": user.username}
    if not sign_in_allowed(**who):
        raise PermissionDenied(
            "Too many wrong passwords.", remedy="Wait a quarter of an hour, then try again.", action="change password"
        )
    if not user.check_password(present):
        sign_in_failed(**who)
        raise InvalidValue("The present password is not right.", remedy="Write it again.", field="present")


class SessionListView(ApiView):
    @extend_schema(
        operation_id="account_session_list",
        summary="List your sessions",
        description="The browsers in which you are signed in.",
        tags=["account"],
        parameters=[PageFilter],
        responses={200: page_schema("SignInPage", SignInAnswer(many=True)), **BAD_REQUEST},
    )
    def get(self, request: Request) -> Response:
        page = keyset_page(checked(PageFilter, request), str)
        found = sessions_list(_user(request)).order_by("identity")
        if page.after is not None:
            found = found.filter(identity__gt=_identity(page.after[0]))
        context = {"key": _key(request)}
        body = page_body(
            request,
            page,
            list(found[: page.fetch]),
            key=lambda session: (str(session.identity),),
            shown=lambda part: SignInAnswer(part, many=True, context=context).data,
        )
        return Response(body)


class SessionView(ApiView):
    @extend_schema(
        operation_id="account_session_end",
        summary="End one of your sessions",
        description="That browser is signed out at once.",
        tags=["account"],
        responses={204: OpenApiResponse(description="It opens nothing any more."), **FORBIDDEN, **NOT_FOUND},
    )
    def delete(self, request: Request, sign_in_id: str) -> Response:
        principal, user = principal_of(request), _user(request)
        scope_require(principal, Action.MANAGE_ACCOUNT)
        with transaction.atomic():
            accounts_lock()
            if not BrowserSession.objects.filter(user=user, identity=sign_in_id).delete()[0]:
                raise NotFound("session", str(sign_in_id), where="of yours")
            account_record(principal, "session", user.username, before={"id": str(sign_in_id)})
        return Response(status=204)


def _identity(text: str) -> str:
    try:
        serializers.UUIDField().to_internal_value(text)
    except serializers.ValidationError:
        raise InvalidValue("The cursor is not one that this list gave.", remedy="Follow `next`.") from None
    return text
