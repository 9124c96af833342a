"""Which function does the work of which kind of task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from merge_app.jobs.context import TaskContext

Handler = Callable[[TaskContext, Mapping[str, Any]], dict[str, Any]]

_HANDLERS: dict[str, Handler] = {}


def handles(kind: str) -> Callable[[Handler], Handler]:
    """Register the decorated function for tasks of ``kind``.

    It is called with the context and the parameters and answers JSON. It may be called again for the same task after
    a worker died. So it looks up what ``context.task_id`` committed before it does anything twice, or keeps its result
    by ``task_keep`` in the transaction of what it does.
    """

    def register(handler: Handler) -> Handler:
        known = _HANDLERS.setdefault(kind, handler)
        if known is not handler:
            raise ValueError(f"tasks of kind {kind} have a handler already: {known.__module__}.{known.__qualname__}")
        return handler

    return register


def handler_for(kind: str) -> Handler:
    """The handler of ``kind``; an unknown kind is a programming error (KeyError)."""
    return _HANDLERS[kind]
