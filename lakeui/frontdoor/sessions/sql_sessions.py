"""Statements that name a session: what it keeps becomes their request, and what they change is kept in it.

A request is filled when it comes, so a task that waits runs where its session was when it was sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from catalog_app.models import SqlSession, TransactionState
from catalog_app.services.sessions import session_changed, session_use, transaction_of
from lakeui.common.errors import InvalidValue
from lakeui.frontdoor.sessions.temporary import parameters_after
from lakeui.sql import statements as sql
from lakeui.sql.parameters import Parameters

Body = Mapping[str, Any]

KEPT = (
    *("catalog", "branch", "database", "temporary_views", "temporary_functions", "partition_overwrite"),
    "transaction",
)
"""Members of a request that a session keeps, and that are not sent beside it."""

MOVES = (sql.UseCatalog, sql.UseBranch, sql.UseDatabase)


def session_filled(parameters: Body, sent: Any, user: Any) -> dict[str, Any]:
    """The request with what its session keeps; as it is where it names none. Raises InvalidValue where it says itself
    what the session keeps, NotFound where the session is not this person's or has ended.
    """
    if parameters.get("session") is None:
        return {name: value for name, value in parameters.items() if name != "session"}
    for name in KEPT:
        if name in sent:
            raise InvalidValue(
                f"The session keeps {name}, and the request says it too.",
                remedy=f"Leave {name} out, or the session.",
                field=name,
                nearest=None,
            )
    kept = session_use(identity=UUID(parameters["session"]), user_id=user.pk)
    return {**parameters, **_members(kept)}


def _members(kept: SqlSession) -> dict[str, Any]:
    held = transaction_of(kept)
    return {
        "catalog": kept.catalog or None,
        "branch": kept.branch,
        **({"database": kept.database} if kept.database else {}),
        "temporary_views": kept.temporary_views,
        "temporary_functions": kept.temporary_functions,
        "partition_overwrite": kept.partition_overwrite,
        "transaction": None if held is None else str(held.pk),
    }


def session_follow(identity: str, statement: Any, body: Body, user: Any) -> None:
    """Keep in the session what the statement, which answered ``body``, changes of it. Statements of one session may end
    at the same time: each changes its own part of what is there by then.
    """
    with session_changed(identity=UUID(identity), user_id=user.pk) as kept:
        match statement:
            case sql.BeginTransaction():
                _begin(kept, str(body["transaction"]))
            case sql.CommitTransaction() | sql.RollbackTransaction():
                if str(kept.transaction_id) == body["transaction"]:
                    kept.transaction = None
            case _:
                _change(kept, statement, body)


def _begin(kept: SqlSession, opened: str) -> None:
    """Raises InvalidValue where another statement of the session was faster. What this one opened is then taken back,
    as both are one transaction of the database.
    """
    held = transaction_of(kept)
    if held is not None and held.state == TransactionState.OPEN:
        raise InvalidValue("A transaction is open already.", remedy="End it by COMMIT or ROLLBACK first.")
    kept.transaction_id = UUID(opened)


def _change(kept: SqlSession, statement: Any, body: Body) -> None:
    before = Parameters(
        database=kept.database or None,
        views=tuple(kept.temporary_views.items()),
        functions=tuple(kept.temporary_functions.items()),
        overwrites_dynamically=kept.partition_overwrite == "dynamic",
    )
    after = parameters_after(statement, before)
    if isinstance(statement, MOVES):
        kept.catalog, kept.branch = body["catalog"], body["branch"]
    kept.database, kept.temporary_views = after.database or "", dict(after.views)
    kept.temporary_functions = dict(after.functions)
    kept.partition_overwrite = "dynamic" if after.overwrites_dynamically else "static"
