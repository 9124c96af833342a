"""PostgreSQL, Redis, Spark and a worker of these tests' own, to be killed while others use the run's."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
from contextlib import suppress
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from typing import Any

from django.db import connection

from lakeui.common.faults import reached_mark
from lakeui.runtime.postgres import EmbeddedPostgres, postgres_program
from lakeui.runtime.processes import process_record, process_stop
from lakeui.runtime.redis_server import LOOPBACK, EmbeddedRedis
from lakeui.runtime.spark import EmbeddedSpark
from merge_app.jobs.models import Task
from merge_app.jobs.selectors import task_wait
from merge_app.jobs.services import task_submit
from tests.faults.worker import arm, submit_and_reach
from tests.support.process_copies import COPIES, Copy
from tests.support.servers import JAVA_OPTIONS
from tests.support.soak import IS_SOAK

DATABASE = "lakeui"
SPARK_MEMORY = "1g"


class Servers:
    """The processes. Statements run as tasks of the worker; nothing here talks to Spark itself.

    ``spark_url`` is the server of others, who go on using it: a Spark of its own is started where it is to be killed.
    ``worker_module`` is what a worker imports before it forks.
    """

    def __init__(self, home: Path, spark_url: str, worker_module: str) -> None:
        self._shared_spark_url = spark_url
        self._worker_module = worker_module
        self.faults = home / "faults"
        self.worker_log = home / "worker.log"
        self.warehouse = home / "warehouse"
        self.postgres = EmbeddedPostgres(home / "postgres", home / "postgres.log")
        self.redis = EmbeddedRedis(home / "redis", home / "redis.log")
        self.own_spark = EmbeddedSpark(
            home / "spark", home / "spark.log", memory=SPARK_MEMORY, java_options=JAVA_OPTIONS
        )
        if spark_url:
            # So the shared server can stand in its place.
            self.own_spark.token = spark_url.partition("token=")[2]
        self.uses_own_spark = False
        self._relay: Relay | None = None
        self.worker: Copy | None = None
        self._changing_worker = threading.Lock()
        self._is_stopped = threading.Event()
        for directory in (self.faults, self.warehouse):
            directory.mkdir(parents=True)

    @property
    def database_url(self) -> str:
        return self.postgres.url(DATABASE)

    @property
    def spark_url(self) -> str:
        return self.own_spark.url if self.uses_own_spark else self._shared_spark_url

    def start(self, migrated: str) -> None:
        """``migrated`` is the address of a database whose tables and rows this one gets too."""
        self.redis.start()
        self.postgres.start()
        self.postgres.database_create(DATABASE)
        _copy(migrated, self.database_url)
        self.start_worker()
        threading.Thread(target=self._supervise, daemon=True).start()

    def start_own_spark(self) -> None:
        """From now on everything here runs on a Spark of its own."""
        if self.own_spark.process is None:
            self.own_spark.start()
        self.uses_own_spark = True
        self.kill_worker()
        self.start_worker()
        self.own_spark.wait_until_ready()

    def start_worker(self) -> None:
        with self._changing_worker:
            self.worker = self._worker_made()

    def _worker_made(self) -> Copy:
        return COPIES.celery(self._worker_module, environment=self._environment(), log=self.worker_log)

    def _supervise(self) -> None:
        """A worker that ends by itself is started again, as by ``lakeui up``. Celery can end where Redis comes back
        while a message is not acknowledged.
        """
        while not self._is_stopped.wait(0.2):
            with self._changing_worker:
                if self.worker is not None and self.worker.poll() is not None:
                    self.worker = self._worker_made()

    def stop(self) -> None:
        """Nothing of it is looked at any more."""
        self._is_stopped.set()
        self.kill_worker()
        if self._relay is not None:
            self._relay.stop()
        for server in (self.own_spark, self.redis, self.postgres):
            if server.process is not None and server.process.poll() is None:
                crash(server, signal.SIGQUIT if server is self.postgres else signal.SIGKILL)

    def _environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "DATABASE_URL": self.database_url,
            "REDIS_URL": self.redis.url,
            "SPARK_REMOTE": self.spark_url,
            "LAKEUI_WAREHOUSE": str(self.warehouse),
            "LAKEUI_FAULTS": str(self.faults),
            "LAKEUI_RETENTION_DAYS": "0",
            "LAKEUI_STAGED_HOURS": "0",
        }

    def kill_worker(self) -> None:
        """The worker with all its processes, which is then not started again by itself."""
        with self._changing_worker:
            worker, self.worker = self.worker, None
        if worker is not None and worker.poll() is None:
            process_stop(process_record("worker", worker.pid), how=signal.SIGKILL, patience_seconds=5)
            worker.wait()

    def kill_postgres(self) -> None:
        """An immediate shutdown: connections are cut, nothing is put down, the log is replayed at the next start."""
        crash(self.postgres, signal.SIGQUIT)
        connection.close()

    def kill_redis(self) -> None:
        crash(self.redis, signal.SIGKILL)

    def kill_spark(self) -> None:
        crash(self.own_spark, signal.SIGKILL)

    def restart_spark(self) -> None:
        self.own_spark.start()
        self.own_spark.wait_until_ready()

    def replace_spark(self) -> None:
        """Where the own Spark ended, another server answers: the shared one, which is warm. It knows no session of the
        one that ended, as a server that was started again. In ``make soak`` that starts.
        """
        if IS_SOAK:
            self.restart_spark()
            return
        shared = int(self._shared_spark_url.partition(";")[0].rpartition(":")[2].strip("/"))
        self._relay = Relay(self.own_spark.port, shared)

    def run(self, parameters: dict[str, Any]) -> Task:
        """Run a statement; its task, which must succeed."""
        task = task_wait(task_submit(kind="sql", parameters=parameters).pk, seconds=60)
        assert task.state == "succeeded", task.error or task.state
        return task

    def pause(self, parameters: dict[str, Any], point: str) -> Task:
        """Submit a statement and wait until it stands at the point."""
        arm(self.faults, point, "pause")
        return submit_and_reach(parameters, self.faults, point)

    def resume(self, point: str) -> None:
        reached_mark(self.faults, point).unlink()


class Relay(ThreadingTCPServer):
    """Answers at one port of this machine by what listens at another."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, port: int, other: int) -> None:
        self.other = other
        super().__init__((LOOPBACK, port), _Relayed)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self.shutdown()
        self.server_close()


class _Relayed(BaseRequestHandler):
    """One connection. Both directions end together."""

    server: Relay

    def handle(self) -> None:
        with socket.create_connection((LOOPBACK, self.server.other)) as other:
            back = threading.Thread(target=_pass_on, args=(other, self.request), daemon=True)
            back.start()
            _pass_on(self.request, other)
            back.join()


def _pass_on(given: socket.socket, taking: socket.socket) -> None:
    with suppress(OSError):
        while part := given.recv(65536):
            taking.sendall(part)
    for end in (given, taking):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


def crash(server: EmbeddedPostgres | EmbeddedRedis | EmbeddedSpark, how: signal.Signals) -> None:
    """End a server that gets no chance to clean up."""
    assert server.process is not None
    process_stop(process_record("server", server.process.pid), how=how, patience_seconds=20)
    server.process.wait()


def _copy(source: str, destination: str) -> None:
    """All tables and rows of a database: sooner there than by migrations."""
    dumped = subprocess.run([str(postgres_program("pg_dump")), source], capture_output=True, check=True).stdout
    load = [str(postgres_program("psql")), "--quiet", "--set=ON_ERROR_STOP=1", destination]
    subprocess.run(load, input=dumped, stdout=subprocess.DEVNULL, check=True)
