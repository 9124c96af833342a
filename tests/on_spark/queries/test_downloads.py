"""Whole results as CSV and Parquet files."""

from __future__ import annotations

import csv
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from catalog_app.engine.exporting import ExportFormat, ExportTarget
from lakeui.common.errors import InvalidValue, ResultTooLarge
from lakeui.frontdoor import Session, export
from tests.support.lake import Lake

VALUES = """SELECT * FROM VALUES
    (1, 'a "quoted", text', CAST(1.20 AS DECIMAL(10,2)), DATE'2024-02-29', TIMESTAMP'2024-01-31 10:00:00Z', 0.5D, true),
    (2, 'two\\nlines', NULL, NULL, NULL, double('NaN'), NULL),
    (3, '', NULL, NULL, NULL, NULL, false),
    (4, NULL, NULL, NULL, NULL, NULL, NULL)
    AS t(id, name, price, day, at, ratio, flag) ORDER BY id"""


def write(lake: Lake, path: Path, statement: str, kind: ExportFormat = ExportFormat.CSV, **options: bool | int) -> int:
    target = ExportTarget(path, kind, **{"most_rows": 1_000_000, **options})
    return export(statement, Session(lake.catalog), target).row_count


def test_csv_quotes_texts_and_separates_null_from_empty(lake: Lake, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    assert write(lake, path, VALUES) == 4
    assert path.read_bytes().decode() == (
        '"id","name","price","day","at","ratio","flag"\n'
        '1,"a ""quoted"", text","1.20","2024-02-29","2024-01-31T10:00:00Z",0.5,true\n'
        '2,"two\nlines",,,,nan,\n'
        '3,"",,,,,false\n'
        "4,,,,,,\n"
    )


def test_nested_values_are_json_in_csv(lake: Lake, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    write(
        lake, path, "SELECT array(1, NULL) AS a, named_struct('x', 'ä', 'd', 1.20) AS s, map('k', 1) AS m, X'00FF' AS b"
    )
    with path.open(newline="") as file:
        assert list(csv.reader(file)) == [["a", "s", "m", "b"], ["[1,null]", '{"x":"ä","d":"1.20"}', '{"k":1}', "AP8="]]


def test_formulas_are_left_alone_unless_asked(lake: Lake, tmp_path: Path) -> None:
    query = "SELECT explode(array('=1+1', '+a', '-b', '@c', '\\td', 'e=f', NULL)) AS t"
    plain, guarded = tmp_path / "plain.csv", tmp_path / "guarded.csv"
    write(lake, plain, query)
    write(lake, guarded, query, escape_formulas=True)
    with plain.open(newline="") as file:
        assert [row[0] for row in csv.reader(file) if row][1:] == ["=1+1", "+a", "-b", "@c", "\td", "e=f"]
    with guarded.open(newline="") as file:
        assert [row[0] for row in csv.reader(file) if row][1:] == ["'=1+1", "'+a", "'-b", "'@c", "'\td", "e=f"]


def test_parquet_keeps_types_and_names(lake: Lake, tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    query = "SELECT 1 AS a, CAST(2.5 AS DECIMAL(5,2)) AS a, array(1, NULL) AS l, TIMESTAMP'2024-01-31 10:00:00Z' AS t"
    assert write(lake, path, query, ExportFormat.PARQUET) == 1
    found = pq.read_table(path)
    assert {name: str(kind) for name, kind in zip(found.column_names, found.schema.types, strict=True)} == {
        "a": "int32",
        "a_2": "decimal128(5, 2)",
        "l": "list<element: int32>",
        "t": "timestamp[us, tz=UTC]",
    }


@pytest.mark.parametrize("kind", list(ExportFormat))
def test_a_result_without_rows_has_its_columns(lake: Lake, tmp_path: Path, kind: ExportFormat) -> None:
    path = tmp_path / "x"
    lake.sql("CREATE TABLE d.t (id INT, name STRING)")
    assert write(lake, path, "SELECT * FROM d.t", kind) == 0
    if kind is ExportFormat.CSV:
        assert path.read_text() == '"id","name"\n'
    else:
        assert pq.read_schema(path).names == ["id", "name"]


def test_the_whole_result_comes_in_order(lake: Lake, tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    query = "SELECT id, repeat('x', 20) AS text FROM range(300000) ORDER BY id DESC"
    assert write(lake, path, query, ExportFormat.PARQUET) == 300_000
    assert pq.read_table(path).column("id").to_pylist() == list(range(299_999, -1, -1))


def test_a_too_large_result_is_refused_not_cut(lake: Lake, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    assert write(lake, path, "SELECT id FROM range(100)", most_rows=100) == 100
    with pytest.raises(ResultTooLarge, match="more than 99 rows"):
        write(lake, path, "SELECT id FROM range(100)", most_rows=99)
    # Such a query does not run to its end, and the next one is answered.
    with pytest.raises(ResultTooLarge):
        write(lake, path, "SELECT a.id FROM range(100000) a CROSS JOIN range(100000) b", most_rows=1000)
    assert lake.sql("SELECT 1").rows == [[1]]


def test_a_query_error_is_reported_as_usual(lake: Lake, tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match="nothing"):
        write(lake, tmp_path / "x", "SELECT nothing FROM range(1)")
    with pytest.raises(InvalidValue, match="zero"):
        write(lake, tmp_path / "x", "SELECT 1 / (id - 5) FROM range(10)")
