"""VACUUM: remove files that nothing can reach any more (semantics §5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from catalog_app.domain.roles import LAKEUI, Principal
from catalog_app.models import Branch, Catalog
from catalog_app.selectors.dropped_catalogs import catalogs_to_expire
from catalog_app.services.retention import (
    RetentionLimits,
    VacuumPlan,
    marked_files_remove,
    vacuum_plan,
    vacuum_run,
)
from catalog_app.storage.warehouse import Warehouse
from lakeui.frontdoor.call import Call, table_for_reading
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.sql import statements as sql
from merge_app.audit.services import AttemptRecord, attempt_record
from merge_app.jobs.selectors import oldest_running_start
from merge_app.review.selectors import branches_requested

FILES_LISTED = 1000
"""An answer and its audit record list so many of the files."""


def retention_limits(catalog: Catalog, own_task: UUID | None) -> RetentionLimits:
    """What the settings allow to expire now. Files staged since the oldest other task began may be that task's, and
    branches of unfinished merge requests may yet be undropped and merged.
    """
    now = timezone.now()
    staged = now - timedelta(hours=settings.LAKEUI["STAGED_HOURS"])
    running = oldest_running_start(but=own_task)
    return RetentionLimits(
        history=now - timedelta(days=settings.LAKEUI["RETENTION_DAYS"]),
        staged=min(staged, running) if running is not None else staged,
        held=branches_requested(catalog),
    )


def vacuum(call: Call, statement: sql.Vacuum) -> StatementResult:
    warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])
    found = None if statement.table is None else table_for_reading(call, statement.table)
    branch = call.branch if found is None else found.place.branch
    limits = retention_limits(branch.catalog, call.context.task_id)
    if found is not None:
        limits = replace(limits, table_id=found.table.table_id)
    label = "" if found is None else found.label
    call.context.step("find", f"files of {label or 'all tables'} that nothing can reach")
    if statement.dry_run:
        return vacuum_answer(_body(vacuum_plan(branch.catalog, warehouse, limits), limits, label))
    record = _recorder(branch, limits, call.principal, call.context.task_id, label)
    return vacuum_answer(_body(vacuum_run(branch.catalog, warehouse, limits, record=record), limits, label))


def vacuum_finish(body: dict[str, Any]) -> StatementResult:
    """What an earlier attempt marked and recorded goes now, as far as it is still there."""
    marked_files_remove(Warehouse(settings.LAKEUI["WAREHOUSE"]))
    return vacuum_answer(body)


def vacuum_answer(body: dict[str, Any]) -> StatementResult:
    """The files as a table, and how many there are in all."""
    return StatementResult(
        columns=[("file", "string"), ("bytes", "bigint"), ("reason", "string")],
        rows=body["removed"],
        row_count=len(body["removed"]),
        truncated=len(body["removed"]) < body["files"],
        metrics={"files_removed": body["files"], "bytes_removed": body["bytes"]},
    )


def _body(plan: VacuumPlan, limits: RetentionLimits, table: str) -> dict[str, Any]:
    return {
        **({"table": table} if table else {}),
        "files": len(plan.files),
        "bytes": plan.bytes,
        "removed": [[file.path, file.bytes, file.reason] for file in plan.files[:FILES_LISTED]],
        "older_than": limits.history.isoformat(),
        "oldest_versions": {str(branch_id): version for branch_id, version in plan.retained.horizons.items()},
        "expired_branches": sorted(plan.retained.expired),
    }


def dropped_catalogs_expire(now: datetime) -> int:
    """Remove the files of catalogs that were dropped before the retention; answers how many. No statement can name such
    a catalog.
    """
    warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])
    removed = 0
    for catalog in catalogs_to_expire(now - timedelta(days=settings.LAKEUI["RETENTION_DAYS"])):
        limits = retention_limits(catalog, None)
        main = Branch.objects.get(catalog=catalog, parent__isnull=True, is_workspace=False)
        removed += len(vacuum_run(catalog, warehouse, limits, record=_recorder(main, limits, LAKEUI, None)).files)
    return removed


def _recorder(
    branch: Branch, limits: RetentionLimits, principal: Principal, task_id: UUID | None, table: str = ""
) -> Callable[[VacuumPlan], None]:
    def record(plan: VacuumPlan) -> None:
        head = branch.head_version
        attempt_record(
            AttemptRecord(
                catalog_id=branch.catalog_id,
                kind="vacuum",
                source="",
                destination="",
                outcome="vacuumed" if plan.files else "nothing to do",
                source_head=head,
                destination_head=head,
                merge_base=head,
                fingerprint="",
                body=_body(plan, limits, table),
                actor_id=principal.user_id,
                actor_name=principal.name,
                task_id=task_id,
            )
        )

    return record
