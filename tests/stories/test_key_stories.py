"""Tables with a primary key: rows are judged by key and cell, whatever files hold them (semantics §3)."""

from __future__ import annotations

import pytest

from tests.support.lake import Lake
from tests.support.stored_databases import Begin


@pytest.fixture
def keyed(begin: Begin) -> Lake:
    """Table d.k with keys 1 to 4 in one file and 10 in another, on main and branch b."""
    return begin(
        "CREATE TABLE d.k (id INT PRIMARY KEY, v STRING, n INT)",
        "INSERT INTO d.k VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3), (4, 'd', 4)",
        "INSERT INTO d.k VALUES (10, 'z', 10)",
        "MERGE BRANCH main TO b",
    )


def test_changes_of_different_rows_of_one_file_are_merged(keyed: Lake) -> None:
    keyed.sql("UPDATE d.k SET v = 'B' WHERE id = 1", "b")
    keyed.sql("DELETE FROM d.k WHERE id = 3", "b")
    keyed.sql("INSERT INTO d.k VALUES (20, 'new', 20)", "b")
    keyed.sql("UPDATE d.k SET v = 'M' WHERE id = 2")
    keyed.sql("INSERT INTO d.k VALUES (21, 'main', 21)")
    keyed.merge("b")
    assert keyed.rows("d.k") == [
        (1, "B", 1),
        (10, "z", 10),
        (2, "M", 2),
        (20, "new", 20),
        (21, "main", 21),
        (4, "d", 4),
    ]
    assert keyed.breaches() == []


def test_changes_of_different_cells_of_one_row_are_put_together(keyed: Lake) -> None:
    keyed.sql("UPDATE d.k SET v = 'B' WHERE id = 1 OR id = 2", "b")
    keyed.sql("UPDATE d.k SET n = n + 100 WHERE id = 2 OR id = 3")
    keyed.merge("b")
    assert keyed.rows("d.k") == [(1, "B", 1), (10, "z", 10), (2, "B", 102), (3, "c", 103), (4, "d", 4)]
    assert keyed.breaches() == []


def test_every_kind_of_conflicting_row_is_named_by_its_key(keyed: Lake) -> None:
    for branch, statements in {
        "b": (
            "UPDATE d.k SET v = 'B' WHERE id <= 2",
            "DELETE FROM d.k WHERE id = 3",
            "INSERT INTO d.k VALUES (5, 'b', 5)",
        ),
        "main": (
            "UPDATE d.k SET v = 'M' WHERE id = 1 OR id = 3",
            "DELETE FROM d.k WHERE id = 2",
            "INSERT INTO d.k VALUES (5, 'm', 5)",
        ),
    }.items():
        for statement in statements:
            keyed.sql(statement, branch)
    found = {
        (item["source_op"], item["dest_op"]): (item["code"], item["details"]["keys"], item["rule_table"])
        for item in keyed.refused("b")
    }
    assert found == {
        ("update", "update"): ("PRIMARY_KEY_CLASH", ['{"id":1}'], "keyed"),
        ("update", "delete"): ("PRIMARY_KEY_CLASH", ['{"id":2}'], "keyed"),
        ("delete", "update"): ("PRIMARY_KEY_CLASH", ['{"id":3}'], "keyed"),
        ("insert", "insert"): ("PRIMARY_KEY_CLASH", ['{"id":5}'], "keyed"),
    }


def test_what_came_out_the_same_on_both_sides_is_no_conflict(keyed: Lake) -> None:
    for branch in ("b", "main"):
        keyed.sql("UPDATE d.k SET v = 'same' WHERE id = 1", branch)
        keyed.sql("DELETE FROM d.k WHERE id = 2", branch)
        keyed.sql("INSERT INTO d.k VALUES (5, 'same', 5)", branch)
    before = keyed.rows("d.k")
    keyed.merge("b")
    assert keyed.rows("d.k") == before
    assert keyed.breaches() == []


def test_branches_go_on_after_a_merge_by_key_in_both_directions(keyed: Lake) -> None:
    keyed.sql("UPDATE d.k SET v = 'B' WHERE id = 1", "b")
    keyed.sql("INSERT INTO d.k VALUES (5, 'b', 5)", "b")
    keyed.sql("UPDATE d.k SET n = 100 WHERE id = 1")
    keyed.merge("b")
    keyed.merge("main", "b")
    assert keyed.rows("d.k", "b") == keyed.rows("d.k")
    keyed.sql("UPDATE d.k SET v = 'B2' WHERE id = 1 OR id = 5", "b")
    keyed.sql("DELETE FROM d.k WHERE id = 4", "b")
    keyed.merge("b")
    expected = [(1, "B2", 100), (10, "z", 10), (2, "b", 2), (3, "c", 3), (5, "B2", 5)]
    assert keyed.rows("d.k") == expected
    keyed.sql("OPTIMIZE d.k")
    keyed.sql("UPDATE d.k SET n = 0 WHERE id = 5", "b")
    keyed.sql("UPDATE d.k SET v = 'main' WHERE id = 10")
    keyed.merge("b")
    assert keyed.rows("d.k") == [(1, "B2", 100), (10, "main", 10), (2, "b", 2), (3, "c", 3), (5, "B2", 0)]
    assert keyed.breaches() == []


def test_a_third_branch_gets_what_a_merge_by_key_made(keyed: Lake) -> None:
    keyed.sql("CREATE BRANCH c")
    keyed.sql("UPDATE d.k SET v = 'B' WHERE id = 1", "b")
    keyed.sql("INSERT INTO d.k VALUES (5, 'b', 5)", "b")
    keyed.sql("UPDATE d.k SET n = 100 WHERE id = 1")
    keyed.merge("b")
    keyed.merge("b", "c")
    keyed.merge("main", "c")
    assert keyed.rows("d.k", "c") == keyed.rows("d.k")
    assert keyed.breaches() == []


def test_columns_that_one_side_added_and_renamed_come_with_the_rows(keyed: Lake) -> None:
    keyed.sql("ALTER TABLE d.k ADD COLUMN w STRING", "b")
    keyed.sql("UPDATE d.k SET w = 'W' WHERE id = 1", "b")
    keyed.sql("ALTER TABLE d.k RENAME COLUMN v TO text")
    keyed.sql("UPDATE d.k SET text = 'T' WHERE id = 1")
    keyed.merge("b")
    assert keyed.rows("d.k WHERE id < 3", columns="id, text, n, w") == [(1, "T", 1, "W"), (2, "b", 2, None)]


def test_a_key_that_moved_frees_the_one_it_left(keyed: Lake) -> None:
    keyed.sql("UPDATE d.k SET id = 7 WHERE id = 1", "b")
    keyed.sql("INSERT INTO d.k VALUES (1, 'again', 0)", "b")
    keyed.sql("UPDATE d.k SET v = 'M' WHERE id = 2")
    keyed.merge("b")
    assert keyed.rows("d.k WHERE id = 1 OR id = 2 OR id = 7") == [(1, "again", 0), (2, "M", 2), (7, "a", 1)]
    assert keyed.breaches() == []


def test_a_transaction_is_merged_by_key_too(keyed: Lake) -> None:
    begun = keyed.sql("BEGIN").extra["transaction"]
    keyed.sql("UPDATE d.k SET v = 'T' WHERE id = 1", transaction=begun)
    keyed.sql("UPDATE d.k SET n = 100 WHERE id = 1")
    keyed.sql("COMMIT", transaction=begun)
    assert keyed.rows("d.k WHERE id = 1") == [(1, "T", 100)]


@pytest.mark.parametrize(
    ("change", "again"),
    [
        ("UPDATE d.k SET n = 7 WHERE id = 1", "UPDATE d.k SET n = 8 WHERE id = 1"),
        ("INSERT INTO d.k VALUES (5, 'e', 5)", "UPDATE d.k SET n = 8 WHERE id = 5"),
        ("DELETE FROM d.k WHERE id = 1", "INSERT INTO d.k VALUES (1, 'a', 8)"),
    ],
)
def test_equal_changes_count_once_after_merging_back(keyed: Lake, change: str, again: str) -> None:
    """Each shows a file of its own with the same row."""
    for branch in ("main", "b"):
        keyed.sql(change, branch)
    keyed.merge("main", "b")
    keyed.merge("b")
    assert keyed.rows("d.k") == keyed.rows("d.k", "b")
    keyed.sql(again, "b")
    keyed.merge("b")
    keyed.merge("main", "b")
    assert keyed.rows("d.k") == keyed.rows("d.k", "b")
    assert len({row[0] for row in keyed.rows("d.k")}) == len(keyed.rows("d.k"))


@pytest.fixture
def alike(lake: Lake) -> Lake:
    """Table d.p, alike on main and b; but of row 2, which b updated to what it was, each has its own image in a file of
    its own, since the merge, which judged rows as main had changed another one, had nothing to bring.
    """
    lake.sql("CREATE TABLE d.p (id INT PRIMARY KEY, v INT, p INT) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.p VALUES (1, 0, 1), (2, 0, 1), (10, 0, 0)")
    lake.sql("INSERT INTO d.p VALUES (3, 0, 1)")
    lake.merge("main", "b")
    lake.sql("UPDATE d.p SET v = 0 WHERE id = 2", "b")
    lake.sql("UPDATE d.p SET v = 1 WHERE id = 10")
    lake.merge("b")
    lake.merge("main", "b")
    return lake


@pytest.mark.parametrize("change", ["OPTIMIZE d.p", "ALTER TABLE d.p PARTITION (p = 1) RENAME TO PARTITION (p = 2)"])
@pytest.mark.parametrize(("source", "destination"), [("main", "b"), ("b", "main")])
def test_rewritten_rows_are_not_doubled_on_the_target(alike: Lake, source: str, destination: str, change: str) -> None:
    assert alike.rows("d.p") == alike.rows("d.p", "b")
    alike.sql(change, source)
    rows = alike.rows("d.p", source)
    assert len(rows) == 4
    alike.merge(source, destination)
    assert alike.rows("d.p", destination) == rows
    assert alike.breaches() == []
