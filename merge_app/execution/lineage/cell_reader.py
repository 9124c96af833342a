"""Images of one table, read under the columns of the merged table, with what is no cell of its own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from catalog_app.domain.checks import columns_read, condition_shown
from catalog_app.domain.files import PartitionValues
from catalog_app.domain.schema import Schema
from catalog_app.storage.cells import RowCells
from lakeui.common.errors import InvalidValue
from merge_app.execution.lineage.crossed import CrossedBases, CrossedRow, crossed_bases
from merge_app.execution.lineage.readers import Reader
from merge_app.lineage.cells import ColumnMerge
from merge_app.lineage.facts import Ints, Mask
from merge_app.lineage.segments import ShownFile

Absent = Callable[[Ints], Mapping[int, Mask]]


def no_column_absent(images: Ints) -> Mapping[int, Mask]:
    """Of a table without columns that one side dropped."""
    return {}


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    """Images that were read, one at least: in order, where each stands among ``cells``, and in which partitions they
    were read.
    """

    images: Ints
    places: Ints
    read_in: Mapping[int, PartitionValues]
    cells: RowCells

    def take(self, images: Ints) -> RowCells | None:
        """The images, where all of them are here."""
        at = np.minimum(np.searchsorted(self.images, images), len(self.images) - 1)
        return self.cells.take(self.places[at]) if np.array_equal(self.images[at], images) else None


@dataclass(slots=True)
class CellReader:
    """Reads images of one table under the merged ``schema``. ``with_keys``: with primary keys as JSON.
    ``absent``: by column that one side dropped, where images lie in files without it. ``generated``: by column that is
    no cell of its own, the SQL over the others. ``crossed``: bases that no image shows. ``row_names``: what stands for
    keys in a table without a primary key. ``_kept``: images that are asked for again.
    """

    schema: Schema
    reader: Reader
    with_keys: bool = False
    absent: Absent = no_column_absent
    generated: Mapping[int, str] = field(default_factory=dict)
    crossed: CrossedBases = field(default_factory=CrossedBases)
    row_names: Callable[[Ints], Sequence[str]] | None = None
    _kept: list[_Kept] = field(default_factory=list)

    def read(
        self,
        images: Ints,
        shown: Sequence[ShownFile] = (),
        *,
        with_keys: bool | None = None,
        columns: Collection[int] | None = None,
        keeps: bool = False,
    ) -> RowCells:
        """Images by code, in their order. ``shown``: the files of the side that has them. ``with_keys``: not as the
        reader has them. ``columns``: these alone and those of the partition. ``keeps``: until ``forget``.
        """
        has_keys = self.with_keys if with_keys is None else with_keys
        if self.row_names is not None and has_keys:
            found = self.read(images, shown, with_keys=False, columns=columns, keeps=keeps)
            return replace(found, keys=self.row_names(images))
        schema = self.schema if columns is None else self._narrowed(columns)
        if not len(images):
            texts = tuple(pa.nulls(0, pa.string()) for _ in schema.partition_by)
            return RowCells({column.id: pa.nulls(0) for column in schema.columns}, texts)
        partitions = {file.file_id: file.partition for file in shown}
        wanted = [column.id for column in schema.columns]
        for kept in self._kept:
            is_whole = kept.cells.columns.keys() >= set(wanted) and (kept.cells.keys or not has_keys)
            known = kept.take(images) if kept.read_in == partitions and is_whole else None
            if known is not None:
                return known
        found = self.reader.engine().cells_read(*self.reader.find(images, schema, partitions), with_keys=has_keys)
        if keeps:
            ordered, first = np.unique(images, return_index=True)
            self._kept.append(_Kept(ordered, first, partitions, found))
        return found

    def cross(self, rows: Sequence[CrossedRow], how: Mapping[int, ColumnMerge]) -> None:
        """Put the bases of rows that were merged crosswise in the places of their newest images."""
        found = crossed_bases(rows, lambda images: self.read(images, with_keys=False), self.absent, how)
        self.crossed = replace(found, cells=self.computed(found.cells), unknown=self._unknown(found.unknown))

    def read_bases(self, images: Ints, columns: Collection[int], *, keeps: bool = False) -> RowCells:
        """Images as bases, with their cells in these columns."""
        return self.crossed.put(images, self.read(images, with_keys=False, columns=columns, keeps=keeps))

    def _narrowed(self, columns: Collection[int]) -> Schema:
        wanted = {*columns, *self.schema.partition_by}
        narrow = tuple(column for column in self.schema.columns if column.id in wanted)
        return Schema(columns=narrow, partition_by=self.schema.partition_by)

    def _unknown(self, unknown: Mapping[int, Mask]) -> dict[int, Mask]:
        """A generated column is unknown where a cell is that it reads."""
        found = {column: mask for column, mask in unknown.items() if column not in self.generated}
        for column, stored in self.generated.items():
            read = [unknown[i] for i in columns_read(stored) if i in unknown]
            if read:
                found[column] = np.any(read, axis=0)
        return found

    def computed(self, cells: RowCells) -> RowCells:
        """The rows with their generated columns as they follow from the other cells, with the texts of those in the
        partition. Where an expression has no value, the constraint of the column refuses the row.
        """
        values = {column_id: condition_shown(stored, self.schema) for column_id, stored in self.generated.items()}
        if not values or not cells.columns or not len(next(iter(cells.columns.values()))):
            return cells
        try:
            return self.reader.engine().cells_computed(self.schema, cells, values)
        except InvalidValue:
            return cells

    def forget(self) -> None:
        """Let go of the images that were kept."""
        self._kept.clear()

    def compared(self) -> list[int]:
        """The columns whose cells are compared."""
        return [column.id for column in self.schema.columns if column.id not in self.schema.partition_by]
