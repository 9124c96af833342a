"""Random histories of branches, changes and merges agree with the naive model (semantics P1 to P7, §3).

Each run plays the same few histories; ``LAKEUI_SOAK=1`` plays thousands of fresh ones, and ``LAKEUI_SEED=<number>`` as
few as ever, but others: the same ones for the same number.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.soak import IS_SOAK
from tests.stateful.machine import Histories
from tests.stateful.memory_engine import MemoryEngine

pytestmark = pytest.mark.usefixtures("by_replays")

SEED = os.environ.get("LAKEUI_SEED")


def profile(histories: int, steps: int) -> settings:
    return settings(
        max_examples=histories * 50 if IS_SOAK else histories,
        stateful_step_count=steps,
        derandomize=not IS_SOAK,
        database=None,
        deadline=None,
        # What fails in a soak is worth the minutes of making it small.
        phases=(Phase.generate, Phase.shrink) if IS_SOAK else (Phase.generate,),
        suppress_health_check=list(HealthCheck),
        print_blob=True,
    )


def play(histories: int, steps: int) -> None:
    machine = Histories if SEED is None else seed(int(SEED))(Histories)
    run_state_machine_as_test(machine, settings=profile(histories, steps))


def test_histories_agree_with_the_naive_model(database: None, memory_engine: MemoryEngine) -> None:
    play(histories=60, steps=40)


def test_histories_on_spark_agree_with_the_naive_model(database: None, spark_remote: str) -> None:
    play(histories=3, steps=12)
