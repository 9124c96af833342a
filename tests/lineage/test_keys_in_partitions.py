"""Tables whose primary key holds a partition column: a rename of a partition renames keys, and no row is lost or twice
(R10, R12, R14).
"""

from __future__ import annotations

import pytest

from catalog_app.models import DataFile
from lakeui.common.errors import DuplicateKey
from tests.support.lake import Lake
from tests.support.rows import row_ids

BEGUN = [(1, "a", "o", "o"), (1, "b", "o", "o"), (2, "a", "o", "o")]


@pytest.fixture
def keyed(services: None) -> Lake:
    """Table d.t with keys (1, a), (2, a) and (1, b), on main, on b and on third."""
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql("CREATE TABLE d.t (id INT, p STRING, v STRING, w STRING, PRIMARY KEY (id, p)) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a', 'o', 'o'), (2, 'a', 'o', 'o'), (1, 'b', 'o', 'o')")
    for branch in ("b", "third"):
        lake.sql(f"CREATE BRANCH {branch}")
    return lake


def rename(old: str, new: str) -> str:
    return f"ALTER TABLE d.t PARTITION (p = '{old}') RENAME TO PARTITION (p = '{new}')"


def put(number: int, part: str, v: str) -> str:
    return f"INSERT INTO d.t VALUES ({number}, '{part}', '{v}', '{v}')"


def put_over(number: int, part: str, v: str) -> str:
    return f"INSERT OVERWRITE d.t PARTITION (p = '{part}') VALUES ({number}, '{v}', '{v}')"


def change(column: str, value: str, number: int, part: str) -> str:
    return f"UPDATE d.t SET {column} = '{value}' WHERE id = {number} AND p = '{part}'"


def delete(number: int, part: str) -> str:
    return f"DELETE FROM d.t WHERE id = {number} AND p = '{part}'"


DROP_A = "ALTER TABLE d.t DROP PARTITION (p = 'a')"
MOVED = [(1, "b", "o", "o"), (1, "c", "o", "o"), (2, "c", "o", "o")]

MIRRORED: dict[str, tuple[list[str], list[str], list[tuple[int, str, str, str]] | set[str]]] = {
    "a rename alone": ([rename("a", "c")], [], MOVED),
    "one rename on both sides": ([rename("a", "c")], [rename("a", "c")], MOVED),
    "a rename and an update of a row in it": (
        [rename("a", "c")],
        [change("v", "M", 1, "a")],
        [(1, "b", "o", "o"), (1, "c", "M", "o"), (2, "c", "o", "o")],
    ),
    "a rename with an update, and an update of another cell": (
        [rename("a", "c"), change("w", "B", 1, "c")],
        [change("v", "M", 1, "a")],
        [(1, "b", "o", "o"), (1, "c", "M", "B"), (2, "c", "o", "o")],
    ),
    "a rename with an update, and an update of the same cell": (
        [rename("a", "c"), change("v", "B", 1, "c")],
        [change("v", "M", 1, "a")],
        {"PRIMARY_KEY_CLASH"},
    ),
    "a rename and a delete of a row in it": (
        [rename("a", "c")],
        [delete(1, "a")],
        [(1, "b", "o", "o"), (2, "c", "o", "o")],
    ),
    "a delete before a rename, and an update of the row": (
        [delete(1, "a"), rename("a", "c")],
        [change("v", "M", 1, "a")],
        {"PRIMARY_KEY_CLASH"},
    ),
    "a delete after a rename, and an update of the row": (
        [rename("a", "c"), delete(1, "c")],
        [change("v", "M", 1, "a")],
        {"PRIMARY_KEY_CLASH"},
    ),
    "all rows deleted after a rename, and compacted": (
        [rename("a", "c"), delete(1, "c"), "OPTIMIZE d.t"],
        [delete(1, "a"), delete(2, "a"), "OPTIMIZE d.t"],
        [(1, "b", "o", "o")],
    ),
    "renames there and back": (
        [rename("a", "c"), rename("c", "a")],
        [change("v", "M", 1, "a")],
        [
            (1, "a", "M", "o"),
            (1, "b", "o", "o"),
            (2, "a", "o", "o"),
        ],
    ),
    "partitions that change places": (
        [rename("a", "x"), rename("b", "a"), rename("x", "b")],
        [change("v", "M", 1, "a")],
        [(1, "a", "o", "o"), (1, "b", "M", "o"), (2, "b", "o", "o")],
    ),
    "a partition filled again after its rename": (
        [rename("a", "c"), put(1, "a", "B")],
        [change("v", "M", 1, "a")],
        [(1, "a", "B", "B"), (1, "b", "o", "o"), (1, "c", "M", "o"), (2, "c", "o", "o")],
    ),
    "a partition renamed and filled again twice": (
        [rename("a", "c"), put(1, "a", "B"), rename("a", "e"), put(1, "a", "C")],
        [change("v", "M", 2, "a")],
        [(1, "a", "C", "C"), (1, "b", "o", "o"), (1, "c", "o", "o"), (1, "e", "B", "B"), (2, "c", "M", "o")],
    ),
    "one key inserted alike": ([put(3, "a", "n")], [put(3, "a", "n")], sorted([*BEGUN, (3, "a", "n", "n")])),
    "one key inserted in two partitions": (
        [put(3, "a", "n")],
        [put(3, "b", "n")],
        sorted([*BEGUN, (3, "a", "n", "n"), (3, "b", "n", "n")]),
    ),
    "one key inserted differently": ([put(3, "a", "n")], [put(3, "a", "m")], {"PRIMARY_KEY_CLASH"}),
    "a row moved by an update, and another cell of it changed": (
        ["UPDATE d.t SET p = 'c' WHERE id = 1 AND p = 'a'"],
        [change("v", "M", 1, "a")],
        {"PRIMARY_KEY_CLASH"},
    ),
    "a row moved by an update": (
        ["UPDATE d.t SET p = 'c' WHERE id = 1 AND p = 'a'"],
        [change("v", "M", 2, "a")],
        [(1, "b", "o", "o"), (1, "c", "o", "o"), (2, "a", "M", "o")],
    ),
}
ONE_WAY: dict[str, tuple[list[str], list[str], list[tuple[int, str, str, str]] | set[str]]] = {
    "a rename takes a row along that it never saw": (
        [rename("a", "c")],
        [put(7, "a", "M")],
        sorted([*MOVED, (7, "c", "M", "M")]),
    ),
    "a rename takes a row along whose key its side inserted": (
        [rename("a", "c"), put(7, "c", "n")],
        [put(7, "a", "n")],
        {"PRIMARY_KEY_CLASH"},
    ),
    "a row keeps the place that the target gave it, where the source put its key": (
        [rename("a", "c"), put(1, "y", "B")],
        [rename("a", "y")],
        {"PRIMARY_KEY_CLASH"},
    ),
    "a rename takes a row along that the target put there": (
        [rename("a", "c"), put(1, "a", "B")],
        [rename("a", "z"), rename("b", "a")],
        [(1, "a", "B", "B"), (1, "c", "o", "o"), (1, "z", "o", "o"), (2, "z", "o", "o")],
    ),
    "two renames in a row": (
        [rename("b", "e"), rename("a", "b")],
        [put(7, "a", "M"), put(8, "b", "M")],
        [(1, "b", "o", "o"), (1, "e", "o", "o"), (2, "b", "o", "o"), (7, "b", "M", "M"), (8, "e", "M", "M")],
    ),
    "a rename onto a partition that the target filled": (
        [rename("a", "c")],
        [put(7, "c", "M")],
        {"PARTITION_EXISTS"},
    ),
    "a rename of a partition that the target dropped": ([rename("a", "c")], [DROP_A], {"PARTITION_DROPPED_ON_DEST"}),
    "a drop of a partition with rows that it never saw": ([DROP_A], [put(7, "a", "M")], [(1, "b", "o", "o")]),
    "a partition that the target renamed is overwritten": (
        [put_over(1, "a", "B")],
        [rename("a", "c")],
        [(1, "a", "B", "B"), (1, "b", "o", "o")],
    ),
    "an insert into a partition that the target renamed": (
        [put(7, "a", "B")],
        [rename("a", "c")],
        sorted([*MOVED, (7, "a", "B", "B")]),
    ),
}


def check(
    lake: Lake, story: tuple[list[str], list[str], list[tuple[int, str, str, str]] | set[str]], source: str
) -> None:
    """The target is main or b. Both show the same afterwards, and a third branch that merges both."""
    target = "main" if source == "b" else "b"
    of_source, of_target, expected = story
    for branch, statements in ((source, of_source), (target, of_target)):
        for statement in statements:
            lake.sql(statement, branch)
    if isinstance(expected, set):
        assert lake.codes(source, target) == expected
        return
    lake.merge(source, target)
    assert lake.rows("d.t", target) == expected
    lake.merge(target, source)
    assert lake.rows("d.t", source) == expected
    lake.merge(source, "third")
    lake.merge(target, "third")
    assert lake.rows("d.t", "third") == expected
    assert lake.breaches() == []


@pytest.mark.parametrize("source", ["b", "main"])
@pytest.mark.parametrize("name", MIRRORED)
def test_keys_of_partitions_are_merged_alike_both_ways(keyed: Lake, name: str, source: str) -> None:
    of_source, of_target, expected = MIRRORED[name]
    if source == "main":
        of_source, of_target, source = of_target, of_source, "b"
    check(keyed, (of_source, of_target, expected), source)


@pytest.mark.parametrize("name", ONE_WAY)
def test_keys_of_partitions_are_merged(keyed: Lake, name: str) -> None:
    check(keyed, ONE_WAY[name], "b")


def test_rename_writes_no_file_and_keeps_row_ids(keyed: Lake) -> None:
    keyed.sql(delete(1, "b"))
    files, ids = DataFile.objects.count(), sorted(row_ids(keyed).values())
    keyed.sql(rename("a", "c"))
    assert keyed.rows("d.t WHERE p = 'c'") == [(1, "c", "o", "o"), (2, "c", "o", "o")]
    assert (DataFile.objects.count(), sorted(row_ids(keyed).values())) == (files, ids)


def test_renaming_statement_takes_along_rows_that_came_meanwhile(keyed: Lake) -> None:
    """A transaction that finds its branch moved is judged as a merge (R11)."""
    begun = keyed.sql("BEGIN").extra["transaction"]
    keyed.sql(rename("a", "c"), transaction=begun)
    keyed.sql(change("w", "T", 1, "c"), transaction=begun)
    keyed.sql(put(7, "a", "M"))
    keyed.sql(change("v", "M", 1, "a"))
    keyed.sql("COMMIT", transaction=begun)
    assert keyed.rows("d.t") == [(1, "b", "o", "o"), (1, "c", "M", "T"), (2, "c", "o", "o"), (7, "c", "M", "M")]
    assert keyed.breaches() == []


def test_renamed_keys_are_taken_and_old_ones_free(keyed: Lake) -> None:
    keyed.sql(rename("a", "c"))
    with pytest.raises(DuplicateKey):
        keyed.sql(put(1, "c", "n"))
    keyed.sql(put(1, "a", "n"))
    assert keyed.rows("d.t WHERE id = 1") == [(1, "a", "n", "n"), (1, "b", "o", "o"), (1, "c", "o", "o")]


def test_a_rename_taken_back_is_nothing_to_anybody(keyed: Lake) -> None:
    before = keyed.head("b")
    keyed.sql(rename("a", "c"), "b")
    keyed.sql(f"RESTORE TABLE d.t TO VERSION AS OF {before}", "b")
    keyed.sql(put(7, "a", "M"))
    keyed.sql(change("v", "M", 1, "a"))
    keyed.merge("b")
    assert keyed.rows("d.t") == [(1, "a", "M", "o"), (1, "b", "o", "o"), (2, "a", "o", "o"), (7, "a", "M", "M")]
    assert keyed.breaches() == []


def test_table_keyed_by_partition_has_one_row_each(services: None) -> None:
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql("CREATE TABLE d.t (p STRING PRIMARY KEY, v STRING) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.t VALUES ('a', 'o'), ('b', 'o')")
    lake.sql("CREATE BRANCH b")
    lake.sql(rename("a", "c"), "b")
    lake.sql("UPDATE d.t SET v = 'M' WHERE p = 'a'")
    lake.sql("INSERT INTO d.t VALUES ('e', 'M')")
    lake.merge("b")
    assert lake.rows("d.t") == [("b", "o"), ("c", "M"), ("e", "M")]
    assert lake.breaches() == []


def test_counter_changes_add_up_where_partition_was_renamed(services: None) -> None:
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql(
        "CREATE TABLE d.t (id INT, p STRING, n INT, PRIMARY KEY (id, p)) PARTITIONED BY (p)"
        " TBLPROPERTIES ('merge.column.n' = 'sum')"
    )
    lake.sql("INSERT INTO d.t VALUES (1, 'a', 10)")
    lake.sql("CREATE BRANCH b")
    for statement in (rename("a", "c"), "UPDATE d.t SET n = n + 1"):
        lake.sql(statement, "b")
    lake.sql("UPDATE d.t SET n = n + 5")
    lake.merge("b")
    assert lake.rows("d.t") == [(1, "c", 16)]
    assert lake.breaches() == []
