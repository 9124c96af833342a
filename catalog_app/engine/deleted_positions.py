"""The rows that delete files mark, while they are few enough to stand in the text of a query.

To look rows up among others takes Spark a job of its own, which costs more than all else that is asked of a
small table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from catalog_app.engine.cached_answers import Known
from catalog_app.storage.deletes import POSITION_COLUMN

if TYPE_CHECKING:
    from catalog_app.domain.files import FileScan
    from catalog_app.storage.warehouse import Warehouse

FEW_MARKS = 500
"""More addresses than these are looked up by Spark."""
FEW_FILES = 20
"""This process opens so many delete files at most, one after the other."""

Positions = tuple[int, ...]
_known: Known[str, Positions] = Known()
"""By path; what is written into a file never changes."""


def few_addresses(warehouse: Warehouse, files: Sequence[FileScan]) -> list[int] | None:
    """The addresses that the deletes of these files mark, ascending; None where they are too many to be listed."""
    marking = {(file.base, path) for file in files for path in file.delete_paths}
    if len(marking) > FEW_FILES:
        return None
    found: set[int] = set()
    for base, path in marking:
        positions = _positions(warehouse, path)
        if positions is None:
            return None
        found.update(base + position for position in positions)
        if len(found) > FEW_MARKS:
            return None
    return sorted(found)


def _positions(warehouse: Warehouse, path: str) -> Positions | None:
    """What a delete file marks; None where that is too much, or where the file is gone, which Spark says."""
    place = warehouse.spark_path(path)
    found = _known.get(place)
    if found is not None:
        return found
    try:
        with pq.ParquetFile(warehouse.absolute(path), filesystem=warehouse.filesystem) as file:
            if file.metadata.num_rows > FEW_MARKS:
                return None
            positions = file.read(columns=[POSITION_COLUMN]).column(0).to_pylist()
    except FileNotFoundError:
        return None
    return _known.keep(place, tuple(positions))


def is_among(value: str, numbers: Iterable[int]) -> str:
    """SQL of whether a value is one of these numbers."""
    listed = ", ".join(f"{number}L" for number in numbers)
    return f"{value} IN ({listed})" if listed else "false"
