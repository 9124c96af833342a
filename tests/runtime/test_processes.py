"""Processes are known by pid and start time, locks are held by the living, and ports and Java are looked at first."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from redis import Redis

from lakeui.runtime import postgres, redis_server
from lakeui.runtime.home import HomeLock
from lakeui.runtime.postgres import EmbeddedPostgres
from lakeui.runtime.problems import Interrupted, RuntimeProblem
from lakeui.runtime.processes import is_alive, log_tail, process_record, process_start, process_stop
from lakeui.runtime.redis_server import EmbeddedRedis
from lakeui.runtime.spark import java_require
from lakeui.runtime.web import port_require

ROOT = Path(__file__).resolve().parents[2]
SLEEPER = [sys.executable, "-c", "import time; time.sleep(300)"]
IGNORES_TERM = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('on', flush=True); time.sleep(300)"
)
PARENT = (
    "import subprocess, sys, time; p = subprocess.Popen(['sleep', '300']); print(p.pid, flush=True); time.sleep(300)"
)


def wait_for_text(path: Path) -> str:
    deadline = time.monotonic() + 20
    while not path.exists() or not path.read_text().strip():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return path.read_text().strip()


def test_another_process_of_same_number_is_not_mistaken(tmp_path: Path) -> None:
    process = process_start(SLEEPER, log=tmp_path / "log")
    record = process_record("sleeper", process.pid)
    earlier = replace(record, started=record.started - 3600)
    assert is_alive(record)
    assert not is_alive(earlier)
    assert not process_stop(earlier)
    assert process.poll() is None
    process_stop(record)
    assert process.wait() != 0
    assert not is_alive(record)


def test_a_process_that_does_not_stop_is_killed(tmp_path: Path) -> None:
    process = process_start([sys.executable, "-c", IGNORES_TERM], log=tmp_path / "log")
    wait_for_text(tmp_path / "log")
    assert process_stop(process_record("stubborn", process.pid), patience_seconds=0.3)
    assert process.wait() == -9


def test_what_a_killed_process_left_is_stopped_too(tmp_path: Path) -> None:
    process = process_start([sys.executable, "-c", PARENT], log=tmp_path / "log")
    record = process_record("parent", process.pid)
    orphan = psutil.Process(int(wait_for_text(tmp_path / "log")))
    process.kill()
    process.wait()
    assert orphan.is_running()
    process_stop(record)
    orphan.wait(5)


def test_log_tail_is_its_last_lines(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("".join(f"line {number}\n" for number in range(10_000)))
    assert log_tail(log, 2) == "line 9998\nline 9999"
    assert log_tail(tmp_path / "none") == ""


def test_only_one_up_at_a_time(tmp_path: Path) -> None:
    first = HomeLock(tmp_path)
    first.take()
    with pytest.raises(RuntimeProblem, match=r"already running here: process \d+"):
        HomeLock(tmp_path).take()
    first.give_back()
    second = HomeLock(tmp_path)
    second.take()
    assert second.abandoned_by is None
    second.give_back()


def test_killed_up_leaves_free_lock_that_names_it(tmp_path: Path) -> None:
    holder = (
        "import pathlib, sys, time; from lakeui.runtime.home import HomeLock; "
        "lock = HomeLock(pathlib.Path(sys.argv[1])); lock.take(); print('held', flush=True); time.sleep(300)"
    )
    process = subprocess.Popen([sys.executable, "-c", holder, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    process.kill()
    process.communicate()
    lock = HomeLock(tmp_path)
    lock.take()
    assert lock.abandoned_by == process.pid
    lock.give_back()


def test_port_in_use_is_named_with_remedy() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(RuntimeProblem, match=f"Port {port} is in use") as problem:
            port_require(port)
    assert "LAKEUI_PORT=" in problem.value.remedy
    port_require(port)


@pytest.mark.parametrize(("says", "fits"), [("17.0.15", True), ("21", True), ("1.8.0_392", False), ("11.0.2", False)])
def test_java_must_be_new_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str, fits: bool) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{says}\" 2024-01-16' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    if fits:
        assert java_require() == java
    else:
        with pytest.raises(RuntimeProblem) as problem:
            java_require()
        assert "Java 17" in problem.value.remedy


def test_missing_java_is_refused_with_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeProblem, match="no Java") as problem:
        java_require()
    assert "openjdk-17" in problem.value.remedy


def test_postgres_starts_again_when_left_over_or_killed(tmp_path: Path) -> None:
    tmp_path.chmod(0o711)
    said: list[str] = []
    server = EmbeddedPostgres(tmp_path / "pg", tmp_path / "log", durable=False, say=said.append)
    left = server.start()
    server.database_create("kept")
    abandoned = server.process
    assert abandoned is not None

    restarted = server.start()
    abandoned.wait(5)
    assert not is_alive(left), "two servers on the same data would ruin them"
    assert any("left over" in line for line in said)

    process_stop(restarted, how=signal.SIGKILL)
    assert server.process is not None
    server.process.wait()
    server.start()
    server.database_create("kept")
    server.stop()
    assert any("stale lock" in line for line in said)


def test_a_half_made_data_directory_is_made_anew(tmp_path: Path) -> None:
    tmp_path.chmod(0o711)
    server = EmbeddedPostgres(tmp_path / "pg", tmp_path / "log", durable=False)
    server.start()
    server.stop()
    (tmp_path / "pg" / "PG_VERSION").unlink()
    server.start()
    server.stop()


def test_nice_process_yields_to_other_sessions(tmp_path: Path) -> None:
    process = process_start(SLEEPER, log=tmp_path / "log", niceness=5)
    record = process_record("sleeper", process.pid)
    try:
        assert psutil.Process(process.pid).nice() >= 5
        group = Path(f"/proc/{process.pid}/autogroup")
        assert not group.exists() or group.read_text().endswith("nice 5\n")
    finally:
        process_stop(record)
        process.wait()


def test_second_redis_on_same_data_ends_the_first(tmp_path: Path) -> None:
    """A start that was killed before it could note its Redis leaves one behind."""
    left = EmbeddedRedis(tmp_path / "redis", tmp_path / "log")
    record = left.start()
    after = EmbeddedRedis(tmp_path / "redis", tmp_path / "log")
    try:
        after.start()
        assert left.process is not None
        left.process.wait(10)
        assert not is_alive(record), "two servers that append to one file would ruin it"
        after.stop()
        after.start()
    finally:
        left.stop()
        after.stop()


def test_kept_answers_make_room_and_messages_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis_server, "MEMORY", "8mb")
    server = EmbeddedRedis(tmp_path / "redis", tmp_path / "log", durable=False)
    server.start()
    try:
        client = Redis.from_url(server.url)
        client.lpush("celery", "message")
        for number in range(200):
            client.set(f"comparison {number}", b"." * 100_000, ex=3600)
        assert client.lrange("celery", 0, -1) == [b"message"]
        assert client.exists("comparison 199") == 1
        assert client.info("memory")["used_memory"] < 10 * 1024**2
    finally:
        server.stop()


def test_long_postgres_recovery_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped, it would begin its recovery anew at each start."""
    monkeypatch.setattr(postgres, "PATIENCE_SECONDS", 1.5)
    tmp_path.chmod(0o711)
    server = EmbeddedPostgres(tmp_path / "pg", tmp_path / "log", durable=False)
    server.start()
    server.stop()
    (tmp_path / "pg" / "recovery.signal").touch()
    with (tmp_path / "pg" / "postgresql.auto.conf").open("a") as settings:
        # A recovery asks for several files; the first one takes its time.
        wait = "test -e asked || { touch asked; sleep 2; }; exit 1"
        settings.write(f"restore_command = '{wait}'\nhot_standby = off\n")
    began = time.monotonic()
    try:
        server.start()
        assert time.monotonic() - began > 2
        server.database_create("kept")
    finally:
        server.stop()


def test_a_stop_works_while_postgres_recovers(tmp_path: Path) -> None:
    tmp_path.chmod(0o711)
    asked: list[float] = []

    def pulse() -> None:
        asked.append(time.monotonic())
        raise Interrupted

    server = EmbeddedPostgres(tmp_path / "pg", tmp_path / "log", durable=False, pulse=pulse)
    with pytest.raises(Interrupted):
        server.start()
    assert asked
    assert server.process is not None
    assert server.process.poll() is not None, "it would be left behind"
