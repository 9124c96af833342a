"""A merge goes from HTTP to its commit downward: each file calls files of its own layer or of one below."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection

from catalog_app.domain.roles import Role
from catalog_app.models import Commit
from merge_app.jobs.models import Task
from merge_app.jobs.runner import task_run
from tests.api.conftest import Caller
from tests.support.lake import Lake
from tests.support.members import join

ROOT = Path(__file__).resolve().parents[3]
LAYERS = ("lakeui/api", "lakeui/tasks", "lakeui/frontdoor", "merge_app", "catalog_app")
MOST_FILES = 25


class Walk:
    """The files of ours on the stack where a table is written to, in the order in which they were entered."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.files: list[str] = []

    def __call__(self, execute: Any, sql: Any, params: Any, many: bool, context: Any) -> Any:
        if f'INTO "{self.table}"' in str(sql) or f"INTO {self.table} " in str(sql):
            self.files = list(dict.fromkeys(reversed(list(_own_files()))))
        return execute(sql, params, many, context)


def _own_files() -> Iterator[str]:
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(ROOT):
            name = path.relative_to(ROOT).as_posix()
            if name.startswith(LAYERS):
                yield name
        frame = frame.f_back


@contextmanager
def walked(table: str) -> Iterator[Walk]:
    walk = Walk(table)
    with connection.execute_wrapper(walk):
        yield walk


def layer(file: str) -> int:
    return next(number for number, name in enumerate(LAYERS) if file.startswith(name))


def test_a_merge_goes_downward_through_few_files(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("merge_app.jobs.tasks.run_task.apply_async", lambda *_, **__: None)
    lake.sql("CREATE TABLE d.t (id INT)")
    lake.sql("CREATE BRANCH b")
    lake.sql("INSERT INTO d.t VALUES (1)", "b")
    lake.sql("INSERT INTO d.t VALUES (2)")
    user = User.objects.create_user(f"walker-{uuid4().hex[:6]}")
    join(user, lake.catalog, Role.OWNER)
    with walked(Task._meta.db_table) as asked:
        sent = {"catalog": lake.catalog, "statement": "MERGE BRANCH b TO main"}
        response = Caller(user).post("/api/v1/sql/", sent, Prefer="respond-async")
    assert response.status_code == 202, response.content
    with walked(Commit._meta.db_table) as done:
        task_run(task_id=Task.objects.get(created_by=user).pk, worker="walker")
    assert lake.rows("d.t") == [(1,), (2,)]
    worker = done.files[done.files.index("lakeui/tasks/statements.py") :]
    for files in (asked.files, worker):
        assert files
        layers = [layer(file) for file in files]
        assert layers == sorted(layers), files
    walk = [*asked.files, *done.files]
    assert len(set(walk)) <= MOST_FILES, walk
