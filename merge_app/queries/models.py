"""Queries that people keep, alone or for all readers of a catalog; and statements that they ran."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.utils import timezone


class SavedQuery(models.Model):
    """A text of SQL under a name. Texts may hold secrets, so it is its owner's alone until they share it. Then whoever
    sees the catalog reads it, and only its owner changes it.
    """

    catalog = models.ForeignKey("catalog_app.Catalog", models.CASCADE, related_name="+")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    name = models.TextField()
    text = models.TextField()
    is_shared = models.BooleanField(default=False, db_default=False)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(F("catalog"), F("owner"), Lower("name"), name="saved_query_name_unique"),
            models.CheckConstraint(condition=~Q(name=""), name="saved_query_name_given"),
        ]

    def __str__(self) -> str:
        return self.name


class KeptStatement(models.Model):
    """A statement that a person ran, for that person alone. ``text`` has its markers, never their values; ``is_cut``:
    only its beginning is kept. ``outcome`` is OK or the code of the problem, "" until the task that runs it ends.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    catalog = models.TextField(default="")
    branch = models.TextField()
    text = models.TextField()
    is_cut = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now)
    milliseconds = models.BigIntegerField(null=True)
    outcome = models.TextField(default="")
    row_count = models.BigIntegerField(null=True)
    version = models.BigIntegerField(null=True)
    task_id = models.UUIDField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["task_id"], name="kept_statement_of_task")]
        indexes = [models.Index(fields=["owner", "-created_at", "-id"], name="kept_statement_newest")]
