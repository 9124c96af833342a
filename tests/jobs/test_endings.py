"""The end of a task is published to those that wait; who misses it asks again."""

from __future__ import annotations

import time
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from lakeui.common import broker
from merge_app.jobs import endings, runner, selectors
from merge_app.jobs.context import Report, TaskContext
from merge_app.jobs.models import Task
from merge_app.jobs.selectors import task_wait
from merge_app.jobs.services import task_cancel, task_submit

pytestmark = pytest.mark.django_db(transaction=True)


def seconds_of(task_id: object) -> float:
    began = time.monotonic()
    endings.end_await(task_id, seconds=1)  # type: ignore[arg-type]
    return time.monotonic() - began


def test_all_waiting_go_on_and_later_ones_too() -> None:
    task_id = uuid4()
    endings.end_publish(task_id)
    assert seconds_of(task_id) + seconds_of(task_id) < 1
    assert 0 < broker.redis_client().ttl(f"lakeui:ended:{task_id}") <= endings.KEPT_SECONDS
    assert seconds_of(uuid4()) > 0.9


@pytest.mark.parametrize("how", ["finished", "cancelled"])
def test_the_end_of_a_task_is_published(how: str) -> None:
    task = task_submit(kind="test.echo", parameters={"text": "x"})
    if how == "cancelled":
        task_cancel(task_id=task.pk)
    else:
        runner.task_run(task_id=task.pk, worker="here:1")
    assert seconds_of(task.pk) < 0.9
    assert task_wait(task.pk, seconds=0).is_finished


def test_task_that_is_known_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    task = task_submit(kind="test.echo", parameters={"text": "x"})
    waited: list[object] = []

    def end(task_id: UUID, *, seconds: float) -> None:
        waited.append(len(called))
        runner.task_run(task_id=task_id, worker="here:1")
        waited.append(len(called))

    monkeypatch.setattr(selectors, "end_await", end)
    with CaptureQueriesContext(connection) as called:
        assert selectors.task_wait(task.pk, seconds=5, known=task).is_finished
        assert waited == [0, len(called) - 1]


def test_without_redis_one_looks_again_after_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    away = broker._client("redis://127.0.0.1:1/0")
    monkeypatch.setattr(endings, "redis_client", lambda: away)
    endings.end_publish(uuid4())
    assert endings.LOOK_WITHOUT_REDIS_SECONDS <= seconds_of(uuid4()) < 5


def test_only_long_tasks_report_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    beats: list[Report] = []

    def beat(*, report: Report, **_: object) -> bool:
        beats.append(report)
        return False

    def slow(context: TaskContext, _: object) -> None:
        context.step("slow")
        time.sleep(0.5)

    monkeypatch.setattr(runner, "task_beat", beat)
    task = task_submit(kind="test.echo", parameters={"text": "x"})
    runner.task_run(task_id=task.pk, worker="here:1")
    assert beats == []
    assert [step["name"] for step in Task.objects.get(pk=task.pk).steps] == ["echo"]
    monkeypatch.setattr(runner, "FIRST_BEAT_SECONDS", 0)
    monkeypatch.setattr(runner, "handler_for", lambda _: slow)
    task = task_submit(kind="test.echo", parameters={"text": "x"})
    runner.task_run(task_id=task.pk, worker="here:1")
    assert beats[0].message == "slow"
