"""What a person says of a commit: by SQL, in the history, and where it is refused."""

from __future__ import annotations

from typing import Any

import pytest

from catalog_app.domain.commit_messages import LONGEST_MESSAGE
from catalog_app.models import Commit
from lakeui.common.errors import InvalidValue, SyntaxProblem
from lakeui.frontdoor import Session, execute
from tests.in_memory.conftest import lake
from tests.support.lake import Lake

__all__ = ["lake"]

T = "CREATE TABLE d.t (id INT)"


def messages(lake: Lake, branch: str = "main") -> list[str]:
    """Of the branch's own commits, the oldest first."""
    found = Commit.objects.filter(catalog__name=lake.catalog, branch__name=branch).order_by("version")
    return list(found.values_list("message", flat=True))[1:]


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO d.t VALUES (1) COMMIT MESSAGE 'from the audit'",
        "INSERT INTO d.t SELECT 1 AS id commit message '  from the audit '",
        "DELETE FROM d.t WHERE id = 5 OR true COMMIT MESSAGE 'from the audit';",
        "ALTER TABLE d.t SET TBLPROPERTIES ('k' = 'v') COMMIT MESSAGE 'from the audit'",
        "CREATE TABLE d.u (id INT) COMMENT 'x' COMMIT MESSAGE 'from the audit'",
        "DROP TABLE d.t COMMIT MESSAGE 'from the audit'",
        "CREATE VIEW d.v AS SELECT 1 AS one COMMIT MESSAGE 'from the audit'",
    ],
)
def test_a_statement_ends_with_its_commits_message(lake: Lake, text: str) -> None:
    lake.sql(T)
    lake.sql("INSERT INTO d.t VALUES (1)")
    lake.sql(text)
    assert messages(lake) == ["", "", "from the audit"]


def test_merges_transactions_and_restores_have_commit_messages(lake: Lake) -> None:
    lake.sql(T)
    before = lake.head()
    lake.sql("CREATE BRANCH b")
    lake.sql("INSERT INTO d.t VALUES (1)", "b")
    lake.sql("MERGE BRANCH b TO main COMMIT MESSAGE 'takes b'")
    opened = lake.sql("BEGIN").extra["transaction"]
    session = Session(lake.catalog, transaction=opened)
    execute("INSERT INTO d.t VALUES (2)", session)
    execute("COMMIT MESSAGE 'both rows'", session)
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {before} COMMIT MESSAGE 'as before'")
    assert messages(lake) == ["", "takes b", "both rows", "as before"]


def test_the_history_shows_it(lake: Lake) -> None:
    lake.sql(T + " COMMIT MESSAGE 'it''s new'")
    (newest, *_) = lake.sql("SHOW HISTORY").rows
    assert newest[4]["message"] == "it's new"
    assert "message" not in lake.sql("SHOW HISTORY").rows[-1][4]


def test_a_message_of_the_session_is_the_same(lake: Lake) -> None:
    execute(T, Session(lake.catalog, message="by the request"))
    assert messages(lake) == ["by the request"]


def test_a_dry_run_takes_one_and_commits_nothing(lake: Lake) -> None:
    lake.sql(T)
    lake.sql("INSERT INTO d.t VALUES (1) COMMIT MESSAGE 'x' DRY RUN")
    assert messages(lake) == [""]


@pytest.mark.parametrize(
    "text",
    [
        "SHOW TABLES IN d COMMIT MESSAGE 'x'",
        "CREATE BRANCH b COMMIT MESSAGE 'x'",
        "CREATE TAG g COMMIT MESSAGE 'x'",
        "BEGIN COMMIT MESSAGE 'x'",
        "VACUUM COMMIT MESSAGE 'x'",
        "EXPLAIN DROP TABLE d.t COMMIT MESSAGE 'x'",
    ],
)
def test_what_makes_no_commit_takes_none(lake: Lake, text: str) -> None:
    with pytest.raises(InvalidValue, match="makes no commit"):
        lake.sql(text)


def test_a_query_takes_none(lake: Lake) -> None:
    with pytest.raises(SyntaxProblem):
        lake.sql("SELECT 1 COMMIT MESSAGE 'x'")


@pytest.mark.parametrize("message", ["x" * (LONGEST_MESSAGE + 1), "a\x07b"])
def test_what_is_too_long_or_unseen_is_refused(lake: Lake, message: str) -> None:
    with pytest.raises(InvalidValue, match="message of a commit") as refused:
        lake.sql(f"{T} COMMIT MESSAGE '{message}'")
    assert refused.value.details["field"] == "message"
    assert messages(lake) == []


def test_two_messages_are_refused(lake: Lake) -> None:
    with pytest.raises(InvalidValue, match="two messages"):
        execute(f"{T} COMMIT MESSAGE 'a'", Session(lake.catalog, message="b"))


def test_words_that_only_look_like_it_stay(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, message STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'COMMIT MESSAGE')")
    rows: list[Any] = lake.rows("d.t")
    assert rows == [(1, "COMMIT MESSAGE")]
