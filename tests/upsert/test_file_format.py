"""How files are written: compression, sizes, and what of the stored schema must survive."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lakeui.common.errors import InvalidValue
from merge_app.upsert import merge

BATCH = pa.table({"id": range(100), "v": [f"{n}" for n in range(100)]})


def footers(root: Path) -> list[pq.FileMetaData]:
    return [pq.read_metadata(path) for path in sorted(root.rglob("*.parquet"))]


@pytest.mark.parametrize(("compression", "codec"), [("zstd", "ZSTD"), ("snappy", "SNAPPY"), (None, "UNCOMPRESSED")])
def test_compression_is_as_asked(tmp_path: Path, compression: str | None, codec: str) -> None:
    merge(BATCH, tmp_path / "t", "insert", "id", compression=compression)
    assert [footer.row_group(0).column(0).compression for footer in footers(tmp_path / "t")] == [codec]


def test_file_and_row_group_sizes_split_new_rows(tmp_path: Path) -> None:
    merge(BATCH, tmp_path / "t", "insert", "id", max_rows_per_file=40, row_group_size=15)
    groups = sorted([f.row_group(i).num_rows for i in range(f.num_row_groups)] for f in footers(tmp_path / "t"))
    assert groups == [[15, 5], [15, 15, 10], [15, 15, 10]]


def test_rewritten_files_keep_order_and_sizes(tmp_path: Path) -> None:
    merge(BATCH, tmp_path / "t", "insert", "id")
    changed = BATCH.slice(50, 1).set_column(1, "v", pa.array(["new"]))
    result = merge(changed, tmp_path / "t", "update", "id", max_rows_per_file=60, row_group_size=50)
    assert (result.files_added, result.files_removed) == (2, 1)
    written = pa.concat_tables(pq.read_table(path) for path in sorted((tmp_path / "t").iterdir(), key=first_id))
    assert written.column("id").to_pylist() == list(range(100))
    assert written.column("v")[50].as_py() == "new"
    assert sorted(f.num_rows for f in footers(tmp_path / "t")) == [40, 60]


def first_id(path: Path) -> int:
    return int(pq.read_table(path).column("id")[0].as_py())


@pytest.mark.parametrize("size", [{"max_rows_per_file": 0}, {"row_group_size": -1}])
def test_a_size_below_one_row_is_refused(tmp_path: Path, size: dict[str, int]) -> None:
    with pytest.raises(InvalidValue, match=r"is (0|-1)\."):
        merge(BATCH, tmp_path / "t", "insert", "id", **size)


def test_without_size_one_file_has_one_row_group(tmp_path: Path) -> None:
    merge(BATCH, tmp_path / "t", "insert", "id", max_rows_per_file=None, row_group_size=None)
    assert [footer.num_row_groups for footer in footers(tmp_path / "t")] == [1]


def test_an_unknown_compression_is_refused_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(InvalidValue) as refusal:
        merge(BATCH, tmp_path / "t", "insert", "id", compression="zst")
    assert refusal.value.details["nearest"] == "zstd"
    assert list(tmp_path.iterdir()) == []


def test_rewritten_files_keep_ids_and_types(tmp_path: Path) -> None:
    schema = pa.schema(
        [
            pa.field("id", pa.int64(), nullable=False, metadata={"PARQUET:field_id": "4"}),
            pa.field("at", pa.timestamp("ns", "Europe/Berlin")),
            pa.field("big", pa.decimal256(60, 2)),
            pa.field("code", pa.binary(2)),
            pa.field("kind", pa.dictionary(pa.int32(), pa.string())),
        ],
        metadata={"owner": "somebody"},
    )
    values = [[1, 2], [1, 2], [Decimal("1.00"), Decimal("9") * 10**50], [b"ab", b"cd"], ["p", "q"]]
    root = tmp_path / "t"
    root.mkdir()
    pq.write_table(pa.table(values, schema=schema), root / "a.parquet")
    fresh = pa.table([[2, 3], [7, 8], [Decimal("5.00"), None], [b"xy", None], ["r", "p"]], schema=schema)
    merge(fresh, root, "upsert", "id")
    for path in root.iterdir():
        assert pq.read_schema(path).equals(schema, check_metadata=False)
        assert pq.read_schema(path).metadata[b"owner"] == b"somebody"
        assert pq.read_schema(path).field("id").metadata[b"PARQUET:field_id"] == b"4"
    rows = sorted(pa.concat_tables(map(pq.read_table, root.iterdir())).to_pylist(), key=lambda row: row["id"])
    given = pa.table(values, schema=schema).to_pylist()
    assert rows == [given[0], *fresh.to_pylist()]


def test_name_of_rewritten_file_does_not_grow(tmp_path: Path) -> None:
    root = tmp_path / "t"
    root.mkdir()
    pq.write_table(BATCH, root / "part-00000.snappy.parquet")
    for text in ("x", "y", "z"):
        merge(pa.table({"id": [0], "v": [text]}), root, "update", "id")
    (path,) = root.iterdir()
    assert path.name.startswith("part-00000.snappy.")
    assert len(path.name) == len("part-00000.snappy.0123456789ab.parquet")
