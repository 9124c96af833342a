"""Rows of a merge's source that enter the table as they are: what waits in this process needs no job of Spark."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from catalog_app.domain.schema import Column
from catalog_app.domain.types import canonical_type
from catalog_app.engine.decoding import internal_name
from catalog_app.engine.merge_values import FrozenSource, Rule
from catalog_app.engine.plain_values import INTEGER_BITS
from catalog_app.engine.targets import PARTITION, Target
from catalog_app.engine.types import arrow_type, is_default, quoted
from catalog_app.storage.deletes import Integers

Numbered = Callable[[Column, Integers], pa.Array | None]
"""The values of an identity column in the source's rows of these numbers; None of another column."""


def plain_rows(
    target: Target, source: FrozenSource, rules: Sequence[Rule], left_out: Integers, numbered: Numbered
) -> pa.Table | None:
    """What ``FileWriter.write_arrow`` takes: the source's rows but those of these numbers, as the rules insert them.
    ``numbered`` gives the values of identity columns.

    None where that asks for more than taking columns of the same type and NULL: for conditions, casts, lengths, or a
    NULL where none may be. Partitions are of whole numbers or texts.
    """
    if source.table is None or len(rules) != 1 or rules[0].condition is not None:
        return None
    is_left = np.ones(source.rows, dtype=np.bool_)
    is_left[left_out] = False
    numbers = np.flatnonzero(is_left)
    rows = source.table.filter(pa.array(is_left))
    columns = {}
    for column in target.schema.columns:
        text = rules[0].values.get(column.name)
        counted = numbered(column, numbers) if text is None else None
        values = plain_values(column, source, rows, text) if counted is None else counted
        if values is None or (values.null_count and not column.nullable):
            return None
        columns[internal_name(column)] = values
    texts = _partition_texts(target, columns)
    return None if texts is None else pa.table({**columns, **texts})


def _partition_texts(target: Target, columns: Mapping[str, Any]) -> dict[str, pa.Array] | None:
    """The texts of the rows' partitions; None where only Spark can say them, and for transforms of columns."""
    if target.laid:
        return None
    found = {}
    for index, column in enumerate(target.schema.partition_columns):
        if column.type not in (*INTEGER_BITS, "string"):
            return None
        found[f"{PARTITION}{index}"] = pc.cast(columns[internal_name(column)], pa.string())
    return found


def source_column(source: FrozenSource, text: str) -> int | None:
    """The place of the source's column that an expression is, if it is nothing else."""
    wanted, alias = text.strip().casefold(), quoted(source.alias)
    names = [f"{alias}.{quoted(name)}".casefold() for name, _ in source.columns]
    return names.index(wanted) if names.count(wanted) == 1 else None


def plain_values(
    column: Column, source: FrozenSource, rows: pa.Table, text: str | None
) -> pa.ChunkedArray | pa.Array | None:
    """The column's values of these rows of the source, by the text of an expression; None where it is more than a
    column of the same type, or NULL.
    """
    if text is None or is_default(text):
        text = column.default or "NULL"
    if text.strip().upper() == "NULL":
        kind = arrow_type(column.type)
        return None if kind is None else pa.nulls(rows.num_rows, kind)
    place = source_column(source, text)
    is_same = place is not None and canonical_type(source.columns[place][1]) == column.type
    return rows.column(place) if place is not None and is_same and "<" not in column.type else None
