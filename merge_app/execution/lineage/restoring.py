"""RESTORE is its changes (lineage §1): rows that differ from then get their facts of then, all others keep theirs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from catalog_app.selectors.snapshots import Snapshot
from catalog_app.services.files import delete_files_register
from merge_app.execution.engine_source import EngineSource
from merge_app.execution.lineage.died_before import died_before
from merge_app.execution.lineage.readers import Reader, reader_of
from merge_app.execution.lineage.rows import collected, newest_rows
from merge_app.execution.lineage.sides import differing_load, gone_load
from merge_app.execution.lineage.staged_files import RestoredFiles
from merge_app.execution.version_vectors import Ranges, version_vector_load
from merge_app.lineage.ascending import are_among
from merge_app.lineage.facts import ABSENT, Array, Ints, Kind
from merge_app.lineage.segments import DOT, FileSide, Gone, Group, Marked, ShownFile, Stamp, groups


def restored_files(
    tables: Sequence[int], now: Snapshot, version: int, engine: EngineSource
) -> dict[int, RestoredFiles]:
    """By table, what restoring it to ``version`` of the chain makes of its files. Files that name rows are written."""
    back = now.at(version)
    files_now, files_then = differing_load(tables, now, back)
    (since,) = gone_load(tables, Ranges.of_news(version_vector_load(now), version_vector_load(back)))
    before = died_before(tables, now, back)
    found = {}
    for table_id in tables:
        changed, wanted = _differing(files_now.get(table_id, ()), files_then.get(table_id, ()))
        taken, earlier = since.get(table_id, []), before.get(table_id, [])
        sides = (
            FileSide(tuple(changed), tuple(taken), frozenset()),
            FileSide(tuple(wanted), tuple(earlier), frozenset()),
        )
        reader = reader_of(table_id, [*changed, *wanted], [*taken, *earlier], engine)
        parts = [_bundle(table_id, group, reader, engine) for group in groups(*sides)]
        found[table_id] = RestoredFiles(
            tuple(file for part in parts for file in part.shown),
            tuple(item for part in parts for item in part.gone),
            tuple(file.file_id for file in changed),
        )
    return found


def _differing(current: Sequence[ShownFile], then: Sequence[ShownFile]) -> tuple[list[ShownFile], list[ShownFile]]:
    """The files of now and of then that hold other images, or lie elsewhere: of others no fact differs."""
    by_id = [{file.file_id: file for file in side} for side in (current, then)]
    return (
        [file for file in current if not _shows_same(file, by_id[1].get(file.file_id))],
        [file for file in then if not _shows_same(file, by_id[0].get(file.file_id))],
    )


def _shows_same(file: ShownFile, other: ShownFile | None) -> bool:
    """Whether both show the same images in the same partition, whoever decided them."""
    if other is None:
        return False
    masked = ({mark.file_id for mark in item.deletes} for item in (file, other))
    return file.partition == other.partition and next(masked) == next(masked)


def _bundle(table_id: int, group: Group, reader: Reader, engine: EngineSource) -> RestoredFiles:
    """Files that may hold the same rows: those of now, with what was taken away since, and those of then."""
    now, then = group.source, group.target
    has_row_deletes = any(item.delete_file is not None for item in group.source_gone)
    # Marks of decided rows would come after the event of the whole file: these rows are marked anew.
    have_marks = any(file.stamped for file in then)
    if not (now or has_row_deletes or have_marks):
        return RestoredFiles(tuple(_came_back(file, _taken_at(file, group.source_gone)) for file in then))
    if not (then or group.target_gone):
        return RestoredFiles((), tuple(_went(file) for file in now))
    rows_now, rows_then = _rows(now, group.source_gone, reader), _rows(then, group.target_gone, reader)
    same = _live(rows_then) & _has_same(rows_then, rows_now)
    back = _live(rows_then) & ~same
    # An image that goes may be all that had its primary key, also where another image of the row comes back.
    gone = _live(rows_now) & ~are_among(rows_now["row_id"], rows_then["row_id"][same])
    undone = _undone(rows_then, rows_now, collected((), group.source_gone, reader)[1])
    writer = _Writer(table_id, reader, engine)
    shown = [
        replace(
            file,
            stamped=(
                *file.stamped,
                *writer.restored(file.file_id, rows_then, back, undone),
                *writer.kept(file.file_id, rows_then, same, rows_now),
            ),
            placed=_placed_again(file, rows_then, rows_now),
        )
        for file in then
    ]
    taken = (item for file in now for item in writer.taken(file, rows_now, gone, rows_then))
    return RestoredFiles(tuple(shown), tuple(taken))


def _rows(shown: Sequence[ShownFile], gone: Sequence[Gone], reader: Reader) -> Mapping[str, Array]:
    live, dead = collected(shown, gone, reader)
    return newest_rows(live, live["row_id"], dead, dead["row_id"])[0]


def _came_back(file: ShownFile, undoes: int) -> ShownFile:
    stamp = file.stamp
    brings = (stamp.brings_stamp, stamp.brings_kind) if stamp.kind == "restore" else (stamp.version, stamp.kind)
    return replace(file, stamp=Stamp(DOT, "restore", *brings, undoes))


def _placed_again(file: ShownFile, then: Mapping[str, Array], now: Mapping[str, Array]) -> Stamp:
    """Who decided the partition of a file's rows: the restore, where one of them lies elsewhere now."""
    rows = _live(now) & are_among(now["row_id"], then["row_id"][then["file"] == file.file_id])
    place = next(iter(then["partition"][then["file"] == file.file_id]), ABSENT)
    elsewhere = rows & (now["partition"] != place)
    if not elsewhere.any():
        return file.placed
    placed = file.placed
    before = placed.brings_stamp if placed.kind == "restore" else placed.version
    return Stamp(DOT, "restore", before, "move" if before else "", int(now["placed"][elsewhere].max()))


def _went(file: ShownFile, brought: tuple[int, int] = (0, 0)) -> Gone:
    """``brought``: stamp and kind of the deletion that comes back."""
    masks = tuple(mark.file_id for mark in file.deletes)
    bounds = file.smallest, file.largest
    return Gone(file.file_id, *bounds, _brought(*brought), None, masks, file.partition, file.placed)


def _brought(stamp: int, kind: int) -> Stamp:
    return Stamp(DOT, "restore", stamp, Kind(kind).name.lower() if stamp else "")


def _live(rows: Mapping[str, Array]) -> Array:
    return rows["file"] > 0


def _has_same(rows: Mapping[str, Array], others: Mapping[str, Array]) -> Array:
    """Where the other snapshot shows the same image of the row: at the same place, or, where a compaction moved it, by
    the stamp of what wrote it.
    """
    placed = (_of_ids(rows["row_id"], others, name) for name in ("file", "position"))
    is_placed = (next(placed) == rows["file"]) & (next(placed) == rows["position"])
    written = _written_at(rows)
    return is_placed | (
        (_of_ids(rows["row_id"], {**others, "written": _written_at(others)}, "written") == written) & (written > 0)
    )


def _written_at(rows: Mapping[str, Array]) -> Array:
    """The stamps of the images of live rows: of a restored one that of the fact that it brings back."""
    stamps: Array = np.where(rows["brings_stamp"] > 0, rows["brings_stamp"], rows["stamp"])
    return np.where(_live(rows), stamps, 0)


def _of_ids(row_ids: Ints, others: Mapping[str, Array], name: str) -> Array:
    """A column that other rows have of these ids, 0 where there is none."""
    ids, column = others["row_id"], others[name]
    if not len(ids):
        return np.zeros(len(row_ids), dtype=np.int64)
    at = np.searchsorted(ids, row_ids)
    at[at == len(ids)] = 0
    found: Array = np.where(ids[at] == row_ids, column[at], 0)
    return found


def _undone(then: Mapping[str, Array], now: Mapping[str, Array], taken: Mapping[str, Array]) -> Array:
    """By row of then, the stamp that replaced the image which comes back: who knows it knows that the image was gone.
    ``taken``: each fact since then that took an image away. A compaction moves images: there the first such fact.
    """
    undone = _of_ids(then["row_id"], now, "stamp")
    if not len(taken["row_id"]) or not len(then["row_id"]):
        return undone
    at = np.searchsorted(then["row_id"], taken["row_id"])
    at[at == len(then["row_id"])] = 0
    met = then["row_id"][at] == taken["row_id"]
    same = met & (then["file"][at] == taken["held"]) & (then["position"][at] == taken["held_at"])
    newest, oldest = np.zeros_like(undone), np.full_like(undone, DOT)
    np.maximum.at(newest, at[same], taken["stamp"][same])
    np.minimum.at(oldest, at[met], taken["stamp"][met])
    found: Array = np.where(newest > 0, newest, np.where(oldest < DOT, oldest, undone))
    return found


def _taken_at(file: ShownFile, gone: Sequence[Gone]) -> int:
    """The same of a whole file."""
    own = [item.stamp.version for item in gone if item.file_id == file.file_id]
    return max(own) if own else min((item.stamp.version for item in gone), default=0)


_DEAD = ("stamp", "kind", "brings_stamp", "brings_kind")
"""What is known of a row that then was deleted."""


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes files that name rows."""

    table_id: int
    reader: Reader
    engine: EngineSource

    def restored(self, file_id: int, rows: Mapping[str, Array], back: Array, undone: Array) -> Iterator[Marked]:
        """Rows of a file that are restored, by the stamp of what that replaces."""
        chosen = back & (rows["file"] == file_id)
        for stamp in np.unique(undone[chosen]):
            positions = rows["position"][chosen & (undone == stamp)]
            yield Marked(self._written(file_id, positions), Stamp(DOT, "restore", undoes=int(stamp)))

    def kept(self, file_id: int, rows: Mapping[str, Array], same: Array, now: Mapping[str, Array]) -> Iterator[Marked]:
        """Rows of a file whose image is the same now: they keep the facts that they have now."""
        chosen = np.flatnonzero(same & (rows["file"] == file_id))
        facts = np.stack([_of_ids(rows["row_id"], now, name)[chosen] for name in ("stamp", "kind", "undoes")], axis=1)
        other = facts[:, 0] != rows["stamp"][chosen]
        for fact in np.unique(facts[other], axis=0):
            positions = rows["position"][chosen[other & (facts == fact).all(axis=1)]]
            stamp = Stamp(int(fact[0]), Kind(int(fact[1])).name.lower(), undoes=int(fact[2]))
            yield Marked(self._written(file_id, positions), stamp)

    def taken(
        self, file: ShownFile, rows: Mapping[str, Array], gone: Array, then: Mapping[str, Array]
    ) -> Iterator[Gone]:
        """Rows of a file that are taken away, by the deletion of then that the restore brings back (§4b)."""
        shown = rows["file"] == file.file_id
        at = np.flatnonzero(gone & shown)
        facts = np.stack([_of_ids(rows["row_id"][at], then, name) for name in ("file", *_DEAD)], axis=1)
        facts = np.where(facts[:, :1] > 0, 0, facts)
        found = np.unique(facts, axis=0)
        is_whole = len(at) == np.count_nonzero(shown) and len(found) <= 1
        bounds, where = (file.smallest, file.largest), (file.partition, file.placed)
        for fact in found:
            _, stamp, kind, brings, brings_kind = (int(number) for number in fact)
            brought = (brings, brings_kind) if brings else (stamp, kind)
            if is_whole:
                yield _went(file, brought)
                return
            written = self._written(file.file_id, rows["position"][at[(facts == fact).all(axis=1)]])
            yield Gone(file.file_id, *bounds, _brought(*brought), written, (), *where)

    def _written(self, file_id: int, positions: Ints) -> int:
        staged = self.engine().mark_rows(self.table_id, self.reader.scans[file_id], np.sort(positions))
        return delete_files_register(self.table_id, [staged])[0].delete_file_id
