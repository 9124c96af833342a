"""What a branch shows, as values that laws compare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from catalog_app.domain.checks import checks_of, condition_shown
from catalog_app.domain.files import TableScan
from catalog_app.domain.schema import Column, Schema
from catalog_app.selectors.objects import databases_dropped, databases_list, tables_dropped, tables_list
from catalog_app.selectors.segments import table_scan
from catalog_app.selectors.snapshots import Snapshot, branch_snapshot
from lakeui.frontdoor import compute
from tests.support.lake import Lake

Cells = Mapping[int, Any]
"""A row's values by column id."""


@dataclass(frozen=True)
class Shown:
    """A live table. ``rows``: by the value of column ``id``, which no two rows share."""

    database: str
    name: str
    comment: str
    properties: Mapping[str, str]
    columns: Mapping[int, Column]
    is_keyed: bool
    is_partitioned: bool
    partitions: frozenset[str]
    rows: Mapping[int, Cells]

    @property
    def path(self) -> str:
        return f"{self.database}.{self.name}"

    @property
    def checks(self) -> dict[str, str]:
        """The conditions of constraints, with the names of columns."""
        schema = Schema(tuple(self.columns.values()))
        return {key: condition_shown(stored, schema) for key, stored in checks_of(self.properties).items()}

    def named(self, name: str) -> Column | None:
        return next((column for column in self.columns.values() if column.name == name), None)

    def cell(self, row: int, name: str) -> Any:
        column = self.named(name)
        return None if column is None else self.rows[row][column.id]

    def plain(self) -> dict[str, Any]:
        """Without ids, which are of one lake and of one branch."""
        shown = {c.name: (c.type, c.nullable, c.default, c.comment) for c in self.columns.values()}
        rows = [{c.name: cells[c.id] for c in self.columns.values()} for _, cells in sorted(self.rows.items())]
        return {
            "path": self.path,
            "comment": self.comment,
            "properties": dict(sorted((self.properties | self.checks).items())),
            "columns": dict(sorted(shown.items())),
            "order": list(shown),
            "partitions": sorted(self.partitions),
            "rows": rows,
        }


@dataclass(frozen=True)
class State:
    """``tables``: by the number of the table in its lake. ``dropped``: names by kind."""

    databases: Mapping[str, Mapping[str, str]]
    tables: Mapping[int, Shown]
    dropped: tuple[tuple[str, str], ...]

    def plain(self) -> dict[str, Any]:
        return {
            "databases": {name: dict(sorted(of.items())) for name, of in sorted(self.databases.items())},
            "tables": {number: table.plain() for number, table in sorted(self.tables.items())},
        }


class Reader:
    """Reads states of one lake. Tables are numbered in the order in which they are first seen."""

    def __init__(self, lake: Lake) -> None:
        self.lake = lake
        self.numbers: dict[int, int] = {}
        self.branch = ""

    def state(self, branch: str) -> State:
        self.branch = branch
        snapshot = branch_snapshot(self.lake.branch(branch))
        databases = {item.database_id: item for item in databases_list(snapshot)}
        tables = {}
        for item in sorted(tables_list(snapshot, databases), key=lambda each: each.table_id):
            number = self.numbers.setdefault(item.table_id, len(self.numbers))
            tables[number] = self._shown(snapshot, item, databases[item.database_id].name)
        dropped = [("DATABASE", item.name) for item in databases_dropped(snapshot)]
        for database in databases.values():
            path = (f"{database.name}.{item.name}" for item in tables_dropped(snapshot, database.database_id))
            dropped += [("TABLE", each) for each in path]
        return State({item.name: item.properties for item in databases.values()}, tables, tuple(dropped))

    def _shown(self, snapshot: Snapshot, item: Any, database: str) -> Shown:
        schema = item.schema
        (key,) = (column.id for column in schema.columns if column.name == "id")
        scan = table_scan(snapshot, item)
        rows: dict[int, Cells] = {}
        for cells in self.rows_of(scan, f"{database}.{item.name}"):
            assert cells[key] not in rows, f"{database}.{item.name} shows row {cells[key]} twice"
            rows[cells[key]] = cells
        held = {tuple(file.partition) for file in scan.files} if schema.partition_by else set()
        return Shown(
            database,
            item.name,
            item.comment,
            item.properties,
            {column.id: column for column in schema.columns},
            schema.is_keyed,
            bool(schema.partition_by),
            frozenset(str(values[0]) for values in item.declared_partitions | held),
            rows,
        )

    def rows_of(self, scan: TableScan, path: str) -> list[Cells]:
        engine: Any = compute.engine()
        return [row.values for row in engine.live(scan)]


def same_column(column: Column, table: Shown) -> Column | None:
    """The column of a table, whichever of its ids leads there."""
    return next((each for each in table.columns.values() if set(each.ids) & set(column.ids)), None)
