"""Agents at once, each with a branch, a write and a merge request of its own, over HTTP; and the command line."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.benchmarks.lake import Figure
from tests.load.instance import ROOT, Instance

if TYPE_CHECKING:
    from lakeui_client import Catalog, Lake

CATALOG = "agents"
MOST_SECONDS, MOST_CALL_SECONDS = 600, 0.25
CALLS = 40
CLIENT = str(ROOT / "clients" / "python" / "src")


def figures(*, agents: int, report: Callable[[str], None] = print) -> list[Figure]:
    """Seconds until all requests are open, what crossed over between agents, and the time of a call of ``lake``."""
    with tempfile.TemporaryDirectory(prefix="lakeui-agents-") as made:
        Path(made).chmod(0o711)
        instance = Instance(Path(made) / "home", {})
        try:
            instance.start()
            return _measured(instance, agents, report)
        finally:
            instance.stop()


def _measured(instance: Instance, agents: int, report: Callable[[str], None]) -> list[Figure]:
    sys.path.insert(0, CLIENT)
    from lakeui_client import Lake

    with Lake(instance.address, instance.accounts(CATALOG, {"nobody": ""})["nobody"]) as first:
        first.create_catalog(CATALOG)
        catalog = first.catalog(CATALOG)
        main = catalog.branch("main")
        main.sql("CREATE DATABASE d")
        main.sql("CREATE TABLE d.t (id INT, n INT, PRIMARY KEY (id))")
        main.sql(f"INSERT INTO d.t SELECT CAST(id AS INT), 0 FROM range({agents})")
        tokens = [_agent_made(first, number) for number in range(agents)]
        found = _calls(instance, first.http._token)
        began = time.perf_counter()
        with ThreadPoolExecutor(agents) as pool:
            outcomes = list(pool.map(lambda pair: _work(instance.address, *pair), enumerate(tokens)))
        took = time.perf_counter() - began
        opened = [outcome for outcome in outcomes if not isinstance(outcome, str)]
        for text in sorted({outcome for outcome in outcomes if isinstance(outcome, str)})[:5]:
            report(f"  failed: {text}")
        crossed = sum(_is_crossed(catalog, number, agents) for number in range(agents))
    return [
        *found,
        Figure(f"{agents} agents: branch, write and request, s", took, at_most=MOST_SECONDS),
        Figure("requests that are open", len(opened), at_least=agents),
        Figure("slowest agent, s", max(opened, default=0.0)),
        Figure("branches with another row than their agent's", crossed, at_most=0),
    ]


def _agent_made(lake: Lake, number: int) -> str:
    """The token of a new agent of one table."""
    wanted = {
        "name": f"a{number}",
        "purpose": "bench",
        "catalogs": [CATALOG],
        "tables": ["d.t"],
        "statements": ["create_branch", "update"],
    }
    lake.http.write("POST", "/api/v1/agents/", wanted, has_key=False)
    made: dict[str, Any] = lake.http.write(
        "POST", f"/api/v1/agents/a{number}/tokens/", {"name": "bench"}, has_key=False
    )
    return str(made["token"])


def _work(address: str, number: int, token: str) -> float | str:
    """Seconds until its request was open, or what was refused."""
    from lakeui_client import Lake

    began = time.perf_counter()
    try:
        with Lake(address, token, timeout=MOST_SECONDS) as lake:
            branch = lake.catalog(CATALOG).branch(f"agent/a{number}/fix", from_="main")
            branch.sql("UPDATE d.t SET n = ? WHERE id = ?", [number + 1, number])
            branch.request(f"Row {number}")
    # What one agent is refused is counted; the others continue.
    except Exception as error:  # noqa: BLE001
        return str(error)
    return time.perf_counter() - began


def _is_crossed(catalog: Catalog, number: int, agents: int) -> bool:
    """Whether the branch of the agent has anything else than main with its own row changed."""
    found = catalog.branch(f"agent/a{number}/fix").sql("SELECT count(*), sum(n), max_by(id, n), max(n) FROM d.t").rows
    return bool(list(map(list, found)) != [[agents, number + 1, number, number + 1]])


def _calls(instance: Instance, token: str) -> list[Figure]:
    """Calls of ``lake`` one after the other, each a process of its own, on a server without other work."""
    environment = {
        **os.environ,
        "LAKEUI_URL": instance.address,
        "LAKEUI_TOKEN": token,
        "LAKEUI_CATALOG": CATALOG,
        "PYTHONPATH": CLIENT,
    }
    commands = (["status"], ["branch"], ["log"], ["audit"])
    taken = []
    for number in range(CALLS):
        command = [sys.executable, "-m", "lakeui_client.cli.main", *commands[number % len(commands)]]
        began = time.perf_counter()
        subprocess.run(command, env=environment, check=True, capture_output=True)
        taken.append(time.perf_counter() - began)
    taken.sort()
    return [
        Figure("a call of lake, p50, s", statistics.median(taken)),
        Figure("a call of lake, p95, s", taken[int(0.95 * (CALLS - 1))], at_most=MOST_CALL_SECONDS),
    ]
