"""CHAR(n): what stands beside it is padded as Spark pads it, in every statement that reads."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

from lakeui.common.errors import InvalidValue
from lakeui.frontdoor import Session
from lakeui.frontdoor.entries.batches import batch_merge
from tests.support.lake import Lake
from tests.support.soak import IS_SOAK


def chars_create(lake: Lake) -> Lake:
    lake.sql("CREATE TABLE d.t (id INT, c CHAR(5), s STRING, d CHAR(3))")
    lake.sql("INSERT INTO d.t VALUES (1, 'x', 'x', 'x'), (2, 'y  ', 'y ', 'y')")
    return lake


@pytest.fixture
def chars(lake: Lake) -> Lake:
    return chars_create(lake)


@pytest.fixture(scope="module")
def shared(services: None) -> Iterator[Lake]:
    """The same table for all tests of the module: each changes it on branches of its own."""
    made = Lake()
    made.sql("CREATE DATABASE d")
    yield chars_create(made)
    assert made.breaches() == []


# What Spark 4.3 answers on a table of its own: literals and other CHAR columns are padded, texts of rows are not,
# and neither is BETWEEN.
CONDITIONS = [
    ("c = 'x'", [1]),
    ("c = 'x '", [1]),
    ("c = 'x         '", [1]),
    ("'x' = c", [1]),
    ("c <=> 'x'", [1]),
    ("c <> 'x'", [2]),
    ("NOT c = 'x'", [2]),
    ("c IS DISTINCT FROM 'x'", [2]),
    ("c IN ('x', 'y')", [1, 2]),
    ("c IN ('x', s)", []),
    ("c = d", [1, 2]),
    ("c = s", []),
    ("c < 'x '", []),
    ("c > 'x'", [2]),
    ("c >= 'x'", [1, 2]),
    ("c <= 'x'", [1]),
    ("c BETWEEN 'x' AND 'x'", []),
    ("CASE c WHEN 'x' THEN true END", [1]),
    ("c = concat('x', '')", [1]),
    ("upper(c) = 'X'", []),
    ("c LIKE 'x'", []),
    ("length(c) = 5", [1, 2]),
]


CHANGES = {"rows_updated": "UPDATE d.t SET s = concat(s, '!')", "rows_deleted": "DELETE FROM d.t"}
CHANGED = [
    (count, place)
    for place in range(len(CONDITIONS))
    for count in (CHANGES if IS_SOAK else [[*CHANGES][place % len(CHANGES)]])
]
"""Each condition with one of the statements, which find rows in one way."""


def test_a_query_finds_the_rows_that_spark_finds(shared: Lake) -> None:
    parts = (f"SELECT {place} AS place, id FROM d.t WHERE {asked}" for place, (asked, _) in enumerate(CONDITIONS))
    rows = shared.sql(" UNION ALL ".join(parts)).rows
    for place, (condition, found) in enumerate(CONDITIONS):
        assert sorted(id_ for at, id_ in rows if at == place) == found, condition


@pytest.mark.parametrize(("count", "place"), CHANGED)
def test_every_statement_finds_the_rows_that_spark_finds(shared: Lake, count: str, place: int) -> None:
    condition, found = CONDITIONS[place]
    branch = f"{count}_{place}"
    shared.sql(f"CREATE BRANCH {branch}")
    assert shared.sql(f"{CHANGES[count]} WHERE {condition}", branch).metrics[count] == len(found), condition


def test_columns_stay_char_through_queries(chars: Lake) -> None:
    chars.sql("CREATE VIEW d.v AS SELECT id, c AS k FROM d.t WHERE c IN ('x', 'y')")
    assert chars.sql("SELECT id FROM d.v WHERE k = 'y'").rows == [[2]]
    assert chars.sql("SELECT a.id FROM d.v a JOIN d.t b ON a.k = b.d ORDER BY 1").rows == [[1], [2]]
    assert chars.sql("SELECT id FROM (SELECT * FROM d.t UNION ALL SELECT * FROM d.t) WHERE c = 'x'").rows == [[1], [1]]
    assert chars.sql("WITH a AS (SELECT c, id FROM d.t) SELECT id FROM a WHERE c = 'x'").rows == [[1]]
    chars.sql("TRUNCATE TABLE d.t")
    assert chars.sql("SELECT count(*) FROM d.v WHERE k = 'y'").rows == [[0]]


SOURCES = ["(SELECT 'x' AS c)", "(SELECT 'x        ' AS c)", "(SELECT d AS c FROM d.t WHERE d = 'x')"]


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("sign", ["=", "<=>"])
def test_a_merge_matches_keys_as_they_are_stored(shared: Lake, source: str, sign: str) -> None:
    branch = f"merged_{SOURCES.index(source)}_{len(sign)}"
    shared.sql(f"CREATE BRANCH {branch}")
    merged = shared.sql(
        f"""MERGE INTO d.t t USING {source} s ON t.c {sign} s.c
        WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id, c) VALUES (9, s.c)""",
        branch,
    )
    assert (merged.metrics["rows_deleted"], merged.metrics["rows_inserted"]) == (1, 0)
    assert [row[0] for row in shared.rows("d.t", branch)] == [2]


def test_conditions_of_a_merge_pad_literals(chars: Lake) -> None:
    chars.sql(
        """MERGE INTO d.t t USING (SELECT c, id FROM d.t) s ON t.c = s.c AND t.d = 'x'
        WHEN MATCHED AND s.c = 'x' THEN UPDATE SET id = 10
        WHEN NOT MATCHED BY SOURCE AND c = 'y' THEN DELETE"""
    )
    assert [row[0] for row in chars.rows("d.t")] == [10]


def test_a_key_longer_than_its_column_matches_nothing(chars: Lake) -> None:
    merge = "MERGE INTO d.t t USING (SELECT 'xxxxxx' AS c) s ON t.c = s.c WHEN MATCHED THEN DELETE"
    assert chars.sql(merge).metrics["rows_deleted"] == 0


def test_files_are_left_out_by_padded_values(chars: Lake) -> None:
    chars.sql("INSERT INTO d.t VALUES (3, 'z', 'z', 'z')")
    updated = chars.sql("UPDATE d.t SET id = 30 WHERE c = 'z '").metrics
    assert (updated["rows_updated"], updated["files_skipped"]) == (1, 1)


def test_a_keyed_merge_finds_its_row(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.k (c CHAR(5), v INT, PRIMARY KEY (c))")
    lake.sql("INSERT INTO d.k VALUES ('x', 1)")
    batch = pa.table({"c": ["x", "y"], "v": pa.array([2, 3], pa.int32())})
    batch_merge(batch, "d.k", "upsert", "c", session=Session(lake.catalog))
    assert lake.rows("d.k") == [("x    ", 2), ("y    ", 3)]


def types_of(lake: Lake, table: str, branch: str) -> dict[str, str]:
    return {row[0]: row[1] for row in lake.sql(f"DESCRIBE {table}", branch).rows}


def test_create_table_as_keeps_limits_of_columns(lake: Lake) -> None:
    lake.sql(
        "CREATE TABLE d.a (id INT, c CHAR(3), v VARCHAR(4), s STRUCT<`a b`: CHAR(3)>, l ARRAY<STRUCT<y: VARCHAR(2)>>)"
    )
    lake.sql("INSERT INTO d.a VALUES (1, 'x', 'y', named_struct('a b', 'z'), array(named_struct('y', 'u')))")
    lake.sql("CREATE VIEW d.w AS SELECT *, upper(c) AS u FROM d.a")
    lake.sql("CREATE TABLE d.b AS SELECT w.*, c AS again, CAST(c AS STRING) AS free, w.s.`a b` AS field FROM d.w")
    assert types_of(lake, "d.b", "main") == {
        "id": "int",
        "c": "char(3)",
        "v": "varchar(4)",
        "s": "struct<`a b`:char(3)>",
        "l": "array<struct<y:varchar(2)>>",
        "u": "string",
        "again": "char(3)",
        "free": "string",
        "field": "string",
    }
    assert lake.sql("SELECT c, v, s.`a b`, l[0].y, u, free FROM d.b WHERE c = 'x'").rows == [
        ["x  ", "y", "z  ", "u", "X  ", "x  "]
    ]
    for values in (
        "'long', 'y', NULL, NULL",
        "'x', 'longer', NULL, NULL",
        "'x', 'y', named_struct('a b', 'long'), NULL",
    ):
        with pytest.raises(InvalidValue, match="character"):
            lake.sql(f"INSERT INTO d.b (id, c, v, s, l) VALUES (2, {values})")
    lake.sql("CREATE OR REPLACE TABLE d.b AS SELECT c, l FROM d.b")
    assert types_of(lake, "d.b", "main") == {"c": "char(3)", "l": "array<struct<y:varchar(2)>>"}
    with pytest.raises(InvalidValue, match="character"):
        lake.sql("CREATE TABLE d.e AS SELECT c FROM d.a UNION ALL SELECT 'longer'")
