"""RENAME PARTITION: segments say the new values, files stay, every reader agrees."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.db import DatabaseError, connection, transaction

from catalog_app.domain.files import ColumnStatistics
from catalog_app.domain.partitions import partition_bounds
from catalog_app.models import DataFile, Segment
from tests.in_memory.conftest import Begun
from tests.support.lake import Lake

RENAME = "ALTER TABLE d.t PARTITION (p = 'x') RENAME TO PARTITION (p = 'w')"
FILL = "catalog_app.migrations.0013_partitions"


def renamed_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, p STRING) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.t VALUES (1, 'x'), (2, 'x'), (3, 'x'), (4, 'y')")
    lake.sql("DELETE FROM d.t WHERE id = 3")
    lake.sql(RENAME)


@pytest.fixture
def renamed(begun: Begun) -> Lake:
    """Rows 1, 2, 3 in partition x, of which 3 is deleted, and 4 in y; x is renamed to w at version 6."""
    return begun(renamed_fill)


def files(lake: Lake) -> list[str]:
    return sorted(row[0] for row in lake.sql("SHOW SEGMENTS d.t").rows)


def test_the_files_and_their_deletes_stay(renamed: Lake) -> None:
    before = renamed.head() - 1
    assert files(renamed) == sorted(DataFile.objects.filter(path__in=files(renamed)).values_list("path", flat=True))
    assert DataFile.objects.filter(table_id=Segment.objects.latest("pk").table_id).count() == 2
    assert renamed.rows("d.t") == [(1, "w"), (2, "w"), (4, "y")]
    assert renamed.rows(f"d.t VERSION AS OF {before}") == [(1, "x"), (2, "x"), (4, "y")]
    assert [row[0] for row in renamed.sql("SHOW PARTITIONS d.t").rows] == ["p=w", "p=y"]
    assert renamed.breaches() == []


def test_statistics_say_the_new_value(renamed: Lake) -> None:
    found = renamed.sql("DELETE FROM d.t WHERE p = 'w' AND id = 1").metrics
    assert (found["rows_deleted"], found["files_scanned"], found["files_skipped"]) == (1, 1, 1)
    assert renamed.sql("DELETE FROM d.t WHERE p = 'x'").metrics["files_scanned"] == 0
    assert renamed.rows("d.t WHERE p = 'w'", columns="id") == [(2,)]


@pytest.mark.parametrize(
    ("statement", "left"),
    [
        ("UPDATE d.t SET id = 9 WHERE p = 'w' AND id = 1", [(2, "w"), (4, "y"), (9, "w")]),
        ("INSERT OVERWRITE d.t PARTITION (p = 'w') VALUES (8)", [(4, "y"), (8, "w")]),
        ("INSERT OVERWRITE d.t PARTITION (p = 'x') VALUES (8)", [(1, "w"), (2, "w"), (4, "y"), (8, "x")]),
        ("ALTER TABLE d.t DROP PARTITION (p = 'w')", [(4, "y")]),
        ("OPTIMIZE d.t", [(1, "w"), (2, "w"), (4, "y")]),
        ("ALTER TABLE d.t PARTITION (p = 'w') RENAME TO PARTITION (p = 'x')", [(1, "x"), (2, "x"), (4, "y")]),
    ],
)
def test_statements_find_the_rows_in_their_new_partition(
    renamed: Lake, statement: str, left: list[tuple[int, str]]
) -> None:
    renamed.sql(statement)
    assert sorted(renamed.rows("d.t")) == left
    assert renamed.breaches() == []


def test_a_restore_puts_the_old_value_back(renamed: Lake) -> None:
    renamed.sql(f"RESTORE TABLE d.t TO VERSION AS OF {renamed.head() - 1}")
    assert renamed.rows("d.t") == [(1, "x"), (2, "x"), (4, "y")]
    assert renamed.breaches() == []


def test_a_rename_meets_rows_that_came_meanwhile(renamed: Lake) -> None:
    renamed.sql("CREATE BRANCH b")
    renamed.sql("ALTER TABLE d.t PARTITION (p = 'w') RENAME TO PARTITION (p = 'v')", "b")
    renamed.sql("INSERT INTO d.t VALUES (5, 'w')")
    renamed.sql("OPTIMIZE d.t")
    renamed.merge("b")
    assert renamed.rows("d.t") == [(1, "v"), (2, "v"), (4, "y"), (5, "v")]
    renamed.merge("main", "b")
    assert sorted(renamed.rows("d.t", branch="b")) == sorted(renamed.rows("d.t"))


def test_migration_takes_values_from_files_and_proves_it(lake: Lake) -> None:
    migration = import_module(FILL)
    lake.sql("CREATE TABLE d.t (id INT, p STRING) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.t VALUES (1, 'x'), (2, NULL)")
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE catalog_app_segment DISABLE TRIGGER USER")
        cursor.execute("UPDATE catalog_app_segment SET partition = '[]'")
        with pytest.raises(DatabaseError, match="another partition than their file"), transaction.atomic():
            cursor.execute(migration.PROVE)
        cursor.execute(migration.FILL)
        cursor.execute(migration.PROVE)
        transaction.set_rollback(True)


@pytest.mark.parametrize(
    ("kind", "text", "bounds"),
    [
        ("int", "-5", ColumnStatistics(-5, -5, 0)),
        ("varchar(3)", "ab", ColumnStatistics("ab", "ab", 0)),
        ("boolean", "true", ColumnStatistics(True, True, 0)),
        ("date", "2026-01-31", ColumnStatistics("2026-01-31", "2026-01-31", 0)),
        ("string", None, ColumnStatistics(None, None, 7)),
        ("timestamp", "2026-01-31 10:00:00", None),
    ],
)
def test_the_value_of_a_partition_bounds_its_column(
    kind: str, text: str | None, bounds: ColumnStatistics | None
) -> None:
    assert partition_bounds(kind, text, 7) == bounds
