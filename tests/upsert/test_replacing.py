"""A merge is seen whole or not at all: killed anywhere, beside another merge, beside a writer that asks no one."""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lakeui.common.errors import Overloaded, Stale
from merge_app.upsert import merge, replacing
from merge_app.upsert.upsert import dataset_replace
from tests.upsert.model import as_bag

OLD = pa.table({"id": [1, 2, 3, 4], "v": ["a", "b", "c", "d"]})
BATCH = pa.table({"id": [2, 4, 5], "v": ["B", "D", "E"]})
NEW = pa.table({"id": [1, 2, 3, 4, 5], "v": ["a", "B", "c", "D", "E"]})
COLUMNS = ["id", "v"]
ROOT = Path(__file__).resolve().parents[2]

CHILD = """
import errno, sys
import pyarrow as pa
from merge_app.upsert import merge, replacing
if sys.argv[2] == "without exchange":
    replacing._exchange = lambda one, other: False
merge(pa.table({"id": [2, 4, 5], "v": ["B", "D", "E"]}), sys.argv[1], "upsert", "id")
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Four rows in two files, with a file that is none of the merge's business."""
    root = tmp_path / "lake" / "t"
    root.mkdir(parents=True)
    for number in range(2):
        pq.write_table(OLD.slice(2 * number, 2), root / f"{number}.parquet")
    (root / "_SUCCESS").write_text("kept")
    return root


def holds(root: Path, expected: pa.Table) -> bool:
    return as_bag(pq.read_table(root), COLUMNS) == as_bag(expected, COLUMNS)


def beside(root: Path) -> list[str]:
    """What lies in the folder of the data set."""
    return [path.name for path in root.parent.iterdir()]


def die_at(root: Path, point: str, how: str, faults: Path) -> None:
    faults.mkdir()
    (faults / point).write_text("kill")
    environment = {**os.environ, "LAKEUI_FAULTS": str(faults), "PYTHONPATH": str(ROOT)}
    ended = subprocess.run([sys.executable, "-c", CHILD, root, how], env=environment, check=False)
    assert ended.returncode == -signal.SIGKILL


@pytest.mark.parametrize(
    ("point", "how", "found"),
    [
        ("upsert.staged", "in one step", OLD),
        ("upsert.replacing", "in one step", OLD),
        ("upsert.replaced", "in one step", NEW),
        ("upsert.replacing", "without exchange", OLD),
        ("upsert.between", "without exchange", None),
        ("upsert.replaced", "without exchange", NEW),
    ],
)
def test_a_killed_merge_is_cleaned_up_later(
    root: Path, tmp_path: Path, point: str, how: str, found: pa.Table | None
) -> None:
    die_at(root, point, how, tmp_path / "faults")
    assert beside(root) != ["t"]
    if found is None:
        # Without an exchange of names there is a moment in which nothing is there; never is a part of it there.
        assert not root.exists()
    else:
        assert holds(root, found)
    result = merge(BATCH, root, "upsert", "id")
    assert result.rows_inserted == (1 if found is OLD else 0)
    assert holds(root, NEW)
    assert (root / "_SUCCESS").read_text() == "kept"
    assert beside(root) == ["t"]


def test_a_merge_that_fails_leaves_nothing_behind(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("no space")

    monkeypatch.setattr("merge_app.upsert.upsert.dataset_replace", fail)
    with pytest.raises(RuntimeError):
        merge(BATCH, root, "upsert", "id")
    assert beside(root) == ["t"]
    assert holds(root, OLD)


def test_file_system_without_name_exchange_is_served_too(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replacing, "_exchange", lambda one, other: False)
    merge(BATCH, root, "upsert", "id")
    assert holds(root, NEW)
    assert beside(root) == ["t"]


def test_a_file_system_without_links_is_served_too(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", refuse)
    merge(BATCH.slice(2), root, "upsert", "id")
    assert holds(root, pa.concat_tables([OLD, BATCH.slice(2)]))


def test_second_merge_gives_up_while_first_one_works(root: Path) -> None:
    folder = root.parent / ".t.merging"
    folder.mkdir()
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with pytest.raises(Overloaded, match="Another merge"):
            merge(BATCH, root, "upsert", "id", lock_seconds=0.1)
        assert holds(root, OLD)
    finally:
        os.close(handle)
    merge(BATCH, root, "upsert", "id", lock_seconds=0.1)
    assert holds(root, NEW)


def merge_some(root: Path, first: int) -> None:
    for id_ in range(first, first + 50, 5):
        batch = pa.table({"id": list(range(id_, id_ + 5)), "v": ["x"] * 5})
        merge(batch, root, "upsert", "id")


def test_merges_of_several_processes_take_turns_without_loss(root: Path) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=merge_some, args=(root, 100 * number)) for number in (1, 2, 3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    assert [process.exitcode for process in processes] == [0, 0, 0]
    ids = sorted(pq.read_table(root).column("id").to_pylist())
    assert ids == [1, 2, 3, 4, *range(100, 150), *range(200, 250), *range(300, 350)]
    assert beside(root) == ["t"]


def test_a_file_that_came_meanwhile_is_not_lost(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def replace_late(*arguments: object, **options: object) -> None:
        pq.write_table(pa.table({"id": [77], "v": ["late"]}), root / "late.parquet")
        dataset_replace(*arguments, **options)

    monkeypatch.setattr("merge_app.upsert.upsert.dataset_replace", replace_late)
    with pytest.raises(Stale, match="were changed while"):
        merge(BATCH, root, "upsert", "id")
    assert holds(root, pa.concat_tables([OLD, pa.table({"id": [77], "v": ["late"]})]))
    assert beside(root) == ["t"]


def test_readers_never_see_a_part_of_a_merge(root: Path) -> None:
    wrong: list[object] = []
    states: set[str] = set()
    is_done = threading.Event()

    def look() -> None:
        while not is_done.is_set():
            try:
                table = pq.read_table(root)
            except FileNotFoundError:
                # Its list of files is from before the exchange.
                continue
            if not table.column_names:
                # The folder that it had opened by then was no data set any more when it was listed.
                continue
            seen = table.column("v").to_pylist()
            states.update(seen)
            if len(set(seen)) != 1:
                wrong.append(seen)

    values = pa.table({"id": [1, 2, 3, 4], "v": ["0"] * 4})
    merge(values, root, "upsert", "id")
    reader = threading.Thread(target=look)
    reader.start()
    for turn in range(30):
        merge(values.set_column(1, "v", pa.array([str(turn)] * 4)), root, "update", "id")
    is_done.set()
    reader.join()
    assert wrong == []
    assert states


def test_other_files_stay_and_stale_summary_goes(root: Path) -> None:
    (root / "_metadata").write_bytes(b"of the old row groups")
    (root / "notes").mkdir()
    (root / "notes" / "read.me").write_text("text")
    root.chmod(0o750)
    merge(BATCH, root, "upsert", "id")
    assert not (root / "_metadata").exists()
    assert (root / "notes" / "read.me").read_text() == "text"
    assert root.stat().st_mode & 0o777 == 0o750


def test_data_set_behind_symbolic_link_is_replaced_there(root: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(root)
    merge(BATCH, link, "upsert", "id")
    assert link.is_symlink()
    assert holds(root, NEW)
