"""Files loaded into tables: values, types, one commit, exactly once."""

from __future__ import annotations

import io
import json
import uuid
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from unittest.mock import patch
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.conf import settings

from catalog_app.importing.values import Reading
from catalog_app.models import FileImport
from catalog_app.selectors.lineage import branch_get, catalog_get
from catalog_app.services.imports import import_create, import_reread
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import AlreadyExists, DuplicateKey, InvalidValue, LakeError, NotFound, NotNullViolation
from lakeui.frontdoor import Session, StatementResult
from lakeui.frontdoor.imports import import_load
from lakeui.frontdoor.values import ImportLoad
from lakeui.sql.statements import TableName
from merge_app.jobs.context import TaskContext
from tests.e2e.lake import Lake

HOUR = timedelta(hours=1)


def warehouse() -> Warehouse:
    return Warehouse(settings.LAKEUI["WAREHOUSE"])


def send(lake: Lake, file: bytes, folder: Path, **changes: Any) -> FileImport:
    """An import to main, read as ``changes`` say."""
    path = folder / uuid.uuid4().hex
    path.write_bytes(file)
    main = branch_get(catalog_get(lake.catalog), "main")
    made = import_create(branch=main, user_id=None, name="file", file=path, warehouse=warehouse(), lifetime=HOUR)
    return import_reread(made, changes, warehouse=warehouse()) if changes else made


def load(
    lake: Lake,
    made: FileImport,
    table: str = "t",
    *,
    append: bool = False,
    context: TaskContext | None = None,
    **options: tuple[str, ...],
) -> StatementResult:
    wanted = ImportLoad(made.pk, Reading.from_json(made.reading), TableName(table, "d"), not append, **options)
    return import_load(wanted, name=made.name, session=Session(lake.catalog), context=context)


def types(lake: Lake, table: str) -> dict[str, str]:
    return {row[0]: row[1] for row in lake.sql(f"DESCRIBE TABLE {table}").rows}


def staged_folders() -> list[Path]:
    """What loads left beside the files that were sent."""
    return [path for path in (Path(settings.LAKEUI["WAREHOUSE"]) / "imports").glob("*/*/") if path.is_dir()]


def test_csv_becomes_a_table_with_types(lake: Lake, tmp_path: Path) -> None:
    file = (
        b"\xef\xbb\xbfid,name,price,day,at,instant,flag,zip\r\n"
        b'1,"two\r\nlines, ""quoted""",12345678901234567.25,2024-02-29,2024-01-31 10:00:00.5,'
        b"2024-01-31T10:00:00+02:00,true,02139\r\n"
        b'2,"",0.5,,,,false,00000\r\n'
        b"3,,,1582-10-04,0001-01-01 00:00:00,2024-01-31T10:00:00Z,,1\r\n"
    )
    done = load(lake, send(lake, file, tmp_path))
    assert types(lake, "d.t") == {
        "id": "bigint",
        "name": "string",
        "price": "decimal(19,2)",
        "day": "date",
        "at": "timestamp_ntz",
        "instant": "timestamp",
        "flag": "boolean",
        "zip": "string",
    }
    assert lake.rows("d.t") == [
        (1, 'two\r\nlines, "quoted"', "12345678901234567.25", "2024-02-29", "2024-01-31T10:00:00.500000",
         "2024-01-31T08:00:00Z", True, "02139"),
        (2, "", "0.50", None, None, None, False, "00000"),
        (3, None, None, "1582-10-04", "0001-01-01T00:00:00", "2024-01-31T10:00:00Z", None, "1"),
    ]  # fmt: skip
    assert (done.version, done.metrics["rows_inserted"], done.metrics["files_added"]) == (lake.head(), 3, 1)
    assert staged_folders() == []


def test_a_load_is_one_commit(lake: Lake, tmp_path: Path) -> None:
    before = lake.head()
    made = send(lake, b"id\n1\n", tmp_path)
    load(lake, made)
    load(lake, made, append=True)
    history = lake.sql("SHOW HISTORY LIMIT 2").rows
    assert [row[2] for row in history] == ["IMPORT", "IMPORT"]
    assert lake.head() == before + 2
    assert lake.rows("d.t") == [(1,), (1,)]


def test_columns_can_be_renamed_typed_and_left_out(lake: Lake, tmp_path: Path) -> None:
    columns = [
        {"source": "a b", "name": "number", "type": "decimal(10,2)"},
        {"source": "junk", "include": False},
        {"source": "when", "type": "date"},
    ]
    made = send(lake, b"a b,junk,when\n1.5,x,2024-01-31 10:00:00\n", tmp_path, columns=columns)
    load(lake, made, partition_by=("when",))
    assert types(lake, "d.t") == {"number": "decimal(10,2)", "when": "date"}
    assert lake.rows("d.t") == [("1.50", "2024-01-31")]
    assert lake.sql("SHOW PARTITIONS d.t").row_count == 1


def test_a_value_that_does_not_fit_the_chosen_type_refuses_the_load(lake: Lake, tmp_path: Path) -> None:
    made = send(lake, b"n\n1\nmany\n", tmp_path, columns=[{"source": "n", "type": "int"}])
    before = lake.head()
    with pytest.raises(InvalidValue, match="many"):
        load(lake, made)
    assert lake.head() == before
    assert staged_folders() == []


def test_json_becomes_nested_columns(lake: Lake, tmp_path: Path) -> None:
    objects = [
        {"id": 1, "at": {"x": 1.5, "tags": ["a", None]}, "price": 0.1, "when": "2024-01-31T10:00:00Z"},
        {"id": 2, "at": None, "price": 12345678901.12, "more": "\u2028"},
    ]
    made = send(lake, json.dumps(objects).encode(), tmp_path, columns=[{"source": "price", "type": "decimal(20,2)"}])
    load(lake, made)
    assert types(lake, "d.t")["at"] == "struct<x:double,tags:array<string>>"
    assert lake.rows("d.t", columns="id, at, price, `when`, more") == [
        (1, {"x": 1.5, "tags": ["a", None]}, "0.10", "2024-01-31T10:00:00Z", None),
        (2, None, "12345678901.12", None, "\u2028"),
    ]


def parquet() -> bytes:
    table = pa.table(
        {
            "id": pa.array([1, 2], pa.uint64()),
            "money": pa.array([Decimal("1.20"), None], pa.decimal128(10, 2)),
            "at": pa.array([1_706_695_200_000_000_001, None], pa.timestamp("ns", "Europe/Berlin")),
            "local": pa.array([0, None], pa.timestamp("ms")),
            "pairs": pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int32())),
            "raw": pa.array([b"\x00\xff", None], pa.large_binary()),
        }
    )
    file = io.BytesIO()
    pq.write_table(table, file)
    return file.getvalue()


def test_parquet_keeps_its_types(lake: Lake, tmp_path: Path) -> None:
    load(lake, send(lake, parquet(), tmp_path))
    assert types(lake, "d.t") == {
        "id": "decimal(20,0)",
        "money": "decimal(10,2)",
        "at": "timestamp",
        "local": "timestamp_ntz",
        "pairs": "map<string,int>",
        "raw": "binary",
    }
    assert lake.rows("d.t") == [
        ("1", "1.20", "2024-01-31T10:00:00Z", "1970-01-01T00:00:00", {"k": 1}, "AP8="),
        ("2", None, None, None, {}, None),
    ]


@pytest.mark.parametrize(
    "file", [b"b,ID\nx,1\n", b'{"ID": 1, "b": "x"}', pytest.param(None, id="parquet")], ids=["csv", "json", ""]
)
def test_appending_matches_columns_by_name(lake: Lake, tmp_path: Path, file: bytes | None) -> None:
    if file is None:
        out = io.BytesIO()
        pq.write_table(pa.table({"b": ["x"], "ID": [1]}), out)
        file = out.getvalue()
    lake.sql("CREATE TABLE d.t (id SMALLINT NOT NULL, a INT, b VARCHAR(3), c INT DEFAULT 7)")
    load(lake, send(lake, file, tmp_path), append=True)
    assert lake.rows("d.t") == [(1, None, "x", 7)]


def test_appending_an_unknown_column_names_it(lake: Lake, tmp_path: Path) -> None:
    lake.sql("CREATE TABLE d.t (id INT, name STRING)")
    with pytest.raises(NotFound) as refusal:
        load(lake, send(lake, b"id,nmae,other\n1,x,y\n", tmp_path), append=True)
    assert refusal.value.details["columns"] == ["nmae", "other"]
    assert refusal.value.details["nearest"] == "name"
    assert "leave it out" in refusal.value.remedy


def test_appending_without_a_required_column_names_it(lake: Lake, tmp_path: Path) -> None:
    lake.sql("CREATE TABLE d.t (id INT NOT NULL, name STRING)")
    with pytest.raises(InvalidValue, match="id of"):
        load(lake, send(lake, b"name\nx\n", tmp_path), append=True)
    with pytest.raises(NotNullViolation):
        load(lake, send(lake, b"id,name\n,x\n", tmp_path), append=True)


def test_keys_hold(lake: Lake, tmp_path: Path) -> None:
    twice = send(lake, b"id\n1\n1\n", tmp_path)
    with pytest.raises(DuplicateKey):
        load(lake, twice, primary_key=("id",))
    once = send(lake, b"id\n1\n", tmp_path)
    load(lake, once, primary_key=("id",))
    with pytest.raises(DuplicateKey):
        load(lake, once, append=True)
    assert lake.rows("d.t") == [(1,)]


def test_a_table_is_not_made_twice(lake: Lake, tmp_path: Path) -> None:
    made = send(lake, b"id\n1\n", tmp_path)
    load(lake, made)
    with pytest.raises(AlreadyExists):
        load(lake, made)


def test_a_file_without_rows_makes_an_empty_table(lake: Lake, tmp_path: Path) -> None:
    load(lake, send(lake, b"id,name\n", tmp_path))
    assert (types(lake, "d.t"), lake.rows("d.t")) == ({"id": "string", "name": "string"}, [])


def test_many_rows_come_by_a_job(lake: Lake, tmp_path: Path) -> None:
    rows = "".join(f"{number},{number / 8}\n" for number in range(250_000))
    load(lake, send(lake, f"n,x\n{rows}".encode(), tmp_path))
    assert lake.sql("SELECT count(*), sum(n), sum(x) FROM d.t").rows == [[250_000, 31249875000, 3906234375.0]]


def test_a_later_attempt_at_a_load_finds_what_the_earlier_one_committed(lake: Lake, tmp_path: Path) -> None:
    made, task_id = send(lake, b"id\n1\n", tmp_path), uuid.uuid4()
    first = load(lake, made, context=TaskContext(task_id))
    again = load(lake, made, context=TaskContext(task_id, attempt=2))
    assert (again.version, again.metrics["rows_inserted"]) == (first.version, 1)
    appended = [load(lake, made, append=True, context=TaskContext(UUID(int=9), attempt=n)).version for n in (2, 3)]
    assert appended == [lake.head()] * 2
    assert lake.rows("d.t") == [(1,), (1,)]


def test_a_load_that_meets_another_write_lands_beside_it(lake: Lake, tmp_path: Path) -> None:
    made = send(lake, b"id\n1\n", tmp_path)
    lake.sql("CREATE TABLE d.t (id INT)")
    from lakeui.frontdoor import imports

    convert = imports.file_convert

    def meanwhile(*arguments: Any) -> int:
        lake.sql("INSERT INTO d.t VALUES (2)")
        return convert(*arguments)

    with patch.object(imports, "file_convert", meanwhile):
        load(lake, made, append=True)
    assert lake.rows("d.t") == [(1,), (2,)]


def test_an_import_of_another_branch_is_not_found(lake: Lake, tmp_path: Path) -> None:
    made = send(lake, b"id\n1\n", tmp_path)
    lake.sql("CREATE BRANCH dev")
    wanted = ImportLoad(made.pk, Reading.from_json(made.reading), TableName("t", "d"), is_new=True)
    with pytest.raises(LakeError, match="no import"):
        import_load(wanted, name=made.name, session=Session(lake.catalog, "dev"))
