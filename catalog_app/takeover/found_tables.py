"""What is found of a table outside of the warehouse."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

from catalog_app.domain.files import ColumnStatistics, PartitionValues
from catalog_app.domain.schema import Column
from lakeui.common.errors import NotSupported

_EPOCH = datetime.date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class FoundField:
    """A transform, by lakeui's name for it, of a column. ``number``: of buckets, or the width; 0 for others."""

    name: str
    number: int
    column: str


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A data file: its absolute path, and its bounds by the names of columns. ``deletes``: positions of rows that are
    gone, ascending. ``layout``: what transforms are for each of its rows, as ``LaidBy`` has it.
    """

    path: str
    rows: int
    bytes: int
    statistics: dict[str, ColumnStatistics]
    partition: PartitionValues = ()
    by_name: bool = False
    lacks_partition: bool = False
    deletes: Any = ()
    layout: tuple[tuple[FoundField, int | str | None], ...] = ()


@dataclass(frozen=True, slots=True)
class FoundTable:
    """``columns`` have the ids that the files hold, or 0 where the files hold none. ``notices``: what is otherwise than
    one might think. ``layout``: the transforms by which its new files are laid.
    """

    columns: tuple[Column, ...]
    files: tuple[FoundFile, ...]
    partition_by: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    layout: tuple[FoundField, ...] = ()

    @property
    def has_ids(self) -> bool:
        return all(column.id for column in self.columns)


def partition_text(value: Any, kind: str, name: str) -> str | None:
    """A partition's value as Spark casts it to a text. Raises NotSupported where that is not known."""
    if value is None:
        return None
    if kind == "boolean":
        return "true" if value else "false"
    if kind in ("tinyint", "smallint", "int", "bigint", "string"):
        return str(value)
    if kind == "date":
        return (_EPOCH + datetime.timedelta(days=value) if isinstance(value, int) else value).isoformat()
    if kind.startswith("decimal"):
        return format(value, "f")
    raise NotSupported(
        f"The table is partitioned by {name} of type {kind}, which is not taken over.",
        remedy="Partition the table by another column.",
        column=name,
    )
