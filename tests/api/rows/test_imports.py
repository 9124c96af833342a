"""``…/imports/``: sending a file, what is found in it, and who sees it. tests/on_spark
has what becomes of it.
"""

from __future__ import annotations

import gzip
import io
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from catalog_app.importing import delimited
from catalog_app.models import FileImport
from catalog_app.services.imports import imports_expire
from catalog_app.storage.warehouse import Warehouse
from merge_app.jobs.models import Task
from tests.api.conftest import Caller
from tests.api.sql.test_statements import problem
from tests.support.members import join
from tests.support.resource_lake import Lake
from tests.support.sent_files import imports, post, reread, send

CSV = b"id,name\n1,Ann\n2,\n"


@pytest.fixture
def lake(alice: Caller) -> Lake:
    return Lake(alice)


def types(body: dict[str, Any]) -> dict[str, str]:
    return {column["source"]: column["type"] for column in body["columns"]}


def kept() -> list[Path]:
    """Files that the warehouse holds for imports."""
    return [path for path in (Path(settings.LAKEUI["WAREHOUSE"]) / "imports").rglob("*") if path.is_file()]


def test_an_upload_answers_what_the_file_holds(lake: Lake) -> None:
    response = post(lake, CSV, "people.csv")
    assert response.status_code == 201
    body = response.json()
    assert lake.caller.get(response["Location"]).json() == body
    assert (body["name"], body["format"], body["bytes"], body["rows"]) == ("people.csv", "csv", len(CSV), 2)
    assert (body["header"], body["delimiter"], body["null_text"], body["warnings"]) == (True, ",", "", [])
    assert body["columns"][0] == {
        "source": "id", "name": "id", "type": "bigint", "include": True, "inferred_type": "bigint", "misfit": None,
    }  # fmt: skip
    assert body["sample"] == [["1", "Ann"], ["2", None]]


def test_a_form_with_a_file_is_taken_too(lake: Lake) -> None:
    form = {"file": SimpleUploadedFile("räume.csv", CSV, content_type="text/csv")}
    response = lake.caller.client.post(imports(lake), form, headers=lake.caller.headers)
    assert (response.status_code, response.json()["name"], response.json()["rows"]) == (201, "räume.csv", 2)


def test_a_browser_needs_its_csrf_token(lake: Lake) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(lake.caller.user)
    problem(client.post(imports(lake), CSV, content_type="text/csv"), 403, "PERMISSION_DENIED")
    # The page of signing in hands out the token to everybody.
    client.logout()
    client.get("/login/")
    client.force_login(lake.caller.user)
    token = client.cookies["csrftoken"].value
    sent = client.post(imports(lake), CSV, content_type="text/csv", headers={"X-CSRFToken": token})
    assert sent.status_code == 201, sent.content


def test_formats_follow_content_and_wrong_names_are_reported(lake: Lake) -> None:
    body = send(lake, b'[{"a": 1}]', "wrong.csv")
    assert (body["format"], body["header"], body["delimiter"]) == ("json", None, None)
    assert "holds JSON" in body["warnings"][0]


def test_a_texts_type_fits_every_value(lake: Lake) -> None:
    rows = [
        "whole,long,ratio,exact,money,flag,day,local,instant,zip,sku,mix,empty",
        "1,9223372036854775807,0.5,12345678901234567.8,9.99,true,2024-02-29,2024-01-31 10:00:00,2024-01-31T10:00Z,"
        "02139,1E5,1,",
        "-2,99999999999999999999,1,0.001,10.00,FALSE,1999-12-31,2024-01-31T10:00:00.5,2024-01-31 10:00:00+02:00,"
        "10001,2E7,x,",
    ]
    body = send(lake, "\n".join(rows).encode())
    assert types(body) == {
        "whole": "bigint",
        "long": "decimal(20,0)",
        "ratio": "double",
        "exact": "decimal(20,3)",
        "money": "decimal(4,2)",
        "flag": "boolean",
        "day": "date",
        "local": "timestamp_ntz",
        "instant": "timestamp",
        "zip": "string",
        "sku": "string",
        "mix": "string",
        "empty": "string",
    }


def test_a_type_holds_for_the_whole_file(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text comes in the fourth block of rows, far behind what delimiter and header are guessed from."""
    monkeypatch.setattr(delimited, "BLOCK_BYTES", 64 * 1024)
    body = send(lake, b"n\n" + b"1\n" * 100_000 + b"many\n")
    assert (types(body), body["rows"]) == ({"n": "string"}, 100_001)
    changed = reread(lake, body["id"], {"columns": [{"source": "n", "type": "INT"}]}).json()
    assert changed["columns"][0]["type"] == "int"
    assert changed["columns"][0]["misfit"] == {"row": 100_001, "value": "many"}


def test_quoted_line_breaks_byte_order_mark_and_delimiters(lake: Lake) -> None:
    body = send(lake, b'\xef\xbb\xbfid;"a;b"\r\n1;"x\r\n""y"""\r\n2;""\r\n3;\r\n')
    assert (body["delimiter"], list(types(body))) == (";", ["id", "a;b"])
    assert body["sample"] == [["1", 'x\r\n"y"'], ["2", ""], ["3", None]]


TITLE = b"Sales report 2026;;\n\nid;name;city\n1;Ann;Oslo\n2;Bob;Rome\n"


@pytest.mark.parametrize("title", [b"Sales report 2026;;\n\n", b"Sales report 2026\r\n\r\n", b'"Sales, 2026"\n\n'])
def test_lines_of_a_title_are_skipped_and_said(lake: Lake, title: bytes) -> None:
    body = send(lake, title + b"id;name;city\n1;Ann;Oslo\n2;Bob;Rome\n")
    assert (body["skip_lines"], list(types(body)), body["rows"]) == (2, ["id", "name", "city"], 2)
    assert body["warnings"] == [
        "The first 2 lines are skipped: the names of the columns stand below. Skip none where rows are missing."
    ]


def test_how_many_lines_are_skipped_is_chosen(lake: Lake) -> None:
    body = send(lake, TITLE)
    none = reread(lake, body["id"], {"skip_lines": 0}).json()
    assert (none["skip_lines"], next(iter(types(none))), none["rows"]) == (0, "Sales report 2026", 3)
    three = reread(lake, body["id"], {"skip_lines": 3, "header": False}).json()
    assert (three["sample"], three["header"]) == ([["1", "Ann", "Oslo"], ["2", "Bob", "Rome"]], False)
    assert "no row behind" in problem(reread(lake, body["id"], {"skip_lines": 5}), 400, "INVALID_VALUE")["detail"]


@pytest.mark.parametrize(
    "content",
    [b"id\n1\n2\n", b"id,name\n1,Ann\n", b"1,\n2,\n3,x\n", b"note,\nlate,\n1,2\n", b"a,,\n,b,\nx,y,z\nu,v,w\n"],
)
def test_rows_are_not_taken_for_a_title(lake: Lake, content: bytes) -> None:
    body = send(lake, content)
    assert (body["skip_lines"], body["warnings"]) == (0, [])


def test_a_fault_below_skipped_lines_names_its_line(lake: Lake) -> None:
    detail = problem(post(lake, b"Report\n\nid,name\n1,Ann\n2\n"), 400, "INVALID_VALUE")["detail"]
    assert detail.startswith("Line 5 has 1 value")


def test_a_headerless_file_gets_names_unless_set_otherwise(lake: Lake) -> None:
    body = send(lake, b"1,2\n3,4\n")
    assert (body["header"], list(types(body))) == (False, ["column_1", "column_2"])
    changed = reread(lake, body["id"], {"header": True}).json()
    assert (changed["header"], list(types(changed)), changed["rows"]) == (True, ["1", "2"], 1)


def test_repeated_and_missing_names_are_distinct(lake: Lake) -> None:
    body = send(lake, b"a,A,\n1,2,3\n")
    assert list(types(body)) == ["a", "A_2", "column_3"]
    assert "A_2" in body["warnings"][0]


def test_a_text_can_stand_for_null(lake: Lake) -> None:
    body = send(lake, b"n,t\n1,NA\nNA,x\n")
    assert types(body)["n"] == "string"
    changed = reread(lake, body["id"], {"null_text": "NA"}).json()
    assert types(changed) == {"n": "bigint", "t": "string"}
    assert changed["sample"] == [["1", None], [None, "x"]]


def test_forms_of_numbers_and_days_are_chosen(lake: Lake) -> None:
    made = send(lake, b"n;d;note\n1.234,50;31.12.2025;1.234\n2,5;1.2.2024;x\n")
    assert (made["numbers"], made["dates"], made["sample"][0]) == (None, None, ["1.234,50", "31.12.2025", "1.234"])
    assert set(types(made).values()) == {"string"}
    read = reread(lake, made["id"], {"numbers": "1.234,5", "dates": "d.m.y"}).json()
    assert (read["numbers"], read["dates"]) == ("1.234,5", "d.m.y")
    assert types(read) == {"n": "decimal(6,2)", "d": "date", "note": "string"}
    assert read["sample"] == [["1234.50", "2025-12-31", "1.234"], ["2.5", "2024-02-01", "x"]]
    as_text = reread(lake, made["id"], {"columns": [{"source": "n", "type": "string"}]}).json()
    assert as_text["sample"][0] == ["1.234,50", "2025-12-31", "1.234"]
    month_first = reread(lake, made["id"], {"dates": "m/d/y", "columns": [{"source": "d", "type": "date"}]}).json()
    assert month_first["columns"][1]["misfit"] == {"row": 1, "value": "31.12.2025"}
    assert reread(lake, made["id"], {"numbers": None, "dates": None}).json() == made


def test_json_keeps_nested_values_and_times(lake: Lake) -> None:
    lines = [
        {"id": 1, "at": {"x": 1.5, "tags": ["a", None]}, "day": "2024-01-31", "when": "2024-01-31T10:00:00Z"},
        {"id": 2, "at": None, "day": "2024-02-01", "when": "2024-01-31T10:00:00+02:00", "more": True},
    ]
    wanted = {
        "id": "bigint",
        "at": "struct<x:double,tags:array<string>>",
        "day": "date",
        "when": "timestamp",
        "more": "boolean",
    }
    as_array = send(lake, json.dumps(lines, indent=2).encode())
    as_lines = send(lake, "\n".join(map(json.dumps, lines)).encode())
    assert types(as_array) == types(as_lines) == wanted
    assert as_lines["sample"][0][1] == {"x": 1.5, "tags": ["a", None]}


def test_parquet_brings_its_types(lake: Lake) -> None:
    table = pa.table(
        {
            "u": pa.array([2**64 - 1], pa.uint64()),
            "money": pa.array(["1.20"], pa.string()).cast(pa.decimal128(10, 2)),
            "at": pa.array([0], pa.timestamp("ns", "Europe/Berlin")),
            "clock": pa.array([0], pa.time64("us")),
            "kind": pa.array(["x"]).dictionary_encode(),
            "pairs": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int32())),
        }
    )
    file = io.BytesIO()
    pq.write_table(table, file)
    body = send(lake, file.getvalue(), "x.parquet")
    assert types(body) == {
        "u": "decimal(20,0)",
        "money": "decimal(10,2)",
        "at": "timestamp",
        "clock": "string",
        "kind": "string",
        "pairs": "map<string,int>",
    }
    assert body["warnings"] == ["Column clock holds times of day, which become text."]


def test_times_finer_than_microseconds_become_text(lake: Lake) -> None:
    file = io.BytesIO()
    fine = pa.array([1_000, 1_001], pa.timestamp("ns", "UTC"))
    pq.write_table(pa.table({"coarse": fine.take([0, 0]), "fine": fine}), file)
    body = send(lake, file.getvalue(), "x.parquet")
    assert types(body) == {"coarse": "timestamp", "fine": "string"}
    assert [row[1] for row in body["sample"]] == ["1970-01-01 00:00:00.000001000Z", "1970-01-01 00:00:00.000001001Z"]
    assert body["warnings"] == ["Column fine holds times finer than a microsecond, which become text."]


LATIN = "id,city\n1,Zürich\n".encode("cp1252")


def test_the_way_of_reading_is_shown_and_chosen(lake: Lake) -> None:
    body = send(lake, gzip.compress(LATIN), "cities.csv.gz")
    assert (body["format"], body["encoding"], body["compression"]) == ("csv", "windows-1252", "gzip")
    assert body["sample"] == [["1", "Zürich"]]
    (warning,) = body["warnings"]
    assert "read as windows-1252" in warning
    changed = reread(lake, body["id"], {"encoding": "ibm850"}).json()
    assert (changed["encoding"], changed["sample"], changed["warnings"]) == ("ibm850", [["1", "Z³rich"]], [])
    refusal = problem(reread(lake, body["id"], {"encoding": "utf-8"}), 400, "INVALID_VALUE")
    assert "Line 2 is not text in UTF-8" in refusal["detail"]
    problem(reread(lake, body["id"], {"encoding": "klingon"}), 400, "INVALID_VALUE")


def test_the_encoding_that_a_client_declares_holds(lake: Lake) -> None:
    kind = "text/csv; charset=iso-8859-15"
    sent = lake.caller.client.generic("POST", imports(lake), LATIN, kind, headers=lake.caller.headers).json()
    assert (sent["encoding"], sent["warnings"]) == ("iso-8859-15", [])
    form = {"file": SimpleUploadedFile("x.csv", "a\né\n".encode("utf-16"), content_type="text/csv")}
    marked = lake.caller.client.post(imports(lake), form, headers=lake.caller.headers).json()
    assert (marked["encoding"], marked["sample"], marked["warnings"]) == ("utf-16le", [["é"]], [])


def test_what_is_no_text_has_no_encoding(lake: Lake) -> None:
    body = send(lake, arrow_stream())
    assert (body["encoding"], body["compression"]) == (None, None)
    problem(reread(lake, body["id"], {"encoding": "utf-8"}), 400, "INVALID_VALUE")


def test_the_size_limit_holds_for_unpacked_files(lake: Lake, settings: Any) -> None:
    settings.LAKEUI = {**settings.LAKEUI, "IMPORT_MEGABYTES": 1}
    refusal = problem(post(lake, gzip.compress(b"a\n" + b"1\n" * 530_000)), 400, "INVALID_VALUE")
    assert "more than 1 MiB when it is unpacked" in refusal["detail"]
    assert FileImport.objects.count() == 0


def arrow_stream() -> bytes:
    sink = io.BytesIO()
    table = pa.table({"id": [1, 2], "name": ["Ann", None], "kind": pa.array(["x", "x"]).dictionary_encode()})
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def test_arrow_brings_types_as_stream_and_as_file(lake: Lake) -> None:
    sink = io.BytesIO()
    table = pa.ipc.open_stream(arrow_stream()).read_all()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=1)
    for content in (arrow_stream(), sink.getvalue()):
        body = send(lake, content, "people.arrow")
        assert (body["format"], body["rows"], body["warnings"]) == ("arrow", 2, [])
        assert types(body) == {"id": "bigint", "name": "string", "kind": "string"}
        assert body["sample"] == [[1, "Ann", "x"], [2, None, "x"]]


@pytest.mark.parametrize(
    ("file", "words", "line"),
    [
        (b"", "empty", None),
        (b"\xef\xbb\xbf \n\n", "empty", None),
        (b"a,b\n1,2\n\n3\n4,5\n", "Line 4 has 1 value; the file has 2 columns", 4),
        (b'a,b\n1,"2\n3,4\n', "line 2 does not end", 2),
        (b"a\x00b\n", "Line 1 holds the character NUL", 1),
        (b"PK\x03\x04rest", "Excel", None),
        (b"\x1f\x8b\x08rest", "compressed by gzip and cannot be unpacked", None),
        (b"PAR1 and no end", "cut off", None),
        (b"PAR1 nothing PAR1", "Parquet file cannot be read", None),
        (b"ARROW1\0\0 and no end", "Arrow file is cut off", None),
        (b"ARROW1\0\0 nothing ARROW1", "Arrow file cannot be read", None),
        (arrow_stream()[:-1], "Arrow file is cut off", None),
        (arrow_stream()[:120] + b"\xff\xff\xff\xff\0\0\0\0", "Arrow file cannot be read", None),
        (b'{"a": 1}\n{"a": }\n', "Line 2 of the JSON", 2),
        (b'[{"a": 1},\n {"a": 2}', "Line 2 of the JSON", 2),
        (b'[{"a": 1},\n 2]', "no object", 2),
        (b'[{"a": 1}]\n[]', "follows the array", 2),
        (b'{"a": 1e300}\n{"a": 9007199254740993}\n', "Row 2: 9007199254740993 in a would lose digits", None),
        (b'{"a": 1}\n{"a": "x"}\n', "Values of column a are of the types number and string", None),
        (b'{"a": NaN}', "no value NaN", 1),
    ],
)
def test_an_unreadable_file_is_refused_with_its_place(lake: Lake, file: bytes, words: str, line: int | None) -> None:
    before = len(kept())
    refusal = problem(post(lake, file), 400, "INVALID_VALUE")
    assert words in refusal["detail"]
    assert refusal["remedy"]
    assert refusal.get("line") == line
    assert (FileImport.objects.count(), len(kept())) == (0, before)


@pytest.mark.parametrize("as_form", [False, True])
def test_a_file_that_is_too_large_is_refused(lake: Lake, settings: Any, as_form: bool) -> None:
    settings.LAKEUI = {**settings.LAKEUI, "IMPORT_MEGABYTES": 1}
    file = b"a\n" + b"1\n" * 530_000
    if as_form:
        form = {"file": SimpleUploadedFile("x.csv", file)}
        response = lake.caller.client.post(imports(lake), form, headers=lake.caller.headers)
    else:
        response = post(lake, file)
    problem(response, 413, "TOO_LARGE")
    assert FileImport.objects.count() == 0
    # What says that it is far too long is not even read.
    huge = {**lake.caller.headers, "Content-Length": str(10**12)}
    problem(lake.caller.client.generic("POST", imports(lake), b"", headers=huge), 413, "TOO_LARGE")


def test_a_form_without_the_file_is_refused(lake: Lake) -> None:
    def sent(parts: dict[str, str]) -> Any:
        response = lake.caller.client.post(imports(lake), parts, headers=lake.caller.headers)
        return problem(response, 400, "INVALID_VALUE")

    assert "no file" in sent({})["detail"]
    assert (sent({"fiel": "y"})["field"], sent({"fiel": "y"})["nearest"]) == ("fiel", "file")


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"columns": [{"source": "id", "type": "integr"}]}, 400, "INVALID_VALUE"),
        ({"columns": [{"source": "nmae", "include": False}]}, 404, "NOT_FOUND"),
        ({"columns": [{"source": "id", "name": "NAME"}]}, 400, "INVALID_VALUE"),
        ({"columns": [{"source": "id", "include": False}, {"source": "name", "include": False}]}, 400, "INVALID_VALUE"),
        ({"delimiter": "x"}, 400, "INVALID_VALUE"),
        ({"numbers": "1_234.5"}, 400, "INVALID_VALUE"),
        ({"dates": "m.d.y"}, 400, "INVALID_VALUE"),
    ],
)
def test_a_choice_that_cannot_be_is_refused(lake: Lake, changes: dict[str, Any], status: int, code: str) -> None:
    made = send(lake, CSV)
    problem(reread(lake, made["id"], changes), status, code)
    assert lake.caller.get(f"{imports(lake)}{made['id']}/").json() == made


def test_json_has_no_form_of_numbers(lake: Lake) -> None:
    made = send(lake, b'[{"a": "1,5"}]')
    refused = problem(reread(lake, made["id"], {"numbers": "1.234,5"}), 400, "INVALID_VALUE")
    assert "a form of numbers and days" in refused["detail"]


def test_a_choice_keeps_the_others(lake: Lake) -> None:
    made = send(lake, CSV)
    reread(lake, made["id"], {"columns": [{"source": "id", "name": "number"}]})
    columns = reread(lake, made["id"], {"columns": [{"source": "name", "include": False}]}).json()["columns"]
    assert [(column["name"], column["include"]) for column in columns] == [("number", True), ("name", False)]


def test_only_the_uploader_sees_an_import(lake: Lake, bob: Caller) -> None:
    address = f"{imports(lake)}{send(lake, CSV)['id']}/"
    assert [entry["name"] for entry in lake.caller.get(imports(lake)).json()["results"]] == ["file"]
    join(bob.user, lake.catalog)
    assert bob.get(imports(lake)).json()["results"] == []
    problem(bob.get(address), 404, "NOT_FOUND")
    load = {"database": "d", "table": "x", "mode": "create"}
    problem(bob.post(f"{address}load/", load), 404, "NOT_FOUND")
    problem(bob.client.delete(address, headers=bob.headers), 404, "NOT_FOUND")
    assert Task.objects.count() == 0


def test_an_invisible_catalog_has_no_imports(lake: Lake, bob: Caller) -> None:
    refusal = problem(bob.get(imports(lake)), 404, "NOT_FOUND")
    assert refusal["kind"] == "catalog"


def test_an_import_can_be_thrown_away(lake: Lake) -> None:
    before = len(kept())
    address = f"{imports(lake)}{send(lake, CSV)['id']}/"
    assert len(kept()) == before + 1
    assert lake.caller.client.delete(address, headers=lake.caller.headers).status_code == 204
    problem(lake.caller.get(address), 404, "NOT_FOUND")
    assert len(kept()) == before


def test_an_abandoned_import_expires(lake: Lake) -> None:
    before = len(kept())
    old, new = send(lake, CSV), send(lake, CSV)
    FileImport.objects.filter(pk=old["id"]).update(expires_at=timezone.now() - timedelta(seconds=1))
    problem(lake.caller.get(f"{imports(lake)}{old['id']}/"), 404, "NOT_FOUND")
    assert imports_expire(warehouse=Warehouse(settings.LAKEUI["WAREHOUSE"])) == 1
    assert [str(pk) for pk in FileImport.objects.values_list("pk", flat=True)] == [new["id"]]
    assert len(kept()) == before + 1


@pytest.mark.usefixtures("no_worker")
def test_loading_is_a_task_with_the_reading_options(lake: Lake) -> None:
    made = send(lake, CSV, "people.csv")
    load = {"database": "d", "table": "people", "mode": "create", "primary_key": ["id"]}
    response = lake.caller.post(f"{imports(lake)}{made['id']}/load/", load, Prefer="respond-async")
    assert response.status_code == 202
    task = Task.objects.get()
    assert response["Location"] == f"/api/v1/tasks/{task.pk}/"
    assert (task.kind, task.parameters["statement"]) == ("import", "IMPORT people.csv INTO `d`.`people`")
    reread(lake, made["id"], {"columns": [{"source": "id", "name": "number"}]})
    assert [column["name"] for column in task.parameters["reading"]["columns"]] == ["id", "name"]


def test_a_load_states_its_purpose_in_history(lake: Lake, local_worker: None) -> None:
    made = send(lake, CSV, "people.csv")
    load = {"database": "d", "table": "people", "mode": "create"}
    rehearsed = lake.caller.post(f"{imports(lake)}{made['id']}/load/", {**load, "dry_run": True, "message": "a trial"})
    assert rehearsed.status_code == 200, rehearsed.content
    loaded = lake.caller.post(f"{imports(lake)}{made['id']}/load/", {**load, "message": "  people of May "})
    assert loaded.status_code == 200, loaded.content
    appended = lake.caller.post(f"{imports(lake)}{made['id']}/load/", {**load, "mode": "append"})
    assert appended.status_code == 200, appended.content
    newest = lake.read("branches/main/history/?limit=2")["results"]
    assert [commit["message"] for commit in newest] == ["", "people of May"]


@pytest.mark.usefixtures("no_worker")
def test_an_unshowable_message_is_refused_before_it_waits(lake: Lake) -> None:
    made = send(lake, CSV)
    load = {"database": "d", "table": "people", "mode": "create", "message": "a\x1bb"}
    refused = problem(lake.caller.post(f"{imports(lake)}{made['id']}/load/", load), 400, "INVALID_VALUE")
    assert refused["field"] == "message"
    assert Task.objects.count() == 0


@pytest.mark.usefixtures("no_worker")
def test_same_load_under_one_key_is_one_task(lake: Lake) -> None:
    made = send(lake, CSV)
    load = {"database": "d", "table": "people", "mode": "create"}
    for _ in range(2):
        lake.caller.post(f"{imports(lake)}{made['id']}/load/", load, Prefer="respond-async", Idempotency_Key="k")
    assert Task.objects.count() == 1


def test_a_load_that_makes_no_sense_is_refused(lake: Lake) -> None:
    made = send(lake, CSV)
    for wrong in (
        {"mode": "replace"},
        {"mode": "append", "primary_key": ["id"]},
        {"mode": "create", "table": ""},
        {"mode": "upsert"},
        {"mode": "upsert", "key_columns": ["id"], "partition_by": ["id"]},
        {"mode": "append", "key_columns": ["id"]},
    ):
        load = {"database": "d", "table": "people", **wrong}
        problem(lake.caller.post(f"{imports(lake)}{made['id']}/load/", load), 400, "INVALID_VALUE")
    assert Task.objects.count() == 0
