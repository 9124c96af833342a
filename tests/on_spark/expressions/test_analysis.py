"""What a statement says is resolved and typed before rows are read: tables without rows answer as full ones do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lakeui.common.errors import LakeError, NotNullViolation
from tests.support.lake import Lake
from tests.support.soak import IS_SOAK

ON = "MERGE INTO {d}.t AS t USING {d}.s AS s ON t.id = s.id"
MATCHED = f"{ON} WHEN MATCHED"
MISSING = f"{ON} WHEN NOT MATCHED"
ALONE = f"{ON} WHEN NOT MATCHED BY SOURCE"
NUMBERS = "MERGE INTO {d}.n AS t USING {d}.s AS s ON t.id = s.id"
CODES = "MERGE INTO {d}.c AS t USING {d}.s AS s ON t.id = s.id"
FIXED = (
    "MERGE INTO {d}.c AS t USING (SELECT id, 'abcd' AS long, 99999999999 AS huge, 0 AS none FROM {d}.s) AS q"
    " ON t.id = q.id"
)
REFUSED = [
    # Names
    (
        f"{MISSING} AND nope > 1 THEN INSERT (id) VALUES (s.id)",
        "INVALID_VALUE",
        "there is no column nope (line 1, column ",
    ),
    (f"{MISSING} AND t.v = 1 THEN INSERT (id) VALUES (s.id)", "INVALID_VALUE", "t.v is of the target"),
    (f"{MISSING} THEN INSERT (id, v) VALUES (s.id, t.v)", "INVALID_VALUE", "t.v is of the target"),
    (f"{MISSING} AND only_t = 1 THEN INSERT (id) VALUES (s.id)", "INVALID_VALUE", "only_t is of the target"),
    (f"{MISSING} THEN INSERT (id, nope) VALUES (s.id, 1)", "NOT_FOUND", "There is no column nope"),
    (f"{MATCHED} AND s.vv = 1 THEN DELETE", "INVALID_VALUE", "no column s.vv"),
    (f"{MATCHED} THEN UPDATE SET v = nope", "INVALID_VALUE", "no column nope"),
    (f"{MATCHED} THEN UPDATE SET nope = 1", "NOT_FOUND", "There is no column nope"),
    (f"{MATCHED} AND v = 1 THEN DELETE", "INVALID_VALUE", "v is ambiguous; it may be s.v or t.v"),
    (f"{MATCHED} THEN UPDATE SET v = id", "INVALID_VALUE", "id is ambiguous"),
    (f"{ALONE} AND only_s = 1 THEN DELETE", "INVALID_VALUE", "only_s"),
    (f"{ALONE} THEN UPDATE SET v = s.v", "INVALID_VALUE", "s.v is of the source"),
    ("MERGE INTO {d}.t USING {d}.s ON t.id = s.nope WHEN MATCHED THEN DELETE", "INVALID_VALUE", "s.nope"),
    ("MERGE INTO {d}.t USING {d}.s ON t.nope = s.id WHEN MATCHED THEN DELETE", "INVALID_VALUE", "t.nope"),
    (
        "MERGE INTO {d}.t USING (SELECT 1 AS a FROM {d}.s) ON t.id = b WHEN MATCHED THEN DELETE",
        "INVALID_VALUE",
        "no column b",
    ),
    ("DELETE FROM {d}.t WHERE nope = 1", "INVALID_VALUE", "there is no column nope (line 1, column 26)"),
    ("DELETE FROM {d}.t WHERE id = 99 AND t.vv = 1", "INVALID_VALUE", "t.vv"),
    ("UPDATE {d}.t SET v = nope + 1", "INVALID_VALUE", "no column nope"),
    ("UPDATE {d}.t SET nope = 1", "NOT_FOUND", "There is no column nope"),
    ("UPDATE {d}.t SET v = 1 WHERE nope IS NULL", "INVALID_VALUE", "no column nope"),
    ("INSERT INTO {d}.t (id, nope) VALUES (1, 2)", "NOT_FOUND", "column nope"),
    ("INSERT INTO {d}.t SELECT id, nope, 1 FROM {d}.s", "INVALID_VALUE", "nope"),
    ("INSERT INTO {d}.t BY NAME SELECT id, v AS nope FROM {d}.s", "NOT_FOUND", "column nope"),
    # Conditions are true or not
    (f"{MATCHED} AND s.v THEN DELETE", "INVALID_VALUE", "boolean"),
    (f"{MISSING} AND s.v + 1 THEN INSERT (id) VALUES (s.id)", "INVALID_VALUE", "boolean"),
    (f"{ALONE} AND 'yes' THEN DELETE", "INVALID_VALUE", "boolean"),
    ("MERGE INTO {d}.t USING {d}.s ON t.id WHEN MATCHED THEN DELETE", "INVALID_VALUE", "boolean"),
    ("DELETE FROM {d}.t WHERE v", "INVALID_VALUE", "boolean"),
    ("DELETE FROM {d}.t WHERE 'true'", "INVALID_VALUE", "boolean"),
    ("UPDATE {d}.t SET v = 1 WHERE id + 1", "INVALID_VALUE", "boolean"),
    # What is stored where (S16)
    (f"{MATCHED} THEN UPDATE SET v = '1'", "INVALID_VALUE", "v is int; a value of type string"),
    (f"{MATCHED} THEN UPDATE SET v = s.text", "INVALID_VALUE", "v is int; a value of type string"),
    (f"{MISSING} THEN INSERT (id, v) VALUES (s.id, s.text)", "INVALID_VALUE", "v is int; a value of type string"),
    (f"{MISSING} THEN INSERT (id, v) VALUES (s.id, true)", "INVALID_VALUE", "v is int; a value of type boolean"),
    (f"{ALONE} THEN UPDATE SET v = array(1)", "INVALID_VALUE", "v is int; a value of type array<int>"),
    ("UPDATE {d}.t SET v = '1'", "INVALID_VALUE", "v is int; a value of type string"),
    ("UPDATE {d}.t SET v = DATE '2026-01-01'", "INVALID_VALUE", "v is int; a value of type date"),
    ("INSERT INTO {d}.t (v) VALUES ('1')", "INVALID_VALUE", "v is int; a value of type string"),
    ("INSERT INTO {d}.t (v) SELECT text FROM {d}.s", "INVALID_VALUE", "v is int; a value of type string"),
    # Types inside of expressions
    (f"{MATCHED} AND t.v = array(s.v) THEN DELETE", "INVALID_VALUE", "array"),
    (f"{MISSING} THEN INSERT (id, v) VALUES (s.id, substring(s.text))", "INVALID_VALUE", "substring"),
    ("DELETE FROM {d}.t WHERE v = array(1)", "INVALID_VALUE", "array"),
    ("UPDATE {d}.t SET v = t.v.x", "INVALID_VALUE", "v"),
    # Constants
    (f"{MATCHED} THEN UPDATE SET v = 99999999999", "INVALID_VALUE", "WHEN MATCHED: 99999999999 does not fit into"),
    (f"{MATCHED} AND s.v = 1 THEN UPDATE SET v = 1 / 0", "INVALID_VALUE", "WHEN MATCHED: Division by zero"),
    (f"{MATCHED} AND 1 / 0 > 1 THEN DELETE", "INVALID_VALUE", "WHEN MATCHED: Division by zero"),
    (
        f"{MISSING} THEN INSERT (id, v) VALUES (2147483647 + 1, 1)",
        "INVALID_VALUE",
        "WHEN NOT MATCHED: The result of a computation does not fit",
    ),
    (f"{ALONE} AND t.v = 'abc' THEN DELETE", "INVALID_VALUE", "'abc' is not a"),
    (f"{ON} AND t.v = 1 / 0 WHEN MATCHED THEN DELETE", "INVALID_VALUE", "ON: Division by zero"),
    ("UPDATE {d}.t SET v = 99999999999", "INVALID_VALUE", "SET v: 99999999999 does not fit into"),
    ("UPDATE {d}.t SET v = 1 WHERE v = 'abc'", "INVALID_VALUE", "WHERE: 'abc' is not a"),
    ("DELETE FROM {d}.t WHERE 1 / 0 = v", "INVALID_VALUE", "WHERE: Division by zero"),
    ("SELECT id FROM {d}.t WHERE v = 'abc'", "INVALID_VALUE", "'abc' is not a"),
    ("SELECT count(*) FROM {d}.t WHERE id > 99 AND v IN ('1', 'abc')", "INVALID_VALUE", "'abc' is not a"),
    ("SELECT t.id FROM {d}.t JOIN {d}.s ON t.id = s.id AND s.v < 'abc'", "INVALID_VALUE", "'abc' is not a"),
    ("SELECT v = 1 / 0 FROM {d}.t", "INVALID_VALUE", "Division by zero"),
    # Texts that are too long
    ("UPDATE {d}.c SET code = 'abcd'", "INVALID_VALUE", "SET: A value for column code is longer than 3"),
    ("UPDATE {d}.c SET code = 12345 WHERE id = 99", "INVALID_VALUE", "column code is longer than 3"),
    ("UPDATE {d}.c SET flag = concat('a', 'bc')", "INVALID_VALUE", "column flag is longer than 2"),
    ("INSERT INTO {d}.c VALUES (1, 'abcd', NULL)", "INVALID_VALUE", "column code is longer than 3"),
    (f"{CODES} WHEN MATCHED THEN UPDATE SET code = 'abcd'", "INVALID_VALUE", "column code is longer than 3"),
    (
        f"{CODES} WHEN NOT MATCHED THEN INSERT (id, flag) VALUES (s.id, 'abc')",
        "INVALID_VALUE",
        "WHEN NOT MATCHED: A value for column flag is longer than 2",
    ),
    ("INSERT INTO {d}.c SELECT id, 'abcd', NULL FROM {d}.s", "INVALID_VALUE", "column code is longer than 3"),
    ("INSERT INTO {d}.c BY NAME SELECT 'abc' AS flag, id FROM {d}.s", "INVALID_VALUE", "column flag is longer than 2"),
    ("INSERT INTO {d}.c (id, code) SELECT id, x FROM (SELECT id, 12345 AS x FROM {d}.s)", "INVALID_VALUE", "code"),
    ("INSERT OVERWRITE {d}.c SELECT id, concat('ab', 'cd'), 'x' FROM {d}.s WHERE id = 99", "INVALID_VALUE", "code"),
    ("INSERT INTO {d}.n SELECT id, 1, named_struct('z', 'abc', 'b', id) FROM {d}.s", "INVALID_VALUE", "column s.a is"),
    ("UPDATE {d}.n SET s.a = 'abc'", "INVALID_VALUE", "SET: A value for column s.a is longer than 2"),
    ("UPDATE {d}.n SET s = named_struct('b', v, 'a', 'abc')", "INVALID_VALUE", "column s.a is longer than 2"),
    # Columns that take no NULL
    ("UPDATE {d}.n SET v = NULL", "NOT_NULL_VIOLATION", "SET: Column v is NOT NULL"),
    ("UPDATE {d}.n SET v = CAST(NULL AS INT) WHERE id = 99", "NOT_NULL_VIOLATION", "SET: Column v is NOT NULL"),
    ("INSERT INTO {d}.n (id) SELECT id FROM {d}.s", "NOT_NULL_VIOLATION", "Column v is NOT NULL"),
    ("INSERT INTO {d}.n (id, v) SELECT id, NULL FROM {d}.s", "NOT_NULL_VIOLATION", "Column v is NOT NULL"),
    ("INSERT INTO {d}.n (id, v) SELECT id, nullif(1, 1) FROM {d}.s", "NOT_NULL_VIOLATION", "Column v is NOT NULL"),
    (
        "INSERT INTO {d}.m SELECT id, CAST(NULL AS DATE), DATE '2026-01-01' FROM {d}.s",
        "NOT_NULL_VIOLATION",
        "Column at",
    ),
    ("UPDATE {d}.m SET at = CAST(NULL AS TIMESTAMP)", "NOT_NULL_VIOLATION", "SET: Column at is NOT NULL"),
    (f"{NUMBERS} WHEN MATCHED THEN UPDATE SET v = NULL", "NOT_NULL_VIOLATION", "WHEN MATCHED: Column v is NOT NULL"),
    (f"{NUMBERS} WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)", "NOT_NULL_VIOLATION", "Column v is NOT NULL"),
    (f"{NUMBERS} WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, NULL)", "NOT_NULL_VIOLATION", "Column v is"),
    # Columns to which the source's query gives one value
    (
        f"{FIXED} WHEN MATCHED THEN UPDATE SET code = q.long",
        "INVALID_VALUE",
        "WHEN MATCHED: A value for column code is",
    ),
    (f"{FIXED} WHEN NOT MATCHED THEN INSERT (id, code) VALUES (q.id, long)", "INVALID_VALUE", "column code is longer"),
    (f"{FIXED} WHEN NOT MATCHED THEN INSERT (id, flag) VALUES (id, q.long)", "INVALID_VALUE", "column flag is longer"),
    (
        f"{FIXED} WHEN MATCHED THEN UPDATE SET id = q.huge",
        "INVALID_VALUE",
        "WHEN MATCHED: 99999999999 does not fit into",
    ),
    (
        f"{FIXED} WHEN MATCHED THEN UPDATE SET id = q.huge - 1",
        "INVALID_VALUE",
        "WHEN MATCHED: 99999999998 does not fit into",
    ),
    (f"{FIXED} WHEN NOT MATCHED THEN INSERT (id) VALUES (CAST(long AS INT))", "INVALID_VALUE", "'abcd' is not a"),
    (f"{FIXED} WHEN MATCHED AND t.id = q.long THEN DELETE", "INVALID_VALUE", "WHEN MATCHED: 'abcd' is not a"),
    (f"{FIXED} AND t.id = q.long WHEN MATCHED THEN DELETE", "INVALID_VALUE", "ON: 'abcd' is not a"),
    (f"{FIXED} WHEN MATCHED AND q.huge / q.none > 1 THEN DELETE", "INVALID_VALUE", "WHEN MATCHED: Division by zero"),
    (
        "MERGE INTO {d}.c AS t"
        " USING (SELECT id, x AS code, flag FROM (SELECT id, 'abcd' AS x, '' AS flag FROM {d}.s) LIMIT 5) AS q"
        " ON t.id = q.id WHEN NOT MATCHED THEN INSERT *",
        "INVALID_VALUE",
        "WHEN NOT MATCHED: A value for column code is longer than 3",
    ),
    (
        "MERGE INTO {d}.n AS t USING (SELECT id, CAST(NULL AS INT) AS v FROM {d}.s) AS q ON t.id = q.id"
        " WHEN NOT MATCHED THEN INSERT (id, v) VALUES (q.id, q.v)",
        "NOT_NULL_VIOLATION",
        "WHEN NOT MATCHED: Column v is NOT NULL",
    ),
    (
        "MERGE INTO {d}.n AS t USING (SELECT id, named_struct('a', 'abc', 'b', 1) AS s FROM {d}.s) AS q ON t.id = q.id"
        " WHEN MATCHED THEN UPDATE SET s = q.s",
        "INVALID_VALUE",
        "column s.a is longer than 2",
    ),
    (
        "MERGE INTO {d}.c AS t USING (WITH w AS (SELECT id, 'abcd' AS x FROM {d}.s) SELECT * FROM w) AS q (a, b)"
        " ON t.id = q.a WHEN NOT MATCHED THEN INSERT (id, code) VALUES (a, b)",
        "INVALID_VALUE",
        "column code is longer than 3",
    ),
    # One row
    (f"{MATCHED} THEN UPDATE SET v = max(s.v)", "NOT_SUPPORTED", "The aggregate max"),
    ("UPDATE {d}.t SET v = max(v)", "NOT_SUPPORTED", "The aggregate max"),
    ("UPDATE {d}.t SET v = explode(array(1, 2))", "NOT_SUPPORTED", "explode"),
    ("UPDATE {d}.t SET v = size(array(*))", "NOT_SUPPORTED", "*"),
    ("UPDATE {d}.t SET v = row_number() OVER (ORDER BY id)", "NOT_SUPPORTED", "A window"),
    ("DELETE FROM {d}.t WHERE count(*) > 1", "NOT_SUPPORTED", "The aggregate count"),
]
HIDDEN = ("__lake", "__row_id", "__address", "CASE WHEN", "CAST(")


@pytest.fixture(scope="module")
def both(services: None) -> Iterator[Lake]:
    """Databases ``bare`` and ``full`` with the same tables t and s; only those of ``full`` have rows."""
    lake = Lake()
    for database in ("bare", "full"):
        lake.sql(f"CREATE DATABASE {database}")
        lake.sql(f"CREATE TABLE {database}.t (id INT, v INT, only_t INT)")
        lake.sql(f"CREATE TABLE {database}.s (id INT, v INT, only_s INT, text STRING)")
        lake.sql(f"CREATE TABLE {database}.c (id INT, code VARCHAR(3), flag CHAR(2))")
        lake.sql(f"CREATE TABLE {database}.n (id INT, v INT NOT NULL, s STRUCT<a: VARCHAR(2), b: INT>)")
        lake.sql(f"CREATE TABLE {database}.m (id INT, at TIMESTAMP NOT NULL, day DATE NOT NULL)")
    lake.sql("INSERT INTO full.n VALUES (2, 2, named_struct('a', 'a', 'b', 1))")
    lake.sql("INSERT INTO full.m VALUES (2, TIMESTAMP '2026-01-01 10:00:00', DATE '2026-01-01')")
    lake.sql("INSERT INTO full.c VALUES (2, 'abc', 'x')")
    lake.sql("INSERT INTO full.t VALUES (1, 1, 1), (2, 2, 2)")
    lake.sql("INSERT INTO full.s VALUES (2, 20, 2, 'a'), (3, 30, 3, 'b')")
    head = lake.head()
    yield lake
    assert lake.head() == head


@pytest.mark.parametrize(("statement", "code", "mention"), REFUSED)
def test_empty_tables_refuse_what_full_ones_refuse(both: Lake, statement: str, code: str, mention: str) -> None:
    answers = []
    for database in ("bare", "full"):
        with pytest.raises(LakeError) as refusal:
            both.sql(statement.format(d=database))
        error = refusal.value
        assert error.code == code
        assert mention in error.message.replace("`", "")
        details = dict(error.details)
        assert details.pop("near", "") in statement.format(d=database)
        assert not any(name in f"{error.message} {error.remedy} {details}" for name in HIDDEN)
        answers.append((error.status, error.message.replace(database, "d"), error.remedy, error.details))
    assert answers[0] == answers[1]


def test_error_names_place_and_nearest_column(both: Lake) -> None:
    statement = """MERGE INTO full.t AS t USING full.s AS s ON t.id = s.id
        WHEN MATCHED AND s.v > 1 THEN UPDATE SET v = s.v
        WHEN NOT MATCHED THEN
            INSERT (id, v) VALUES (s.id, s.only)"""
    with pytest.raises(LakeError) as refusal:
        both.sql(statement)
    error = refusal.value
    assert (error.details["line"], error.details["column"], error.details["clause"]) == (4, 42, 2)
    assert error.remedy == "Did you mean only_s?"


def test_text_fitting_without_trailing_blanks_is_no_error(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.c (code VARCHAR(3), flag CHAR(2))")
    lake.sql("UPDATE d.c SET code = 'abc   ', flag = NULL")
    lake.sql("UPDATE d.c SET code = CASE WHEN flag = 'x' THEN 'abcd' END")


NULLS = ("NULL", "CAST(NULL AS BOOLEAN)", "if(true, NULL, NULL)")


def test_null_is_a_condition_that_is_not_true(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT)")
    lake.sql("INSERT INTO d.t VALUES (1)")
    head = lake.head()
    source = "MERGE INTO d.t USING (VALUES (1), (2)) AS s(id)"
    clauses = (("MATCHED", "DELETE"), ("NOT MATCHED", "INSERT *"), ("NOT MATCHED BY SOURCE", "DELETE"))
    whens = " ".join(f"WHEN {family} AND {null} THEN {act}" for family, act in clauses for null in NULLS)
    lake.sql(f"{source} ON t.id = s.id {whens}")
    lake.sql(f"{source} ON t.id = s.id AND s.id > 1 {whens}")
    for null in NULLS:
        lake.sql(f"{source} ON {null} WHEN MATCHED THEN DELETE")
        lake.sql(f"DELETE FROM d.t WHERE {null}")
        lake.sql(f"UPDATE d.t SET id = 5 WHERE {null}")
    assert (lake.head(), lake.rows("d.t")) == (head, [(1,)])
    lake.sql(f"{source} ON {NULLS[0]} WHEN NOT MATCHED THEN INSERT *")
    assert lake.rows("d.t") == [(1,), (1,), (2,)]


def test_source_column_of_only_null_goes_anywhere(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, n INT, at TIMESTAMP)")
    lake.sql("INSERT INTO d.t SELECT 1, NULL, NULL")
    source = "(SELECT 1 AS id, NULL AS n, NULL AS at UNION ALL SELECT 2, NULL, NULL)"
    lake.sql(
        f"MERGE INTO d.t USING {source} AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET id = 3, n = s.n"
        " WHEN NOT MATCHED THEN INSERT *"
    )
    assert lake.rows("d.t") == [(2, None, None), (3, None, None)]


WAYS = ("WHERE id = 99", "")
"""Without rows, and with some."""
VALUES = {
    "BOOLEAN": "true",
    **dict.fromkeys(("TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(9,2)"), "1"),
    **dict.fromkeys(("STRING", "VARCHAR(9)", "CHAR(9)"), "'1'"),
    "BINARY": "X'FF'",
    "DATE": "DATE '2026-01-01'",
    "TIMESTAMP": "current_timestamp()",
    "TIMESTAMP_NTZ": "TIMESTAMP_NTZ '2026-01-01 10:00:00'",
    "ARRAY<INT>": "array(1)",
    "MAP<STRING,INT>": "map('a', 1)",
    "STRUCT<x:INT,y:VARCHAR(3)>": "named_struct('x', 1, 'y', 'abc')",
}


def test_every_type_takes_values_into_not_null_column(lake: Lake) -> None:
    """A column of each type, all in one statement; without a value one after the other."""
    names = [f"v{place}" for place in range(len(VALUES))]
    columns = [f"{name} {kind}" for name, kind in zip(names, VALUES, strict=True)]
    values, nothing = ", ".join(VALUES.values()), ", ".join(["NULL"] * len(VALUES))
    lake.sql(f"CREATE TABLE d.k (id INT NOT NULL, {', '.join(f'{column} NOT NULL' for column in columns)})")
    lake.sql(f"CREATE TABLE d.e (id INT, {', '.join(columns)})")
    lake.sql(f"INSERT INTO d.k SELECT id, {values} FROM d.e")
    lake.sql("INSERT INTO d.k SELECT * FROM d.e")
    assert lake.rows("d.k") == []
    lake.sql(f"INSERT INTO d.e VALUES (1, {values}), (2, {nothing})")
    lake.sql(f"INSERT INTO d.k SELECT id, {values} FROM d.e WHERE id = 1")
    is_whole = " AND ".join(f"{name} IS NOT NULL" for name in names)
    lake.sql(f"INSERT INTO d.k SELECT * FROM d.e WHERE {is_whole}")
    lake.sql(
        f"UPDATE d.k SET {', '.join(f'{name} = {value}' for name, value in zip(names, VALUES.values(), strict=True))}"
    )
    assert len(lake.rows("d.k", columns="id")) == 2
    head = lake.head()
    for place, kind in enumerate(VALUES):
        given = [f"CAST(NULL AS {kind})" if at == place else value for at, value in enumerate(VALUES.values())]
        for empty_or_not in WAYS if IS_SOAK else WAYS[place % 2 :][:1]:
            with pytest.raises(NotNullViolation, match=f"Column v{place} is NOT NULL"):
                lake.sql(f"INSERT INTO d.k SELECT id, {', '.join(given)} FROM d.e {empty_or_not}")
    assert lake.head() == head


def test_constants_of_rows_not_stored_are_not_judged(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.k (id INT NOT NULL, v VARCHAR(3) NOT NULL)")
    lake.sql("CREATE TABLE d.p (id INT, v STRING) PARTITIONED BY (v)")
    lake.sql("INSERT INTO d.p VALUES (1, NULL)")
    lake.sql("INSERT INTO d.k SELECT id, v FROM d.p WHERE v <> 'a1'")
    lake.sql("INSERT INTO d.k SELECT * FROM (VALUES (1, 'abcd'), (2, NULL), (3, 'x')) AS s(id, v) WHERE id = 3")
    assert lake.rows("d.k") == [(3, "x")]


def test_missing_source_values_are_judged_by_clause(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.c (id INT NOT NULL, code VARCHAR(3) NOT NULL)")
    sources = [
        "(VALUES (1, 'abc'), (2, 'abcd'), (3, NULL))",
        "(SELECT 1, 'abc' UNION ALL SELECT 2, 'abcd' UNION ALL SELECT 3, NULL)",
        "(SELECT 1, 'abc' FROM d.c WHERE id = 1 UNION SELECT 1, 'abc' UNION SELECT 2, 'abcd')",
        "(SELECT x.id, y.code FROM (SELECT 1 AS id) x LEFT JOIN (SELECT 1 AS id, 'abc' AS code) y ON x.id = y.id)",
        "(SELECT 1, CASE WHEN count(*) < 9 THEN 'abc' ELSE 'abcd' END FROM d.c)",
        "(SELECT 1, 'abc   ')",
    ]
    for source in sources:
        lake.sql(
            f"MERGE INTO d.c AS t USING {source} AS q (id, code) ON t.id = q.id"
            " WHEN MATCHED AND q.id = 1 THEN UPDATE SET code = q.code"
            " WHEN NOT MATCHED AND q.id = 1 THEN INSERT *"
        )
        assert lake.rows("d.c") == [(1, "abc")]
    with pytest.raises(LakeError, match="column code is longer than 3"):
        lake.sql(
            f"MERGE INTO d.c AS t USING {sources[0]} AS q (id, code) ON t.id = q.id WHEN NOT MATCHED THEN INSERT *"
        )
