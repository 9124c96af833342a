"""Landing zones: send a file, list and remove files, claim them for a run, archive what it read."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum
from django.utils import timezone

from catalog_app.domain.names import name_check, name_folded
from catalog_app.importing.formats import name_warning
from catalog_app.importing.plain_files import file_looked_into
from catalog_app.importing.scanning import file_scan
from catalog_app.importing.spec import FileFormat, Scan
from catalog_app.models import Commit
from catalog_app.services.imports import largest_import
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import AlreadyExists, InvalidValue, NotFound
from lakeui.common.json_values import storable
from merge_app.pipelines.definition.landing import LandedColumn, LandedFile, zones_named
from merge_app.pipelines.models import LandingFile, Pipeline

HALF_SENT = timedelta(days=1)
"""A file that is not whole by then never will be."""
MOST_SWEPT = 1_000


def landing_put(
    pipeline: Pipeline,
    *,
    zone: str,
    name: str,
    file: Path,
    declared: str | None,
    user_id: int | None,
    warehouse: Warehouse,
) -> tuple[LandingFile, bool]:
    """Look through a file of this machine and keep a copy in the zone; whether it is new there. The same file sent
    twice is one. Raises InvalidValue for what cannot be read, and AlreadyExists where another file of that name waits.
    """
    zone, name = zone_checked(zone), name_folded(name)
    name_check("file", name)
    digest = _digest(file)
    present = _waiting(pipeline.pk, zone).filter(name=name).first()
    if present is not None:
        return _same(present, digest), False
    scan, found = _looked_through(file, declared)
    made = LandingFile(
        pipeline=pipeline,
        zone=zone,
        name=name,
        bytes=file.stat().st_size,
        digest=digest,
        created_by_id=user_id,
        **_scanned_fields(scan, found, name),
    )
    made.path = f"{_folder(made.pk)}/file"
    # The row first: a crash in between leaves a row that is swept, never a file without a row.
    made.save()
    warehouse.put(file, made.path)
    if _shown_whole(made):
        return made, True
    landing_remove(made, warehouse=warehouse)
    return _same(_waiting(pipeline.pk, zone).get(name=name), digest), False


def _shown_whole(file: LandingFile) -> bool:
    """Whether it is the one file of its name that waits in its zone."""
    try:
        with transaction.atomic():
            file.is_whole = True
            file.save(update_fields=["is_whole"])
    except IntegrityError:
        return False
    return True


def _scanned_fields(scan: Scan, found: FileFormat, name: str) -> dict[str, Any]:
    """Of the row of a file: what its bytes hold."""
    return {
        "format": found.value,
        "reading": storable(scan.reading.as_json()),
        "columns": [asdict(column) for column in _columns(scan, found)],
        "rows": scan.rows,
        "warnings": storable([*scan.warnings, *filter(None, [name_warning(name, found)])]),
    }


def _looked_through(file: Path, declared: str | None) -> tuple[Scan, FileFormat]:
    """What the file holds, and its format. Raises InvalidValue where two columns have one name."""
    with file_looked_into(file, declared=declared, most=largest_import()) as plain:
        scan, found = file_scan(plain.path, plain.format, plain.reading), plain.format
    if scan.doubled:
        raise InvalidValue(
            f"The file has the column {scan.doubled[0]} more than once; case makes no difference.",
            remedy="Give each column a name of its own.",
            column=scan.doubled[0],
        )
    return scan, found


def zone_checked(zone: str) -> str:
    """The name as it is kept. Raises InvalidValue for what no template could name or no address could hold."""
    zone = name_folded(zone)
    name_check("landing zone", zone)
    if "@" in zone:
        raise InvalidValue(
            f"{zone!r} cannot be the name of a landing zone: it holds an @.",
            remedy="Choose another name.",
            field="zone",
        )
    return zone


def zones_list(pipeline: Pipeline) -> list[dict[str, Any]]:
    """Zones that the template names, then those that have files: how many of these wait or are archived."""
    counted = (
        LandingFile.objects.filter(pipeline=pipeline, is_whole=True)
        .values("zone")
        .annotate(
            waiting=Count("pk", filter=Q(archived_at__isnull=True)),
            waiting_bytes=Sum("bytes", filter=Q(archived_at__isnull=True), default=0),
            archived=Count("pk", filter=Q(archived_at__isnull=False)),
        )
        .order_by("zone")
    )
    counts = ("waiting", "waiting_bytes", "archived")
    found: dict[str, dict[str, Any]] = {}
    for zone in zones_named(pipeline.source):
        found[zone.casefold()] = {"name": zone, "is_read": True, **dict.fromkeys(counts, 0)}
    for row in counted.values_list("zone", *counts):
        zone, *numbers = row
        unread = {"name": zone, "is_read": False, **dict.fromkeys(counts, 0)}
        known = found.setdefault(zone.casefold(), unread)
        for name, number in zip(counts, numbers, strict=True):
            known[name] += number
    return list(found.values())


def landing_files(pipeline: Pipeline, zone: str, *, state: str | None = None) -> QuerySet[LandingFile]:
    """The files of a zone, newest first; ``state``: only those that wait, or are archived."""
    found = LandingFile.objects.filter(pipeline=pipeline, zone__iexact=zone, is_whole=True)
    if state is not None:
        found = found.filter(archived_at__isnull=state == "waiting")
    return found.select_related("created_by").order_by("-created_at", "-pk")


def landing_file_get(pipeline: Pipeline, zone: str, identity: UUID) -> LandingFile:
    found = landing_files(pipeline, zone).filter(pk=identity).first()
    if found is None:
        raise NotFound("file", str(identity), where=f"in the landing zone {zone}")
    return found


def landing_return(file: LandingFile) -> LandingFile:
    """Have an archived file read again. Raises AlreadyExists where another file of its name waits."""
    if file.archived_at is None:
        return file
    file.archived_at, file.claimed_by = None, None
    try:
        with transaction.atomic():
            file.save(update_fields=["archived_at", "claimed_by"])
    except IntegrityError:
        raise AlreadyExists("file", file.name, where=f"in the landing zone {file.zone}") from None
    return file


def landing_remove(file: LandingFile, *, warehouse: Warehouse) -> None:
    """Remove a file and what is known of it."""
    warehouse.discard(_folder(file.pk))
    LandingFile.objects.filter(pk=file.pk).delete()


# -- runs -------------------------------------------------------------------------------------------------------------


def files_waiting(pipeline_id: int, zone: str) -> list[LandingFile]:
    """What a run reads of a zone, oldest first."""
    return list(_waiting(pipeline_id, zone).order_by("created_at", "pk"))


def last_archived(pipeline_id: int, zone: str) -> list[LandingFile]:
    """What the last run read of a zone, oldest first: it says what columns the zone has while no file waits there."""
    found = LandingFile.objects.filter(pipeline_id=pipeline_id, zone__iexact=zone, archived_at__isnull=False)
    newest = found.order_by("-archived_at", "-pk").first()
    return list(found.filter(claimed_by=newest.claimed_by).order_by("created_at", "pk")) if newest else []


def files_claim(files: Sequence[LandingFile], *, task_id: UUID) -> None:
    """Say before a run writes which files go to the archive with it."""
    LandingFile.objects.filter(pk__in=[file.pk for file in files], archived_at__isnull=True).update(claimed_by=task_id)


def claims_archive(*, task_id: UUID) -> int:
    """Archive what the run claimed, since it succeeded. Run twice, it does no more."""
    claimed = LandingFile.objects.filter(claimed_by=task_id, archived_at__isnull=True)
    return claimed.update(archived_at=timezone.now())


def claims_settle(pipeline_id: int, *, but: UUID | None) -> None:
    """What runs that ended before claimed: archived where the run committed, else it waits again. A worker can die
    between a commit and the archive. ``but``: the run that asks, which has not committed.
    """
    claimed = LandingFile.objects.filter(pipeline_id=pipeline_id, claimed_by__isnull=False, archived_at__isnull=True)
    claimed = claimed.exclude(claimed_by=but) if but is not None else claimed
    committed = Exists(Commit.objects.filter(task_id=OuterRef("claimed_by")))
    claimed.filter(committed).update(archived_at=timezone.now())
    claimed.update(claimed_by=None)


def landed(file: LandingFile) -> LandedFile:
    return LandedFile(file.name, tuple(LandedColumn(**column) for column in file.columns))


# -- what is kept for a time ------------------------------------------------------------------------------------------


def archives_sweep(now: datetime) -> int:
    """Remove archived files after the days that history is kept, those of deleted pipelines, and half sent ones."""
    kept_since = now - timedelta(days=settings.LAKEUI["RETENTION_DAYS"])
    gone = (
        Q(archived_at__lt=kept_since)
        | Q(is_whole=False, created_at__lt=now - HALF_SENT)
        | Q(pipeline__deleted_at__lt=kept_since)
    )
    warehouse, removed = Warehouse(settings.LAKEUI["WAREHOUSE"]), 0
    while stale := list(LandingFile.objects.filter(gone)[:MOST_SWEPT]):
        for file in stale:
            landing_remove(file, warehouse=warehouse)
        removed += len(stale)
    return removed


def _folder(identity: UUID) -> str:
    return f"landing/{identity.hex}"


def _waiting(pipeline_id: int, zone: str) -> QuerySet[LandingFile]:
    return LandingFile.objects.filter(
        pipeline_id=pipeline_id, zone__iexact=zone, archived_at__isnull=True, is_whole=True
    )


def _same(present: LandingFile, digest: str) -> LandingFile:
    if present.digest != digest:
        raise AlreadyExists("file", present.name, where=f"in the landing zone {present.zone}")
    return present


def _digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _columns(scan: Scan, form: FileFormat) -> list[LandedColumn]:
    has_texts = form is FileFormat.CSV
    return [
        LandedColumn(choice.name, choice.type, has_texts, column.is_empty)
        for choice, column in zip(scan.reading.columns, scan.columns, strict=True)
    ]
