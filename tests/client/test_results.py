"""Results of any number of rows by the client: batches, pages, files, cursors and streams of the command."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from catalog_app.models import KeptResult
from lakeui.frontdoor.queries import select
from lakeui_client import Catalog, LakeError, Stale, dbapi
from lakeui_client import results as client_results
from lakeui_client.cli.main import run

ROWS = [(number, f"n{number}") for number in range(1, 12)]
QUERY = "SELECT id, name FROM d.t ORDER BY id"


@pytest.fixture
def many(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> Catalog:
    """d.t with eleven rows, of which the server sends three as the answer of a statement."""
    values = ", ".join(f"({number}, '{name}')" for number, name in ROWS)
    catalog.branch("main").sql(f"INSERT OVERWRITE d.t VALUES {values}")
    monkeypatch.setattr(select, "ROW_LIMIT", 3)
    monkeypatch.setattr(client_results, "PAGE_ROWS", 4)
    return catalog


def test_a_result_is_read_in_batches_then_deleted(many: Catalog) -> None:
    with many.branch("main").keep("SELECT id, name FROM d.t WHERE id > :i ORDER BY id", {"i": 1}) as kept:
        assert (kept.row_count, kept.columns) == (10, (("id", "int"), ("name", "string")))
        assert list(kept.rows()) == ROWS[1:]
        assert list(kept.rows(start=7)) == ROWS[8:]
        assert [row["id"] for batch in kept.batches(start=2) for row in batch.to_pylist()] == list(range(4, 12))
        assert kept.to_arrow().num_rows == 10
        assert KeptResult.objects.filter(pk=kept.id).exists()
    assert not KeptResult.objects.filter(pk=kept.id).exists()
    kept.let_go()
    with pytest.raises(LakeError) as gone:
        list(kept.batches())
    assert gone.value.code == "NOT_FOUND"


def test_a_broken_stream_resumes_where_it_broke(many: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    opened, starts = many.http.opened, []

    def breaking(path: str, accept: str, **query: Any) -> Any:
        starts.append(query["start"])
        return opened(path, accept, **query)

    with many.branch("main").keep(QUERY) as kept:
        monkeypatch.setattr(kept.http, "opened", breaking)
        real = pa.ipc.open_stream

        def half(source: Any) -> Iterator[pa.RecordBatch]:
            batches = iter(real(source))
            yield next(batches)
            if len(starts) == 1:
                raise ConnectionResetError("gone")
            yield from batches

        monkeypatch.setattr(pa.ipc, "open_stream", half)
        assert [row["id"] for batch in kept.batches() for row in batch.to_pylist()] == list(range(1, 12))
    assert starts == [0, 2]


def test_arrow_and_files_have_all_rows(many: Catalog, tmp_path: Path) -> None:
    main = many.branch("main")
    answered = main.sql(QUERY)
    assert (answered.truncated, answered.rows) == (True, ROWS[:3])
    assert answered.to_arrow().num_rows == 11
    for ending in ("csv", "parquet"):
        assert main.export(QUERY, tmp_path / f"x.{ending}") == 11
    assert (tmp_path / "x.csv").read_text().splitlines()[-1] == '11,"n11"'
    assert pa.parquet.read_table(tmp_path / "x.parquet").num_rows == 11
    assert sorted(path.name for path in tmp_path.glob("*x*")) == ["x.csv", "x.parquet"]
    main.sql("DELETE FROM d.t WHERE id = 1")
    with pytest.raises(Stale):
        answered.to_arrow()
    assert not KeptResult.objects.exists()


def test_a_cursor_holds_one_page_and_reads_all(many: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    connection = dbapi.connect(many.http.url, many.http._token, catalog=many.name)
    asked: list[str] = []
    get = type(connection.branch.http).get

    def seen(self: Any, path: str, **query: Any) -> Any:
        asked.append(path)
        return get(self, path, **query)

    monkeypatch.setattr(type(connection.branch.http), "get", seen)
    # No pyarrow is asked for.
    monkeypatch.setattr(client_results, "_arrow", None)
    cursor = connection.cursor().execute(QUERY)
    assert (cursor.rowcount, cursor.fetchmany(3)) == (11, ROWS[:3])
    before = len(asked)
    assert cursor.fetchone() == ROWS[3]
    assert len(asked) == before
    # Other cursors of the connection work meanwhile.
    assert connection.cursor().execute("SELECT count(*) FROM d.t").fetchone() == (11,)
    assert cursor.fetchall() == ROWS[4:]
    assert not KeptResult.objects.exists()
    cursor.execute(QUERY)
    cursor.fetchone()
    cursor.close()
    assert not KeptResult.objects.exists()
    connection.close()


def test_a_cursor_reads_all_rows_in_its_transaction(many: Catalog) -> None:
    with dbapi.connect(many.http.url, many.http._token, catalog=many.name) as connection:
        cursor = connection.cursor()
        cursor.execute("DELETE FROM d.t WHERE id < 4")
        assert cursor.execute(QUERY).fetchall() == ROWS[3:]
        connection.rollback()
        assert cursor.execute(QUERY).fetchall() == ROWS


@pytest.fixture
def command(many: Catalog, kept: Path, monkeypatch: pytest.MonkeyPatch) -> Catalog:
    monkeypatch.setenv("LAKEUI_URL", many.http.url)
    monkeypatch.setenv("LAKEUI_TOKEN", many.http._token)
    monkeypatch.setenv("LAKEUI_CATALOG", many.name)
    return many


def test_the_command_keeps_a_session(command: Catalog, capsys: pytest.CaptureFixture[str]) -> None:
    def call(*words: str, status: int = 0) -> str:
        assert run(words) == status
        said = capsys.readouterr()
        return said.out + said.err

    assert "lake session begin" in call("session", status=1)
    call("session", "begin", "-d", "d")
    assert "kept already" in call("session", "begin", status=1)
    for statement in ("CREATE TEMP VIEW v AS SELECT id AS n FROM d.t", "BEGIN", "DELETE FROM t WHERE id > 2"):
        call("sql", statement)
    assert json.loads(call("sql", "SELECT count(*) AS c FROM v", "--json"))["rows"] == [[2]]
    assert "in a transaction" in call("session")
    assert "USE BRANCH" in call("sql", "SELECT 1", "-b", "main", status=1)
    assert command.branch("main").sql("SELECT count(*) FROM d.t").rows == [(11,)]
    call("session", "end")
    assert json.loads(call("sql", "SELECT count(*) AS c FROM d.t", "--json"))["rows"] == [[11]]


def test_the_command_streams_all_rows(command: Catalog, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["sql", QUERY, "--format", "json"]) == 0
    assert [json.loads(line) for line in capfdbinary.readouterr().out.splitlines()] == [
        {"id": number, "name": name} for number, name in ROWS
    ]
    assert run(["sql", QUERY, "--format", "csv"]) == 0
    assert capfdbinary.readouterr().out.splitlines()[:2] == [b'"id","name"', b'1,"n1"']
    assert run(["sql", QUERY, "--format", "arrow"]) == 0
    assert pa.ipc.open_stream(io.BytesIO(capfdbinary.readouterr().out)).read_all().num_rows == 11
    for refused in (["SELECT 1 AS a, 2 AS a", "--format", "json"], ["SHOW TABLES", "--format", "csv"]):
        assert run(["sql", *refused]) == 1
        assert capfdbinary.readouterr().out == b""
    assert not KeptResult.objects.exists()
