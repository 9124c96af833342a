"""Comparisons that once said something else than the merge did."""

from __future__ import annotations

import pytest

from catalog_app.domain.operations import ObjectKind
from lakeui.api.compare.decision_comparing import decisions_read
from lakeui.frontdoor import compute
from merge_app.comparison.compare_object import object_comparison_load
from merge_app.comparison.preview import FilesPreview
from tests.lineage.test_comparisons import compared, conflicts, rows_paged, table_of
from tests.support.lake import Lake
from tests.support.rows import run


@pytest.fixture
def keyed(services: None) -> Lake:
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql("CREATE TABLE d.t (id INT PRIMARY KEY, v STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'o'), (2, 'o'), (3, 'o')")
    lake.sql("CREATE BRANCH b")
    return lake


@pytest.fixture
def plain(services: None) -> Lake:
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'o'), (2, 'o'), (3, 'o')")
    return lake


def listed(lake: Lake, source: str, target: str) -> list[str]:
    pair = compared(lake, source, target)
    return [row["key"] for row in rows_paged(pair, table_of(pair), only_conflicts=True)]


def after(lake: Lake, source: str = "b", target: str = "main") -> FilesPreview:
    """The files that the merge leaves, as the comparison of the table shows them."""
    pair = compared(lake, source, target)
    key = ObjectKind.TABLE, table_of(pair)
    preview = object_comparison_load(pair.source, pair.destination, key, compute.engine).preview
    assert preview is not None
    return preview.after


def effect(lake: Lake, decision: str, source: str = "b", target: str = "main") -> str:
    pair = compared(lake, source, target)
    found = decisions_read(pair, (ObjectKind.TABLE, table_of(pair)))
    (reported,) = [item for item in found if (item["decision"], item["part"]) == (decision, "object")]
    text: str = reported["text"]
    return text


def test_a_key_truncated_and_inserted_is_listed(keyed: Lake) -> None:
    """R10: a key that is deleted and inserted again is an update."""
    run(keyed, "main", "UPDATE d.t SET v = 'm' WHERE id = 2")
    run(keyed, "b", "TRUNCATE TABLE d.t", "INSERT INTO d.t VALUES (2, 'b')")
    assert keyed.codes("main", "b") == {"PRIMARY_KEY_CLASH"}
    assert listed(keyed, "main", "b") == ['{"id":2}']


def test_a_restored_row_goes_where_deleted(keyed: Lake) -> None:
    """P7: the restore says nothing of the row, so the page does not show it as one that comes."""
    before = keyed.head("b")
    run(keyed, "b", "TRUNCATE TABLE d.t", "INSERT INTO d.t VALUES (3, 'b')", "INSERT INTO d.t VALUES (9, 'b')")
    run(keyed, "b", f"RESTORE TABLE d.t TO VERSION AS OF {before}", "UPDATE d.t SET v = 'b' WHERE id = 2")
    run(keyed, "main", "DELETE FROM d.t WHERE id = 1")
    pair = compared(keyed, "b", "main")
    found = rows_paged(pair, table_of(pair), only_conflicts=False)
    results = {row["key"]: row["result"] for row in found}
    keyed.merge("b")
    assert keyed.rows("d.t") == [(2, "b"), (3, "o")]
    assert results['{"id":2}'] == [2, "b"]
    assert results.get('{"id":1}') is None


@pytest.mark.parametrize("kind", ["plain", "keyed"])
def test_rows_that_both_restored_compare_with_deletion(kind: str, request: pytest.FixtureRequest) -> None:
    """P7: the deletion is the newest fact that both know, so each restore is a change, and the update is discarded."""
    lake: Lake = request.getfixturevalue(kind)
    before = lake.head()
    run(lake, "main", "DELETE FROM d.t WHERE id = 1")
    lake.sql("CREATE BRANCH c")
    for branch in ("c", "main"):
        run(lake, branch, f"RESTORE TABLE d.t TO VERSION AS OF {before}")
    run(lake, "c", "UPDATE d.t SET v = 'c' WHERE id = 1")
    pair = compared(lake, "c", "main")
    (row,) = rows_paged(pair, table_of(pair), only_conflicts=False)
    assert (row["base"], row["result"]) == (None, [1, "o"])
    lake.merge("c")
    assert lake.rows("d.t") == [(1, "o"), (2, "o"), (3, "o")]


def test_row_under_two_keys_is_one_conflicting_row(keyed: Lake) -> None:
    """R14: the row's key clashes, and the row would live under two keys."""
    run(keyed, "b", "UPDATE d.t SET id = 6 WHERE id = 2")
    run(keyed, "main", "UPDATE d.t SET v = 'm' WHERE id = 2")
    found = conflicts(compared(keyed, "b", "main"))
    keys = [key for item in found for key in item["details"]["keys"]]
    assert sorted(keys) == sorted(set(keys)) == listed(keyed, "b", "main")
    assert sum(item["details"]["rows"] for item in found) == len(keys)


def test_deletion_made_by_both_is_not_left_out(plain: Lake) -> None:
    """§3 step 4: the same value stays."""
    plain.sql("CREATE BRANCH b")
    run(plain, "b", "DELETE FROM d.t WHERE id = 3", "UPDATE d.t SET v = 'b' WHERE id = 1")
    run(plain, "main", "DELETE FROM d.t WHERE id = 3", "INSERT INTO d.t VALUES (9, 'm')")
    assert effect(plain, "source") == ('Keeps the table as b has it; leaves out 1 row inserted on main: id 9, v "m".')
    assert effect(plain, "destination") == (
        'Keeps the table as main has it; leaves out 1 row updated on b: id 1, v "b".'
    )


def test_rows_both_know_otherwise_are_not_left_out(plain: Lake) -> None:
    """§3 steps 2 and 3: both know row 5, although the merge base, a commit of w, does not."""
    plain.sql("CREATE BRANCH w")
    run(plain, "main", "INSERT INTO d.t VALUES (5, 'm')")
    plain.sql("CREATE BRANCH b")
    run(plain, "w", "INSERT INTO d.t VALUES (7, 'w')")
    for branch in ("main", "b"):
        plain.merge("w", branch)
    run(plain, "main", "INSERT INTO d.t VALUES (9, 'm')")
    run(plain, "b", "UPDATE d.t SET v = 'b' WHERE id = 1")
    assert effect(plain, "source") == ('Keeps the table as b has it; leaves out 1 row inserted on main: id 9, v "m".')
    assert effect(plain, "leave_out") == (
        'Skips the table: main stays as it is; leaves out 1 row updated on b: id 1, v "b".'
    )
    pair = compared(plain, "b", "main")
    assert len(rows_paged(pair, table_of(pair), only_conflicts=False)) == 2


def test_target_rows_moved_by_renamed_partition_are_counted(services: None) -> None:
    """R7: a rename of the source moves files that only the target has; the preview said that they go."""
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql("CREATE TABLE d.t (id INT, p STRING) PARTITIONED BY (p) TBLPROPERTIES ('merge.conflicts' = 'cell')")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b')")
    lake.sql("CREATE BRANCH b")
    lake.sql("ALTER TABLE d.t PARTITION (p = 'a') RENAME TO PARTITION (p = 'c')")
    run(lake, "b", "INSERT INTO d.t VALUES (3, 'a'), (4, 'a'), (5, 'a')", "DELETE FROM d.t WHERE id = 4")
    foreseen = after(lake, "main", "b")
    assert (foreseen.rows, foreseen.rows_are_exact) == (4, True)
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == [(1, "c"), (2, "b"), (3, "c"), (5, "c")]


def test_rows_named_by_two_files_are_inexact(keyed: Lake) -> None:
    """A transaction and a statement beside it updated row 1. The source has both delete files before the merge, the
    target has them afterwards.
    """
    transaction = str(keyed.sql("BEGIN", "b").extra["transaction"])
    keyed.sql("UPDATE d.t SET v = 'b' WHERE id IN (1, 2)", "b", transaction=transaction)
    keyed.sql("UPDATE d.t SET v = 'b' WHERE id = 1", "b")
    keyed.sql("COMMIT", "b", transaction=transaction)
    assert not after(keyed).rows_are_exact
    keyed.merge("b")
    keyed.sql("INSERT INTO d.t VALUES (4, 'b')", "b")
    assert not after(keyed).rows_are_exact
    assert keyed.rows("d.t") == [(1, "b"), (2, "b"), (3, "o")]
