"""CREATE OR REPLACE TABLE: the same table with other columns and rows, as an overwrite and the alters to it."""

from __future__ import annotations

from typing import Any

import pytest

from catalog_app.models import ProtectionRule
from catalog_app.selectors.objects import database_get, table_get
from catalog_app.selectors.snapshots import branch_get, branch_snapshot, catalog_get
from lakeui.common.errors import AlreadyExists, BranchProtected, DuplicateKey, NotFound, NotNullViolation, NotSupported
from tests.in_memory.conftest import Begun
from tests.in_memory.rows.test_concurrent_statements import between_staging_and_commit
from tests.support.lake import Lake

KEPT = "TBLPROPERTIES ('owner' = 'me', 'old' = '1')"
REPLACED = f"CREATE OR REPLACE TABLE d.t {KEPT} AS SELECT id * 10 AS id, v, 'new' AS w FROM d.t WHERE id < 3"


def made_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING, n INT) COMMENT 'first' TBLPROPERTIES ('owner' = 'me', 'old' = '1')")
    lake.sql("INSERT INTO d.t VALUES (1, 'a', 1), (2, 'b', 2)")
    lake.sql("INSERT INTO d.t VALUES (3, 'c', 3)")
    lake.sql("CREATE BRANCH b")


@pytest.fixture
def made(begun: Begun) -> Lake:
    return begun(made_fill)


def ids(lake: Lake, branch: str = "main") -> dict[str, int]:
    """The ids of a table's columns, in their order."""
    snapshot = branch_snapshot(branch_get(catalog_get(lake.catalog), branch))
    table = table_get(snapshot, database_get(snapshot, "d"), "t")
    return {column.name: column.id for column in table.schema.columns}


def table_id(lake: Lake, branch: str = "main") -> Any:
    return next(row[2] for row in lake.sql("SHOW TABLES IN d", branch).rows if row[1] == "t")


def columns(lake: Lake, branch: str = "main") -> list[tuple[Any, ...]]:
    return [tuple(row) for row in lake.sql("DESCRIBE TABLE d.t", branch).rows]


def test_it_is_one_version_of_the_same_table(made: Lake) -> None:
    head, table, before = made.head(), table_id(made), ids(made)
    found = made.sql(REPLACED)
    assert (made.head(), found.version, table_id(made)) == (head + 1, head + 1, table)
    assert made.rows("d.t") == [(10, "a", "new"), (20, "b", "new")]
    assert [row[:2] for row in columns(made)] == [("id", "int"), ("v", "string"), ("w", "string")]
    after = ids(made)
    assert (after["id"], after["v"]) == (before["id"], before["v"])
    assert after["w"] not in before.values()
    newest = made.sql("DESCRIBE HISTORY d.t").rows[0]
    assert (newest[0], newest[2]) == (head + 1, "CREATE OR REPLACE TABLE AS SELECT")
    metrics = found.metrics
    assert (metrics["rows_inserted"], metrics["files_added"], metrics["files_removed"]) == (2, 1, 2)
    assert made.rows(f"d.t VERSION AS OF {head}") == [(1, "a", 1), (2, "b", 2), (3, "c", 3)]
    assert made.rows("d.t", "b") == [(1, "a", 1), (2, "b", 2), (3, "c", 3)]
    assert made.breaches() == []


def test_without_query_table_is_empty_and_as_stated(made: Lake) -> None:
    made.sql("COMMENT ON TABLE d.t IS 'second'")
    made.sql(
        "CREATE OR REPLACE TABLE d.t (w DATE COMMENT 'day', ID BIGINT NOT NULL DEFAULT 7) COMMENT 'third' "
        "TBLPROPERTIES ('owner' = 'you')"
    )
    assert made.rows("d.t") == []
    assert columns(made) == [("w", "date", True, None, "day"), ("ID", "bigint", False, "7", None)]
    details = {row[0]: row[1] for row in made.sql("DESCRIBE TABLE EXTENDED d.t").rows}
    assert (details["Comment"], details["Properties"]) == ("third", "(owner=you)")
    made.sql("INSERT INTO d.t (w) VALUES (DATE '2026-01-01')")
    assert made.rows("d.t", columns="id") == [(7,)]
    made.sql("CREATE OR REPLACE TABLE d.t (w DATE)")
    details = {row[0]: row[1] for row in made.sql("DESCRIBE TABLE EXTENDED d.t").rows}
    assert details["Comment"] == ""
    assert "owner" not in str(details.get("Properties"))


@pytest.mark.parametrize(
    ("before", "after", "is_kept"),
    [
        ("INT", "BIGINT", True),
        ("INT", "STRING", False),
        ("BIGINT", "INT", False),
        ("STRUCT<x: INT>", "STRUCT<x: INT, y: STRING>", True),
        ("STRUCT<x: INT>", "STRUCT<y: STRING>", False),
        ("ARRAY<INT>", "ARRAY<BIGINT>", True),
        ("ARRAY<INT>", "INT", False),
    ],
)
def test_column_keeps_id_where_alterations_give_its_type(lake: Lake, before: str, after: str, is_kept: bool) -> None:
    lake.sql(f"CREATE TABLE d.t (id INT, x {before})")
    old = ids(lake)
    lake.sql(f"CREATE OR REPLACE TABLE d.t (x {after}, id INT)")
    new = ids(lake)
    assert list(new) == ["x", "id"]
    assert (new["id"], new["x"] == old["x"]) == (old["id"], is_kept)
    assert columns(lake)[0][1].replace(" ", "").casefold() == after.replace(" ", "").casefold()


def test_it_makes_the_table_where_there_is_none(lake: Lake) -> None:
    lake.sql("CREATE OR REPLACE TABLE d.t USING DELTA AS SELECT 1 AS id")
    assert lake.rows("d.t") == [(1,)]
    assert lake.sql("DESCRIBE HISTORY d.t").rows[0][2] == "CREATE TABLE AS SELECT"
    assert lake.sql("CREATE OR REPLACE TABLE d.t USING DELTA AS SELECT 2 AS id").extra["notices"]
    assert lake.rows("d.t") == [(2,)]


def test_replace_table_needs_one(lake: Lake) -> None:
    with pytest.raises(NotFound):
        lake.sql("REPLACE TABLE d.t AS SELECT 1 AS id")
    lake.sql("CREATE TABLE d.t (id INT)")
    lake.sql("REPLACE TABLE d.t AS SELECT 1 AS id")
    assert lake.rows("d.t") == [(1,)]
    lake.sql("CREATE VIEW d.v AS SELECT 1 AS x")
    with pytest.raises(AlreadyExists):
        lake.sql("CREATE OR REPLACE TABLE d.v (id INT)")


def test_key_and_partitioning_stay(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, p STRING, v INT, PRIMARY KEY (id)) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.t VALUES (1, 'x', 1)")
    lake.sql("ALTER TABLE d.t ADD PARTITION (p = 'declared')")
    head = lake.head()
    refused = {
        "CREATE OR REPLACE TABLE d.t (id INT, p STRING)": "PRIMARY KEY (id)",
        "CREATE OR REPLACE TABLE d.t (id INT PRIMARY KEY, p STRING)": "PARTITIONED BY (p)",
        "CREATE OR REPLACE TABLE d.t (id STRING PRIMARY KEY, p STRING) PARTITIONED BY (p)": "PRIMARY KEY (id)",
        "CREATE OR REPLACE TABLE d.t (id INT PRIMARY KEY, p INT) PARTITIONED BY (p)": "PARTITIONED BY (p)",
    }
    for statement, words in refused.items():
        with pytest.raises(NotSupported) as caught:
            lake.sql(statement)
        assert words in str(caught.value.remedy)
    assert lake.head() == head
    lake.sql("CREATE OR REPLACE TABLE d.t (id BIGINT PRIMARY KEY, p STRING) PARTITIONED BY (p)")
    assert lake.sql("SHOW PARTITIONS d.t").rows == []
    lake.sql("INSERT INTO d.t VALUES (1, 'x')")
    assert lake.rows("d.t") == [(1, "x")]


def test_what_the_rows_break_leaves_all_undone(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING, PRIMARY KEY (id))")
    lake.sql("INSERT INTO d.t VALUES (1, 'a')")
    head = lake.head()
    replaced = "CREATE OR REPLACE TABLE d.t (PRIMARY KEY (id)) AS "
    with pytest.raises(DuplicateKey):
        lake.sql(replaced + "SELECT id FROM d.t UNION ALL SELECT 1")
    with pytest.raises(NotNullViolation):
        lake.sql(replaced + "SELECT CAST(NULL AS INT) AS id")
    assert (lake.head(), lake.rows("d.t")) == (head, [(1, "a")])
    lake.sql(replaced + "SELECT id, 'b' AS v FROM d.t")
    assert lake.rows("d.t") == [(1, "b")]


# -- branches ---------------------------------------------------------------------------------------------------------


def test_it_merges_and_the_target_continues(made: Lake) -> None:
    made.sql(REPLACED, "b")
    made.sql("INSERT INTO d.t VALUES (30, 'd', 'later')", "b")
    made.sql("INSERT INTO d.t VALUES (4, 'd', 4)")
    made.merge("b")
    assert made.rows("d.t") == [(10, "a", "new"), (20, "b", "new"), (30, "d", "later")]
    assert ids(made) == ids(made, "b")
    made.merge("main", "b")
    assert made.rows("d.t", "b") == made.rows("d.t")
    assert made.breaches() == []


def test_rows_added_by_source_come_into_replaced_table(made: Lake) -> None:
    made.sql(REPLACED)
    made.sql("INSERT INTO d.t VALUES (4, 'd', 4)", "b")
    made.merge("b")
    assert made.rows("d.t") == [(10, "a", "new"), (20, "b", "new"), (4, "d", None)]
    assert made.breaches() == []


def test_required_column_missing_on_other_side_is_conflict(made: Lake) -> None:
    made.sql("CREATE OR REPLACE TABLE d.t (id INT, must INT NOT NULL)")
    made.sql("INSERT INTO d.t (id, v, n) VALUES (4, 'd', 4)", "b")
    assert made.codes("b") == {"NOT_NULL_WITHOUT_VALUE"}


def test_column_with_another_id_is_missing_to_source(made: Lake) -> None:
    made.sql("CREATE OR REPLACE TABLE d.t (id INT, v STRING, n STRING)")
    made.sql("ALTER TABLE d.t ALTER COLUMN n TYPE BIGINT", "b")
    assert made.codes("b") == {"COLUMN_MISSING"}


OTHERS = {
    "drop": "DROP TABLE d.t",
    "rename": "ALTER TABLE d.t RENAME TO u",
    "properties": "ALTER TABLE d.t SET TBLPROPERTIES ('other' = '1')",
    "column": "ALTER TABLE d.t ADD COLUMN more INT",
    "insert": "INSERT INTO d.t (id, v, n) VALUES (11, 'd', 4)",
    "delete": "DELETE FROM d.t WHERE id = 1",
    "update": "UPDATE d.t SET v = 'S' WHERE id = 2",
    "overwrite": "INSERT OVERWRITE d.t (id, v, n) VALUES (21, 'o', 5)",
    "compaction": "OPTIMIZE d.t",
    "replace": f"CREATE OR REPLACE TABLE d.t {KEPT} AS SELECT 40 AS id, 'other' AS w",
}
NEW = [(10, "a", "new"), (20, "b", "new")]


@pytest.mark.parametrize("other", OTHERS)
def test_as_source_it_is_overwrite_with_alters(made: Lake, other: str) -> None:
    made.sql(REPLACED, "b")
    made.sql(OTHERS[other])
    if other == "drop":
        assert made.codes("b") == {"OBJECT_DROPPED_ON_DEST"}
        return
    if other == "replace":
        # Both sides add a column of that name: one column (semantics §3).
        made.merge("b")
        assert made.rows("d.t", columns="id, w") == [(10, "new"), (20, "new")]
        return
    made.merge("b")
    name = "u" if other == "rename" else "t"
    assert made.rows(f"d.{name}", columns="id, v, w") == NEW
    names = {row[0] for row in made.sql(f"DESCRIBE TABLE d.{name}").rows}
    assert names == {"id", "v", "w"} | ({"more"} if other == "column" else set())
    assert made.breaches() == []


@pytest.mark.parametrize("other", OTHERS)
def test_as_target_it_is_overwrite_with_alters(made: Lake, other: str) -> None:
    made.sql(OTHERS[other], "b")
    made.sql(REPLACED)
    rows: dict[str, list[tuple[Any, ...]]] = {
        "insert": sorted([*NEW, (11, "d", None)], key=repr),
        "overwrite": [(21, "o", None)],
    }
    made.merge("b")
    if other == "drop":
        assert made.sql("SHOW TABLES IN d").rows == []
        return
    if other == "replace":
        assert made.rows("d.t", columns="id, w") == [(40, "other")]
        return
    name = "u" if other == "rename" else "t"
    assert made.rows(f"d.{name}", columns="id, v, w") == rows.get(other, NEW)
    assert made.breaches() == []


def test_restores_alternate_between_both_tables(made: Lake) -> None:
    before, schema = made.head(), columns(made)
    made.sql(REPLACED)
    after, old = made.head(), ids(made)
    made.sql(f"RESTORE TABLE d.t TO VERSION AS OF {before}")
    assert made.rows("d.t") == [(1, "a", 1), (2, "b", 2), (3, "c", 3)]
    assert columns(made) == schema
    made.sql(f"RESTORE TABLE d.t TO VERSION AS OF {after}")
    assert made.rows("d.t") == NEW
    assert ids(made) == old
    assert made.breaches() == []


def test_replaced_and_restored_is_nothing_to_a_merge(made: Lake) -> None:
    before = made.head("b")
    made.sql(REPLACED, "b")
    made.sql(f"RESTORE TABLE d.t TO VERSION AS OF {before}", "b")
    made.sql("INSERT INTO d.t VALUES (4, 'd', 4)")
    made.merge("b")
    assert made.rows("d.t") == [(1, "a", 1), (2, "b", 2), (3, "c", 3), (4, "d", 4)]


def test_a_transaction_replaces_with_its_other_statements(made: Lake) -> None:
    head = made.head()
    opened = made.sql("BEGIN").extra["transaction"]
    made.sql("INSERT INTO d.t VALUES (0, 'z', 0)", transaction=opened)
    made.sql(REPLACED, transaction=opened)
    made.sql("INSERT INTO d.t VALUES (30, 'x', 'y')", transaction=opened)
    assert made.head() == head
    made.sql("COMMIT", transaction=opened)
    assert made.rows("d.t") == [(0, "z", "new"), *NEW, (30, "x", "y")]
    assert made.breaches() == []


def test_dry_run_gives_metrics_and_writes_nothing(made: Lake) -> None:
    head = made.head()
    rehearsed = made.sql(f"{REPLACED} DRY RUN").metrics
    assert made.head() == head
    assert rehearsed == made.sql(REPLACED).metrics
    head = made.head()
    made.sql("CREATE OR REPLACE TABLE d.t (x INT) DRY RUN")
    assert made.head() == head


def test_a_protected_branch_refuses_it(made: Lake) -> None:
    ProtectionRule.objects.create(catalog=catalog_get(made.catalog), pattern="main", refuse_direct_writes=True)
    for statement in (REPLACED, "CREATE OR REPLACE TABLE d.t (id INT)", "CREATE OR REPLACE TABLE d.new (id INT)"):
        with pytest.raises(BranchProtected):
            made.sql(statement)
    made.sql(REPLACED, "b")
    assert (made.rows("d.t", "b"), made.rows("d.t", columns="id")) == (NEW, [(1,), (2,), (3,)])


def test_a_property_left_out_twice_conflicts(made: Lake) -> None:
    made.sql("CREATE OR REPLACE TABLE d.t (id INT)", "b")
    made.sql("CREATE OR REPLACE TABLE d.t (id INT)")
    assert made.codes("b") == {"UNSET_SAME_PROPERTY"}


# -- beside other statements ------------------------------------------------------------------------------------------


def test_rows_that_come_meanwhile_are_replaced_too(made: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    with between_staging_and_commit(monkeypatch, "append", lambda: made.sql("INSERT INTO d.t VALUES (9, 'i', 9)")):
        made.sql(REPLACED)
    assert made.rows("d.t") == NEW
    assert made.breaches() == []


def test_a_table_dropped_meanwhile_is_made(made: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    with between_staging_and_commit(monkeypatch, "append", lambda: made.sql("DROP TABLE d.t")):
        made.sql("CREATE OR REPLACE TABLE d.t AS SELECT 1 AS id")
    assert made.rows("d.t") == [(1,)]


def test_a_table_made_meanwhile_is_replaced(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    with between_staging_and_commit(monkeypatch, "append", lambda: lake.sql("CREATE TABLE d.t (id INT, theirs INT)")):
        lake.sql("CREATE OR REPLACE TABLE d.t AS SELECT 1 AS id")
    assert lake.rows("d.t") == [(1,)]
    assert lake.sql("DESCRIBE HISTORY d.t").rows[0][2] == "CREATE OR REPLACE TABLE AS SELECT"


def test_an_insert_that_comes_meanwhile_stays_beside_it(made: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    with between_staging_and_commit(monkeypatch, "append", lambda: made.sql("CREATE OR REPLACE TABLE d.t (id INT)")):
        made.sql("INSERT INTO d.t VALUES (9, 'i', 9)")
    assert made.rows("d.t") == [(9,)]


def test_a_required_column_takes_no_null(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT)")
    lake.sql("CREATE OR REPLACE TABLE d.t (id INT NOT NULL)")
    with pytest.raises(NotNullViolation):
        lake.sql("INSERT INTO d.t VALUES (NULL)")
