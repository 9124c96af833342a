"""Columns made NOT NULL on one side beside rows that the merge takes away (A6.2), told as stories."""

from __future__ import annotations

import pytest

from lakeui.common.errors import NotNullViolation
from tests.support.lake import Lake


@pytest.fixture
def swept(lake: Lake) -> Lake:
    """Branch b overwrote d.t, then merged row 3 from main, then made v NOT NULL."""
    lake.sql("INSERT OVERWRITE d.t VALUES (2, 'b')", "b")
    lake.sql("INSERT INTO d.t VALUES (3, 'c')")
    lake.merge("main", "b")
    lake.sql("ALTER TABLE d.t ALTER COLUMN v SET NOT NULL", "b")
    return lake


def test_rows_without_a_value_that_the_redone_overwrite_takes_away_refuse_nothing(swept: Lake) -> None:
    swept.sql("INSERT INTO d.t VALUES (4, NULL)")
    swept.merge("b")
    assert swept.rows("d.t") == [(2, "b"), (3, "c")]


@pytest.mark.parametrize("after", ["SELECT * FROM d.t", "OPTIMIZE d.t"])
def test_rows_without_a_value_that_the_redone_overwrite_spares_refuse_it(swept: Lake, after: str) -> None:
    swept.sql("UPDATE d.t SET v = NULL WHERE id = 3")
    swept.sql(after)
    assert swept.codes("b") == {"NOT_NULL_WITHOUT_VALUE"}


@pytest.mark.parametrize("deleted", ["v IS NULL", "id > 0"])
def test_deleted_restored_rows_refuse_nothing(lake: Lake, deleted: str) -> None:
    lake.sql("INSERT INTO d.t VALUES (2, NULL), (3, 'c')")
    lake.merge("main", "b")
    lake.sql("UPDATE d.t SET v = 'A' WHERE id = 1")
    version = lake.head()
    lake.sql("TRUNCATE TABLE d.t")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}")
    lake.sql(f"DELETE FROM d.t WHERE id > 1 AND {deleted}", "b")
    lake.sql("ALTER TABLE d.t ALTER COLUMN v SET NOT NULL", "b")
    lake.merge("b")
    assert lake.rows("d.t") == [(1, "A"), *([(3, "c")] if deleted == "v IS NULL" else [])]


@pytest.mark.parametrize(("loosened", "row"), [("DROP COLUMN v", "(3)"), ("ALTER COLUMN v DROP NOT NULL", "(3, NULL)")])
@pytest.mark.parametrize("write", ["INSERT INTO", "INSERT OVERWRITE"])
def test_a_restored_requirement_reaches_every_branch(lake: Lake, loosened: str, row: str, write: str) -> None:
    """Attributes below a drop merge as ever (lineage R4). The restore set what it brought back: column and NOT NULL."""
    lake.sql("ALTER TABLE d.t ALTER COLUMN v SET NOT NULL")
    version = lake.head()
    lake.merge("main", "b")
    lake.sql(f"ALTER TABLE d.t {loosened}", "b")
    lake.sql("DROP TABLE d.t", "b")
    lake.merge("b")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}")
    lake.merge("main", "b")
    assert lake.rows("d.t", "b") == lake.rows("d.t") == [(1, "a")]
    columns = "(id) VALUES (3)" if row == "(3)" else f"VALUES {row}"
    with pytest.raises(NotNullViolation):
        lake.sql(f"{write} d.t {columns}", "b")
    lake.merge("b")
    assert lake.rows("d.t") == [(1, "a")]


@pytest.mark.parametrize("which", ["id = 2", "id > 0"])
@pytest.mark.parametrize("before", ["SELECT * FROM d.t", "INSERT INTO d.t VALUES (3, 'c')"])
def test_updated_rows_without_a_value_that_the_target_overwrote_refuse_nothing(
    lake: Lake, before: str, which: str
) -> None:
    """They are discarded (A4), also out of a file that holds rows which come over."""
    lake.sql("INSERT INTO d.t VALUES (2, NULL)")
    lake.merge("main", "b")
    lake.sql(before, "b")
    lake.sql(f"UPDATE d.t SET id = id + 10 WHERE {which}", "b")
    lake.sql("INSERT OVERWRITE d.t VALUES (9, 'z')")
    lake.sql("ALTER TABLE d.t ALTER COLUMN v SET NOT NULL")
    lake.merge("b")
    new = [] if before.startswith("SELECT") else [(13 if which == "id > 0" else 3, "c")]
    assert sorted(lake.rows("d.t")) == sorted([(9, "z"), *new])


def test_updated_rows_without_values_refuse_the_merge(lake: Lake) -> None:
    lake.sql("INSERT INTO d.t VALUES (2, NULL)")
    lake.merge("main", "b")
    lake.sql("INSERT INTO d.t VALUES (3, NULL)", "b")
    lake.sql("UPDATE d.t SET id = id + 10", "b")
    lake.sql("INSERT OVERWRITE d.t VALUES (9, 'z')")
    lake.sql("ALTER TABLE d.t ALTER COLUMN v SET NOT NULL")
    assert lake.codes("b") == {"NOT_NULL_WITHOUT_VALUE"}


@pytest.fixture
def restored(lake: Lake) -> Lake:
    """Branch b restored row 2, which has no value; main, whose deletion of it b had merged, has only row 1."""
    lake.sql("INSERT INTO d.t VALUES (2, NULL)")
    lake.sql("OPTIMIZE d.t")
    lake.merge("main", "b")
    version = lake.head("b")
    lake.sql("DELETE FROM d.t WHERE id = 2")
    lake.merge("main", "b")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}", "b")
    return lake


def test_restored_rows_without_values_refuse_the_merge(restored: Lake) -> None:
    """Main emptied the file that holds it on b, which masks only the other row there."""
    restored.sql("DELETE FROM d.t WHERE id = 1")
    restored.merge("main", "b")
    assert restored.rows("d.t", "b") == [(2, None)]
    restored.sql("ALTER TABLE d.t ALTER COLUMN v SET NOT NULL")
    assert restored.codes("b") == {"NOT_NULL_WITHOUT_VALUE"}


def emptied_and_restored(lake: Lake) -> None:
    """Branch b has a row without a value, which main has too and deletes."""
    version = lake.head("b")
    lake.sql("TRUNCATE TABLE d.t", "b")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}", "b")
    lake.sql("DELETE FROM d.t WHERE id = 1")


def test_a_restored_row_without_a_value_that_a_pull_deleted_refuses_nothing(lake: Lake) -> None:
    lake.sql("INSERT OVERWRITE d.t VALUES (1, NULL), (7, 'x')", "b")
    lake.merge("b")
    emptied_and_restored(lake)
    lake.merge("main", "b")
    lake.sql("ALTER TABLE d.t ALTER COLUMN v SET NOT NULL")
    lake.merge("b")
    assert lake.rows("d.t") == lake.rows("d.t", "b") == [(7, "x")]


def test_a_restore_keeps_the_insert_it_returns(lake: Lake) -> None:
    """A restore is its changes (lineage §1): the row counts as inserted, so a delete was not asked of it (R9)."""
    lake.sql("INSERT OVERWRITE d.t VALUES (1, NULL)", "b")
    lake.merge("b")
    lake.sql("INSERT INTO d.t VALUES (7, 'x')", "b")
    emptied_and_restored(lake)
    assert lake.codes("main", "b") == {"PREDICATE_DML_VS_INSERT"}
