"""Events become messages in the transaction of what happened: sent if that is true, and only then."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

from celery.exceptions import CeleryError
from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone
from kombu.exceptions import KombuError

from catalog_app.selectors.rows import fetch_all
from merge_app.webhooks.chat import chat_text
from merge_app.webhooks.models import DeliveryState, Webhook, WebhookDelivery, WebhookEvent, WebhookForm

logger = logging.getLogger(__name__)

LONGEST_SWEEP = 200
RING_AGAIN = timedelta(seconds=30)
_WANTED = """
SELECT id FROM merge_app_webhook
WHERE catalog_id = %(catalog)s AND is_active AND events @> ARRAY[%(event)s::text]
"""


def event_emit(*, catalog_id: int, event: WebhookEvent, build: Callable[[], dict[str, Any]]) -> None:
    """Leave a message for each webhook of the catalog that wants such events. ``build`` makes the content once, where
    there is one.
    """
    # Every commit asks, and most catalogs have no webhook: the plan of this query is kept.
    found = fetch_all(_WANTED, {"catalog": catalog_id, "event": event.value}, prepared=True)
    if found:
        # Addresses and secrets are read where a message is sent.
        hooks = Webhook.objects.only("pk", "form").in_bulk([identity for (identity,) in found]).values()
        content = build()
        for webhook in hooks:
            message_leave(webhook=webhook, event=event, content=content)


def message_leave(*, webhook: Webhook, event: WebhookEvent, content: dict[str, Any]) -> WebhookDelivery:
    """A message in the webhook's form, that is sent when the surrounding transaction commits."""
    body: dict[str, Any] = {"type": event.value, "timestamp": timezone.now().isoformat(), "data": content}
    if webhook.form == WebhookForm.CHAT:
        body = {"text": chat_text(event, content)}
    delivery = WebhookDelivery.objects.create(
        webhook=webhook, event=event, body=json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    )
    transaction.on_commit(partial(delivery_notify, delivery.pk))
    return delivery


def delivery_notify(delivery_id: UUID) -> None:
    """Notify the workers of a message. A broker that is away is no error: the sweep notifies them again."""
    # Here, because the Celery task needs what needs this module.
    from merge_app.webhooks.tasks import deliver_webhook

    try:
        deliver_webhook.apply_async(args=[str(delivery_id)], ignore_result=True, retry=False)
    except (KombuError, CeleryError, OSError) as error:
        logger.warning("could not notify workers of delivery %s, they will be notified again: %s", delivery_id, error)


def deliveries_notify() -> None:
    """Notify the workers of the messages that are due and that no worker sends."""
    late = timezone.now() - RING_AGAIN
    due = WebhookDelivery.objects.filter(state=DeliveryState.PENDING, next_attempt_at__lte=Now())
    unheard = due.exclude(attempts=0, created_at__gt=late).order_by("next_attempt_at")
    for delivery_id in unheard.values_list("pk", flat=True)[:LONGEST_SWEEP]:
        delivery_notify(delivery_id)
