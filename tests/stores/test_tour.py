"""A lake in an object store, by Spark with the driver: writes, merge, restore, VACUUM, kills, other readers."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from pyiceberg.table import StaticTable

from catalog_app.engine import merge_into, merge_source, staging
from catalog_app.engine.merge_source import FEW_ROWS
from catalog_app.engine.task_files import SENT_BYTES, TASK_ROWS
from catalog_app.selectors.objects import database_get, table_get
from catalog_app.selectors.snapshots import branch_get, branch_snapshot, catalog_get
from catalog_app.services.publishing import table_publish
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import LakeError, PermissionDenied
from tests.support.lake import Lake
from tests.support.object_store import Counted, ObjectStore
from tests.support.soak import IS_SOAK

ROOT = Path(__file__).resolve().parents[2]
TOTALS = "SELECT count(*), sum(id), count_if(name = 'changed'), count_if(name = 'zwei') FROM d.t"
KILLED = """
import sys, django
django.setup()
from lakeui.frontdoor import Session, execute
execute(sys.argv[2], Session(catalog=sys.argv[1], branch="main"))
"""


def the_warehouse() -> Warehouse:
    return Warehouse(settings.LAKEUI["WAREHOUSE"])


def files_of(lake: Lake) -> set[str]:
    """All files of the tables of the lake."""
    from catalog_app.models import Table

    warehouse, tables = the_warehouse(), Table.objects.filter(catalog=catalog_get(lake.catalog))
    return {file.path for table in tables for file in warehouse.all_under(str(table.pk))}


def breaches(lake: Lake) -> list[str]:
    """What check_catalog finds, with the sizes and the rows of files."""
    said = StringIO()
    with suppress(CommandError):
        call_command("check_catalog", lake.catalog, "--rows", stdout=said)
    first, *found = said.getvalue().splitlines()
    assert (first == f"{lake.catalog}: in order") is (not found)
    return found


def test_the_tour(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, name STRING, p STRING, PRIMARY KEY (id)) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.t VALUES (1, 'one', 'a'), (2, 'two', 'b'), (3, 'three', NULL)")
    lake.sql("INSERT INTO d.t SELECT CAST(id AS INT), concat('n', id), concat('p', id % 3) FROM range(10, 20010)")
    assert lake.sql("SELECT count(*), sum(id) FROM d.t").rows == [[20003, 200190006]]
    lake.sql("CREATE BRANCH dev")
    lake.sql("UPDATE d.t SET name = 'changed' WHERE id IN (1, 500)", "dev")
    lake.sql("DELETE FROM d.t WHERE id BETWEEN 1000 AND 1999", "dev")
    lake.sql("UPDATE d.t SET name = upper(name) WHERE p = 'p1'", "dev")
    lake.sql(
        "MERGE INTO d.t USING (SELECT 2 AS id, 'zwei' AS name, 'b' AS p UNION ALL SELECT 30000, 'new', 'b') s"
        " ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
        "dev",
    )
    lake.sql("INSERT INTO d.t VALUES (4, 'four', 'a')")
    before = lake.head()
    merged = lake.merge("dev")
    assert merged["outcome"] == "merged"
    assert lake.sql(TOTALS).rows == [[19005, 198720510, 2, 1]]
    lake.sql("OPTIMIZE d.t")
    assert lake.sql(TOTALS).rows == [[19005, 198720510, 2, 1]]
    assert breaches(lake) == []
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {before}")
    assert lake.sql(TOTALS).rows == [[20004, 200190010, 0, 0]]


def test_vacuum_removes_what_it_lists(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    lake.sql("CREATE TABLE d.t (id INT)")
    lake.sql("INSERT INTO d.t VALUES (1), (2)")
    lake.sql("DELETE FROM d.t WHERE id = 1")
    lake.sql("INSERT OVERWRITE d.t VALUES (3)")
    assert len(files_of(lake)) == 3
    monkeypatch.setitem(settings.LAKEUI, "RETENTION_DAYS", 0)
    lake.sql("VACUUM")
    assert len(files_of(lake)) == 1
    assert lake.rows("d.t") == [(3,)]
    assert breaches(lake) == []


BY_TASKS = "SELECT CAST(id AS INT), sha2(CAST(id AS STRING), 512) FROM range(0, 60000, 1, 2)"
"""Two tasks write a file above 1 MB each."""


@pytest.mark.parametrize(
    ("point", "rows", "files"),
    [
        ("write.registered", "VALUES (2, 'b'), (3, 'c')", 1),
        ("write.committing", "VALUES (2, 'b'), (3, 'c')", 1),
        ("write.registered", BY_TASKS, 2),
    ],
)
def test_kill_between_upload_and_commit_keeps_version_before(
    lake: Lake,
    store: ObjectStore,
    database_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    point: str,
    rows: str,
    files: int,
) -> None:
    """The version before stays whole, and VACUUM removes what was uploaded."""
    lake.sql("CREATE TABLE d.t (id INT, word STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a')")
    (kept,) = files_of(lake)
    (tmp_path / point).write_text("kill")
    said = {"DATABASE_URL": database_url, "LAKEUI_FAULTS": str(tmp_path), **store.environment}
    said |= {"LAKEUI_WAREHOUSE": settings.LAKEUI["WAREHOUSE"], "SPARK_REMOTE": settings.LAKEUI["SPARK_REMOTE"]}
    command = [sys.executable, "-c", KILLED, lake.catalog, f"INSERT INTO d.t {rows}"]
    ran = subprocess.run(command, cwd=ROOT, env={**os.environ, **said}, capture_output=True, text=True, check=False)
    assert ran.returncode == -signal.SIGKILL, ran.stderr
    uploaded = files_of(lake) - {kept}
    assert [path.split("/")[1] for path in uploaded] == ["data"] * files
    assert lake.rows("d.t") == [(1, "a")]
    lake.sql("INSERT INTO d.t VALUES (4, 'd')")
    monkeypatch.setitem(settings.LAKEUI, "STAGED_HOURS", 0)
    lake.sql("VACUUM")
    assert not uploaded & files_of(lake)
    assert lake.rows("d.t") == [(1, "a"), (4, "d")]
    assert breaches(lake) == []


def test_the_lake_is_moved_to_another_bucket(lake: Lake, store: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows, history, the metadata of other engines and a restore are of the files at the new place alone."""
    lake.sql("CREATE TABLE d.t (id INT, name STRING)")
    lake.sql("INSERT INTO d.t SELECT CAST(id AS INT), 'n' FROM range(100)")
    full = lake.head()
    lake.sql("DELETE FROM d.t WHERE id < 10")
    shown, old = lake.rows("d.t"), the_warehouse()
    assert rows_of_other_engines(lake, store) == 90
    new = Warehouse(f"{store.bucket('moved-' + lake.catalog.replace('_', '-'))}/deep/er", store.options)
    for path in files_of(lake):
        with old.local_copy(path) as copy:
            new.put(copy, path)
    monkeypatch.setitem(settings.LAKEUI, "WAREHOUSE", new.root)
    for path in files_of(lake):
        old.remove(path)
    assert lake.rows("d.t") == shown
    lake.sql("UPDATE d.t SET name = 'm' WHERE id = 50")
    assert lake.sql("SELECT count(*), count_if(name = 'm') FROM d.t").rows == [[90, 1]]
    assert lake.sql(f"SELECT count(*) FROM d.t VERSION AS OF {full}").rows == [[100]]
    assert rows_of_other_engines(lake, store) == 90
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {full}")
    assert lake.sql("SELECT count(*), count_if(name = 'm') FROM d.t").rows == [[100, 0]]
    assert rows_of_other_engines(lake, store) == 100
    assert breaches(lake) == []
    # The end of the test looks at the lake once more.
    for path in files_of(lake):
        with new.local_copy(path) as copy:
            old.put(copy, path)


def rows_of_other_engines(lake: Lake, store: ObjectStore) -> int:
    """How many rows of d.t PyIceberg reads by what loadTable answers."""
    chain = branch_snapshot(branch_get(catalog_get(lake.catalog), "main"))
    table = table_get(chain, database_get(chain, "d"), "t")
    said = store.options
    properties = {"s3.endpoint": said.endpoint, "s3.region": said.region}
    properties |= {"s3.access-key-id": said.access_key, "s3.secret-access-key": said.secret_key}
    shown = StaticTable.from_metadata(table_publish(the_warehouse(), chain, table).location, properties)
    return shown.scan().to_arrow().num_rows


def test_small_commit_is_one_request_per_file(lake: Lake, store: ObjectStore, warehouse_in_store: str) -> None:
    lake.sql("CREATE TABLE d.t (id INT, p STRING) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.t VALUES (0, 'a')")
    with Counted(store, warehouse_in_store.split("/")[2]) as taken:
        lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    assert dict(taken) == {"PUT": 3}


def requests_of(store: ObjectStore, bucket: str, work: Callable[[], object]) -> Counter[tuple[str, str]]:
    """All requests, by their method and the folder of the table that they name."""
    before = len(store.requests(bucket))
    work()
    found: Counter[tuple[str, str]] = Counter()
    for method, path in store.requests(bucket)[before:]:
        folder = re.search(r"[/=]first/\d+/(\w+)", unquote(path))
        found[method, folder[1] if folder else ""] += 1
    return found


def test_small_files_of_a_job_are_one_request(lake: Lake, store: ObjectStore, warehouse_in_store: str) -> None:
    """They come with the answer of the job: no folder is made, listed or removed."""
    lake.sql("CREATE TABLE d.t (id BIGINT, p STRING) PARTITIONED BY (p)")
    bucket = warehouse_in_store.split("/")[2]
    insert = "INSERT INTO d.t SELECT id, concat('p', id % 3) FROM range(30000)"
    assert requests_of(store, bucket, lambda: lake.sql(insert)) == {("PUT", "data"): 3}


def test_large_files_of_a_job_are_one_request(lake: Lake, store: ObjectStore, warehouse_in_store: str) -> None:
    """A task writes each under the name that it keeps, and no folder is made, listed or removed."""
    lake.sql("CREATE TABLE d.t (id BIGINT, word STRING, p INT) PARTITIONED BY (p)")
    bucket = warehouse_in_store.split("/")[2]
    insert = "INSERT INTO d.t SELECT id, sha2(CAST(id AS STRING), 512), CAST(id % 3 AS INT) FROM range(120000)"
    assert requests_of(store, bucket, lambda: lake.sql(insert)) == {("PUT", "data"): 3}
    assert lake.sql("SELECT count(*), count(DISTINCT word) FROM d.t").rows == [[120000, 120000]]


@pytest.mark.parametrize(
    ("few_rows", "sent_bytes", "staged"),
    [
        (FEW_ROWS, SENT_BYTES, {}),
        *([(FEW_ROWS, 0, {"PUT": 3, "HEAD": 3, "GET": 3})] if IS_SOAK else []),
        (0, 0, {"PUT": 9}),
    ],
)
def test_a_merge_takes_two_requests_a_file(
    lake: Lake,
    store: ObjectStore,
    warehouse_in_store: str,
    monkeypatch: pytest.MonkeyPatch,
    few_rows: int,
    sent_bytes: int,
    staged: dict[str, int],
) -> None:
    """Very few rows of its source come along with a job. This process writes down few ones, tasks write down many. All
    that was written down goes by one request.
    """
    monkeypatch.setattr(staging, "SENT_BYTES", sent_bytes)
    lake.sql("CREATE TABLE d.t (id BIGINT, n DOUBLE, at TIMESTAMP, a ARRAY<STRING>, p STRING) PARTITIONED BY (p)")
    values = "id, id * 0.5D AS n, timestamp_seconds(id) AS at, array(concat('a', id)) AS a, concat('p', id % 8) AS p"
    lake.sql(f"INSERT INTO d.t SELECT {values} FROM range(30000)")
    for module in (merge_source, merge_into):
        monkeypatch.setattr(module, "FEW_ROWS", few_rows)
    text = f"""MERGE INTO d.t USING (SELECT {values} FROM range(15000, 45000)) s ON t.id = s.id
        WHEN MATCHED AND s.id % 3 = 0 THEN DELETE
        WHEN MATCHED THEN UPDATE SET n = s.n + t.n, a = array_append(s.a, t.p) WHEN NOT MATCHED THEN INSERT *"""
    before = len(files_of(lake))
    bucket = warehouse_in_store.split("/")[2]
    found = requests_of(store, bucket, lambda: lake.sql(text))
    written = len(files_of(lake)) - before
    assert (found["PUT", "data"] + found["PUT", "deletes"], written) == (written, 32)
    wrote = {method: count for (method, folder), count in found.items() if folder == "staging"}
    if few_rows:
        assert all(wrote.get(method, 0) <= most for method, most in staged.items())
        assert written + sum(wrote.values()) + found["POST", ""] <= 2 * written
    assert bool(wrote) == bool(staged)
    assert wrote.get("PUT", 0) <= staged.get("PUT", 0)
    assert (found["POST", ""] + wrote.get("DELETE", 0)) == bool(staged)
    sums = "SELECT count(*), sum(id), sum(n), sum(size(a)), max(at), count(DISTINCT p) FROM d.t"
    kept = [n for n in range(45000) if not (15000 <= n < 30000 and n % 3 == 0)]
    updated = [n for n in kept if 15000 <= n < 30000]
    (row,) = lake.sql(sums).rows
    assert row[:4] == [len(kept), sum(kept), sum(kept) * 0.5 + sum(updated) * 0.5, len(kept) + len(updated)]
    assert row[5] == 8
    assert breaches(lake) == []


def next_address(lake: Lake) -> int:
    from catalog_app.models import Table

    return Table.objects.values_list("next_address", flat=True).get(catalog=catalog_get(lake.catalog))


def test_addresses_without_a_row_are_given_back(lake: Lake) -> None:
    """The two tasks have addresses far from each other. The rows keep the order of the query."""
    lake.sql("CREATE TABLE d.t (id INT, word STRING)")
    lake.sql("INSERT INTO d.t VALUES (-1, 'a')")
    lake.sql(f"INSERT INTO d.t {BY_TASKS}")
    assert next_address(lake) == 1 + TASK_ROWS + 30000
    lake.sql("INSERT INTO d.t VALUES (-2, 'b')")
    assert next_address(lake) == 1 + TASK_ROWS + 30001
    wanted = "SELECT id FROM d.t WHERE id IN (-1, 0, 29999, 30000, 59999, -2) ORDER BY _row_id"
    assert [row[0] for row in lake.sql(wanted).rows] == [-1, 0, 29999, 30000, 59999, -2]
    assert breaches(lake) == []


def test_a_failed_job_leaves_no_file(lake: Lake) -> None:
    """Its last task fails, when others have written theirs: it begins when one of them ends, and computes much more. A
    task that still writes while another one fails leaves a file to VACUUM.
    """
    lake.sql("CREATE TABLE d.t (id INT, word STRING)")
    lake.sql("INSERT INTO d.t VALUES (-1, 'a')")
    before = files_of(lake), next_address(lake)
    word = "sha2(CAST(id AS STRING), 512)"
    much = f"{'sha2(' * 20}{word}{', 512)' * 20}"
    fails = f"CASE WHEN id = 119999 THEN raise_error('the last row') WHEN id >= 80000 THEN {much} ELSE {word} END"
    with pytest.raises(LakeError, match="the last row"):
        lake.sql(f"INSERT INTO d.t SELECT CAST(id AS INT), {fails} FROM range(0, 120000, 1, 3)")
    assert (files_of(lake), next_address(lake)) == before


def test_file_of_a_dead_attempt_is_not_read(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """It lies beside the file of the attempt that counts, as both have the addresses of their task."""
    lake.sql("CREATE TABLE d.t (id INT, word STRING)")
    lake.sql(f"INSERT INTO d.t {BY_TASKS}")
    kept = files_of(lake)
    one = next(path for path in kept if path.split("/")[1] == "data")
    dead = f"{one.rpartition('/')[0]}/{'0' * 32}.parquet"
    with the_warehouse().local_copy(one) as copy:
        the_warehouse().put(copy, dead)
    assert lake.sql("SELECT count(*), count(DISTINCT id) FROM d.t").rows == [[60000, 60000]]
    lake.sql("UPDATE d.t SET word = 'x' WHERE id % 1000 = 0")
    assert lake.sql("SELECT count(*), count_if(word = 'x') FROM d.t").rows == [[60000, 60]]
    monkeypatch.setitem(settings.LAKEUI, "STAGED_HOURS", 0)
    lake.sql("VACUUM")
    assert dead not in files_of(lake)
    assert kept <= files_of(lake)
    assert lake.sql("SELECT count(*), count_if(word = 'x') FROM d.t").rows == [[60000, 60]]


def test_tasks_write_what_the_writer_of_spark_does(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """NaN, NULL, nested values, and texts too long for a folder."""
    columns = "id BIGINT, x DOUBLE, s STRUCT<a: INT, b: ARRAY<STRING>>, m MAP<STRING, INT>, d DECIMAL(20, 3), p STRING"
    values = """id, IF(id % 7 = 0, DOUBLE('NaN'), id * 0.5D), IF(id % 5 = 0, NULL, struct(CAST(id AS INT), array('x'))),
        map('k', CAST(id AS INT)), CAST(id AS DECIMAL(20, 3)), IF(id % 3 = 0, NULL, repeat('long/=', id % 3 * 10)),
        timestamp_seconds(id)"""
    sums = """SELECT count(*), count_if(isnan(x)), count(s), sum(s.a), sum(m['k']), sum(d), count(p), count(DISTINCT p),
        max(at), sum(hash(s.b)) FROM d."""
    found = []
    for table in ("t", "u"):
        lake.sql(f"CREATE TABLE d.{table} ({columns}, at TIMESTAMP) PARTITIONED BY (p)")
        lake.sql(f"INSERT INTO d.{table} SELECT {values} FROM range(30000)")
        lake.sql(f"UPDATE d.{table} SET s = named_struct('a', 1, 'b', array('y', NULL)) WHERE id % 2 = 0")
        found.append(lake.sql(sums + table).rows)
        found.append(lake.sql(f"SELECT count(*) FROM d.{table} WHERE x > 1e9").rows)
        monkeypatch.setattr(Warehouse, "task_filesystem", None)
    assert found[:2] == found[2:]
    assert found[1] == [[4286]]
    assert breaches(lake) == []


def test_commit_of_job_leaves_no_other_files(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id BIGINT)")
    lake.sql("INSERT INTO d.t SELECT id FROM range(30000)")
    assert [path.split("/")[1] for path in files_of(lake)] == ["data"]


def test_other_engines_read_an_export(lake: Lake, store: ObjectStore) -> None:
    """PyIceberg reads the metadata in the store, which name files as s3://."""
    lake.sql("CREATE TABLE d.t (id INT, name STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    lake.sql("DELETE FROM d.t WHERE id = 2")
    call_command("export_iceberg", lake.catalog, "main")
    elsewhere = f"{store.bucket('exports-' + lake.catalog.replace('_', '-'))}/main"
    call_command("export_iceberg", lake.catalog, "main", to=elsewhere)
    said = store.options
    properties: dict[str, Any] = {
        "s3.endpoint": said.endpoint,
        "s3.access-key-id": said.access_key,
        "s3.secret-access-key": said.secret_key,
        "s3.region": said.region,
    }
    for place in (the_warehouse().location(f"exports/{lake.catalog}/main"), elsewhere):
        table = StaticTable.from_metadata(f"{place}/d/t/metadata/v{lake.head()}.metadata.json", properties)
        assert sorted(table.scan().to_arrow().column("id").to_pylist()) == [1, 3]
        assert all(task.file.file_path.startswith(f"{the_warehouse().root}/") for task in table.scan().plan_files())
    for wrong in ("/tmp/exports", f"{the_warehouse().root}/in"):
        with pytest.raises(CommandError):
            call_command("export_iceberg", lake.catalog, "main", to=wrong)


def test_doctor_finds_the_store_and_the_driver(warehouse_in_store: str) -> None:
    from lakeui.runtime.store_checks import spark_store_check, store_check

    root, options = settings.LAKEUI["WAREHOUSE"], settings.LAKEUI["STORE"]
    assert store_check(root, options).startswith(root)
    assert spark_store_check(root, options, settings.LAKEUI["SPARK_REMOTE"]) == f"It reads {root}."
    assert the_warehouse().all_under("doctor") == []


def test_foreign_store_files_are_taken_over_and_loaded(
    lake: Lake, store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = Warehouse(f"{store.bucket('theirs-' + lake.catalog.replace('_', '-'))}/in", store.options)
    content = pa.BufferOutputStream()
    pq.write_table(pa.table({"id": pa.array([1, 2, 3], pa.int32())}), content)
    theirs.write("a b/part.parquet", content.getvalue())
    monkeypatch.setitem(settings.LAKEUI, "IMPORT_LOCATIONS", (theirs.root,))
    lake.sql(f"CREATE TABLE d.t FROM PARQUET '{theirs.root}/a b'")
    lake.sql("DELETE FROM d.t WHERE id = 2")
    lake.sql(f"COPY INTO d.t FROM '{theirs.root}/a b' FILEFORMAT = PARQUET")
    assert lake.rows("d.t") == [(1,), (1,), (2,), (3,), (3,)]
    assert theirs.exists("a b/part.parquet")
    with pytest.raises(PermissionDenied, match="may not be read"):
        lake.sql("COPY INTO d.t FROM 's3://elsewhere/x' FILEFORMAT = PARQUET")
