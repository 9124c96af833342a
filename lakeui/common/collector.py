"""Python's cyclic garbage collector, held off where very many values are made that no cycle holds, or that stay."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

_lock = threading.Lock()
_holders = 0
_was_enabled = False
_loading = ExitStack()


@contextmanager
def collector_paused() -> Iterator[None]:
    """No cyclic collection in this process until the last thread leaves. What nothing refers to is freed as ever."""
    global _holders, _was_enabled  # noqa: PLW0603 - the collector is the process's too
    with _lock:
        if _holders == 0:
            _was_enabled = gc.isenabled()
            gc.disable()
        _holders += 1
    try:
        yield
    finally:
        with _lock:
            _holders -= 1
            if _holders == 0 and _was_enabled:
                gc.enable()


def loading_begins() -> None:
    """No cyclic collection until ``loading_ends``: modules stay as long as the process."""
    _loading.enter_context(collector_paused())


def loading_ends() -> None:
    """From now on cycles are looked for, and not in what was loaded."""
    gc.freeze()
    _loading.close()
