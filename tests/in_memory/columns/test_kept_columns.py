"""Columns that one branch dropped and a merge keeps or brings back: no row loses its value of them."""

from __future__ import annotations

import pytest

from catalog_app.selectors.objects import database_get, table_get
from catalog_app.selectors.segments import segments_list
from catalog_app.selectors.snapshots import branch_get, branch_snapshot, catalog_get
from lakeui.common.errors import MergeConflict, NotSupported
from tests.in_memory.rows.test_concurrent_statements import between_staging_and_commit
from tests.support.lake import Lake
from tests.support.rows import run

KEEP = "MERGE BRANCH b TO main RESOLVE (TABLE d.t COLUMN v TAKE TARGET)"


def made(lake: Lake, key: str = "") -> None:
    lake.sql(f"CREATE TABLE d.t (id INT, v INT, w INT{key})")
    lake.sql("INSERT INTO d.t VALUES (1, 5, 0), (2, 6, 0)")
    lake.sql("INSERT INTO d.t VALUES (3, 7, 0)")
    lake.sql("CREATE BRANCH b")


def rows(lake: Lake, branch: str = "main") -> list[tuple[object, ...]]:
    return sorted(map(tuple, lake.sql("SELECT id, v, w FROM d.t", branch).rows))


def files(lake: Lake, branch: str = "main") -> set[str]:
    """Those of the table on a branch."""
    snapshot = branch_snapshot(branch_get(catalog_get(lake.catalog), branch))
    found = table_get(snapshot, database_get(snapshot, "d"), "t")
    return {segment.path for segment in segments_list(snapshot, found.table_id)}


KEYS = pytest.mark.parametrize("key", ["", ", PRIMARY KEY (id)"], ids=["rows", "keys"])
OPTIMIZED, UPDATED = "OPTIMIZE d.t", "UPDATE d.t SET w = 1 WHERE id = 1"
V_OF_1, V_OF_3 = "UPDATE d.t SET v = 9 WHERE id = 1", "UPDATE d.t SET v = 8 WHERE id = 3"


@pytest.mark.pairwise
@KEYS
@pytest.mark.parametrize("other", [(), (V_OF_1,), (V_OF_3,)], ids=["alone", "one_row", "two_rows"])
@pytest.mark.parametrize(
    "later", [(UPDATED,), (OPTIMIZED,), (UPDATED, OPTIMIZED)], ids=["updated", "optimized", "both"]
)
def test_a_column_kept_by_decision(lake: Lake, key: str, other: tuple[str, ...], later: tuple[str, ...]) -> None:
    made(lake, key)
    run(lake, "b", "ALTER TABLE d.t DROP COLUMN v", *later)
    conflicts = "cell" if V_OF_1 in other else "row"
    settings = () if key else (f"ALTER TABLE d.t SET TBLPROPERTIES ('merge.conflicts' = '{conflicts}')",)
    run(lake, "main", "ALTER TABLE d.t ADD CONSTRAINT p CHECK (v > 0)", *settings, *other)
    before = files(lake)
    lake.sql(KEEP)
    if UPDATED not in later:
        assert files(lake) == before
    first = (1, 9 if V_OF_1 in other else 5, 1 if UPDATED in later else 0)
    merged = [first, (2, 6, 0), (3, 8 if V_OF_3 in other else 7, 0)]
    assert rows(lake) == merged
    lake.merge("main", "b")
    assert rows(lake, "b") == merged
    assert lake.breaches() == []


@KEYS
@pytest.mark.parametrize("later", [UPDATED, OPTIMIZED], ids=["updated", "optimized"])
def test_a_column_that_a_restore_brings_back(lake: Lake, key: str, later: str) -> None:
    made(lake, key)
    before = lake.head("b")
    lake.sql("ALTER TABLE d.t DROP COLUMN v", "b")
    lake.merge("b")
    lake.sql(later)
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {before}", "b")
    lake.merge("b")
    if later == OPTIMIZED:
        assert files(lake) == files(lake, "b")
    assert rows(lake) == [(1, 5, 1 if later == UPDATED else 0), (2, 6, 0), (3, 7, 0)]
    lake.merge("main", "b")
    assert rows(lake, "b") == rows(lake)
    assert lake.breaches() == []


def test_rows_in_another_partition(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v INT, w INT, p STRING) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.t VALUES (1, 5, 0, 'a'), (2, 6, 0, 'a'), (3, 7, 0, 'b')")
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('merge.conflicts' = 'row')")
    lake.sql("CREATE BRANCH b")
    run(lake, "b", "ALTER TABLE d.t DROP COLUMN v", UPDATED, "UPDATE d.t SET p = 'c' WHERE id = 3")
    lake.sql("INSERT INTO d.t VALUES (9, 9, 'a')", "b")
    rename = "ALTER TABLE d.t PARTITION (p = 'a') RENAME TO PARTITION (p = 'z')"
    run(lake, "main", "ALTER TABLE d.t ADD CONSTRAINT q CHECK (v > 0)", rename)
    lake.sql(KEEP)
    merged = [(1, 5, 1, "z"), (2, 6, 0, "z"), (3, 7, 0, "c"), (9, None, 9, "a")]
    assert lake.rows("d.t", columns="id, v, w, p") == merged
    lake.merge("main", "b")
    assert lake.rows("d.t", "b", "id, v, w, p") == merged
    assert lake.breaches() == []


def test_keeping_a_type_too_narrow_is_refused(lake: Lake) -> None:
    made(lake)
    run(lake, "b", "ALTER TABLE d.t ALTER COLUMN v TYPE BIGINT", "UPDATE d.t SET v = 5000000000 WHERE id = 1")
    lake.sql("ALTER TABLE d.t ALTER COLUMN v SET NOT NULL", "b")
    lake.sql("INSERT INTO d.t VALUES (5, NULL, 0)")
    with pytest.raises(NotSupported, match="would stay int"):
        lake.sql(KEEP.replace("RESOLVE (", "RESOLVE (TABLE d.t KEEP BOTH, "))


@KEYS
@pytest.mark.parametrize(
    ("method", "statement", "first"), [("compact", OPTIMIZED, 0), ("update", UPDATED, 1)], ids=["optimized", "updated"]
)
def test_a_statement_beside_a_restore_of_the_column(
    lake: Lake, monkeypatch: pytest.MonkeyPatch, key: str, method: str, statement: str, first: int
) -> None:
    made(lake, key)
    before = lake.head()
    lake.sql("ALTER TABLE d.t DROP COLUMN v")
    restore = f"RESTORE TABLE d.t TO VERSION AS OF {before}"
    with between_staging_and_commit(monkeypatch, method, lambda: lake.sql(restore)):
        lake.sql(statement)
    assert rows(lake) == [(1, 5, first), (2, 6, 0), (3, 7, 0)]
    assert lake.breaches() == []


@KEYS
@pytest.mark.parametrize("value", [None, 1000])
def test_a_change_after_the_columns_return_is_kept(lake: Lake, key: str, value: int | None) -> None:
    made(lake, key)
    settings = () if key else ("ALTER TABLE d.t SET TBLPROPERTIES ('merge.conflicts' = 'cell')",)
    run(lake, "b", "ALTER TABLE d.t DROP COLUMN v", OPTIMIZED)
    run(lake, "main", "ALTER TABLE d.t ADD CONSTRAINT p CHECK (v > 0)", *settings, V_OF_3)
    lake.sql(KEEP)
    lake.merge("main", "b")
    lake.sql(f"UPDATE d.t SET v = {'NULL' if value is None else value} WHERE id = 1", "b")
    lake.sql("UPDATE d.t SET w = 50 WHERE id = 1")
    lake.merge("b")
    assert rows(lake) == [(1, value, 50), (2, 6, 0), (3, 8, 0)]


def test_a_generated_column_that_is_kept_stays_generated(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, a INT, v INT GENERATED ALWAYS AS (a + 1))")
    lake.sql("INSERT INTO d.t (id, a) VALUES (1, 1), (2, 5)")
    lake.sql("CREATE BRANCH b")
    run(lake, "b", "ALTER TABLE d.t DROP COLUMN v", "UPDATE d.t SET a = 100 WHERE id = 1")
    lake.sql("ALTER TABLE d.t ADD CONSTRAINT p CHECK (v > 0)")
    with pytest.raises(MergeConflict) as refusal:
        lake.sql(KEEP)
    assert [item["code"] for item in refusal.value.details["conflicts"]] == ["CHECK_VIOLATED"]


INSERTED_AGAIN = ("DELETE FROM d.t WHERE id = 1", "INSERT INTO d.t (id, w) VALUES (1, 44)")


@pytest.mark.parametrize(
    ("other", "own", "merged"),
    [
        ("INSERT INTO d.t VALUES (9, 90, 0)", ("INSERT INTO d.t (id, w) VALUES (9, 0)",), (9, 90, 0)),
        ("UPDATE d.t SET v = 9, w = 44 WHERE id = 1", INSERTED_AGAIN, (1, 9, 44)),
        ("UPDATE d.t SET v = 8 WHERE id = 3", INSERTED_AGAIN, (1, 5, 44)),
    ],
    ids=["both", "alike", "one"],
)
def test_a_key_with_another_row_keeps_its_value(
    lake: Lake, other: str, own: tuple[str, ...], merged: tuple[int, ...]
) -> None:
    made(lake, ", PRIMARY KEY (id)")
    run(lake, "b", "ALTER TABLE d.t DROP COLUMN v", *own)
    run(lake, "main", "ALTER TABLE d.t ADD CONSTRAINT p CHECK (v > 0)", other)
    lake.sql(KEEP)
    assert merged in rows(lake)
    assert lake.breaches() == []


@KEYS
@pytest.mark.parametrize("gone", ["v", "s.b"])
def test_a_drop_of_the_table_keeps_no_column(lake: Lake, key: str, gone: str) -> None:
    """Law 1: b knows all that main knows. Values of what it dropped before are neither refused nor written again."""
    lake.sql(f"CREATE TABLE d.t (id INT, v INT, s STRUCT<a: INT, b: INT>{key})")
    lake.sql("INSERT INTO d.t VALUES (1, 5, named_struct('a', 1, 'b', 2)), (2, 6, named_struct('a', 3, 'b', 4))")
    lake.sql("CREATE BRANCH b")
    run(lake, "b", f"ALTER TABLE d.t DROP COLUMN {gone}", "UPDATE d.t SET id = 9 WHERE id = 1", "DROP TABLE d.t")
    lake.merge("b")
    assert lake.sql("SHOW TABLES IN d").rows == []
    for branch in ("main", "b"):
        lake.sql("UNDROP TABLE d.t", branch)
    assert lake.rows("d.t") == lake.rows("d.t", "b")
    assert files(lake) == files(lake, "b")
    assert lake.breaches() == []
