"""What ``current_user()`` and its kin answer in a statement."""

from __future__ import annotations

from typing import Any

from lakeui.frontdoor.call import Call
from lakeui.sql.parameters import NO_PARAMETERS, Parameters
from lakeui.sql.parse import parse
from lakeui.sql.session_values import SessionValues, session_values_given


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
