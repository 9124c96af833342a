"""Runs that are due. Any number of workers may look at once: each due time makes one run."""

from __future__ import annotations

import logging
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils import timezone

from catalog_app.domain.roles import scopes_read
from lakeui.common.errors import LakeError
from merge_app.jobs.errors import TooManyQueued
from merge_app.pipelines.cron import next_time
from merge_app.pipelines.errors import PipelineBusy
from merge_app.pipelines.models import Pipeline, Trigger
from merge_app.pipelines.runs import run_submit

logger = logging.getLogger(__name__)

MOST_AT_ONCE = 100


def schedules_tick(now: datetime | None = None) -> int:
    """Queue the runs that are due and answer how many. Of times missed while no worker was there, the last one counts.
    A pipeline that still runs is left out this time.
    """
    moment = now or timezone.now()
    due = Pipeline.objects.filter(next_run_at__lte=moment, deleted_at__isnull=True).order_by("next_run_at")
    return sum(_tick(pipeline_id, moment) for pipeline_id in due.values_list("pk", flat=True)[:MOST_AT_ONCE])


def _tick(pipeline_id: int, moment: datetime) -> bool:
    with transaction.atomic():
        held = Pipeline.objects.select_for_update(skip_locked=True, of=("self",)).select_related("owner", "catalog")
        pipeline = held.filter(pk=pipeline_id, next_run_at__lte=moment, deleted_at__isnull=True).first()
        if pipeline is None or pipeline.next_run_at is None:
            return False
        due_at = pipeline.next_run_at
        try:
            pipeline.next_run_at = next_time(pipeline.schedule, pipeline.schedule_timezone, moment)
        except LakeError as error:
            logger.warning("pipeline %s is not scheduled any more: %s", pipeline.pk, error.message)
            pipeline.next_run_at = None
        pipeline.save(update_fields=["next_run_at"])
        if pipeline.owner is None or not pipeline.owner.is_active or pipeline.catalog.dropped_at is not None:
            logger.warning("pipeline %s is due, and no account may run it", pipeline.pk)
            return False
        try:
            scopes = None if pipeline.scopes is None else scopes_read(pipeline.scopes)
            run_submit(pipeline, user=pipeline.owner, trigger=Trigger.SCHEDULE, scopes=scopes, due_at=due_at)
        except TooManyQueued as error:
            logger.warning("pipeline %s is due and is left out: %s", pipeline.pk, error.message)
            return False
        except PipelineBusy:
            logger.info("pipeline %s is due but still runs", pipeline.pk)
            return False
        except IntegrityError:
            # Clocks of two machines differ: the one that is ahead has made this run already.
            logger.info("pipeline %s had its run of %s already", pipeline.pk, due_at)
            return False
    return True
