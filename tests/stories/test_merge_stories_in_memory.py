"""Merges that random histories found wrong, told as stories."""

from __future__ import annotations

import pytest

from tests.support.lake import Lake


@pytest.mark.parametrize("drop", ["DROP TABLE d.t", "DROP DATABASE d CASCADE"])
def test_a_merged_drop_ends_changes_of_a_table(lake: Lake, drop: str) -> None:
    lake.sql("INSERT INTO d.t VALUES (2, 'm')")
    lake.sql(drop, "b")
    lake.merge("b")
    lake.sql("CREATE DATABASE e")
    lake.merge("main", "b")
    assert [row[0] for row in lake.sql("SHOW TABLES", "b").rows] == []
    assert lake.dry_run("b")["conflicts"] == []


def test_a_merged_drop_ends_changes_of_a_column(lake: Lake) -> None:
    lake.sql("ALTER TABLE d.t ALTER COLUMN id TYPE BIGINT")
    lake.sql("ALTER TABLE d.t DROP COLUMN id", "b")
    lake.merge("b")
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == [("a",)]


def test_a_database_dropped_on_both_sides_merges_again_and_again(lake: Lake) -> None:
    lake.sql("DROP DATABASE d CASCADE", "b")
    lake.sql("DROP DATABASE d CASCADE")
    lake.merge("b")
    lake.merge("main", "b")
    assert lake.sql("SHOW DATABASES", "b").rows == lake.sql("SHOW DATABASES").rows == []


def test_rows_do_not_follow_a_merged_drop(lake: Lake) -> None:
    lake.sql("CREATE BRANCH old VERSION AS OF 1")
    lake.sql("CREATE BRANCH c")
    lake.sql("DROP TABLE d.t", "c")
    lake.merge("c", "old")
    lake.sql("INSERT INTO d.t VALUES (2, 'b')", "b")
    assert lake.codes("b", "old") == {"OBJECT_DROPPED_ON_DEST"}
    lake.sql("DROP TABLE d.t", "b")
    lake.merge("b", "old")
    assert lake.sql("SHOW TABLES", "old").rows == []


def test_an_overwrite_that_is_merged_back_spares_what_was_merged_after_it(lake: Lake) -> None:
    lake.sql("INSERT OVERWRITE d.t VALUES (2, 'm')")
    lake.sql("INSERT INTO d.t VALUES (3, 'b')", "b")
    lake.merge("b")
    lake.merge("main", "b")
    assert lake.rows("d.t") == lake.rows("d.t", "b") == [(2, "m"), (3, "b")]


def test_a_merged_overwrite_keeps_later_rows(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.p (id INT, k INT) PARTITIONED BY (k)")
    lake.sql("INSERT INTO d.p VALUES (1, 1)")
    lake.merge("main", "b")
    lake.sql("INSERT OVERWRITE d.p PARTITION (k = 1) VALUES (2)")
    lake.sql("INSERT INTO d.p VALUES (3, 1)", "b")
    lake.merge("b")
    lake.merge("main", "b")
    assert lake.rows("d.p") == lake.rows("d.p", "b") == [(2, 1), (3, 1)]


def test_an_overwrite_takes_unseen_merged_rows(lake: Lake) -> None:
    """§4: it is news to b, and main has never seen row 5."""
    lake.sql("INSERT OVERWRITE d.t VALUES (2, 'm')")
    lake.sql("INSERT OVERWRITE d.t VALUES (3, 'b'), (4, 'b')", "b")
    lake.merge("b")
    lake.sql("UPDATE d.t SET v = 'M' WHERE id = 3")
    lake.sql("INSERT OVERWRITE d.t VALUES (5, 'b')", "b")
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == []


@pytest.fixture
def overtaken(lake: Lake) -> Lake:
    """Main overwrote d.t, then merged from b the row 2 that b wrote."""
    lake.sql("INSERT INTO d.t VALUES (2, 'r')", "b")
    lake.sql("INSERT OVERWRITE d.t VALUES (9, 'm')")
    lake.merge("b")
    return lake


def test_rows_merged_after_overwrites_keep_updates(overtaken: Lake) -> None:
    overtaken.sql("UPDATE d.t SET v = 's' WHERE id = 2", "b")
    overtaken.merge("main", "b")
    assert overtaken.rows("d.t", "b") == [(2, "s"), (9, "m")]


def test_an_updated_row_does_not_bring_overwritten_rows_of_its_file_back(overtaken: Lake) -> None:
    overtaken.sql("UPDATE d.t SET v = 's'", "b")
    overtaken.merge("main", "b")
    assert overtaken.rows("d.t", "b") == [(2, "s"), (9, "m")]


def test_a_compaction_after_an_overwrite_spares_what_the_other_branch_updated(overtaken: Lake) -> None:
    overtaken.sql("OPTIMIZE d.t")
    overtaken.sql("UPDATE d.t SET v = 's' WHERE id = 2", "b")
    overtaken.merge("main", "b")
    assert overtaken.rows("d.t", "b") == [(2, "s"), (9, "m")]


def test_a_delete_after_an_overwrite_follows_its_row_into_a_compacted_file(overtaken: Lake) -> None:
    overtaken.sql("DELETE FROM d.t WHERE id = 2")
    overtaken.sql("OPTIMIZE d.t", "b")
    overtaken.merge("main", "b")
    assert overtaken.rows("d.t", "b") == overtaken.rows("d.t") == [(9, "m")]


def test_an_overwrite_takes_updates_of_deleted_rows(overtaken: Lake) -> None:
    """§4: main shows the row no more, so the row did not outlive the overwrite there."""
    overtaken.sql("DELETE FROM d.t WHERE id = 2")
    overtaken.sql("UPDATE d.t SET v = 's' WHERE id = 2", "b")
    overtaken.merge("main", "b")
    assert overtaken.rows("d.t", "b") == [(9, "m")]


def test_filtered_rows_stay_on_their_branch(lake: Lake) -> None:
    lake.sql("INSERT INTO d.t VALUES (2, 'r')", "b")
    lake.sql("UPDATE d.t SET v = 's'", "b")
    lake.sql("INSERT OVERWRITE d.t VALUES (9, 'm')")
    lake.merge("b")
    assert lake.rows("d.t") == [(2, "s"), (9, "m")]
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == [(2, "s"), (9, "m")]


def test_filtered_rows_may_be_updated_further(lake: Lake) -> None:
    lake.sql("INSERT INTO d.t VALUES (2, 'r')", "b")
    lake.sql("UPDATE d.t SET v = 's'", "b")
    lake.sql("INSERT OVERWRITE d.t VALUES (9, 'm')")
    lake.merge("b")
    lake.sql("UPDATE d.t SET v = 'u'", "b")
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == [(2, "u"), (9, "m")]


def test_updated_rows_of_a_filtered_file_come_without_those_that_were_overwritten(lake: Lake) -> None:
    lake.sql("INSERT INTO d.t VALUES (2, 'r')", "b")
    lake.sql("UPDATE d.t SET v = 's'", "b")
    lake.sql("INSERT OVERWRITE d.t VALUES (9, 'm')")
    lake.merge("b")
    lake.sql("UPDATE d.t SET v = 'u'", "b")
    lake.merge("b")
    assert lake.rows("d.t") == [(2, "u"), (9, "m")]


def test_a_row_moved_into_an_overwritten_partition_stays_there(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.p (id INT, k INT) PARTITIONED BY (k)")
    lake.merge("main", "b")
    lake.sql("INSERT OVERWRITE d.p PARTITION (k = 2) VALUES (9)")
    lake.sql("INSERT INTO d.p VALUES (1, 1), (2, 1)", "b")
    lake.merge("b")
    lake.sql("UPDATE d.p SET k = 2 WHERE id = 1", "b")
    lake.merge("main", "b")
    assert lake.rows("d.p", "b") == [(1, 2), (2, 1), (9, 2)]


def test_updates_kept_by_overwrites_reach_others(overtaken: Lake) -> None:
    overtaken.sql("UPDATE d.t SET v = 's'", "b")
    overtaken.merge("main", "b")
    overtaken.merge("b")
    assert overtaken.rows("d.t") == overtaken.rows("d.t", "b") == [(2, "s"), (9, "m")]


def test_deletes_kept_by_overwrites_reach_others(overtaken: Lake) -> None:
    overtaken.sql("DELETE FROM d.t WHERE id = 2", "b")
    overtaken.merge("main", "b")
    overtaken.merge("b")
    assert overtaken.rows("d.t") == overtaken.rows("d.t", "b") == [(9, "m")]


def test_rows_kept_by_overwrites_reach_a_third_branch(overtaken: Lake) -> None:
    overtaken.sql("CREATE BRANCH c VERSION AS OF 3")
    assert overtaken.rows("d.t", "c") == [(1, "a")]
    overtaken.sql("UPDATE d.t SET v = 's'", "b")
    overtaken.merge("main", "b")
    overtaken.merge("b", "c")
    assert overtaken.rows("d.t", "c") == [(2, "s"), (9, "m")]


def test_a_third_branch_keeps_rows_of_overwrites(overtaken: Lake) -> None:
    overtaken.sql("CREATE BRANCH c VERSION AS OF 3")
    overtaken.merge("b", "c")
    overtaken.merge("main", "b")
    overtaken.sql("UPDATE d.t SET v = 's' WHERE id = 2", "c")
    overtaken.merge("b", "c")
    assert overtaken.rows("d.t", "c") == [(2, "s"), (9, "m")]


def test_a_rename_reaches_a_moved_table(lake: Lake) -> None:
    lake.sql("CREATE DATABASE e")
    lake.merge("main", "b")
    lake.sql("ALTER TABLE d.t RENAME TO d.u", "b")
    lake.sql("ALTER TABLE d.t RENAME TO e.t")
    lake.merge("main", "b")
    lake.merge("b")
    assert [row[:2] for row in lake.sql("SHOW TABLES", "b").rows] == [["e", "u"]]
    assert [row[:2] for row in lake.sql("SHOW TABLES").rows] == [["e", "u"]]


def test_an_update_of_rows_whose_update_was_discarded_is_discarded_too(lake: Lake) -> None:
    lake.sql("UPDATE d.t SET v = 'b'", "b")
    lake.sql("INSERT OVERWRITE d.t VALUES (9, 'm')")
    lake.merge("b")
    lake.sql("UPDATE d.t SET v = 'c'", "b")
    lake.merge("b")
    assert lake.rows("d.t") == [(9, "m")]


@pytest.fixture
def compacted(lake: Lake) -> Lake:
    """Table d.c with three rows in two files, which branch b compacts while main deletes row 2."""
    lake.sql("CREATE TABLE d.c (id INT, v STRING)")
    lake.sql("INSERT INTO d.c VALUES (1, 'a'), (2, 'a')")
    lake.sql("INSERT INTO d.c VALUES (3, 'a')")
    lake.merge("main", "b")
    lake.sql("OPTIMIZE d.c", "b")
    lake.sql("DELETE FROM d.c WHERE id = 2")
    return lake


def test_a_compacted_file_comes_back_with_the_deletes_that_it_pulled(compacted: Lake) -> None:
    compacted.merge("main", "b")
    compacted.merge("b")
    assert compacted.rows("d.c") == compacted.rows("d.c", "b") == [(1, "a"), (3, "a")]


def test_an_update_after_a_skipped_compaction_counts_with_the_files_from_before(compacted: Lake) -> None:
    compacted.merge("b")
    compacted.sql("UPDATE d.c SET v = 'b' WHERE id = 1", "b")
    assert compacted.codes("b") == {"SAME_FILE_UPDATE_DELETE"}
    assert compacted.rows("d.c") == [(1, "a"), (3, "a")]


def test_deletes_follow_rows_into_pulled_files(compacted: Lake) -> None:
    compacted.merge("b")
    compacted.merge("main", "b")
    assert compacted.rows("d.c") == compacted.rows("d.c", "b") == [(1, "a"), (3, "a")]


def test_a_delete_arrives_after_a_skipped_compaction(compacted: Lake) -> None:
    compacted.merge("b", "main")
    compacted.sql("CREATE BRANCH e")
    compacted.sql("DELETE FROM d.c WHERE id = 3", "e")
    compacted.sql("OPTIMIZE d.c")
    compacted.merge("main", "e")
    compacted.merge("e")
    assert compacted.rows("d.c") == compacted.rows("d.c", "e") == [(1, "a")]


@pytest.mark.parametrize(("compacting", "other"), [("main", "b"), ("b", "main")])
@pytest.mark.parametrize(
    ("change", "left"),
    [("UPDATE d.c SET v = 'n' WHERE id = 2", [(2, "n")]), ("DELETE FROM d.c WHERE id = 2", [])],
    ids=["update", "delete"],
)
@pytest.mark.parametrize("after", ["SELECT * FROM d.c", "OPTIMIZE d.c"], ids=["as written", "compacted"])
def test_changes_of_compacted_merged_rows_merge_back(
    lake: Lake, compacting: str, other: str, change: str, left: list[tuple[int, str]], after: str
) -> None:
    """Else the row would be there twice, or come back."""
    lake.sql("CREATE TABLE d.c (id INT, v STRING)")
    lake.sql("INSERT INTO d.c VALUES (1, 'a')")
    lake.sql("INSERT INTO d.c VALUES (2, 'a')")
    lake.merge("main", "b")
    lake.sql("OPTIMIZE d.c", compacting)
    lake.sql("UPDATE d.c SET v = 'm' WHERE id = 2", other)
    lake.merge(other, compacting)
    lake.sql(change, compacting)
    lake.sql(after, other)
    lake.merge(compacting, other)
    assert lake.rows("d.c", other) == lake.rows("d.c", compacting) == [(1, "a"), *left]


def test_a_compaction_merged_by_a_third_branch_takes_all_its_inputs_away(lake: Lake) -> None:
    lake.sql("CREATE BRANCH old VERSION AS OF 1")
    lake.sql("INSERT INTO d.t VALUES (2, 'b')", "b")
    lake.merge("b", "old")
    lake.sql("OPTIMIZE d.t", "b")
    lake.merge("b")
    lake.merge("main", "old")
    assert lake.rows("d.t", "old") == lake.rows("d.t") == [(1, "a"), (2, "b")]


@pytest.fixture
def pulled(lake: Lake) -> Lake:
    """Branch b pulled row 2 from main; branch old never had it."""
    lake.sql("CREATE BRANCH old")
    lake.sql("INSERT INTO d.t VALUES (2, 'm')")
    lake.merge("main", "b")
    return lake


@pytest.mark.parametrize(
    ("change", "left"),
    [
        ("DELETE FROM d.t WHERE id = 2", [(1, "a")]),
        ("UPDATE d.t SET v = 'b' WHERE id = 2", [(1, "a"), (2, "b")]),
        ("UPDATE d.t SET v = 'b'", [(1, "b"), (2, "b")]),
    ],
)
def test_a_change_of_rows_that_a_branch_between_never_had_arrives(
    pulled: Lake, change: str, left: list[tuple[int, str]]
) -> None:
    pulled.sql(change, "b")
    pulled.merge("b", "old")
    pulled.merge("old")
    assert pulled.rows("d.t") == pulled.rows("d.t", "old") == left


def test_a_delete_arrives_past_a_middle_branch(pulled: Lake) -> None:
    pulled.sql("INSERT INTO d.t VALUES (3, 'm'), (4, 'm')")
    pulled.merge("main", "b")
    pulled.sql("DELETE FROM d.t WHERE id = 3", "b")
    pulled.sql("DELETE FROM d.t WHERE id = 4", "b")
    pulled.merge("b", "old")
    pulled.merge("old")
    assert pulled.rows("d.t") == pulled.rows("d.t", "old") == [(1, "a"), (2, "m")]


def in_transaction(lake: Lake, *statements: str) -> None:
    opened = lake.sql("BEGIN").extra["transaction"]
    for statement in (*statements, "COMMIT"):
        lake.sql(statement, transaction=opened)


def test_a_transaction_that_compacts_what_it_updated_has_updated_the_base_file(lake: Lake) -> None:
    lake.sql("INSERT INTO d.t VALUES (2, 'a'), (3, 'a')")
    lake.sql("CREATE BRANCH c")
    in_transaction(lake, "UPDATE d.t SET v = 'm' WHERE id = 2", "OPTIMIZE d.t")
    lake.sql("UPDATE d.t SET v = 'c' WHERE id = 3", "c")
    assert lake.codes("c") == {"SAME_FILE_UPDATE_UPDATE"}


def test_rows_that_a_transaction_updated_twice_are_base_rows_still(lake: Lake) -> None:
    lake.sql("INSERT INTO d.t VALUES (2, 'a'), (3, 'a')")
    lake.sql("CREATE BRANCH c")
    in_transaction(lake, "UPDATE d.t SET v = 'm' WHERE id = 2", "UPDATE d.t SET v = 'n' WHERE id = 2")
    lake.sql("INSERT OVERWRITE d.t VALUES (9, 'over')", "c")
    lake.merge("main", "c")
    assert lake.rows("d.t", "c") == [(9, "over")]


@pytest.mark.parametrize(
    ("change", "described"),
    [
        ("ALTER COLUMN n TYPE INT", ["n", "int"]),
        ("RENAME COLUMN n TO m", ["m", "smallint"]),
    ],
)
def test_a_column_change_arrives_past_a_middle_branch(lake: Lake, change: str, described: list[str]) -> None:
    lake.sql("CREATE BRANCH old")
    lake.sql("ALTER TABLE d.t ADD COLUMN n SMALLINT")
    lake.merge("main", "b")
    lake.sql(f"ALTER TABLE d.t {change}", "b")
    lake.merge("b", "old")
    lake.merge("old")
    columns = {branch: lake.sql("DESCRIBE TABLE d.t", branch).rows[2][:2] for branch in ("main", "old")}
    assert columns == {"main": described, "old": described}


@pytest.fixture
def compacting(lake: Lake) -> Lake:
    """Rows 1 and 2 in a file each; branch b compacts them, branch c has them as they are."""
    lake.sql("INSERT INTO d.t VALUES (2, 'a')")
    lake.merge("main", "b")
    lake.sql("CREATE BRANCH c")
    lake.sql("OPTIMIZE d.t", "b")
    return lake


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        (["DELETE FROM d.t"], "SAME_FILE_UPDATE_DELETE"),
        (["UPDATE d.t SET v = 'b'"], "SAME_FILE_UPDATE_UPDATE"),
        (["DELETE FROM d.t WHERE id = 1", "OPTIMIZE d.t"], "SAME_FILE_UPDATE_DELETE"),
        (["UPDATE d.t SET v = 'b' WHERE id = 1", "OPTIMIZE d.t"], "SAME_FILE_UPDATE_UPDATE"),
    ],
)
def test_changes_of_compacted_rows_reach_third_branches(compacting: Lake, changes: list[str], code: str) -> None:
    for change in changes:
        compacting.sql(change, "b")
    compacting.merge("b")
    compacting.sql("UPDATE d.t SET v = 'c' WHERE id = 1", "c")
    assert compacting.codes("c") == {code}


@pytest.mark.parametrize("change", ["DELETE FROM d.t WHERE id = 1", "OPTIMIZE d.t"])
def test_compacted_rows_that_were_updated_keep_their_images_for_a_third_branch(compacting: Lake, change: str) -> None:
    compacting.sql("UPDATE d.t SET v = 'b'", "b")
    compacting.merge("b")
    compacting.sql(change, "c")
    compacting.merge("c")
    assert compacting.rows("d.t") == [(1, "b"), (2, "b")]


@pytest.mark.parametrize("change", ["UPDATE d.t SET v = 'b'", "DELETE FROM d.t"])
def test_overwritten_rows_stay_gone_after_a_compaction(compacting: Lake, change: str) -> None:
    compacting.sql(change, "b")
    compacting.sql("UPDATE d.t SET v = 'x'", "b")
    compacting.merge("b")
    compacting.sql("INSERT OVERWRITE d.t VALUES (9, 'c')", "c")
    compacting.merge("main", "c")
    assert compacting.rows("d.t", "c") == [(9, "c")]


@pytest.mark.parametrize("thing", ["TABLE d.t", "DATABASE d"])
def test_an_unset_property_stays_unset(lake: Lake, thing: str) -> None:
    clause = "TBLPROPERTIES" if thing.startswith("TABLE") else "DBPROPERTIES"
    for branch in ("main", "b"):
        lake.sql(f"ALTER {thing} SET {clause} ('p' = '1')", branch)
    lake.merge("b")
    lake.sql(f"ALTER {thing} UNSET {clause} ('p')")
    lake.merge("main", "b")
    described = {row[0]: row[1] for row in lake.sql(f"DESCRIBE {thing.replace('TABLE', 'TABLE EXTENDED')}", "b").rows}
    assert described["Properties"] == "()"


def test_mains_later_table_name_merges_back(lake: Lake) -> None:
    for branch in ("main", "b"):
        lake.sql("ALTER TABLE d.t RENAME TO d.u", branch)
    lake.merge("b")
    lake.sql("ALTER TABLE d.u RENAME TO d.t")
    lake.merge("main", "b")
    assert [row[1] for row in lake.sql("SHOW TABLES", "b").rows] == ["t"]


def test_mains_later_column_name_merges_back(lake: Lake) -> None:
    for branch in ("main", "b"):
        lake.sql("ALTER TABLE d.t RENAME COLUMN v TO w", branch)
    lake.merge("b")
    lake.sql("ALTER TABLE d.t RENAME COLUMN w TO v")
    lake.merge("main", "b")
    assert [name for name, _ in lake.sql("SELECT * FROM d.t", "b").columns] == ["id", "v"]


def test_an_unchanged_table_gets_no_version(lake: Lake) -> None:
    for branch in ("main", "b"):
        lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('p' = '1')", branch)
    before = lake.sql("DESCRIBE HISTORY d.t").rows
    merge = lake.merge("b")
    assert merge["version"] == lake.head()
    assert lake.sql("DESCRIBE HISTORY d.t").rows == before


def test_reverting_leaves_unchanged_tables_alone(lake: Lake) -> None:
    for branch in ("main", "b"):
        lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('p' = '1')", branch)
    lake.sql("CREATE TABLE d.n (id INT)", "b")
    merge = lake.merge("b")
    lake.sql("INSERT INTO d.t VALUES (2, 'm')")
    lake.sql(f"RESTORE MERGE '{merge['merge_id']}'")
    assert lake.rows("d.t") == [(1, "a"), (2, "m")]
    assert [row[1] for row in lake.sql("SHOW TABLES").rows] == ["t"]


def test_rows_keep_initial_values_of_shared_columns(lake: Lake) -> None:
    lake.sql("ALTER TABLE d.t ADD COLUMN w STRING NOT NULL DEFAULT 'of b'", "b")
    lake.sql("ALTER TABLE d.t ADD COLUMN w STRING NOT NULL DEFAULT 'of main'")
    lake.sql("INSERT INTO d.t VALUES (2, 'm', 'written')")
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == [(1, "a", "of b"), (2, "m", "written")]


def test_rows_without_values_take_the_sources_default(lake: Lake) -> None:
    lake.sql("ALTER TABLE d.t ADD COLUMN w STRING", "b")
    lake.sql("ALTER TABLE d.t ADD COLUMN w STRING NOT NULL DEFAULT 'of main'")
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == [(1, "a", "of main")]


@pytest.mark.parametrize(
    "written", ["INSERT INTO d.t VALUES (2, 'm', NULL)", "INSERT OVERWRITE d.t VALUES (2, 'm', NULL)"]
)
def test_nulls_are_refused_in_newly_required_columns(lake: Lake, written: str) -> None:
    lake.sql("ALTER TABLE d.t ADD COLUMN w STRING DEFAULT 'x'")
    lake.merge("main", "b")
    lake.sql("ALTER TABLE d.t ALTER COLUMN w SET NOT NULL", "b")
    lake.sql(written)
    assert lake.codes("b") == lake.codes("main", "b") == {"NOT_NULL_WITHOUT_VALUE"}


def test_nulls_are_refused_in_shared_required_columns(lake: Lake) -> None:
    lake.sql("ALTER TABLE d.t ADD COLUMN w STRING NOT NULL DEFAULT 'x'", "b")
    lake.sql("ALTER TABLE d.t ADD COLUMN w STRING")
    lake.sql("INSERT INTO d.t VALUES (2, 'm', NULL)")
    assert lake.codes("b") == {"NOT_NULL_WITHOUT_VALUE"}


def test_rows_overwritten_by_a_third_branch_stay_gone(lake: Lake) -> None:
    lake.sql("UPDATE d.t SET v = 'b'")
    lake.sql("DELETE FROM d.t", "b")
    lake.merge("b")
    assert lake.rows("d.t") == [(1, "b")]
    lake.sql("CREATE BRANCH c")
    lake.sql("INSERT OVERWRITE d.t VALUES (9, 'z')", "c")
    lake.merge("c", "b")
    lake.sql("UPDATE d.t SET v = 'c'")
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == [(9, "z")]


@pytest.mark.parametrize("what", ["DATABASE d {} DBPROPERTIES ({})", "TABLE d.t {} TBLPROPERTIES ({})"])
def test_an_unset_reaches_the_first_branch(lake: Lake, what: str) -> None:
    lake.sql("CREATE BRANCH c")
    lake.sql("ALTER " + what.format("SET", "'q' = '1'"), "b")
    lake.merge("b", "c")
    lake.sql("ALTER " + what.format("SET", "'q' = '2'"), "c")
    lake.merge("c")
    lake.sql("ALTER " + what.format("UNSET", "'q'"), "c")
    lake.merge("c")
    lake.merge("main", "b")
    kind, name = what.split()[:2]
    assert lake.sql(f"DESCRIBE {kind} EXTENDED {name}", "b").rows == lake.sql(f"DESCRIBE {kind} EXTENDED {name}").rows


def test_deleted_rows_stay_deleted_after_skipped_compaction(lake: Lake) -> None:
    lake.sql("INSERT INTO d.t VALUES (5, 'a'), (6, 'a')")
    lake.merge("main", "b")
    lake.sql("INSERT OVERWRITE d.t VALUES (8, 'y')", "b")
    lake.sql("INSERT INTO d.t VALUES (2, 'a'), (4, 'a')")
    lake.merge("main", "b")
    lake.sql("INSERT INTO d.t VALUES (3, 's')", "b")
    lake.sql("UPDATE d.t SET v = 'm' WHERE id = 2 OR id = 5")
    assert lake.codes("main", "b") == {"PREDICATE_DML_VS_INSERT"}
    lake.sql("OPTIMIZE d.t")
    lake.merge("b")
    assert lake.rows("d.t") == [(2, "m"), (3, "s"), (4, "a"), (8, "y")]
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == [(2, "m"), (3, "s"), (4, "a"), (8, "y")]


@pytest.mark.parametrize("last", ["UPDATE d.u SET v = 'B' WHERE id = 2", "DELETE FROM d.u WHERE id = 2"])
@pytest.mark.parametrize("is_compacted_before", [False, True])
def test_an_emptied_file_brings_no_earlier_rows(lake: Lake, last: str, is_compacted_before: bool) -> None:
    """The target has both in one file, where it compacted what it had updated (a random history of keys)."""
    lake.sql("CREATE TABLE d.u (id INT, v STRING)")
    lake.sql("INSERT INTO d.u VALUES (1, 'a'), (2, 'b')")
    lake.merge("main", "b")
    lake.sql("UPDATE d.u SET v = 'M' WHERE id = 1")
    lake.merge("main", "b")
    if is_compacted_before:
        lake.sql("OPTIMIZE d.u")
        lake.sql(last, "b")
    else:
        lake.sql(last, "b")
        lake.sql("OPTIMIZE d.u")
    lake.merge("b")
    assert lake.rows("d.u") == lake.rows("d.u", "b")
    assert (1, "M") in lake.rows("d.u")


def test_deletes_before_overwrites_spare_later_rows(lake: Lake) -> None:
    """R9: an overwrite absorbs the predicates that it knows, and main's did not know the delete of b."""
    lake.sql("INSERT OVERWRITE d.t VALUES (5, 'm')")
    lake.sql("INSERT INTO d.t VALUES (6, 'b')", "b")
    lake.merge("b")
    for text in ("INSERT OVERWRITE d.t VALUES (7, 'b')", "DELETE FROM d.t", "INSERT INTO d.t VALUES (8, 'b')"):
        lake.sql(text, "b")
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == [(5, "m")]
    lake.sql("INSERT INTO d.t VALUES (9, 'm')")
    assert lake.codes("b") == {"PREDICATE_DML_VS_INSERT"}
    assert lake.rows("d.t") == [(5, "m"), (6, "b"), (9, "m")]
