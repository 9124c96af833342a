"""Attempts at a message: again after a longer pause each time, until one is answered with success or it is given up."""

from __future__ import annotations

import time
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from lakeui.common.errors import OK
from lakeui.common.events import event_log
from lakeui.common.instruments import instruments
from merge_app.webhooks.addresses import networks_parse, target_find
from merge_app.webhooks.errors import AddressRefused, Undelivered
from merge_app.webhooks.models import DeliveryState, WebhookDelivery
from merge_app.webhooks.sending import TIMEOUT_SECONDS, message_send, signed_headers

PAUSES = (5, 30, 120, 600, 3600, 4 * 3600, 12 * 3600)
"""Seconds after the first, second, … failed attempt; after one more it is given up."""

CLAIM = timedelta(seconds=6 * TIMEOUT_SECONDS)
"""So long an attempt has the message to itself; one whose worker died is made again after it."""


_OUTCOMES = {
    DeliveryState.PENDING: "again",
    DeliveryState.FAILED: "given up",
    DeliveryState.DELIVERED: "delivered",
}


def delivery_attempt(delivery_id: UUID) -> bool:
    """Send the message if it is due, and note how that ended. Answers whether it was sent, one way or another."""
    now = timezone.now()
    claimed = WebhookDelivery.objects.filter(pk=delivery_id, state=DeliveryState.PENDING, next_attempt_at__lte=now)
    if not claimed.update(attempts=F("attempts") + 1, attempted_at=now, next_attempt_at=now + CLAIM):
        return False
    delivery = WebhookDelivery.objects.select_related("webhook__catalog").get(pk=delivery_id)
    began = time.monotonic()
    status, error = _send(delivery)
    delivery.status, delivery.error = status, error
    delivery.duration_ms = round(1000 * (time.monotonic() - began))
    if not error:
        delivery.state = DeliveryState.DELIVERED
    elif delivery.attempts > len(PAUSES) or not delivery.webhook.is_active:
        delivery.state = DeliveryState.FAILED
    else:
        delivery.next_attempt_at = timezone.now() + timedelta(seconds=PAUSES[delivery.attempts - 1])
    delivery.save(update_fields=["status", "error", "duration_ms", "state", "next_attempt_at"])
    _record(delivery)
    return True


def _record(delivery: WebhookDelivery) -> None:
    outcome = _OUTCOMES[DeliveryState(delivery.state)]
    instruments().webhook_attempts.labels(delivery.event, outcome).inc()
    event_log(
        "delivery",
        catalog=delivery.webhook.catalog.name,
        kind=str(delivery.event),
        outcome=OK if outcome == "delivered" else str(delivery.status or "UNDELIVERED"),
        milliseconds=delivery.duration_ms,
        bytes=len(delivery.body.encode()),
        delivery=str(delivery.pk),
        webhook=delivery.webhook_id,
        attempt=delivery.attempts,
        state=str(delivery.state),
    )


def _send(delivery: WebhookDelivery) -> tuple[int | None, str]:
    """The status of the answer, and what was wrong."""
    if not delivery.webhook.is_active:
        return None, "The webhook was switched off."
    try:
        # Looked up at every attempt: where a name leads, and what is allowed, may have changed.
        target = target_find(delivery.webhook.url, allowed=networks_parse(settings.LAKEUI["WEBHOOK_NETWORKS"]))
        body = delivery.body.encode()
        signed = signed_headers(delivery.webhook.secret, identity=str(delivery.pk), at=timezone.now(), body=body)
        status = message_send(target, headers=signed, body=body)
    except AddressRefused as refusal:
        return None, refusal.message
    except Undelivered as failure:
        return None, str(failure)
    # A redirect is no success: following it would lead to an address that was not checked.
    return status, "" if 200 <= status < 300 else f"The server answered {status}."
