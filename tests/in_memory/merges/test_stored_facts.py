"""Files of rows of several commits, on rows in memory: each row is judged by its own fact (lineage §1, §7)."""

from __future__ import annotations

from importlib import import_module

from django.db import connection, transaction

from catalog_app.models import DataFile, Segment
from catalog_app.selectors.snapshots import catalog_get
from catalog_app.services.integrity import catalog_check
from tests.support.lake import Lake
from tests.support.rows import OPTIMIZE, delete, rows, run, set_v


def two_rows_create(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    for number in (1, 2):
        lake.sql(f"INSERT INTO d.t VALUES ({number}, 'o')")
    lake.sql("CREATE BRANCH b")


def test_a_row_is_news_beside_younger_known_rows(lake: Lake) -> None:
    two_rows_create(lake)
    run(lake, "b", "INSERT INTO d.t VALUES (5, 'b')")
    run(lake, "main", "INSERT INTO d.t VALUES (9, 'm')")
    lake.merge("main", "b")
    run(lake, "b", OPTIMIZE)
    run(lake, "main", delete(1))
    lake.merge("b", "main")
    assert rows(lake) == "2o 5b 9m"


def test_an_update_in_a_compacting_transaction_is_news(lake: Lake) -> None:
    two_rows_create(lake)
    opened = lake.sql("BEGIN").extra["transaction"]
    for statement in (set_v("t", 1), "INSERT INTO d.t VALUES (7, 't')", OPTIMIZE):
        lake.sql(statement, transaction=opened)
    lake.sql("COMMIT", transaction=opened)
    run(lake, "b", delete(2))
    lake.merge("main", "b")
    assert rows(lake, "b") == "1t 7t"


def test_what_a_transaction_wrote_has_its_stamp(lake: Lake) -> None:
    """The check of the fixture looks at the stamps of the compacted file."""
    two_rows_create(lake)
    opened = lake.sql("BEGIN").extra["transaction"]
    for number in (7, 8):
        lake.sql(f"INSERT INTO d.t VALUES ({number}, 't')", transaction=opened)
    lake.sql("COMMIT", transaction=opened)
    version = lake.head()
    run(lake, "main", OPTIMIZE)
    assert DataFile.objects.filter(stores_stamps=True).latest("pk").largest_stamp == version


def test_the_upgrade_stamps_transactions_rows_with_their_commit(lake: Lake) -> None:
    two_rows_create(lake)
    opened = lake.sql("BEGIN").extra["transaction"]
    lake.sql("INSERT INTO d.t VALUES (7, 't')", transaction=opened)
    lake.sql("COMMIT", transaction=opened)
    written = Segment.objects.filter(branch__is_workspace=False).latest("pk")
    of_workspace = Segment.objects.filter(branch__is_workspace=True).latest("pk").stamp
    assert (written.stamp, of_workspace < written.stamp) == (lake.head(), True)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE catalog_app_segment DISABLE TRIGGER USER")
        Segment.objects.filter(pk=written.pk).update(stamp=of_workspace)
        cursor.execute(import_module("catalog_app.migrations.0014_stamps_of_transactions").RESTAMP)
        written.refresh_from_db()
        transaction.set_rollback(True)
    assert written.stamp == lake.head()


def test_the_check_names_unknown_stamps(lake: Lake) -> None:
    two_rows_create(lake)
    run(lake, "main", OPTIMIZE)
    catalog = catalog_get(lake.catalog)
    breaches = catalog_check(catalog, stamps_of=lambda _: {3, 99})
    assert len(breaches) == 2
    assert "stores other stamps than 3 to 4" in breaches[0]
    assert "stores stamp 99, which the branch does not know" in breaches[1]
