"""What one attempt leaves in the task's row, whatever its handler does."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.utils import timezone

from lakeui.common.errors import EngineError, NotFound
from merge_app.jobs import registry, runner
from merge_app.jobs.claiming import task_claim
from merge_app.jobs.context import TaskContext
from merge_app.jobs.models import Task, TaskState
from merge_app.jobs.runner import task_run
from merge_app.jobs.selectors import task_get
from merge_app.jobs.services import task_cancel, task_finish, task_submit

pytestmark = pytest.mark.django_db(transaction=True)


def submitted(kind: str, **parameters: Any) -> UUID:
    return task_submit(kind=kind, parameters=parameters).pk


def run(task_id: UUID) -> Task:
    task_run(task_id=task_id, worker="here")
    return Task.objects.get(pk=task_id)


@pytest.fixture
def scratch_kind(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Registers a function for the kind ``scratch``."""

    def register(handler: Any) -> None:
        monkeypatch.setitem(registry._HANDLERS, "scratch", handler)

    return register


def test_a_success_keeps_result_steps_and_full_progress() -> None:
    task = run(submitted("test.echo", text="hello"))
    assert (task.state, task.progress, task.attempts, task.worker) == ("succeeded", 1.0, 1, "here")
    assert task.result["echo"] == "hello"
    assert [(step["name"], step["detail"]) for step in task.steps] == [("echo", "says it again")]
    assert task.steps[0]["finished"] is not None
    assert task.created_at <= task.started_at <= task.finished_at


def test_a_refusal_keeps_its_whole_problem() -> None:
    task = run(submitted("test.refuse"))
    assert task.state == "failed"
    assert task.error["code"] == "MERGE_CONFLICT"
    assert task.error["status"] == 409
    assert task.error["conflicts"] == [{"code": "A"}, {"code": "B"}]


def test_unexpected_exception_shows_id_and_logs_trace(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        task = run(submitted("test.crash"))
    assert task.state == "failed"
    assert task.error["code"] == "INTERNAL_ERROR"
    assert "secret" not in str(task.error)
    assert task.error["error_id"] in caplog.text
    assert "secret inside" in caplog.text


def test_a_store_that_failed_is_named(scratch_kind: Any) -> None:
    def work(context: Any, parameters: Any) -> None:
        raise OSError("When reading 'b/k': AWS Error NETWORK_CONNECTION during HeadObject operation: hidden")

    scratch_kind(work)
    task = run(submitted("scratch"))
    assert (task.state, task.error["code"]) == ("failed", "STORE_ERROR")
    assert "failed at HeadObject: NETWORK_CONNECTION" in task.error["detail"]
    assert "hidden" not in str(task.error)


def test_result_that_jsonb_cannot_hold_is_made_storable(scratch_kind: Any) -> None:
    scratch_kind(lambda context, parameters: {"rows": [["a\x00b", float("nan"), float("-inf")]]})
    assert run(submitted("scratch")).result == {"rows": [["a\ufffdb", "NaN", "-Infinity"]]}


def test_progress_is_seen_while_handler_is_in_transaction(scratch_kind: Any) -> None:
    seen: list[tuple[str, float]] = []

    def handler(context: TaskContext, parameters: Mapping[str, Any]) -> dict[str, Any]:
        with transaction.atomic():
            context.step("staging")
            context.progress(0.5, "half of it")
            seen.append(eventually(lambda: elsewhere(context.task_id), lambda found: found[1] == 0.5))
        return {}

    scratch_kind(handler)
    run(submitted("scratch"))
    assert seen == [("half of it", 0.5)]


def elsewhere(task_id: UUID | None) -> tuple[str, float]:
    """The row as another connection sees it."""
    found: list[tuple[str, float]] = []

    def read() -> None:
        found.append(Task.objects.values_list("message", "progress").get(pk=task_id))
        connection.close()

    thread = threading.Thread(target=read)
    thread.start()
    thread.join()
    return found[0]


def eventually(read: Any, done: Any, seconds: float = 5.0) -> Any:
    deadline = time.monotonic() + seconds
    while not done(value := read()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return value


@pytest.fixture
def quick_beats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "BEAT_SECONDS", 0.1)


@pytest.mark.usefixtures("quick_beats")
def test_running_task_stops_at_check_and_interrupts_engine(scratch_kind: Any) -> None:
    interrupted = threading.Event()

    def handler(context: TaskContext, parameters: Mapping[str, Any]) -> dict[str, Any]:
        context.on_cancel(interrupted.set)
        task_cancel(task_id=context.task_id)
        assert interrupted.wait(5)
        context.check_cancelled()
        return {"not": "reached"}

    scratch_kind(handler)
    task = run(submitted("scratch"))
    assert (task.state, task.error["code"], task.result) == ("cancelled", "TASK_CANCELLED", None)


@pytest.mark.usefixtures("quick_beats")
def test_a_cancelled_task_says_so_before_its_end(scratch_kind: Any) -> None:
    shown = []

    def handler(context: TaskContext, parameters: Mapping[str, Any]) -> dict[str, Any]:
        def message() -> str:
            return Task.objects.get(pk=context.task_id).message

        task_cancel(task_id=context.task_id)
        shown.append(eventually(message, lambda text: text != ""))
        context.check_cancelled()
        return {"not": "reached"}

    scratch_kind(handler)
    assert run(submitted("scratch")).state == "cancelled"
    assert shown == ["stops before anything is written"]


@pytest.mark.usefixtures("quick_beats")
def test_engine_that_fails_by_interruption_counts_as_cancelled(scratch_kind: Any) -> None:
    def handler(context: TaskContext, parameters: Mapping[str, Any]) -> dict[str, Any]:
        stop = threading.Event()
        context.on_cancel(stop.set)
        task_cancel(task_id=context.task_id)
        assert stop.wait(5)
        raise EngineError("Operation canceled")

    scratch_kind(handler)
    assert run(submitted("scratch")).state == "cancelled"


def test_a_task_cancelled_while_it_waits_never_runs() -> None:
    task_id = submitted("test.crash")
    task_cancel(task_id=task_id)
    assert task_run(task_id=task_id, worker="here") is None
    assert Task.objects.get(pk=task_id).state == "cancelled"


def test_a_queued_task_is_claimed_once() -> None:
    task_id = submitted("test.echo", text="x")
    claims = [task_claim(task_id=task_id, worker=name) for name in ("one", "two")]
    assert claims[0] is not None
    assert claims[1] is None


def test_twenty_workers_at_once_run_a_task_once(scratch_kind: Any) -> None:
    runs: list[int] = []
    scratch_kind(lambda context, parameters: runs.append(1) or {})
    task_id = submitted("scratch")
    start = threading.Barrier(20)

    def worker() -> None:
        start.wait()
        task_run(task_id=task_id, worker="here")
        connection.close()

    threads = [threading.Thread(target=worker) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert runs == [1]


def test_attempt_taken_over_cannot_finish_and_learns_it(scratch_kind: Any) -> None:
    learnt: list[str] = []

    def handler(context: TaskContext, parameters: Mapping[str, Any]) -> dict[str, Any]:
        Task.objects.update(state=TaskState.QUEUED, claim=None)
        other = task_claim(task_id=context.task_id, worker="other")
        assert other is not None
        context.progress(0.1)
        stopped = threading.Event()
        context.on_cancel(stopped.set)
        assert stopped.wait(5)
        task_finish(
            task=other,
            state=TaskState.SUCCEEDED,
            report=context.report(),
            result={"by": "other"},
        )
        learnt.append(type(context._stop).__name__)
        return {"by": "first"}

    scratch_kind(handler)
    task_id = submitted("scratch")
    assert task_run(task_id=task_id, worker="here") is None
    task = Task.objects.get(pk=task_id)
    assert learnt == ["TaskSuperseded"]
    assert (task.result, task.worker, task.attempts) == ({"by": "other"}, "other", 2)


def test_finishing_twice_changes_nothing() -> None:
    task_id = submitted("test.echo", text="x")
    task = task_claim(task_id=task_id, worker="here")
    assert task is not None
    context = TaskContext(task_id)
    done = [
        task_finish(task=task, state=state, report=context.report(), result=result, error=error)
        for state, result, error in [
            (TaskState.SUCCEEDED, {"n": 1}, None),
            (TaskState.FAILED, None, {"code": "X"}),
        ]
    ]
    assert done == [True, False]
    assert Task.objects.get(pk=task_id).result == {"n": 1}


def test_the_handler_knows_the_user() -> None:
    user = User.objects.create_user("alice")
    task = task_submit(kind="test.echo", parameters={"text": ""}, user=user)
    assert task_get(task.pk).created_by == user


def test_a_rolled_back_task_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    rung: list[UUID] = []
    monkeypatch.setattr("merge_app.jobs.services.task_notify", rung.append)

    def submit_and_fail() -> None:
        with transaction.atomic():
            submitted("test.echo", text="x")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        submit_and_fail()
    assert rung == []
    assert Task.objects.count() == 0


def test_an_unknown_task_is_not_found() -> None:
    with pytest.raises(NotFound):
        task_get(UUID(int=0))


def test_unknown_kind_is_refused_before_it_is_stored() -> None:
    with pytest.raises(KeyError):
        submitted("no.such.kind")
    assert Task.objects.count() == 0


def test_task_waits_for_later_while_broker_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: Any, **__: Any) -> None:
        raise ConnectionRefusedError

    monkeypatch.setattr("merge_app.jobs.tasks.run_task.apply_async", away)
    task = Task.objects.get(pk=submitted("test.echo", text="x"))
    assert task.state == "queued"
    assert task.ring_at > timezone.now()
