"""Work on Spark is stopped from another thread, also in a session that was made anew in the middle of it."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from catalog_app.engine import session
from catalog_app.engine.session import SparkSessions
from lakeui.common.errors import EngineError, EngineLost

ENDLESS = "SELECT sum(hash(id)) FROM range(1000000000000000)"
"""Its tasks look every thousand rows whether they were cancelled, those of a cross join not for minutes."""


def endless(spark: Any, running: threading.Event) -> Any:
    """Work without end; ``running`` is set when Spark says that tasks of it run. A query that is interrupted before may
    start its tasks nevertheless, and no one could stop them any more.
    """
    spark.registerProgressHandler(lambda inflight_tasks, **_: running.set() if inflight_tasks else None)
    return spark.sql(ENDLESS).collect()


def interrupted(sessions: SparkSessions, tag: str, work: Any, running: threading.Event) -> BaseException | None:
    """What ``work``, done under the tag, raises when the tag is interrupted again and again once it runs."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            with sessions.interruptible(tag):
                sessions.run(work)
        except EngineError as error:
            raised.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert running.wait(timeout=60)
    deadline = time.monotonic() + 60
    while thread.is_alive() and time.monotonic() < deadline:
        sessions.interrupt(tag)
        thread.join(timeout=0.5)
    assert not thread.is_alive()
    return raised[0] if raised else None


def test_a_running_query_is_interrupted(sessions: SparkSessions) -> None:
    running = threading.Event()
    error = interrupted(sessions, "first", lambda spark: endless(spark, running), running)
    assert error is not None
    assert "cancel" in str(error).lower()


def test_work_that_lost_its_session_is_not_repeated(sessions: SparkSessions, monkeypatch: pytest.MonkeyPatch) -> None:
    # Work that is younger met a server that had started again before it: tests/engine/test_away.py.
    monkeypatch.setattr(session, "TRUSTED_SECONDS", 0.0)
    seen: list[str] = []

    def work(spark: Any) -> Any:
        seen.append(spark.session_id)
        # The server forgets the session, as one that was started again does.
        spark.client.release_session()
        return spark.sql("SELECT 1").collect()

    with pytest.raises(EngineLost):
        sessions.run(work)
    assert len(seen) == 1
    assert sessions.run(lambda spark: spark.sql("SELECT 1").collect())[0][0] == 1


def test_a_session_lost_before_work_is_recreated(sessions: SparkSessions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "TRUSTED_SECONDS", 0.0)
    before = sessions.run(lambda spark: spark.client.release_session() or spark.session_id)
    running = threading.Event()
    seen: list[str] = []

    def work(spark: Any) -> Any:
        seen.append(spark.session_id)
        return endless(spark, running)

    error = interrupted(sessions, "second", work, running)
    assert error is not None
    assert "cancel" in str(error).lower()
    assert len(seen) == 1
    assert seen[0] != before


def test_what_runs_under_another_tag_continues(sessions: SparkSessions) -> None:
    with sessions.interruptible("mine"):
        sessions.interrupt("another")
        assert sessions.run(lambda spark: spark.sql("SELECT 1").collect())[0][0] == 1
