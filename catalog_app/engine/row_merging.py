"""Merging rows of a table with a primary key: what it comes to, its conflicts by pages, and the files that it makes."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from catalog_app.domain.files import ROW_ID_COLUMN, NewDeleteFile, TableScan
from catalog_app.domain.operations import OperationKind
from catalog_app.domain.row_merge import KEYS_SHOWN, Behind, MergedRows, RowConflicts, RowJudgement, RowMerge, Take
from catalog_app.engine.answers import collect
from catalog_app.engine.asking import arrow_rows, row_values
from catalog_app.engine.changes import Matched, marked_files, scan_parts
from catalog_app.engine.decoding import internal_name
from catalog_app.engine.freezing import FEW_ROWS, staging_folder
from catalog_app.engine.judging import Judge
from catalog_app.engine.reading import ADDRESS, ROW_ID
from catalog_app.engine.three_way import KEY, ThreeWay, key_identity
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
    f"""CASE WHEN {side} IS NOT NULL AND b IS NULL THEN 'insert' WHEN {side} IS NULL AND b IS NOT NULL THEN 'delete'
    ELSE 'update' END AS {name}_kind"""
    for side, name in (("s", "source"), ("d", "destination"))
]
_ACTS = f"""CASE WHEN is_left OR r_is_d THEN 'none' WHEN d IS NULL THEN 'insert' WHEN r IS NULL THEN 'delete'
    ELSE 'update' END AS {_ACT}"""
_DISCARDED = "CASE WHEN NOT is_discarded THEN '' WHEN s IS NULL THEN 'delete' ELSE 'update' END AS discarded"
_SNAPSHOTS = ("base_row", "s", "d")
_MASKING = (OperationKind.UPDATE, OperationKind.DELETE)
_SAID = ("source_kind", "destination_kind", "is_conflict", "is_left", "combined", "discarded")
_COUNTED = (*(f"__lake_{name}" for name in _SAID), _ACT)
KEPT_BYTES = 64 * 1024 * 1024
"""So much of what a plan judged is kept in memory for the merge that follows."""


class KeptRows:
    """What was judged last, for the merge that was planned by it: files do not change, so it is what the merge would
    find. Thread safe.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._task: RowMerge | None = None
        self._rows: pa.Table | None = None

    def keep(self, task: RowMerge, rows: pa.Table) -> None:
        if rows.nbytes <= KEPT_BYTES:
            with self._lock:
                self._task, self._rows = task, rows

    def take(self, task: RowMerge) -> pa.Table | None:
        """The rows, once; None where other rows were judged since, or too many."""
        with self._lock:
            if self._task != task:
                return None
            self._task, rows, self._rows = None, self._rows, None
            return rows


@dataclass(frozen=True, slots=True)
class _Group:
    """Rows of which the same is to be said. ``discarded``: what the source did to them for nothing; ``keys``: the first
    of them, where they conflict.
    """

    source: str
    destination: str
    is_conflict: bool
    is_left: bool
    combined: bool
    discarded: str
    act: str
    rows: int
    keys: Sequence[str]


def rows_judged(spark: SparkSession, writer: FileWriter, task: RowMerge, kept: KeptRows) -> RowJudgement:
    """Count what becomes of rows, and their conflicts by the pairs of changes that meet."""
    three = ThreeWay(spark, writer.warehouse, task, key_identity(task))
    rows = _judge(spark, task, three)
    few = _few_judged(writer, task, three, rows)
    if few is None:
        return _judgement(_grouped_by_spark(rows))
    if _is_storable(task, few):
        kept.keep(task, few.filter(pc.not_equal(few.column(_ACT), "none")))
    return _judgement(_grouped(few))


def _few_judged(writer: FileWriter, task: RowMerge, three: ThreeWay, rows: DataFrame) -> pa.Table | None:
    """All that the source changed, with what rows will hold, if it is not much."""
    if three.rows_to_come() > 4 * FEW_ROWS:
        return None
    # Not filtered by what becomes of them: Spark would write that out in each of its parts, and plan for minutes.
    found = _with_places(task, three, rows, is_checked=False, further=(KEY, *_counted_outputs()))
    return writer.fetch(_target(task), found, extra=(ADDRESS, KEY, *_COUNTED), limit=FEW_ROWS)


def _counted_outputs() -> list[str]:
    return [*(f"{name} AS __lake_{name}" for name in _SAID), _ACT]


def _is_storable(task: RowMerge, rows: pa.Table) -> bool:
    """Whether the values can be stored as they are: none was edited, and none is missing that must be there."""
    if any(choice.take is Take.EDITED for choice in task.choices):
        return False
    made = rows.filter(pc.is_in(rows.column(_ACT), pa.array(["insert", "update"])))
    return all(column.nullable or not made.column(internal_name(column)).null_count for column in task.schema.columns)


def _grouped_by_spark(rows: DataFrame) -> list[_Group]:
    from pyspark.sql.connect.functions import expr

    first = f"min_by({KEY}, {KEY}, {KEYS_SHOWN}) FILTER (WHERE __lake_is_conflict)"
    named = rows.selectExpr(KEY, *_counted_outputs())
    found = named.groupBy(*_COUNTED).agg(expr("count(*) AS rows"), expr(f"{first} AS keys"))
    return [_Group(*row) for row in row_values(found)]


def _grouped(rows: pa.Table) -> list[_Group]:
    counted = rows.group_by(list(_COUNTED)).aggregate([([], "count_all")])
    groups = (tuple(group[name] for name in (*_COUNTED, "count_all")) for group in counted.to_pylist())
    return [_Group(*(*said, _first_keys(rows, said))) for said in groups]


def _first_keys(rows: pa.Table, said: Sequence[Any]) -> list[str]:
    conditions = (pc.equal(rows.column(name), value) for name, value in zip(_COUNTED, said, strict=False))
    keys = rows.column(KEY).filter(reduce(pc.and_, conditions))
    return list(keys.take(pc.array_sort_indices(keys)[:KEYS_SHOWN]).to_pylist())


def _judgement(groups: Sequence[_Group]) -> RowJudgement:
    changes = dict.fromkeys((OperationKind.INSERT, *_MASKING), 0)
    combined = 0
    discarded = dict.fromkeys(_MASKING, 0)
    for group in groups:
        if group.discarded:
            discarded[OperationKind(group.discarded)] += group.rows
        if group.act != "none":
            changes[OperationKind(group.act)] += group.rows
            combined += group.rows if group.combined else 0
    conflicting = [group for group in groups if group.is_conflict]
    pairs = sorted({(group.source, group.destination) for group in conflicting})
    conflicts = tuple(_conflicts(conflicting, *pair) for pair in pairs)
    return RowJudgement(_counted(changes), combined, conflicts, _counted(discarded))


def _counted(rows: Mapping[OperationKind, int]) -> dict[OperationKind, int]:
    return {kind: count for kind, count in rows.items() if count}


def _conflicts(conflicting: Sequence[_Group], source: str, destination: str) -> RowConflicts:
    of_pair = [group for group in conflicting if (group.source, group.destination) == (source, destination)]
    left = [group for group in of_pair if group.is_left]
    return RowConflicts(
        OperationKind(source),
        OperationKind(destination),
        rows=sum(group.rows for group in of_pair),
        left=sum(group.rows for group in left),
        keys=_first_of(of_pair),
        left_keys=_first_of(left),
    )


def _first_of(groups: Sequence[_Group]) -> tuple[str, ...]:
    return tuple(sorted((key for group in groups for key in group.keys), key=str.encode)[:KEYS_SHOWN])


def _judge(spark: SparkSession, task: RowMerge, three: ThreeWay, *, all_of_destination: bool = False) -> DataFrame:
    """Every row that the source changed, with what becomes of it; ``all_of_destination``: and that the other did."""
    judge = Judge(task.schema.columns, task.choices)
    rows = judge.judged(spark, three.rows(all_of_destination=all_of_destination))
    return rows.selectExpr("*", *_KINDS, _ACTS, _DISCARDED)


# -- staging ----------------------------------------------------------------------------------------------------------


def rows_merged(spark: SparkSession, writer: FileWriter, task: RowMerge, kept: KeptRows) -> MergedRows:
    """Stage new images of rows that change on the destination, rows that come, and delete files for what they replace.

    An updated row keeps the destination's id, a new one the source's, unless the destination has it under another key.
    """
    few = kept.take(task)
    if few is None:
        three = ThreeWay(spark, writer.warehouse, task, key_identity(task))
        rows = _with_places(task, three, _judge(spark, task, three), is_checked=True, further=(_ACT,))
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


def _with_places(
    task: RowMerge, three: ThreeWay, judged: DataFrame, *, is_checked: bool, further: Sequence[str] = ()
) -> DataFrame:
    """What rows will hold, under which row id, and where the destination has them now. ``is_checked``: as they are
    stored, or an error.
    """
    from pyspark.sql.connect.functions import expr

    made = (
        (column, stored_value(column, f"r.c{place}") if is_checked else f"r.c{place}")
        for place, column in enumerate(task.schema.columns)
    )
    return judged.join(three.destination_ids(_TAKEN), expr(f"s_id = {_TAKEN}"), "left").selectExpr(
        *(f"CASE WHEN {_ACT} IN ('insert', 'update') THEN {value} END AS {quoted(c.name)}" for c, value in made),
        f"CASE WHEN {_ACT} <> 'insert' THEN d_id WHEN {_TAKEN} IS NULL THEN s_id END AS {ROW_ID}",
        f"CASE WHEN {_ACT} IN ('update', 'delete') THEN d_at END AS {ADDRESS}",
        *further,
    )


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


def _target(task: RowMerge, *, with_row_ids: bool = True) -> Target:
    return Target(task.table_id, task.schema, with_row_ids=with_row_ids)


def _marked_parts(task: RowMerge, rows: DataFrame) -> Iterator[pa.Table]:
    """What takes rows away, by parts of the destination that fit into this process."""
    masking = rows.filter(f"{ADDRESS} IS NOT NULL").selectExpr(f"{ROW_ID} AS {ROW_ID_COLUMN}", ADDRESS, _ACT)
    for part in scan_parts(_destination(task)):
        ends = [(file.base, file.base + file.rows) for file in part.files]
        within = " OR ".join(f"({ADDRESS} >= {start} AND {ADDRESS} < {end})" for start, end in ends)
        yield arrow_rows(masking.filter(within))


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
    key: str | None = None,
) -> QueryResult:
    """Rows that either side changed: key, whether they conflict, whether that is left open, what each side did (NULL:
    nothing), whether base, source, destination and result have it, and its values there. With ``key`` only that row.
    A row that is left open has no result.
    """
    from pyspark.sql.connect.functions import expr

    three = ThreeWay(spark, warehouse, task, key_identity(task))
    rows = _judge(spark, task, three, all_of_destination=not only_conflicts)
    if only_conflicts:
        rows = rows.filter("is_conflict")
    if key is not None:
        rows = rows.filter(f"{KEY} = {text_literal(key)}")
    if behind is not None:
        later = f"{KEY} > {text_literal(behind.key)}"
        rows = rows.filter(
            f"is_conflict AND {later} OR NOT is_conflict" if behind.is_conflict else f"NOT is_conflict AND {later}"
        )
    places = range(len(task.schema.columns))
    return collect(
        rows.orderBy(expr("NOT is_conflict"), KEY).selectExpr(
            f"{KEY} AS key",
            "is_conflict",
            "is_left",
            "CASE WHEN source_changed THEN source_kind END AS source_kind",
            "CASE WHEN destination_changed THEN destination_kind END AS destination_kind",
            *(f"{side} IS NOT NULL" for side in _SNAPSHOTS),
            "NOT is_left AND r IS NOT NULL",
            *(f"{side}.c{place}" for side in (*_SNAPSHOTS, "r") for place in places),
        ),
        limit=limit,
    )
