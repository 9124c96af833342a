"""Delete x update: a row that the target updated keeps its image, and the audit counts it (semantics §3)."""

from __future__ import annotations

import pytest

from tests.support.lake import Lake


@pytest.fixture
def two_files(lake: Lake) -> Lake:
    """Table d.t with rows 1, 2 in one file and 3, 4 in another, and branch b."""
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'b')")
    lake.sql("INSERT INTO d.t VALUES (3, 'c'), (4, 'd')")
    lake.sql("CREATE BRANCH b")
    return lake


@pytest.mark.parametrize(
    ("source", "destination", "kept"),
    [
        (["DELETE FROM d.t WHERE id IN (1, 2, 3)"], ["UPDATE d.t SET v = 'M' WHERE id IN (2, 4)"], 1),
        (["DELETE FROM d.t"], ["UPDATE d.t SET v = 'M'"], 4),
        (["DELETE FROM d.t WHERE id = 1"], ["UPDATE d.t SET v = 'M' WHERE id < 4", "OPTIMIZE d.t"], 1),
        (["OPTIMIZE d.t", "DELETE FROM d.t WHERE id <> 4"], ["UPDATE d.t SET v = 'M' WHERE id > 2"], 1),
        (["DELETE FROM d.t WHERE id < 4"], ["UPDATE d.t SET v = 'M' WHERE id > 1", "DELETE FROM d.t WHERE id = 2"], 1),
        (["DELETE FROM d.t WHERE id = 1"], ["UPDATE d.t SET v = 'M' WHERE id = 2"], 0),
        (["DELETE FROM d.t WHERE id = 1"], ["UPDATE d.t SET v = 'M' WHERE id = 3"], 0),
        (["DELETE FROM d.t"], ["UPDATE d.t SET v = 'M'", "INSERT OVERWRITE d.t VALUES (9, 'over')"], 0),
    ],
)
def test_the_audit_counts_rows_that_keep_their_image(
    two_files: Lake, source: list[str], destination: list[str], kept: int
) -> None:
    for branch, statements in (("b", source), ("main", destination)):
        for statement in statements:
            two_files.sql(statement, branch)
    merged = two_files.merge("b")
    (table,) = two_files.audit(merged["merge_id"])["tables"]
    assert table["kept_updated_rows"] == kept
    assert len(two_files.rows("d.t WHERE v = 'M'")) >= kept


def test_nothing_is_read_without_file_deleted_and_updated(two_files: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    def unwanted(*_: object, **__: object) -> None:
        raise AssertionError("the engine was asked")

    two_files.sql("DELETE FROM d.t WHERE id = 1", "b")
    two_files.sql("UPDATE d.t SET v = 'M' WHERE id = 3")
    monkeypatch.setattr("merge_app.execution.row_work._table_work", unwanted)
    two_files.merge("b")
    assert two_files.rows("d.t") == [(2, "b"), (3, "M"), (4, "d")]


@pytest.mark.parametrize("key", ["", " PRIMARY KEY"])
@pytest.mark.parametrize("gone", ["INSERT OVERWRITE d.p PARTITION (p = 'x') VALUES (9)", "TRUNCATE TABLE d.p"])
def test_rows_moved_out_of_overwrite_are_counted_too(lake: Lake, key: str, gone: str) -> None:
    lake.sql(f"CREATE TABLE d.p (id INT{key}, p STRING) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.p VALUES (1, 'x'), (2, 'x')")
    lake.sql("CREATE BRANCH b")
    lake.sql(gone, "b")
    lake.sql("UPDATE d.p SET p = 'y' WHERE id = 1")
    merged = lake.merge("b")
    (table,) = lake.audit(merged["merge_id"])["tables"]
    stays = "TRUNCATE" not in gone
    assert (table["kept_updated_rows"], (1, "y") in lake.rows("d.p")) == (int(stays), stays)


@pytest.mark.parametrize("moved", ["main", "b"])
def test_moved_here_and_deleted_there_is_a_conflict(lake: Lake, moved: str) -> None:
    lake.sql("CREATE TABLE d.p (id INT PRIMARY KEY, p STRING) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.p VALUES (1, 'x'), (2, 'x')")
    lake.sql("CREATE BRANCH b")
    lake.sql("UPDATE d.p SET p = 'y' WHERE id = 1", moved)
    lake.sql("DELETE FROM d.p WHERE id = 1", "b" if moved == "main" else "main")
    assert lake.codes("b") == {"PRIMARY_KEY_CLASH"}
    lake.sql("UPDATE d.p SET p = 'x' WHERE id = 1", moved)
    lake.merge("b")
    assert lake.rows("d.p") == [(2, "x")]
    assert lake.breaches() == []
