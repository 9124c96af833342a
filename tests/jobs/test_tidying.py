"""What lakeui keeps for a time goes at night; what is used stays."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from catalog_app.services.catalogs import catalog_create
from lakeui.access.models import AccessToken, BrowserSession
from lakeui.access.tokens import token_create
from merge_app.jobs import tidying
from merge_app.jobs.models import Task, TaskState
from merge_app.jobs.runner import task_run
from merge_app.jobs.services import task_submit
from merge_app.mails.models import Mail
from merge_app.pipelines.models import Pipeline, PipelineRun, Trigger
from merge_app.review.models import AnsweredRequest
from merge_app.webhooks.models import DeliveryState, Webhook, WebhookDelivery

pytestmark = pytest.mark.django_db


@pytest.fixture
def user() -> User:
    return User.objects.create_user("erin")


def days_ago(days: float) -> datetime:
    return timezone.now() - timedelta(days=days)


def tidied() -> dict[str, int]:
    task = task_submit(kind=tidying.TASK_KIND, parameters={})
    assert task_run(task_id=task.pk, worker="here") == TaskState.SUCCEEDED
    removed: dict[str, int] = Task.objects.get(pk=task.pk).result["removed"]
    return removed


def task_of(days: float, *, state: str = TaskState.SUCCEEDED, **also: Any) -> UUID:
    ended = days_ago(days) if state != TaskState.QUEUED else None
    return Task.objects.create(
        kind="sql", state=state, created_at=days_ago(days), finished_at=ended, result={"rows": []}, **also
    ).pk


def test_answers_of_idempotent_requests_stay_a_week(user: User) -> None:
    for days in (6, 8, 400):
        AnsweredRequest.objects.create(user=user, key=f"{days}", digest="", status=200, answered_at=days_ago(days))
    assert tidied()["idempotency answers"] == 2
    assert list(AnsweredRequest.objects.values_list("key", flat=True)) == ["6"]


def test_finished_tasks_stay_a_month_unfinished_until_ended() -> None:
    kept = {task_of(29), task_of(300, state=TaskState.QUEUED)}
    task_of(31)
    assert tidied()["tasks"] == 1
    assert kept == set(Task.objects.filter(kind="sql").values_list("pk", flat=True))


def test_old_chains_of_retries_go_whole() -> None:
    first = task_of(40)
    second = task_of(39, retry_of_id=first)
    third = task_of(29, retry_of_id=second)
    assert tidied()["tasks"] == 0
    Task.objects.filter(pk=third).update(finished_at=days_ago(31))
    assert tidied()["tasks"] == 3


def test_batches_go_on_until_nothing_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tidying, "BATCH", 2)
    for _ in range(5):
        task_of(31)
    assert tidied()["tasks"] == 5


def test_newest_runs_and_last_success_of_pipeline_stay(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tidying, "RUNS_KEPT", 2)
    catalog = catalog_create(name="lake", user_id=user.pk)
    pipeline = Pipeline.objects.create(
        catalog=catalog, name="p", database="d", table="t", branch="main", source="SELECT 1", owner=user
    )
    runs = []
    for days, state in ((500, "succeeded"), (400, "succeeded"), (300, "cancelled"), (200, "cancelled"), (100, "lost")):
        task_id = task_of(days, state=state)
        runs.append(task_id)
        PipelineRun.objects.create(
            task_id=task_id, pipeline=pipeline, version=1, trigger=Trigger.SCHEDULE, created_at=days_ago(days)
        )
    removed = tidied()
    assert (removed["pipeline runs"], removed["tasks"]) == (2, 2)
    assert set(PipelineRun.objects.values_list("task_id", flat=True)) == {runs[1], runs[3], runs[4]}


def test_webhook_messages_stay_a_month_and_until_sent(user: User) -> None:
    webhook = Webhook.objects.create(
        catalog=catalog_create(name="lake", user_id=user.pk),
        url="https://example.org",
        secret="s",
        events=["merge"],
        created_by=user,
    )
    for days, state in ((29, DeliveryState.FAILED), (31, DeliveryState.PENDING), (31, DeliveryState.DELIVERED)):
        WebhookDelivery.objects.create(
            webhook=webhook, event="merge", body="{}", state=state, created_at=days_ago(days)
        )
    assert tidied()["webhook deliveries"] == 1
    assert set(WebhookDelivery.objects.values_list("state", flat=True)) == {"failed", "pending"}


def test_mails_stay_a_month_and_until_sent(user: User) -> None:
    for days, state in ((29, "failed"), (31, "pending"), (31, "sent")):
        given = {"event": "test", "key": f"{days} {state}", "subject": "s", "body": "b", "path": "/"}
        Mail.objects.create(user=user, state=state, created_at=days_ago(days), **given)
    assert tidied()["mails"] == 1
    assert set(Mail.objects.values_list("state", flat=True)) == {"failed", "pending"}


def test_unusable_sessions_and_tokens_are_removed(user: User) -> None:
    for number, days in enumerate((1, -1)):
        BrowserSession.objects.create(session_key=f"{number}", session_data="", expire_date=days_ago(days))
    for name, ended in (("live", None), ("lately", days_ago(3)), ("long ago", days_ago(31))):
        token_create(user=user, name=name, expires_at=ended)
    token, _ = token_create(user=user, name="revoked")
    AccessToken.objects.filter(pk=token.pk).update(revoked_at=days_ago(31))
    removed = tidied()
    assert (removed["sessions"], removed["tokens"]) == (1, 2)
    assert set(AccessToken.objects.values_list("name", flat=True)) == {"live", "lately"}
    assert list(BrowserSession.objects.values_list("session_key", flat=True)) == ["1"]


def test_one_task_a_night_however_many_workers_look() -> None:
    evening = datetime(2026, 11, 25, 23, 0, tzinfo=UTC)
    tidying._submitted_for.clear()
    assert not tidying.tidy_tick(evening), "a new server has nothing to tidy"
    tidying._submitted_for.clear()
    Task.objects.create(kind="sql", created_at=evening - timedelta(days=2))
    assert tidying.tidy_tick(evening)
    assert not tidying.tidy_tick(evening)
    tidying._submitted_for.clear()
    assert not tidying.tidy_tick(evening)
    assert Task.objects.filter(kind=tidying.TASK_KIND).count() == 1
    assert tidying._last_due(datetime(2026, 11, 25, 2, 0, tzinfo=UTC)) == datetime(2026, 11, 24, 2, 30, tzinfo=UTC)
    tidying._submitted_for.clear()
