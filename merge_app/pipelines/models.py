"""Pipelines, every version of them, and their runs."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.utils import timezone

from merge_app.jobs.models import Task


class Trigger(models.TextChoices):
    """Why a run began."""

    MANUAL = "manual"
    SCHEDULE = "schedule"
    RETRY = "retry"


class PipelinePolicy(models.Model):
    """What a catalog wants of all its pipelines. ``is_strict``: none may fall back to another strategy."""

    catalog = models.OneToOneField("catalog_app.Catalog", models.CASCADE, primary_key=True, related_name="+")
    is_strict = models.BooleanField(default=False)


class Pipeline(models.Model):
    """A query and the table that its rows go to, on one branch. ``layer`` groups pipelines for people.

    ``revision`` is the number of its newest version. ``schedule`` is a cron line, empty for none, in the time zone
    ``schedule_timezone``, and ``next_run_at`` when it comes next. Scheduled runs are the owner's; without owner they
    rest. The owner is whoever wrote the newest version, so that no text runs with another person's rights; ``scopes``
    are those of the token that it was written with, null where it was none.
    """

    catalog = models.ForeignKey("catalog_app.Catalog", models.PROTECT, related_name="+")
    name = models.TextField()
    layer = models.TextField(default="")
    database = models.TextField()
    table = models.TextField()
    branch = models.TextField()
    source = models.TextField()
    config = models.TextField(default="")
    schedule = models.TextField(default="")
    schedule_timezone = models.TextField(default="UTC")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    scopes = ArrayField(models.TextField(), null=True)
    revision = models.IntegerField(default=1)
    next_run_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)
    deleted_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                F("catalog"), Lower("name"), name="pipeline_name_unique", condition=Q(deleted_at__isnull=True)
            ),
            models.CheckConstraint(condition=~Q(name=""), name="pipeline_name_given"),
        ]
        indexes = [
            models.Index(fields=["next_run_at"], name="pipeline_due", condition=Q(next_run_at__isnull=False)),
        ]

    def __str__(self) -> str:
        return self.name


class PipelineVersion(models.Model):
    """What a pipeline said after one edit: ``body`` holds the fields of ``EDITED``."""

    pipeline = models.ForeignKey(Pipeline, models.CASCADE, related_name="versions")
    number = models.IntegerField()
    body = models.JSONField()
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pipeline", "number"], name="pipeline_version_once")]


class PipelineRun(models.Model):
    """One run, which is a task: that has its state, progress and phases. ``version`` is the pipeline's that it ran.

    What the phases found stands here as soon as they did: ``configuration`` (as ``Configuration.as_json``), ``sql``
    that the template made, ``log`` entries of ``time``, ``phase``, ``level`` and ``message``, ``metrics`` of the write
    and ``committed_version`` of the branch. ``due_at`` is the time of the schedule that asked for it.
    """

    task = models.OneToOneField(Task, models.CASCADE, primary_key=True, related_name="pipeline_run")
    pipeline = models.ForeignKey(Pipeline, models.CASCADE, related_name="runs")
    version = models.IntegerField()
    trigger = models.TextField(choices=Trigger)
    due_at = models.DateTimeField(null=True)
    is_degraded = models.BooleanField(default=False)
    configuration = models.JSONField(null=True)
    sql = models.TextField(default="")
    log = models.JSONField(default=list)
    metrics = models.JSONField(default=dict)
    committed_version = models.BigIntegerField(null=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(trigger__in=Trigger.values), name="pipeline_run_trigger_known"),
            models.UniqueConstraint(
                fields=["pipeline", "due_at"], name="pipeline_run_once_due", condition=Q(due_at__isnull=False)
            ),
        ]
        indexes = [models.Index(fields=["pipeline", "-created_at"], name="pipeline_run_newest")]


class LandingFile(models.Model):
    """A file that was sent to a landing zone of a pipeline. It waits there until ``archived_at``.

    ``path`` is relative to the warehouse, ``digest`` the SHA-256 of the content. ``reading`` says how the file is read
    (``Reading.as_json``), ``columns`` what it holds (``LandedColumn``). ``is_whole``: the warehouse has all of it.
    ``claimed_by``: the task of the run that archives it, if it succeeds; runs go sooner than files.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    pipeline = models.ForeignKey(Pipeline, models.CASCADE, related_name="landing_files")
    zone = models.TextField()
    name = models.TextField()
    format = models.TextField()
    bytes = models.BigIntegerField()
    digest = models.TextField()
    path = models.TextField()
    reading = models.JSONField()
    columns = models.JSONField()
    rows = models.BigIntegerField()
    warnings = models.JSONField(default=list)
    is_whole = models.BooleanField(default=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    claimed_by = models.UUIDField(null=True)
    archived_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                "pipeline",
                Lower("zone"),
                "name",
                name="landing_file_waits_once",
                condition=Q(archived_at__isnull=True, is_whole=True),
            ),
        ]
        indexes = [
            models.Index("pipeline", Lower("zone"), F("created_at").desc(), name="landing_file_of_zone"),
            models.Index(fields=["archived_at"], name="landing_file_archived"),
        ]

    def __str__(self) -> str:
        return f"{self.zone}/{self.name}"
