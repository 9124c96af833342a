"""What finer settings of ``merge.conflicts`` would say of a verdict (lineage §5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from catalog_app.rules.codes import VerdictCode
from lakeui.common.counts import counted
from merge_app.lineage.facts import Granularity, Ints
from merge_app.lineage.outcomes import TableOutcome


@dataclass(frozen=True, slots=True)
class FinerVerdict:
    """Of one verdict how many rows are in conflict by a finer setting."""

    setting: Granularity
    rows: int

    @property
    def text(self) -> str:
        if not self.rows:
            return f"By {self.setting} this merges."
        return f"By {self.setting}: {counted(self.rows, 'row')} in conflict."


Finer = Mapping[VerdictCode, tuple[FinerVerdict, ...]]

JUDGED = (VerdictCode.SAME_FILE_UPDATE_UPDATE, VerdictCode.SAME_FILE_UPDATE_DELETE)
"""The verdicts that depend on the setting."""


def finer_verdicts(found: TableOutcome, setting: Granularity, by_cell: TableOutcome | None = None) -> Finer:
    """By verdict of ``found``, made by ``setting``, what the finer settings say. The first under which nothing is in
    conflict is the last: the same holds for finer ones. ``by_cell``: the outcome by cell, where it was looked at.
    """
    codes = {finding.code for finding in found.findings}
    finer = {}
    for code in JUDGED:
        if code in codes:
            finer_verdicts: list[FinerVerdict] = []
            if setting is Granularity.FILE:
                finer_verdicts.append(FinerVerdict(Granularity.ROW, _count(found.by_row, code)))
            if by_cell is not None and (not finer_verdicts or finer_verdicts[-1].rows):
                finer_verdicts.append(FinerVerdict(Granularity.CELL, _count(by_cell.by_row, code)))
            finer[code] = tuple(finer_verdicts)
    return finer


def _count(by_row: Mapping[VerdictCode, Ints], code: VerdictCode) -> int:
    return len(by_row.get(code, ()))


def finer_as_json(finer_verdicts: Sequence[FinerVerdict]) -> list[dict[str, object]]:
    return [{"setting": item.setting.value, "rows": item.rows, "text": item.text} for item in finer_verdicts]
