"""Primary keys that both sides gave to different rows: the check that stands in for rules of keyed tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from catalog_app.domain.files import TableScan
from catalog_app.domain.operations import ObjectKind, Operation
from catalog_app.domain.state import TableState
from catalog_app.engine.port import RowEngine
from catalog_app.selectors.lineage import Lineage
from catalog_app.selectors.segments import data_files_scan, segments_list, table_scan
from merge_app.execution.operations import effects_load
from merge_app.planning.values import PlanInput

EngineSource = Callable[[], RowEngine]
"""Gives the engine when a plan needs it; most plans do not."""

KEYS_SHOWN = 20


def key_clashes(
    planned: PlanInput, source: Lineage | None, destination: Lineage, tables: Iterable[int], engine: EngineSource
) -> dict[int, tuple[str, ...]]:
    """By table: keys of rows that the source adds which rows that the destination added hold too."""
    return {table_id: _clashes(planned, source, destination, table_id, engine) for table_id in tables}


def _clashes(
    planned: PlanInput, source: Lineage | None, destination: Lineage, table_id: int, engine: EngineSource
) -> tuple[str, ...]:
    table = planned.tables[table_id]
    names = [column.name for column in table.schema.columns if column.id in table.schema.primary_key]
    mine = _added(planned.source, table_id)
    theirs = _added(planned.destination, table_id)
    ours = data_files_scan(table, mine) if source is None else _live(source, table, mine)
    others = _live(destination, table, theirs)
    if not (ours.files and others.files):
        return ()
    return tuple(engine().common_keys(ours, others, names, limit=KEYS_SHOWN))


def _added(operations: Sequence[Operation], table_id: int) -> set[int]:
    chosen = [item for item in operations if item.object_kind is ObjectKind.TABLE and item.object_id == table_id]
    return {file.file_id for item in effects_load(chosen) if item.effects for file in item.effects.added}


def _live(lineage: Lineage, table: TableState, files: set[int]) -> TableScan:
    """Those of the files that the chain still sees, read as the destination's schema."""
    segments = [segment for segment in segments_list(lineage, table.table_id) if segment.file_id in files]
    return table_scan(lineage, table, segments)
