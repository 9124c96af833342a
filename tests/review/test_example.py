"""``examples/merge_request.py``, run as its users run it, against a server."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.review.conftest import ReviewLake

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "merge_request.py"

pytestmark = pytest.mark.usefixtures("local_worker")


def run(lake: ReviewLake, server: Any, *, author: str = "alice", reviewer: str = "bob", source: str = "b") -> Any:
    tokens = {
        name: lake.people[who].headers["Authorization"].removeprefix("Bearer ")
        for name, who in (("LAKEUI_TOKEN", author), ("LAKEUI_REVIEWER_TOKEN", reviewer))
    }
    return subprocess.run(
        [sys.executable, SCRIPT, server.url, lake.catalog, source, "main", "Delays"],
        env={**os.environ, **tokens, "PYTHONPATH": ""},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_it_opens_approves_and_merges(lake: ReviewLake, live_server: Any) -> None:
    lake.protect()
    done = run(lake, live_server)
    assert (done.returncode, done.stderr) == (0, "")
    detail = lake.read("merge-requests/1/")
    assert (detail["state"], detail["title"], detail["author"]) == ("merged", "Delays", "alice")
    assert [vote["reviewer"] for vote in detail["votes"]] == ["bob"]
    assert detail["merge_id"] in done.stdout
    assert f"version {lake.branch('main').head_version} of main" in done.stdout


def test_it_says_why_not(lake: ReviewLake, live_server: Any) -> None:
    refused = run(lake, live_server, reviewer="alice")
    assert refused.returncode == 1
    assert "PERMISSION_DENIED: You may not review merge requests here" in refused.stderr


def test_it_names_every_conflict(lake: ReviewLake, live_server: Any) -> None:
    lake.write("DROP TABLE d.t", "alice")
    refused = run(lake, live_server)
    assert refused.returncode == 1
    assert refused.stderr.startswith("MERGE_BLOCKED: ")
    assert "conflict  d.t" in refused.stdout
