"""``make soak`` runs each test that has a long form."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

import pytest

from tests.support.long_forms import MARK, ROOT, long_forms

ASKS = ("IS_SOAK", MARK)
SUPPORT = ROOT / "tests" / "support"


@cache
def listed() -> list[Path]:
    """Not while tests are collected: each worker collects all."""
    return [ROOT / name for name in long_forms()]


def is_listed(path: Path) -> bool:
    return any(path == found or found in path.parents for found in listed())


def asking() -> list[Path]:
    """All files outside of tests/support whose text asks which form is run."""
    texts = {path: path.read_text() for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__)}
    return [path for path, text in texts.items() if SUPPORT not in path.parents and any(word in text for word in ASKS)]


def test_soak_runs_every_long_form() -> None:
    tests = [path for path in asking() if path.name.startswith("test_")]
    assert len(tests) > 30
    assert [str(path) for path in tests if not is_listed(path)] == []


def test_folders_follow_their_fixtures() -> None:
    folders = [path.parent for path in asking() if path.name == "conftest.py"]
    assert folders
    assert [str(folder) for folder in folders if not is_listed(folder)] == []


@pytest.mark.parametrize("name", ["faults/test_killed_workers.py", "without_spark/test_killed_workers.py", "stories"])
def test_long_forms_of_helpers_are_found(name: str) -> None:
    """``tests/faults/pairs.py`` and ``tests/support/collected_stories.py`` ask in their place."""
    assert is_listed(ROOT / "tests" / name)


@pytest.mark.parametrize("name", ["sql", "docs/test_links.py", "api/http/test_metrics.py"])
def test_what_has_no_long_form_is_left_out(name: str) -> None:
    assert not is_listed(ROOT / "tests" / name)


def test_the_target_asks_for_the_list() -> None:
    shown = subprocess.run(["make", "-n", "soak"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    line = next(line for line in shown.splitlines() if "LAKEUI_SOAK=1" in line)
    assert line.split("pytest ")[1].strip() == "$(.venv/bin/python -m tests.support.long_forms)"
