"""Merges of columns that both branches said something of, which random histories found wrong, told as stories."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.lake import Lake


def columns(lake: Lake, branch: str = "main") -> list[list[Any]]:
    """Each with name, type, whether it may be NULL, default and comment."""
    described = lake.sql("DESCRIBE TABLE EXTENDED d.t", branch).rows
    return described[: next(index for index, row in enumerate(described) if not row[0])]


def test_a_returned_column_has_no_old_default(lake: Lake) -> None:
    lake.sql("ALTER TABLE d.t ALTER COLUMN v SET DEFAULT 'c'", "b")
    whole = lake.head("b")
    lake.sql("ALTER TABLE d.t DROP COLUMN v", "b")
    lake.sql("DROP TABLE d.t")
    lake.merge("main", "b")
    lake.sql("UNDROP TABLE d.t")
    lake.sql("ALTER TABLE d.t ALTER COLUMN v SET DEFAULT 'm'")
    lake.merge("b")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {whole}", "b")
    lake.merge("b")
    lake.merge("main", "b")
    assert columns(lake) == columns(lake, "b")
    assert columns(lake, "b")[1][3] == "'c'"


@pytest.fixture
def whole(lake: Lake) -> int:
    """The version that both branches can go back to from a table without column v; main did so."""
    version = lake.head("b")
    lake.sql("ALTER TABLE d.t DROP COLUMN v", "b")
    lake.merge("b")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}")
    return version


@pytest.mark.parametrize(
    "changes",
    [
        *(["ALTER COLUMN v SET DEFAULT 'm'"], ["ALTER COLUMN v SET NOT NULL"], ["RENAME COLUMN v TO x"]),
        *(["ALTER COLUMN v SET DEFAULT 'm'", "DROP COLUMN v"], ["ALTER COLUMN v COMMENT 'm'", "DROP COLUMN v"]),
    ],
)
def test_a_returned_column_keeps_the_others_attributes(lake: Lake, whole: int, changes: list[str]) -> None:
    """The restore set that the column exists, and none of its attributes (lineage §1); nor does a drop."""
    change, *rest = changes
    lake.sql(f"ALTER TABLE d.t {change}")
    changed = columns(lake)
    for text in rest:
        lake.sql(f"ALTER TABLE d.t {text}")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {whole}", "b")
    lake.merge("b")
    lake.merge("main", "b")
    assert columns(lake) == columns(lake, "b") == changed


def test_a_default_reaches_branches_with_the_column(lake: Lake, whole: int) -> None:
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {whole}", "b")
    lake.sql("CREATE BRANCH c", "b")
    lake.sql("ALTER TABLE d.t ALTER COLUMN v SET DEFAULT 'm'")
    lake.merge("main", "b")
    lake.merge("b")
    lake.merge("main", "c")
    assert columns(lake) == columns(lake, "b") == columns(lake, "c")
    assert columns(lake, "c")[1][3] == "'m'"


def test_a_column_added_twice_stays_as_merged(lake: Lake) -> None:
    lake.sql("ALTER TABLE d.t ADD COLUMN x STRING")
    lake.sql("ALTER TABLE d.t ADD COLUMN x STRING", "b")
    lake.merge("main", "b")
    lake.sql("ALTER TABLE d.t ALTER COLUMN x SET DEFAULT 'm'")
    lake.merge("b")
    lake.merge("main", "b")
    assert columns(lake) == columns(lake, "b")


@pytest.fixture
def joining(lake: Lake) -> str:
    """Both branches added column x, b with a value for the row that there was; the merge that made them one."""
    lake.sql("ALTER TABLE d.t ADD COLUMN x STRING")
    lake.sql("ALTER TABLE d.t ADD COLUMN x STRING DEFAULT 'b'", "b")
    merge: str = lake.merge("b")["merge_id"]
    assert lake.rows("d.t") == [(1, "a", "b")]
    return merge


@pytest.mark.parametrize("back", ["MERGE '{}'", "TABLE d.t TO VERSION AS OF {}", "BRANCH main TO VERSION AS OF {}"])
def test_reverting_a_merge_undoes_values_of_rows(lake: Lake, joining: str, back: str) -> None:
    made = lake.head()
    lake.sql(f"RESTORE {back.format(joining if 'MERGE' in back else made - 1)}")
    assert lake.rows("d.t") == [(1, "a", None)]
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {made}")
    assert lake.rows("d.t") == [(1, "a", "b")]


def test_restored_values_reach_every_merging_branch(lake: Lake, joining: str) -> None:
    lake.sql("CREATE BRANCH c")
    lake.sql(f"RESTORE MERGE '{joining}'")
    lake.merge("main", "c")
    lake.merge("main", "b")
    assert lake.rows("d.t", "c") == lake.rows("d.t", "b") == lake.rows("d.t") == [(1, "a", None)]


def test_a_third_branchs_value_reads_alike(lake: Lake) -> None:
    """Main decided for the value of b after c had its own: the source's value comes (P1), as there and back (law 2)."""
    lake.sql("CREATE BRANCH c")
    lake.sql("ALTER TABLE d.t ADD COLUMN x STRING")
    lake.sql("ALTER TABLE d.t ADD COLUMN x STRING DEFAULT 'b'", "b")
    lake.sql("ALTER TABLE d.t ADD COLUMN x STRING DEFAULT 'c'", "c")
    lake.merge("main", "c")
    assert lake.rows("d.t", "c") == [(1, "a", "c")]
    lake.merge("b")
    lake.merge("main", "c")
    lake.merge("c")
    assert lake.rows("d.t", "c") == lake.rows("d.t") == [(1, "a", "b")]


def test_a_restore_before_the_merge_decides_nothing(lake: Lake) -> None:
    lake.sql("CREATE BRANCH c")
    lake.sql("ALTER TABLE d.t ADD COLUMN x STRING")
    lake.sql("ALTER TABLE d.t ADD COLUMN x STRING DEFAULT 'b'", "b")
    lake.sql("ALTER TABLE d.t ADD COLUMN x STRING DEFAULT 'c'", "c")
    merge = lake.merge("c")["merge_id"]
    lake.merge("main", "b")
    lake.sql(f"RESTORE MERGE '{merge}'")
    lake.merge("b")
    lake.merge("main", "b")
    assert lake.rows("d.t") == lake.rows("d.t", "b") == [(1, "a", "b")]


def test_kept_values_come_with_the_merge_back(lake: Lake) -> None:
    """Each side gave older rows a value; the target's rows keep theirs, which is a decision of the merge (law 2)."""
    lake.sql("ALTER TABLE d.t ADD COLUMN x STRING DEFAULT 'm'")
    lake.sql("ALTER TABLE d.t ADD COLUMN x STRING DEFAULT 'b'", "b")
    lake.merge("b")
    assert lake.rows("d.t") == [(1, "a", "m")]
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == [(1, "a", "m")]


@pytest.fixture
def joined(lake: Lake) -> Lake:
    """Both branches added column x, which merges in both directions made one."""
    lake.sql("ALTER TABLE d.t ADD COLUMN x INT")
    lake.sql("ALTER TABLE d.t ADD COLUMN x INT", "b")
    lake.merge("main", "b")
    lake.merge("b")
    return lake


WORDS = [
    ("ALTER COLUMN x SET DEFAULT 1", "ALTER COLUMN x SET DEFAULT 2"),
    ("ALTER COLUMN x COMMENT 'm'", "ALTER COLUMN x COMMENT 'b'"),
    ("RENAME COLUMN x TO y", "RENAME COLUMN x TO z"),
    ("ALTER COLUMN x TYPE BIGINT", "ALTER COLUMN x TYPE BIGINT"),
]


@pytest.mark.parametrize(
    ("on_main", "on_b", "first", "second"),
    [
        *((*words, *order) for words in WORDS for order in (("main", "b"), ("b", "main"))),
        # A change of a column that the target dropped is a conflict.
        ("ALTER COLUMN x SET DEFAULT 1", "DROP COLUMN x", "b", "main"),
    ],
)
def test_the_first_merge_decides_a_column_added_twice(
    joined: Lake, on_main: str, on_b: str, first: str, second: str
) -> None:
    joined.sql(f"ALTER TABLE d.t {on_main}")
    joined.sql(f"ALTER TABLE d.t {on_b}", "b")
    before = columns(joined, first)
    joined.merge(first, second)
    joined.merge(second, first)
    assert columns(joined) == columns(joined, "b") == before


@pytest.mark.parametrize(("pulling", "other"), [("main", "b"), ("b", "main")])
def test_a_column_that_both_sides_added_is_dropped_for_both(lake: Lake, pulling: str, other: str) -> None:
    without = columns(lake)
    lake.sql("ALTER TABLE d.t ADD COLUMN x INT")
    lake.sql("ALTER TABLE d.t ADD COLUMN x INT", "b")
    lake.merge(other, pulling)
    whole = lake.head(pulling)
    lake.sql("ALTER TABLE d.t DROP COLUMN x", pulling)
    lake.merge(pulling, other)
    assert columns(lake) == columns(lake, "b") == without
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {whole}", pulling)
    lake.merge(pulling, other)
    lake.merge(other, pulling)
    assert columns(lake) == columns(lake, "b") != without


def test_a_column_added_twice_is_dropped_without_conflict(lake: Lake) -> None:
    lake.sql("ALTER TABLE d.t ADD COLUMN x INT")
    lake.sql("ALTER TABLE d.t ADD COLUMN x INT", "b")
    lake.merge("main", "b")
    whole = lake.head("b")
    lake.sql("ALTER TABLE d.t ALTER COLUMN x SET DEFAULT 2", "b")
    lake.sql("ALTER TABLE d.t DROP COLUMN x", "b")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {whole}", "b")
    lake.merge("b")
    assert columns(lake) == columns(lake, "b")
    lake.sql("INSERT INTO d.t (id, x) VALUES (77, 7)", "b")
    lake.merge("b")
    lake.merge("main", "b")
    assert columns(lake) == columns(lake, "b")
    assert lake.sql("SELECT x FROM d.t WHERE id = 77").rows == [[7]]


@pytest.mark.parametrize("again", [(), ("ADD COLUMN x INT",)])
def test_a_joined_columns_default_survives_a_drop(lake: Lake, again: tuple[str, ...]) -> None:
    """Main's default is news of a column that b dropped. Another column of the name is not that one."""
    lake.sql("ALTER TABLE d.t ADD COLUMN x INT DEFAULT 1")
    lake.sql("ALTER TABLE d.t ADD COLUMN x INT", "b")
    lake.merge("b")
    assert columns(lake)[2][3] == "1"
    for change in ("DROP COLUMN x", *again):
        lake.sql(f"ALTER TABLE d.t {change}", "b")
    assert "COLUMN_MISSING" in lake.codes("main", "b")
    lake.merge("b")
    lake.merge("main", "b")
    assert columns(lake) == columns(lake, "b")
    assert [column[0] for column in columns(lake)] == ["id", "v", *("x" for _ in again)]


@pytest.mark.parametrize("own", ["ALTER COLUMN v SET DEFAULT 'x'", "ALTER COLUMN v COMMENT 'x'"])
@pytest.mark.parametrize("is_merged", [True, False])
def test_a_returned_column_keeps_what_was_merged(lake: Lake, own: str, is_merged: bool) -> None:
    """``own``: another change of the column, taken back with the table's. ``is_merged``: it came from main."""
    lake.sql("CREATE TABLE d.s (v VARCHAR(3), k INT)")
    lake.sql("INSERT INTO d.s VALUES ('a', 1)")
    lake.merge("main", "b")
    lake.sql("CREATE BRANCH c")
    before, whole = lake.sql("DESCRIBE TABLE EXTENDED d.s", "b").rows[0][3:5], lake.head("b")
    for change in ("ALTER COLUMN v TYPE VARCHAR(9)", own):
        lake.sql(f"ALTER TABLE d.s {change}", "main" if is_merged else "b")
    merge_id = lake.merge("main", "b").get("merge_id")
    lake.sql("ALTER TABLE d.s DROP COLUMN v", "b")
    lake.sql(f"RESTORE MERGE '{merge_id}'" if is_merged else f"RESTORE TABLE d.s TO VERSION AS OF {whole}", "b")
    lake.sql("ALTER TABLE d.s ALTER COLUMN v TYPE VARCHAR(6)", "c")
    lake.merge("c", "b")
    lake.merge("b", "c")
    for branch in ("b", "c"):
        described = lake.sql("DESCRIBE TABLE EXTENDED d.s", branch).rows[0]
        assert described[:2] == ["v", "varchar(6)"]
        assert described[3:5] == before
