"""What happened to a request: appended in the transaction of what happened, chained so that a change is found."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.utils import timezone

from merge_app.review.mails import entry_mail
from merge_app.review.models import MergeRequest, TimelineEntry, TimelineKind
from merge_app.webhooks.models import WebhookEvent
from merge_app.webhooks.outbox import event_emit


@dataclass(frozen=True, slots=True)
class Event:
    """An entry as it is handed over. ``actor_id`` None: lakeui itself."""

    kind: TimelineKind
    actor_id: int | None
    from_state: str = ""
    to_state: str = ""
    reason: str = ""
    details: dict[str, Any] = field(default_factory=dict)


def timeline_append(request: MergeRequest, event: Event) -> TimelineEntry:
    """Append one entry. The caller holds the request's row, which orders the entries."""
    last = TimelineEntry.objects.filter(request=request).order_by("-number").first()
    entry = TimelineEntry(
        request=request,
        number=last.number + 1 if last else 1,
        kind=event.kind,
        from_state=event.from_state,
        to_state=event.to_state,
        actor_id=event.actor_id,
        at=timezone.now(),
        reason=event.reason,
        details=event.details,
        previous_digest=last.digest if last else "",
    )
    entry.digest = entry_digest(entry)
    entry.save(force_insert=True)
    request.timeline_digest = entry.digest
    MergeRequest.objects.filter(pk=request.pk).update(timeline_digest=entry.digest)
    event_emit(
        catalog_id=request.catalog_id,
        event=WebhookEvent.MERGE_REQUEST,
        build=lambda: _message(request, entry),
    )
    entry_mail(request, entry)
    return entry


def _message(request: MergeRequest, entry: TimelineEntry) -> dict[str, Any]:
    """The entry as webhooks get it; what people wrote is looked up by who may."""
    return {
        "catalog": request.catalog.name,
        "number": request.number,
        "title": request.title,
        "source": request.source.name,
        "destination": request.destination.name,
        "entry": entry.number,
        "kind": str(entry.kind),
        "from_state": entry.from_state,
        "to_state": entry.to_state,
        "actor": entry.actor.get_username() if entry.actor else "",
        "at": entry.at.isoformat(),
        "reason": entry.reason,
        "details": entry.details,
    }


def entry_digest(entry: TimelineEntry) -> str:
    """SHA-256 over the previous digest and the entry's content in canonical JSON."""
    content = {
        "request": entry.request_id,
        "number": entry.number,
        "kind": str(entry.kind),
        "from_state": entry.from_state,
        "to_state": entry.to_state,
        "actor": entry.actor_id,
        "at": entry.at.isoformat(),
        "reason": entry.reason,
        "details": entry.details,
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256((entry.previous_digest + text).encode()).hexdigest()


def timelines_verify(catalog_id: int) -> Iterator[str]:
    """Every breach in words: a changed, missing or invented entry, a state that no entry led to."""
    entries = TimelineEntry.objects.filter(request__catalog_id=catalog_id).select_related("request")
    known: dict[int, TimelineEntry] = {}
    states: dict[int, str] = {}
    for entry in entries.order_by("request_id", "number").iterator(chunk_size=500):
        before = known.get(entry.request_id)
        yield from _entry_breaches(entry, before, states.get(entry.request_id, ""))
        known[entry.request_id] = entry
        states[entry.request_id] = entry.to_state or states.get(entry.request_id, "")
    for request in MergeRequest.objects.filter(catalog_id=catalog_id).order_by("number").iterator(chunk_size=500):
        end = known.get(request.pk)
        if (end.digest if end else "") != request.timeline_digest:
            yield f"the timeline of merge request {request.number} does not end as it was written"
        if states.get(request.pk) != request.state:
            yield f"merge request {request.number} is in a state that its timeline does not say"


def _entry_breaches(entry: TimelineEntry, before: TimelineEntry | None, state: str) -> Iterator[str]:
    name = f"entry {entry.number} of merge request {entry.request.number}"
    if entry.number != (before.number + 1 if before else 1):
        yield f"{name} does not come next: entries before it are missing"
    elif entry.previous_digest != (before.digest if before else ""):
        yield f"{name} does not follow the entry before it"
    if entry_digest(entry) != entry.digest:
        yield f"{name} was changed after it was written"
    if entry.to_state and entry.from_state != state:
        yield f"{name} leaves a state that the request was not in"
