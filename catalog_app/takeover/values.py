"""What is found of a table outside of the warehouse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from catalog_app.domain.files import ColumnStatistics, PartitionValues
from catalog_app.domain.schema import Column


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A data file: its absolute path, and its bounds by the names of columns. ``deletes``: positions of rows that are
    gone, ascending.
    """

    path: str
    rows: int
    bytes: int
    statistics: dict[str, ColumnStatistics]
    partition: PartitionValues = ()
    by_name: bool = False
    lacks_partition: bool = False
    deletes: Any = ()


@dataclass(frozen=True, slots=True)
class FoundTable:
    """``columns`` have the ids that the files hold, or 0 where the files hold none. ``notices``: what is otherwise than
    one might think.
    """

    columns: tuple[Column, ...]
    files: tuple[FoundFile, ...]
    partition_by: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def has_ids(self) -> bool:
        return all(column.id for column in self.columns)
