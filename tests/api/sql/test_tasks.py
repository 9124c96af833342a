"""``/api/v1/tasks/``: list, look, wait, cancel."""

from __future__ import annotations

import threading
import time
from datetime import timedelta
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from catalog_app.services.catalogs import catalog_create
from merge_app.jobs.models import Task
from merge_app.jobs.runner import task_run
from merge_app.jobs.services import task_submit
from tests.api.conftest import Caller, FakeDoor
from tests.api.sql.test_statements import problem

pytestmark = pytest.mark.usefixtures("no_worker")

TASKS = "/api/v1/tasks/"


def submit(statement: str, caller: Caller) -> UUID:
    parameters = {"statement": statement, "catalog": "demo", "branch": "main", "transaction": None}
    return task_submit(kind="sql", parameters=parameters, user=caller.user).pk


def finished(statement: str, caller: Caller) -> UUID:
    task_id = submit(statement, caller)
    task_run(task_id=task_id, worker="here")
    return task_id


def test_the_list_is_paged_newest_first_without_gaps(alice: Caller) -> None:
    ids = [str(submit(f"TASK {number}", alice)) for number in range(7)]
    # All at one instant: pages must not repeat or lose an entry even then.
    Task.objects.update(created_at=timezone.now())
    seen: list[str] = []
    address: str | None = f"{TASKS}?limit=3"
    while address:
        page = alice.get(address).json()
        assert len(page["results"]) <= 3
        seen += [entry["id"] for entry in page["results"]]
        address = page["next"]
    assert sorted(seen) == sorted(ids)


def test_the_list_can_be_turned_round(alice: Caller) -> None:
    ids = [str(submit(f"TASK {number}", alice)) for number in range(3)]
    assert [entry["id"] for entry in alice.get(TASKS).json()["results"]] == ids[::-1]
    assert [entry["id"] for entry in alice.get(f"{TASKS}?order=created_at").json()["results"]] == ids


def test_the_list_is_filtered(alice: Caller, bob: Caller, door: FakeDoor) -> None:
    User.objects.filter(pk=alice.user.pk).update(is_superuser=True)
    done = finished("TASK merge of spring", alice)
    queued = submit("TASK other", bob)

    def found(query: str) -> list[str]:
        return [entry["id"] for entry in alice.get(f"{TASKS}?{query}").json()["results"]]

    assert found("state=succeeded") == [str(done)]
    assert found("state=queued") == [str(queued)]
    assert found("created_by=bob") == [str(queued)]
    assert found("search=SPRING") == [str(done)]
    Task.objects.filter(pk=queued).update(catalog=catalog_create(name="demo_of_bob", user_id=bob.user.pk))
    assert found("catalog=Demo_of_bob") == [str(queued)]
    assert found("catalog=other") == []
    assert found("kind=sql&state=failed") == []
    assert found("kind=other") == []


@pytest.mark.parametrize("query", ["state=nonsense", "order=result", "cursor=x", "search=%00"])
def test_a_bad_query_is_refused(alice: Caller, query: str) -> None:
    response = alice.get(f"{TASKS}?{query}")
    assert response.status_code in (400, 404)
    problem(response, response.status_code, "INVALID_VALUE" if response.status_code == 400 else "NOT_FOUND")


def test_a_task_shows_its_progress_and_outcome(alice: Caller, door: FakeDoor) -> None:
    task_id = finished("TASK x", alice)
    body = alice.get(f"{TASKS}{task_id}/").json()
    assert (body["id"], body["state"], body["progress"], body["created_by"]) == (
        str(task_id),
        "succeeded",
        1.0,
        "alice",
    )
    assert body["result"]["rows"] == [[1]]
    assert body["error"] is None


def test_an_etag_saves_the_body_until_something_changes(alice: Caller, door: FakeDoor) -> None:
    address = f"{TASKS}{submit('TASK x', alice)}/"
    first = alice.get(address)
    same = alice.get(address, If_None_Match=first["ETag"])
    assert (same.status_code, same.content) == (304, b"")
    assert alice.get(address, If_None_Match=f'"other", W/{first["ETag"]}').status_code == 304
    task_run(task_id=Task.objects.get().pk, worker="here")
    changed = alice.get(address, If_None_Match=first["ETag"])
    assert changed.status_code == 200
    assert changed["ETag"] != first["ETag"]


def test_a_get_can_wait_for_the_end(alice: Caller, door: FakeDoor) -> None:
    task_id = submit("TASK x", alice)

    def later() -> None:
        time.sleep(0.4)
        task_run(task_id=task_id, worker="here")
        connection.close()

    thread = threading.Thread(target=later)
    thread.start()
    response = alice.get(f"{TASKS}{task_id}/", Prefer="wait=20")
    thread.join()
    assert response.json()["state"] == "succeeded"
    assert response["Preference-Applied"] == "wait=20"


def test_reading_a_stale_task_requeues_it(alice: Caller) -> None:
    task_id = submit("TASK x", alice)
    long_ago = timezone.now() - timedelta(minutes=1)
    Task.objects.update(state="running", claim=task_id, heartbeat_at=long_ago, started_at=long_ago, attempts=1)
    assert alice.get(f"{TASKS}{task_id}/").json()["state"] == "queued"


def test_cancelling_a_waiting_task_is_immediate_and_repeatable(alice: Caller) -> None:
    address = f"{TASKS}{submit('TASK x', alice)}/cancel/"
    for _ in range(2):
        response = alice.post(address)
        assert (response.status_code, response.json()["state"]) == (200, "cancelled")


def test_cancelling_a_running_task_is_a_request(alice: Caller) -> None:
    task_id = submit("TASK x", alice)
    Task.objects.update(state="running", claim=task_id, heartbeat_at=timezone.now(), attempts=1)
    response = alice.post(f"{TASKS}{task_id}/cancel/")
    assert (response.status_code, response.json()["cancel_requested"]) == (202, True)


def test_what_is_finished_cannot_be_cancelled(alice: Caller, door: FakeDoor) -> None:
    problem(alice.post(f"{TASKS}{finished('TASK x', alice)}/cancel/"), 409, "TASK_FINISHED")


def test_an_unknown_task_is_a_problem(alice: Caller) -> None:
    unknown = UUID(int=1)
    problem(alice.get(f"{TASKS}{unknown}/"), 404, "NOT_FOUND")
    problem(alice.post(f"{TASKS}{unknown}/cancel/"), 404, "NOT_FOUND")
    problem(alice.get(f"{TASKS}not-an-id/"), 404, "NOT_FOUND")
