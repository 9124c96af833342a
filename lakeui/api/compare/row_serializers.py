"""Compared rows as the HTTP interface shows them: those of one side, and both sides beside each other."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from catalog_app.domain.operations import OperationKind
from lakeui.api.http.paging import PageFilter
from lakeui.api.http.serializers import ColumnEntry

# Members called ``source`` bear the name of an attribute of DRF's own. Its metaclass takes declared fields off the
# class, so nothing is shadowed at run time; mypy does not know.

ROW_CHANGES = [kind.value for kind in (OperationKind.INSERT, OperationKind.UPDATE, OperationKind.DELETE)]


class CompareRowsQuery(PageFilter):
    side = serializers.ChoiceField(["source", "destination"], help_text="Whose work is shown.")
    change = serializers.ChoiceField(ROW_CHANGES, required=False, help_text="Only rows that the side changed so.")


class CompareSidesQuery(PageFilter):
    only = serializers.ChoiceField(["conflicts"], required=False, help_text="Leave out rows that do not conflict.")


class CompareRowsAnswer(serializers.Serializer[Any]):
    """Rows that one side changed beside the newest image that both sides know, in the order of row ids."""

    next = serializers.URLField(allow_null=True)
    base_version = serializers.IntegerField(help_text="The merge base; 0 without one.")
    version = serializers.IntegerField(help_text="The head of the side.")
    columns = ColumnEntry(many=True)
    rows = serializers.ListField(
        child=serializers.ListField(child=serializers.JSONField()),
        help_text="`change`, `row_id` and the columns; an update is two rows, before and after. `limit` counts ids.",
    )
    keys = serializers.ListField(
        child=serializers.CharField(),
        help_text="By row the `key` that the comparison side by side names it by; a comment's `row_key` is one.",
    )


class SidesColumn(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    type = serializers.CharField()
    is_key = serializers.BooleanField(help_text="Part of the primary key.")


class ComparedRow(serializers.Serializer[Any]):
    """One row by its primary key, or in a table without one by its row id. A side without the row is null."""

    key = serializers.CharField(help_text="The primary key as a JSON object, or the row id.")
    is_conflict = serializers.BooleanField(help_text="It refuses the merge, or was decided.")
    is_open = serializers.BooleanField(help_text="A conflict that nothing decides.")
    source_change = serializers.ChoiceField(ROW_CHANGES, allow_null=True)
    dest_change = serializers.ChoiceField(ROW_CHANGES, allow_null=True)
    base = serializers.ListField(child=serializers.JSONField(), allow_null=True)
    # DRF's metaclass takes declared fields off the class, so this is not the attribute ``source`` of a Field.
    source = serializers.ListField(child=serializers.JSONField(), allow_null=True)  # type: ignore[assignment]
    destination = serializers.ListField(child=serializers.JSONField(), allow_null=True)
    result = serializers.ListField(
        child=serializers.JSONField(),
        allow_null=True,
        help_text="What a merge makes of the row by what was decided. Null: the row is deleted, or open.",
    )


class CompareSidesAnswer(serializers.Serializer[Any]):
    """Rows that either side changed, conflicts first, then by the text of their keys."""

    next = serializers.URLField(allow_null=True)
    source_head = serializers.IntegerField()
    destination_head = serializers.IntegerField()
    columns = SidesColumn(many=True)
    rows = ComparedRow(many=True)
