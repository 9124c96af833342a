"""The two sides of a merge on the naive model: what each changed, net, that the other does not know.

Attributes: the net of a side's changes after the last one that the other side knows too (P7).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tests.stateful.model import EVERYTHING, Branch, Change, Column, Entry, Origin, Restore, Row, RowWork, Table, Thing

Key = tuple[Thing, tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Net:
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Known:
    """What a branch knows: all that it reaches, of things that it ``lost`` what it reached then."""

    reach: frozenset[Origin]
    lost: Mapping[Thing, frozenset[Origin]]

    @classmethod
    def by(cls, branch: Branch, lost: Iterable[Thing]) -> Known:
        return cls(branch.reach, {thing: _reach_before_absence(branch, thing) for thing in lost})

    def of(self, thing: Thing) -> frozenset[Origin]:
        return self.lost.get(thing, self.reach)

    def has(self, entry: Entry) -> bool:
        """That a thing came or went is known wherever it is reached."""
        is_life = isinstance(entry, Change) and entry.key == ("exists",)
        return entry.origin in (self.reach if is_life else self.of(entry.thing))


def _reach_before_absence(branch: Branch, thing: Thing) -> frozenset[Origin]:
    """What a branch reached when it last lost a thing; all that it reaches, if it never did."""
    had = {version: kept.state.get(thing) is not None for version, kept in branch.versions.items()}
    absent = max((version for version, is_there in had.items() if not is_there), default=0)
    before = max((version for version, is_there in had.items() if is_there and version < absent), default=None)
    return branch.reach if before is None else branch.versions[before].reach


@dataclass(frozen=True, slots=True)
class Side:
    """One branch as seen by the other, to which this is ``known``."""

    branch: Branch
    known: Known
    nets: Mapping[Key, Net]

    @classmethod
    def of(cls, branch: Branch, known: Known) -> Side:
        return cls(branch, known, _nets(branch.line, known))

    def things(self) -> set[Thing]:
        """What this side changed, net."""
        return {thing for thing, _ in self.nets} | {
            work.thing for work in self.branch.line if isinstance(work, RowWork) and not self.known.has(work)
        }

    def net(self, thing: Thing, *key: Any) -> Net | None:
        return self.nets.get((thing, key))

    def dropped(self, thing: Thing) -> bool:
        net = self.net(thing, "exists")
        return net is not None and not net.after

    def created(self, thing: Thing) -> bool:
        net = self.net(thing, "exists")
        return net is not None and net.after

    def steps(self, thing: Thing) -> list[Change]:
        """How it came and went by this side since the other side's last word on that."""
        found: list[Change] = []
        for entry in self.branch.line:
            if isinstance(entry, Change) and entry.thing == thing and entry.key == ("exists",):
                found = [] if self.known.has(entry) else [*found, entry]
        return found

    def works(self, thing: Thing) -> list[RowWork]:
        """Own row work on a table. A full overwrite absorbs what precedes it (P7), also one that was merged from the
        other side, which knows of it; but not work on rows that it spared.
        """
        return [left for _, left in self._left(thing)]

    def is_left(self, entry: RowWork) -> bool:
        return any(work is entry for work, _ in self._left(entry.thing))

    def was_nothing(self, restore: Restore) -> bool:
        """Whether this branch reaches a restore of another one and has nothing of it in its line."""
        entries = (entry for entry in self.branch.line if entry.thing == restore.thing)
        return restore.origin in self.branch.reach and all(entry.origin != restore.origin for entry in entries)

    def has_met_nothing(self, thing: Thing) -> bool:
        """Whether the other side's overwrite of a whole table found nothing here: files decide whether it was redone,
        and then what this side had done before counts no more.
        """
        works = (entry for entry in self.branch.line if isinstance(entry, RowWork) and entry.thing == thing)
        return any(work.empties_all and work.found_nothing and self.known.has(work) for work in works)

    def took_what_was_spared(self, thing: Thing) -> bool:
        """Whether own deletes or updates took rows that a later merged overwrite spared. An own overwrite in between
        absorbs these, but files may not show that it does (P7).
        """
        works = [entry for entry in self.branch.line if isinstance(entry, RowWork) and entry.thing == thing]
        spared = {row_id for work in works for row_id in work.spared}
        own = (work for work in works if work.kind in ("delete", "update") and not self.known.has(work))
        return any(row.id in spared for work in own for row in work.touched)

    def _left(self, thing: Thing) -> list[tuple[RowWork, RowWork]]:
        """Own row work as it was done, and what is left of it."""
        found: list[tuple[RowWork, RowWork]] = []
        gone: set[int] = set()
        for entry in self.branch.line:
            if not isinstance(entry, RowWork) or entry.thing != thing:
                continue
            if entry.empties_all:
                spared = [(work, left) for work, left in found if _is_spared(work, entry, gone)]
                found = [(work, self._beside(left, entry)) for work, left in spared]
                gone |= {row.id for row in entry.touched if not self.known.has(entry)}
            if not self.known.has(entry):
                found += [] if self._is_back_at_base(entry) else [(entry, entry)]
            elif entry.kind == "overwrite":
                found = [(work, left) for work, left in found if not _is_overruled(work, entry)]
        return found

    def _beside(self, work: RowWork, overwrite: RowWork) -> RowWork:
        """What it did besides to rows that a full overwrite spared: not to those in files that this put back."""
        files = {row.file for row in overwrite.written}
        images = [(row, base_image(row, self.known.of(work.thing))) for row in work.touched]
        left = [row for row, image in images if image is None or row.id in overwrite.spared or image.file not in files]
        return replace(work, touched=tuple(left))

    def _is_back_at_base(self, entry: RowWork) -> bool:
        """Whether it restored a table to what it was before this side changed it, and took back nothing that had been
        pulled since (P7). That it had been dropped and brought back is nothing.
        """
        if entry.restored is None:
            return False
        versions = self.branch.versions
        known = self.known.of(entry.thing)
        index = next(index for index, other in enumerate(self.branch.line) if other is entry)
        done = min(n for n, kept in versions.items() if kept.line > index)
        since = {n: kept for n, kept in versions.items() if n > entry.restored}
        if any(n in known or (kept.is_merge and n <= done) for n, kept in since.items()):
            return False
        left: list[Entry] = []
        for other in self.branch.line[: versions[entry.restored].line]:
            if other.thing != entry.thing or (isinstance(other, Change) and other.key == ("exists",)):
                continue
            if not self.known.has(other):
                left.append(other)
            elif isinstance(other, RowWork) and other.empties_all:
                left = [item for item in left if isinstance(item, Change) or _is_spared(item, other)]
            elif isinstance(other, RowWork) and other.kind == "overwrite":
                left = [item for item in left if isinstance(item, Change) or not _is_overruled(item, other)]
        return not left

    def brought_back(self, thing: Thing) -> dict[int, Row]:
        """By row id, the images that the last restore put back: to other branches they come with it as if new."""
        restores = [work for work in self.works(thing) if work.restored is not None]
        return {row.id: row for row in restores[-1].written} if restores else {}

    def arrived(self, thing: Thing) -> frozenset[int]:
        """Ids of the other side's rows that came here after own overwrites, which spare them where they are redone.
        Images that had come and gone before they were merged never came; those that own overwrites put back came with
        these.
        """
        tables = (kept.state.get(thing) for kept in self.branch.versions.values())
        seen = {(row.id, row.writer) for table in tables if isinstance(table, Table) for row in table.rows.values()}
        found: set[int] = set()
        put_back: set[int] = set()
        has_emptied = False
        for entry in self.branch.line:
            if not isinstance(entry, RowWork) or entry.thing != thing:
                continue
            if not self.known.has(entry) and (entry.scope is EVERYTHING or entry.scope):
                has_emptied = True
                left = set() if entry.scope is EVERYTHING else found - {row.id for row in entry.touched}
                found = left | (entry.spared - put_back)
                put_back |= {row.id for row in entry.written}
            elif self.known.has(entry) and has_emptied:
                came = {row.id for row in entry.written if (row.id, row.writer) in seen}
                found, put_back = found | came, put_back - came
        return frozenset(found)


def _is_spared(work: RowWork, overwrite: RowWork, gone: Collection[int] = ()) -> bool:
    """Whether a full overwrite, where it was redone, left rows of earlier work alone. Earlier work that emptied the
    table also took those that own overwrites before it had taken.
    """
    rows = {row.id for row in (*work.touched, *work.written)}
    return bool(overwrite.spared & (rows.union(gone) if work.empties_all else rows))


def _is_overruled(work: RowWork, later: RowWork) -> bool:
    """Whether an overwrite of partitions, or a drop of them, was itself overwritten."""
    if work.kind not in ("overwrite", "partition") or work.scope is EVERYTHING or later.scope is EVERYTHING:
        return False
    return work.scope <= later.scope


def _nets(line: Sequence[Entry], known: Known) -> dict[Key, Net]:
    """A change that the other side knows overrules what this side said before; back to the start is nothing (P7)."""
    found: dict[Key, Net] = {}
    for entry in line:
        if not isinstance(entry, Change):
            continue
        keys = [(entry.thing, key) for key in attribute_keys(entry)]
        if known.has(entry):
            if _ends_words(entry, [found[key] for key in keys if key in found]):
                ended = {(thing, key[:2]) for thing, key in keys}
                found = {other: net for other, net in found.items() if (other[0], other[1][:2]) not in ended}
            for key in keys:
                found.pop(key, None)
            continue
        for key in keys:
            found[key] = Net(found[key].before if key in found else entry.before, entry.after)
    return {key: net for key, net in found.items() if net.before != net.after}


def attribute_keys(change: Change) -> list[tuple[Any, ...]]:
    """What it sets: a column that merges made of several begins and ends under each of their ids."""
    column = change.before or change.after
    if not isinstance(column, Column):
        return [change.key]
    return [("column", i, "exists") for i in dict.fromkeys((change.key[1], *column.ids))]


def _ends_words(change: Change, own: Sequence[Net]) -> bool:
    """Whether nothing is left of what this side said of a column: the other dropped it, or brought back what it had
    dropped itself.
    """
    is_drop = change.after is None or any(net.after is None for net in own)
    return change.key[0] == "column" and change.key[2] == "exists" and is_drop


def in_scope(row: Row, works: Iterable[RowWork]) -> bool:
    return any(work.scope is EVERYTHING or row.partition in work.scope for work in works)


def base_image(row: Row, known: frozenset[Origin]) -> Row | None:
    """The last image of a row that both sides know."""
    image: Row | None = row
    while image is not None and image.writer not in known:
        image = image.previous
    return image


def base_images(works: Iterable[RowWork], kind: str, known: frozenset[Origin]) -> list[Row]:
    """The images, known to both sides, of the rows that work of this kind took away."""
    found: dict[int, Row] = {}
    for work in works:
        for row in work.touched if work.kind == kind else ():
            image = base_image(row, known)
            if image is not None:
                found[image.id] = image
    return list(found.values())
