"""Loading a sample lake as a task of a person, who owns its catalog."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

from django.db import DatabaseError, InterfaceError, transaction

from catalog_app.domain.roles import Scopes
from catalog_app.models import Catalog
from catalog_app.selectors.snapshots import catalog_get
from lakeui import frontdoor
from lakeui.common.errors import AlreadyExists
from lakeui.demo.load import SAMPLES, Sample, sample_drop
from lakeui.tasks.statements import user_require_active
from merge_app.jobs.context import PartContext, TaskContext
from merge_app.jobs.errors import TaskSuperseded
from merge_app.jobs.models import SAMPLE_TASK_KIND, Task
from merge_app.jobs.registry import handles
from merge_app.jobs.services import task_part_keep, task_submit


def sample_submit(
    name: str,
    *,
    user: Any,
    scopes: Scopes | None,
    idempotency_key: str = "",
    request_digest: str = "",
    is_known: bool = False,
) -> Task:
    """Queue the load of the sample. ``is_known``: a task of the key is there, which is answered and not judged again.
    Raises PermissionDenied for who may not create catalogs, and AlreadyExists.
    """
    sample = SAMPLES[name]
    if not is_known:
        frontdoor.admit(
            frontdoor.parsed(f"CREATE CATALOG {sample.catalog}"), frontdoor.Session(None, "main", user, scopes=scopes)
        )
        if Catalog.objects.filter(name__iexact=sample.catalog, dropped_at__isnull=True).exists():
            raise AlreadyExists("catalog", sample.catalog, remedy="Rename or drop that catalog first.")
    return task_submit(
        kind=SAMPLE_TASK_KIND,
        parameters={"sample": name},
        user=user,
        idempotency_key=idempotency_key,
        request_digest=request_digest,
        scopes=scopes,
    )


@handles(SAMPLE_TASK_KIND)
def run_sample_task(context: TaskContext, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The worker's side. Another attempt continues behind the steps that are done. A load that fails, or that somebody
    cancels, leaves no catalog.
    """
    user_require_active(context.user)
    sample = SAMPLES[parameters["sample"]]
    kept = Task.objects.filter(pk=context.task_id).values_list("parts", flat=True).first()
    done: dict[str, Any] = dict(kept or {})
    try:
        _run(sample, context, done)
    except (TaskSuperseded, DatabaseError, InterfaceError):
        # Another attempt may continue.
        raise
    except Exception:
        # Whatever ended the load, a cancel too: a half loaded lake has no use, and would refuse the next load.
        for made in Catalog.objects.filter(pk=done.get("0", 0), dropped_at__isnull=True):
            sample_drop(made)
        raise
    return {"catalog": sample.catalog}


def _run(sample: Sample, context: TaskContext, done: dict[str, Any]) -> None:
    """``done`` gains each step; the first, which creates the catalog, with its id."""
    session = frontdoor.Session(sample.catalog, "main", context.user, scopes=context.scopes)
    steps = sample.steps()
    for number, step in enumerate(steps):
        if str(number) in done:
            continue
        context.step(f"step {number + 1} of {len(steps)}", step.label[:100])
        with transaction.atomic() if step.is_unrecorded else nullcontext():
            step.run(session, PartContext(context, number))
            result = catalog_get(sample.catalog).pk if number == 0 else True
            task_part_keep(task_id=context.task_id, claim=context.claim, parts={**done, str(number): result})
        done[str(number)] = result
        context.progress((number + 1) / len(steps))
