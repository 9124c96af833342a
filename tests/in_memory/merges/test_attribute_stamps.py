"""Each attribute has the stamp of the commit that decided it, on every branch that it came to (lineage §1, §3)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, transaction

from catalog_app.domain.attribute_facts import AttributeFact, Facts, Merged, facts_merged
from catalog_app.domain.operations import ObjectKind
from catalog_app.models import AttributeFacts
from catalog_app.selectors.attribute_facts import ObjectKey, attribute_histories, newest
from catalog_app.selectors.snapshots import branch_get, branch_snapshot, catalog_get
from catalog_app.services.attribute_checks import facts_check
from catalog_app.services.attribute_derivation import facts_derive
from lakeui.common.errors import LakeError
from tests.in_memory.conftest import Begun
from tests.support.lake import Lake
from tests.support.soak import IS_SOAK

Stored = dict[tuple[int, int, ObjectKey], Facts]


def facts(lake: Lake, branch: str = "main", kind: str = "table") -> dict[str, AttributeFact]:
    """Of the only object of its kind that the test changes, the last one made."""
    rows = AttributeFacts.objects.filter(branch__catalog__name=lake.catalog, object_kind=kind)
    identity = rows.order_by("-object_id").values_list("object_id", flat=True)[0]
    snapshot = branch_snapshot(branch_get(catalog_get(lake.catalog), branch))
    key = ObjectKind(kind), identity
    return newest(attribute_histories(snapshot, [key])[key])


def stored(lake: Lake) -> Stored:
    rows = AttributeFacts.objects.filter(branch__catalog__name=lake.catalog)
    return {
        (row.branch_id, row.version, (ObjectKind(row.object_kind), row.object_id)): {
            name: AttributeFact(*fact) for name, fact in row.facts.items()
        }
        for row in rows
    }


def table_fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (a int, b string)")
    lake.sql("CREATE BRANCH dev")


@pytest.fixture
def table(begun: Begun) -> Lake:
    return begun(table_fill)


def test_a_statement_stamps_only_what_it_changes(table: Lake) -> None:
    made = table.head()
    table.sql("ALTER TABLE d.t SET TBLPROPERTIES ('p' = '1')")
    found = facts(table)
    assert found["property/p"] == AttributeFact("1", table.head(), "set")
    assert {fact.stamp for name, fact in found.items() if name != "property/p"} == {made}
    assert found["column/1/type"].value == "int"


def test_rows_stamp_no_attribute_and_ask_for_none(table: Lake) -> None:
    before, texts = stored(table), []

    def noted(execute: Callable[..., Any], text: str, *arguments: Any) -> Any:
        texts.append(text)
        return execute(text, *arguments)

    with connection.execute_wrapper(noted):
        table.sql("INSERT INTO d.t VALUES (1, 'x')")
    assert texts
    assert not [text for text in texts if "attributefacts" in text]
    assert stored(table) == before


def test_a_merge_brings_the_stamp_of_the_source(table: Lake) -> None:
    table.sql("ALTER TABLE d.t RENAME COLUMN b TO c", "dev")
    table.sql("ALTER TABLE d.t ALTER COLUMN a COMMENT 'here'")
    table.merge("dev")
    assert facts(table)["column/2/name"] == AttributeFact("c", table.head("dev"), "set")
    assert facts(table)["column/1/comment"].stamp == table.head() - 1
    assert table.breaches() == []


def test_what_a_merge_decides_has_its_own_stamp(table: Lake) -> None:
    table.sql("ALTER TABLE d.t SET TBLPROPERTIES ('p' = 'dev')", "dev")
    table.sql("ALTER TABLE d.t SET TBLPROPERTIES ('p' = 'main')")
    table.merge("dev")
    assert facts(table)["property/p"] == AttributeFact("dev", table.head(), "set")
    table.merge("main", "dev")
    assert facts(table, "dev")["property/p"] == AttributeFact("dev", table.head(), "set")
    assert table.breaches() == []


def test_of_two_equal_facts_the_newer_one_stays(table: Lake) -> None:
    table.sql("ALTER TABLE d.t SET TBLPROPERTIES ('p' = '1')")
    table.sql("ALTER TABLE d.t SET TBLPROPERTIES ('p' = '1')", "dev")
    table.merge("dev")
    assert facts(table)["property/p"].stamp == table.head("dev")


def test_a_restore_records_what_it_restores(table: Lake) -> None:
    table.sql("ALTER TABLE d.t SET TBLPROPERTIES ('p' = '1')")
    first = table.head()
    table.sql("ALTER TABLE d.t SET TBLPROPERTIES ('p' = '2')")
    for _ in range(2):
        table.sql(f"RESTORE TABLE d.t TO VERSION AS OF {first}")
        assert facts(table)["property/p"] == AttributeFact("1", table.head(), "restore", first, "set")
        table.sql("ALTER TABLE d.t UNSET TBLPROPERTIES ('p')")
        assert facts(table)["property/p"] == AttributeFact(None, table.head(), "set")


def test_an_undrop_records_what_it_restores(table: Lake) -> None:
    made = table.head()
    table.sql("DROP TABLE d.t")
    table.sql("UNDROP TABLE d.t")
    assert facts(table)["exists"] == AttributeFact(True, table.head(), "restore", made, "set")


def test_a_restored_column_keeps_no_later_attribute(table: Lake) -> None:
    first = table.head()
    table.sql("ALTER TABLE d.t ALTER COLUMN b COMMENT 'later'")
    table.sql("ALTER TABLE d.t DROP COLUMN b")
    table.sql(f"RESTORE TABLE d.t TO VERSION AS OF {first}")
    assert facts(table)["column/2/comment"].value is None
    assert table.breaches() == []


def test_a_transaction_has_the_stamp_of_its_commit(table: Lake) -> None:
    identity = str(table.sql("BEGIN").extra["transaction"])
    table.sql("ALTER TABLE d.t SET TBLPROPERTIES ('p' = '1')", transaction=identity)
    table.sql("ALTER TABLE d.t RENAME COLUMN b TO c", transaction=identity)
    table.sql("COMMIT", transaction=identity)
    assert {facts(table)[name].stamp for name in ("property/p", "column/2/name")} == {table.head()}


def test_a_database_drop_is_no_fact_of_tables(table: Lake) -> None:
    made = facts(table)["exists"]
    table.sql("DROP DATABASE d CASCADE", "dev")
    table.merge("dev")
    assert facts(table)["exists"] == made
    assert facts(table, kind="database")["exists"] == AttributeFact(None, table.head("dev"), "set")
    assert table.breaches() == []


def test_a_merge_knows_what_was_made_and_dropped(table: Lake) -> None:
    table.sql("CREATE TABLE d.u (a int)", "dev")
    table.sql("DROP TABLE d.u", "dev")
    table.merge("dev")
    assert facts(table) == facts(table, "dev")
    assert table.breaches() == []


def test_what_a_decision_leaves_out_does_not_exist() -> None:
    source = {"exists": AttributeFact(True, 3, "set"), "name": AttributeFact("t", 3, "set")}
    merged = Merged(None, 9, source_knows=lambda stamp: stamp < 4, target_knows=lambda stamp: stamp < 3)
    assert facts_merged(source, {}, merged) == source | {"exists": AttributeFact(None, 9, "set")}


def statement(rng: Random, number: int) -> str:
    table = rng.choice(("d.t", "d.u", "e.v"))
    return rng.choice(
        (
            f"ALTER TABLE {table} SET TBLPROPERTIES ('{rng.choice('pq')}' = '{rng.choice('12')}')",
            f"ALTER TABLE {table} UNSET TBLPROPERTIES IF EXISTS ('{rng.choice('pq')}')",
            f"ALTER TABLE {table} ADD COLUMN c{number % 4} int{rng.choice(('', ' FIRST', ' DEFAULT 5'))}",
            f"ALTER TABLE {table} ALTER COLUMN c{number % 4} TYPE bigint",
            f"ALTER TABLE {table} ADD COLUMN n{number % 4} struct<x: int>",
            f"ALTER TABLE {table} ADD COLUMN n{number % 4}.y int",
            f"ALTER TABLE {table} RENAME COLUMN a TO a{number}",
            f"ALTER TABLE {table} ALTER COLUMN a TYPE bigint",
            f"ALTER TABLE {table} ALTER COLUMN b FIRST",
            f"ALTER TABLE {table} DROP COLUMN b",
            f"ALTER TABLE {table} ALTER COLUMN a COMMENT '{number}'",
            f"ALTER TABLE {table} RENAME TO d.n{number}",
            f"DROP TABLE {table}",
            f"UNDROP TABLE {table}",
            f"CREATE TABLE {table} (a int, b string)",
            "DROP DATABASE e CASCADE",
            "UNDROP DATABASE e",
            f"ALTER DATABASE d SET DBPROPERTIES ('p' = '{number}')",
        )
    )


def run(lake: Lake, text: str, branch: str = "main", **more: Any) -> None:
    """Many statements of a random history find nothing to do."""
    with suppress(LakeError):
        lake.sql(text, branch, **more)


def history(lake: Lake, rng: Random) -> None:
    lake.sql("CREATE DATABASE e")
    for name in ("d.t", "d.u", "e.v"):
        lake.sql(f"CREATE TABLE {name} (a int, b string)")
    branches = ("main", "dev", "b2")
    for name in branches[1:]:
        lake.sql(f"CREATE BRANCH {name}")
    for number in range(60):
        branch, kind = rng.choice(branches), rng.randrange(10)
        if kind < 6:
            run(lake, statement(rng, number), branch)
        elif kind < 8:
            run(lake, f"MERGE BRANCH {rng.choice([n for n in branches if n != branch])} TO {branch}")
        elif kind < 9:
            version = rng.randrange(4, lake.head(branch) + 1)
            run(
                lake,
                f"RESTORE {rng.choice(('TABLE d.t', 'DATABASE e', f'BRANCH {branch}'))} TO VERSION AS OF {version}",
                branch,
            )
        else:
            identity = str(lake.sql("BEGIN", branch).extra["transaction"])
            for step in range(2):
                run(lake, statement(rng, 100 * number + step), branch, transaction=identity)
            run(lake, statement(rng, 100 * number + 50), branch)
            run(lake, "COMMIT", branch, transaction=identity)


@pytest.mark.parametrize("seed", range(200 if IS_SOAK else 4))
def test_the_upgrade_derives_the_facts_that_commits_write(lake: Lake, seed: int) -> None:
    history(lake, Random(seed))
    assert lake.breaches() == []
    branches = {key[0] for key in stored(lake)}
    derived = {(item.branch_id, item.version, item.key): item.facts for item in facts_derive()}
    assert {key: found for key, found in derived.items() if key[0] in branches} == stored(lake)


def migration_module() -> Any:
    """Whatever its number is."""
    (path,) = (Path(settings.BASE_DIR) / "catalog_app" / "migrations").glob("*_attribute_stamps.py")
    return import_module(f"catalog_app.migrations.{path.stem}")


def test_the_upgrade_stops_where_branches_contradict_each_other(table: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    migration = migration_module()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL lakeui.expiring = 'on'")
        AttributeFacts.objects.all().delete()
        migration.facts_write(None, SimpleNamespace(connection=connection))
        row = AttributeFacts.objects.filter(branch__catalog__name=table.catalog, object_kind="table").get()
        name = row.facts["name"]
        dev = branch_get(catalog_get(table.catalog), "dev")
        AttributeFacts.objects.create(
            branch=dev,
            version=dev.head_version,
            object_kind="table",
            object_id=row.object_id,
            facts={"name": ["other", name[1], "set"], "comment": ["x", table.head() - 1, "set"]},
        )
        found = facts_check(dev.catalog_id)
        monkeypatch.setattr(migration, "facts_derive", list)
        with pytest.raises(migration.FactsContradict, match="one stamp names two facts"):
            migration.facts_write(None, SimpleNamespace(connection=connection))
        assert [breach.split(":")[0] for breach in found] == [
            "one stamp names two facts",
            "each branch knows the other's fact",
        ]
        transaction.set_rollback(True)
