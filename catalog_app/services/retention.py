"""VACUUM: find what nothing can reach, say so in the metadata, then remove the bytes.

The metadata comes first, in one transaction that holds off every commit of the catalog. From then on no commit can
bring such a file back, and a crash leaves files to remove, never metadata without files. Bytes go afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from catalog_app.domain.files import is_outside
from catalog_app.models import Branch, Catalog, ExpiredFile, Table
from catalog_app.selectors.retention import (
    Retained,
    UnreachableFile,
    known_paths,
    orphaned_files,
    paths_needed,
    paths_unexpired,
    retained_find,
    unasked_files,
    unreachable_files,
)
from catalog_app.services.deleted_keys import deleted_keys_expire
from catalog_app.services.published import HANDED_OUT, published_forget
from catalog_app.storage.warehouse import NO_TABLE, Warehouse
from lakeui.common.faults import fault_point

BATCH = 1000
TOGETHER = 250
"""So many files go at once: a store removes them by one request."""


@dataclass(frozen=True, slots=True)
class RetentionLimits:
    """``history``: what is older may expire. ``staged``: what was staged earlier belongs to no running statement.
    ``held``: ids of branches that stay in the trash whatever their age. ``table_id``: only its files go; versions
    expire as without it, for all tables.
    """

    history: datetime
    staged: datetime
    held: frozenset[int] = frozenset()
    table_id: int | None = None


@dataclass(frozen=True, slots=True)
class VacuumPlan:
    """``files`` may go, ``retained`` says what stays. Reading only makes it; ``vacuum_run`` carries it out. Nothing
    reaches ``shared`` either, but other tables have the same bytes (a clone and its source), or the file was taken over
    and lies outside of the warehouse, so these stay.
    """

    files: tuple[UnreachableFile, ...]
    retained: Retained
    shared: tuple[UnreachableFile, ...] = ()

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.files)


def vacuum_plan(catalog: Catalog, warehouse: Warehouse, limits: RetentionLimits) -> VacuumPlan:
    """What VACUUM would remove now."""
    retained = retained_find(catalog, before=limits.history, held=limits.held)
    files = [
        *unreachable_files(catalog, retained, limits.table_id),
        *orphaned_files(catalog, before=limits.staged, table_id=limits.table_id),
        *unasked_files(catalog, before=_unasked_since(limits), table_id=limits.table_id),
        *_unregistered(catalog, warehouse, limits),
    ]
    # A clone and its source may let one file go at once: both are marked, and its bytes count once.
    found = {(file.path, file.data_file_id, file.delete_file_id): file for file in files}
    needed = paths_needed(found.values())
    going = {file.path: file for file in found.values() if file.path not in needed and not is_outside(file.path)}
    others = (file for file in found.values() if going.get(file.path) is not file)
    return VacuumPlan(tuple(going.values()), retained, tuple(others))


def _unregistered(catalog: Catalog, warehouse: Warehouse, limits: RetentionLimits) -> list[UnreachableFile]:
    """Files on disk, staging folders included, that no metadata names."""
    known: set[str] | None = None
    found = []
    every = NO_TABLE, *Table.objects.filter(catalog=catalog).values_list("pk", flat=True)
    for table_id in every if limits.table_id is None else (limits.table_id,):
        for file in warehouse.all_under(str(table_id)):
            if file.modified >= limits.staged:
                continue
            known = known_paths(catalog) if known is None else known
            if file.path not in known:
                found.append(UnreachableFile(file.path, file.bytes, "its statement was cut off while staging"))
    return found


def vacuum_run(
    catalog: Catalog, warehouse: Warehouse, limits: RetentionLimits, *, record: Callable[[VacuumPlan], None]
) -> VacuumPlan:
    """Remove what nothing can reach; answers what went. Run again, it finishes what a crash left. ``record`` writes
    what belongs to the same transaction.
    """
    with transaction.atomic():
        # In the order in which commits lock: branches, then the catalog, which holds off new branches and commits.
        branches = Branch.objects.select_for_update(of=("self",), no_key=True).filter(catalog=catalog)
        list(branches.order_by("pk").values_list("pk"))
        # Read anew: a catalog that was dropped may be back.
        found = Catalog.objects.select_for_update(of=("self",)).get(pk=catalog.pk)
        plan = _unasked_go(vacuum_plan(found, warehouse, limits), limits)
        _mark(plan)
        if limits.table_id is None:
            deleted_keys_expire(catalog, before=limits.history)
        record(plan)
        fault_point("vacuum.committing")
    fault_point("vacuum.committed")
    marked_files_remove(warehouse)
    return plan


def _unasked_since(limits: RetentionLimits) -> datetime:
    """An engine reads for a while by what it was handed, whatever the retention."""
    return min(limits.history, timezone.now() - HANDED_OUT)


def _unasked_go(plan: VacuumPlan, limits: RetentionLimits) -> VacuumPlan:
    """The plan without files for other engines that were asked for since it was made. The others are forgotten."""
    going = [file.path for file in plan.files if file.is_published]
    gone = published_forget(going, before=_unasked_since(limits))
    return replace(plan, files=tuple(file for file in plan.files if not file.is_published or file.path in gone))


def _mark(plan: VacuumPlan) -> None:
    for branch_id, horizon in plan.retained.horizons.items():
        Branch.objects.filter(pk=branch_id, oldest_version__lt=horizon).update(oldest_version=horizon)
    Branch.objects.filter(pk__in=plan.retained.expired).update(expired_at=timezone.now())
    ExpiredFile.objects.bulk_create(
        [
            ExpiredFile(
                path=file.path,
                bytes=file.bytes,
                data_file_id=file.data_file_id,
                delete_file_id=file.delete_file_id,
            )
            for file in (*plan.files, *plan.shared)
        ],
        batch_size=BATCH,
    )


def marked_files_remove(warehouse: Warehouse) -> None:
    """Remove the bytes of marked files that no other table needs. Removing what is gone already is fine."""
    waiting = ExpiredFile.objects.filter(removed_at__isnull=True).order_by("pk")
    while batch := list(waiting.values_list("pk", "path")[:BATCH]):
        needed = paths_unexpired({path for _, path in batch})
        going = [path for _, path in batch if path not in needed and not is_outside(path)]
        for first in range(0, len(going), TOGETHER):
            warehouse.remove_all(going[first : first + TOGETHER])
            fault_point("vacuum.removing")
        ExpiredFile.objects.filter(pk__in=[pk for pk, _ in batch]).update(removed_at=timezone.now())
