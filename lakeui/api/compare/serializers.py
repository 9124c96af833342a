"""Comparisons of branches as the HTTP interface shows them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from catalog_app.rules.loader import TABLE_NAMES
from lakeui.api.http.paging import PageFilter
from lakeui.api.tables.table_serializers import TableColumn
from merge_app.comparison.compare import NEW
from merge_app.planning.merge_plan import Action, Decision, ResolutionPart, Verdict

# Members called ``source`` or ``parent`` bear names of DRF's own attributes. Its metaclass takes
# declared fields off the class, so nothing is shadowed at run time; mypy does not know.

VERDICTS = [*(verdict.value for verdict in Verdict), NEW]
KINDS = ["database", "table"]


class CompareQuery(PageFilter):
    kind = serializers.ChoiceField(KINDS, required=False)
    verdict = serializers.ChoiceField(VERDICTS, required=False)
    search = serializers.CharField(required=False, max_length=200, help_text="Text in the full name.")
    since_review = serializers.IntegerField(
        required=False,
        min_value=1,
        help_text="A review of the merge request that `merge_request` names: only objects that are not what it saw.",
    )


class DecisionsQuery(serializers.Serializer[Any]):
    newest_by = serializers.CharField(
        required=False, max_length=255, help_text="A column: what `newest` by it does to all conflicting rows, too."
    )


class DecidedQuery(serializers.Serializer[Any]):
    merge_request = serializers.IntegerField(
        required=False,
        min_value=1,
        help_text="With what was decided of the conflicts in this merge request. The branches of one that is merged are"
        " compared as they were merged.",
    )


class HeadEntry(serializers.Serializer[Any]):
    """A branch as it was compared. ``catalog`` differs from the address's for a branch of another lake."""

    catalog = serializers.CharField()
    name = serializers.CharField()
    branch_id = serializers.IntegerField()
    head_version = serializers.IntegerField()


class CompareCounts(serializers.Serializer[Any]):
    """Objects in all and by verdict; ``conflicts`` and ``notes`` count findings, of which an object may have many."""

    objects = serializers.IntegerField()
    conflict = serializers.IntegerField()
    decided = serializers.IntegerField()
    note = serializers.IntegerField()
    ok = serializers.IntegerField()
    new = serializers.IntegerField()
    tables_in_conflict = serializers.IntegerField(help_text="Those of `conflict` that are tables.")
    conflicts = serializers.IntegerField()
    conflicting_rows = serializers.IntegerField(
        help_text="Those without a decision: by primary key, or by row id where rows were compared by it."
    )
    notes = serializers.IntegerField()


class BroughtEntry(serializers.Serializer[Any]):
    """What the merge brings, by the numbers that commits counted: no row is read for it."""

    rows_inserted = serializers.IntegerField()
    rows_updated = serializers.IntegerField()
    rows_deleted = serializers.IntegerField()
    rows_are_exact = serializers.BooleanField(
        help_text="Else the rows are at most so many: several statements changed rows, or the merge leaves some out."
    )
    columns_added = serializers.IntegerField()
    columns_dropped = serializers.IntegerField()
    columns_changed = serializers.IntegerField()


class BroughtTotal(BroughtEntry):
    """The same of all objects together."""

    tables_created = serializers.IntegerField()
    tables_dropped = serializers.IntegerField()
    tables_changed = serializers.IntegerField()
    databases_created = serializers.IntegerField()
    databases_dropped = serializers.IntegerField()
    databases_changed = serializers.IntegerField()


class ComparedEntry(serializers.Serializer[Any]):
    """An object that the source changed. The operations are axes of the rule table, besides create and undrop."""

    kind = serializers.ChoiceField(KINDS)
    object_id = serializers.IntegerField()
    name = serializers.CharField()
    database = serializers.CharField(allow_blank=True, help_text="Of a table; empty for a database.")
    action = serializers.ChoiceField([action.value for action in Action])
    source_ops = serializers.ListField(child=serializers.CharField())
    dest_ops = serializers.ListField(child=serializers.CharField())
    verdict = serializers.ChoiceField(VERDICTS, help_text="The worst of its findings; `new`: only the source has it.")
    codes = serializers.ListField(child=serializers.CharField())
    brings = BroughtEntry()
    newest_version = serializers.IntegerField(help_text="The last commit of either branch that changed it, or 0.")
    since_review = serializers.ChoiceField(
        ["new", "changed"], required=False, help_text="With the parameter of this name: what became of it since."
    )


class ComparedDatabase(serializers.Serializer[Any]):
    """How many of the objects that the filter lets through belong to a database, itself among them."""

    name = serializers.CharField()
    objects = serializers.IntegerField()
    conflict = serializers.IntegerField(help_text="Those that conflict.")


class ComparisonAnswer(serializers.Serializer[Any]):
    """Two heads compared, with a page of the objects by database: conflicts first, then notes, then the rest, each by
    name. ``databases`` are in the same order, and not paged.
    """

    source = HeadEntry()  # type: ignore[assignment]
    destination = HeadEntry()
    merge_base = serializers.IntegerField(help_text="Newest version that both reach; 0 without one.")
    ahead = serializers.IntegerField(help_text="Commits that only the source reaches, but for merges without news.")
    behind = serializers.IntegerField(help_text="Commits that only the target reaches, but for merges without news.")
    mergeable = serializers.BooleanField()
    is_empty = serializers.BooleanField(help_text="The source has no commit that the target lacks.")
    fingerprint = serializers.CharField(help_text="That of a dry run on the same heads.")
    rules_digest = serializers.CharField()
    counts = CompareCounts()
    brings = BroughtTotal()
    databases = ComparedDatabase(many=True)
    next = serializers.URLField(allow_null=True)
    results = ComparedEntry(many=True)


class DecisionOption(serializers.Serializer[Any]):
    """A decision that answers a conflict: members of the body that decides it."""

    decision = serializers.ChoiceField([decision.value for decision in Decision])
    part = serializers.ChoiceField([part.value for part in ResolutionPart])
    part_key = serializers.CharField(allow_blank=True)


class FindingEntry(serializers.Serializer[Any]):
    """A cell in which the two branches met, or a check outside the tables (``rule_table`` empty)."""

    object = serializers.CharField()
    kind = serializers.ChoiceField(KINDS)
    object_id = serializers.IntegerField()
    rule_table = serializers.CharField(allow_blank=True)
    source_op = serializers.CharField(allow_blank=True)
    dest_op = serializers.CharField(allow_blank=True)
    verdict = serializers.ChoiceField([verdict.value for verdict in Verdict])
    code = serializers.CharField(allow_blank=True)
    note = serializers.CharField(allow_blank=True)
    message = serializers.CharField()
    remedy = serializers.CharField(allow_blank=True)
    source_versions = serializers.ListField(child=serializers.IntegerField())
    dest_versions = serializers.ListField(child=serializers.IntegerField())
    details = serializers.DictField(child=serializers.JSONField())
    decisions = DecisionOption(many=True, help_text="Those that answer it; of any row and cell in conflict too.")


class SideOperation(serializers.Serializer[Any]):
    kind = serializers.CharField()
    object_kind = serializers.ChoiceField(KINDS)
    metrics = serializers.DictField(child=serializers.IntegerField())
    changed = serializers.ListField(
        child=serializers.CharField(), help_text="Columns, property keys and partitions, by name."
    )


class CommitFileEntry(serializers.Serializer[Any]):
    file_id = serializers.IntegerField()
    path = serializers.CharField(help_text="Below the warehouse.")
    is_new = serializers.BooleanField(help_text="It wrote the file; otherwise it removed or masked rows of it.")


class SideCommitEntry(serializers.Serializer[Any]):
    """A commit of one side on the object, oldest first in its list."""

    version = serializers.IntegerField()
    branch = serializers.CharField()
    operation = serializers.CharField()
    statement = serializers.CharField(allow_blank=True)
    author = serializers.CharField(allow_blank=True)
    time = serializers.DateTimeField()
    operations = SideOperation(many=True)
    rows = serializers.IntegerField(help_text="Inserted, updated and deleted.")
    files_added = serializers.IntegerField()
    files_touched = serializers.IntegerField(help_text="Existing data files that it removed or masked.")
    files = CommitFileEntry(many=True, help_text="The first 20 of both, those that were there before it first.")


class FourNames(serializers.Serializer[Any]):
    """Full names; null where the object does not exist or is dropped."""

    base = serializers.CharField(allow_null=True)
    source = serializers.CharField(allow_null=True)  # type: ignore[assignment]
    destination = serializers.CharField(allow_null=True)
    result = serializers.CharField(allow_null=True)


class ColumnRow(serializers.Serializer[Any]):
    """One column, aligned by id (merged columns by their aliases)."""

    id = serializers.IntegerField()
    base = TableColumn(allow_null=True)
    source = TableColumn(allow_null=True)  # type: ignore[assignment]
    destination = TableColumn(allow_null=True)
    result = TableColumn(allow_null=True)
    is_changed = serializers.BooleanField(help_text="Whether the merge changes it on the target.")


class PropertyRow(FourNames):
    key = serializers.CharField()
    is_changed = serializers.BooleanField(help_text="Whether the merge changes it on the target.")


class PartitionChangeEntry(serializers.Serializer[Any]):
    """Values by column name: `before` null: added, `after` null: dropped, both: renamed."""

    before = serializers.DictField(child=serializers.CharField(allow_null=True), allow_null=True)
    after = serializers.DictField(child=serializers.CharField(allow_null=True), allow_null=True)


class PartitionSides(serializers.Serializer[Any]):
    source = PartitionChangeEntry(many=True)  # type: ignore[assignment]
    destination = PartitionChangeEntry(many=True)


class PreviewFileEntry(serializers.Serializer[Any]):
    path = serializers.CharField()
    rows = serializers.IntegerField()
    bytes = serializers.IntegerField()
    schema_version = serializers.IntegerField()
    is_visible = serializers.BooleanField()


class FilesEntry(serializers.Serializer[Any]):
    """Data files that the merge adds and removes; at most 200 of each are listed, all are counted."""

    brought = PreviewFileEntry(many=True)
    brought_count = serializers.IntegerField()
    removed = PreviewFileEntry(many=True)
    removed_count = serializers.IntegerField()
    delete_files_attached = serializers.IntegerField()
    rewrites = serializers.IntegerField(help_text="Pieces of work on rows that files alone cannot do.")


class PreviewEntry(serializers.Serializer[Any]):
    """The table on the target before and after."""

    rows_before = serializers.IntegerField()
    rows_after = serializers.IntegerField()
    rows_are_exact = serializers.BooleanField()
    files_before = serializers.IntegerField()
    files_after = serializers.IntegerField()
    bytes_before = serializers.IntegerField()
    bytes_after = serializers.IntegerField()
    schema_changes = serializers.BooleanField(help_text="The merge adds one visible schema version.")
    invisible_schema_versions = serializers.ListField(child=serializers.IntegerField())
    discarded_schema_versions = serializers.ListField(child=serializers.IntegerField())


class ObjectComparisonAnswer(serializers.Serializer[Any]):
    """One object of a comparison. ``files`` and ``preview`` are null for a database and while it conflicts."""

    kind = serializers.ChoiceField(KINDS)
    object_id = serializers.IntegerField()
    name = serializers.CharField()
    action = serializers.ChoiceField([action.value for action in Action])
    verdict = serializers.ChoiceField(VERDICTS)
    brings = BroughtEntry()
    source_head = serializers.IntegerField()
    destination_head = serializers.IntegerField()
    merge_base = serializers.IntegerField()
    rule_table = serializers.ChoiceField(list(TABLE_NAMES))
    cells = FindingEntry(many=True)
    source_commits = SideCommitEntry(many=True)
    dest_commits = SideCommitEntry(many=True)
    names = FourNames()
    columns = ColumnRow(many=True)
    properties = PropertyRow(many=True)
    partitions = PartitionSides()
    files = FilesEntry(allow_null=True)
    preview = PreviewEntry(allow_null=True)


class LeftOutWork(serializers.Serializer[Any]):
    """Work of one side (`either`: of the one or the other, row by row) that a decision leaves out."""

    side = serializers.ChoiceField(["source", "destination", "either"])
    what = serializers.CharField(help_text="`rows inserted`, `rows updated`, `columns`, ..")
    count = serializers.IntegerField()
    examples = serializers.ListField(child=serializers.CharField(), help_text="Rows as JSON objects; names else.")


class DecisionEffect(DecisionOption):
    """What a decision keeps and leaves out."""

    text = serializers.CharField()
    rows_left_out = serializers.IntegerField(help_text="Changes of rows; send it as `confirm` with the decision.")
    left_out = LeftOutWork(many=True)
    refused = serializers.CharField(allow_blank=True, help_text="Why `rerun` is not possible; `text` is empty then.")


class CompareDecisionsAnswer(serializers.Serializer[Any]):
    source_head = serializers.IntegerField()
    destination_head = serializers.IntegerField()
    results = DecisionEffect(many=True)
