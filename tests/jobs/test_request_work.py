"""Queries that run inside of a request: their number, their time, and what stops them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models.functions import Now
from django.utils import timezone

from catalog_app.models import CatalogMember
from catalog_app.services.catalogs import catalog_create
from lakeui.common.errors import EngineError, LakeError
from merge_app.jobs import request_work
from merge_app.jobs.models import Task
from merge_app.jobs.reaper import STALE_AFTER, tasks_reap
from merge_app.jobs.request_work import (
    READS,
    TRIALS,
    Gate,
    QueryCancelled,
    StatementTimeout,
    TooManyQueries,
    Work,
    work_running,
)
from merge_app.jobs.services import task_cancel
from tests.faults.worker import until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_work, "LOOK_SECONDS", 0.02)


@pytest.fixture
def alice() -> User:
    return User.objects.create_user("alice")


def of(user: User, has_left: Callable[[], bool] = lambda: False) -> Work:
    return Work(user, None, {"statement": "SELECT 1", "catalog": None, "branch": "main"}, has_left)


def shown(key: UUID) -> Task:
    """The row of running work, which a read of rows has after a while."""
    until(Task.objects.filter(pk=key).exists)
    return Task.objects.get(pk=key)


def endless(query: Work, begun: Callable[[Task], object] = lambda task: None) -> None:
    """As the engine does: works until it is interrupted, and then fails in words of its own."""
    interrupted = threading.Event()
    with work_running(query) as context:
        context.on_cancel(interrupted.set)
        begun(shown(context.key))
        assert interrupted.wait(30)
        raise EngineError("The statement was cancelled.")


def test_a_query_is_a_task_while_it_runs(alice: User) -> None:
    with work_running(of(alice)) as context:
        task = Task.objects.get(pk=context.key)
        assert (task.kind, task.state, task.created_by) == ("query", "running", alice)
    assert not Task.objects.exists()


def test_the_longest_time_stops_a_query(alice: User, settings: pytest.FixtureRequest) -> None:
    settings.LAKEUI = {**settings.LAKEUI, "STATEMENT_SECONDS": 0.05}
    with pytest.raises(StatementTimeout, match=r"took longer than 0.05 s"):
        endless(of(alice))
    assert not Task.objects.exists()


def test_longest_time_is_that_of_role_in_catalog(alice: User, settings: pytest.FixtureRequest) -> None:
    by_role = {"viewer": 0.05, "owner": 0}
    settings.LAKEUI = {**settings.LAKEUI, "STATEMENT_SECONDS": 300, "STATEMENT_SECONDS_BY_ROLE": by_role}
    catalog = catalog_create(name="lake", user_id=alice.pk)
    asked = {"statement": "SELECT 1", "catalog": "lake", "branch": "main"}
    shown = []
    for role in ("owner", "maintainer", "viewer"):
        person = User.objects.create_user(role)
        CatalogMember.objects.create(catalog=catalog, user=person, role=role)
        with work_running(Work(person, catalog.pk, asked, lambda: False)):
            shown.append(Task.objects.get().parameters["longest_seconds"])
    assert shown == [None, 300, 0.05]
    with pytest.raises(StatementTimeout, match=r"longer than 0.05 s"):
        endless(Work(User.objects.get(username="viewer"), catalog.pk, asked, lambda: False))


def test_a_cancel_stops_a_query(alice: User) -> None:
    with pytest.raises(QueryCancelled, match="was cancelled"):
        endless(of(alice), lambda task: task_cancel(task_id=task.pk))


def test_a_client_that_hangs_up_stops_its_query(alice: User) -> None:
    with pytest.raises(QueryCancelled, match="hung up"):
        endless(of(alice, lambda: True))


def test_an_interrupt_is_repeated_until_the_query_ends(alice: User) -> None:
    """The first may come before the work that it should stop has begun."""
    calls: list[int] = []
    enough = threading.Event()

    def count() -> None:
        calls.append(1)
        if len(calls) == 3:
            enough.set()

    def interrupted() -> None:
        with work_running(of(alice, lambda: True)) as context:
            context.on_cancel(count)
            assert enough.wait(30)
            raise EngineError("The statement was cancelled.")

    with pytest.raises(QueryCancelled):
        interrupted()


def test_failure_of_query_itself_stays_what_it_is(alice: User) -> None:
    with pytest.raises(LakeError, match="no such column"), work_running(of(alice)):
        raise LakeError("no such column")


@pytest.fixture
def running(alice: User, settings: pytest.FixtureRequest) -> Iterator[str]:
    settings.LAKEUI = {**settings.LAKEUI, "QUERIES_PER_PERSON": 1}
    with work_running(of(alice)) as context:
        yield str(context.key)


def test_one_query_too_many_names_those_running(alice: User, running: str) -> None:
    with pytest.raises(TooManyQueries) as refused, work_running(of(alice)):
        pass
    assert refused.value.details == {"retry_after": request_work.RETRY_SECONDS, "running": [running]}
    with work_running(of(User.objects.create_user("bob"))):
        pass


def test_dry_runs_count_before_they_show(
    alice: User, settings: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_work, "LOOK_SECONDS", 60)
    settings.LAKEUI = {**settings.LAKEUI, "QUERIES_PER_PERSON": 2}
    trial, bob = replace(of(alice), gate=TRIALS), of(User.objects.create_user("bob"))
    with work_running(trial) as first, work_running(trial) as second:
        assert not Task.objects.exists()
        for one_more in (trial, of(alice)):
            with pytest.raises(TooManyQueries) as refused, work_running(one_more):
                pass
            assert refused.value.details["running"] == [str(first.key), str(second.key)]
        with work_running(replace(bob, gate=TRIALS)), work_running(bob):
            pass
    with work_running(of(alice)), work_running(trial):
        pass


def gate(kind: str, patience: float) -> Gate:
    """A gate with one place."""
    return Gate(kind, "work", patience, threading.BoundedSemaphore(1))


def test_gate_admits_up_to_its_limit(alice: User) -> None:
    narrow = replace(of(alice), gate=gate("rows", patience=0))
    with work_running(narrow), pytest.raises(TooManyQueries, match="most at a time"), work_running(narrow):
        pass
    with work_running(narrow):
        pass


def test_waiting_work_enters_gate_when_another_leaves(alice: User) -> None:
    narrow = replace(of(alice), gate=gate("rows", patience=30))
    assert narrow.gate.places.acquire(blocking=False)
    leaving = threading.Timer(0.1, narrow.gate.places.release)
    leaving.start()
    with work_running(narrow):
        pass
    leaving.join()


def test_few_wait_for_a_place(alice: User) -> None:
    waits = threading.BoundedSemaphore(1)
    narrow = replace(of(alice), gate=replace(gate("rows", patience=30), waits=waits))
    entered = threading.Event()

    def wait() -> None:
        with work_running(narrow):
            entered.set()
        connection.close()

    waiting = threading.Thread(target=wait)
    with work_running(narrow):
        waiting.start()
        until(lambda: waits._value == 0)
        with pytest.raises(TooManyQueries, match="most at a time"), work_running(narrow):
            pass
        assert not entered.is_set()
    waiting.join(30)
    assert entered.is_set()
    with work_running(narrow):
        pass


def test_a_long_read_becomes_a_task(alice: User) -> None:
    reading = replace(of(alice), gate=READS)
    with work_running(reading) as context:
        assert (shown(context.key).kind, shown(context.key).created_by) == ("rows", alice)
    assert not Task.objects.exists()
    with pytest.raises(QueryCancelled, match="The read of rows was cancelled"):
        endless(reading, lambda task: task_cancel(task_id=task.pk))


def test_a_long_dry_run_shows_among_queries(alice: User) -> None:
    trial = replace(of(alice), gate=TRIALS)
    with work_running(trial) as context:
        assert (shown(context.key).kind, shown(context.key).created_by) == ("query", alice)
    assert not Task.objects.exists()
    with pytest.raises(QueryCancelled, match="The dry run was cancelled"):
        endless(trial, lambda task: task_cancel(task_id=task.pk))


def test_a_query_whose_web_process_ended_is_forgotten(alice: User) -> None:
    with work_running(of(alice)) as context:
        query = Task.objects.filter(pk=context.key)
        query.update(heartbeat_at=Now() - STALE_AFTER - timezone.timedelta(seconds=5))
        tasks_reap()
        assert not query.exists()
