"""The embedded Spark Connect server: one local JVM from the pyspark wheel, on loopback with a token."""

from __future__ import annotations

import importlib.util
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from lakeui.runtime.problems import RuntimeProblem
from lakeui.runtime.processes import ProcessRecord, log_tail, process_record, process_start, process_stop
from lakeui.runtime.redis_server import LOOPBACK, free_port
from lakeui.runtime.spark_tasks import tasks_apart
from lakeui.runtime.stores import SparkStore

OLDEST_JAVA = 17
GIB = 1024**3
LEAST_HEAP = 450 * 1024**2
"""Spark starts no process with a smaller one."""
LARGEST_RESULT = "512m"
"""Of one job, so much comes together in the server's memory; more is refused."""
PAGE, PAGES = 2 * 1024**2, 8192
"""Of memory, so many bytes an operator that keeps rows takes at a time: a sort, a hash table, a broadcast table. Spark
would take 64 MB each of a heap of 4 GB, for few rows too. A task may have so many pages.
"""
COMPILED = 1000
"""So many pieces of generated code the server keeps. Spark's own 100 are fewer than a busy server needs."""
LATER_COMPILER = (
    "-XX:Tier4InvocationThreshold=50000 -XX:Tier4MinInvocationThreshold=6000"
    " -XX:Tier4CompileThreshold=150000 -XX:Tier4BackEdgeThreshold=400000"
)
"""Java's second compiler takes code that ran ten times as often as by default. In the first minute of a server it takes
more of the processor than the queries; loops over many rows reach the number at once.
"""
JAVA_OPTIONS = f"-XX:+UseG1GC {LATER_COMPILER}"
JAVA_REMEDY = (
    f"Install Java {OLDEST_JAVA} or newer (Debian and Ubuntu: apt install openjdk-{OLDEST_JAVA}-jre-headless; "
    f"Fedora: dnf install java-{OLDEST_JAVA}-openjdk-headless; macOS: brew install openjdk@{OLDEST_JAVA}), "
    "or point JAVA_HOME at one, or set SPARK_REMOTE to a Spark Connect server elsewhere."
)
LEFT_OFF = (
    # Kubernetes and YARN: Spark runs in one process here.
    *("kubernetes-", "volcano-", "vertx-", "zjsonpatch-", "spark-kubernetes_", "spark-yarn_"),
    # Hive's catalog, server and shell: lakeui keeps the catalog. ORC reads hive-storage-api, which stays.
    *("spark-hive_", "spark-hive-thriftserver_", "hive-beeline-", "hive-cli-", "hive-common-", "hive-exec-"),
    *("hive-jdbc-", "hive-metastore-", "hive-serde-", "hive-service-rpc-", "hive-shims-", "datanucleus-", "derby"),
    *("HikariCP-", "javax.jdo-", "jdo-api-", "commons-dbcp-", "commons-pool-", "libthrift-", "libfb303-"),
    *("jta-", "transaction-api-", "javolution-", "jpam-", "super-csv-", "opencsv-", "ST4-", "antlr-runtime-"),
    # The pages and shells of Spark, which do not run.
    *("jersey-", "hk2-", "jakarta.ws.rs-", "jaxb-", "spark-repl_", "jline-"),
)
"""How files of the distribution begin that no part of lakeui needs.

For each name of a class that does not exist Spark looks into every file. Code that it generates makes it look for many
of those. Files of pipelines and machine learning stay: Spark needs them where it closes a session.
"""
LOGGING = """rootLogger.level = warn
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d{yyyy-MM-dd HH:mm:ss} %p %c{1}: %m%n%ex
"""


@dataclass(slots=True)
class EmbeddedSpark:
    """One Spark Connect server. ``memory`` is the JVM heap in Java's notation, by default fit for the machine.

    ``java_options`` choose the collector and the compiler, which tests do otherwise. ``name`` is the part's.
    ``store`` reaches the warehouse where that lies in an object store.
    ``tasks_per_core``: Spark ends a task only between two batches of rows, so a query that was stopped may compute on.
    With more tasks than cores the others run beside it.
    ``tasks_apart``: tasks have a process of their own, with half of ``memory``. It ends where a stopped one runs on.
    Where a half is too small for Spark, there is one process. ``niceness``: that of its processes.
    """

    home: Path
    log: Path
    memory: str = ""
    java_options: str = JAVA_OPTIONS
    tasks_per_core: int = 1
    tasks_apart: bool = False
    niceness: int = 0
    name: str = "spark"
    store: SparkStore = field(default_factory=SparkStore)
    port: int = field(default_factory=free_port)
    token: str = field(default_factory=lambda: secrets.token_hex(24))
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @property
    def url(self) -> str:
        """The address of this server, whether it runs or not.

        The host must be ``localhost``: for any other name the client turns a token into TLS.
        """
        return f"sc://localhost:{self.port}/;token={self.token}"

    def start(self) -> ProcessRecord:
        """Start the JVM, which takes some seconds; ``wait_until_ready`` tells when it listens."""
        java = java_require()
        scratch = self.home / "scratch"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True)
        self._configure(scratch)
        distribution = self._distribution_link()
        self.process = process_start(
            [
                str(distribution / "bin" / "spark-submit"),
                "--class",
                "org.apache.spark.sql.connect.service.SparkConnectServer",
                "spark-internal",
            ],
            log=self.log,
            cwd=scratch,
            env=self._environment(java, distribution),
            niceness=self.niceness,
        )
        return process_record(self.name, self.process.pid)

    def wait_until_ready(self, *, pulse: Callable[[], None] | None = None, patience_seconds: float = 120) -> None:
        """Return when the server listens; ``pulse`` is called meanwhile and may raise to give up.

        Raises ``RuntimeProblem`` with the end of the server's log.
        """
        assert self.process is not None
        deadline = time.monotonic() + patience_seconds
        while time.monotonic() < deadline and self.process.poll() is None:
            if is_listening(self.port):
                return
            if pulse:
                pulse()
            time.sleep(0.1)
        self.stop()
        raise RuntimeProblem(f"The part {self.name} did not start. Its log ends with:\n{log_tail(self.log)}")

    def stop(self) -> None:
        """Stop the JVM; it holds nothing that must be kept."""
        if self.process is None or self.process.poll() is not None:
            return
        process_stop(process_record(self.name, self.process.pid), patience_seconds=15)
        self.process.wait()

    def _distribution_link(self) -> Path:
        """Spark as it is installed, but what is left off. Made anew each time: another version has other files."""
        installed, made = _distribution(), self.home / "distribution"
        shutil.rmtree(made, ignore_errors=True)
        (made / "jars").mkdir(parents=True)
        (made / "bin").symlink_to(installed / "bin")
        for jar in (installed / "jars").glob("*.jar"):
            if not jar.name.startswith(LEFT_OFF):
                (made / "jars" / jar.name).symlink_to(jar)
        for jar in self.store.jars:
            (made / "jars" / jar.name).symlink_to(jar)
        return made

    def _environment(self, java: Path, distribution: Path) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_"))}
        return {**kept, **self.store.environment} | {
            "JAVA_HOME": str(java.parent.parent),
            "SPARK_HOME": str(distribution),
            "SPARK_CONF_DIR": str(self.home / "conf"),
            "SPARK_LOCAL_IP": LOOPBACK,
            # Tasks that write to a store run Python, of the version that lakeui runs.
            "PYSPARK_PYTHON": sys.executable,
            # In the environment of one process rather than on a command line that everyone can list.
            "SPARK_CONNECT_AUTHENTICATE_TOKEN": self.token,
        }

    def _configure(self, scratch: Path) -> None:
        cores = os.cpu_count() or 2
        places = cores * self.tasks_per_core
        memory = self.memory or memory_for_this_machine()
        java = f"-Djava.io.tmpdir={scratch} {self.java_options} -XX:+ExitOnOutOfMemoryError"
        half = heap_bytes(memory) // 2
        if self.tasks_apart and half >= LEAST_HEAP:
            where = {"spark.driver.memory": f"{half // 1024**2}m"} | tasks_apart(half, places, java)
        else:
            where = {"spark.driver.memory": memory, "spark.master": f"local[{places}]"}
        settings = {
            **where,
            # How far Spark divides work: by cores, however many tasks may run beside each other.
            "spark.default.parallelism": str(cores),
            "spark.driver.maxResultSize": LARGEST_RESULT,
            "spark.buffer.pageSize": f"{page_bytes(memory)}b",
            "spark.driver.bindAddress": LOOPBACK,
            "spark.driver.host": LOOPBACK,
            "spark.driver.extraJavaOptions": java,
            "spark.connect.grpc.binding.address": LOOPBACK,
            "spark.connect.grpc.binding.port": str(self.port),
            "spark.local.dir": str(scratch),
            "spark.sql.warehouse.dir": str(scratch / "warehouse"),
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.codegen.cache.maxEntries": str(COMPILED),
            "spark.sql.shuffle.partitions": str(max(4, 2 * cores)),
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            **self.store.options,
        }
        conf = self.home / "conf"
        conf.mkdir(parents=True, exist_ok=True)
        defaults = conf / "spark-defaults.conf"
        # It holds the secret of the processes of tasks.
        defaults.touch(mode=0o600)
        defaults.chmod(0o600)
        defaults.write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
        (conf / "log4j2.properties").write_text(LOGGING)


def java_require() -> Path:
    """The ``java`` command to use, as JAVA_HOME or PATH say. Raises ``RuntimeProblem`` when missing or too old."""
    home = os.environ.get("JAVA_HOME")
    found = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if not found or not Path(found).exists():
        where = f"in JAVA_HOME ({home})" if home else "on this machine"
        raise RuntimeProblem(f"There is no Java {where}.", remedy=JAVA_REMEDY)
    version = _java_version(found)
    if version < OLDEST_JAVA:
        raise RuntimeProblem(f"{found} is Java {version or 'of an unknown version'}.", remedy=JAVA_REMEDY)
    return Path(found).resolve()


def is_listening(port: int) -> bool:
    """Whether someone answers on that port of the loopback interface."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((LOOPBACK, port)) == 0


def memory_for_this_machine() -> str:
    """A heap of 2 to 4 GiB by the memory of the machine."""
    total = machine_memory()
    return "4g" if total >= 16 * GIB else "3g" if total >= 12 * GIB else "2g"


def page_bytes(memory: str) -> int:
    """The pages of one task hold a whole heap of ``memory``."""
    return max(PAGE, heap_bytes(memory) // PAGES)


def heap_bytes(memory: str) -> int:
    """What Java's notation of a heap says; 0 where it is none, which Java refuses."""
    match = re.fullmatch(r"(\d+)([kmgt]?)b?", memory.strip().lower())
    return int(match[1]) << 10 * " kmgt".index(match[2] or " ") if match else 0


def query_memory(said: str) -> str:
    """The heap of a second server, for queries alone: what LAKEUI_SPARK_QUERY_MEMORY says. Where that is empty, one by
    the memory of the machine. Empty where there is to be none.
    """
    if said:
        return "" if said == "0" else said
    total = machine_memory()
    return "3g" if total >= 16 * GIB else "2g" if total >= 8 * GIB else ""


def machine_memory() -> int:
    """Bytes of the machine or of the container, whichever are fewer."""
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    limit = Path("/sys/fs/cgroup/memory.max")
    if limit.exists() and (text := limit.read_text().strip()).isdigit():
        total = min(total, int(text))
    return total


def _java_version(java: str) -> int:
    """The feature release: 17 of "17.0.15", 8 of "1.8.0_392", 0 when it does not say."""
    outcome = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    match = re.search(r'version "(?:1\.)?(\d+)', outcome.stderr + outcome.stdout)
    return int(match.group(1)) if match else 0


def _distribution() -> Path:
    spec = importlib.util.find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise RuntimeProblem(
            "Spark is not installed.", remedy="Install the packages of requirements.txt, or set SPARK_REMOTE."
        )
    return Path(spec.origin).parent
