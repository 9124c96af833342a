"""Each due time makes one run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction

from catalog_app.domain.roles import LAKEUI
from lakeui.common.errors import InvalidValue
from merge_app.jobs.models import Task, TaskState
from merge_app.pipelines.errors import PipelineBusy
from merge_app.pipelines.models import Pipeline, PipelineRun, Trigger
from merge_app.pipelines.runs import run_begin, run_submit
from merge_app.pipelines.schedules import schedules_tick
from merge_app.pipelines.selectors import pipeline_get
from merge_app.pipelines.services import pipeline_edit

HOUR = timedelta(hours=1)


@pytest.fixture
def scheduled(pipeline: Pipeline, alice: User, unheard: None) -> Pipeline:
    pipeline_edit(pipeline, {"schedule": "0 * * * *"}, author_id=alice.pk)
    return pipeline


def runs(pipeline: Pipeline) -> list[PipelineRun]:
    return list(pipeline.runs.select_related("task__created_by").order_by("created_at"))


def finish(run: PipelineRun) -> None:
    Task.objects.filter(pk=run.pk).update(state=TaskState.SUCCEEDED, finished_at=datetime.now(UTC))


def test_a_due_time_makes_one_run_by_owner(scheduled: Pipeline, alice: User) -> None:
    due = scheduled.next_run_at
    assert due is not None
    assert schedules_tick(due - timedelta(seconds=1)) == 0
    assert schedules_tick(due) == 1
    assert schedules_tick(due) == 0
    (run,) = runs(scheduled)
    assert (run.trigger, run.due_at, run.version, run.task.created_by) == (Trigger.SCHEDULE, due, 2, alice)
    assert pipeline_get(LAKEUI, scheduled.pk).next_run_at == due + HOUR


def test_a_schedule_goes_by_its_time_zone(pipeline: Pipeline, alice: User) -> None:
    pipeline_edit(pipeline, {"schedule": "0 6 * * *"}, author_id=alice.pk)
    assert pipeline.next_run_at is not None
    assert pipeline.next_run_at.hour == 6
    pipeline_edit(pipeline, {"schedule_timezone": "Asia/Tokyo"}, author_id=alice.pk)
    assert pipeline.next_run_at.hour == 21
    with pytest.raises(InvalidValue, match="no time zone"):
        pipeline_edit(pipeline, {"schedule_timezone": "Asia/Tokio"}, author_id=alice.pk)


def test_owners_with_too_much_waiting_get_no_run(
    scheduled: Pipeline, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.LAKEUI = {**settings.LAKEUI, "WAITING_TASKS_PER_PERSON": 1}
    Task.objects.create(kind="sql", created_by=scheduled.owner)
    due = scheduled.next_run_at
    assert due is not None
    assert schedules_tick(due) == 0
    assert runs(scheduled) == []
    assert pipeline_get(LAKEUI, scheduled.pk).next_run_at == due + HOUR
    assert "is left out: 1 of your writes" in caplog.text


def test_missed_times_make_one_run(scheduled: Pipeline) -> None:
    assert scheduled.next_run_at is not None
    late = scheduled.next_run_at + 5 * HOUR + timedelta(minutes=1)
    assert schedules_tick(late) == 1
    assert pipeline_get(LAKEUI, scheduled.pk).next_run_at == scheduled.next_run_at + 6 * HOUR


def test_a_pipeline_that_still_runs_is_left_out(scheduled: Pipeline) -> None:
    assert scheduled.next_run_at is not None
    schedules_tick(scheduled.next_run_at)
    assert schedules_tick(scheduled.next_run_at + HOUR) == 0
    (run,) = runs(scheduled)
    finish(run)
    assert schedules_tick(scheduled.next_run_at + 2 * HOUR) == 1


def test_without_an_active_owner_it_rests(scheduled: Pipeline, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert scheduled.next_run_at is not None
    assert schedules_tick(scheduled.next_run_at) == 0
    assert not runs(scheduled)


def test_a_removed_schedule_is_not_due(scheduled: Pipeline, alice: User) -> None:
    due = scheduled.next_run_at
    assert due is not None
    pipeline_edit(scheduled, {"schedule": ""}, author_id=alice.pk)
    assert schedules_tick(due) == 0


def test_the_database_refuses_second_runs_of_due_times(scheduled: Pipeline, alice: User) -> None:
    due = scheduled.next_run_at
    finish(run_submit(scheduled, user=alice, trigger=Trigger.SCHEDULE, due_at=due))
    with pytest.raises(IntegrityError), transaction.atomic():
        run_submit(scheduled, user=alice, trigger=Trigger.SCHEDULE, due_at=due)


def test_a_clock_behind_does_not_delay_the_schedule(scheduled: Pipeline, alice: User) -> None:
    due = scheduled.next_run_at
    assert due is not None
    finish(run_submit(scheduled, user=alice, trigger=Trigger.SCHEDULE, due_at=due))
    assert schedules_tick(due) == 0
    assert pipeline_get(LAKEUI, scheduled.pk).next_run_at == due + HOUR
    assert schedules_tick(due + HOUR) == 1


@pytest.mark.django_db(transaction=True)
def test_a_worker_looking_simultaneously_does_nothing(scheduled: Pipeline) -> None:
    due = scheduled.next_run_at
    assert due is not None
    with transaction.atomic():
        held = Pipeline.objects.select_for_update().get(pk=scheduled.pk)
        answers: list[Any] = []
        elsewhere(lambda: answers.append(schedules_tick(due)))
        assert answers == [0]
        assert held.next_run_at == due
    assert schedules_tick(due) == 1


def elsewhere(work: Any) -> None:
    """Do it on another connection, and wait for it."""
    import threading

    def run() -> None:
        try:
            work()
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(timeout=20)
    assert not thread.is_alive()


class TestOneRunAtATime:
    def test_a_second_run_is_refused_naming_the_first(self, pipeline: Pipeline, alice: User, unheard: None) -> None:
        first = run_submit(pipeline, user=alice, trigger=Trigger.MANUAL)
        with pytest.raises(PipelineBusy) as caught:
            run_submit(pipeline, user=alice, trigger=Trigger.MANUAL)
        assert caught.value.details["task"] == str(first.pk)
        assert Task.objects.count() == 1
        finish(first)
        assert run_submit(pipeline, user=alice, trigger=Trigger.MANUAL).pk != first.pk

    def test_the_same_request_again_is_the_same_run(self, pipeline: Pipeline, alice: User, unheard: None) -> None:
        found = {run_submit(pipeline, user=alice, trigger=Trigger.MANUAL, idempotency_key="k").pk for _ in range(2)}
        assert len(found) == 1

    def test_a_repeated_task_has_its_own_run(self, pipeline: Pipeline, alice: User, unheard: None) -> None:
        first = run_submit(pipeline, user=alice, trigger=Trigger.MANUAL)
        finish(first)
        again = Task.objects.create(kind="pipeline", parameters=first.task.parameters, created_by=alice)
        run = run_begin(again.pk, again.parameters)
        assert (run.trigger, run.version, run.pipeline_id) == (Trigger.RETRY, first.version, pipeline.pk)
        assert run_begin(again.pk, again.parameters).pk == run.pk

    def test_a_repeated_task_waits_for_no_other(self, pipeline: Pipeline, alice: User, unheard: None) -> None:
        first = run_submit(pipeline, user=alice, trigger=Trigger.MANUAL)
        claimed = datetime.now(UTC)
        Task.objects.filter(pk=first.pk).update(state=TaskState.RUNNING, claim=first.pk, heartbeat_at=claimed)
        again = Task.objects.create(kind="pipeline", parameters=first.task.parameters, created_by=alice)
        with pytest.raises(PipelineBusy):
            run_begin(again.pk, again.parameters)
