"""Where services are: environment, then the running ``up``, then defaults."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from hypothesis import given
from hypothesis import strategies as st

from lakeui.common.errors import InvalidValue
from lakeui.runtime import spark
from lakeui.runtime.database.address import database_settings
from lakeui.runtime.discovery import (
    Services,
    secret_key,
    services_discover,
    services_file,
    services_write,
)
from lakeui.runtime.environment import variables_read
from lakeui.runtime.postgres import SOCKET_DIRECTORY_LIMIT, EmbeddedPostgres

WRITTEN = Services("postgresql://postgres@/lakeui?host=/run/pg", "redis://:p@127.0.0.1:1/0", "sc://localhost:2", "/w")


def test_a_second_terminal_finds_what_up_started(tmp_path: Path) -> None:
    services_write(tmp_path, WRITTEN)
    assert services_discover({}, tmp_path) == WRITTEN


def test_the_environment_wins_over_what_up_wrote(tmp_path: Path) -> None:
    services_write(tmp_path, WRITTEN)
    found = services_discover({"REDIS_URL": "redis://elsewhere/0"}, tmp_path)
    assert found.redis_url == "redis://elsewhere/0"
    assert found.database_url == WRITTEN.database_url


def test_named_spark_server_is_for_queries_too(tmp_path: Path) -> None:
    services_write(tmp_path, replace(WRITTEN, spark_query_remote="sc://localhost:3"))
    assert services_discover({}, tmp_path).spark_query_remote == "sc://localhost:3"
    assert services_discover({"SPARK_REMOTE": "sc://elsewhere"}, tmp_path).spark_query_remote == ""
    both = {"SPARK_REMOTE": "sc://elsewhere", "LAKEUI_SPARK_QUERY_REMOTE": "sc://other"}
    assert services_discover(both, tmp_path).spark_query_remote == "sc://other"


@pytest.mark.parametrize(
    ("said", "gib", "memory"),
    [("", 4, ""), ("", 8, "2g"), ("", 32, "3g"), ("1g", 4, "1g"), ("0", 32, "")],
)
def test_second_spark_is_for_machines_with_enough_memory(
    monkeypatch: pytest.MonkeyPatch, said: str, gib: int, memory: str
) -> None:
    monkeypatch.setattr(spark, "machine_memory", lambda: gib * spark.GIB)
    variables = variables_read({"LAKEUI_SPARK_QUERY_MEMORY": said})
    assert spark.query_memory(variables.spark_query_memory) == memory


@pytest.mark.parametrize("text", ["", "{", "[]", '{"unknown": 1}'])
def test_a_broken_note_counts_as_none(tmp_path: Path, text: str) -> None:
    services_file(tmp_path).parent.mkdir()
    services_file(tmp_path).write_text(text)
    assert services_discover({}, tmp_path) == Services(warehouse=str(tmp_path / "warehouse"))


def test_only_the_owner_reads_addresses_and_keys(tmp_path: Path) -> None:
    services_write(tmp_path, WRITTEN)
    secret_key(variables_read({}), tmp_path)
    for path in (services_file(tmp_path), tmp_path / "secret_key"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_secret_key_is_made_once(tmp_path: Path) -> None:
    made = secret_key(variables_read({}), tmp_path)
    assert len(made) >= 50
    assert secret_key(variables_read({}), tmp_path) == made
    assert secret_key(variables_read({"LAKEUI_SECRET_KEY": "given"}), tmp_path) == "given"


def test_home_without_key_is_refused_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InvalidValue, match=r"cannot be kept in .*file/home/secret_key: Not a directory") as refused:
        secret_key(variables_read({}), tmp_path / "file" / "home")
    assert "LAKEUI_HOME" in refused.value.remedy


def test_a_database_address_with_every_part() -> None:
    found = database_settings("postgresql://ann:p%40ss@db.example.org:6432/lake%20one?sslmode=require")
    assert (found["USER"], found["PASSWORD"]) == ("ann", "p@ss")
    assert (found["HOST"], found["PORT"], found["NAME"]) == ("db.example.org", "6432", "lake one")
    assert found["OPTIONS"] == {"sslmode": "require"}


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0/"), min_size=1, max_size=20))
def test_the_embedded_address_says_its_socket_directory(name: str) -> None:
    server = EmbeddedPostgres(Path("/srv") / f"x{name}" / "pg", Path("/dev/null"))
    found = database_settings(server.url("lakeui"))
    assert found["NAME"] == "lakeui"
    near = f"/srv/x{name}/pg-socket"
    assert found["HOST"] == near or len(near.encode()) > SOCKET_DIRECTORY_LIMIT


@pytest.mark.parametrize("url", ["mysql://h/x", "sqlite:///x", "postgresql://host", "postgresql://host/"])
def test_address_of_no_postgresql_database_is_refused(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL"):
        database_settings(url)
