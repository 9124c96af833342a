"""The task: what was asked, how far it is, and how it ended."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone

QUERY_KIND = "query"
REQUEST_KINDS = (QUERY_KIND, "rows")
"""Tasks of these kinds run inside of a request, and end with it."""
QUERY_TASK_KIND = "sql query"
"""Queries that run in a worker."""
SCRIPT_TASK_KIND = "sql script"
SAMPLE_TASK_KIND = "sample"
"""Loads of a sample lake."""
WRITE_TASK_KINDS = frozenset(
    {
        "sql",
        SCRIPT_TASK_KIND,
        SAMPLE_TASK_KIND,
        "import",
        "pipeline",
        "pipeline_dry_run",
        "merge request",
        "check merge request",
        "suggestions",
    }
)
"""What persons write, merge, load and check in a worker: bounded in time, and in number a person."""


class TaskState(models.TextChoices):
    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    LOST = "lost"


FINISHED_STATES = frozenset({TaskState.SUCCEEDED, TaskState.FAILED, TaskState.CANCELLED, TaskState.LOST})


class Task(models.Model):
    """One piece of work.

    ``claim`` is the fencing token of the attempt that runs: every write of a worker asks for it, so a worker that
    was believed dead can neither report progress nor finish. ``ring_at`` is when workers may be notified again
    while none has answered. ``progress`` runs from 0 to 1; ``error`` is a problem document (RFC 9457).
    ``parts``: what the parts of a task that are done came to, by their numbers; another attempt continues behind them.
    ``request_id`` is that of the request which asked for it, as the logs have it.
    ``retry_of`` is the task that came to nothing and is done again here. A task is retried once, its retry again.
    ``catalog``: its members see the task; without one only its author does. ``scopes``: those of the token that it was
    asked for with, null where it was none.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.TextField()
    state = models.TextField(choices=TaskState, default=TaskState.QUEUED)
    parameters = models.JSONField(default=dict)
    result = models.JSONField(null=True)
    parts = models.JSONField(null=True)
    error = models.JSONField(null=True)
    steps = models.JSONField(default=list)
    progress = models.FloatField(default=0.0)
    message = models.TextField(default="")
    # None is lakeui itself, which may do everything: a task must not become its own when a person is deleted.
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    catalog = models.ForeignKey("catalog_app.Catalog", models.SET_NULL, null=True, related_name="+")
    scopes = ArrayField(models.TextField(), null=True)
    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    ring_at = models.DateTimeField(default=timezone.now)
    rings = models.PositiveSmallIntegerField(default=0)
    worker = models.TextField(default="")
    attempts = models.PositiveSmallIntegerField(default=0)
    claim = models.UUIDField(null=True)
    cancel_requested = models.BooleanField(default=False)
    idempotency_key = models.TextField(default="")
    request_digest = models.TextField(default="")
    request_id = models.TextField(default="")
    retry_of = models.OneToOneField("self", models.SET_NULL, null=True, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(state__in=TaskState.values), name="task_state_known"),
            models.CheckConstraint(condition=Q(progress__gte=0, progress__lte=1), name="task_progress_fraction"),
            models.CheckConstraint(
                condition=Q(state__in=sorted(FINISHED_STATES), finished_at__isnull=False)
                | Q(state__in=[TaskState.QUEUED, TaskState.RUNNING], finished_at__isnull=True),
                name="task_finished_when_final",
            ),
            models.CheckConstraint(
                condition=~Q(state=TaskState.RUNNING) | Q(claim__isnull=False, heartbeat_at__isnull=False),
                name="task_running_is_claimed",
            ),
            models.CheckConstraint(
                condition=Q(state=TaskState.FAILED, error__isnull=False)
                | Q(state__in=[TaskState.CANCELLED, TaskState.LOST])
                | (~Q(state=TaskState.FAILED) & Q(error__isnull=True)),
                name="task_failed_has_error",
            ),
            models.UniqueConstraint(
                fields=["created_by", "idempotency_key"],
                condition=~Q(idempotency_key=""),
                name="task_idempotency_key_unique",
            ),
        ]
        indexes = [
            models.Index(fields=["-created_at"], name="task_newest"),
            models.Index(fields=["created_by", "finished_at"], name="task_lost", condition=Q(state=TaskState.LOST)),
            models.Index(fields=["ring_at"], name="task_queued", condition=Q(state=TaskState.QUEUED)),
            models.Index(
                fields=["created_by", "kind", "created_at"], name="task_waiting", condition=Q(state=TaskState.QUEUED)
            ),
            models.Index(fields=["heartbeat_at"], name="task_running", condition=Q(state=TaskState.RUNNING)),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.id} ({self.state})"

    @property
    def is_finished(self) -> bool:
        return self.state in FINISHED_STATES
