"""Role x statement: who gets through the front door's gate, who is refused and why, and for whom nothing exists.

The gate is what is tested, so handlers only note that they were reached.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from catalog_app.domain.roles import Scope
from catalog_app.selectors.objects import databases_list
from catalog_app.selectors.snapshots import branch_get, branch_snapshot, catalog_get
from lakeui.common.errors import NotFound, PermissionDenied
from lakeui.frontdoor import Session, StatementResult, execute
from lakeui.frontdoor.statements import STATEMENTS
from lakeui.sql.parse import parse
from merge_app.execution.apply import CommitHeader
from merge_app.execution.views import ViewChange, view_commit
from tests.benchmarks.metadata import Bench
from tests.rights.conftest import ROLES, Cast, cast_make
from tests.support.members import join

BY_TEXT = [kind for kind, row in STATEMENTS.items() if row.handler is not None]
# Least role, and statements that take it. {c} is the catalog's name.
READ = (
    *("SHOW RESTRICTIONS", "SHOW RESTRICTIONS ON {c}.d.t"),
    *("USE d", "USE DATABASE {c}.d"),
    *("USE BRANCH main", "SHOW BRANCHES", "SHOW TAGS", "SHOW DATABASES", "DESCRIBE DATABASE d", "SHOW TABLES"),
    *("CREATE TEMP VIEW x AS SELECT * FROM d.t", "DROP TEMP VIEW IF EXISTS x", "DESCRIBE QUERY SELECT * FROM d.t"),
    "SET spark.sql.sources.partitionOverwriteMode = DYNAMIC",
    *("DESCRIBE TABLE d.t", "SHOW CREATE TABLE d.t", "SHOW PARTITIONS d.t", "SHOW PROFILE d.t"),
    *("SHOW VIEWS", "DESCRIBE HISTORY d.t"),
    *("SHOW HISTORY", "SHOW SEGMENTS d.t", "SHOW MERGES", "SHOW CHANGES d.t FROM VERSION 1 TO VERSION 2"),
    *("SHOW QUERIES", "DESCRIBE CATALOG {c}", "SHOW TABLE EXTENDED IN d LIKE '*'", "SHOW TBLPROPERTIES d.t"),
    *(
        "SHOW COLUMNS IN d.t",
        "SHOW SCHEMA VERSIONS d.t",
        "DESCRIBE d.t id",
        "DESCRIBE DETAIL d.t",
        "EXPLAIN DELETE FROM d.t",
    ),
    *("SELECT * FROM table_changes('d.t', 1)", "SELECT * FROM table_difference('{c}.d.t', 1, 'b')"),
    *("SELECT * FROM d.t", "SELECT * FROM {c}.d.t", "MERGE BRANCH b TO main DRY RUN", "USE CATALOG {c}"),
)
CONTRIBUTE = (
    *("CREATE DATABASE e", "DROP DATABASE d", "ALTER DATABASE d RENAME TO e", "CREATE DATABASE {c}.e"),
    *("ALTER DATABASE d SET DBPROPERTIES ('k' = 'v')", "ALTER DATABASE d UNSET DBPROPERTIES ('k')"),
    *("CREATE TABLE d.u (id INT)", "CREATE TABLE {c}.d.u (id INT)", "DROP TABLE d.t", "DROP TABLE IF EXISTS {c}.d.t"),
    *("CREATE TABLE d.u AS SELECT * FROM d.t", "ALTER TABLE d.t RENAME TO d.u"),
    *("ALTER TABLE d.t SET TBLPROPERTIES ('k' = 'v')", "ALTER TABLE d.t UNSET TBLPROPERTIES ('k')"),
    *("ALTER TABLE d.t ADD COLUMN x INT", "ALTER TABLE d.t DROP COLUMN id", "ALTER TABLE d.t RENAME COLUMN id TO x"),
    *("ALTER TABLE d.t ADD PARTITION FIELD bucket(2, id)", "ALTER TABLE d.t CLUSTER BY (id)"),
    *("COMMENT ON DATABASE d IS 'x'", "COMMENT ON TABLE d.t IS 'x'", "COMMENT ON COLUMN d.t.id IS 'x'"),
    *("ALTER TABLE d.t ALTER COLUMN id SYNC IDENTITY", "ALTER TABLE d.t REPLACE COLUMNS (id INT, w INT)"),
    *("ALTER TABLE d.t ALTER COLUMN id COMMENT 'x', id FIRST", "CREATE TABLE d.u LIKE d.t", "DROP TABLE d.t PURGE"),
    *("CREATE TABLE d.u FROM PARQUET '/x'", "COPY INTO d.t FROM '/x' FILEFORMAT = CSV"),
    *("CREATE TABLE d.u CLONE d.t", "CREATE TABLE d.u CLONE {c}.d.`t@b` VERSION AS OF 1"),
    "WITH s AS (SELECT 1 AS id) DELETE FROM d.t WHERE id IN (SELECT id FROM s)",
    *("ALTER TABLE d.t ALTER COLUMN id COMMENT 'x'", "ALTER TABLE d.t ADD PARTITION (id = 1)"),
    *("ALTER TABLE d.t ADD CONSTRAINT c CHECK (id > 0)", "ALTER TABLE d.t DROP CONSTRAINT c"),
    *("ALTER TABLE d.t DROP PARTITION (id = 1)", "ALTER TABLE d.t PARTITION (id = 1) RENAME TO PARTITION (id = 2)"),
    *("CREATE VIEW d.v AS SELECT * FROM d.t", "DROP VIEW d.v", "INSERT INTO d.t VALUES (1)"),
    *("ALTER VIEW d.v AS SELECT * FROM d.t", "ALTER VIEW d.v RENAME TO w"),
    *("ALTER VIEW d.v SET TBLPROPERTIES ('a' = 'b')", "ALTER VIEW d.v UNSET TBLPROPERTIES ('a')"),
    *("INSERT INTO {c}.d.t VALUES (1)", "INSERT OVERWRITE d.t VALUES (1)", "DELETE FROM d.t", "UPDATE d.t SET id = 1"),
    "MERGE INTO d.t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE",
    *("TRUNCATE TABLE d.t", "OPTIMIZE d.t", "BEGIN"),
    *("RESTORE TABLE d.t TO VERSION AS OF 1", "RESTORE DATABASE d TO VERSION AS OF 1"),
    *("RESTORE BRANCH main TO VERSION AS OF 1", "RESTORE MERGE 7d1fe2f8-4fd1-4a3c-9e35-0a4a8b1e2b9e"),
    *("UNDROP TABLE d.t", "UNDROP DATABASE d", "CREATE BRANCH n", "CREATE BRANCH n FROM {c}.main", "CREATE TAG g"),
    *("DROP BRANCH b", "DROP BRANCH IF EXISTS {c}.b", "ALTER BRANCH b RENAME TO n", "UNDROP BRANCH gone"),
    *("ALTER BRANCH b RESET TO PARENT", "ALTER BRANCH {c}.b RESET TO PARENT IF HEAD = 1"),
    *("ALTER BRANCH b SET EXPIRY '7 days'", "ALTER BRANCH {c}.b UNSET EXPIRY", "CREATE BRANCH n WITH EXPIRY '1 hour'"),
    *("MERGE BRANCH b TO main", "MERGE BRANCH {c}.b", "MERGE BRANCH b TO {c}.main"),
)
MAINTAIN = ("DROP TAG g", "ALTER TAG g RENAME TO h", "VACUUM", "VACUUM DRY RUN", "VACUUM d.t", "VACUUM d.t DRY RUN")
OWN = (
    *("DROP CATALOG {c}", "DROP CATALOG IF EXISTS {c}", "ALTER CATALOG {c} RENAME TO n"),
    *("ALTER CATALOG {c} SET PROPERTIES ('merge.conflicts' = 'row')",
      "ALTER CATALOG {c} UNSET PROPERTIES ('merge.conflicts')"),
    *("ALTER TABLE d.t SET ROW FILTER (id > 1) FOR ROLE viewer", "ALTER TABLE {c}.d.t UNSET ROW FILTER FOR GROUP g"),
    *("ALTER TABLE d.t ALTER COLUMN id SET MASK (NULL) FOR ROLE viewer",
      "ALTER TABLE {c}.d.t ALTER COLUMN id UNSET MASK FOR ROLE viewer"),
)  # fmt: skip
LEAST = {"viewer": READ, "contributor": CONTRIBUTE, "maintainer": MAINTAIN, "owner": OWN}
CELLS = [(least, text) for least, texts in LEAST.items() for text in texts]
ELSEWHERE = {
    *("SHOW DROPPED CATALOGS", "UNDROP CATALOG x"),
    *("CREATE CATALOG x", "SHOW CATALOGS", "COMMIT", "ROLLBACK", "SHOW FUNCTIONS"),
    *("CREATE TEMPORARY FUNCTION f(x INT) RETURN x", "DROP TEMPORARY FUNCTION IF EXISTS f", "DESCRIBE FUNCTION f"),
    "CANCEL QUERY '7d1fe2f8-4fd1-4a3c-9e35-0a4a8b1e2b9e'",
}
"""Statements that are tested below or with transactions."""


@pytest.fixture(scope="module")
def made_once(open_database: None) -> tuple[Cast, str]:
    """A cast whose lake has branch b, and the name of a lake that people of the cast may own."""
    made = cast_make(Bench(1))
    made.lake.sql("CREATE BRANCH b")
    return made, Bench(1).catalog


@pytest.fixture
def cast(made_once: tuple[Cast, str]) -> Iterator[Cast]:
    """The cast; what a test does to it is taken back."""
    with transaction.atomic():
        yield made_once[0]
        transaction.set_rollback(True)


@pytest.fixture
def own_lake(cast: Cast, made_once: tuple[Cast, str]) -> str:
    """The name of a lake that people of the cast may own."""
    return made_once[1]


@pytest.fixture
def gate(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> Cast:
    """The cast, with handlers that do nothing."""
    for kind in BY_TEXT:
        monkeypatch.setitem(STATEMENTS, kind, replace(STATEMENTS[kind], handler=_reached))
    return cast


def _reached(call: Any, statement: Any) -> StatementResult:
    # As every handler does: names of catalogs come from nowhere else.
    call.catalog_named(None)
    return StatementResult(extra={"reached": True})


def outcome(cast: Cast, user: User, text: str, catalog: str | None = None, **session: Any) -> int:
    """200, 403 or 404."""
    try:
        done = execute(text.format(c=cast.catalog), Session(catalog or cast.catalog, "main", user, **session))
    except PermissionDenied as refusal:
        return refusal.status if refusal.remedy else 0
    except NotFound as refusal:
        # Nothing near it either: its name as a suggestion would say that it is there.
        is_hidden = refusal.details["kind"] == "catalog" and refusal.details["nearest"] != cast.catalog
        return refusal.status if is_hidden else 0
    # IF EXISTS hides what somebody else cannot see as it hides what is not there.
    return 200 if done.extra.get("reached") else 404


@pytest.mark.parametrize("text", ["SELECT 1", "VALUES (1)", "SELECT count(*) FROM range(10)"])
def test_query_without_a_table_needs_a_role_too(gate: Cast, text: str) -> None:
    assert outcome(gate, gate.people["none"], text) == 403
    assert outcome(gate, gate.people["viewer"], text) == 200


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(("least", "text"), CELLS)
def test_a_role_gets_through_where_it_is_enough(gate: Cast, role: str, least: str, text: str) -> None:
    enough = ROLES.index(role) >= ROLES.index(least)
    expected = 404 if role == "none" else 200 if enough else 403
    assert outcome(gate, gate.people[role], text) == expected


@pytest.mark.parametrize(("least", "text"), CELLS)
def test_a_superuser_is_owner_everywhere(gate: Cast, least: str, text: str) -> None:
    assert outcome(gate, User.objects.create_superuser("root"), text) == 200


@pytest.mark.parametrize("text", READ)
def test_for_an_outsider_there_is_nothing_to_read(own_lake: str, cast: Cast, text: str) -> None:
    """Through the handlers themselves."""
    assert outcome(cast, cast.people["none"], text) == 404


@pytest.mark.parametrize(
    "text",
    [
        *("SELECT * FROM {c}.d.t", "SELECT 1 WHERE EXISTS (SELECT 1 FROM {c}.d.t)", "DESCRIBE TABLE {c}.d.t"),
        *("WITH x AS (SELECT * FROM {c}.d.`t@main`) SELECT * FROM x", "SHOW TABLES IN {c}.d", "SHOW SEGMENTS {c}.d.t"),
        *("DELETE FROM d.t WHERE id IN (SELECT id FROM {c}.d.t)", "CREATE TABLE d.u LIKE {c}.d.t"),
        *("CREATE TABLE d.u CLONE {c}.d.t", "SELECT * FROM table_changes('{c}.d.t', 1)"),
        "INSERT INTO d.t SELECT id FROM table_difference('{c}.d.t', 1, 'main')",
        *("INSERT INTO d.t SELECT * FROM {c}.d.t", "CREATE TABLE d.u AS SELECT * FROM {c}.d.t"),
        *("CREATE VIEW d.v AS SELECT * FROM {c}.d.t", "MERGE BRANCH {c}.main TO main", "CREATE BRANCH n FROM {c}.main"),
        *(
            "MERGE BRANCH {c}.main TO main DRY RUN",
            "USE CATALOG {c}",
            "USE BRANCH {c}.main",
            "CREATE TAG g FROM {c}.main",
        ),
    ],
)
def test_owner_reaches_no_catalog_invisible_to_them(own_lake: str, cast: Cast, text: str) -> None:
    join(cast.people["none"], own_lake)
    assert outcome(cast, cast.people["none"], text, own_lake) == 404


def test_a_view_shows_what_its_reader_may_see(own_lake: str, cast: Cast) -> None:
    """A view's query runs with the rights of whoever reads it."""
    main = branch_get(catalog_get(own_lake), "main")
    (database,) = databases_list(branch_snapshot(main))
    view = ViewChange(0, database.database_id, "v", f"SELECT * FROM {cast.catalog}.d.t")
    view_commit(branch_snapshot(main), main.pk, view, CommitHeader("CREATE VIEW"))
    join(cast.people["none"], own_lake)
    assert outcome(cast, cast.people["none"], "SELECT * FROM d.v", own_lake) == 404


@pytest.mark.parametrize("text", ["SHOW CATALOGS", "CREATE CATALOG x"])
@pytest.mark.parametrize("role", ROLES)
def test_what_is_of_no_catalog_takes_no_role(cast: Cast, role: str, text: str) -> None:
    execute(text, Session(None, "main", cast.people[role]))


def test_explain_needs_right_of_what_it_explains(cast: Cast) -> None:
    def explain(role: str) -> list[list[Any]]:
        return execute("EXPLAIN CREATE DATABASE e", Session(cast.catalog, "main", cast.people[role])).rows

    with pytest.raises(PermissionDenied):
        explain("viewer")
    assert explain("contributor") == [["create database", "e"]]


def test_every_kind_of_statement_is_in_the_matrix() -> None:
    texts = [text.format(c="c") for texts in LEAST.values() for text in texts]
    assert {type(parse(text)) for text in (*texts, *ELSEWHERE)} == set(BY_TEXT)


@pytest.mark.parametrize(("least", "text"), CELLS)
def test_read_only_token_lets_owner_only_read(gate: Cast, least: str, text: str) -> None:
    expected = 200 if least == "viewer" else 403
    assert outcome(gate, gate.people["owner"], text, scopes=frozenset({Scope.READ})) == expected


@pytest.mark.parametrize(
    ("scope", "text", "expected"),
    [
        (Scope.WRITE, "INSERT INTO d.t VALUES (1)", 200),
        (Scope.WRITE, "MERGE BRANCH b", 403),
        (Scope.WRITE, "DROP CATALOG {c}", 403),
        (Scope.MERGE, "MERGE BRANCH b", 200),
        (Scope.MERGE, "INSERT INTO d.t VALUES (1)", 403),
        (Scope.ADMIN, "VACUUM", 200),
        (Scope.ADMIN, "MERGE BRANCH b", 403),
        (Scope.WRITE, "CREATE CATALOG x", 403),
        (Scope.ADMIN, "CREATE CATALOG x", 200),
    ],
)
def test_a_token_does_what_its_scope_says(gate: Cast, scope: Scope, text: str, expected: int) -> None:
    assert outcome(gate, gate.people["owner"], text, scopes=frozenset({scope})) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("INSERT INTO {c}.d.t VALUES (1)", "CREATE TABLE {c}.d.u (id INT)", "DROP DATABASE {c}.d"),
        *("MERGE BRANCH b TO {c}.main", "CREATE BRANCH n FROM {c}.main", "CREATE BRANCH {c}.n", "DROP BRANCH {c}.b"),
        *("CREATE TAG g FROM {c}.main", "RESTORE BRANCH {c}.main TO VERSION AS OF 1", "UNDROP BRANCH {c}.gone"),
        *("ALTER BRANCH {c}.b RENAME TO n", "ALTER BRANCH {c}.b SET EXPIRY '7 days'"),
        "ALTER BRANCH {c}.b RESET TO PARENT",
    ],
)
def test_owner_of_session_catalog_gains_nothing_in_another(own_lake: str, gate: Cast, text: str) -> None:
    for role, expected in (("viewer", 403), ("none", 404)):
        join(gate.people[role], own_lake)
        assert outcome(gate, gate.people[role], text, own_lake) == expected


@pytest.mark.parametrize("role", ["contributor", "reviewer", "maintainer", "owner"])
def test_only_owners_may_give_a_bypass_reason(gate: Cast, role: str) -> None:
    expected = 200 if role == "owner" else 403
    assert outcome(gate, gate.people[role], "INSERT INTO d.t VALUES (1)", bypass_reason="urgent") == expected
