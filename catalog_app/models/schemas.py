"""The three schema stores of seed 3.2.2, over shared definitions."""

from __future__ import annotations

from django.db import models

from catalog_app.models.catalog import Branch
from catalog_app.models.objects import Table


class SchemaDefinition(models.Model):
    """The columns, primary key and partition columns of one schema version (``Schema.as_json``). Never changed."""

    table = models.ForeignKey(Table, models.PROTECT, related_name="+")
    content = models.JSONField()


class SchemaEntry(models.Model):
    branch = models.ForeignKey(Branch, models.PROTECT, related_name="+")
    table = models.ForeignKey(Table, models.PROTECT, related_name="+")
    version = models.BigIntegerField()
    definition = models.ForeignKey(SchemaDefinition, models.PROTECT, related_name="+")

    class Meta:
        abstract = True


class TableSchema(SchemaEntry):
    """The current schema of a table whose schema this branch changed."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["branch", "table"], name="table_schema_current")]


class TableSchemaHistory(SchemaEntry):
    """The visible schema versions: what time travel and restore may show."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["branch", "table", "version"], name="table_schema_version")]


class InvisibleSchemaHistory(SchemaEntry):
    """Schema versions kept only to decode merged data. ``version`` is the original one, of the branch that made
    it; ``added_version`` the merge that brought it here.
    """

    added_version = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["branch", "table", "version", "definition"], name="invisible_schema_once")
        ]
