"""What the merge by lineage says of rows, as problems and notes in the cells of the rule table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from catalog_app.domain.operations import OperationKind
from catalog_app.rules.codes import VerdictCode
from merge_app.lineage.facts import Ints
from merge_app.lineage.outcomes import Finding
from merge_app.lineage.rules import KEPT
from merge_app.lineage.steps import RowsPlan
from merge_app.planning.findings import CellKey, Pair, Problem
from merge_app.planning.notes import discarded_note, extent_text, rows_text

ROW_CODES = frozenset(
    {
        VerdictCode.SAME_FILE_UPDATE_DELETE,
        VerdictCode.SAME_FILE_UPDATE_UPDATE,
        VerdictCode.PREDICATE_DML_VS_INSERT,
        VerdictCode.PARTITION_DROPPED_ON_DEST,
        VerdictCode.PARTITION_EXISTS,
    }
)
_CELLS: dict[VerdictCode, tuple[CellKey, str, str]] = {
    VerdictCode.SAME_FILE_UPDATE_UPDATE: (("update", "update"), "A3", "Both sides updated rows of one file"),
    VerdictCode.SAME_FILE_UPDATE_DELETE: (
        ("update", "delete"),
        "A1",
        "The source updated rows of a file of which the destination deleted rows",
    ),
    VerdictCode.PARTITION_DROPPED_ON_DEST: (
        ("partition", "partition"),
        "P",
        "The source renamed a partition that the destination dropped",
    ),
    VerdictCode.PARTITION_EXISTS: (
        ("partition", "partition"),
        "P",
        "The source renamed a partition to a name that the destination filled",
    ),
}


def row_verdicts(pair: Pair, merged: RowsPlan) -> Iterator[Problem]:
    """The conflicts of rows."""
    seen: set[VerdictCode] = set()
    # The finding of files names all rows of the files; that of the rows themselves comes first.
    for finding in reversed(merged.findings):
        if not finding.is_conflict or finding.code in seen:
            continue
        seen.add(finding.code)
        if finding.code is VerdictCode.PREDICATE_DML_VS_INSERT:
            kinds = {scope.kind.value for scope in finding.scopes}
            for axis in ("delete", "update"):
                if axis in kinds:
                    cell = pair.rules.cell(axis, "insert")
                    yield Problem((axis, "insert"), finding.code, cell.note, cell.sentence, _details(finding))
            continue
        cell_key, note, what = _CELLS[finding.code]
        yield Problem(cell_key, finding.code, note, f"{what}: {rows_text(_count(finding))}.", _details(finding))


def lineage_notes(pair: Pair, merged: RowsPlan) -> Iterator[Problem]:
    """What the merge leaves out or overrides."""
    for finding in merged.findings:
        # Rows that stay as the destination updated them are counted with the table.
        if finding.code in (VerdictCode.DISCARDED_UPDATE, VerdictCode.DISCARDED_DELETE) and finding.rule != KEPT:
            kind = OperationKind.DELETE if finding.code is VerdictCode.DISCARDED_DELETE else OperationKind.UPDATE
            by = OperationKind.OVERWRITE if pair.destination.hits("overwrite") else OperationKind.PARTITION
            rows, emptied = _discarded(finding, merged.emptied)
            details = {"rows": rows, "files": [], "emptied_files": emptied}
            yield discarded_note(kind, by, extent_text(rows, emptied), details)
    if merged.skips_layout:
        hit = next(
            (axis for axis in ("delete", "update", "overwrite", "compaction") if pair.destination.hits(axis)),
            "compaction",
        )
        yield Problem(
            ("compaction", hit),
            VerdictCode.COMPACTION_SKIPPED,
            "",
            "The destination changed files that the source compacted; the rows come over uncompacted.",
        )


def _discarded(finding: Finding, emptied: Sequence[Ints]) -> tuple[int, int]:
    """How many rows are discarded, but for those of whole files, and how many files."""
    assert finding.rows is not None
    rows = np.unique(finding.rows)
    whole = [ids for ids in emptied if len(ids) and np.isin(ids, rows).all()]
    return len(np.setdiff1d(rows, np.concatenate([rows[:0], *whole]))), len(whole)


def _count(finding: Finding) -> int:
    found = [rows for rows in (finding.rows, finding.target_rows) if rows is not None]
    return len(np.unique(np.concatenate(found))) if found else 0


def _details(finding: Finding) -> dict[str, Any]:
    return {"rows": _count(finding), "files": [], "emptied_files": 0}
