"""Celery workers that start as copies of a process that has loaded everything (``tests/support/loaded_process.py``)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[2]


LOADED = {
    "tests.support.warm_worker": ("tests.support.warm_worker",),
    "tests.without_spark.module": ("tests.without_spark.engine",),
}
"""What is loaded before a copy is made that loads the module: it changes nothing of what others load."""

UNCHECKED = {"CELERY_SKIP_CHECKS": "1"}
"""What ``lakeui.celery`` sets in the environment of a worker: a copy, which has loaded it already, gets another one."""


class Copy:
    """What tests ask of a ``Popen``. Its exit code is not known here, as it is another process's child."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._process = psutil.Process(pid)

    def poll(self) -> int | None:
        """None while it runs."""
        return None if self._process.is_running() else -1

    def wait(self, timeout: float = 30) -> int:
        """Until it has ended."""
        deadline = time.monotonic() + timeout
        while self.poll() is None:
            if time.monotonic() > deadline:
                raise subprocess.TimeoutExpired("celery", timeout)
            time.sleep(0.01)
        return -1


class Copies:
    """One process that has loaded lakeui. It starts when it is first needed."""

    def __init__(self) -> None:
        self._loaded: subprocess.Popen[str] | None = None

    def celery(self, module: str, *arguments: str, environment: Mapping[str, str], log: Path) -> Copy:
        """A worker of lakeui with two processes, which also loads ``module``."""
        log.parent.mkdir(parents=True, exist_ok=True)
        if self._loaded is None:
            command = [sys.executable, "-m", "tests.support.loaded_process"]
            self._loaded = subprocess.Popen(
                command, cwd=ROOT, env=dict(os.environ), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            self._answer("loaded")
        assert self._loaded.stdin is not None
        command = ["-A", "lakeui", "worker", "--concurrency=2", "--loglevel=INFO", f"--include={module}"]
        command += ["--without-gossip", "--without-mingle", *arguments]
        asked = [LOADED.get(module, ()), command, {**environment, **UNCHECKED}, str(log)]
        print(json.dumps(asked), file=self._loaded.stdin, flush=True)
        return Copy(int(self._answer()))

    def _answer(self, expected: str = "") -> str:
        assert self._loaded is not None
        assert self._loaded.stdout is not None
        line = self._loaded.stdout.readline().strip()
        assert line, f"it ended: {self._loaded.poll()}"
        assert expected in line
        return line

    def stop(self) -> None:
        """The copies stay."""
        if self._loaded is not None:
            assert self._loaded.stdin is not None
            self._loaded.stdin.close()
            self._loaded.wait(timeout=30)
            assert self._loaded.stdout is not None
            self._loaded.stdout.close()
            self._loaded = None


COPIES = Copies()
