"""A plan's row work, done by the engine before the transaction: what it stages is registered, not yet visible."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from catalog_app.domain.files import FileScan
from catalog_app.domain.operations import ObjectKind
from catalog_app.engine.port import RowEngine
from catalog_app.selectors.lineage import Lineage
from catalog_app.selectors.rows import fetch_all, json_value
from catalog_app.selectors.segments import definitions_load
from catalog_app.services.files import data_files_register, delete_files_register
from merge_app.execution.apply import RowWorkResult, StagedDefinition
from merge_app.execution.keys import EngineSource
from merge_app.execution.load import SourceSide
from merge_app.planning.values import DataPlan, FilterImages, FollowDeletes, MergePlan, RepartitionFile, RowWork

_FILES = """
SELECT f.id, f.path, f.base, f.rows, f.partition, f.stores_row_ids, s.definition_id
FROM catalog_app_datafile f LEFT JOIN LATERAL (
    SELECT definition_id FROM catalog_app_segment s WHERE s.file_id = f.id AND s.table_id = f.table_id LIMIT 1
) s ON true
WHERE f.id = ANY(%(files)s)
"""

_DELETES = """
SELECT f.data_file_id, f.path
FROM unnest(%(branches)s::bigint[], %(limits)s::bigint[]) AS l(branch_id, max_version)
JOIN catalog_app_segmentdelete d ON d.branch_id = l.branch_id AND d.attached_version <= l.max_version
     AND d.table_id = %(table_id)s
JOIN catalog_app_deletefile f ON f.id = d.delete_file_id
WHERE f.data_file_id = ANY(%(files)s)
GROUP BY f.data_file_id, f.path
"""


def row_work_run(
    planned: MergePlan,
    side: SourceSide,
    destination: Lineage,
    engine: EngineSource,
    definitions: Mapping[int, StagedDefinition] | None = None,
) -> dict[int, RowWorkResult]:
    """Table id → what was staged for it. Nothing to do costs nothing. ``definitions``: what a statement's own staged
    files, which no segment shows yet, were written under.
    """
    staged = definitions or {}
    return {
        item.object_id: _table_work(item.object_id, item.data, side, destination, engine(), staged.get(item.object_id))
        for item in planned.objects
        if item.kind is ObjectKind.TABLE and item.data is not None and item.data.row_work
    }


def _table_work(
    table_id: int,
    data: DataPlan,
    side: SourceSide,
    destination: Lineage,
    engine: RowEngine,
    staged_under: StagedDefinition | None,
) -> RowWorkResult:
    scans = _scans(table_id, data, side, destination, staged_under)
    delete_paths = _delete_paths(data)
    attach: list[tuple[int, int]] = []
    images: list[tuple[int, int]] = []
    for work in data.row_work:
        if isinstance(work, FollowDeletes):
            staged = engine.follow_deletes(
                table_id,
                [delete_paths[delete] for delete in work.delete_files],
                scans[work.from_file],
                [scans[file] for file in work.to_files],
                spared_paths=[delete_paths[delete] for delete in work.spared_deletes],
            )
            registered = delete_files_register(table_id, staged)
            attach += [(item.delete_file_id, item.data_file_id) for item in registered]
        elif isinstance(work, RepartitionFile):
            image = engine.repartition(table_id, scans[work.file], work.partition)
            if image is not None:
                (added,) = data_files_register(table_id, [image])
                images.append((work.file, added.file_id))
        else:
            image = engine.filter_images(table_id, scans[work.file], [scans[file] for file in work.discarded_files])
            if image is not None:
                (added,) = data_files_register(table_id, [image])
                images.append((work.file, added.file_id))
    return RowWorkResult(tuple(attach), tuple(images))


def _scans(
    table_id: int, data: DataPlan, side: SourceSide, destination: Lineage, staged_under: StagedDefinition | None
) -> dict[int, FileScan]:
    wanted: set[int] = set()
    for work in data.row_work:
        wanted |= _files_of(work)
    own = staged_under.definition_id if staged_under else None
    rows = [(*row[:6], row[6] or own) for row in fetch_all(_FILES, {"files": sorted(wanted)})]
    schemas = definitions_load({row[6] for row in rows})
    rewritten = [work.file for work in data.row_work if not isinstance(work, FollowDeletes)]
    masks = _deletes(table_id, side.lineage, rewritten)
    moved = [work.file for work in data.row_work if isinstance(work, RepartitionFile)]
    for file_id, paths in _deletes(table_id, destination, moved).items():
        known = masks.setdefault(file_id, [])
        known += [path for path in paths if path not in known]
    return {
        row[0]: FileScan(
            file_id=row[0],
            path=row[1],
            base=row[2],
            rows=row[3],
            schema=schemas[row[6]],
            partition=tuple(json_value(row[4])),
            delete_paths=tuple(masks.get(row[0], ())),
            stores_row_ids=row[5],
        )
        for row in rows
    }


def _files_of(work: RowWork) -> set[int]:
    match work:
        case FollowDeletes():
            return {work.from_file, *work.to_files}
        case FilterImages():
            return {work.file, *work.discarded_files}
        case RepartitionFile():
            return {work.file}


def _delete_paths(data: DataPlan) -> dict[int, str]:
    follows = [work for work in data.row_work if isinstance(work, FollowDeletes)]
    wanted = [item for work in follows for item in (*work.delete_files, *work.spared_deletes)]
    return dict(fetch_all("SELECT id, path FROM catalog_app_deletefile WHERE id = ANY(%(ids)s)", {"ids": wanted}))


def _deletes(table_id: int, lineage: Lineage | None, files: Collection[int]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    if files and lineage is not None:
        parameters = {
            "branches": list(lineage.branch_ids),
            "limits": list(lineage.limits),
            "table_id": table_id,
            "files": list(files),
        }
        for file_id, path in fetch_all(_DELETES, parameters):
            found.setdefault(file_id, []).append(path)
    return found
