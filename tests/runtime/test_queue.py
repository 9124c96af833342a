"""The queue of files of tests: with Spark from the front, without from the back, the short ones last."""

from __future__ import annotations

from collections import OrderedDict
from types import SimpleNamespace
from typing import Any

import pytest
from xdist.scheduler import LoadFileScheduling

from tests.support import queue
from tests.support.queue import Queue, files_with_spark

WITH_SPARK = {"spark_long": 40, "spark": 8, "spark_known": 3, "spark_short": 1}
WITHOUT = {"short": 2, "middle": 30, "long": 200, "known": 5}
"""In the order of the queue, with their numbers of tests."""


class Node:
    """A worker that is asked to run the tests of one file after the other."""

    def __init__(self) -> None:
        self.taken: list[str] = []
        self.shutting_down = False

    def send_runtest_some(self, indices: list[int]) -> None:
        self.taken.append(ORDER[indices[0]].partition("::")[0])


FILES = WITH_SPARK | WITHOUT
ORDER = [f"{file}::test_{number}" for file, tests in FILES.items() for number in range(tests)]


@pytest.fixture
def three(monkeypatch: pytest.MonkeyPatch) -> tuple[Any, list[Node]]:
    """A queue of these files, and the workers that take from it."""
    monkeypatch.setattr(queue, "SECONDS", {"spark_known": 9.0, "known": 50.0})
    nodes = [Node() for _ in range(3)]
    config = SimpleNamespace(getvalue=lambda _: ["popen"] * 3, option=SimpleNamespace(tx=["popen"] * 3))
    made: Any = Queue(config, None)
    made.workqueue = OrderedDict(
        (file, {test: False for test in ORDER if test.startswith(f"{file}::")}) for file in FILES
    )
    made.assigned_work = {node: {} for node in nodes}
    made.registered_collections = dict.fromkeys(nodes, ORDER)
    return made, nodes


def test_files_with_spark_are_known_by_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "SECONDS", {"spark_known": 9.0, "known": 50.0})
    assert files_with_spark(FILES) == set(WITH_SPARK)
    assert files_with_spark({"only": 1}) == {"only"}


def test_the_last_worker_takes_long_files_without_spark(three: tuple[Any, list[Node]]) -> None:
    made, nodes = three
    for number in (0, 1, 2, 2, 0):
        made._assign_work_unit(nodes[number])
    assert [node.taken for node in nodes] == [["spark_long", "spark_known"], ["spark"], ["known", "long"]]


def test_short_files_are_left_for_the_end(three: tuple[Any, list[Node]]) -> None:
    made, nodes = three
    for number in (0, 0, 0, 0, 0, 1, 0, 1):
        made._assign_work_unit(nodes[number])
    assert nodes[0].taken == ["spark_long", "spark", "spark_known", "spark_short", "known", "middle"]
    assert nodes[1].taken == ["long", "short"]


def test_the_last_worker_helps_with_spark(three: tuple[Any, list[Node]]) -> None:
    made, nodes = three
    for _ in range(6):
        made._assign_work_unit(nodes[2])
    assert nodes[2].taken == ["known", "long", "middle", "short", "spark_long", "spark"]


def test_what_a_worker_has_before_it_is_counted(three: tuple[Any, list[Node]]) -> None:
    made, nodes = three
    for _ in range(3):
        made._assign_work_unit(nodes[0])
    taken = made.assigned_work[nodes[0]]
    assert made._pending_of(taken) == LoadFileScheduling._pending_of(made, taken) == 40 + 8 + 3
    for file, done in (("spark_long", 40), ("spark", 5)):
        for test in list(taken[file])[:done]:
            taken[file][test] = True
    assert made._pending_of(taken) == LoadFileScheduling._pending_of(made, taken) == 3 + 3
