"""Write audit records, chained so that a changed or missing one is found."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone

from catalog_app.models import Catalog
from catalog_app.selectors.rows import columns_of, fetch_all, fetch_models, stored_fields
from lakeui.common.events import event_log
from lakeui.common.instruments import instruments
from merge_app.audit.models import MergeAttempt
from merge_app.webhooks.models import WebhookEvent
from merge_app.webhooks.outbox import event_emit

BYPASS_KIND = "bypass"
MERGE_KIND = "merge"


@dataclass(frozen=True, slots=True)
class AttemptRecord:
    """An attempt as it is handed over for the record."""

    catalog_id: int
    source: str
    destination: str
    outcome: str
    source_head: int
    destination_head: int
    merge_base: int
    fingerprint: str
    body: dict[str, Any]
    kind: str = "merge"
    version: int | None = None
    actor_id: int | None = None
    actor_name: str = ""
    task_id: UUID | None = None


_LOCKED = f"""
SELECT {columns_of(Catalog, "c")} FROM catalog_app_catalog c WHERE c.id = %(catalog)s FOR NO KEY UPDATE
"""

_LAST = """
SELECT coalesce(m.number, 0), coalesce(m.digest, ''), EXISTS (
    SELECT FROM merge_app_webhook w
    WHERE w.catalog_id = %(catalog)s AND w.is_active AND w.events @> ARRAY[%(event)s::text])
FROM (SELECT) AS one LEFT JOIN LATERAL (
    SELECT number, digest FROM merge_app_mergeattempt WHERE catalog_id = %(catalog)s ORDER BY number DESC LIMIT 1
) m ON true
"""
"""Where the chain ends, and whether a webhook wants to know of what is added to it."""

_COLUMNS = [field.column for field in stored_fields(MergeAttempt)]
_APPEND = f"""
WITH ended AS (
    INSERT INTO merge_app_auditchain (catalog_id, records, digest, plain_records, signed_records)
    VALUES (%s, %s, %s, 0, 0)
    ON CONFLICT (catalog_id) DO UPDATE SET records = excluded.records, digest = excluded.digest
)
INSERT INTO merge_app_mergeattempt ({", ".join(_COLUMNS)}) VALUES ({", ".join(["%s"] * len(_COLUMNS))})
"""
"""The record and the new end of the chain."""

_EVENTS = {MERGE_KIND: WebhookEvent.MERGE, BYPASS_KIND: WebhookEvent.BYPASS}
"""Records of other kinds are events ``record``."""


def attempt_record(record: AttemptRecord) -> MergeAttempt:
    """Append one record. Part of the caller's transaction, so a merge and its record exist together or not at all."""
    with transaction.atomic(savepoint=False):
        # One chain per catalog: the catalog's row is the lock that orders its records. Commits go on meanwhile.
        (catalog,) = fetch_models(Catalog, _LOCKED, {"catalog": record.catalog_id})
        event = _EVENTS.get(record.kind, WebhookEvent.RECORD)
        asked = {"catalog": record.catalog_id, "event": event.value}
        ((number, digest, is_wanted),) = fetch_all(_LAST, asked, prepared=True)
        attempt = MergeAttempt(
            catalog=catalog,
            number=number + 1,
            kind=record.kind,
            source=record.source,
            destination=record.destination,
            outcome=record.outcome,
            version=record.version,
            source_head=record.source_head,
            destination_head=record.destination_head,
            merge_base=record.merge_base,
            fingerprint=record.fingerprint,
            actor_id=record.actor_id,
            actor_name=record.actor_name,
            task_id=record.task_id,
            recorded_at=timezone.now(),
            body=record.body,
            previous_digest=digest,
        )
        attempt.digest = attempt_digest(attempt)
        _append(attempt)
        if is_wanted:
            event_emit(catalog_id=record.catalog_id, event=event, build=partial(_MESSAGES[event], attempt))
        transaction.on_commit(partial(_report, attempt))
    return attempt


def _append(attempt: MergeAttempt) -> None:
    values = [
        field.get_db_prep_save(getattr(attempt, field.attname), connection) for field in stored_fields(MergeAttempt)
    ]
    with connection.cursor() as cursor:
        cursor.execute(_APPEND, [attempt.catalog_id, attempt.number, attempt.digest, *values])


def _report(attempt: MergeAttempt) -> None:
    """Log the attempt, and count it where it is a merge."""
    verdict = _gravest_verdict(attempt.body.get("findings"))
    took = attempt.body.get("duration_ms")
    is_merge = attempt.kind == MERGE_KIND
    if is_merge:
        instruments().merges.labels(attempt.outcome, verdict or "none").inc()
        if attempt.outcome == "merged" and took is not None:
            instruments().merge_seconds.observe(took / 1000)
    event_log(
        "merge" if is_merge else "record",
        user=attempt.actor_name,
        catalog=attempt.catalog.name,
        source=attempt.source,
        branch=attempt.destination,
        kind=attempt.kind,
        version=attempt.version,
        merge_id=str(attempt.merge_id),
        outcome=attempt.outcome,
        verdict=verdict,
        milliseconds=took,
    )


def _gravest_verdict(findings: list[dict[str, Any]] | None) -> str | None:
    """The gravest verdict that the rules came to; None where they were not asked."""
    if findings is None:
        return None
    found = {finding["verdict"] for finding in findings}
    return next((verdict for verdict in ("conflict", "decided", "note") if verdict in found), "ok")


def _merge(attempt: MergeAttempt) -> dict[str, Any]:
    """The attempt as webhooks get it."""
    return {
        "catalog": attempt.catalog.name,
        "merge_id": str(attempt.merge_id),
        "source": attempt.source,
        "destination": attempt.destination,
        "outcome": attempt.outcome,
        "version": attempt.version,
        "fingerprint": attempt.fingerprint,
        "actor": attempt.actor_name,
    }


def attempt_digest(attempt: MergeAttempt, *, is_plain: bool = False) -> str:
    """SHA-256 over the previous digest and the content. ``is_plain``: as it once was, without actor and task."""
    text = attempt_content(attempt, is_plain=is_plain)
    return hashlib.sha256((attempt.previous_digest + text).encode()).hexdigest()


def attempt_content(attempt: MergeAttempt, *, is_plain: bool = False) -> str:
    """The record's content in canonical JSON."""
    content: dict[str, Any] = {
        "merge_id": str(attempt.merge_id),
        "catalog": attempt.catalog_id,
        "number": attempt.number,
        "kind": attempt.kind,
        "source": attempt.source,
        "destination": attempt.destination,
        "outcome": attempt.outcome,
        "version": attempt.version,
        "source_head": attempt.source_head,
        "destination_head": attempt.destination_head,
        "merge_base": attempt.merge_base,
        "fingerprint": attempt.fingerprint,
        "actor_name": attempt.actor_name,
        "recorded_at": attempt.recorded_at.isoformat(),
        "body": attempt.body,
    }
    if not is_plain:
        content |= {"actor": attempt.actor_id, "task": str(attempt.task_id) if attempt.task_id else None}
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _bypass(attempt: MergeAttempt) -> dict[str, Any]:
    """Who went past which protection, and why."""
    return {
        "catalog": attempt.catalog.name,
        "branch": attempt.destination,
        "actor": attempt.actor_name,
        "at": attempt.recorded_at.isoformat(),
        "reason": attempt.body["reason"],
        "refused": attempt.body["refused"],
        "patterns": attempt.body["patterns"],
        "version": attempt.body["version"],
    }


def _record(attempt: MergeAttempt) -> dict[str, Any]:
    """Which record there is, without what was changed: a setting may hold what few may read."""
    return {
        "catalog": attempt.catalog.name,
        "merge_id": str(attempt.merge_id),
        "kind": attempt.kind,
        "what": attempt.destination,
        "outcome": attempt.outcome,
        "version": attempt.version,
        "actor": attempt.actor_name,
    }


_MESSAGES = {WebhookEvent.MERGE: _merge, WebhookEvent.BYPASS: _bypass, WebhookEvent.RECORD: _record}
