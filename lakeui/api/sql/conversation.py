"""Statements that somebody types: a session that keeps catalog, branch, database and transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lakeui.common.errors import LakeError, SyntaxProblem
from lakeui.frontdoor.sessions.temporary import parameters_after
from lakeui.sql import statements as sql
from lakeui.sql.lexer import Kind, read_words
from lakeui.sql.parse import parse
from lakeui.sql.scripts import script_split
from lakeui.tasks.statements import bound

Body = dict[str, Any]
_LEAVING = ("exit", "quit", "\\q")


class Conversation:
    """``session``: catalog, branch, database, transaction and bypass_reason, as a request has them. ``run`` does one
    statement in it and answers its body, or raises LakeError.
    """

    def __init__(self, session: Mapping[str, Any], run: Callable[[dict[str, Any]], Body]) -> None:
        self.session = dict(session)
        self._run = run

    @property
    def place(self) -> str:
        """Where the next statement runs, for a prompt; a star says that a transaction is open."""
        parts = (self.session["catalog"] or "-", self.session["branch"], self.session.get("database"))
        return "/".join(part for part in parts if part) + ("*" if self.session["transaction"] else "")

    def say(self, text: str, answer: Callable[[Body], None]) -> None:
        """Run each statement of the text, and hand on what it answers. Raises LakeError for the first that fails; those
        behind it do not run.
        """
        for part in script_split(text):
            parameters = {**self.session, "statement": part.text}
            statement = parse(part.text, bound(parameters))
            body = self._run(parameters)
            self._follow(statement, body)
            answer(body)

    def end(self) -> bool:
        """Roll back the transaction that is open; whether there was one."""
        if not self.session["transaction"]:
            return False
        self._run({**self.session, "statement": "ROLLBACK"})
        self.session["transaction"] = None
        return True

    def _follow(self, statement: Any, body: Body) -> None:
        match statement:
            case sql.UseCatalog() | sql.UseBranch() | sql.UseDatabase():
                self.session |= {"catalog": body["catalog"], "branch": body["branch"]}
                self.session["database"] = parameters_after(statement, bound(self.session)).database
            case sql.CreateTemporaryView() | sql.DropTemporaryView():
                self.session["temporary_views"] = body["temporary_views"]
            case sql.CreateTemporaryFunction() | sql.DropTemporaryFunction():
                self.session["temporary_functions"] = body["temporary_functions"]
            case sql.SetPartitionOverwrite():
                self.session["partition_overwrite"] = body["partition_overwrite"]
            case sql.BeginTransaction():
                self.session["transaction"] = body["transaction"]
            case sql.CommitTransaction() | sql.RollbackTransaction():
                self.session["transaction"] = None


def is_leaving(text: str) -> bool:
    return text.strip().rstrip(";").casefold() in _LEAVING


def is_whole(text: str) -> bool:
    """Whether nothing more has to be typed: a semicolon ends it, outside of strings, names and comments."""
    if not text.strip() or is_leaving(text):
        return True
    try:
        words = read_words(text)
    except SyntaxProblem:
        # A string, a name or a comment is open.
        return False
    return bool(words) and words[-1].kind is Kind.SYMBOL and words[-1].value == ";"


def names_known(session: Mapping[str, Any], run: Callable[[dict[str, Any]], Body]) -> list[str]:
    """Names that a person may type next: catalogs, or branches, databases and tables of the session's."""

    def rows(text: str) -> list[list[str]]:
        try:
            return [[str(value) for value in row] for row in run({**session, "statement": text})["rows"]]
        except LakeError:
            # The person may not see them, or the branch is gone: nothing is proposed.
            return []

    if not session["catalog"]:
        return [row[0] for row in rows("SHOW CATALOGS")]
    tables = rows("SHOW TABLES")
    others = (row[0] for text in ("SHOW DATABASES", "SHOW BRANCHES") for row in rows(text))
    return sorted({*(f"{database}.{name}" for database, name, *_ in tables), *(row[1] for row in tables), *others})
