"""Rows of a table with a primary key merged by lineage on files that Spark reads: keys and cells of many types."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from catalog_app.domain.operations import ObjectKind
from catalog_app.selectors.snapshots import branch_get, catalog_get
from lakeui.api.compare.comparing import Pair
from lakeui.api.compare.row_comparing import sides_read
from lakeui.api.http.paging import KeysetPage
from merge_app.planning.merge_plan import Decision, Resolution, ResolutionPart
from tests.support.lake import Lake, OwnBranch
from tests.support.rows import row_ids

COLUMNS = "id, v, n, CAST(at AS STRING), CAST(tags AS STRING), p"


@pytest.fixture(scope="module")
def shared(services: None) -> Iterator[Lake]:
    """Table d.t with keys 1 to 4."""
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql(
        "CREATE TABLE d.t (id BIGINT PRIMARY KEY, v STRING, n DECIMAL(10, 2), at TIMESTAMP, tags ARRAY<STRING>,"
        " p STRING) PARTITIONED BY (p)"
    )
    for key, part in ((1, "a"), (2, "a"), (3, "b"), (4, "b")):
        at = f"TIMESTAMP '2024-01-0{key} 10:00:00'"
        lake.sql(f"INSERT INTO d.t VALUES ({key}, 'v{key}', {key}.50, {at}, array('x'), '{part}')")
    yield lake
    assert lake.breaches() == []


@pytest.fixture
def keyed(shared: Lake) -> Lake:
    """The table on two branches, which a test calls main and b."""
    return OwnBranch(shared, "b")


def test_cells_of_both_sides_are_put_together(keyed: Lake) -> None:
    before = row_ids(keyed, keyed.named("main"))
    keyed.sql("UPDATE d.t SET v = 'B', tags = array('x', 'b') WHERE id IN (1, 3)", "b")
    keyed.sql("UPDATE d.t SET p = 'c' WHERE id = 1", "b")
    keyed.sql("UPDATE d.t SET n = n + 100, at = TIMESTAMP '2025-01-01 00:00:00' WHERE id IN (1, 2)")
    keyed.sql("OPTIMIZE d.t")
    keyed.merge("b")
    found = keyed.rows("d.t", columns=COLUMNS)
    assert [(key, v, float(n), at, tags, p) for key, v, n, at, tags, p in found] == [
        (1, "B", 101.5, "2025-01-01 00:00:00", "[x, b]", "c"),
        (2, "v2", 102.5, "2025-01-01 00:00:00", "[x]", "a"),
        (3, "B", 3.5, "2024-01-03 10:00:00", "[x, b]", "b"),
        (4, "v4", 4.5, "2024-01-04 10:00:00", "[x]", "b"),
    ]
    assert row_ids(keyed, keyed.named("main")) == before
    keyed.merge("main", "b")
    assert keyed.rows("d.t", "b", columns=COLUMNS) == keyed.rows("d.t", columns=COLUMNS)
    assert keyed.breaches() == []


def test_conflicting_keys_are_named_as_statement_wrote_them(keyed: Lake) -> None:
    for branch in ("b", "main"):
        keyed.sql(f"UPDATE d.t SET v = '{branch}' WHERE id = 2", branch)
        keyed.sql(f"INSERT INTO d.t VALUES (9, '{branch}', 1, NULL, NULL, 'a')", branch)
    keyed.sql("DELETE FROM d.t WHERE id = 3", "b")
    keyed.sql("UPDATE d.t SET n = 0 WHERE id = 3")
    found = {(item["source_op"], item["dest_op"]): item["details"]["keys"] for item in keyed.refused("b")}
    assert found == {
        ("update", "update"): ['{"id":2}'],
        ("insert", "insert"): ['{"id":9}'],
        ("delete", "update"): ['{"id":3}'],
    }


def test_conflicting_rows_are_shown_by_newest_shared_images(keyed: Lake) -> None:
    """Values of many types, of a column that files lack, and of a renamed partition."""
    keyed.sql("ALTER TABLE d.t ADD COLUMN x INT")
    keyed.sql("ALTER TABLE d.t PARTITION (p = 'a') RENAME TO PARTITION (p = 'z')")
    keyed.merge("main", "b")
    keyed.sql("INSERT INTO d.t VALUES (7, 'new', 1.25, NULL, array('y'), 'z', 3)", "b")
    keyed.sql("DELETE FROM d.t WHERE id = 4")
    catalog = catalog_get(keyed.catalog)
    pair = Pair(branch_get(catalog, keyed.named("b")), branch_get(catalog, keyed.named("main")))
    (table,) = [int(row[2]) for row in keyed.sql("SHOW TABLES IN d").rows if row[1] == "t"]
    page = sides_read(pair, table, KeysetPage(10, None), only_conflicts=False)
    fourth = [4, "v4", "4.50", "2024-01-04T10:00:00Z", ["x"], "b", None]
    new = [7, "new", "1.25", None, ["y"], "z", 3]
    assert [(row["key"], row["source_change"], row["dest_change"]) for row in page["rows"]] == [
        ('{"id":4}', None, "delete"),
        ('{"id":7}', "insert", None),
    ]
    assert [[row[name] for name in ("base", "source", "destination", "result")] for row in page["rows"]] == [
        [fourth, fourth, None, None],
        [None, new, None, new],
    ]


def test_conflicting_row_lies_in_renamed_partition(keyed: Lake) -> None:
    keyed.sql("ALTER TABLE d.t PARTITION (p = 'a') RENAME TO PARTITION (p = 'z')")
    keyed.merge("main", "b")
    keyed.sql("UPDATE d.t SET v = 'b', n = 9 WHERE id = 1", "b")
    keyed.sql("UPDATE d.t SET v = 'm' WHERE id = 1")
    catalog = catalog_get(keyed.catalog)
    (table,) = [int(row[2]) for row in keyed.sql("SHOW TABLES IN d").rows if row[1] == "t"]
    take = Resolution(ObjectKind.TABLE, table, Decision.TAKE_DESTINATION, ResolutionPart.ROWS)
    pair = Pair(branch_get(catalog, keyed.named("b")), branch_get(catalog, keyed.named("main")), (take,))
    (row,) = sides_read(pair, table, KeysetPage(1, None), only_conflicts=True)["rows"]
    at = "2024-01-01T10:00:00Z"
    assert row["source"] == [1, "b", "9.00", at, ["x"], "z"]
    assert row["destination"] == [1, "m", "1.50", at, ["x"], "z"]
    assert row["result"] == [1, "m", "9.00", at, ["x"], "z"]
    keyed.sql(f"MERGE BRANCH {keyed.named('b')} TO {keyed.named('main')} RESOLVE (TABLE d.t ROWS TAKE TARGET)")
    found = keyed.sql("SELECT id, v, n, p FROM d.t WHERE id = 1").rows
    assert [list(values) for values in found] == [[1, "m", "9.00", "z"]]
