"""Read audit records."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import Count, Q, QuerySet

from lakeui.common.errors import NotFound
from merge_app.audit.models import MergeAttempt


def audit_list(*, catalog: str | None = None) -> QuerySet[MergeAttempt]:
    """Attempts, newest first."""
    attempts = MergeAttempt.objects.select_related("catalog").order_by("-recorded_at", "-number")
    return attempts.filter(catalog__name__iexact=catalog) if catalog else attempts


def audit_counts(*, catalog_id: int) -> dict[str, int]:
    """How many merges into the catalog went through and were refused."""
    attempts = MergeAttempt.objects.filter(catalog_id=catalog_id)
    return attempts.aggregate(
        merge_count=Count("pk", filter=Q(outcome="merged")), refused_count=Count("pk", filter=Q(outcome="refused"))
    )


def audit_get(merge_id: UUID | str) -> dict[str, Any]:
    """One attempt with everything it recorded."""
    try:
        wanted = UUID(str(merge_id))
    except ValueError:
        raise NotFound("merge", str(merge_id)) from None
    attempt = MergeAttempt.objects.select_related("catalog").filter(pk=wanted).first()
    if attempt is None:
        raise NotFound("merge", str(merge_id))
    return {**audit_summary(attempt), **attempt.body}


def audit_summary(attempt: MergeAttempt) -> dict[str, Any]:
    """The line of a list: who, what, when, and what came of it."""
    return {
        "merge_id": str(attempt.merge_id),
        "catalog": attempt.catalog.name,
        "source": attempt.source,
        "destination": attempt.destination,
        "outcome": attempt.outcome,
        "version": attempt.version,
        "source_head": attempt.source_head,
        "destination_head": attempt.destination_head,
        "merge_base": attempt.merge_base,
        "fingerprint": attempt.fingerprint,
        "actor": attempt.actor_name,
        "task_id": str(attempt.task_id) if attempt.task_id else None,
        "time": attempt.recorded_at.isoformat(),
        "digest": attempt.digest,
    }
