"""A worker that was believed dead continues beside the one that took its task over: it has happened once."""

from __future__ import annotations

import pytest

from tests.faults.slow_workers import EACH_COMMIT, assert_happens_once_beside_the_next
from tests.support.lake import Lake


@pytest.mark.parametrize("statement", [statement for statement in EACH_COMMIT if statement != "IMPORT"])
def test_a_slow_worker_commits_while_the_next_starts(
    lake: Lake, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    assert_happens_once_beside_the_next(lake, monkeypatch, statement)
