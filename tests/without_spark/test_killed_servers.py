"""A server or the whole worker dies under a statement: it has happened once or not at all, and the next one works.

Spark dies in ``tests/faults/test_killed_servers.py``; ``make soak`` has each server die there at each step.
"""

from __future__ import annotations

import pytest
from django.utils import timezone

from merge_app.audit.models import MergeAttempt
from merge_app.jobs.models import Task
from merge_app.jobs.selectors import task_wait
from merge_app.jobs.services import task_submit
from tests.faults.own_servers import EVERY_STEP, Catalog, assert_survives, catalog, own, servers
from tests.faults.servers import Servers
from tests.faults.worker import be_missed, until

__all__ = ["catalog", "own", "servers"]

NOT_GIVEN_BACK = "task {} could not be given back"
TWO = "INSERT INTO d.t VALUES (2, 'b')"
TWO_ROWS = [[1, "a"], [2, "b"]]


def test_whole_worker_dies_and_next_does_the_statement(own: Servers, catalog: Catalog) -> None:
    task = own.pause(catalog.says(TWO), "write.committing")
    own.kill_worker()
    own.resume("write.committing")
    own.start_worker()
    be_missed(task.pk)
    task = task_wait(task.pk, seconds=60)
    assert (task.state, task.attempts) == ("succeeded", 2), task.error
    assert catalog.rows() == TWO_ROWS
    assert catalog.new_commits() == 1


def test_committed_statement_is_not_repeated_after_postgresql_dies(own: Servers, catalog: Catalog) -> None:
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


def test_tasks_resume_after_a_postgresql_outage(own: Servers, catalog: Catalog) -> None:
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


def test_tasks_resume_after_a_redis_outage(own: Servers, catalog: Catalog) -> None:
    own.kill_redis()
    task_id = task_submit(kind="sql", parameters=catalog.says(TWO)).pk
    assert Task.objects.get(pk=task_id).state == "queued"
    own.redis.start()
    # Instead of waiting for ten seconds; then the worker's reaper rings, no one here.
    Task.objects.filter(pk=task_id).update(ring_at=timezone.now())
    until(lambda: Task.objects.get(pk=task_id).is_finished)
    assert Task.objects.get(pk=task_id).state == "succeeded"
    assert catalog.rows() == TWO_ROWS


A_FEW_STEPS = [
    ("PostgreSQL", "MERGE BRANCH", "merge.committing"),
    ("Redis", "RESTORE TABLE", "restore.committing"),
]


def test_steps_are_some_of_those_soak_reaches() -> None:
    assert set(A_FEW_STEPS) < set(EVERY_STEP)


@pytest.mark.parametrize(("server", "statement", "point"), A_FEW_STEPS)
def test_a_statement_happens_once_though_its_server_dies(own: Servers, server: str, statement: str, point: str) -> None:
    assert_survives(own, server, statement, point)
