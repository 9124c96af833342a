"""Who changed accounts and groups: records of the server, chained as those of a catalog are."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from django.utils import timezone

from catalog_app.domain.roles import Principal
from lakeui.common.events import event_log
from merge_app.audit.models import AccountChain, AccountRecord


def accounts_lock() -> AccountChain:
    """The end of the chain, locked: changes of people and groups come one after the other, until the caller's
    transaction ends.
    """
    AccountChain.objects.bulk_create([AccountChain(pk=AccountChain.ROW)], ignore_conflicts=True)
    return AccountChain.objects.select_for_update().get(pk=AccountChain.ROW)


def account_record(
    principal: Principal,
    subject: str,
    name: str,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> AccountRecord:
    """Append one record, in the caller's transaction: a change and its record exist together or not at all."""
    chain = accounts_lock()
    record = AccountRecord(
        number=chain.records + 1,
        subject=subject,
        name=name,
        before=before,
        after=after,
        actor_id=principal.user_id,
        actor_name=principal.name,
        recorded_at=timezone.now(),
        previous_digest=chain.digest,
    )
    record.digest = account_digest(record)
    record.save(force_insert=True)
    chain.records, chain.digest = record.number, record.digest
    chain.save(update_fields=["records", "digest"])
    event_log("account", user=principal.name, kind=subject, account=name)
    return record


def account_digest(record: AccountRecord) -> str:
    """SHA-256 over the previous digest and the record's content in canonical JSON."""
    content = {
        "number": record.number,
        "subject": record.subject,
        "name": record.name,
        "before": record.before,
        "after": record.after,
        "actor": record.actor_id,
        "actor_name": record.actor_name,
        "recorded_at": record.recorded_at.isoformat(),
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256((record.previous_digest + text).encode()).hexdigest()


def accounts_verify() -> list[str]:
    """Every breach of the chain in words; empty when it is whole."""
    breaches = []
    chain = AccountChain.objects.filter(pk=AccountChain.ROW).first() or AccountChain()
    expected, previous = 1, ""
    for record in AccountRecord.objects.order_by("number").iterator(chunk_size=500):
        if record.number != expected:
            breaches.append(f"records {expected} to {record.number - 1} are missing")
        elif record.previous_digest != previous:
            breaches.append(f"record {record.number} does not follow record {record.number - 1}")
        if account_digest(record) != record.digest:
            breaches.append(f"record {record.number} was changed after it was written")
        expected, previous = record.number + 1, record.digest
    if (expected - 1, previous) != (chain.records, chain.digest):
        breaches.append(f"the records end with {expected - 1}, not as they were written with {chain.records}")
    return breaches
