"""Partitions that one side renamed while the other wrote to them or emptied them, merged there and back again."""

from __future__ import annotations

import pytest

from tests.support.lake import Lake
from tests.support.stored_databases import Begin

RENAME = "ALTER TABLE d.p PARTITION (k = 1) RENAME TO PARTITION (k = 7)"

written = pytest.mark.parametrize(
    "write",
    [
        "INSERT INTO d.p VALUES (8, 1)",
        "UPDATE d.p SET id = 9 WHERE id = 3",
        "UPDATE d.p SET id = 9 WHERE id = 1",
        "DELETE FROM d.p WHERE id = 1",
        "INSERT OVERWRITE d.p PARTITION (k = 1) VALUES (9)",
    ],
    ids=["insert", "update of a file", "update in a file", "delete", "overwrite"],
)
compacted = pytest.mark.parametrize("after", ["SELECT * FROM d.p", "OPTIMIZE d.p"], ids=["as written", "compacted"])
LATER = {
    "then nothing": "SELECT * FROM d.p",
    "then optimize": "OPTIMIZE d.p",
    "then delete": "DELETE FROM d.p WHERE id <> 2",
    "then delete others": "DELETE FROM d.p WHERE id = 2 OR id = 3",
    "then update": "UPDATE d.p SET id = id + 20 WHERE id <> 4",
    "then drop": "ALTER TABLE d.p DROP PARTITION (k = 7)",
}
changed = pytest.mark.parametrize("later", LATER.values(), ids=LATER)


@pytest.fixture
def parts(begin: Begin) -> Lake:
    """Table d.p on main, b and c: rows 1, 2 in one file of partition 1, 3 in another of it, row 4 in partition 2."""
    return begin(
        "CREATE TABLE d.p (id INT, k INT) PARTITIONED BY (k)",
        "INSERT INTO d.p VALUES (1, 1), (2, 1), (4, 2)",
        "INSERT INTO d.p VALUES (3, 1)",
        "MERGE BRANCH main TO b",
        "CREATE BRANCH c",
    )


def arrive(parts: Lake, *branches: str) -> None:
    """What b holds comes to these, each from the one before."""
    source, rows = "b", parts.rows("d.p", "b")
    for branch in branches:
        parts.merge(source, branch)
        assert parts.rows("d.p", branch) == rows
        source = branch


class TestRowsWrittenToAPartitionThatTheOtherSideRenamed:
    @pytest.mark.pairwise
    @pytest.mark.parametrize("routes", [[("main", "c")], [("c", "main"), ("main",)]], ids=["straight", "by way of c"])
    @compacted
    @changed
    @written
    def test_come_to_it_and_to_a_third_branch(
        self, parts: Lake, write: str, after: str, later: str, routes: list[tuple[str, ...]]
    ) -> None:
        parts.sql(write, "b")
        parts.sql(after, "b")
        parts.sql(RENAME)
        parts.merge("main", "b")
        parts.sql(later, "b")
        for route in routes:
            arrive(parts, *route)

    @pytest.mark.pairwise
    @pytest.mark.parametrize("route", [("main", "c"), ("c", "main")])
    @compacted
    @changed
    @written
    def test_rows_reach_third_branches_under_the_new_name(
        self, parts: Lake, write: str, after: str, later: str, route: tuple[str, ...]
    ) -> None:
        parts.sql(write, "b")
        parts.sql(after, "b")
        parts.merge("b", "c")
        parts.sql(RENAME)
        parts.merge("main", "b")
        parts.sql(later, "b")
        arrive(parts, *route)

    @compacted
    @written
    def test_come_to_it_under_yet_another_name(self, parts: Lake, write: str, after: str) -> None:
        parts.sql(write, "b")
        parts.sql(after, "b")
        parts.sql(RENAME)
        parts.merge("main", "b")
        parts.sql("ALTER TABLE d.p PARTITION (k = 7) RENAME TO PARTITION (k = 6)", "b")
        arrive(parts, "main", "c")

    @compacted
    @written
    def test_come_to_a_third_branch_that_wrote_there_too(self, parts: Lake, write: str, after: str) -> None:
        parts.sql("INSERT INTO d.p VALUES (5, 1)", "c")
        parts.sql(write, "b")
        parts.sql(after, "b")
        parts.sql(RENAME)
        parts.merge("main", "b")
        rows = parts.rows("d.p", "b")
        if write.startswith(("UPDATE", "DELETE")):
            assert parts.codes("b", "c") == {"PREDICATE_DML_VS_INSERT"}
            return
        parts.merge("b", "c")
        kept = [] if "OVERWRITE" in write else [(5, 7)]
        assert parts.rows("d.p", "c") == sorted([*rows, *kept])
        parts.merge("b")
        parts.merge("c")
        assert parts.rows("d.p") == parts.rows("d.p", "c")


@pytest.mark.pairwise
@pytest.mark.parametrize(
    "emptying",
    ["ALTER TABLE d.p DROP PARTITION (k = 1)", "INSERT OVERWRITE d.p PARTITION (k = 1) VALUES (9)"],
    ids=["drop", "overwrite"],
)
@pytest.mark.parametrize(
    ("before", "later"),
    [
        ("SELECT * FROM d.p", "SELECT * FROM d.p"),
        ("DELETE FROM d.p WHERE id = 1", "OPTIMIZE d.p"),
        ("OPTIMIZE d.p", "DELETE FROM d.p WHERE id = 1"),
        ("INSERT INTO d.p VALUES (8, 7)", "UPDATE d.p SET id = 5 WHERE id = 1"),
    ],
)
@pytest.mark.parametrize("branches", [("main", "c"), ("c", "main")])
def test_renamed_rows_come_to_an_emptied_partition(
    parts: Lake, emptying: str, before: str, later: str, branches: tuple[str, ...]
) -> None:
    parts.sql(RENAME, "b")
    parts.sql(before, "b")
    parts.sql(emptying)
    parts.merge("main", "b")
    parts.sql(later, "b")
    arrive(parts, *branches)
    arrive(parts, "main")


def test_compacted_new_rows_reach_a_third_branch(parts: Lake) -> None:
    parts.sql("INSERT INTO d.p VALUES (8, 5)", "b")
    parts.sql("INSERT INTO d.p VALUES (9, 5)", "b")
    parts.sql("OPTIMIZE d.p", "b")
    arrive(parts, "main", "c")


class TestAPartitionThatTwoBranchesRenamedOneAfterTheOther:
    """b named it first, main named it anew, and c takes both names over before b learns of the second from c."""

    AGAIN = "ALTER TABLE d.p PARTITION (k = 7) RENAME TO PARTITION (k = 6)"
    ON_MAIN = pytest.mark.parametrize(
        "on_main",
        ["SELECT * FROM d.p", "INSERT INTO d.p VALUES (8, 1)", "DELETE FROM d.p WHERE id = 1"],
        ids=["main did nothing", "main inserted", "main deleted"],
    )
    ON_C = pytest.mark.parametrize(
        "on_c",
        ["SELECT * FROM d.p", "INSERT INTO d.p VALUES (5, 1)", "UPDATE d.p SET id = 30 WHERE id = 3", "OPTIMIZE d.p"],
        ids=["c did nothing", "c inserted", "c updated", "c compacted"],
    )

    def rename(self, parts: Lake, on_main: str, on_c: str) -> None:
        parts.sql(RENAME, "b")
        parts.sql(on_main)
        parts.sql(on_c, "c")
        parts.merge("b", "main")
        parts.sql(self.AGAIN)

    @ON_MAIN
    @ON_C
    def test_has_its_last_name_everywhere(self, parts: Lake, on_main: str, on_c: str) -> None:
        self.rename(parts, on_main, on_c)
        if on_main.startswith("DELETE") and "VALUES (5, 1)" in on_c:
            assert parts.codes("main", "c") == {"PREDICATE_DML_VS_INSERT"}
            return
        parts.merge("main", "c")
        rows = parts.rows("d.p", "c")
        assert {row[1] for row in rows} == {2, 6}
        for source, destination in (("c", "b"), ("b", "main"), ("main", "c"), ("b", "c")):
            parts.merge(source, destination)
            assert parts.rows("d.p", destination) == rows

    @pytest.mark.pairwise
    @pytest.mark.parametrize("on_main", ["SELECT * FROM d.p", "INSERT INTO d.p VALUES (8, 1)"])
    @pytest.mark.parametrize("on_c", ["SELECT * FROM d.p", "INSERT INTO d.p VALUES (5, 1)", "OPTIMIZE d.p"])
    @pytest.mark.parametrize(
        ("on_b", "expected"),
        [
            ("INSERT INTO d.p VALUES (9, 7)", [(1, 6), (2, 6), (3, 6), (9, 6)]),
            ("DELETE FROM d.p WHERE id = 2", [(1, 6), (3, 6)]),
            ("UPDATE d.p SET id = 20 WHERE id = 2", [(1, 6), (20, 6), (3, 6)]),
            ("OPTIMIZE d.p", [(1, 6), (2, 6), (3, 6)]),
        ],
        ids=["insert", "delete", "update", "optimize"],
    )
    def test_takes_along_what_was_written_under_its_first_name(
        self, parts: Lake, on_main: str, on_c: str, on_b: str, expected: list[tuple[int, int]]
    ) -> None:
        self.rename(parts, on_main, on_c)
        parts.sql(on_b, "b")
        parts.merge("main", "c")
        added = [row for row in parts.rows("d.p", "c") if row[0] in (5, 8)]
        parts.merge("c", "b")
        rows = parts.rows("d.p", "b")
        assert rows == sorted([*expected, *added, (4, 2)], key=repr)
        for source, destination in (("b", "main"), ("b", "c"), ("main", "c"), ("c", "main")):
            parts.merge(source, destination)
            assert parts.rows("d.p", destination) == rows


def test_other_partitions_stay_despite_shared_compaction(parts: Lake) -> None:
    parts.sql("INSERT INTO d.p VALUES (5, 2)", "b")
    parts.sql("OPTIMIZE d.p", "b")
    parts.sql(RENAME)
    parts.merge("main", "b")
    arrive(parts, "main", "c")


@pytest.mark.pairwise
@compacted
@written
@pytest.mark.parametrize("is_by_c", [False, True], ids=["straight", "by way of c"])
def test_the_side_that_renamed_has_the_rows_where_it_gives_them_back(
    parts: Lake, write: str, after: str, is_by_c: bool
) -> None:
    parts.sql(write, "b")
    parts.sql(after, "b")
    source = "b"
    if is_by_c:
        parts.merge("b", "c")
        source = "c"
    parts.sql(RENAME)
    parts.merge(source)
    rows = parts.rows("d.p")
    if write.startswith("UPDATE"):
        assert {k for _, k in rows} == {2, 7}
    for branch in ("b", "c"):
        parts.merge("main", branch)
        assert parts.rows("d.p", branch) == rows


@pytest.mark.parametrize(
    ("change", "left"),
    [
        ("INSERT OVERWRITE d.p VALUES (7, 1)", [(7, 1)]),
        ("RESTORE TABLE d.p TO VERSION AS OF {before}", [(1, 7), (2, 7), (3, 7), (4, 2)]),
    ],
    ids=["overwritten", "restored"],
)
def test_a_rename_takes_unknown_rows_along(parts: Lake, change: str, left: list[tuple[int, int]]) -> None:
    """A rename is a scope (lineage §4, R12). The rows of an overwrite stay where it wrote them, since the side of the
    rename knows them. A restore is its changes (§1): it leaves the partition of other rows alone.
    """
    before = parts.head("b")
    parts.sql("INSERT INTO d.p VALUES (5, 1)")
    parts.merge("main", "b")
    parts.sql(change.format(before=before), "b")
    parts.merge("b", "c")
    parts.sql(RENAME)
    parts.merge("c", "main")
    assert parts.rows("d.p") == left
    parts.sql("INSERT INTO d.p VALUES (8, 1)", "b")
    for source, destination in (("main", "b"), ("b", "main"), ("main", "c")):
        parts.merge(source, destination)
        assert parts.rows("d.p", destination) == [*left, (8, 7)]
