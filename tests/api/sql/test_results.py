"""``/api/v1/results/``: results of any number of rows, in pages and streams, of one person, for a while."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.conf import settings
from django.utils import timezone

from catalog_app.domain.results import KeptRows, kept_files_read
from catalog_app.engine.session import SparkSessions
from catalog_app.models import CatalogMember, KeptResult
from catalog_app.services import results
from catalog_app.services.files import addresses_allocate
from catalog_app.services.results import results_expire, results_tidy
from catalog_app.storage.warehouse import Warehouse
from lakeui.api.http import request_work
from lakeui.api.sql import result_views
from lakeui.common.errors import EngineError
from lakeui.frontdoor import compute
from lakeui.tasks.statements import run_statement_task
from merge_app.jobs import request_work as jobs_work
from merge_app.jobs.context import TaskContext
from merge_app.jobs.models import Task
from tests.api.conftest import Caller
from tests.api.sql.test_statements import problem
from tests.support.lake import Lake
from tests.support.lake_memory_engine import LakeMemoryEngine
from tests.support.members import join

RESULTS = "/api/v1/results/"
ARROW, CSV, PARQUET = "application/vnd.apache.arrow.stream", "text/csv", "application/vnd.apache.parquet"
ROWS = [[number, f"n{number}"] for number in range(1, 12)]
"""They lie in three files of two row groups each."""
QUERY = "SELECT id, name FROM d.t ORDER BY id"


@pytest.fixture
def lake(alice: Caller, local_worker: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Lake:
    """Table d.t (id, name) with eleven rows, of which Alice is an owner."""
    engine = LakeMemoryEngine(addresses_allocate)
    monkeypatch.setattr(compute, "engine_make", lambda: engine)
    monkeypatch.setitem(settings.LAKEUI, "WAREHOUSE", str(tmp_path))
    lake = Lake()
    join(alice.user, lake.catalog)
    values = ", ".join(f"({number}, '{name}')" for number, name in ROWS)
    for text in ("CREATE DATABASE d", "CREATE TABLE d.t (id INT, name STRING)", f"INSERT INTO d.t VALUES {values}"):
        lake.sql(text)
    return lake


def sent(caller: Caller, lake: Lake, statement: str = QUERY, body: Any = None, **headers: str) -> Any:
    return caller.post(RESULTS, {"catalog": lake.catalog, "statement": statement, **(body or {})}, **headers)


def made(caller: Caller, lake: Lake, statement: str = QUERY, **body: Any) -> dict[str, Any]:
    response = sent(caller, lake, statement, body)
    assert response.status_code == 201, response.content
    found: dict[str, Any] = response.json()
    assert response["Location"] == found["url"] == f"{RESULTS}{found['id']}/"
    return found


def rows_of(kept: dict[str, Any], query: str = "") -> str:
    return f"{kept['url']}rows/{query}"


def streamed(caller: Caller, kept: dict[str, Any], accept: str, query: str = "") -> bytes:
    response = caller.get(rows_of(kept, query), Accept=accept)
    assert (response.status_code, response["Content-Type"]) == (200, accept)
    content = b"".join(response.streaming_content)
    response.close()
    return content


def folder(kept: dict[str, Any]) -> Path:
    warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])
    return Path(warehouse.absolute(warehouse.result_folder(UUID(kept["id"]))))


def expire(kept: dict[str, Any], ago: timedelta = timedelta(seconds=1)) -> None:
    KeptResult.objects.filter(pk=kept["id"]).update(expires_at=timezone.now() - ago)


def test_a_result_says_what_it_has(alice: Caller, lake: Lake) -> None:
    kept = made(alice, lake)
    assert kept["columns"] == [{"name": "id", "type": "int"}, {"name": "name", "type": "string"}]
    assert (kept["row_count"], kept["version"], kept["statement"]) == (11, lake.head(), QUERY)
    assert alice.get(kept["url"]).json() == kept
    assert [each["id"] for each in alice.get(RESULTS).json()["results"]] == [kept["id"]]


def pages(caller: Caller, kept: dict[str, Any], limit: int) -> Iterator[list[list[Any]]]:
    address: str | None = rows_of(kept, f"?limit={limit}")
    while address is not None:
        page = caller.get(address).json()
        yield page["rows"]
        address = page["next"]


@pytest.mark.parametrize("limit", [1, 3, 4, 11, 10_000])
def test_pages_go_on_where_the_one_before_ended(alice: Caller, lake: Lake, limit: int) -> None:
    found = list(pages(alice, made(alice, lake), limit))
    assert [row for page in found for row in page] == ROWS
    assert {len(page) for page in found[:-1]} <= {limit}


def test_a_page_begins_at_any_row(alice: Caller, lake: Lake) -> None:
    kept = made(alice, lake)
    for start in range(13):
        page = alice.get(rows_of(kept, f"?start={start}&limit=2")).json()
        assert page["rows"] == ROWS[start : start + 2]
        assert (page["next"] is None) == (start >= 9)


def test_wide_rows_make_short_pages(alice: Caller, lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_views, "PAGE_BYTES", 1)
    found = list(pages(alice, made(alice, lake), 11))
    assert len(found) > 2
    assert [row for page in found for row in page] == ROWS


@pytest.mark.parametrize("query", ["", "?start=5", "?start=3&limit=6", "?start=11"])
def test_a_stream_of_arrow_has_all_rows(alice: Caller, lake: Lake, query: str) -> None:
    table = pa.ipc.open_stream(streamed(alice, made(alice, lake), ARROW, query)).read_all()
    first = int(query.partition("start=")[2].partition("&")[0] or 0)
    wanted = ROWS[first : first + (6 if "limit" in query else 11)]
    assert table.schema == pa.schema([("id", pa.int32()), ("name", pa.string())])
    assert [list(row.values()) for row in table.to_pylist()] == wanted


def test_csv_and_parquet_are_streams_too(alice: Caller, lake: Lake) -> None:
    kept = made(alice, lake)
    assert streamed(alice, kept, CSV).decode() == '"id","name"\n' + "".join(f'{n},"{t}"\n' for n, t in ROWS)
    table = pq.read_table(io.BytesIO(streamed(alice, kept, PARQUET)))
    assert [list(row.values()) for row in table.to_pylist()] == ROWS
    formulas = made(alice, lake, "SELECT '=1' AS t")
    assert streamed(alice, formulas, CSV, "?escape_formulas=true") == b'"t"\n"\'=1"\n'


@pytest.mark.parametrize("accept", [ARROW, CSV, PARQUET])
def test_a_result_without_rows_has_its_columns(alice: Caller, lake: Lake, accept: str) -> None:
    kept = made(alice, lake, "SELECT id, id FROM d.t WHERE id > 99")
    content = streamed(alice, kept, accept)
    if accept == ARROW:
        assert pa.ipc.open_stream(content).read_all().schema.names == ["id", "id_2"]
    elif accept == CSV:
        assert content == b'"id","id_2"\n'
    else:
        assert pq.read_table(io.BytesIO(content)).schema.names == ["id", "id_2"]
    assert alice.get(rows_of(kept)).json() == {"next": None, "start": 0, "rows": []}


def test_as_a_task_it_is_the_same(alice: Caller, lake: Lake) -> None:
    waited = sent(alice, lake, Prefer="respond-async, wait=20")
    assert waited.status_code == 201, waited.content
    assert waited["Location"] == waited.json()["url"]
    assert [row for page in pages(alice, waited.json(), 100) for row in page] == ROWS
    (task,) = alice.get("/api/v1/tasks/?kind=sql query").json()["results"]
    assert task["id"] == waited.json()["id"]


def test_a_key_makes_one_result(alice: Caller, lake: Lake) -> None:
    first, again = (sent(alice, lake, Idempotency_Key="k", Prefer="wait=20").json() for _ in range(2))
    assert first == again
    assert KeptResult.objects.count() == 1


def test_it_reads_in_a_session_and_its_transaction(alice: Caller, lake: Lake) -> None:
    session = alice.post("/api/v1/sessions/", {"catalog": lake.catalog, "database": "d"}).json()["id"]
    for statement in ("CREATE TEMP VIEW v AS SELECT id + 1 AS n FROM d.t", "BEGIN", "DELETE FROM t WHERE id > 2"):
        assert alice.post("/api/v1/sql/", {"session": session, "statement": statement}).status_code in (200, 202)
    response = alice.post(RESULTS, {"session": session, "statement": "SELECT n FROM v ORDER BY n"})
    assert response.status_code == 201, response.content
    assert list(pages(alice, response.json(), 100)) == [[[2], [3]]]


def test_only_queries_are_kept_and_failures_leave_nothing(alice: Caller, lake: Lake) -> None:
    for statement in ("SHOW TABLES", "DELETE FROM d.t", "EXPLAIN SELECT 1"):
        for prefer in ("", "respond-async"):
            assert (
                "Only the result of a SELECT"
                in problem(sent(alice, lake, statement, Prefer=prefer), 400, "INVALID_VALUE")["detail"]
            )
    problem(sent(alice, lake, "SELECT nothing FROM d.nothing"), 404, "NOT_FOUND")
    problem(sent(alice, lake, QUERY, {"dry_run": True}), 400, "INVALID_VALUE")
    assert alice.get(RESULTS).json()["results"] == []
    assert list(Path(settings.LAKEUI["WAREHOUSE"]).glob("results/*/*")) == []


def test_a_query_stops_when_its_client_hangs_up(alice: Caller, lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    keep = LakeMemoryEngine.keep
    stopped = threading.Event()

    def interrupted(engine: LakeMemoryEngine, *given: Any, **named: Any) -> Any:
        keep(engine, *given, **named)
        assert stopped.wait(20)
        raise EngineError("interrupted")

    monkeypatch.setattr(LakeMemoryEngine, "keep", interrupted)
    monkeypatch.setattr(SparkSessions, "interrupt", lambda *_: stopped.set())
    monkeypatch.setattr(request_work, "has_left", lambda _: lambda: True)
    monkeypatch.setattr(jobs_work, "LOOK_SECONDS", 0.01)
    problem(sent(alice, lake), 409, "QUERY_CANCELLED")
    assert alice.get(RESULTS).json()["results"] == []
    assert list(Path(settings.LAKEUI["WAREHOUSE"]).glob("results/*/*")) == []


def test_a_result_belongs_to_who_asked(alice: Caller, bob: Caller, lake: Lake) -> None:
    join(bob.user, lake.catalog)
    kept = made(alice, lake)
    for address in (kept["url"], rows_of(kept)):
        problem(bob.get(address), 404, "NOT_FOUND")
    problem(bob.client.delete(kept["url"], headers=bob.headers), 404, "NOT_FOUND")
    assert bob.get(RESULTS).json()["results"] == []
    assert alice.get(rows_of(kept)).status_code == 200


@pytest.mark.parametrize("accept", ["application/json", ARROW, CSV, PARQUET])
def test_rights_are_asked_at_each_page(alice: Caller, lake: Lake, accept: str) -> None:
    other = Lake()
    join(alice.user, other.catalog)
    kept = made(alice, lake, f"SELECT t.id FROM {lake.catalog}.d.t", catalog=other.catalog)
    assert alice.get(rows_of(kept), Accept=accept).status_code == 200
    CatalogMember.objects.filter(user=alice.user, catalog__name=lake.catalog).delete()
    problem(alice.get(rows_of(kept), Accept=accept), 403, "PERMISSION_DENIED")
    problem(alice.get(kept["url"]), 403, "PERMISSION_DENIED")
    # It may still be let go.
    assert alice.client.delete(kept["url"], headers=alice.headers).status_code == 204


def test_a_result_without_tables_needs_some_catalog_role(alice: Caller, lake: Lake) -> None:
    kept = made(alice, lake, "SELECT 1 AS one", catalog=None)
    assert alice.get(rows_of(kept)).json()["rows"] == [[1]]
    CatalogMember.objects.filter(user=alice.user).delete()
    problem(alice.get(rows_of(kept)), 403, "PERMISSION_DENIED")


def test_a_deleted_result_is_gone_with_its_files(alice: Caller, lake: Lake) -> None:
    kept = made(alice, lake)
    assert list(folder(kept).rglob("*.parquet"))
    assert alice.client.delete(kept["url"], headers=alice.headers).status_code == 204
    assert not folder(kept).exists()
    problem(alice.get(rows_of(kept)), 404, "NOT_FOUND")
    problem(alice.client.delete(kept["url"], headers=alice.headers), 404, "NOT_FOUND")


def test_an_expired_result_says_so_for_a_day(alice: Caller, lake: Lake) -> None:
    kept, other = made(alice, lake), made(alice, lake)
    expire(kept)
    for _ in range(2):
        found = problem(alice.get(rows_of(kept)), 410, "RESULT_EXPIRED")
        assert found["expired_at"]
        problem(alice.get(kept["url"]), 410, "RESULT_EXPIRED")
        results_expire(warehouse=Warehouse(settings.LAKEUI["WAREHOUSE"]))
    assert (folder(kept).exists(), folder(other).exists()) == (False, True)
    assert results_tidy(timezone.now()) == 0
    expire(kept, timedelta(days=2))
    assert results_tidy(timezone.now()) == 1
    problem(alice.get(kept["url"]), 404, "NOT_FOUND")
    assert alice.get(rows_of(other)).status_code == 200


@pytest.mark.parametrize("accept", ["application/json", ARROW])
def test_a_result_whose_files_vanished_is_expired(alice: Caller, lake: Lake, accept: str) -> None:
    kept = made(alice, lake)
    for file in folder(kept).rglob("*.parquet"):
        file.unlink()
    problem(alice.get(rows_of(kept), Accept=accept), 410, "RESULT_EXPIRED")


def test_one_person_keeps_so_many(alice: Caller, lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "MOST_OF_A_PERSON", 2)
    first, _ = made(alice, lake), made(alice, lake)
    assert problem(sent(alice, lake), 429, "TOO_MANY_RESULTS")["kept"] == 2
    assert alice.client.delete(first["url"], headers=alice.headers).status_code == 204
    made(alice, lake)


def test_one_person_keeps_so_many_bytes(alice: Caller, lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that goes beyond the bound leaves nothing behind; files of the table itself do not count."""
    first = made(alice, lake, "SELECT id + 1 AS id FROM d.t")
    held = results.bytes_held(KeptResult.objects.get(pk=first["id"]).owner_id)
    assert held == sum(file.stat().st_size for file in folder(first).rglob("*.parquet"))
    monkeypatch.setitem(settings.LAKEUI, "RESULT_GIGABYTES", (held + 1) / results.GIB)
    refused = problem(sent(alice, lake, "SELECT id + 2 AS id FROM d.t"), 429, "TOO_MANY_RESULTS")
    assert (refused["kept"], refused["bytes"]) == (1, held)
    assert KeptResult.objects.count() == 1
    monkeypatch.setitem(settings.LAKEUI, "RESULT_GIGABYTES", held / results.GIB)
    assert "GiB" in problem(sent(alice, lake), 429, "TOO_MANY_RESULTS")["detail"]
    assert alice.client.delete(first["url"], headers=alice.headers).status_code == 204
    made(alice, lake, "SELECT id + 1 AS id FROM d.t")


def test_a_second_attempt_never_takes_the_firsts_result(alice: Caller, lake: Lake) -> None:
    """Other results may have passed the bound between the two."""
    first = made(alice, lake, "SELECT id + 1 AS id FROM d.t")
    row = KeptResult.objects.get(pk=first["id"])
    again = KeptRows((("id", "int"),), kept_files_read(row.files or ()))
    found = results.result_finish(
        row, again, catalogs=frozenset(), version=1, warehouse=Warehouse(settings.LAKEUI["WAREHOUSE"]), most_bytes=1
    )
    assert found == row
    assert alice.get(rows_of(first)).status_code == 200


def test_streams_are_limited_and_each_frees_its_place(
    alice: Caller, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(result_views, "_streams", result_views.threading.BoundedSemaphore(1))
    kept = made(alice, lake)
    response = alice.get(rows_of(kept), Accept=ARROW)
    assert problem(alice.get(rows_of(kept), Accept=CSV), 429, "TOO_MANY_QUERIES")["retry_after"]
    assert alice.get(rows_of(kept)).status_code == 200
    # The client hangs up before it read anything.
    response.close()
    assert streamed(alice, kept, CSV)
    problem(alice.get(rows_of(kept, "?start=-1"), Accept=ARROW), 400, "INVALID_VALUE")
    assert streamed(alice, kept, ARROW)


def test_a_second_attempt_answers_what_first_made(alice: Caller, lake: Lake) -> None:
    body = sent(alice, lake, Prefer="respond-async, wait=20").json()
    task = Task.objects.get(pk=body["id"])
    lake.sql("DELETE FROM d.t")
    again = run_statement_task(TaskContext(task.pk, user=alice.user, attempt=2), task.parameters)
    assert {**again, "expires_at": body["expires_at"]} == body
