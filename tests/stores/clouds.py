"""What a warehouse in the stores of Google and of Azure has to do, without Spark: files, and lakes on the engine in
memory.

One module for each store has these tests: a lake of one cannot be backed up where the settings name the other.
"""

from __future__ import annotations

import signal
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from django.conf import settings

from catalog_app.domain.files import FileScan
from catalog_app.domain.stores import store_failure
from catalog_app.engine.targets import Target
from catalog_app.engine.writing import FileWriter
from catalog_app.storage.deletes import read_integers, write_deletes
from catalog_app.storage.footers import read_facts
from catalog_app.storage.warehouse import Warehouse
from lakeui.runtime.store_checks import store_check
from tests.backups.conftest import Commands
from tests.backups.test_backups import done, insert
from tests.stores.test_warehouse import SCHEMA, test_files_are_written_listed_read_and_removed  # noqa: F401 - a test here too
from tests.support.cloud_stores import ACCOUNT, CloudStore
from tests.support.lake import Lake


def cloud_started(kind: str, home: Path) -> Iterator[CloudStore]:
    started = CloudStore(kind, home)
    started.start()
    started.wait_until_ready()
    try:
        yield started
    finally:
        started.stop()


@pytest.fixture
def warehouse(cloud: CloudStore) -> Warehouse:
    return Warehouse(f"{cloud.bucket(f'b-{uuid.uuid4().hex[:12]}')}/a/lake", cloud.options)


@pytest.fixture(scope="module")
def own_warehouse(services: None, cloud: CloudStore) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        root = f"{cloud.bucket(f'lake-{uuid.uuid4().hex[:12]}')}/first"
        patch.setitem(settings.LAKEUI, "WAREHOUSE", root)
        patch.setitem(settings.LAKEUI, "STORE", cloud.options)
        yield root


@pytest.fixture(scope="module")
def store_environment(cloud: CloudStore, own_warehouse: str) -> dict[str, str]:
    return {**cloud.environment, "LAKEUI_WAREHOUSE": own_warehouse}


@pytest.fixture
def restored(cloud: CloudStore) -> str:
    return f"{cloud.bucket(f'new-{uuid.uuid4().hex[:12]}')}/second"


def test_every_reader_has_its_name_of_a_file(warehouse: Warehouse) -> None:
    path = "7/data/base=0/x.parquet"
    bucket = warehouse.root.split("/")[2].partition("@")[0]
    assert warehouse.absolute(path) == f"{bucket}/a/lake/{path}"
    assert warehouse.location(path) == warehouse.spark_path(path) == f"{warehouse.root}/{path}"
    outside = warehouse.location(path).replace("/a/lake/", "/theirs/")
    assert warehouse.absolute(outside) == f"{bucket}/theirs/{path}"
    assert warehouse.spark_path(outside) == outside


def test_rows_and_deletes_are_written_read_and_removed(warehouse: Warehouse) -> None:
    writer = FileWriter(warehouse, lambda *_: 100, lambda *_: 0)
    (file,) = writer.write_arrow(Target(7, SCHEMA), pa.table({"__c1": [1, 2, 3]}))
    assert (file.rows, file.bytes) == (3, warehouse.size(file.path))
    assert read_facts(warehouse, file.path).rows == 3
    scan = FileScan(1, file.path, 0, 3, SCHEMA)
    gone = write_deletes(warehouse, table_id=7, file=scan, positions=np.array([2, 0]), row_ids=np.array([2, 0]))
    assert read_integers(warehouse, gone.path, "pos").tolist() == [0, 2]
    warehouse.write("7/staging/x/part.parquet", b"rows")
    placed = warehouse.place_data("7/staging/x/part.parquet", table_id=7, base=5)
    warehouse.discard("7/staging/x")
    assert {found.path for found in warehouse.all_under("7")} == {file.path, gone.path, placed}
    for path in (file.path, gone.path, placed):
        warehouse.remove(path)
    assert warehouse.all_under("7") == []


def test_more_files_than_a_page_are_listed(cloud: CloudStore, warehouse: Warehouse) -> None:
    """The store of Google answers 1,000 names at a time; that of Azure 5,000, which are not written here."""
    many = 1020 if cloud.kind == "gs" else 20
    with ThreadPoolExecutor(4) as pool:
        for written in [pool.submit(warehouse.write, f"7/data/{number}", b"") for number in range(many)]:
            written.result()
    assert len(warehouse.all_under("7")) == many


def test_refusal_of_store_is_known_by_its_error(cloud: CloudStore) -> None:
    root = "gs://none-4711/lake" if cloud.kind == "gs" else f"abfss://none-4711@{ACCOUNT}.dfs.core.windows.net/lake"
    with pytest.raises(OSError, match=r"google::cloud::Status|Azure Error") as raised:
        Warehouse(root, cloud.options).write("7/x", b"1")
    failed = store_failure(raised.value)
    assert failed is not None
    assert failed.details["store_code"] == ("NOT_FOUND" if cloud.kind == "gs" else "ContainerNotFound")


def test_doctor_finds_the_store(warehouse: Warehouse, cloud: CloudStore) -> None:
    assert store_check(warehouse.root, cloud.options).startswith(warehouse.root)
    assert warehouse.all_under("doctor") == []


@pytest.mark.parametrize("point", ["write.registered", "write.committing"])
def test_kill_between_upload_and_commit_keeps_version_before(
    lake: Lake, commands: Commands, own_warehouse: str, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    from catalog_app.models import Table
    from catalog_app.selectors.snapshots import catalog_get

    insert(lake, 1)
    table = str(Table.objects.get(catalog=catalog_get(lake.catalog)).pk)
    place = Warehouse(own_warehouse)
    kept = {file.path for file in place.all_under(table)}
    ran = commands(["sql", "INSERT INTO d.t VALUES (2, 'n')"], kill=point, here=True)
    assert ran.returncode == -signal.SIGKILL, ran.stdout
    uploaded = {file.path for file in place.all_under(table)} - kept
    assert len(uploaded) == 1
    assert [row[0] for row in lake.rows("d.t")] == [1]
    monkeypatch.setitem(settings.LAKEUI, "STAGED_HOURS", 0)
    monkeypatch.setitem(settings.LAKEUI, "RETENTION_DAYS", 0)
    lake.sql("VACUUM")
    assert {file.path for file in place.all_under(table)} == kept


def test_lake_is_backed_up_and_moved(lake: Lake, commands: Commands, cloud: CloudStore, tmp_path: Path) -> None:
    insert(lake, 1, 2, 3)
    lake.sql("DELETE FROM d.t WHERE id = 2")
    address = f"{cloud.bucket(f'kept-{uuid.uuid4().hex[:12]}')}/backups"
    for place in (address, str(tmp_path / "kept")):
        done(commands(["backup", place], here=True))
    done(commands(["backup", address, "--keep", "1"], here=True))
    said = done(commands(["restore", address], ["rows", "main"]))
    assert "rows [1, 3]" in said
    assert f"{lake.catalog}: in order" in said
