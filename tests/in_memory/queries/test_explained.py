"""EXPLAIN names the files that the statement reads and those that it leaves out."""

from __future__ import annotations

import pytest

from lakeui.common.errors import NotFound, NotSupported
from tests.in_memory.conftest import Begun
from tests.support.lake import Lake
from tests.support.row_stories import story_made


def told_fill(lake: Lake) -> None:
    story_made(lake)


@pytest.fixture
def prepared(begun: Begun) -> Lake:
    return begun(told_fill)


def files(lake: Lake, statement: str) -> tuple[int, int]:
    """How many files are kept and skipped, of the table that the statement changes."""
    head = lake.head()
    rows = lake.sql(f"EXPLAIN {statement}").rows
    assert lake.head() == head
    own = {row[0] for row in lake.sql("SHOW SEGMENTS d.t").rows}
    kept, skipped = (
        sum(step == wanted and any(detail.startswith(path) for path in own) for step, detail in rows)
        for wanted in ("keep file", "skip file")
    )
    return kept, skipped


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM d.t WHERE id > 2",
        "DELETE FROM d.t WHERE id > 100",
        "DELETE FROM d.t",
        "UPDATE d.t SET v = 'z' WHERE id = 1 AND id IN (SELECT id FROM d.s)",
        "UPDATE d.t SET v = 'z' WHERE v IS NULL",
        "WITH n AS (SELECT 3 AS id) DELETE FROM d.t WHERE id IN (SELECT id FROM n)",
        "INSERT INTO d.t REPLACE WHERE id < 2 VALUES (0, 'n')",
    ],
)
def test_the_files_are_those_of_the_write(prepared: Lake, statement: str) -> None:
    explained = files(prepared, statement)
    metrics = prepared.sql(statement).metrics
    assert explained == (metrics["files_scanned"], metrics["files_skipped"])


def test_tables_of_subqueries_views_and_sources_are_named(prepared: Lake) -> None:
    def steps(statement: str) -> list[str]:
        return [f"{step} {detail}" for step, detail in prepared.sql(f"EXPLAIN {statement}").rows]

    found = steps("DELETE FROM d.t WHERE id IN (SELECT id FROM d.seen)")
    assert found[0] == "delete rows d.t"
    assert f"scan d.t at version {prepared.head()}: 2 of 2 files, 4 rows, no condition that statistics answer" in found
    assert "view d.seen" in found
    assert any(step.startswith("scan d.s at version") for step in found)
    merge = steps("MERGE INTO d.t USING d.s ON t.id = s.id AND t.id > 2 WHEN MATCHED THEN DELETE")
    assert [step for step in merge if step.startswith("skip file")]
    assert any("values of id" in step for step in merge)
    assert steps("SELECT * FROM d.t WHERE id = 1")[0].startswith("scan d.t at version")
    assert steps("INSERT INTO d.t TABLE d.s")[0] == "insert rows d.t"


def test_not_matched_by_source_may_concern_every_row(prepared: Lake) -> None:
    merge = "MERGE INTO d.t USING d.s ON t.id = s.id AND t.id > 2 WHEN NOT MATCHED BY SOURCE THEN DELETE"
    assert files(prepared, merge) == (2, 0)


def test_more_files_than_are_named_are_counted(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    story_made(lake)
    monkeypatch.setattr("lakeui.frontdoor.queries.explaining.MOST_FILES", 1)
    assert ["more files", "1 more of d.t"] in lake.sql("EXPLAIN DELETE FROM d.t").rows


def changes_explained(lake: Lake, statement: str) -> list[list[str]]:
    before, tables = lake.head(), lake.sql("SHOW TABLES").rows
    rows = lake.sql(f"EXPLAIN {statement}").rows
    assert (lake.head(), lake.sql("SHOW TABLES").rows) == (before, tables)
    return rows


@pytest.mark.parametrize(
    ("statement", "steps"),
    [
        (
            "CREATE TABLE d.n (a INT, b STRING)",
            [["create table", "d.n"], ["add column", "a int"], ["add column", "b string"]],
        ),
        ("ALTER TABLE d.p ADD COLUMN c INT", [["add column", "c int"]]),
        ("ALTER TABLE d.p DROP COLUMN v", [["drop column", "v int"]]),
        ("ALTER TABLE d.p RENAME COLUMN v TO w", [["rename column", "v to w"]]),
        (
            "ALTER TABLE d.p ALTER COLUMN v TYPE BIGINT, v COMMENT 'x'",
            [["change type", "v: int to bigint"], ["change comment", "v: none to x"]],
        ),
        ("ALTER TABLE d.p ALTER COLUMN v SET NOT NULL", [["change nullability", "v is NOT NULL"]]),
        ("ALTER TABLE d.p ALTER COLUMN p FIRST", [["move column", "p to the front"]]),
        ("ALTER TABLE d.p ALTER COLUMN v FIRST", [["nothing", "it is so already"]]),
        ("ALTER TABLE d.p ADD CONSTRAINT c CHECK (v > 0)", [["add constraint", "c CHECK (`v` > 0)"]]),
        ("ALTER TABLE d.p SET TBLPROPERTIES ('k' = '2')", [["set property", "k = '2', before '1'"]]),
        ("ALTER TABLE d.p UNSET TBLPROPERTIES ('k')", [["unset property", "k"]]),
        ("ALTER TABLE d.p DROP PARTITION (p = 1)", [["drop partition", "(1): 1 file"]]),
        ("ALTER TABLE d.p PARTITION (p = 1) RENAME TO PARTITION (p = 2)", [["rename partition", "(1) to (2)"]]),
        ("ALTER TABLE d.p RENAME TO d.q", [["rename table", "p to q"]]),
        ("DROP TABLE d.p", [["drop table", "d.p"]]),
        (
            "CREATE OR REPLACE TABLE d.p (v INT, p INT) PARTITIONED BY (p)",
            [["unset property", "k"], ["take all rows away", "d.p: 1 file"]],
        ),
        ("CREATE DATABASE e", [["create database", "e"]]),
        ("ALTER TABLE d.p DROP CONSTRAINT IF EXISTS c", [["nothing", "it is so already"]]),
    ],
)
def test_each_metadata_change_is_named_and_not_made(lake: Lake, statement: str, steps: list[list[str]]) -> None:
    lake.sql("CREATE TABLE d.p (v INT, p INT) PARTITIONED BY (p) TBLPROPERTIES ('k' = '1')")
    lake.sql("INSERT INTO d.p VALUES (3, 1)")
    assert changes_explained(lake, statement) == steps


def test_create_table_as_names_what_it_reads(prepared: Lake) -> None:
    steps = changes_explained(prepared, "CREATE TABLE d.n AS SELECT * FROM d.t")
    assert steps[0] == ["create table", "d.n"]
    assert steps[1][1].startswith("d.t at version")


def test_optimize_says_what_it_would_write_anew(lake: Lake) -> None:
    def explained() -> list[list[str]]:
        head = lake.head()
        rows = lake.sql("EXPLAIN OPTIMIZE d.o").rows
        assert lake.head() == head
        return rows

    lake.sql("CREATE TABLE d.o (id INT)")
    lake.sql("INSERT INTO d.o VALUES (1), (2)")
    nothing = [["optimize", "d.o"], ["compact", "0 of 1 file, 0 bytes"]]
    assert explained() == nothing
    lake.sql("INSERT INTO d.o VALUES (3)")
    lake.sql("INSERT INTO d.o VALUES (4)")
    lake.sql("DELETE FROM d.o WHERE id = 1")
    segments = lake.sql("SHOW SEGMENTS d.o")
    place = [name for name, _ in segments.columns].index("bytes")
    size = sum(row[place] for row in segments.rows)
    assert explained() == [
        ["optimize", "d.o"],
        ["compact", f"3 of 3 files, {size:,} bytes"],
        ["compact", "1 with deleted rows"],
        ["compact", "2 small"],
        ["write", "about 1 file"],
    ]
    assert lake.sql("OPTIMIZE d.o").metrics["files_removed"] == 3
    assert explained() == nothing


def test_what_a_statement_refuses_its_explanation_refuses(prepared: Lake) -> None:
    with pytest.raises(NotFound, match="column nowhere"):
        prepared.sql("EXPLAIN ALTER TABLE d.t DROP COLUMN nowhere")
    with pytest.raises(NotSupported, match="EXPLAIN takes"):
        prepared.sql("EXPLAIN SHOW TABLES")


def test_change_and_session_functions_are_listed(lake: Lake) -> None:
    listed = {row[0] for row in lake.sql("SHOW FUNCTIONS").rows}
    assert {"table_changes", "table_difference", "current_user", "current_branch", "abs"} <= listed


def test_keys_of_a_subquery_leave_files_out(prepared: Lake) -> None:
    by_keys = "DELETE FROM d.t WHERE id IN (SELECT id FROM d.s WHERE note = 'go')"
    merge = "MERGE INTO d.t USING (SELECT id FROM d.s WHERE note = 'go') s ON t.id = s.id WHEN MATCHED THEN DELETE"
    explained = [prepared.sql(f"EXPLAIN {text}").rows for text in (by_keys, merge)]
    said = [[row for row in rows if row[0] == "skip by keys"] for rows in explained]
    assert said[0] == said[1] != []
    others = prepared.sql("EXPLAIN DELETE FROM d.t WHERE id NOT IN (SELECT id FROM d.s)").rows
    assert "skip by keys" not in [step for step, _ in others]
    rehearsed = prepared.sql(f"{by_keys} DRY RUN").metrics
    assert (rehearsed["files_scanned"], rehearsed["files_skipped"], rehearsed["rows_deleted"]) == (1, 1, 1)
    assert prepared.sql(by_keys).metrics == rehearsed
