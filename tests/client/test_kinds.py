"""What the client takes for a query, for safe to be sent twice, and for a part of a transaction: what the server says,
of each statement in the grammar's reference.
"""

from __future__ import annotations

import pytest

from catalog_app.domain.roles import Action
from lakeui.frontdoor.statements import ALONE, STATEMENTS, has
from lakeui.sql import statements as sql
from lakeui.sql.parameters import Parameters
from lakeui.sql.parse import parse
from lakeui_client.kinds import changes_tables, is_query, reads
from tests.sql.test_reference import EXAMPLES

OF_TRANSACTIONS = (sql.BeginTransaction, sql.CommitTransaction, sql.RollbackTransaction)
NOT_TWICE = (sql.CancelQuery, *OF_TRANSACTIONS)
MORE = [
    "-- all of it\nselect * FROM d.t",
    "/* a */ (SELECT 1 AS a) UNION (SELECT 2)",
    "/* a */ INSERT INTO d.t /* b */ SELECT 1",
    "/* a **/ INSERT INTO d.t (id) /* b */ VALUES (1)",
    "/* a */ CREATE BRANCH x /* b */ FROM main",
    "/* /* */ SELECT */ INSERT INTO d.t VALUES (1)",
    "/* a */\n" * 40 + "INSERT INTO d.t VALUES (1)",
    "ALTER TABLE d.t SET TBLPROPERTIES ('k' = 'x SET ROW FILTER')",
    "ALTER TABLE `d`.`a b` ALTER COLUMN `c d` UNSET MASK FOR GROUP g",
    "ALTER TABLE d.t ALTER c SET MASK (NULL) FOR ROLE viewer",
    "ALTER TABLE d.t ALTER c TYPE BIGINT",
    "RESTORE d.t TO VERSION AS OF 1",
    "COMMIT TRANSACTION",
    "ROLLBACK WORK",
    "TABLE d.t |> WHERE id = 1",
    "VALUES (1) |> LIMIT 1",
    "FROM d.t",
    "WITH s AS (SELECT 1 AS id) SELECT * FROM s",
    "WITH s AS (SELECT 1 AS id) INSERT INTO d.t SELECT * FROM s",
    "WITH s AS (SELECT 'delete' AS word) SELECT * FROM s",
    "WITH s AS (SELECT 'it\\'s ) update' AS word /* ) insert */), t (a) AS (SELECT 1) SELECT word AS `merge` FROM s",
    """WITH s (`update`, b) AS (SELECT ")", 2) (SELECT `update` FROM s)""",
    "WITH `update` AS (SELECT 1 AS delete) SELECT delete FROM `update`",
    "WITH s (id) AS (SELECT 1) -- SELECT\nUPDATE d.t SET id = 2 WHERE id IN (SELECT id FROM s)",
    "with s AS (SELECT 1 AS id) MERGE INTO d.t USING s ON t.id = s.id WHEN MATCHED THEN DELETE",
    "WITH s AS (SELECT 1 AS id) DELETE FROM d.t WHERE id IN (SELECT id FROM s)",
]


@pytest.mark.parametrize("text", [*EXAMPLES, *MORE])
def test_a_text_is_what_the_server_reads(text: str) -> None:
    older = ("older", "(x INT, y INT) RETURN x + y")
    statement = parse(text, Parameters(database="d", functions=(older,)))
    if isinstance(statement, sql.DryRun):
        # Nothing is written; that it is sent under a key costs nothing.
        return
    is_read = STATEMENTS[type(statement)].requires.action is Action.READ
    assert reads(text) is (is_read and not isinstance(statement, NOT_TWICE))
    assert is_query(text) is isinstance(statement, sql.Select)
    is_of_one = not is_read and not has(statement, ALONE) and not isinstance(statement, OF_TRANSACTIONS)
    assert changes_tables(text) is is_of_one


def test_statements_of_unclear_kind_count_as_writes() -> None:
    """In doubt it is a write: it is a task then, and answers the same."""
    assert not reads("WITH s AS (SELECT 1")
