"""A process that has loaded what a Celery worker loads. Each worker that it is asked for is a copy of it.

It reads one line a worker: modules to load before the copy is made, the arguments of ``celery``, the environment and
where to write. It answers the copy's process id. ``tests/support/process_copies.py`` asks; ``tests/runtime/test_up.py``
starts a worker by its command.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import suppress
from importlib import import_module, reload

import django

PRELOADED = (
    *("celery.apps.worker", "celery.bin.celery", "celery.bin.worker", "celery.concurrency.prefork"),
    *("celery.worker.consumer", "celery.worker.strategy", "celery.fixups.django", "kombu.transport.redis"),
    *(
        "lakeui.frontdoor",
        "merge_app.jobs.tasks",
        "merge_app.mails.tasks",
        "merge_app.webhooks.tasks",
        "lakeui.runtime.database.base",
    ),
)


def main() -> None:
    """Load, and make a copy for each line until there is none any more."""
    django.setup()
    for name in PRELOADED:
        import_module(name)
    # No process waits for a copy; the system forgets it when it has ended.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    _answer("loaded")
    for line in sys.stdin:
        loaded, *asked = json.loads(line)
        for name in loaded:
            import_module(name)
        child = os.fork()
        if not child:
            _become(*asked)
        _answer(str(child))


def _answer(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _become(arguments: list[str], environment: dict[str, str], log: str) -> None:
    """Be the process that ``python -m celery`` with these arguments starts as, in a session of its own."""
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sink = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    for stream in (1, 2):
        os.dup2(sink, stream)
    os.environ.clear()
    os.environ.update(environment)
    status: int | str | None = 1
    try:
        _read_settings()
        sys.argv = ["celery", *arguments]
        import_module("celery.__main__").main()
    except SystemExit as ending:
        status = ending.code
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status if isinstance(status, int) else 1)


def _read_settings() -> None:
    """The settings as the environment now says. No connection was opened by the old ones."""
    from django.conf import empty, settings
    from django.core.cache import caches
    from django.db import connections

    from lakeui.common.collector import loading_ends

    for name in ("lakeui.settings", "lakeui.common.faults"):
        reload(import_module(name))
    loading_ends()
    settings._wrapped = empty
    for handler in (connections, caches):
        handler._settings = None
        vars(handler).pop("settings", None)
        for alias in handler:
            with suppress(AttributeError):
                del handler[alias]


if __name__ == "__main__":
    main()
