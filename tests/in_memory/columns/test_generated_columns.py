"""Generated columns: computed where no value is given, held to their expression on every way in, and merged."""

from __future__ import annotations

from typing import Any

import pytest

from lakeui.api.compare.comparing import Pair
from lakeui.api.compare.row_comparing import sides_read
from lakeui.api.http.paging import KeysetPage
from lakeui.common.errors import (
    AlreadyExists,
    CheckViolated,
    InvalidValue,
    LakeError,
    MergeConflict,
    NotFound,
    NotNullViolation,
    NotSupported,
)
from tests.in_memory.conftest import Begun
from tests.in_memory.rows.test_concurrent_statements import between_staging_and_commit
from tests.support.lake import Lake

TABLE = "CREATE TABLE d.t (a INT, b INT DEFAULT 10, total INT GENERATED ALWAYS AS (a + b) COMMENT 'both')"


def fill(lake: Lake) -> None:
    lake.sql(TABLE)
    lake.sql("INSERT INTO d.t (a, b) VALUES (1, 2)")
    lake.sql("CREATE BRANCH b")


@pytest.fixture
def made(begun: Begun) -> Lake:
    """Table d.t (a, b, total = a + b) with (1, 2, 3), and branch b."""
    return begun(fill)


def conflict(lake: Lake) -> dict[str, Any]:
    (found,) = lake.refused("b")
    return found


# -- rows ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("INSERT INTO d.t (a) VALUES (5)", (5, 10, 15)),
        ("INSERT INTO d.t VALUES (5, 6, DEFAULT)", (5, 6, 11)),
        ("INSERT INTO d.t VALUES (5, 6, 11)", (5, 6, 11)),
        ("INSERT INTO d.t BY NAME SELECT 6 AS b, 5 AS a", (5, 6, 11)),
        ("INSERT INTO d.t (a, b) VALUES (5, NULL)", (5, None, None)),
        (
            "MERGE INTO d.t USING (SELECT 5 AS a, 6 AS b) s ON t.a = s.a WHEN NOT MATCHED THEN INSERT *",
            (5, 6, 11),
        ),
        (
            "MERGE INTO d.t USING (SELECT 5 AS a) s ON t.a = s.a WHEN NOT MATCHED THEN INSERT (a) VALUES (s.a)",
            (5, 10, 15),
        ),
    ],
)
def test_an_insert_computes_what_it_does_not_give(made: Lake, text: str, row: tuple[Any, ...]) -> None:
    made.sql(text)
    assert made.rows("d.t") == sorted([(1, 2, 3), row], key=repr)
    assert made.breaches() == []


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("UPDATE d.t SET a = a + 4", (5, 2, 7)),
        ("UPDATE d.t x SET b = 9, a = x.b", (2, 9, 11)),
        ("UPDATE d.t SET a = 4, total = 6", (4, 2, 6)),
        ("UPDATE d.t SET total = DEFAULT", (1, 2, 3)),
        (
            "MERGE INTO d.t x USING (SELECT 1 AS a, 6 AS n) s ON x.a = s.a WHEN MATCHED THEN UPDATE SET b = s.n",
            (1, 6, 7),
        ),
        (
            "MERGE INTO d.t x USING (SELECT 1 AS a, 6 AS b) s ON x.a = s.a WHEN MATCHED THEN UPDATE SET *",
            (1, 6, 7),
        ),
    ],
)
def test_an_update_computes_what_follows_from_it(made: Lake, text: str, row: tuple[Any, ...]) -> None:
    made.sql(text)
    assert made.rows("d.t") == [row]
    assert made.breaches() == []


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO d.t VALUES (5, 6, 12)",
        "INSERT INTO d.t VALUES (5, 6, NULL)",
        "INSERT OVERWRITE d.t SELECT 5, 6, 12",
        "UPDATE d.t SET total = 4",
        "MERGE INTO d.t USING (SELECT 1 AS a, 2 AS b, 9 AS total) s ON t.a = s.a WHEN MATCHED THEN UPDATE SET *",
    ],
)
def test_a_given_value_that_is_another_is_refused(made: Lake, text: str) -> None:
    head = made.head()
    with pytest.raises(CheckViolated, match="generated column"):
        made.sql(text)
    assert made.head() == head


def test_default_beside_rows_with_values_is_refused(made: Lake) -> None:
    with pytest.raises(NotSupported, match="total a value, and others DEFAULT"):
        made.sql("INSERT INTO d.t VALUES (5, 6, DEFAULT), (5, 6, 11)")


def test_a_random_value_read_twice_is_refused(made: Lake) -> None:
    with pytest.raises(InvalidValue, match="a gets a value that differs each time, and the generated column total"):
        made.sql("UPDATE d.t SET a = CAST(rand() * 10 AS INT)")


def test_a_table_is_partitioned_by_a_generated_column(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (a INT, p INT GENERATED ALWAYS AS (a * 2)) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.t (a) VALUES (1), (2)")
    assert lake.sql("SHOW PARTITIONS d.t").rows == [["p=2"], ["p=4"]]
    lake.sql("UPDATE d.t SET a = 3 WHERE a = 2")
    assert lake.rows("d.t") == [(1, 2), (3, 6)]
    with pytest.raises(CheckViolated):
        lake.sql("ALTER TABLE d.t PARTITION (p = 2) RENAME TO PARTITION (p = 3)")


# -- what is kept -------------------------------------------------------------------------------------------------


def test_a_generated_column_is_shown_and_made_again(made: Lake) -> None:
    assert ["Generated total", "CAST((`a` + `b`) AS int)"] in [
        row[:2] for row in made.sql("DESCRIBE EXTENDED d.t").rows
    ]
    (row,) = made.sql("SHOW CREATE TABLE d.t").rows
    made.sql(row[0].replace("`t`", "`u`"))
    made.sql("CREATE TABLE d.l LIKE d.t")
    made.sql("CREATE TABLE d.c CLONE d.t")
    for table in ("d.u", "d.l", "d.c"):
        made.sql(f"INSERT INTO {table} (a) VALUES (7)")
        assert (7, 10, 17) in made.rows(table)
        with pytest.raises(CheckViolated):
            made.sql(f"UPDATE {table} SET total = 0")
    assert made.breaches() == []


def test_a_generated_column_follows_renamed_columns(made: Lake) -> None:
    made.sql("ALTER TABLE d.t RENAME COLUMN a TO first")
    made.sql("ALTER TABLE d.t RENAME COLUMN total TO `the sum`")
    made.sql("INSERT INTO d.t (first) VALUES (5)")
    assert made.rows("d.t") == [(1, 2, 3), (5, 10, 15)]


def test_read_columns_stay_and_generated_ones_may_go(made: Lake) -> None:
    for text in ("DROP COLUMN a", "ALTER COLUMN a TYPE BIGINT", "ALTER COLUMN total TYPE BIGINT"):
        with pytest.raises(InvalidValue, match="reads column"):
            made.sql(f"ALTER TABLE d.t {text}")
    with pytest.raises(InvalidValue, match="takes no default"):
        made.sql("ALTER TABLE d.t ALTER COLUMN total SET DEFAULT 1")
    made.sql("ALTER TABLE d.t DROP COLUMN total")
    made.sql("ALTER TABLE d.t DROP COLUMN a")
    made.sql("INSERT INTO d.t VALUES (4)")
    assert made.rows("d.t") == [(2,), (4,)]
    assert made.breaches() == []


def test_a_generated_column_becomes_a_plain_one(made: Lake) -> None:
    with pytest.raises(InvalidValue) as refusal:
        made.sql("ALTER TABLE d.t ALTER COLUMN total SET DEFAULT 1")
    made.sql("ALTER TABLE d.t " + refusal.value.remedy.split(".. ")[1].removesuffix("."))
    made.sql("INSERT INTO d.t VALUES (5, 6, 0)")
    assert made.rows("d.t") == [(1, 2, 3), (5, 6, 0)]


def test_a_replaced_table_has_only_stated_generated_columns(made: Lake) -> None:
    made.sql("CREATE OR REPLACE TABLE d.t (a INT, b INT GENERATED ALWAYS AS (a + 1), total INT)")
    made.sql("INSERT INTO d.t (a, total) VALUES (1, 0)")
    assert made.rows("d.t") == [(1, 2, 0)]


@pytest.mark.parametrize(
    ("columns", "error", "says"),
    [
        ("a INT, c INT GENERATED ALWAYS AS (z + 1)", NotFound, "column z"),
        ("a INT, c INT DEFAULT 1 GENERATED ALWAYS AS (a)", InvalidValue, "DEFAULT and is generated"),
        ("a INT, c INT GENERATED ALWAYS AS (a), e INT GENERATED ALWAYS AS (c)", NotSupported, "generated too"),
        ("a INT, c INT GENERATED ALWAYS AS (c)", NotSupported, "generated too"),
        ("a INT, c INT GENERATED ALWAYS AS (rand())", Exception, "rand"),
        ("a INT, c DATE GENERATED ALWAYS AS (current_date())", InvalidValue, "time of the statement"),
        ("a INT, c INT GENERATED ALWAYS AS (a) PRIMARY KEY", NotSupported, "primary key"),
        ("a INT, c VARCHAR(3) GENERATED ALWAYS AS (a)", NotSupported, "cannot be varchar"),
        ("a CHAR(3), c STRING GENERATED ALWAYS AS (a)", NotSupported, "pads its values"),
        ("a STRUCT<x: INT>, c INT GENERATED ALWAYS AS (a.x)", NotSupported, "fields inside"),
        ("a INT, CONSTRAINT `generated column 1` CHECK (a > 0)", InvalidValue, "those of generated columns"),
    ],
)
def test_impossible_generated_columns_are_refused_by_name(
    lake: Lake, columns: str, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        lake.sql(f"CREATE TABLE d.t ({columns})")


# -- merges -------------------------------------------------------------------------------------------------------


def test_rows_of_both_sides_merge(made: Lake) -> None:
    made.sql("INSERT INTO d.t (a) VALUES (5)", "b")
    made.sql("UPDATE d.t SET a = 2", "main")
    made.merge("b")
    assert made.rows("d.t") == [(2, 2, 4), (5, 10, 15)]
    assert made.breaches() == []


KEYED = "CREATE TABLE d.t (id INT PRIMARY KEY, a INT, b INT, high INT GENERATED ALWAYS AS (a + b))"
BY_CELL = (
    "CREATE TABLE d.t (id INT, a INT, b INT, high INT GENERATED ALWAYS AS (a + b))"
    " TBLPROPERTIES ('merge.conflicts' = 'cell')"
)


@pytest.fixture(params=[KEYED, BY_CELL])
def cells(lake: Lake, request: pytest.FixtureRequest) -> Lake:
    """Table d.t (id, a, b, high = a + b) with (1, 1, 5), (2, 2, 6), merged by key or by cell, and branch b."""
    lake.sql(request.param)
    lake.sql("INSERT INTO d.t (id, a, b) VALUES (1, 1, 5), (2, 2, 6)")
    lake.sql("CREATE BRANCH b")
    return lake


def test_a_generated_column_follows_from_the_merged_cells(cells: Lake) -> None:
    cells.sql("UPDATE d.t SET a = 20 WHERE id = 1", "b")
    cells.sql("UPDATE d.t SET b = 60 WHERE id = 1")
    cells.merge("b")
    assert cells.rows("d.t") == [(1, 20, 60, 80), (2, 2, 6, 8)]
    cells.merge("main", "b")
    assert cells.rows("d.t", "b") == cells.rows("d.t")
    assert cells.breaches() == []


@pytest.mark.parametrize("table", [KEYED, BY_CELL])
def test_rows_compared_show_what_is_computed(lake: Lake, table: str) -> None:
    lake.sql(table)
    lake.sql("INSERT INTO d.t (id, a, b) VALUES (1, 1, 5)")
    lake.sql("CREATE BRANCH b")
    lake.sql("UPDATE d.t SET a = 20", "b")
    lake.sql("UPDATE d.t SET b = 60")
    (table_id,) = [int(row[2]) for row in lake.sql("SHOW TABLES IN d").rows]
    pair = Pair(lake.branch("b"), lake.branch())
    (row,) = sides_read(pair, table_id, KeysetPage(10, None), only_conflicts=False)["rows"]
    assert row["result"] == [1, 20, 60, 80]


def test_a_generated_column_has_no_rule_of_cells(cells: Lake) -> None:
    with pytest.raises(InvalidValue, match=r"merge.column.high: high is a generated column") as refused:
        cells.sql("ALTER TABLE d.t SET TBLPROPERTIES ('merge.column.high' = 'sum')")
    assert "a column that it reads" in str(refused.value.remedy)
    with pytest.raises(InvalidValue, match="is a generated column"):
        cells.sql(KEYED.replace("d.t", "d.u") + " TBLPROPERTIES ('merge.column.high' = 'sum')")


def test_equal_values_of_other_cells_are_computed_anew(cells: Lake) -> None:
    cells.sql("UPDATE d.t SET a = 2 WHERE id = 1", "b")
    cells.sql("UPDATE d.t SET b = 6 WHERE id = 1")
    # Both sides computed the same sum, of cells of which the other side changed one.
    cells.merge("b")
    assert cells.rows("d.t") == [(1, 2, 6, 8), (2, 2, 6, 8)]


def test_a_generated_column_follows_from_added_cells(cells: Lake) -> None:
    cells.sql("ALTER TABLE d.t SET TBLPROPERTIES ('merge.column.a' = 'sum')")
    cells.sql("MERGE BRANCH main TO b")
    for branch in ("main", "b"):
        cells.sql("UPDATE d.t SET a = a + 10 WHERE id = 1", branch)
    cells.merge("b")
    assert cells.rows("d.t") == [(1, 21, 5, 26), (2, 2, 6, 8)]


def test_a_conflicting_cell_is_computed_from_its_decision(lake: Lake) -> None:
    lake.sql(KEYED)
    lake.sql("INSERT INTO d.t (id, a, b) VALUES (1, 1, 5)")
    lake.sql("CREATE BRANCH b")
    lake.sql("UPDATE d.t SET a = 2", "b")
    lake.sql("UPDATE d.t SET a = 3, b = 6")
    assert lake.codes("b") == {"PRIMARY_KEY_CLASH"}
    lake.sql("MERGE BRANCH b TO main RESOLVE (TABLE d.t ROWS TAKE SOURCE)")
    assert lake.rows("d.t") == [(1, 2, 6, 8)]


def test_decisions_give_no_value_to_generated_columns(lake: Lake) -> None:
    """A form sends all cells of a row; that of the generated column may be the one that a side has."""
    lake.sql(KEYED)
    lake.sql("INSERT INTO d.t (id, a, b) VALUES (1, 1, 5)")
    lake.sql("CREATE BRANCH b")
    lake.sql("UPDATE d.t SET a = 2", "b")
    lake.sql("UPDATE d.t SET a = 3")
    merge = """MERGE BRANCH b TO main RESOLVE (TABLE d.t ROW '{"id":1}' SET '%s')"""
    with pytest.raises(InvalidValue, match="high is a generated column") as refused:
        lake.sql(merge % '{"a":4,"high":0}')
    assert "columns that it reads" in str(refused.value.remedy)
    lake.sql(merge % '{"a":4,"high":8}')
    assert lake.rows("d.t") == [(1, 4, 5, 9)]


def test_a_constraint_is_judged_on_what_is_computed(cells: Lake) -> None:
    cells.sql("ALTER TABLE d.t ADD CONSTRAINT low CHECK (high < 50)")
    cells.merge("main", "b")
    cells.sql("UPDATE d.t SET a = 30 WHERE id = 1", "b")
    cells.sql("UPDATE d.t SET b = 30 WHERE id = 1")
    found = conflict(cells)
    assert (found["code"], found["details"]["constraint"]) == ("CHECK_VIOLATED", "low")


def test_what_cannot_be_computed_is_refused_by_name(cells: Lake) -> None:
    cells.sql("UPDATE d.t SET a = 2000000000 WHERE id = 1", "b")
    cells.sql("UPDATE d.t SET b = 2000000000 WHERE id = 1")
    found = conflict(cells)
    assert found["code"] == "CHECK_VIOLATED"
    assert "generated column" in found["message"]


def test_a_required_generated_column_needs_a_value(lake: Lake) -> None:
    lake.sql(
        "CREATE TABLE d.t (id INT PRIMARY KEY, a INT, b INT,"
        " high INT NOT NULL GENERATED ALWAYS AS (CASE WHEN a IS NULL THEN b ELSE a END))"
    )
    lake.sql("INSERT INTO d.t (id, a, b) VALUES (1, 1, 5)")
    lake.sql("CREATE BRANCH b")
    lake.sql("UPDATE d.t SET a = NULL", "b")
    lake.sql("UPDATE d.t SET b = NULL")
    assert lake.codes("b") == {"NOT_NULL_WITHOUT_VALUE"}


def test_crosswise_merges_are_no_change_of_generated_columns(cells: Lake) -> None:
    cells.sql("CREATE BRANCH f FROM main")
    cells.sql("CREATE BRANCH g FROM main")
    cells.sql("UPDATE d.t SET a = 20 WHERE id = 1", "f")
    cells.sql("UPDATE d.t SET b = 60 WHERE id = 1", "g")
    for target in ("main", "b"):
        for source in ("f", "g") if target == "b" else ("g", "f"):
            cells.merge(source, target)
    cells.sql("UPDATE d.t SET a = 30 WHERE id = 1", "b")
    cells.merge("b")
    assert cells.rows("d.t") == [(1, 30, 60, 90), (2, 2, 6, 8)]
    cells.sql("DELETE FROM d.t WHERE id = 1", "b")
    cells.merge("b")
    assert cells.rows("d.t") == [(2, 2, 6, 8)]


def test_a_new_expression_meets_the_other_sides_rows(made: Lake) -> None:
    made.sql("CREATE OR REPLACE TABLE d.t (a INT, b INT DEFAULT 10, total INT GENERATED ALWAYS AS (a * b))", "b")
    made.sql("CREATE OR REPLACE TABLE d.t (a INT, b INT DEFAULT 10, total INT GENERATED ALWAYS AS (a - b))")
    assert "CHECK_DIFFERS" in made.codes("b")


@pytest.mark.parametrize("other", ["a * 3", "a * 2"])
def test_a_column_both_sides_add_has_one_expression(lake: Lake, other: str) -> None:
    lake.sql("CREATE TABLE d.t (a INT)")
    lake.sql("CREATE BRANCH b")
    lake.sql("CREATE OR REPLACE TABLE d.t (a INT, c INT GENERATED ALWAYS AS (a * 2))", "b")
    lake.sql(f"CREATE OR REPLACE TABLE d.t (a INT, c INT GENERATED ALWAYS AS ({other}))")
    if other == "a * 3":
        assert conflict(lake)["code"] == "CHECK_DIFFERS"
        key = conflict(lake)["details"]["property"]
        lake.sql(f"MERGE BRANCH b TO main RESOLVE (TABLE d.t PROPERTY '{key}' TAKE TARGET)")
    else:
        lake.merge("b")
    lake.sql("INSERT INTO d.t (a) VALUES (1)")
    assert lake.rows("d.t") == [(1, 3 if other == "a * 3" else 2)]
    assert lake.breaches() == []


def test_the_drop_of_a_generated_column_comes_over(made: Lake) -> None:
    made.sql("ALTER TABLE d.t DROP COLUMN total", "b")
    made.sql("INSERT INTO d.t (a) VALUES (5)")
    made.merge("b")
    assert made.rows("d.t") == [(1, 2), (5, 10)]
    made.sql("INSERT INTO d.t VALUES (6, 7)")
    assert made.breaches() == []


def test_a_statement_that_runs_again_computes_again(made: Lake) -> None:
    made.sql("UPDATE d.t SET a = a + 1", "b")
    made.sql("INSERT INTO d.t (a, b) VALUES (5, 6)")
    made.sql("MERGE BRANCH b TO main RESOLVE (TABLE d.t RUN AGAIN)")
    assert made.rows("d.t") == [(2, 2, 4), (6, 6, 12)]


# -- added later --------------------------------------------------------------------------------------------------

ADDED = "ALTER TABLE d.t ADD COLUMN c INT GENERATED ALWAYS AS (a * 10)"


def test_added_columns_compute_existing_rows_in_one_commit(made: Lake) -> None:
    made.sql("INSERT INTO d.t (a, b) VALUES (3, 4), (NULL, 1)")
    made.sql("DELETE FROM d.t WHERE a = 3")
    before = made.head()
    dry = made.sql(f"{ADDED} DRY RUN")
    assert made.head() == before
    done = made.sql(ADDED)
    assert done.metrics == dry.metrics
    assert done.metrics["rows_updated"] == 2
    assert len([row for row in made.sql("SHOW HISTORY").rows if row[0] > before]) == 1
    assert made.rows("d.t") == [(1, 2, 3, 10), (None, 1, None, None)]
    made.sql("INSERT INTO d.t (a) VALUES (5)")
    made.sql("UPDATE d.t SET a = 2 WHERE a = 1")
    assert made.rows("d.t", columns="a, c") == [(2, 20), (5, 50), (None, None)]
    with pytest.raises(CheckViolated):
        made.sql("UPDATE d.t SET c = 1")
    shown = {row[0]: row[1] for row in made.sql("DESCRIBE EXTENDED d.t").rows}
    assert shown["Generated c"] == "CAST((`a` * 10) AS int)"
    assert made.sql(f"SELECT count(*) FROM d.t VERSION AS OF {before}").rows == [[2]]
    made.sql(f"RESTORE TABLE d.t TO VERSION AS OF {before}")
    assert made.rows("d.t") == [(1, 2, 3), (None, 1, None)]
    assert made.breaches() == []


def test_a_column_added_without_rows_writes_no_file(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (a INT)")
    done = lake.sql("ALTER TABLE d.t ADD COLUMNS (p STRING FIRST, c INT GENERATED ALWAYS AS (a * 10) AFTER p)")
    assert done.metrics["files_added"] == 0
    lake.sql("INSERT INTO d.t (a) VALUES (1)")
    assert lake.sql("SELECT * FROM d.t").rows == [[None, 10, 1]]


def test_explain_says_that_rows_are_written(made: Lake) -> None:
    head = made.head()
    steps = [row[0] for row in made.sql(f"EXPLAIN {ADDED}").rows]
    assert steps == ["add column", "update rows", "scan", "keep file"]
    assert made.head() == head


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("c INT NOT NULL GENERATED ALWAYS AS (a)", NotNullViolation, "NOT NULL without a default"),
        ("c INT GENERATED ALWAYS AS (total)", NotSupported, "reads total, which is generated too"),
        ("c INT GENERATED ALWAYS AS (nowhere)", NotFound, "nowhere"),
        ("c INT GENERATED ALWAYS AS (CAST(rand() AS INT))", LakeError, "rand"),
        ("total INT GENERATED ALWAYS AS (a)", AlreadyExists, "total"),
        ("c BIGINT GENERATED ALWAYS AS IDENTITY", NotSupported, "ADD COLUMN takes no identity column"),
    ],
)
def test_what_cannot_be_added_is_refused_by_name(made: Lake, text: str, error: type[Exception], says: str) -> None:
    before = (made.head(), made.rows("d.t"))
    with pytest.raises(error, match=says):
        made.sql(f"ALTER TABLE d.t ADD COLUMN {text}")
    assert (made.head(), made.rows("d.t")) == before


def test_an_added_column_merges_without_writes_beside_it(made: Lake) -> None:
    made.sql(ADDED, "b")
    made.sql("INSERT INTO d.t (a, b) VALUES (7, 8)", "b")
    made.merge("b")
    assert made.rows("d.t") == [(1, 2, 3, 10), (7, 8, 15, 70)]
    assert made.breaches() == []


@pytest.mark.parametrize("keyed", [False, True])
def test_the_other_sides_rows_without_value_conflict(lake: Lake, keyed: bool) -> None:
    """No row comes through a merge with another value than its expression has."""
    lake.sql(f"CREATE TABLE d.t (a INT{' PRIMARY KEY' if keyed else ''}, b INT)")
    lake.sql("INSERT INTO d.t VALUES (1, 1)")
    lake.sql("CREATE BRANCH b")
    lake.sql("ALTER TABLE d.t ADD COLUMN c INT GENERATED ALWAYS AS (b * 10)", "b")
    lake.sql("INSERT INTO d.t VALUES (2, 2)")
    before = lake.rows("d.t")
    assert lake.refused("b")
    assert lake.refused("main", "b")
    assert lake.rows("d.t") == before


def test_it_is_added_in_a_transaction_too(made: Lake) -> None:
    opened = made.sql("BEGIN").extra["transaction"]
    made.sql("INSERT INTO d.t (a) VALUES (5)", transaction=opened)
    made.sql(ADDED, transaction=opened)
    made.sql("INSERT INTO d.t (a) VALUES (6)", transaction=opened)
    made.sql("COMMIT", transaction=opened)
    assert made.rows("d.t", columns="a, c") == [(1, 10), (5, 50), (6, 60)]


def test_concurrent_rows_refuse_it_like_an_update(made: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        between_staging_and_commit(monkeypatch, "update", lambda: made.sql("INSERT INTO d.t (a) VALUES (5)")),
        pytest.raises(MergeConflict),
    ):
        made.sql(ADDED)
    assert made.rows("d.t", columns="a, total") == [(1, 3), (5, 15)]
    made.sql(ADDED)
    assert made.rows("d.t", columns="a, c") == [(1, 10), (5, 50)]
