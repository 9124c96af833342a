"""``doctor`` shows what is set and where it comes from, and what is wrong with each service; it shows no secret."""

from __future__ import annotations

import io
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow.fs as pafs
import pytest
from django.core.management import call_command

from catalog_app.domain.stores import StoreOptions
from catalog_app.engine.failures import translate
from catalog_app.engine.session import SparkSessions
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.broker import redis_client
from lakeui.runtime import doctor
from lakeui.runtime.discovery import Services, services_write
from lakeui.runtime.doctor import HIDDEN, EffectiveSetting, ServiceState, settings_effective
from lakeui.runtime.problems import RuntimeProblem
from lakeui.runtime.store_checks import _written_by_tasks
from lakeui.runtime.variables import FIELDS
from merge_app.jobs import presence
from tests.access.provider import provider_run

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def whole(settings: Any, tmp_path: Path, redis_url: str) -> Iterator[Any]:
    """An instance in order, but that its Spark is a socket which listens."""
    (tmp_path / "manifest.json").touch()
    with socket.create_server(("127.0.0.1", 0)) as server:
        remote = f"sc://127.0.0.1:{server.getsockname()[1]}/;token=hidden-4711"
        settings.LAKEUI = {**settings.LAKEUI, "SPARK_REMOTE": remote, "WAREHOUSE": str(tmp_path / "warehouse")}
        settings.BUNDLE_DIR, settings.HOME = tmp_path, tmp_path
        presence.worker_seen("celery@doctor")
        yield settings
    redis_client().zrem(presence._KEY, "celery@doctor")


def run(*arguments: str) -> tuple[int, str]:
    said = io.StringIO()
    try:
        call_command("doctor", *arguments, stdout=said)
    except SystemExit as ended:
        return int(str(ended.code)), said.getvalue()
    return 0, said.getvalue()


def state(name: str) -> ServiceState:
    return doctor._state(name, dict(doctor._checks({}))[name])


@pytest.mark.django_db
@pytest.mark.usefixtures("whole")
def test_what_is_in_order_ends_with_0(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_REMOTE", "sc://h/;token=hidden-4711")
    status, said = run("--json")
    answer = json.loads(said)
    assert [part for part in answer["services"] if part["state"] == "wrong"] == []
    assert (status, answer["ok"]) == (0, True)
    states = {part["name"]: part["state"] for part in answer["services"]}
    assert states == dict.fromkeys(states, "ok") | {"java": "not needed"}
    assert set(states) == {"home", "warehouse", "disk", "java", "pages", "database", "redis", "spark", "worker"}
    assert [setting["name"] for setting in answer["settings"]] == list(FIELDS)
    assert "hidden-4711" not in said


@pytest.mark.django_db
def test_one_wrong_thing_ends_with_1_and_remedy(whole: Any, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").unlink()
    status, said = run()
    assert status == 1
    assert "wrong: The pages are not built" in said
    assert "Run `make frontend`." in said


def test_home_without_services_says_how_to_start_them(tmp_path: Path) -> None:
    """As on a machine where nothing was started: everything is said, nothing is a traceback, and nothing is kept."""
    home = tmp_path / "home"
    gone = {
        "DATABASE_URL": "postgresql://ann:hidden-4711@127.0.0.1:1/lake",
        "REDIS_URL": "redis://:hidden-4711@127.0.0.1:1/0",
    }
    environment = {**os.environ, **gone, "SPARK_REMOTE": "", "LAKEUI_HOME": str(home)}
    environment |= {"LAKEUI_WAREHOUSE": str(home / "warehouse")}
    command = [sys.executable, "manage.py", "doctor", "--json"]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert (ran.returncode, ran.stderr) == (1, "")
    answer = json.loads(ran.stdout)
    found = {part["name"]: part for part in answer["services"]}
    assert found["database"]["message"].startswith("The database does not answer: ")
    assert found["redis"]["message"].startswith("Redis does not answer: ")
    assert found["spark"]["message"] == "There is no Spark: no `up` runs here."
    assert found["worker"]["remedy"] == "Mend Redis first."
    assert [name for name, part in found.items() if part["state"] == "wrong" and not part["remedy"]] == []
    assert "hidden-4711" not in ran.stdout
    assert not home.exists()


@pytest.mark.django_db
def test_outdated_database_is_named(whole: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor.MigrationExecutor, "migration_plan", lambda *_: [("one", False), ("two", False)])
    found = state("database")
    assert found.state == "wrong"
    assert "2 migrations are not applied" in found.message
    assert "prepare" in found.remedy


def test_a_worker_that_is_away_is_named(whole: Any) -> None:
    redis_client().zrem(presence._KEY, *presence.workers_present())
    found = state("worker")
    assert (found.state, found.message) == ("wrong", "No worker was seen lately.")


@pytest.mark.parametrize(
    ("remote", "message"),
    [
        ("sc://127.0.0.1:1/;token=hidden-4711", "Spark does not answer: [Errno 111] Connection refused"),
        ("", "There is no Spark: no `up` runs here."),
    ],
)
def test_a_spark_that_is_away_is_named(settings: Any, remote: str, message: str) -> None:
    found = doctor._state("spark", lambda: doctor._spark(remote, "SPARK_REMOTE"))
    assert (found.state, found.message) == ("wrong", message)
    assert "SPARK_REMOTE" in found.remedy


def test_a_folder_that_cannot_be_written_is_named(settings: Any, tmp_path: Path) -> None:
    settings.LAKEUI = {**settings.LAKEUI, "WAREHOUSE": "/proc/self/lake"}
    found = state("warehouse")
    assert found.state == "wrong"
    assert found.message.startswith("/proc/")
    assert "LAKEUI_WAREHOUSE" in found.remedy


def test_a_store_that_is_away_is_named(settings: Any) -> None:
    keys = StoreOptions("http://127.0.0.1:1", "x", access_key="who", secret_key="hidden-4711")
    settings.LAKEUI = {**settings.LAKEUI, "WAREHOUSE": "s3://bucket/lake", "STORE": keys}
    found = state("warehouse")
    assert found.state == "wrong"
    assert found.message.startswith("A file at s3://bucket/lake cannot be written: ")
    assert "LAKEUI_STORE_ENDPOINT" in found.remedy
    assert "hidden-4711" not in found.message
    assert state("disk").state == "ok"


def test_a_full_disk_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=512 * 1024**2))
    found = state("disk")
    assert found.state == "wrong"
    assert found.message.startswith("512 MiB are free at /")
    assert "vacuum" in found.remedy


def test_java_is_wanted_where_up_starts_spark(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    found = doctor._state("java", lambda: doctor._java({}))
    assert found.state == "wrong"
    assert f"There is no Java in JAVA_HOME ({tmp_path})." in found.message
    assert found.remedy


def test_each_setting_says_where_it_comes_from(settings: Any, tmp_path: Path) -> None:
    running: dict[str, Any] = {"database_url": "postgresql://ann:hidden-4711@h/x", "warehouse": "/lake"}
    services_write(tmp_path, Services(**running))
    settings.HOME = tmp_path
    settings.SERVICES = replace(Services(**running), redis_url="redis://:hidden-4711@h/0")
    (tmp_path / "key").write_text("hidden-4711")
    environment = {
        "LAKEUI_HTTPS": "on",
        "LAKEUI_SECRET_KEY_FILE": f"{tmp_path}/key",
        "REDIS_URL": "redis://:hidden-4711@h/0",
    }
    found = {setting.name: setting for setting in settings_effective(environment)}
    assert found["DATABASE_URL"] == EffectiveSetting("DATABASE_URL", HIDDEN, "the running up")
    assert found["LAKEUI_WAREHOUSE"] == EffectiveSetting("LAKEUI_WAREHOUSE", "/lake", "the running up")
    assert found["REDIS_URL"] == EffectiveSetting("REDIS_URL", HIDDEN, "environment")
    assert found["LAKEUI_SECRET_KEY"] == EffectiveSetting("LAKEUI_SECRET_KEY", HIDDEN, f"file {tmp_path}/key")
    assert found["LAKEUI_HTTPS"] == EffectiveSetting("LAKEUI_HTTPS", "on", "environment")
    assert found["LAKEUI_PORT"] == EffectiveSetting("LAKEUI_PORT", "8000", "default")
    assert found["LAKEUI_HOME"] == EffectiveSetting("LAKEUI_HOME", str(tmp_path), "default")


def test_a_task_that_fails_is_said_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Spark's error says already that a task could not write."""

    def fails(*_: object) -> None:
        raise translate(
            RuntimeError("Traceback (most recent call last):\nModuleNotFoundError: No module named 'pyarrow'")
        )

    monkeypatch.setattr(Warehouse, "task_filesystem", pafs.LocalFileSystem())
    monkeypatch.setattr(SparkSessions, "run", fails)
    with pytest.raises(RuntimeProblem) as raised:
        _written_by_tasks(Warehouse(str(tmp_path)), "sc://nowhere:1")
    said = "Python failed in a task of Spark: No module named 'pyarrow'"
    assert raised.value.message == f"{tmp_path}: {said}"
    assert "pyarrow" in raised.value.remedy


def test_a_provider_is_asked_for_its_configuration(whole: Any) -> None:
    with provider_run() as running:
        whole.LAKEUI = {**whole.LAKEUI, "OIDC_ISSUER": running.issuer}
        assert state("single_sign_on").state == "ok"
        whole.LAKEUI = {**whole.LAKEUI, "OIDC_ISSUER": f"{running.issuer}/"}
        found = state("single_sign_on")
    assert (found.state, found.remedy) == ("wrong", f"Set LAKEUI_OIDC_ISSUER={running.issuer}.")
    assert state("single_sign_on").message.startswith(f"{running.issuer}/.well-known/openid-configuration does not")
