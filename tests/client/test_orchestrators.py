"""Airflow and Dagster: a program of each writes on a branch, checks it and publishes it once, against a real server.

It runs with a stand-in of their interface; with their real libraries where ``LAKEUI_TEST_ORCHESTRATORS`` names a Python
that has them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lakeui_client import Catalog

HERE = Path(__file__).resolve().parent
CLIENT = HERE.parents[1] / "clients" / "python" / "src"
REAL = os.environ.get("LAKEUI_TEST_ORCHESTRATORS", "")


@pytest.fixture
def environment(catalog: Catalog, tmp_path: Path) -> dict[str, str]:
    url, token = catalog.http.url, catalog.http._token
    connection = {"conn_type": "lakeui", "host": url, "password": token, "schema": catalog.name}
    paths = [str(CLIENT), *([] if REAL else [str(HERE / "stand_ins")])]
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PYTHONPATH": os.pathsep.join(paths),
        "AIRFLOW_HOME": str(tmp_path / "airflow"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__UNIT_TEST_MODE": "False",
        "AIRFLOW_CONN_LAKEUI_DEFAULT": json.dumps(connection),
        "AIRFLOW_CONN_LAKEUI_NOWHERE": json.dumps(connection | {"host": "http://127.0.0.1:1"}),
        "DAGSTER_HOME": str(tmp_path),
        "LAKEUI_URL": url,
        "LAKEUI_TOKEN": token,
        "LAKEUI_CATALOG": catalog.name,
    }


def run(environment: dict[str, str], program: str, orchestrator: str) -> Any:
    done = subprocess.run(
        [REAL or sys.executable, str(HERE / program), orchestrator],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def rows(catalog: Catalog, branch: str = "main") -> list[int]:
    return sorted(row[0] for row in catalog.branch(branch).sql("SELECT id FROM d.t").rows)


def test_airflow_publishes_a_task_once(catalog: Catalog, environment: dict[str, str]) -> None:
    reported = run(environment, "orchestrated.py", "airflow")
    assert (reported["connection"], reported["elsewhere"]) == (True, False)
    merged = catalog.merges(source="airflow/flights/manual__2026-01-01/load", outcome="merged")
    assert reported["published"]["merge_id"] == merged[0]["merge_id"]
    assert (reported["again"]["merge_id"], len(merged)) == (reported["published"]["merge_id"], 1)
    assert (reported["wrong"], reported["mapped"]) == ("ChecksFailed", "airflow/flights/manual__2026-01-01/mapped/3")
    assert catalog.merge_request(reported["request"]["request"]).get()["title"] == "Twelve"
    assert {"sql", "checks", "title"} <= set(reported["templated"])
    assert rows(catalog) == [1, 2, 10, 13]


def test_dagster_publishes_a_step_once(catalog: Catalog, environment: dict[str, str]) -> None:
    reported = run(environment, "orchestrated.py", "dagster")
    merged = catalog.merges(source="dagster/flights/run-1/load", outcome="merged")
    assert (reported["connection"], reported["published"]["merge_id"]) == (True, merged[0]["merge_id"])
    assert (reported["again"], reported["wrong"], len(merged)) == ("AlreadyPublished", "ChecksFailed", 1)
    assert catalog.merge_request(reported["request"]["request"]).get()["title"] == "Twelve"
    assert rows(catalog) == [1, 2, 10]
