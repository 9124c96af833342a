"""``/api/v1/account/mail/``: what the caller wants by mail and chat, and what was sent."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from catalog_app.selectors.newest import newest_key
from lakeui.api.http.answers import BAD_REQUEST, FORBIDDEN, IF_MATCH, IF_NONE_MATCH, NOT_MODIFIED, STALE
from lakeui.api.http.base import ApiView, checked, principal_of, tagged, unchanged
from lakeui.api.http.paging import PageFilter, keyset_page, page_body, page_schema
from lakeui.api.http.strict import body_checked
from merge_app.mails.models import CHOOSABLE, Channel, Mail, MailChoice, MailEvent, MailState
from merge_app.mails.services import mail_choice, mail_choice_change, mail_test, mails_list

_EVENTS = [event.value for event in CHOOSABLE]
_ADDRESS = "Where mails go. Empty: to the address of the account."
_CHAT_URL = "An incoming webhook of Slack or Mattermost. It is not shown again. Empty: none any more."


class MailChoiceAnswer(serializers.Serializer[Any]):
    """What you want by mail and chat. ``is_on``: this server has a mail server."""

    is_on = serializers.BooleanField()
    address = serializers.CharField(allow_blank=True, help_text=_ADDRESS)
    account_address = serializers.CharField(allow_blank=True)
    events = serializers.ListField(child=serializers.ChoiceField(_EVENTS))
    chat_server = serializers.CharField(
        allow_blank=True, help_text="The server of your chat; its whole address is a secret. Empty: none."
    )
    chat_set_at = serializers.DateTimeField(allow_null=True, help_text="When the address of the chat was set.")
    chat_events = serializers.ListField(child=serializers.ChoiceField(_EVENTS))


class MailChoiceChange(serializers.Serializer[Any]):
    address = serializers.CharField(max_length=254, allow_blank=True, required=False, help_text=_ADDRESS)
    events = serializers.ListField(
        child=serializers.ChoiceField(_EVENTS), max_length=len(_EVENTS), allow_empty=True, required=False
    )
    chat_url = serializers.CharField(
        max_length=2000, allow_blank=True, required=False, write_only=True, help_text=_CHAT_URL
    )
    chat_events = serializers.ListField(
        child=serializers.ChoiceField(_EVENTS), max_length=len(_EVENTS), allow_empty=True, required=False
    )


class MailTest(serializers.Serializer[Any]):
    channel = serializers.ChoiceField(Channel.values, default=Channel.MAIL.value)


class MailAnswer(serializers.Serializer[Any]):
    """A message to you, and how its last attempt ended."""

    id = serializers.UUIDField(help_text="The header Message-ID of a mail begins with this.")
    event = serializers.ChoiceField(MailEvent.values)
    channel = serializers.ChoiceField(Channel.values)
    subject = serializers.CharField()
    address = serializers.CharField(allow_blank=True, help_text="Where its last attempt went; of a chat the server.")
    state = serializers.ChoiceField(MailState.values)
    attempts = serializers.IntegerField()
    error = serializers.CharField(allow_blank=True)
    created_at = serializers.DateTimeField()
    attempted_at = serializers.DateTimeField(allow_null=True)
    next_attempt_at = serializers.SerializerMethodField(help_text="Null when there is none to come.")

    def get_next_attempt_at(self, mail: Mail) -> datetime | None:
        return mail.next_attempt_at if mail.state == MailState.PENDING else None


def _user(request: Request) -> User:
    assert isinstance(request.user, User)
    return request.user


def _shown(choice: MailChoice) -> dict[str, Any]:
    shown = {
        "is_on": settings.LAKEUI["MAIL"],
        "address": choice.address,
        "account_address": choice.user.email,
        "events": choice.events,
        "chat_server": choice.chat_server,
        "chat_set_at": choice.chat_set_at,
        "chat_events": choice.chat_events,
    }
    return dict(MailChoiceAnswer(shown).data)


class MailChoiceView(ApiView):
    @extend_schema(
        operation_id="account_mail_get",
        summary="Look at what you want by mail and chat",
        tags=["account"],
        parameters=[IF_NONE_MATCH],
        responses={200: MailChoiceAnswer, **NOT_MODIFIED},
    )
    def get(self, request: Request) -> Response:
        return tagged(request, Response(_shown(mail_choice(_user(request)))))

    @extend_schema(
        operation_id="account_mail_change",
        summary="Choose what you want by mail and chat",
        description="No events, and nothing is sent.",
        tags=["account"],
        parameters=[IF_MATCH],
        request=MailChoiceChange,
        responses={200: MailChoiceAnswer, **BAD_REQUEST, **FORBIDDEN, **STALE},
    )
    def patch(self, request: Request) -> Response:
        changed = mail_choice_change(
            principal=principal_of(request),
            user=_user(request),
            changes=body_checked(MailChoiceChange, request),
            check=lambda present: unchanged(request, _shown(present)),
        )
        return tagged(request, Response(_shown(changed)))


class MailTestView(ApiView):
    @extend_schema(
        operation_id="account_mail_test",
        summary="Send yourself a message that says nothing",
        description="At most one a minute by each channel. The list of what was sent shows whether the server took it.",
        tags=["account"],
        request=MailTest,
        responses={202: MailAnswer, **BAD_REQUEST, **FORBIDDEN},
    )
    def post(self, request: Request) -> Response:
        channel = Channel(body_checked(MailTest, request)["channel"])
        made = mail_test(principal=principal_of(request), channel=channel)
        return Response(MailAnswer(made).data, status=202)


class MailListView(ApiView):
    @extend_schema(
        operation_id="account_mail_list",
        summary="What was sent to you, newest first",
        description="What was sent or given up is kept for 30 days.",
        tags=["account"],
        parameters=[PageFilter, IF_NONE_MATCH],
        responses={200: page_schema("MailPage", MailAnswer(many=True)), **NOT_MODIFIED, **BAD_REQUEST},
    )
    def get(self, request: Request) -> Response:
        page = keyset_page(checked(PageFilter, request), int, str)
        found = mails_list(_user(request), after=page.after, limit=page.fetch)
        body = page_body(request, page, found, key=newest_key, shown=lambda part: MailAnswer(part, many=True).data)
        return tagged(request, Response(body))
