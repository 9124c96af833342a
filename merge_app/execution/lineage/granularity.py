"""What it means for a table that both sides touched a thing: its property, or else the setting of the catalog."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from catalog_app.domain.state import TableState
from catalog_app.domain.table_properties import FILE, MERGE_COLUMN, MERGE_CONFLICTS, merges_by, properties_check
from catalog_app.selectors.homes import Homes
from merge_app.lineage.cells import ColumnMerge
from merge_app.lineage.facts import Granularity


@dataclass(frozen=True, slots=True)
class MergeSetting:
    """How rows of a table are merged. ``how``: by column, what becomes of a cell that both sides changed."""

    granularity: Granularity
    how: Mapping[int, ColumnMerge]


def merge_settings(tables: Iterable[TableState], homes: Callable[[], Homes]) -> dict[int, MergeSetting]:
    """By table, as the target of a merge has it. Raises InvalidValue. A table with a primary key is merged by key and
    cell whatever it says. ``homes`` is asked where a table inherits the setting of the target's catalog.
    """
    chosen = list(tables)
    inherited = FILE
    if any(MERGE_CONFLICTS not in table.properties and not table.schema.is_keyed for table in chosen):
        inherited = homes().merge_conflicts
    found = {}
    for table in chosen:
        value = FILE if table.schema.is_keyed else table.properties.get(MERGE_CONFLICTS, inherited)
        properties_check({MERGE_CONFLICTS: value})
        found[table.table_id] = MergeSetting(Granularity(value), column_merges(table))
    return found


def column_merges(table: TableState) -> dict[int, ColumnMerge]:
    """By column id what the properties of columns ask for."""
    found: dict[int, ColumnMerge] = {}
    # Columns are read only where a property names one.
    if not any(key.startswith(MERGE_COLUMN) for key in table.properties):
        return found
    for column in table.schema.columns:
        key = MERGE_COLUMN + column.name
        value = table.properties.get(key)
        if value is not None and merges_by(value, column.type):
            found[column.id] = ColumnMerge(value)
    return found
