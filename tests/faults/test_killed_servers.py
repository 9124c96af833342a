"""A server or the whole worker dies under a statement: it has happened once or not at all, and the next one works."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import kombu
import pytest
from django.db import connections
from django.utils import timezone
from pytest_django.plugin import DjangoDbBlocker

from catalog_app.models import Commit
from catalog_app.selectors.lineage import branch_get, catalog_get
from lakeui.runtime.database.address import database_settings
from merge_app.audit.models import MergeAttempt
from merge_app.jobs.models import Task
from merge_app.jobs.selectors import task_wait
from merge_app.jobs.services import task_submit
from merge_app.jobs.tasks import run_task
from tests.faults.servers import Servers
from tests.faults.worker import be_missed, breaches_with_files, until

NOT_GIVEN_BACK = "task {} could not be given back"


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    home = tmp_path_factory.mktemp("servers")
    # PostgreSQL refuses to run as root and then runs as another user, who must be able to pass through.
    home.chmod(0o711)
    started = Servers(home)
    try:
        started.start()
        yield started
    finally:
        started.stop()


@pytest.fixture
def own(servers: Servers, django_db_blocker: DjangoDbBlocker, monkeypatch: pytest.MonkeyPatch) -> Iterator[Servers]:
    """The servers, with this process's database connection and doorbell leading to them."""
    usual = connections["default"]
    there = {**usual.settings_dict, **database_settings(servers.database_url)}
    broker = kombu.Connection(servers.redis.url)
    monkeypatch.setattr(run_task, "apply_async", partial(run_task.apply_async, connection=broker))
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


def test_postgresql_dies_before_the_commit_and_the_statement_is_done_again(own: Servers, catalog: Catalog) -> None:
    task = own.pause(catalog.says(TWO), "write.committing")
    own.kill_postgres()
    own.postgres.start()
    own.resume("write.committing")
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


def test_redis_dies_under_a_running_task_and_the_task_goes_on(own: Servers, catalog: Catalog) -> None:
    task = own.pause(catalog.says(TWO), "write.registered")
    own.kill_redis()
    own.resume("write.registered")
    task = task_wait(task.pk, seconds=60)
    assert (task.state, task.attempts) == ("succeeded", 1), task.error
    own.redis.start()
    assert catalog.rows() == TWO_ROWS
    assert catalog.new_commits() == 1


def test_spark_dies_and_the_statement_fails_in_words_and_leaves_nothing(own: Servers, catalog: Catalog) -> None:
    """In the middle of the job: files are being written when the server is killed."""
    big = "INSERT INTO d.t SELECT id, repeat('x', 200) FROM range(20000000)"
    task_id = task_submit(kind="sql", parameters=catalog.says(big)).pk
    until(lambda: any(staged(own.warehouse)))
    own.kill_spark()
    task = task_wait(task_id, seconds=90)
    assert (task.state, task.attempts) == ("failed", 1)
    assert task.error["code"] == "ENGINE_ERROR"
    assert task.error["detail"] == "The compute engine does not answer."
    assert task.error["remedy"]
    assert catalog.new_commits() == 0
    own.restart_spark()
    assert catalog.rows() == ONE_ROW
    catalog.run(TWO)
    assert catalog.rows() == TWO_ROWS


def staged(warehouse: Path) -> Iterator[Path]:
    """Files that a Spark job is writing."""
    return warehouse.glob("*/staging/*/**/*.parquet")


def test_spark_is_started_again_under_a_statement_which_then_succeeds(own: Servers, catalog: Catalog) -> None:
    task = own.pause(catalog.says(TWO), "write.begin")
    own.kill_spark()
    own.restart_spark()
    own.resume("write.begin")
    task = task_wait(task.pk, seconds=60)
    assert (task.state, task.attempts) == ("succeeded", 1), task.error
    assert catalog.rows() == TWO_ROWS
    assert catalog.new_commits() == 1
