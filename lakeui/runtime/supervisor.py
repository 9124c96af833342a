"""Everything on one machine: starts the parts in order, starts again what ends by itself, and stops all in the opposite
order.
"""

from __future__ import annotations

import datetime
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import NoReturn

from lakeui.runtime.calling import IN_REPOSITORY, SHOWN, command_line
from lakeui.runtime.discovery import (
    services_discover,
    services_file,
    services_from_environment,
    services_write,
)
from lakeui.runtime.environment import FILE
from lakeui.runtime.home import HomeLock, processes_read, processes_write, restarts_write
from lakeui.runtime.parts import NEVER_GIVEN_UP, QUERY_NICENESS, QUERY_TASKS, QUERY_TASKS_PER_CORE, RESTARTED, STOPPING
from lakeui.runtime.postgres import EmbeddedPostgres
from lakeui.runtime.problems import Interrupted, RuntimeProblem
from lakeui.runtime.processes import ProcessRecord, leftovers, log_tail, process_record, process_start, process_stop
from lakeui.runtime.redis_server import EmbeddedRedis
from lakeui.runtime.restarts import LONGEST_DELAY_SECONDS, MOST_ENDS, WINDOW_SECONDS, RestartPolicy
from lakeui.runtime.spark import EmbeddedSpark, java_require, query_memory
from lakeui.runtime.spark_tasks import TaskProcesses
from lakeui.runtime.stores import spark_store, store_options
from lakeui.runtime.variables import Variables
from lakeui.runtime.web import WEB_PATIENCE_SECONDS, port_require, ready_parts, web_command

DATABASE = "lakeui"
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LOOK_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class UpOptions:
    """What to start. ``admin_password`` is for the first user, when there is none yet."""

    base: Path
    home: Path
    port: int
    demo: bool
    admin_password: str
    admin_password_is_ours: bool
    variables: Variables
    environment: Mapping[str, str]


Started = tuple[ProcessRecord, subprocess.Popen[bytes]]


@dataclass(slots=True)
class Child:
    """A process that was started, and where it writes. ``again`` starts the part once more at the same address; None
    for a command that is meant to end. ``due`` is when the ended part starts again, by the monotonic clock.
    """

    record: ProcessRecord
    process: subprocess.Popen[bytes]
    log: Path
    again: Callable[[], Started] | None = None
    due: float | None = None


class Supervisor:
    """One run of ``up``. ``say`` takes lines for the person at the terminal."""

    def __init__(self, options: UpOptions, say: Callable[[str], None]) -> None:
        self._options = options
        self._say = say
        self._children: dict[str, Child] = {}
        self._asked_to_stop = False
        self._restarts = RestartPolicy()
        self._restarted: Counter[str] = Counter()
        self._lock = HomeLock(options.home)
        self._services = services_from_environment(options.environment)
        self._query_tasks = TaskProcesses(options.home / "spark_queries" / "distribution")

    def run(self) -> int:
        """Start, watch, stop. The exit status is 0 when someone asked to stop.

        Raises RuntimeProblem when a part ends during the start, or too often after it.
        """
        if not self._services.spark_remote:
            java_require()
        self._lock.take()
        with self._signals():
            try:
                self._stop_leftovers()
                # Only now: what still listens may have been a leftover of ours.
                port_require(self._options.port)
                self._start_all()
                self._watch()
            except Interrupted:
                return 0
            finally:
                self._stop_all()
                self._lock.give_back()

    # Starting

    def _start_all(self) -> None:
        (self._options.home / "run").mkdir(parents=True, exist_ok=True)
        self._restarted = Counter(dict.fromkeys(RESTARTED, 0))
        self._write_down()
        # Spark takes the longest and needs nothing: it starts first and is waited for last.
        sparks = self._start_sparks()
        self._start_redis()
        self._start_postgres()
        self._services = services_discover(self._services.as_environment(), self._options.home)
        services_write(self._options.home, self._services)
        login = self._prepare()
        self._start_worker()
        self._start_web()
        for spark in sparks:
            spark.wait_until_ready(pulse=self._pulse)
        self._wait_until_ready()
        self._load_demo()
        self._welcome(login)

    def _start_sparks(self) -> list[EmbeddedSpark]:
        """One server for writes and merges, one for queries where the machine has the memory."""
        if self._services.spark_remote:
            self._say("Spark: as SPARK_REMOTE says.")
            return []
        writes = self._start_spark("spark", self._options.variables.spark_memory)
        self._services = replace(self._services, spark_remote=writes.url)
        if self._services.spark_query_remote:
            self._say("Spark for queries: as LAKEUI_SPARK_QUERY_REMOTE says.")
            return [writes]
        memory = query_memory(self._options.variables.spark_query_memory)
        if not memory:
            self._say("Spark: one server for queries and writes; LAKEUI_SPARK_QUERY_MEMORY starts another.")
            return [writes]
        queries = self._start_spark("spark_queries", memory)
        self._services = replace(self._services, spark_query_remote=queries.url)
        return [writes, queries]

    def _start_spark(self, name: str, memory: str) -> EmbeddedSpark:
        variables = self._options.variables
        store = spark_store(self._services.warehouse, store_options(variables), variables.spark_jars)
        server = EmbeddedSpark(self._options.home / name, self._log(name), memory=memory, name=name, store=store)
        if name == "spark_queries":
            server.tasks_per_core, server.tasks_apart = QUERY_TASKS_PER_CORE, True
            server.niceness = QUERY_NICENESS
        self._say("Spark: starting." if name == "spark" else "Spark for queries: starting.")
        self._keep_server(server)
        return server

    def _start_redis(self) -> None:
        if self._services.redis_url:
            self._say("Redis: as REDIS_URL says.")
            return
        server = EmbeddedRedis(self._options.home / "redis", self._log("redis"))
        self._keep_server(server)
        self._services = replace(self._services, redis_url=server.url)
        self._say("Redis: running.")

    def _start_postgres(self) -> None:
        if self._services.database_url:
            self._say("PostgreSQL: as DATABASE_URL says.")
            return
        server = EmbeddedPostgres(
            self._options.home / "postgres", self._log("postgres"), say=self._say, pulse=self._check_asked
        )
        self._keep_server(server)
        server.database_create(DATABASE)
        self._services = replace(self._services, database_url=server.url(DATABASE))
        self._say("PostgreSQL: running.")

    def _prepare(self) -> str:
        """Migrate, collect static files, make the first user. The answer says how to sign in."""
        self._say("Database: bringing tables up to date.")
        log = self._log("prepare")
        log.unlink(missing_ok=True)
        secret = {"LAKEUI_ADMIN_PASSWORD": self._options.admin_password}
        child = self._start("prepare", self._manage("prepare"), extra=secret)
        status = self._wait_for(child)
        if status:
            raise RuntimeProblem(f"The database could not be prepared:\n{log_tail(log)}")
        if not (self._options.admin_password_is_ours and "created the user admin" in log.read_text()):
            return "Sign in as admin."
        login = f"Sign in as admin with the password {self._options.admin_password} (shown only at this start)."
        # Said at once as well: if this start is interrupted, the password could never be read.
        self._say(login)
        return login

    def _start_worker(self) -> None:
        concurrency = self._options.variables.worker_processes or max(2, os.cpu_count() or 2)
        command = [sys.executable, "-m", "celery", "-A", "lakeui", "worker", "--loglevel=INFO"]
        command += [f"--concurrency={concurrency}", "--without-gossip", "--without-mingle"]
        self._start("worker", command, restarts=True)
        self._say("Worker: starting.")

    def _start_web(self) -> None:
        self._start("web", web_command(self._options.port), restarts=True)
        self._say("Web server: starting.")

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + WEB_PATIENCE_SECONDS
        missing = "the web server does not answer"
        while time.monotonic() < deadline:
            self._pulse()
            missing = ready_parts(self._options.port)
            if not missing:
                return
            time.sleep(LOOK_SECONDS)
        raise RuntimeProblem(f"Not everything works after {WEB_PATIENCE_SECONDS} s: {missing}. See {self._log('web')}.")

    def _load_demo(self) -> None:
        loaded = self._options.home / "demo.loaded"
        if not self._options.demo or loaded.exists():
            return
        self._say("Demo lake: loading the flights of 2013, once.")
        process = subprocess.Popen(
            self._manage("demo"), cwd=self._options.base, env=self._environment(), start_new_session=True
        )
        child = self._keep(process_record("demo", process.pid), process)
        status = self._wait_for(child)
        if status:
            self._say(f"Demo lake: not loaded (exit status {status}). Try again with `{SHOWN} demo`.")
        else:
            loaded.touch()

    def _welcome(self, login: str) -> None:
        self._say("")
        self._say(f"lakeui is ready: http://localhost:{self._options.port}/")
        self._say(login)
        shown = ".venv/bin/python manage.py" if IN_REPOSITORY else SHOWN
        asked = "-c demo -b main 'SHOW TABLES'" if self._options.demo else "'SHOW CATALOGS'"
        self._say(f"In a second terminal: {shown} sql {asked}")
        self._say("Ctrl-C stops everything.")

    # Watching

    def _watch(self) -> NoReturn:
        """Raises ``Interrupted`` when someone asked to stop, ``RuntimeProblem`` when a part ended too often."""
        while True:
            self._check_asked()
            for child in list(self._children.values()):
                if child.due is None and child.process.poll() is not None:
                    self._plan_restart(child, _ending(child))
                elif child.due is not None and time.monotonic() >= child.due:
                    self._restart(child)
            self._look_at_query_tasks()
            time.sleep(LOOK_SECONDS)

    def _look_at_query_tasks(self) -> None:
        for why in self._query_tasks.ended():
            self._restarted[QUERY_TASKS] += 1
            self._write_down()
            self._say(f"{_now()} {QUERY_TASKS} was started again by Spark: {why}. Other queries continue.")

    def _plan_restart(self, child: Child, what: str) -> None:
        delay = self._restarts.delay(child.record.name, now=time.monotonic())
        if delay is None and child.record.name in NEVER_GIVEN_UP:
            delay = LONGEST_DELAY_SECONDS
        if delay is None:
            raise RuntimeProblem(
                f"{what} That is end {MOST_ENDS} within {WINDOW_SECONDS / 60:.0f} minutes, so everything stops."
                f" {child.log} ends with:\n{log_tail(child.log)}",
                remedy=f"Mend what the log says, then start again. What was committed is kept in {self._options.home}.",
            )
        child.due = time.monotonic() + delay
        self._say(f"{_now()} {what} It starts again in {delay:g} s; its log is {child.log}.")

    def _restart(self, child: Child) -> None:
        """Start the part once more where it was; what its end left behind is stopped before."""
        assert child.again is not None
        process_stop(child.record, patience_seconds=1)
        try:
            child.record, child.process = child.again()
        except (RuntimeProblem, OSError) as problem:
            # Where the disk is full, a later start may succeed.
            known = problem.message if isinstance(problem, RuntimeProblem) else None
            self._plan_restart(child, known or f"{child.record.name} could not be started: {problem}.")
            return
        child.due = None
        self._restarted[child.record.name] += 1
        self._write_down()
        self._say(f"{_now()} {child.record.name} was started again (process {child.record.pid}).")

    def _pulse(self) -> None:
        """Raises ``Interrupted`` when someone asked to stop, ``RuntimeProblem`` when a part has ended."""
        self._check_asked()
        for child in self._children.values():
            if child.process.poll() is not None:
                raise RuntimeProblem(f"{_ending(child)} {child.log} ends with:\n{log_tail(child.log)}")

    def _check_asked(self) -> None:
        if self._asked_to_stop:
            raise Interrupted

    def _wait_for(self, child: Child) -> int:
        """Wait for a command that is meant to end; its exit status."""
        del self._children[child.record.name]
        try:
            while (status := child.process.poll()) is None:
                self._pulse()
                time.sleep(LOOK_SECONDS / 5)
        except BaseException:
            self._children[child.record.name] = child
            raise
        self._write_down()
        return status

    # Stopping

    def _stop_leftovers(self) -> None:
        if self._lock.abandoned_by:
            self._say(f"Cleaning up after process {self._lock.abandoned_by}, which was killed before it could stop.")
        for record in reversed(processes_read(self._options.home)):
            if leftovers(record):
                self._say(f"Stopping {record.name}, left over from then (process {record.pid}).")
                how, patience = STOPPING.get(record.name, (signal.SIGTERM, 10.0))
                process_stop(record, how=how, patience_seconds=patience)
        services_file(self._options.home).unlink(missing_ok=True)

    def _stop_all(self) -> None:
        services_file(self._options.home).unlink(missing_ok=True)
        if not self._children:
            return
        self._say("Stopping.")
        for name in reversed(list(self._children)):
            child = self._children[name]
            how, patience = STOPPING[name]
            if process_stop(child.record, how=how, patience_seconds=patience):
                self._say(f"{name} did not stop within {patience:.0f} s and was killed.")
            child.process.wait()
            del self._children[name]
            self._write_down()
        self._say("Stopped.")

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """Only note that someone wants to stop: acting in a handler could lose a process half-way started."""
        before = {number: signal.signal(number, self._note_signal) for number in STOP_SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _note_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._asked_to_stop = True

    # Processes

    def _start(
        self, name: str, command: list[str], *, extra: Mapping[str, str] | None = None, restarts: bool = False
    ) -> Child:
        def start() -> Started:
            environment = self._environment() | dict(extra or {})
            process = process_start(command, log=self._log(name), env=environment, cwd=self._options.base)
            return process_record(name, process.pid), process

        self._pulse()
        return self._keep(*start(), again=start if restarts else None)

    def _keep_server(self, server: EmbeddedSpark | EmbeddedRedis | EmbeddedPostgres) -> None:
        """Start the server, now and whenever it ends; it keeps its address."""

        def start() -> Started:
            record = server.start()
            assert server.process is not None
            return record, server.process

        self._keep(*start(), again=start)

    def _keep(
        self,
        record: ProcessRecord,
        process: subprocess.Popen[bytes],
        *,
        again: Callable[[], Started] | None = None,
    ) -> Child:
        child = Child(record, process, self._log(record.name), again)
        self._children[record.name] = child
        self._write_down()
        return child

    def _write_down(self) -> None:
        """Note what runs and how often each part was started again. A disk without place neither ends nor leaves a
        part: the next start finds what the last note names.
        """
        try:
            processes_write(self._options.home, [child.record for child in self._children.values()])
            restarts_write(self._options.home, self._restarted)
        except OSError as problem:
            self._say(f"{_now()} What runs could not be written down: {problem}.")

    def _environment(self) -> dict[str, str]:
        own = {"LAKEUI_HOME": str(self._options.home), "LAKEUI_PORT": str(self._options.port), "PYTHONUNBUFFERED": "1"}
        own |= self._services.as_environment()
        # A variable and its file are refused together, and the password is for `prepare` alone.
        left_out = {"LAKEUI_ADMIN_PASSWORD", f"LAKEUI_ADMIN_PASSWORD{FILE}", *(name + FILE for name in own)}
        return {name: value for name, value in self._options.environment.items() if name not in left_out} | own

    def _manage(self, command: str) -> list[str]:
        return command_line(command)

    def _log(self, name: str) -> Path:
        return self._options.home / "logs" / f"{name}.log"


def _ending(child: Child) -> str:
    status = child.process.poll() or 0
    how = f"signal {-status}" if status < 0 else f"exit status {status}"
    return f"{child.record.name} has ended by itself ({how})."


def _now() -> str:
    return datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M:%S")
