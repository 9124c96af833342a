"""kill -9 at the steps of statements without Spark: another worker finishes the task, and all of it has happened once.

``make test`` comes by every statement and by every point, ``make soak`` (LAKEUI_SOAK=1) by every pair of them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.pairs import TRIED_IN_MEMORY, assert_survives_kill
from tests.support.lake import Lake


@pytest.mark.parametrize(("statement", "point"), TRIED_IN_MEMORY, ids=[" at ".join(pair) for pair in TRIED_IN_MEMORY])
def test_a_statement_whose_worker_is_killed_happens_once(
    lake: Lake, worker_faults: Path, statement: str, point: str
) -> None:
    assert_survives_kill(lake, worker_faults, statement, point)
