"""kill -9 at the steps of statements on Spark: another worker finishes the task, and all of it has happened once.

``make test`` has here what leaves files of Spark behind; ``tests/without_spark/test_killed_workers.py`` comes by every
other statement, and by every point, without Spark. ``make soak`` (LAKEUI_SOAK=1) has every pair here.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from lakeui.common.faults import POINTS
from tests.faults.pairs import PAIRS, TRIED_IN_MEMORY, TRIED_ON_SPARK, assert_survives_kill
from tests.faults.scenarios import SCENARIOS
from tests.support.lake import Lake


def test_every_point_and_every_statement_is_tried() -> None:
    tried = [*TRIED_IN_MEMORY, *TRIED_ON_SPARK]
    assert set(tried) <= set(PAIRS)
    # Merges into plain data sets have no worker; tests/upsert kills their process itself.
    assert {point for _, point in tried} == {
        point for point in POINTS if not point.startswith(("upsert.", "backup.", "restoring."))
    }
    assert {statement for statement, _ in tried} == set(SCENARIOS)


@pytest.mark.parametrize(("statement", "point"), TRIED_ON_SPARK, ids=[" at ".join(pair) for pair in TRIED_ON_SPARK])
def test_a_statement_whose_worker_is_killed_happens_once(
    lake: Lake, worker_faults: Path, statement: str, point: str
) -> None:
    assert_survives_kill(lake, worker_faults, statement, point)
