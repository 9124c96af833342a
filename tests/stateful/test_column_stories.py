"""Merges of columns that both branches said something of, which random histories found wrong, told as stories."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.lake import Lake


def columns(lake: Lake, branch: str = "main") -> list[list[Any]]:
    """Each with name, type, whether it may be NULL, default and comment."""
    described = lake.sql("DESCRIBE TABLE EXTENDED d.t", branch).rows
    return described[: next(index for index, row in enumerate(described) if not row[0])]


def test_nothing_is_left_of_a_default_once_a_column_that_only_the_other_side_had_dropped_is_back(lake: Lake) -> None:
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
def test_a_column_that_both_sides_brought_back_stays_with_the_source_as_it_was_merged(
    lake: Lake, whole: int, changes: list[str]
) -> None:
    for change in changes:
        lake.sql(f"ALTER TABLE d.t {change}")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {whole}", "b")
    before = columns(lake, "b")
    lake.merge("b")
    lake.merge("main", "b")
    assert columns(lake) == columns(lake, "b") == before


def test_a_default_reaches_a_branch_that_has_only_the_addition_which_did_not_change_it(lake: Lake, whole: int) -> None:
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {whole}", "b")
    lake.sql("CREATE BRANCH c", "b")
    lake.sql("ALTER TABLE d.t ALTER COLUMN v SET DEFAULT 'm'")
    lake.merge("main", "b")
    lake.merge("b")
    lake.merge("main", "c")
    assert columns(lake) == columns(lake, "b") == columns(lake, "c")
    assert columns(lake, "c")[1][3] == "'m'"


def test_a_column_that_both_sides_added_stays_with_the_source_as_it_was_merged(lake: Lake) -> None:
    lake.sql("ALTER TABLE d.t ADD COLUMN x STRING")
    lake.sql("ALTER TABLE d.t ADD COLUMN x STRING", "b")
    lake.merge("main", "b")
    lake.sql("ALTER TABLE d.t ALTER COLUMN x SET DEFAULT 'm'")
    lake.merge("b")
    lake.merge("main", "b")
    assert columns(lake) == columns(lake, "b")


@pytest.fixture
def joined(lake: Lake) -> str:
    """Both branches added column x, b with a value for the row that there was; the merge that made them one."""
    lake.sql("ALTER TABLE d.t ADD COLUMN x STRING")
    lake.sql("ALTER TABLE d.t ADD COLUMN x STRING DEFAULT 'b'", "b")
    merge: str = lake.merge("b")["merge_id"]
    assert lake.rows("d.t") == [(1, "a", "b")]
    return merge


@pytest.mark.parametrize("back", ["MERGE '{}'", "TABLE d.t TO VERSION AS OF {}", "BRANCH main TO VERSION AS OF {}"])
def test_rows_read_as_before_a_merge_that_gave_their_column_a_value_once_it_is_taken_back(
    lake: Lake, joined: str, back: str
) -> None:
    made = lake.head()
    lake.sql(f"RESTORE {back.format(joined if 'MERGE' in back else made - 1)}")
    assert lake.rows("d.t") == [(1, "a", None)]
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {made}")
    assert lake.rows("d.t") == [(1, "a", "b")]


def test_rows_that_read_otherwise_after_a_restore_do_so_on_every_branch_that_merges_it(lake: Lake, joined: str) -> None:
    lake.sql("CREATE BRANCH c")
    lake.sql(f"RESTORE MERGE '{joined}'")
    lake.merge("main", "c")
    lake.merge("main", "b")
    assert lake.rows("d.t", "c") == lake.rows("d.t", "b") == lake.rows("d.t") == [(1, "a", None)]


def test_rows_of_a_branch_keep_their_value_beside_one_that_the_source_merged_from_a_third(lake: Lake) -> None:
    lake.sql("CREATE BRANCH c")
    lake.sql("ALTER TABLE d.t ADD COLUMN x STRING")
    lake.sql("ALTER TABLE d.t ADD COLUMN x STRING DEFAULT 'b'", "b")
    lake.sql("ALTER TABLE d.t ADD COLUMN x STRING DEFAULT 'c'", "c")
    lake.merge("main", "c")
    lake.merge("b")
    lake.merge("main", "c")
    assert lake.rows("d.t", "c") == [(1, "a", "c")]


def test_a_restore_before_a_merge_that_gave_rows_a_value_is_not_the_last_word_on_it(lake: Lake) -> None:
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
