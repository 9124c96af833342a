"""Modules of tests that are compiled before the workers start."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.compiled import rewritten_keep


def test_module_is_kept_once_and_remade_when_changed(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    module = tmp_path / "test_one.py"
    module.write_text("def test_one():\n    assert 1 + 1 == 2\n")
    assert [rewritten_keep([module], pytestconfig), rewritten_keep([module], pytestconfig)] == [1, 0]
    module.write_text("def test_one():\n    assert 1 + 2 == 3\n")
    assert rewritten_keep([module], pytestconfig) == 1


def test_pytest_takes_what_was_kept(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """A pytest that keeps modules in another form would compile them again in each worker, and not say so."""
    module = tmp_path / "test_kept.py"
    module.write_text("def test_kept():\n    assert 1 + 1 == 2\n")
    rewritten_keep([module], pytestconfig)
    (kept,) = (tmp_path / "__pycache__").iterdir()
    made = kept.stat().st_mtime_ns
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:django", "-p", "no:cacheprovider", module.name]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)
    assert [(path, path.stat().st_mtime_ns) for path in (tmp_path / "__pycache__").iterdir()] == [(kept, made)]
