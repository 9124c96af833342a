"""The rows that a merge looked at one by one, as it decides them: what its steps follow from, and what pages show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property

import numpy as np

from catalog_app.domain.row_merge import RowJudgement
from catalog_app.rules.codes import VerdictCode
from lakeui.common.records import record
from merge_app.execution.lineage.cell_reader import CellReader
from merge_app.execution.lineage.cells import MadeRows
from merge_app.execution.lineage.placed import Placed
from merge_app.lineage.ascending import are_among
from merge_app.lineage.facts import Ints, Mask, News
from merge_app.lineage.outcomes import TableOutcome
from merge_app.lineage.segments import FileSide, Group


class Lists(Enum):
    """Which rows are looked at: those that the merge needs, or all of which a side has news. The third leaves out files
    that hold nothing but rows which the other side does not know.
    """

    NEEDED = auto()
    ALL = auto()
    KNOWN = auto()


@record(frozen=True, slots=True)
class RefusedRow:
    """A row in conflict. ``key``: its primary key as JSON, without one the row id. ``is_left``: nothing decides it."""

    key: str
    is_left: bool = True


RowsRefused = Mapping[int, RefusedRow]
"""Rows in conflict by their positions among the pairs."""

_OF_ROWS = frozenset({VerdictCode.SAME_FILE_UPDATE_DELETE, VerdictCode.SAME_FILE_UPDATE_UPDATE})


@dataclass(frozen=True, slots=True, eq=False)
class LookedAt:
    """The outcome of a table by row, of which sides. ``made``: images of the merge's own. ``fresh``: files of rows that
    one side alone knows, not looked at. ``combined``: columns whose cells are put together of what both sides did.
    """

    merged: TableOutcome
    sides: tuple[Placed, Placed]
    news: News
    group: Group
    cells: CellReader
    made: MadeRows
    conflicts: RowsRefused
    judged: RowJudgement | None
    fresh: tuple[Group, ...] = ()
    combined: frozenset[int] = frozenset()


def is_unknown(group: Group, source: FileSide, target: FileSide) -> bool:
    """Whether one side alone has rows of the group, all of which it inserted since."""
    if group.source_gone or group.target_gone or (group.source and group.target):
        return False
    news = source.news if group.source else target.news
    files = group.source or group.target
    return all(file.stamp.version in news and file.stamp.kind in ("insert", "overwrite") for file in files)


class RefusedRows(Mapping[int, RefusedRow]):
    """The rows that A1 and A3 refuse, of either side, in a table without a primary key. Most plans ask for none of
    them, so they are made when one is asked for.
    """

    def __init__(self, merged: TableOutcome) -> None:
        self._merged = merged

    @cached_property
    def _rows(self) -> dict[int, RefusedRow]:
        found: dict[int, RefusedRow] = {}
        for finding in self._merged.findings:
            if finding.code in _OF_ROWS:
                for rows in (finding.rows, finding.target_rows):
                    at = _positions(self._merged, rows) if rows is not None else np.empty(0, np.int64)
                    keys = map(str, self._merged.pairs.row_id[at].tolist())
                    found.update(zip(at.tolist(), map(RefusedRow, keys), strict=True))
        return found

    def __getitem__(self, place: int) -> RefusedRow:
        return self._rows[place]

    def __iter__(self) -> Iterator[int]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


def _positions(merged: TableOutcome, rows: Ints) -> Ints:
    hit: Mask = are_among(merged.pairs.row_id, rows)
    return np.flatnonzero(hit)
