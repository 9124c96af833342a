"""Hive partitions: which values a file's folder stands for, and into which folder a row of the batch belongs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.types as kinds

from lakeui.common.errors import InvalidValue, NotSupported
from merge_app.upsert.dataset import DataFile, Dataset, partition_folder
from merge_app.upsert.inputs_outputs import Integers
from merge_app.upsert.keys import key_names, normal
from merge_app.upsert.schemas import decoded


@dataclass(frozen=True, slots=True)
class Placement:
    """Partitions by number: ``of_rows`` of each row of the batch, ``of_files`` of each file, ``folders`` by number."""

    of_rows: Integers
    of_files: Integers
    folders: tuple[str, ...]


def require_partition_columns(columns: tuple[str, ...], batch: pa.Schema) -> None:
    for name in columns:
        if name not in batch.names:
            raise InvalidValue(f"The batch has no partition column {name}.", remedy="Add it to the batch.", column=name)
        kind = batch.field(name).type
        if kinds.is_floating(kind) or kinds.is_nested(kind) or kinds.is_null(kind):
            raise NotSupported(
                f"Column {name} of type {kind} cannot partition a data set.",
                remedy="Partition by whole numbers, text, booleans, dates or times.",
                column=name,
            )


def partition_value(file: DataFile, field: pa.Field) -> pa.Scalar:
    """The value of a partition column in one file, from the file's folder."""
    text = file.partition_texts[field.name]
    try:
        return pa.scalar(text, pa.string()).cast(decoded(field.type))
    except pa.ArrowInvalid as problem:
        raise InvalidValue(
            f"The folder of {file.path} says {text!r} for {field.name}, which is no {field.type}.",
            remedy=f"Give the batch's column {field.name} the type that the folders hold.",
        ) from problem


def placement(dataset: Dataset, columns: tuple[str, ...], schema: pa.Schema, batch: pa.Table) -> Placement:
    """Where rows and files belong. A partition that is there keeps the folder that it has, however it is spelled."""
    numbers: dict[tuple[object, ...], int] = {}
    folders: list[str] = []
    of_files = np.zeros(len(dataset.files), np.int64)
    for index, file in enumerate(dataset.files):
        values = tuple(_comparable(partition_value(file, schema.field(name))) for name in columns)
        if values not in numbers:
            numbers[values] = len(folders)
            folders.append(file.folder if columns else "")
        of_files[index] = numbers[values]
    of_rows = np.zeros(batch.num_rows, np.int64)
    for values, rows in _groups(batch, columns):
        if values not in numbers:
            numbers[values] = len(folders)
            folders.append(_folder(batch, columns, int(rows[0])))
        of_rows[rows] = numbers[values]
    return Placement(of_rows, of_files, tuple(folders))


def _groups(batch: pa.Table, columns: tuple[str, ...]) -> list[tuple[tuple[object, ...], Integers]]:
    """Rows of the batch by the values of its partition columns."""
    if not columns:
        return [((), np.arange(batch.num_rows))]
    names = key_names(len(columns))
    table = pa.table([normal(batch.column(name)) for name in columns], names=names)
    numbered = table.append_column("row", pa.array(np.arange(batch.num_rows)))
    groups = numbered.group_by(names, use_threads=False).aggregate([("row", "list")])
    values = zip(*(groups.column(name).to_pylist() for name in names), strict=True)
    return [(key, rows.values.to_numpy()) for key, rows in zip(values, groups.column("row_list"), strict=True)]


def _comparable(value: pa.Scalar) -> object:
    return normal(pa.array([value], value.type))[0].as_py()


def _folder(batch: pa.Table, columns: tuple[str, ...], row: int) -> str:
    texts = {name: batch.column(name)[row].cast(decoded(batch.field(name).type)).cast(pa.string()) for name in columns}
    return partition_folder({name: text.as_py() for name, text in texts.items()})
