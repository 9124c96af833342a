"""Workers of ``python -m tests`` send fewer reports; what is shown of them is the same."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.one_report import SLOW_SECONDS, reports_sent

ROOT = Path(__file__).resolve().parents[2]
WHENS = ("setup", "call", "teardown")
EVERY_END = """
import pytest

@pytest.fixture
def broken():
    raise ValueError("set-up")

@pytest.fixture
def left():
    yield
    print("said at the end")
    raise ValueError("end")

def test_passes(): pass
def test_fails(): assert 0, "call"
def test_skips(): pytest.skip("never")
def test_is_broken(broken): pass
def test_leaves(left): pass
def test_fails_and_leaves(left): assert 0, "call"
@pytest.mark.xfail(strict=True)
def test_fails_as_known(): assert 0
"""


def report(when: str, outcome: str = "passed", seconds: float = 0.01) -> pytest.TestReport:
    place = ("test_x.py", 1, "test_x")
    return pytest.TestReport("test_x.py::test_x", place, {}, outcome, None, when, duration=seconds)  # type: ignore[arg-type]


def test_a_test_that_passed_is_one_report() -> None:
    (sent,) = reports_sent([report("setup"), report("call", seconds=0.2), report("teardown")])
    assert (sent.when, sent.duration, vars(sent)["beside"]) == ("call", 0.2, 0.02)


def test_a_slow_setup_keeps_its_report() -> None:
    slow = report("setup", seconds=SLOW_SECONDS)
    sent = reports_sent([slow, report("call"), report("teardown")])
    assert [(found.when, getattr(found, "beside", None)) for found in sent] == [("setup", None), ("call", 0.01)]


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("outcome", ["failed", "skipped"])
def test_all_reports_are_sent_of_others(place: int, outcome: str) -> None:
    reports = [report(when, outcome if number == place else "passed") for number, when in enumerate(WHENS)]
    assert reports_sent(reports) == reports


def test_workers_show_every_end_of_a_test(tmp_path: Path) -> None:
    (tmp_path / "test_ends.py").write_text(EVERY_END)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    plugins = [part for name in ("progress", "one_report") for part in ("-p", f"tests.support.{name}")]
    # Nothing that other packages bring, but the workers themselves.
    command = [sys.executable, "-m", "pytest", *plugins, "-p", "xdist", "-n1", "--quiet", "-rfEs", "test_ends.py"]
    environment = {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PATH": "/usr/bin:/bin"}
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert re.search(r"2 failed, 2 passed, 1 skipped, 1 xfailed, 3 errors in", run.stdout), run.stdout + run.stderr
    assert "7 tests  in all" in run.stdout
    assert run.stdout.splitlines().count("said at the end") == 2
    for name in (
        "test_fails - AssertionError: call",
        "test_is_broken - ValueError: set-up",
        "test_leaves - ValueError",
    ):
        assert name in run.stdout
    assert "FAILED test_ends.py::test_fails (call)" in run.stdout
