"""The rows of a table of Apache Iceberg that its delete files and deletion vectors mark, by position."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq

from catalog_app.takeover.iceberg_metadata import named_input
from catalog_app.takeover.locations import Locations
from lakeui.common.errors import InvalidValue, NotSupported

if TYPE_CHECKING:
    from pyiceberg.table import FileScanTask


def deleted_positions(locations: Locations, tasks: Sequence[FileScanTask]) -> dict[str, Any]:
    """By data file as the metadata name it, the positions that its delete files mark, ascending."""
    found: dict[str, list[Any]] = {}
    read: dict[str, Callable[[str], Any]] = {}
    for task in tasks:
        for delete in task.delete_files:
            path = delete.file_path
            if path not in read:
                read[path] = _marks(locations, path, str(delete.file_format.value))
            found.setdefault(task.file.file_path, []).append(read[path](task.file.file_path))
    return {path: np.unique(np.concatenate(parts)).astype(np.int64) for path, parts in found.items()}


def _marks(locations: Locations, path: str, form: str) -> Callable[[str], Any]:
    """The positions that a delete file marks, by data file."""
    place = locations.find(path)
    if form == "PUFFIN":
        with named_input(locations, place) as stream:
            vectors = _vectors(path, stream.read())
        return lambda data: vectors.get(data, np.empty(0, np.int64))
    if form != "PARQUET":
        raise NotSupported(f"The delete file {path} is {form}.", remedy="Write it as Parquet.")
    with named_input(locations, place) as stream:
        marks = pq.read_table(stream, columns=["file_path", "pos"])
    return lambda data: marks.filter(pc.equal(marks.column("file_path"), data)).column("pos").to_numpy()


def _vectors(path: str, content: bytes) -> dict[str, Any]:
    from pyiceberg.table.deletion_vector import deletion_vectors_from_puffin_file
    from pyiceberg.table.puffin import PuffinFile

    try:
        vectors = deletion_vectors_from_puffin_file(PuffinFile(content))
    except (ValueError, KeyError) as error:
        raise InvalidValue(
            f"The deletion vectors of {path} cannot be read.", remedy="Name metadata whose files are all whole."
        ) from error
    return {vector.referenced_data_file: vector.to_vector().to_numpy() for vector in vectors}
