"""One message to the incoming webhook of a person's chat: ``{"text": …}``, as Slack and Mattermost take it."""

from __future__ import annotations

import json

from django.conf import settings

from merge_app.mails.errors import Refused, Unsent
from merge_app.mails.models import Mail
from merge_app.webhooks.addresses import networks_parse, target_find
from merge_app.webhooks.chat import LONGEST, chat_escaped
from merge_app.webhooks.errors import AddressRefused, Undelivered
from merge_app.webhooks.sending import message_send

_FOR_NOW = (408, 425, 429)
"""Of the statuses from 300 to 499 those that ask for a later attempt. The others say that the address takes nothing."""


def chat_check(url: str) -> None:
    """Raises AddressRefused where a message may not go there, by the rules of webhooks."""
    target_find(url, allowed=networks_parse(settings.LAKEUI["WEBHOOK_NETWORKS"]))


def chat_send(mail: Mail, url: str) -> None:
    """Hand the message to the chat. Raises Unsent, Refused. Neither names the path of the address."""
    try:
        # Looked up at every attempt: where a name leads, and what is allowed, may have changed.
        target = target_find(url, allowed=networks_parse(settings.LAKEUI["WEBHOOK_NETWORKS"]))
        status = message_send(target, headers={}, body=json.dumps({"text": _text(mail)}).encode())
    except (AddressRefused, Undelivered) as failure:
        raise Unsent(str(failure)) from None
    if 300 <= status < 500 and status not in _FOR_NOW:
        raise Refused(f"The chat refused the message: {status}.")
    if not 200 <= status < 300:
        raise Unsent(f"The chat answered {status}.")


def _text(mail: Mail) -> str:
    """What happened and where. Names come from people: none of them is a link or a mention."""
    base = settings.LAKEUI["PUBLIC_URL"]
    return f"{chat_escaped(mail.body)[:LONGEST]}\n{base}{mail.path}"
