"""Files loaded into tables: values, types, one commit, exactly once."""

from __future__ import annotations

import gzip
import io
import json
import shutil
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

from catalog_app.engine import appending
from catalog_app.importing.spec import Reading
from catalog_app.models import FileImport
from catalog_app.selectors.snapshots import branch_get, catalog_get
from catalog_app.services.imports import import_create, import_reread
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import (
    AlreadyExists,
    CheckViolated,
    DuplicateKey,
    InvalidValue,
    LakeError,
    NotFound,
    NotNullViolation,
)
from lakeui.frontdoor import Session, StatementResult
from lakeui.frontdoor.entries.imports import import_load
from lakeui.frontdoor.inputs_outputs import ImportLoad, KeyedMerge
from lakeui.sql.statements import TableName
from merge_app.jobs.context import TaskContext
from merge_app.upsert.inputs_outputs import Strategy
from tests.support.lake import Lake

HOUR = timedelta(hours=1)


def warehouse() -> Warehouse:
    return Warehouse(settings.LAKEUI["WAREHOUSE"])


def send(lake: Lake, file: bytes, folder: Path, **changes: Any) -> FileImport:
    """An import to the lake's main branch, read as ``changes`` say."""
    path = folder / uuid.uuid4().hex
    path.write_bytes(file)
    main = branch_get(catalog_get(lake.catalog), lake.main)
    made = import_create(branch=main, user_id=None, name="file", file=path, warehouse=warehouse(), lifetime=HOUR)
    return import_reread(made, changes, warehouse=warehouse()) if changes else made


def load(
    lake: Lake,
    made: FileImport,
    table: str = "t",
    *,
    append: bool = False,
    context: TaskContext | None = None,
    merge: KeyedMerge | None = None,
    **options: tuple[str, ...],
) -> StatementResult:
    is_new = not append and merge is None
    wanted = ImportLoad(made.pk, Reading.from_json(made.reading), TableName(table, "d"), is_new, merge=merge, **options)
    return import_load(wanted, name=made.name, session=Session(lake.catalog), context=context)


def types(lake: Lake, table: str) -> dict[str, str]:
    return {row[0]: row[1] for row in lake.sql(f"DESCRIBE TABLE {table}").rows}


@pytest.fixture(autouse=True)
def no_leftovers() -> None:
    """Workers that other tests killed under a load left its files, which expire later."""
    for folder in staged_folders():
        shutil.rmtree(folder)


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


def test_numbers_and_days_load_in_their_form(lake: Lake, tmp_path: Path) -> None:
    file = b"n;big;day;at;note\n1.234,50;1.000.000;31.12.2025;1.2.2024 09:30:05;1.234\n-7;;1/2/2024;;31.12.2025\n"
    made = send(lake, file, tmp_path, numbers="1.234,5", dates="d.m.y")
    load(lake, made)
    assert list(types(lake, "d.t").values()) == ["decimal(6,2)", "bigint", "date", "timestamp_ntz", "string"]
    loaded = [
        ("-7.00", None, "2024-02-01", None, "31.12.2025"),
        ("1234.50", 1_000_000, "2025-12-31", "2024-02-01T09:30:05", "1.234"),
    ]
    assert sorted(lake.rows("d.t")) == loaded
    lake.sql("CREATE TABLE d.kept (n DECIMAL(9,2), big STRING, day TIMESTAMP_NTZ, at STRING, note STRING)")
    load(lake, made, "kept", append=True)
    assert sorted(lake.rows("d.kept"))[1] == (
        "1234.50", "1.000.000", "2025-12-31T00:00:00", "1.2.2024 09:30:05", "1.234",
    )  # fmt: skip
    before = lake.head()
    wrong = send(lake, b"n;day\n1,5;31.12.2025\n1.5;31.12.2025\n", tmp_path, numbers="1.234,5")
    with pytest.raises(InvalidValue, match=r"Row 2: 1\.5 of column n is no number written as 1\.234,5"):
        load(lake, import_reread(wrong, {"columns": [{"source": "n", "type": "double"}]}, warehouse=warehouse()), "new")
    assert lake.head() == before


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
    made = send(lake, b"a b,junk,when\n1.5,x,2024-01-31 00:00:00\n", tmp_path, columns=columns)
    load(lake, made, partition_by=("when",))
    assert types(lake, "d.t") == {"number": "decimal(10,2)", "when": "date"}
    assert lake.rows("d.t") == [("1.50", "2024-01-31")]
    assert lake.sql("SHOW PARTITIONS d.t").row_count == 1


def test_values_unfit_for_chosen_type_refuse_the_load(lake: Lake, tmp_path: Path) -> None:
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
            "at": pa.array([1_706_695_200_000_001_000, None], pa.timestamp("ns", "Europe/Berlin")),
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
        ("1", "1.20", "2024-01-31T10:00:00.000001Z", "1970-01-01T00:00:00", {"k": 1}, "AP8="),
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


def test_constraints_hold(lake: Lake, tmp_path: Path) -> None:
    lake.sql("CREATE TABLE d.t (id INT, name STRING, CONSTRAINT positive CHECK (id > 0))")
    with pytest.raises(CheckViolated, match="positive"):
        load(lake, send(lake, b"id,name\n1,a\n-1,b\n", tmp_path), append=True)
    load(lake, send(lake, b"id,name\n1,a\n,b\n", tmp_path), append=True)
    assert lake.rows("d.t") == [(1, "a"), (None, "b")]


def test_a_table_is_not_made_twice(lake: Lake, tmp_path: Path) -> None:
    made = send(lake, b"id\n1\n", tmp_path)
    load(lake, made)
    with pytest.raises(AlreadyExists):
        load(lake, made)


def test_a_file_without_rows_makes_an_empty_table(lake: Lake, tmp_path: Path) -> None:
    load(lake, send(lake, b"id,name\n", tmp_path))
    assert (types(lake, "d.t"), lake.rows("d.t")) == ({"id": "string", "name": "string"}, [])


def test_many_rows_come_by_a_job(lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(appending, "SMALL_SCAN_ROWS", 20_000)
    rows = "".join(f"{number},{number / 8}\n" for number in range(25_000))
    load(lake, send(lake, f"n,x\n{rows}".encode(), tmp_path))
    assert lake.sql("SELECT count(*), sum(n), sum(x) FROM d.t").rows == [[25_000, 312487500, 39060937.5]]


def test_a_later_load_attempt_finds_the_earlier_commit(lake: Lake, tmp_path: Path) -> None:
    made, task_id = send(lake, b"id\n1\n", tmp_path), uuid.uuid4()
    first = load(lake, made, context=TaskContext(task_id))
    again = load(lake, made, context=TaskContext(task_id, attempt=2))
    assert (again.version, again.metrics["rows_inserted"]) == (first.version, 1)
    appended = [load(lake, made, append=True, context=TaskContext(UUID(int=9), attempt=n)).version for n in (2, 3)]
    assert appended == [lake.head()] * 2
    assert lake.rows("d.t") == [(1,), (1,)]


def test_a_load_and_a_concurrent_write_both_commit(lake: Lake, tmp_path: Path) -> None:
    made = send(lake, b"id\n1\n", tmp_path)
    lake.sql("CREATE TABLE d.t (id INT)")
    from lakeui.frontdoor.rows import imported_rows

    convert = imported_rows.file_convert

    def meanwhile(*arguments: Any, **options: Any) -> int:
        lake.sql("INSERT INTO d.t VALUES (2)")
        return convert(*arguments, **options)

    with patch.object(imported_rows, "file_convert", meanwhile):
        load(lake, made, append=True)
    assert lake.rows("d.t") == [(1,), (2,)]


def test_an_import_of_another_branch_is_not_found(lake: Lake, tmp_path: Path) -> None:
    made = send(lake, b"id\n1\n", tmp_path)
    lake.sql("CREATE BRANCH dev")
    wanted = ImportLoad(made.pk, Reading.from_json(made.reading), TableName("t", "d"), is_new=True)
    with pytest.raises(LakeError, match="no import"):
        import_load(wanted, name=made.name, session=Session(lake.catalog, "dev"))


WRITTEN = {
    "sku": ["1E5", "2E7"],
    "airport": ["NAN", "INF"],
    "phone": ["+4930123", "+4940555"],
    "code": ["0x1F", "0x0A"],
    "zip": ["007", "02139"],
    "small": ["0.00001", "0.00010"],
    "money": ["9.90", "10.00"],
    "ratio": ["0.30000000000000004", "1.5"],
    "long": ["12345678901234567890", "-1"],
    "whole": ["0", "-9223372036854775808"],
    "zero": ["-0", "+0"],
    "java": ["1d", "2f"],
    "day": ["2024-02-29", "0001-01-01"],
    "point": [".5", "5."],
    "exponent": ["1e-07", "1.5"],
    "spaced": [" 1", "2 "],
}


def test_a_csv_comes_back_as_it_was_written(lake: Lake, tmp_path: Path) -> None:
    lines = [",".join(WRITTEN), *(",".join(row) for row in zip(*WRITTEN.values(), strict=True))]
    load(lake, send(lake, "\n".join(lines).encode(), tmp_path))
    assert types(lake, "d.t") == {
        **dict.fromkeys(WRITTEN, "string"),
        "small": "decimal(6,5)",
        "money": "decimal(4,2)",
        "ratio": "double",
        "long": "decimal(20,0)",
        "whole": "bigint",
        "day": "date",
    }
    back = [[str(value) for value in row] for row in lake.sql("SELECT * FROM d.t").rows]
    assert sorted(back) == sorted(list(row) for row in zip(*WRITTEN.values(), strict=True))


BIG = b'{"id": 12345678901234567890, "a": 1}\n{"id": 1, "a": 1.5}\n{"id": 2, "a": 9007199254740993}\n'


def test_numbers_of_json_keep_their_digits(lake: Lake, tmp_path: Path) -> None:
    load(lake, send(lake, BIG, tmp_path))
    assert types(lake, "d.t") == {"id": "decimal(20,0)", "a": "decimal(17,1)"}
    assert lake.rows("d.t") == [("1", "1.5"), ("12345678901234567890", "1.0"), ("2", "9007199254740993.0")]


ROUNDED = [
    pytest.param(BIG, "id DECIMAL(20,0), a DOUBLE", "Row 3: 9007199254740993.0 of column a", id="json"),
    pytest.param(b'{"a": 1.5}', "a BIGINT", "Row 1: 1.5 of column a", id="json fraction"),
    pytest.param(b"id,a\n1,1.255\n", "id INT, a DECIMAL(10,2)", "Row 1: 1.255 of column a", id="csv"),
    pytest.param(b"a\n1\n1.23456789\n", "a FLOAT", "Row 2: 1.23456789 of column a", id="csv float"),
    pytest.param(b"a\n12345678901234567890\n", "a DOUBLE", "Row 1: 12345678901234567890 of column a", id="csv double"),
]


@pytest.mark.parametrize(("file", "columns", "words"), ROUNDED)
def test_digits_the_table_would_cut_refuse_the_load(
    lake: Lake, tmp_path: Path, file: bytes, columns: str, words: str
) -> None:
    lake.sql(f"CREATE TABLE d.t ({columns})")
    made = send(lake, file, tmp_path)
    before = lake.head()
    with pytest.raises(InvalidValue, match=f"{words} would lose digits as"):
        load(lake, made, append=True)
    with pytest.raises(InvalidValue, match="would lose digits as"):
        load(lake, made, merge=KeyedMerge(Strategy.UPSERT, ("a",)))
    assert (lake.head(), staged_folders()) == (before, [])


def test_parquet_loses_no_digits_either(lake: Lake, tmp_path: Path) -> None:
    out = io.BytesIO()
    pq.write_table(pa.table({"a": [0.1, 1.25], "b": pa.array([Decimal("1.255"), None])}), out)
    made = send(lake, out.getvalue(), tmp_path)
    lake.sql("CREATE TABLE d.t (a FLOAT, b DECIMAL(10,2))")
    with pytest.raises(InvalidValue, match=r"Row 1: 1.255 of column b would lose digits as decimal\(10,2\)"):
        load(lake, made, append=True)
    with pytest.raises(InvalidValue, match=r"Row 1: 1\.255 of column b"):
        load(lake, made, merge=KeyedMerge(Strategy.UPSERT, ("a",)))


def test_times_finer_than_a_microsecond_are_never_cut(lake: Lake, tmp_path: Path) -> None:
    out = io.BytesIO()
    pq.write_table(pa.table({"at": pa.array([1_001], pa.timestamp("ns"))}), out)
    made = send(lake, out.getvalue(), tmp_path)
    load(lake, made)
    assert lake.rows("d.t") == [("1970-01-01 00:00:00.000001001",)]
    lake.sql("CREATE TABLE d.u (at TIMESTAMP_NTZ)")
    with pytest.raises(InvalidValue, match="finer than the microseconds"):
        load(lake, made, "u", append=True)


def test_compressed_text_of_another_encoding_is_loaded(lake: Lake, tmp_path: Path) -> None:
    made = send(lake, gzip.compress('[{"city": "Zürich"}]'.encode("utf-16")), tmp_path)
    load(lake, made)
    assert lake.rows("d.t") == [("Zürich",)]


@pytest.mark.parametrize("file", [b"[]", b"id,name\n"])
def test_a_file_without_rows_leaves_a_table_unchanged(lake: Lake, tmp_path: Path, file: bytes) -> None:
    lake.sql("CREATE TABLE d.t (id INT, name STRING)")
    before = lake.head()
    made = send(lake, file, tmp_path)
    for merge in (None, KeyedMerge(Strategy.UPSERT, ("id",))):
        done = load(lake, made, append=merge is None, merge=merge)
        assert (done.version, done.metrics["rows_inserted"]) == (before, 0)
    with pytest.raises(NotFound, match="nmae"):
        load(lake, made, merge=KeyedMerge(Strategy.UPSERT, ("nmae",)))


def test_a_file_without_columns_makes_no_table(lake: Lake, tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match="names no column"):
        load(lake, send(lake, b"[]", tmp_path))
