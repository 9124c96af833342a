"""A dry run does all that a write does but its commit: the same metrics, examples of rows, and nothing is left."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from django.conf import settings

from catalog_app.models import Commit, Database, DataFile, DeleteFile, Table, Tag, Transaction
from catalog_app.selectors.lineage import catalog_get
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import DuplicateKey, InvalidValue, MergeConflict
from lakeui.frontdoor import Session, execute
from lakeui.frontdoor.batches import batch_merge
from tests.e2e.lake import Lake
from tests.e2e.test_over_http import Http, http

__all__ = ["http"]

ROWS = [
    "INSERT INTO d.t VALUES (3, 'c')",
    "INSERT OVERWRITE d.t SELECT 9, 'z'",
    "UPDATE d.t SET v = 'new' WHERE id = 1",
    "DELETE FROM d.t WHERE id = 1",
    "DELETE FROM d.t",
    "MERGE INTO d.t USING (SELECT 1 AS id, 'm' AS v UNION ALL SELECT 7, 'n') s ON d.t.id = s.id"
    " WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
    "TRUNCATE TABLE d.t",
    "OPTIMIZE d.t",
    "CREATE TABLE d.made AS SELECT 1 AS one",
]
CHANGES = [statement for statement in ROWS if statement.startswith(("UPDATE", "DELETE", "MERGE"))]
"""Only these are written in one of two modes."""
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
    "CREATE TAG fresh",
    "DROP TAG early",
    "CREATE VIEW d.v AS SELECT 1 AS one",
    "RESTORE TABLE d.t TO VERSION AS OF 2",
    "UNDROP TABLE d.gone",
    "DROP CATALOG {catalog}",
]
READS = ["SHOW TABLES IN d", "DESCRIBE TABLE d.t", "USE BRANCH b", "BEGIN", "SHOW HISTORY"]


@pytest.fixture
def filled(lake: Lake) -> Lake:
    """Table d.t of two files, a dropped table, a branch and a tag."""
    lake.sql("CREATE TABLE d.t (id INT, v STRING, PRIMARY KEY (id))")
    lake.sql("INSERT INTO d.t VALUES (1, 'a')")
    lake.sql("INSERT INTO d.t VALUES (2, 'b')")
    lake.sql("CREATE TABLE d.gone (id INT)")
    lake.sql("DROP TABLE d.gone")
    lake.sql("CREATE BRANCH b")
    lake.sql("CREATE TAG early VERSION AS OF 2")
    return lake


def everything(lake: Lake) -> dict[str, Any]:
    """What there is of the lake, in the metadata and on disk."""
    catalog = catalog_get(lake.catalog)
    tables = list(Table.objects.filter(catalog=catalog).order_by("pk").values_list("pk", flat=True))
    warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])
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
        "files": sorted(file.path for table in (0, *tables) for file in warehouse.all_under(str(table))),
        "rows": lake.rows("d.t"),
        "columns": lake.sql("DESCRIBE TABLE d.t").rows,
    }


@pytest.mark.parametrize(("mode", "statements"), [("merge-on-read", ROWS), ("copy-on-write", CHANGES)])
def test_the_metrics_are_those_of_the_write_and_nothing_is_left(filled: Lake, mode: str, statements: list[str]) -> None:
    """Each statement has a branch of its own."""
    for kind in ("merge", "update", "delete"):
        filled.sql(f"ALTER TABLE d.t SET TBLPROPERTIES ('write.{kind}.mode' = '{mode}')")
    for number, statement in enumerate(statements):
        branch = f"own{number}"
        filled.sql(f"CREATE BRANCH {branch}")
        before, rows = everything(filled), filled.rows("d.t", branch)
        dry = filled.sql(f"{statement} DRY RUN", branch)
        assert everything(filled) == before, statement
        assert filled.rows("d.t", branch) == rows, statement
        assert (dry.extra["dry_run"], dry.version) == (True, filled.head(branch)), statement
        done = filled.sql(statement, branch)
        # Names of columns in a file's own metadata aside, a file is as long each time; its bytes hold fresh numbers.
        assert {**dry.metrics, "bytes_written": 0} == {**done.metrics, "bytes_written": 0}, statement
        assert (dry.metrics["bytes_written"] > 0) == (done.metrics["bytes_written"] > 0), statement


def test_a_dry_run_of_a_change_of_metadata_changes_nothing(filled: Lake) -> None:
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


def test_examples_show_the_rows_that_would_change(filled: Lake) -> None:
    dry = filled.sql("UPDATE d.t SET v = 'new' WHERE id = 1 DRY RUN")
    assert dry.extra["examples"] == [
        {"table": "d.t", "change": "update_before", "row": {"id": 1, "v": "a"}},
        {"table": "d.t", "change": "update_after", "row": {"id": 1, "v": "new"}},
    ]
    dry = filled.sql("INSERT INTO d.t VALUES (3, 'c') DRY RUN")
    assert dry.extra["examples"] == [{"table": "d.t", "change": "insert", "row": {"id": 3, "v": "c"}}]


def test_a_write_that_would_be_refused_is_refused_in_its_dry_run(filled: Lake) -> None:
    before = everything(filled)
    with pytest.raises(DuplicateKey):
        filled.sql("INSERT INTO d.t VALUES (1, 'twice') DRY RUN")
    assert everything(filled) == before


def test_a_dry_run_in_a_transaction_leaves_the_transaction_as_it_is(filled: Lake) -> None:
    opened = filled.sql("BEGIN").extra["transaction"]
    filled.sql("INSERT INTO d.t VALUES (3, 'c')", transaction=opened)
    filled.sql("DELETE FROM d.t DRY RUN", transaction=opened)
    dry = filled.sql("COMMIT DRY RUN", transaction=opened)
    assert dry.extra["dry_run"] is True
    assert filled.rows("d.t") == [(1, "a"), (2, "b")]
    filled.sql("COMMIT", transaction=opened)
    assert filled.rows("d.t") == [(1, "a"), (2, "b"), (3, "c")]


def test_a_dry_run_of_a_commit_that_conflicts_is_refused_and_the_transaction_stays(filled: Lake) -> None:
    opened = filled.sql("BEGIN").extra["transaction"]
    filled.sql("UPDATE d.t SET v = 'mine' WHERE id = 1", transaction=opened)
    filled.sql("UPDATE d.t SET v = 'theirs' WHERE id = 1")
    with pytest.raises(MergeConflict):
        filled.sql("COMMIT DRY RUN", transaction=opened)
    filled.sql("ROLLBACK", transaction=opened)


def test_a_keyed_merge_has_a_dry_run(filled: Lake) -> None:
    before = everything(filled)
    batch = pa.table({"id": pa.array([1, 9], pa.int32()), "v": ["B", "N"]})
    dry = batch_merge(batch, "d.t", "upsert", "id", session=Session(filled.catalog, dry_run=True))
    assert everything(filled) == before
    assert (dry.metrics["rows_updated"], dry.metrics["rows_inserted"]) == (1, 1)


def test_a_dry_run_over_http_writes_nothing(http: Http) -> None:
    http.sql("CREATE TABLE d.t (id INT)")
    http.sql("CREATE BRANCH b")
    http.sql("INSERT INTO d.t VALUES (1)", "b", Prefer="wait=60")

    def ask(statement: str) -> Any:
        body = {"catalog": http.catalog, "statement": statement, "dry_run": True}
        return http.client.post("/api/v1/sql/", body, content_type="application/json", headers={"Prefer": "wait=60"})

    assert ask("MERGE BRANCH b").json()["mergeable"] is True
    assert ask("INSERT INTO d.t VALUES (5)").json()["metrics"]["rows_inserted"] == 1
    refused = ask("SELECT 1")
    assert (refused.status_code, refused.json()["field"]) == (400, "dry_run")
    address = f"/api/v1/catalogs/{http.catalog}/branches/main/databases/d/tables/t/rows/merge/"
    merged = http.client.post(
        f"{address}?strategy=upsert&key_columns=id&dry_run=true",
        b'[{"id": 5}]',
        content_type="application/octet-stream",
        headers={"Prefer": "wait=60"},
    )
    assert (merged.status_code, merged.json()["metrics"]["rows_inserted"]) == (200, 1), merged.content
    assert http.sql("SELECT id FROM d.t").json()["rows"] == []
