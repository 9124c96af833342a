"""A server that does not answer yet is named as such, with when to come again. No Spark is needed."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql.connect.client.retries import DefaultPolicy

from catalog_app.engine import session
from catalog_app.engine.session import SparkSessions
from lakeui.common.errors import EngineAway, EngineLost, LakeError


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
    stub = SimpleNamespace()
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
