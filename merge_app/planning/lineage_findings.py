"""What the merge by lineage says of rows, as problems and notes in the cells of the rule table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from catalog_app.domain.operations import OperationKind
from catalog_app.domain.row_merge import KEYS_SHOWN
from catalog_app.rules.codes import VerdictCode
from merge_app.lineage.facts import Ints, ScopeKind
from merge_app.lineage.finer_verdicts import finer_as_json
from merge_app.lineage.outcomes import Finding
from merge_app.lineage.rules import DELETES_OVERWRITTEN, KEPT
from merge_app.lineage.steps import RowsPlan
from merge_app.planning.conditions import partition_text
from merge_app.planning.findings import ROW_AXES, ROW_PLACING_AXES, CellKey, Pair, Problem
from merge_app.planning.notes import discarded_note, extent_text, rows_text

_CELLS: dict[VerdictCode, tuple[CellKey, str, str]] = {
    VerdictCode.SAME_FILE_UPDATE_UPDATE: (
        ("update", "update"),
        "A3",
        "Source and target both updated rows of one file",
    ),
    VerdictCode.SAME_FILE_UPDATE_DELETE: (
        ("update", "delete"),
        "A1",
        "The source updated rows of a file of which the target deleted rows",
    ),
}
_RENAMES = {
    VerdictCode.PARTITION_DROPPED_ON_DEST: "is not there any more",
    VerdictCode.PARTITION_EXISTS: "cannot take that name, which is in use",
}
_CHANGED = {"insert": "wrote", "update": "wrote", "overwrite": "wrote", "delete": "deleted"}
_SWEPT = {ScopeKind.DROP_PARTITION: "dropped", ScopeKind.OVERWRITE: "overwrote"}


def row_verdicts(pair: Pair, merged: RowsPlan) -> Iterator[Problem]:
    """The conflicts of rows."""
    seen: set[VerdictCode] = set()
    # The finding of files names all rows of the files; that of the rows themselves comes first.
    for finding in reversed(merged.findings):
        if finding.code in _RENAMES:
            yield _rename_problem(pair, finding, merged)
        if not finding.is_conflict or finding.code in {*seen, *_RENAMES}:
            continue
        seen.add(finding.code)
        if finding.code is VerdictCode.PREDICATE_DML_VS_INSERT:
            if finding.scopes[0].kind is ScopeKind.NOT_MATCHED:
                yield _not_matched_problem(pair, finding)
                continue
            kinds = {scope.kind.value for scope in finding.scopes}
            for axis in ("delete", "update"):
                if axis in kinds:
                    cell = pair.rules.cell(axis, "insert")
                    yield Problem((axis, "insert"), finding.code, cell.note, cell.sentence, _details(finding))
            continue
        cell_key, note, what = _CELLS[finding.code]
        details = {
            **_details(finding),
            "finer": finer_as_json(merged.finer.get(finding.code, ())),
            **_clashes(merged.clashes.get(finding.code)),
        }
        yield Problem(cell_key, finding.code, note, f"{what}: {rows_text(_count(finding))}.", details)


def _not_matched_problem(pair: Pair, finding: Finding) -> Problem:
    axis = pair.destination.first_of(ROW_AXES, "insert")
    return Problem(
        ("insert", axis),
        VerdictCode.PREDICATE_DML_VS_INSERT,
        "",
        f"The transaction's MERGE INTO inserted rows that matched no row. The branch has {rows_text(_count(finding))}"
        " since that it never compared them with.",
        _details(finding),
    )


def _rename_problem(pair: Pair, finding: Finding, merged: RowsPlan) -> Problem:
    scope = finding.scopes[0]
    before, after = (merged.partitions[code] for code in (scope.partition, scope.to) if code is not None)
    axis = "partition"
    if finding.code is VerdictCode.PARTITION_EXISTS:
        axis = pair.destination.first_of(ROW_PLACING_AXES, axis)
    return Problem(
        ("partition", axis),
        finding.code,
        "P",
        f"The source renamed partition {partition_text(before)} to {partition_text(after)};"
        f" on the target it {_RENAMES[finding.code]}.",
        {"partition": list(before), "renamed_to": list(after)},
    )


def _swept_note(pair: Pair, finding: Finding, merged: RowsPlan) -> Problem | None:
    """Rows of a partition that a scope of the source took although it never saw them."""
    scope = finding.scopes[0]
    if scope.partition is None:
        return None
    rows = _count(finding)
    partition, is_drop = merged.partitions[scope.partition], scope.kind is ScopeKind.DROP_PARTITION
    axis = pair.destination.first_of(ROW_AXES, "insert")
    return Problem(
        ("partition" if is_drop else "overwrite", axis),
        VerdictCode.DROPS_DEST_CHANGES,
        "P" if is_drop else "",
        f"The source {_SWEPT[scope.kind]} the partition {partition_text(partition)}, where the target wrote"
        f" {rows_text(rows)} since; {'it goes' if rows == 1 else 'they go'} with it.",
        {"partition": list(partition), "rows": rows},
    )


def _overwritten_note(pair: Pair, merged: RowsPlan) -> Iterator[Problem]:
    """Rows of the whole table that the target changed since and the source's overwrite took, and keys that the target
    deleted and the overwrite wrote again.
    """
    found = [item for item in merged.findings if item.code is VerdictCode.DROPS_DEST_CHANGES and not item.scopes]
    deleted = sum(_count(item) for item in found if item.rule == DELETES_OVERWRITTEN)
    changed = sum(_count(item) for item in found) - deleted
    axes = (*ROW_AXES, "delete") if changed else ("delete",)
    axis = pair.destination.first_of(axes, "insert")
    said = []
    if changed:
        said += [
            f"The source's overwrite takes or replaces {rows_text(changed)} that the target {_CHANGED[axis]} since."
        ]
    if deleted:
        said += [f"The source's overwrite wrote rows where the target deleted {rows_text(deleted)} since."]
    if said:
        rows = {"rows": changed + deleted}
        yield Problem(("overwrite", axis), VerdictCode.DROPS_DEST_CHANGES, "", " ".join(said), rows)


def _restored_note(pair: Pair, merged: RowsPlan) -> Iterator[Problem]:
    """Rows that the source restored to an earlier image, which replaces the target's newer one (P1)."""
    found = [item.rows for item in merged.findings if item.code is VerdictCode.OVERRIDDEN_BY_SOURCE]
    rows = np.unique(np.concatenate([part for part in found if part is not None])) if found else ()
    if not len(rows):
        return
    axes = ("update", "delete", "insert", "overwrite")
    source, target = (side.first_of(axes, "update") for side in (pair.source, pair.destination))
    yield Problem(
        (source, target),
        VerdictCode.OVERRIDDEN_BY_SOURCE,
        "",
        f"The source's restore replaces what the target did to {rows_text(len(rows))} since.",
        {"rows": len(rows)},
    )


def _lost_rename_note(finding: Finding, merged: RowsPlan) -> Problem:
    renamed, stays = finding.scopes
    rows, source, name = _count(finding), merged.partitions[renamed.to or 0], merged.partitions[stays.to or 0]
    before = None if renamed.partition is None else merged.partitions[renamed.partition]
    which = "a partition" if before is None else f"the partition {partition_text(before)}"
    return Problem(
        ("partition", "partition"),
        VerdictCode.DISCARDED_RENAME,
        "P",
        f"Source and target renamed {which}. It stays {partition_text(name)}; the source's {partition_text(source)} is"
        f" left out ({rows_text(rows)}).",
        {
            "partition": None if before is None else list(before),
            "renamed_to": list(source),
            "stays": list(name),
            "rows": rows,
        },
    )


def _kept_note(pair: Pair, rows: int) -> Problem:
    """Rows that the source took away and that stay, as the target changed them (§3)."""
    source = pair.source.first_of(("delete", "overwrite", "partition"), "delete")
    target = pair.destination.first_of(("update", "partition", "overwrite"), "update")
    stay, them = ("stays", "it") if rows == 1 else ("stay", "them")
    return Problem(
        (source, target),
        VerdictCode.DISCARDED_DELETE,
        "",
        f"{rows_text(rows)} that the source took away {stay}, as the target changed {them} since.",
        {"rows": rows, "files": [], "emptied_files": 0, "kept_updated_rows": rows},
    )


def lineage_notes(pair: Pair, merged: RowsPlan) -> Iterator[Problem]:
    """What the merge leaves out or overrides."""
    yield from _restored_note(pair, merged)
    yield from _overwritten_note(pair, merged)
    for finding in merged.findings:
        if finding.code is VerdictCode.DROPS_DEST_CHANGES and finding.scopes:
            note = _swept_note(pair, finding, merged)
            yield from () if note is None else (note,)
        if finding.code is VerdictCode.DISCARDED_RENAME:
            yield _lost_rename_note(finding, merged)
        # Rows of a table with a primary key are counted with its keys.
        is_discard = finding.code in (VerdictCode.DISCARDED_UPDATE, VerdictCode.DISCARDED_DELETE)
        if is_discard and finding.rule != KEPT and merged.judged is None:
            kind = OperationKind.DELETE if finding.code is VerdictCode.DISCARDED_DELETE else OperationKind.UPDATE
            by = OperationKind.OVERWRITE if pair.destination.has("overwrite") else OperationKind.PARTITION
            rows, emptied = _discarded(finding, merged.emptied)
            details = {"rows": rows, "files": [], "emptied_files": emptied}
            yield discarded_note(kind, by, extent_text(rows, emptied), details)
    if merged.steps.kept_rows:
        yield _kept_note(pair, merged.steps.kept_rows)
    if merged.skips_layout:
        yield Problem(
            ("compaction", pair.destination.first_of(("delete", "update", "overwrite"), "compaction")),
            VerdictCode.COMPACTION_SKIPPED,
            "",
            "The target changed files that the source compacted; the rows come over uncompacted.",
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


def _clashes(rows: Ints | None) -> dict[str, Any]:
    """How many rows clash by the finest setting that was looked at, and the row ids of the first."""
    return {
        "clashing": 0 if rows is None else len(rows),
        "keys": [str(i) for i in rows[:KEYS_SHOWN].tolist()] if rows is not None else [],
    }


def _details(finding: Finding) -> dict[str, Any]:
    return {"rows": _count(finding), "files": [], "emptied_files": 0}
