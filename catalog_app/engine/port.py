"""What merges need of the engine: row work and facts of rows that metadata alone cannot tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from catalog_app.domain.files import FileScan, NewDataFile, NewDeleteFile, TableScan
from catalog_app.domain.row_counts import RowCounts
from catalog_app.domain.row_merge import Behind, MergedRows, RowJudgement, RowMerge
from catalog_app.domain.schema import Schema
from catalog_app.engine.values import QueryResult, RowChanges
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

    def follow_deletes(
        self,
        table_id: int,
        delete_paths: Sequence[str],
        from_file: FileScan,
        to_files: Sequence[FileScan],
        *,
        spared_paths: Sequence[str],
        spared_files: Sequence[FileScan] = (),
        shown_in: Sequence[FileScan] = (),
    ) -> list[NewDeleteFile]:
        """Delete files that mark in ``to_files`` the rows which ``delete_paths`` mark in ``from_file``, by row id;
        without ``delete_paths`` every row of it. Rows that ``spared_paths`` mark or ``spared_files`` hold are left
        alone, and so are, where ``shown_in`` has files, those that are not live there.
        """
        ...

    def replace_images(
        self, table_id: int, image: FileScan, shown_in: Sequence[FileScan], to_files: Sequence[FileScan]
    ) -> list[NewDeleteFile]:
        """Delete files that mark in ``to_files`` the rows of ``image`` that are live in ``shown_in``, by row id."""
        ...

    def keep_rows(self, table_id: int, file: FileScan, kept: Sequence[FileScan]) -> NewDeleteFile | None:
        """A delete file that marks the live rows of ``file`` whose ids lie in none of ``kept``; None without any."""
        ...

    def filter_images(
        self, table_id: int, file: FileScan, discarded: Sequence[FileScan], *, live_in: Sequence[FileScan] = ()
    ) -> NewDataFile | None:
        """``file`` without its deleted rows and without those whose ids are live in ``discarded``, unless they are live
        in ``live_in`` too; None when none is left.
        """
        ...

    def repartition(self, table_id: int, file: FileScan, partition: Sequence[str | None]) -> NewDataFile | None:
        """The live rows of ``file`` under other partition values; None when no row is live."""
        ...

    def count_kept_rows(
        self,
        delete_paths: Sequence[str],
        emptied: Sequence[FileScan],
        images: Sequence[FileScan],
        holders: Sequence[FileScan],
    ) -> int:
        """How many row ids that ``delete_paths`` mark or ``emptied`` hold are in ``images`` and live in ``holders``."""
        ...

    def common_keys(self, first: TableScan, second: TableScan, names: Sequence[str], *, limit: int) -> list[str]:
        """Keys, as text, that both scans hold in rows of different ids."""
        ...

    def delete(self, scan: TableScan, condition: str | None, *, alias: str) -> RowChanges:
        """The deletes of a DELETE statement."""
        ...

    def update(
        self, scan: TableScan, assignments: Sequence[tuple[str, str]], condition: str | None, *, alias: str
    ) -> RowChanges:
        """The deletes and the new images of an UPDATE statement."""
        ...

    def rows_judge(self, task: RowMerge) -> RowJudgement:
        """What merging rows by primary key comes to, and their conflicts."""
        ...

    def rows_merge(self, task: RowMerge) -> MergedRows:
        """Files of merging rows by primary key; rows whose conflicts nothing decides stay as they are."""
        ...

    def rows_compare(
        self, task: RowMerge, *, limit: int, behind: Behind | None, only_conflicts: bool, key: str | None = None
    ) -> QueryResult:
        """Rows that either side changed, conflicts first, as base, source, destination and result have them."""
        ...

    def null_counts(self, scan: TableScan, names: Sequence[str]) -> dict[str, int]:
        """Live rows with NULL, per column."""
        ...

    def count_changes(self, before: TableScan, after: TableScan, *, watched: Sequence[int] = ()) -> RowCounts:
        """Rows that differ between two sets of files, by what became of them, and the changed values of columns."""
        ...

    def live_rows(self, scan: TableScan) -> int:
        """Rows that no delete marks."""
        ...
