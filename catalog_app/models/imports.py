"""Files that people sent and that no table holds yet."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models

from catalog_app.models.catalog import Branch


class FileImport(models.Model):
    """One file, seen by its uploader alone until ``expires_at``. ``path`` is relative to the warehouse.

    ``reading`` says how it is read (``Reading.as_json``), ``found`` what is in it (``Scan.as_json``).
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    branch = models.ForeignKey(Branch, models.PROTECT, related_name="+")
    name = models.TextField()
    format = models.TextField()
    bytes = models.BigIntegerField()
    path = models.TextField()
    reading = models.JSONField()
    found = models.JSONField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        indexes = [models.Index(fields=["created_by", "branch", "-created_at"], name="import_of_user")]

    def __str__(self) -> str:
        return self.name
