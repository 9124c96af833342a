"""What a person wants by mail: looked at, changed and tried by that person alone."""

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
from merge_app.mails.models import Mail, MailChoice, MailEvent
from merge_app.mails.outbox import trial_leave

TEST_PAUSE = timedelta(minutes=1)
"""Between two test mails of a person: an address need not be theirs."""


def mail_choice(user: User) -> MailChoice:
    """What the person wants: nothing, where they chose nothing."""
    return MailChoice.objects.filter(user=user).first() or MailChoice(user=user)


def mail_choice_change(
    *, principal: Principal, user: User, changes: Mapping[str, Any], check: Callable[[MailChoice], None]
) -> MailChoice:
    """Change address or events. ``check`` sees what holds and may object. Raises InvalidValue, PermissionDenied."""
    scope_require(principal, Action.MANAGE_ACCOUNT)
    address = changes.get("address", "")
    if address:
        try:
            validate_email(address)
        except ValidationError:
            raise InvalidValue(
                "This is no address of mail.", remedy="Write one such as ada@example.org.", field="address"
            ) from None
    with transaction.atomic():
        MailChoice.objects.bulk_create([MailChoice(user=user)], ignore_conflicts=True)
        choice = MailChoice.objects.select_for_update().get(user=user)
        check(choice)
        choice.address = changes.get("address", choice.address)
        choice.events = sorted(set(changes.get("events", choice.events)))
        choice.save(update_fields=["address", "events"])
    return choice


def mail_test(*, principal: Principal) -> Mail:
    """Send whoever asks a mail that says nothing. Raises InvalidValue where none can be sent, or one was just sent."""
    scope_require(principal, Action.MANAGE_ACCOUNT)
    if not settings.LAKEUI["MAIL"]:
        raise InvalidValue("This server sends no mail.", remedy="Ask whoever runs it to set LAKEUI_MAIL_SERVER.")
    with transaction.atomic():
        # The lock of the account's row: of two tests at once one is refused.
        owner = User.objects.select_for_update().get(pk=person_id(principal))
        if not (mail_choice(owner).address or owner.email):
            raise InvalidValue("You have no address.", remedy="Write one first.", field="address")
        if Mail.objects.filter(user=owner, event=MailEvent.TEST, created_at__gt=timezone.now() - TEST_PAUSE).exists():
            raise InvalidValue("A test was sent in this minute.", remedy="Wait a minute, then try again.")
        return trial_leave(owner.pk, f"test/{uuid4()}")


def mails_list(user: User, *, after: tuple[int, str] | None = None, limit: int) -> list[Mail]:
    """Mails to the person, newest first, behind the key ``after`` (``newest_key``)."""
    return newest_list(Mail.objects.filter(user=user), after=after, limit=limit)
