"""DELETE, UPDATE, compaction: rows keep their ids, deletes add up, nothing else changes."""

from __future__ import annotations

from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from catalog_app.engine import delete_update, deleted_positions, reading, writing
from lakeui.common.errors import InvalidValue, NotFound, NotNullViolation
from tests.engine.lake import TABLE, Lake, schema_of
from tests.support.soak import IS_SOAK

MANY = 40_000 if IS_SOAK else 12


@pytest.fixture(params=[10, MANY], ids=["few rows", "many rows"])
def size(request: pytest.FixtureRequest, lake: Lake, monkeypatch: pytest.MonkeyPatch) -> int:
    """Few rows pass through this process, many are written by Spark; both are, of which there are more than 11."""
    if not IS_SOAK:
        for module in (delete_update, writing):
            monkeypatch.setattr(module, "SMALL_ROWS", 11)
    lake.schema = schema_of("k bigint", "v string not null", "w int")
    lake.query(f"SELECT id, concat('v', id), id % 3 FROM range({request.param})")
    return int(request.param)


ONE_WAY = pytest.mark.parametrize("size", [10, MANY] if IS_SOAK else [10], indirect=True)
"""Nothing of it depends on which way rows go."""


def test_deletes_add_up_and_count_each_row_once(lake: Lake, size: int) -> None:
    before = lake.scan()
    first = lake.delete("k % 2 = 0")
    assert (first.rows, len(first.delete_files), first.files_scanned) == (size // 2, 1, 1)
    again = lake.engine.delete(before, "k < 4", alias="t")
    lake.record(again)
    assert again.rows == 4
    assert lake.rows("SELECT count(*), min(k) FROM __lake_0") == [[size // 2 - 2, 5]]
    assert lake.delete("k = 0").rows == 0
    assert lake.engine.live_rows(lake.scan()) == size // 2 - 2


@pytest.mark.parametrize("deletes", ["few", "many"])
def test_files_with_deletes_show_their_rows_every_way(
    lake: Lake, deletes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few deleted rows stand in the text of the query; many are looked up, in files of their own or beside others."""
    if deletes == "many":
        monkeypatch.setattr(deleted_positions, "FEW_MARKS", 0)
    lake.schema = schema_of("k bigint", "v string not null", "w int")
    for first in (0, 10, 20):
        lake.query(f"SELECT id, concat('v', id), id % 3 FROM range({first}, {first + 10})")
    bases = [file.base for file in lake.files]
    lake.delete("k BETWEEN 11 AND 18")
    lake.update("k IN (2, 19)", w="100")
    lake.delete("k = 10 OR k = 25")
    left = [*range(10), 19, *range(20, 25), *range(26, 30)]
    for together in (0, reading.MASKED_AT_ONCE) if deletes == "many" else (reading.MASKED_AT_ONCE,):
        monkeypatch.setattr(reading, "MASKED_AT_ONCE", together)
        assert sorted(row[0] for row in lake.rows()) == left
        assert sorted(row[0] for row in lake.rows("SELECT k FROM __lake_0 WHERE w = 100")) == [2, 19]
        ids = lake.row_ids("k")
        assert (sorted(ids), ids[19], ids[2]) == (left, bases[1] + 9, bases[0] + 2)


def test_deletes_are_listed_for_few_rows_and_files(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    lake.schema = schema_of("k bigint")
    lake.query("SELECT id FROM range(10)")
    (base,) = [file.base for file in lake.files]
    assert deleted_positions.few_addresses(lake.warehouse, lake.files) == []
    lake.delete("k IN (1, 3)")
    lake.delete("k = 7")
    assert deleted_positions.few_addresses(lake.warehouse, lake.files) == [base + 1, base + 3, base + 7]
    monkeypatch.setattr(deleted_positions, "FEW_FILES", 1)
    assert deleted_positions.few_addresses(lake.warehouse, lake.files) is None
    monkeypatch.setattr(deleted_positions, "FEW_FILES", 2)
    monkeypatch.setattr(deleted_positions, "FEW_MARKS", 2)
    assert deleted_positions.few_addresses(lake.warehouse, lake.files) is None
    (gone,) = [replace(file, delete_paths=("d/base=0/no.parquet",)) for file in lake.files]
    assert deleted_positions.few_addresses(lake.warehouse, [gone]) is None


def test_delete_files_are_iceberg_position_deletes(lake: Lake, size: int) -> None:
    (file,) = lake.files
    (delete,) = lake.delete("k IN (3, 5, 8)").delete_files
    table = pq.read_table(lake.warehouse.absolute(delete.path), partitioning=None)
    assert table.column("pos").to_pylist() == [3, 5, 8]
    assert table.column("_row_id").to_pylist() == [file.base + 3, file.base + 5, file.base + 8]
    assert set(table.column("file_path").to_pylist()) == {lake.warehouse.location(file.path)}
    ids = [int(item.metadata[b"PARQUET:field_id"]) for item in table.schema]
    assert ids == [2147483546, 2147483545, 2147483540]
    assert (delete.rows, f"/base={file.base}/" in delete.path) == (3, True)


@ONE_WAY
def test_aliases_and_awkward_text_work_in_a_condition(lake: Lake, size: int) -> None:
    lake.update("t.k = 1", v="'{__lake_0} \\'x\\' -- y'")
    assert lake.delete("t.v = '{__lake_0} \\'x\\' -- y' -- the end").rows == 1


@ONE_WAY
def test_an_emptied_file_is_reported_without_delete_file(lake: Lake, size: int) -> None:
    assert lake.delete("k > 2").emptied == ()
    last = lake.delete("k >= 0")
    assert (last.emptied, last.delete_files, last.rows) == ((1,), (), 3)
    assert lake.rows() == []


def test_update_sees_old_values_and_keeps_row_ids(lake: Lake, size: int) -> None:
    ids = lake.row_ids("k")
    changes = lake.update("k < 5", k="k + 1000000", v="concat(v, '-', k)", w="DEFAULT")
    assert (changes.rows, len(changes.images), len(changes.delete_files)) == (5, 1, 1)
    (image,) = changes.images
    assert (image.stores_row_ids, image.smallest_row_id, image.largest_row_id) == (True, ids[0], ids[4])
    assert lake.rows("SELECT * FROM __lake_0 WHERE k >= 1000000") == [
        [1000000 + i, f"v{i}-{i}", None] for i in range(5)
    ]
    after = lake.row_ids("k")
    assert {key % 1000000: row_id for key, row_id in after.items()} == ids


def test_update_delete_and_compaction_in_turn_keep_ids(lake: Lake, size: int) -> None:
    ids = lake.row_ids("k")
    assert lake.update(None, w="w + 1").rows == size
    assert lake.rows("SELECT min(w), max(w), count(*) FROM __lake_0") == [[1, 3, size]]
    lake.delete("k % 5 = 0")
    lake.query("SELECT -1, 'new', 0")
    ids = {**lake.row_ids("k")}
    old = list(lake.files)
    new = lake.engine.compact(lake.scan(), target_bytes=128 * 1024 * 1024)
    assert len(new) == 1
    lake.files = []
    lake.add(new)
    assert lake.row_ids("k") == ids
    assert new[0].rows == len(ids)
    assert all(lake.warehouse.exists(file.path) for file in old)


def test_a_failed_update_leaves_nothing(lake: Lake, size: int) -> None:
    files = lake.stored_files()
    with pytest.raises(NotNullViolation):
        lake.update("k > 1", v="nullif(v, 'v7')")
    with pytest.raises(InvalidValue):
        lake.update("k > 1", w="2147483647 + w + 1")
    with pytest.raises(NotFound):
        lake.update("k > 1", nope="1")
    with pytest.raises(InvalidValue):
        lake.engine.update(lake.scan(), [("w", "1"), ("W", "2")], None, alias="t")
    assert lake.stored_files() == files


@ONE_WAY
def test_nothing_matched_writes_nothing(lake: Lake, size: int) -> None:
    files = lake.stored_files()
    assert lake.delete("k < 0").delete_files == ()
    changes = lake.update("k < 0", w="1")
    assert (changes.rows, changes.images, changes.delete_files) == (0, (), ())
    assert lake.stored_files() == files


def test_an_update_moves_rows_between_partitions(lake: Lake) -> None:
    lake.schema = schema_of("p string", "k int", partition_by=[1])
    lake.values("'a'|1", "'a'|2", "'b'|3")
    ids = lake.row_ids("k")
    (emptied,) = [file.file_id for file in lake.files if file.partition == ("b",)]
    changes = lake.update("k >= 2", p="CASE WHEN k = 2 THEN 'c' END")
    assert {image.partition for image in changes.images} == {("c",), (None,)}
    assert changes.emptied == (emptied,)
    assert lake.rows() == [["a", 1], ["c", 2], [None, 3]]
    assert lake.row_ids("k") == ids


def test_compaction_makes_one_file_per_partition_within_size(lake: Lake) -> None:
    lake.schema = schema_of("p int", "k int", partition_by=[1])
    for number in range(3):
        lake.values(f"1|{number}", f"NULL|{number}")
    ids = lake.row_ids("coalesce(p, 0) * 100 + k")
    small = lake.engine.compact(lake.scan(), target_bytes=10 * 1024 * 1024)
    assert sorted((file.partition, file.rows) for file in small if file.partition[0]) == [(("1",), 3)]
    assert sorted(file.rows for file in small) == [3, 3]
    lake.files = []
    lake.add(small)
    assert lake.row_ids("coalesce(p, 0) * 100 + k") == ids


def test_the_live_rows_of_a_file_are_marked(lake: Lake) -> None:
    lake.schema = schema_of("k int", "v string")
    lake.values("1|'a'", "2|'b'", "3|'c'")
    lake.delete("k = 2")
    (file,) = lake.files
    marks = lake.engine.mark_live_rows(TABLE, file)
    assert marks is not None
    assert (marks.rows, marks.data_file_id) == (2, file.file_id)
    lake.files = [replace(file, delete_paths=(*file.delete_paths, marks.path))]
    assert lake.rows() == []
    assert lake.engine.mark_live_rows(TABLE, lake.files[0]) is None


def test_checks_look_at_live_rows_only(lake: Lake) -> None:
    lake.schema = schema_of("k int", "v string")
    lake.values("1|NULL", "2|'b'", "2|'c'", "3|NULL")
    assert lake.engine.null_counts(lake.scan(), ["k", "v"]) == {"k": 0, "v": 2}
    assert len(lake.engine.duplicate_keys(lake.scan(), ["k"], staged=[], limit=5)) == 1
    lake.delete("v = 'c' OR k = 3")
    assert lake.engine.null_counts(lake.scan(), ["k", "v"]) == {"k": 0, "v": 1}
    assert lake.engine.duplicate_keys(lake.scan(), ["k"], staged=[], limit=5) == []


def test_renamed_partitions_have_the_values_of_their_segments(lake: Lake) -> None:
    lake.schema = schema_of("k bigint", "d date", "n int", partition_by=(2, 3))
    lake.query("SELECT id, DATE '2026-01-01', CAST(NULL AS INT) FROM range(3)")
    lake.files = [replace(file, partition=("2026-02-03", "7"), is_moved=True) for file in lake.files]
    assert lake.rows("SELECT k, CAST(d AS STRING), n FROM __lake_0 WHERE n = 7 ORDER BY k") == [
        [k, "2026-02-03", 7] for k in range(3)
    ]
    changes = lake.engine.update(lake.scan(), (("k", "k + 10"),), "d = DATE '2026-02-03' AND k = 1", alias="t")
    assert [image.partition for image in changes.images] == [("2026-02-03", "7")]
    (compacted,) = lake.engine.compact(lake.scan(), target_bytes=1)
    assert compacted.partition == ("2026-02-03", "7")
    lake.files = []
    lake.add([compacted])
    assert lake.rows("SELECT DISTINCT CAST(d AS STRING), n FROM __lake_0") == [["2026-02-03", 7]]
