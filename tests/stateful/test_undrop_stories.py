"""Merges of tables that were dropped and came back. Each statement runs on the reference model too."""

from __future__ import annotations

import pytest

from tests.e2e.lake import Lake


@pytest.fixture
def lake(modelled: Lake) -> Lake:
    return modelled


@pytest.mark.parametrize(
    ("drop", "undrop"),
    [
        ("DROP TABLE f.u", "UNDROP TABLE f.u"),
        ("DROP DATABASE f CASCADE", "UNDROP DATABASE f"),
        ("DROP DATABASE f CASCADE", "RESTORE BRANCH b TO VERSION AS OF {}"),
    ],
)
def test_a_table_that_came_and_went_before_a_merge_brings_its_rows_when_it_is_back(
    lake: Lake, drop: str, undrop: str
) -> None:
    lake.sql("CREATE DATABASE f", "b")
    lake.sql("CREATE TABLE f.u (id INT)", "b")
    lake.sql("INSERT INTO f.u VALUES (1), (2)", "b")
    lake.sql("DELETE FROM f.u WHERE id = 2", "b")
    version = lake.head("b")
    lake.sql(drop, "b")
    lake.sql("CREATE DATABASE e", "b")
    lake.merge("b")
    lake.sql(undrop.format(version), "b")
    lake.merge("b")
    assert lake.rows("f.u") == [(1,)]


def test_a_table_of_a_dropped_database_that_the_other_side_never_had_comes_back_with_it(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.u (id INT)", "b")
    lake.sql("INSERT INTO d.u VALUES (1)", "b")
    lake.sql("DROP DATABASE d CASCADE", "b")
    lake.merge("b")
    lake.sql("UNDROP DATABASE d", "b")
    lake.merge("b")
    assert (lake.rows("d.t"), lake.rows("d.u")) == ([(1, "a")], [(1,)])


def test_a_drop_is_forgotten_when_the_other_side_brought_the_table_back_to_both(lake: Lake) -> None:
    lake.sql("DROP TABLE d.t")
    lake.sql("DROP TABLE d.t", "b")
    lake.merge("main", "b")
    lake.sql("UNDROP TABLE d.t")
    lake.merge("main", "b")
    lake.sql("INSERT INTO d.t VALUES (2, 'b')", "b")
    lake.merge("b")
    assert lake.rows("d.t") == [(1, "a"), (2, "b")]


def test_a_drop_counts_that_follows_an_undrop_and_a_drop_and_the_other_side_s_undrop(lake: Lake) -> None:
    lake.sql("DROP TABLE d.t")
    lake.merge("main", "b")
    lake.sql("UNDROP TABLE d.t", "b")
    lake.sql("DROP TABLE d.t", "b")
    lake.sql("UNDROP TABLE d.t")
    lake.merge("main", "b")
    lake.sql("DROP TABLE d.t", "b")
    lake.merge("b")
    assert lake.sql("SHOW TABLES").rows == []


@pytest.fixture
def dropped_by_both(lake: Lake, drop: str) -> Lake:
    """The drop happened on both branches before they met."""
    lake.sql(drop)
    lake.sql(drop, "b")
    lake.merge("main", "b")
    return lake


UNDROPS = [("DROP TABLE d.t", "UNDROP TABLE d.t"), ("DROP DATABASE d CASCADE", "UNDROP DATABASE d")]


@pytest.mark.parametrize(("drop", "undrop"), UNDROPS)
@pytest.mark.parametrize(
    "change",
    [
        *("DELETE FROM d.t WHERE id = 1", "UPDATE d.t SET v = 'z'", "INSERT INTO d.t VALUES (2, 'b')"),
        *("ALTER TABLE d.t ADD COLUMN w INT", "ALTER DATABASE d SET DBPROPERTIES ('a' = '1')"),
    ],
)
def test_a_table_that_both_sides_dropped_comes_back_with_what_was_done_to_it_since(
    dropped_by_both: Lake, undrop: str, change: str
) -> None:
    lake = dropped_by_both
    lake.sql(undrop)
    lake.sql(change)
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == lake.rows("d.t")
    assert lake.sql("DESCRIBE DATABASE EXTENDED d", "b").rows == lake.sql("DESCRIBE DATABASE EXTENDED d").rows


@pytest.mark.parametrize(("drop", "undrop"), UNDROPS)
def test_a_table_that_both_sides_dropped_comes_back_under_no_name_that_is_taken(
    dropped_by_both: Lake, drop: str, undrop: str
) -> None:
    lake = dropped_by_both
    lake.sql(undrop)
    lake.sql("CREATE TABLE d.t (id INT)" if "TABLE" in drop else "CREATE DATABASE d", "b")
    assert lake.codes("main", "b") == {"NAME_EXISTS"}


def test_a_table_that_both_sides_dropped_does_not_come_back_into_a_database_that_is_gone(lake: Lake) -> None:
    lake.sql("DROP TABLE d.t")
    lake.sql("DROP DATABASE d CASCADE", "b")
    lake.merge("main", "b")
    lake.sql("UNDROP TABLE d.t")
    assert lake.codes("main", "b") == {"OBJECT_DROPPED_ON_DEST"}


@pytest.mark.parametrize("destination", ["main", "c"])
def test_an_overwrite_of_a_table_that_was_brought_back_counts_wherever_it_is_known(
    lake: Lake, destination: str
) -> None:
    lake.sql("CREATE BRANCH c")
    lake.sql("DROP TABLE d.t", "c")
    lake.sql("INSERT OVERWRITE d.t VALUES (2, 'b')")
    lake.merge("c")
    lake.sql("UNDROP TABLE d.t")
    lake.sql("INSERT OVERWRITE d.t VALUES (3, 'c')")
    lake.merge("main", "c")
    lake.sql("UPDATE d.t SET v = 'z'", "b")
    result = lake.merge("b", destination)
    assert lake.rows("d.t", destination) == [(3, "c")]
    assert [note["code"] for note in result["notes"]] == ["DISCARDED_UPDATE"]


_UNDROPS_ON_B = [("DROP TABLE d.u", "UNDROP TABLE d.u"), ("DROP DATABASE d CASCADE", "UNDROP DATABASE d")]


@pytest.fixture
def shared(lake: Lake, maker: str) -> Lake:
    """Branches b and c hold d.u; main does too where it made it, and else never saw it."""
    lake.sql("CREATE TABLE d.u (id INT)", maker)
    lake.sql("INSERT INTO d.u VALUES (1)", maker)
    if maker == "main":
        lake.merge("main", "b")
    lake.sql("CREATE BRANCH c", "b")
    return lake


@pytest.mark.pairwise
@pytest.mark.parametrize("maker", ["main", "b"])
@pytest.mark.parametrize(("drop", "undrop"), _UNDROPS_ON_B)
@pytest.mark.parametrize(
    "change", ["SELECT * FROM d.u", "INSERT INTO d.u VALUES (2)", "ALTER TABLE d.u ADD COLUMN w INT"]
)
@pytest.mark.parametrize("rounds", [1, 2])
def test_a_branch_that_merged_a_drop_gets_the_table_back_from_one_to_which_that_was_nothing(
    shared: Lake, drop: str, undrop: str, change: str, rounds: int
) -> None:
    """Else the table would stay lost there, and what was done to it since could not be merged."""
    lake = shared
    for _ in range(rounds):
        lake.sql(drop, "b")
        lake.merge("b", "c")
        lake.sql(undrop, "b")
    lake.sql(change, "b")
    lake.merge("b")
    lake.merge("main", "c")
    assert lake.rows("d.u", "c") == lake.rows("d.u", "b") == lake.rows("d.u")
    lake.sql("INSERT INTO d.u (id) VALUES (3)", "c")
    for source, destination in (("c", "b"), ("b", "main"), ("main", "c")):
        lake.merge(source, destination)
    assert lake.rows("d.u", "c") == lake.rows("d.u", "b") == lake.rows("d.u")
    assert (3,) in lake.rows("d.u", columns="id")


@pytest.mark.parametrize("maker", ["main", "b"])
@pytest.mark.parametrize(("drop", "undrop"), _UNDROPS_ON_B)
def test_a_drop_stands_against_another_branch_s_drop_and_undrop_that_come_by_a_third(
    shared: Lake, drop: str, undrop: str
) -> None:
    lake = shared
    for text in (drop, undrop):
        lake.sql(text, "b")
    lake.merge("b")
    lake.sql(drop, "c")
    lake.merge("main", "c")
    assert "u" not in {row[1] for row in lake.sql("SHOW TABLES", "c").rows}
    lake.merge("c")
    assert "u" not in {row[1] for row in lake.sql("SHOW TABLES").rows}


@pytest.mark.pairwise
@pytest.mark.parametrize(
    "absorbed",
    [
        *("UPDATE d.t SET v = 'b' WHERE id = 2", "DELETE FROM d.t WHERE id = 2", "INSERT INTO d.t VALUES (4, 'b')"),
        *("INSERT OVERWRITE d.t VALUES (4, 'b')", "ALTER TABLE d.t ADD COLUMN w INT"),
    ],
)
@pytest.mark.parametrize("compact", ["SELECT * FROM d.t", "OPTIMIZE d.t"])
@pytest.mark.parametrize(("drop", "undrop"), UNDROPS)
@pytest.mark.parametrize(("source", "destination"), [("b", "main"), ("main", "b")])
def test_what_a_merged_drop_absorbed_comes_with_the_undrop(
    three_rows: Lake, source: str, destination: str, drop: str, undrop: str, compact: str, absorbed: str
) -> None:
    """Else deleted rows are back on one branch, inserted ones lost, and updated ones live twice after a merge."""
    lake = three_rows
    for text in (absorbed, compact, drop):
        lake.sql(text, source)
    lake.merge(source, destination)
    lake.sql(undrop, source)
    rows = lake.rows("d.t", source)
    lake.merge(source, destination)
    assert lake.rows("d.t", destination) == rows
    lake.sql("UPDATE d.t SET v = 'c' WHERE id > 1", destination)
    lake.merge(destination, source)
    lake.sql("DELETE FROM d.t WHERE id = 3", source)
    lake.merge(source, destination)
    assert lake.rows("d.t", destination) == lake.rows("d.t", source)


def test_a_row_that_was_updated_before_a_drop_and_deleted_after_the_undrop_does_not_come_back_by_a_third_branch(
    three_rows: Lake,
) -> None:
    lake = three_rows
    for text in ("UPDATE d.t SET v = 'b' WHERE id = 2", "OPTIMIZE d.t", "DROP TABLE d.t"):
        lake.sql(text, "b")
    lake.sql("CREATE BRANCH w", "b")
    lake.merge("w")
    for text in ("UNDROP TABLE d.t", "DELETE FROM d.t WHERE v = 'b'", "OPTIMIZE d.t"):
        lake.sql(text, "b")
    lake.merge("main", "b")
    lake.merge("b", "w")
    lake.merge("w")
    assert lake.rows("d.t") == lake.rows("d.t", "b") == lake.rows("d.t", "w") == [(1, "a"), (3, "a")]


@pytest.mark.parametrize("compact", ["SELECT * FROM d.t", "OPTIMIZE d.t"])
def test_a_row_updated_before_a_drop_that_both_sides_took_back_does_not_live_on_as_it_was(
    three_rows: Lake, compact: str
) -> None:
    """What masks it on the one branch masks nothing on the other, which brought the table back without the update."""
    lake = three_rows
    for text in ("UPDATE d.t SET v = 'b' WHERE id = 2", compact, "DROP TABLE d.t"):
        lake.sql(text, "b")
    lake.merge("b")
    lake.sql("UNDROP TABLE d.t")
    for text in ("UNDROP TABLE d.t", "DELETE FROM d.t WHERE v = 'b'"):
        lake.sql(text, "b")
    lake.merge("b")
    assert lake.rows("d.t") == [(1, "a"), (3, "a")]


def test_a_restore_that_undoes_the_drop_and_what_it_absorbed_leaves_what_the_other_side_made_of_the_rows(
    lake: Lake,
) -> None:
    """Below a drop the source decides (R4): row 1, which b had overwritten, is there, and goes back as main restores
    it. Row 5 stays.
    """
    lake.merge("main", "b")
    version = lake.head()
    lake.sql("INSERT OVERWRITE d.t VALUES (5, 'b')", "b")
    lake.sql("UPDATE d.t SET v = 'm'")
    lake.sql("DROP TABLE d.t")
    lake.merge("main", "b")
    lake.sql(f"RESTORE BRANCH main TO VERSION AS OF {version}")
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == [(1, "a"), (5, "b")]


def test_what_a_merged_drop_absorbed_is_there_after_the_undrop_without_a_verdict(three_rows: Lake) -> None:
    """R4: rows below a drop are merged when the drop is, and nothing is judged there."""
    lake = three_rows
    lake.sql("INSERT INTO d.t VALUES (4, 'm')")
    lake.sql("UPDATE d.t SET v = 'b' WHERE id = 2", "b")
    lake.sql("DROP TABLE d.t", "b")
    lake.merge("b")
    lake.sql("UNDROP TABLE d.t", "b")
    lake.merge("b")
    assert lake.rows("d.t") == [(1, "a"), (2, "b"), (3, "a"), (4, "m")]
