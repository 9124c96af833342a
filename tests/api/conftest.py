"""A signed-in client, and a FAKE front door: these tests are about HTTP, not about what statements mean."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from lakeui import frontdoor
from lakeui.access.tokens import token_create
from merge_app.jobs.runner import task_run

Execute = Callable[[str, Any, Any], Any]


class Caller:
    """A client of the interface with a token."""

    def __init__(self, user: User) -> None:
        self.user = user
        self.client = Client(raise_request_exception=False)
        self.headers = {"Authorization": f"Bearer {token_create(user=user, name='test')[1]}"}

    def get(self, path: str, **headers: str) -> Any:
        return self.client.get(path, headers=self._all(headers))

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.client.post(path, body, content_type="application/json", headers=self._all(headers))

    def sql(self, statement: str, **headers: str) -> Any:
        return self.post("/api/v1/sql/", {"catalog": "demo", "branch": "main", "statement": statement}, **headers)

    def _all(self, headers: dict[str, str]) -> dict[str, str]:
        return self.headers | {name.replace("_", "-"): value for name, value in headers.items()}


@pytest.fixture
def alice(transactional_db: None) -> Caller:
    return Caller(User.objects.create_user("alice"))


@pytest.fixture
def bob(transactional_db: None) -> Caller:
    return Caller(User.objects.create_user("bob"))


class FakeDoor:
    """Statements that begin with TASK are tasks; what they do is up to the test."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any, Any]] = []
        self.work: Execute = self.answer

    def execute(self, said: Any, session: Any, context: Any) -> Any:
        text = said if isinstance(said, str) else said.text
        self.calls.append((text, session, context))
        return self.work(text, session, context)

    def answer(self, text: str, session: Any, context: Any) -> Any:
        return frontdoor.StatementResult(
            columns=[("n", "int")],
            rows=[[len(self.calls)]],
            row_count=1,
            truncated=False,
            version=7,
            metrics={"rows_inserted": 1},
            extra={"notes": []},
        )

    def fail(self, error: Exception) -> None:
        def work(text: str, session: Any, context: Any) -> Any:
            raise error

        self.work = work

    def parsed(self, text: str, parameters: Any = None) -> Any:
        read = SimpleNamespace(
            text=text,
            statement=None,
            is_task=text.startswith("TASK"),
            is_query=False,
            takes_query_place=False,
            is_unrecorded=False,
            is_kept=False,
        )
        read.without_commit = lambda: read
        return read


@pytest.fixture
def door(monkeypatch: pytest.MonkeyPatch) -> FakeDoor:
    fake = FakeDoor()
    monkeypatch.setattr(frontdoor, "execute", fake.execute)
    monkeypatch.setattr(frontdoor, "admit", lambda text, session: None)
    monkeypatch.setattr(frontdoor, "parsed", fake.parsed)
    return fake


@pytest.fixture
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker gets a signal: tasks stay queued."""
    monkeypatch.setattr("merge_app.jobs.tasks.run_task.apply_async", lambda *_, **__: None)


@pytest.fixture
def local_worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Tasks run in threads of this process, where the fake front door is. (tests/jobs has real workers.)"""
    threads: list[threading.Thread] = []
    numbers = itertools.count()

    def work(task_id: Any) -> None:
        try:
            task_run(task_id=task_id, worker=f"thread {next(numbers)}")
        finally:
            connection.close()

    def ring(args: list[str], **_: Any) -> None:
        thread = threading.Thread(target=work, args=args)
        threads.append(thread)
        thread.start()

    monkeypatch.setattr("merge_app.jobs.tasks.run_task.apply_async", ring)
    yield
    for thread in threads:
        thread.join(timeout=20)
