"""A plan's row work, done by the engine before the transaction: what it stages is registered, not yet visible.

First files are rewritten, then deletes are followed, so that they reach what was rewritten (see planning's values).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from catalog_app.domain.files import FileScan, NewDataFile, NewDeleteFile, PartitionValues
from catalog_app.domain.operations import ObjectKind
from catalog_app.domain.state import TableState
from catalog_app.engine.port import RowEngine
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.segments import definitions_load, files_load, files_shown
from catalog_app.selectors.snapshots import Snapshot
from catalog_app.services.files import data_files_register, delete_files_register
from merge_app.execution.added_rows import EngineSource
from merge_app.execution.apply import RowWorkResult, StagedDefinition
from merge_app.execution.lineage.applying import rows_write, steps_stage
from merge_app.execution.rerunning import RerunFiles, statements_rerun
from merge_app.execution.row_merges import rows_merge
from merge_app.execution.source_side import SourceSide
from merge_app.lineage.steps import TableSteps
from merge_app.planning.files import effects_of
from merge_app.planning.values import (
    CopyShownRows,
    CountKeptRows,
    DataPlan,
    FilterImages,
    FollowDeletes,
    KeepRows,
    MergePlan,
    MergeRows,
    ObjectPlan,
    RepartitionFile,
    ReplaceImages,
    RerunStatements,
    RowWork,
)


def row_work_run(
    planned: MergePlan,
    side: SourceSide,
    destination: Snapshot,
    engine: EngineSource,
    definitions: Mapping[int, StagedDefinition] | None = None,
) -> dict[int, RowWorkResult]:
    """Table id → what was staged for it. Nothing to do costs nothing. ``definitions``: what a statement's own staged
    files, which no segment shows yet, were written under.
    """
    staged = definitions or {}
    return {
        item.object_id: _table_work(item, item.data, side, destination, engine(), staged.get(item.object_id))
        for item in planned.objects
        if item.kind is ObjectKind.TABLE and item.data is not None and _has_work(item.data)
    }


def _has_work(data: DataPlan) -> bool:
    return bool(data.row_work or (data.steps is not None and data.steps.needs_engine))


def _table_work(
    item: ObjectPlan,
    data: DataPlan,
    side: SourceSide,
    destination: Snapshot,
    engine: RowEngine,
    staged_under: StagedDefinition | None,
) -> RowWorkResult:
    table_id = item.object_id
    if data.steps is not None:
        schemas = definitions_load({staged_under.definition_id}) if staged_under else {}
        staged = steps_stage(table_id, data.steps, engine, next(iter(schemas.values()), None))
        made = _rows_made(item, data.steps, engine)
        rows, deletes = _rerun(table_id, data, destination, engine)
        return RowWorkResult(staged=staged, kept_rows=data.steps.kept_rows, made=made, rows=rows, row_deletes=deletes)
    for work in data.row_work:
        if isinstance(work, MergeRows):
            assert side.snapshot is not None
            # Merged by key, a table has no other row work: nothing of it comes over by file.
            return rows_merge(table_id, work, side.snapshot, destination, engine)
    scans = _scans(item, data, side, destination, staged_under)
    held = {file_id for work in data.row_work if isinstance(work, FilterImages) for file_id in work.live_in}
    present = files_load(table_id, held, [destination]) if held else {}
    rewritten = _rewrite(table_id, data.row_work, scans, present, engine)
    images = tuple((file_id, scan.file_id) for file_id, found in rewritten.items() for scan in found)
    images += _copy_shown(table_id, data.row_work, side, engine)
    marking = _Marking(table_id, data.row_work, scans, rewritten, engine)
    attach = (*marking.follow(), *marking.replace(), *marking.keep())
    result = RowWorkResult(attach, images, _kept_rows(data.row_work, scans, engine))
    rows, deletes = _rerun(table_id, data, destination, engine)
    return replace(result, rows=rows, row_deletes=deletes)


def _rows_made(item: ObjectPlan, steps: TableSteps, engine: RowEngine) -> tuple[tuple[int, PartitionValues], ...]:
    if not steps.images:
        return ()
    assert isinstance(item.after, TableState)
    return rows_write(item.object_id, steps, engine, item.after.schema)


def _rerun(table_id: int, data: DataPlan, destination: Snapshot, engine: RowEngine) -> RerunFiles:
    again = next((work for work in data.row_work if isinstance(work, RerunStatements)), None)
    return ((), ()) if again is None else statements_rerun(table_id, again, destination, engine)


def _rewrite(
    table_id: int,
    row_work: Iterable[RowWork],
    scans: Mapping[int, FileScan],
    present: Mapping[int, FileScan],
    engine: RowEngine,
) -> dict[int, tuple[FileScan, ...]]:
    """Rewritten files by the file that they replace, none where no row is left: filtered first, then moved.
    ``present`` are files as the destination shows them before the merge.
    """
    staged: dict[int, tuple[NewDataFile, ...]] = {}
    filters = [work for work in row_work if isinstance(work, FilterImages)]
    moves = [work for work in row_work if isinstance(work, RepartitionFile)]
    paths = _delete_paths({mask for images in filters for mask, _ in images.masks})
    for images in filters:
        discarded = [
            replace(
                scans[file_id], delete_paths=tuple(paths[mask] for mask, masked in images.masks if masked == file_id)
            )
            for file_id in images.discarded_files
        ]
        live_in = [present[file] for file in images.live_in]
        found = engine.filter_images(table_id, scans[images.file], discarded, live_in=live_in)
        staged[images.file] = () if found is None else (found,)
    for move in moves:
        before = scans[move.file]
        left = [_rewritten(before, file) for file in staged[move.file]] if move.file in staged else [before]
        stays = [replace(scans[file], delete_paths=()) for file in move.left_in]
        staged[move.file] = tuple(file for scan in left for file in _moved(table_id, move, scan, stays, engine))
    added = iter(data_files_register(table_id, [file for files in staged.values() for file in files]))
    return {
        file_id: tuple(_rewritten(scans[file_id], file, next(added).file_id) for file in files)
        for file_id, files in staged.items()
    }


def _copy_shown(
    table_id: int, row_work: Iterable[RowWork], side: SourceSide, engine: RowEngine
) -> tuple[tuple[int, int], ...]:
    """Files with what the source shows of others, as (other, file): nothing else of the plan reaches these rows."""
    files = {work.file for work in row_work if isinstance(work, CopyShownRows)}
    if not files or side.snapshot is None:
        return ()
    shown = files_load(table_id, files, [side.snapshot])
    copies = ((file_id, engine.repartition(table_id, scan, scan.partition)) for file_id, scan in shown.items())
    staged = [(file_id, copy) for file_id, copy in copies if copy is not None]
    added = data_files_register(table_id, [copy for _, copy in staged])
    return tuple((file_id, item.file_id) for (file_id, _), item in zip(staged, added, strict=True))


def _moved(
    table_id: int, move: RepartitionFile, scan: FileScan, stays: Sequence[FileScan], engine: RowEngine
) -> Iterator[NewDataFile]:
    """The rows of a file that go into another partition, and those that stay in theirs."""
    going = engine.filter_images(table_id, scan, stays) if stays else None
    if going is None:
        moved = engine.repartition(table_id, scan, scan.partition if stays else move.partition)
        return iter(() if moved is None else (moved,))
    found = _rewritten(scan, going)
    left = engine.filter_images(table_id, scan, [found])
    moved = engine.repartition(table_id, found, move.partition)
    return (file for file in (moved, left) if file is not None)


def _rewritten(before: FileScan, file: NewDataFile, file_id: int = 0) -> FileScan:
    """How a file that replaces another is read: its deletes are applied. ``file_id`` 0 while not registered."""
    return replace(
        before,
        file_id=file_id,
        path=file.path,
        base=file.base,
        rows=file.rows,
        partition=file.partition,
        delete_paths=(),
        stores_row_ids=file.stores_row_ids,
        stores_stamps=file.stamps is not None,
    )


Marks = tuple[int, int, RowWork]
"""A delete file, its data file, and the work that it is of."""


@dataclass(frozen=True, slots=True)
class _Marking:
    """A table's row work that marks rows, once files are rewritten: as (delete file, data file, work)."""

    table_id: int
    row_work: Sequence[RowWork]
    scans: Mapping[int, FileScan]
    rewritten: Mapping[int, Sequence[FileScan]]
    engine: RowEngine

    def follow(self) -> tuple[Marks, ...]:
        """Those that mark followed rows where they lie now."""
        follows = [work for work in self.row_work if isinstance(work, FollowDeletes)]
        paths = _delete_paths({item for work in follows for item in (*work.delete_files, *work.spared_deletes)})
        staged: list[tuple[NewDeleteFile, RowWork]] = []
        for work in follows:
            marks = self.engine.follow_deletes(
                self.table_id,
                [paths[delete] for delete in work.delete_files],
                self.scans[work.from_file],
                self._as_rewritten(work.to_files),
                spared_paths=[paths[delete] for delete in work.spared_deletes],
                spared_files=[self.scans[file] for file in work.spared_files],
                shown_in=[self.scans[file] for file in work.shown_in],
            )
            staged += [(item, work) for item in marks]
        return self._registered(staged)

    def replace(self) -> tuple[Marks, ...]:
        """Those that mark images which others replace."""
        staged: list[tuple[NewDeleteFile, RowWork]] = []
        for work in (item for item in self.row_work if isinstance(item, ReplaceImages)):
            shown_in, to_files = self._as_rewritten(work.shown_in), self._as_rewritten(work.to_files)
            for image in self._as_rewritten([work.image]):
                marks = self.engine.replace_images(self.table_id, image, shown_in, to_files)
                staged += [(item, work) for item in marks]
        return self._registered(staged)

    def keep(self) -> tuple[Marks, ...]:
        """Those that mark the rows which spared files hold besides those spared."""
        staged: list[tuple[NewDeleteFile, RowWork]] = []
        for work in (item for item in self.row_work if isinstance(item, KeepRows)):
            for file in self._as_rewritten([work.file]):
                marks = self.engine.keep_rows(self.table_id, file, [self.scans[kept] for kept in work.kept_files])
                staged += [] if marks is None else [(marks, work)]
        return self._registered(staged)

    def _as_rewritten(self, files: Iterable[int]) -> list[FileScan]:
        """The files, or what row work made of them; without those that it left no row of."""
        return [found for file in files for found in self.rewritten.get(file, (self.scans[file],))]

    def _registered(self, staged: Sequence[tuple[NewDeleteFile, RowWork]]) -> tuple[Marks, ...]:
        added = delete_files_register(self.table_id, [marks for marks, _ in staged])
        return tuple(
            (item.delete_file_id, item.data_file_id, work) for item, (_, work) in zip(added, staged, strict=True)
        )


def _kept_rows(row_work: Iterable[RowWork], scans: Mapping[int, FileScan], engine: RowEngine) -> int:
    counts = [work for work in row_work if isinstance(work, CountKeptRows)]
    paths = _delete_paths({item for work in counts for item in work.delete_files})
    return sum(
        engine.count_kept_rows(
            [paths[item] for item in work.delete_files],
            [scans[file] for file in work.emptied_files],
            [scans[file] for file in work.images],
            [scans[file] for file in work.holders],
        )
        for work in counts
    )


def _delete_paths(delete_files: Collection[int]) -> dict[int, str]:
    query = "SELECT id, path FROM catalog_app_deletefile WHERE id = ANY(%(ids)s)"
    return dict(fetch_all(query, {"ids": list(delete_files)})) if delete_files else {}


def _scans(
    item: ObjectPlan, data: DataPlan, side: SourceSide, destination: Snapshot, staged_under: StagedDefinition | None
) -> dict[int, FileScan]:
    """The files of all row work, with the deletes that the plan leaves on them: on those that the destination shows and
    keeps its own and what the plan attaches, as the source may show them masked by work that only came here with its
    table's drop; on others those of either side.
    """
    own = definitions_load({staged_under.definition_id}) if staged_under else {}
    files = {file_id for work in data.row_work for file_id in _files_of(work)}
    brought = {made.file_id for operation in item.operations for made in effects_of(operation).added}
    kept = files_shown(destination, [item.object_id], files) - brought
    attached = {delete for delete, _ in data.attach}.union(
        mark.delete_file_id
        for operation in item.operations
        if operation.operation_id in data.attach_operations
        for mark in effects_of(operation).deletes
    )
    return files_load(item.object_id, kept, [destination], staged_deletes=attached) | files_load(
        item.object_id,
        files - kept,
        [destination] if side.snapshot is None else [destination, side.snapshot],
        staged_schema=next(iter(own.values()), None),
        staged_deletes=attached,
    )


def _files_of(work: RowWork) -> set[int]:
    match work:
        case FollowDeletes():
            return {work.from_file, *work.to_files, *work.spared_files, *work.shown_in}
        case ReplaceImages():
            return {work.image, *work.shown_in, *work.to_files}
        case FilterImages():
            return {work.file, *work.discarded_files}
        case RepartitionFile():
            return {work.file, *work.left_in}
        case CopyShownRows():
            return set()
        case KeepRows():
            return {work.file, *work.kept_files}
        case CountKeptRows():
            return {*work.emptied_files, *work.images, *work.holders}
        case MergeRows() | RerunStatements():
            return set()
