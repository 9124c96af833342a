"""A server that gets messages, on loopback, which these tests allow."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from django.conf import settings

from tests.api.conftest import no_worker
from tests.review.conftest import ReviewLake, database, lake, stored

__all__ = ["database", "lake", "no_worker", "stored"]


@dataclass
class Listener:
    """What came in, and what is answered: the next of ``answers``, 200 when none is left."""

    url: str = ""
    answers: list[int] = field(default_factory=list)
    received: list[tuple[dict[str, str], bytes]] = field(default_factory=list)


@pytest.fixture
def listener() -> Iterator[Listener]:
    listening = Listener()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            listening.received.append(({name.lower(): value for name, value in self.headers.items()}, body))
            status = listening.answers.pop(0) if listening.answers else 200
            self.send_response(status)
            self.send_header("Location", f"{listening.url}/elsewhere")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Says nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    listening.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield listening
    server.shutdown()
    thread.join(timeout=5)
    server.server_close()


@pytest.fixture
def loopback_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(settings.LAKEUI, "WEBHOOK_NETWORKS", "127.0.0.0/8")


@pytest.fixture(autouse=True)
def unheard(monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker gets a signal; messages are sent when a test says so."""
    monkeypatch.setattr("merge_app.webhooks.tasks.deliver_webhook.apply_async", lambda *_, **__: None)


def add(lake: ReviewLake, url: str, *events: str, by: str = "dora", **more: str) -> Any:
    """The answer to adding a webhook."""
    body = {"url": url, "events": list(events) or ["merge_request"], **more}
    return lake.people[by].post(f"{lake.address}webhooks/", body)
