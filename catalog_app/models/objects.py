"""Databases, tables and views: identities, and per branch the records of what they were called and held.

A record is written once a change. Its only later change is the stamp ``superseded_version``, set when the same
branch writes the next one. The record without a stamp is the branch's current one (fast read by partial index),
and the record of any past version is found by the interval ``[version, superseded_version)``.
"""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from catalog_app.models.catalog import Branch, Catalog, CommitOperation


class Database(models.Model):
    """The identity of a database; everything else is an attribute in its records."""

    catalog = models.ForeignKey(Catalog, models.PROTECT, related_name="+")


class Table(models.Model):
    """The identity of a table, with the counters whose numbers are never given out twice on any branch."""

    catalog = models.ForeignKey(Catalog, models.PROTECT, related_name="+")
    next_column_id = models.IntegerField(default=1)
    next_address = models.BigIntegerField(default=0)
    next_identity = models.BigIntegerField(default=0, db_default=0)


class ObjectRecord(models.Model):
    branch = models.ForeignKey(Branch, models.PROTECT, related_name="+")
    version = models.BigIntegerField()
    superseded_version = models.BigIntegerField(null=True)
    operation = models.ForeignKey(CommitOperation, models.PROTECT, null=True, related_name="+")
    name = models.TextField()
    name_key = models.TextField()
    is_dropped = models.BooleanField(default=False)

    class Meta:
        abstract = True


class DatabaseRecord(ObjectRecord):
    database = models.ForeignKey(Database, models.PROTECT, related_name="records")
    comment = models.TextField(default="")
    properties = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["branch", "database", "version"], name="database_record_version"),
            models.UniqueConstraint(
                fields=["branch", "database"],
                condition=Q(superseded_version__isnull=True),
                name="database_record_current",
            ),
            models.UniqueConstraint(
                fields=["branch", "name_key"],
                condition=Q(superseded_version__isnull=True, is_dropped=False),
                name="database_name_valid",
            ),
            models.CheckConstraint(
                condition=Q(superseded_version__isnull=True) | Q(superseded_version__gt=F("version")),
                name="database_record_interval",
            ),
        ]
        indexes = [models.Index(fields=["branch", "name_key"], name="database_record_name")]


class TableRecord(ObjectRecord):
    """``declared_partitions`` lists the values of ADD PARTITION; the others exist by their rows."""

    table = models.ForeignKey(Table, models.PROTECT, related_name="records")
    database = models.ForeignKey(Database, models.PROTECT, related_name="+")
    comment = models.TextField(default="")
    properties = models.JSONField(default=dict)
    declared_partitions = models.JSONField(default=list)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["branch", "table", "version"], name="table_record_version"),
            models.UniqueConstraint(
                fields=["branch", "table"], condition=Q(superseded_version__isnull=True), name="table_record_current"
            ),
            models.UniqueConstraint(
                fields=["branch", "database", "name_key"],
                condition=Q(superseded_version__isnull=True, is_dropped=False),
                name="table_name_valid",
            ),
            models.CheckConstraint(
                condition=Q(superseded_version__isnull=True) | Q(superseded_version__gt=F("version")),
                name="table_record_interval",
            ),
        ]
        indexes = [
            models.Index(fields=["branch", "database", "name_key"], name="table_record_name"),
            models.Index(
                fields=["branch", "name_key"],
                condition=Q(superseded_version__isnull=True, is_dropped=True),
                name="table_record_dropped",
            ),
        ]


class AttributeFacts(models.Model):
    """The facts of an object's attributes that came to a branch with one commit: by attribute ``[value, stamp, kind]``.
    A restored one has also stamp and kind of the fact that it sets again. A merge's decision has also the stamp of the
    source's fact (``AttributeFact.as_json``).

    ``version`` says since when the branch has them, each stamp who decided. The newest fact of an attribute on the
    look-up chain counts. What a commit leaves alone is in no row of it, so no statement reads facts to write its own.
    """

    branch = models.ForeignKey(Branch, models.PROTECT, related_name="+", db_index=False)
    version = models.BigIntegerField()
    object_kind = models.TextField()
    object_id = models.BigIntegerField()
    facts = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["object_kind", "object_id", "branch", "version"], name="attribute_facts_once"
            )
        ]
        indexes = [models.Index(fields=["branch", "version"], name="attribute_facts_version")]


class ViewRecord(ObjectRecord):
    """A view of one branch. Views are never merged; a branch sees those of its parent at the cut.

    ``columns``: name and comment of each that the view names itself. ``reads``: database, table and columns of each
    that its query names of its own branch.
    """

    view_id = models.BigIntegerField()
    database = models.ForeignKey(Database, models.PROTECT, related_name="+")
    query = models.TextField()
    columns = models.JSONField(default=list)
    properties = models.JSONField(default=dict)
    reads = models.JSONField(default=list)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["branch", "view_id", "version"], name="view_record_version"),
            models.UniqueConstraint(
                fields=["branch", "view_id"], condition=Q(superseded_version__isnull=True), name="view_record_current"
            ),
            models.UniqueConstraint(
                fields=["branch", "database", "name_key"],
                condition=Q(superseded_version__isnull=True, is_dropped=False),
                name="view_name_valid",
            ),
        ]
        indexes = [models.Index(fields=["branch", "database", "name_key"], name="view_record_name")]
