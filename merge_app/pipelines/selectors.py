"""Reading pipelines, their versions and their runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db.models import OuterRef, Q, QuerySet, Subquery

from catalog_app.domain.roles import Principal
from catalog_app.models import Catalog
from catalog_app.selectors.people import catalogs_visible
from lakeui.common.errors import NotFound
from merge_app.jobs.models import TaskState
from merge_app.pipelines.definition.configuration import Configuration, Setting
from merge_app.pipelines.definition.fields import FIELDS
from merge_app.pipelines.definition.templates import TableAddress
from merge_app.pipelines.models import Pipeline, PipelinePolicy, PipelineRun, PipelineVersion


def pipeline_get(principal: Principal, pipeline_id: int) -> Pipeline:
    """Raises NotFound, also where it is of a catalog that does not exist for whoever asks."""
    found = _visible(principal).filter(pk=pipeline_id).first()
    if found is None:
        raise NotFound("pipeline", str(pipeline_id))
    return found


def pipelines_list(
    principal: Principal,
    *,
    catalog: str | None = None,
    layer: str | None = None,
    branch: str | None = None,
    search: str | None = None,
) -> QuerySet[Pipeline]:
    """Pipelines of the catalogs that whoever asks sees, newest first, each with ``last_run_id``; ``search`` looks into
    the name and the target.
    """
    newest = PipelineRun.objects.filter(pipeline=OuterRef("pk")).order_by("-created_at").values("pk")[:1]
    found = _visible(principal).annotate(last_run_id=Subquery(newest)).order_by("-created_at", "-pk")
    if catalog:
        found = found.filter(catalog__name__iexact=catalog)
    if layer:
        found = found.filter(layer=layer)
    if branch:
        found = found.filter(branch=branch)
    if search:
        found = found.filter(Q(name__icontains=search) | Q(table__icontains=search) | Q(database__icontains=search))
    return found


def pipeline_targets(catalog: Catalog, *, but: int | None = None) -> dict[str, TableAddress]:
    """What ``ref`` means: the target of every pipeline of the catalog by its name."""
    rows = _present().filter(catalog=catalog).values_list("pk", "name", "database", "table")
    return {name: TableAddress(database, table) for key, name, database, table in rows if key != but}


def versions_list(pipeline: Pipeline) -> QuerySet[PipelineVersion]:
    """Versions, newest first."""
    return pipeline.versions.select_related("author").order_by("-created_at", "-pk")


def is_strict(catalog_id: int) -> bool:
    """Whether the catalog refuses pipelines that lack what their strategy requires."""
    return PipelinePolicy.objects.filter(catalog_id=catalog_id, is_strict=True).exists()


def last_configuration(pipeline_id: int) -> dict[str, Any] | None:
    """What the last run that succeeded went by; None if there was none."""
    succeeded = PipelineRun.objects.filter(pipeline_id=pipeline_id, task__state=TaskState.SUCCEEDED)
    found: dict[str, Any] | None = succeeded.order_by("-created_at").values_list("configuration", flat=True).first()
    return found


def setting_of(last: Mapping[str, Any] | None, name: str) -> Any:
    """The value of a key in a configuration that was kept; the default where the key came later."""
    given = {} if last is None else last["fields"]
    return given[name]["value"] if name in given else Setting(FIELDS[name].default).as_json()["value"]


def is_switched(last: Mapping[str, Any] | None, configuration: Configuration) -> bool:
    """Whether the last run that succeeded went by another strategy or key, or there was none: what the strategy takes
    for granted of the table has to be looked at then.
    """
    if last is None:
        return True
    now = configuration.as_json()
    return any(
        (last["strategy"], setting_of(last, name)) != (now["strategy"], setting_of(now, name))
        for name in ("unique_key", "scd_valid_to", "scd_open_marker")
    )


def version_get(pipeline: Pipeline, number: int) -> PipelineVersion:
    """Raises NotFound."""
    found = pipeline.versions.select_related("author").filter(number=number).first()
    if found is None:
        raise NotFound("version", str(number), where=f"of pipeline {pipeline.name}")
    return found


def runs_list(pipeline: Pipeline) -> QuerySet[PipelineRun]:
    """Runs, newest first."""
    return pipeline.runs.select_related("task__created_by").order_by("-created_at", "-pk")


def runs_named(run_ids: list[UUID]) -> dict[UUID, PipelineRun]:
    """Runs with their tasks, by id."""
    return PipelineRun.objects.select_related("task__created_by").in_bulk(run_ids)


def run_get(pipeline: Pipeline, run_id: UUID) -> PipelineRun:
    """Raises NotFound."""
    found = runs_list(pipeline).filter(pk=run_id).first()
    if found is None:
        raise NotFound("run", str(run_id), where=f"of pipeline {pipeline.name}")
    return found


def _visible(principal: Principal) -> QuerySet[Pipeline]:
    return _present().filter(catalog__in=catalogs_visible(principal))


def _present() -> QuerySet[Pipeline]:
    found = Pipeline.objects.filter(deleted_at__isnull=True, catalog__dropped_at__isnull=True)
    return found.select_related("catalog", "owner")
