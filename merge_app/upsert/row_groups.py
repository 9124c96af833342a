"""The row groups of a data set, and which of them can hold a key of the batch, by footers and folders (rows §2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from catalog_app.pruning.footers import footer_bounds
from catalog_app.pruning.intervals import ONLY_NULL, Bounds, KeyColumn, arrow_column, parts_with_a_key
from merge_app.upsert.dataset import DataFile, Dataset
from merge_app.upsert.keys import normal
from merge_app.upsert.partitions import partition_value
from merge_app.upsert.schemas import decoded


@dataclass(frozen=True, slots=True)
class RowGroup:
    """A row group by the numbers of its file and of itself, with the position of its first row in the file."""

    file: int
    group: int
    first: int
    rows: int


def row_groups(dataset: Dataset) -> list[RowGroup]:
    found = []
    for number, file in enumerate(dataset.files):
        first = 0
        for group in range(file.footer.num_row_groups):
            rows = file.footer.row_group(group).num_rows
            if rows:
                found.append(RowGroup(number, group, first, rows))
            first += rows
    return found


def may_match(dataset: Dataset, key_columns: Sequence[str], schema: pa.Schema, batch: pa.Table) -> list[RowGroup]:
    """The row groups worth reading for the keys of ``batch``, whose columns are those of the schema."""
    groups = row_groups(dataset)
    if not groups or not batch.num_rows:
        return []
    columns = [_key_column(dataset, groups, schema.field(name), batch.column(name)) for name in key_columns]
    chosen = parts_with_a_key(columns)
    return [group for group, is_chosen in zip(groups, chosen, strict=True) if is_chosen]


def _key_column(dataset: Dataset, groups: Sequence[RowGroup], field: pa.Field, values: pa.ChunkedArray) -> KeyColumn:
    bounds = [group_bounds(dataset.files[group.file], group.group, field) for group in groups]
    kind = decoded(field.type)
    minima, maxima = (
        normal(pa.array([getattr(item, name) for item in bounds], kind)) for name in ("minimum", "maximum")
    )
    return arrow_column(normal(values).combine_chunks(), minima, maxima, bounds)


def group_bounds(file: DataFile, group: int, field: pa.Field) -> Bounds:
    """What is known of a plain column in one row group, in the type that the data set has for it."""
    if field.name in file.partition_texts:
        value = partition_value(file, field)
        return Bounds(value, value, may_have_null=False) if value.is_valid else ONLY_NULL
    if field.name not in file.schema.names:
        return ONLY_NULL
    stored = decoded(file.schema.field(field.name).type)
    rows = file.footer.row_group(group).num_rows
    return footer_bounds(_statistics(file, group, field.name), rows, stored, decoded(field.type))


def _statistics(file: DataFile, group: int, name: str) -> pq.Statistics | None:
    leaf = file.leaf(name)
    return None if leaf is None else file.footer.row_group(group).column(leaf).statistics
