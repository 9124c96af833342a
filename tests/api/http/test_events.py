"""Each statement, merge and task leaves one line for machines, whatever becomes of it."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from catalog_app.services.catalogs import catalog_create
from lakeui import frontdoor
from lakeui.access.tokens import token_create
from lakeui.common.errors import EngineError, LakeError, StoreFailed
from lakeui.common.events import FIELDS, event_log
from lakeui.common.instruments import instruments
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.recording import recorded, run_recorded
from lakeui.sql.parse import parse
from merge_app.jobs.context import TaskContext
from merge_app.jobs.models import Task
from merge_app.jobs.request_work import StatementTimeout
from merge_app.jobs.runner import task_run
from merge_app.jobs.services import task_submit

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Any:
    caplog.set_level(logging.INFO, logger="lakeui.events")

    def read(event: str) -> list[dict[str, Any]]:
        records = [record.__dict__ for record in caplog.records if record.name == "lakeui.events"]
        for record in records:
            assert set(FIELDS) <= record.keys()
        return [record for record in records if record["event"] == event]

    return read


@pytest.fixture
def session() -> frontdoor.Session:
    user = User.objects.create_user("erin")
    catalog_create(name="lake", user_id=user.pk)
    return frontdoor.Session(catalog="lake", user=user)


def counted(kind: str, outcome: str) -> float:
    return float(instruments().statements.labels(kind, outcome)._value.get())


def test_a_statement_logs_who_where_what_and_outcome(session: frontdoor.Session, lines: Any) -> None:
    before = counted("create_database", "OK")
    version = frontdoor.execute("CREATE DATABASE d", session).version
    (line,) = lines("statement")
    assert [line[name] for name in ("user", "catalog", "branch", "kind", "version", "outcome")] == [
        *("erin", "lake", "main", "create_database", version, "OK")
    ]
    assert line["milliseconds"] > 0
    assert counted("create_database", "OK") == before + 1


@pytest.mark.parametrize(
    ("text", "kind", "outcome"),
    [
        ("SELEC 1", "unreadable", "SYNTAX_ERROR"),
        ("DROP TABLE d.nowhere", "drop_table", "NOT_FOUND"),
        ("DROP DATABASE nowhere DRY RUN", "drop_database", "NOT_FOUND"),
    ],
)
def test_a_refused_statement_says_the_code(
    session: frontdoor.Session, lines: Any, text: str, kind: str, outcome: str
) -> None:
    with pytest.raises(LakeError):
        frontdoor.execute(text, session)
    (line,) = lines("statement")
    assert (line["kind"], line["outcome"]) == (kind, outcome)
    assert text not in line["msg"] % line["args"]


def test_a_failed_store_is_named_to_the_caller(
    session: frontdoor.Session, lines: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError("When reading 'b/k': AWS Error NETWORK_CONNECTION during HeadObject operation: hidden")

    monkeypatch.setattr("lakeui.frontdoor.dispatch.run", fail)
    with pytest.raises(StoreFailed, match="failed at HeadObject: NETWORK_CONNECTION"):
        frontdoor.execute("CREATE DATABASE d", session)
    assert lines("statement")[0]["outcome"] == "STORE_ERROR"


def test_a_stopped_statement_says_why_it_was_stopped(session: frontdoor.Session, lines: Any) -> None:
    task = Task.objects.create(kind="query")
    context = TaskContext(task.pk)
    with pytest.raises(EngineError), recorded(session, context) as record:  # noqa: PT012 - what is run inside
        record.is_a(parse("SELECT 1"), session)
        context.cancel(StatementTimeout("too long"))
        raise EngineError("interrupted")
    assert lines("statement")[0]["outcome"] == "STATEMENT_TIMEOUT"


def test_written_rows_and_bytes_are_those_logged(session: frontdoor.Session, lines: Any) -> None:
    metrics = {"rows_inserted": 3, "rows_deleted": 2, "bytes_written": 100, "files_added": 1}
    with recorded(session, None) as record:
        record.answers(StatementResult(version=5, metrics=metrics, extra={"merge_id": "m"}))
    (line,) = lines("statement")
    assert (line["rows"], line["bytes"], line["merge_id"], line["version"]) == (5, 100, "m", 5)


def test_a_merge_and_its_task_name_their_version(session: frontdoor.Session, lines: Any) -> None:
    for text in ("CREATE DATABASE d", "CREATE TABLE d.t (a INT)", "CREATE BRANCH dev"):
        frontdoor.execute(text, session)
    dev = frontdoor.Session(catalog="lake", branch="dev", user=session.user)
    frontdoor.execute("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')", dev)
    parameters = {"statement": "MERGE BRANCH dev", "catalog": "lake", "branch": "main", "transaction": None}
    task = task_submit(kind="sql", parameters=parameters, user=session.user)
    task_run(task_id=task.pk, worker="here")
    (merge,) = lines("merge")
    assert (merge["source"], merge["branch"], merge["outcome"], merge["verdict"]) == ("dev", "main", "merged", "ok")
    (line,) = lines("task")
    assert (line["kind"], line["outcome"], line["state"], line["attempt"]) == ("sql", "OK", "succeeded", 1)
    statement = lines("statement")[-1]
    assert statement["kind"] == "merge_branch"
    assert merge["merge_id"] == statement["merge_id"]
    assert merge["version"] == statement["version"] == line["version"]
    assert {merge["user"], statement["user"], line["user"]} == {"erin"}


def test_a_task_that_fails_says_the_code(session: frontdoor.Session, lines: Any) -> None:
    parameters = {"statement": "DROP TABLE d.t", "catalog": "lake", "branch": "main", "transaction": None}
    task_run(task_id=task_submit(kind="sql", parameters=parameters, user=session.user).pk, worker="here")
    assert lines("task")[0]["outcome"] == "NOT_FOUND"


def test_the_line_for_people_has_the_same(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="lakeui.events")
    event_log("statement", user="Erin Doe", catalog="lake", version=None, rows=0)
    assert caplog.messages == ['statement user="Erin Doe" catalog=lake rows=0']


def test_a_pipeline_run_is_named_and_counted(session: frontdoor.Session, lines: Any) -> None:
    counter = instruments().pipeline_runs.labels("schedule", "ENGINE_ERROR")
    before = counter._value.get()
    with pytest.raises(EngineError), run_recorded(session, None, pipeline="daily", trigger="schedule"):
        raise EngineError("no")
    (line,) = lines("run")
    assert (line["pipeline"], line["kind"], line["catalog"]) == ("daily", "schedule", "lake")
    assert counter._value.get() == before + 1


@pytest.mark.parametrize(
    ("who", "sent", "kind", "outcome"),
    [
        ("erin", {"statement": "SELEC 1"}, "unreadable", "SYNTAX_ERROR"),
        ("erin", {"statement": "SELECT repeat('x', 2000000000)"}, "unreadable", "INVALID_VALUE"),
        ("erin", {"statement": "SELECT 1", "parameters": 7}, "unreadable", "INVALID_VALUE"),
        ("zoe", {"statement": "SELECT 1"}, "select", "PERMISSION_DENIED"),
        ("zoe", {"statement": "INSERT INTO d.t VALUES (1)"}, "insert", "NOT_FOUND"),
        ("erin", {"statement": "DROP TABLE d.nowhere"}, "drop_table", "NOT_FOUND"),
    ],
)
def test_statements_refused_before_running_are_logged_too(
    session: frontdoor.Session, lines: Any, who: str, sent: dict[str, Any], kind: str, outcome: str
) -> None:
    user, _ = User.objects.get_or_create(username=who)
    token = token_create(user=user, name="events")[1]
    client = Client(headers={"Authorization": f"Bearer {token}"})
    before = counted(kind, outcome)
    catalog = "lake" if who == "erin" or kind == "insert" else None
    body = {"catalog": catalog, "branch": "main", **sent}
    answer = client.post("/api/v1/sql/", body, content_type="application/json")
    assert answer.json()["code"] == outcome
    (line,) = lines("statement")
    assert [line[name] for name in ("user", "catalog", "kind", "outcome")] == [who, catalog, kind, outcome]
    assert counted(kind, outcome) == before + 1
