"""Kept results on Spark: every type, the order of the query, names that repeat, and columns of a table as they lie."""

from __future__ import annotations

import uuid
from typing import Any

import pyarrow as pa
import pytest
from django.conf import settings

from catalog_app.domain.results import names_apart
from catalog_app.engine.answers import json_rows
from catalog_app.storage.kept_results import kept_batches, kept_schema
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import InvalidValue
from lakeui.frontdoor import Session
from lakeui.frontdoor.entries.results import KeptQuery, query_keep
from tests.support.lake import Lake


class Kept:
    def __init__(self, lake: Lake, statement: str) -> None:
        self.warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])
        self.folder = self.warehouse.new_result(uuid.uuid4())
        self.query: KeptQuery = query_keep(statement, Session(lake.catalog), self.folder)

    @property
    def is_copied(self) -> bool:
        return all(file.path.startswith(self.folder) for file in self.query.rows.files)

    def table(self, start: int = 0) -> pa.Table:
        rows = self.query.rows
        schema = kept_schema(self.warehouse, rows.files, names_apart(name for name, _ in rows.columns))
        return pa.Table.from_batches(kept_batches(self.warehouse, rows.files, schema, start=start), schema)

    def rows(self) -> list[list[Any]]:
        return json_rows(self.table())


VALUES = """SELECT 1 AS a, CAST(2.50 AS DECIMAL(5,2)) AS a, array(1, NULL) AS l, map('k', 1) AS m,
    named_struct('x', 'ä', 'd', DATE'2024-02-29') AS s, TIMESTAMP'2024-01-31 10:00:00Z' AS t, NULL AS n,
    TIMESTAMP_NTZ'2024-01-31 10:00:00.000001' AS z, X'00FF' AS b, INTERVAL '1' DAY AS i, array(NULL) AS e,
    CAST(1 AS TINYINT) AS y, double('NaN') AS f, true AS w, parse_json('{"a":1}') AS v,
    array(parse_json('{"a":1}')) AS va, named_struct('v', parse_json('[1]'), 'i', INTERVAL '1-2' YEAR TO MONTH) AS sv,
    map('k', array(INTERVAL 1 DAY)) AS mi, array() AS ea, map() AS em"""


def test_values_of_each_type_equal_those_answered(lake: Lake) -> None:
    kept = Kept(lake, VALUES)
    answered = lake.sql(VALUES)
    assert kept.rows() == answered.rows
    assert answered.rows[0][-5:] == [
        ['{"a":1}'],
        {"v": "[1]", "i": "INTERVAL '1-2' YEAR TO MONTH"},
        {"k": ["INTERVAL '1' DAY"]},
        [],
        {},
    ]
    assert list(kept.query.rows.columns) == [tuple(column) for column in answered.columns]
    assert kept.table().schema.names[:2] == ["a", "a_2"]


def test_many_rows_come_in_query_order(lake: Lake) -> None:
    kept = Kept(lake, "SELECT id, repeat('x', 20) AS text FROM range(300000) ORDER BY id DESC")
    assert kept.query.rows.rows == 300_000
    assert kept.table().column("id").to_pylist() == list(range(299_999, -1, -1))
    assert kept.table(start=299_998).column("id").to_pylist() == [1, 0]


def test_a_result_without_rows_has_its_columns(lake: Lake) -> None:
    kept = Kept(lake, "SELECT id, 'x' AS x FROM range(10) WHERE id > 10")
    assert (kept.rows(), kept.table().schema.names) == ([], ["id", "x"])


def test_what_fails_on_spark_is_said(lake: Lake) -> None:
    with pytest.raises(InvalidValue, match="zero"):
        Kept(lake, "SELECT 1 / (id - 5) FROM range(10)")


PLAIN = ("SELECT * FROM d.t", "SELECT name, id AS n, id FROM d.t AS u", "TABLE d.t")
"""What shows the columns of a table as they are."""
OTHER = ("SELECT id + 0 AS id FROM d.t", "SELECT id FROM d.t WHERE id > 0", "SELECT DISTINCT id FROM d.t")


def test_table_columns_are_read_from_its_own_files(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, name VARCHAR(9), day DATE)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a', DATE'2024-02-29'), (2, NULL, NULL)")
    lake.sql("INSERT INTO d.t VALUES (3, 'c', NULL)")
    lake.sql("ALTER TABLE d.t RENAME COLUMN day TO at")
    for text in (*PLAIN, *OTHER):
        kept = Kept(lake, text)
        assert kept.is_copied == (text in OTHER), text
        answered = lake.sql(text)
        assert sorted(kept.rows(), key=repr) == sorted(answered.rows, key=repr)
        assert list(kept.query.rows.columns) == [tuple(column) for column in answered.columns]


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM d.t WHERE id = 2",
        "UPDATE d.t SET name = 'x' WHERE id = 2",
        "ALTER TABLE d.t ADD COLUMN more INT DEFAULT 7",
        "ALTER TABLE d.t ALTER COLUMN id TYPE BIGINT",
        "TRUNCATE TABLE d.t",
    ],
)
def test_files_with_other_rows_are_not_the_result(lake: Lake, change: str) -> None:
    lake.sql("CREATE TABLE d.t (id INT, name STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    lake.sql(change)
    kept = Kept(lake, "SELECT * FROM d.t")
    assert kept.is_copied
    assert sorted(kept.rows(), key=repr) == sorted(lake.sql("SELECT * FROM d.t").rows, key=repr)
