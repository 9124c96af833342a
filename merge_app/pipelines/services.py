"""Creating, editing and deleting pipelines. Every edit is a version."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils import timezone

from catalog_app.domain.names import name_check, name_folded
from catalog_app.domain.roles import CatalogScope, Principal, Scope
from catalog_app.models import Catalog
from catalog_app.selectors.snapshots import branch_get
from catalog_app.services.settings import SettingChange, settings_lock
from lakeui.common.errors import AlreadyExists, InvalidValue, Stale
from merge_app.audit.settings import setting_recorder
from merge_app.pipelines.cron import next_time, zone_named
from merge_app.pipelines.definition.configuration import configuration_resolve
from merge_app.pipelines.definition.templates import LONGEST_SOURCE, template_check
from merge_app.pipelines.models import Pipeline, PipelinePolicy, PipelineVersion
from merge_app.pipelines.selectors import is_strict

EDITED = ("name", "layer", "database", "table", "branch", "source", "config", "schedule", "schedule_timezone")
"""The fields of which a version is made."""
_NAMES = {"name": "pipeline", "database": "database", "table": "table"}
"""The fields that name something, and what."""


def pipeline_create(
    *,
    catalog: Catalog,
    values: Mapping[str, str],
    owner_id: int | None,
    scopes: Collection[Scope | CatalogScope] | None = None,
) -> Pipeline:
    """A new pipeline from the values of ``EDITED``; ``scopes`` are those of the owner's token, if it is made with one.

    Raises InvalidConfig, InvalidValue, NotFound, AlreadyExists.
    """
    made = Pipeline(catalog=catalog, owner_id=owner_id, scopes=_kept(scopes), **_folded(values))
    _check(made, _NAMES)
    made.next_run_at = _next_run(made)
    with transaction.atomic():
        _save(made)
        _record(made, owner_id)
    return made


def pipeline_edit(
    pipeline: Pipeline,
    values: Mapping[str, str],
    *,
    author_id: int | None,
    scopes: Collection[Scope | CatalogScope] | None = None,
) -> Pipeline:
    """Change fields of ``EDITED``, as a new version unless nothing changes. Its author is the pipeline's owner then.

    Raises what ``pipeline_create`` does, and Stale where the pipeline was edited since ``pipeline`` was read.
    """
    before = body_of(pipeline)
    values = _folded(values)
    if all(before[name] == value for name, value in values.items()):
        return pipeline
    for name, value in values.items():
        setattr(pipeline, name, value)
    _check(pipeline, [name for name in _NAMES if before[name] != getattr(pipeline, name)])
    if any(before[name] != getattr(pipeline, name) for name in ("schedule", "schedule_timezone")):
        pipeline.next_run_at = _next_run(pipeline)
    with transaction.atomic():
        held = Pipeline.objects.select_for_update().filter(pk=pipeline.pk, deleted_at__isnull=True)
        if held.values_list("revision", flat=True).first() != pipeline.revision:
            raise Stale("The pipeline was changed since you read it.", remedy="Read it again, then edit it.")
        pipeline.revision += 1
        pipeline.owner_id, pipeline.scopes = author_id, _kept(scopes)
        pipeline.updated_at = timezone.now()
        _save(pipeline)
        _record(pipeline, author_id)
    return pipeline


def pipeline_delete(pipeline: Pipeline) -> None:
    """Take the pipeline away; its runs stay to be read by their tasks, and its name is free again."""
    Pipeline.objects.filter(pk=pipeline.pk).update(deleted_at=timezone.now(), next_run_at=None)


def policy_set(*, principal: Principal, catalog: Catalog, strict: bool) -> None:
    """Say whether runs of the catalog's pipelines may fall back to full_refresh; a change is in the audit."""
    with transaction.atomic():
        settings_lock(catalog)
        before = is_strict(catalog.pk)
        PipelinePolicy.objects.update_or_create(catalog=catalog, defaults={"is_strict": strict})
        if before != strict:
            change = SettingChange("pipeline policy", "strict", {"strict": before}, {"strict": strict})
            setting_recorder(principal)(catalog, change)


def body_of(pipeline: Pipeline) -> dict[str, str]:
    """What a version keeps."""
    return {name: getattr(pipeline, name) for name in EDITED}


def _folded(values: Mapping[str, str]) -> dict[str, str]:
    return {name: name_folded(value) if name in _NAMES else value for name, value in values.items()}


def _check(pipeline: Pipeline, named: Iterable[str]) -> None:
    """``named``: the fields whose names are new."""
    for name in named:
        name_check(_NAMES[name], getattr(pipeline, name))
    branch_get(pipeline.catalog, pipeline.branch)
    if len(pipeline.source) > LONGEST_SOURCE or not pipeline.source.strip():
        raise InvalidValue(
            f"The source has {len(pipeline.source):,} characters.", remedy=f"It has 1 to {LONGEST_SOURCE:,}."
        )
    configuration_resolve(pipeline.config, pipeline.source, strict=is_strict(pipeline.catalog_id))
    template_check(pipeline.source)


def _kept(scopes: Collection[Scope | CatalogScope] | None) -> list[str] | None:
    return None if scopes is None else sorted(scopes)


def _next_run(pipeline: Pipeline) -> datetime | None:
    zone_named(pipeline.schedule_timezone)
    if not pipeline.schedule:
        return None
    return next_time(pipeline.schedule, pipeline.schedule_timezone, timezone.now())


def _save(pipeline: Pipeline) -> None:
    try:
        with transaction.atomic():
            pipeline.save()
    except IntegrityError as error:
        if "pipeline_name_unique" not in str(error):
            raise
        raise AlreadyExists("pipeline", pipeline.name, where=f"in catalog {pipeline.catalog.name}") from None


def _record(pipeline: Pipeline, author_id: int | None) -> None:
    PipelineVersion.objects.create(
        pipeline=pipeline, number=pipeline.revision, body=body_of(pipeline), author_id=author_id
    )
