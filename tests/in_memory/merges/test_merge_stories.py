"""Merges as people do them: again and again, pulled, sideways, criss-cross, between catalogs (semantics P1 to P7)."""

from __future__ import annotations

import pytest

from lakeui.common.errors import SameBranch
from tests.in_memory.conftest import Begun
from tests.support.lake import Lake


def grown_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a')")
    lake.sql("CREATE BRANCH b")


@pytest.fixture
def grown(begun: Begun) -> Lake:
    """Table d.t with one row, and branch b."""
    return begun(grown_fill)


def test_a_merge_is_one_commit_and_old_versions_read_the_same(grown: Lake) -> None:
    before = grown.head()
    for number in (2, 3):
        grown.sql(f"INSERT INTO d.t VALUES ({number}, 'b')", "b")
    result = grown.merge("b")
    assert [row[0] for row in grown.sql("SHOW HISTORY").rows if row[0] > before] == [result["version"]]
    assert grown.rows(f"d.t VERSION AS OF {before}") == [(1, "a")]
    assert grown.rows("d.t") == [(1, "a"), (2, "b"), (3, "b")]


def test_merging_again_does_nothing_until_there_is_something_new(grown: Lake) -> None:
    grown.sql("INSERT INTO d.t VALUES (2, 'b')", "b")
    grown.merge("b")
    head = grown.head()
    assert grown.merge("b")["outcome"] == "nothing to merge"
    assert grown.head() == head
    grown.sql("UPDATE d.t SET v = 'B' WHERE id = 2", "b")
    grown.merge("b")
    assert grown.rows("d.t") == [(1, "a"), (2, "B")]


def test_a_conflict_is_resolved_by_pulling_and_merging_back(grown: Lake) -> None:
    grown.sql("DELETE FROM d.t WHERE id = 1", "b")
    grown.sql("INSERT INTO d.t VALUES (2, 'm')")
    assert grown.codes("b") == {"PREDICATE_DML_VS_INSERT"}
    grown.merge("main", "b")
    assert grown.rows("d.t", "b") == [(2, "m")]
    grown.merge("b")
    assert grown.rows("d.t") == [(2, "m")]


def test_a_sideways_merge_arrives_once(grown: Lake) -> None:
    grown.sql("CREATE BRANCH c")
    grown.sql("INSERT INTO d.t VALUES (2, 'b')", "b")
    grown.merge("b", "c")
    grown.sql("INSERT INTO d.t VALUES (3, 'c')", "c")
    grown.merge("c")
    assert grown.rows("d.t") == [(1, "a"), (2, "b"), (3, "c")]
    grown.merge("b")
    assert grown.rows("d.t") == [(1, "a"), (2, "b"), (3, "c")]


def test_criss_cross_merges_apply_nothing_twice(grown: Lake) -> None:
    grown.sql("INSERT INTO d.t VALUES (2, 'b')", "b")
    grown.sql("INSERT INTO d.t VALUES (3, 'm')")
    grown.merge("b")
    grown.merge("main", "b")
    grown.sql("INSERT INTO d.t VALUES (4, 'b')", "b")
    grown.sql("INSERT INTO d.t VALUES (5, 'm')")
    grown.merge("main", "b")
    grown.merge("b")
    everything = [(1, "a"), (2, "b"), (3, "m"), (4, "b"), (5, "m")]
    assert grown.rows("d.t") == everything
    assert grown.rows("d.t", "b") == everything


def test_a_grandchild_merges_into_main(grown: Lake) -> None:
    grown.sql("INSERT INTO d.t VALUES (2, 'b')", "b")
    grown.sql("CREATE BRANCH c FROM b")
    grown.sql("INSERT INTO d.t VALUES (3, 'c')", "c")
    grown.merge("c")
    assert grown.rows("d.t") == [(1, "a"), (2, "b"), (3, "c")]
    assert grown.merge("b")["outcome"] == "nothing to merge"


def test_an_unrelated_catalog_brings_new_objects_under_their_ids(lake: Lake, services: None) -> None:
    other = Lake()
    other.sql("CREATE DATABASE e")
    other.sql("CREATE TABLE e.t (id INT)")
    other.sql("INSERT INTO e.t VALUES (1)")
    lake.sql(f"MERGE BRANCH {other.catalog}.main TO main")
    assert lake.rows("e.t") == [(1,)]
    assert lake.sql("SHOW TABLES IN e").rows == other.sql("SHOW TABLES IN e").rows
    other.sql("INSERT INTO e.t VALUES (2)")
    lake.sql(f"MERGE BRANCH {other.catalog}.main TO main")
    assert lake.rows("e.t") == [(1,), (2,)]


def test_an_unrelated_catalog_with_a_taken_name_is_refused(lake: Lake) -> None:
    other = Lake()
    other.sql("CREATE DATABASE d")
    assert lake.codes(f"{other.catalog}.main") == {"NAME_EXISTS"}


def test_names_can_be_swapped(lake: Lake) -> None:
    for name, value in (("x", 1), ("y", 2)):
        lake.sql(f"CREATE TABLE d.{name} (id INT)")
        lake.sql(f"INSERT INTO d.{name} VALUES ({value})")
    lake.sql("CREATE BRANCH b")
    for statement in ("x RENAME TO d.tmp", "y RENAME TO d.x", "tmp RENAME TO d.y"):
        lake.sql(f"ALTER TABLE d.{statement}", "b")
    lake.merge("b")
    assert (lake.rows("d.x"), lake.rows("d.y")) == ([(2,)], [(1,)])


def test_drop_and_create_of_one_name_merge(grown: Lake) -> None:
    grown.sql("DROP TABLE d.t", "b")
    grown.sql("CREATE TABLE d.t (other STRING)", "b")
    grown.merge("b")
    assert [row[0] for row in grown.sql("DESCRIBE TABLE d.t").rows] == ["other"]


def test_operations_that_leave_nothing_leave_nothing(grown: Lake) -> None:
    grown.sql("CREATE TABLE d.gone (id INT)", "b")
    grown.sql("DROP TABLE d.gone", "b")
    grown.sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')", "b")
    grown.sql("ALTER TABLE d.t UNSET TBLPROPERTIES ('k')", "b")
    grown.sql("ALTER TABLE d.t RENAME TO d.u", "b")
    grown.sql("ALTER TABLE d.u RENAME TO d.t", "b")
    grown.sql("DROP TABLE d.t")
    grown.sql("CREATE TABLE d.gone (id INT)")
    assert grown.dry_run("b")["conflicts"] == []
    grown.merge("b")
    assert [row[1] for row in grown.sql("SHOW TABLES IN d").rows] == ["gone"]


def test_a_table_that_the_source_left_alone_stays_dropped(grown: Lake) -> None:
    grown.sql("CREATE TABLE d.other (id INT)", "b")
    grown.sql("DROP TABLE d.t")
    grown.merge("b")
    assert [row[1] for row in grown.sql("SHOW TABLES IN d").rows] == ["other"]


def test_the_source_wins_on_names_and_says_so(grown: Lake) -> None:
    grown.sql("ALTER TABLE d.t RENAME TO d.theirs", "b")
    grown.sql("ALTER TABLE d.t RENAME TO d.ours")
    result = grown.merge("b")
    assert [row[1] for row in grown.sql("SHOW TABLES IN d").rows] == ["theirs"]
    assert "OVERRIDDEN_BY_SOURCE" in {note["code"] for note in result["notes"]}


def test_a_rename_overruled_by_a_pull_is_not_redone(grown: Lake) -> None:
    grown.sql("ALTER TABLE d.t RENAME TO d.theirs", "b")
    grown.sql("ALTER TABLE d.t RENAME TO d.ours")
    grown.merge("main", "b")
    grown.sql("INSERT INTO d.ours VALUES (2, 'b')", "b")
    grown.merge("b")
    assert [row[1] for row in grown.sql("SHOW TABLES IN d").rows] == ["ours"]


def test_every_conflict_is_reported_and_nothing_moves(grown: Lake) -> None:
    grown.sql("CREATE TABLE d.u (id INT)", "b")
    grown.sql("DELETE FROM d.t WHERE id = 1", "b")
    grown.sql("CREATE TABLE d.u (id INT)")
    grown.sql("INSERT INTO d.t VALUES (2, 'm')")
    heads = grown.head(), grown.head("b")
    assert grown.codes("b") == {"NAME_EXISTS", "PREDICATE_DML_VS_INSERT"}
    assert (grown.head(), grown.head("b")) == heads


def test_a_dry_run_is_the_merge_that_follows(grown: Lake) -> None:
    grown.sql("INSERT INTO d.t VALUES (2, 'b')", "b")
    head = grown.head()
    dry = grown.dry_run("b")
    assert dry["mergeable"]
    assert grown.head() == head
    assert grown.merge("b")["fingerprint"] == dry["fingerprint"]


def test_a_branch_does_not_merge_into_itself(grown: Lake) -> None:
    with pytest.raises(SameBranch):
        grown.merge("b", "b")
