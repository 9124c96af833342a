"""A server or the whole worker dies under a statement: it has happened once or not at all, and the next one works.

``make test`` has PostgreSQL and Redis die at a step of a statement each, and Spark once under two of them;
``make soak`` (LAKEUI_SOAK=1) has each die at each.
"""

from __future__ import annotations

import signal
import threading
import uuid
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import kombu
import pytest
from django.conf import settings
from django.db import connections
from django.utils import timezone
from pytest_django.plugin import DjangoDbBlocker

from catalog_app.models import Commit
from catalog_app.selectors.snapshots import branch_get, catalog_get
from lakeui.common.errors import EngineLost
from lakeui.common.faults import POINTS
from lakeui.frontdoor import compute
from lakeui.runtime.database.address import database_settings
from lakeui.runtime.spark import EmbeddedSpark
from merge_app.audit.models import MergeAttempt
from merge_app.jobs.models import Task
from merge_app.jobs.selectors import task_wait
from merge_app.jobs.services import task_submit
from merge_app.jobs.tasks import run_task
from tests.e2e.lake import Lake
from tests.faults.outcomes import assert_happened_once, commits_of
from tests.faults.scenarios import SCENARIOS
from tests.faults.servers import Servers, crash
from tests.faults.worker import be_missed, breaches_with_files, run_up_to, until
from tests.soak import IS_SOAK

NOT_GIVEN_BACK = "task {} could not be given back"


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory, spark_remote: str, database_url: str) -> Iterator[Servers]:
    home = tmp_path_factory.mktemp("servers")
    # PostgreSQL refuses to run as root and then runs as another user, who must be able to pass through.
    home.chmod(0o711)
    started = Servers(home, spark_remote)
    try:
        started.start(database_url)
        yield started
    finally:
        started.stop()


@pytest.fixture
def own(servers: Servers, django_db_blocker: DjangoDbBlocker, monkeypatch: pytest.MonkeyPatch) -> Iterator[Servers]:
    """The servers, with this process's database connection, doorbell, warehouse and Spark leading to them."""
    usual = connections["default"]
    there = {**usual.settings_dict, **database_settings(servers.database_url)}
    broker = kombu.Connection(servers.redis.url)
    monkeypatch.setattr(run_task, "apply_async", partial(run_task.apply_async, connection=broker))
    monkeypatch.setitem(settings.LAKEUI, "WAREHOUSE", str(servers.warehouse))
    monkeypatch.setitem(settings.LAKEUI, "SPARK_REMOTE", servers.spark_url)
    with django_db_blocker.unblock():
        connections["default"] = type(usual)(there, "default")
        yield servers
        connections["default"].close()
    connections["default"] = usual
    broker.release()


@pytest.fixture
def own_with_spark(own: Servers, monkeypatch: pytest.MonkeyPatch) -> Servers:
    """The same with a Spark of their own, from the first test that asks for it: that is why such tests come last."""
    if not own.uses_own_spark:
        own.start_own_spark()
    monkeypatch.setitem(settings.LAKEUI, "SPARK_REMOTE", own.spark_url)
    return own


class Catalog:
    """A catalog of its own with table d.t, which holds one row."""

    def __init__(self, servers: Servers) -> None:
        self.servers = servers
        self.name = f"lake_{uuid.uuid4().hex[:10]}"
        for statement in (
            f"CREATE CATALOG {self.name}",
            "CREATE DATABASE d",
            "CREATE TABLE d.t (id BIGINT, v STRING)",
            "INSERT INTO d.t VALUES (1, 'a')",
        ):
            self.run(statement)
        self.commits = self.count()

    def says(self, statement: str, transaction: str | None = None) -> dict[str, Any]:
        """The parameters of a statement as a task."""
        chosen = None if statement.startswith("CREATE CATALOG") else self.name
        return {"statement": statement, "catalog": chosen, "branch": "main", "transaction": transaction}

    def run(self, statement: str, transaction: str | None = None) -> dict[str, Any]:
        result: dict[str, Any] = self.servers.run(self.says(statement, transaction)).result
        return result

    def rows(self) -> list[list[Any]]:
        return sorted(self.run("SELECT * FROM d.t")["rows"])

    def count(self) -> int:
        return Commit.objects.filter(catalog__name=self.name).count()

    def head(self) -> int:
        return branch_get(catalog_get(self.name), "main").head_version

    def new_commits(self) -> int:
        return self.count() - self.commits

    def breaches(self) -> list[str]:
        return breaches_with_files(catalog_get(self.name), self.servers.warehouse)


@pytest.fixture
def catalog(own: Servers) -> Iterator[Catalog]:
    made = Catalog(own)
    yield made
    assert made.breaches() == []


TWO = "INSERT INTO d.t VALUES (2, 'b')"
ONE_ROW = [[1, "a"]]
TWO_ROWS = [[1, "a"], [2, "b"]]


def test_the_whole_worker_dies_and_the_next_one_does_the_statement(own: Servers, catalog: Catalog) -> None:
    task = own.pause(catalog.says(TWO), "write.committing")
    own.kill_worker()
    own.resume("write.committing")
    own.start_worker()
    be_missed(task.pk)
    task = task_wait(task.pk, seconds=60)
    assert (task.state, task.attempts) == ("succeeded", 2), task.error
    assert catalog.rows() == TWO_ROWS
    assert catalog.new_commits() == 1


def test_postgresql_dies_after_the_commit_and_the_statement_is_not_done_again(own: Servers, catalog: Catalog) -> None:
    identity = catalog.run("BEGIN")["transaction"]
    catalog.run(TWO, identity)
    catalog.commits = catalog.count()
    task = own.pause(catalog.says("COMMIT", identity), "transaction.committed")
    own.kill_postgres()
    own.postgres.start()
    own.resume("transaction.committed")
    task = task_wait(task.pk, seconds=60)
    assert (task.state, task.attempts) == ("succeeded", 2), task.error
    assert (task.result["transaction"], task.result["state"]) == (identity, "committed")
    assert catalog.rows() == TWO_ROWS
    assert catalog.new_commits() == 1
    assert MergeAttempt.objects.filter(task_id=task.pk).count() == 1


def test_postgresql_stays_away_and_the_task_is_taken_up_when_it_is_back(own: Servers, catalog: Catalog) -> None:
    task = own.pause(catalog.says(TWO), "task.finishing")
    own.kill_postgres()
    own.resume("task.finishing")
    until(lambda: NOT_GIVEN_BACK.format(task.pk) in own.worker_log.read_text())
    own.postgres.start()
    be_missed(task.pk)
    task = task_wait(task.pk, seconds=60)
    assert (task.state, task.attempts, task.result["metrics"]["rows_inserted"]) == ("succeeded", 2, 1), task.error
    assert catalog.rows() == TWO_ROWS
    assert catalog.new_commits() == 1


def test_redis_is_away_and_the_task_is_rung_for_when_it_is_back(own: Servers, catalog: Catalog) -> None:
    own.kill_redis()
    task_id = task_submit(kind="sql", parameters=catalog.says(TWO)).pk
    assert Task.objects.get(pk=task_id).state == "queued"
    own.redis.start()
    # Instead of waiting for ten seconds; then the worker's reaper rings, nobody here.
    Task.objects.filter(pk=task_id).update(ring_at=timezone.now())
    until(lambda: Task.objects.get(pk=task_id).is_finished)
    assert Task.objects.get(pk=task_id).state == "succeeded"
    assert catalog.rows() == TWO_ROWS


@pytest.fixture
def queries(own: Servers, monkeypatch: pytest.MonkeyPatch) -> EmbeddedSpark:
    """A second Spark server, for queries of this process. Later tests write on it."""
    assert not own.uses_own_spark, "the worker would lose its Spark too"
    server = own.own_spark
    if server.process is None:
        server.start()
    server.wait_until_ready()
    monkeypatch.setitem(settings.LAKEUI, "SPARK_QUERY_REMOTE", server.url)
    return server


@pytest.mark.filterwarnings(r"ignore:\[RETRIES_EXCEEDED\]")
def test_a_write_goes_on_when_the_spark_of_queries_ends(own: Servers, catalog: Catalog, queries: EmbeddedSpark) -> None:
    """The query is lost with the reason, and the next one works as soon as its server is back."""
    lost: list[EngineLost] = []

    def ask(text: str) -> list[list[Any]]:
        with compute.reading():
            return compute.engine().select(text, {}, limit=1).rows

    def ask_without_end() -> None:
        try:
            ask("SELECT sum(hash(id)) FROM range(1000000000000000)")
        except EngineLost as error:
            lost.append(error)

    assert ask("SELECT 1") == [[1]]
    endless = threading.Thread(target=ask_without_end, daemon=True)
    endless.start()
    big = "INSERT INTO d.t SELECT id, repeat('x', 20) FROM range(1000000)"
    task_id = task_submit(kind="sql", parameters=catalog.says(big)).pk
    until(lambda: any(staged(own.warehouse)))
    assert endless.is_alive()
    crash(queries, signal.SIGKILL)
    endless.join(timeout=60)
    assert [error.message for error in lost] == ["The compute engine ended while this ran."]
    task = task_wait(task_id, seconds=90)
    assert (task.state, task.attempts) == ("succeeded", 1), task.error
    assert catalog.new_commits() == 1
    queries.start()
    queries.wait_until_ready()
    assert ask("SELECT 2") == [[2]]


STEPS = {
    "INSERT": (
        *("task.claimed", "write.begin", "write.staged", "write.registered", "write.planned"),
        *("write.committing", "write.released", "write.committed", "task.finishing"),
    ),
    "UPDATE beside OPTIMIZE": ("write.row_work", "write.committing", "write.committed"),
    "OPTIMIZE": (
        *("write.begin", "write.staged", "write.registered", "write.planned"),
        *("write.committing", "write.committed"),
    ),
    "MERGE BRANCH": ("merge.planned", "merge.row_work", "merge.committing", "merge.committed"),
    "MERGE BRANCH of another catalog": ("catalogs.joining", "merge.joined"),
    "RESTORE TABLE": ("restore.planned", "restore.committing", "restore.committed"),
    "COMMIT": ("merge.planned", "transaction.committing", "transaction.committed"),
    "VACUUM": ("vacuum.committing", "vacuum.committed", "vacuum.removing"),
}
EVERY_STEP = [
    (server, statement, point)
    for server in ("PostgreSQL", "Redis", "Spark")
    for statement, points in STEPS.items()
    for point in points
]
A_FEW_STEPS = [
    ("PostgreSQL", "MERGE BRANCH", "merge.committing"),
    ("Redis", "RESTORE TABLE", "restore.committing"),
]


def test_servers_die_at_every_step_of_tasks() -> None:
    # Merges into plain data sets have no worker and no servers.
    assert {point for _, _, point in EVERY_STEP} == {point for point in POINTS if not point.startswith("keyed.")}
    assert set(A_FEW_STEPS) < set(EVERY_STEP)


@pytest.mark.parametrize(("server", "statement", "point"), EVERY_STEP if IS_SOAK else A_FEW_STEPS)
def test_a_statement_under_which_a_server_dies_happens_once(
    own: Servers, request: pytest.FixtureRequest, server: str, statement: str, point: str
) -> None:
    """Redis comes back only afterwards: what runs does not need it."""
    if server == "Spark":
        own = request.getfixturevalue("own_with_spark")
    lake, scenario = Lake(), SCENARIOS[statement]
    lake.sql("CREATE DATABASE d")
    parameters = scenario.prepare(lake)
    commits = commits_of(lake)
    meanwhile = partial(lake.sql, scenario.meanwhile) if scenario.meanwhile else None
    task = run_up_to(parameters, own.faults, point, "pause", meanwhile)
    crash_and_restart(own, server)
    own.resume(point)
    task = task_wait(task.pk, seconds=60)
    if server == "Redis":
        own.redis.start()
        # A worker that had not acknowledged its message ends with status 1, and its supervisor starts it again.
        own.kill_worker()
        own.start_worker()
    assert task.state == "succeeded", task.error
    # Nobody can say what became of a database's last transaction: another attempt looks.
    assert task.attempts > 1 or server != "PostgreSQL"
    assert_happened_once(lake, statement, task, commits)
    assert lake.breaches() == []


def crash_and_restart(own: Servers, server: str) -> None:
    match server:
        case "PostgreSQL":
            own.kill_postgres()
            own.postgres.start()
        case "Redis":
            own.kill_redis()
        case "Spark":
            own.kill_spark()
            own.restart_spark()


def test_spark_ends_in_the_job_of_one_statement_and_between_the_jobs_of_another(own_with_spark: Servers) -> None:
    """The one is lost with the reason: its files were being written. The other happens once, on the next server."""
    own, catalog = own_with_spark, Catalog(own_with_spark)
    lake, scenario = Lake(), SCENARIOS["MERGE BRANCH"]
    lake.sql("CREATE DATABASE d")
    parameters = scenario.prepare(lake)
    commits = commits_of(lake)
    between = run_up_to(parameters, own.faults, "merge.planned", "pause")
    big = "INSERT INTO d.t SELECT id, repeat('x', 200) FROM range(20000000)"
    task_id = task_submit(kind="sql", parameters=catalog.says(big)).pk
    until(lambda: any(staged(own.warehouse)))
    own.kill_spark()
    task = task_wait(task_id, seconds=90)
    assert (task.state, task.attempts) == ("lost", 1)
    assert task.error["code"] == "ENGINE_ERROR"
    assert task.error["detail"] == "The compute engine ended while this ran."
    assert task.error["remedy"]
    assert catalog.new_commits() == 0
    own.restart_spark()
    own.resume("merge.planned")
    between = task_wait(between.pk, seconds=60)
    assert between.state == "succeeded", between.error
    assert_happened_once(lake, "MERGE BRANCH", between, commits)
    assert catalog.rows() == ONE_ROW
    catalog.run(TWO)
    assert catalog.rows() == TWO_ROWS
    assert catalog.breaches() == []
    assert lake.breaches() == []


def staged(warehouse: Path) -> Iterator[Path]:
    """Files that a Spark job is writing."""
    return warehouse.glob("*/staging/*/**/*.parquet")
