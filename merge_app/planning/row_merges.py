"""Rows of tables with a primary key: what was decided of them, and their conflicts as problems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from catalog_app.domain.operations import ObjectKind, OperationKind
from catalog_app.domain.row_merge import RowChoice, RowJudgement, Take
from catalog_app.rules.codes import VerdictCode
from merge_app.planning.findings import Problem
from merge_app.planning.merge_plan import Decision, Resolution, ResolutionPart

ROW_PARTS = frozenset({ResolutionPart.ROWS, ResolutionPart.ROW, ResolutionPart.CELL})
BY_ROW_ID = frozenset({VerdictCode.SAME_FILE_UPDATE_UPDATE, VerdictCode.SAME_FILE_UPDATE_DELETE})
"""The conflicts of rows of a table without a primary key."""


def choices_of(resolutions: Iterable[Resolution], table_id: int) -> tuple[RowChoice, ...]:
    """What was decided of a table's rows. Who keeps both chooses nothing of rows that clash."""
    return tuple(
        _choice(item)
        for item in resolutions
        if item.part in ROW_PARTS
        and item.decision is not Decision.BOTH
        and item.key_of_object == (ObjectKind.TABLE, table_id)
    )


def _choice(item: Resolution) -> RowChoice:
    take = Take(item.decision.value)
    if item.part is ResolutionPart.CELL:
        column, _, key = item.part_key.partition(":")
        return RowChoice(take, key, int(column), item.value)
    return RowChoice(take, item.part_key, value=item.value)


def row_problems(judged: RowJudgement) -> Iterator[Problem]:
    """One problem for each pair of changes that conflicts in any row."""
    for item in judged.open:
        yield Problem(
            (item.source.value, item.destination.value),
            VerdictCode.PRIMARY_KEY_CLASH,
            "",
            _SENTENCES.get((item.source, item.destination), "Both changed rows of one key, and not to the same."),
            {"rows": item.rows, "keys": list(item.keys)},
        )


_SENTENCES = {
    (OperationKind.INSERT, OperationKind.INSERT): "Both have a new row with the same key, and they differ.",
    (OperationKind.UPDATE, OperationKind.UPDATE): "Both changed a cell of one row, to different values.",
    (OperationKind.DELETE, OperationKind.UPDATE): "The target changed a row that the source took away.",
    (OperationKind.UPDATE, OperationKind.DELETE): "The source changed a row that the target took away.",
}
