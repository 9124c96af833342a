"""A reload of the web server serves the version that is installed then, and refuses no one meanwhile."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lakeui.runtime.processes import log_tail, process_record, process_start, process_stop

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 90
NEXT = "of the next version"
CHANGES = {
    "lakeui/runtime/variables.py": (
        "    oidc_name: Text",
        f'    greeting: Text = _variable("LAKEUI_TEST_GREETING", "{NEXT}", "It is new.")\n    oidc_name: Text',
    ),
    "lakeui/settings.py": ('    "OIDC_NAME"', '    "GREETING": VARIABLES.greeting,\n    "OIDC_NAME"'),
    "lakeui/api/http/health.py": (
        'return JsonResponse({"status": "ok"})',
        'return JsonResponse({"status": settings.LAKEUI["GREETING"]})',
    ),
}
"""By file what the next version says there: a module that the first process once kept, and two that use it."""


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A copy of the program, which an upgrade may change. Modules that do not change stay compiled."""
    folder = tmp_path / "installed"
    for package in ("lakeui", "catalog_app", "merge_app"):
        shutil.copytree(ROOT / package, folder / package)
    return folder


@pytest.fixture
def server(installed: Path, tmp_path: Path) -> Iterator[tuple[int, int, Path]]:
    """Port, first process and log of a server that runs that copy."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    log = tmp_path / "web.log"
    environment = {
        **os.environ,
        "LAKEUI_HOME": str(tmp_path / "home"),
        "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none",
        "REDIS_URL": "redis://127.0.0.1:1/0",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, "-m", "gunicorn", "--config=python:lakeui.runtime.web_options"]
    command += [f"--bind=127.0.0.1:{port}", "lakeui.wsgi:application"]
    process = process_start(command, log=log, env=environment, cwd=installed)
    try:
        _await(lambda: "ok" in _answer(port), log)
        yield port, process.pid, log
    finally:
        process_stop(process_record("web", process.pid), patience_seconds=10)
        process.wait()


def _answer(port: int) -> str:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=20) as answer:
            return str(answer.read().decode())
    except OSError:
        return ""


def _await(condition: Callable[[], bool], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, log_tail(log)
        # Another process: only an answer says what it loaded.
        time.sleep(0.1)


def test_reload_serves_new_settings_and_refuses_no_request(installed: Path, server: tuple[int, int, Path]) -> None:
    port, first, log = server
    for name, (old, new) in CHANGES.items():
        text = (installed / name).read_text()
        assert text.count(old) == 1, name
        (installed / name).write_text(text.replace(old, new))
    answers = {_answer(port)}
    os.kill(first, signal.SIGHUP)

    def is_new() -> bool:
        answers.add(_answer(port))
        return any(NEXT in answer for answer in answers)

    _await(is_new, log)
    # Old processes end meanwhile, which only answers over some time show: no one may be refused.
    for _ in range(60):
        answers.add(_answer(port))
        time.sleep(0.1)
    assert "" not in answers, log_tail(log)
    assert NEXT in _answer(port)
