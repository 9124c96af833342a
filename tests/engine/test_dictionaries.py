"""Leaves inside of arrays and maps are written without a dictionary, which Spark cannot read where it is empty."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from lakeui.common.parquet import dictionary_columns


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
