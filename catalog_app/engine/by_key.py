"""DELETE and UPDATE of few rows that are named by values of columns: this process finds and writes them.

``WHERE id = 7 AND name = 'a'`` means the same to whoever compares whole numbers and texts, so no call of Spark is
needed. All else is Spark's: other comparisons and types, files that hold the columns otherwise than the table has them,
values that would have to be cast, computed or refused, and many rows.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from catalog_app.domain.files import ROW_ID_COLUMN, FileScan, TableScan, is_outside
from catalog_app.domain.schema import Column, Schema
from catalog_app.engine.decoding import file_name, internal_name
from catalog_app.engine.delete_update import Matched, RowFilter, mask_rows
from catalog_app.engine.inputs_outputs import RowChanges
from catalog_app.engine.plain_values import INTEGER_BITS, literal_value
from catalog_app.engine.targets import Target
from catalog_app.engine.types import arrow_type
from catalog_app.engine.writing import MOST_BYTES, FileWriter
from catalog_app.storage.deletes import Integers, deleted_positions, stored_row_ids
from catalog_app.storage.equal_values import same_values

MOST_ROWS = 1_000_000
"""Of files that are looked through: more are read by the cores of Spark."""
MOST_FOUND = 1_000
BATCH_ROWS = 4_096

_NAME = r"`[^`]+`|[A-Za-z_]\w*"
_COMPARED = re.compile(rf"(?:({_NAME})\.)?({_NAME}) = (-?\d{{1,18}}|'[^'\\\ud800-\udfff]*')")
_MOVED = re.compile(rf"(?:({_NAME})\.)?({_NAME}) ([+-]) (\d{{1,18}})")
_VALUES = ("TRUE", "FALSE", "NULL")
"""Unquoted, these are no columns."""
_SIGNS: Mapping[str, Callable[[int, int], int]] = {"+": operator.add, "-": operator.sub}

New = Callable[[Mapping[int, Any]], Any]
"""The new value of a column from the old values of a row, by column id. Raises ValueError where it does not fit."""
Assigned = Mapping[int, New]
"""By column id what makes its new value."""


@dataclass(frozen=True, slots=True)
class Term:
    """The column has this value."""

    column: Column
    value: int | str


def delete_by_key(writer: FileWriter, scan: TableScan, rows: RowFilter) -> RowChanges | None:
    """Stage the deletes of a DELETE statement; None where Spark is needed."""
    found = _found(writer, scan, rows)
    return None if found is None else mask_rows(writer, scan, [_matched(*one) for one in found])


def update_by_key(
    writer: FileWriter,
    scan: TableScan,
    rows: RowFilter,
    assignments: Sequence[tuple[str, str]],
    *,
    writes_equal: bool,
) -> RowChanges | None:
    """Stage the deletes and the new images of an UPDATE statement; None where Spark is needed."""
    target = Target(scan.table_id, scan.schema, with_row_ids=True)
    given = assigned(scan.schema, assignments, rows.alias)
    if given is None or target.partition_texts or any(arrow_type(c.type) is None for c in scan.schema.columns):
        return None
    found = _found(writer, scan, rows)
    if found is None:
        return None
    matched, images = [], []
    for file, positions, row_ids in found:
        old = rows_at(writer, scan.schema, file, positions)
        new = None if old is None else changed(scan.schema, old, given)
        if old is None or new is None:
            return None
        kept = np.ones(len(positions), dtype=np.bool_) if writes_equal else _differing(scan.schema, old, new, given)
        matched.append(_matched(file, positions[kept], row_ids[kept]))
        images.append(new.append_column(ROW_ID_COLUMN, pa.array(row_ids)).filter(pa.array(kept)))
    files = writer.write_arrow(target, pa.concat_tables(images)) if images else []
    return replace(mask_rows(writer, scan, matched), images=tuple(files))


def _matched(file: FileScan, positions: Integers, row_ids: Integers) -> Matched:
    return Matched(positions + file.base, row_ids)


# -- which rows -------------------------------------------------------------------------------------------------------


def _found(writer: FileWriter, scan: TableScan, rows: RowFilter) -> list[tuple[FileScan, Integers, Integers]] | None:
    """Files with positions and row ids of the live rows that the filter names; None where Spark is needed."""
    terms = key_terms(scan.schema, rows)
    if terms is None or sum(file.rows for file in scan.files) > MOST_ROWS:
        return None
    if not all(is_as_declared(file, scan.schema) for file in scan.files):
        return None
    found = []
    for file in scan.files:
        positions = positions_of(writer, file, terms)
        if len(positions) > MOST_FOUND:
            return None
        if len(positions):
            found.append((file, positions, stored_row_ids(writer.warehouse, file)[positions]))
    return found if sum(len(positions) for _, positions, _ in found) <= MOST_FOUND else None


def key_terms(schema: Schema, rows: RowFilter) -> list[Term] | None:
    """What the condition compares, where it does nothing but compare columns with values of their kind."""
    if rows.condition is None or rows.tables is not None:
        return None
    terms = []
    for text in rows.condition.split(" AND "):
        said = _COMPARED.fullmatch(text)
        column = None if said is None else _column(schema, said[1], said[2], rows.alias)
        if said is None or column is None:
            return None
        is_text = said[3].startswith("'")
        if not (column.type == "string" if is_text else column.type in INTEGER_BITS):
            return None
        terms.append(Term(column, said[3][1:-1] if is_text else int(said[3])))
    return terms


def _column(schema: Schema, owner: str | None, name: str, alias: str) -> Column | None:
    if owner is not None and owner.strip("`").casefold() != alias.casefold():
        return None
    return None if name.upper() in _VALUES else schema.named(name.strip("`"))


def is_as_declared(file: FileScan, schema: Schema) -> bool:
    """Whether the file holds each column as the table has it."""
    is_ours = not (is_outside(file.path) or file.by_name or file.is_moved)
    return is_ours and file.schema.columns == schema.columns and not schema.partition_by


def positions_of(writer: FileWriter, file: FileScan, terms: Sequence[Term]) -> Integers:
    """Ascending positions of the live rows of the file of which all terms are true."""
    names = list(dict.fromkeys(file_name(term.column) for term in terms))
    with _opened(writer, file) as stored:
        table = stored.read(columns=names, use_threads=len(names) > 1)
    is_hit: np.ndarray[Any, np.dtype[np.bool_]] = np.ones(file.rows, dtype=np.bool_)
    for term in terms:
        kind = pa.string() if isinstance(term.value, str) else pa.int64()
        values = table.column(file_name(term.column)).cast(kind)
        is_hit &= pc.fill_null(pc.equal(values, pa.scalar(term.value, kind)), False).to_numpy()
    is_hit[deleted_positions(writer.warehouse, file.delete_paths)] = False
    return np.flatnonzero(is_hit).astype(np.int64)


def _opened(writer: FileWriter, file: FileScan) -> pq.ParquetFile:
    return pq.ParquetFile(writer.warehouse.absolute(file.path), filesystem=writer.warehouse.filesystem)


# -- what they become -------------------------------------------------------------------------------------------------


def assigned(schema: Schema, assignments: Sequence[tuple[str, str]], alias: str) -> Assigned | None:
    """None where Spark has to compute or to refuse a value."""
    given: dict[int, New] = {}
    for name, text in assignments:
        column = schema.named(name)
        new = None if column is None or column.id in given else _new(schema, column, text, alias)
        if column is None or new is None:
            return None
        given[column.id] = new
    return given


def _new(schema: Schema, column: Column, text: str, alias: str) -> New | None:
    try:
        value = literal_value(column, text)
        return lambda _: value
    except ValueError:
        pass
    said = _MOVED.fullmatch(text)
    read = None if said is None else _column(schema, said[1], said[2], alias)
    if said is None or read is None or read.type not in INTEGER_BITS or read.type != column.type:
        return None
    if read.nullable and not column.nullable:
        return None
    place, sign, by = read.id, _SIGNS[said[3]], int(said[4])

    def moved(old: Mapping[int, Any]) -> Any:
        return None if old[place] is None else _fitting(sign(old[place], by), column)

    return moved


def _fitting(value: int, column: Column) -> int:
    bits = INTEGER_BITS[column.type]
    if not -(1 << bits) <= value < 1 << bits:
        raise ValueError(value)
    return value


def rows_at(writer: FileWriter, schema: Schema, file: FileScan, positions: Integers) -> pa.Table | None:
    """The rows at these positions under internal names; None where too much would have to be read."""
    parts: list[pa.Table] = []
    first = 0
    with _opened(writer, file) as stored:
        names = [file_name(column) for column in schema.columns]
        for number in range(stored.num_row_groups):
            group = stored.metadata.row_group(number)
            inside = positions[(positions >= first) & (positions < first + group.num_rows)] - first
            first += group.num_rows
            if len(inside) and group.total_byte_size > MOST_BYTES:
                return None
            parts += _rows_in(stored, number, names, inside)
    rows = pa.concat_tables(parts)
    columns = {internal_name(c): rows.column(file_name(c)).cast(arrow_type(c.type)) for c in schema.columns}
    return pa.table(columns)


def _rows_in(stored: pq.ParquetFile, group: int, names: list[str], positions: Integers) -> Iterator[pa.Table]:
    """The rows at these positions of a group. What lies behind the last is not decoded."""
    first = 0
    batches = stored.iter_batches(BATCH_ROWS, row_groups=[group], columns=names) if len(positions) else ()
    for batch in batches:
        inside = positions[(positions >= first) & (positions < first + batch.num_rows)] - first
        first += batch.num_rows
        if len(inside):
            yield pa.Table.from_batches([batch]).take(pa.array(inside))
        if first > positions[-1]:
            return


def changed(schema: Schema, old: pa.Table, given: Assigned) -> pa.Table | None:
    """The rows with their new values; None where one does not fit, which Spark refuses."""
    ids = {internal_name(column): column.id for column in schema.columns}
    new = old
    try:
        rows = [{ids[name]: value for name, value in row.items()} for row in _values(old, given, schema)]
        for at, column in enumerate(schema.columns):
            if column.id in given:
                values = [given[column.id](row) for row in rows]
                new = new.set_column(at, internal_name(column), pa.array(values, arrow_type(column.type)))
    except (ValueError, OverflowError):
        # A date that Python has not, as year 12024 is, is none that this process reads.
        return None
    return new


def _values(old: pa.Table, given: Mapping[int, New], schema: Schema) -> list[dict[str, Any]]:
    """Old values of the columns that are read: those of whole numbers, and those that are assigned."""
    wanted = [internal_name(c) for c in schema.columns if c.id in given or c.type in INTEGER_BITS]
    rows: list[dict[str, Any]] = old.select(wanted).to_pylist()
    return rows


def _differing(
    schema: Schema, old: pa.Table, new: pa.Table, given: Mapping[int, New]
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which rows have another value than before: others are left alone."""
    differing = np.zeros(old.num_rows, dtype=np.bool_)
    for name in (internal_name(column) for column in schema.columns if column.id in given):
        differing |= ~same_values(old.column(name), new.column(name))
    return differing
