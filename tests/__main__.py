"""All tests: a queue of files, some workers that take from it, one PostgreSQL, one Spark and one object store that
they share.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lakeui.runtime.postgres import EmbeddedPostgres
from tests.support.object_store import ObjectStore, store_of_spark
from tests.support.servers import TEMPLATE, spark_for_tests

ROOT = Path(__file__).resolve().parent.parent
CORES = os.cpu_count() or 2
WORKERS = CORES + 1
"""One more than cores: a worker often waits for a server or for a lock."""


def main() -> int:
    """Run the tests and answer pytest's status."""
    # What a shell starts in the background ignores SIGINT. Servers inherit that, and miss one sent at their start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if os.environ.get("DATABASE_URL") or os.environ.get("REDIS_URL"):
        # Workers would be in each other's way on servers that somebody else gave.
        return subprocess.run([*_pytest(), *sys.argv[1:]], check=False).returncode
    # PostgreSQL refuses to run as root and then runs as another user, who must be able to pass through.
    with tempfile.TemporaryDirectory(prefix="lakeui-tests-") as made, _servers(Path(made)) as addresses:
        Path(made).chmod(0o711)
        command = [*_pytest(), f"--numprocesses={WORKERS}", f"--basetemp={made}/pytest", *sys.argv[1:]]
        return subprocess.run(command, env=_environment() | addresses, check=False).returncode


def _environment() -> dict[str, str]:
    """Compiled modules are kept, whatever the machine says: workers, and processes that tests start, share them."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _pytest() -> list[str]:
    return [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "tests.support.progress",
        "-p",
        "tests.support.queue",
        "--quiet",
        "--durations=20",
    ]


@contextmanager
def _servers(home: Path) -> Iterator[dict[str, str]]:
    """The servers that workers share, as environment variables. Spark starts while the migrations run and modules are
    compiled.
    """
    home.chmod(0o711)
    postgres = EmbeddedPostgres(home / "postgres", home / "postgres.log", durable=False)
    store = None if os.environ.get("SPARK_REMOTE") else ObjectStore(home / "store")
    spark = None if store is None else spark_for_tests(home, store_of_spark(store))
    compiling = subprocess.Popen([sys.executable, "-m", "tests.support.compiled"], cwd=ROOT, env=_environment())
    try:
        if spark is not None:
            spark.start()
        if store is not None:
            store.start()
        postgres.start()
        _template_make(postgres)
        addresses = {"DATABASE_URL": postgres.url("lakeui"), TEMPLATE: "lakeui_template"}
        if compiling.wait():
            raise RuntimeError("The modules could not be compiled; see above.")
        if spark is not None:
            spark.wait_until_ready()
            addresses["SPARK_REMOTE"] = spark.url
        if store is not None:
            store.wait_until_ready()
            addresses |= store.address
        yield addresses
    finally:
        compiling.kill()
        postgres.stop()
        if spark is not None:
            spark.stop()
        if store is not None:
            store.stop()


def _template_make(postgres: EmbeddedPostgres) -> None:
    """A database with all migrations, from which each worker makes its own."""
    postgres.database_create("lakeui_template")
    environment = _environment() | {"DATABASE_URL": postgres.url("lakeui_template")}
    environment |= {"REDIS_URL": "redis://127.0.0.1:1/0"}
    environment |= {"LAKEUI_SECRET_KEY": "of-no-use", "DJANGO_SETTINGS_MODULE": "lakeui.settings"}
    command = [sys.executable, "manage.py", "migrate", "--verbosity=0"]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)


if __name__ == "__main__":
    sys.exit(main())
