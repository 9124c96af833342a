"""What would reach the host is refused wherever it stands, before the engine sees it (interfaces §1)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from lakeui.common.errors import ForbiddenStatement, LakeError, NotFound, SyntaxProblem
from lakeui.frontdoor.queries import queries, select
from lakeui.frontdoor.rows import delete_update, insert
from lakeui.frontdoor.tables import create_table, optimize
from tests.in_memory.conftest import Begun
from tests.support.lake import Lake

FUNCTIONS = [
    "java_method('java.lang.System', 'getProperty', 'user.home')",
    "reflect('java.lang.Runtime', 'getRuntime')",
    "try_reflect('java.lang.System', 'nanoTime')",
    "`REFLECT`/**/('java.lang.System', 'nanoTime')",
    "input_file_name()",
    "version()",
]
PLACES = [
    "SELECT {}",
    "SELECT 1 FROM d.t WHERE v = {}",
    "SELECT 1 FROM d.t GROUP BY v HAVING max(v) = {}",
    "SELECT 1 FROM d.t ORDER BY {}",
    "SELECT (SELECT max({}) FROM d.t)",
    "SELECT 1 FROM d.t WHERE EXISTS (SELECT 1 FROM d.t WHERE v = {})",
    "SELECT * FROM (SELECT {} AS x) AS s",
    "WITH c AS (SELECT {} AS x) SELECT * FROM c",
    "SELECT * FROM d.t UNION ALL SELECT 1, {}",
    "SELECT * FROM d.t AS a JOIN d.t AS b ON a.v = {}",
    "SELECT * FROM VALUES ({}) AS s (x)",
    "SELECT transform(array(1), x -> {})",
    "SELECT sum(1) OVER (PARTITION BY {}) FROM d.t",
    "CREATE VIEW d.w AS SELECT {} AS x",
    "CREATE OR REPLACE VIEW d.w AS WITH c AS (SELECT {} AS x) SELECT * FROM c",
    "CREATE TABLE d.n AS SELECT {} AS x",
    "CREATE TABLE d.n (id INT, v STRING DEFAULT {})",
    "ALTER TABLE d.t ADD COLUMN n STRING DEFAULT {}",
    "ALTER TABLE d.t ALTER COLUMN v SET DEFAULT {}",
    "INSERT INTO d.t VALUES (1, {})",
    "INSERT INTO d.t SELECT 1, {}",
    "INSERT OVERWRITE d.t SELECT 1, (SELECT {})",
    "UPDATE d.t SET v = {}",
    "UPDATE d.t SET v = 'x' WHERE v = {}",
    "DELETE FROM d.t WHERE v = {}",
]
FORMATS = ["parquet", "csv", "json", "text", "orc", "avro", "binaryFile", "delta", "CSV"]
COMMANDS = [
    "SET spark.sql.ansi.enabled = false",
    "SET",
    "RESET",
    "ADD JAR '{path}'",
    "ADD FILE '{path}'",
    "LIST JARS",
    "CREATE FUNCTION f AS 'a.b.C'",
    "CREATE TEMPORARY FUNCTION f AS 'a.b.C' USING JAR '{path}'",
    "CREATE TEMPORARY VIEW v USING csv OPTIONS (path '{path}')",
    "CREATE TABLE d.n (a STRING) LOCATION '{path}'",
    "LOAD DATA INPATH '{path}' INTO TABLE d.t",
    "INSERT OVERWRITE DIRECTORY '{path}.out' SELECT 1",
    "SELECT TRANSFORM (v) USING 'cat {path}' AS (x) FROM d.t",
    "SELECT * FROM read_files('{path}')",
    "EXECUTE IMMEDIATE 'SELECT 1'",
    "REFRESH '{path}'",
]


def fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a')")


@pytest.fixture
def guarded(begun: Begun, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lake]:
    """Table d.t with one row; from then on whoever asks for the engine, or moves the head, fails the test."""
    lake = begun(fill)
    head = lake.head()

    def unwanted(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError("the engine was asked")

    for module in (create_table, delete_update, insert, optimize, queries, select):
        for name in ("engine", "table_scan"):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, unwanted)
    yield lake
    assert lake.head() == head


@pytest.mark.parametrize("place", PLACES)
def test_functions_that_reach_outside_are_refused_everywhere(guarded: Lake, place: str) -> None:
    for function in FUNCTIONS:
        with pytest.raises(ForbiddenStatement):
            guarded.sql(place.format(function))


@pytest.mark.parametrize(
    "place",
    [
        "SELECT * FROM {}",
        "SELECT * FROM d.t WHERE v IN (SELECT * FROM {})",
        "WITH c AS (SELECT * FROM {}) SELECT * FROM c",
        "SELECT * FROM d.t JOIN {} AS f ON true",
        "CREATE VIEW d.w AS SELECT * FROM {}",
        "CREATE TABLE d.n AS SELECT * FROM {}",
        "INSERT INTO d.t SELECT 1, value FROM {}",
        "INSERT INTO {} VALUES (1)",
        "DELETE FROM {}",
        "UPDATE {} SET value = 'x'",
    ],
)
def test_files_are_no_tables(guarded: Lake, tmp_path: Path, place: str) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    for name in FORMATS:
        for path in (str(secret), secret.as_uri()):
            with pytest.raises(ForbiddenStatement) as refusal:
                guarded.sql(place.format(f"{name}.`{path}`"))
            assert "secret" not in refusal.value.message.replace(path, "")
    assert secret.read_text() == "secret"


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_that_change_session_or_host_are_refused(guarded: Lake, tmp_path: Path, command: str) -> None:
    path = tmp_path / "file"
    with pytest.raises(ForbiddenStatement):
        guarded.sql(command.format(path=path))
    assert list(tmp_path.iterdir()) == []


def test_a_path_in_quotes_is_no_table(guarded: Lake, tmp_path: Path) -> None:
    with pytest.raises(SyntaxProblem, match="A text in quotes is no name"):
        guarded.sql(f"SELECT * FROM '{tmp_path / 'file'}'")


def test_two_statements_in_one_text_are_refused(guarded: Lake) -> None:
    with pytest.raises(LakeError):
        guarded.sql("SELECT 1; SET spark.sql.ansi.enabled = false")


def test_names_inside_of_the_engine_are_not_reachable(guarded: Lake) -> None:
    for name in ("global_temp.x", "system.builtin", "information_schema.tables", "spark_catalog.default.t"):
        with pytest.raises((NotFound, ForbiddenStatement)):
            guarded.sql(f"SELECT * FROM {name}")
