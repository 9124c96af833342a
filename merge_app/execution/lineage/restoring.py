"""RESTORE is its changes (lineage §1): rows that differ from then get their facts of then, all others keep theirs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from catalog_app.selectors.lineage import Lineage
from catalog_app.services.files import delete_files_register
from merge_app.execution.added_rows import EngineSource
from merge_app.execution.lineage.readers import reader_of
from merge_app.execution.lineage.rows import Reader, side_rows
from merge_app.execution.lineage.sides import Ranges, gone_load, snapshot_load
from merge_app.execution.reach import reach_load
from merge_app.lineage.facts import ABSENT, Array, Ints
from merge_app.lineage.segments import DOT, FileSide, Gone, Group, Marked, ShownFile, Stamp, groups


@dataclass(frozen=True, slots=True)
class RestoredFiles:
    """What a restored table shows, and what the restore took away from it; files that it leaves alone are in neither.
    ``present``: the files of now that are not left alone.
    """

    shown: tuple[ShownFile, ...] = ()
    gone: tuple[Gone, ...] = ()
    present: tuple[int, ...] = ()


def restored_files(tables: Sequence[int], now: Lineage, version: int, engine: EngineSource) -> dict[int, RestoredFiles]:
    """By table, what restoring it to ``version`` of the chain makes of its files. Files that name rows are written."""
    back = now.at(version)
    files_now, files_then = snapshot_load(tables, now), snapshot_load(tables, back)
    since = gone_load(tables, Ranges.of_news(reach_load(now), reach_load(back)))
    found = {}
    for table_id in tables:
        here, then = files_now.get(table_id, {}), files_then.get(table_id, {})
        changed = [file for key, file in here.items() if then.get(key) != file]
        wanted = [file for key, file in then.items() if here.get(key) != file]
        taken = since.get(table_id, [])
        sides = (FileSide(tuple(changed), tuple(taken), frozenset()), FileSide(tuple(wanted), (), frozenset()))
        reader = reader_of(table_id, [*changed, *wanted], taken, engine)
        parts = [_bundle(table_id, group, reader, engine) for group in groups(*sides)]
        found[table_id] = RestoredFiles(
            tuple(file for part in parts for file in part.shown),
            tuple(item for part in parts for item in part.gone),
            tuple(file.file_id for file in changed),
        )
    return found


def _bundle(table_id: int, group: Group, reader: Reader, engine: EngineSource) -> RestoredFiles:
    """Files that may hold the same rows: those of now, with what was taken away since, and those of then."""
    now, then = group.source, group.target
    if not now and all(item.delete_file is None for item in group.source_gone):
        newest = max((item.stamp.version for item in group.source_gone), default=0)
        return RestoredFiles(tuple(_came_back(file, newest) for file in then))
    if not then:
        return RestoredFiles((), tuple(_went(file) for file in now))
    rows_now, rows_then = side_rows(now, group.source_gone, reader), side_rows(then, (), reader)
    back = _live(rows_then) & ~_has_same(rows_then, rows_now)
    gone = _live(rows_now) & ~np.isin(rows_now["row_id"], rows_then["row_id"][_live(rows_then)])
    undone = _stamps_of(rows_then["row_id"], rows_now)
    writer = _Writer(table_id, reader, engine)
    shown = [
        replace(
            file,
            stamped=(*file.stamped, *writer.restored(file.file_id, rows_then, back, undone)),
            placed=_placed_again(file, rows_then, rows_now),
        )
        for file in then
    ]
    return RestoredFiles(tuple(shown), tuple(item for file in now for item in writer.taken(file, rows_now, gone)))


def _came_back(file: ShownFile, undoes: int) -> ShownFile:
    stamp = file.stamp
    brings = (stamp.brings_stamp, stamp.brings_kind) if stamp.kind == "restore" else (stamp.version, stamp.kind)
    return replace(file, stamp=Stamp(DOT, "restore", *brings, undoes))


def _placed_again(file: ShownFile, then: Mapping[str, Array], now: Mapping[str, Array]) -> Stamp:
    """Who decided the partition of a file's rows: the restore, where one of them lies elsewhere now."""
    rows = _live(now) & np.isin(now["row_id"], then["row_id"][then["file"] == file.file_id])
    place = next(iter(then["partition"][then["file"] == file.file_id]), ABSENT)
    elsewhere = rows & (now["partition"] != place)
    if not elsewhere.any():
        return file.placed
    placed = file.placed
    before = placed.brings_stamp if placed.kind == "restore" else placed.version
    return Stamp(DOT, "restore", before, "move" if before else "", int(now["placed"][elsewhere].max()))


def _went(file: ShownFile) -> Gone:
    masks = tuple(mark.file_id for mark in file.deletes)
    bounds = file.smallest, file.largest
    return Gone(file.file_id, *bounds, Stamp(DOT, "restore"), None, masks, file.partition, file.placed)


def _live(rows: Mapping[str, Array]) -> Array:
    return rows["file"] > 0


def _has_same(rows: Mapping[str, Array], others: Mapping[str, Array]) -> Array:
    """Where the other snapshot has the row live with the same stamp: then it is the same fact (R1)."""
    return (_stamps_of(rows["row_id"], others, only_live=True) == rows["stamp"]) & (rows["stamp"] > 0)


def _stamps_of(row_ids: Ints, others: Mapping[str, Array], *, only_live: bool = False) -> Array:
    """The stamps that other rows have of these ids, 0 where there is none."""
    chosen = _live(others) if only_live else np.ones(len(others["row_id"]), dtype=bool)
    ids, stamps = others["row_id"][chosen], others["stamp"][chosen]
    if not len(ids):
        return np.zeros(len(row_ids), dtype=np.int64)
    at = np.searchsorted(ids, row_ids)
    at[at == len(ids)] = 0
    found: Array = np.where(ids[at] == row_ids, stamps[at], 0)
    return found


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes files that name rows."""

    table_id: int
    reader: Reader
    engine: EngineSource

    def restored(self, file_id: int, rows: Mapping[str, Array], back: Array, undone: Array) -> Iterator[Marked]:
        """Rows of a file that are brought back, by the stamp of what that replaces."""
        chosen = back & (rows["file"] == file_id)
        for stamp in np.unique(undone[chosen]):
            positions = rows["position"][chosen & (undone == stamp)]
            yield Marked(self._written(file_id, positions), Stamp(DOT, "restore", undoes=int(stamp)))

    def taken(self, file: ShownFile, rows: Mapping[str, Array], gone: Array) -> Iterator[Gone]:
        """Rows of a file that are taken away."""
        positions = rows["position"][gone & (rows["file"] == file.file_id)]
        if len(positions):
            written = self._written(file.file_id, positions)
            bounds, where = (file.smallest, file.largest), (file.partition, file.placed)
            yield Gone(file.file_id, *bounds, Stamp(DOT, "restore"), written, (), *where)

    def _written(self, file_id: int, positions: Ints) -> int:
        staged = self.engine().mark_rows(self.table_id, self.reader.scans[file_id], np.sort(positions))
        return delete_files_register(self.table_id, [staged])[0].delete_file_id
