"""Parts of a cluster are killed in the middle of statements: no row is lost, and none is there twice.

``make cluster-test`` runs this. The Spark of other tests is one process, without executors that could be killed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from django.conf import settings
from django.db import connections

from catalog_app.models import DataFile, Table
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import LakeError
from lakeui.runtime.spark import is_listening
from tests.cluster.servers import DRIVER, WORKERS, executors
from tests.on_spark.conftest import lake, services
from tests.support.lake import Lake

__all__ = ["lake", "services"]

ROWS = 3_000_000
BUSY_SECONDS = 2
# So much work for each row that there is time to kill something.
COLUMNS = "id, sha2(CAST(id AS STRING), 512) AS v, id % 7 AS k"


def workers() -> list[int]:
    return [int(pid) for pid in os.environ[WORKERS].split(",")]


def killed_within(
    work: Callable[[], Any], watched: list[psutil.Process], *also: psutil.Process, only_also: bool = False
) -> Any:
    """What the work answers while the first of the watched processes that is at work is killed, with those ``also``.
    ``only_also``: these alone are killed.
    """
    before = {process.pid: used(process) for process in watched}
    with ThreadPoolExecutor(1) as pool:
        working = pool.submit(_worked, work)
        busy: list[psutil.Process] = []
        # It ends with the work at the latest. The processor time of an executor says when it is at work.
        while not busy and not working.done():
            time.sleep(0.1)
            busy = [process for process in watched if used(process) - before[process.pid] > BUSY_SECONDS]
        assert busy, f"The statement ended before anything was at work: {working.result()}"
        for process in also if only_also else (*also, busy[0]):
            process.kill()
        assert not working.done(), "The statement ended before anything was killed."
        return working.result(timeout=300)


def _worked(work: Callable[[], Any]) -> Any:
    """What the work answers. Its thread leaves no connection, or the database could not be removed in the end."""
    try:
        return work()
    finally:
        connections.close_all()


def used(process: psutil.Process) -> float:
    """Seconds of the processor, with those of the Python that writes its files."""
    total = 0.0
    for item in (process, *process.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            times = item.cpu_times()
            total += times.user + times.system
    return total


def all_executors() -> list[psutil.Process]:
    return [item for worker in workers() if psutil.pid_exists(worker) for item in executors(worker)]


def wait_for_executors() -> None:
    """One that was killed comes again."""
    deadline = time.monotonic() + 60
    while len(all_executors()) < len(workers()):
        assert time.monotonic() < deadline, "A worker has no executor."
        time.sleep(0.2)


@pytest.fixture
def big(lake: Lake) -> Lake:
    lake.sql("CREATE TABLE d.t (id BIGINT, v STRING, k BIGINT)")
    wait_for_executors()
    return lake


def totals(lake: Lake) -> list[Any]:
    (row,) = lake.sql("SELECT count(*), count(DISTINCT id), sum(k) FROM d.t").rows
    return list(row)


EXPECTED = [ROWS, ROWS, sum(number % 7 for number in range(ROWS))]


def insert(lake: Lake) -> Any:
    return lake.sql(f"INSERT INTO d.t SELECT {COLUMNS} FROM range(0, {ROWS}, 1, 8)")


def test_an_executor_is_killed_in_an_insert(big: Lake) -> None:
    done = killed_within(lambda: insert(big), all_executors())
    assert done.metrics["rows_inserted"] == ROWS
    assert totals(big) == EXPECTED


def test_an_executor_is_killed_in_a_merge_into(big: Lake) -> None:
    big.sql(f"INSERT INTO d.t SELECT {COLUMNS} FROM range(0, {ROWS // 2}, 1, 4)")
    source = f"(SELECT {COLUMNS} FROM range({ROWS // 4}, {ROWS}, 1, 8))"
    clauses = "WHEN MATCHED THEN UPDATE SET v = 'new' WHEN NOT MATCHED THEN INSERT *"
    killed_within(lambda: big.sql(f"MERGE INTO d.t USING {source} s ON d.t.id = s.id {clauses}"), all_executors())
    assert totals(big) == EXPECTED
    assert big.sql("SELECT count(*) FROM d.t WHERE v = 'new'").rows[0][0] == ROWS // 2 - ROWS // 4


# PySpark says so before lakeui's own error.
@pytest.mark.filterwarnings(r"ignore:\[RETRIES_EXCEEDED\]")
def test_the_driver_is_killed_in_an_insert(big: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written. The next statement is of a driver that is started again. VACUUM removes what is left."""
    big.sql("INSERT INTO d.t VALUES (-1, 'kept', 0)")
    driver = psutil.Process(int(Path(os.environ[DRIVER]).read_text()))
    with pytest.raises(LakeError) as failed:
        killed_within(lambda: insert(big), all_executors(), driver, only_also=True)
    assert failed.value.code in ("ENGINE_ERROR", "ENGINE_AWAY")
    wait_for_another(driver.pid)
    assert totals(big) == [1, 1, 0]
    wait_for_executors()
    assert insert(big).metrics["rows_inserted"] == ROWS
    assert totals(big) == [ROWS + 1, ROWS + 1, EXPECTED[2]]
    monkeypatch.setitem(settings.LAKEUI, "STAGED_HOURS", 0)
    big.sql("VACUUM")
    table = Table.objects.order_by("-pk")[0]
    warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])
    assert {file.path for file in warehouse.all_under(str(table.pk))} == set(
        DataFile.objects.filter(table_id=table.pk).values_list("path", flat=True)
    )


def wait_for_another(before: int) -> None:
    """A driver is started again, and answers."""
    deadline = time.monotonic() + 180
    while int(Path(os.environ[DRIVER]).read_text()) == before or not is_listening(_port()):
        assert time.monotonic() < deadline, "No driver came."
        time.sleep(0.5)


def _port() -> int:
    return int(os.environ["SPARK_REMOTE"].partition("/;")[0].rpartition(":")[2])


def test_a_worker_is_killed_with_its_executor(big: Lake) -> None:
    """The last test, as one worker is left. A worker takes its executors with it when a machine ends."""
    worker = psutil.Process(workers()[0])
    done = killed_within(lambda: insert(big), executors(worker.pid), worker)
    assert done.metrics["rows_inserted"] == ROWS
    assert totals(big) == EXPECTED
    assert len(all_executors()) == 1
