"""Facts of rows in data files: who decided each row, where a file holds rows of several commits (lineage.md §11).

A file that takes rows from others stores the fact of each in the columns ``FACT_FIELDS``. NULL in place of a stamp is
the stamp of the segment, as in Iceberg v3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from catalog_app.domain.files import FACT_FIELDS, ROW_ID_COLUMN, STAMP_FIELD, FileScan, RowsFact, kind_number
from catalog_app.storage.deletes import POSITION_COLUMN, Integers, StoredFacts, read_integers
from catalog_app.storage.footers import PARQUET_FIELD_ID
from catalog_app.storage.warehouse import Warehouse

FIELDS = tuple(
    pa.field(name, pa.int64(), metadata={PARQUET_FIELD_ID: str(identifier)}) for name, identifier in FACT_FIELDS.items()
)

Marks = Sequence[tuple[Integers, RowsFact]]
"""Positions of a file whose rows have another fact than the file says, in order of decision."""


def file_rows(warehouse: Warehouse, file: FileScan) -> tuple[Integers, StoredFacts | None]:
    """Row ids and stored facts of a data file by position, without its data columns."""
    row_ids: Integers = np.arange(file.base, file.base + file.rows, dtype=np.int64)
    if not file.stores_row_ids:
        return row_ids, None
    with pq.ParquetFile(warehouse.absolute(file.path), filesystem=warehouse.filesystem) as stored:
        if not _has_facts(file, stored.schema_arrow):
            return _integers(stored.read(columns=[ROW_ID_COLUMN]).column(0)), None
        table = stored.read(columns=[ROW_ID_COLUMN, *FACT_FIELDS])
    return _integers(table.column(ROW_ID_COLUMN)), facts_of(table)


def rows_find(warehouse: Warehouse, file: FileScan, row_ids: Integers) -> tuple[Integers, Integers, StoredFacts | None]:
    """Positions, row ids and stored facts of the rows of a data file that have one of these ids. Facts of other rows
    are not decoded into numbers.
    """
    if not file.stores_row_ids:
        found = row_ids[(row_ids >= file.base) & (row_ids < file.base + file.rows)]
        if not (found[1:] > found[:-1]).all():
            found = np.unique(found)
        return found - file.base, found, None
    with pq.ParquetFile(warehouse.absolute(file.path), filesystem=warehouse.filesystem) as stored:
        held = _integers(stored.read(columns=[ROW_ID_COLUMN]).column(0))
        at: Integers = np.flatnonzero(np.isin(held, row_ids))
        if not _has_facts(file, stored.schema_arrow):
            return at, held[at], None
        facts = stored.read(columns=list(FACT_FIELDS)) if len(at) else None
    if facts is None:
        return at, held[at], StoredFacts(at, at, at, at)
    return at, held[at], facts_of(facts.take(pa.array(at)))


def stored_stamps(warehouse: Warehouse, file: FileScan) -> list[int]:
    """The distinct stamps that a data file stores, 0 where rows store none."""
    facts = file_rows(warehouse, file)[1]
    return [] if facts is None else [int(stamp) for stamp in np.unique(facts.stamp)]


def _has_facts(file: FileScan, schema: pa.Schema) -> bool:
    """Whether the facts that the file stores are those of the table: of a clone's rows they are not."""
    return file.stores_stamps and stores_facts(schema)


def stores_facts(schema: pa.Schema) -> bool:
    """Whether a file of this schema stores facts of rows: a column of the user may have the same name."""
    return any(field_id(field) == STAMP_FIELD for field in schema)


def field_id(field: pa.Field) -> int:
    """The field id of a column of a file, 0 where it has none."""
    return int((field.metadata or {}).get(PARQUET_FIELD_ID, 0))


def facts_of(table: pa.Table) -> StoredFacts:
    """The facts in the columns of a table."""
    return StoredFacts(*(_integers(pc.fill_null(table.column(name), 0)) for name in FACT_FIELDS))


def _integers(column: pa.ChunkedArray) -> Integers:
    values: Integers = column.to_numpy()
    return values.astype(np.int64, copy=False)


def marks_read(warehouse: Warehouse, file: FileScan) -> Marks:
    """The positions that ``file.stamped`` names, with their facts."""
    return [(read_integers(warehouse, path, POSITION_COLUMN), fact) for path, fact in file.stamped]


def rows_facts(
    own: RowsFact, stored: StoredFacts | None, marks: Iterable[tuple[Integers, RowsFact]], count: int
) -> StoredFacts:
    """The facts of ``count`` rows of a file as another one stores them. ``own``: that of the file as it is shown."""
    numbers = (own.stamp, kind_number(own.kind), own.prior, own.undoes)
    found = StoredFacts(*(np.full(count, number, dtype=np.int64) for number in numbers))
    if stored is not None:
        has_stamp, has_kind = stored.stamp > 0, stored.kind > 0
        if own.kind == "restore":
            found = found._replace(prior=np.where(has_stamp, stored.stamp, own.prior))
        else:
            found = StoredFacts(
                np.where(has_stamp, stored.stamp, found.stamp),
                np.where(has_kind, stored.kind, found.kind),
                np.where(has_kind, stored.prior, found.prior),
                np.where(has_kind, stored.undoes, found.undoes),
            )
    for at, fact in marks:
        found.prior[at], found.undoes[at] = found.stamp[at], fact.undoes
        found.stamp[at], found.kind[at] = fact.stamp, kind_number(fact.kind)
    return found


def fact_columns(facts: StoredFacts) -> list[pa.Array]:
    """The facts as columns of a file, 0 as NULL."""
    return [pa.array(values, mask=values == 0) for values in facts]
