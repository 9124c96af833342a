"""``POST /api/v1/sql/`` when the work outlives the request: waiting, Prefer, Idempotency-Key."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from lakeui.api.http.prefer import read_preference
from merge_app.jobs.models import Task
from merge_app.jobs.runner import task_run
from tests.api.conftest import Caller, FakeDoor
from tests.api.sql.test_statements import problem


@pytest.mark.usefixtures("local_worker")
def test_a_quick_task_answers_like_any_statement(alice: Caller, door: FakeDoor) -> None:
    response = alice.sql("TASK x")
    assert response.status_code == 200
    assert response.json()["version"] == 7
    task = Task.objects.get()
    assert response["Location"] == f"/api/v1/tasks/{task.pk}/"
    assert (task.kind, task.created_by) == ("sql", alice.user)
    session = {"catalog": "demo", "branch": "main", "transaction": None, "bypass_reason": ""}
    assert task.parameters == {"statement": "TASK x"} | session
    _, given, context = door.calls[0]
    assert (given.user, context.task_id) == (alice.user, task.pk)


@pytest.mark.usefixtures("no_worker", "door")
def test_respond_async_answers_202_at_once(alice: Caller) -> None:
    began = time.monotonic()
    response = alice.sql("TASK x", Prefer="respond-async")
    assert time.monotonic() - began < 2
    assert response.status_code == 202
    assert response["Preference-Applied"] == "respond-async"
    body = response.json()
    assert response["Location"] == body["url"] == f"/api/v1/tasks/{body['id']}/"
    assert body["state"] == "queued"


@pytest.mark.usefixtures("no_worker", "door")
def test_wait_waits_that_long_and_then_answers_202(alice: Caller) -> None:
    began = time.monotonic()
    response = alice.sql("TASK x", Prefer="wait=1")
    assert 0.9 < time.monotonic() - began < 5
    assert response.status_code == 202
    assert response["Preference-Applied"] == "wait=1"


@pytest.mark.usefixtures("local_worker")
def test_wait_answers_once_there_is_a_result(alice: Caller, door: FakeDoor) -> None:
    began = time.monotonic()
    response = alice.sql("TASK x", Prefer="respond-async, wait=20")
    assert response.status_code == 200
    assert response["Preference-Applied"] == "respond-async, wait=20"
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    ("header", "wait", "respond_async", "applied"),
    [
        ("", 30, False, ""),
        ("wait=5", 5, False, "wait=5"),
        ('wait = "7"', 7, False, "wait=7"),
        ("Wait=9999", 30, False, "wait=30"),
        ("wait=-1, wait=x, wait=", 30, False, ""),
        ("wait=3, wait=4", 3, False, "wait=3"),
        ("respond-async", 0, True, "respond-async"),
        ("respond-async, wait=10; foo=bar", 10, True, "respond-async, wait=10"),
        ("return=minimal, handling=lenient", 30, False, ""),
        ("wait=٣", 30, False, ""),
    ],
)
def test_preferences_are_read_as_rfc_7240_says(header: str, wait: int, respond_async: bool, applied: str) -> None:
    preference = read_preference(header)
    assert (preference.wait, preference.respond_async, preference.applied) == (wait, respond_async, applied)


@pytest.mark.usefixtures("no_worker", "door")
def test_a_disconnected_client_finds_its_result_later(alice: Caller) -> None:
    location = alice.sql("TASK x", Prefer="respond-async")["Location"]
    task_run(task_id=Task.objects.get().pk, worker="later")
    body = alice.get(location).json()
    assert (body["state"], body["result"]["version"]) == ("succeeded", 7)


@pytest.mark.usefixtures("local_worker")
def test_the_worker_refuses_a_user_disabled_meanwhile(
    alice: Caller, door: FakeDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def parsed(text: str, _parameters: Any) -> Any:
        User.objects.update(is_active=False)
        return door.parsed(f"TASK {text}")

    monkeypatch.setattr("lakeui.frontdoor.parsed", parsed)
    problem(alice.sql("x"), 403, "PERMISSION_DENIED")
    assert door.calls == []


@pytest.mark.usefixtures("no_worker", "door")
def test_waiting_for_a_cancelled_task_is_a_problem(alice: Caller) -> None:
    alice.sql("TASK x", Prefer="respond-async", Idempotency_Key="k")
    alice.post(f"/api/v1/tasks/{Task.objects.get().pk}/cancel/")
    problem(alice.sql("TASK x", Idempotency_Key="k"), 409, "TASK_CANCELLED")


@pytest.mark.usefixtures("local_worker")
@pytest.mark.parametrize("statement", ["TASK x", "QUICK x"])
def test_same_key_runs_once_and_answers_the_same(alice: Caller, door: FakeDoor, statement: str) -> None:
    answers = [alice.sql(statement, Idempotency_Key="order-1") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert answers[0].json() == answers[1].json() == answers[2].json()
    assert answers[0]["Location"] == answers[2]["Location"]
    assert len(door.calls) == 1


@pytest.mark.usefixtures("local_worker")
def test_a_key_with_another_body_is_refused(alice: Caller, door: FakeDoor) -> None:
    alice.sql("TASK x", Idempotency_Key="k")
    problem(alice.sql("TASK y", Idempotency_Key="k"), 422, "IDEMPOTENCY_KEY_REUSED")
    assert len(door.calls) == 1


@pytest.mark.usefixtures("local_worker")
def test_keys_belong_to_their_user(alice: Caller, bob: Caller, door: FakeDoor) -> None:
    assert alice.sql("TASK x", Idempotency_Key="k").json()["rows"] == [[1]]
    assert bob.sql("TASK y", Idempotency_Key="k").json()["rows"] == [[2]]


@pytest.mark.usefixtures("local_worker")
def test_ten_duplicates_run_once_and_all_get_answers(alice: Caller, door: FakeDoor) -> None:
    def slow(text: str, session: Any, context: Any) -> Any:
        time.sleep(0.3)
        return door.answer(text, session, context)

    door.work = slow
    answers: list[Any] = []
    start = threading.Barrier(10)

    def call() -> None:
        start.wait()
        answers.append(alice.sql("TASK x", Idempotency_Key="same").json())
        connection.close()

    threads = [threading.Thread(target=call) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(door.calls) == 1
    assert answers == [answers[0]] * 10
    assert answers[0]["rows"] == [[1]]


@pytest.mark.parametrize("key", ["x" * 256, "kéy", "tab\tinside"])
def test_a_bad_key_is_refused(alice: Caller, door: FakeDoor, key: str) -> None:
    problem(alice.sql("TASK x", Idempotency_Key=key), 400, "INVALID_VALUE")
    assert Task.objects.count() == 0
