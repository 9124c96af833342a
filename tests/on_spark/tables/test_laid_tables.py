"""Tables laid by transforms on Spark: every way to write rows lays them truly, and reads leave files out."""

from __future__ import annotations

import re

import pyarrow.parquet as pq
import pytest
from django.conf import settings

from catalog_app.domain.layout import order_of, without_order
from catalog_app.domain.transforms import transform_value
from catalog_app.engine import merge_into, merge_source, write_jobs, writing
from catalog_app.models import DataFile
from catalog_app.selectors.segments import layout_read
from catalog_app.selectors.snapshots import catalog_get
from catalog_app.services import compaction
from catalog_app.storage.warehouse import Warehouse
from tests.support.lake import Lake

ROWS = (
    "SELECT id, timestampadd(HOUR, id, TIMESTAMP'2023-12-31 12:00:00') AS at, concat('n', id % 5) AS name,"
    " IF(id % 2 = 0, 'x', 'y') AS p, id AS v FROM range({}, {})"
)
READ = "SELECT sum(id), sum(v), count(*), count(DISTINCT name) FROM d.{}"


def files_wrong(lake: Lake) -> list[str]:
    """Files of the catalog of which a row is not as the layout says. A file may be long gone."""
    warehouse, found, said = Warehouse(settings.LAKEUI["WAREHOUSE"]), [], 0
    for file in DataFile.objects.filter(table__catalog=catalog_get(lake.catalog)):
        layout = without_order(layout_read(file.layout))
        said += bool(layout)
        with pq.ParquetFile(warehouse.absolute(file.path), filesystem=warehouse.filesystem) as stored:
            table = stored.read()
        by_id = {int((f.metadata or {}).get(b"PARQUET:field_id", b"-1")): at for at, f in enumerate(table.schema)}
        for laid in layout:
            values = table.column(by_id[laid.transform.column_id]).to_pylist()
            if {transform_value(laid.transform, laid.type, value) for value in values} != {laid.value}:
                found.append(f"{file.path}: {laid}")
    assert said > 3
    return found


def explained(lake: Lake, condition: str) -> tuple[int, int]:
    """How many files the condition keeps, and skips."""
    (found,) = (row[1] for row in lake.sql(f"EXPLAIN DELETE FROM d.t WHERE {condition}").rows if row[0] == "scan")
    kept, present = map(int, re.findall(r"(\d+) of (\d+) files", found)[0])
    return kept, present - kept


def test_statements_lay_rows_as_they_would_lie_without(lake: Lake) -> None:
    columns = "(id BIGINT, at TIMESTAMP, name STRING, p STRING, v BIGINT)"
    rows = "TBLPROPERTIES ('merge.conflicts' = 'row')"
    lake.sql(f"CREATE TABLE d.t {columns} PARTITIONED BY (days(at), bucket(4, id), p) {rows}")
    lake.sql(f"CREATE TABLE d.u {columns} PARTITIONED BY (p) {rows}")
    lake.sql("CREATE BRANCH b")

    def both(text: str, branch: str = "main") -> None:
        for table in ("t", "u"):
            lake.sql(text.format(t=f"d.{table}"), branch)

    both("INSERT INTO {t} " + ROWS.format(0, 40))
    lake.sql("MERGE BRANCH main TO b")
    kept, skipped = explained(lake, "id = 7")
    assert kept <= 3 < skipped
    kept, skipped = explained(lake, "at >= '2024-01-02'")
    assert 0 < kept < skipped
    both("UPDATE {t} SET at = timestampadd(DAY, 1, at), v = -v WHERE id % 7 = 0")
    lake.sql("ALTER TABLE d.t REPLACE PARTITION FIELD days(at) WITH truncate(1, name)", "b")
    both("DELETE FROM {t} WHERE id = 11", "b")
    both("INSERT INTO {t} " + ROWS.format(40, 50), "b")
    both(
        "MERGE INTO {t} USING ("
        + ROWS.format(45, 60)
        + ") s ON {t}.id = s.id WHEN MATCHED THEN UPDATE SET v = 1000 WHEN NOT MATCHED THEN INSERT *",
        "b",
    )
    both("ALTER TABLE {t} SET TBLPROPERTIES ('write.update.mode' = 'copy-on-write')", "b")
    both("UPDATE {t} SET name = 'other' WHERE id IN (1, 20)", "b")
    lake.sql("MERGE BRANCH b TO main")
    assert lake.sql(READ.format("t")).rows == lake.sql(READ.format("u")).rows
    both("ALTER TABLE {t} PARTITION (p = 'x') RENAME TO PARTITION (p = 'z')")
    lake.sql("OPTIMIZE d.t")
    assert lake.sql(READ.format("t")).rows == lake.sql(READ.format("u")).rows
    assert lake.rows("d.t") == lake.rows("d.u")
    assert files_wrong(lake) == []
    # Files that were laid anew may lie beside one that was there; then nothing is left to do.
    lake.sql("OPTIMIZE d.t")
    assert lake.sql("OPTIMIZE d.t").metrics["files_added"] == 0


@pytest.mark.parametrize("clustered", [False, True])
def test_ordering_by_two_columns_prunes_files_by_each(
    lake: Lake, clustered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake.sql("CREATE TABLE d.t (id BIGINT, a INT, b STRING)")
    rows = "SELECT id, CAST(id * 7919 % 5000 AS INT), format_string('%05d', id * 104729 % 5000) FROM range({}, {})"
    for start in range(0, 60000, 15000):
        lake.sql(f"INSERT INTO d.t {rows.format(start, start + 15000)}")
    assert explained(lake, "a = 77") == (4, 0)
    size = sum(DataFile.objects.filter(table__catalog=catalog_get(lake.catalog)).values_list("bytes", flat=True))
    monkeypatch.setattr(compaction, "TARGET_BYTES", size // 16)
    before = lake.sql("SELECT sum(id), sum(a), max(b) FROM d.t").rows
    if clustered:
        lake.sql("ALTER TABLE d.t CLUSTER BY (a, b)")
    lake.sql("OPTIMIZE d.t" if clustered else "OPTIMIZE d.t ZORDER BY (a, b)")
    for condition in ("a = 77", "b = '00077'"):
        kept, skipped = explained(lake, condition)
        assert kept <= (kept + skipped) * 0.5, (condition, kept, skipped)
    assert lake.sql("SELECT sum(id), sum(a), max(b) FROM d.t").rows == before
    newest = DataFile.objects.filter(table__catalog=catalog_get(lake.catalog)).order_by("-id").first()
    assert newest is not None
    assert len(order_of(layout_read(newest.layout))) == 2
    if clustered:
        assert lake.sql("OPTIMIZE d.t").metrics["files_added"] == 0
        lake.sql("INSERT INTO d.t VALUES (1, 1, '1')")
        assert lake.sql("OPTIMIZE d.t").metrics["files_removed"] < 4


@pytest.mark.parametrize("parted", ["", " PARTITIONED BY (p)"])
def test_a_write_orders_rows_where_the_table_asks(lake: Lake, monkeypatch: pytest.MonkeyPatch, parted: str) -> None:
    """Each file of a write has narrow bounds, and the rows are those of a table that orders none."""
    monkeypatch.setattr(writing, "SMALL_ROWS", 0)
    monkeypatch.setattr(write_jobs, "ROWS_PER_FILE", 250)
    monkeypatch.setattr(writing, "become_one", lambda sizes: False)
    columns = f"(id BIGINT, at TIMESTAMP, name STRING, p STRING, v BIGINT){parted} CLUSTER BY (v, name)"
    lake.sql(f"CREATE TABLE d.t {columns} TBLPROPERTIES ('write.distribution-mode' = 'range')")
    lake.sql(f"CREATE TABLE d.u {columns}")
    rows = ROWS.format(0, 2000).replace("id AS v", "IF(id = 5, NULL, id * 7919 % 2000) AS v")
    for table in ("t", "u"):
        lake.sql(f"INSERT INTO d.{table} {rows}")
    kept, skipped = explained(lake, "v BETWEEN 100 AND 150")
    assert kept <= 2 < skipped
    for module in (merge_source, merge_into):
        monkeypatch.setattr(module, "FEW_ROWS", 0)
    for table in ("t", "u"):
        lake.sql(
            f"MERGE INTO d.{table} USING ({rows.replace('2000)', '2500)')}) s ON {table}.id = s.id"
            " WHEN MATCHED AND s.id % 2 = 0 THEN UPDATE SET name = 'other' WHEN NOT MATCHED THEN INSERT *"
        )
    kept, skipped = explained(lake, "v BETWEEN 100 AND 150")
    assert kept <= 6 <= skipped
    assert lake.rows("d.t") == lake.rows("d.u")
    # OPTIMIZE orders the files of all writes together.
    assert lake.sql("OPTIMIZE d.t").metrics["files_removed"] == kept + skipped
    assert lake.rows("d.t") == lake.rows("d.u")


def test_a_table_made_by_query_is_ordered_too(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "SMALL_ROWS", 0)
    monkeypatch.setattr(write_jobs, "ROWS_PER_FILE", 250)
    monkeypatch.setattr(writing, "become_one", lambda sizes: False)
    properties = "TBLPROPERTIES ('write.distribution-mode' = 'range')"
    lake.sql(f"CREATE TABLE d.t CLUSTER BY (v) {properties} AS SELECT id * 7919 % 1000 AS v FROM range(1000)")
    assert explained(lake, "v = 7") == (1, 3)
