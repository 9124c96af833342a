"""Tables with a primary key of which one side sweeps rows away: overwritten, truncated, restored, or a partition
emptied or renamed. Files decide then, as without a key (semantics §3), and no key may be there twice afterwards.
"""

from __future__ import annotations

import pytest

from tests.support.lake import Lake
from tests.support.stored_databases import Begin


@pytest.fixture
def keyed(begin: Begin) -> Lake:
    """Table d.k, on main and on branch b: keys 1 and 2 in one file of partition 1, key 3 in partition 2."""
    return begin(
        "CREATE TABLE d.k (id INT PRIMARY KEY, v STRING, p INT) PARTITIONED BY (p)",
        "INSERT INTO d.k VALUES (1, 'a', 1), (2, 'b', 1)",
        "INSERT INTO d.k VALUES (3, 'c', 2)",
        "MERGE BRANCH main TO b",
    )


SWEEPS = {
    "INSERT OVERWRITE d.k VALUES (9, 'm', 3)": [(9, "m", 3)],
    "TRUNCATE TABLE d.k": [],
    "INSERT OVERWRITE d.k VALUES (1, 'm', 1)": [(1, "m", 1)],
}


@pytest.mark.parametrize("sweep", SWEEPS)
def test_only_new_keys_outlive_the_targets_overwrite(keyed: Lake, sweep: str) -> None:
    keyed.sql("UPDATE d.k SET v = 'B' WHERE id = 1", "b")
    keyed.sql("DELETE FROM d.k WHERE id = 2", "b")
    keyed.sql("INSERT INTO d.k VALUES (7, 'new', 1)", "b")
    keyed.sql(sweep)
    keyed.merge("b")
    assert keyed.rows("d.k") == sorted([*SWEEPS[sweep], (7, "new", 1)], key=repr)
    keyed.merge("main", "b")
    assert keyed.rows("d.k", "b") == keyed.rows("d.k")


@pytest.mark.parametrize("sweep", SWEEPS)
def test_source_sweep_removes_all_that_target_has(keyed: Lake, sweep: str) -> None:
    keyed.sql(sweep, "b")
    keyed.sql("UPDATE d.k SET v = 'M' WHERE id = 1 OR id = 3")
    keyed.sql("INSERT INTO d.k VALUES (8, 'new', 2), (9, 'new', 2)")
    keyed.merge("b")
    assert keyed.rows("d.k") == SWEEPS[sweep]


def test_inserting_an_overwritten_key_conflicts(keyed: Lake) -> None:
    keyed.sql("INSERT INTO d.k VALUES (7, 'new', 2)", "b")
    keyed.sql("INSERT OVERWRITE d.k VALUES (7, 'all', 1)")
    before = keyed.rows("d.k")
    assert keyed.codes("b") == {"PRIMARY_KEY_CLASH"}
    assert keyed.rows("d.k") == before


def test_an_updated_mixed_file_counts_as_new(keyed: Lake) -> None:
    keyed.sql("INSERT INTO d.k VALUES (7, 'new', 1)", "b")
    keyed.sql("UPDATE d.k SET v = 'B' WHERE id = 1 OR id = 7", "b")
    keyed.sql("INSERT OVERWRITE d.k VALUES (1, 'all', 1)")
    keyed.merge("b")
    assert keyed.rows("d.k") == [(1, "all", 1), (7, "B", 1)]
    keyed.sql("UPDATE d.k SET v = 'B2' WHERE id = 7", "b")
    keyed.sql("INSERT OVERWRITE d.k VALUES (7, 'all', 1)")
    keyed.merge("b")
    assert [row[0] for row in keyed.rows("d.k")] == [7]


def test_restore_of_target_counts_as_a_sweep(keyed: Lake) -> None:
    then = keyed.head()
    keyed.sql("UPDATE d.k SET v = 'M' WHERE id = 1")
    keyed.merge("main", "b")
    keyed.sql("UPDATE d.k SET v = 'B' WHERE id = 1", "b")
    keyed.sql("INSERT INTO d.k VALUES (7, 'new', 1)", "b")
    keyed.sql(f"RESTORE TABLE d.k TO VERSION AS OF {then}")
    keyed.merge("b")
    assert keyed.rows("d.k") == [(1, "a", 1), (2, "b", 1), (3, "c", 2), (7, "new", 1)]


EMPTIED = {
    "ALTER TABLE d.k DROP PARTITION (p = 1)": [],
    "INSERT OVERWRITE d.k PARTITION (p = 1) VALUES (5, 'm')": [(5, "m", 1)],
}


@pytest.mark.parametrize("emptying", EMPTIED)
def test_changes_outside_of_partition_emptied_by_target_merge(keyed: Lake, emptying: str) -> None:
    keyed.sql("UPDATE d.k SET v = 'B' WHERE id = 3", "b")
    keyed.sql("INSERT INTO d.k VALUES (7, 'new', 1)", "b")
    keyed.sql("UPDATE d.k SET v = 'lost' WHERE id = 1", "b")
    keyed.sql(emptying)
    keyed.merge("b")
    assert keyed.rows("d.k") == sorted([*EMPTIED[emptying], (3, "B", 2), (7, "new", 1)], key=repr)


@pytest.mark.parametrize("emptying", EMPTIED)
def test_emptying_a_partition_wins_over_changes(keyed: Lake, emptying: str) -> None:
    keyed.sql(emptying, "b")
    keyed.sql("UPDATE d.k SET v = 'M' WHERE id = 3 OR id = 1")
    keyed.merge("b")
    assert keyed.rows("d.k") == sorted([*EMPTIED[emptying], (3, "M", 2)], key=repr)


def test_a_moved_key_survives_a_partition_overwrite_once(
    keyed: Lake,
) -> None:
    keyed.sql("UPDATE d.k SET p = 2 WHERE id = 1", "b")
    keyed.sql("INSERT OVERWRITE d.k PARTITION (p = 1) VALUES (1, 'again')")
    keys = outcome(keyed)
    assert len(keys) == len(set(keys))


def test_a_reinserted_key_is_not_doubled(
    keyed: Lake,
) -> None:
    keyed.sql("DELETE FROM d.k WHERE id = 1", "b")
    keyed.sql("INSERT INTO d.k VALUES (1, 'again', 1)", "b")
    keyed.sql("UPDATE d.k SET v = 'M' WHERE id = 1")
    keyed.sql("ALTER TABLE d.k DROP PARTITION (p = 2)")
    keys = outcome(keyed)
    assert len(keys) == len(set(keys))


ALIKE = {
    "INSERT INTO d.k VALUES (7, 'n', 1)": "UPDATE d.k SET v = 'N' WHERE id = 7",
    "UPDATE d.k SET v = 'M' WHERE id = 1": "UPDATE d.k SET v = 'N' WHERE id = 1",
    "DELETE FROM d.k WHERE id = 1": "INSERT INTO d.k VALUES (1, 'N', 1)",
}


@pytest.mark.pairwise
@pytest.mark.parametrize("is_returned", [True, False])
@pytest.mark.parametrize("change", ALIKE)
@pytest.mark.parametrize("sweep", ["INSERT OVERWRITE d.k PARTITION (p = 2) VALUES (3, 'x')", "TRUNCATE TABLE d.k"])
@pytest.mark.parametrize("sweeper", ["main", "b"])
def test_identical_changes_apply_once_after_a_sweep(
    keyed: Lake, change: str, sweep: str, sweeper: str, is_returned: bool
) -> None:
    """They have such rows in files and under ids of their own, so that only keys lead to them."""
    for branch in ("main", "b"):
        keyed.sql(change, branch)
    keyed.merge("main", "b")
    if is_returned:
        keyed.merge("b")
    keyed.sql(sweep, sweeper)
    keyed.sql(ALIKE[change], "b")
    keyed.merge("b")
    found = keyed.rows("d.k")
    assert [row[0] for row in found] == sorted({row[0] for row in found})
    if sweep.startswith("TRUNCATE"):
        is_new = ALIKE[change].startswith("INSERT")
        assert found == ([(1, "N", 1)] if is_new else [])
    else:
        assert found == keyed.rows("d.k", "b") or sweeper == "main"
        assert any(row[1] == "N" for row in found)
    keyed.merge("main", "b")
    assert keyed.rows("d.k", "b") == found


def test_cells_both_sides_changed_stay_together_after_sweep(keyed: Lake) -> None:
    keyed.sql("ALTER TABLE d.k ADD COLUMN n INT")
    keyed.merge("main", "b")
    keyed.sql("UPDATE d.k SET v = 'M' WHERE id = 1")
    keyed.sql("UPDATE d.k SET n = 5 WHERE id = 1", "b")
    keyed.merge("main", "b")
    keyed.sql("INSERT OVERWRITE d.k PARTITION (p = 2) VALUES (3, 'x', 1)", "b")
    keyed.merge("b")
    assert keyed.rows("d.k") == [(1, "M", 1, 5), (2, "b", 1, None), (3, "x", 2, 1)]


def test_changes_of_overwritten_keys_are_noted(keyed: Lake) -> None:
    for branch in ("main", "b"):
        keyed.sql("UPDATE d.k SET v = 'M' WHERE id = 1 OR id = 2", branch)
    keyed.merge("main", "b")
    keyed.sql("UPDATE d.k SET v = 'N' WHERE id = 1", "b")
    keyed.sql("DELETE FROM d.k WHERE id = 2", "b")
    keyed.sql("INSERT OVERWRITE d.k PARTITION (p = 1) VALUES (9, 'swept')")
    notes = {note["code"]: note["details"] for note in keyed.dry_run("b")["notes"]}
    assert notes == {"DISCARDED_UPDATE": {"rows": 1}, "DISCARDED_DELETE": {"rows": 1}}
    keyed.merge("b")
    assert keyed.rows("d.k") == [(3, "c", 2), (9, "swept", 1)]


@pytest.mark.pairwise
@pytest.mark.parametrize("before", ["INSERT INTO d.k VALUES (7, 'm', 1)", "SELECT * FROM d.k"])
@pytest.mark.parametrize("after", ["OPTIMIZE d.k", "DELETE FROM d.k WHERE id = 1", "SELECT * FROM d.k"])
@pytest.mark.parametrize("key", [1, 2, 7, 8])
def test_overwritten_partition_loses_rows_though_target_renamed_it(
    keyed: Lake, before: str, after: str, key: int
) -> None:
    """A rename changes no image: the source deleted the rows that it saw there (lineage §3 step 3). A row that it did
    not see left the scope with the rename, so its key clashes (R10).
    """
    keyed.sql(before)
    keyed.sql("ALTER TABLE d.k PARTITION (p = 1) RENAME TO PARTITION (p = 5)")
    keyed.sql(after)
    keyed.sql(f"INSERT OVERWRITE d.k PARTITION (p = 1) VALUES ({key}, 'b')", "b")
    left = [row for row in keyed.rows("d.k") if row[0] not in (1, 2)]
    if key in (row[0] for row in left):
        assert keyed.codes("b") == {"PRIMARY_KEY_CLASH"}
        return
    keyed.merge("b")
    assert keyed.rows("d.k") == sorted([*left, (key, "b", 1)], key=repr)
    keyed.merge("main", "b")
    assert keyed.rows("d.k", "b") == keyed.rows("d.k")


OWN = {
    "UPDATE d.k SET v = 'later' WHERE id = 1": [(1, "later", 1), (2, "b", 1)],
    "DELETE FROM d.k WHERE id = 1": [(2, "b", 1)],
    "SELECT * FROM d.k": [(1, "a", 1), (2, "b", 1)],
}


@pytest.mark.pairwise
@pytest.mark.parametrize("later", OWN)
@pytest.mark.parametrize(
    "change", ["UPDATE d.k SET v = 'M' WHERE id = 1", "UPDATE d.k SET p = 2, v = 'M' WHERE id = 1"]
)
@pytest.mark.parametrize("scope", ["", " PARTITION (p = 1)"])
def test_changes_after_the_sources_overwrite_stand(keyed: Lake, later: str, change: str, scope: str) -> None:
    """Also where the overwrite wrote the row as it was: that is a change (R10). A key that the target moved out of
    the scope clashes.
    """
    rows = "(1, 'a'), (2, 'b')" if scope else "(1, 'a', 1), (2, 'b', 1)"
    keyed.sql(f"INSERT OVERWRITE d.k{scope} VALUES {rows}", "b")
    keyed.sql(later, "b")
    keyed.sql(change)
    if scope and "p = 2" in change:
        assert keyed.codes("b") == {"PRIMARY_KEY_CLASH"}
        return
    keyed.merge("b")
    assert keyed.rows("d.k") == [*OWN[later], *([(3, "c", 2)] if scope else [])]
    keyed.merge("main", "b")
    assert keyed.rows("d.k", "b") == keyed.rows("d.k")


@pytest.mark.parametrize("change", ["UPDATE d.k SET v = 'B' WHERE id = 1", "DELETE FROM d.k WHERE id = 1"])
def test_the_targets_overwrite_keeps_equal_keys(keyed: Lake, change: str) -> None:
    """A4, A5: the source changed a row that the overwrite took away."""
    keyed.sql(change, "b")
    keyed.sql("INSERT OVERWRITE d.k VALUES (1, 'a', 1)")
    (note,) = keyed.dry_run("b")["notes"]
    assert note["code"] == ("DISCARDED_UPDATE" if change.startswith("UPDATE") else "DISCARDED_DELETE")
    keyed.merge("b")
    assert keyed.rows("d.k") == [(1, "a", 1)]


def test_overwriting_statement_replaces_keys_others_wrote_meanwhile(keyed: Lake) -> None:
    """A transaction that finds its branch moved is judged as a merge (R11)."""
    begun = keyed.sql("BEGIN").extra["transaction"]
    keyed.sql("INSERT OVERWRITE d.k VALUES (1, 'T', 1), (8, 'T', 2)", transaction=begun)
    keyed.sql("UPDATE d.k SET v = 'M' WHERE id = 1")
    keyed.sql("INSERT INTO d.k VALUES (8, 'T', 2), (9, 'M', 2)")
    keyed.sql("COMMIT", transaction=begun)
    assert keyed.rows("d.k") == [(1, "T", 1), (8, "T", 2)]


def outcome(keyed: Lake) -> list[int]:
    """The keys that are there after a merge that may be refused."""
    found = keyed.dry_run("b")
    if not found["conflicts"]:
        keyed.merge("b")
    return [row[0] for row in keyed.rows("d.k")]
