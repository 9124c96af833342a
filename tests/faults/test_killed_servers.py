"""A Spark server dies under statements: each has happened once or not at all, and the next one works.

``make test`` has PostgreSQL, Redis and the worker die without Spark (``tests/without_spark/test_killed_servers.py``);
``make soak`` (LAKEUI_SOAK=1) has each server die at each step, here.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from catalog_app.engine import answers
from lakeui.common.errors import EngineLost
from lakeui.common.faults import POINTS
from lakeui.frontdoor import compute
from merge_app.jobs.selectors import task_wait
from merge_app.jobs.services import task_submit
from tests.faults.outcomes import assert_happened_once, commits_of, uninterrupted
from tests.faults.own_servers import EVERY_STEP, Catalog, assert_survives, own, servers
from tests.faults.scenarios import SCENARIOS
from tests.faults.servers import Servers, crash
from tests.faults.worker import run_up_to, until
from tests.support.lake import Lake
from tests.support.soak import IS_SOAK

__all__ = ["own", "servers"]


def ask(text: str) -> list[list[Any]]:
    with compute.reading():
        return compute.engine().select(text, {}, limit=1).rows


def query_begun(work: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> threading.Thread:
    """A thread whose query asks Spark for rows. One that never came to the server is refused, not lost."""
    asked, gathered = threading.Event(), answers.gathered

    def noted(*given: Any, **named: Any) -> Any:
        asked.set()
        return gathered(*given, **named)

    thread = threading.Thread(target=work, daemon=True)
    with monkeypatch.context() as patch:
        patch.setattr(answers, "gathered", noted)
        thread.start()
        assert asked.wait(60)
    return thread


def staged(warehouse: Path, table_id: int) -> Iterator[Path]:
    """Files that a Spark job is writing for a table."""
    return warehouse.glob(f"{table_id}/staging/*/**/*.parquet")


@pytest.mark.filterwarnings(r"ignore:\[RETRIES_EXCEEDED\]")
def test_spark_ends_and_other_writes_continue(own: Servers, monkeypatch: pytest.MonkeyPatch) -> None:
    """The query and the job are lost with the reason: files were being written. The statement between jobs happens
    once, on the next server. What this process writes on the shared server does not notice.
    """
    own.own_spark.start()
    # What has to be there beforehand is made on the warm server.
    catalog, lake, scenario = Catalog(own), Lake(), SCENARIOS["MERGE BRANCH"]
    elsewhere = Lake()
    for made in (lake, elsewhere):
        made.sql("CREATE DATABASE d")
    elsewhere.sql("CREATE TABLE d.t (id BIGINT, v STRING)")
    parameters = scenario.prepare(lake)
    commits = commits_of(lake)
    uninterrupted("MERGE BRANCH")
    filled = catalog.table_id()
    own.start_own_spark()
    monkeypatch.setitem(settings.LAKEUI, "SPARK_QUERY_REMOTE", own.own_spark.url)
    between = run_up_to(parameters, own.faults, "merge.planned", "pause")
    # The query and the job take one of the server's cores each.
    job = "INSERT INTO d.t SELECT id, repeat('x', 200) FROM range(0, 100000000, 1, 1)"
    task_id = task_submit(kind="sql", parameters=catalog.says(job)).pk
    until(lambda: any(staged(own.warehouse, filled)))
    lost: list[EngineLost] = []

    def ask_without_end() -> None:
        try:
            ask("SELECT sum(hash(id)) FROM range(0, 1000000000000000, 1, 1)")
        except EngineLost as error:
            lost.append(error)

    written, ended = int(elsewhere.sql("SHOW TABLES IN d").rows[0][2]), threading.Event()

    def end_under_the_write() -> None:
        until(lambda: any(staged(own.warehouse, written)))
        ended.set()
        crash(own.own_spark, signal.SIGKILL)

    threads = [query_begun(ask_without_end, monkeypatch), threading.Thread(target=end_under_the_write, daemon=True)]
    threads[1].start()
    elsewhere.sql("INSERT INTO d.t SELECT id, repeat('x', 20) FROM range(2000000)")
    assert ended.is_set(), "the write was over before the other server ended"
    for thread in threads:
        thread.join(timeout=60)
    assert [error.message for error in lost] == ["The compute engine ended while this ran."]
    task = task_wait(task_id, seconds=90)
    assert (task.state, task.attempts) == ("lost", 1)
    assert (task.error["code"], task.error["detail"]) == ("ENGINE_ERROR", "The compute engine ended while this ran.")
    assert task.error["remedy"]
    assert catalog.new_commits() == 0
    own.replace_spark()
    own.resume("merge.planned")
    between = task_wait(between.pk, seconds=60)
    assert between.state == "succeeded", between.error
    assert ask("SELECT 2") == [[2]]
    catalog.run("INSERT INTO d.t VALUES (2, 'b')")
    assert catalog.rows() == [[1, "a"], [2, "b"]]
    # Files are looked at on the warm server.
    monkeypatch.setitem(settings.LAKEUI, "SPARK_QUERY_REMOTE", "")
    assert elsewhere.sql("SELECT count(*) FROM d.t").rows == [[2_000_000]]
    assert_happened_once(lake, "MERGE BRANCH", between, commits)
    assert [*catalog.breaches(), *lake.breaches()] == []


def test_servers_die_at_every_step_of_tasks() -> None:
    # Merges into plain data sets have no worker and no servers.
    assert {point for _, _, point in EVERY_STEP} == {
        point for point in POINTS if not point.startswith(("upsert.", "backup.", "restoring."))
    }


if IS_SOAK:

    @pytest.mark.parametrize(("server", "statement", "point"), EVERY_STEP)
    def test_a_statement_happens_once_though_its_server_dies(
        own: Servers, server: str, statement: str, point: str
    ) -> None:
        if server == "Spark" and not own.uses_own_spark:
            own.start_own_spark()
        assert_survives(own, server, statement, point)
