"""A server of this machine that speaks S3 (moto), and the Spark server that reads and writes it."""

from __future__ import annotations

import os
import re
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen

from catalog_app.domain.stores import StoreOptions
from lakeui.runtime.processes import log_tail, process_record, process_start, process_stop
from lakeui.runtime.redis_server import LOOPBACK, free_port
from lakeui.runtime.spark import is_listening
from lakeui.runtime.stores import SparkStore, spark_store

GIVEN = "LAKEUI_TEST_STORE"
"""Environment variable: the folder and the port of a store that runs, where SPARK_REMOTE has the driver for it."""
WAREHOUSE = "LAKEUI_TEST_WAREHOUSE"
"""Environment variable: the warehouse of a whole run, in place of a folder."""
INSTALLED = Path(os.environ.get("LAKEUI_TEST_STORES", "") or Path(sys.prefix) / "stores")
"""What make installs there; another folder has it where the environment names one."""
_REQUEST = re.compile(r'"(?:\x1b\[[0-9;]*m)*([A-Z]+) (/[^ ]*) HTTP')
"""A line of the log; answers other than 200 are coloured."""


@dataclass
class ObjectStore:
    """It keeps files in memory, and a line of its log for every request. Only what ``start`` starts is stopped."""

    home: Path
    port: int = field(default_factory=free_port)
    process: Popen[bytes] | None = None

    @classmethod
    def given(cls) -> ObjectStore | None:
        """The one that the environment names."""
        home, _, port = os.environ.get(GIVEN, "").rpartition(":")
        return cls(Path(home), int(port)) if home else None

    @property
    def address(self) -> dict[str, str]:
        """What ``given`` reads."""
        return {GIVEN: f"{self.home}:{self.port}"}

    @property
    def options(self) -> StoreOptions:
        return StoreOptions(f"http://{LOOPBACK}:{self.port}", "us-east-1", True, "lake", "word-of-the-lake")

    @property
    def environment(self) -> dict[str, str]:
        """The settings that say the same."""
        said = self.options
        keys = {"LAKEUI_STORE_ACCESS_KEY": said.access_key, "LAKEUI_STORE_SECRET_KEY": said.secret_key}
        return {"LAKEUI_STORE_ENDPOINT": said.endpoint, "LAKEUI_STORE_REGION": said.region, **keys}

    def start(self) -> None:
        program, *more = self._program
        assert Path(program).exists(), "No object store is installed: run make .venv/.installed-stores"
        self.home.mkdir(parents=True, exist_ok=True)
        self.process = process_start([program, *more, "-H", LOOPBACK, "-p", str(self.port)], log=self._log)

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + 60
        while not is_listening(self.port):
            assert time.monotonic() < deadline, log_tail(self._log)
            # The server says nothing when it is ready: its port is asked.
            time.sleep(0.1)

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            process_stop(process_record("object store", self.process.pid), patience_seconds=5)
            self.process.wait()

    def bucket(self, name: str) -> str:
        """A new bucket, as an address."""
        from pyarrow.fs import S3FileSystem

        said = self.options
        S3FileSystem(
            access_key=said.access_key,
            secret_key=said.secret_key,
            region=said.region,
            endpoint_override=f"{LOOPBACK}:{self.port}",
            scheme="http",
            allow_bucket_creation=True,
        ).create_dir(name)
        return f"s3://{name}"

    def requests(self, bucket: str) -> list[tuple[str, str]]:
        """All requests to a bucket so far, as method and place."""
        place = re.compile(rf"/{bucket}(?:[/?]|$)")
        return [(method, path) for method, path in _REQUEST.findall(self._log.read_text()) if place.match(path)]

    @property
    def _program(self) -> list[str]:
        return [str(INSTALLED / "server" / "bin" / "moto_server")]

    @property
    def _log(self) -> Path:
        return self.home / "store.log"


class Counted:
    """The requests to a bucket that the body of ``with`` takes, by method."""

    def __init__(self, store: ObjectStore, bucket: str) -> None:
        self._store, self._bucket = store, bucket

    def __enter__(self) -> Counter[str]:
        self._before = len(self._store.requests(self._bucket))
        self._found: Counter[str] = Counter()
        return self._found

    def __exit__(self, *_: object) -> None:
        self._found.update(method for method, _ in self._store.requests(self._bucket)[self._before :])


def driver() -> tuple[str, ...]:
    return tuple(str(jar) for jar in sorted((INSTALLED / "jars").glob("*.jar")))


def store_of_spark(store: ObjectStore) -> SparkStore:
    return spark_store("s3://any", store.options, driver())
