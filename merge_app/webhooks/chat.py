"""Events as one line of text, for chats whose webhooks take ``{"text": ..}``: Slack, Mattermost and others.

Names come from people, so the three characters that Slack's markup reads are escaped, and a name is no mention.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from merge_app.webhooks.models import WebhookEvent

LONGEST = 3000


def chat_text(event: WebhookEvent, content: Mapping[str, Any]) -> str:
    """The event in a sentence. ``content``: as the other form of messages has it under ``data``."""
    given = {name: chat_escaped(value) for name, value in content.items()}
    return _SENTENCES[event](given)[:LONGEST]


def chat_escaped(value: Any) -> str:
    """The value as one line, in which the markup of chats finds nothing."""
    if isinstance(value, Mapping):
        return ", ".join(f"{chat_escaped(name)} {chat_escaped(entry)}" for name, entry in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(chat_escaped(entry) for entry in value)
    text = "" if value is None else str(value)
    return " ".join(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").split())


def _merge_request(given: Mapping[str, str]) -> str:
    what = f"{given['from_state']} → {given['to_state']}" if given["from_state"] else given["kind"]
    return (
        f"{given['catalog']} request {given['number']} “{given['title']}” ({given['source']} → {given['destination']}):"
        f" {what}{_by(given)}{_because(given)}"
    )


def _merge(given: Mapping[str, str]) -> str:
    version = f" as version {given['version']}" if given["version"] else ""
    return (
        f"{given['catalog']}: merge of {given['source']} into {given['destination']}: {given['outcome']}{version}"
        f"{_by(given)}"
    )


def _commit(given: Mapping[str, str]) -> str:
    by = f" by {given['author']}" if given["author"] else ""
    return f"{given['catalog']}/{given['branch']} is at version {given['version']}: {given['operation']}{by}"


def _bypass(given: Mapping[str, str]) -> str:
    return f"{given['catalog']}/{given['branch']}: a protection was bypassed{_by(given)}{_because(given)}"


def _check(given: Mapping[str, str]) -> str:
    return f"{given['catalog']} request {given['number']}: checks ran: {given['checks']}"


def _reference(given: Mapping[str, str]) -> str:
    was = f" (it was {given['was']})" if given["was"] else ""
    return f"{given['catalog']}: {given['kind']} {given['name']} was {given['action']}{was}{_by(given)}"


def _drop(given: Mapping[str, str]) -> str:
    if "reset_to" in given:
        return f"{given['catalog']}: branch {given['branch']} was reset to version {given['reset_to']}{_by(given)}"
    what = f"branch {given['branch']} was dropped" if given["branch"] else "the catalog was dropped"
    return f"{given['catalog']}: {what}{_by(given)}"


def _expiry(given: Mapping[str, str]) -> str:
    return f"{given['catalog']}: branch {given['branch']} expires at {given['expires_at']}"


def _run(given: Mapping[str, str]) -> str:
    return f"{given['catalog']}: run of pipeline {given['pipeline']}: {_end(given)}"


def _task(given: Mapping[str, str]) -> str:
    return f"{given['catalog']}: task {given['kind']}: {_end(given)}"


def _record(given: Mapping[str, str]) -> str:
    return f"{given['catalog']}: {given['kind']} of {given['what']}: {given['outcome']}{_by(given)}"


def _checkpoint(given: Mapping[str, str]) -> str:
    return f"Checkpoint of the audit: {given['statement']}, signature {given['signature']}"


def _ping(given: Mapping[str, str]) -> str:
    return f"{given['catalog']}: a test of this webhook{_by(given)}"


def _end(given: Mapping[str, str]) -> str:
    code = f" ({given['code']})" if given["code"] else ""
    return f"{given['state']}{code}{_by(given)}"


def _by(given: Mapping[str, str]) -> str:
    return f" by {given['actor']}" if given["actor"] else ""


def _because(given: Mapping[str, str]) -> str:
    return f". {given['reason']}" if given["reason"] else ""


_SENTENCES: dict[WebhookEvent, Callable[[Mapping[str, str]], str]] = {
    WebhookEvent.MERGE_REQUEST: _merge_request,
    WebhookEvent.MERGE: _merge,
    WebhookEvent.COMMIT: _commit,
    WebhookEvent.BYPASS: _bypass,
    WebhookEvent.CHECK: _check,
    WebhookEvent.REFERENCE: _reference,
    WebhookEvent.DROP: _drop,
    WebhookEvent.EXPIRY: _expiry,
    WebhookEvent.RUN: _run,
    WebhookEvent.TASK: _task,
    WebhookEvent.RECORD: _record,
    WebhookEvent.CHECKPOINT: _checkpoint,
    WebhookEvent.PING: _ping,
}
