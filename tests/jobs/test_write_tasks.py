"""Writes that run as tasks: no one holds every worker, and their time is bounded."""

from __future__ import annotations

import threading
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from catalog_app.domain.roles import Role
from catalog_app.models import Catalog
from lakeui.common.errors import EngineError
from merge_app.jobs import registry, runner
from merge_app.jobs.claiming import task_claim
from merge_app.jobs.context import TaskContext
from merge_app.jobs.errors import TooManyQueued
from merge_app.jobs.models import QUERY_TASK_KIND, WRITE_TASK_KINDS, Task, TaskState
from merge_app.jobs.request_work import task_longest_seconds
from merge_app.jobs.runner import task_run
from merge_app.jobs.selectors import task_get
from merge_app.jobs.services import task_cancel, task_keep, task_submit

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tasks for which workers were rung, in their order."""
    calls: list[str] = []
    monkeypatch.setattr("merge_app.jobs.tasks.run_task.apply_async", lambda *, args, **_: calls.extend(args))
    return calls


def person(name: str) -> User:
    return User.objects.create_user(f"{name}-{uuid4().hex[:6]}")


def write(user: User | None, kind: str = "sql") -> Task:
    return task_submit(kind=kind, parameters={"statement": "INSERT"}, user=user)


def endless(context: TaskContext, parameters: Any) -> dict[str, Any]:
    interrupted = threading.Event()
    context.on_cancel(interrupted.set)
    assert interrupted.wait(30)
    raise EngineError("The statement was interrupted.")


@pytest.mark.parametrize("kind", sorted(WRITE_TASK_KINDS))
def test_one_person_cannot_hold_every_worker(kind: str, rung: list[str]) -> None:
    alice, bob = person("alice"), person("bob")
    first, second, others = write(alice, kind), write(alice), write(bob, kind)
    assert task_claim(task_id=first.pk, worker="a") is not None
    assert task_claim(task_id=second.pk, worker="b") is None
    assert task_claim(task_id=others.pk, worker="b") is not None
    query = task_submit(kind=QUERY_TASK_KIND, parameters={"statement": "SELECT 1"}, user=alice)
    assert task_claim(task_id=query.pk, worker="c") is not None


def test_end_of_write_rings_for_next_of_person(rung: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._HANDLERS, "sql", lambda context, parameters: {})
    alice = person("alice")
    first, second, _, _ = write(alice), write(alice), write(alice), write(person("bob"))
    rung.clear()
    assert task_run(task_id=first.pk, worker="a") == TaskState.SUCCEEDED
    assert rung == [str(second.pk)]


def test_setting_limits_running_writes_and_0_sets_none(rung: list[str], settings: Any) -> None:
    for most, running in ((2, 2), (0, 4)):
        settings.LAKEUI = {**settings.LAKEUI, "WRITE_TASKS_PER_PERSON": most}
        alice = person("alice")
        claims = [task_claim(task_id=write(alice).pk, worker="w") for _ in range(4)]
        assert len([claim for claim in claims if claim]) == running


@pytest.mark.parametrize("kind", sorted(WRITE_TASK_KINDS))
def test_longest_time_stops_write_and_outcome_says_so(
    kind: str, rung: list[str], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "BEAT_SECONDS", 0.02)
    monkeypatch.setitem(registry._HANDLERS, kind, endless)
    settings.LAKEUI = {**settings.LAKEUI, "WRITE_TASK_SECONDS": 0.05}
    task = write(person("alice"), kind)
    assert task_run(task_id=task.pk, worker="a") == TaskState.FAILED
    error = Task.objects.get(pk=task.pk).error
    assert (error["code"], error["status"], error["seconds"]) == ("STATEMENT_TIMEOUT", 504, 0.05)


@pytest.mark.parametrize("failure", [EngineError("The statement was interrupted."), RuntimeError("after the commit")])
def test_write_that_stops_after_its_commit_has_succeeded(
    failure: Exception, rung: list[str], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def committed(context: TaskContext, parameters: Any) -> dict[str, Any]:
        interrupted = threading.Event()
        context.on_cancel(interrupted.set)
        assert context.task_id
        task_keep(task_id=context.task_id, claim=context.claim, result={"version": 7})
        assert interrupted.wait(30)
        raise failure

    monkeypatch.setattr(runner, "BEAT_SECONDS", 0.02)
    monkeypatch.setitem(registry._HANDLERS, "sql", committed)
    settings.LAKEUI = {**settings.LAKEUI, "WRITE_TASK_SECONDS": 0.05}
    task = write(person("alice"))
    assert task_run(task_id=task.pk, worker="a") == TaskState.SUCCEEDED
    kept = Task.objects.get(pk=task.pk)
    assert (kept.result, kept.error) == ({"version": 7}, None)


def test_a_write_that_runs_is_cancelled(rung: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "BEAT_SECONDS", 0.02)
    task = write(person("alice"))

    def cancelled(context: TaskContext, parameters: Any) -> dict[str, Any]:
        task_cancel(task_id=task.pk)
        return endless(context, parameters)

    monkeypatch.setitem(registry._HANDLERS, "sql", cancelled)
    assert task_run(task_id=task.pk, worker="a") == TaskState.CANCELLED


def test_time_of_write_depends_on_role(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    times = {"WRITE_TASK_SECONDS": 100.0, "WRITE_TASK_SECONDS_BY_ROLE": {"contributor": 7.0}}
    settings.LAKEUI = {**settings.LAKEUI, **times}
    monkeypatch.setattr("merge_app.jobs.request_work.role_of_user", lambda user, catalog: list(Role)[catalog])
    contributor = list(Role).index(Role.CONTRIBUTOR)
    owner = list(Role).index(Role.OWNER)
    assert task_longest_seconds(Task(kind="sql", created_by_id=1, catalog_id=contributor)) == 7
    assert task_longest_seconds(Task(kind="pipeline", created_by_id=1, catalog_id=owner)) == 100
    assert task_longest_seconds(Task(kind="import", created_by_id=1)) == 100
    assert task_longest_seconds(Task(kind="sql", catalog_id=owner)) == 0
    assert task_longest_seconds(Task(kind="merge queue", created_by_id=1)) == 0


@pytest.mark.parametrize("kind", sorted(WRITE_TASK_KINDS))
def test_the_waiting_work_of_one_person_is_bounded(kind: str, rung: list[str], settings: Any) -> None:
    settings.LAKEUI = {**settings.LAKEUI, "WAITING_TASKS_PER_PERSON": 2}
    alice, bob = person("alice"), person("bob")
    first, _ = write(alice, kind), write(alice)
    with pytest.raises(TooManyQueued) as refused:
        write(alice, kind)
    assert refused.value.details == {"retry_after": 30, "waiting": 2}
    assert Task.objects.filter(created_by=alice).count() == 2
    write(bob, kind)
    write(None, kind)
    task_submit(kind=QUERY_TASK_KIND, parameters={"statement": "SELECT 1"}, user=alice)
    assert task_claim(task_id=first.pk, worker="a") is not None
    write(alice, kind)


def test_a_known_key_is_answered_however_much_waits(rung: list[str], settings: Any) -> None:
    settings.LAKEUI = {**settings.LAKEUI, "WAITING_TASKS_PER_PERSON": 1}
    alice = person("alice")
    asked = {"kind": "sql", "parameters": {"statement": "INSERT"}, "user": alice, "idempotency_key": "k"}
    assert task_submit(**asked).pk == task_submit(**asked).pk
    with pytest.raises(TooManyQueued):
        task_submit(**{**asked, "idempotency_key": "other"})


def test_0_sets_no_limit_to_waiting_work(rung: list[str], settings: Any) -> None:
    settings.LAKEUI = {**settings.LAKEUI, "WAITING_TASKS_PER_PERSON": 0}
    alice = person("alice")
    assert len({write(alice).pk for _ in range(5)}) == 5


def test_claim_does_not_wait_for_disk(rung: list[str]) -> None:
    task, seen = write(person("alice")), []

    def setting() -> str:
        return str(connection.connection.cursor().execute("SHOW synchronous_commit").fetchone()[0])

    def look(execute: Any, query: str, *rest: Any) -> Any:
        found = execute(query, *rest)
        if query.strip().startswith("UPDATE"):
            seen.append(setting())
        return found

    # Tests have a PostgreSQL that waits for no disk.
    connection.cursor().execute("SET synchronous_commit = on")
    try:
        with connection.execute_wrapper(look):
            assert task_claim(task_id=task.pk, worker="a") is not None
        assert (seen, setting()) == (["off"], "on")
    finally:
        connection.cursor().execute("RESET synchronous_commit")


def test_only_a_key_takes_a_savepoint(rung: list[str]) -> None:
    alice, found = person("alice"), []
    for key in ("", "k"):
        with transaction.atomic(), CaptureQueriesContext(connection) as called:
            task_submit(kind="sql", parameters={}, user=alice, idempotency_key=key)
        found.append([call["sql"].split()[0] for call in called if "SAVEPOINT" in (call["sql"] or "")])
    assert found == [[], ["SAVEPOINT", "RELEASE"]]


def test_task_of_write_takes_few_calls(rung: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._HANDLERS, "sql", lambda context, parameters: {})
    alice, found = person("alice"), []
    catalog = Catalog.objects.create(name=uuid4().hex)
    with CaptureQueriesContext(connection) as called:
        task = task_submit(kind="sql", parameters={}, user=alice, catalog_id=catalog.pk)
        found.append(len(called))
        task_run(task_id=task.pk, worker="a")
        found.append(len(called) - found[0])
        assert task_get(task.pk).created_by == alice
    assert (found, len(called) - sum(found)) == ([4, 11], 1)
