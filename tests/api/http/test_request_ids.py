"""The log tells requests apart, and the tasks that they began."""

from __future__ import annotations

import io
import json
import logging
import logging.config

import pytest

from lakeui.common.logs import log_settings, logged_as
from merge_app.jobs.models import Task
from tests.api.conftest import Caller, FakeDoor


@pytest.fixture
def requests_log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, logger="lakeui.requests")
    return caplog


def test_an_answer_names_its_request(alice: Caller) -> None:
    first, second = (alice.get("/api/v1/catalogs/")["X-Request-ID"] for _ in range(2))
    assert len(first) == 32
    assert first != second


def test_a_proxy_may_name_the_request(alice: Caller) -> None:
    assert alice.get("/api/v1/catalogs/", X_Request_ID="edge-1.2_3")["X-Request-ID"] == "edge-1.2_3"


@pytest.mark.parametrize("name", ["two words", "a" * 65, "line%0abreak", '{"json": 1}', ""])
def test_request_ids_that_could_spoil_logs_are_replaced(alice: Caller, name: str) -> None:
    answered = alice.get("/api/v1/catalogs/", X_Request_ID=name)["X-Request-ID"]
    assert answered != name
    assert len(answered) == 32


def test_a_request_leaves_one_line_without_its_query(alice: Caller, requests_log: pytest.LogCaptureFixture) -> None:
    alice.get("/api/v1/tasks/?search=my-secret")
    (line,) = [record for record in requests_log.records if record.name == "lakeui.requests"]
    assert (line.method, line.path, line.status) == ("GET", "/api/v1/tasks/", 200)  # type: ignore[attr-defined]
    assert "my-secret" not in requests_log.text


def test_a_failed_request_leaves_its_line_too(alice: Caller, requests_log: pytest.LogCaptureFixture) -> None:
    alice.get("/api/v1/nowhere/")
    assert [record.status for record in requests_log.records if record.name == "lakeui.requests"] == [404]  # type: ignore[attr-defined]


def test_health_checks_leave_none(alice: Caller, requests_log: pytest.LogCaptureFixture) -> None:
    alice.get("/healthz")
    assert not [record for record in requests_log.records if record.name == "lakeui.requests"]


def test_a_task_keeps_the_id_of_its_request(alice: Caller, door: FakeDoor) -> None:
    answered = alice.sql("TASK", Prefer="wait=0", X_Request_ID="who-asked")
    assert answered.status_code == 202, answered.content
    assert Task.objects.get(pk=answered.json()["id"]).request_id == "who-asked"


def test_lines_for_machines_name_request_and_task(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = _logged(as_json=True)
    assert [set(line) >= {"timestamp", "level", "logger", "message"} for line in map(json.loads, lines)] == [True, True]
    inside, outside = map(json.loads, lines)
    assert (inside["request_id"], inside["task_id"], inside["kind"]) == ("r1", "t1", "statement")
    assert (outside["request_id"], outside["task_id"]) == (None, None)


def test_lines_for_people_say_it_at_the_end() -> None:
    inside, outside = _logged(as_json=False)
    assert inside.endswith("it ended [request=r1 task=t1]")
    assert outside.endswith("idle")


def _logged(*, as_json: bool) -> list[str]:
    """What two lines look like, one of a task and one without a person."""
    settings = log_settings(level="INFO", as_json=as_json)
    formatters, filters = settings["formatters"], settings["filters"]
    written = io.StringIO()
    name = settings["handlers"]["stderr"]["formatter"]
    handler = {"class": "logging.StreamHandler", "stream": written, "formatter": name, "filters": ["belonging"]}
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "incremental": False,
            "formatters": formatters,
            "filters": filters,
            "handlers": {"here": handler},
            "loggers": {"tests.lines": {"handlers": ["here"], "level": "INFO", "propagate": False}},
        }
    )
    logger = logging.getLogger("tests.lines")
    with logged_as(request_id="r1", task_id="t1"):
        logger.info("it ended", extra={"kind": "statement"})
    logger.info("idle")
    return written.getvalue().splitlines()
