"""Primary keys that both sides gave to different rows: the check that stands in for rules of keyed tables, where files
decide what comes over. Rows that the merge sweeps away give no key to anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from catalog_app.domain.files import FileScan, PartitionValues, TableScan
from catalog_app.domain.operations import ObjectKind
from catalog_app.engine.port import RowEngine
from catalog_app.selectors.lineage import Lineage
from catalog_app.selectors.segments import files_load
from merge_app.execution.added_rows import EngineSource, added_rows_load
from merge_app.planning.files import SideFiles, divergence
from merge_app.planning.sides import sides_of
from merge_app.planning.spared import spared
from merge_app.planning.surviving import ObjectChanges, is_full_overwrite
from merge_app.planning.values import PlanInput, TableFacts

KEYS_SHOWN = 20


def key_clashes(
    planned: PlanInput,
    source: Lineage | None,
    destination: Lineage,
    tables: Iterable[int],
    known: Mapping[int, TableFacts],
    engine: EngineSource,
) -> dict[int, tuple[str, ...]]:
    """By table: keys of rows that the source adds which rows that the destination added hold too. ``known``:
    what was found of their files.
    """
    return {table_id: _clashes(planned, source, destination, table_id, known[table_id], engine) for table_id in tables}


def _clashes(
    planned: PlanInput,
    source: Lineage | None,
    destination: Lineage,
    table_id: int,
    known: TableFacts,
    engine: EngineSource,
) -> tuple[str, ...]:
    table, sides = planned.tables[table_id], sides_of(planned)
    mine, theirs = sides.source[ObjectKind.TABLE, table_id], sides.destination_of(ObjectKind.TABLE, table_id)
    names = [column.name for column in table.schema.columns if column.id in table.schema.primary_key]
    come = added_rows_load(table_id, planned.source, source, planned.source_tables.get(table_id), engine)
    there = added_rows_load(table_id, planned.destination, destination, table, engine)
    staying = tuple(_staying(there, mine, spared(theirs.past, known.arrived).files))
    if not (come and staying):
        return ()
    lineages = [destination] if source is None else [source, destination]
    history = SideFiles((*divergence(table_id, known.diverged), *mine.history))
    coming = tuple(_coming(table_id, come, history, SideFiles(theirs.past), lineages, engine))
    if not coming:
        return ()
    first, second = (TableScan(table_id, table.schema, files) for files in (coming, staying))
    return tuple(engine().common_keys(first, second, names, limit=KEYS_SHOWN))


def _staying(files: Iterable[FileScan], source: ObjectChanges, spared_files: Sequence[int]) -> Iterator[FileScan]:
    """The destination's files that the source's overwrites and drops of partitions leave."""
    emptied = _emptied_partitions(source)
    for file in files:
        is_swept = source.overwrites_all or file.partition in emptied
        if file.file_id in spared_files or not is_swept:
            yield file


def _emptied_partitions(changes: ObjectChanges) -> set[PartitionValues]:
    scopes = (item.overwrite for item in changes.data if item.overwrite and not is_full_overwrite(item))
    written = {values for scope in scopes for values in scope.partitions or ()}
    return written | {item.before for item in changes.partitions if item.before is not None and item.after is None}


def _coming(
    table_id: int,
    files: Sequence[FileScan],
    mine: SideFiles,
    theirs: SideFiles,
    lineages: Sequence[Lineage],
    engine: EngineSource,
) -> Iterator[FileScan]:
    """The source's files without images of rows that an overwrite of the destination took away (A4)."""
    leaves = {file.file_id: mine.leaves(file.file_id) for file in files}
    lost = {
        leaf for found in leaves.values() for leaf in found if leaf not in mine.added and theirs.is_overwritten(leaf)
    }
    swept = files_load(table_id, lost, lineages) if lost else {}
    for file in files:
        gone = [swept[leaf] for leaf in sorted(leaves[file.file_id] & lost)]
        kept = _without(table_id, file, gone, engine()) if gone else file
        if kept is not None:
            yield kept


def _without(table_id: int, file: FileScan, gone: Sequence[FileScan], engine: RowEngine) -> FileScan | None:
    left = engine.filter_images(table_id, file, gone)
    if left is None:
        return None
    return replace(
        file,
        file_id=0,
        path=left.path,
        base=left.base,
        rows=left.rows,
        delete_paths=(),
        stores_row_ids=left.stores_row_ids,
    )
