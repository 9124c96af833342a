"""The rows of both sides that a merge looks at one by one, and what becomes of them. Steps and pages follow from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import cached_property

import numpy as np

from catalog_app.domain.row_merge import RowJudgement
from catalog_app.storage.cells import RowCells
from lakeui.common.records import record
from merge_app.execution.lineage.cell_reader import CellReader
from merge_app.execution.lineage.cells import NOTHING_MADE, MadeRows
from merge_app.execution.lineage.placed import Placed
from merge_app.lineage.ascending import are_among
from merge_app.lineage.facts import ABSENT, Array, Ints, Mask, News
from merge_app.lineage.outcomes import Finding, TableOutcome, taken
from merge_app.lineage.result_rows import result_partitions
from merge_app.lineage.segments import FileSide, Group
from merge_app.planning.row_merges import BY_ROW_ID


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


@dataclass(frozen=True, eq=False)
class LookedAt:
    """The outcome of a table by row, of which sides. ``made``: images of the merge's own. ``named``: the rows in
    conflict, where keys or a decision name them, and ``judged`` what these come to. ``overtaken``: how many rows a
    statement deleted and others updated since; it has to look again. ``fresh``: files of rows that one side alone
    knows, not looked at. ``combined``: columns whose cells are put together of what both sides did.
    """

    merged: TableOutcome
    sides: tuple[Placed, Placed]
    news: News
    group: Group
    cells: CellReader
    made: MadeRows = NOTHING_MADE
    named: RowsRefused | None = None
    judged: RowJudgement | None = None
    overtaken: int = 0
    fresh: tuple[Group, ...] = ()
    combined: frozenset[int] = frozenset()

    def with_findings(self, findings: Iterable[Finding]) -> LookedAt:
        return replace(self, merged=replace(self.merged, findings=tuple(findings)))

    def at(self, number: int) -> Array:
        """The positions of the pairs on a side, -1 where it has no row."""
        return (self.merged.pairs.source_at, self.merged.pairs.target_at)[number]

    def is_live(self, number: int) -> Mask:
        """Where a side shows the row."""
        return np.asarray(taken(self.sides[number].file, self.at(number), 0) > 0, dtype=np.bool_)

    def images(self, at: Ints, number: int) -> Ints:
        """Where images of a side lie, by code."""
        return self.sides[number].images(self.at(number)[at])

    def partition(self, number: int) -> Array:
        """By code, where a side has the rows."""
        return taken(self.sides[number].facts.partition.value, self.at(number), ABSENT)

    def read(self, at: Ints, number: int) -> RowCells:
        """The rows as a side has them, with their keys."""
        return self.cells.read(self.images(at, number), (self.group.source, self.group.target)[number])

    @property
    def stays(self) -> Mask:
        """Where the result shows the row."""
        found = self.merged.row_facts(self.sides[0].facts, self.sides[1].facts, 0).value != ABSENT
        return np.asarray(found, dtype=np.bool_)

    @property
    def partitions(self) -> Array:
        """By code, where the result has the rows."""
        return result_partitions(self.merged, self.sides[0].facts, self.sides[1].facts)

    @property
    def row_ids(self) -> tuple[Ints, Ints, Ints]:
        """By row the id on the source, on the target, and that of a row which the merge makes of both: the younger."""
        source, target = (taken(side.row_id, self.at(n), 0) for n, side in enumerate(self.sides))
        born = [taken(side.facts.inserted, self.at(n), 0) for n, side in enumerate(self.sides)]
        is_source = self.news.from_source(born[0]) & (~self.news.from_target(born[1]) | (born[0] > born[1]))
        return source, target, np.where((target == 0) | (is_source & (source != 0)), source, target)

    @cached_property
    def conflicts(self) -> RowsRefused:
        """The rows in conflict; without names for them those that A1 and A3 refuse. Most plans ask for none."""
        if self.named is not None:
            return self.named
        pairs = self.merged.pairs
        refused = (item for item in self.merged.findings if item.code in BY_ROW_ID)
        found: dict[int, RefusedRow] = {}
        for rows in (rows for item in refused for rows in (item.rows, item.target_rows) if rows is not None):
            at = np.flatnonzero(are_among(pairs.row_id, rows))
            found.update(zip(at.tolist(), map(RefusedRow, map(str, pairs.row_id[at].tolist())), strict=True))
        return found


def is_unknown(group: Group, source: FileSide, target: FileSide) -> bool:
    """Whether one side alone has rows of the group, all of which it inserted since."""
    if group.source_gone or group.target_gone or (group.source and group.target):
        return False
    news = source.news if group.source else target.news
    files = group.source or group.target
    return all(file.stamp.version in news and file.stamp.kind in ("insert", "overwrite") for file in files)
