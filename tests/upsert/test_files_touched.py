"""Files that cannot hold a key are not read, and only files that hold one are written (rows §2)."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from merge_app.upsert import MergeResult, merge
from merge_app.upsert.dataset import dataset_read
from merge_app.upsert.row_groups import may_match
from merge_app.upsert.schemas import conformed

NAN = float("nan")
COUNT, ROWS = 500, 20


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """500 files of 20 rows each, clustered by id."""
    root = tmp_path / "t"
    root.mkdir()
    for number in range(COUNT):
        ids = pa.array(range(number * ROWS, (number + 1) * ROWS))
        pq.write_table(pa.table({"id": ids, "v": ids}), root / f"{number:04}.parquet")
    return root


def files_of(result: MergeResult) -> dict[str, int]:
    names = ("skipped", "scanned", "added", "removed", "reused")
    return {name: getattr(result, f"files_{name}") for name in names}


@pytest.mark.parametrize("use_merge", [True, False])
def test_batch_reads_and_rewrites_5_of_500_files(root: Path, use_merge: bool) -> None:
    before = {path.name: path.stat().st_ino for path in root.iterdir()}
    ids = [number * 100 * ROWS + 3 for number in range(5)]
    result = merge(pa.table({"id": ids, "v": [0] * 5}), root, "upsert", "id", use_merge=use_merge)
    assert (result.rows_updated, result.rows_inserted) == (5, 0)
    assert files_of(result) == {"skipped": 495, "scanned": 5, "added": 5, "removed": 5, "reused": 495}
    after = {path.name: path.stat().st_ino for path in root.iterdir()}
    assert len(before.items() & after.items()) == 495


def test_files_without_the_key_are_kept(root: Path) -> None:
    pq.write_table(pa.table({"id": [-10, -5], "v": [1, 1]}), root / "gap.parquet")
    result = merge(pa.table({"id": [-7, 3], "v": [0, 0]}), root, "update", "id")
    assert files_of(result) == {"skipped": 499, "scanned": 2, "added": 1, "removed": 1, "reused": 500}


def test_inserts_add_one_file_and_rewrite_none(root: Path) -> None:
    result = merge(pa.table({"id": [3, 10**6, 10**7], "v": [0, 0, 0]}), root, "insert", "id")
    assert files_of(result) == {"skipped": 499, "scanned": 1, "added": 1, "removed": 0, "reused": 500}


def test_only_row_groups_possibly_holding_key_are_read(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": range(100)}), tmp_path / "a.parquet", row_group_size=10)
    groups = may_match(dataset_read(tmp_path), ["id"], pa.schema([("id", pa.int64())]), pa.table({"id": [25, 26, 71]}))
    assert [(group.group, group.first) for group in groups] == [(2, 20), (7, 70)]


def _kept(folder: Path, files: list[pa.Table], batch: pa.Table) -> list[int]:
    """Numbers of the files that are read for a batch."""
    for number, table in enumerate(files):
        pq.write_table(table, folder / f"{number:03}.parquet")
    dataset = dataset_read(folder)
    assert dataset.schema is not None
    fitting = conformed(batch, dataset.schema)
    return sorted({group.file for group in may_match(dataset, batch.column_names, dataset.schema, fitting)})


def test_components_of_a_key_prune_together(tmp_path: Path) -> None:
    files = [
        pa.table({"a": ["eu", "eu"], "b": [1, 10]}),
        pa.table({"a": ["eu", "eu"], "b": [1000, 2000]}),
        pa.table({"a": ["us", "us"], "b": [1000, 2000]}),
        pa.table({"a": [None, "us"], "b": [5, 9]}),
    ]
    batch = pa.table({"a": ["eu", "us", None], "b": [4, 1500, 7]})
    assert _kept(tmp_path, files, batch) == [0, 2, 3]


KINDS: dict[str, Callable[[int], Any]] = {
    "text": lambda n: f"{n:03}",
    "decimal": lambda n: Decimal(n) / 100,
    "date": lambda n: datetime.date(2026, 1, 1) + datetime.timedelta(n),
    "float": lambda n: n + 0.5,
    "bytes": lambda n: bytes([n]),
}
MOMENTS = [
    pa.timestamp("s"),
    pa.timestamp("ms"),
    pa.timestamp("ns", "UTC"),
    pa.date64(),
    pa.time32("s"),
    pa.time64("us"),
]


@pytest.mark.parametrize("kind", KINDS)
def test_every_type_of_key_prunes(tmp_path: Path, kind: str) -> None:
    value = KINDS[kind]
    files = [pa.table({"k": [value(low), value(low + 9)]}) for low in range(0, 100, 10)]
    assert _kept(tmp_path, files, pa.table({"k": [value(15), value(71)]})) == [1, 7]


@pytest.mark.parametrize("kind", MOMENTS, ids=str)
def test_moments_prune_in_unit_of_file(tmp_path: Path, kind: pa.DataType) -> None:
    day = 86_400_000
    files = [
        pa.table({"k": pa.array([n * day, (n + 9) * day], pa.int64()).cast(_whole(kind)).cast(kind)}) for n in (0, 10)
    ]
    batch = pa.table({"k": files[1].column("k")})
    assert _kept(tmp_path, files, batch) == [1]


def _whole(kind: pa.DataType) -> pa.DataType:
    return pa.int32() if kind.bit_width == 32 else pa.int64()


def test_nan_hides_from_bounds_and_null_does_not(tmp_path: Path) -> None:
    files = [pa.table({"k": [1.0, NAN]}), pa.table({"k": [1.0, None]}), pa.table({"k": pa.nulls(2, pa.float64())})]
    folders = [tmp_path / name for name in ("nan", "null")]
    for folder in folders:
        folder.mkdir()
    assert _kept(folders[0], files, pa.table({"k": [NAN]})) == [0, 1]
    assert _kept(folders[1], files, pa.table({"k": pa.array([None], pa.float64())})) == [1, 2]


def test_files_without_statistics_are_read(tmp_path: Path) -> None:
    pq.write_table(pa.table({"k": [1]}), tmp_path / "a.parquet", write_statistics=False)
    dataset = dataset_read(tmp_path)
    assert dataset.schema is not None
    assert len(may_match(dataset, ["k"], dataset.schema, pa.table({"k": [9]}))) == 1


FLOATS = st.none() | st.sampled_from([0.0, -0.0, NAN, 1.0, 2.0, float("inf")])
TEXTS = st.none() | st.sampled_from(["", "a", "b", "ä"])


@given(
    files=st.lists(st.lists(st.tuples(FLOATS, TEXTS), min_size=1, max_size=4), min_size=1, max_size=5),
    batch=st.lists(st.tuples(FLOATS, TEXTS), min_size=1, max_size=4),
)
def test_no_file_that_holds_a_key_is_skipped(
    tmp_path_factory: pytest.TempPathFactory, files: list[list[tuple[Any, Any]]], batch: list[tuple[Any, Any]]
) -> None:
    def table(rows: list[tuple[Any, Any]]) -> pa.Table:
        return pa.table(
            {"a": pa.array([a for a, _ in rows], pa.float64()), "b": pa.array([b for _, b in rows], pa.string())}
        )

    def keys(rows: list[tuple[Any, Any]]) -> set[tuple[str, Any]]:
        return {(repr(None if a is None else a + 0.0), b) for a, b in rows}

    kept = _kept(tmp_path_factory.mktemp("pruning"), [table(rows) for rows in files], table(batch))
    assert {number for number, rows in enumerate(files) if keys(rows) & keys(batch)} <= set(kept)
