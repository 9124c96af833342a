"""Generated columns as Spark computes them; what they mean is tried in ``tests/in_memory``."""

from __future__ import annotations

import pytest

from lakeui.common.errors import CheckViolated, InvalidValue
from tests.support.lake import Lake
from tests.support.soak import IS_SOAK

KEYS = ["id INT PRIMARY KEY", "id INT"]
"""Rows merge by key, or by cell: their values are computed by one function."""


def test_values_are_computed_as_they_are_stored(lake: Lake) -> None:
    lake.sql(
        "CREATE TABLE d.t (id INT NOT NULL, at TIMESTAMP, price DECIMAL(9,2) DEFAULT 1.005, n INT,"
        " day DATE GENERATED ALWAYS AS (CAST(at AS DATE)), each DECIMAL(9,2) GENERATED ALWAYS AS (price / n),"
        " label STRING NOT NULL GENERATED ALWAYS AS (concat('it''s ', id))) PARTITIONED BY (day)"
    )
    shown = "id, CAST(day AS STRING) AS day, CAST(each AS STRING) AS each, label"
    lake.sql("INSERT INTO d.t (id, at, n) VALUES (1, TIMESTAMP'2026-01-31 23:30:00', 3)")
    lake.sql("INSERT INTO d.t (id, at, price, n) SELECT 2, TIMESTAMP'2026-02-01 00:30:00', 10, 3")
    assert lake.rows("d.t", columns=shown) == [
        (1, "2026-01-31", "0.34", "it's 1"),
        (2, "2026-02-01", "3.33", "it's 2"),
    ]
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('write.update.mode' = 'copy-on-write')")
    lake.sql("UPDATE d.t x SET price = DEFAULT, n = x.n + 1, at = dateadd(day, 1, at) WHERE id = 2 -- end")
    lake.sql(
        "MERGE INTO d.t USING (SELECT 1 AS id, 5.5 AS price UNION ALL SELECT 9, 7) s ON t.id = s.id"
        " WHEN MATCHED THEN UPDATE SET price = s.price, n = n * 2"
        " WHEN NOT MATCHED THEN INSERT (id, price, n) VALUES (s.id, s.price, 2)"
    )
    assert lake.rows("d.t", columns=shown) == [
        (1, "2026-01-31", "0.92", "it's 1"),
        (2, "2026-02-02", "0.25", "it's 2"),
        (9, None, "3.50", "it's 9"),
    ]
    with pytest.raises(CheckViolated, match="generated column"):
        lake.sql("UPDATE d.t SET each = 0 WHERE id = 1")
    with pytest.raises(InvalidValue, match="differs each time"):
        lake.sql("UPDATE d.t SET n = CAST(rand() * 10 AS INT)")


def test_a_value_by_chance_is_computed_once(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (a DOUBLE, b DOUBLE GENERATED ALWAYS AS (a * 2))")
    lake.sql("INSERT INTO d.t (a) SELECT rand() FROM range(50)")
    lake.sql("MERGE INTO d.t USING (SELECT rand() AS a FROM range(50)) s ON false WHEN NOT MATCHED THEN INSERT *")
    assert lake.rows("d.t", columns="count(*), count_if(b = a * 2)") == [(100, 100)]
    with pytest.raises(InvalidValue, match="takes 2"):
        lake.sql("INSERT INTO d.t VALUES (1)")


def test_expression_that_cannot_be_of_type_is_refused(lake: Lake) -> None:
    with pytest.raises(InvalidValue, match="GENERATED"):
        lake.sql("CREATE TABLE d.t (a ARRAY<INT>, c INT GENERATED ALWAYS AS (a))")


def test_added_column_is_computed_for_existing_rows(lake: Lake) -> None:
    """As Spark computes it; each row keeps its id, and rows of many files get a value."""
    lake.sql("CREATE TABLE d.t (id INT, day DATE, name STRING) PARTITIONED BY (name)")
    for start in (0, 50):
        lake.sql(
            "INSERT INTO d.t SELECT CAST(id AS INT), date_add(DATE'2024-01-30', CAST(id AS INT)),"
            f" IF(id % 2 = 0, 'even', NULL) FROM range({start}, {start + 50})"
        )
    lake.sql("DELETE FROM d.t WHERE id = 7")
    before, rows = lake.head(), lake.rows("d.t", columns="id, day, name")
    lake.sql("ALTER TABLE d.t ADD COLUMN month STRING GENERATED ALWAYS AS (concat(year(day), '-', month(day), name))")
    assert lake.rows("d.t", columns="id, day, name") == rows
    assert lake.rows("d.t", columns="count(*)") == [(99,)]
    wrong = "NOT (month <=> concat(year(day), '-', month(day), name))"
    assert lake.rows("d.t", columns=f"count_if({wrong})") == [(0,)]
    found = lake.sql(f"SHOW CHANGES d.t FROM VERSION {before} TO VERSION {lake.head()}").rows
    assert {row[0] for row in found} == {"update_before", "update_after"}
    lake.sql("INSERT INTO d.t (id, day, name) VALUES (200, DATE'2025-05-01', 'x')")
    assert lake.rows("d.t WHERE id = 200", columns="month") == [("2025-5x",)]


@pytest.mark.parametrize("key", KEYS if IS_SOAK else KEYS[:1])
def test_merged_row_is_computed_as_spark_computes_it(lake: Lake, key: str) -> None:
    """Of rows in two partitions, with types that Arrow and Spark read otherwise; 1/0 has no value."""
    by_cell = "" if "PRIMARY" in key else " TBLPROPERTIES ('merge.conflicts' = 'cell')"
    lake.sql(
        f"CREATE TABLE d.t ({key}, price DECIMAL(9,2), n INT, at TIMESTAMP, `p 1` INT, tags ARRAY<STRING>,"
        " each DECIMAL(9,2) GENERATED ALWAYS AS (price / n),"
        " label STRING GENERATED ALWAYS AS (concat(year(at), '/', `p 1`, ' it''s ', id)),"
        " day DATE GENERATED ALWAYS AS (CAST(at AS DATE))) PARTITIONED BY (`p 1`)" + by_cell
    )
    lake.sql(
        "INSERT INTO d.t (id, price, n, at, `p 1`, tags) SELECT CAST(id AS INT), 10, 1,"
        " TIMESTAMP'2026-01-31 23:30:00', CAST(id % 2 AS INT), array('x') FROM range(40)"
    )
    lake.sql("CREATE BRANCH b")
    lake.sql("UPDATE d.t SET price = id + 1, at = TIMESTAMP'2027-02-01 00:30:00' WHERE id < 30", "b")
    lake.sql("UPDATE d.t SET n = 3 WHERE id > 9")
    lake.merge("b")
    fits = "each <=> CAST(price / n AS DECIMAL(9,2)) AND day = CAST(at AS DATE)"
    fits += " AND label = concat(year(at), '/', `p 1`, ' it''s ', id)"
    assert lake.rows("d.t", columns=f"count(*), count_if({fits})") == [(40, 40)]
    assert lake.rows("d.t WHERE id = 12", columns="CAST(each AS STRING), label, CAST(day AS STRING)") == [
        ("4.33", "2027/0 it's 12", "2027-02-01")
    ]
    lake.merge("main", "b")
    lake.sql("UPDATE d.t SET price = NULL WHERE id = 4")
    lake.merge("main", "b")
    lake.sql("UPDATE d.t SET n = 0 WHERE id = 4", "b")
    lake.sql("UPDATE d.t SET price = 6 WHERE id = 4")
    (found,) = lake.refused("b")
    assert found["code"] == "CHECK_VIOLATED"
    assert "zero" in found["message"].casefold()
    lake.sql("UPDATE d.t SET price = NULL WHERE id = 4")
    lake.merge("b")
    assert lake.rows("d.t", columns=f"count(*), count_if({fits})") == [(40, 40)]


@pytest.mark.parametrize("key", KEYS if IS_SOAK else KEYS[1:])
def test_merged_row_lies_in_partition_that_spark_computes(lake: Lake, key: str) -> None:
    """A date, and a number that may be absent."""
    by_cell = "" if "PRIMARY" in key else " TBLPROPERTIES ('merge.conflicts' = 'cell')"
    lake.sql(
        f"CREATE TABLE d.t ({key}, at TIMESTAMP, hours INT, `p 1` STRING,"
        " day DATE GENERATED ALWAYS AS (CAST(at + make_interval(0, 0, 0, 0, hours) AS DATE)),"
        " even INT GENERATED ALWAYS AS (CASE WHEN hours % 2 = 0 THEN hours END))"
        " PARTITIONED BY (day, `p 1`, even)" + by_cell
    )
    lake.sql(
        "INSERT INTO d.t (id, at, hours, `p 1`) SELECT CAST(id AS INT), TIMESTAMP'2026-01-31 12:00:00', 1, 'x y'"
        " FROM range(20)"
    )
    lake.sql("CREATE BRANCH b")
    lake.sql("UPDATE d.t SET at = TIMESTAMP'2026-01-31 20:00:00' WHERE id < 15", "b")
    lake.sql("UPDATE d.t SET hours = 4 WHERE id > 9")
    lake.sql("UPDATE d.t SET hours = 5 WHERE id = 9")
    lake.merge("b")
    lake.merge("main", "b")
    for branch in ("main", "b"):
        grouped = "SELECT day, even, count(*), min(id) FROM d.t GROUP BY day, even ORDER BY min(id)"
        found = lake.sql(grouped, branch).rows
        assert [[str(value) for value in row] for row in found] == [
            ["2026-01-31", "None", "9", "0"],
            ["2026-02-01", "None", "1", "9"],
            ["2026-02-01", "4", "5", "10"],
            ["2026-01-31", "4", "5", "15"],
        ]
    assert lake.sql("SELECT id FROM d.t WHERE day = DATE'2026-02-01' ORDER BY id").rows == [[i] for i in range(9, 15)]
