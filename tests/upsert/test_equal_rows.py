"""Rows that have the batch's values already are not written, and a merge that changes no row writes no file (§1.5)."""

from __future__ import annotations

import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog_app.storage.equal_values import same_values
from merge_app.upsert import MergeResult, merge
from merge_app.upsert.changing import _Compared, bounds_of, differ
from merge_app.upsert.dataset import DataFile
from merge_app.upsert.row_groups import group_bounds

NAN = float("nan")
STRUCT = pa.struct([("x", pa.int64()), ("y", pa.list_(pa.string()))])
PAIRS = pa.map_(pa.string(), pa.struct([("n", pa.float64())]))
SAME: dict[str, tuple[pa.DataType, list[tuple[Any, Any, bool]]]] = {
    "whole number": (pa.int64(), [(1, 1, True), (1, 2, False), (None, None, True), (None, 1, False)]),
    "float": (pa.float64(), [(NAN, NAN, True), (0.0, -0.0, True), (NAN, None, False), (NAN, 1.0, False)]),
    "half float": (pa.float16(), [(1.5, 1.5, True), (1.5, 2.0, False)]),
    "text": (pa.string(), [("", "", True), ("", None, False), ("a", "a ", False)]),
    "in a dictionary": (pa.dictionary(pa.int32(), pa.string()), [("a", "a", True), ("a", "b", False)]),
    "decimal": (pa.decimal256(60, 2), [(Decimal("1.10"), Decimal("1.10"), True), (Decimal(1), Decimal(2), False)]),
    "moment": (pa.timestamp("ns", "UTC"), [(5, 5, True), (5, 6, False)]),
    "nothing": (pa.null(), [(None, None, True)]),
    "identifier": (pa.uuid(), [(uuid.UUID(int=1).bytes, uuid.UUID(int=1).bytes, True), (b"a" * 16, b"b" * 16, False)]),
    "list": (
        pa.list_(pa.float64()),
        [([1.0, NAN], [1.0, NAN], True), ([1.0], [1.0, 1.0], False), ([None], [None], True), ([], None, False)],
    ),
    "list of one length": (pa.list_(pa.int8(), 2), [([1, 2], [1, 2], True), ([1, 2], [1, None], False)]),
    "struct": (
        STRUCT,
        [
            ({"x": 1, "y": ["a", None]}, {"x": 1, "y": ["a", None]}, True),
            ({"x": 1, "y": ["a"]}, {"x": 1, "y": ["b"]}, False),
            ({"x": None, "y": None}, None, False),
            (None, None, True),
        ],
    ),
    "map": (
        PAIRS,
        [
            ([("a", {"n": 1.0}), ("b", None)], [("b", None), ("a", {"n": 1.0})], True),
            ([("a", {"n": NAN})], [("a", {"n": NAN})], True),
            ([("a", {"n": 1.0})], [("a", {"n": 2.0})], False),
            ([("a", None)], [("b", None)], False),
            ([], None, False),
        ],
    ),
}


@pytest.mark.parametrize("kind", SAME)
def test_values_are_compared_whole(kind: str) -> None:
    type_, pairs = SAME[kind]
    left, right = (pa.chunked_array([pa.array([None, *(pair[side] for pair in pairs)], type_)]) for side in (0, 1))
    expected = [same for *_, same in pairs]
    assert same_values(left.slice(1), right.slice(1)).tolist() == expected
    assert same_values(right.slice(1), left.slice(1)).tolist() == expected


def written(root: Path, files: list[pa.Table]) -> None:
    root.mkdir()
    for number, table in enumerate(files):
        pq.write_table(table, root / f"{number}.parquet", row_group_size=2)


def rows_of(result: MergeResult) -> tuple[int, int, int]:
    return (result.rows_inserted, result.rows_updated, result.rows_unchanged)


def state(root: Path) -> list[tuple[str, int]]:
    return sorted((path.name, path.stat().st_mtime_ns) for path in root.iterdir())


def test_only_files_of_rows_that_change_are_written(tmp_path: Path) -> None:
    root = tmp_path / "t"
    written(root, [pa.table({"id": range(n, n + 5), "a": ["x"] * 5, "b": [1.5] * 5}) for n in (0, 5)])
    batch = pa.table({"id": [1, 2, 4, 6, 9], "a": ["x", "x", "x", "x", "x"], "b": [1.5, 1.5, 2.5, 1.5, 1.5]})
    result = merge(batch, root, "upsert", "id")
    assert rows_of(result) == (0, 1, 4)
    assert (result.files_scanned, result.files_added, result.files_removed, result.files_reused) == (2, 1, 1, 1)
    assert pq.read_table(root).sort_by("id").column("b").to_pylist() == [1.5] * 4 + [2.5] + [1.5] * 5


def test_column_missing_in_file_is_null_there(tmp_path: Path) -> None:
    root = tmp_path / "t"
    written(root, [pa.table({"id": [1, 2]}), pa.table({"id": [3], "a": ["x"]})])
    before = state(root)
    equal = pa.table({"id": [1, 3], "a": [None, "x"]})
    assert rows_of(merge(equal, root, "update", "id")) == (0, 0, 2)
    assert state(root) == before
    assert rows_of(merge(pa.table({"id": [1, 3], "a": ["y", "x"]}), root, "update", "id")) == (0, 1, 1)


def test_column_missing_in_batch_is_no_difference(tmp_path: Path) -> None:
    root = tmp_path / "t"
    written(root, [pa.table({"id": [1, 2], "a": ["x", "y"], "b": [1, 2]})])
    before = state(root)
    result = merge(pa.table({"id": [1, 2], "a": ["x", "y"]}), root, "upsert", "id", schema_evolution=True)
    assert rows_of(result) == (0, 0, 2)
    assert state(root) == before


def test_a_new_column_without_values_writes_nothing(tmp_path: Path) -> None:
    root = tmp_path / "t"
    written(root, [pa.table({"id": [1, 2]})])
    before = state(root)
    batch = pa.table({"id": [1, 2], "a": pa.nulls(2, pa.string())})
    result = merge(batch, root, "upsert", "id", schema_evolution=True)
    assert (rows_of(result), result.added_columns, result.bytes_written) == ((0, 0, 2), (), 0)
    assert state(root) == before


def test_a_row_that_moves_to_another_partition_changes(tmp_path: Path) -> None:
    root = tmp_path / "t"
    first = pa.table({"id": [1, 2], "day": ["mon", "tue"], "v": [1, 2]})
    merge(first, root, "insert", "id", partition_columns="day")
    assert rows_of(merge(first, root, "upsert", "id")) == (0, 0, 2)
    moved = first.set_column(1, "day", pa.array(["mon", "wed"]))
    assert rows_of(merge(moved, root, "upsert", "id")) == (0, 1, 1)
    assert sorted(folder.name for folder in root.iterdir()) == ["day=mon", "day=wed"]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The columns that are read to be compared, in their order."""
    names: list[str] = []
    stored = _Compared._stored

    def noted(self: _Compared, group: int, field: pa.Field) -> pa.Table:
        names.append(field.name)
        return stored(self, group, field)

    monkeypatch.setattr(_Compared, "_stored", noted)
    return names


def test_no_column_is_read_where_bounds_prove_difference(tmp_path: Path, read: list[str]) -> None:
    root = tmp_path / "t"
    written(root, [pa.table({"id": [1, 2, 3], "a": ["x"] * 3, "at": [5, 6, 7]})])
    later = pa.table({"id": [1, 2, 3], "a": ["x"] * 3, "at": [8, 9, 10]})
    assert (rows_of(merge(later, root, "update", "id")), read) == ((0, 3, 0), [])
    touching = later.set_column(2, "at", pa.array([10, 11, 12]))
    assert rows_of(merge(touching, root, "update", "id")) == (0, 3, 0)
    assert read


def test_column_where_rows_differed_is_compared_first(tmp_path: Path, read: list[str]) -> None:
    root = tmp_path / "t"
    rows = pa.table({"id": range(6), "a": [1] * 6, "note": [f"{'x' * 50} {n}" for n in range(6)]})
    written(root, [rows])
    changed = rows.set_column(2, "note", pa.array([f"{'x' * 50} {5 - n}" for n in range(6)]))
    assert rows_of(merge(changed, root, "update", "id")) == (0, 6, 0)
    assert read == ["a", "note", "note", "note"]


FLOATS = st.none() | st.sampled_from([0.0, -0.0, NAN, 1.0, 2.0, float("inf")])


def written_alone(values: pa.Array) -> DataFile:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"v": values}), sink)
    footer = pq.read_metadata(pa.BufferReader(sink.getvalue()))
    return DataFile("a.parquet", footer, footer.schema.to_arrow_schema())


@given(stored=st.lists(FLOATS, min_size=1, max_size=4), batch=st.lists(FLOATS, min_size=1, max_size=4))
def test_bounds_never_say_that_equal_values_differ(stored: list[Any], batch: list[Any]) -> None:
    field = pa.field("v", pa.float64())
    given_ = bounds_of(pa.chunked_array([pa.array(batch, field.type)]), field)
    one, other = ({repr(None if value is None else value + 0.0) for value in values} for values in (stored, batch))
    assert not (differ(group_bounds(written_alone(pa.array(stored, field.type)), 0, field), given_) and one & other)


def test_file_with_every_row_changed_keeps_its_order(tmp_path: Path) -> None:
    root = tmp_path / "t"
    written(root, [pa.table({"id": [3, 1, 2], "v": ["c", "a", "b"]})])
    assert rows_of(merge(pa.table({"v": ["A", "B", "C"], "id": [1, 2, 3]}), root, "update", "id")) == (0, 3, 0)
    (file,) = root.iterdir()
    assert pq.read_table(file).to_pylist() == [{"id": 3, "v": "C"}, {"id": 1, "v": "A"}, {"id": 2, "v": "B"}]
