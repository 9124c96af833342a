"""A server of this machine that speaks S3 (moto), and the Spark server that reads and writes it."""

from __future__ import annotations

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
from lakeui.runtime.spark import EmbeddedSpark, is_listening
from lakeui.runtime.stores import spark_store
from tests.support.servers import JAVA_OPTIONS

INSTALLED = Path(sys.prefix) / "stores"
SPARK_MEMORY = "2g"
_REQUEST = re.compile(r'"([A-Z]+) (/[^ ]*) HTTP')


@dataclass
class ObjectStore:
    """It keeps files in memory, and a line of its log for every request."""

    home: Path
    port: int = field(default_factory=free_port)
    process: Popen[bytes] | None = None

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
        program = INSTALLED / "server" / "bin" / "moto_server"
        assert program.exists(), "No object store is installed: run make .venv/.installed-stores"
        self.home.mkdir(parents=True, exist_ok=True)
        self.process = process_start([str(program), "-H", LOOPBACK, "-p", str(self.port)], log=self._log)
        deadline = time.monotonic() + 60
        while not is_listening(self.port):
            assert time.monotonic() < deadline, log_tail(self._log)
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

    def requests(self) -> Counter[tuple[str, str]]:
        """By method and kind of place, all requests so far."""
        return Counter((method, path) for method, path in _REQUEST.findall(self._log.read_text()))

    @property
    def _log(self) -> Path:
        return self.home / "store.log"


def spark_on(store: ObjectStore, home: Path) -> EmbeddedSpark:
    jars = tuple(str(jar) for jar in sorted((INSTALLED / "jars").glob("*.jar")))
    return EmbeddedSpark(
        home / "spark",
        home / "spark.log",
        memory=SPARK_MEMORY,
        java_options=JAVA_OPTIONS,
        store=spark_store("s3://any", store.options, jars),
    )
