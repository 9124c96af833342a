"""dbt builds a project on a branch, twice, on a running server: seed, table, view, merge, snapshot, tests, docs.

It runs where ``LAKEUI_TEST_DBT`` names a Python that has dbt and ``clients/dbt``, and ``LAKEUI_URL`` and
``LAKEUI_TOKEN`` a running server with Spark. What such a project sends is tried by
``tests/on_spark/pipelines/test_dbt_project.py`` too, without dbt.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from lakeui_client import Catalog, Lake
from lakeui_client.errors import NotFound

PROJECT = Path(__file__).resolve().parent / "dbt_project"
REAL = os.environ.get("LAKEUI_TEST_DBT", "")

pytestmark = pytest.mark.skipif(not REAL, reason="LAKEUI_TEST_DBT names no Python that has dbt")


@pytest.fixture
def catalog() -> Iterator[Catalog]:
    """A catalog of its own on the running server."""
    made = Lake(os.environ["LAKEUI_URL"], os.environ["LAKEUI_TOKEN"]).create_catalog(f"dbt_{secrets.token_hex(4)}")
    yield made
    made.drop()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return Path(shutil.copytree(PROJECT, tmp_path / "project"))


def dbt(catalog: Catalog, project: Path, *arguments: str, status: int = 0) -> str:
    """What dbt says."""
    given = {"LAKEUI_URL": catalog.http.url, "LAKEUI_TOKEN": catalog.http._token, "LAKEUI_CATALOG": catalog.name}
    quiet = {"DBT_SEND_ANONYMOUS_USAGE_STATS": "false", "HOME": str(project)}
    done = subprocess.run(
        [REAL, "-m", "dbt.cli.main", "--no-use-colors", *arguments, "--profiles-dir", "."],
        env={"PATH": os.environ["PATH"], "LAKEUI_BRANCH": "dbt"} | given | quiet,
        cwd=project,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def test_a_project_is_built_twice_on_a_branch(catalog: Catalog, project: Path) -> None:
    branch = catalog.branch("dbt", from_="main")
    assert "PASS=8" in dbt(catalog, project, "build")
    seed = project / "seeds" / "customers.csv"
    seed.write_text(seed.read_text().replace("bob", "bert") + "3,eve,2024-03-01,2\n")
    assert "PASS=8" in dbt(catalog, project, "build", "--vars", "{run: 2}")
    kept = branch.sql("SELECT id, name, run FROM shop.kept ORDER BY id").rows
    assert [tuple(row) for row in kept] == [(1, "ADA", 1), (2, "BERT", 2), (3, "EVE", 2)]
    history = branch.sql("SELECT name, dbt_valid_to IS NULL FROM shop.history ORDER BY name").rows
    assert [tuple(row) for row in history] == [("ada", True), ("bert", True), ("bob", False), ("eve", True)]
    described = branch.sql("DESCRIBE shop.active").rows
    assert described[0][-1] == "The customer's number"
    dbt(catalog, project, "docs", "generate")
    nodes = json.loads((project / "target" / "catalog.json").read_text())["nodes"]
    assert {name: node["metadata"]["type"] for name, node in nodes.items() if name.startswith("model.")} == {
        "model.shop.active": "table",
        "model.shop.kept": "table",
        "model.shop.seen": "view",
    }
    with pytest.raises(NotFound):
        catalog.branch("main").sql("SELECT * FROM shop.kept")


def test_an_unsupported_table_option_is_refused_by_name(catalog: Catalog, project: Path) -> None:
    catalog.branch("dbt", from_="main")
    model = project / "models" / "active.sql"
    text = model.read_text()
    for option, said in (("location_root='/x'", "Take location_root away"), ("clustered_by='id'", "no buckets")):
        model.write_text(text.replace("materialized='table'", f"materialized='table', {option}"))
        assert said in dbt(catalog, project, "build", "--select", "customers", "active", status=1)
