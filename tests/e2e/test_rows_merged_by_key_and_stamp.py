"""Rows of a table with a primary key merged by lineage on files that Spark reads: keys and cells of many types."""

from __future__ import annotations

import pytest

from tests.e2e.lake import Lake
from tests.e2e.rows import row_ids

COLUMNS = "id, v, n, CAST(at AS STRING), CAST(tags AS STRING), p"


@pytest.fixture
def keyed(lake: Lake) -> Lake:
    """Table d.t with keys 1 to 4, on main and branch b."""
    lake.sql("CREATE DATABASE IF NOT EXISTS d")
    lake.sql(
        "CREATE TABLE d.t (id BIGINT PRIMARY KEY, v STRING, n DECIMAL(10, 2), at TIMESTAMP, tags ARRAY<STRING>,"
        " p STRING) PARTITIONED BY (p)"
    )
    for key, part in ((1, "a"), (2, "a"), (3, "b"), (4, "b")):
        at = f"TIMESTAMP '2024-01-0{key} 10:00:00'"
        lake.sql(f"INSERT INTO d.t VALUES ({key}, 'v{key}', {key}.50, {at}, array('x'), '{part}')")
    lake.sql("CREATE BRANCH b")
    return lake


def test_cells_of_both_sides_are_put_together(keyed: Lake) -> None:
    before = row_ids(keyed, "main")
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
    assert row_ids(keyed, "main") == before
    keyed.merge("main", "b")
    assert keyed.rows("d.t", "b", columns=COLUMNS) == keyed.rows("d.t", columns=COLUMNS)
    assert keyed.breaches() == []


def test_keys_in_conflict_are_named_as_the_statement_wrote_them(keyed: Lake) -> None:
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
