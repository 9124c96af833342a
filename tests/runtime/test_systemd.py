"""The units for systemd: they start what the containers start, and start it again when it ends."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from django.core.management import load_command_class

from lakeui.runtime.restarts import MOST_ENDS, WINDOW_SECONDS

ROOT = Path(__file__).resolve().parents[2]
UNITS = {
    path.name: path.read_text() for path in sorted((ROOT / "docker" / "systemd").glob("lakeui*")) if path.is_file()
}
PARTS = ("lakeui-spark.service", "lakeui-spark-queries.service", "lakeui-web.service", "lakeui-worker.service")
COMPOSE = yaml.safe_load((ROOT / "docker" / "compose.yaml").read_text())["services"]


def said(unit: str, name: str) -> list[str]:
    """What the unit says under that name, lines that go on put together."""
    text = UNITS[unit].replace("\\\n", " ")
    return re.findall(rf"^{name}=(.*)$", text, re.MULTILINE)


def command(unit: str) -> list[str]:
    (line,) = said(unit, "ExecStart")
    program, *rest = shlex.split(line)
    return [program.removeprefix("/opt/lakeui/.venv/bin/"), *rest]


@pytest.mark.parametrize("unit", PARTS)
def test_part_restarts_until_it_ends_too_often(unit: str) -> None:
    assert said(unit, "Restart") == ["always"]
    is_given_up = unit not in ("lakeui-spark.service", "lakeui-spark-queries.service")
    assert said(unit, "StartLimitIntervalSec") == [f"{WINDOW_SECONDS:.0f}" if is_given_up else "0"]
    assert said(unit, "StartLimitBurst") == ([str(MOST_ENDS)] if is_given_up else [])
    assert said(unit, "RestartMaxDelaySec"), "later starts wait longer"


@pytest.mark.parametrize("unit", [*PARTS, "lakeui-prepare.service", "lakeui-backup.service"])
def test_no_part_runs_as_root_or_gains_rights(unit: str) -> None:
    assert said(unit, "User") == ["lakeui"]
    assert said(unit, "NoNewPrivileges") == ["yes"]
    assert said(unit, "EnvironmentFile") == ["/etc/lakeui/lakeui.env"]


def test_web_server_starts_as_in_the_container() -> None:
    (text,) = re.findall(r"^CMD (\[.+?\])", (ROOT / "docker" / "Dockerfile").read_text(), re.MULTILINE | re.DOTALL)
    container = json.loads(text.replace("\\\n", ""))
    own = {"--bind=0.0.0.0:8000", "--worker-tmp-dir=/dev/shm"}
    assert [word for word in command("lakeui-web.service") if word != "--bind=127.0.0.1:8000"] == [
        word for word in container if word not in own
    ]


def test_the_worker_is_started_as_in_the_container() -> None:
    assert command("lakeui-worker.service") == COMPOSE["worker"]["command"]


@pytest.mark.parametrize(
    ("part", "memory", "port"),
    [("spark", "LAKEUI_SPARK_MEMORY", "15002"), ("spark-queries", "LAKEUI_SPARK_QUERY_MEMORY", "15003")],
)
def test_spark_starts_as_in_container_but_on_loopback(part: str, memory: str, port: str) -> None:
    theirs = [word.replace("0.0.0.0", "127.0.0.1").replace("15002", port) for word in COMPOSE[part]["command"]]
    theirs[theirs.index("--driver-memory") + 1] = f"${{{memory}}}"
    unit = f"lakeui-{part}.service"
    assert command(unit) == theirs
    assert said(unit, "UnsetEnvironment") == ["SPARK_REMOTE"]
    assert f"_REMOTE=sc://127.0.0.1:{port}\n" in UNITS["lakeui.env.example"]
    assert f"{memory}=" in UNITS["lakeui.env.example"]


def test_spark_is_found_with_unit_environment_alone() -> None:
    """systemd hands on no PATH of a person's shell. Both units hand on the same."""
    both = {tuple(said(unit, "Environment")) for unit in ("lakeui-spark.service", "lakeui-spark-queries.service")}
    (environment,) = both
    virtual = Path(sys.executable).parent
    lines = [line.replace("/opt/lakeui/.venv/bin", str(virtual)) for line in environment]
    kept = {name: os.environ[name] for name in ("JAVA_HOME",) if name in os.environ}
    ran = subprocess.run(
        [str(virtual / "spark-submit"), "--version"],
        env=dict(line.split("=", 1) for line in lines) | kept,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr


def test_no_command_needs_the_repository() -> None:
    """`/opt/lakeui` may hold nothing but an environment with the wheel."""
    assert [unit for unit in UNITS if "manage.py" in UNITS[unit]] == []


def test_nightly_backup_is_an_existing_command() -> None:
    program, flag, package, name, *arguments = command("lakeui-backup.service")
    assert (program, flag, package) == ("python", "-m", "lakeui")
    options = vars(load_command_class("lakeui.api", name).create_parser("lakeui", name).parse_args(arguments))
    assert (options["folder"], options["keep"]) == ("/var/backups/lakeui", 14)
    (time,) = said("lakeui-backup.timer", "OnCalendar")
    assert time.endswith("01:30:00 UTC"), "before the night's tidying at 2:30"


def test_units_name_units_that_there_are() -> None:
    for unit in UNITS:
        for name in ("Wants", "Requires", "After", "PartOf", "WantedBy"):
            named = {word for line in said(unit, name) for word in line.split()}
            assert named <= UNITS.keys() | {"network-online.target", "multi-user.target"}, unit
    assert set(PARTS) < set(said("lakeui.target", "Wants")[0].split())


def test_environment_example_has_what_a_server_needs() -> None:
    names = set(re.findall(r"^([A-Z_]+)=", UNITS["lakeui.env.example"], re.MULTILINE))
    assert {name for name, value in COMPOSE["prepare"]["environment"].items() if ":?" in str(value)} <= names
    assert {"SPARK_REMOTE", "LAKEUI_SPARK_MEMORY", "LAKEUI_HTTPS", "LAKEUI_BEHIND_PROXY"} <= names
