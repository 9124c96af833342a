"""What ``current_user()`` and its kin answer in a statement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lakeui.frontdoor.places import Call
from lakeui.frontdoor.values import StatementResult
from lakeui.sql import statements as sql
from lakeui.sql.parameters import NO_PARAMETERS, Parameters
from lakeui.sql.parse import parse
from lakeui.sql.session_values import SessionValues, may_ask_session, session_values_given

HOLDING = (
    *(sql.Select, sql.Explain, sql.Insert, sql.Delete, sql.Update, sql.MergeInto, sql.Optimize),
    *(sql.CreateTable, sql.CreateView, sql.AlterView, sql.DescribeQuery),
)
"""Statements with queries or expressions in them."""


def session_values(call: Call) -> SessionValues:
    """Version and branch are those that the statement itself reads."""
    session = call.session

    def user() -> str | None:
        return session.user_name or None

    def database() -> str | None:
        return session.parameters.database

    return {
        **dict.fromkeys(("current_user", "session_user", "user"), user),
        **dict.fromkeys(("current_database", "current_schema"), database),
        "current_catalog": lambda: call.catalog.name if session.catalog else None,
        "current_branch": lambda: session.branch if session.catalog else None,
        "current_version": lambda: call.snapshot.version if session.catalog else None,
    }


def parse_for(call: Call, text: str, parameters: Parameters = NO_PARAMETERS) -> Any:
    """The statement with the session's values in it."""
    with session_values_given(session_values(call)):
        return parse(text, parameters)


def asking_session(
    statement: Any, handler: Callable[[Call, Any], StatementResult]
) -> Callable[[Call, Any], StatementResult]:
    """The handler, which reads the statement again, on the snapshot of its call, where that asks the session."""
    if not isinstance(statement, HOLDING):
        return handler

    def handle(call: Call, read: Any) -> StatementResult:
        if not may_ask_session(call.text):
            return handler(call, read)
        found = parse_for(call, call.text, call.session.parameters)
        return handler(call, found.statement if isinstance(found, sql.DryRun) else found)

    return handle
