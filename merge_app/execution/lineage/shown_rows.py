"""Rows by their images, as answers show them: a row may lie in another partition than its file was written to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from catalog_app.domain.schema import Column, Schema
from catalog_app.storage.cells import RowCells
from merge_app.execution.lineage.readers import Reader
from merge_app.lineage.facts import ABSENT, Array, Ints, image_places

Row = list[Any] | None
"""The values of a row by column; None: it is not there."""
UNMOVED = ABSENT
"""In place of the code of a partition: the row lies where its file was written."""


def rows_there(
    reader: Reader, schema: Schema, images: Ints, partitions: Array, *, with_keys: bool = False
) -> list[Row]:
    """Rows as ``rows_shown`` gives them, None where there is no image."""
    found: list[Row] = [None] * len(images)
    present = np.flatnonzero(images != ABSENT)
    rows = rows_shown(reader, schema, images[present], partitions[present], with_keys=with_keys)
    for place, row in zip(present.tolist(), rows, strict=True):
        found[place] = row
    return found


def cells_there(reader: Reader, columns: Sequence[Column], images: Ints) -> RowCells:
    """The cells of images in columns that are not of the partition. Raises NotSupported for types that Arrow lacks."""
    return reader.engine().cells_read(*reader.find(images, Schema(tuple(columns))))


def rows_named(reader: Reader, schema: Schema, images: Ints, partitions: Array, columns: Sequence[int]) -> list[str]:
    """The cells of images in these columns as JSON."""
    wanted = Schema(
        columns=tuple(c for c in schema.columns if c.id in columns or c.id in schema.partition_by),
        primary_key=tuple(columns),
        partition_by=schema.partition_by,
    )
    return [row[-1] for row in rows_shown(reader, wanted, images, partitions, with_keys=True)]


def rows_shown(
    reader: Reader, schema: Schema, images: Ints, partitions: Array, *, with_keys: bool = False
) -> list[list[Any]]:
    """The rows read under ``schema``, in the order of ``images``; ``partitions``: by row the code of where it lies.
    ``with_keys``: the primary key as JSON stands behind the values.
    """
    found: list[list[Any]] = [[]] * len(images)
    files = image_places(images)[0]
    partitions = _named(reader, files, partitions if schema.partition_by else np.full(len(images), UNMOVED))
    for places in _rounds(files, partitions):
        of_files = zip(files[places].tolist(), partitions[places].tolist(), strict=True)
        lies = {file_id: reader.values(code) for file_id, code in dict(of_files).items()}
        rows = reader.engine().cells_show(*reader.find(images[places], schema, lies), with_keys=with_keys)
        for place, row in zip(places.tolist(), rows, strict=True):
            found[place] = row
    return found


def _named(reader: Reader, files: Array, partitions: Array) -> Array:
    """The partitions by code, of rows that were not moved too."""
    written = {file: reader.code(reader.scans[file].partition) for file in np.unique(files).tolist()}
    of_files = np.array([written[file] for file in files.tolist()], dtype=np.int64)
    return np.where(partitions == UNMOVED, of_files, partitions)


def _rounds(files: Array, partitions: Array) -> Iterator[Ints]:
    """Positions of rows in parts, in each of which a file lies in one partition; mostly that is one part."""
    numbers: dict[int, dict[int, int]] = defaultdict(dict)
    rounds = np.array(
        [
            numbers[file].setdefault(partition, len(numbers[file]))
            for file, partition in zip(files.tolist(), partitions.tolist(), strict=True)
        ],
        dtype=np.int64,
    )
    for number in range(int(rounds.max()) + 1 if len(rounds) else 0):
        yield np.flatnonzero(rounds == number)
