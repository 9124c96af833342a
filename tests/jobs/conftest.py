"""A real worker process on the tests' own database and broker."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

import tests.jobs.kinds  # noqa: F401
from lakeui.common.broker import redis_client
from merge_app.jobs.presence import workers_present
from tests.support.process_copies import COPIES, Copy


@pytest.fixture(autouse=True)
def empty_broker() -> None:
    redis_client().delete("celery", "lakeui:workers")


def database_url() -> str:
    """The address of the database that this test uses."""
    chosen = connection.settings_dict
    account = chosen["USER"] + (f":{chosen['PASSWORD']}" if chosen.get("PASSWORD") else "")
    host, port = chosen["HOST"] or "", chosen["PORT"] or ""
    if str(host).startswith("/"):
        return f"postgresql://{account}@/{chosen['NAME']}?host={host}&port={port}"
    return f"postgresql://{account}@{host}:{port}/{chosen['NAME']}"


class Workers:
    """One worker of two processes at a time, kept from test to test."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._started = 0
        self._running: Copy | None = None

    def one(self) -> None:
        """Start a worker unless one runs."""
        if self._running is not None:
            return
        self._started += 1
        environment = {**os.environ, "DATABASE_URL": database_url(), "REDIS_URL": settings.LAKEUI["REDIS_URL"]}
        name = f"--hostname=test{self._started}@%h"
        self._running = COPIES.celery("tests.jobs.kinds", name, environment=environment, log=self._log)
        deadline = time.monotonic() + 60
        while not any(name.startswith(f"test{self._started}@") for name in workers_present()):
            waiting = self._running.poll() is None and time.monotonic() < deadline
            assert waiting, self._log.read_text()
            time.sleep(0.05)

    def kill(self) -> None:
        """SIGKILL to the worker and its children: no one can clean up."""
        if self._running is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._running.pid, signal.SIGKILL)
        self._running.wait(timeout=10)
        self._running = None


@pytest.fixture(scope="module")
def workers(test_database: None, redis_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    kept = Workers(tmp_path_factory.mktemp("workers") / "worker.log")
    yield kept
    kept.kill()
