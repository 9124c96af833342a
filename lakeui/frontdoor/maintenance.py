"""VACUUM: remove files that nothing can reach any more (semantics §5)."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from catalog_app.services.retention import RetentionLimits, VacuumPlan, vacuum_plan, vacuum_run
from catalog_app.storage.warehouse import Warehouse
from lakeui.frontdoor.data import ROW_LIMIT
from lakeui.frontdoor.places import Call
from lakeui.frontdoor.values import StatementResult
from lakeui.sql import statements as sql
from merge_app.audit.selectors import attempt_of_task
from merge_app.audit.services import AttemptRecord, attempt_record
from merge_app.jobs.selectors import oldest_running_start


def retention_limits(own_task: UUID | None) -> RetentionLimits:
    """What the settings allow to expire now. Files staged since the oldest other task began may be that task's."""
    now = timezone.now()
    staged = now - timedelta(hours=settings.LAKEUI["STAGED_HOURS"])
    running = oldest_running_start(but=own_task)
    return RetentionLimits(
        history=now - timedelta(days=settings.LAKEUI["RETENTION_DAYS"]),
        staged=min(staged, running) if running is not None else staged,
    )


def vacuum(call: Call, statement: sql.Vacuum) -> StatementResult:
    warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])
    limits = retention_limits(call.context.task_id)
    call.context.step("find", "files that nothing can reach")
    if statement.dry_run:
        return _answer(vacuum_plan(call.catalog, warehouse, limits))
    return _answer(vacuum_run(call.catalog, warehouse, limits, record=lambda plan: _record(call, plan, limits)))


def _answer(plan: VacuumPlan) -> StatementResult:
    rows: list[list[object]] = [[file.path, file.bytes, file.reason] for file in plan.files[:ROW_LIMIT]]
    return StatementResult(
        columns=[("file", "string"), ("bytes", "bigint"), ("reason", "string")],
        rows=rows,
        row_count=len(rows),
        truncated=len(plan.files) > ROW_LIMIT,
        metrics={"files_removed": len(plan.files), "bytes_removed": plan.bytes},
    )


def _record(call: Call, plan: VacuumPlan, limits: RetentionLimits) -> None:
    """One record per task, also where a second attempt only removes what the first marked."""
    if call.context.task_id is not None and attempt_of_task(call.context.task_id) is not None:
        return
    head = call.branch.head_version
    body = {
        "files": len(plan.files),
        "bytes": plan.bytes,
        "older_than": limits.history.isoformat(),
        "oldest_versions": {str(branch_id): version for branch_id, version in plan.retained.horizons.items()},
        "expired_branches": sorted(plan.retained.expired),
    }
    attempt_record(
        AttemptRecord(
            catalog_id=call.catalog.pk,
            kind="vacuum",
            source="",
            destination="",
            outcome="vacuumed" if plan.files else "nothing to do",
            source_head=head,
            destination_head=head,
            merge_base=head,
            fingerprint="",
            body=body,
            actor_id=call.session.user_id,
            actor_name=call.session.user_name,
            task_id=call.context.task_id,
        )
    )
