"""A worker that was believed dead continues beside the one that took its task over: on Spark it has happened once.

``make test`` tries a load here, which needs Spark, other statements in ``tests/without_spark/test_slow_workers.py``.
"""

from __future__ import annotations

import pytest

from tests.faults.slow_workers import COMMITTING, EACH_COMMIT, assert_happens_once_beside_the_next
from tests.support.lake import Lake
from tests.support.soak import IS_SOAK


def test_some_of_what_commits_is_tried() -> None:
    assert set(EACH_COMMIT) < set(COMMITTING)


@pytest.mark.parametrize("statement", COMMITTING if IS_SOAK else ["IMPORT"])
def test_a_slow_worker_commits_while_the_next_starts(
    lake: Lake, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    assert_happens_once_beside_the_next(lake, monkeypatch, statement)
