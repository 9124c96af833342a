"""Rows column by column, as merges of cells read and write them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from catalog_app.domain.schema import Schema
from lakeui.common.errors import InvalidValue, NotNullViolation

_LENGTH = re.compile(r"(?:var)?char\((\d+)\)$")


@dataclass(frozen=True, slots=True, eq=False)
class RowCells:
    """``columns``: Arrow arrays by column id. ``partition``: the partition values as texts, one array a column.
    ``keys``: the primary key of each row as JSON, where it was asked for.
    """

    columns: Mapping[int, Any]
    partition: tuple[Any, ...] = ()
    keys: Sequence[str] = ()

    def take(self, at: Any) -> RowCells:
        """The rows at these positions."""
        wanted = pa.array(at, type=pa.int64())
        keys = [self.keys[place] for place in np.asarray(at).tolist()] if self.keys else ()
        columns = {identifier: values.take(wanted) for identifier, values in self.columns.items()}
        return RowCells(columns, tuple(values.take(wanted) for values in self.partition), keys)


def cells_check(schema: Schema, cells: RowCells) -> None:
    """Raises where a column does not take a value."""
    for column in schema.columns:
        values = cells.columns[column.id]
        if values.null_count and not column.nullable:
            raise NotNullViolation(
                f"Column {column.name} is NOT NULL, and a merged row has no value.",
                remedy="Decide the row otherwise.",
                column=column.name,
            )
        length = _LENGTH.match(column.type)
        if length and pa.types.is_string(values.type):
            longest = pc.max(pc.utf8_length(values)).as_py() or 0
            if longest > int(length[1]):
                raise InvalidValue(
                    f"A merged value of column {column.name} does not fit into {column.type}.",
                    remedy="Decide the row otherwise.",
                )
