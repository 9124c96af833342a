"""Primary keys that both sides gave to different rows: the check that stands in for rules of keyed tables, where files
decide what comes over. Rows that the merge sweeps away give no key to anything.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from catalog_app.domain.files import FileScan, TableScan
from catalog_app.domain.operations import ObjectKind
from catalog_app.selectors.segments import files_shown
from catalog_app.selectors.snapshots import Snapshot
from merge_app.execution.added_rows import EngineSource, added_rows_load, coming_rows_load
from merge_app.planning.files import SideFiles, effects_of
from merge_app.planning.partition_paths import partition_after, partition_renames
from merge_app.planning.sides import sides_of
from merge_app.planning.spared import spared
from merge_app.planning.surviving import ObjectChanges
from merge_app.planning.values import PlanInput, TableFacts

KEYS_SHOWN = 20


def key_clashes(
    planned: PlanInput,
    source: Snapshot | None,
    destination: Snapshot,
    tables: Iterable[int],
    known: Mapping[int, TableFacts],
    engine: EngineSource,
) -> dict[int, tuple[str, ...]]:
    """By table: keys of rows that the source adds which rows hold too that the destination added, or renamed the
    partition of before the source swept it away. ``known``: what was found of their files.
    """
    return {table_id: _clashes(planned, source, destination, table_id, known[table_id], engine) for table_id in tables}


def _clashes(
    planned: PlanInput,
    source: Snapshot | None,
    destination: Snapshot,
    table_id: int,
    known: TableFacts,
    engine: EngineSource,
) -> tuple[str, ...]:
    table, sides = planned.tables[table_id], sides_of(planned)
    mine, theirs = sides.source[ObjectKind.TABLE, table_id], sides.destination_of(ObjectKind.TABLE, table_id)
    names = [column.name for column in table.schema.columns if column.id in table.schema.primary_key]
    come = coming_rows_load(planned, table_id, source, destination, known.diverged, engine)
    renamed = _renamed_away(mine, theirs)
    unseen = renamed - files_shown(source, [table_id], renamed) if source is not None and renamed else set()
    further = _swept_files(mine) | unseen
    there = added_rows_load(table_id, planned.destination, destination, table, engine, further_files=further)
    staying = tuple(_staying(there, mine, spared(theirs.past, known.arrived).files))
    if not (come and staying):
        return ()
    first, second = (TableScan(table_id, table.schema, files) for files in (come, staying))
    return tuple(engine().common_keys(first, second, names, limit=KEYS_SHOWN))


def _staying(files: Iterable[FileScan], source: ObjectChanges, spared_files: Collection[int]) -> Iterator[FileScan]:
    """The destination's files that the source's overwrites and drops of partitions leave."""
    for file in files:
        if file.file_id in spared_files or partition_after(source.history, file.partition) is not None:
            yield file


def _swept_files(source: ObjectChanges) -> set[int]:
    """What was there at base and the source swept away: by partition, so that a new name keeps rows from it."""
    side = SideFiles(source.history)
    return {file_id for file_id in side.removed.keys() - side.added.keys() if side.is_overwritten(file_id)}


def _renamed_away(source: ObjectChanges, destination: ObjectChanges) -> set[int]:
    """What lay in partitions that the source swept and the destination renamed: also what came to the destination first
    and was swept from the source before it could be shown there.
    """
    found: set[int] = set()
    for operation in destination.history:
        effects = effects_of(operation)
        for change in partition_renames(operation):
            swept = change.before
            if swept is not None and partition_after(source.history, swept) is None:
                found.update(item for item in effects.removed if effects.partition_of.get(item, swept) == swept)
    return found
