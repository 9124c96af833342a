"""Rows with the facts that a file which takes them has to store (see ``storage.facts``), found while they are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from catalog_app.domain.files import FACT_KINDS, FileScan, TableScan, kind_number
from catalog_app.engine.reading import ADDRESS, BASE, FACTS, ROW_ID, table_dataframe
from catalog_app.engine.row_metadata import stamp_text
from catalog_app.engine.staging import Staging
from catalog_app.engine.types import quoted
from catalog_app.engine.writing import FileWriter
from catalog_app.storage.deletes import StoredFacts
from catalog_app.storage.facts import fact_columns, file_rows, marks_read, rows_facts

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession

_STAMP, _KIND, _PRIOR, _UNDOES = FACTS
_OWN = ("__own_stamp", "__own_kind", "__own_prior", "__own_undoes")
_GIVEN = ("__given_stamp", "__given_kind", "__given_prior", "__given_undoes")
_RESTORE = FACT_KINDS.index("restore")


class FactReader:
    """Reads files of one scan. Facts of single rows lie in ``staging`` while Spark reads them."""

    def __init__(self, spark: SparkSession, writer: FileWriter, scan: TableScan, staging: Staging) -> None:
        self._spark = spark
        self._writer = writer
        self._scan = scan
        self._own = _own_facts(scan.files)
        self._of_files = None if len(set(self._own.values())) <= 1 else self._files_dataframe()
        self._of_rows = self._rows_dataframe(staging)

    def dataframe(self, files: Sequence[FileScan]) -> DataFrame:
        """The live rows of these files with row id, address and facts."""
        scan = replace(self._scan, files=tuple(files))
        rows = table_dataframe(self._spark, self._writer.warehouse, scan, with_address=True, with_facts=True)
        names = [*(quoted(column.name) for column in scan.schema.columns), ROW_ID, ADDRESS]
        if self._of_files is None:
            own = next(iter(self._own.values()), (0, 0, 0, 0))
            rows = rows.selectExpr("*", *(f"{number}L AS {name}" for number, name in zip(own, _OWN, strict=True)))
        else:
            rows = rows.join(self._of_files.hint("broadcast"), BASE)
        if self._of_rows is not None:
            rows = rows.join(self._of_rows.hint("broadcast"), ADDRESS, "left")
        found = zip(_facts(), _GIVEN, FACTS, strict=True)
        outputs = [
            f"{value} AS {name}"
            if self._of_rows is None
            else f"CASE WHEN {_GIVEN[1]} IS NULL THEN {value} ELSE {given} END AS {name}"
            for value, given, name in found
        ]
        return rows.selectExpr(*names, *outputs)

    def _files_dataframe(self) -> DataFrame:
        columns = [list(self._own), *zip(*self._own.values(), strict=True)]
        return self._spark.createDataFrame(pa.table([pa.array(c, pa.int64()) for c in columns], names=[BASE, *_OWN]))

    def _rows_dataframe(self, staging: Staging) -> DataFrame | None:
        marked = [self._marked(file) for file in self._scan.files if file.stamped]
        if not marked:
            return None
        from pyspark.sql.types import LongType, StructField, StructType

        schema = StructType([StructField(name, LongType()) for name in (ADDRESS, *_GIVEN)])
        return staging.read(self._spark, staging.hold(pa.concat_tables(marked)), schema)

    def _marked(self, file: FileScan) -> pa.Table:
        """The rows of a file whose facts single events decided, by address."""
        warehouse = self._writer.warehouse
        marks = marks_read(warehouse, file)
        stored = file_rows(warehouse, file)[1] if file.stores_stamps else None
        at = np.unique(np.concatenate([positions for positions, _ in marks]))
        facts = rows_facts(file.fact, stored, marks, file.rows)
        columns = fact_columns(StoredFacts(*(values[at] for values in facts)))
        return pa.table([pa.array(at + file.base), *columns], names=[ADDRESS, *_GIVEN])


def _own_facts(files: Sequence[FileScan]) -> dict[int, tuple[int, int, int, int]]:
    facts = ((file.base, file.fact) for file in files)
    return {base: (fact.stamp, kind_number(fact.kind), fact.prior, fact.undoes) for base, fact in facts}


def _facts() -> list[str]:
    """SQL of each fact of a row: as ``rows_facts``, 0 as NULL."""
    stamp, kind, prior, undoes = _OWN
    is_restored = f"{kind} = {_RESTORE}"

    def stored_or_own(stored: str, own: str) -> str:
        return f"nullif(CASE WHEN {_KIND} IS NULL OR {is_restored} THEN {own} ELSE {stored} END, 0L)"

    return [
        stamp_text(_STAMP, stamp, kind),
        stored_or_own(_KIND, kind),
        f"CASE WHEN {is_restored} THEN nullif(coalesce({_STAMP}, {prior}), 0L) ELSE {stored_or_own(_PRIOR, prior)} END",
        stored_or_own(_UNDOES, undoes),
    ]
