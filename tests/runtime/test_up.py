"""``manage.py up`` as a person uses it: start, use, kill, start again, stop."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lakeui.runtime.home import processes_read
from lakeui.runtime.processes import ProcessRecord, is_alive, process_stop
from lakeui.runtime.redis_server import free_port
from lakeui.runtime.web import ready_parts

ROOT = Path(__file__).resolve().parents[2]
READY_SECONDS = 90


class Up:
    """One run of ``up`` in a home of its own, over the Spark server of the tests."""

    def __init__(self, home: Path, port: int, spark: str) -> None:
        self.home, self.port = home, port
        self.output = home.parent / f"output-{time.monotonic_ns()}"
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if name not in ("DATABASE_URL", "REDIS_URL", "LAKEUI_WAREHOUSE", "LAKEUI_ADMIN_PASSWORD")
        } | {"LAKEUI_HOME": str(home), "LAKEUI_PORT": str(port), "LAKEUI_DEMO": "0", "SPARK_REMOTE": spark}
        # Each process of the web server loads all of lakeui; whether there are two is asked elsewhere.
        self.environment |= {"GUNICORN_CMD_ARGS": "--workers=1", "LAKEUI_WORKER_PROCESSES": "1"}
        with self.output.open("wb") as sink:
            self.reader = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=sink)
            assert self.reader.stdin is not None
            command = [sys.executable, "manage.py", "up"]
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=self.environment, stdout=self.reader.stdin, stderr=sink
            )
            self.reader.stdin.close()

    def said(self) -> str:
        return self.output.read_text()

    def wait_until_ready(self) -> list[ProcessRecord]:
        deadline = time.monotonic() + READY_SECONDS
        while "lakeui is ready" not in self.said():
            assert self.process.poll() is None, self.said()
            assert time.monotonic() < deadline, self.said()
            time.sleep(0.1)
        return processes_read(self.home)

    def wait_until_restarted(self, ended: list[ProcessRecord]) -> dict[str, ProcessRecord]:
        """The new processes, as soon as every part answers."""
        deadline = time.monotonic() + READY_SECONDS
        before = {record.name: record.pid for record in ended}
        while True:
            assert self.process.poll() is None, self.said()
            assert time.monotonic() < deadline, self.said()
            now = {record.name: record for record in processes_read(self.home)}
            if all(now[name].pid != pid for name, pid in before.items()) and not ready_parts(self.port):
                return now
            time.sleep(0.1)

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A command in a second terminal, which knows LAKEUI_HOME only."""
        environment = {name: value for name, value in self.environment.items() if name != "SPARK_REMOTE"}
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )


@pytest.fixture
def up(tmp_path: Path, spark_remote: str) -> Iterator[Callable[[], Up]]:
    tmp_path.chmod(0o711)
    home, port = tmp_path / "home", free_port()
    started: list[Up] = []

    def start() -> Up:
        started.append(Up(home, port, spark_remote))
        return started[-1]

    yield start
    for one in started:
        for process in (one.process, one.reader):
            process.kill()
            process.wait()
    for record in reversed(processes_read(home)):
        process_stop(record)


def test_up_starts_all_survives_kills_and_leaves_nothing(up: Callable[[], Up]) -> None:
    """At the end no one reads what it says any more, as where its terminal was closed: it stops everything."""
    first = up()
    services = first.wait_until_ready()
    assert {record.name for record in services} == {"redis", "postgres", "worker", "web"}
    assert "Sign in as admin with the password" in first.said()
    with urllib.request.urlopen(f"http://127.0.0.1:{first.port}/readyz", timeout=10) as answer:
        assert json.load(answer)["status"] == "ok"
    again = up()
    assert first.manage("sql", "CREATE CATALOG kept").returncode == 0
    assert again.process.wait(30) == 1
    assert f"already running here: process {first.process.pid}" in again.said()

    restarted = killed_parts_start_again(first, services)

    first.process.send_signal(signal.SIGKILL)
    first.process.wait()
    assert all(is_alive(record) for record in restarted), "a killed process cannot stop its services"

    second = up()
    fresh = second.wait_until_ready()
    assert f"Cleaning up after process {first.process.pid}" in second.said()
    assert not any(is_alive(record) for record in restarted)
    assert "with the password" not in second.said()
    listed = second.manage("sql", "SHOW CATALOGS")
    assert listed.returncode == 0, listed.stderr
    assert "kept" in listed.stdout

    second.reader.kill()
    second.reader.wait()
    second.process.send_signal(signal.SIGTERM)
    assert second.process.wait(60) == 0, second.said()
    assert not any(is_alive(record) for record in fresh)
    without = second.manage("sql", "SHOW CATALOGS")
    assert without.returncode != 0
    assert "make up" in without.stderr


def killed_parts_start_again(one: Up, services: list[ProcessRecord]) -> list[ProcessRecord]:
    """Kill every part; those that started in their place."""
    for record in services:
        os.kill(record.pid, signal.SIGKILL)
    fresh = one.wait_until_restarted(services)
    assert not any(is_alive(record) for record in services)
    for record in services:
        assert f"{record.name} has ended by itself (signal 9). It starts again in 0.5 s" in one.said()
        assert f"{record.name} was started again (process {fresh[record.name].pid})" in one.said()
    return list(fresh.values())
