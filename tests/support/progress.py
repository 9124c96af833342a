"""What a person sees of a long run: how far it is, every few seconds, and at the end where the time went."""

from __future__ import annotations

import threading
import time
from collections import Counter

import pytest
from _pytest.terminal import TerminalReporter

SECONDS_BETWEEN_LINES = 10


class Progress:
    """Counts the reports of all workers, and says so at least every ten seconds."""

    def __init__(self, terminal: TerminalReporter) -> None:
        self._terminal = terminal
        self._began = time.monotonic()
        self._known = 0
        self._done = 0
        self._failed = 0
        self._folder = ""
        self._tests: Counter[str] = Counter()
        self._seconds: Counter[str] = Counter()
        self._over = threading.Event()
        self._lines = threading.Thread(target=self._say_again, daemon=True)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._known = len(session.items)

    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self._known = len(ids)

    def pytest_sessionstart(self) -> None:
        self._lines.start()

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """No dot for what passed."""
        return ("passed" if report.when == "call" else "", "", "") if report.passed else None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        folder = _folder(report.nodeid)
        self._seconds[folder] += report.duration
        if report.failed:
            self._failed += 1
            self._terminal.write_line(f"FAILED {report.nodeid} ({report.when})")
        if report.when == "teardown":
            self._folder = folder
            self._tests[folder] += 1
            self._done += 1

    def pytest_sessionfinish(self) -> None:
        self._over.set()

    def pytest_terminal_summary(self) -> None:
        self._terminal.section("time per folder, of all workers together")
        for folder, seconds in self._seconds.most_common():
            self._terminal.write_line(f"{seconds:8.1f} s {self._tests[folder]:6} tests  {folder}")
        self._terminal.write_line(f"{time.monotonic() - self._began:8.1f} s {self._done:6} tests  in all, on the clock")

    def _say_again(self) -> None:
        while not self._over.wait(SECONDS_BETWEEN_LINES):
            failed = f", {self._failed} failed" if self._failed else ""
            at = f", at {self._folder}" if self._folder else ", collecting"
            elapsed = time.monotonic() - self._began
            self._terminal.write_line(f"{elapsed:5.0f} s: {self._done} of {self._known or '?'} tests{failed}{at}")


def _folder(nodeid: str) -> str:
    """tests/sql of tests/sql/test_parse.py::test_names."""
    return "/".join(nodeid.partition("::")[0].split("/")[:-1])


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Only where the results of all workers come together."""
    terminal = config.pluginmanager.getplugin("terminalreporter")
    if terminal is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Progress(terminal), "lakeui-progress")
