"""Statements, merges, tasks and runs of pipelines are spans for OpenTelemetry, where it is switched on."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from catalog_app.services.catalogs import catalog_create
from lakeui import frontdoor
from lakeui.common import traces
from lakeui.common.errors import EngineError, InvalidValue, NotFound
from lakeui.common.logs import logged_as
from lakeui.frontdoor.recording import run_recorded
from merge_app.jobs.runner import task_run
from merge_app.jobs.services import task_submit

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def exporter(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    settings.LAKEUI = {**settings.LAKEUI, "TRACES": True}
    kept = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(kept))
    monkeypatch.setattr(traces, "tracer", lambda: provider.get_tracer("lakeui"))
    yield kept
    provider.shutdown()


@pytest.fixture
def session(transactional_db: None) -> frontdoor.Session:
    user = User.objects.create_user("erin")
    catalog_create(name="lake", user_id=user.pk)
    return frontdoor.Session(catalog="lake", user=user)


def said(span: ReadableSpan, *names: str) -> list[Any]:
    return [(span.attributes or {}).get(f"lakeui.{name}") for name in names]


def named(exporter: InMemorySpanExporter, name: str) -> list[ReadableSpan]:
    return [span for span in exporter.get_finished_spans() if span.name == name]


def test_task_holds_statement_and_statement_holds_merge(
    session: frontdoor.Session, exporter: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("merge_app.jobs.tasks.run_task.apply_async", lambda *_, **__: None)
    for text in ("CREATE DATABASE d", "CREATE TABLE d.t (a INT)", "CREATE BRANCH dev"):
        frontdoor.execute(text, session)
    dev = frontdoor.Session(catalog="lake", branch="dev", user=session.user)
    frontdoor.execute("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')", dev)
    exporter.clear()
    parameters = {"statement": "MERGE BRANCH dev", "catalog": "lake", "branch": "main", "transaction": None}
    with logged_as(request_id="asked"):
        task = task_submit(kind="sql", parameters=parameters, user=session.user)
    task_run(task_id=task.pk, worker="here")
    merge, statement, whole = exporter.get_finished_spans()
    assert [span.name for span in (merge, statement, whole)] == ["merge", "statement", "task"]
    assert (merge.parent, statement.parent, whole.parent) == (statement.context, whole.context, None)
    version = said(whole, "version")
    assert said(merge, "version") == said(statement, "version") == version != [None]
    assert said(whole, "kind", "user", "catalog", "outcome", "state") == ["sql", "erin", "lake", "OK", "succeeded"]
    assert said(statement, "kind", "user", "branch", "outcome") == ["merge_branch", "erin", "main", "OK"]
    for span in (merge, statement, whole):
        assert said(span, "request_id", "task_id") == ["asked", str(task.pk)]
        assert span.status.status_code is not StatusCode.ERROR


def test_a_refusal_shows_its_code_not_its_text(session: frontdoor.Session, exporter: InMemorySpanExporter) -> None:
    with pytest.raises(NotFound):
        frontdoor.execute("DROP TABLE d.secret", session)
    (span,) = named(exporter, "statement")
    assert said(span, "kind", "outcome") == ["drop_table", "NOT_FOUND"]
    assert (span.status.status_code, span.status.description) == (StatusCode.ERROR, "NOT_FOUND")
    assert "secret" not in span.to_json()


def test_the_run_of_a_pipeline_is_a_span(session: frontdoor.Session, exporter: InMemorySpanExporter) -> None:
    with pytest.raises(EngineError), run_recorded(session, None, pipeline="daily", trigger="schedule"):
        raise EngineError("no")
    (span,) = named(exporter, "run")
    assert said(span, "pipeline", "kind", "outcome") == ["daily", "schedule", "ENGINE_ERROR"]


def test_spans_exist_only_when_switched_on(
    session: frontdoor.Session, exporter: InMemorySpanExporter, settings: Any
) -> None:
    settings.LAKEUI = {**settings.LAKEUI, "TRACES": False}
    frontdoor.execute("CREATE DATABASE d", session)
    assert exporter.get_finished_spans() == ()


def test_spans_arrive_at_a_collector(
    settings: Any, monkeypatch: pytest.MonkeyPatch, session: frontdoor.Session
) -> None:
    received: list[tuple[str, bytes]] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
    settings.LAKEUI = {**settings.LAKEUI, "TRACES": True}
    traces._provider.cache_clear()
    try:
        frontdoor.execute("CREATE DATABASE d", session)
        traces.traces_flush()
        traces._provider().shutdown()
    finally:
        traces._provider.cache_clear()
        server.shutdown()
        server.server_close()
    ((path, body),) = received
    assert path == "/v1/traces"
    assert all(text in body for text in (b"statement", b"create_database", b"service.name", b"lakeui.outcome"))


def test_a_server_with_traces_needs_their_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traces, "_PACKAGES", ("opentelemetry.sdk", "opentelemetry.nowhere"))
    with pytest.raises(InvalidValue, match=r"LAKEUI_TRACES is on, but opentelemetry\.nowhere is not installed"):
        traces.traces_require()
    monkeypatch.setattr(traces, "_PACKAGES", ("nowhere.sdk",))
    with pytest.raises(InvalidValue, match="is not installed"):
        traces.traces_require()


def test_a_process_without_traces_loads_no_tracing_packages() -> None:
    """The client of Redis loads what counts, where it is installed."""
    script = (
        "import django, sys; django.setup(); import lakeui.celery, lakeui.urls, lakeui.frontdoor.dispatch;"
        " assert not {'opentelemetry.sdk.trace', 'opentelemetry.exporter'} & sys.modules.keys()"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "lakeui.settings", "LAKEUI_TRACES": ""}
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=environment, check=True)


def test_the_extra_and_dev_requirements_pin_same_versions() -> None:
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["traces"]
    assert set(extra) <= set((ROOT / "requirements-dev.txt").read_text().splitlines())
