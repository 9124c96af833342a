"""Temporary views and the mode of overwrites: kept by whoever keeps the session, and sent with each statement."""

from __future__ import annotations

from typing import Any

import pytest

from lakeui.api.sql.conversation import Conversation
from lakeui.common.errors import (
    AlreadyExists,
    ForbiddenStatement,
    InvalidValue,
    LakeError,
    NotSupported,
)
from lakeui.frontdoor.entries.scripts import script_read
from lakeui.sql.parameters import NO_PARAMETERS
from lakeui.tasks.statements import statement_run
from merge_app.jobs.context import Context
from tests.support.lake import Lake


@pytest.fixture
def talk(lake: Lake) -> Conversation:
    """A session on table d.t (id, p), partitioned by p, with (1, 1), (2, 1), (3, 2)."""
    lake.sql("CREATE TABLE d.t (id INT, p INT) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.t VALUES (1, 1), (2, 1), (3, 2)")
    session = {"catalog": lake.catalog, "branch": "main", "transaction": None, "bypass_reason": ""}
    return Conversation(
        session, lambda parameters: statement_run(parameters, user=None, scopes=None, context=Context())
    )


def say(talk: Conversation, *texts: str) -> dict[str, Any]:
    """What the last statement answers."""
    bodies: list[dict[str, Any]] = []
    for text in texts:
        talk.say(text, bodies.append)
    return bodies[-1]


def test_statements_behind_it_read_a_temporary_view(lake: Lake, talk: Conversation) -> None:
    head = lake.head()
    made = say(talk, "CREATE TEMPORARY VIEW low AS SELECT id, p FROM d.t WHERE id < 3 -- end")
    assert made["temporary_views"] == {"low": "SELECT id, p FROM d.t WHERE id < 3"}
    assert lake.head() == head
    assert say(talk, "SELECT LOW.id FROM low ORDER BY id")["rows"] == [[1], [2]]
    assert say(talk, "WITH x AS (SELECT id FROM low) SELECT max(id) AS m FROM x")["rows"] == [[2]]
    assert [row[0] for row in say(talk, "DESCRIBE EXTENDED low")["rows"]] == ["id", "p"]
    say(talk, "CREATE TABLE d.made AS SELECT id FROM low")
    say(talk, "INSERT INTO d.made SELECT id + 10 FROM low")
    say(talk, "MERGE INTO d.made USING low ON made.id = low.id WHEN MATCHED THEN DELETE")
    assert lake.rows("d.made") == [(11,), (12,)]
    say(talk, "DELETE FROM d.t WHERE id IN (SELECT id FROM low)")
    assert lake.rows("d.t") == [(3, 2)]


def test_view_over_view_keeps_its_original_definition(talk: Conversation) -> None:
    say(talk, "CREATE TEMP VIEW one (a) AS SELECT id FROM d.t WHERE id = 1")
    say(talk, "CREATE TEMP VIEW two AS SELECT a + 1 AS b FROM one")
    say(talk, "CREATE OR REPLACE TEMP VIEW one AS SELECT 50 AS a")
    assert say(talk, "SELECT b FROM two")["rows"] == [[2]]
    assert say(talk, "SELECT a FROM one")["rows"] == [[50]]
    assert set(say(talk, "DROP VIEW one")["temporary_views"]) == {"two"}
    with pytest.raises(LakeError, match="one is named without its database"):
        say(talk, "SELECT a FROM one")


def test_a_common_table_of_the_statement_comes_first(talk: Conversation) -> None:
    say(talk, "CREATE TEMP VIEW x AS SELECT 1 AS a")
    assert say(talk, "WITH x AS (SELECT 2 AS a) SELECT a FROM x")["rows"] == [[2]]


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("CREATE TEMP VIEW known AS SELECT 1 AS a", AlreadyExists, "CREATE OR REPLACE TEMPORARY VIEW"),
        ("CREATE TEMP VIEW IF NOT EXISTS x AS SELECT 1 AS a", NotSupported, "IF NOT EXISTS"),
        ("CREATE TEMP VIEW d.x AS SELECT 1 AS a", InvalidValue, "of the session, not of a database"),
        ("CREATE TEMP VIEW x COMMENT 'c' AS SELECT 1 AS a", NotSupported, "no comments"),
        ("CREATE TEMP VIEW x AS SELECT id FROM t", InvalidValue, "t is named without its database"),
        ("CREATE TEMP VIEW x AS SELECT current_user() AS u", InvalidValue, "current_user"),
        ("CREATE TEMP VIEW x USING csv OPTIONS (path '/etc/passwd')", ForbiddenStatement, "USING"),
        ("CREATE GLOBAL TEMP VIEW x AS SELECT 1 AS a", NotSupported, "CREATE TEMPORARY VIEW"),
        ("CREATE VIEW d.v AS SELECT a FROM known", InvalidValue, "known is named without its database"),
        ("SET spark.sql.ansi.enabled = false", ForbiddenStatement, "SET"),
        ("SET spark.sql.sources.partitionOverwriteMode = both", InvalidValue, "STATIC or DYNAMIC"),
    ],
)
def test_statement_unfit_for_session_is_refused_by_name(
    talk: Conversation, text: str, error: type[LakeError], says: str
) -> None:
    say(talk, "CREATE TEMP VIEW known AS SELECT 1 AS a")
    with pytest.raises(error) as refusal:
        say(talk, text)
    assert says in f"{refusal.value.message} {refusal.value.remedy}"


@pytest.mark.parametrize("view", ["CREATE TEMP VIEW x", "CREATE VIEW d.v"])
def test_a_view_needs_the_database_of_its_table(talk: Conversation, view: str) -> None:
    """To choose the database does not help: the query is read again where another may be chosen."""
    with pytest.raises(InvalidValue) as refusal:
        say(talk, "USE DATABASE d", f"{view} AS SELECT id FROM t")
    assert refusal.value.remedy.startswith("Write d.t. The query of a ")
    assert "choose the database" not in refusal.value.remedy
    say(talk, f"{view} AS SELECT id FROM d.t")


def test_overwrite_replaces_only_partitions_it_has_rows_of(lake: Lake, talk: Conversation) -> None:
    before = lake.head()
    say(talk, "set spark.sql.sources.partitionOverwriteMode = DYNAMIC")
    say(talk, "INSERT OVERWRITE TABLE d.t PARTITION (p) SELECT 9, 1")
    assert lake.rows("d.t") == [(3, 2), (9, 1)]
    say(talk, "INSERT OVERWRITE d.t SELECT id, p FROM d.t WHERE id = 0")
    assert lake.rows("d.t") == [(3, 2), (9, 1)]
    say(talk, "SET spark.sql.sources.partitionOverwriteMode = static", "INSERT OVERWRITE d.t SELECT 4, 4")
    assert lake.rows("d.t") == [(4, 4)]
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {before}")
    assert lake.breaches() == []


def test_a_script_keeps_both(lake: Lake, talk: Conversation) -> None:
    steps = script_read(
        "SET spark.sql.sources.partitionOverwriteMode = dynamic; CREATE TEMP VIEW x AS SELECT 7 AS id, 2 AS p;"
        " INSERT OVERWRITE d.t SELECT id, p FROM x; DROP VIEW x; SET spark.sql.sources.partitionOverwriteMode = static;"
        " SELECT 1",
        NO_PARAMETERS,
    ).steps
    assert [len(step.parameters.views) for step in steps] == [0, 0, 1, 1, 0, 0]
    assert [step.parameters.overwrites_dynamically for step in steps] == [False, *[True] * 4, False]
    assert steps[2].statement.is_dynamic


def test_functions_are_of_the_session(lake: Lake, talk: Conversation) -> None:
    made = say(talk, "CREATE TEMPORARY FUNCTION f(x INT, y INT) RETURNS INT RETURN x * 10 + y")
    assert made["temporary_functions"] == {"f": "(`x` int, `y` int) RETURNS int RETURN `x` * 10 + `y`"}
    assert say(talk, "SELECT f(id, p) AS n FROM d.t WHERE f(id, p) > 20 ORDER BY n")["rows"] == [[21], [32]]
    say(talk, "UPDATE d.t SET id = f(id, 5) WHERE f(p, 0) = 20", "DELETE FROM d.t WHERE f(id, 0) = 10")
    assert lake.rows("d.t") == [(2, 1), (35, 2)]
    with pytest.raises(AlreadyExists):
        say(talk, "CREATE TEMPORARY FUNCTION F() RETURN 1")
    say(talk, "CREATE OR REPLACE TEMPORARY FUNCTION F() RETURN 1")
    assert say(talk, "SHOW USER FUNCTIONS")["rows"] == [["F"]]
    assert ["Body", "1"] in say(talk, "DESCRIBE FUNCTION f")["rows"]
    assert say(talk, "DROP TEMPORARY FUNCTION f")["temporary_functions"] == {}
    with pytest.raises(ForbiddenStatement):
        say(talk, "SELECT f()")


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO t VALUES (9, 9)",
        "INSERT OVERWRITE T SELECT 9, 9",
        "DELETE FROM t WHERE id = 1",
        "UPDATE t SET p = 0",
        "MERGE INTO t USING d.t AS s ON t.id = s.id WHEN MATCHED THEN DELETE",
        "TRUNCATE TABLE t",
        "DROP TABLE t",
        "ALTER TABLE t ADD COLUMN more INT",
        "RESTORE TABLE t TO VERSION AS OF 1",
    ],
)
def test_statement_on_view_never_changes_equally_named_table(talk: Conversation, statement: str) -> None:
    """SELECT reads the view, so a DELETE of what it shows would take rows of another table."""
    say(talk, "USE DATABASE d", "CREATE TEMP VIEW t AS SELECT 1 AS id, 1 AS p")
    with pytest.raises(InvalidValue, match="is a temporary view of the session") as refused:
        say(talk, statement)
    assert "Write d." in (refused.value.remedy or "")
    assert len(say(talk, "SELECT * FROM d.t")["rows"]) == 3
    say(talk, "DROP VIEW t", "DELETE FROM t WHERE id = 1")
    assert len(say(talk, "SELECT * FROM d.t")["rows"]) == 2
