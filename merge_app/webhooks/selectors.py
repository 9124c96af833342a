"""Reading webhooks and what was sent to them."""

from __future__ import annotations

from catalog_app.models import Catalog
from catalog_app.selectors.newest import newest_list
from lakeui.common.errors import NotFound
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
    """Messages, newest first, behind the key ``after`` (``newest_key``)."""
    return newest_list(WebhookDelivery.objects.filter(webhook=webhook), after=after, limit=limit)


def deliveries_pending() -> int:
    """Messages that wait for an attempt, the first or another one."""
    return WebhookDelivery.objects.filter(state=DeliveryState.PENDING).count()
