"""Runs of pipelines: each is a task, and one at a time a pipeline."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from catalog_app.domain.roles import CatalogScope, Scope
from lakeui.common.json_values import storable
from merge_app.jobs.models import Task, TaskState
from merge_app.jobs.services import task_submit
from merge_app.pipelines.errors import PipelineBusy
from merge_app.pipelines.models import Pipeline, PipelineRun, PipelineVersion, Trigger

TASK_KIND = "pipeline"
DRY_RUN_KIND = "pipeline_dry_run"


def run_submit(
    pipeline: Pipeline,
    *,
    user: Any,
    trigger: Trigger,
    scopes: Collection[Scope | CatalogScope] | None = None,
    due_at: datetime | None = None,
    message: str = "",
    idempotency_key: str = "",
    request_digest: str = "",
) -> PipelineRun:
    """Queue a run of the newest version, with the rights that the user, and the ``scopes`` of a token, have when it
    begins. ``message`` is what the history says of its commit. Raises PipelineBusy while another run is not
    finished.
    """
    with transaction.atomic():
        held = Pipeline.objects.select_for_update().select_related("catalog").get(pk=pipeline.pk)
        task = task_submit(
            kind=TASK_KIND,
            parameters=_parameters(held) | ({"message": message} if message else {}),
            user=user,
            idempotency_key=idempotency_key,
            request_digest=request_digest,
            catalog_id=held.catalog_id,
            scopes=scopes,
        )
        known = PipelineRun.objects.filter(task=task).first()
        if known is not None:
            return known
        _refuse_second(held.pk, task, also=[TaskState.QUEUED])
        return PipelineRun.objects.create(
            task=task, pipeline=held, version=held.revision, trigger=trigger, due_at=due_at
        )


def dry_run_submit(
    pipeline: Pipeline,
    texts: Mapping[str, str],
    *,
    user: Any,
    catalog_id: int | None,
    scopes: Collection[Scope | CatalogScope] | None = None,
    idempotency_key: str = "",
    request_digest: str = "",
) -> Task:
    """Queue a dry run of a run with ``texts`` in place of the pipeline's own. It leaves no run behind."""
    parameters = _parameters(pipeline)
    return task_submit(
        kind=DRY_RUN_KIND,
        parameters={**parameters, "statement": f"{parameters['statement']} DRY RUN", "texts": dict(texts)},
        user=user,
        idempotency_key=idempotency_key,
        request_digest=request_digest,
        catalog_id=catalog_id,
        scopes=scopes,
    )


def run_retry(task: Task) -> PipelineRun:
    """The run of a task that repeats another one, which no worker has taken yet. Raises PipelineBusy as
    ``run_submit``.
    """
    with transaction.atomic():
        pipeline = Pipeline.objects.select_for_update().get(pk=task.parameters["pipeline"])
        _refuse_second(pipeline.pk, task, also=[TaskState.QUEUED])
        return PipelineRun.objects.create(
            task=task, pipeline=pipeline, version=task.parameters["version"], trigger=Trigger.RETRY
        )


def run_begin(task_id: UUID, parameters: Mapping[str, Any]) -> PipelineRun:
    """The run of a task that a worker has taken. Raises PipelineBusy where another run is at work."""
    with transaction.atomic():
        pipeline = Pipeline.objects.select_for_update().get(pk=parameters["pipeline"])
        # Tasks that were retried before retries made their runs have none.
        run, _ = PipelineRun.objects.get_or_create(
            task_id=task_id,
            defaults={"pipeline": pipeline, "version": parameters["version"], "trigger": Trigger.RETRY},
        )
        _refuse_second(pipeline.pk, run.task)
        PipelineRun.objects.filter(pk=run.pk).update(log=[], metrics={})
        run.log, run.metrics = [], {}
    return run


def run_keep(run: PipelineRun, **found: Any) -> None:
    """Keep what a phase found, by fields of the run."""
    for name, value in found.items():
        setattr(run, name, storable(value) if isinstance(value, dict | list) else value)
    run.save(update_fields=list(found))


def run_body(run: PipelineRun) -> dict[str, str]:
    """What the pipeline said in the version that is run."""
    body: dict[str, str] = PipelineVersion.objects.get(pipeline=run.pipeline_id, number=run.version).body
    return body


def _parameters(pipeline: Pipeline) -> dict[str, Any]:
    return {
        "pipeline": pipeline.pk,
        "version": pipeline.revision,
        "catalog": pipeline.catalog.name,
        "branch": pipeline.branch,
        "statement": f"RUN PIPELINE {pipeline.name}",
    }


def _refuse_second(pipeline_id: int, task: Task, *, also: list[TaskState] | None = None) -> None:
    """The lock on the pipeline is held: no other run can begin between the look and the commit."""
    states = [TaskState.RUNNING, *(also or [])]
    others = PipelineRun.objects.filter(pipeline_id=pipeline_id, task__state__in=states).exclude(task=task)
    other = others.values_list("task_id", flat=True).first()
    if other is not None:
        raise PipelineBusy(
            "Another run of the pipeline is not finished.", remedy="Wait for it, or cancel it.", task=str(other)
        )
