"""Merging rows of a table with a primary key: what it comes to, its conflicts by pages, and the files that it makes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from catalog_app.domain.files import ROW_ID_COLUMN, NewDeleteFile, TableScan
from catalog_app.domain.operations import OperationKind
from catalog_app.domain.row_merge import KEYS_SHOWN, Behind, MergedRows, RowConflicts, RowJudgement, RowMerge
from catalog_app.domain.schema import Column
from catalog_app.engine.answers import collect
from catalog_app.engine.changes import Matched, marked_files, scan_parts
from catalog_app.engine.freezing import FEW_ROWS, staging_folder
from catalog_app.engine.reading import ADDRESS, ROW_ID
from catalog_app.engine.three_way import KEY, Judge, ThreeWay, key_identity, steps
from catalog_app.engine.types import quoted, stored_value, text_literal
from catalog_app.engine.values import QueryResult
from catalog_app.engine.writing import FileWriter, Target

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession

    from catalog_app.storage.warehouse import Warehouse

_ACT = "__lake_act"
_TAKEN = "__lake_taken"
_KINDS = [
    f"""CASE WHEN {side}_has AND NOT b_has THEN 'insert' WHEN b_has AND NOT {side}_has THEN 'delete' ELSE 'update' END
    AS {name}_kind"""
    for side, name in (("s", "source"), ("d", "destination"))
]
_ACTS = f"""CASE WHEN is_left THEN 'none' WHEN r_has AND d_has THEN CASE WHEN r_is_d THEN 'none' ELSE 'update' END
    WHEN r_has THEN 'insert' WHEN d_has THEN 'delete' ELSE 'none' END AS {_ACT}"""
_MASKING = (OperationKind.UPDATE, OperationKind.DELETE)


def rows_judged(spark: SparkSession, warehouse: Warehouse, task: RowMerge) -> RowJudgement:
    """Count what becomes of rows, and their conflicts by the pairs of changes that meet."""
    rows = _judge(spark, task, ThreeWay(spark, warehouse, task, key_identity(task)))
    names = ["source_kind", "destination_kind", "is_conflict", "is_left", "combined", _ACT]
    counted = rows.groupBy(*names).count().collect()
    changes = dict.fromkeys((OperationKind.INSERT, *_MASKING), 0)
    combined = 0
    for row in counted:
        if row[_ACT] != "none":
            changes[OperationKind(row[_ACT])] += row["count"]
            combined += row["count"] if row["combined"] else 0
    pairs = sorted({(row["source_kind"], row["destination_kind"]) for row in counted if row["is_conflict"]})
    conflicts = tuple(_conflicts(rows, counted, *pair) for pair in pairs)
    return RowJudgement({kind: count for kind, count in changes.items() if count}, combined, conflicts)


def _conflicts(rows: DataFrame, counted: Sequence[dict[str, int]], source: str, destination: str) -> RowConflicts:
    of_pair = [row for row in counted if (row["source_kind"], row["destination_kind"]) == (source, destination)]
    chosen = rows.filter(f"source_kind = '{source}' AND destination_kind = '{destination}' AND is_conflict")
    left = sum(row["count"] for row in of_pair if row["is_left"])
    total = sum(row["count"] for row in of_pair if row["is_conflict"])
    keys = _first_keys(chosen)
    left_keys = keys if left == total else _first_keys(chosen.filter("is_left")) if left else ()
    return RowConflicts(OperationKind(source), OperationKind(destination), total, left, keys, left_keys)


def _first_keys(rows: DataFrame) -> tuple[str, ...]:
    return tuple(str(row[0]) for row in rows.select(KEY).orderBy(KEY).limit(KEYS_SHOWN).collect())


def _judge(spark: SparkSession, task: RowMerge, three: ThreeWay, *, all_of_destination: bool = False) -> DataFrame:
    """Every row that the source changed, with what becomes of it; ``all_of_destination``: and that the other did."""
    judge = Judge(task.schema.columns, task.choices)
    rows = judge.with_choices(spark, three.rows(all_of_destination=all_of_destination))
    return steps(rows, judge.verdicts(), judge.outcomes(), judge.results(), [judge.keeps(), *_KINDS], [_ACTS])


# -- staging ----------------------------------------------------------------------------------------------------------


def rows_merged(spark: SparkSession, writer: FileWriter, task: RowMerge) -> MergedRows:
    """Stage new images of rows that change on the destination, rows that come, and delete files for what they replace.

    An updated row keeps the destination's id, a new one the source's, unless the destination has it under another key.
    """
    from pyspark.sql.connect.functions import expr

    three = ThreeWay(spark, writer.warehouse, task, key_identity(task))
    judged = _judge(spark, task, three).filter(f"{_ACT} <> 'none'")
    rows = judged.join(three.destination_ids(_TAKEN), expr(f"s_id = {_TAKEN}"), "left").selectExpr(
        *(f"CASE WHEN {_ACT} <> 'delete' THEN {_stored(task, i)} END AS {quoted(c.name)}" for i, c in _columns(task)),
        f"CASE WHEN {_ACT} <> 'insert' THEN d_id WHEN {_TAKEN} IS NULL THEN s_id END AS {ROW_ID}",
        f"CASE WHEN {_ACT} <> 'insert' THEN d_at END AS {ADDRESS}",
        _ACT,
    )
    few = writer.fetch(_target(task), rows, extra=(ADDRESS, _ACT), limit=FEW_ROWS)
    if few is None:
        with staging_folder(writer, task.table_id) as folder:
            return _many(spark, writer, task, rows, folder)
    files = [
        (part.kind, file)
        for part in _PARTS
        for file in writer.write_arrow(_target(task, with_row_ids=part.has_id), few.filter(part.of(few)))
    ]
    return MergedRows(tuple(files), tuple(_marks(writer, task, [few])))


def _many(spark: SparkSession, writer: FileWriter, task: RowMerge, rows: DataFrame, folder: str) -> MergedRows:
    """The same through a staging folder: rows are judged once, written and marked from there."""
    path = writer.warehouse.spark_path(folder)
    plain = rows.toDF(*(f"c{place}" for place in range(len(rows.columns))))
    plain.write.mode("error").parquet(path)
    kept = spark.read.schema(plain.schema).parquet(path).toDF(*rows.columns)
    files = [
        (part.kind, file)
        for part in _PARTS
        for file in writer.write_spark(_target(task, with_row_ids=part.has_id), kept.filter(part.condition))
    ]
    return MergedRows(tuple(files), tuple(_marks(writer, task, _marked_parts(task, kept))))


@dataclass(frozen=True, slots=True)
class _Part:
    """Rows that are written together. ``has_id``: with the row ids that they have already."""

    kind: OperationKind
    has_id: bool = True

    @property
    def condition(self) -> str:
        return f"{_ACT} = '{self.kind.value}' AND {ROW_ID} IS {'NOT ' if self.has_id else ''}NULL"

    def of(self, table: pa.Table) -> pa.ChunkedArray:
        is_kind = pc.equal(table.column(_ACT), self.kind.value)
        ids = table.column(ROW_ID_COLUMN)
        return pc.and_(is_kind, pc.is_valid(ids) if self.has_id else pc.is_null(ids))


_PARTS = (_Part(OperationKind.UPDATE), _Part(OperationKind.INSERT), _Part(OperationKind.INSERT, has_id=False))


def _columns(task: RowMerge) -> list[tuple[int, Column]]:
    return list(enumerate(task.schema.columns))


def _stored(task: RowMerge, place: int) -> str:
    return stored_value(task.schema.columns[place], f"r_{place}")


def _target(task: RowMerge, *, with_row_ids: bool = True) -> Target:
    return Target(task.table_id, task.schema, with_row_ids=with_row_ids)


def _marked_parts(task: RowMerge, rows: DataFrame) -> Iterator[pa.Table]:
    """What takes rows away, by parts of the destination that fit into this process."""
    masking = rows.filter(f"{ADDRESS} IS NOT NULL").selectExpr(f"{ROW_ID} AS {ROW_ID_COLUMN}", ADDRESS, _ACT)
    for part in scan_parts(_destination(task)):
        ends = [(file.base, file.base + file.rows) for file in part.files]
        within = " OR ".join(f"({ADDRESS} >= {start} AND {ADDRESS} < {end})" for start, end in ends)
        yield masking.filter(within).toArrow()


def _marks(
    writer: FileWriter, task: RowMerge, tables: Sequence[pa.Table] | Iterator[pa.Table]
) -> Iterator[tuple[OperationKind, NewDeleteFile]]:
    for table in tables:
        for kind in _MASKING:
            chosen = table.filter(pc.equal(table.column(_ACT), kind.value))
            matched = Matched(_numbers(chosen, ADDRESS), _numbers(chosen, ROW_ID_COLUMN))
            for file in marked_files(writer, _destination(task), matched):
                yield kind, file


def _numbers(table: pa.Table, name: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return pc.cast(table.column(name), pa.int64()).to_numpy()


def _destination(task: RowMerge) -> TableScan:
    return TableScan(task.table_id, task.schema, task.destination)


# -- pages ------------------------------------------------------------------------------------------------------------


def rows_compared(
    spark: SparkSession,
    warehouse: Warehouse,
    task: RowMerge,
    *,
    limit: int,
    behind: Behind | None,
    only_conflicts: bool,
) -> QueryResult:
    """Rows that either side changed: key, whether they conflict, whether that is left open, what each side did (NULL:
    nothing), whether base, source and destination have it, and its values there.
    """
    from pyspark.sql.connect.functions import expr

    three = ThreeWay(spark, warehouse, task, key_identity(task))
    rows = _judge(spark, task, three, all_of_destination=not only_conflicts)
    if only_conflicts:
        rows = rows.filter("is_conflict")
    if behind is not None:
        key = f"{KEY} > {text_literal(behind.key)}"
        rows = rows.filter(
            f"is_conflict AND {key} OR NOT is_conflict" if behind.is_conflict else f"NOT is_conflict AND {key}"
        )
    places = range(len(task.schema.columns))
    return collect(
        rows.orderBy(expr("NOT is_conflict"), KEY).selectExpr(
            f"{KEY} AS key",
            "is_conflict",
            "is_left",
            "CASE WHEN source_changed THEN source_kind END AS source_kind",
            "CASE WHEN destination_changed THEN destination_kind END AS destination_kind",
            *(f"{side}_has" for side in "bsd"),
            *(f"{side}_{place}" for side in "bsd" for place in places),
        ),
        limit=limit,
    )
