"""A run beside other writers is judged and not lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from lakeui.common.errors import MergeConflict
from tests.pipelines.strategies.cases import CONFIGS, KEYED, ROWS, history
from tests.pipelines.strategies.pipes import Attempt, Pipes, batch


def test_runs_beside_other_writers_are_judged_not_lost(pipes: Pipes) -> None:
    pipe = pipes(*KEYED)
    pipe.run(batch(ROWS))
    pipe.run(batch([(4, "d", 1)]))
    pipes.lake.sql("CREATE BRANCH other")
    pipes.lake.sql(f"UPDATE {pipe.table} SET value = 'mine' WHERE id = 4", "other")
    pipe.run(batch([(2, "z", 2)]))
    pipes.lake.merge("other")
    assert pipe.rows() == [(1, "a", 1), (2, "z", 2), (3, "c", 1), (4, "mine", 1)]
    pipes.lake.sql("CREATE BRANCH rival")
    pipes.lake.sql(f"UPDATE {pipe.table} SET value = 'theirs' WHERE id = 2", "rival")
    pipe.run(batch([(2, "ours", 3)]))
    with pytest.raises(MergeConflict):
        pipes.lake.merge("rival")


BESIDE = {
    "full_refresh": [(4, "ours", 5)],
    "append_only": [*ROWS, (4, "ours", 5), (4, "theirs", 5)],
    "incremental": [*ROWS, (4, "ours", 5)],
    "delete_insert": [*ROWS, (4, "ours", 5)],
    "snapshot": [*ROWS, (4, "ours", 5), (4, "theirs", 5)],
}
"""What is there after a run beside an INSERT of the same key, which commits when the run has staged its rows."""


class Overtaken(Attempt):
    """Somebody else commits once, when the run is about to."""

    work: Callable[[], object]

    def step(self, name: str, detail: str = "") -> None:
        super().step(name, detail)
        if name == "commit" and self.steps.count("commit") == 1:
            type(self).work()


@pytest.mark.parametrize("strategy", BESIDE)
def test_an_overtaken_run_leaves_what_sequential_runs_would(pipes: Pipes, strategy: str) -> None:
    pipe = pipes(*CONFIGS[strategy])
    pipe.run(batch(ROWS))

    class Beside(Overtaken):
        work = staticmethod(lambda: pipes.lake.sql(f"INSERT INTO {pipe.table} VALUES (4, 'theirs', 5)"))

    pipe.start(source=batch([(4, "ours", 5)]), context=Beside)
    assert pipe.rows() == BESIDE[strategy]


@pytest.mark.parametrize("order", ["watermark_column: at", ""], ids=["by their own time", "by the time of the run"])
def test_pipelines_beside_each_other_leave_one_version(pipes: Pipes, order: str) -> None:
    first, second = (pipes(*CONFIGS["scd2"][:2], order) for _ in range(2))
    second.table = first.table
    first.run(batch(ROWS))
    second.run(batch(ROWS[:1]))

    class BesideNew(Overtaken):
        work = staticmethod(lambda: second.start(source=batch([(4, "theirs", 5)])))

    first.start(source=batch([(4, "ours", 6)]), context=BesideNew)
    new = in_turn(history(first), 4)
    assert [(row[1], row[3]) for row in new] == [("theirs", new[1][2]), ("ours", None)]

    class BesideKnown(Overtaken):
        work = staticmethod(lambda: second.start(source=batch([(1, "theirs", 7)])))

    with pytest.raises(MergeConflict):
        first.start(source=batch([(1, "ours", 8)]), context=BesideKnown)
    assert [row[1] for row in in_turn(history(first), 1)] == ["a", "theirs"]
    first.start()
    known = in_turn(history(first), 1)
    assert [(row[1], row[3]) for row in known] == [("a", known[1][2]), ("theirs", known[2][2]), ("ours", None)]


def in_turn(versions: list[tuple[Any, ...]], key: int) -> list[tuple[Any, ...]]:
    return sorted((row for row in versions if row[0] == key), key=lambda row: str(row[2]))
