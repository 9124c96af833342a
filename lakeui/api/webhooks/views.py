"""``…/webhooks/``: which servers get messages, and what became of each message."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiResponse, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from catalog_app.domain.roles import Action
from catalog_app.selectors.newest import newest_key
from lakeui.api.http.answers import BAD_REQUEST, FORBIDDEN, IF_MATCH, IF_NONE_MATCH, NOT_FOUND, NOT_MODIFIED, STALE
from lakeui.api.http.base import ApiView, catalog_of, checked, principal_of, tagged, unchanged
from lakeui.api.http.paging import PageFilter, keyset_page, page_body, page_schema
from lakeui.api.http.strict import body_checked
from merge_app.audit.settings import setting_recorder
from merge_app.webhooks.models import (
    EVENT_NAMES,
    SUBSCRIBABLE,
    DeliveryState,
    Webhook,
    WebhookDelivery,
    WebhookForm,
)
from merge_app.webhooks.selectors import deliveries_list, webhook_get, webhooks_list
from merge_app.webhooks.services import (
    delivery_repeat,
    webhook_change,
    webhook_create,
    webhook_ping,
    webhook_remove,
)

READS: dict[Any, Any] = {**NOT_MODIFIED, **BAD_REQUEST, **FORBIDDEN, **NOT_FOUND}
WRITES: dict[Any, Any] = {**BAD_REQUEST, **FORBIDDEN, **NOT_FOUND}


_FORM = '`event`: the event as JSON. `chat`: a line of text, `{"text": ..}`, as Slack and Mattermost take it.'


class NewWebhook(serializers.Serializer[Any]):
    url = serializers.CharField(
        max_length=2000, help_text="An https address that is public, or in a network that this server allows."
    )
    events = serializers.ListField(
        child=serializers.ChoiceField([event.value for event in SUBSCRIBABLE]),
        min_length=1,
        max_length=len(SUBSCRIBABLE),
    )
    form = serializers.ChoiceField(WebhookForm.values, default=WebhookForm.EVENT.value, help_text=_FORM)


class WebhookChange(serializers.Serializer[Any]):
    url = serializers.CharField(max_length=2000, required=False)
    events = serializers.ListField(
        child=serializers.ChoiceField([event.value for event in SUBSCRIBABLE]),
        min_length=1,
        max_length=len(SUBSCRIBABLE),
        required=False,
    )
    form = serializers.ChoiceField(WebhookForm.values, required=False, help_text=_FORM)
    is_active = serializers.BooleanField(required=False)


class WebhookAnswer(serializers.Serializer[Any]):
    """An address that gets messages of events."""

    id = serializers.IntegerField()
    url = serializers.CharField()
    events = serializers.ListField(child=serializers.CharField())
    form = serializers.ChoiceField(WebhookForm.values, help_text=_FORM)
    is_active = serializers.BooleanField()
    created_by = serializers.CharField(source="created_by.username")
    created_at = serializers.DateTimeField()


class CreatedWebhook(WebhookAnswer):
    """A webhook with the secret that signs its messages, which is shown this once."""

    secret = serializers.CharField(help_text="Messages are signed with it as Standard Webhooks 1.0 says.")


class DeliveryAnswer(serializers.Serializer[Any]):
    """A message and how its last attempt ended. ``status`` is that of the other server's answer."""

    id = serializers.UUIDField(help_text="The header `webhook-id`.")
    event = serializers.ChoiceField(EVENT_NAMES)
    state = serializers.ChoiceField(DeliveryState.values)
    attempts = serializers.IntegerField()
    status = serializers.IntegerField(allow_null=True)
    error = serializers.CharField(allow_blank=True)
    duration_ms = serializers.IntegerField(allow_null=True)
    body = serializers.CharField(help_text="What is sent, as text.")
    created_at = serializers.DateTimeField()
    attempted_at = serializers.DateTimeField(allow_null=True)
    next_attempt_at = serializers.SerializerMethodField(help_text="Null when there is none to come.")

    def get_next_attempt_at(self, delivery: WebhookDelivery) -> datetime | None:
        return delivery.next_attempt_at if delivery.state == DeliveryState.PENDING else None


_WEBHOOKS = inline_serializer("WebhookList", {"results": WebhookAnswer(many=True)})


def _shown(webhook: Webhook) -> Any:
    return WebhookAnswer(webhook).data


def _place(request: Request, catalog: str, webhook_id: int) -> Webhook:
    """Webhooks are seen by who may manage them: an address may be a secret of its own."""
    return webhook_get(catalog_of(request, catalog, Action.MANAGE_WEBHOOKS), webhook_id)


class WebhookListView(ApiView):
    @extend_schema(
        operation_id="webhook_list",
        summary="List webhooks",
        description="Takes the role owner. A catalog has few: all of them, oldest first.",
        tags=["webhooks"],
        parameters=[IF_NONE_MATCH],
        responses={200: _WEBHOOKS, **READS},
    )
    def get(self, request: Request, catalog: str) -> Response:
        found = webhooks_list(catalog_of(request, catalog, Action.MANAGE_WEBHOOKS))
        return tagged(request, Response({"results": WebhookAnswer(found, many=True).data}))

    @extend_schema(
        operation_id="webhook_create",
        summary="Add a webhook",
        description="Takes the role owner. Messages are sent to public addresses only, unless this server allows a"
        " network. One that fails is sent again, later each time.",
        tags=["webhooks"],
        request=NewWebhook,
        responses={201: CreatedWebhook, **WRITES},
    )
    def post(self, request: Request, catalog: str) -> Response:
        found = catalog_of(request, catalog, Action.MANAGE_WEBHOOKS)
        body = body_checked(NewWebhook, request)
        principal = principal_of(request)
        webhook = webhook_create(principal=principal, catalog=found, record=setting_recorder(principal), **body)
        address = reverse("api-webhook", args=[found.name, webhook.pk], request=request)
        return Response(CreatedWebhook(webhook).data, status=201, headers={"Location": address})


class WebhookView(ApiView):
    @extend_schema(
        operation_id="webhook_get",
        summary="Look at a webhook",
        tags=["webhooks"],
        parameters=[IF_NONE_MATCH],
        responses={200: WebhookAnswer, **READS},
    )
    def get(self, request: Request, catalog: str, webhook_id: int) -> Response:
        return tagged(request, Response(_shown(_place(request, catalog, webhook_id))))

    @extend_schema(
        operation_id="webhook_change",
        summary="Change a webhook, or switch it off",
        tags=["webhooks"],
        parameters=[IF_MATCH],
        request=WebhookChange,
        responses={200: WebhookAnswer, **WRITES, **STALE},
    )
    def patch(self, request: Request, catalog: str, webhook_id: int) -> Response:
        found = _place(request, catalog, webhook_id)
        body = body_checked(WebhookChange, request)
        principal = principal_of(request)
        changed = webhook_change(
            principal=principal,
            webhook=found,
            changes=body,
            check=lambda present: unchanged(request, _shown(present)),
            record=setting_recorder(principal),
        )
        return tagged(request, Response(_shown(changed)))

    @extend_schema(
        operation_id="webhook_remove",
        summary="Remove a webhook and the log of its messages",
        tags=["webhooks"],
        responses={204: OpenApiResponse(description="The webhook is removed."), **FORBIDDEN, **NOT_FOUND},
    )
    def delete(self, request: Request, catalog: str, webhook_id: int) -> Response:
        principal, webhook = principal_of(request), _place(request, catalog, webhook_id)
        webhook_remove(principal=principal, webhook=webhook, record=setting_recorder(principal))
        return Response(status=204)


class WebhookTestView(ApiView):
    @extend_schema(
        operation_id="webhook_test",
        summary="Send a message that says nothing",
        description="The log of messages shows whether it arrived.",
        tags=["webhooks"],
        request=None,
        responses={202: DeliveryAnswer, **WRITES},
    )
    def post(self, request: Request, catalog: str, webhook_id: int) -> Response:
        sent = webhook_ping(principal=principal_of(request), webhook=_place(request, catalog, webhook_id))
        return Response(DeliveryAnswer(sent).data, status=202)


class DeliveryListView(ApiView):
    @extend_schema(
        operation_id="webhook_delivery_list",
        summary="What was sent, newest first",
        tags=["webhooks"],
        parameters=[PageFilter, IF_NONE_MATCH],
        responses={200: page_schema("WebhookDeliveryPage", DeliveryAnswer(many=True)), **READS},
    )
    def get(self, request: Request, catalog: str, webhook_id: int) -> Response:
        page = keyset_page(checked(PageFilter, request), int, str)
        found = deliveries_list(_place(request, catalog, webhook_id), after=page.after, limit=page.fetch)
        body = page_body(
            request, page, found, key=newest_key, shown=lambda entries: DeliveryAnswer(entries, many=True).data
        )
        return tagged(request, Response(body))


class DeliveryRepeatView(ApiView):
    @extend_schema(
        operation_id="webhook_delivery_repeat",
        summary="Send a message again",
        tags=["webhooks"],
        request=None,
        responses={202: DeliveryAnswer, **WRITES},
    )
    def post(self, request: Request, catalog: str, webhook_id: int, delivery_id: UUID) -> Response:
        webhook = _place(request, catalog, webhook_id)
        sent = delivery_repeat(principal=principal_of(request), webhook=webhook, delivery_id=delivery_id)
        return Response(DeliveryAnswer(sent).data, status=202)
