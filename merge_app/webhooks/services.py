"""Making, changing and trying webhooks. Every change is in the audit, its secret never."""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from catalog_app.domain.roles import Action, Principal
from catalog_app.models import Catalog
from catalog_app.selectors.people import action_require, person_id
from catalog_app.services.settings import RecordChange, SettingChange, settings_lock
from lakeui.common.errors import InvalidValue, NotFound
from merge_app.webhooks.addresses import networks_parse, target_find
from merge_app.webhooks.models import DeliveryState, Webhook, WebhookDelivery, WebhookEvent, WebhookForm
from merge_app.webhooks.outbox import delivery_notify, message_leave
from merge_app.webhooks.selectors import webhook_get
from merge_app.webhooks.sending import SECRET_PREFIX

SECRET_BYTES = 32
MOST_WEBHOOKS = 20


def webhook_create(
    *,
    principal: Principal,
    catalog: Catalog,
    url: str,
    events: Sequence[str],
    record: RecordChange,
    form: str = WebhookForm.EVENT,
) -> Webhook:
    """A new webhook with a secret of its own. ``record`` writes the change into the audit. Raises AddressRefused."""
    action_require(principal, catalog, Action.MANAGE_WEBHOOKS)
    _check(url)
    with transaction.atomic():
        settings_lock(catalog)
        if Webhook.objects.filter(catalog=catalog).count() >= MOST_WEBHOOKS:
            raise InvalidValue(f"A catalog has at most {MOST_WEBHOOKS} webhooks.", remedy="Remove one first.")
        webhook = Webhook.objects.create(
            catalog=catalog,
            url=url,
            events=sorted(set(events)),
            form=form,
            secret=SECRET_PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode(),
            created_by_id=person_id(principal),
        )
        record(catalog, _change(webhook, None, _content(webhook)))
    return webhook


def _check(url: str) -> None:
    target_find(url, allowed=networks_parse(settings.LAKEUI["WEBHOOK_NETWORKS"]))


def _content(webhook: Webhook) -> dict[str, Any]:
    """What the audit says of it, which every member reads. Whoever knows a path may often send there, so of the address
    it names the server, and a digest by which a change of the rest shows.
    """
    return {
        "server": urlsplit(webhook.url).netloc,
        "url_digest": hashlib.sha256(webhook.url.encode()).hexdigest(),
        "events": webhook.events,
        "form": str(webhook.form),
        "is_active": webhook.is_active,
    }


def _change(webhook: Webhook, before: dict[str, Any] | None, after: dict[str, Any] | None) -> SettingChange:
    return SettingChange("webhook", str(webhook.pk), before, after)


def webhook_change(
    *,
    principal: Principal,
    webhook: Webhook,
    changes: Mapping[str, Any],
    check: Callable[[Webhook], None],
    record: RecordChange,
) -> Webhook:
    """Change address, events, form, or whether it is active. ``check`` raises where the caller saw something else."""
    action_require(principal, webhook.catalog, Action.MANAGE_WEBHOOKS)
    if "url" in changes:
        _check(changes["url"])
    with transaction.atomic():
        settings_lock(webhook.catalog)
        # Read anew under the lock: another owner may have changed or removed it.
        webhook = webhook_get(webhook.catalog, webhook.pk)
        check(webhook)
        before = _content(webhook)
        for name, value in changes.items():
            setattr(webhook, name, sorted(set(value)) if name == "events" else value)
        webhook.save(update_fields=["url", "events", "form", "is_active"])
        record(webhook.catalog, _change(webhook, before, _content(webhook)))
    return webhook


def webhook_remove(*, principal: Principal, webhook: Webhook, record: RecordChange) -> None:
    """Take the webhook away, with the log of what was sent to it."""
    action_require(principal, webhook.catalog, Action.MANAGE_WEBHOOKS)
    with transaction.atomic():
        settings_lock(webhook.catalog)
        webhook = webhook_get(webhook.catalog, webhook.pk)
        record(webhook.catalog, _change(webhook, _content(webhook), None))
        webhook.delete()


def webhook_ping(*, principal: Principal, webhook: Webhook) -> WebhookDelivery:
    """Send a message that says nothing but that it arrived."""
    action_require(principal, webhook.catalog, Action.MANAGE_WEBHOOKS)
    if not webhook.is_active:
        raise InvalidValue("The webhook is switched off.", remedy="Switch it on first.")
    return message_leave(
        webhook=webhook,
        event=WebhookEvent.PING,
        content={"catalog": webhook.catalog.name, "webhook": webhook.pk, "actor": principal.name},
    )


def delivery_repeat(*, principal: Principal, webhook: Webhook, delivery_id: Any) -> WebhookDelivery:
    """Send a message that was delivered or given up once more, as it was."""
    action_require(principal, webhook.catalog, Action.MANAGE_WEBHOOKS)
    with transaction.atomic():
        locked = WebhookDelivery.objects.select_for_update().filter(webhook=webhook, pk=delivery_id).first()
        if locked is None:
            raise NotFound("delivery", str(delivery_id), where=f"of webhook {webhook.pk}")
        if locked.state == DeliveryState.PENDING:
            raise InvalidValue("The message is being sent.", remedy="Wait for its next attempt.")
        locked.state, locked.attempts, locked.next_attempt_at = DeliveryState.PENDING, 0, timezone.now()
        locked.save(update_fields=["state", "attempts", "next_attempt_at"])
        transaction.on_commit(lambda: delivery_notify(locked.pk))
    return locked
