"""LAKEUI_HOME while ``up`` runs: one at a time, and every process it started written down."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

from lakeui.runtime.problems import RuntimeProblem
from lakeui.runtime.processes import ProcessRecord


class HomeLock:
    """Held for as long as ``up`` runs. The kernel frees it with the process, so it can never be stale."""

    def __init__(self, home: Path) -> None:
        self._path = home / "run" / "up.lock"
        self._file: TextIO | None = None
        self.abandoned_by: int | None = None

    def take(self) -> None:
        """Raises ``RuntimeProblem`` when another ``up`` runs.

        ``abandoned_by`` is then the process that held it before and ended without giving it back, if any.
        """
        self._path.parent.mkdir(parents=True, exist_ok=True)
        handle = self._path.open("a+")
        handle.seek(0)
        written = handle.read().strip()
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            handle.close()
            raise RuntimeProblem(
                f"lakeui is already running here: process {written or '?'}.",
                remedy="Stop it with Ctrl-C or `kill` first, or set LAKEUI_HOME and LAKEUI_PORT to start a second one.",
            ) from None
        self.abandoned_by = int(written) if written.isdecimal() else None
        self._file = handle
        self._write(str(os.getpid()))

    def give_back(self) -> None:
        """Everything is stopped."""
        if self._file is not None:
            self._write("")
            self._file.close()
            self._file = None

    def _write(self, text: str) -> None:
        assert self._file is not None
        self._file.seek(0)
        self._file.truncate()
        self._file.write(text)
        self._file.flush()


def processes_write(home: Path, records: Iterable[ProcessRecord]) -> None:
    """Write down what runs, for the next start in case that this one is killed."""
    path = _processes_file(home)
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps([asdict(record) for record in records]))
    fresh.replace(path)


def processes_read(home: Path) -> list[ProcessRecord]:
    """What the last ``up`` had started and not stopped."""
    try:
        return [ProcessRecord(**entry) for entry in json.loads(_processes_file(home).read_text())]
    except (FileNotFoundError, ValueError, TypeError):
        return []


def _processes_file(home: Path) -> Path:
    return home / "run" / "processes.json"


def restarts_write(home: Path, counts: Mapping[str, int]) -> None:
    """Note how often each part was started again, for ``/metrics``."""
    _restarts_file(home).write_text(json.dumps(dict(counts)))


def restarts_read(home: Path) -> dict[str, int]:
    """What the running ``up`` noted; nothing where there is none."""
    try:
        return {str(part): int(count) for part, count in json.loads(_restarts_file(home).read_text()).items()}
    except (OSError, ValueError, AttributeError):
        return {}


def _restarts_file(home: Path) -> Path:
    return home / "run" / "restarts.json"
