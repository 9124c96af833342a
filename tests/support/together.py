"""Pieces of work that begin at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from django.db import connections

Answer = TypeVar("Answer")


def together(*works: Callable[[], Answer], seconds: float = 60) -> list[Answer]:
    """What each answers, each with a connection of its own. Fails where one takes more than ``seconds``."""
    barrier = threading.Barrier(len(works))
    answers: dict[int, Answer] = {}

    def run(place: int) -> None:
        barrier.wait(timeout=10)
        try:
            answers[place] = works[place]()
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=[place]) for place in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=seconds)
        assert not thread.is_alive()
    return [answers[place] for place in range(len(works))]
