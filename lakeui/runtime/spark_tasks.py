"""Tasks of a Spark server in a process of their own, which Spark ends and starts again; the server lives on.

In the server's own process a task that was stopped computes until its next batch of rows, maybe for hours. Its own
process Spark ends ``STOPPED_SECONDS`` after the stop. The tasks of others that ran there are done again in the next.
"""

from __future__ import annotations

import secrets
import shutil
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from lakeui.runtime.processes import log_tail

STOPPED_SECONDS = 60
"""A young process is slow, and a shorter time ends more of them. A longer one leaves more places to stopped tasks."""
WRITTEN_SECONDS = 2.0
"""So long after the start of its successor, all that a process said is in its files."""
MOST_ATTEMPTS = 3
"""Of a task. Each end of the process is one, and each error of a query too."""
MIB = 1024**2
ENDINGS = {
    "could not be stopped within": f"a query that was stopped computed on for {STOPPED_SECONDS} s",
    "OutOfMemoryError": "its memory was full",
}
"""What the log of a process of tasks says in the end, and what that means."""


def tasks_apart(heap: int, places: int, java_options: str) -> dict[str, str]:
    """Settings of a server whose tasks have a process with ``heap`` bytes, ``places`` of them at a time."""
    return {
        "spark.master": f"local-cluster[1,{places},{heap // MIB}]",
        "spark.executor.cores": str(places),
        "spark.executor.memory": f"{heap // MIB}m",
        "spark.executor.extraJavaOptions": java_options,
        "spark.executor.logs.rolling.strategy": "size",
        "spark.executor.logs.rolling.maxSize": str(MIB),
        "spark.executor.logs.rolling.maxRetainedFiles": "2",
        "spark.task.maxFailures": str(MOST_ATTEMPTS),
        "spark.task.reaper.enabled": "true",
        "spark.task.reaper.pollingInterval": "1s",
        "spark.task.reaper.killTimeout": f"{STOPPED_SECONDS}s",
        "spark.task.reaper.threadDump": "false",
        # Else Spark gives up where ten processes in a row end.
        "spark.deploy.maxExecutorRetries": "-1",
        # The two processes talk by sockets of the loopback interface, which every account of the machine can open.
        "spark.authenticate": "true",
        "spark.authenticate.secret": secrets.token_hex(24),
        "spark.network.crypto.enabled": "false",
        "spark.ui.killEnabled": "false",
    }


@dataclass(frozen=True, slots=True)
class TaskProcesses:
    """The processes of tasks that a server has had, by the folders that they leave in ``distribution``."""

    distribution: Path

    def ended(self) -> list[str]:
        """Why those ended that have a successor, the oldest first. Each is named once: its folder goes."""
        folders = sorted(self.distribution.glob("work/app-*/[0-9]*"), key=lambda folder: int(folder.name))
        reasons = []
        for folder, successor in pairwise(folders):
            if time.time() - successor.stat().st_ctime < WRITTEN_SECONDS:
                break
            reasons.append(_reason(folder))
            shutil.rmtree(folder, ignore_errors=True)
        return reasons


def _reason(folder: Path) -> str:
    said = log_tail(folder / "stderr", lines=100) + log_tail(folder / "stdout", lines=100)
    return next((reason for mark, reason in ENDINGS.items() if mark in said), "it ended by itself")
