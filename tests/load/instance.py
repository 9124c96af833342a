"""An instance of lakeui of its own: ``manage.py up`` in a new home, with accounts and their tokens."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import psutil
import requests

from lakeui.runtime.home import processes_read
from lakeui.runtime.redis_server import free_port

ROOT = Path(__file__).resolve().parents[2]
READY_SECONDS = 600
"""What others do on the machine makes a start slow."""
ACCOUNTS = """
import json, sys
from django.contrib.auth.models import User
from catalog_app.domain.roles import Role
from catalog_app.models import Catalog, CatalogMember
from lakeui.access.tokens import token_create
catalog, people = json.loads(sys.argv[1])
made = {}
for name, role in people.items():
    user = User.objects.create_user(name)
    if role:
        CatalogMember.objects.create(catalog=Catalog.objects.get(name=catalog), user=user, role=Role(role).value)
    made[name] = token_create(user=user, name="load")[1]
print("TOKENS", json.dumps(made))
"""


class Instance:
    def __init__(self, home: Path, settings: Mapping[str, str]) -> None:
        self.home = home
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        given = ("DATABASE_URL", "REDIS_URL", "SPARK_REMOTE", "LAKEUI_WAREHOUSE")
        own = {"LAKEUI_HOME": str(home), "LAKEUI_PORT": str(self.port), "LAKEUI_DEMO": "0", **settings}
        self.environment = {name: value for name, value in os.environ.items() if name not in given} | own
        self.log = home.parent / "up.log"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Return when it is ready."""
        with self.log.open("wb") as sink:
            command = [sys.executable, "manage.py", "up"]
            self._process = subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=sink, stderr=sink)
        deadline = time.monotonic() + READY_SECONDS
        while "lakeui is ready" not in self.log.read_text():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(self.log.read_text()[-4000:])
            time.sleep(0.5)

    def stop(self) -> None:
        if self._process is None:
            return
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._process.kill()

    def logs_keep(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for log in (self.log, *self.home.glob("logs/*.log")):
            shutil.copy(log, folder)

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False)

    def accounts(self, catalog: str, people: Mapping[str, str]) -> dict[str, str]:
        """A token for each of ``people``, who map to their role in the catalog, or to none."""
        script = f"import sys; sys.argv[1:] = [{json.dumps([catalog, people])!r}]\n{ACCOUNTS}"
        answer = self.manage("shell", "-c", script)
        for line in answer.stdout.splitlines():
            if line.startswith("TOKENS "):
                tokens: dict[str, str] = json.loads(line.removeprefix("TOKENS "))
                return tokens
        raise RuntimeError(answer.stderr)

    def memory(self) -> dict[str, float]:
        """MiB of each part that lives, with its children. What processes share is divided among them."""
        found = {}
        for record in processes_read(self.home):
            with suppress(psutil.NoSuchProcess):
                process = psutil.Process(record.pid)
                family = [process, *process.children(recursive=True)]
                found[record.name] = sum(_proportional(member) for member in family) / 2**20
        return found

    def pids(self) -> dict[str, int]:
        return {record.name: record.pid for record in processes_read(self.home)}

    def sql(self, token: str, statement: str, *, catalog: str, branch: str = "main") -> dict[str, Any]:
        """Run a statement; wait for its end. Raises RuntimeError with what it was refused for."""
        body = {"catalog": catalog, "branch": branch, "statement": statement}
        headers = {"Authorization": f"Bearer {token}", "Prefer": "wait=30"}
        answer = requests.post(f"{self.address}/api/v1/sql/", json=body, headers=headers, timeout=60)
        while answer.status_code == 202:
            place = urljoin(self.address, answer.headers["Location"])
            task = requests.get(place, headers=headers, timeout=60).json()
            if task["state"] not in ("queued", "running"):
                if task["state"] != "succeeded":
                    raise RuntimeError(f"{statement[:80]}: {task['state']} {task['error']}")
                return dict(task["result"])
        if answer.status_code != 200:
            raise RuntimeError(f"{statement[:80]}: {answer.status_code} {answer.text[:400]}")
        result: dict[str, Any] = answer.json()
        return result


def _proportional(process: psutil.Process) -> float:
    try:
        return float(process.memory_full_info().pss)
    except psutil.NoSuchProcess:
        return 0.0
