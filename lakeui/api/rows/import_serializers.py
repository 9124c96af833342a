"""Imports of files as the HTTP interface shows them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from catalog_app.domain.commit_messages import LONGEST_MESSAGE
from catalog_app.importing.delimited import DELIMITERS
from catalog_app.importing.encodings import ENCODINGS
from catalog_app.importing.local_texts import DateOrder, NumberFormat, sample_plain
from catalog_app.importing.spec import FileFormat, FoundColumn, Misfit, Reading, misfit_of
from catalog_app.importing.unpacking import Compression
from catalog_app.models import FileImport
from merge_app.upsert.inputs_outputs import ExtraColumns, Strategy

# Members called ``source`` bear the name of DRF's own attribute. Its metaclass takes declared
# fields off the class, so nothing is shadowed at run time; mypy does not know.

MERGE_MODES = [item.value for item in Strategy]
EXTRA_COLUMNS = [item.value for item in ExtraColumns]
_OF_MERGES = ("key_columns", "dedup_by", "schema_evolution", "extra_columns")
MODES = ["create", "append", *MERGE_MODES]
LONGEST_NAME = 255
MOST_SKIPPED = 1_000_000
DEDUP_HELP = "Of rows with one key the greatest in these columns is taken; without them that is an error."
EVOLUTION_HELP = "The table gains columns that only the file has, and wider types."

EXTRA_HELP = "What becomes of columns that the table lacks: they refuse the merge, or are ignored."
NUMBER_FORMATS = [item.value for item in NumberFormat]
DATE_ORDERS = [item.value for item in DateOrder]
NUMBERS_HELP = "Of CSV: how 1234.5 is written, in columns of numbers. Null: `1234.5`. Other forms are no numbers."
DATES_HELP = "Of CSV: in which order days are written, between `.`, `/` or `-`. Null: `2025-12-31`, as SQL writes it."
MESSAGE_HELP = "What the history says of the commit."
DRY_RUN_HELP = "Do everything but the commit: `metrics` as it would have, `examples` of rows; nothing is written."


class MisfitEntry(serializers.Serializer[Any]):
    """A value that the chosen type does not take: loading will fail."""

    row = serializers.IntegerField(help_text="Counted from 1, without the header.")
    value = serializers.CharField(allow_blank=True)


class ImportColumn(serializers.Serializer[Any]):
    """A column of the file and what becomes of it."""

    source = serializers.CharField(help_text="Its name in the file.")  # type: ignore[assignment]
    name = serializers.CharField(help_text="Its name in the table.")
    type = serializers.CharField(help_text="Of a new table's column; an existing table has its own.")
    include = serializers.BooleanField()
    inferred_type = serializers.CharField(help_text="Takes every value of the column.")
    misfit = MisfitEntry(allow_null=True)


class ImportAnswer(serializers.Serializer[Any]):
    """A file that waits to be loaded. ``sample`` holds its first rows, one value per entry of ``columns``:
    a number or day in a chosen form as SQL writes it.
    """

    id = serializers.UUIDField()
    name = serializers.CharField()
    format = serializers.ChoiceField([item.value for item in FileFormat])
    bytes = serializers.IntegerField()
    rows = serializers.IntegerField()
    header = serializers.BooleanField(allow_null=True, help_text="Of CSV, null for others: the first row has names.")
    delimiter = serializers.CharField(allow_null=True, trim_whitespace=False, help_text="Of CSV, null for others.")
    null_text = serializers.CharField(
        allow_blank=True, trim_whitespace=False, help_text="Of CSV: what means NULL, unquoted, beside nothing at all."
    )
    skip_lines = serializers.IntegerField(
        allow_null=True, help_text="Of CSV, null for others: how many lines stand before the table, such as a title."
    )
    numbers = serializers.ChoiceField(NUMBER_FORMATS, allow_null=True, help_text=NUMBERS_HELP)
    dates = serializers.ChoiceField(DATE_ORDERS, allow_null=True, help_text=DATES_HELP)
    encoding = serializers.ChoiceField(
        ENCODINGS, allow_null=True, help_text="Of CSV and JSON, null for others. Read with another one by PATCH."
    )
    compression = serializers.ChoiceField(
        [item.value for item in Compression], allow_null=True, help_text="Of the file as it was sent."
    )
    columns = ImportColumn(many=True)
    sample = serializers.ListField(child=serializers.ListField(child=serializers.JSONField()))
    warnings = serializers.ListField(child=serializers.CharField())
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(help_text="The file is removed then.")


class ColumnChange(serializers.Serializer[Any]):
    source = serializers.CharField(trim_whitespace=False)  # type: ignore[assignment]
    name = serializers.CharField(required=False, max_length=LONGEST_NAME)
    type = serializers.CharField(required=False, max_length=10_000, help_text="Spark SQL type.")
    include = serializers.BooleanField(required=False)


class ReadingRequest(serializers.Serializer[Any]):
    """What is to be read otherwise. Choices of columns are begun anew where any of the others changes."""

    header = serializers.BooleanField(required=False)
    delimiter = serializers.ChoiceField(DELIMITERS, required=False)
    null_text = serializers.CharField(required=False, allow_blank=True, trim_whitespace=False, max_length=100)
    skip_lines = serializers.IntegerField(
        required=False, min_value=0, max_value=MOST_SKIPPED, help_text="Of CSV: lines before the table."
    )
    numbers = serializers.ChoiceField(NUMBER_FORMATS, required=False, allow_null=True, help_text=NUMBERS_HELP)
    dates = serializers.ChoiceField(DATE_ORDERS, required=False, allow_null=True, help_text=DATES_HELP)
    encoding = serializers.ChoiceField(ENCODINGS, required=False, help_text="Of CSV and JSON.")
    columns = ColumnChange(many=True, required=False)


class LoadRequest(serializers.Serializer[Any]):
    """Where the rows go. ``create`` makes the table; ``append`` matches columns by name, missing ones become NULL.
    ``insert`` adds rows whose key is new, ``update`` replaces those whose key is there, ``upsert`` does both.
    """

    database = serializers.CharField(max_length=LONGEST_NAME)
    table = serializers.CharField(max_length=LONGEST_NAME)
    mode = serializers.ChoiceField(MODES)
    primary_key = serializers.ListField(child=serializers.CharField(), required=False)
    partition_by = serializers.ListField(child=serializers.CharField(), required=False)
    key_columns = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Of the last three modes: what says which rows match."
    )
    dedup_by = serializers.ListField(child=serializers.CharField(), required=False, help_text=DEDUP_HELP)
    schema_evolution = serializers.BooleanField(required=False, help_text=EVOLUTION_HELP)
    extra_columns = serializers.ChoiceField(EXTRA_COLUMNS, required=False, help_text=EXTRA_HELP)
    dry_run = serializers.BooleanField(required=False, help_text=DRY_RUN_HELP)
    message = serializers.CharField(
        required=False, allow_blank=True, max_length=LONGEST_MESSAGE, help_text=MESSAGE_HELP
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["mode"] != "create" and (attrs.get("primary_key") or attrs.get("partition_by")):
            raise serializers.ValidationError("An existing table has its key and its partitions.")
        is_merge = attrs["mode"] in MERGE_MODES
        if is_merge and not attrs.get("key_columns"):
            raise serializers.ValidationError("Name the columns in key_columns that say which rows match.")
        if not is_merge and any(attrs.get(name) for name in _OF_MERGES):
            raise serializers.ValidationError("Only insert, update and upsert compare keys.")
        return attrs


class KeyedMergeQuery(serializers.Serializer[Any]):
    """What becomes of the rows sent."""

    strategy = serializers.ChoiceField(MERGE_MODES)
    key_columns = serializers.ListField(child=serializers.CharField(), help_text="What says which rows match.")
    dedup_by = serializers.ListField(child=serializers.CharField(), default=list, help_text=DEDUP_HELP)
    schema_evolution = serializers.BooleanField(default=False, help_text=EVOLUTION_HELP)
    extra_columns = serializers.ChoiceField(EXTRA_COLUMNS, default="refuse", help_text=EXTRA_HELP)
    dry_run = serializers.BooleanField(default=False, help_text=DRY_RUN_HELP)
    message = serializers.CharField(default="", allow_blank=True, max_length=LONGEST_MESSAGE, help_text=MESSAGE_HELP)


def import_shown(made: FileImport) -> dict[str, Any]:
    """The body of ``ImportAnswer``."""
    reading, found = Reading.from_json(made.reading), made.found
    columns = {entry["source"]: _found(entry) for entry in found["columns"]}
    body = {
        "id": made.pk,
        "name": made.name,
        "format": made.format,
        "bytes": made.bytes,
        "rows": found["rows"],
        "header": reading.header,
        "delimiter": reading.delimiter,
        "null_text": reading.null_text,
        "skip_lines": reading.skip_lines if made.format == FileFormat.CSV else None,
        "numbers": reading.numbers,
        "dates": reading.dates,
        "encoding": reading.encoding,
        "compression": reading.compression,
        "columns": [
            {
                "source": choice.source,
                "name": choice.name,
                "type": choice.type,
                "include": choice.include,
                "inferred_type": columns[choice.source].inferred,
                "misfit": misfit_of(columns[choice.source], choice.type),
            }
            for choice in reading.columns
        ],
        "sample": sample_plain(found["sample"], [choice.type for choice in reading.columns], reading.local),
        "warnings": found["warnings"],
        "created_at": made.created_at,
        "expires_at": made.expires_at,
    }
    return ImportAnswer(body).data


def _found(entry: dict[str, Any]) -> FoundColumn:
    misfits = {name: Misfit(**value) for name, value in entry["misfits"].items()}
    return FoundColumn(**{**entry, "misfits": misfits})
