"""A worker sends one report of a test that passed, in place of three. That it begins and that it ended is not sent.

Each message costs the worker, and the process that collects them, as much as a small test.
"""

from __future__ import annotations

from typing import Any

import pytest

SLOW_SECONDS = 0.5
"""A set-up or an end of a test that takes longer has a report of its own: it may be one of the slowest."""


class OneReport:
    """Holds the reports of a test until its end. Where one of them did not pass, all are sent."""

    def __init__(self, interactor: Any) -> None:
        self._send = interactor.pytest_runtest_logreport
        self._held: list[pytest.TestReport] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._held.append(report)
        if report.when == "teardown":
            held, self._held = self._held, []
            for sent in reports_sent(held):
                self._send(report=sent)


def reports_sent(reports: list[pytest.TestReport]) -> list[pytest.TestReport]:
    """What is sent of one test: its call, with the seconds of what is left out as ``beside``."""
    calls = [report for report in reports if report.when == "call"]
    if not calls or not all(report.outcome == "passed" for report in reports):
        return reports
    quick = [report for report in reports if report.when != "call" and report.duration < SLOW_SECONDS]
    vars(calls[0])["beside"] = sum(report.duration for report in quick)
    return [report for report in reports if report not in quick]


def pytest_configure(config: pytest.Config) -> None:
    """pytest-xdist has one plugin in each worker that sends everything."""
    if not hasattr(config, "workerinput"):
        return
    manager = config.pluginmanager
    interactor: Any = next(found for found in manager.get_plugins() if type(found).__name__ == "WorkerInteractor")
    manager.unregister(interactor)
    one = OneReport(interactor)
    for name in ("logreport", "logstart", "logfinish"):
        setattr(interactor, f"pytest_runtest_{name}", None)
    manager.register(interactor)
    manager.register(one, "lakeui-one-report")
