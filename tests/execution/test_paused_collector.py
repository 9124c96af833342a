"""The collector is held off while a comparison is made, and is back afterwards."""

from __future__ import annotations

import gc
import threading

import pytest

from lakeui.common.collector import collector_paused


def test_it_is_back_when_the_last_one_leaves() -> None:
    inside, leave = threading.Event(), threading.Event()

    def other() -> None:
        with collector_paused():
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    with collector_paused():
        thread.start()
        assert inside.wait(10)
        assert not gc.isenabled()
    assert not gc.isenabled()
    leave.set()
    thread.join()
    assert gc.isenabled()


def test_it_is_back_after_an_error() -> None:
    with pytest.raises(ValueError, match="no"), collector_paused():
        raise ValueError("no")
    assert gc.isenabled()


def test_who_had_it_off_keeps_it_off() -> None:
    gc.disable()
    try:
        with collector_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
