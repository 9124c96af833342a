"""Tables of others, taken over where they lie: read, changed, branched and merged by lakeui on Spark."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, write_deltalake
from django.conf import settings
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import BucketTransform, DayTransform, IdentityTransform
from pyiceberg.types import IntegerType, LongType, NestedField, StringType, TimestamptzType

from catalog_app.domain.transforms import plain
from catalog_app.selectors.objects import database_get, table_get
from catalog_app.selectors.segments import table_scan
from catalog_app.selectors.snapshots import branch_get, branch_snapshot, catalog_get
from catalog_app.storage.deletes import StoredFacts
from lakeui.common.errors import LakeError
from lakeui.frontdoor import compute
from tests.iceberg.test_engines import Engines, Seen, engines
from tests.on_spark.conftest import services
from tests.support.lake import Lake
from tests.takeover.iceberg_lake import append_laid, catalog_in, with_deletes

__all__ = ["engines", "services"]

ROWS = 40
NESTED = pa.struct([("x", pa.int64()), ("y", pa.list_(pa.int32()))])


@pytest.fixture(scope="module")
def lake(engines: Engines) -> Lake:
    return engines.lake


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Path]:
    """A folder whose files statements may read. What it holds in the end is what it held when they began."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(settings.LAKEUI, "IMPORT_LOCATIONS", (str(tmp_path),))
        yield tmp_path


def found(lake: Lake, query: str, branch: str = "main") -> list[list[Any]]:
    return [list(row) for row in lake.sql(query, branch).rows]


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def odd_files(folder: Path) -> None:
    """Files of a table partitioned as Hive does, in folders and with names that must be encoded somewhere."""
    for number, (day, region) in enumerate([("2024-01-31", "a b"), ("2024-01-31", "ü=%"), ("2024-02-01", None)]):
        name = "__HIVE_DEFAULT_PARTITION__" if region is None else region.replace("%", "%25").replace("=", "%3D")
        place = folder / f"day={day}" / f"region={name}"
        place.mkdir(parents=True)
        ids = list(range(number * ROWS, (number + 1) * ROWS))
        columns = {
            "id": pa.array(ids, pa.int32() if number == 0 else pa.int64()),
            "base": pa.array([f"b{i % 3}" for i in ids]),
            "at": pa.array([i * 3_600_000_000 for i in ids], pa.timestamp("us")),
            "s": pa.array([{"x": i, "y": [i, None]} for i in ids], NESTED),
        }
        if number == 2:
            columns["extra"] = pa.array([i * 0.5 for i in ids])
        pq.write_table(pa.table(columns), place / "part 0%20+x.parquet")
    (folder / "_SUCCESS").touch()


def test_parquet_is_read_changed_and_merged(lake: Lake, outside: Path) -> None:
    odd_files(outside)
    before = contents(outside)
    shown = lake.sql(f"CREATE TABLE d.p FROM PARQUET '{outside}' DRY RUN")
    assert shown.metrics["rows_inserted"] == 3 * ROWS
    assert len(shown.extra["examples"]) == 10
    reported = lake.sql(f"CREATE TABLE d.p FROM PARQUET '{outside}'")
    assert reported.metrics["rows_inserted"] == 3 * ROWS
    assert found(lake, "SELECT count(*), sum(id), sum(s.x), sum(size(s.y)), count(extra), min(base) FROM d.p") == [
        [120, 7140, 7140, 240, 40, "b0"]
    ]
    assert found(lake, "SELECT day, region, min(id) FROM d.p GROUP BY ALL ORDER BY 3") == [
        ["2024-01-31", "a b", 0],
        ["2024-01-31", "ü=%", 40],
        ["2024-02-01", None, 80],
    ]
    lake.sql("CREATE BRANCH b")
    lake.sql("UPDATE d.p SET base = 'new', s = named_struct('x', 1L, 'y', array(7)) WHERE id IN (3, 41)", "b")
    lake.sql("DELETE FROM d.p WHERE id % 10 = 7", "b")
    lake.sql("ALTER TABLE d.p RENAME COLUMN at TO moment", "b")
    lake.sql("DELETE FROM d.p WHERE region = 'a b' AND id = 5")
    lake.sql("INSERT INTO d.p (id, day, region) VALUES (500, DATE'2024-02-01', 'a b')")
    lake.sql("MERGE BRANCH main", "b")
    lake.sql("MERGE BRANCH b")
    wanted = [[120 - 12 - 1 + 1, 2, 1]]
    assert found(lake, "SELECT count(*), count_if(base = 'new'), count_if(moment IS NULL) FROM d.p") == wanted
    lake.sql("OPTIMIZE d.p")
    assert found(lake, "SELECT count(*), count_if(base = 'new'), count_if(moment IS NULL) FROM d.p") == wanted
    assert lake.breaches() == []
    lake.sql("DROP TABLE d.p PURGE")
    assert contents(outside) == before


def test_other_engines_read_what_was_taken_over(engines: Engines, outside: Path) -> None:
    lake = engines.lake
    odd_files(outside)
    lake.sql(f"CREATE TABLE d.q FROM PARQUET '{outside}'")
    taken = Seen("main", lake.head())
    lake.sql("DELETE FROM d.q WHERE id = 41")
    lake.sql("UPDATE d.q SET base = 'x' WHERE id = 2")
    lake.sql("ALTER TABLE d.q RENAME COLUMN base TO named")
    lake.sql("ALTER TABLE d.q RENAME COLUMN s.x TO ex")
    lake.sql("ALTER TABLE d.q ADD COLUMN base INT")
    changed = Seen("main", lake.head())
    some, few = (replace(changed, condition=text) for text in ("id > 50 AND day = '2024-01-31'", "id > 50"))
    engines.compare("d.q", taken, changed, some, others=[taken, changed, few])


def test_iceberg_keeps_its_layouts_and_takes_more(engines: Engines, outside: Path) -> None:
    """Files of two layouts, then those of lakeui beside them: every reader leaves files out by what each says."""
    lake = engines.lake
    schema = Schema(NestedField(1, "id", LongType()), NestedField(2, "at", TimestamptzType()))
    table = catalog_in(outside).create_table("n.l", schema)
    with table.update_spec() as update:
        update.add_field("at", DayTransform())
    for day in (1, 2):
        at = datetime.datetime(2024, 1, day, 12, tzinfo=datetime.UTC)
        rows = pa.table({"id": [day, day + 10], "at": pa.array([at, at], pa.timestamp("us", "UTC"))})
        append_laid(table, rows, {2: plain("timestamp", at)})
    with table.update_spec() as update:
        update.remove_field("at_day")
        update.add_field("id", BucketTransform(4))
    append_laid(table, pa.table({"id": [100], "at": pa.array([None], pa.timestamp("us", "UTC"))}), {1: 100})
    lake.sql(f"CREATE TABLE d.l FROM ICEBERG '{table.metadata_location}'")
    assert "PARTITIONED BY (bucket(4, `id`))" in str(found(lake, "SHOW CREATE TABLE d.l"))
    taken = Seen("main", lake.head())
    lake.sql("INSERT INTO d.l SELECT id, timestamp_seconds(1704067200 + id * 3600) FROM range(200, 210)")
    lake.sql("DELETE FROM d.l WHERE id = 11")
    grown = Seen("main", lake.head())
    chosen = [replace(grown, condition=text) for text in ("id = 100", "at >= '2024-01-02T00:00:00+00:00'", "id = 203")]
    engines.compare("d.l", taken, grown, *chosen, others=[taken, grown, chosen[0], chosen[2]])
    assert found(lake, "SELECT id FROM d.l WHERE at < TIMESTAMP'2024-01-02 00:00:00Z' ORDER BY id") == [[1]]
    lake.sql("OPTIMIZE d.l")
    assert found(lake, "SELECT count(*), sum(id) FROM d.l") == [[14, 1 + 2 + 12 + 100 + sum(range(200, 210))]]
    assert lake.breaches() == []


def test_iceberg_keeps_its_deletes_and_takes_more(engines: Engines, outside: Path) -> None:
    lake = engines.lake
    numbered = NestedField(1, "id", LongType(), required=True)
    schema = Schema(numbered, NestedField(2, "v", StringType()), NestedField(3, "n", IntegerType()))
    spec = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "v"))
    table = catalog_in(outside).create_table("n.t", schema, partition_spec=spec)
    fields = [pa.field("id", pa.int64(), nullable=False), ("v", pa.string()), ("n", pa.int32())]
    table.append(pa.table([range(20), ["a", "b"] * 10, range(20)], pa.schema(fields)))
    with table.update_schema() as update:
        update.rename_column("v", "w")
        update.update_column("n", LongType())
    of_a = next(task.file for task in table.scan().plan_files() if task.file.partition[0] == "a")
    # Of "a" the rows 0, 2, 4, .. lie one after the other.
    metadata = with_deletes(table, [(of_a.file_path, 1), (of_a.file_path, 4)], partition=of_a.partition)
    before = contents(outside)
    lake.sql(f"CREATE TABLE d.i FROM ICEBERG '{metadata}'")
    taken = Seen("main", lake.head())
    assert found(lake, "SELECT w, count(*), sum(id), sum(n) FROM d.i GROUP BY w ORDER BY w") == [
        ["a", 8, 80, 80],
        ["b", 10, 100, 100],
    ]
    lake.sql("CREATE BRANCH ice")
    lake.sql("UPDATE d.i SET n = 5000000000 WHERE id = 6", "ice")
    lake.sql("DELETE FROM d.i WHERE id = 0")
    lake.sql("ALTER TABLE d.i ADD COLUMN (x INT)")
    lake.sql("INSERT INTO d.i VALUES (100, 'c', 1, 2)")
    lake.sql("MERGE BRANCH main", "ice")
    lake.sql("MERGE BRANCH ice")
    changed = Seen("main", lake.head())
    assert found(lake, "SELECT count(*), sum(id), max(n), sum(x) FROM d.i") == [[18, 280, 5_000_000_000, 2]]
    engines.compare("d.i", taken, changed, others=[taken, changed])
    lake.sql("RESTORE TABLE d.i TO VERSION AS OF " + str(taken.version))
    assert found(lake, "SELECT count(*), sum(id) FROM d.i") == [[18, 180]]
    assert lake.breaches() == []
    assert contents(outside) == before


def test_file_rows_are_copied_with_ids_and_facts(lake: Lake, outside: Path) -> None:
    """As copy-on-write does, and a merge that shows a part of a file."""
    odd_files(outside)
    before = contents(outside)
    lake.sql(f"CREATE TABLE d.w FROM PARQUET '{outside}' TBLPROPERTIES ('write.update.mode' = 'copy-on-write')")
    snapshot = branch_snapshot(branch_get(catalog_get(lake.catalog), "main"))
    table = table_get(snapshot, database_get(snapshot, "d"), "w")
    file = next(file for file in table_scan(snapshot, table).files if file.partition == ("2024-01-31", "ü=%"))
    number = np.full(file.rows, 5, dtype=np.int64)
    part = compute.engine().part_rows(
        table.table_id, file, np.array([2, 7]), StoredFacts(number, number, number, number)
    )
    written = pq.read_table(Path(settings.LAKEUI["WAREHOUSE"], part.path), partitioning=None)
    assert written.column("id").to_pylist() == [42, 47]
    assert written.column("region").to_pylist() == ["ü=%"] * 2
    assert written.column("_row_id").to_pylist() == [file.base + 2, file.base + 7]
    assert written.column("_last_updated_sequence_number").to_pylist() == [5, 5]
    ids = [int(field.metadata[b"PARQUET:field_id"]) for field in written.schema][: len(table.schema.columns)]
    assert ids == [column.id for column in table.schema.columns]
    reported = lake.sql("UPDATE d.w SET base = 'new' WHERE id = 42")
    assert reported.metrics["files_removed"] == 1
    assert found(lake, "SELECT count(*), count_if(base = 'new'), sum(id), sum(s.x) FROM d.w WHERE region = 'ü=%'") == [
        [40, 1, 2380, 2380]
    ]
    assert lake.breaches() == []
    assert contents(outside) == before


def test_delta_is_read_and_changed(engines: Engines, outside: Path) -> None:
    lake, place = engines.lake, str(outside / "t")
    rows = {"id": list(range(12)), "r": ["a b", "ü=%", None] * 4, "s": [{"x": i} for i in range(12)]}
    write_deltalake(place, pa.table(rows), partition_by=["r"])
    DeltaTable(place).delete("id = 4")
    write_deltalake(place, pa.table({"id": [100], "r": ["c"], "more": [0.5]}), mode="append", schema_mode="merge")
    before = contents(outside)
    lake.sql(f"CREATE TABLE d.delta FROM DELTA '{place}'")
    lake.sql("UPDATE d.delta SET more = 2.5 WHERE r = 'ü=%' AND id = 7")
    lake.sql("DELETE FROM d.delta WHERE r IS NULL")
    shown = "SELECT r, count(*), sum(id), sum(s.x), sum(more) FROM d.delta GROUP BY r ORDER BY r"
    assert found(lake, shown) == [["a b", 4, 18, 18, None], ["c", 1, 100, None, 0.5], ["ü=%", 3, 18, 18, 2.5]]
    now = Seen("main", lake.head())
    engines.compare("d.delta", now, others=[now])
    assert contents(outside) == before


def test_copy_into_reads_each_form(lake: Lake, outside: Path) -> None:
    lake.sql("CREATE TABLE d.forms (id INT, v STRING, m MAP<STRING, INT>, at TIMESTAMP)")
    kinds = {
        "id": pa.array([10], pa.int64()),
        "v": ["p"],
        "m": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int32())),
    }
    pq.write_table(pa.table(kinds), outside / "a.parquet")
    (outside / "a.json").write_text("\n".join(json.dumps({"id": i, "v": "j", "m": {"k": i}}) for i in (20, 21)))
    (outside / "a.csv").write_bytes("at;v;id\n2024-01-31 10:00:00;ü;30\n-;q;31\n".encode("latin-1"))
    options = "FORMAT_OPTIONS ('header' = 'true', 'delimiter' = ';', 'nullValue' = '-', 'encoding' = 'iso-8859-1')"
    for form, rest in [("PARQUET", ""), ("JSON", ""), ("CSV", options)]:
        text = f"COPY INTO d.forms FROM '{outside}' FILEFORMAT = {form} PATTERN = '*.{form.lower()}' {rest}"
        assert lake.sql(text).extra["notices"] == ["1 file was loaded, 0 had been loaded before."]
        assert lake.sql(text).extra["notices"] == ["0 files were loaded, 1 had been loaded before."]
    assert found(lake, "SELECT id, v, m['k'], CAST(at AS STRING) FROM d.forms ORDER BY id") == [
        [10, "p", 1, None],
        [20, "j", 20, None],
        [21, "j", 21, None],
        [30, "ü", None, "2024-01-31 10:00:00"],
        [31, "q", None, None],
    ]


def test_a_file_that_vanished_is_named(lake: Lake, outside: Path) -> None:
    odd_files(outside)
    lake.sql(f"CREATE TABLE d.gone FROM PARQUET '{outside}'")
    gone = next(outside.rglob("day=2024-02-01/*/*.parquet"))
    gone.unlink()
    with pytest.raises(LakeError) as refused:
        lake.sql("SELECT sum(id) FROM d.gone WHERE id >= 80")
    assert gone.name in str(refused.value)
    assert refused.value.remedy
