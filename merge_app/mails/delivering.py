"""Attempts at a message: again after a longer pause each time, until one is taken or it is given up."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from catalog_app.domain.roles import Principal
from catalog_app.selectors.agents import is_agent
from catalog_app.selectors.people import catalogs_visible
from lakeui.common.errors import OK
from lakeui.common.events import event_log
from merge_app.mails.chats import chat_send
from merge_app.mails.errors import Refused, Unsent
from merge_app.mails.models import Channel, Mail, MailChoice, MailEvent, MailState
from merge_app.mails.sending import mail_send

PAUSES = (30, 120, 600, 3600, 4 * 3600, 12 * 3600)
"""Seconds after the first, second, … failed attempt; after one more it is given up."""

CLAIM = timedelta(minutes=5)
"""So long an attempt has the mail to itself; one whose worker died is made again after it."""


def mail_attempt(mail_id: UUID) -> bool:
    """Send the mail if it is due, and note how that ended. Answers whether it was tried.

    A worker that dies after the server took the mail leaves it to be sent again, with the same Message-ID.
    """
    now = timezone.now()
    claimed = Mail.objects.filter(pk=mail_id, state=MailState.PENDING, next_attempt_at__lte=now)
    if not claimed.update(attempts=F("attempts") + 1, attempted_at=now, next_attempt_at=now + CLAIM):
        return False
    mail = Mail.objects.select_related("user__agent", "catalog").get(pk=mail_id)
    began = time.monotonic()
    mail.error, mail.state = "", MailState.SENT
    try:
        choice = _choice(mail)
        _SENDERS[Channel(mail.channel)](mail, choice)
    except Refused as refusal:
        mail.error, mail.state = str(refusal), MailState.FAILED
    except Unsent as failure:
        mail.error, mail.state = str(failure), MailState.FAILED
        if mail.attempts <= len(PAUSES):
            mail.state = MailState.PENDING
            mail.next_attempt_at = timezone.now() + timedelta(seconds=PAUSES[mail.attempts - 1])
    mail.save(update_fields=["address", "error", "state", "next_attempt_at"])
    event_log(
        "mail",
        user=mail.user.get_username(),
        catalog=mail.catalog.name if mail.catalog else None,
        kind=str(mail.event),
        channel=str(mail.channel),
        outcome=OK if mail.state == MailState.SENT else "UNDELIVERED",
        milliseconds=round(1000 * (time.monotonic() - began)),
        mail=str(mail.pk),
        attempt=mail.attempts,
        state=str(mail.state),
    )
    return True


def _choice(mail: Mail) -> MailChoice:
    """What the person wants now. Raises Refused where the person may not have the message, or does not want it."""
    user = mail.user
    choice = MailChoice.objects.filter(user=mail.user_id).first() or MailChoice(user=user)
    if not user.is_active or is_agent(user):
        raise Refused("The account is disabled, or of an agent.")
    if mail.catalog is not None:
        principal = Principal(user.pk, user.get_username(), user.is_superuser)
        if not catalogs_visible(principal).filter(pk=mail.catalog.pk, dropped_at__isnull=True).exists():
            raise Refused("The person does not see the catalog any more.")
    wanted = choice.events if mail.channel == Channel.MAIL else choice.chat_events
    if mail.event != MailEvent.TEST and mail.event not in wanted:
        raise Refused("The person does not want such messages any more.")
    return choice


def _by_mail(mail: Mail, choice: MailChoice) -> None:
    if not settings.LAKEUI["MAIL"]:
        raise Unsent("No mail server is set.")
    mail.address = choice.address or mail.user.email
    if not mail.address:
        raise Refused("The person has no address.")
    mail_send(mail, mail.address)


def _by_chat(mail: Mail, choice: MailChoice) -> None:
    mail.address = choice.chat_server
    if not choice.chat_url:
        raise Refused("The person has no chat.")
    chat_send(mail, choice.chat_url)


_SENDERS: dict[Channel, Callable[[Mail, MailChoice], None]] = {Channel.MAIL: _by_mail, Channel.CHAT: _by_chat}
