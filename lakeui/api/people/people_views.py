"""``/api/v1/people/`` and ``/api/v1/rights-records/``: the accounts of the server, and who gave whom which right."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.urls import reverse as page_address
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from catalog_app.domain.roles import Action, Standing
from catalog_app.selectors.people import catalogs_visible, standing_require
from lakeui.access.invitations import DAYS, invitation_mail, invitation_make
from lakeui.access.people import STATES, people_list, person_add, person_change, person_get, standing_of, state_of
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
from lakeui.api.http.base import ApiView, checked, principal_of, tagged, unchanged
from lakeui.api.http.paging import PageFilter, keyset_page, page_body, page_schema
from lakeui.api.http.strict import body_checked
from lakeui.common.errors import InvalidValue
from merge_app.audit.rights import RightsRecord, rights_records

STANDINGS = [standing.value for standing in Standing]
NO_STORE = {"Cache-Control": "no-store"}
_SENT_BY_MAIL = "Whether a mail server took it: one is set, and the account has an address."


class PersonFilter(CatalogFilter):
    state = serializers.ChoiceField(STATES, required=False)
    group = serializers.CharField(required=False, max_length=150, help_text="Members of this group.")


class PersonAnswer(serializers.Serializer[Any]):
    """An account. ``invited``: no sign-in yet, and an open link by which a person chooses a password."""

    username = serializers.CharField()
    first_name = serializers.CharField(allow_blank=True)
    last_name = serializers.CharField(allow_blank=True)
    email = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField(STATES)
    is_active = serializers.BooleanField(help_text="Whether the account can sign in.")
    standing = serializers.ChoiceField(STANDINGS)
    groups = serializers.ListField(child=serializers.CharField())
    last_login = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()


class _Names(serializers.Serializer[Any]):
    first_name = serializers.CharField(required=False, allow_blank=True, max_length=150)
    last_name = serializers.CharField(required=False, allow_blank=True, max_length=150)
    email = serializers.CharField(required=False, allow_blank=True, max_length=254)


class PersonRequest(_Names):
    username = serializers.CharField(max_length=150)
    groups = serializers.ListField(
        child=serializers.CharField(max_length=150), required=False, max_length=100, help_text="Takes a superuser."
    )


class PersonChange(_Names):
    is_active = serializers.BooleanField(required=False)
    standing = serializers.ChoiceField(STANDINGS, required=False, help_text="Takes a superuser.")


class LinkAnswer(serializers.Serializer[Any]):
    """A link by which the person chooses a password, once. It is shown this once."""

    link = serializers.URLField()
    expires_at = serializers.DateTimeField()
    was_mailed = serializers.BooleanField(help_text=_SENT_BY_MAIL)


class InvitedAnswer(PersonAnswer):
    invitation = LinkAnswer()


class RightsFilter(PageFilter):
    name = serializers.CharField(required=False, max_length=150, help_text="Of this person or group.")


class RightsRecordAnswer(serializers.Serializer[Any]):
    """A change of a right. ``before`` and ``after`` are null where there was or is none; ``actor`` "" is lakeui."""

    recorded_at = serializers.DateTimeField()
    actor = serializers.CharField(allow_blank=True)
    subject = serializers.CharField()
    name = serializers.CharField()
    catalog = serializers.CharField(allow_null=True)
    before = serializers.DictField(allow_null=True)
    after = serializers.DictField(allow_null=True)


def person_shown(user: User) -> dict[str, Any]:
    shown = {
        "username": user.username,
        "first_name": user.first_name,
        "last_name": user.last_name,
        "email": user.email,
        "state": state_of(user),
        "is_active": user.is_active,
        "standing": standing_of(user).value,
        "groups": sorted(group.name for group in user.groups.all()),
        "last_login": user.last_login,
        "created_at": user.date_joined,
    }
    return dict(PersonAnswer(shown).data)


def _sort_key(user: Any) -> tuple[str, int]:
    return user.sort_key, user.pk


def _invited(request: Request, user: User) -> dict[str, Any]:
    """A new link of the person, sent by mail once it stands."""
    principal = principal_of(request)
    made, secret = invitation_make(principal, user)
    link = request.build_absolute_uri(f"{page_address('invitation')}?secret={secret}")
    answer = {"link": link, "expires_at": made.expires_at, "was_mailed": False}
    return {**answer, "was_mailed": invitation_mail(user, link, inviter=principal.name)}


class PersonListView(ApiView):
    @extend_schema(
        operation_id="person_list",
        summary="List people",
        description="By user name. Takes the staff.",
        tags=["people"],
        parameters=[PersonFilter, IF_NONE_MATCH],
        responses={
            200: page_schema("PersonPage", PersonAnswer(many=True)),
            **NOT_MODIFIED,
            **BAD_REQUEST,
            **FORBIDDEN,
            **NOT_FOUND,
        },
    )
    def get(self, request: Request) -> Response:
        filters = checked(PersonFilter, request)
        page = keyset_page(filters, str, int)
        found = people_list(principal_of(request), **filters, after=page.after, limit=page.fetch)
        body = page_body(
            request, page, found, key=_sort_key, shown=lambda people: [person_shown(one) for one in people]
        )
        return tagged(request, Response(body))

    @extend_schema(
        operation_id="person_invite",
        summary="Invite somebody",
        description=f"Makes an account without a password, and a link by which one is chosen, once, within {DAYS} days."
        " The link is in the answer, this once. Takes the staff.",
        tags=["people"],
        request=PersonRequest,
        responses={201: InvitedAnswer, **BAD_REQUEST, **FORBIDDEN, **NOT_FOUND, **CONFLICT},
    )
    def post(self, request: Request) -> Response:
        wanted = body_checked(PersonRequest, request)
        user = person_add(principal_of(request), **wanted)
        invitation = _invited(request, user)
        shown = person_shown(person_get(principal_of(request), user.username))
        address = reverse("api-person", args=[user.username], request=request)
        answer = {**shown, "invitation": LinkAnswer(invitation).data}
        return Response(answer, status=201, headers={"Location": address, **NO_STORE})


class PersonView(ApiView):
    @extend_schema(
        operation_id="person_get",
        summary="Look at a person",
        tags=["people"],
        parameters=[IF_NONE_MATCH],
        responses={200: PersonAnswer, **NOT_MODIFIED, **FORBIDDEN, **NOT_FOUND},
    )
    def get(self, request: Request, username: str) -> Response:
        return tagged(request, Response(person_shown(person_get(principal_of(request), username))))

    @extend_schema(
        operation_id="person_change",
        summary="Change, disable or enable an account",
        description="Takes the staff; accounts of the staff and standings take a superuser. Who is disabled has no"
        " session, token or link from then on. One active superuser stays.",
        tags=["people"],
        parameters=[IF_MATCH],
        request=PersonChange,
        responses={200: PersonAnswer, **BAD_REQUEST, **FORBIDDEN, **NOT_FOUND, **STALE},
    )
    def patch(self, request: Request, username: str) -> Response:
        wanted = body_checked(PersonChange, request)
        changed = person_change(
            principal_of(request), username, wanted, check=lambda present: unchanged(request, person_shown(present))
        )
        return tagged(request, Response(person_shown(changed)))


class PersonLinkView(ApiView):
    @extend_schema(
        operation_id="person_link",
        summary="Make a link by which somebody chooses a password",
        description="Earlier links of the person end. For an account that was used, it takes a superuser: whoever has"
        " the link can open the account.",
        tags=["people"],
        request=None,
        responses={201: LinkAnswer, **BAD_REQUEST, **FORBIDDEN, **NOT_FOUND},
    )
    def post(self, request: Request, username: str) -> Response:
        user = person_get(principal_of(request), username)
        return Response(LinkAnswer(_invited(request, user)).data, status=201, headers=NO_STORE)


class RightsRecordListView(ApiView):
    @extend_schema(
        operation_id="rights_record_list",
        summary="List who gave whom which right",
        description="Changes of accounts and groups, and of roles in catalogs that you see, newest first. Takes the"
        " staff. The audit keeps these; nothing changes them.",
        tags=["people"],
        parameters=[RightsFilter],
        responses={
            200: page_schema("RightsRecordPage", RightsRecordAnswer(many=True)),
            **BAD_REQUEST,
            **FORBIDDEN,
        },
    )
    def get(self, request: Request) -> Response:
        principal = principal_of(request)
        standing_require(principal, Action.MANAGE_PEOPLE)
        filters = checked(RightsFilter, request)
        page = keyset_page(filters, str, str)
        seen = None if principal.sees_everything else list(catalogs_visible(principal).values_list("pk", flat=True))
        found = rights_records(catalogs=seen, **filters, after=_checked_time(page.after), limit=page.fetch)

        def key(record: RightsRecord) -> tuple[str, str]:
            return record.recorded_at.isoformat(), record.place

        return Response(
            page_body(request, page, found, key=key, shown=lambda part: RightsRecordAnswer(part, many=True).data)
        )


def _checked_time(after: tuple[Any, ...] | None) -> tuple[str, str] | None:
    if after is None:
        return None
    try:
        datetime.fromisoformat(after[0])
    except ValueError:
        raise InvalidValue("The cursor is not one that this list gave.", remedy="Follow `next`.") from None
    return after[0], after[1]
