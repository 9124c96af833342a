"""A part that ends again and again stops everything, with the reason."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from lakeui.runtime import restarts
from lakeui.runtime.problems import RuntimeProblem
from lakeui.runtime.processes import is_alive
from lakeui.runtime.restarts import MOST_ENDS
from lakeui.runtime.supervisor import Supervisor, UpOptions


def test_a_part_that_ends_too_often_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restarts, "FIRST_DELAY_SECONDS", 0.01)
    said: list[str] = []
    options = UpOptions(
        base=tmp_path, home=tmp_path, port=1, demo=False, admin_password="", admin_password_is_ours=True, environment={}
    )
    supervisor = Supervisor(options, said.append)
    last_words = "import sys; print('no such queue'); sys.exit(3)"
    child = supervisor._start("worker", [sys.executable, "-c", last_words], restarts=True)
    with pytest.raises(RuntimeProblem) as given_up:
        supervisor._watch()
    assert f"worker has ended by itself (exit status 3). That is end {MOST_ENDS} within 5 minutes" in str(
        given_up.value
    )
    assert "no such queue" in str(given_up.value)
    assert str(tmp_path) in given_up.value.remedy
    assert len([line for line in said if "was started again" in line]) == MOST_ENDS - 1
    assert not is_alive(child.record)
