"""Dry runs that need no Spark: changes of metadata, refusals, and transactions."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection

from catalog_app.domain.roles import Role
from catalog_app.models import Commit, Database, DataFile, DeleteFile, Table, Tag, Transaction
from catalog_app.selectors.snapshots import catalog_get
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import DuplicateKey, InvalidValue, MergeConflict, PermissionDenied
from lakeui.frontdoor import Session, execute
from tests.in_memory.conftest import Begun
from tests.support.lake import Lake
from tests.support.members import join

METADATA = [
    "CREATE TABLE d.other (id INT)",
    "DROP TABLE d.t",
    "ALTER TABLE d.t ADD COLUMN w INT",
    "ALTER TABLE d.t RENAME COLUMN v TO u",
    "ALTER TABLE d.t RENAME TO d.u",
    "ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')",
    "CREATE DATABASE e",
    "DROP DATABASE d CASCADE",
    "CREATE BRANCH fresh",
    "DROP BRANCH b",
    "ALTER BRANCH b RENAME TO c",
    "ALTER BRANCH b SET EXPIRY '7 days'",
    "ALTER BRANCH b RESET TO PARENT",
    "CREATE TAG fresh",
    "DROP TAG early",
    "CREATE VIEW d.v AS SELECT 1 AS one",
    "RESTORE TABLE d.t TO VERSION AS OF 2",
    "UNDROP TABLE d.gone",
    "ALTER TAG early RENAME TO first",
    "ALTER CATALOG {catalog} RENAME TO other",
    "DROP CATALOG {catalog}",
]
READS = ["SHOW TABLES IN d", "DESCRIBE TABLE d.t", "USE BRANCH b", "BEGIN", "SHOW HISTORY"]


ROWS = [
    "INSERT INTO d.t VALUES (3, 'c'), (4, 'd')",
    "UPDATE d.t SET v = 'x' WHERE id = 1",
    "UPDATE d.t SET v = 'y'",
    "DELETE FROM d.t WHERE id = 2",
    "DELETE FROM d.t",
    "TRUNCATE TABLE d.t",
    "INSERT OVERWRITE d.t VALUES (2, 'b'), (9, 'z')",
    "MERGE INTO d.t USING (SELECT 1 AS id, 'm' AS v) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *",
]


def filled_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING, PRIMARY KEY (id))")
    lake.sql("INSERT INTO d.t VALUES (1, 'a')")
    lake.sql("INSERT INTO d.t VALUES (2, 'b')")
    lake.sql("CREATE TABLE d.gone (id INT)")
    lake.sql("DROP TABLE d.gone")
    lake.sql("CREATE BRANCH b")
    lake.sql("CREATE TAG early VERSION AS OF 2")


@pytest.fixture
def filled(begun: Begun) -> Lake:
    """Table d.t of two files, a dropped table, a branch and a tag."""
    return begun(filled_fill)


def everything(lake: Lake) -> dict[str, Any]:
    """What there is of the lake, in the metadata and on disk."""
    catalog = catalog_get(lake.catalog)
    tables = list(Table.objects.filter(catalog=catalog).order_by("pk").values_list("pk", flat=True))
    return {
        "heads": [row[3] for row in lake.sql("SHOW BRANCHES").rows],
        "branches": [row[0] for row in lake.sql("SHOW BRANCHES").rows],
        "commits": Commit.objects.filter(catalog=catalog).count(),
        "tags": Tag.objects.filter(catalog=catalog).count(),
        "databases": Database.objects.filter(catalog=catalog).count(),
        "views": lake.sql("SHOW VIEWS").rows,
        "tables": tables,
        "transactions": Transaction.objects.filter(target__catalog=catalog).count(),
        "data": sorted(DataFile.objects.filter(table_id__in=tables).values_list("path", flat=True)),
        "deletes": sorted(DeleteFile.objects.filter(table_id__in=tables).values_list("path", flat=True)),
        "files": files_of(lake),
        "rows": lake.rows("d.t"),
        "columns": lake.sql("DESCRIBE TABLE d.t").rows,
    }


def files_of(lake: Lake) -> list[str]:
    """Paths of all files of the catalog's tables on disk."""
    warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])
    tables = Table.objects.filter(catalog=catalog_get(lake.catalog)).values_list("pk", flat=True)
    return sorted(file.path for table in (0, *tables) for file in warehouse.all_under(str(table)))


def test_dry_run_of_metadata_change_changes_nothing(filled: Lake) -> None:
    before = everything(filled)
    for statement in METADATA:
        dry = filled.sql(f"{statement.format(catalog=filled.catalog)} DRY RUN")
        assert everything(filled) == before, statement
        assert dry.extra["dry_run"] is True


def test_what_writes_nothing_has_no_dry_run(filled: Lake) -> None:
    for statement in READS:
        with pytest.raises(InvalidValue, match="no dry run") as refusal:
            execute(statement, Session(filled.catalog, dry_run=True))
        assert refusal.value.details["field"] == "dry_run", statement
    with pytest.raises(InvalidValue):
        execute("SELECT 1", Session(filled.catalog, dry_run=True))


def test_refused_write_is_refused_in_its_dry_run(filled: Lake) -> None:
    before = everything(filled)
    with pytest.raises(DuplicateKey):
        filled.sql("INSERT INTO d.t VALUES (1, 'twice') DRY RUN")
    assert everything(filled) == before


def test_dry_run_leaves_its_transaction_as_it_is(filled: Lake) -> None:
    opened = filled.sql("BEGIN").extra["transaction"]
    filled.sql("INSERT INTO d.t VALUES (3, 'c')", transaction=opened)
    filled.sql("DELETE FROM d.t DRY RUN", transaction=opened)
    dry = filled.sql("COMMIT DRY RUN", transaction=opened)
    assert dry.extra["dry_run"] is True
    assert filled.rows("d.t") == [(1, "a"), (2, "b")]
    filled.sql("COMMIT", transaction=opened)
    assert filled.rows("d.t") == [(1, "a"), (2, "b"), (3, "c")]


def test_a_conflicting_dry_run_keeps_the_transaction(filled: Lake) -> None:
    opened = filled.sql("BEGIN").extra["transaction"]
    filled.sql("UPDATE d.t SET v = 'mine' WHERE id = 1", transaction=opened)
    filled.sql("UPDATE d.t SET v = 'theirs' WHERE id = 1")
    with pytest.raises(MergeConflict) as refusal:
        filled.sql("COMMIT DRY RUN", transaction=opened)
    assert [item["decisions"] for item in refusal.value.details["conflicts"]] == [[]]
    assert refusal.value.remedy.startswith("ROLLBACK, then BEGIN")
    filled.sql("ROLLBACK", transaction=opened)


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO d.t VALUES (3, current_user())",
        "INSERT OVERWRITE d.t VALUES (3, 'c')",
        "UPDATE d.t SET v = 'c' WHERE id = 1",
        "DELETE FROM d.t WHERE id = 1",
        "MERGE INTO d.t USING (SELECT 3 AS id, 'c' AS v) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *",
        "OPTIMIZE d.t",
        "CREATE TABLE d.other AS SELECT * FROM d.t",
    ],
)
def test_explain_analyze_of_write_is_timed_dry_run(filled: Lake, text: str) -> None:
    before = everything(filled)
    explained, dry = filled.sql(f"EXPLAIN {text}").rows, filled.sql(f"{text} DRY RUN")
    found = filled.sql(f"EXPLAIN ANALYZE {text}")
    assert everything(filled) == before
    assert found.columns == [("step", "string"), ("detail", "string")]
    assert found.rows[: len(explained)] == explained
    run, *would = found.rows[len(explained) :]
    assert re.fullmatch(r"done without its commit in \d+\.\d{3} s; nothing is written", run[1])
    assert would == [["would", f"{name.replace('_', ' ')}: {count:,}"] for name, count in dry.metrics.items() if count]
    assert would
    assert (found.metrics, found.extra) == (dry.metrics, dry.extra)


def test_explain_analyze_takes_what_the_write_takes(filled: Lake) -> None:
    with pytest.raises(DuplicateKey):
        filled.sql("EXPLAIN ANALYZE INSERT INTO d.t VALUES (1, 'twice')")
    reader = User.objects.create_user("reader")
    join(reader, filled.catalog, Role.VIEWER)
    with pytest.raises(PermissionDenied):
        execute("EXPLAIN ANALYZE DELETE FROM d.t", Session(filled.catalog, user=reader))
    opened = filled.sql("BEGIN").extra["transaction"]
    filled.sql("INSERT INTO d.t VALUES (3, 'c')", transaction=opened)
    found = filled.sql("EXPLAIN ANALYZE DELETE FROM d.t", transaction=opened)
    assert ["would", "rows deleted: 3"] in found.rows
    filled.sql("COMMIT", transaction=opened)
    assert len(filled.rows("d.t")) == 3


@pytest.mark.parametrize("text", ROWS)
def test_examples_are_the_rows_that_change(filled: Lake, text: str) -> None:
    filled.sql("UPDATE d.t SET v = 'new' WHERE id = 1", "b")
    seen = filled.head("b")
    dry = filled.sql(f"{text} DRY RUN", "b")
    written = filled.sql(text, "b").version
    changed = filled.sql(f"SHOW CHANGES d.t FROM VERSION {seen} TO VERSION {written}", "b").rows
    assert dry.extra["examples"]
    assert [[item["change"], *item["row"].values()] for item in dry.extra["examples"]] == [
        [change, *values] for change, _, *values in changed
    ]


WRITING = re.compile(r"\b(INSERT INTO|DELETE FROM|UPDATE) (\w+)")


@pytest.mark.parametrize("text", ROWS)
def test_rows_stop_at_their_plan(filled: Lake, text: str) -> None:
    """No commit is made, and no file is a row: only addresses are given out."""
    filled.sql("UPDATE d.t SET v = 'new' WHERE id = 1", "b")
    written: set[str] = set()

    def note(ask: Any, query: str, *rest: Any) -> Any:
        written.update(found[2] for found in WRITING.finditer(query))
        return ask(query, *rest)

    with connection.execute_wrapper(note):
        dry = filled.sql(f"{text} DRY RUN", "b")
    assert written <= {"catalog_app_table"}
    assert dry.extra["parent_merge"] == {"branch": "main", "mergeable": True, "conflicts": [], "notes": []}


SHAPES = {
    "keyed": "CREATE TABLE d.s (id INT, v STRING, PRIMARY KEY (id))",
    "checked": "CREATE TABLE d.s (id INT, v STRING, CONSTRAINT small CHECK (id < 100))",
    "partitioned": "CREATE TABLE d.s (id INT, v STRING) PARTITIONED BY (v)",
    "transformed": "CREATE TABLE d.s (id INT, v STRING) PARTITIONED BY (bucket(4, id), truncate(1, v))",
    "generated": "CREATE TABLE d.s (id INT, v STRING, twice INT GENERATED ALWAYS AS (id * 2))",
}
SHAPED = [
    "INSERT INTO d.s (id, v) VALUES (3, 'c'), (4, 'a')",
    "UPDATE d.s SET v = 'x' WHERE id = 1",
    "DELETE FROM d.s WHERE id = 2",
    "MERGE INTO d.s USING (SELECT 1 AS id, 'm' AS v) q ON s.id = q.id WHEN MATCHED THEN UPDATE SET v = q.v",
]


@pytest.mark.parametrize("shape", SHAPES)
def test_dry_run_answers_what_the_write_does(filled: Lake, shape: str) -> None:
    filled.sql(SHAPES[shape])
    filled.sql("INSERT INTO d.s (id, v) VALUES (1, 'a'), (2, 'b')")
    for text in SHAPED:
        before, seen = everything(filled), filled.head()
        dry = filled.sql(f"{text} DRY RUN")
        assert everything(filled) == before
        done = filled.sql(text)
        assert dry.metrics == done.metrics, text
        changed = filled.sql(f"SHOW CHANGES d.s FROM VERSION {seen} TO VERSION {done.version}").rows
        assert [[item["change"], *item["row"].values()] for item in dry.extra["examples"]] == [
            [change, *values] for change, _, *values in changed
        ], text
