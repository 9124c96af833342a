"""What a person wants by mail and chat: looked at, changed and tried by that person alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.utils import timezone

from catalog_app.domain.roles import Action, Principal
from catalog_app.selectors.newest import newest_list
from catalog_app.selectors.people import person_id, scope_require
from lakeui.common.errors import InvalidValue
from merge_app.mails.chats import chat_check
from merge_app.mails.models import Channel, Mail, MailChoice, MailEvent
from merge_app.mails.outbox import trial_leave
from merge_app.webhooks.errors import AddressRefused

TEST_PAUSE = timedelta(minutes=1)
"""Between two tests of a person by one channel: an address need not be theirs."""


def mail_choice(user: User) -> MailChoice:
    """What the person wants by each channel: nothing, where they chose nothing."""
    return MailChoice.objects.filter(user=user).first() or MailChoice(user=user)


def mail_choice_change(
    *, principal: Principal, user: User, changes: Mapping[str, Any], check: Callable[[MailChoice], None]
) -> MailChoice:
    """Change addresses or events. ``check`` sees what holds and may object. Raises InvalidValue, PermissionDenied."""
    scope_require(principal, Action.MANAGE_ACCOUNT)
    _addresses_check(changes)
    with transaction.atomic():
        MailChoice.objects.bulk_create([MailChoice(user=user)], ignore_conflicts=True)
        choice = MailChoice.objects.select_for_update().get(user=user)
        check(choice)
        choice.address = changes.get("address", choice.address)
        choice.events = sorted(set(changes.get("events", choice.events)))
        choice.chat_events = sorted(set(changes.get("chat_events", choice.chat_events)))
        if "chat_url" in changes:
            choice.chat_url = changes["chat_url"]
            choice.chat_set_at = timezone.now() if choice.chat_url else None
        choice.save(update_fields=["address", "events", "chat_url", "chat_events", "chat_set_at"])
    return choice


def _addresses_check(changes: Mapping[str, Any]) -> None:
    if changes.get("address"):
        try:
            validate_email(changes["address"])
        except ValidationError:
            raise InvalidValue(
                "This is no address of mail.", remedy="Write one such as ada@example.org.", field="address"
            ) from None
    if changes.get("chat_url"):
        try:
            chat_check(changes["chat_url"])
        except AddressRefused as refusal:
            raise AddressRefused(refusal.message, remedy=refusal.remedy, field="chat_url") from None


def mail_test(*, principal: Principal, channel: Channel) -> Mail:
    """Send whoever asks a message that says nothing. Raises InvalidValue where none can be sent, or one was just
    sent.
    """
    scope_require(principal, Action.MANAGE_ACCOUNT)
    if channel is Channel.MAIL and not settings.LAKEUI["MAIL"]:
        raise InvalidValue("This server sends no mail.", remedy="Ask whoever runs it to set LAKEUI_MAIL_SERVER.")
    with transaction.atomic():
        # The lock of the account's row: of two tests at once one is refused.
        owner = User.objects.select_for_update().get(pk=person_id(principal))
        choice = mail_choice(owner)
        if channel is Channel.MAIL and not (choice.address or owner.email):
            raise InvalidValue("You have no address.", remedy="Write one first.", field="address")
        if channel is Channel.CHAT and not choice.chat_url:
            raise InvalidValue("You have no chat.", remedy="Set the address of its webhook first.", field="chat_url")
        newest = Mail.objects.filter(user=owner, event=MailEvent.TEST, channel=channel)
        if newest.filter(created_at__gt=timezone.now() - TEST_PAUSE).exists():
            raise InvalidValue("A test was sent in this minute.", remedy="Wait a minute, then try again.")
        return trial_leave(owner.pk, f"test/{uuid4()}", channel)


def mails_list(user: User, *, after: tuple[int, str] | None = None, limit: int) -> list[Mail]:
    """Messages to the person, newest first, behind the key ``after`` (``newest_key``)."""
    return newest_list(Mail.objects.filter(user=user), after=after, limit=limit)
