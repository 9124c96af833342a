"""Columns and fields of structs go by name, at every depth."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lakeui.common.errors import InvalidValue
from merge_app.upsert import merge

PERSON = pa.struct([("x", pa.int32()), ("name", pa.string())])
WRAPS = ("struct", "list", "map")
PATHS = {"struct": "p", "list": "p.element", "map": "p.value"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "t"


def people(wrap: str, kind: pa.DataType, values: dict[int, dict[str, object]]) -> pa.Table:
    """Rows of an id and a column p, which holds structs of the type as they are, in lists or in maps."""
    types = {"struct": kind, "list": pa.list_(kind), "map": pa.map_(pa.string(), kind)}
    return pa.table({"id": list(values), "p": pa.array([wrapped(wrap, row) for row in values.values()], types[wrap])})


def wrapped(wrap: str, value: object) -> object:
    return {"struct": value, "list": [value], "map": [("k", value)]}[wrap]


def stored(root: Path) -> list[object]:
    return list(pq.read_table(root).sort_by("id").column("p").to_pylist())


@pytest.mark.parametrize("wrap", WRAPS)
def test_fields_go_by_name_and_missing_are_null(root: Path, wrap: str) -> None:
    merge(people(wrap, PERSON, {1: {"x": 1, "name": "a"}, 2: {"x": 2, "name": "b"}}), root, "insert", "id")
    turned = pa.struct([("name", pa.string()), ("x", pa.int32())])
    result = merge(people(wrap, turned, {1: {"name": "a", "x": 1}, 2: {"name": "B", "x": 3}}), root, "upsert", "id")
    assert (result.rows_updated, result.rows_unchanged) == (1, 1)
    merge(people(wrap, pa.struct([("name", pa.string())]), {1: {"name": "A"}}), root, "upsert", "id")
    assert stored(root) == [wrapped(wrap, {"x": None, "name": "A"}), wrapped(wrap, {"x": 3, "name": "B"})]


@pytest.mark.parametrize("extra", ["refuse", "ignore"])
@pytest.mark.parametrize("wrap", WRAPS)
def test_field_missing_in_column_is_refused_by_name(root: Path, wrap: str, extra: str) -> None:
    merge(people(wrap, PERSON, {1: {"x": 1, "name": "a"}}), root, "insert", "id")
    batch = people(wrap, pa.struct([("x", pa.int32()), ("nmae", pa.string())]), {1: {"x": 1, "nmae": "b"}})
    with pytest.raises(InvalidValue) as refusal:
        merge(batch, root, "upsert", "id", extra_columns=extra)
    path = PATHS[wrap]
    assert (refusal.value.details["field"], refusal.value.details["nearest"]) == (f"{path}.nmae", f"{path}.name")
    assert stored(root) == [wrapped(wrap, {"x": 1, "name": "a"})]


@pytest.mark.parametrize("wrap", WRAPS)
def test_with_evolution_struct_gains_fields_and_wider_ones(root: Path, wrap: str) -> None:
    for number in (1, 2):
        merge(people(wrap, PERSON, {number: {"x": number, "name": "a"}}), root, "insert", "id")
    wider = pa.struct([("more", pa.string()), ("x", pa.int64())])
    merge(people(wrap, wider, {2: {"more": "m", "x": 2**40}}), root, "upsert", "id", schema_evolution=True)
    # The other file has the narrow type still.
    assert merge(people(wrap, wider, {1: {"more": "n", "x": 2**41}}), root, "upsert", "id").rows_updated == 1
    assert stored(root) == [
        wrapped(wrap, {"x": 2**41, "name": None, "more": "n"}),
        wrapped(wrap, {"x": 2**40, "name": None, "more": "m"}),
    ]


def test_case_makes_no_difference_between_names_of_columns(root: Path) -> None:
    batch = pa.table({"id": [1, 2], "v": ["a", "b"]})
    merge(batch, root, "insert", "id")
    result = merge(pa.table({"V": ["B", "c"], "ID": [2, 3]}), root, "upsert", "Id")
    assert (result.rows_updated, result.rows_inserted) == (1, 1)
    assert pq.read_table(root).sort_by("id").to_pydict() == {"id": [1, 2, 3], "v": ["a", "B", "c"]}
    parts = pa.table({"ID": [3], "v": ["C"]}).to_reader()
    assert merge(parts, root, "upsert", "ID").rows_updated == 1
    with pytest.raises(InvalidValue, match="named twice"):
        merge(batch.append_column("V", batch.column("v")), root, "upsert", "id")
