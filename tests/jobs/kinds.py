"""Kinds of tasks that the tests of jobs run, in the test's process and in a real worker (``--include``)."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.db import connection

from lakeui.common.errors import MergeConflict
from merge_app.jobs.context import TaskContext
from merge_app.jobs.registry import handles


@handles("test.echo")
def echo(context: TaskContext, parameters: Mapping[str, Any]) -> dict[str, Any]:
    context.step("echo", "says it again")
    return {"echo": parameters["text"], "task_id": str(context.task_id), "attempt": context.attempt, "pid": os.getpid()}


@handles("test.refuse")
def refuse(context: TaskContext, parameters: Mapping[str, Any]) -> dict[str, Any]:
    raise MergeConflict("Two conflicts.", remedy="Resolve them.", conflicts=[{"code": "A"}, {"code": "B"}])


@handles("test.crash")
def crash(context: TaskContext, parameters: Mapping[str, Any]) -> dict[str, Any]:
    raise RuntimeError("secret inside")


@handles("test.mark")
def mark(context: TaskContext, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Adds its attempt to a file, then waits until the file named ``release`` is there, checking for a cancel."""
    with Path(parameters["marks"]).open("a") as marks:
        marks.write(f"{context.attempt}\n")
    context.step("waiting")
    while not Path(parameters["release"]).exists():
        context.check_cancelled()
        time.sleep(0.02)
    return {"attempt": context.attempt}


@handles("test.backend")
def backend(context: TaskContext, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The process, and the one of PostgreSQL that serves it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return {"pid": os.getpid(), "backend": cursor.fetchone()[0]}
