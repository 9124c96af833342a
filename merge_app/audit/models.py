"""One append-only, hash-chained record per attempt to merge, to restore, to undrop, or to commit a transaction. One
per change of who may do what in a catalog, or on the server. One per emergency in which an owner went past a
protection.
"""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q


class MergeAttempt(models.Model):
    """What was tried, by whom, what the rules said, and what came of it (semantics §4.7).

    ``body`` holds the details; the new segments themselves are the segments of ``version``. ``digest`` is the
    SHA-256 of the previous record's digest and this record's content, per catalog in the order of ``number``.
    A restore's ``source_head`` and ``merge_base`` are the version that it goes back to.
    """

    KINDS = ("merge", "restore", "undrop", "transaction", "vacuum", "settings", "bypass")
    OUTCOMES = (
        *("merged", "nothing to merge", "refused", "dry run", "failed"),
        *("restored", "undropped", "committed", "vacuumed", "nothing to do", "changed", "bypassed"),
    )

    merge_id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    catalog = models.ForeignKey("catalog_app.Catalog", models.PROTECT, related_name="+")
    number = models.BigIntegerField()
    kind = models.TextField(choices=[(name, name) for name in KINDS], default="merge")
    source = models.TextField()
    destination = models.TextField()
    outcome = models.TextField(choices=[(name, name) for name in OUTCOMES])
    version = models.BigIntegerField(null=True)
    source_head = models.BigIntegerField()
    destination_head = models.BigIntegerField()
    merge_base = models.BigIntegerField()
    fingerprint = models.TextField()
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    actor_name = models.TextField(default="")
    task_id = models.UUIDField(null=True)
    recorded_at = models.DateTimeField()
    body = models.JSONField()
    previous_digest = models.TextField()
    digest = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["catalog", "number"], name="merge_attempt_chain"),
            models.CheckConstraint(
                condition=Q(version__isnull=False) | ~Q(outcome__in=["merged", "restored", "committed"]),
                name="merge_attempt_version",
            ),
        ]
        indexes = [
            models.Index(fields=["catalog", "-number"], name="merge_attempt_newest"),
            # Merges look for decisions of earlier ones, of which there are few.
            models.Index(
                fields=["catalog", "version"],
                name="merge_attempt_tables_decided",
                condition=Q(body__resolutions__contains=[{"part": "object", "object_kind": "table"}]),
            ),
            # Those of tables and of parts of them, which scopes of a merge ask for.
            models.Index(
                fields=["catalog", "version"],
                name="merge_attempt_parts_decided",
                condition=Q(body__resolutions__contains=[{"object_kind": "table"}]),
            ),
        ]


class AuditChain(models.Model):
    """Where the chain of a catalog's records ends: without it, records that are missing there would leave no gap.

    ``plain_records``: so many at the beginning were written when actor and task were no part of a digest.
    ``signed_records``: so many were there at the last signed checkpoint.
    """

    catalog = models.OneToOneField("catalog_app.Catalog", models.PROTECT, primary_key=True, related_name="+")
    records = models.BigIntegerField()
    digest = models.TextField()
    plain_records = models.BigIntegerField(default=0)
    signed_records = models.BigIntegerField(default=0)


class AccountRecord(models.Model):
    """A change of an account, a group, or who is in it: of the server, so of no catalog. Append-only, one chain.

    ``name`` is the account or group; ``before`` and ``after`` are what was and is, null where it was not or is not.
    """

    SUBJECTS = ("account", "group", "group member", "link", "password", "second factor", "session")

    number = models.BigIntegerField(primary_key=True)
    subject = models.TextField(choices=[(name, name) for name in SUBJECTS])
    name = models.TextField()
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    actor_name = models.TextField(default="")
    recorded_at = models.DateTimeField()
    previous_digest = models.TextField()
    digest = models.TextField()

    class Meta:
        indexes = [models.Index(fields=["-recorded_at"], name="account_record_newest")]


class AccountChain(models.Model):
    """Where the chain of account records ends. Its one row is the lock that orders changes of people and groups."""

    ROW = 1

    records = models.BigIntegerField(default=0)
    digest = models.TextField(default="")
