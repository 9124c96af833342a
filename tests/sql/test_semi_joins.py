"""Which conditions with a subquery mean the same as a merge by one key, and need no Spark."""

from __future__ import annotations

import pytest

from catalog_app.domain.files import FileScan, TableScan
from catalog_app.engine.inputs_outputs import QuerySource
from catalog_app.engine.merge_source import FEW_ROWS
from lakeui.frontdoor.queries.queries import Relations
from lakeui.frontdoor.queries.semi_joins import semi_join_meant
from lakeui.sql import statements as sql
from lakeui.sql.parse import parse
from tests.engine.lake import schema_of

T = schema_of("id int", "v string", "n bigint", "x double", "c char(4)", "m decimal(6,2)", "s struct<id:int>")
SOURCES = {
    "s": schema_of("k int", "v string", "w bigint", "x double", "c char(6)", "m decimal(9,3)", "l varchar(4)"),
    "t": T,
    "none": schema_of("k int", "v string"),
    "holds": schema_of("k int", "t struct<id:int>"),
}
MERGED = [
    "d.t WHERE id IN (SELECT k FROM d.s)",
    "d.t AS a WHERE a.id IN (SELECT DISTINCT b.k FROM d.s AS b)",
    "d.t WHERE n IN (SELECT w FROM d.s)",
    "d.t WHERE id IN (SELECT w FROM d.s)",
    "d.t WHERE n IN (SELECT k FROM d.s)",
    "d.t WHERE v IN (SELECT v FROM d.s)",
    "d.t WHERE id IN (SELECT k FROM d.none)",
    "d.t WHERE id IN (SELECT id FROM d.t)",
    "d.t WHERE id IN (SELECT t.id FROM d.t WHERE t.v = 'v1')",
    "d.t WHERE id IN (SELECT k FROM d.`s@other`)",
    "d.t WHERE id IN (SELECT k FROM d.s VERSION AS OF 9)",
    "d.t WHERE id IN (SELECT k FROM d.s WHERE w > 3 OR v LIKE 'V%')",
    "d.t WHERE id IN (SELECT k FROM d.s) AND v = 'v3'",
    "d.t WHERE n = 1000 AND t.v = 'v8' AND id IN (SELECT k FROM d.s WHERE w > 3)",
    "d.t WHERE EXISTS (SELECT 1 FROM d.s WHERE s.k = t.id)",
    "d.t WHERE EXISTS (SELECT * FROM d.s o WHERE o.w > 3 AND d.t.id = o.k)",
    "d.t a WHERE EXISTS (SELECT 'x' FROM d.t b WHERE a.id = b.n AND b.v = 'v5') AND a.n = 5",
    "d.t WHERE id IN (SELECT k FROM d.s WHERE k = 1000)",
]
OTHERS = [
    "d.t WHERE id NOT IN (SELECT k FROM d.s)",
    "d.t WHERE NOT EXISTS (SELECT 1 FROM d.s WHERE s.k = t.id)",
    "d.t WHERE id IN (SELECT k + 1 FROM d.s)",
    "d.t WHERE id + 1 IN (SELECT k FROM d.s)",
    "d.t WHERE id IN (SELECT v FROM d.s)",
    "d.t WHERE x IN (SELECT x FROM d.s)",
    "d.t WHERE c IN (SELECT c FROM d.s)",
    "d.t WHERE c IN (SELECT v FROM d.s)",
    "d.t WHERE v IN (SELECT c FROM d.s)",
    "d.t WHERE v IN (SELECT l FROM d.s)",
    "d.t WHERE m IN (SELECT k FROM d.s)",
    "d.t WHERE id IN ((SELECT k FROM d.s))",
    "d.t WHERE id IN (SELECT k FROM d.s) OR v = 'v1'",
    "d.t WHERE id IN (SELECT k FROM d.s) AND n > 5",
    "d.t WHERE id IN (SELECT k FROM d.s) AND (n = 5 OR n = 6)",
    "d.t WHERE id IN (SELECT k FROM d.s) AND v IN (SELECT v FROM d.s)",
    "d.t WHERE (id, v) IN (SELECT k, v FROM d.s)",
    "d.t WHERE id IN (SELECT k FROM d.s GROUP BY k HAVING count(*) > 1)",
    "d.t WHERE id IN (SELECT k FROM d.s ORDER BY k LIMIT 1)",
    "d.t WHERE id IN (SELECT k FROM d.s UNION SELECT 4)",
    "d.t WHERE id IN (SELECT k FROM d.s JOIN d.none USING (k))",
    "d.t WHERE id IN (SELECT k FROM d.s WHERE w IN (SELECT k FROM d.none))",
    "d.t WHERE id IN (SELECT k FROM d.s WHERE s.w = t.n)",
    "d.t WHERE id IN (SELECT k FROM d.s AS t (k, v))",
    "d.t WHERE id IN (SELECT id FROM d.s)",
    "d.t WHERE id IN (SELECT k FROM d.s WHERE n = 3)",
    "d.t WHERE nothing IN (SELECT k FROM d.s)",
    "d.t WHERE s.id IN (SELECT k FROM d.s)",
    "d.t WHERE _row_id IN (SELECT w FROM d.s)",
    "d.t WHERE EXISTS (SELECT 1 FROM d.s WHERE s.k < t.id)",
    "d.t WHERE EXISTS (SELECT 1 FROM d.s WHERE k = id)",
    "d.t WHERE EXISTS (SELECT 1 FROM d.s WHERE s.k = t.id AND s.v = t.v)",
    "d.t WHERE EXISTS (SELECT 1 FROM d.s WHERE s.k = t.id OR s.w = 3)",
    "d.t WHERE EXISTS (SELECT 1 / 0 FROM d.s WHERE s.k = t.id)",
    "d.t WHERE EXISTS (SELECT count(*) FROM d.s WHERE s.k = t.id)",
    "d.t WHERE EXISTS (SELECT 1 FROM d.s AS t WHERE t.k = t.id)",
    "d.t WHERE EXISTS (SELECT 1 FROM d.holds AS o WHERE o.k = t.id)",
]


def read(text: str) -> sql.Delete:
    statement = parse(f"DELETE FROM {text}")
    assert isinstance(statement, sql.Delete)
    return statement


def tables_of(statement: sql.Delete | sql.Update, *files: FileScan) -> Relations:
    names = ((item.placeholder, item.name.table.partition("@")[0]) for item in statement.subqueries.tables)
    return {placeholder: TableScan(8, SOURCES[name], files) for placeholder, name in names}


@pytest.mark.parametrize("text", MERGED)
def test_forms_that_are_merges(text: str) -> None:
    statement = read(text)
    assert semi_join_meant(statement, T, tables_of(statement)) is not None


@pytest.mark.parametrize("text", OTHERS)
def test_forms_that_are_not(text: str) -> None:
    statement = read(text)
    assert semi_join_meant(statement, T, tables_of(statement)) is None


@pytest.mark.parametrize(
    ("values", "is_merge"),
    [
        ("v = 'x'", True),
        ("v = NULL, n = DEFAULT", True),
        ("n = n + 1, id = t.id - 2", True),
        ("v = upper(v)", False),
        ("n = id", False),
        ("x = x + 1", False),
        ("c = 'x'", False),
        ("s.id = 3", False),
        ("id = 3000000000", False),
        ("nothing = 3", False),
        ("n = (SELECT max(w) FROM d.s)", False),
    ],
)
def test_updates_that_are_merges(values: str, is_merge: bool) -> None:
    statement = parse(f"UPDATE d.t SET {values} WHERE id IN (SELECT k FROM d.s)")
    assert isinstance(statement, sql.Update)
    assert (semi_join_meant(statement, T, tables_of(statement)) is not None) == is_merge


def test_views_and_many_rows_are_not() -> None:
    statement = read(MERGED[0])
    (placeholder,) = (item.placeholder for item in statement.subqueries.tables)
    view = QuerySource("SELECT k FROM `__lake_0`", {"__lake_0": TableScan(8, SOURCES["s"], ())})
    assert semi_join_meant(statement, T, {placeholder: view}) is None
    few, many = (FileScan(1, "7/a.parquet", 0, rows, SOURCES["s"]) for rows in (FEW_ROWS, FEW_ROWS + 1))
    assert semi_join_meant(statement, T, tables_of(statement, few)) is not None
    assert semi_join_meant(statement, T, tables_of(statement, many)) is None
    assert semi_join_meant(statement, schema_of("id int", partition_by=[1]), tables_of(statement)) is None


def test_what_a_merge_compares() -> None:
    join = read("d.t AS a WHERE v = 'x' AND n = 3 AND id IN (SELECT DISTINCT k FROM d.s b WHERE w > 3)").semi_join
    assert join is not None
    assert join.source.text == "SELECT `k` AS `__lake_key` FROM `__lake_1` AS `b` WHERE `w` > 3"
    assert join.beside == "`v` = 'x' AND `n` = 3"
    assert join.on.text == f"`a`.`id` = `__lake_source`.`__lake_key` AND {join.beside}"
    assert "__lake_1" in join.source.where
