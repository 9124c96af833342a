"""Log lines that say whose work they belong to: the request and the task, carried by the thread's context."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_request: ContextVar[str] = ContextVar("request_id", default="")
_task: ContextVar[str] = ContextVar("task_id", default="")


def current_request_id() -> str:
    """The id of the request that this thread works for; empty where it works for none."""
    return _request.get()


def current_task_id() -> str:
    """The id of the task that this thread works for; empty where it works for none."""
    return _task.get()


@contextmanager
def logged_as(*, request_id: str = "", task_id: str = "") -> Iterator[None]:
    """What is logged inside belongs to this request and this task."""
    tokens = ((_request, _request.set(request_id)), (_task, _task.set(task_id)))
    try:
        yield
    finally:
        for variable, token in tokens:
            variable.reset(token)


class Belonging(logging.Filter):
    """Gives every record ``request_id`` and ``task_id``, and both as the end of a line in ``belonging``."""

    def filter(self, record: logging.LogRecord) -> bool:
        named = {"request_id": _request.get(), "task_id": _task.get()}
        for name, value in named.items():
            setattr(record, name, value or None)
        parts = [f"{name.removesuffix('_id')}={value}" for name, value in named.items() if value]
        record.belonging = f" [{' '.join(parts)}]" if parts else ""
        return True


def log_settings(*, level: str, as_json: bool) -> dict[str, Any]:
    """The configuration for ``logging``: lines for people, or a JSON object a line for machines."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"belonging": {"()": Belonging}},
        "formatters": {
            "line": {"format": "{asctime} {levelname} {process} {name} {message}{belonging}", "style": "{"},
            "json": {
                "()": "pythonjsonlogger.json.JsonFormatter",
                "format": "{levelname}{process}{name}{message}{request_id}{task_id}",
                "style": "{",
                "rename_fields": {"levelname": "level", "name": "logger"},
                "timestamp": True,
            },
        },
        "handlers": {
            "stderr": {
                "class": "logging.StreamHandler",
                "formatter": "json" if as_json else "line",
                "filters": ["belonging"],
            },
        },
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django": {"handlers": ["stderr"], "level": "INFO", "propagate": False},
            # One line per refused request is what the line of each request is for.
            "django.request": {"handlers": ["stderr"], "level": "ERROR", "propagate": False},
        },
    }
