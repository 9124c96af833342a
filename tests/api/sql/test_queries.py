"""SHOW QUERIES and CANCEL QUERY, and requests that wait for tasks."""

from __future__ import annotations

import threading

import pytest
from django.contrib.auth.models import User

from lakeui import frontdoor
from lakeui.api.http import waiting
from lakeui.api.http.waiting import WAITS_PER_PERSON, WAITS_PER_PROCESS, task_awaited
from lakeui.common.errors import InvalidValue, NotFound
from merge_app.jobs.models import Task
from merge_app.jobs.request_work import Work, work_running
from merge_app.jobs.services import task_submit

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def alice() -> User:
    return User.objects.create_user("alice")


def of(user: User) -> Work:
    return Work(user, None, {"statement": "SELECT 1", "catalog": None, "branch": "main"}, lambda: False)


def run(statement: str, user: User) -> list[tuple[object, ...]]:
    return [tuple(row) for row in frontdoor.execute(statement, frontdoor.Session(user=user)).rows]


def test_a_person_sees_and_cancels_what_is_theirs(alice: User) -> None:
    bob = User.objects.create_user("bob")
    with work_running(of(alice)) as context:
        ((query_id, kind, state, user, catalog, branch, seconds, statement, longest),) = run("SHOW QUERIES", alice)
        assert (query_id, kind, state, user) == (str(context.key), "query", "running", "alice")
        assert (catalog, branch, statement) == (None, "main", "SELECT 1")
        assert seconds >= 0
        assert longest == 300
        assert run("SHOW QUERIES", bob) == []
        with pytest.raises(NotFound):
            run(f"CANCEL QUERY '{query_id}'", bob)
        assert run(f"CANCEL QUERY '{query_id}'", alice) == [(query_id, "running")]
        assert Task.objects.get(pk=query_id).cancel_requested
    with pytest.raises(NotFound):
        run(f"CANCEL QUERY '{query_id}'", alice)


def test_a_malformed_id_is_refused_in_words(alice: User) -> None:
    with pytest.raises(InvalidValue, match="is not the id of a query"):
        run("CANCEL QUERY 'x'", alice)


@pytest.mark.parametrize(("people", "most"), [(1, WAITS_PER_PERSON), (100, WAITS_PER_PROCESS)])
def test_a_request_without_free_waiter_is_answered_immediately(
    alice: User, monkeypatch: pytest.MonkeyPatch, people: int, most: int
) -> None:
    """The others wait for as long as this test wants."""
    task = task_submit(kind="sql", parameters={}, user=alice)
    begun, ended = threading.Semaphore(0), threading.Event()

    def wait(task_id: object, *, seconds: float, known: Task | None) -> Task:
        begun.release()
        assert ended.wait(30)
        return task

    monkeypatch.setattr(waiting, "task_wait", wait)
    waits = [
        threading.Thread(target=task_awaited, args=[task.pk], kwargs={"person": number % people, "seconds": 300})
        for number in range(most)
    ]
    for thread in waits:
        thread.start()
    try:
        for _ in waits:
            assert begun.acquire(timeout=30)
        assert task_awaited(task.pk, person=0, seconds=300).state == "queued"
    finally:
        ended.set()
        for thread in waits:
            thread.join()
    assert not waiting._waits
