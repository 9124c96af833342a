"""Data sets in Hive partitions: where rows go, and how keys move between partitions."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from lakeui.common.errors import InvalidValue, NotSupported
from merge_app.upsert import merge
from tests.upsert.model import as_bag

COLUMNS = ["id", "v", "p"]


def batch(*rows: tuple[Any, Any, Any], kind: pa.DataType | None = None) -> pa.Table:
    ids, values, partitions = zip(*rows, strict=True)
    return pa.table({"id": ids, "v": values, "p": pa.array(partitions, kind or pa.string())})


def read(root: Path, kind: pa.DataType | None = None) -> pa.Table:
    """All rows, as a reader of Hive partitions sees them."""
    partitioning = ds.partitioning(pa.schema([("p", kind or pa.string())]), flavor="hive")
    return ds.dataset(root, partitioning=partitioning).to_table()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    merge(batch((1, "a", "x"), (2, "b", "x"), (3, "c", "y")), tmp_path / "t", "insert", "id", partition_columns="p")
    return tmp_path / "t"


def folders(root: Path) -> set[str]:
    return {path.parent.relative_to(root).as_posix() for path in root.rglob("*.parquet")}


def test_new_data_set_has_one_folder_per_value(root: Path) -> None:
    assert folders(root) == {"p=x", "p=y"}
    assert "p" not in pq.read_schema(next(root.rglob("*.parquet"))).names


@pytest.mark.parametrize("use_merge", [True, False])
def test_moved_key_is_deleted_there_and_inserted_here(root: Path, use_merge: bool) -> None:
    result = merge(batch((2, "B", "y"), (4, "D", "z")), root, "upsert", "id", use_merge=use_merge)
    assert (result.rows_updated, result.rows_inserted) == (1, 1)
    assert as_bag(read(root), COLUMNS) == as_bag(
        batch((1, "a", "x"), (2, "B", "y"), (3, "c", "y"), (4, "D", "z")), COLUMNS
    )


def test_partition_whose_last_row_moves_away_is_gone(root: Path) -> None:
    merge(batch((3, "C", "x")), root, "update", "id")
    assert folders(root) == {"p=x"}
    assert read(root).num_rows == 3


def test_partition_column_in_key_leaves_other_partitions_unchanged(root: Path) -> None:
    result = merge(batch((1, "A", "y"), (3, "C", "y")), root, "upsert", ["id", "p"])
    assert (result.rows_updated, result.rows_inserted, result.files_skipped) == (1, 1, 1)
    assert as_bag(read(root), COLUMNS) == as_bag(
        batch((1, "a", "x"), (2, "b", "x"), (3, "C", "y"), (1, "A", "y")), COLUMNS
    )


def test_null_is_own_partition_and_matches_itself(root: Path) -> None:
    merge(batch((1, "n", None), (2, "B", "x")), root, "upsert", ["id", "p"])
    assert folders(root) == {"p=x", "p=y", "p=__HIVE_DEFAULT_PARTITION__"}
    result = merge(batch((1, "N", None), (9, "q", None)), root, "upsert", ["id", "p"])
    assert (result.rows_updated, result.rows_inserted) == (1, 1)
    expected = batch((1, "a", "x"), (2, "B", "x"), (3, "c", "y"), (1, "N", None), (9, "q", None))
    assert as_bag(read(root), COLUMNS) == as_bag(expected, COLUMNS)


@pytest.mark.parametrize("value", ["a/b", "50%", "x=y", "ü b", ".hidden", "..", ""])
def test_values_special_in_paths_are_found_again(tmp_path: Path, value: str) -> None:
    root = tmp_path / "t"
    merge(batch((1, "a", value)), root, "upsert", ["id", "p"], partition_columns="p")
    assert merge(batch((1, "b", value)), root, "upsert", ["id", "p"]).rows_updated == 1
    assert as_bag(read(root), COLUMNS) == as_bag(batch((1, "b", value)), COLUMNS)


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        (pa.int32(), 7, -8),
        (pa.bool_(), True, False),
        (pa.date32(), datetime.date(2026, 1, 31), datetime.date(1, 1, 1)),
        (pa.timestamp("us"), datetime.datetime(2026, 1, 1, 10, 30), datetime.datetime(2026, 1, 1)),  # noqa: DTZ001
        (pa.dictionary(pa.int32(), pa.string()), "q", "r"),
    ],
)
def test_partition_values_have_the_type_of_the_batch(tmp_path: Path, kind: pa.DataType, one: Any, other: Any) -> None:
    root = tmp_path / "t"
    merge(batch((1, "a", one), kind=kind), root, "insert", ["id", "p"], partition_columns="p")
    result = merge(batch((1, "b", one), (1, "c", other), kind=kind), root, "upsert", ["id", "p"])
    assert (result.rows_updated, result.rows_inserted) == (1, 1)
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    expected = batch((1, "b", one), (1, "c", other), kind=plain)
    assert as_bag(read(root, plain), COLUMNS) == as_bag(expected, COLUMNS)


def test_a_partition_keeps_the_spelling_of_its_folder(tmp_path: Path) -> None:
    root = tmp_path / "t"
    (root / "p=007").mkdir(parents=True)
    pq.write_table(pa.table({"id": [1], "v": ["a"]}), root / "p=007" / "a.parquet")
    merge(batch((1, "b", 7), (2, "c", 7), kind=pa.int32()), root, "upsert", "id")
    assert folders(root) == {"p=007"}


def test_partition_columns_differing_from_data_set_are_refused(root: Path) -> None:
    with pytest.raises(InvalidValue, match="is partitioned by p, not by v"):
        merge(batch((1, "a", "x")), root, "upsert", "id", partition_columns="v")


def test_a_batch_without_the_partition_column_is_refused(root: Path) -> None:
    with pytest.raises(InvalidValue, match="no partition column p"):
        merge(pa.table({"id": [1], "v": ["a"]}), root, "upsert", "id", schema_evolution=True)


def test_files_in_unlike_folders_are_refused(root: Path) -> None:
    pq.write_table(pa.table({"id": [1], "v": ["a"]}), root / "stray.parquet")
    with pytest.raises(InvalidValue, match="partitioned by"):
        merge(batch((1, "a", "x")), root, "upsert", "id")


def test_folder_with_value_of_wrong_type_is_named(root: Path) -> None:
    with pytest.raises(InvalidValue, match="says 'x' for p"):
        merge(batch((1, "a", 3), kind=pa.int64()), root, "upsert", "id")


def test_floating_point_numbers_do_not_partition(tmp_path: Path) -> None:
    with pytest.raises(NotSupported, match="cannot partition"):
        merge(batch((1, "a", 0.5), kind=pa.float64()), tmp_path / "t", "insert", "id", partition_columns="p")
