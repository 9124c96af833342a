"""The second factor of the caller, and of others for those who administer accounts. It is set up on its page."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.urls import reverse as page_address
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from lakeui.access.people import person_get
from lakeui.access.second_factor import second_factor_of, second_factor_reset
from lakeui.api.http.answers import BAD_REQUEST, FORBIDDEN, IF_NONE_MATCH, NOT_FOUND, NOT_MODIFIED
from lakeui.api.http.base import ApiView, principal_of, tagged


class SecondFactorAnswer(serializers.Serializer[Any]):
    """``is_required``: by the rule of this server the account does not open without one."""

    is_on = serializers.BooleanField()
    is_required = serializers.BooleanField()
    recovery_codes = serializers.IntegerField(help_text="How many are left.")
    page = serializers.URLField(help_text="Where one sets up, renews and ends one's own.")


def _shown(request: Request, user: User) -> dict[str, Any]:
    page = request.build_absolute_uri(page_address("second-factor"))
    return dict(SecondFactorAnswer({**second_factor_of(user)._asdict(), "page": page}).data)


class OwnSecondFactorView(ApiView):
    @extend_schema(
        operation_id="account_second_factor_get",
        summary="Look at your second factor",
        tags=["account"],
        parameters=[IF_NONE_MATCH],
        responses={200: SecondFactorAnswer, **NOT_MODIFIED},
    )
    def get(self, request: Request) -> Response:
        assert isinstance(request.user, User)
        return tagged(request, Response(_shown(request, request.user)))


class PersonSecondFactorView(ApiView):
    @extend_schema(
        operation_id="person_second_factor_get",
        summary="Look at somebody's second factor",
        description="Takes the staff.",
        tags=["people"],
        parameters=[IF_NONE_MATCH],
        responses={200: SecondFactorAnswer, **NOT_MODIFIED, **FORBIDDEN, **NOT_FOUND},
    )
    def get(self, request: Request, username: str) -> Response:
        return tagged(request, Response(_shown(request, person_get(principal_of(request), username))))

    @extend_schema(
        operation_id="person_second_factor_reset",
        summary="Turn off somebody's second factor",
        description="For somebody who lost app and recovery codes. Their sessions end. The next sign-in takes the"
        " password alone, or sets up another one where this server asks for it. Takes a superuser.",
        tags=["people"],
        responses={204: OpenApiResponse(description="It is off."), **BAD_REQUEST, **FORBIDDEN, **NOT_FOUND},
    )
    def delete(self, request: Request, username: str) -> Response:
        principal = principal_of(request)
        second_factor_reset(principal, person_get(principal, username))
        return Response(status=204)
