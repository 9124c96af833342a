"""Reading, writing, and what bad input gets: codes and words that help, and nothing written."""

from __future__ import annotations

import threading

import pytest
from django.db import connections

from lakeui.common.errors import (
    DuplicateKey,
    ForbiddenStatement,
    InvalidValue,
    LakeError,
    MergeConflict,
    NotFound,
    NotSupported,
    SyntaxProblem,
)
from lakeui.frontdoor import StatementResult
from tests.in_memory.conftest import Begun
from tests.support.lake import Lake


def table_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.people (id INT NOT NULL, name STRING DEFAULT 'nobody')")
    lake.sql("INSERT INTO d.people VALUES (1, 'Ann'), (2, DEFAULT)")


@pytest.fixture
def table(begun: Begun) -> Lake:
    return begun(table_fill)


def test_a_syntax_error_names_line_column_and_word(table: Lake) -> None:
    with pytest.raises(SyntaxProblem) as refusal:
        table.sql("SELECT *\nFRM d.people")
    assert refusal.value.details["line"] == 2
    assert refusal.value.details["near"]


@pytest.mark.parametrize(
    ("statement", "kind", "nearest"),
    [
        ("SELECT * FROM d.peple", "table", "d.people"),
        ("SELECT * FROM dd.people", "database", "d"),
        ("MERGE BRANCH mainn", "branch", "main"),
        ("ALTER TABLE d.people DROP COLUMN nam", "column", "name"),
    ],
)
def test_unknown_names_suggest_the_nearest(table: Lake, statement: str, kind: str, nearest: str) -> None:
    with pytest.raises(NotFound) as refusal:
        table.sql(statement)
    assert (refusal.value.details["kind"], refusal.value.details["nearest"]) == (kind, nearest)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM parquet.`/etc/passwd`",
        "SELECT java_method('java.lang.System', 'exit', 1)",
        "SELECT reflect('java.lang.Runtime', 'getRuntime')",
        "SET spark.sql.ansi.enabled = false",
        "ADD JAR 'x.jar'",
    ],
)
def test_what_would_reach_the_host_is_refused(table: Lake, statement: str) -> None:
    with pytest.raises(ForbiddenStatement):
        table.sql(statement)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("EXPLAIN ANALYZE DROP TABLE d.people", "EXPLAIN ANALYZE takes a query, or a statement that writes rows"),
        ("ANALYZE TABLE d.people COMPUTE STATISTICS", "ANALYZE is not supported"),
    ],
)
def test_missing_feature_is_refused_by_name_with_remedy(table: Lake, statement: str, message: str) -> None:
    with pytest.raises(NotSupported, match=message) as refused:
        table.sql(statement)
    assert refused.value.remedy


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE d.r (__lake_id INT)",
        "ALTER TABLE d.people ADD COLUMN __LAKE_p INT",
        "ALTER TABLE d.people RENAME COLUMN name TO __lake_0",
    ],
)
def test_reserved_column_names_are_refused(table: Lake, statement: str) -> None:
    with pytest.raises(InvalidValue, match="reserved"):
        table.sql(statement)


def test_a_key_is_inserted_once(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.k (id INT PRIMARY KEY, v STRING)")
    lake.sql("INSERT INTO d.k VALUES (1, 'a')")
    for statement in (
        "INSERT INTO d.k VALUES (1, 'b')",
        "INSERT INTO d.k VALUES (2, 'b'), (2, 'c')",
        "INSERT OVERWRITE d.k VALUES (3, 'b'), (3, 'c')",
    ):
        with pytest.raises(DuplicateKey):
            lake.sql(statement)
    assert lake.rows("d.k") == [(1, "a")]


def test_one_key_inserted_on_both_branches_is_refused(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.k (id INT PRIMARY KEY, v STRING)")
    lake.sql("CREATE BRANCH b")
    lake.sql("INSERT INTO d.k VALUES (1, 'b'), (2, 'b')", "b")
    lake.sql("INSERT INTO d.k VALUES (1, 'm'), (3, 'm')")
    assert lake.codes("b") == {"PRIMARY_KEY_CLASH"}


def test_a_statement_that_changes_nothing_makes_no_version(table: Lake) -> None:
    head = table.head()
    table.sql("DELETE FROM d.people WHERE id = 77")
    table.sql("UPDATE d.people SET name = 'x' WHERE id = 77")
    assert table.head() == head


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE d.people SET TBLPROPERTIES ('owner' = 'me', 'team' = 'us')",
        "COMMENT ON TABLE d.people IS 'who'",
        "ALTER DATABASE d SET DBPROPERTIES ('owner' = 'me')",
        "ALTER DATABASE d RENAME TO d",
        "ALTER TABLE d.people RENAME TO d.people",
        "ALTER TABLE d.people RENAME COLUMN name TO name",
        "ALTER TABLE d.people ALTER COLUMN id FIRST",
        "ALTER TABLE d.people ALTER COLUMN name AFTER id",
        "CREATE OR REPLACE VIEW d.v AS SELECT id FROM d.people",
        "INSERT OVERWRITE d.none SELECT id FROM d.none",
    ],
)
def test_what_is_so_already_makes_no_version(table: Lake, statement: str) -> None:
    table.sql("ALTER TABLE d.people SET TBLPROPERTIES ('owner' = 'me', 'team' = 'us')")
    table.sql("COMMENT ON TABLE d.people IS 'who'")
    table.sql("ALTER DATABASE d SET DBPROPERTIES ('owner' = 'me')")
    table.sql("CREATE VIEW d.v AS SELECT id FROM d.people")
    table.sql("CREATE TABLE d.none (id INT)")
    head = table.head()
    table.sql(statement)
    assert table.head() == head


def test_what_differs_in_part_is_written(table: Lake) -> None:
    table.sql("ALTER TABLE d.people SET TBLPROPERTIES ('owner' = 'me')")
    table.sql("ALTER TABLE d.people SET TBLPROPERTIES ('owner' = 'me', 'team' = 'us')")
    table.sql("ALTER TABLE d.people RENAME TO d.People")
    table.sql("ALTER TABLE d.people RENAME COLUMN name TO NAME")
    table.sql("ALTER TABLE d.people ALTER COLUMN NAME FIRST")
    assert [row[0] for row in table.sql("DESCRIBE TABLE d.people").rows][:2] == ["NAME", "id"]
    assert "People" in str(table.sql("SHOW TABLES IN d").rows)
    assert "team" in str(table.sql("SHOW TBLPROPERTIES d.people").rows)


def test_two_writers_both_commit_and_conflict_is_judged(table: Lake) -> None:
    """Both statements take their snapshot first; the second commit finds the branch moved (P8)."""
    outcomes = _at_once(table, ["INSERT INTO d.people VALUES (3, 'x')", "INSERT INTO d.people VALUES (4, 'y')"])
    assert [type(item) for item in outcomes] == [StatementResult, StatementResult]
    assert len(table.rows("d.people")) == 4
    versions = [row[0] for row in table.sql("SHOW HISTORY").rows]
    assert len(versions) == len(set(versions))


def test_concurrent_updates_of_one_row_never_both_win(table: Lake) -> None:
    statements = [f"UPDATE d.people SET name = '{name}' WHERE id = 1" for name in ("one", "two")]
    outcomes = _at_once(table, statements)
    landed = [item for item in outcomes if isinstance(item, StatementResult)]
    refused = [item for item in outcomes if isinstance(item, MergeConflict)]
    assert len(landed) + len(refused) == 2
    assert landed
    assert all(item.details["conflicts"][0]["code"] == "SAME_FILE_UPDATE_UPDATE" for item in refused)
    assert len(table.rows("d.people")) == 2


def _at_once(lake: Lake, statements: list[str]) -> list[StatementResult | LakeError]:
    outcomes: list[StatementResult | LakeError] = []
    ready = threading.Barrier(len(statements))

    def run(statement: str) -> None:
        ready.wait()
        try:
            outcomes.append(lake.sql(statement))
        except LakeError as error:
            outcomes.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(statement,)) for statement in statements]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes
