"""What ``make image-test`` makes of docker/compose.yaml, and what it says without its programs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.image.engine import Failed
from tests.image.services import interpolated, run_arguments, services_read
from tests.image.stand_ins import PREFIX, dockerfile_of

ROOT = Path(__file__).resolve().parents[2]
NEEDED = ("POSTGRES_PASSWORD", "REDIS_PASSWORD", "LAKEUI_SECRET_KEY", "LAKEUI_ADMIN_PASSWORD")


def test_services_follow_those_they_wait_for() -> None:
    services = services_read(ROOT / "docker" / "compose.yaml", dict.fromkeys(NEEDED, "x"))
    places = {name: place for place, name in enumerate(services)}
    waits = [(name, other) for name, service in services.items() for other in service.get("depends_on", ())]
    assert len(places) == 7
    assert [pair for pair in waits if places[pair[0]] < places[pair[1]]] == []


def test_a_container_has_the_rights_of_its_service() -> None:
    services = services_read(ROOT / "docker" / "compose.yaml", {**dict.fromkeys(NEEDED, "x"), "LAKEUI_PORT": "18000"})
    arguments = run_arguments("web", services["web"], "lakeui")
    text = " ".join(arguments)
    assert {"--read-only", "127.0.0.1:18000:8000", "/srv/home:U", "LAKEUI_HTTPS="} <= set(arguments)
    assert "--cap-drop ALL --security-opt no-new-privileges:true" in text
    assert "--user postgres" in " ".join(run_arguments("postgres", services["postgres"], "postgres"))
    assert run_arguments("worker", services["worker"], "lakeui")[-1] == "--without-gossip"


def test_a_missing_setting_is_named() -> None:
    assert interpolated("${A:-x} ${B:-} ${C:-y}", {"C": "z"}) == "x  z"
    with pytest.raises(Failed, match="A is not set: set it"):
        interpolated("${A:?set it}", {"A": ""})


def test_stand_ins_take_the_place_of_each_base() -> None:
    names = {name: f"{PREFIX}{name}" for name in ("python", "node")}
    text = dockerfile_of("FROM node:22.1-slim@sha256:abc AS pages\nFROM python:3.11\nRUN x\n", names)
    assert text == f"FROM {PREFIX}node AS pages\nFROM {PREFIX}python\nRUN x\n"


def test_without_its_programs_it_says_which() -> None:
    command = [sys.executable, "-m", "tests.image"]
    environment = os.environ | {"PATH": "/nowhere"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert "no buildah and no podman" in done.stderr
    assert "Traceback" not in done.stderr
