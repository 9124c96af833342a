"""Child processes: started apart from the terminal, known by pid and start time, stopped in good order."""

from __future__ import annotations

import contextlib
import os
import pwd
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

# The clock behind a start time ticks in hundredths of a second; a reused pid differs by far more.
START_TOLERANCE_SECONDS = 1.0
LOG_KEPT_BYTES = 10 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ProcessRecord:
    """Identity of a process. ``started`` is in seconds since the epoch: a pid alone may have been reused."""

    name: str
    pid: int
    started: float


@dataclass(frozen=True, slots=True)
class Account:
    """A system user that a server runs as, because it refuses to run as root."""

    name: str
    uid: int
    gid: int

    @classmethod
    def by_name(cls, name: str) -> Account:
        """Look the user up. Raises ``KeyError`` when there is none."""
        entry = pwd.getpwnam(name)
        return cls(entry.pw_name, entry.pw_uid, entry.pw_gid)


def process_start(
    command: Sequence[str],
    *,
    log: Path,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    account: Account | None = None,
    niceness: int = 0,
) -> subprocess.Popen[bytes]:
    """Start a server in a session of its own, so that Ctrl-C in the terminal reaches only whoever started it.
    ``niceness``: above 0 it yields the processor to others (POSIX ``nice``).
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    _log_rotate(log)
    with log.open("ab") as sink:
        process = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            env=dict(env) if env is not None else None,
            cwd=cwd,
            start_new_session=True,
            user=account.uid if account else None,
            group=account.gid if account else None,
            extra_groups=[] if account else None,
        )
    if niceness:
        _yield_processor(process.pid, niceness)
    return process


def _yield_processor(pid: int, niceness: int) -> None:
    """Of a process that leads its session. What it starts later inherits it."""
    with contextlib.suppress(ProcessLookupError):
        os.setpriority(os.PRIO_PROCESS, pid, max(niceness, os.getpriority(os.PRIO_PROCESS, pid)))
    # Where Linux shares the processor among sessions, the niceness of a process counts only within its session.
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/autogroup").write_text(str(niceness), encoding="ascii")


def process_record(name: str, pid: int) -> ProcessRecord:
    """The identity of a running process. Raises ``psutil.NoSuchProcess`` when it has ended."""
    return ProcessRecord(name, pid, psutil.Process(pid).create_time())


def is_alive(record: ProcessRecord) -> bool:
    """Whether that very process still runs, and not another one under its old number."""
    return _same_process(record) is not None


def leftovers(record: ProcessRecord) -> list[psutil.Process]:
    """Every process of the session that the recorded one led, itself first when it still runs."""
    leader = _same_process(record)
    followers = [
        process for process in psutil.process_iter() if process.pid != record.pid and _in_session(process, record)
    ]
    return [leader, *followers] if leader else followers


def process_stop(record: ProcessRecord, *, how: signal.Signals = signal.SIGTERM, patience_seconds: float = 10) -> bool:
    """End a process and whatever it left in its session. True when it had to be killed."""
    leader = _same_process(record)
    if leader is not None:
        with contextlib.suppress(psutil.NoSuchProcess):
            leader.send_signal(how)
        _wait_until_gone([leader], patience_seconds)
    remaining = leftovers(record)
    for process in remaining:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    _wait_until_gone(remaining, 5)
    return leader in remaining


def works_in(pid: int, directory: Path) -> bool:
    """Whether the process works in that directory, as a server does in its data and hardly any other process."""
    try:
        return Path(psutil.Process(pid).cwd()) == directory.resolve()
    except (psutil.NoSuchProcess, psutil.AccessDenied, OSError):
        return False


def log_tail(log: Path, lines: int = 15) -> str:
    """The last lines of a log, for a person who needs to know why its writer ended."""
    if not log.exists():
        return ""
    with log.open("rb") as source:
        source.seek(max(0, log.stat().st_size - 16_384))
        text = source.read().decode(errors="replace")
    return "\n".join(text.splitlines()[-lines:])


def _same_process(record: ProcessRecord) -> psutil.Process | None:
    try:
        process = psutil.Process(record.pid)
        if abs(process.create_time() - record.started) > START_TOLERANCE_SECONDS:
            return None
        return None if process.status() == psutil.STATUS_ZOMBIE else process
    except psutil.NoSuchProcess:
        return None


def _in_session(process: psutil.Process, record: ProcessRecord) -> bool:
    try:
        return (
            os.getsid(process.pid) == record.pid
            and process.create_time() >= record.started - START_TOLERANCE_SECONDS
            and process.status() != psutil.STATUS_ZOMBIE
        )
    except (ProcessLookupError, PermissionError, psutil.NoSuchProcess):
        return False


def _wait_until_gone(processes: Sequence[psutil.Process], patience_seconds: float) -> None:
    """Wait by looking, because a child that was not waited for yet stays visible as a zombie."""
    deadline = time.monotonic() + patience_seconds
    while time.monotonic() < deadline and any(_runs(process) for process in processes):
        time.sleep(0.05)


def _runs(process: psutil.Process) -> bool:
    try:
        return bool(process.is_running()) and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _log_rotate(log: Path) -> None:
    if log.exists() and log.stat().st_size > LOG_KEPT_BYTES:
        log.replace(log.with_suffix(log.suffix + ".1"))
