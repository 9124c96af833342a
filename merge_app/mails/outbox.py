"""Events become mails in the transaction of what happened: sent if that is true, and only then."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from functools import partial
from typing import NamedTuple
from uuid import UUID

from celery.exceptions import CeleryError
from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone
from kombu.exceptions import KombuError

from catalog_app.selectors.rows import array_text, columns_of, fetch_models
from merge_app.mails.models import Channel, Mail, MailChoice, MailEvent, MailState

logger = logging.getLogger(__name__)

LONGEST_SUBJECT = 200
LONGEST_SWEEP = 200
RING_AGAIN = timedelta(seconds=30)
_WANTING = f"""
SELECT {columns_of(MailChoice, "c")} FROM merge_app_mailchoice c JOIN auth_user u ON u.id = c.user_id
WHERE c.user_id = ANY(%(users)s::integer[]) AND u.is_active
    AND (c.events @> ARRAY[%(event)s::text] OR c.chat_events @> ARRAY[%(event)s::text])"""


class Content(NamedTuple):
    """What a message says. ``path`` is the page of what happened."""

    subject: str
    text: str
    path: str


def mails_leave(
    *, users: Iterable[int], event: MailEvent, catalog_id: int, key: str, build: Callable[[], Content]
) -> None:
    """Leave a message for each of the users who chose the event, by each channel for which they chose it. ``build``
    makes the content once, where there is one.

    Without a mail server there is no mail. A person gets one message of a ``key`` by each channel.
    """
    # The end of each task asks, and most people chose nothing: the plan of this query is kept.
    wanting = fetch_models(MailChoice, _WANTING, {"users": array_text(users), "event": event.value})
    found = [(choice.user_id, channel) for choice in wanting for channel in _channels(choice, event)]
    if found:
        content = build()
        _leave(
            Mail(
                user_id=user_id,
                catalog_id=catalog_id,
                event=event,
                channel=channel,
                key=_key(key, channel),
                subject=line(content.subject),
                body=content.text,
                path=content.path,
            )
            for user_id, channel in found
        )


def _channels(choice: MailChoice, event: MailEvent) -> Iterator[Channel]:
    if settings.LAKEUI["MAIL"] and event in choice.events:
        yield Channel.MAIL
    if choice.chat_url and event in choice.chat_events:
        yield Channel.CHAT


def trial_leave(user_id: int, key: str, channel: Channel) -> Mail:
    """Leave a message that says nothing but that it arrived."""
    what = "mail" if channel is Channel.MAIL else "a message"
    mail = Mail(
        user_id=user_id,
        event=MailEvent.TEST,
        channel=channel,
        key=_key(key, channel),
        subject=f"A test of {what} from lakeui",
        body=f"You asked for this test. It says that {what} from lakeui arrives.",
        path="/settings",
    )
    _leave([mail])
    return mail


def _key(happened: str, channel: Channel) -> str:
    """What happened, once a channel. The keys of mails that were left before there were others stay as they are."""
    return happened if channel is Channel.MAIL else f"{channel.value}/{happened}"


def _leave(mails: Iterable[Mail]) -> None:
    for mail in Mail.objects.bulk_create(mails, ignore_conflicts=True):
        transaction.on_commit(partial(mail_notify, mail.pk))


def line(text: str) -> str:
    """The text as one line without control characters: as a header has it."""
    shown = "".join(sign if sign.isprintable() else " " for sign in text)
    return " ".join(shown.split())[:LONGEST_SUBJECT]


def mail_notify(mail_id: UUID) -> None:
    """Tell the workers of a mail. A broker that is away is no error: the sweep rings again."""
    # Here, because the Celery task needs what needs this module.
    from merge_app.mails.tasks import deliver_mail

    try:
        deliver_mail.apply_async(args=[str(mail_id)], ignore_result=True, retry=False)
    except (KombuError, CeleryError, OSError) as error:
        logger.warning("could not notify workers of mail %s, they will be notified again: %s", mail_id, error)


def mails_notify() -> None:
    """Notify the workers of the mails that are due and that no worker sends."""
    late = timezone.now() - RING_AGAIN
    due = Mail.objects.filter(state=MailState.PENDING, next_attempt_at__lte=Now())
    unheard = due.exclude(attempts=0, created_at__gt=late).order_by("next_attempt_at")
    for mail_id in unheard.values_list("pk", flat=True)[:LONGEST_SWEEP]:
        mail_notify(mail_id)
