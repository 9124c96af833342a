"""A warehouse in an object store, without Spark: paths, and which requests an operation takes."""

from __future__ import annotations

import os
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from itertools import count
from pathlib import Path
from threading import Barrier
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse

from catalog_app.domain.files import FileScan, TableScan
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.stores import StoreOptions, store_failure
from catalog_app.engine.copy_on_write import Marks, copy_touched
from catalog_app.engine.targets import Staged, Target
from catalog_app.engine.writing import FileWriter
from catalog_app.storage import s3_removals
from catalog_app.storage.deletes import deleted_positions, read_integers, write_deletes
from catalog_app.storage.footers import read_facts
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import InvalidValue
from tests.support.object_store import Counted, ObjectStore

SCHEMA = Schema((Column(1, "id", "bigint"),))


@pytest.fixture
def warehouse(store: ObjectStore) -> Warehouse:
    return Warehouse(f"{store.bucket(f'b-{uuid.uuid4().hex[:12]}')}/a/lake", store.options)


def test_every_reader_has_its_name_of_a_file(warehouse: Warehouse) -> None:
    path = "7/data/base=0/x.parquet"
    bucket = warehouse.root.split("/")[2]
    assert warehouse.absolute(path) == f"{bucket}/a/lake/{path}"
    assert warehouse.spark_path(path) == f"s3a://{bucket}/a/lake/{path}"
    assert warehouse.location(path) == f"s3://{bucket}/a/lake/{path}"
    assert warehouse.spark_path("s3://theirs/x.parquet") == "s3a://theirs/x.parquet"


@pytest.mark.parametrize("root", ["hdfs://host/lake", "oss://bucket/lake"])
def test_unsupported_store_is_refused_by_name(root: str) -> None:
    with pytest.raises(InvalidValue) as refused:
        Warehouse(root)
    assert root.partition("://")[0] in refused.value.message
    assert "LAKEUI_WAREHOUSE" in refused.value.remedy


def test_files_are_written_listed_read_and_removed(warehouse: Warehouse, tmp_path: Path) -> None:
    (tmp_path / "sent").write_bytes(b"sent")
    warehouse.put(tmp_path / "sent", "imports/x/file")
    warehouse.write("7/data/base=0/a.parquet", b"a")
    warehouse.replace("7/metadata/hint", b"one")
    warehouse.replace("7/metadata/hint", b"two")
    assert [(file.path, file.bytes) for file in warehouse.files_under("7")] == [("7/data/base=0/a.parquet", 1)]
    assert {file.path for file in warehouse.all_under("7")} == {"7/data/base=0/a.parquet", "7/metadata/hint"}
    with warehouse.local_copy("7/metadata/hint") as copy:
        assert copy.read_bytes() == b"two"
    warehouse.discard("imports/x")
    warehouse.discard("imports/x")
    warehouse.remove("7/data/base=0/a.parquet")
    warehouse.remove("7/data/base=0/a.parquet")
    assert not warehouse.exists("7/data/base=0/a.parquet")
    assert not warehouse.exists("imports/x/file")
    assert warehouse.all_under("imports") == []
    assert warehouse.all_under("9") == []


def test_staged_files_are_placed_by_three_requests(warehouse: Warehouse, store: ObjectStore) -> None:
    """Its footer is read, and the store copies it. The folder goes as one."""
    staging, content = warehouse.new_staging(7), pa.BufferOutputStream()
    pq.write_table(pa.table({"id": [1, 2, 3]}), content)
    warehouse.write(f"{staging}/part.parquet", content.getvalue())
    bucket = warehouse.root.split("/")[2]
    with Counted(store, bucket) as read:
        facts = read_facts(warehouse, f"{staging}/part.parquet")
    assert (facts.rows, facts.bytes) == (3, content.getvalue().size)
    assert dict(read) == {"HEAD": 1, "GET": 1}
    with Counted(store, bucket) as placed:
        path = warehouse.place_data(f"{staging}/part.parquet", table_id=7, base=0)
    assert dict(placed) == {"PUT": 1}
    warehouse.discard(staging)
    assert [file.path for file in warehouse.all_under("7")] == [path]


def test_files_of_a_job_are_placed_together(warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each waits until another one is on its way too. Their addresses are in the order of the files."""
    meeting, place = Barrier(2), Warehouse.place_data

    def waits(self: Warehouse, staged: str, **said: int) -> str:
        meeting.wait(timeout=20)
        return place(self, staged, **said)

    monkeypatch.setattr(Warehouse, "place_data", waits)
    staging, staged = warehouse.new_staging(7), []
    for number in range(4):
        content = pa.BufferOutputStream()
        pq.write_table(pa.table({"id": range(number + 1)}), content)
        warehouse.write(f"{staging}/{number}.parquet", content.getvalue())
        staged.append(Staged(f"{staging}/{number}.parquet", (str(number),)))
    files = FileWriter(warehouse, lambda *_: 100, lambda *_: 0).place(7, staged)
    assert [(file.partition, file.base, file.rows) for file in files] == [
        (("0",), 100, 1), (("1",), 101, 2), (("2",), 103, 3), (("3",), 106, 4)
    ]  # fmt: skip
    assert all(f"base={file.base}/" in file.path for file in files)
    assert {file.path for file in warehouse.all_under("7/data")} == {file.path for file in files}


def test_more_files_than_a_page_are_listed(warehouse: Warehouse, store: ObjectStore) -> None:
    """A store answers 1,000 names at a time."""
    with ThreadPoolExecutor(4) as pool:
        for written in [pool.submit(warehouse.write, f"7/data/{number}", b"") for number in range(1020)]:
            written.result()
    with Counted(store, warehouse.root.split("/")[2]) as taken:
        assert len(warehouse.all_under("7")) == 1020
    assert taken["GET"] >= 2


def test_few_rows_are_one_request_a_file(warehouse: Warehouse, store: ObjectStore) -> None:
    writer = FileWriter(warehouse, lambda *_: 100, lambda *_: 0)
    with Counted(store, warehouse.root.split("/")[2]) as taken:
        (file,) = writer.write_arrow(Target(7, SCHEMA), pa.table({"__c1": [1, 2, 3]}))
    assert taken == {"PUT": 1}
    assert (file.rows, file.base, file.bytes) == (3, 100, warehouse.size(file.path))
    assert [found.path for found in warehouse.all_under("7")] == [file.path]


def test_a_removed_data_file_leaves_no_empty_object(warehouse: Warehouse) -> None:
    writer = FileWriter(warehouse, lambda *_: 100, lambda *_: 0)
    (file,) = writer.write_arrow(Target(7, SCHEMA), pa.table({"__c1": [1, 2, 3]}))
    warehouse.remove(file.path)
    place = pafs.FileSelector(warehouse.absolute("7"), recursive=True, allow_not_found=True)
    found = warehouse.filesystem.get_file_info(place)
    assert found == []


def test_removed_files_are_one_request(warehouse: Warehouse, store: ObjectStore) -> None:
    """Up to a thousand. Those of another store stay, as does what a name begins."""
    names = [f"7/data/base={number}/a.parquet" for number in range(5)]
    for name in [*names, "7/data/base=0/a.parquet.other"]:
        warehouse.write(name, b"rows")
    bucket = warehouse.root.split("/")[2]
    with Counted(store, bucket) as taken:
        warehouse.remove_all([*names, "7/data/base=9/none.parquet"])
    assert taken == {"POST": 1}
    with Counted(store, bucket) as one:
        warehouse.remove("7/data/base=0/a.parquet")
    assert one == {"DELETE": 1}
    assert [file.path for file in warehouse.all_under("7")] == ["7/data/base=0/a.parquet.other"]


@pytest.mark.parametrize("code", ["NotImplemented", "AccessDenied"])
def test_a_store_may_take_one_name_at_once(warehouse: Warehouse, store: ObjectStore, code: str) -> None:
    """Whatever else it refuses is an error. It gets the digest that stores ask for which are not Amazon's."""
    names = [f"7/data/base={number}/a.parquet" for number in range(2)]
    for name in names:
        warehouse.write(name, b"rows")
    asked: list[Any] = []

    def refuse(request: AWSPreparedRequest, **_: Any) -> AWSResponse:
        asked.append(request.headers)
        return _answered(request, 501, f"<Error><Code>{code}</Code><Message>no</Message></Error>")

    client = s3_removals._client(warehouse.options, os.getpid())
    client.meta.events.register_first("before-send.s3.DeleteObjects", refuse)
    try:
        with nullcontext() if code in s3_removals.ONE_BY_ONE else pytest.raises(OSError, match=code):
            warehouse.remove_all(names)
    finally:
        client.meta.events.unregister("before-send.s3.DeleteObjects", refuse)
    assert ("Content-MD5" in asked[0], "x-amz-checksum-crc32" in asked[0]) == (True, False)
    assert [warehouse.exists(name) for name in names] == [code == "AccessDenied"] * 2
    warehouse.remove_all(names)


@pytest.mark.parametrize(("code", "is_gone"), [("InternalError", True), ("AccessDenied", False)])
def test_names_that_a_store_left_go_alone(warehouse: Warehouse, code: str, is_gone: bool) -> None:
    """Of many names a store may leave some, with a code for each. Another store says of one that it is not there."""
    names = [f"7/data/base={number}/a.parquet" for number in range(3)]
    for name in names[:2]:
        warehouse.write(name, b"rows")

    def leave(request: AWSPreparedRequest, **_: Any) -> AWSResponse:
        left = "".join(f"<Error><Key>a/lake/{name}</Key><Code>{code}</Code></Error>" for name in names)
        return _answered(request, 200, f"<DeleteResult>{left}</DeleteResult>")

    def refuse(request: AWSPreparedRequest, **_: Any) -> AWSResponse | None:
        if not is_gone:
            return _answered(request, 403, f"<Error><Code>{code}</Code><Message>no</Message></Error>")
        is_there = warehouse.exists(names[0]) or warehouse.exists(names[1])
        return None if is_there else _answered(request, 404, "<Error><Code>NoSuchKey</Code></Error>")

    events = s3_removals._client(warehouse.options, os.getpid()).meta.events
    hooks = {"before-send.s3.DeleteObjects": leave, "before-send.s3.DeleteObject": refuse}
    for event, hook in hooks.items():
        events.register_first(event, hook)
    try:
        with nullcontext() if is_gone else pytest.raises(OSError, match=code):
            warehouse.remove_all(names)
    finally:
        for event, hook in hooks.items():
            events.unregister(event, hook)
    assert [warehouse.exists(name) for name in names] == [not is_gone, not is_gone, False]
    warehouse.remove_all(names)


def _answered(request: AWSPreparedRequest, status: int, text: str) -> AWSResponse:
    return AWSResponse(request.url, status, {}, SimpleNamespace(stream=lambda: [text.encode()]))


def test_a_folder_goes_by_two_requests(warehouse: Warehouse, store: ObjectStore) -> None:
    """It is listed first. No empty object stays above it, and what begins alike stays."""
    for name in ("7/staging/x/a", "7/staging/x/deep/b", "7/staging/xy/c"):
        warehouse.write(name, b"rows")
    with Counted(store, warehouse.root.split("/")[2]) as taken:
        warehouse.discard("7/staging/x")
    assert taken == {"GET": 1, "POST": 1}
    found = warehouse.filesystem.get_file_info(pafs.FileSelector(warehouse.absolute("7"), recursive=True))
    assert [info.path.partition("/7/")[2] for info in found if info.is_file] == ["staging/xy/c"]


def test_a_delete_file_is_one_request(warehouse: Warehouse, store: ObjectStore) -> None:
    writer = FileWriter(warehouse, lambda *_: 0, lambda *_: 0)
    (file,) = writer.write_arrow(Target(7, SCHEMA), pa.table({"__c1": [1, 2, 3]}))
    scan = FileScan(1, file.path, 0, 3, SCHEMA)
    with Counted(store, warehouse.root.split("/")[2]) as taken:
        gone = write_deletes(warehouse, table_id=7, file=scan, positions=np.array([2, 0]), row_ids=np.array([2, 0]))
    assert taken == {"PUT": 1}
    assert gone.bytes == warehouse.size(gone.path)
    assert read_integers(warehouse, gone.path, "pos").tolist() == [0, 2]


def test_small_delete_file_is_read_once(warehouse: Warehouse, store: ObjectStore) -> None:
    file = FileScan(1, "7/data/base=0/x.parquet", 0, 3, SCHEMA)
    paths = []
    for positions in ([2, 0], [1, 2]):
        given = np.array(positions)
        paths.append(write_deletes(warehouse, table_id=7, file=file, positions=given, row_ids=given).path)
    assert deleted_positions(warehouse, paths[:1]).tolist() == [0, 2]
    assert deleted_positions(warehouse, paths).tolist() == [0, 1, 2]
    with Counted(store, warehouse.root.split("/")[2]) as taken:
        assert deleted_positions(warehouse, paths).tolist() == [0, 1, 2]
    assert taken == {}


@pytest.mark.parametrize("step", ["write", "exists", "all_under", "remove", "discard"])
def test_unreachable_store_is_known_by_its_error(step: str) -> None:
    away = Warehouse(
        "s3://bucket/lake", StoreOptions("http://127.0.0.1:1", "us-east-1", True, "who", "word", attempts=1)
    )
    with pytest.raises(OSError, match="AWS Error") as raised:
        getattr(away, step)("7/x", *([b"1"] if step == "write" else []))
    failed = store_failure(raised.value)
    assert failed is not None
    assert failed.details["store_code"] == "NETWORK_CONNECTION"


def test_a_copied_file_is_written_once(
    warehouse: Warehouse, store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Copy-on-write writes a copy under the name that it keeps, and asks nothing about it. None stays if one fails."""
    bases = count(100, 100)
    writer = FileWriter(warehouse, lambda *_: next(bases), lambda *_: 0)
    (made,) = writer.write_arrow(Target(7, SCHEMA), pa.table({"__c1": [1, 2, 3]}))
    file = FileScan(1, made.path, made.base, 3, SCHEMA, bytes=made.bytes)
    gone = np.array([1])
    deleted = write_deletes(warehouse, table_id=7, file=file, positions=gone, row_ids=gone + made.base)
    before = len(store.requests(warehouse.root.split("/")[2]))
    (copy,) = copy_touched(None, writer, TableScan(7, SCHEMA, (file,)), Marks((), (deleted,), ())).added
    taken = store.requests(warehouse.root.split("/")[2])[before:]
    assert [method for method, path in taken if copy.path in path] == ["PUT"]
    assert not [path for method, path in taken if copy.path not in path and method not in {"GET", "HEAD"}]
    assert read_facts(warehouse, copy.path).row_ids == (copy.smallest_row_id, copy.largest_row_id) == (100, 102)
    assert (copy.rows, copy.base, copy.bytes) == (2, 200, warehouse.size(copy.path))

    def fails(*_: object) -> None:
        raise OSError("the store is away")

    kept = {item.path for item in warehouse.all_under("7")}
    monkeypatch.setattr(FileWriter, "place", fails)
    with pytest.raises(OSError, match="the store is away"):
        copy_touched(None, writer, TableScan(7, SCHEMA, (file,)), Marks((), (deleted,), ()))
    assert {item.path for item in warehouse.all_under("7")} == kept


def test_partly_unwritable_rows_leave_no_file(warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = Schema((Column(1, "id", "bigint"), Column(2, "p", "string")), partition_by=(2,))
    write, count = Warehouse.write, []

    def fails_second(self: Warehouse, path: str, content: bytes) -> None:
        count.append(path)
        if len(count) == 2:
            raise OSError("the store is away")
        write(self, path, content)

    monkeypatch.setattr(Warehouse, "write", fails_second)
    writer = FileWriter(warehouse, lambda *_: 0, lambda *_: 0)
    rows = pa.table({"__c1": [1, 2], "__c2": ["a", "b"], "__lake_p0": ["a", "b"]})
    with pytest.raises(OSError, match="the store is away"):
        writer.write_arrow(Target(7, layout), rows)
    assert len(count) == 2
    assert warehouse.all_under("7") == []
