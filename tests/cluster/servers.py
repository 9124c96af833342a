"""A standalone cluster of Spark on this machine: a master, workers, and a Spark Connect server that runs on them.

They share no disk: the warehouse lies in an object store. The wheel of PySpark has no scripts that start a master or a
worker, and all their classes.
"""

from __future__ import annotations

import importlib.util
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen

import psutil

from lakeui.runtime.processes import log_tail, process_record, process_start, process_stop
from lakeui.runtime.redis_server import LOOPBACK, free_port
from lakeui.runtime.spark import LOGGING, EmbeddedSpark, is_listening, java_require
from lakeui.runtime.stores import SparkStore
from tests.support.servers import JAVA_OPTIONS

WORKERS = "TESTS_CLUSTER_WORKERS"
"""Environment variable: the process ids of the workers."""
DRIVER = "TESTS_CLUSTER_DRIVER"
"""Environment variable: the file with the process id of the Connect server."""
DAEMON_MEMORY = "256m"
EXECUTOR = "CoarseGrainedExecutorBackend"


@dataclass(frozen=True)
class Memory:
    """Of each part, in Java's notation. An executor takes less than its worker has."""

    worker: str = "1g"
    executor: str = "800m"
    driver: str = "1g"


class Driver(EmbeddedSpark):
    """The Connect server, whose tasks run in executors of a master's workers."""

    master: str
    executor_memory: str

    def _configure(self, scratch: Path) -> None:
        super()._configure(scratch)
        said = {
            "spark.master": self.master,
            "spark.executor.memory": self.executor_memory,
            "spark.executor.cores": "1",
            "spark.executor.extraJavaOptions": "-XX:+UseSerialGC",
            # A worker that was killed is noticed by its connection, and by this where the connection stays open.
            "spark.network.timeout": "60s",
        }
        if self.store.jars:
            said["spark.executor.extraClassPath"] = ":".join(str(jar) for jar in self.store.jars)
        with (self.home / "conf" / "spark-defaults.conf").open("a") as settings:
            settings.writelines(f"{name} {value}\n" for name, value in said.items())


class Cluster:
    """The processes, each of which can be killed."""

    def __init__(
        self,
        home: Path,
        store: SparkStore,
        *,
        workers: int = 2,
        memory: Memory = Memory(),
        java_options: str = JAVA_OPTIONS,
    ) -> None:
        self.home = home
        self._store = store
        self._memory = memory
        self._port = free_port()
        self._processes: list[Popen[bytes]] = []
        self.workers: list[Popen[bytes]] = []
        self._count = workers
        self.driver = Driver(
            home / "spark", home / "spark.log", memory=memory.driver, java_options=java_options, store=store
        )
        self.driver.master = self.master
        self.driver.executor_memory = memory.executor

    @property
    def master(self) -> str:
        return f"spark://{LOOPBACK}:{self._port}"

    def start(self) -> None:
        (self.home / "conf").mkdir(parents=True)
        (self.home / "conf" / "log4j2.properties").write_text(LOGGING.replace("warn", "info"))
        self._daemon("master", "master.Master", "--host", LOOPBACK, "--port", str(self._port))
        self._wait("master", lambda: is_listening(self._port))
        for number in range(self._count):
            self.worker_start(number)
        self._wait("master", lambda: self._log("master").count("Registering worker") >= self._count)
        self.driver.start()
        self.driver.wait_until_ready()

    def worker_start(self, number: int) -> None:
        name = f"worker{number}"
        options = (
            "--host",
            LOOPBACK,
            "--cores",
            "1",
            "--memory",
            self._memory.worker,
            "--work-dir",
            str(self.home / name),
        )
        self.workers.append(self._daemon(name, "worker.Worker", *options, self.master))

    @contextmanager
    def driver_kept(self) -> Iterator[None]:
        """The Connect server is started again when it ends, as a service is. ``driver_file`` says its process id."""
        is_over = threading.Event()

        def keep() -> None:
            while not is_over.wait(0.2):
                process = self.driver.process
                if process is not None and process.poll() is not None:
                    self.driver_file.write_text(str(self.driver.start().pid))

        assert self.driver.process is not None
        self.driver_file.write_text(str(self.driver.process.pid))
        keeper = threading.Thread(target=keep)
        keeper.start()
        try:
            yield
        finally:
            is_over.set()
            keeper.join()

    @property
    def driver_file(self) -> Path:
        return self.home / "driver.pid"

    def stop(self) -> None:
        self.driver.stop()
        for process in reversed(self._processes):
            if process.poll() is None:
                process_stop(process_record("cluster", process.pid), how=signal.SIGKILL, patience_seconds=10)
                process.wait()

    def _daemon(self, name: str, kind: str, *options: str) -> Popen[bytes]:
        java = java_require()
        installed = _installed()
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "PYSPARK_"))}
        # An executor inherits the keys of the store from its worker.
        environment = {**kept, **self._store.environment} | {
            "JAVA_HOME": str(java.parent.parent),
            "SPARK_HOME": str(installed),
            "SPARK_CONF_DIR": str(self.home / "conf"),
            "SPARK_LOCAL_IP": LOOPBACK,
            "SPARK_LOCAL_DIRS": str(self.home / "scratch"),
            "SPARK_DAEMON_MEMORY": DAEMON_MEMORY,
        }
        command = [str(installed / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}", "--webui-port", "0"]
        process = process_start([*command, *options], log=self.home / f"{name}.log", env=environment)
        self._processes.append(process)
        return process

    def _log(self, name: str) -> str:
        return log_tail(self.home / f"{name}.log", lines=1000)

    def _wait(self, name: str, is_there: Callable[[], bool], seconds: float = 60) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if is_there():
                return
            time.sleep(0.2)
        raise AssertionError(f"The {name} did not start. Its log ends with:\n{log_tail(self.home / f'{name}.log')}")


def _installed() -> Path:
    spec = importlib.util.find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def executors(worker: int) -> list[psutil.Process]:
    """The executors that a worker started."""
    return [process for process in psutil.Process(worker).children(recursive=True) if _is_executor(process)]


def _is_executor(process: psutil.Process) -> bool:
    try:
        return any(EXECUTOR in part for part in process.cmdline())
    except psutil.NoSuchProcess:
        # It ended meanwhile, and may still have a number.
        return False
