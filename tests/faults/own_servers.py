"""Servers of a module's own that die under statements, whichever engine its workers run on."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from functools import partial
from typing import Any

import kombu
import pytest
from django.conf import settings
from django.db import connections
from django.utils import timezone
from pytest_django.plugin import DjangoDbBlocker

from catalog_app.models import Commit
from catalog_app.selectors.snapshots import catalog_get
from lakeui.runtime.database.address import database_settings
from merge_app.jobs.models import Task, TaskState
from merge_app.jobs.selectors import task_wait
from merge_app.jobs.tasks import run_task
from tests.faults.outcomes import assert_happened_once, commits_of
from tests.faults.scenarios import SCENARIOS
from tests.faults.servers import Servers
from tests.faults.worker import breaches_with_files, run_up_to
from tests.support.lake import Lake


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory, worker_module: str, database_url: str) -> Iterator[Servers]:
    home = tmp_path_factory.mktemp("servers")
    # PostgreSQL refuses to run as root and then runs as another user, who must be able to pass through.
    home.chmod(0o711)
    started = Servers(home, os.environ.get("SPARK_REMOTE", ""), worker_module)
    try:
        started.start(database_url)
        yield started
    finally:
        started.stop()


@pytest.fixture
def own(
    services: None, servers: Servers, django_db_blocker: DjangoDbBlocker, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Servers]:
    """The servers. This process's database connection, Celery broker, warehouse and subscription to ends of tasks are
    theirs.
    """
    usual = connections["default"]
    there = {**usual.settings_dict, **database_settings(servers.database_url)}
    broker = kombu.Connection(servers.redis.url)
    monkeypatch.setattr(run_task, "apply_async", partial(run_task.apply_async, connection=broker))
    monkeypatch.setattr(settings, "CELERY_BROKER_URL", servers.redis.url)
    monkeypatch.setitem(settings.LAKEUI, "WAREHOUSE", str(servers.warehouse))
    with django_db_blocker.unblock():
        connections["default"] = type(usual)(there, "default")
        yield servers
        connections["default"].close()
    connections["default"] = usual
    broker.release()


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

    def table_id(self) -> int:
        return int(self.run("SHOW TABLES IN d")["rows"][0][2])

    def new_commits(self) -> int:
        return self.count() - self.commits

    def breaches(self) -> list[str]:
        return breaches_with_files(catalog_get(self.name), self.servers.warehouse)


@pytest.fixture
def catalog(own: Servers) -> Iterator[Catalog]:
    made = Catalog(own)
    yield made
    assert made.breaches() == []


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


def assert_survives(own: Servers, server: str, statement: str, point: str) -> None:
    """The server dies when a statement has come to the point: the statement happens once. Redis comes back only
    afterwards: what runs does not need it.
    """
    lake, scenario = Lake(), SCENARIOS[statement]
    lake.sql("CREATE DATABASE d")
    parameters = scenario.prepare(lake)
    commits = commits_of(lake)
    meanwhile = partial(lake.sql, scenario.meanwhile) if scenario.meanwhile else None
    task = run_up_to(parameters, own.faults, point, "pause", meanwhile)
    _crash_and_restart(own, server)
    own.resume(point)
    # Where the claim is forgotten the task waits for its next signal. Instead of ten seconds, until the reaper looks.
    Task.objects.filter(pk=task.pk, state=TaskState.QUEUED).update(ring_at=timezone.now())
    task = task_wait(task.pk, seconds=60)
    if server == "Redis":
        own.redis.start()
        # A worker that had not acknowledged its message ends with status 1, and its supervisor starts it again.
        own.kill_worker()
        own.start_worker()
    assert task.state == "succeeded", task.error
    # No one can say what became of a database's last transaction: another attempt looks. The claim of the first does
    # not wait for the disk, so the database may have forgotten it.
    assert server != "PostgreSQL" or task.attempts in (1, 2)
    assert_happened_once(lake, statement, task, commits)
    assert lake.breaches() == []


def _crash_and_restart(own: Servers, server: str) -> None:
    match server:
        case "PostgreSQL":
            own.kill_postgres()
            own.postgres.start()
        case "Redis":
            own.kill_redis()
        case "Spark":
            own.kill_spark()
            own.restart_spark()
