"""The statements that are interrupted: what there was before, and what there must be afterwards."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from catalog_app.selectors.snapshots import branch_get, catalog_get
from catalog_app.services.imports import import_create
from catalog_app.storage.warehouse import Warehouse
from lakeui.frontdoor import Session, execute
from lakeui.frontdoor.entries.imports import import_lifetime
from lakeui.tasks.imports import load_parameters
from merge_app.pipelines.services import pipeline_create
from tests.support.lake import Lake

Rows = list[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Scenario:
    """``prepare`` brings a fresh lake to where the statement starts and answers the parameters of its task, which is of
    the given kind.

    ``rows`` are what each table holds once the statement is done; ``commits`` and ``records`` how many commits and
    audit records it makes. ``meanwhile`` is what another writer commits when the statement's files are staged.
    """

    prepare: Callable[[Lake], dict[str, Any]]
    rows: Mapping[str, Rows]
    commits: int = 1
    records: int = 0
    kind: str = "sql"
    meanwhile: str | None = None


def parameters(lake: Lake, statement: str, transaction: str | None = None) -> dict[str, Any]:
    return {"statement": statement, "catalog": lake.catalog, "branch": "main", "transaction": transaction}


def two_files(lake: Lake) -> None:
    """Table d.t with two rows in a file each."""
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a')")
    lake.sql("INSERT INTO d.t VALUES (2, 'b')")


def on_two_files(statement: str) -> Callable[[Lake], dict[str, Any]]:
    def prepare(lake: Lake) -> dict[str, Any]:
        two_files(lake)
        return parameters(lake, statement)

    return prepare


def merge_with_row_work(lake: Lake) -> dict[str, Any]:
    """The source deleted a row that the target has compacted since: the delete must follow it."""
    two_files(lake)
    lake.sql("CREATE BRANCH b")
    lake.sql("DELETE FROM d.t WHERE id = 1", "b")
    lake.sql("INSERT INTO d.t VALUES (3, 'c')", "b")
    lake.sql("OPTIMIZE d.t")
    return parameters(lake, "MERGE BRANCH b")


def merge_by_key(lake: Lake) -> dict[str, Any]:
    """Both sides changed rows of a table with a primary key, one of them the same row in different cells."""
    lake.sql("CREATE TABLE d.t (id INT PRIMARY KEY, v STRING, n INT)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a', 1), (2, 'b', 2)")
    lake.sql("CREATE BRANCH b")
    lake.sql("UPDATE d.t SET v = 'B' WHERE id = 1", "b")
    lake.sql("INSERT INTO d.t VALUES (3, 'c', 3)", "b")
    lake.sql("UPDATE d.t SET n = n + 10")
    return parameters(lake, "MERGE BRANCH b")


def merge_of_another_catalog(lake: Lake) -> dict[str, Any]:
    """The first merge of the two: it joins them."""
    two_files(lake)
    other = Lake()
    other.sql("CREATE DATABASE e")
    other.sql("CREATE TABLE e.t (id INT, v STRING)")
    other.sql("INSERT INTO e.t VALUES (3, 'c')")
    return parameters(lake, f"MERGE BRANCH {other.catalog}.main TO main")


def refused_merge(lake: Lake) -> dict[str, Any]:
    two_files(lake)
    lake.sql("CREATE BRANCH b")
    lake.sql("DELETE FROM d.t WHERE id = 1", "b")
    lake.sql("DROP TABLE d.t")
    lake.sql("CREATE TABLE d.u (id INT)")
    return parameters(lake, "MERGE BRANCH b")


def empty_merge(lake: Lake) -> dict[str, Any]:
    two_files(lake)
    lake.sql("CREATE BRANCH b")
    return parameters(lake, "MERGE BRANCH b")


def restore(lake: Lake) -> dict[str, Any]:
    two_files(lake)
    version = lake.head()
    lake.sql("DELETE FROM d.t WHERE id = 1")
    return parameters(lake, f"RESTORE TABLE d.t TO VERSION AS OF {version}")


def vacuum(lake: Lake) -> dict[str, Any]:
    two_files(lake)
    lake.sql("OPTIMIZE d.t")
    return parameters(lake, "VACUUM")


def undrop(lake: Lake) -> dict[str, Any]:
    two_files(lake)
    lake.sql("DROP TABLE d.t")
    return parameters(lake, "UNDROP TABLE d.t")


def undrop_branch(lake: Lake) -> dict[str, Any]:
    two_files(lake)
    lake.sql("CREATE BRANCH b")
    lake.sql("DROP BRANCH b")
    return parameters(lake, "UNDROP BRANCH b")


def reset_branch(lake: Lake) -> dict[str, Any]:
    two_files(lake)
    lake.sql("CREATE BRANCH b")
    lake.sql("DELETE FROM d.t WHERE id = 1", "b")
    return parameters(lake, "ALTER BRANCH b RESET TO PARENT")


def commit(lake: Lake) -> dict[str, Any]:
    two_files(lake)
    identity = lake.sql("BEGIN").extra["transaction"]
    session = Session(catalog=lake.catalog, transaction=identity)
    execute("INSERT INTO d.t VALUES (3, 'c')", session)
    execute("DELETE FROM d.t WHERE id = 1", session)
    return parameters(lake, "COMMIT", identity)


def import_of(table: str, mode: str, *key_columns: str, rows: bytes = b"3,c\n") -> Callable[[Lake], dict[str, Any]]:
    """A file of a row or more that somebody sent, to be loaded into the table."""

    def prepare(lake: Lake) -> dict[str, Any]:
        two_files(lake)
        with tempfile.NamedTemporaryFile(suffix=".csv") as file:
            file.write(b"id,v\n" + rows)
            file.flush()
            made = import_create(
                branch=branch_get(catalog_get(lake.catalog), "main"),
                user_id=None,
                name="rows.csv",
                file=Path(file.name),
                warehouse=Warehouse(settings.LAKEUI["WAREHOUSE"]),
                lifetime=import_lifetime(),
            )
        return load_parameters(made, {"database": "d", "table": table, "mode": mode, "key_columns": list(key_columns)})

    return prepare


def run_of(table: str, *config: str) -> Callable[[Lake], dict[str, Any]]:
    """A pipeline whose batch is a new image of row 1, and a third row."""

    def prepare(lake: Lake) -> dict[str, Any]:
        two_files(lake)
        names = {"name": "run", "layer": "", "database": "d", "table": table, "branch": "main", "schedule": ""}
        source = "SELECT * FROM VALUES (1, 'z'), (3, 'c') AS batch(id, v)"
        values = {**names, "source": source, "config": "\n".join(config)}
        pipeline = pipeline_create(catalog=catalog_get(lake.catalog), values=values, owner_id=None)
        names = {"catalog": lake.catalog, "branch": "main", "statement": "RUN PIPELINE run"}
        return {**names, "pipeline": pipeline.pk, "version": pipeline.revision}

    return prepare


MERGE = """MERGE INTO d.t USING (VALUES (1, 'z'), (2, 'gone'), (3, 'c')) s(id, v) ON t.id = s.id
    WHEN MATCHED AND s.v = 'gone' THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"""


def copy_on_write(lake: Lake) -> dict[str, Any]:
    two_files(lake)
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('write.merge.mode' = 'copy-on-write')")
    return parameters(lake, MERGE)


KEYED = ("merge_strategy: incremental", "unique_key: id")
A, B, C = (1, "a"), (2, "b"), (3, "c")

SCENARIOS = {
    "INSERT": Scenario(on_two_files("INSERT INTO d.t VALUES (3, 'c')"), {"d.t": [A, B, C]}),
    "UPDATE": Scenario(on_two_files("UPDATE d.t SET v = 'z' WHERE id = 1"), {"d.t": [(1, "z"), B]}),
    "DELETE": Scenario(on_two_files("DELETE FROM d.t WHERE id = 1"), {"d.t": [B]}),
    "MERGE INTO": Scenario(on_two_files(MERGE), {"d.t": [(1, "z"), C]}),
    "MERGE INTO, copy-on-write": Scenario(copy_on_write, {"d.t": [(1, "z"), C]}),
    "UPDATE beside OPTIMIZE": Scenario(
        on_two_files("UPDATE d.t SET v = 'z' WHERE id = 1"), {"d.t": [(1, "z"), B]}, meanwhile="OPTIMIZE d.t"
    ),
    "DELETE beside OPTIMIZE": Scenario(
        on_two_files("DELETE FROM d.t WHERE id = 1"), {"d.t": [B]}, meanwhile="OPTIMIZE d.t"
    ),
    "INSERT OVERWRITE": Scenario(on_two_files("INSERT OVERWRITE d.t VALUES (3, 'c')"), {"d.t": [C]}),
    "OPTIMIZE": Scenario(on_two_files("OPTIMIZE d.t"), {"d.t": [A, B]}),
    "CTAS": Scenario(on_two_files("CREATE TABLE d.u AS SELECT * FROM d.t"), {"d.t": [A, B], "d.u": [A, B]}),
    "MERGE BRANCH": Scenario(merge_with_row_work, {"d.t": [B, C]}, records=1),
    "MERGE BRANCH by key": Scenario(merge_by_key, {"d.t": [(1, "B", 11), (2, "b", 12), (3, "c", 3)]}, records=1),
    "MERGE BRANCH of another catalog": Scenario(merge_of_another_catalog, {"d.t": [A, B], "e.t": [C]}, records=1),
    "MERGE BRANCH, refused": Scenario(refused_merge, {"d.u": []}, commits=0, records=1),
    "MERGE BRANCH, nothing new": Scenario(empty_merge, {"d.t": [A, B]}, commits=0, records=1),
    "RESTORE TABLE": Scenario(restore, {"d.t": [A, B]}, records=1),
    "UNDROP TABLE": Scenario(undrop, {"d.t": [A, B]}, records=1),
    "UNDROP BRANCH": Scenario(undrop_branch, {"d.t": [A, B], "d.`t@b`": [A, B]}, commits=0, records=1),
    "RESET BRANCH": Scenario(reset_branch, {"d.t": [A, B], "d.`t@b`": [A, B]}, commits=0, records=1),
    "CREATE BRANCH": Scenario(on_two_files("CREATE BRANCH b"), {"d.`t@b`": [A, B]}, commits=0),
    "VACUUM": Scenario(vacuum, {"d.t": [A, B]}, commits=0, records=1),
    "COMMIT": Scenario(commit, {"d.t": [B, C]}, records=1),
    "IMPORT": Scenario(import_of("t", "append"), {"d.t": [A, B, C]}, kind="import"),
    "RUN PIPELINE": Scenario(run_of("t", *KEYED), {"d.t": [(1, "z"), B, C]}, kind="pipeline"),
    "RUN PIPELINE, first run": Scenario(run_of("u", *KEYED), {"d.t": [A, B], "d.u": [(1, "z"), C]}, kind="pipeline"),
    "RUN PIPELINE, published": Scenario(
        run_of("t", *KEYED, "publish: checked", "checks: [id > 0]"),
        {"d.t": [(1, "z"), B, C]},
        records=1,
        kind="pipeline",
    ),
    "IMPORT by key": Scenario(
        import_of("t", "upsert", "id", rows=b"1,z\n3,c\n"), {"d.t": [(1, "z"), B, C]}, kind="import"
    ),
    "IMPORT of a new table": Scenario(import_of("u", "create"), {"d.t": [A, B], "d.u": [C]}, kind="import"),
}
