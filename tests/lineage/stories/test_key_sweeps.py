"""Sweeps of tables with a primary key, merged by lineage (§3, R10)."""

from __future__ import annotations

import pytest

from tests.e2e.lake import Lake
from tests.lineage.stories.shared import stories_of
from tests.stateful import test_key_sweeps as replays

globals().update(
    stories_of(
        replays,
        changed=("test_no_key_is_there_twice_that_a_new_name_kept_from_the_sweep_of_its_partition",),
    )
)


@pytest.mark.pairwise
@pytest.mark.parametrize("before", ["INSERT INTO d.k VALUES (7, 'm', 1)", "SELECT * FROM d.k"])
@pytest.mark.parametrize("after", ["OPTIMIZE d.k", "DELETE FROM d.k WHERE id = 1", "SELECT * FROM d.k"])
@pytest.mark.parametrize("key", [1, 2, 7, 8])
def test_an_overwritten_partition_loses_its_rows_also_where_the_target_renamed_it(
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


@pytest.mark.parametrize("later", OWN)
@pytest.mark.parametrize(
    "change", ["UPDATE d.k SET v = 'M' WHERE id = 1", "UPDATE d.k SET p = 2, v = 'M' WHERE id = 1"]
)
@pytest.mark.parametrize("scope", ["", " PARTITION (p = 1)"])
def test_what_the_source_did_after_its_overwrite_stands_where_the_scope_takes_the_key(
    keyed: Lake, later: str, change: str, scope: str
) -> None:
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
def test_an_overwrite_of_the_target_keeps_a_key_that_it_wrote_as_it_was(keyed: Lake, change: str) -> None:
    """A4, A5: the source changed a row that the overwrite took away."""
    keyed.sql(change, "b")
    keyed.sql("INSERT OVERWRITE d.k VALUES (1, 'a', 1)")
    (note,) = keyed.dry_run("b")["notes"]
    assert note["code"] == ("DISCARDED_UPDATE" if change.startswith("UPDATE") else "DISCARDED_DELETE")
    keyed.merge("b")
    assert keyed.rows("d.k") == [(1, "a", 1)]


def test_a_statement_that_overwrites_takes_keys_that_others_wrote_meanwhile(keyed: Lake) -> None:
    """A transaction that finds its branch moved is judged as a merge (R11)."""
    begun = keyed.sql("BEGIN").extra["transaction"]
    keyed.sql("INSERT OVERWRITE d.k VALUES (1, 'T', 1), (8, 'T', 2)", transaction=begun)
    keyed.sql("UPDATE d.k SET v = 'M' WHERE id = 1")
    keyed.sql("INSERT INTO d.k VALUES (8, 'T', 2), (9, 'M', 2)")
    keyed.sql("COMMIT", transaction=begun)
    assert keyed.rows("d.k") == [(1, "T", 1), (8, "T", 2)]
