"""What a source's changes do to values, as the HTTP interface shows it: counts by column, and risks."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from catalog_app.domain.histogram import TOP
from lakeui.api.compare.row_serializers import SidesColumn


class FrequentEntry(serializers.Serializer[Any]):
    """A value, and in how many rows it stands."""

    value = serializers.JSONField()
    count = serializers.IntegerField()


class BinEntry(serializers.Serializer[Any]):
    """How many numbers lie in an interval around a number."""

    at = serializers.FloatField()
    count = serializers.IntegerField()


class ValueCountsEntry(serializers.Serializer[Any]):
    """Counts of one column in rows. The least, the largest and the mean are null where the type has none."""

    rows = serializers.IntegerField()
    nulls = serializers.IntegerField()
    distinct = serializers.IntegerField(help_text="Different values, without NULL.")
    least = serializers.JSONField(help_text="Null where there is none.")
    largest = serializers.JSONField()
    mean = serializers.FloatField(allow_null=True)
    top = FrequentEntry(
        many=True, help_text=f"At most {TOP}, the most frequent first. Of more values, those of one row are left out."
    )
    histogram = BinEntry(
        many=True, help_text="By 20 intervals, the same before, after and merged. Empty for other types than numbers."
    )


class ColumnProfileEntry(serializers.Serializer[Any]):
    """One column in the rows that the source changed: as both branches knew them, as the source has them, and as the
    merge makes them.
    """

    column = SidesColumn()
    updated = serializers.IntegerField(help_text="Rows that have a value before and after.")
    changed = serializers.IntegerField(help_text="Those of them in which the value differs.")
    before = ValueCountsEntry()
    after = ValueCountsEntry()
    merged = ValueCountsEntry(help_text="Without rows whose conflict is open.")


class RiskEntry(serializers.Serializer[Any]):
    """Something to look at first."""

    code = serializers.ChoiceField(["COLUMN_READ", "ROWS_LOST", "NULLS_RISEN", "ONE_VALUE", "TABLE_READ"])
    message = serializers.CharField()
    column = serializers.CharField(allow_blank=True, help_text="Empty where it is about rows.")


class CompareProfileAnswer(serializers.Serializer[Any]):
    """What the source's changes do to the values of a table."""

    source_head = serializers.IntegerField()
    destination_head = serializers.IntegerField()
    is_whole = serializers.BooleanField(help_text="False: there are more changed rows than were counted.")
    inserted = serializers.IntegerField()
    updated = serializers.IntegerField()
    deleted = serializers.IntegerField()
    open = serializers.IntegerField(help_text="Rows whose conflict nothing decides.")
    columns = ColumnProfileEntry(many=True)
    risks = RiskEntry(many=True)
