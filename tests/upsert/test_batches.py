"""What may be given as a batch, and what is said of a wrong call."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lakeui.common.errors import InvalidValue, NotSupported, TypeNarrowing
from merge_app.upsert import merge

ROWS = pa.table({"id": [1, 2, 3], "v": ["a", "b", "c"]})


@dataclass(frozen=True)
class Frame:
    """A data frame of somebody else, which gives its rows as an Arrow stream."""

    table: pa.Table

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize(
    "batch",
    [
        ROWS,
        ROWS.combine_chunks().to_batches()[0],
        [ROWS.slice(0, 1), ROWS.slice(1)],
        pa.RecordBatchReader.from_batches(ROWS.schema, [*ROWS.slice(0, 2).to_batches(), *ROWS.slice(2).to_batches()]),
        Frame(ROWS),
        ROWS.to_pandas(),
        ROWS.to_pandas().set_index("id"),
        ROWS.to_pandas().set_axis([7, 5, 9]),
        ROWS.to_pylist(),
    ],
    ids=[
        "table",
        "record batch",
        "list of tables",
        "reader",
        "stream",
        "pandas",
        "pandas with a named index",
        "pandas with an index without name",
        "list of rows",
    ],
)
def test_a_batch_comes_in_many_shapes(tmp_path: Path, batch: object) -> None:
    assert merge(batch, tmp_path / "t", "upsert", "id").rows_inserted == 3
    assert pq.read_table(tmp_path / "t").select(ROWS.column_names).equals(ROWS)


def test_views_of_text_are_taken_and_kept_plain(tmp_path: Path) -> None:
    """Frames of polars give these. A data set that somebody wrote with them is merged into all the same."""
    lists = pa.large_list(pa.string_view())
    columns = {
        "v": pa.array(["a", "b"], pa.string_view()),
        "w": pa.array([b"a", None], pa.binary_view()),
        "l": pa.array([["x"], None], lists),
        "s": pa.array([{"l": ["x"]}, {"l": []}], pa.struct([("l", lists)])),
    }
    views = pa.table({"id": [1, 2], **columns})
    (tmp_path / "u").mkdir()
    pq.write_table(views, tmp_path / "u" / "theirs.parquet")
    merge(Frame(views), tmp_path / "t", "insert", "id")
    changed = views.set_column(1, "v", pa.array(["a", "B"], pa.string_view()))
    for batch in (changed, Frame(changed.set_column(2, "w", pa.array([b"a", b"b"], pa.binary_view())))):
        for root in (tmp_path / "t", tmp_path / "u"):
            result = merge(batch, root, "upsert", "id")
            assert (result.rows_unchanged, result.rows_updated) == (1, 1)
    assert merge(views, tmp_path / "u", "upsert", "v").rows_inserted == 1
    for root in (tmp_path / "t", tmp_path / "u"):
        first = pq.read_table(root).sort_by("id").to_pylist()[0]
        assert first == {"id": 1, "v": "a", "w": b"a", "l": ["x"], "s": {"l": ["x"]}}
    with pytest.raises(NotSupported, match="list_view"):
        merge(
            views.set_column(3, "l", pa.array([["x"], None], pa.list_view(pa.string()))), tmp_path / "t", "upsert", "id"
        )


def test_rows_may_lack_what_others_have(tmp_path: Path) -> None:
    merge([{"id": 1}, {"v": "b", "id": 2}], tmp_path / "t", "insert", "id")
    assert pq.read_table(tmp_path / "t").to_pydict() == {"id": [1, 2], "v": [None, "b"]}


@pytest.mark.parametrize("strategy", ["insert", "update", "upsert"])
def test_an_empty_list_is_an_empty_batch(tmp_path: Path, strategy: str) -> None:
    merge(ROWS, tmp_path / "t", "insert", "id")
    result = merge([], tmp_path / "t", strategy, "id")
    assert (result.rows_inserted, result.rows_updated, result.files_reused, result.bytes_written) == (0, 0, 1, 0)
    if strategy != "update":
        merge([], tmp_path / "u", strategy, "id")
        assert not (tmp_path / "u").exists()


@pytest.mark.parametrize(
    ("batch", "said"),
    [
        ({"id": [1]}, "A dict is no batch"),
        ("id,v", "A str is no batch"),
        ([[1, "a"]], "A list is no batch"),
        ([{"id": 1}, {"id": "x"}], "no table"),
        ([{"id": 2**70}], "no table"),
        (pa.chunked_array([[1]]), "no table"),
        (pa.table([[1], [2]], names=["id", "id"]), "named twice"),
    ],
    ids=str,
)
def test_what_is_no_table_is_refused(tmp_path: Path, batch: Any, said: str) -> None:
    with pytest.raises(InvalidValue, match=said):
        merge(batch, tmp_path / "t", "upsert", "id")
    assert list(tmp_path.iterdir()) == []


def test_reader_is_cast_to_stored_types_by_part(tmp_path: Path) -> None:
    merge(ROWS.set_column(0, "id", ROWS.column("id").cast(pa.int16())), tmp_path / "t", "insert", "id")
    parts = [pa.record_batch({"id": [2, 9], "v": ["B", "I"]}), pa.record_batch({"id": [5], "v": [None]}, ROWS.schema)]
    result = merge(pa.RecordBatchReader.from_batches(ROWS.schema, parts), tmp_path / "t", "upsert", "id")
    assert (result.rows_updated, result.rows_inserted) == (1, 2)
    stored = pq.read_table(tmp_path / "t").sort_by("id").to_pydict()
    assert stored == {"id": [1, 2, 3, 5, 9], "v": ["a", "B", "c", None, "I"]}


def test_a_schema_casts_the_batch_first(tmp_path: Path) -> None:
    schema = pa.schema([("id", pa.int16()), ("v", pa.string())])
    merge(ROWS, tmp_path / "t", "insert", "id", schema=schema)
    assert pq.read_table(tmp_path / "t").schema.equals(schema)
    with pytest.raises(TypeNarrowing):
        merge(pa.table({"id": [2**20], "v": ["x"]}), tmp_path / "t", "upsert", "id", schema=schema)


@pytest.mark.parametrize(
    ("strategy", "keys", "said"),
    [
        ("replace", "id", "not a strategy"),
        ("upsert", [], "No key columns"),
        ("upsert", "nothing", "no key column nothing"),
        ("upsert", ["id", "id"], "named twice"),
    ],
)
def test_a_wrong_call_is_explained(tmp_path: Path, strategy: str, keys: str | list[str], said: str) -> None:
    with pytest.raises(InvalidValue, match=said):
        merge(ROWS, tmp_path / "t", strategy, keys)
    assert list(tmp_path.iterdir()) == []


def test_unknown_strategy_is_answered_with_valid_ones(tmp_path: Path) -> None:
    with pytest.raises(InvalidValue) as caught:
        merge(ROWS, tmp_path / "t", "UPSERT", "id")
    assert caught.value.remedy == "Use one of: insert, update, upsert."


def test_a_file_is_no_data_set(tmp_path: Path) -> None:
    pq.write_table(ROWS, tmp_path / "one.parquet")
    with pytest.raises(InvalidValue, match="is a file"):
        merge(ROWS, tmp_path / "one.parquet", "upsert", "id")


def test_a_file_that_is_no_parquet_is_named(tmp_path: Path) -> None:
    root = tmp_path / "t"
    root.mkdir()
    (root / "broken.parquet").write_bytes(b"no parquet")
    with pytest.raises(InvalidValue, match=r"broken\.parquet cannot be read"):
        merge(ROWS, root, "upsert", "id")


@pytest.mark.parametrize("is_stream", [False, True])
def test_a_map_with_a_key_twice_is_refused(tmp_path: Path, is_stream: bool) -> None:
    kind = pa.list_(pa.map_(pa.string(), pa.int32()))
    rows = pa.table({"id": [1, 2], "m": pa.array([[[("k", 1)]], [[("k", 1)], [("k", 1), ("k", 2)]]], kind)})
    batch = pa.RecordBatchReader.from_batches(rows.schema, rows.to_batches(max_chunksize=1)) if is_stream else rows
    with pytest.raises(InvalidValue, match=r"Row 2: a map in m\.element has the key k twice") as refused:
        merge(batch, str(tmp_path / "set"), "upsert", "id")
    assert refused.value.details["column"] == "m.element"
    assert not (tmp_path / "set").exists()
