"""Random histories of branches, changes and merges agree with the naive model (semantics P1 to P7, §3).

``LAKEUI_SOAK=1`` runs thousands of fresh histories instead of the fixed few.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.stateful.machine import Histories
from tests.stateful.memory_engine import MemoryEngine

IS_SOAK = os.environ.get("LAKEUI_SOAK") == "1"

PROFILE = settings(
    max_examples=5000 if IS_SOAK else 40,
    stateful_step_count=80 if IS_SOAK else 50,
    derandomize=not IS_SOAK,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)


def test_histories_agree_with_the_naive_model(database: None, memory_engine: MemoryEngine) -> None:
    run_state_machine_as_test(Histories, settings=PROFILE)
