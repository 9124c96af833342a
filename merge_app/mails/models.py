"""What each person wants by mail and in their chat, and what was sent."""

from __future__ import annotations

import uuid
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone


class MailEvent(models.TextChoices):
    """``test`` is what the test button sends: it cannot be chosen."""

    REVIEW_ASKED = "review_asked"
    REQUEST_REVIEWED = "request_reviewed"
    REQUEST_COMMENTED = "request_commented"
    REQUEST_MERGED = "request_merged"
    REQUEST_REFUSED = "request_refused"
    TASK_SUCCEEDED = "task_succeeded"
    TASK_FAILED = "task_failed"
    PIPELINE_FAILED = "pipeline_failed"
    BRANCH_EXPIRES = "branch_expires"
    TEST = "test"


CHOOSABLE = tuple(event for event in MailEvent if event is not MailEvent.TEST)


class Channel(models.TextChoices):
    """How a message reaches a person: by mail, or at the incoming webhook of their chat."""

    MAIL = "mail"
    CHAT = "chat"


class MailChoice(models.Model):
    """What a person wants by each channel. Without ``address`` mails go to the address of the account.

    Who knows ``chat_url`` can write to that chat: no answer and no log holds it.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="+")
    address = models.TextField(default="")
    events = ArrayField(models.TextField(), default=list)
    chat_url = models.TextField(default="", db_default="")
    chat_events = ArrayField(models.TextField(), default=list, db_default=[])
    chat_set_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"mail of {self.user}"

    @property
    def chat_server(self) -> str:
        """The server of the chat, which is no secret; empty without one."""
        return urlsplit(self.chat_url).netloc


class MailState(models.TextChoices):
    PENDING = "pending"
    SENT = "sent"
    FAILED = "failed"


class Mail(models.Model):
    """One message to one person. ``key`` names what happened, and the channel where that is not mail: a person gets one
    message of it by each channel.

    ``path`` is the page that it links to. ``address`` is where its last attempt went, of a chat the server alone. A
    pending one is due at ``next_attempt_at``. An attempt puts that off first, so that no two workers send at once.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    catalog = models.ForeignKey("catalog_app.Catalog", models.PROTECT, null=True, related_name="+")
    event = models.TextField(choices=MailEvent)
    channel = models.TextField(choices=Channel, default=Channel.MAIL, db_default=Channel.MAIL)
    key = models.TextField()
    subject = models.TextField()
    body = models.TextField()
    path = models.TextField()
    address = models.TextField(default="")
    state = models.TextField(choices=MailState, default=MailState.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    error = models.TextField(default="")
    created_at = models.DateTimeField(default=timezone.now)
    next_attempt_at = models.DateTimeField(default=timezone.now)
    attempted_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(state__in=MailState.values), name="mail_state"),
            models.CheckConstraint(condition=Q(channel__in=Channel.values), name="mail_channel"),
            models.UniqueConstraint(fields=["user", "key"], name="mail_once"),
        ]
        indexes = [
            models.Index(fields=["user", "-created_at"], name="mail_newest"),
            models.Index(fields=["next_attempt_at"], name="mail_due", condition=Q(state=MailState.PENDING)),
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.id} ({self.state})"
