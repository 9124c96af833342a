"""The audit of a catalog as a file that others check without lakeui (``examples/verify_audit.py``)."""

from __future__ import annotations

from collections.abc import Iterator

from catalog_app.models import Catalog
from merge_app.audit.models import AuditChain, MergeAttempt
from merge_app.audit.services import attempt_content


def audit_export(catalog: Catalog) -> Iterator[str]:
    """A line for each record: its digest, a space, and the text that was hashed behind the digest before it."""
    chain = AuditChain.objects.filter(catalog=catalog).first()
    plain = chain.plain_records if chain else 0
    for record in MergeAttempt.objects.filter(catalog=catalog).order_by("number").iterator(chunk_size=500):
        yield f"{record.digest} {attempt_content(record, is_plain=record.number <= plain)}\n"
