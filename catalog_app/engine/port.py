"""What merges need of the engine: row work and facts of rows that metadata alone cannot tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from catalog_app.domain.checks import RowCheck, Violation
from catalog_app.domain.files import FileScan, NewDataFile, NewDeleteFile, TableScan
from catalog_app.domain.schema import Schema
from catalog_app.engine.inputs_outputs import RowChanges
from catalog_app.storage.cells import RowCells
from catalog_app.storage.deletes import Integers, StoredFacts


class RowEngine(Protocol):
    """All stage files and make nothing visible."""

    def file_rows(self, file: FileScan) -> tuple[Integers, StoredFacts | None]:
        """Row ids of a data file by position, and the facts that it stores; None where it stores none."""
        ...

    def rows_find(self, file: FileScan, row_ids: Integers) -> tuple[Integers, Integers, StoredFacts | None]:
        """Of the rows of a data file with one of these ids: positions, ascending, row ids, and the facts that it
        stores of them.
        """
        ...

    def file_marks(self, path: str) -> tuple[Integers, Integers]:
        """The positions and row ids that a delete file names."""
        ...

    def mark_rows(self, table_id: int, file: FileScan, positions: Integers) -> NewDeleteFile:
        """A delete file that names the rows of ``file`` at these positions."""
        ...

    def cells_read(self, scan: TableScan, addresses: Integers, *, with_keys: bool = False) -> RowCells:
        """The rows of the scan's files at these addresses, deleted or not, in the order of the addresses; with their
        primary keys as JSON where that is asked for.
        """
        ...

    def cells_show(self, scan: TableScan, addresses: Integers, *, with_keys: bool = False) -> list[list[Any]]:
        """The same rows as JSON values, of any type; the primary key stands behind them. Raises ResultTooLarge."""
        ...

    def cells_write(self, table_id: int, schema: Schema, cells: RowCells, row_ids: Integers) -> list[NewDataFile]:
        """Rows under these row ids, a file for each partition."""
        ...

    def part_rows(self, table_id: int, file: FileScan, positions: Integers, facts: StoredFacts) -> NewDataFile:
        """The rows of ``file`` at these positions, at least one, as a file that stores their row ids and facts.
        ``facts``: those of all rows of ``file``.
        """
        ...

    def mark_live_rows(self, table_id: int, file: FileScan) -> NewDeleteFile | None:
        """A delete file that names all live rows of ``file``; None without any."""
        ...

    def delete(self, scan: TableScan, condition: str | None, *, alias: str) -> RowChanges:
        """The deletes of a DELETE statement."""
        ...

    def update(
        self, scan: TableScan, assignments: Sequence[tuple[str, str]], condition: str | None, *, alias: str
    ) -> RowChanges:
        """The deletes and the new images of an UPDATE statement."""
        ...

    def null_counts(self, scan: TableScan, names: Sequence[str]) -> dict[str, int]:
        """Live rows with NULL, per column."""
        ...

    def rows_check(self, scan: TableScan, checks: Sequence[RowCheck]) -> dict[str, Violation]:
        """By name the constraints that live rows of the scan do not fit."""
        ...

    def cells_violating(self, schema: Schema, cells: RowCells, checks: Sequence[RowCheck]) -> dict[str, Violation]:
        """The same of rows that lie in no file yet."""
        ...

    def cells_computed(self, schema: Schema, cells: RowCells, values: Mapping[int, str]) -> RowCells:
        """Rows with other values in some columns: by column id SQL over the columns of the schema. Texts of partitions
        follow, where rows have them. Raises InvalidValue where an expression has no value for a row.
        """
        ...

    def live_rows(self, scan: TableScan) -> int:
        """Rows that no delete marks."""
        ...
