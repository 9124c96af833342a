"""The engine's methods without Spark and without files: staged rows lie in dictionaries by path.

It holds what ``catalog_app.domain.files`` says of row ids and addresses, so that planner, front door and PostgreSQL
run as they are.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from sqlglot import expressions as sql

from catalog_app.domain.checks import VIOLATIONS_SHOWN, RowCheck, Violation, condition_shown
from catalog_app.domain.files import (
    SHOWN_ROW_ID,
    ColumnStatistics,
    FileScan,
    NewDataFile,
    NewDeleteFile,
    PartitionValues,
    TableScan,
)
from catalog_app.domain.histogram import TOP, Frequent
from catalog_app.domain.identity_columns import columns_numbered, numbers_check
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.transforms import ORDERED, FileLayout, LaidBy, Transform, transform_value
from catalog_app.domain.types import ParsedType
from catalog_app.engine.answers import json_rows
from catalog_app.engine.counting import Counting
from catalog_app.engine.expressions import Analysis
from catalog_app.engine.inputs_outputs import (
    PlainRead,
    QueryResult,
    QuerySource,
    RowChanges,
    RowSource,
    Tables,
    ValuesSource,
)
from catalog_app.engine.merge_values import FrozenSource
from catalog_app.engine.profiling import ColumnCounts
from catalog_app.services.files import identity_numbers_allocate
from catalog_app.storage.cells import RowCells, cells_check
from catalog_app.storage.deletes import StoredFacts
from catalog_app.storage.facts import rows_facts
from lakeui.common.errors import InvalidDefault, InvalidValue, LakeError, NotNullViolation
from tests.support.expressions import evaluate, parsed

Fact = tuple[int, int, int, int]
"""As ``StoredFacts`` has them."""

BYTES_PER_ROW = 16
"""Files have to have a size; nothing depends on which."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """What a data file holds: per row its values by column id, and its row id."""

    rows: tuple[dict[int, Any], ...]
    row_ids: tuple[int, ...]
    facts: tuple[Fact, ...] | None = None


@dataclass(frozen=True, slots=True)
class LiveRow:
    """A row as a scan reads it: values by column id of the schema read as."""

    file: FileScan
    position: int
    row_id: int
    values: dict[int, Any]


Contents = tuple[dict[str, StoredFile], dict[str, dict[int, int]]]
"""Data files, and delete files, by path."""


class MemoryEngine:
    """``allocate`` gives the first of some fresh addresses of a table."""

    _numbers: Iterator[int | str] = itertools.count(1)
    """No two engines give one path."""

    def __init__(
        self, allocate: Callable[[int, int], int], number: Callable[[int, int], int] = identity_numbers_allocate
    ) -> None:
        self._allocate = allocate
        self._number = number
        self._files: MutableMapping[str, StoredFile] = {}
        self._deletes: MutableMapping[str, dict[int, int]] = {}

    def contents(self) -> Contents:
        """All files, to begin another engine with."""
        return dict(self._files), dict(self._deletes)

    def contents_set(self, contents: Contents) -> None:
        files, deletes = contents
        self._files, self._deletes = dict(files), dict(deletes)

    def forget(self, path: str) -> None:
        """The file is gone: whoever reads it fails."""
        self._files.pop(path, None)
        self._deletes.pop(path, None)

    # -- reading ----------------------------------------------------------------------------------------------------

    def select(self, text: str, tables: Tables, *, limit: int, plain: PlainRead | None = None) -> QueryResult:
        columns, rows = self._query(text, tables)
        return QueryResult(tuple(columns), rows[:limit], len(rows) > limit)

    def analyse(self, analysis: Analysis) -> list[str]:
        return ["void"] * len(analysis.expressions)

    def describe(self, text: str, tables: Tables) -> list[tuple[str, str]]:
        return self._query(text, tables)[0]

    def columns_made(self, text: str, tables: Tables) -> list[tuple[str, str]]:
        return self.describe(text, tables)

    def _query(self, text: str, tables: Tables) -> tuple[list[tuple[str, str]], list[list[Any]]]:
        """``SELECT * | columns FROM one table [WHERE ..]``."""
        query = parsed(text)
        name = query.find(sql.Table).name
        scan = tables[name]
        assert isinstance(scan, TableScan)
        where = query.args.get("where")
        chosen = list(scan.schema.columns)
        if not query.is_star:
            found = [scan.schema.named(item.name) for item in query.expressions]
            chosen = [column for column in found if column is not None]
            assert len(chosen) == len(found)
        rows = self._matching(scan, where.this.sql(dialect="spark") if where else None)
        return [(column.name, column.type) for column in chosen], [
            [row.values[column.id] for column in chosen] for row in rows
        ]

    def _live(self, scan: TableScan) -> Iterator[LiveRow]:
        for file in scan.files:
            stored = self._files[file.path]
            gone = self._deleted_positions(file)
            for position, (values, row_id) in enumerate(zip(stored.rows, stored.row_ids, strict=True)):
                if position not in gone:
                    held = _read_as(scan.schema, file.schema, values)
                    yield LiveRow(file, position, row_id, {**held, **_moved_values(scan.schema, file)})

    def _deleted_positions(self, file: FileScan) -> set[int]:
        return {position for path in file.delete_paths for position in self._deletes[path]}

    def _matching(self, scan: TableScan, condition: str | None) -> list[LiveRow]:
        rows = self._live(scan)
        if condition is None:
            return list(rows)
        return [
            row
            for row in rows
            if evaluate(condition, {**by_name(scan.schema, row.values), SHOWN_ROW_ID: row.row_id}) is True
        ]

    def null_counts(self, scan: TableScan, names: Sequence[str]) -> dict[str, int]:
        rows = [by_name(scan.schema, row.values) for row in self._live(scan)]
        return {name: sum(row[name.casefold()] is None for row in rows) for name in names}

    def profile(self, scan: TableScan, on_cancel: Callable[[Callable[[], None]], None]) -> Iterator[ColumnCounts]:
        rows = [row.values for row in self._live(scan)]
        for column in scan.schema.columns:
            values = [value for row in rows if (value := row.get(column.id)) is not None]
            distinct = Counter(json.dumps(value, default=str) for value in values)
            bounds = (min(values), max(values)) if values and "<" not in column.type else (None, None)
            frequent = [(value, n) for value, n in distinct.most_common(TOP) if n > 1 or len(distinct) <= TOP]
            top = [Frequent(json.loads(value), n) for value, n in frequent if bounds[0] is not None]
            yield ColumnCounts(column, len(rows), len(rows) - len(values), len(distinct), *bounds, (), tuple(top))

    def live_rows(self, scan: TableScan) -> int:
        return sum(file.rows - len(self._deleted_positions(file)) for file in scan.files)

    def live_row_ids(self, file: FileScan) -> list[int]:
        gone = self._deleted_positions(file)
        return [row_id for at, row_id in enumerate(self._files[file.path].row_ids) if at not in gone]

    def changes(self, before: TableScan, after: TableScan, *, limit: int) -> QueryResult:
        one, other = (
            {row.row_id: row.values for row in self._live(replace(scan, schema=after.schema))}
            for scan in (before, after)
        )
        rows: list[list[Any]] = []
        for row_id in sorted(one.keys() | other.keys()):
            was, now = one.get(row_id), other.get(row_id)
            if was == now:
                continue
            names = ("update_before", "update_after") if was and now else ("delete", "insert")
            for name, values in zip(names, (was, now), strict=True):
                if values is not None:
                    rows.append([name, row_id, *(values[column.id] for column in after.schema.columns)])
        columns = [("change", "string"), ("row_id", "bigint"), *((c.name, c.type) for c in after.schema.columns)]
        return QueryResult(tuple(columns), rows[:limit], len(rows) > limit)

    def duplicate_keys(
        self, scan: TableScan, names: Sequence[str], *, staged: Sequence[NewDataFile], limit: int
    ) -> list[str]:
        extra = [
            FileScan(0, file.path, file.base, file.rows, scan.schema, stores_row_ids=file.stores_row_ids)
            for file in staged
        ]
        keys = self._keys(replace(scan, files=(*scan.files, *extra)), names)
        texts = [key for key, _ in keys]
        return sorted({key for key in texts if texts.count(key) > 1})[:limit]

    def _keys(self, scan: TableScan, names: Sequence[str]) -> list[tuple[str, int]]:
        """Key as text and row id of every live row whose key has no NULL."""
        found = []
        for row in self._live(scan):
            values = by_name(scan.schema, row.values)
            key = {name: values[name.casefold()] for name in names}
            if None not in key.values():
                found.append((json.dumps(key), row.row_id))
        return found

    def rows_check(self, scan: TableScan, checks: Sequence[RowCheck]) -> dict[str, Violation]:
        return _violations(checks, [by_name(scan.schema, row.values) for row in self._live(scan)])

    def cells_violating(self, schema: Schema, cells: RowCells, checks: Sequence[RowCheck]) -> dict[str, Violation]:
        return _violations(checks, _rows_of(schema, cells))

    def cells_computed(self, schema: Schema, cells: RowCells, values: Mapping[int, str]) -> RowCells:
        rows, columns = _rows_of(schema, cells), dict(cells.columns)
        for column in (column for column in schema.columns if column.id in values):
            found = [_stored(replace(column, nullable=True), evaluate(values[column.id], row)) for row in rows]
            columns[column.id] = pa.array(found, type=_arrow_type(column))
        texts = dict(zip(schema.partition_by, cells.partition, strict=False))
        for identifier in texts.keys() & values.keys():
            texts[identifier] = pa.array(map(_partition_text, columns[identifier].to_pylist()), type=pa.string())
        return replace(cells, columns=columns, partition=tuple(texts.values()))

    def defaults_check(self, columns: Sequence[Column]) -> None:
        for column in columns:
            try:
                complete(Schema((column,)), {})
            except LakeError as error:
                raise InvalidDefault(f"Column {column.name} cannot store its default.", remedy="Change it.") from error

    def partition_values(self, columns: Sequence[Column], texts: Mapping[str, str]) -> PartitionValues:
        by_name = {name.casefold(): text for name, text in texts.items()}
        values = ((column, evaluate(by_name[column.name.casefold()], {})) for column in columns)
        return tuple(_partition_text(_stored(column, value)) for column, value in values)

    # -- writing ----------------------------------------------------------------------------------------------------

    def append(
        self,
        table_id: int,
        schema: Schema,
        source: RowSource,
        *,
        columns: tuple[str, ...] | None,
        by_name: bool,
        partition: Sequence[tuple[str, str | None]] | None,
        fills_fields: bool = False,
        held: FrozenSource | None = None,
        counting: Counting | None = None,
    ) -> list[NewDataFile]:
        fixed = {name.casefold(): text for name, text in partition or () if text is not None}
        targets = [column.name for column in schema.columns if column.name.casefold() not in fixed]
        if isinstance(source, ValuesSource):
            given = [list(row) for row in source.rows]
            evaluated = [[given_value(text, {}) for text in row] for row in given]
        else:
            assert isinstance(source, QuerySource)
            described, evaluated = self._query(source.text, source.tables)
            targets = [name for name, _ in described] if by_name else targets
        names = [name.casefold() for name in columns or targets]
        constants = {name: evaluate(text, {}) for name, text in fixed.items()}
        counted = self._counted(table_id, columns_numbered(schema, [*names, *fixed]), len(evaluated))
        rows = [
            complete(schema, {**constants, **numbers, **dict(zip(names, values, strict=True))})
            for numbers, values in zip(counted, evaluated, strict=True)
        ]
        return self._write(table_id, schema, [(values, None) for values in rows])

    def _counted(self, table_id: int, columns: Sequence[Column], count: int) -> list[dict[str, int]]:
        """Of each new row the values of these identity columns, by folded name."""
        if not columns:
            return [{} for _ in range(count)]
        first = self._number(table_id, count)
        numbers_check(columns, first, count)
        return [
            {column.name.casefold(): column.identity.value(first + place) for column in columns if column.identity}
            for place in range(count)
        ]

    def delete(self, scan: TableScan, condition: str | None, *, alias: str, tables: Tables | None = None) -> RowChanges:
        return self._mask(scan, [row for row, _ in self._computed(scan, condition, [], alias, tables)])

    def _computed(
        self, scan: TableScan, condition: str | None, texts: Sequence[str], alias: str, tables: Tables | None
    ) -> list[tuple[LiveRow, list[Any]]]:
        """The rows for which the condition is true, with the values of expressions. Subqueries are for DuckDB."""
        assert tables is None
        rows = self._matching(scan, condition)
        return [(row, [evaluate(text, by_name(scan.schema, row.values)) for text in texts]) for row in rows]

    def update(
        self,
        scan: TableScan,
        assignments: Sequence[tuple[str, str]],
        condition: str | None,
        *,
        alias: str,
        kinds: Mapping[str, str] | None = None,
        writes_equal: bool = False,
        tables: Tables | None = None,
        counting: Counting | None = None,
    ) -> RowChanges:
        given = [text for _, text in assignments]
        names = [name.casefold() for name, _ in assignments]
        found = [
            (row, complete(scan.schema, {**by_name(scan.schema, row.values), **dict(zip(names, values, strict=True))}))
            for row, values in self._computed(scan, condition, given, alias, tables)
        ]
        changed = [(row, values) for row, values in found if writes_equal or values != as_stored(scan.schema, row)]
        written = self._write(scan.table_id, scan.schema, [(values, row.row_id) for row, values in changed])
        return replace(self._mask(scan, [row for row, _ in changed]), images=tuple(written))

    def _mask(self, scan: TableScan, matched: Sequence[LiveRow]) -> RowChanges:
        positions: dict[int, dict[int, int]] = {}
        for row in matched:
            positions.setdefault(row.file.file_id, {})[row.position] = row.row_id
        by_id = {file.file_id: file for file in scan.files}
        emptied = [
            file_id
            for file_id, marks in positions.items()
            if len(self._deleted_positions(by_id[file_id]) | marks.keys()) == by_id[file_id].rows
        ]
        staged = tuple(
            self._write_deletes(scan.table_id, by_id[file_id], marks)
            for file_id, marks in positions.items()
            if file_id not in emptied
        )
        return RowChanges(delete_files=staged, emptied=tuple(emptied), rows=len(matched), files_scanned=len(scan.files))

    def _write_deletes(self, table_id: int, file: FileScan, marks: dict[int, int]) -> NewDeleteFile:
        path = f"{table_id}/deletes/base={file.base}/{next(self._numbers)}.parquet"
        self._deletes[path] = marks
        return NewDeleteFile(path, file.file_id, len(marks), BYTES_PER_ROW * len(marks))

    def _write(
        self, table_id: int, schema: Schema, rows: Sequence[tuple[dict[int, Any], int | None]]
    ) -> list[NewDataFile]:
        """One file per partition value and value of the layout, in order of first appearance. Rows without row id get
        their address.
        """
        groups: dict[tuple[PartitionValues, FileLayout], list[tuple[dict[int, Any], int | None]]] = {}
        for values, row_id in rows:
            partition = tuple(_partition_text(values[identifier]) for identifier in schema.partition_by)
            groups.setdefault((partition, _laid(schema, values)), []).append((values, row_id))
        return [
            self._place(table_id, schema, partition, group, layout=layout)
            for (partition, layout), group in groups.items()
        ]

    def _place(
        self,
        table_id: int,
        schema: Schema,
        partition: PartitionValues,
        rows: Sequence[tuple[dict[int, Any], int | None]],
        facts: Sequence[Fact] | None = None,
        layout: FileLayout = (),
    ) -> NewDataFile:
        base = self._allocate(table_id, len(rows))
        stores = rows[0][1] is not None
        row_ids = tuple(base + at if row_id is None else row_id for at, (_, row_id) in enumerate(rows))
        path = f"{table_id}/data/base={base}/{next(self._numbers)}.parquet"
        kept = None if facts is None else tuple(facts)
        self._files[path] = StoredFile(tuple(values for values, _ in rows), row_ids, kept)
        return NewDataFile(
            path=path,
            base=base,
            rows=len(rows),
            bytes=BYTES_PER_ROW * len(rows),
            partition=partition,
            statistics=_statistics(schema, [values for values, _ in rows]),
            stores_row_ids=stores,
            smallest_row_id=min(row_ids) if stores else None,
            largest_row_id=max(row_ids) if stores else None,
            stamps=(min(facts)[0], max(facts)[0]) if facts else None,
            layout=layout,
        )

    # -- rewriting --------------------------------------------------------------------------------------------------

    def compact(self, scan: TableScan, *, target_bytes: int, order_by: Sequence[int] = ()) -> list[NewDataFile]:
        """One file per partition value and value of the layout. With an order each row would go to some file."""
        marks = tuple(
            LaidBy(Transform(ORDERED, place, column.id), column.type, None)
            for place, identifier in enumerate(order_by)
            if (column := scan.schema.column(identifier)) is not None
        )
        groups: dict[tuple[PartitionValues, FileLayout], list[tuple[LiveRow, Fact]]] = {}
        for file in sorted(scan.files, key=lambda item: item.base):
            facts = self._facts(file)
            for row in self._live(replace(scan, files=(file,))):
                place = file.partition, _laid(scan.schema, row.values)
                groups.setdefault(place, []).append((row, facts[row.position]))
        staged = []
        for (partition, layout), found in groups.items():
            rows: list[tuple[dict[int, Any], int | None]] = [(row.values, row.row_id) for row, _ in found]
            kept = [fact for _, fact in found]
            staged.append(self._place(scan.table_id, scan.schema, partition, rows, kept, (*layout, *marks)))
        return staged

    def file_rows(self, file: FileScan) -> tuple[Any, Any]:
        stored = self._files[file.path]
        has_facts = file.stores_stamps and stored.facts is not None
        columns = StoredFacts(*np.array(stored.facts, dtype=np.int64).T) if has_facts else None
        return np.array(stored.row_ids, dtype=np.int64), columns

    def rows_find(self, file: FileScan, row_ids: Any) -> tuple[Any, Any, Any]:
        held, facts = self.file_rows(file)
        at = np.flatnonzero(np.isin(held, row_ids))
        return at, held[at], None if facts is None else StoredFacts(*(column[at] for column in facts))

    def _facts(self, file: FileScan) -> list[Fact]:
        """By position, the fact of each row."""
        marks = ((np.array(sorted(self._deletes[path]), dtype=np.int64), fact) for path, fact in file.stamped)
        facts = rows_facts(file.fact, self.file_rows(file)[1], marks, file.rows)
        return [(*map(int, fact),) for fact in zip(*facts, strict=True)]

    def file_marks(self, path: str) -> tuple[Any, Any]:
        marks = sorted(self._deletes[path].items())
        return tuple(np.array([mark[n] for mark in marks], dtype=np.int64) for n in (0, 1))

    def mark_rows(self, table_id: int, file: FileScan, positions: Any) -> NewDeleteFile:
        row_ids = self._files[file.path].row_ids
        return self._write_deletes(table_id, file, {int(at): row_ids[at] for at in positions})

    def cells_read(self, scan: TableScan, addresses: Any, *, with_keys: bool = False) -> RowCells:
        by_base = sorted(scan.files, key=lambda file: file.base)
        bases = np.array([file.base for file in by_base], dtype=np.int64)
        found = []
        for address in addresses.tolist():
            file = by_base[int(np.searchsorted(bases, address, side="right")) - 1]
            values = self._files[file.path].rows[address - file.base]
            held = _read_as(scan.schema, file.schema, values)
            found.append({**held, **_moved_values(scan.schema, file)})
        columns = {c.id: pa.array([row[c.id] for row in found], type=_arrow_type(c)) for c in scan.schema.columns}
        texts = ([_partition_text(row[c]) for row in found] for c in scan.schema.partition_by)
        keys = [_key_text(scan.schema, row) for row in found] if with_keys else ()
        return RowCells(columns, tuple(pa.array(column, type=pa.string()) for column in texts), keys)

    def cells_show(self, scan: TableScan, addresses: Any, *, with_keys: bool = False) -> list[list[Any]]:
        cells = self.cells_read(scan, addresses, with_keys=with_keys)
        names = [str(column.id) for column in scan.schema.columns]
        rows = json_rows(pa.Table.from_arrays([cells.columns[c.id] for c in scan.schema.columns], names=names))
        return [[*row, key] for row, key in zip(rows, cells.keys, strict=True)] if with_keys else rows

    def cells_write(self, table_id: int, schema: Schema, cells: RowCells, row_ids: Any) -> list[NewDataFile]:
        cells_check(schema, cells)
        columns = {column.id: cells.columns[column.id].to_pylist() for column in schema.columns}
        rows = [{identifier: values[at] for identifier, values in columns.items()} for at in range(len(row_ids))]
        texts = list(zip(*(column.to_pylist() for column in cells.partition), strict=True)) or [()] * len(rows)
        files = []
        for partition in dict.fromkeys(texts):
            part = [(rows[at], int(row_ids[at])) for at, values in enumerate(texts) if values == partition]
            files.append(self._place(table_id, schema, partition, part))
        return files

    def part_rows(self, table_id: int, file: FileScan, positions: Any, facts: StoredFacts) -> NewDataFile:
        stored = self._files[file.path]
        rows: list[tuple[dict[int, Any], int | None]] = [(stored.rows[at], stored.row_ids[at]) for at in positions]
        kept = [(*(int(column[at]) for column in facts),) for at in positions]
        return self._place(table_id, file.schema, file.partition, rows, kept, file.layout)

    def mark_live_rows(self, table_id: int, file: FileScan) -> NewDeleteFile | None:
        gone = self._deleted_positions(file)
        marks = {at: row_id for at, row_id in enumerate(self._files[file.path].row_ids) if at not in gone}
        return self._write_deletes(table_id, file, marks) if marks else None


_ARROW_TYPES = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), pa.int64()),
    **dict.fromkeys(("float", "double"), pa.float64()),
    "boolean": pa.bool_(),
}


def _arrow_type(column: Column) -> Any:
    """None: that of the values. Times are kept as texts here."""
    return _arrow_type_of(column.type)


def _arrow_type_of(kind: str) -> Any:
    is_text = kind in ("string", "date", "timestamp") or kind.startswith(("varchar", "char"))
    if kind.startswith("array<"):
        return pa.list_(_arrow_type_of(kind[6:-1]))
    if kind.startswith("struct<") and "<" not in kind[7:]:
        fields = (field.partition(":") for field in kind[7:-1].split(","))
        return pa.struct([(name, _arrow_type_of(of)) for name, _, of in fields])
    return pa.string() if is_text else _ARROW_TYPES.get(kind)


def _rows_of(schema: Schema, cells: RowCells) -> list[dict[str, Any]]:
    columns = {column.name.casefold(): cells.columns[column.id].to_pylist() for column in schema.columns}
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def _violations(checks: Sequence[RowCheck], rows: Sequence[Mapping[str, Any]]) -> dict[str, Violation]:
    found = {}
    for check in checks:
        failing = [row for row in rows if evaluate(check.condition, row) is False]
        if failing:
            shown = ({name: row[name.casefold()] for name in check.shown} for row in failing)
            texts = sorted(json.dumps(row, default=str) for row in shown)
            found[check.name] = Violation(len(failing), texts[0], examples=tuple(texts[:VIOLATIONS_SHOWN]))
    return found


def _key_text(schema: Schema, row: Mapping[int, Any]) -> str:
    keys = (schema.column(identifier) for identifier in schema.primary_key)
    return json.dumps({c.name: row[c.id] for c in keys if c is not None}, separators=(",", ":"))


_DEFAULT = object()


def given_value(text: str, row: Mapping[str, Any]) -> Any:
    """What a column is given: the expression's value, or the mark of DEFAULT, which ``complete`` fills in."""
    return _DEFAULT if text.strip().upper() == "DEFAULT" else evaluate(text, row)


def complete(schema: Schema, given: Mapping[str, Any]) -> dict[int, Any]:
    """A row of the schema: values by column id, defaults filled, checked as they are stored."""
    row = {}
    for column in schema.columns:
        value = given.get(column.name.casefold(), _DEFAULT)
        if value is _DEFAULT and column.generated is not None:
            continue
        if value is _DEFAULT:
            value = None if column.default is None else evaluate(column.default, {})
        row[column.id] = _stored(column, value)
    for column in schema.columns:
        if column.id not in row:
            values = {c.name.casefold(): row.get(c.id) for c in schema.columns}
            row[column.id] = _stored(column, evaluate(condition_shown(column.generated or "", schema), values))
    return row


_WHOLE_BITS = {"tinyint": 7, "smallint": 15, "int": 31, "bigint": 63}


def _stored(column: Column, value: Any) -> Any:
    if value is None and not column.nullable:
        raise NotNullViolation(f"Column {column.name} is NOT NULL.", remedy="Give a value.", column=column.name)
    if value is None:
        return None
    if isinstance(value, dict):
        _require_fields(column, value)
    name, _, length = column.type.removesuffix(")").partition("(")
    if name in ("varchar", "char") and len(str(value)) > int(length):
        raise InvalidValue(f"{value!r} is longer than {length} characters.")
    if name in ("string", "varchar", "char") and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    bits = _WHOLE_BITS.get(column.type)
    # Spark casts what is assigned; times are kept as texts here.
    if bits is None or not isinstance(value, int | str):
        return value
    try:
        number = int(value)
    except ValueError:
        raise InvalidValue(f"{value!r} is no {column.type}.") from None
    if not -(1 << bits) <= number < 1 << bits:
        raise InvalidValue(f"{value!r} does not fit into {column.type}.")
    return number


def _require_fields(column: Column, value: Mapping[str, Any]) -> None:
    """The value of a struct has the fields of its column, as the engine with Spark asks of what UPDATE assigns."""
    wanted = {field.name for field in column.parsed.fields}
    if column.parsed.name == "struct" and value.keys() != wanted:
        raise InvalidValue(
            f"The value for {column.name} has the fields {sorted(value)}, the column has {sorted(wanted)}.",
            remedy=f"Give every field of {column.name}; NULL is a value.",
            column=column.name,
        )


def _laid(schema: Schema, values: Mapping[int, Any]) -> FileLayout:
    """What the transforms of the schema are for a row."""
    columns = ((one, schema.column(one.column_id)) for one in schema.layout)
    return tuple(
        LaidBy(one, column.type, transform_value(one, column.type, values[column.id]))
        for one, column in columns
        if column is not None
    )


def _parsed(column: Column, text: str | None) -> Any:
    is_text = column.type == "string" or column.type.startswith("varchar")
    return text if text is None or is_text else int(text)


def _partition_text(value: Any) -> str | None:
    return None if value is None else str(value)


def as_stored(schema: Schema, row: LiveRow) -> dict[int, Any]:
    """A row's values in the form of a new image."""
    return complete(schema, by_name(schema, row.values))


def by_name(schema: Schema, values: Mapping[int, Any]) -> dict[str, Any]:
    """Values by folded column name."""
    return {column.name.casefold(): values[column.id] for column in schema.columns}


def _read_as(schema: Schema, written: Schema, values: Mapping[int, Any]) -> dict[int, Any]:
    return {column.id: _read_column(column, written, values) for column in schema.columns}


def _moved_values(schema: Schema, file: FileScan) -> dict[int, Any]:
    """The partition columns of a renamed partition, which the file stores as they were."""
    if not file.is_moved:
        return {}
    columns = schema.partition_columns
    return {c.id: _stored(c, _parsed(c, text)) for c, text in zip(columns, file.partition, strict=True)}


def _read_column(column: Column, written: Schema, values: Mapping[int, Any]) -> Any:
    for identifier in column.ids:
        held = written.column(identifier)
        if identifier in values:
            return _fields_as(values[identifier], (held or column).parsed, column.parsed)
    for identifier in column.ids:
        held = written.column(identifier)
        if held is not None:
            return _fields_as(values[held.id], held.parsed, column.parsed)
    return None if column.initial_default is None else evaluate(column.initial_default, {})


def _fields_as(value: Any, read: ParsedType, wanted: ParsedType) -> Any:
    """A struct with the fields that are wanted, each found by its ids."""
    if not isinstance(value, dict) or wanted.name != "struct":
        return value
    by_id = {identifier: item for item in read.fields for identifier in item.ids}
    found = {}
    for item in wanted.fields:
        held = next((by_id[identifier] for identifier in item.ids if identifier in by_id), None)
        found[item.name] = None if held is None else _fields_as(value[held.name], held.type, item.type)
    return found


def _statistics(schema: Schema, rows: Sequence[Mapping[int, Any]]) -> dict[int, ColumnStatistics]:
    found = {}
    for column in schema.columns:
        values = [row[column.id] for row in rows]
        present = [value for value in values if value is not None]
        is_flat = bool(present) and not isinstance(present[0], list | dict)
        bounds = (min(present), max(present)) if is_flat else (None, None)
        found[column.id] = ColumnStatistics(bounds[0], bounds[1], len(values) - len(present))
    return found
