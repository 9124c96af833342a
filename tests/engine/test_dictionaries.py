"""What is written with a dictionary: what Spark can read so, and what is shorter so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from catalog_app.domain.files import FileScan, TableScan
from catalog_app.engine.copy_on_write import Marks, copy_touched
from catalog_app.engine.rewriting import part_rows
from catalog_app.engine.targets import Staged
from catalog_app.engine.writing import FileWriter
from catalog_app.storage.deletes import StoredFacts, write_deletes
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.parquet import dictionary_columns
from tests.engine.lake import TABLE, schema_of


def test_leaves_of_arrays_and_maps_have_no_dictionary(tmp_path: Path) -> None:
    columns = {
        "k": pa.array([1], pa.int32()),
        "a": pa.array([[None]], pa.list_(pa.int16())),
        "m": pa.array([[("x", None)]], pa.map_(pa.string(), pa.int32())),
        "s": pa.array(
            [{"x": "y", "a": [{"z": None}]}],
            pa.struct({"x": pa.string(), "a": pa.list_(pa.struct({"z": pa.string()}))}),
        ),
    }
    table = pa.table(columns)
    pq.write_table(table, tmp_path / "t.parquet", use_dictionary=dictionary_columns(table.schema))
    group = pq.read_metadata(tmp_path / "t.parquet").row_group(0)
    leaves = [group.column(place) for place in range(group.num_columns)]
    assert {leaf.path_in_schema: leaf.has_dictionary_page for leaf in leaves} == {
        "k": True,
        "a.list.element": False,
        "m.key_value.key": False,
        "m.key_value.value": False,
        "s.x": True,
        "s.a.list.element.z": False,
    }


COUNT = 50_000
SCHEMA = schema_of("id bigint", "v string")


def file_made(writer: FileWriter) -> FileScan:
    """One whose ids repeat nothing, without row ids."""
    table = pa.table({"id": pa.array(range(COUNT), pa.int64()), "v": pa.array(["a", "b"] * (COUNT // 2))})
    with pa.BufferOutputStream() as content:
        pq.write_table(table, content, compression="zstd", use_dictionary=["v"])
        (made,) = writer.place(TABLE, [Staged("", (), content=content.getvalue())])
    return FileScan(file_id=1, path=made.path, base=made.base, rows=made.rows, schema=SCHEMA, bytes=made.bytes)


def encodings(warehouse: Warehouse, path: str) -> dict[str, tuple[str, ...]]:
    group = pq.read_metadata(warehouse.absolute(path)).row_group(0)
    return {(leaf := group.column(place)).path_in_schema: leaf.encodings for place in range(group.num_columns)}


def test_part_of_file_has_no_needless_dictionary(tmp_path: Path) -> None:
    """A merge of branches writes a file anew, and its ids repeat nothing there either."""
    warehouse = Warehouse(str(tmp_path))
    writer = FileWriter(warehouse, lambda *_: COUNT, lambda *_: 0)
    positions = np.arange(0, COUNT, 2, dtype=np.int64)
    facts = StoredFacts(*(np.ones(COUNT, dtype=np.int64) for _ in range(4)))
    part = part_rows(writer, TABLE, file_made(writer), positions, facts)
    leaves = encodings(warehouse, part.path)
    assert leaves["id"] == ("RLE", "PLAIN")
    assert "RLE_DICTIONARY" in leaves["v"]
    assert part.rows == len(positions)


def test_a_copy_is_encoded_as_its_file(tmp_path: Path) -> None:
    """So it takes no more room, but for its row ids, which ascend."""
    warehouse = Warehouse(str(tmp_path))
    writer = FileWriter(warehouse, lambda *_: COUNT, lambda *_: 0)
    file = file_made(writer)
    gone = np.array([3])
    deleted = write_deletes(warehouse, table_id=TABLE, file=file, positions=gone, row_ids=gone + file.base)
    (copy,) = copy_touched(None, writer, TableScan(TABLE, SCHEMA, (file,)), Marks((), (deleted,), ())).added
    leaves = encodings(warehouse, copy.path)
    assert leaves["id"] == ("RLE", "PLAIN")
    assert "RLE_DICTIONARY" in leaves["v"]
    assert leaves["_row_id"] == ("RLE", "DELTA_BINARY_PACKED")
    assert copy.rows == COUNT - 1
    assert copy.bytes < file.bytes * 1.05
