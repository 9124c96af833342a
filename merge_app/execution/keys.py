"""Primary keys that both sides gave to different rows: the check that stands in for rules of keyed tables."""

from __future__ import annotations

from collections.abc import Iterable

from catalog_app.domain.files import TableScan
from catalog_app.selectors.lineage import Lineage
from merge_app.execution.added_rows import EngineSource, added_rows_load
from merge_app.planning.values import PlanInput

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
    mine = added_rows_load(table_id, planned.source, source, planned.source_tables.get(table_id), engine)
    theirs = added_rows_load(table_id, planned.destination, destination, table, engine)
    if not (mine and theirs):
        return ()
    first, second = (TableScan(table_id, table.schema, files) for files in (mine, theirs))
    return tuple(engine().common_keys(first, second, names, limit=KEYS_SHOWN))
