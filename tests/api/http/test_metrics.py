"""``/metrics``."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from lakeui.common.errors import MergeConflict
from merge_app.jobs.models import Task, TaskState
from merge_app.jobs.runner import task_run
from tests.api.conftest import Caller
from tests.api.sql.test_statements import problem
from tests.review.conftest import ReviewLake
from tests.support.resource_lake import Lake

MOST_QUESTIONS = 6
ELSEWHERE = {"REMOTE_ADDR": "192.0.2.7"}


def scraped(**where: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    response = Client().get("/metrics", **where)  # type: ignore[arg-type]
    assert response.status_code == 200, response.content
    assert response["Content-Type"].startswith("text/plain")
    families = text_string_to_metric_families(response.content.decode())
    return {(s.name, frozenset(s.labels.items())): s.value for family in families for s in family.samples}


def value(name: str, **labels: str) -> float:
    return scraped().get((name, frozenset(labels.items())), 0)


def test_requests_are_counted_by_route_and_status(alice: Caller) -> None:
    labels = {"method": "GET", "route": "api/v1/tasks/<uuid:task_id>/", "status": "404"}
    before = value("lakeui_http_requests_total", **labels)
    for number in (1, 2):
        alice.get(f"/api/v1/tasks/00000000-0000-0000-0000-00000000000{number}/")
    assert value("lakeui_http_requests_total", **labels) == before + 2
    seconds = {"method": "GET", "route": "api/v1/tasks/<uuid:task_id>/"}
    assert value("lakeui_http_request_seconds_count", **seconds) >= 2


def test_no_client_can_make_up_series(alice: Caller) -> None:
    alice.client.generic("BREW", "/nowhere/1/", headers=alice.headers)
    names = {dict(labels).get("method") for name, labels in scraped() if name == "lakeui_http_requests_total"}
    assert "other" in names
    assert "BREW" not in names
    assert not any("nowhere" in str(labels) for _, labels in scraped())


def test_commits_and_merges_are_counted(alice: Caller) -> None:
    before = scraped()
    lake = Lake(alice)
    for name in ("good", "bad"):
        lake.sql(f"CREATE BRANCH {name}")
        lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')", name)
    lake.sql("MERGE BRANCH good")
    lake.sql("DROP TABLE d.t")
    with pytest.raises(MergeConflict):
        lake.sql("MERGE BRANCH bad")

    after = scraped()

    def more(name: str, **labels: str) -> float:
        key = name, frozenset(labels.items())
        return after.get(key, 0) - before.get(key, 0)

    assert more("lakeui_commits_total") == 3 + 2 + 1 + 1
    assert more("lakeui_merges_total", outcome="merged", verdict="ok") == 1
    assert more("lakeui_merges_total", outcome="refused", verdict="conflict") == 1
    assert more("lakeui_merge_seconds_count") == 1
    assert more("lakeui_merge_seconds_sum") > 0
    assert more("lakeui_merge_seconds_bucket", le="1000.0") == more("lakeui_merge_seconds_bucket", le="+Inf") == 1
    assert after["lakeui_branches", frozenset()] == 3


def test_what_is_taken_back_is_not_counted(alice: Caller) -> None:
    lake = Lake(alice)
    before = value("lakeui_commits_total")
    lake.sql("CREATE TABLE d.u (id INT) DRY RUN")
    assert value("lakeui_commits_total") == before


def test_scrape_cost_does_not_grow_with_finished_tasks(alice: Caller) -> None:
    lake = Lake(alice)
    asked = [scrape_asked()]
    lake.sql("CREATE BRANCH more")
    done = {"kind": "sql", "state": TaskState.SUCCEEDED, "finished_at": timezone.now(), "created_by": alice.user}
    Task.objects.bulk_create(Task(**done, parameters={"statement": "x" * 1000}) for _ in range(2000))
    Task.objects.bulk_create(Task(kind="sql", created_by=alice.user) for _ in range(20))
    asked.append(scrape_asked())
    assert [len(questions) for questions in asked] == [MOST_QUESTIONS] * 2
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE jobs_task")
        for question in (text for text in asked[1] if "jobs_task" in text):
            cursor.execute(f"EXPLAIN {question}")
            plan = "\n".join(line for (line,) in cursor.fetchall())
            assert "Seq Scan" not in plan, plan
    assert not any("mergeattempt" in text or "catalog_app_commit" in text for text in asked[1])


def scrape_asked() -> list[str]:
    """What a scrape asks the database."""
    with CaptureQueriesContext(connection) as captured:
        scraped()
    return [query["sql"] for query in captured.captured_queries]


@pytest.mark.usefixtures("no_worker", "door")
def test_tasks_are_counted_by_state(alice: Caller) -> None:
    alice.sql("TASK", Prefer="respond-async")
    assert value("lakeui_tasks", kind="sql", state="queued") == 1
    assert value("lakeui_task_seconds_count", kind="sql", state="queued") == 0


@pytest.mark.usefixtures("no_worker", "door")
def test_run_time_and_wait_of_tasks_are_counted(alice: Caller) -> None:
    labels = frozenset({"kind": "sql", "state": "succeeded"}.items())
    kind = frozenset({"kind": "sql"}.items())
    before = scraped()
    task_id = UUID(alice.sql("TASK", Prefer="respond-async").json()["id"])
    Task.objects.filter(pk=task_id).update(created_at=timezone.now() - timedelta(seconds=7))
    task_run(task_id=task_id, worker="here")
    after = scraped()
    for key in (("lakeui_task_seconds_count", labels), ("lakeui_task_wait_seconds_count", kind)):
        assert after[key] == before.get(key, 0) + 1
    waited = "lakeui_task_wait_seconds_sum", kind
    assert after[waited] >= before.get(waited, 0) + 7
    assert after.get(("lakeui_tasks", frozenset({"kind": "sql", "state": "queued"}.items())), 0) == 0


@pytest.mark.usefixtures("no_worker", "transactional_db")
def test_requests_in_merge_queues_are_counted() -> None:
    lake = ReviewLake()
    assert value("lakeui_merge_queue_requests") == 0
    lake.open()
    assert lake.post("alice", "1/queue/").status_code == 200
    assert value("lakeui_merge_queue_requests") == 1


def test_strangers_and_plain_users_from_elsewhere_are_refused(alice: Caller) -> None:
    problem(Client().get("/metrics", **ELSEWHERE), 401, "UNAUTHENTICATED")  # type: ignore[arg-type]
    refused: Any = Client().get("/metrics", headers=alice.headers, **ELSEWHERE)  # type: ignore[arg-type]
    problem(refused, 403, "PERMISSION_DENIED")


def test_staff_may_ask_from_anywhere(alice: Caller) -> None:
    alice.user.is_staff = True
    alice.user.save()
    response = Client().get("/metrics", headers=alice.headers, **ELSEWHERE)  # type: ignore[arg-type]
    assert response.status_code == 200


@pytest.mark.django_db
def test_a_proxy_on_this_machine_is_no_pass(settings: Any) -> None:
    forwarded = {"headers": {"X-Forwarded-For": "192.0.2.7"}}
    problem(Client().get("/metrics", **forwarded), 401, "UNAUTHENTICATED")  # type: ignore[arg-type]
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    problem(Client().get("/metrics"), 401, "UNAUTHENTICATED")


@pytest.mark.django_db
def test_prepare_removes_counters_of_earlier_processes(monkeypatch: Any, tmp_path: Path) -> None:
    left = tmp_path / "metrics" / "counter_1.db"
    left.parent.mkdir()
    left.touch()
    monkeypatch.setitem(settings.LAKEUI, "METRICS", str(left.parent))
    monkeypatch.setattr("lakeui.runtime.management.commands.prepare.call_command", lambda *_, **__: None)
    call_command("prepare")
    assert not left.exists()
