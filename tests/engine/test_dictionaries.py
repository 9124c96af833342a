"""What is written with a dictionary: what Spark can read so, and what is shorter so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from catalog_app.domain.files import FileScan, TableScan
from catalog_app.engine.copy_on_write import Marks, copy_touched
from catalog_app.engine.targets import Staged
from catalog_app.engine.writing import FileWriter
from catalog_app.storage.deletes import write_deletes
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


def test_a_copy_is_encoded_as_its_file(tmp_path: Path) -> None:
    """So it takes no more room, but for its row ids, which ascend."""
    warehouse, count = Warehouse(str(tmp_path)), 50_000
    writer = FileWriter(warehouse, lambda *_: count, lambda *_: 0)
    table = pa.table({"id": pa.array(range(count), pa.int64()), "v": pa.array(["a", "b"] * (count // 2))})
    with pa.BufferOutputStream() as content:
        pq.write_table(table, content, compression="zstd", use_dictionary=["v"])
        warehouse.write(f"{(staging := warehouse.new_staging(TABLE))}/0.parquet", content.getvalue())
    (made,) = writer.place(TABLE, [Staged(f"{staging}/0.parquet", ())])
    schema = schema_of("id bigint", "v string")
    file = FileScan(file_id=1, path=made.path, base=made.base, rows=made.rows, schema=schema)
    gone = np.array([3])
    deleted = write_deletes(warehouse, table_id=TABLE, file=file, positions=gone, row_ids=gone + made.base)
    (copy,) = copy_touched(None, writer, TableScan(TABLE, schema, (file,)), Marks((), (deleted,), ())).added
    group = pq.read_metadata(warehouse.absolute(copy.path)).row_group(0)
    leaves = {(leaf := group.column(place)).path_in_schema: leaf.encodings for place in range(group.num_columns)}
    assert leaves["id"] == ("RLE", "PLAIN")
    assert "RLE_DICTIONARY" in leaves["v"]
    assert leaves["_row_id"] == ("RLE", "DELTA_BINARY_PACKED")
    assert copy.rows == count - 1
    assert copy.bytes < made.bytes * 1.05
