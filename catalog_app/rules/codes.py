"""The verdict codes of a merge, each with a title and the way out (semantics §3 "Verdict codes")."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class VerdictCode(StrEnum):
    OBJECT_DROPPED_ON_DEST = "OBJECT_DROPPED_ON_DEST"
    NAME_EXISTS = "NAME_EXISTS"
    UNSET_SAME_PROPERTY = "UNSET_SAME_PROPERTY"
    PREDICATE_DML_VS_INSERT = "PREDICATE_DML_VS_INSERT"
    SAME_FILE_UPDATE_DELETE = "SAME_FILE_UPDATE_DELETE"
    SAME_FILE_UPDATE_UPDATE = "SAME_FILE_UPDATE_UPDATE"
    COLUMN_TYPE_NARROWING = "COLUMN_TYPE_NARROWING"
    NOT_NULL_WITHOUT_VALUE = "NOT_NULL_WITHOUT_VALUE"
    COLUMN_MISSING = "COLUMN_MISSING"
    COLUMN_NAME_TAKEN = "COLUMN_NAME_TAKEN"
    COLUMNS_JOINED = "COLUMNS_JOINED"
    NO_COLUMN_LEFT = "NO_COLUMN_LEFT"
    CHECK_DIFFERS = "CHECK_DIFFERS"
    CHECK_COLUMN_MISSING = "CHECK_COLUMN_MISSING"
    LAYOUT_DIFFERS = "LAYOUT_DIFFERS"
    LAYOUT_COLUMN_MISSING = "LAYOUT_COLUMN_MISSING"
    CHECK_VIOLATED = "CHECK_VIOLATED"
    PARTITION_DROPPED_ON_DEST = "PARTITION_DROPPED_ON_DEST"
    PARTITION_EXISTS = "PARTITION_EXISTS"
    PRIMARY_KEY_CLASH = "PRIMARY_KEY_CLASH"
    LEFT_OUT_BEFORE = "LEFT_OUT_BEFORE"
    DISCARDED_UPDATE = "DISCARDED_UPDATE"
    DISCARDED_DELETE = "DISCARDED_DELETE"
    DISCARDED_VALUE = "DISCARDED_VALUE"
    DISCARDED_RENAME = "DISCARDED_RENAME"
    DISCARDED_BY_DECISION = "DISCARDED_BY_DECISION"
    COMPACTION_SKIPPED = "COMPACTION_SKIPPED"
    OVERRIDDEN_BY_SOURCE = "OVERRIDDEN_BY_SOURCE"
    DROPS_DEST_CHANGES = "DROPS_DEST_CHANGES"
    STALE_READ = "STALE_READ"
    LOADED_TWICE = "LOADED_TWICE"
    BREAKS_VIEW = "BREAKS_VIEW"


@dataclass(frozen=True, slots=True)
class CodeText:
    """What a code means to a person. ``is_conflict`` False: it informs and refuses nothing."""

    title: str
    remedy: str
    is_conflict: bool = True


def _note(title: str, remedy: str) -> CodeText:
    return CodeText(title, remedy, is_conflict=False)


CODE_TABLE: dict[VerdictCode, CodeText] = {
    VerdictCode.OBJECT_DROPPED_ON_DEST: CodeText(
        "Dropped on the target",
        "Undrop it on the target, or drop it on the source too, then merge again.",
    ),
    VerdictCode.NAME_EXISTS: CodeText(
        "The name is taken on the target",
        "Rename one of the two, or drop the target's, then merge again.",
    ),
    VerdictCode.UNSET_SAME_PROPERTY: CodeText(
        "Source and target both unset one property",
        "Set the property again on the source or the target, then merge again.",
    ),
    VerdictCode.PREDICATE_DML_VS_INSERT: CodeText(
        "The target has rows that the source's statement never saw",
        "Merge the target into the source, run the statement there again, then merge back.",
    ),
    VerdictCode.SAME_FILE_UPDATE_DELETE: CodeText(
        "The source updated, and the target deleted, rows of one file",
        "Restore the table on the source to before the update, merge the target into it, and update again."
        " Or decide the rows that clash; the rest of both branches stays.",
    ),
    VerdictCode.SAME_FILE_UPDATE_UPDATE: CodeText(
        "Source and target both updated rows of one file",
        "Restore the table on the source to before the update, merge the target into it, and update again."
        " Or decide the rows that clash; the rest of both branches stays.",
    ),
    VerdictCode.COLUMN_TYPE_NARROWING: CodeText(
        "The target's column type does not widen to the source's",
        "Widen the column on the source to the target's type or a wider one, then merge again.",
    ),
    VerdictCode.NOT_NULL_WITHOUT_VALUE: CodeText(
        "Rows without a value for a NOT NULL column",
        "Drop NOT NULL, or give the rows values, on the branch that has them, then merge again.",
    ),
    VerdictCode.COLUMN_MISSING: CodeText(
        "The target dropped a column that the source changed",
        "Drop the column on the source too, or restore it on the target, then merge again.",
    ),
    VerdictCode.COLUMN_NAME_TAKEN: CodeText(
        "Another column of the target has that name",
        "Rename the column on the source or the target, then merge again.",
    ),
    VerdictCode.COLUMNS_JOINED: CodeText(
        "Source or target has as one column what the other has as two",
        "Replace the table on the branch with two columns (CREATE OR REPLACE TABLE .. AS SELECT), then merge again.",
    ),
    VerdictCode.NO_COLUMN_LEFT: CodeText(
        "Source and target together drop every column, or every field of a column",
        "Add a column or a field on the source or the target, then merge again.",
    ),
    VerdictCode.CHECK_DIFFERS: CodeText(
        "Source and target made a constraint of one name with two conditions",
        "Drop the constraint on the source or the target, then merge again.",
    ),
    VerdictCode.CHECK_COLUMN_MISSING: CodeText(
        "A constraint of the source or the target reads a column that the other dropped",
        "Drop the constraint, or restore the column, then merge again.",
    ),
    VerdictCode.LAYOUT_DIFFERS: CodeText(
        "Source and target changed how files are laid, to two layouts",
        "Give source and target one layout, then merge again.",
    ),
    VerdictCode.LAYOUT_COLUMN_MISSING: CodeText(
        "The layout of the source or the target needs a column, or a type of it, that the other took away",
        "Drop the partition field, or restore the column, then merge again.",
    ),
    VerdictCode.CHECK_VIOLATED: CodeText(
        "Rows of the result violate a constraint",
        "Change the rows, or drop the constraint, on the branch that has them, then merge again.",
    ),
    VerdictCode.PARTITION_DROPPED_ON_DEST: CodeText(
        "The target dropped the partition that the source renamed",
        "Drop the partition on the source, or add it on the target, then merge again.",
    ),
    VerdictCode.PARTITION_EXISTS: CodeText(
        "The target has rows in the partition that the source renamed to",
        "Rename the partition on the source to a value that is free, then merge again.",
    ),
    VerdictCode.PRIMARY_KEY_CLASH: CodeText(
        "Source and target changed the row of one primary key",
        "Decide the rows, or make one of them like the other, then merge again.",
    ),
    VerdictCode.LEFT_OUT_BEFORE: CodeText(
        "The source left out, by a decision, changes of rows that the target still has",
        "Decide the table: with the source's the rows that were left out go, with the target's they stay.",
    ),
    VerdictCode.DISCARDED_UPDATE: _note(
        "Updates of rows that are gone on the target are discarded",
        "Run the update on the target after the merge if its new rows need it too.",
    ),
    VerdictCode.DISCARDED_DELETE: _note(
        "Deletes of rows that the target took away, or changed since, are discarded",
        "Run the delete on the target after the merge if its rows need it too.",
    ),
    VerdictCode.DISCARDED_VALUE: _note(
        "Values of a column or field that the merged table lacks are left out",
        "Restore the column or field on the branch that dropped it before the merge if the values should stay.",
    ),
    VerdictCode.DISCARDED_RENAME: _note(
        "The source's new name of a partition is left out, as the target renamed it too",
        "Rename the partition on the target after the merge if it should have the source's name.",
    ),
    VerdictCode.DISCARDED_BY_DECISION: _note(
        "What a person decided leaves out changes of the source or the target",
        "Remove the decision before the merge, or revert the merge, if the changes should stay.",
    ),
    VerdictCode.COMPACTION_SKIPPED: _note(
        "A compaction is not brought over",
        "Nothing is lost; compact the table on the target if it needs it.",
    ),
    VerdictCode.OVERRIDDEN_BY_SOURCE: _note(
        "The source's value replaces the target's",
        "Set the target's value again after the merge if it should stay.",
    ),
    VerdictCode.DROPS_DEST_CHANGES: _note(
        "What the target did since is dropped with it",
        "Undrop or restore it on the target after the merge if it should stay.",
    ),
    VerdictCode.STALE_READ: _note(
        "The source's rows come from a table that the target changed since",
        "Merge the target into the source and run the statement there again if its rows should follow.",
    ),
    VerdictCode.LOADED_TWICE: _note(
        "Source and target loaded the same files by COPY INTO",
        "Restore the table on the source to before its load. In a table with a primary key each row is there once.",
    ),
    VerdictCode.BREAKS_VIEW: _note(
        "A view of the target names what the merge takes away",
        "Change the view after the merge with ALTER VIEW .. AS, or drop it.",
    ),
}

if set(CODE_TABLE) != set(VerdictCode):
    raise AssertionError(f"verdict codes without text: {set(VerdictCode) ^ set(CODE_TABLE)}")
