"""Files that tasks write by PyArrow, without Spark: what comes with the answer, and what it says of the rest."""

from __future__ import annotations

import base64
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest
from pyspark import cloudpickle

from catalog_app.engine import task_files, write_jobs
from catalog_app.engine.targets import Target
from catalog_app.engine.task_files import SENT, TASK_ROWS, TASKS, Places, task_writer
from catalog_app.engine.write_jobs import Addresses, TaskJob
from catalog_app.storage.footers import facts_of_footer, read_facts
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.parquet import Seen

SCHEMA = pa.schema(
    [
        pa.field("id", pa.int64(), metadata={"PARQUET:field_id": "1"}),
        pa.field("x", pa.float64(), metadata={"PARQUET:field_id": "2"}),
        pa.field("s", pa.struct([pa.field("a", pa.int32())]), metadata={"PARQUET:field_id": "3"}),
    ]
)
RUN = """
# Another process, as an executor is. What it prints is what the test reads.
import base64, pickle, sys
import pyarrow as pa
write, batch = pickle.loads(base64.b64decode(sys.stdin.read()))
assert not any(name.split(".")[0] in ("lakeui", "catalog_app") for name in sys.modules), "lakeui was imported"
print([row["rows"] for answer in write(iter([batch])) for row in answer.to_pylist()])
"""


def batch_of(*folders: str | None, first: int = 0) -> pa.RecordBatch:
    """A row of each folder."""
    ids = range(first, first + len(folders))
    columns = {
        "__c1": pa.array(ids, pa.int64()),
        "__c2": pa.array([float("nan") if i % 4 == 3 else i / 2 for i in ids]),
        "__c3": pa.array([None if i % 2 else {"a": i} for i in ids], pa.struct([pa.field("a", pa.int32())])),
        "p": pa.array(folders, pa.string()),
    }
    return pa.RecordBatch.from_pydict(columns)


def answers(folder: Path, *batches: pa.RecordBatch, first: int | None = None, **options: Any) -> list[dict[str, Any]]:
    said: dict[str, Any] = {"rows_per_file": 100, "answers": False} | options
    places = Places(pafs.LocalFileSystem(), str(folder), str(folder / "data"), first)
    write = task_writer(places, SCHEMA, **said)
    return [row for answer in write(iter(batches)) for row in answer.to_pylist()]


def test_each_folder_is_a_file(tmp_path: Path) -> None:
    """A run of one value may be in two batches. NULL is a value of its own."""
    found = answers(tmp_path, batch_of("a", "a", None), batch_of(None, "b", "b", first=3))
    assert [(row["texts"], row["rows"]) for row in found] == [(["a"], 2), ([None], 2), (["b"], 2)]
    assert {row["path"] for row in found} == {str(path) for path in tmp_path.iterdir()}
    assert [pq.read_table(row["path"]).column("id").to_pylist() for row in found] == [[0, 1], [2, 3], [4, 5]]


def test_footer_and_what_was_seen_are_the_facts(tmp_path: Path) -> None:
    (row,) = answers(tmp_path, batch_of(*"aaaaaa"))
    seen = Seen(set(row["nan"]), dict(row["nulls"]))
    name = Path(row["path"]).name
    assert facts_of_footer(row["footer"], row["bytes"], seen) == read_facts(Warehouse(str(tmp_path)), name)
    assert (seen.nan, seen.nulls) == ({"x"}, {"s": 3})


def test_small_files_come_with_the_answer(tmp_path: Path) -> None:
    found = answers(tmp_path, batch_of("a", "b"), answers=True)
    assert list(tmp_path.iterdir()) == []
    tables = [pq.read_table(pa.BufferReader(row["content"])) for row in found]
    assert [table.column("id").to_pylist() for table in tables] == [[0], [1]]
    assert [len(row["content"]) for row in found] == [row["bytes"] for row in found]


def test_a_task_answers_no_more_than_its_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (first, _) = answers(tmp_path, batch_of("a", "b"), answers=True)
    monkeypatch.setattr(task_files, "ANSWERED_BYTES", first["bytes"] + 10)
    found = answers(tmp_path, batch_of("a", "b"), answers=True)
    assert [row["content"] is None for row in found] == [False, True]
    assert [row["path"] for row in found] == ["", *map(str, tmp_path.iterdir())]


def test_rows_beyond_what_a_task_holds_stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_files, "HELD_BYTES", 1)
    (row,) = answers(tmp_path, batch_of("a", "a"), batch_of("a", "a", first=2), answers=True)
    assert (row["content"], row["rows"]) == (None, 4)
    assert row["bytes"] == Path(row["path"]).stat().st_size
    assert pq.ParquetFile(row["path"]).metadata.num_row_groups == 2


def test_each_batch_is_measured_once(tmp_path: Path) -> None:
    """A task holds thousands of batches."""
    rows = mock.Mock(column_names=[], columns=[], num_rows=1)
    rows.rename_columns.return_value.cast.return_value = rows
    size = mock.PropertyMock(return_value=8)
    type(rows).nbytes = size
    file = task_files._File(Places(pafs.LocalFileSystem(), str(tmp_path)), None, SCHEMA, [])
    for _ in range(5):
        file.add(rows)
    assert size.call_count == 5


def test_many_rows_become_several_files(tmp_path: Path) -> None:
    found = answers(tmp_path, batch_of("a", "a"), batch_of("a", "a", first=2), batch_of("a", first=4), rows_per_file=2)
    assert [row["rows"] for row in found] == [2, 2, 1]


def test_attempts_never_share_a_name(tmp_path: Path) -> None:
    """What an attempt wrote that died stays beside the files of the one that counts."""
    dead, alive = (answers(tmp_path, batch_of("a", "b")) for _ in range(2))
    assert not {row["path"] for row in dead} & {row["path"] for row in alive}
    assert len(list(tmp_path.iterdir())) == 4


@pytest.fixture
def third_task(monkeypatch: pytest.MonkeyPatch) -> int:
    """The first address of the rows of a task that has two before it."""
    monkeypatch.setattr(task_files, "_task_number", lambda: 2)
    return 1000 + 2 * TASK_ROWS


def test_addresses_of_a_task_follow_each_other(tmp_path: Path, third_task: int) -> None:
    """A file has its last name before its rows are counted. One that is answered has addresses too."""
    for rows in (0, 2):
        (tmp_path / "data" / f"base={third_task + rows}").mkdir(parents=True)
    found = answers(tmp_path, batch_of("a", "a", "b"), first=1000)
    assert [(row["base"], row["rows"]) for row in found] == [(third_task, 2), (third_task + 2, 1)]
    assert [Path(row["path"]).parent.name for row in found] == [f"base={row['base']}" for row in found]
    answered = answers(tmp_path, batch_of("a", "a", "b"), first=1000, answers=True)
    assert [(row["base"], row["path"]) for row in answered] == [(third_task, ""), (third_task + 2, "")]


def test_no_file_leaves_the_addresses_of_its_task(
    tmp_path: Path, third_task: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next ones would be those of another task: the file lies in staging."""
    monkeypatch.setattr(task_files, "TASK_ROWS", 5)
    first = 1000 + 2 * 5
    for rows in (0, 2):
        (tmp_path / "data" / f"base={first + rows}").mkdir(parents=True)
    batches = [batch_of("a", "a", first=at) for at in range(0, 8, 2)]
    found = answers(tmp_path, *batches, first=1000, rows_per_file=2)
    assert [row["base"] for row in found] == [first, first + 2, None, None]
    assert [Path(row["path"]).parent == tmp_path for row in found] == [False, False, True, True]


def test_tasks_beyond_all_addresses_write_into_staging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_files, "_task_number", lambda: TASKS)
    (row,) = answers(tmp_path, batch_of("a"), first=1000)
    assert (row["base"], Path(row["path"]).parent) == (None, tmp_path)


def test_used_addresses_are_never_given_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the only rows are those of a task that has no addresses."""
    given: list[tuple[int, int, int]] = []
    addresses = Addresses(lambda *_: 1000, lambda *said: given.append(said))
    job = TaskJob(Warehouse(str(tmp_path)), "9/staging/x", pafs.LocalFileSystem(), addresses)
    target = mock.Mock(spec=Target, table_id=9)

    def run(number: int, *batches: pa.RecordBatch) -> None:
        monkeypatch.setattr(task_files, "_task_number", lambda: number)
        said = answers(tmp_path, *batches, first=1000, answers=True)
        monkeypatch.setattr(write_jobs, "rows_written", lambda *_: said)
        job.run(target, mock.Mock(), [])

    run(TASKS, batch_of("a"))
    run(0)
    run(0, batch_of("a", "b"))
    assert given == [(9, used, 1000 + TASKS * TASK_ROWS) for used in (1000, 1000, 1002)]


def test_executors_need_no_lakeui(tmp_path: Path) -> None:
    for module in SENT:
        cloudpickle.register_pickle_by_value(module)
    write = task_writer(Places(pafs.LocalFileSystem(), str(tmp_path)), SCHEMA, rows_per_file=9, answers=False)
    sent = base64.b64encode(cloudpickle.dumps((write, batch_of("a", "b")), protocol=pickle.HIGHEST_PROTOCOL))
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-c", RUN]
    ran = subprocess.run(
        command, cwd=tmp_path, env=environment, input=sent, capture_output=True, check=False, timeout=60
    )
    assert ran.stdout.decode().strip() == "[1, 1]", ran.stderr.decode()
