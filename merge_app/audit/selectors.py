"""Read audit records."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, FloatField, Func, IntegerField, Q, QuerySet, Sum
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast, Coalesce

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


@dataclass(frozen=True, slots=True)
class MergeTotal:
    """Attempts of one outcome, and how long they took together in seconds, as far as they recorded it."""

    outcome: str
    count: int
    seconds: float


def merge_totals() -> list[MergeTotal]:
    """All attempts by outcome."""
    duration = Cast(KeyTextTransform("duration_ms", "body"), FloatField())
    groups = MergeAttempt.objects.values_list("outcome").annotate(count=Count("pk"), taken=Coalesce(Sum(duration), 0.0))
    return [MergeTotal(outcome, count, taken / 1000) for outcome, count, taken in groups.order_by("outcome")]


def failed_merges(*, catalog_id: int, oldest: int, newest: int, limit: int) -> list[MergeAttempt]:
    """Refused and failed attempts onto heads between both versions, newest first, each with its ``conflict_count``."""
    attempts = MergeAttempt.objects.filter(
        catalog_id=catalog_id,
        outcome__in=("refused", "failed"),
        destination_head__gte=oldest,
        destination_head__lte=newest,
    )
    conflicts = Func(KeyTransform("conflicts", "body"), function="jsonb_array_length", output_field=IntegerField())
    return list(attempts.annotate(conflict_count=Coalesce(conflicts, 0)).defer("body").order_by("-number")[:limit])


@dataclass(frozen=True, slots=True)
class DiscardedSchema:
    """A schema version of ``source`` that the merge ``merge_id``, version ``merged_version``, did not need to keep."""

    version: int
    merge_id: UUID
    merged_version: int
    source: str


def discarded_schemas(*, catalog_id: int, table_id: int, merges: Collection[int]) -> list[DiscardedSchema]:
    """What these merges (by version) discarded of the table's schema versions, newest first."""
    attempts = MergeAttempt.objects.filter(catalog_id=catalog_id, outcome="merged", version__in=merges)
    found = [
        DiscardedSchema(version, merge_id, merged, source)
        for merge_id, merged, source, tables in attempts.values_list("merge_id", "version", "source", "body__tables")
        for entry in tables
        if entry["table_id"] == table_id and merged is not None
        for version in entry["discarded_schema_versions"]
    ]
    return sorted(found, key=lambda item: (item.version, item.merged_version), reverse=True)


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
