"""Queries that people keep, alone or for all readers of a catalog."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.utils import timezone


class SavedQuery(models.Model):
    """A text of SQL under a name. Texts may hold secrets, so it is its owner's alone until they share it; then whoever
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
