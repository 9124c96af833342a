"""What Celery calls."""

from __future__ import annotations

from uuid import UUID

from celery import shared_task

from merge_app.webhooks.delivering import delivery_attempt


@shared_task(name="lakeui.deliver_webhook", ignore_result=True)
def deliver_webhook(delivery_id: str) -> None:
    """Somebody rang: send that message unless it is sent or another worker is at it."""
    delivery_attempt(UUID(delivery_id))
