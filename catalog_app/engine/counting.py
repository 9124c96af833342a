"""The job of Spark of a dry run: it computes the rows that a write would write, and counts them. None is encoded.

What Spark does not use it does not compute, and it finds no error there. So every value goes into a hash.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from catalog_app.domain.files import ROW_ID_COLUMN, NewDataFile, NewDeleteFile, PartitionValues
from catalog_app.engine.decoding import internal_name
from catalog_app.engine.file_sizes import become_one
from catalog_app.engine.result_batches import row_sizes
from catalog_app.engine.spark_calls import arrow_rows
from catalog_app.engine.targets import Target
from catalog_app.engine.types import is_arrow_writable
from catalog_app.engine.write_jobs import ROWS_PER_FILE
from catalog_app.engine.writing import PARTITION, SMALL_ROWS, FileWriter, whole_file
from catalog_app.storage.deletes import Integers

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame

PARTITION_BYTES = 64 * 1024 * 1024
"""Rows of one partition value are taken to become files of so many bytes."""
_TASKS, _ROWS, _MORE_ROWS, _BYTES = 4, 1_000, 20, 4_096
"""So many first tasks bring so many of their first rows, the others fewer, if they are no longer."""
_LONG_ROWS, _LONG_BYTES = 3, 4 * 1024 * 1024
"""Of longer rows the first tasks bring so many, if they are no longer."""
_IN_TASK = (1 << 33) - 1
"""The bits of Spark's number of a row that count within its task."""
_TASK, _PLACE, _HASH, _SHOWN = "__lake_task", "__lake_row", "__lake_hash", "__lake_shown"
_COUNT, _SOME = "__lake_count", "__lake_some"

Counts = Mapping[PartitionValues, Sequence[int]]
"""By partition value the rows of each task."""


@dataclass(slots=True)
class Counting:
    """Of a dry run: ``is_enough`` says whether its rows can be counted instead of written. It is asked of a job of
    Spark alone. ``most``: of so many rows there are files, ``added``; ``deletes`` mark those that they replace.
    ``is_done``: the rows were counted, so no other file of them is there.
    """

    is_enough: Callable[[], bool]
    most: int
    added: tuple[NewDataFile, ...] = ()
    deletes: tuple[NewDeleteFile, ...] = ()
    is_done: bool = False


@dataclass(frozen=True, slots=True)
class CountedImages:
    """New images of rows: the address and the row id of each, files that would hold them, and some of them."""

    addresses: Integers
    row_ids: Integers
    files: list[NewDataFile]
    some: pa.Table


def can_count(target: Target) -> bool:
    """Whether some of the rows can come through Arrow."""
    columns = target.schema.columns
    return bool(columns) and all(is_arrow_writable(column.type) for column in columns)


def rows_count(
    writer: FileWriter, target: Target, rows: DataFrame, counting: Counting, *, may_be_small: bool
) -> list[NewDataFile] | None:
    """The files that ``FileWriter.write`` would make of the rows, without a path; None where no row can be shown."""
    from pyspark.sql.connect.functions import expr

    keys = [_TASK, *_partitions(target)]
    whole = f"struct({', '.join([f'true AS {_SHOWN}', *target.columns])})"
    some = f"collect_list(CASE WHEN {_SHOWN} THEN {whole} END) AS {_SOME}"
    counted = [f"count(1) AS {_COUNT}", f"max({_HASH}) AS {_HASH}", some]
    grouped = _numbered(target, rows, ()).groupBy(*keys).agg(*map(expr, counted))
    table = arrow_rows(grouped.selectExpr(*keys, _COUNT, _HASH, f"inline_outer({_SOME})"))
    table = table.sort_by([(_TASK, "ascending")])
    tasks = {(task, texts): count for task, texts, count in _counted(table, target)}
    shown = table.filter(pc.is_valid(table.column(_SHOWN)))
    if tasks and not shown.num_rows:
        return None
    counts: dict[PartitionValues, list[int]] = defaultdict(list)
    for (_, texts), count in tasks.items():
        counts[texts].append(count)
    files = _files_foreseen(target, counts, shown, may_be_small=may_be_small)
    counting.added += tuple(writer.write_arrow(target, shown.slice(0, counting.most)))
    counting.is_done = True
    return files


def images_count(target: Target, images: DataFrame, address: str) -> CountedImages | None:
    """The same of new images, whose addresses lie in the column ``address``."""
    partitions = _partitions(target)
    values = [f"IF({_SHOWN}, {name}, NULL) AS {name}" for name in target.columns if name != ROW_ID_COLUMN]
    read = [address, ROW_ID_COLUMN, _TASK, _HASH, _SHOWN, *partitions, *values]
    table = arrow_rows(_numbered(target, images, (address,)).selectExpr(*read))
    shown = table.filter(table.column(_SHOWN)).sort_by([(ROW_ID_COLUMN, "ascending")])
    if table.num_rows and not shown.num_rows:
        return None
    grouped = table.group_by([_TASK, *partitions]).aggregate([([], "count_all")])
    counts: dict[PartitionValues, list[int]] = defaultdict(list)
    for *_, texts, count in _counted(grouped, target, count="count_all"):
        counts[texts].append(count)
    addresses, row_ids = (table.column(name).to_numpy() for name in (address, ROW_ID_COLUMN))
    files = _files_foreseen(target, counts, shown, may_be_small=True)
    if files:
        least, most = int(row_ids.min()), int(row_ids.max())
        files = [replace(file, stores_row_ids=True, smallest_row_id=least, largest_row_id=most) for file in files]
    return CountedImages(addresses, row_ids, files, shown)


def _numbered(target: Target, rows: DataFrame, extra: Sequence[str]) -> DataFrame:
    """Rows under internal names with their partition texts, the number of their task, a hash of all values, and whether
    they come along.
    """
    texts = [f"{text} AS {name}" for text, name in zip(target.partition_texts, _partitions(target), strict=True)]
    named = rows.selectExpr(*target.inputs, *extra).selectExpr(*target.columns, *extra, *texts)
    kinds = {internal_name(column): column.type for column in target.schema.columns}
    # Spark has no hash of a map.
    hashed = [f"CAST({name} AS STRING)" if "map<" in kinds.get(name, "") else name for name in target.columns]
    counted = named.selectExpr(
        "*",
        f"spark_partition_id() AS {_TASK}",
        f"monotonically_increasing_id() & {_IN_TASK}L AS {_PLACE}",
        f"xxhash64({', '.join(hashed)}) AS {_HASH}",
    )
    size = " + ".join(row_sizes(kinds).values()) or "0"
    is_early = f"{_PLACE} < IF({_TASK} < {_TASKS}, {_ROWS}, {_MORE_ROWS}) AND {size} <= {_BYTES}"
    is_first = f"{_PLACE} < {_LONG_ROWS} AND {_TASK} < {_TASKS} AND {size} <= {_LONG_BYTES}"
    return counted.selectExpr("*", f"({is_early}) OR ({is_first}) AS {_SHOWN}")


def _partitions(target: Target) -> list[str]:
    return [f"{PARTITION}{index}" for index in range(len(target.partition_texts))]


def _counted(table: pa.Table, target: Target, count: str = _COUNT) -> Iterator[tuple[int, PartitionValues, int]]:
    """Task, partition value and rows."""
    tasks, counts = table.column(_TASK).to_pylist(), table.column(count).to_pylist()
    texts = [table.column(name).to_pylist() for name in _partitions(target)]
    values = zip(*texts, strict=True) if texts else repeat((), table.num_rows)
    yield from zip(tasks, values, counts, strict=True)


def _files_foreseen(target: Target, counts: Counts, some: pa.Table, *, may_be_small: bool) -> list[NewDataFile]:
    """Files of so many rows, as long as some of the rows are in a file of their own."""
    if not counts:
        return []
    stored = target.stored(some)
    beside = whole_file(stored.slice(0, 0)).size
    each = (whole_file(stored).size - beside) / stored.num_rows
    is_small = may_be_small and sum(map(sum, counts.values())) <= SMALL_ROWS
    files = []
    for texts, tasks in counts.items():
        placed = target.staged("", texts)
        for rows in [sum(tasks)] if is_small else _parts(target, tasks, each):
            size = round(beside + each * rows)
            files.append(NewDataFile("", 0, rows, size, placed.partition, layout=placed.layout))
    return files


def _parts(target: Target, tasks: Sequence[int], each: float) -> list[int]:
    """How a job divides the rows of a partition value into files."""
    rows = sum(tasks)
    if target.partition_texts or target.clustered:
        parts = max(1, math.ceil(rows * each / PARTITION_BYTES))
        return [rows // parts + (place < rows % parts) for place in range(parts)]
    whole = [min(ROWS_PER_FILE, count - start) for count in tasks for start in range(0, count, ROWS_PER_FILE)]
    return [rows] if become_one([math.ceil(each * count) for count in whole]) else whole
