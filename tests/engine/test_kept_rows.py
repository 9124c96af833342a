"""Rows of kept results in pieces: none lost, none twice, and none larger than it has to be."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from catalog_app.domain.results import KeptFile, names_apart
from catalog_app.engine.result_streams import arrow_sent, csv_sent, parquet_sent
from catalog_app.storage.kept_results import MOST_ROWS, PIECE_BYTES, kept_batches, kept_schema
from catalog_app.storage.warehouse import Warehouse

NAMES = ["n", "t"]


def kept(warehouse: Warehouse, *parts: pa.Table, group: int = 7) -> list[KeptFile]:
    files = []
    for number, part in enumerate(parts):
        path = f"results/x/part-{number:05}.parquet"
        warehouse.make_folder("results/x")
        pq.write_table(part, warehouse.absolute(path), row_group_size=group)
        files.append(KeptFile(path, part.num_rows, warehouse.size(path), tuple(part.column_names)))
    return files


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    return Warehouse(str(tmp_path))


def numbers(first: int, last: int, names: tuple[str, str] = ("c0", "c1")) -> pa.Table:
    values = range(first, last)
    return pa.table(dict(zip(names, [pa.array(values, pa.int64()), [f"t{value}" for value in values]], strict=True)))


def test_each_start_and_limit_gives_its_rows(warehouse: Warehouse) -> None:
    files = kept(warehouse, numbers(0, 20), numbers(20, 20), numbers(20, 33, ("a", "b")), numbers(33, 34))
    schema = kept_schema(warehouse, files, NAMES)
    for start in range(36):
        for limit in (None, 1, 6, 7, 8, 40):
            found = pa.Table.from_batches(kept_batches(warehouse, files, schema, start=start, limit=limit), schema)
            wanted = list(range(34))[start:][:limit]
            assert found.column("n").to_pylist() == wanted, (start, limit)
            assert found.column("t").to_pylist() == [f"t{value}" for value in wanted]


def test_a_column_may_stand_there_twice(warehouse: Warehouse) -> None:
    (file,) = kept(warehouse, numbers(0, 3))
    twice = [KeptFile(file.path, file.rows, file.bytes, ("c0", "c0"))]
    schema = kept_schema(warehouse, twice, names_apart(["n", "n"]))
    assert [batch.to_pydict() for batch in kept_batches(warehouse, twice, schema)] == [
        {"n": [0, 1, 2], "n_2": [0, 1, 2]}
    ]


def test_wide_rows_come_in_small_pieces_despite_dictionary(warehouse: Warehouse) -> None:
    wide = pa.table({"c0": range(2_000), "c1": ["x" * 100_000] * 2_000})
    files = kept(warehouse, wide, group=2_000)
    assert files[0].bytes < PIECE_BYTES / 10
    schema = kept_schema(warehouse, files, NAMES)
    sizes = [(batch.num_rows, batch.nbytes) for batch in kept_batches(warehouse, files, schema)]
    assert sum(rows for rows, _ in sizes) == 2_000
    assert max(size for _, size in sizes) <= 2 * PIECE_BYTES


def test_narrow_rows_come_many_at_once(warehouse: Warehouse) -> None:
    files = kept(warehouse, numbers(0, 200_000), group=200_000)
    schema = kept_schema(warehouse, files, NAMES)
    assert max(batch.num_rows for batch in kept_batches(warehouse, files, schema)) == MOST_ROWS


def test_row_groups_are_never_held_whole(warehouse: Warehouse) -> None:
    generator = np.random.default_rng(1)
    table = pa.table({"c0": generator.random(4_000_000), "c1": generator.random(4_000_000)})
    files = kept(warehouse, table, group=4_000_000)
    size = table.nbytes
    del table
    schema = kept_schema(warehouse, files, NAMES)
    most = rows = 0
    before = pa.total_allocated_bytes()
    for batch in kept_batches(warehouse, files, schema):
        rows += batch.num_rows
        most = max(most, pa.total_allocated_bytes() - before)
    assert (rows, most < size / 4) == (4_000_000, True)


def test_streams_hold_the_rows_of_all_pieces(warehouse: Warehouse) -> None:
    files = kept(warehouse, numbers(0, 20), numbers(20, 33))
    schema = kept_schema(warehouse, files, NAMES)

    def batches() -> list[pa.RecordBatch]:
        return list(kept_batches(warehouse, files, schema))

    table = pa.Table.from_batches(batches(), schema)
    assert pa.ipc.open_stream(b"".join(arrow_sent(schema, batches()))).read_all().equals(table)
    assert pq.read_table(io.BytesIO(b"".join(parquet_sent(schema, batches())))).equals(table)
    assert b"".join(csv_sent(schema, batches())).decode() == '"n","t"\n' + "".join(f'{n},"t{n}"\n' for n in range(33))


@pytest.mark.parametrize(
    ("names", "apart"),
    [(["a", "b"], ["a", "b"]), (["a", "a", "a"], ["a", "a_2", "a_3"]), (["a", "a_2", "a"], ["a", "a_2", "a_3"])],
)
def test_names_are_distinct(names: list[str], apart: list[str]) -> None:
    assert names_apart(names) == apart
