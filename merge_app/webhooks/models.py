"""Where to, and what was sent."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone


class WebhookEvent(models.TextChoices):
    """``ping`` is what the test button sends; no webhook subscribes to it."""

    MERGE_REQUEST = "merge_request"
    MERGE = "merge"
    COMMIT = "commit"
    BYPASS = "bypass"
    CHECK = "check"
    REFERENCE = "reference"
    DROP = "drop"
    EXPIRY = "expiry"
    RUN = "run"
    TASK = "task"
    RECORD = "record"
    CHECKPOINT = "checkpoint"
    PING = "ping"


EVENT_NAMES = tuple(WebhookEvent.values)
SUBSCRIBABLE = tuple(event for event in WebhookEvent if event is not WebhookEvent.PING)


class WebhookForm(models.TextChoices):
    """What messages are: the event as JSON, or a line of text as chats take it."""

    EVENT = "event"
    CHAT = "chat"


class Webhook(models.Model):
    """An address that gets messages of events of a catalog. ``secret`` signs what is sent, so it cannot be kept as a
    hash.
    """

    catalog = models.ForeignKey("catalog_app.Catalog", models.PROTECT, related_name="+")
    url = models.TextField()
    secret = models.TextField()
    events = ArrayField(models.TextField())
    form = models.TextField(choices=WebhookForm, default=WebhookForm.EVENT, db_default=WebhookForm.EVENT)
    is_active = models.BooleanField(default=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(form__in=WebhookForm.values), name="webhook_form")]

    def __str__(self) -> str:
        return self.url


class DeliveryState(models.TextChoices):
    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"


class WebhookDelivery(models.Model):
    """One message to one webhook, and how its last attempt ended. ``body`` is what is sent, byte by byte, each time.

    A pending one is due at ``next_attempt_at``. An attempt puts that off first, so that no two workers send at
    once.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries")
    event = models.TextField(choices=WebhookEvent)
    body = models.TextField()
    state = models.TextField(choices=DeliveryState, default=DeliveryState.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    status = models.PositiveSmallIntegerField(null=True)
    error = models.TextField(default="")
    duration_ms = models.IntegerField(null=True)
    created_at = models.DateTimeField(default=timezone.now)
    next_attempt_at = models.DateTimeField(default=timezone.now)
    attempted_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(state__in=DeliveryState.values), name="webhook_delivery_state")
        ]
        indexes = [
            models.Index(fields=["webhook", "-created_at"], name="webhook_delivery_newest"),
            models.Index(
                fields=["next_attempt_at"], name="webhook_delivery_due", condition=Q(state=DeliveryState.PENDING)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.id} ({self.state})"
