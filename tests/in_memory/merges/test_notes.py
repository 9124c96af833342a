"""The notes of the table rules (A1 to A6.2, P, compaction), end to end. Each INSERT makes one file."""

from __future__ import annotations

from typing import Any

import pytest

from catalog_app.domain.files import TableScan
from catalog_app.domain.row_counts import EXAMPLES_SHOWN
from lakeui.common.errors import answer_too_large
from lakeui.frontdoor import compute
from tests.in_memory.conftest import Begun
from tests.support.lake import Lake


def two_files_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b')")
    lake.sql("INSERT INTO d.t VALUES (3, 'c'), (4, 'd')")
    lake.sql("CREATE BRANCH b")


@pytest.fixture
def two_files(begun: Begun) -> Lake:
    """Table d.t with rows 1, 2 in one file and 3, 4 in another, and branch b."""
    return begun(two_files_fill)


def test_a1_update_and_delete_in_one_file_conflict(two_files: Lake) -> None:
    two_files.sql("UPDATE d.t SET v = 'B' WHERE id = 1", "b")
    two_files.sql("DELETE FROM d.t WHERE id = 2")
    assert two_files.codes("b") == {"SAME_FILE_UPDATE_DELETE"}


def test_a1_sees_through_its_own_sides_compaction(two_files: Lake) -> None:
    two_files.sql("UPDATE d.t SET v = 'B' WHERE id = 1", "b")
    two_files.sql("OPTIMIZE d.t", "b")
    two_files.sql("DELETE FROM d.t WHERE id = 2")
    assert two_files.codes("b") == {"SAME_FILE_UPDATE_DELETE"}


def test_a2_row_deleted_on_both_sides_counts_once(two_files: Lake) -> None:
    two_files.sql("DELETE FROM d.t WHERE id <= 2", "b")
    two_files.sql("DELETE FROM d.t WHERE id IN (2, 3)")
    two_files.merge("b")
    assert two_files.rows("d.t") == [(4, "d")]
    assert two_files.sql("SELECT count(*) FROM d.t").rows == [[1]]


def test_a3_updates_conflict_only_within_one_file(two_files: Lake) -> None:
    two_files.sql("UPDATE d.t SET v = 'B' WHERE id = 1", "b")
    two_files.sql("UPDATE d.t SET v = 'M' WHERE id = 3")
    two_files.merge("b")
    assert two_files.rows("d.t") == [(1, "B"), (2, "b"), (3, "M"), (4, "d")]
    two_files.sql("UPDATE d.t SET v = 'B2' WHERE id = 4", "b")
    two_files.sql("UPDATE d.t SET v = 'M2' WHERE id = 3")
    assert two_files.codes("b") == {"SAME_FILE_UPDATE_UPDATE"}


def test_the_target_keeps_its_update_against_a_delete(two_files: Lake) -> None:
    two_files.sql("DELETE FROM d.t WHERE id <= 2", "b")
    two_files.sql("UPDATE d.t SET v = 'M' WHERE id = 2")
    two_files.merge("b")
    assert two_files.rows("d.t") == [(2, "M"), (3, "c"), (4, "d")]


def test_a4_a5_only_new_branch_rows_survive_overwrites(two_files: Lake) -> None:
    two_files.sql("INSERT INTO d.t VALUES (5, 'new'), (6, 'new')", "b")
    two_files.sql("UPDATE d.t SET v = 'B' WHERE id IN (1, 5)", "b")
    two_files.sql("DELETE FROM d.t WHERE id IN (2, 6)", "b")
    two_files.sql("INSERT OVERWRITE d.t VALUES (9, 'over')")
    result = two_files.merge("b")
    assert two_files.rows("d.t") == [(5, "B"), (9, "over")]
    assert {"DISCARDED_UPDATE", "DISCARDED_DELETE"} <= {note["code"] for note in result["notes"]}


def test_a5_partition_overwrites_keep_other_partitions_operations(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, p STRING) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.t VALUES (1, 'x'), (2, 'x'), (3, 'y'), (4, 'y')")
    lake.sql("CREATE BRANCH b")
    lake.sql("DELETE FROM d.t WHERE id IN (1, 3)", "b")
    lake.sql("INSERT OVERWRITE d.t PARTITION (p = 'x') VALUES (1), (9)")
    lake.merge("b")
    assert lake.rows("d.t") == [(1, "x"), (4, "y"), (9, "x")]


def test_a4_an_update_of_two_partitions_is_split(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING, p STRING) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a', 'x'), (2, 'b', 'y')")
    lake.sql("CREATE BRANCH b")
    lake.sql("UPDATE d.t SET v = 'B', p = 'z'", "b")
    lake.sql("INSERT OVERWRITE d.t PARTITION (p = 'x') VALUES (9, 'over')")
    lake.merge("b")
    assert lake.rows("d.t") == [(2, "B", "z"), (9, "over", "x")]


@pytest.mark.parametrize(
    ("old", "new", "there", "fits"),
    [
        ("INT", "BIGINT", None, True),
        ("TINYINT", "INT", "SMALLINT", True),
        ("FLOAT", "DOUBLE", "DOUBLE", True),
        ("DECIMAL(5,2)", "DECIMAL(9,2)", "DECIMAL(7,2)", True),
        ("VARCHAR(5)", "STRING", "VARCHAR(9)", True),
        ("DATE", "TIMESTAMP_NTZ", None, True),
        ("TINYINT", "SMALLINT", "BIGINT", False),
        ("DECIMAL(5,2)", "DECIMAL(7,2)", "DECIMAL(9,2)", False),
    ],
)
def test_a6_1_types(lake: Lake, old: str, new: str, there: str | None, fits: bool) -> None:
    value = "'2024-01-02'" if old == "DATE" else "1"
    lake.sql(f"CREATE TABLE d.t (c {old})")
    lake.sql(f"INSERT INTO d.t VALUES (CAST({value} AS {old}))")
    lake.sql("CREATE BRANCH b")
    lake.sql(f"ALTER TABLE d.t ALTER COLUMN c TYPE {new}", "b")
    if there:
        lake.sql(f"ALTER TABLE d.t ALTER COLUMN c TYPE {there}")
    if not fits:
        assert lake.codes("b") == {"COLUMN_TYPE_NARROWING"}
        return
    before = lake.rows("d.t")
    lake.merge("b")
    assert lake.sql("DESCRIBE TABLE d.t").rows[0][1] == new.lower()
    assert len(lake.rows("d.t")) == len(before)


@pytest.mark.parametrize("strict_side", ["main", "b"])
def test_a6_2_missing_values_for_strict_columns_conflict(lake: Lake, strict_side: str) -> None:
    lake.sql("CREATE TABLE d.t (id INT)")
    lake.sql("CREATE BRANCH b")
    lake.sql("ALTER TABLE d.t ADD COLUMN strict INT NOT NULL", strict_side)
    lake.sql("INSERT INTO d.t VALUES (1)", "b" if strict_side == "main" else "main")
    assert lake.codes("b") == {"NOT_NULL_WITHOUT_VALUE"}


def test_a6_2_a_default_fills_the_column(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT)")
    lake.sql("CREATE BRANCH b")
    lake.sql("ALTER TABLE d.t ADD COLUMN strict INT NOT NULL DEFAULT 7")
    lake.sql("INSERT INTO d.t VALUES (1)", "b")
    lake.merge("b")
    assert lake.rows("d.t") == [(1, 7)]


def test_a6_2_nulls_beside_a_tightened_column_conflict(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    lake.sql("CREATE BRANCH b")
    lake.sql("ALTER TABLE d.t ALTER COLUMN v SET NOT NULL")
    lake.sql("INSERT INTO d.t VALUES (1, NULL)", "b")
    assert lake.codes("b") == {"NOT_NULL_WITHOUT_VALUE"}


def test_a_column_that_the_target_dropped_is_missing(two_files: Lake) -> None:
    two_files.sql("ALTER TABLE d.t RENAME COLUMN v TO w", "b")
    two_files.sql("ALTER TABLE d.t DROP COLUMN v")
    assert two_files.codes("b") == {"COLUMN_MISSING"}


def test_a_rename_onto_another_columns_name_is_taken(two_files: Lake) -> None:
    two_files.sql("ALTER TABLE d.t RENAME COLUMN v TO w", "b")
    two_files.sql("ALTER TABLE d.t ADD COLUMN w INT")
    assert two_files.codes("b") == {"COLUMN_NAME_TAKEN"}


def test_a_column_both_sides_add_keeps_both_values(two_files: Lake) -> None:
    for branch in ("b", "main"):
        two_files.sql("ALTER TABLE d.t ADD COLUMN n INT", branch)
    two_files.sql("INSERT INTO d.t VALUES (5, 'e', 50)", "b")
    two_files.sql("INSERT INTO d.t VALUES (6, 'f', 60)")
    two_files.merge("b")
    assert two_files.rows("d.t", columns="id, n") == [(1, None), (2, None), (3, None), (4, None), (5, 50), (6, 60)]


def test_source_deletes_follow_rows_into_the_targets_compaction(two_files: Lake) -> None:
    two_files.sql("DELETE FROM d.t WHERE id = 1", "b")
    two_files.sql("UPDATE d.t SET v = 'B' WHERE id = 3", "b")
    two_files.sql("OPTIMIZE d.t")
    two_files.merge("b")
    assert two_files.rows("d.t") == [(2, "b"), (3, "B"), (4, "d")]


def test_a_source_compaction_of_changed_inputs_is_skipped(two_files: Lake) -> None:
    two_files.sql("INSERT INTO d.t VALUES (5, 'new')", "b")
    two_files.sql("OPTIMIZE d.t", "b")
    two_files.sql("DELETE FROM d.t WHERE id = 1")
    result = two_files.merge("b")
    assert "COMPACTION_SKIPPED" in {note["code"] for note in result["notes"]}
    assert two_files.rows("d.t") == [(2, "b"), (3, "c"), (4, "d"), (5, "new")]


def test_partitions_dropped_and_renamed(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, p STRING) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.t VALUES (1, 'x'), (2, 'y'), (3, 'z')")
    lake.sql("CREATE BRANCH dropped")
    lake.sql("CREATE BRANCH renamed")
    lake.sql("ALTER TABLE d.t DROP PARTITION (p = 'x')", "dropped")
    lake.sql("ALTER TABLE d.t PARTITION (p = 'y') RENAME TO PARTITION (p = 'w')", "renamed")
    lake.sql("INSERT INTO d.t VALUES (4, 'x')")
    lake.merge("dropped")
    assert lake.rows("d.t") == [(2, "y"), (3, "z")]
    lake.sql("ALTER TABLE d.t DROP PARTITION (p = 'y')")
    assert lake.codes("renamed") == {"PARTITION_DROPPED_ON_DEST"}


def test_a_dropped_database_drops_its_tables(two_files: Lake) -> None:
    two_files.sql("INSERT INTO d.t VALUES (5, 'e')", "b")
    two_files.sql("DROP DATABASE d CASCADE")
    assert "OBJECT_DROPPED_ON_DEST" in two_files.codes("b")


@pytest.mark.parametrize("key", ["", ", PRIMARY KEY (k)"], ids=["no key", "primary key"])
def test_c1_a_dropped_columns_changed_value_is_named(lake: Lake, key: str) -> None:
    lake.sql(f"CREATE TABLE d.t (k INT NOT NULL, a STRING, b STRING{key})")
    lake.sql("INSERT INTO d.t VALUES (1, 'a1', 'b1'), (2, 'a2', 'b2')")
    lake.sql("CREATE BRANCH f")
    lake.sql("ALTER TABLE d.t DROP COLUMN b")
    lake.sql("UPDATE d.t SET b = 'edit' WHERE k = 1", "f")
    dry = lake.sql("MERGE BRANCH f DRY RUN").extra
    result = lake.merge("f")
    for notes in (dry["notes"], result["notes"]):
        (note,) = notes
        assert (note["code"], note["details"]["rows"], note["details"]["column"]) == ("DISCARDED_VALUE", 1, "b")
        assert note["details"]["examples"][0]["b"] == "edit"
    assert lake.rows("d.t") == [(1, "a1"), (2, "a2")]


def test_c1_a_shared_value_is_not_left_out(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (k INT NOT NULL, a STRING, b STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a1', 'b1'), (2, 'a2', 'b2')")
    lake.sql("CREATE BRANCH f")
    lake.sql("CREATE BRANCH c")
    lake.sql("INSERT INTO d.t VALUES (9, 'a9', 'third')", "c")
    lake.sql("INSERT INTO d.t VALUES (3, 'a3', 'b3')")
    lake.merge("main", "f")
    lake.merge("c", "f")
    lake.merge("c")
    lake.sql("ALTER TABLE d.t DROP COLUMN b")
    lake.sql("UPDATE d.t SET b = 'edit' WHERE k = 1", "f")
    lake.sql("INSERT INTO d.t VALUES (4, 'a4', 'b4'), (5, 'a5', NULL)", "f")
    lake.sql("INSERT INTO d.t VALUES (6, 'a6', 'b6'), (7, 'a7', 'b7')", "f")
    lake.sql("DELETE FROM d.t WHERE k = 6", "f")
    (note,) = lake.merge("f")["notes"]
    assert (note["code"], note["details"]["rows"], note["details"]["column"]) == ("DISCARDED_VALUE", 3, "b")
    assert [item["b"] for item in note["details"]["examples"]] == ["edit", "b4", "b7"]


def test_c1_long_dropped_values_are_read_in_parts(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    lake.sql("CREATE TABLE d.t (k INT NOT NULL, b STRING)")
    values = ", ".join(f"({k}, 'b')" for k in range(3 * EXAMPLES_SHOWN))
    lake.sql(f"INSERT INTO d.t VALUES {values}")
    lake.sql("CREATE BRANCH f")
    lake.sql("ALTER TABLE d.t DROP COLUMN b")
    lake.sql("UPDATE d.t SET b = 'edit'", "f")
    real = compute.engine().cells_show

    def few(scan: TableScan, addresses: Any, **options: bool) -> list[list[Any]]:
        if len(addresses) > EXAMPLES_SHOWN:
            raise answer_too_large(1)
        return real(scan, addresses, **options)

    monkeypatch.setattr(compute.engine(), "cells_show", few)
    (note,) = lake.merge("f")["notes"]
    assert (note["code"], note["details"]["rows"]) == ("DISCARDED_VALUE", 3 * EXAMPLES_SHOWN)
