"""Run after run, every strategy leaves the rows that the naive model says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from lakeui.common.errors import DuplicateKey
from tests.pipelines.strategies import model
from tests.pipelines.strategies.pipes import Pipes, batch

Model = Callable[[list[model.Row], list[model.Row]], list[model.Row]]
STRATEGIES: dict[str, tuple[str, Model]] = {
    "full_refresh": ("", model.full_refresh),
    "append_only": ("", model.append_only),
    "incremental": ("unique_key: id\nwatermark_column: at", model.incremental),
    "delete_insert": ("unique_key: id", model.delete_insert),
    "snapshot": ("partition_column: value", model.snapshot),
    "scd2": ("unique_key: id\nwatermark_column: at\nscd_columns: value", model.scd2),
}
Batches = list[list[model.Row]]

STORY: Batches = [
    [(1, "a", 1), (2, "b", 1), (None, "c", 1), (3, None, 1)],
    [(1, "a", 1), (2, "b", 1), (None, "c", 1), (3, None, 1)],
    [],
    [(4, "a", 2), (5, "b", 2)],
    [(1, "x", 5), (2, "y", 5), (None, "z", 5), (3, "c", 5), (4, None, 5), (5, "a", 5)],
    [(1, "late", 3), (2, "b", 4), (6, "six", 1), (6, "six", 1), (6, "seven", 2)],
]
"""First run, the same again, nothing, all new, all changed, late and duplicate rows."""


def expected(strategy: str, table: list[model.Row], rows: list[model.Row]) -> list[model.Row]:
    found = STRATEGIES[strategy][1](table, rows)
    return sorted(found, key=repr)


def agree(pipes: Pipes, strategy: str, batches: Batches) -> None:
    pipe = pipes(f"merge_strategy: {strategy}", STRATEGIES[strategy][0])
    table: list[model.Row] = []
    is_first = True
    for rows in batches:
        try:
            table = expected(strategy, table, rows)
        except model.Rivals:
            with pytest.raises(DuplicateKey):
                pipe.run(batch(rows))
            continue
        pipe.run(batch(rows))
        assert pipe.rows() == table
        is_first = False
    assert is_first or not pipe.runs[-1].is_degraded


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_story_of_runs(pipes: Pipes, strategy: str) -> None:
    agree(pipes, strategy, STORY)


def rows_of(strategy: str) -> Any:
    at = st.integers(0, 5) if strategy == "scd2" else st.none() | st.integers(0, 5)
    row = st.tuples(st.none() | st.integers(0, 2), st.none() | st.sampled_from("ab"), at)
    return st.lists(row, max_size=6)


@pytest.mark.parametrize("strategy", ["incremental", "delete_insert", "snapshot", "scd2"])
def test_any_runs(pipes: Pipes, strategy: str) -> None:
    @given(batches=st.lists(rows_of(strategy), min_size=2, max_size=3))
    @settings(
        max_examples=4,
        derandomize=True,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    def check(batches: Batches) -> None:
        agree(pipes, strategy, batches)

    check()
