"""``/api/v1/statements/``: each statement that a person ran is kept for that person alone."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO
from typing import Any
from unittest import mock
from uuid import UUID

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import DatabaseError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from catalog_app.domain.roles import Scope
from catalog_app.services.files import addresses_allocate
from lakeui.access.tokens import token_create
from lakeui.api.management.commands import sql as sql_command
from lakeui.frontdoor import compute
from merge_app.jobs.models import Task, TaskState
from merge_app.jobs.reaper import STALE_AFTER, tasks_reap
from merge_app.jobs.runner import task_run
from merge_app.jobs.services import MOST_ATTEMPTS
from merge_app.queries import history
from merge_app.queries.models import KeptStatement
from tests.api.sql.test_statements import problem
from tests.pipelines.strategies.duck_engine import DuckMemoryEngine
from tests.review.conftest import ReviewLake, lake, no_worker
from tests.stories.conftest import database, stored

__all__ = ["database", "lake", "no_worker", "stored"]
pytestmark = pytest.mark.usefixtures("no_worker", "engine")
AT = "/api/v1/statements/"


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> None:
    made = DuckMemoryEngine(addresses_allocate)
    monkeypatch.setattr(compute, "engine_make", lambda: made)


def sql(lake: ReviewLake, text: str, by: str = "alice", headers: Any = None, **body: Any) -> Any:
    given = {"catalog": lake.catalog, "branch": "main", "statement": text, **body}
    return lake.people[by].post("/api/v1/sql/", given, **(headers or {}))


def kept(lake: ReviewLake, by: str = "alice", query: str = "") -> list[Any]:
    response = lake.people[by].get(AT + query)
    assert response.status_code == 200, response.content
    found: list[Any] = response.json()["results"]
    return found


def texts(lake: ReviewLake, by: str = "alice", query: str = "") -> list[str]:
    return [entry["text"] for entry in kept(lake, by, query)]


def delete(lake: ReviewLake, path: str = "", by: str = "alice") -> Any:
    return lake.people[by].client.delete(AT + path, headers=lake.people[by].headers)


def queued(lake: ReviewLake, text: str = "INSERT INTO d.t VALUES (1)") -> Task:
    """The task of a statement that no worker took yet."""
    response = sql(lake, text, headers={"Prefer": "respond-async"})
    assert response.status_code == 202, response.content
    return Task.objects.get(pk=response.json()["id"])


def test_a_statement_is_kept_with_its_outcome(lake: ReviewLake) -> None:
    assert sql(lake, "SHOW TABLES").status_code == 200
    problem(sql(lake, "SELECT * FROM d.nothing", branch="b"), 404, "NOT_FOUND")
    problem(sql(lake, "SELEKT 1"), 400, "SYNTAX_ERROR")
    problem(sql(lake, "DROP CATALOG x", catalog=None), 404, "NOT_FOUND")
    unknown, unread, failed, done = kept(lake)
    assert (done["text"], done["catalog"], done["branch"], done["outcome"]) == (
        "SHOW TABLES",
        lake.catalog,
        "main",
        "OK",
    )
    assert (done["row_count"], done["task"], done["is_cut"]) == (1, None, False)
    assert done["milliseconds"] >= 0
    assert (failed["branch"], failed["outcome"], failed["row_count"]) == ("b", "NOT_FOUND", None)
    assert (unread["text"], unread["outcome"]) == ("SELEKT 1", "SYNTAX_ERROR")
    assert (unknown["catalog"], unknown["outcome"]) == (None, "NOT_FOUND")
    assert lake.people["alice"].get(f"{AT}{done['id']}/").json() == done


def test_no_other_person_sees_it(lake: ReviewLake) -> None:
    sql(lake, "SHOW TABLES")
    (entry,) = kept(lake)
    User.objects.filter(username="dora").update(is_superuser=True, is_staff=True)
    for name in ("dora", "bob", "mallory"):
        assert kept(lake, name) == []
        problem(lake.people[name].get(f"{AT}{entry['id']}/"), 404, "NOT_FOUND")
        problem(delete(lake, f"{entry['id']}/", name), 404, "NOT_FOUND")
        assert delete(lake, by=name).status_code == 204
    assert kept(lake) == [entry]
    assert lake.people["alice"].client.get(AT).status_code == 401


def test_values_of_markers_and_secrets_are_not_kept(lake: ReviewLake) -> None:
    assert sql(lake, "SELECT :v AS v", parameters={"v": "hush"}).status_code == 200
    sql(lake, "SELECT 'hush' AS password")
    sql(lake, "ALTER TABLE d.t SET TBLPROPERTIES ('token' = 'hush')")
    assert texts(lake) == ["SELECT :v AS v"]
    rows = json.dumps(list(KeptStatement.objects.values()), default=str)
    assert "hush" not in rows


def test_a_task_has_its_outcome_when_it_ends(lake: ReviewLake) -> None:
    task = queued(lake)
    (waits,) = kept(lake)
    assert (waits["task"], waits["outcome"], waits["milliseconds"]) == (str(task.pk), None, None)
    task_run(task_id=task.pk, worker="here")
    (done,) = kept(lake)
    assert (done["outcome"], done["row_count"]) == ("OK", 1)
    assert done["version"] == lake.branch("main").head_version
    assert done["milliseconds"] >= 0


def test_a_failed_cancelled_or_lost_task_says_so(lake: ReviewLake) -> None:
    failing = queued(lake, "INSERT INTO d.t VALUES (2)")
    lake.write("DROP TABLE d.t", "dora")
    task_run(task_id=failing.pk, worker="here")
    cancelled, lost = queued(lake, "MERGE BRANCH b"), queued(lake, "MERGE BRANCH b TO main")
    assert lake.people["alice"].post(f"/api/v1/tasks/{cancelled.pk}/cancel/").status_code == 200
    silent = timezone.now() - 2 * STALE_AFTER
    Task.objects.filter(pk=lost.pk).update(
        state=TaskState.RUNNING, attempts=MOST_ATTEMPTS, claim=UUID(int=1), heartbeat_at=silent
    )
    tasks_reap()
    assert [entry["outcome"] for entry in kept(lake)] == ["TASK_LOST", "TASK_CANCELLED", "NOT_FOUND"]


def test_refused_tasks_are_kept_and_repeated_keys_once(lake: ReviewLake) -> None:
    problem(sql(lake, "DROP TABLE d.t", by="victor", headers={"Idempotency-Key": "k"}), 403, "PERMISSION_DENIED")
    assert [entry["outcome"] for entry in kept(lake, "victor")] == ["PERMISSION_DENIED"]
    for _ in range(2):
        headers = {"Idempotency-Key": "k", "Prefer": "respond-async"}
        assert sql(lake, "INSERT INTO d.t VALUES (1)", headers=headers).status_code == 202
    assert texts(lake) == ["INSERT INTO d.t VALUES (1)"]


def test_scripts_results_and_downloads_are_kept(lake: ReviewLake) -> None:
    alice = lake.people["alice"]
    place = {"catalog": lake.catalog, "branch": "main"}
    asynchronous = {"Prefer": "respond-async"}
    script = alice.post("/api/v1/sql/script/", {**place, "script": "SHOW TABLES; SHOW TAGS"}, **asynchronous).json()
    task_run(task_id=UUID(script["id"]), worker="here")
    assert alice.post("/api/v1/results/", {**place, "statement": "SELECT 2 AS a"}, **asynchronous).status_code == 202
    problem(alice.post("/api/v1/results/", {**place, "statement": "SHOW TABLES"}), 400, "INVALID_VALUE")
    problem(alice.post("/api/v1/sql/", {**place, "statement": "SHOW TAGS"}, Accept="text/csv"), 400, "INVALID_VALUE")
    found = [(entry["text"], entry["outcome"]) for entry in kept(lake)]
    assert found == [
        ("SHOW TAGS", "INVALID_VALUE"),
        ("SHOW TABLES", "INVALID_VALUE"),
        ("SELECT 2 AS a", None),
        ("SHOW TABLES; SHOW TAGS", "OK"),
    ]


def test_the_command_keeps_what_its_user_writes(lake: ReviewLake) -> None:
    with mock.patch.object(sql_command.Command, "_follow", lambda self, task_id: Task.objects.get(pk=task_id)):
        for given in (["SHOW TABLES"], ["-b", "b", "SHOW TAGS"]):
            call_command("sql", "-c", lake.catalog, "--user", "alice", *given, stdout=StringIO(), stderr=StringIO())
        call_command("sql", "-c", lake.catalog, "SHOW DATABASES", stdout=StringIO(), stderr=StringIO())
    assert [(entry["text"], entry["branch"]) for entry in kept(lake)] == [("SHOW TAGS", "b"), ("SHOW TABLES", "main")]
    command = sql_command.Command(stdout=StringIO(), stderr=StringIO())
    session = {"catalog": lake.catalog, "branch": "main", "transaction": None}
    command._do({**session, "statement": "SHOW DATABASES"}, user=lake.people["alice"].user, is_typed=False)
    assert len(kept(lake)) == 2


def test_statements_of_pages_and_tools_are_not_kept(lake: ReviewLake) -> None:
    assert lake.people["alice"].post(f"{lake.address}branches/", {"name": "own", "parent": "main"}).status_code == 201
    assert kept(lake) == []


def test_it_is_filtered_by_place_outcome_and_text(lake: ReviewLake) -> None:
    sql(lake, "SHOW TABLES")
    sql(lake, "SHOW TAGS", branch="b")
    sql(lake, "DESCRIBE TABLE d.nothing")
    assert texts(lake, query=f"?catalog={lake.catalog.upper()}&branch=B") == ["SHOW TAGS"]
    assert texts(lake, query="?catalog=other") == []
    assert texts(lake, query="?outcome=not_found") == ["DESCRIBE TABLE d.nothing"]
    assert texts(lake, query="?outcome=OK&search=table") == ["SHOW TABLES"]
    page = lake.people["alice"].get(f"{AT}?limit=2").json()
    assert [entry["text"] for entry in lake.people["alice"].get(page["next"]).json()["results"]] == ["SHOW TABLES"]
    refused = problem(lake.people["alice"].get(f"{AT}?branc=b"), 400, "INVALID_VALUE")
    assert refused["nearest"] == "branch"


def test_one_or_all_are_deleted(lake: ReviewLake) -> None:
    for text in ("SHOW TABLES", "SHOW TAGS", "SHOW BRANCHES"):
        sql(lake, text)
    sql(lake, "SHOW TAGS", by="bob")
    assert delete(lake, f"{kept(lake)[0]['id']}/").status_code == 204
    assert texts(lake) == ["SHOW TAGS", "SHOW TABLES"]
    assert delete(lake, "?search=tags").status_code == 204
    assert texts(lake) == ["SHOW TABLES"]
    assert delete(lake).status_code == 204
    assert (texts(lake), texts(lake, "bob")) == ([], ["SHOW TAGS"])
    assert delete(lake).status_code == 204


def test_a_token_that_only_reads_deletes_nothing(lake: ReviewLake) -> None:
    sql(lake, "SHOW TABLES")
    alice = lake.people["alice"]
    secret = token_create(user=alice.user, name="reads", scopes=frozenset({Scope.READ}))[1]
    for path in ("", f"{kept(lake)[0]['id']}/"):
        refused = alice.client.delete(AT + path, headers={"Authorization": f"Bearer {secret}"})
        problem(refused, 403, "PERMISSION_DENIED")
    assert texts(lake) == ["SHOW TABLES"]


def test_a_deleted_statement_leaves_its_task_alone(lake: ReviewLake) -> None:
    task = queued(lake)
    delete(lake)
    task_run(task_id=task.pk, worker="here")
    assert (Task.objects.get(pk=task.pk).state, kept(lake)) == (TaskState.SUCCEEDED, [])


def test_long_texts_are_cut_and_zero_keeps_none(lake: ReviewLake, monkeypatch: pytest.MonkeyPatch) -> None:
    sql(lake, f"SELECT '{'x' * history.LONGEST_TEXT}' AS a")
    (entry,) = kept(lake)
    assert (len(entry["text"]), entry["is_cut"]) == (history.LONGEST_TEXT, True)
    monkeypatch.setitem(settings.LAKEUI, "STATEMENTS_KEPT", 0)
    sql(lake, "SHOW TABLES")
    queued(lake)
    assert len(kept(lake)) == 1


def test_a_statement_runs_though_it_cannot_be_kept(lake: ReviewLake) -> None:
    with mock.patch("lakeui.frontdoor.keeping.statement_add", side_effect=DatabaseError("away")):
        assert sql(lake, "SHOW TABLES").status_code == 200
    assert kept(lake) == []


def test_it_takes_one_statement_of_the_database(lake: ReviewLake, monkeypatch: pytest.MonkeyPatch) -> None:
    def cost() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert sql(lake, "SHOW TABLES").status_code == 200
        return len(captured)

    cost()
    with_history = cost()
    monkeypatch.setitem(settings.LAKEUI, "STATEMENTS_KEPT", 0)
    assert with_history == cost() + 1


def test_old_ones_and_too_many_go_at_night(lake: ReviewLake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(settings.LAKEUI, "STATEMENTS_KEPT", 2)
    monkeypatch.setattr(history, "BATCH", 1)
    now = timezone.now()
    for name, days in (("alice", 31), ("alice", 3), ("alice", 2), ("alice", 1), ("bob", 29), ("bob", 30.5)):
        owner = lake.people[name].user
        at = now - timedelta(days=days)
        KeptStatement.objects.create(owner=owner, branch="main", text=f"{days}", outcome="OK", created_at=at)
    assert history.statements_tidy(now) == 3
    assert (texts(lake), texts(lake, "bob")) == (["1", "2"], ["29"])
