"""A server that does not answer yet is named as such, with when to come again. No Spark is needed."""

from __future__ import annotations

import atexit
import gc
import itertools
import socket
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql.connect.client import SparkConnectClient
from pyspark.sql.connect.client.retries import DefaultPolicy

from catalog_app.engine import session
from catalog_app.engine.session import SparkSessions
from lakeui.common.errors import EngineAway, EngineLost, LakeError


class StubbedSession:
    def __init__(self) -> None:
        self.client = SimpleNamespace(_on_exit=lambda: None)


@pytest.mark.filterwarnings("ignore:.*RETRIES_EXCEEDED")
def test_a_starting_spark_is_away_with_retry_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_RETRIES", {"max_retries": 0})
    with pytest.raises(EngineAway) as away:
        SparkSessions("sc://127.0.0.1:1").run(lambda spark: pytest.fail("nobody answers"))
    problem = away.value.as_problem()
    assert (problem["code"], problem["status"], problem["retry_after"]) == ("ENGINE_AWAY", 503, 10)


@pytest.mark.parametrize(
    ("message", "seconds", "expected"),
    [
        ("[INVALID_HANDLE.SESSION_NOT_FOUND] Session not found", 0.0, EngineAway),
        ("[INVALID_HANDLE.SESSION_CHANGED] The server has restarted", 0.0, EngineAway),
        ("[INVALID_HANDLE.SESSION_NOT_FOUND] Session not found", 5.0, EngineLost),
        ("UNAVAILABLE: Connection refused", 0.0, EngineLost),
    ],
)
def test_a_restarted_spark_is_away_or_lost(
    message: str, seconds: float, expected: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    monkeypatch.setattr(session.time, "monotonic", lambda: clock[0])
    stub = StubbedSession()
    monkeypatch.setattr(session, "_connect", lambda *_: stub)
    sessions = SparkSessions("sc://nowhere")
    sessions._answered_at = clock[0]

    def work(spark: Any) -> None:
        clock[0] += seconds
        raise PySparkException(message)

    with pytest.raises(expected) as failure:
        sessions.run(work)
    assert type(failure.value) is expected
    assert sessions._session is None


@pytest.mark.filterwarnings("ignore:.*RETRIES_EXCEEDED")
def test_a_spark_that_is_away_is_retried_steadily(monkeypatch: pytest.MonkeyPatch) -> None:
    """With pauses that grow, as gRPC makes them, there would be three visits in this time, and soon one in a minute."""
    monkeypatch.setattr(session, "_RETRIES", {"max_retries": 3, "max_backoff": 1000})
    visits: list[float] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def refuse() -> None:
            with suppress(OSError):
                while True:
                    listener.accept()[0].close()
                    visits.append(time.monotonic())

        threading.Thread(target=refuse, daemon=True).start()
        sessions, deadline = SparkSessions(f"sc://127.0.0.1:{listener.getsockname()[1]}"), time.monotonic() + 4.5
        while len(visits) < 5 and time.monotonic() < deadline:
            with suppress(LakeError):
                sessions.run(lambda spark: None)
        # Wakes the thread.
        listener.shutdown(socket.SHUT_RDWR)
    assert len(visits) >= 5


def test_client_retries_each_second_and_stops_within_ten() -> None:
    """What a server that started again waits for its clients, on top of its start."""
    pauses = list(iter(DefaultPolicy(**session._RETRIES).to_state().next_attempt, None))
    assert max(pauses) <= 1000
    assert 7_000 <= sum(pauses) <= 10_000


@pytest.fixture
def called_at_exit(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    calls: list[Any] = []
    monkeypatch.setattr(atexit, "register", calls.append)
    monkeypatch.setattr(atexit, "unregister", calls.remove)
    return calls


@pytest.fixture
def clients(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Those that are made."""
    made: list[Any] = []
    make = SparkConnectClient.__init__

    def making(client: Any, *arguments: Any, **named: Any) -> None:
        make(client, *arguments, **named)
        made.append(client)

    monkeypatch.setattr(SparkConnectClient, "__init__", making)
    return made


@pytest.mark.filterwarnings("ignore:.*RETRIES_EXCEEDED")
def test_failed_connections_leave_no_client(
    monkeypatch: pytest.MonkeyPatch, called_at_exit: list[Any], clients: list[Any]
) -> None:
    """Each would keep a channel, and ask the server once more at the end of the process."""
    monkeypatch.setattr(session, "_RETRIES", {"max_retries": 0})
    for _ in range(3):
        with pytest.raises(EngineAway):
            SparkSessions("sc://127.0.0.1:1").run(lambda spark: None)
    assert [client._closed for client in clients] == [True] * 3
    assert called_at_exit == []


def test_a_lost_session_goes_unasked_at_exit(monkeypatch: pytest.MonkeyPatch, called_at_exit: list[Any]) -> None:
    monkeypatch.setattr(session, "LEFT_SECONDS", 0.05)
    monkeypatch.setattr(session.logger, "disabled", True)
    made: list[weakref.ref[StubbedSession]] = []

    def connect(*_: Any) -> StubbedSession:
        spark = StubbedSession()
        atexit.register(spark.client._on_exit)
        made.append(weakref.ref(spark))
        return spark

    monkeypatch.setattr(session, "_connect", connect)
    sessions = SparkSessions("sc://nowhere")
    sessions._answered_at = time.monotonic()

    def work(spark: Any) -> None:
        raise PySparkException("UNAVAILABLE: Connection refused")

    with pytest.raises(EngineLost):
        sessions.run(work)
    assert called_at_exit == []
    deadline = time.monotonic() + 10
    while made[0]() is not None and time.monotonic() < deadline:
        time.sleep(0.02)
        gc.collect()
    assert made[0]() is None


class CountingLock:
    """A lock that says when so many threads hold it or wait for it."""

    def __init__(self, awaited: int, reached: threading.Event) -> None:
        self._lock, self._left, self._reached = threading.Lock(), itertools.count(awaited - 1, -1), reached

    def __enter__(self) -> None:
        if next(self._left) == 0:
            self._reached.set()
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def test_threads_wait_for_a_missing_spark_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other, the last of ten would wait ten times as long."""
    attempts: list[float] = []

    def connect(*_: Any) -> Any:
        attempts.append(time.monotonic())
        others_wait.wait(10)
        raise PySparkException("UNAVAILABLE: Connection refused")

    monkeypatch.setattr(session, "_connect", connect)
    sessions = SparkSessions("sc://nowhere")
    others_wait = threading.Event()
    monkeypatch.setattr(sessions, "_lock", CountingLock(4, others_wait))

    def ask(_: int) -> type[Exception] | None:
        try:
            return sessions.run(lambda spark: None)
        except EngineAway as away:
            return type(away)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, range(4))) == [EngineAway] * 4
    assert len(attempts) == 1
    # Who asks later tries again.
    with pytest.raises(EngineAway):
        sessions.run(lambda spark: None)
    assert len(attempts) == 2
