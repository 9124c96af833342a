"""A table kept by a test: it records what the engine stages, as the catalogue would."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from catalog_app.domain.files import FileScan, NewDataFile, TableScan
from catalog_app.domain.schema import Column, Schema
from catalog_app.engine.engine import Engine
from catalog_app.engine.inputs_outputs import QuerySource, RowChanges, ValuesSource
from catalog_app.storage.warehouse import Warehouse

TABLE = 7


def schema_of(*columns: str | Column, partition_by: Sequence[int] = ()) -> Schema:
    """``schema_of("a int", "b string not null")``: columns get ids from 1."""
    made = []
    for number, given in enumerate(columns, start=1):
        if isinstance(given, str):
            name, _, kind = given.partition(" ")
            nullable = not kind.endswith(" not null")
            made.append(Column(number, name, kind.removesuffix(" not null"), nullable=nullable))
        else:
            made.append(given)
    return Schema(tuple(made), partition_by=tuple(partition_by))


@dataclass
class Lake:
    engine: Engine
    warehouse: Warehouse
    schema: Schema = field(default_factory=Schema)
    files: list[FileScan] = field(default_factory=list)
    _ids: Iterator[int] = field(default_factory=lambda: count(1))

    def scan(self, *, files: Sequence[FileScan] | None = None) -> TableScan:
        return TableScan(TABLE, self.schema, tuple(self.files if files is None else files))

    def values(self, *rows: str, columns: tuple[str, ...] | None = None) -> list[NewDataFile]:
        """Insert rows written as ``"1|'a'"``."""
        source = ValuesSource(tuple(tuple(row.split("|")) for row in rows))
        return self._append(source, columns=columns)

    def query(self, text: str, *, by_name: bool = False, columns: tuple[str, ...] | None = None) -> list[NewDataFile]:
        """Insert the rows of a query over ``__lake_0``, the table itself."""
        return self._append(QuerySource(text, {"__lake_0": self.scan()}), by_name=by_name, columns=columns)

    def _append(
        self, source: Any, *, by_name: bool = False, columns: tuple[str, ...] | None = None
    ) -> list[NewDataFile]:
        new = self.engine.append(TABLE, self.schema, source, columns=columns, by_name=by_name, partition=None)
        self.add(new)
        return new

    def add(self, new: Sequence[NewDataFile]) -> None:
        for item in new:
            self.files.append(
                FileScan(
                    file_id=next(self._ids),
                    path=item.path,
                    base=item.base,
                    rows=item.rows,
                    schema=self.schema,
                    partition=item.partition,
                    statistics=item.statistics,
                    stores_row_ids=item.stores_row_ids,
                    stores_stamps=item.stamps is not None,
                    layout=item.layout,
                    bytes=item.bytes,
                )
            )

    def record(self, changes: RowChanges) -> RowChanges:
        for item in changes.delete_files:
            index = next(number for number, file in enumerate(self.files) if file.file_id == item.data_file_id)
            file = self.files[index]
            self.files[index] = replace(file, delete_paths=(*file.delete_paths, item.path))
        self.files = [file for file in self.files if file.file_id not in changes.emptied]
        self.add(changes.images)
        return changes

    def delete(self, condition: str | None) -> RowChanges:
        return self.record(self.engine.delete(self.scan(), condition, alias="t"))

    def update(self, condition: str | None, **assignments: str) -> RowChanges:
        return self.record(self.engine.update(self.scan(), list(assignments.items()), condition, alias="t"))

    def rows(self, text: str = "SELECT * FROM __lake_0", *, order: bool = True) -> list[list[Any]]:
        found = self.engine.select(text, {"__lake_0": self.scan()}, limit=1000).rows
        return sorted(found, key=repr) if order else found

    def row_ids(self, column: str) -> dict[Any, int]:
        """Row id by the value of a column, read from the files as the engine addresses them."""
        from catalog_app.engine.reading import table_dataframe

        def work(spark: Any) -> dict[Any, int]:
            frame = table_dataframe(spark, self.warehouse, self.scan(), with_address=True)
            return {row[0]: row[1] for row in frame.selectExpr(column, "__lake_id").collect()}

        return self.engine._sessions.run(work)

    def stored_files(self) -> list[str]:
        return [file.path for file in self.warehouse.files_under(str(TABLE))]
