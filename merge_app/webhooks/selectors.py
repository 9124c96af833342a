"""Reading webhooks and what was sent to them."""

from __future__ import annotations

from uuid import UUID

from django.db.models import BigIntegerField, Q
from django.db.models.functions import Cast, Extract

from catalog_app.models import Catalog
from lakeui.common.errors import InvalidValue, NotFound
from merge_app.webhooks.models import DeliveryState, Webhook, WebhookDelivery


def webhooks_list(catalog: Catalog) -> list[Webhook]:
    """All of a catalog, oldest first."""
    return list(Webhook.objects.filter(catalog=catalog).select_related("created_by").order_by("pk"))


def webhook_get(catalog: Catalog, webhook_id: int) -> Webhook:
    """The webhook of that id. Raises NotFound."""
    found = Webhook.objects.select_related("catalog", "created_by").filter(catalog=catalog, pk=webhook_id).first()
    if found is None:
        raise NotFound("webhook", str(webhook_id), where=f"in catalog {catalog.name}")
    return found


def deliveries_list(webhook: Webhook, *, after: tuple[int, str] | None = None, limit: int) -> list[WebhookDelivery]:
    """Messages, newest first, behind the key ``after`` (``sort_key`` and id)."""
    found = WebhookDelivery.objects.filter(webhook=webhook).annotate(
        sort_key=Cast(Extract("created_at", "epoch") * 1_000_000, BigIntegerField())
    )
    if after is not None:
        found = found.filter(Q(sort_key__lt=after[0]) | Q(sort_key=after[0], pk__lt=_identity(after[1])))
    return list(found.order_by("-sort_key", "-pk")[:limit])


def _identity(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise InvalidValue("The cursor is not one that this list gave.", remedy="Follow `next`.") from None


def sort_key(delivery: WebhookDelivery) -> tuple[int, str]:
    """Where a message stands in its list: the key to go on behind."""
    return delivery.sort_key, str(delivery.pk)  # type: ignore[attr-defined]  # annotated by the list


def deliveries_pending() -> int:
    """Messages that wait for an attempt, the first or another one."""
    return WebhookDelivery.objects.filter(state=DeliveryState.PENDING).count()
