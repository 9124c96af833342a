"""A real worker process on the tests' own database and broker."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

import tests.jobs.kinds  # noqa: F401
from lakeui.common.broker import redis_client

ROOT = Path(__file__).resolve().parents[2]
Worker = subprocess.Popen[bytes]


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


@pytest.fixture
def start_worker(transactional_db: None, tmp_path: Path) -> Iterator[Callable[[], Worker]]:
    """Starts workers of two processes each, and kills the rest of them when the test ends."""
    workers: list[Worker] = []
    log = (tmp_path / "worker.log").open("wb")

    def start() -> Worker:
        known = len(seen())
        command = [sys.executable, "-m", "celery", "-A", "lakeui", "worker", "--loglevel=INFO", "--concurrency=2"]
        command += ["--include=tests.jobs.kinds", f"--hostname=test{len(workers)}@%h", "--without-gossip"]
        environment = {**os.environ, "DATABASE_URL": database_url(), "REDIS_URL": settings.LAKEUI["REDIS_URL"]}
        workers.append(
            subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True)
        )
        deadline = time.monotonic() + 60
        while len(seen()) <= known:
            waiting = workers[-1].poll() is None and time.monotonic() < deadline
            assert waiting, (tmp_path / "worker.log").read_text()
            time.sleep(0.05)
        return workers[-1]

    yield start
    for worker in workers:
        kill(worker)
    log.close()


def seen() -> list[bytes]:
    return redis_client().zrange("lakeui:workers", 0, -1)


def kill(worker: Worker) -> None:
    """SIGKILL to the worker and its children: nobody can clean up."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(worker.pid, signal.SIGKILL)
    worker.wait(timeout=10)
