"""Files first (lineage §7): what each side shows otherwise, in groups of files that may hold the same rows."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

DOT = 1 << 62
"""The stamp of a commit that is not made yet: of a statement, or of the transaction that is committed (R2, R11)."""

LAYOUT = frozenset({"compaction", "move", ""})
"""Kinds of events that put rows elsewhere and decide no fact."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """Who decided the facts of an event, and what a restore set again and replaced by it."""

    version: int
    kind: str
    brings_stamp: int = 0
    brings_kind: str = ""
    undoes: int = 0


AS_WRITTEN = Stamp(0, "")
"""The stamp of a partition that was not decided since the rows were written."""
AS_BEFORE = Stamp(-1, "")
"""That of a partition of which a statement writes rows anew: whoever decided it for those that lay there."""
WRITTEN_THERE = Stamp(DOT, "update")
"""That of a partition where another image of the rows was written, which the merge does not show: a cell, no rename."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A file of positions with the fact of these rows: they are deleted, or live by decision."""

    file_id: int
    stamp: Stamp


@dataclass(frozen=True, slots=True)
class ShownFile:
    """A data file as one side shows it. ``smallest`` and ``largest`` bound its row ids.

    ``placed``: who decided the partition of its rows; version 0: whoever wrote them.
    ``segment_id`` is 0 for a file that a statement staged. ``oldest`` and ``newest`` bound the stamps of a file that
    stores one per row; 0 for others.
    """

    segment_id: int
    file_id: int
    rows: int
    smallest: int
    largest: int
    partition: tuple[str | None, ...]
    stamp: Stamp
    deletes: tuple[Marked, ...] = ()
    stamped: tuple[Marked, ...] = ()
    newest: int = 0
    oldest: int = 0
    placed: Stamp = AS_WRITTEN

    def placed_in(self, partition: tuple[str | None, ...], placed: Stamp) -> Stamp:
        """Who decided that rows of the file lie in the partition. Where the side that ``placed`` them renamed nothing,
        it wrote another image of them there; the file may have been moved there even so.
        """
        if placed.version:
            return placed
        return self.placed if partition == self.partition else WRITTEN_THERE


@dataclass(frozen=True, slots=True)
class LivedRows:
    """Rows that a commit shows: those of ``rows_file``, or with 0 all rows of the file but those of ``masks``."""

    file_id: int
    rows_file: int
    masks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Gone:
    """Rows that one side took away, whether or not it shows the file now: all of ``delete_file``, or without one all
    rows of the file but those of ``masks``. ``partition`` and ``placed`` (see ``ShownFile``): where they lay.
    ``lived``: for each newer removal of the file, the rows that lived on after it. Of others it is the fact.
    """

    file_id: int
    smallest: int
    largest: int
    stamp: Stamp
    delete_file: int | None = None
    masks: tuple[int, ...] = ()
    partition: tuple[str | None, ...] = ()
    placed: Stamp = AS_WRITTEN
    lived: tuple[tuple[LivedRows, ...], ...] = ()


@dataclass(frozen=True)
class FileSide:
    """One side of a table: the files that the other side shows otherwise or not at all, and what it took away since.
    ``news``: its commits that changed the table and that the other side does not know.
    """

    shown: tuple[ShownFile, ...]
    gone: tuple[Gone, ...]
    news: AbstractSet[int]

    def decides(self, file: ShownFile) -> bool:
        """Whether a fact of the file is news, or may be: not every stamp between the bounds is in the file."""
        events = [file.stamp, *(item.stamp for item in (*file.deletes, *file.stamped))]
        if any(event.version in self.news and event.kind not in LAYOUT for event in events):
            return True
        if file.placed.version in self.news:
            return True
        at = bisect_left(self._versions, max(file.oldest, 1))
        return at < len(self._versions) and self._versions[at] <= file.newest

    @cached_property
    def _versions(self) -> list[int]:
        return sorted(self.news)

    def lays_out(self, file: ShownFile) -> bool:
        """Whether the side wrote the file since, of rows that the other side knows."""
        return file.stamp.version in self.news and file.stamp.kind in LAYOUT


class Whose(StrEnum):
    """``source``: the group becomes what the source shows. ``target``: it stays. ``rows``: row by row."""

    SOURCE = "source"
    TARGET = "target"
    ROWS = "rows"


@dataclass(frozen=True, slots=True)
class Group:
    """Files of both sides that may hold the same rows, and no others."""

    whose: Whose
    source: tuple[ShownFile, ...]
    target: tuple[ShownFile, ...]
    source_gone: tuple[Gone, ...]
    target_gone: tuple[Gone, ...]


_Item = tuple[int, ShownFile | Gone]
"""0 for the source, 1 for the target."""


def groups(source: FileSide, target: FileSide) -> list[Group]:
    """The files of both sides by ranges of row ids that meet."""
    found = []
    for bundle in _bundles(source, target):
        shown = [[i for n, i in bundle if n == side and isinstance(i, ShownFile)] for side in (0, 1)]
        gone = [[i for n, i in bundle if n == side and isinstance(i, Gone)] for side in (0, 1)]
        whose = _whose(source, target, shown, gone)
        found.append(Group(whose, tuple(shown[0]), tuple(shown[1]), tuple(gone[0]), tuple(gone[1])))
    return found


def _bundles(source: FileSide, target: FileSide) -> Iterable[list[_Item]]:
    """Sweep over the ranges in order: a bundle ends where the next range begins behind all of it."""
    items: list[_Item] = []
    for number, side in enumerate((source, target)):
        items += [(number, file) for file in side.shown]
        items += [(number, item) for item in side.gone]
    items.sort(key=_place)
    bundle: list[_Item] = []
    reached = -1
    for pair in items:
        if bundle and pair[1].smallest > reached:
            yield bundle
            bundle, reached = [], -1
        bundle.append(pair)
        reached = max(reached, pair[1].largest)
    if bundle:
        yield bundle


def _place(item: _Item) -> tuple[int, int, int, int]:
    """The order of files with one smallest row id is the same in each process: approvals bind to the plan's digest."""
    number, file = item
    marked = (file.delete_file or 0) + 1 if isinstance(file, Gone) else 0
    return file.smallest, file.file_id, number, marked


def _whose(
    source: FileSide, target: FileSide, shown: Sequence[Sequence[ShownFile]], gone: Sequence[Sequence[Gone]]
) -> Whose:
    decides = [bool(gone[n]) or any(side.decides(file) for file in shown[n]) for n, side in enumerate((source, target))]
    lays_out = [any(side.lays_out(file) for file in shown[n]) for n, side in enumerate((source, target))]
    if decides[0] and (decides[1] or lays_out[1]):
        return Whose.ROWS
    if decides[0] or (lays_out[0] and not decides[1] and not lays_out[1]):
        return Whose.SOURCE
    return Whose.TARGET
