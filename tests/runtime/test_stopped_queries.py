"""A query that was stopped and computes on ends with its process; the server and other queries live on."""

from __future__ import annotations

import stat
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from catalog_app.engine.session import SparkSessions
from lakeui.common.errors import EngineError
from lakeui.runtime import spark_tasks
from lakeui.runtime.home import restarts_read
from lakeui.runtime.spark import EmbeddedSpark
from lakeui.runtime.spark_tasks import TaskProcesses
from lakeui.runtime.supervisor import Supervisor
from tests.runtime.test_giving_up import said, supervisor
from tests.support.servers import JAVA_OPTIONS

__all__ = ["said", "supervisor"]

THOUSANDS = "range(100000)"
COMPUTES_ON = f"SELECT sum(a.id * b.id * c.id) FROM {THOUSANDS} a, {THOUSANDS} b, {THOUSANDS} c"
"""Its tasks look once in 10,000,000,000,000 rows whether they were stopped."""
WAITS_SECONDS = 5.0
"""A question that has no answer by then waits for a place."""
STUCK = "ERROR KilledByTaskReaperException: killed task 7 could not be stopped within 60000 ms.\n"
OUT_OF_MEMORY = "Terminating due to java.lang.OutOfMemoryError: Java heap space\n"


def query_server(home: Path) -> EmbeddedSpark:
    """One task a core, so that one query takes all places."""
    return EmbeddedSpark(home / "spark", home / "spark.log", memory="2g", java_options=JAVA_OPTIONS, tasks_apart=True)


def settings_of(server: EmbeddedSpark) -> dict[str, str]:
    server._configure(server.home / "scratch")
    lines = (server.home / "conf" / "spark-defaults.conf").read_text().splitlines()
    return {name: value for name, _, value in (line.partition(" ") for line in lines)}


def left_by(folder: Path, name: str, said: str) -> None:
    """What a process of tasks leaves."""
    made = folder / "work" / "app-20261130050723-0000" / name
    made.mkdir(parents=True)
    (made / "stderr").write_text(said)


def until_all_places_are_taken(ask: Callable[[], None]) -> threading.Thread:
    """The thread of a short question that waits for a place."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        thread = threading.Thread(target=ask, daemon=True)
        thread.start()
        thread.join(WAITS_SECONDS)
        if thread.is_alive():
            return thread
    raise AssertionError("places were free")


def reasons_within(seconds: float, processes: TaskProcesses) -> list[str]:
    deadline, reasons = time.monotonic() + seconds, processes.ended()
    while not reasons and time.monotonic() < deadline:
        # Spark says nothing when it starts another process: the folders are looked at, as `up` does.
        time.sleep(0.2)
        reasons = processes.ended()
    return reasons


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddedSpark]:
    monkeypatch.setattr(spark_tasks, "STOPPED_SECONDS", 2)
    server = query_server(tmp_path)
    server.start()
    try:
        server.wait_until_ready()
        yield server
    finally:
        server.stop()


def test_stopped_query_leaves_its_places_to_others(server: EmbeddedSpark) -> None:
    sessions = SparkSessions(server.url)
    before = sessions.run(lambda spark: spark.session_id)
    stopped: list[EngineError] = []
    answers: list[int] = []

    def compute_on() -> None:
        with pytest.raises(EngineError) as error, sessions.interruptible("stopped"):
            sessions.run(lambda spark: spark.sql(COMPUTES_ON).collect())
        stopped.append(error.value)

    def ask() -> None:
        answers.append(sessions.run(lambda spark: spark.sql("SELECT sum(id) FROM range(10)").collect()[0][0]))

    ask()
    first = threading.Thread(target=compute_on, daemon=True)
    first.start()
    waits = until_all_places_are_taken(ask)
    before_the_end = len(answers)
    sessions.interrupt("stopped")
    first.join(30)
    assert [error.message for error in stopped] == ["The statement was cancelled."]
    waits.join(90)
    assert len(answers) == before_the_end + 1
    assert reasons_within(60, TaskProcesses(server.home / "distribution")) == [
        spark_tasks.ENDINGS["could not be stopped within"]
    ]
    ask()
    assert set(answers) == {45}
    assert sessions.run(lambda spark: spark.session_id) == before, "the server has lived on"
    sessions.close()


def test_memory_is_halved_between_server_and_tasks(tmp_path: Path) -> None:
    said = settings_of(query_server(tmp_path))
    places = said["spark.executor.cores"]
    assert said["spark.master"] == f"local-cluster[1,{places},1024]"
    assert said["spark.executor.memory"] == "1024m"
    assert said["spark.driver.memory"] == "1024m"


@pytest.mark.parametrize(("memory", "is_apart"), [("900m", True), ("899m", False), ("512m", False)])
def test_halves_too_small_for_spark_stay_together(tmp_path: Path, memory: str, is_apart: bool) -> None:
    said = settings_of(replace(query_server(tmp_path), memory=memory))
    assert said["spark.master"].startswith("local-cluster[" if is_apart else "local[")
    assert said["spark.driver.memory"] == ("450m" if is_apart else memory)


def test_others_cannot_read_the_secret_of_tasks(tmp_path: Path) -> None:
    server = query_server(tmp_path)
    secret = settings_of(server)["spark.authenticate.secret"]
    assert settings_of(server)["spark.authenticate.secret"] != secret, "each start has its own"
    written = server.home / "conf" / "spark-defaults.conf"
    assert stat.S_IMODE(written.stat().st_mode) == 0o600


def test_ended_processes_are_named_once_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = TaskProcesses(tmp_path)
    assert ended.ended() == []
    for name, text in (("2", ""), ("9", OUT_OF_MEMORY), ("10", STUCK), ("11", "runs")):
        left_by(tmp_path, name, text)
    assert ended.ended() == [], "the last words may not be written yet"
    monkeypatch.setattr(spark_tasks, "WRITTEN_SECONDS", 0.0)
    assert ended.ended() == [
        "it ended by itself",
        "its memory was full",
        "a query that was stopped computed on for 60 s",
    ]
    assert ended.ended() == []
    assert [folder.name for folder in tmp_path.glob("work/*/*")] == ["11"]


def test_supervisor_says_why_tasks_were_started_again(
    supervisor: Supervisor, said: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark_tasks, "WRITTEN_SECONDS", 0.0)
    (tmp_path / "run").mkdir()
    for name, text in (("0", STUCK), ("1", "runs")):
        left_by(tmp_path / "spark_queries" / "distribution", name, text)
    supervisor._look_at_query_tasks()
    supervisor._look_at_query_tasks()
    assert len(said) == 1
    assert said[0].endswith(
        "spark_query_tasks was started again by Spark: a query that was stopped computed on for 60 s."
        " Other queries continue."
    )
    assert restarts_read(tmp_path) == {"spark_query_tasks": 1}
