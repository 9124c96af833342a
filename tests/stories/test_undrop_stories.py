"""Merges of tables that were dropped and came back. Each statement runs on the reference model too."""

from __future__ import annotations

import pytest

from tests.support.lake import Lake


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
def test_an_undropped_table_brings_its_rows(lake: Lake, drop: str, undrop: str) -> None:
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


def test_an_unknown_table_returns_with_its_database(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.u (id INT)", "b")
    lake.sql("INSERT INTO d.u VALUES (1)", "b")
    lake.sql("DROP DATABASE d CASCADE", "b")
    lake.merge("b")
    lake.sql("UNDROP DATABASE d", "b")
    lake.merge("b")
    assert (lake.rows("d.t"), lake.rows("d.u")) == ([(1, "a")], [(1,)])


def test_an_undrop_of_both_ends_the_drop(lake: Lake) -> None:
    lake.sql("DROP TABLE d.t")
    lake.sql("DROP TABLE d.t", "b")
    lake.merge("main", "b")
    lake.sql("UNDROP TABLE d.t")
    lake.merge("main", "b")
    lake.sql("INSERT INTO d.t VALUES (2, 'b')", "b")
    lake.merge("b")
    assert lake.rows("d.t") == [(1, "a"), (2, "b")]


def test_the_last_of_several_drops_counts(lake: Lake) -> None:
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
def test_a_table_dropped_twice_returns_with_changes(dropped_by_both: Lake, undrop: str, change: str) -> None:
    lake = dropped_by_both
    lake.sql(undrop)
    lake.sql(change)
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == lake.rows("d.t")
    assert lake.sql("DESCRIBE DATABASE EXTENDED d", "b").rows == lake.sql("DESCRIBE DATABASE EXTENDED d").rows


@pytest.mark.parametrize(("drop", "undrop"), UNDROPS)
def test_a_table_dropped_twice_needs_a_free_name(dropped_by_both: Lake, drop: str, undrop: str) -> None:
    lake = dropped_by_both
    lake.sql(undrop)
    lake.sql("CREATE TABLE d.t (id INT)" if "TABLE" in drop else "CREATE DATABASE d", "b")
    assert lake.codes("main", "b") == {"NAME_EXISTS"}


def test_a_table_dropped_twice_needs_its_database(lake: Lake) -> None:
    lake.sql("DROP TABLE d.t")
    lake.sql("DROP DATABASE d CASCADE", "b")
    lake.merge("main", "b")
    lake.sql("UNDROP TABLE d.t")
    assert lake.codes("main", "b") == {"OBJECT_DROPPED_ON_DEST"}


@pytest.mark.parametrize("destination", ["main", "c"])
def test_overwrites_of_undropped_tables_count_everywhere(lake: Lake, destination: str) -> None:
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
def test_an_undrop_reaches_branches_that_merged_the_drop(
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
def test_a_drop_stands_against_anothers_undrop(shared: Lake, drop: str, undrop: str) -> None:
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


def test_rows_deleted_after_an_undrop_stay_deleted(
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
def test_updates_before_a_shared_undrop_remain(three_rows: Lake, compact: str) -> None:
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


def test_a_restored_drop_keeps_the_others_rows(
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


def test_an_undrop_returns_changes_under_the_drop(three_rows: Lake) -> None:
    """R4: rows below a drop are merged when the drop is, and nothing is judged there."""
    lake = three_rows
    lake.sql("INSERT INTO d.t VALUES (4, 'm')")
    lake.sql("UPDATE d.t SET v = 'b' WHERE id = 2", "b")
    lake.sql("DROP TABLE d.t", "b")
    lake.merge("b")
    lake.sql("UNDROP TABLE d.t", "b")
    lake.merge("b")
    assert lake.rows("d.t") == [(1, "a"), (2, "b"), (3, "a"), (4, "m")]
