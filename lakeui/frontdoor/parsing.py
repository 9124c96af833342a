"""A text that was read once: what it says, and how it runs. It is carried from the request to what does it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from catalog_app.domain.commit_messages import message_check
from lakeui.frontdoor.statements import ALONE, KEPT, QUERY, TASK, TRIED, UNRECORDED, has, takes_message
from lakeui.sql import statements as sql
from lakeui.sql.parameters import NO_PARAMETERS, Parameters
from lakeui.sql.parse import parse_with_message


@dataclass(frozen=True, slots=True)
class ParsedStatement:
    """``statement`` is what the text says to do; ``is_dry_run``: the text says to leave out its commit.
    ``is_measured``: it asks what doing it took. ``message``: what it says of its commit.
    """

    text: str
    statement: Any
    is_dry_run: bool = False
    is_measured: bool = False
    message: str = ""

    def without_commit(self) -> ParsedStatement:
        """The same, with its commit left out."""
        return replace(self, is_dry_run=True)

    @property
    def is_task(self) -> bool:
        """Whether it runs as a task: it writes rows or merges."""
        return has(self.statement, TASK) and not self.is_trial

    @property
    def is_trial(self) -> bool:
        """Whether it says what a write of rows would do: it leaves nothing, so it runs as a query does."""
        return self.is_dry_run and has(self.statement, TRIED)

    @property
    def is_query(self) -> bool:
        """Whether it reads rows on Spark and writes nothing."""
        return not self.is_dry_run and has(self.statement, QUERY)

    @property
    def takes_query_place(self) -> bool:
        """Whether it takes one of the places of queries: it reads rows on Spark, for an answer or to be measured."""
        statement = self.statement
        return (
            self.is_query
            or self.is_trial
            or (isinstance(statement, sql.Explain) and statement.mode is sql.ExplainMode.ANALYZE)
        )

    @property
    def is_unrecorded(self) -> bool:
        """Whether it changes something in one short transaction, without a commit that names its task."""
        return not self.is_dry_run and has(self.statement, UNRECORDED)

    @property
    def is_alone(self) -> bool:
        """Whether it cannot be part of a transaction."""
        return has(self.statement, ALONE)

    @property
    def takes_message(self) -> bool:
        """Whether it makes a commit that a message can be of."""
        return takes_message(self.statement)

    @property
    def is_kept(self) -> bool:
        """Whether it changes what a session keeps."""
        return not self.is_dry_run and has(self.statement, KEPT)


def parsed(text: str, parameters: Parameters = NO_PARAMETERS) -> ParsedStatement:
    """Raises SyntaxProblem, NotSupported or InvalidValue."""
    statement, said = parse_with_message(text, parameters)
    message = message_check(said or "")
    if isinstance(statement, sql.DryRun):
        inner, measured = statement.statement, statement.measured
        return ParsedStatement(text, inner, is_dry_run=True, is_measured=measured, message=message)
    return ParsedStatement(text, statement, message=message)
