"""Read audit records."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, Func, IntegerField, Q, QuerySet, TextField
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast, Coalesce

from catalog_app.models import Branch, Catalog
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.snapshots import SNAPSHOT, branch_snapshot
from lakeui.common.errors import BranchProtected, LakeError, MergeBlocked, MergeConflict, NotFound
from merge_app.audit.models import MergeAttempt


def audit_list(*, visible: QuerySet[Catalog], kind: str = "merge", **wanted: Any) -> QuerySet[MergeAttempt]:
    """Records of one kind about visible catalogs, newest first; ``wanted`` are values by the names of ``_FILTERS``."""
    return (
        MergeAttempt.objects.filter(kind=kind, catalog__in=visible)
        .filter(**{_FILTERS[name]: value for name, value in wanted.items()})
        .select_related("catalog")
        .order_by("-recorded_at", "-number")
    )


_FILTERS = {
    "catalog": "catalog__name__iexact",
    "outcome": "outcome",
    "source": "source__iexact",
    "destination": "destination__iexact",
    "actor": "actor_name",
    "since": "recorded_at__gte",
    "until": "recorded_at__lt",
}


def merges_search(*, text: str, catalog_ids: Collection[int], limit: int) -> list[MergeAttempt]:
    """Attempts in these catalogs whose branches' names hold the text or whose id begins with it, newest first."""
    found = MergeAttempt.objects.filter(kind="merge", catalog__in=catalog_ids, catalog__dropped_at__isnull=True)
    found = found.select_related("catalog")
    named = Q(source__icontains=text) | Q(destination__icontains=text)
    if re.fullmatch(r"[0-9a-f-]{4,36}", text.lower()):
        named |= Q(identity__startswith=text.lower())
    found = found.annotate(identity=Cast("merge_id", TextField())).filter(named)
    return list(found.defer("body").order_by("-recorded_at", "-number")[:limit])


@dataclass(frozen=True, slots=True)
class MergeOfTables:
    """A merge on a chain, and the tables that it changed."""

    merge_id: str
    version: int
    source: str
    table_ids: frozenset[int]


_MERGES = f"""
WITH {SNAPSHOT}
SELECT a.merge_id, a.version, a.source, array_agg(DISTINCT o.object_id)
FROM snapshot l
JOIN catalog_app_commit c ON c.branch_id = l.branch_id AND c.version > %(after)s AND c.version <= l.max_version
     AND c.merge_parent_id IS NOT NULL
JOIN merge_app_mergeattempt a ON a.catalog_id = c.catalog_id AND a.version = c.version AND a.kind = 'merge'
JOIN catalog_app_commitoperation o ON o.commit_id = c.id AND o.object_kind = 'table' AND NOT o.already_done
GROUP BY a.merge_id, a.version, a.source ORDER BY a.version
"""


def merges_between(branch: Branch, after: int) -> list[MergeOfTables]:
    """The merges into the branch, inherited ones included, after a version."""
    rows = fetch_all(_MERGES, {**branch_snapshot(branch).parameters, "after": after})
    return [MergeOfTables(str(row[0]), row[1], row[2], frozenset(row[3])) for row in rows]


def audit_counts(*, catalog_id: int) -> dict[str, int]:
    """How many merges into the catalog went through and were refused."""
    attempts = MergeAttempt.objects.filter(catalog_id=catalog_id, kind="merge")
    return attempts.aggregate(
        merge_count=Count("pk", filter=Q(outcome="merged")), refused_count=Count("pk", filter=Q(outcome="refused"))
    )


def failed_merges(*, catalog_id: int, oldest: int, newest: int, limit: int) -> list[MergeAttempt]:
    """Refused and failed attempts onto heads between both versions, newest first, each with its ``conflict_count``."""
    attempts = MergeAttempt.objects.filter(
        catalog_id=catalog_id,
        kind="merge",
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


def audit_get(merge_id: UUID | str, *, visible: QuerySet[Catalog] | None = None) -> dict[str, Any]:
    """One record with everything in it. Where ``visible`` is given, there are no records about other catalogs."""
    attempt = attempt_get(merge_id, visible=visible)
    shown = {**audit_summary(attempt), **attempt.body}
    if attempt.kind == "merge" and attempt.outcome == "merged":
        shown["undone_by"] = merge_undone(attempt)
    return shown


def attempt_get(merge_id: UUID | str, *, visible: QuerySet[Catalog] | None = None) -> MergeAttempt:
    """The record as it is stored. Raises NotFound, for records of catalogs that are not visible too."""
    try:
        wanted = UUID(str(merge_id))
    except ValueError:
        raise NotFound("merge", str(merge_id)) from None
    known = MergeAttempt.objects.all() if visible is None else MergeAttempt.objects.filter(catalog__in=visible)
    attempt = known.select_related("catalog").filter(pk=wanted).first()
    if attempt is None:
        raise NotFound("merge", str(merge_id))
    return attempt


def merge_undone(merge: MergeAttempt) -> dict[str, Any] | None:
    """The newest record of RESTORE MERGE that undid the merge: its id, version, actor and time."""
    return merges_undone([merge]).get(str(merge.merge_id))


def merges_undone(merges: Sequence[MergeAttempt]) -> dict[str, dict[str, Any]]:
    """By id the merges that were undone, each with the newest record of it, in one statement."""
    went_through = [merge for merge in merges if merge.kind == "merge" and merge.outcome == "merged"]
    if not went_through:
        return {}
    found = MergeAttempt.objects.filter(
        catalog__in={merge.catalog_id for merge in went_through},
        number__gt=min(merge.number for merge in went_through),
        kind="restore",
        outcome="restored",
        body__undone_merge__in=[str(merge.merge_id) for merge in went_through],
    )
    undone = found.annotate(undoes=KeyTextTransform("undone_merge", "body")).defer("body").order_by("number")
    return {item.undoes: _undone(item) for item in undone}


def _undone(undone: MergeAttempt) -> dict[str, Any]:
    return {
        "audit_id": str(undone.merge_id),
        "version": undone.version,
        "actor": undone.actor_name,
        "time": undone.recorded_at.isoformat(),
    }


def attempt_of_task(task_id: UUID) -> MergeAttempt | None:
    """What a task recorded, if its work is of a kind that is recorded and came so far."""
    return MergeAttempt.objects.filter(task_id=task_id).order_by("-number").first()


def recorded_refusal(attempt: MergeAttempt, *, way_out: str = "") -> LakeError:
    """The refusal as it was raised when it was recorded. ``way_out``: that of a transaction, whose conflicts no
    decision answers.
    """
    if blockers := attempt.body.get("blockers"):
        return blocked_error(attempt.body["message"], blockers)
    if problem := attempt.body.get("protection"):
        details = {name: problem[name] for name in ("branch", "patterns", "role")}
        return BranchProtected(problem["detail"], remedy=problem["remedy"], **details)
    conflicts, notes = attempt.body["conflicts"], attempt.body["notes"]
    if way_out:
        conflicts = [item | {"remedy": way_out, "decisions": []} for item in conflicts]
    return MergeConflict(attempt.body["message"], remedy=conflicts[0]["remedy"], conflicts=conflicts, notes=notes)


def blocked_error(message: str, blockers: list[dict[str, str]]) -> MergeBlocked:
    """The refusal of a merge request with everything that stands in its way."""
    return MergeBlocked(message, remedy="Resolve what blocks it, then merge it again.", blockers=blockers)


def audit_summaries(attempts: Sequence[MergeAttempt]) -> list[dict[str, Any]]:
    """The lines of a list, each with who undid the merge."""
    undone = merges_undone(attempts)
    return [{**audit_summary(item), "undone_by": undone.get(str(item.merge_id))} for item in attempts]


def audit_summary(attempt: MergeAttempt) -> dict[str, Any]:
    """The line of a list: who, what, when, and what came of it."""
    return {
        "merge_id": str(attempt.merge_id),
        "kind": attempt.kind,
        "catalog": attempt.catalog.name,
        "source": attempt.source,
        "destination": attempt.destination,
        "outcome": attempt.outcome,
        "status": _status(attempt),
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


def _status(attempt: MergeAttempt) -> str:
    """What the attempt came to, in the word that says what is next."""
    if attempt.outcome == "dry run":
        return "mergeable" if attempt.body.get("mergeable") else "conflicted"
    if attempt.outcome == "refused":
        stopped = attempt.body.get("blockers") or attempt.body.get("protection")
        return "waits for people" if stopped else "conflicted"
    return attempt.outcome
