"""What a person's SQL session keeps from one statement to the next."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone

from catalog_app.models.catalog import Transaction


class SqlSession(models.Model):
    """One person's. Names, not ids: a branch that is renamed or dropped is not found, as in a statement that names it.
    A catalog or database that was not chosen is "".

    ``transaction``: the one that BEGIN opened. It is the session's for as long as it is open, or expired and not yet
    rolled back. One that was committed is none, even where it was not taken off.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    catalog = models.TextField(default="")
    branch = models.TextField(default="main")
    database = models.TextField(default="")
    temporary_views = models.JSONField(default=dict)
    temporary_functions = models.JSONField(default=dict)
    partition_overwrite = models.TextField(default="static")
    transaction = models.ForeignKey(Transaction, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    used_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [
            models.Index(fields=["owner", "-created_at", "-id"], name="sql_session_of"),
            models.Index(fields=["used_at"], name="sql_session_idle"),
        ]
