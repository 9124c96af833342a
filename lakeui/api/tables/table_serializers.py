"""Databases and tables as the HTTP interface shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rest_framework import serializers

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.schema import Schema
from lakeui.api.http.paging import PageFilter

# Members called ``source`` or ``parent`` bear names of DRF's own attributes. Its metaclass takes
# declared fields off the class, so nothing is shadowed at run time; mypy does not know.

LONGEST_PREVIEW = 200
MOST_POINTS = 1000


class VersionQuery(serializers.Serializer[Any]):
    version = serializers.IntegerField(required=False, min_value=0, help_text="As of this version instead of head.")


class VersionPage(PageFilter, VersionQuery):
    pass


class ObjectPage(VersionPage):
    search = serializers.CharField(required=False, max_length=200, help_text="Text in the name.")


class TablePage(ObjectPage):
    include = serializers.ChoiceField(
        ["sizes"], required=False, help_text="`sizes`: rows, bytes, files and the last change of each."
    )


class PreviewQuery(VersionQuery):
    limit = serializers.IntegerField(required=False, default=LONGEST_PREVIEW, min_value=1, max_value=LONGEST_PREVIEW)


class VersionsQuery(VersionQuery):
    points = serializers.IntegerField(
        required=False, default=200, min_value=2, max_value=MOST_POINTS, help_text="At most so many versions."
    )


class ChangesQuery(serializers.Serializer[Any]):
    """Two points, each a version of the branch, another branch or a tag. ``from`` is no name that Python allows."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {name: field for end in ("from", "to") for name, field in _point_fields(end)}

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        for end in ("from", "to"):
            if sum(name in attrs for name, _ in _point_fields(end)) != 1:
                raise serializers.ValidationError({end: f"Give one of {end}, {end}_branch and {end}_tag."})
        return attrs


def _point_fields(end: str) -> list[tuple[str, serializers.Field[Any, Any, Any, Any]]]:
    return [
        (end, serializers.IntegerField(required=False, min_value=0, help_text="A version of the branch.")),
        (f"{end}_branch", serializers.CharField(required=False, help_text="The head of this branch.")),
        (f"{end}_tag", serializers.CharField(required=False, help_text="What this tag names.")),
    ]


class DatabaseAnswer(serializers.Serializer[Any]):
    name = serializers.CharField()
    database_id = serializers.IntegerField()
    comment = serializers.CharField(allow_blank=True)
    properties = serializers.DictField(child=serializers.CharField(allow_blank=True))


class DatabaseDetail(DatabaseAnswer):
    table_count = serializers.IntegerField()


class SizeAnswer(serializers.Serializer[Any]):
    """Live rows, bytes of data files, and their number."""

    rows = serializers.IntegerField()
    bytes = serializers.IntegerField()
    files = serializers.IntegerField()


class LastChangeAnswer(serializers.Serializer[Any]):
    """The newest commit that did something to a table; ``branch`` is where it was made."""

    version = serializers.IntegerField()
    branch = serializers.CharField()
    time = serializers.DateTimeField()
    operation = serializers.CharField()
    author = serializers.CharField(allow_blank=True)


class TableSummary(serializers.Serializer[Any]):
    """A table in a list. ``sizes`` and ``last_change`` are null unless asked for, and where rows are restricted for who
    asks.
    """

    name = serializers.CharField()
    table_id = serializers.IntegerField()
    database = serializers.CharField()
    comment = serializers.CharField(allow_blank=True)
    schema_version = serializers.IntegerField()
    changed_version = serializers.IntegerField(help_text="Last change of name, properties or comment.")
    column_count = serializers.IntegerField()
    has_primary_key = serializers.BooleanField()
    is_partitioned = serializers.BooleanField()
    sizes = SizeAnswer(allow_null=True)
    last_change = LastChangeAnswer(allow_null=True)


class TableColumn(serializers.Serializer[Any]):
    """A column. The three positions count from 0; null where it is no part of the key or of the partitioning."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    type = serializers.CharField()
    nullable = serializers.BooleanField()
    default = serializers.CharField(allow_null=True)
    comment = serializers.CharField(allow_null=True)
    position = serializers.IntegerField()
    key_position = serializers.IntegerField(allow_null=True)
    partition_position = serializers.IntegerField(allow_null=True)


class TableAnswer(serializers.Serializer[Any]):
    """A table as of ``version``. ``rows`` are live; ``partitions`` counts values that rows or declarations made."""

    name = serializers.CharField()
    table_id = serializers.IntegerField()
    database = serializers.CharField()
    database_id = serializers.IntegerField()
    comment = serializers.CharField(allow_blank=True)
    version = serializers.IntegerField()
    head_version = serializers.IntegerField()
    schema_version = serializers.IntegerField()
    columns = TableColumn(many=True)
    primary_key = serializers.ListField(child=serializers.CharField())
    partition_by = serializers.ListField(child=serializers.CharField())
    properties = serializers.DictField(child=serializers.CharField(allow_blank=True))
    constraints = serializers.DictField(child=serializers.CharField(), help_text="By name the conditions of CHECK.")
    rows = serializers.IntegerField()
    bytes = serializers.IntegerField()
    files = serializers.IntegerField()
    partitions = serializers.IntegerField()
    delete_files = serializers.IntegerField()
    deleted_rows = serializers.IntegerField()


class SegmentAnswer(serializers.Serializer[Any]):
    """A data file as the branch sees it. ``rows`` counts those in the file, ``deleted_rows`` is of them."""

    segment_id = serializers.IntegerField()
    path = serializers.CharField()
    rows = serializers.IntegerField()
    bytes = serializers.IntegerField()
    deleted_rows = serializers.IntegerField()
    delete_files = serializers.IntegerField()
    partition = serializers.DictField(child=serializers.CharField(allow_null=True))
    schema_version = serializers.IntegerField()
    is_visible = serializers.BooleanField(help_text="Whether time travel may show that schema version.")
    added_version = serializers.IntegerField()


class CompactionAnswer(serializers.Serializer[Any]):
    """What OPTIMIZE would rewrite now. Each file is counted under one reason, the first of them that holds."""

    version = serializers.IntegerField()
    files = serializers.IntegerField(help_text="Files of the table.")
    chosen_files = serializers.IntegerField(help_text="Files that OPTIMIZE rewrites.")
    chosen_bytes = serializers.IntegerField()
    deletes = serializers.IntegerField(help_text="Files of which rows are deleted.")
    publishing = serializers.IntegerField(help_text="Files that other engines would read otherwise than lakeui.")
    layout = serializers.IntegerField(help_text="Files that lie otherwise than the table says.")
    small = serializers.IntegerField(help_text="Files that are small, and not alone at their place.")
    files_after = serializers.IntegerField(help_text="An estimate of how many files the table has afterwards.")


class LineageNode(serializers.Serializer[Any]):
    """A table, a pipeline or a view. ``node`` names it in edges; ``id`` is the kind's own."""

    node = serializers.CharField()
    kind = serializers.ChoiceField(["table", "pipeline", "view"])
    id = serializers.IntegerField()
    name = serializers.CharField(help_text="As people read it: `database.table`, or the pipeline's name.")
    database = serializers.CharField(allow_blank=True, help_text="Empty for a pipeline.")
    object = serializers.CharField(help_text="The name without the database.")
    is_dropped = serializers.BooleanField(help_text="Dropped on the branch; of a pipeline, deleted.")


class LineageEdge(serializers.Serializer[Any]):
    """Rows went from one node into the other. ``version`` is that of the newest commit; null for a view, and for a
    pipeline whose runs recorded nothing yet.
    """

    origin = serializers.CharField()
    target = serializers.CharField()
    version = serializers.IntegerField(allow_null=True)
    statements = serializers.IntegerField(help_text="Commits that did it, at least; 0 where `version` is null.")


class LineageAnswer(serializers.Serializer[Any]):
    """What the rows of a table were made from, and what was made from them, up to three statements away."""

    version = serializers.IntegerField()
    node = serializers.CharField(help_text="The table itself.")
    nodes = LineageNode(many=True)
    edges = LineageEdge(many=True)
    commits = LastChangeAnswer(many=True, help_text="The commits that edges name.")
    hidden_tables = serializers.IntegerField(help_text="Tables that the branch does not know, as of other catalogs.")
    is_cut = serializers.BooleanField(help_text="There are more tables than are followed.")


class VisibleSchemaAnswer(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    branch = serializers.CharField()
    time = serializers.DateTimeField()
    operation = serializers.CharField()
    is_current = serializers.BooleanField()
    segments = serializers.IntegerField(help_text="Files written under it.")
    columns = TableColumn(many=True)


class InvisibleSchemaAnswer(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    added_version = serializers.IntegerField(help_text="The merge that brought it.")
    segments = serializers.IntegerField()
    columns = TableColumn(many=True)


class DiscardedSchemaAnswer(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    merge_id = serializers.UUIDField()
    merged_version = serializers.IntegerField()
    source = serializers.CharField()  # type: ignore[assignment]
    columns = TableColumn(many=True)


class SchemasAnswer(serializers.Serializer[Any]):
    """Every schema version of a table that the branch knows of, each list newest first."""

    visible = VisibleSchemaAnswer(many=True)
    invisible = InvisibleSchemaAnswer(many=True)
    discarded = DiscardedSchemaAnswer(many=True)


class SizePointAnswer(serializers.Serializer[Any]):
    """The table right after a version that changed its data."""

    version = serializers.IntegerField()
    time = serializers.DateTimeField()
    operation = serializers.CharField()
    rows = serializers.IntegerField(help_text="Live ones.")
    bytes = serializers.IntegerField()
    files = serializers.IntegerField()


class VersionsAnswer(serializers.Serializer[Any]):
    """Sizes over time, oldest first. With more versions than asked for: the first, the last, an even choice between."""

    version = serializers.IntegerField(help_text="The version that is looked at; the last size holds until it.")
    total = serializers.IntegerField(help_text="Versions that changed data, shown or not.")
    results = SizePointAnswer(many=True)


class PartitionAnswer(serializers.Serializer[Any]):
    partition = serializers.CharField(help_text="As SHOW PARTITIONS writes it.")
    values = serializers.DictField(child=serializers.CharField(allow_null=True))
    rows = serializers.IntegerField()
    bytes = serializers.IntegerField()
    files = serializers.IntegerField()
    is_declared = serializers.BooleanField(help_text="ADD PARTITION made it, rows or not.")


class ColumnBoundsEntry(serializers.Serializer[Any]):
    """One column, by the statistics of the files. Null where a file says nothing of it."""

    column_id = serializers.IntegerField()
    name = serializers.CharField()
    type = serializers.CharField()
    nulls = serializers.IntegerField(allow_null=True, help_text="At most so many rows have no value.")
    minimum = serializers.JSONField(help_text="No value is smaller; null where that is not known or there is no value.")
    maximum = serializers.JSONField(help_text="No value is larger.")
    is_exact = serializers.BooleanField(help_text="`nulls` counts exactly: no row of the files is deleted.")


class TableProfileAnswer(serializers.Serializer[Any]):
    """What is known of a table's columns without a look at its rows."""

    version = serializers.IntegerField()
    rows = serializers.IntegerField(help_text="Of the files, with those that are deleted.")
    deleted_rows = serializers.IntegerField(help_text="At most so many of them are deleted.")
    columns = ColumnBoundsEntry(many=True)


def columns_shown(schema: Schema) -> list[dict[str, Any]]:
    """The entries of ``TableColumn``."""
    return [
        {
            "id": column.id,
            "name": column.name,
            "type": column.type,
            "nullable": column.nullable,
            "default": column.default,
            "comment": column.comment,
            "position": position,
            "key_position": _position(schema.primary_key, column.ids),
            "partition_position": _position(schema.partition_by, column.ids),
        }
        for position, column in enumerate(schema.columns)
    ]


def names_shown(schema: Schema, column_ids: Sequence[int]) -> list[str]:
    """The names of these columns."""
    found = (schema.column(identifier) for identifier in column_ids)
    return [column.name for column in found if column is not None]


def partition_shown(schema: Schema, values: PartitionValues) -> dict[str, str | None]:
    """Partition values by column name."""
    return dict(zip((column.name for column in schema.partition_columns), values, strict=True))


def _position(column_ids: Sequence[int], own: Sequence[int]) -> int | None:
    return next((place for place, identifier in enumerate(column_ids) if identifier in own), None)
