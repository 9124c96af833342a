"""Walks the audit chains: a changed, missing or invented record is found, and a merge without a record."""

from __future__ import annotations

from catalog_app.models import Catalog
from catalog_app.selectors.rows import fetch_all
from merge_app.audit.models import AuditChain, MergeAttempt
from merge_app.audit.services import attempt_digest
from merge_app.review.timeline import timelines_verify

_WITHOUT_RECORD = """
SELECT c.version FROM catalog_app_commit c
WHERE c.catalog_id = %(catalog)s AND (c.merge_parent_id IS NOT NULL OR c.operation IN ('TRANSACTION', 'RESTORE TABLE',
    'RESTORE DATABASE', 'RESTORE BRANCH', 'RESTORE MERGE', 'UNDROP TABLE', 'UNDROP DATABASE'))
  AND 1 <> (SELECT count(*) FROM merge_app_mergeattempt a WHERE a.catalog_id = c.catalog_id AND a.version = c.version)
ORDER BY c.version
"""
_WITHOUT_COMMIT = """
SELECT a.number FROM merge_app_mergeattempt a
WHERE a.catalog_id = %(catalog)s AND a.version IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM catalog_app_commit c WHERE c.catalog_id = a.catalog_id AND c.version = a.version)
ORDER BY a.number
"""


def audit_verify(catalog: Catalog) -> list[str]:
    """Every breach in words; empty when the chain is whole and fits the history."""
    breaches = []
    chain = AuditChain.objects.filter(catalog=catalog).first() or AuditChain(records=0, digest="")
    expected, previous = 1, ""
    for record in MergeAttempt.objects.filter(catalog=catalog).order_by("number").iterator(chunk_size=500):
        if record.number != expected:
            breaches.append(f"records {expected} to {record.number - 1} are missing")
        elif record.previous_digest != previous:
            breaches.append(f"record {record.number} does not follow record {record.number - 1}")
        if attempt_digest(record, is_plain=record.number <= chain.plain_records) != record.digest:
            breaches.append(f"record {record.number} was changed after it was written")
        expected, previous = record.number + 1, record.digest
    if (expected - 1, previous) != (chain.records, chain.digest):
        breaches.append(f"the records end with {expected - 1}, not as they were written with {chain.records}")
    where = {"catalog": catalog.pk}
    breaches += [f"version {row[0]} has not exactly one record" for row in fetch_all(_WITHOUT_RECORD, where)]
    breaches += [f"record {row[0]} names a version that is not there" for row in fetch_all(_WITHOUT_COMMIT, where)]
    return [*breaches, *timelines_verify(catalog.pk)]
