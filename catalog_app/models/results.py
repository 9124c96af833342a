"""Results of queries that are kept for a while, to be fetched piece by piece."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone


class KeptResult(models.Model):
    """One person's. The row comes before its files, so that no file is left whose row does not expire.

    ``files``: as of ``KeptFile``, null until the result is whole. ``catalogs``: those that the query looked into;
    whoever fetches rows has to see them still. ``is_gone``: it expired, and its files are removed.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # Files are found by their rows, so a row stays when its person goes.
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    statement = models.TextField()
    catalogs = ArrayField(models.BigIntegerField(), default=list)
    version = models.BigIntegerField(null=True)
    columns = models.JSONField(default=list)
    files = models.JSONField(null=True)
    row_count = models.BigIntegerField(default=0)
    bytes = models.BigIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    is_gone = models.BooleanField(default=False)

    class Meta:
        indexes = [
            models.Index(fields=["owner", "-created_at", "-id"], name="kept_result_of"),
            models.Index(fields=["expires_at"], name="kept_result_due", condition=Q(is_gone=False)),
        ]
