"""A server that faces a network refuses to start on settings that are fit for one's own machine only."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lakeui.common.errors import InvalidValue
from lakeui.runtime.discovery import refuse_unfit_for_production
from lakeui.runtime.environment import variables_read

ROOT = Path(__file__).resolve().parents[2]
FIT = {"LAKEUI_HTTPS": "1", "LAKEUI_SECRET_KEY": "k" * 50, "LAKEUI_ALLOWED_HOSTS": "lake.example.org"}


def test_a_key_and_a_host_are_enough() -> None:
    refuse_unfit_for_production(variables_read(FIT))


def test_nothing_is_required_on_ones_own_machine() -> None:
    refuse_unfit_for_production(variables_read({"LAKEUI_DEBUG": "1"}))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"LAKEUI_SECRET_KEY": ""}, "LAKEUI_SECRET_KEY is not set"),
        ({"LAKEUI_SECRET_KEY": "short"}, "fewer than 50 characters"),
        ({"LAKEUI_ALLOWED_HOSTS": " "}, "LAKEUI_ALLOWED_HOSTS names no host"),
        ({"LAKEUI_DEBUG": "1"}, "LAKEUI_DEBUG is on"),
    ],
)
def test_each_thing_that_is_wrong_is_named(changes: dict[str, str], reason: str) -> None:
    with pytest.raises(InvalidValue, match=reason):
        refuse_unfit_for_production(variables_read({**FIT, **changes}))


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(InvalidValue) as refused:
        refuse_unfit_for_production(variables_read({"LAKEUI_HTTPS": "1", "LAKEUI_DEBUG": "1"}))
    assert all(name in refused.value.message for name in ("SECRET_KEY", "ALLOWED_HOSTS", "LAKEUI_DEBUG"))


def test_no_command_runs_with_https_and_no_key(tmp_path: Path) -> None:
    environment = {**os.environ, "LAKEUI_HTTPS": "1", "LAKEUI_HOME": str(tmp_path), "LAKEUI_SECRET_KEY": ""}
    command = [sys.executable, "manage.py", "check"]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode != 0
    assert "LAKEUI_SECRET_KEY is not set" in ran.stderr
    assert not (tmp_path / "secret_key").exists()
