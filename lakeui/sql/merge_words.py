"""USING (columns) and RETURNING of MERGE INTO."""

from __future__ import annotations

from catalog_app.domain.quoting import quote_name
from lakeui.common.errors import InvalidValue, NotSupported
from lakeui.sql.cursor import Cursor
from lakeui.sql.lexer import Kind

MERGE_ACTION = "merge_action"
EVERY_COLUMN = "*"


def accept_join_columns(cursor: Cursor, target: str, source: str | None) -> str | None:
    """``USING (a, b)`` as the condition of ON that it means: the columns of both sides are equal."""
    if not cursor.accept("USING"):
        return None
    if source is None:
        raise InvalidValue(
            "USING (columns) compares columns of the source, which has no name.",
            remedy="Give the source an alias: USING (SELECT ..) AS s USING (id).",
        )
    columns = cursor.names_in_parentheses()
    folded = [column.casefold() for column in columns]
    for column in columns:
        if folded.count(column.casefold()) > 1:
            raise InvalidValue(f"USING names the column {column} twice.", remedy="Name it once.", column=column)
    sides = [f"{quote_name(target)}.{quote_name(c)} = {quote_name(source)}.{quote_name(c)}" for c in columns]
    return " AND ".join(sides)


def accept_returning(cursor: Cursor) -> tuple[str, ...]:
    """What RETURNING names: ``merge_action``, ``*`` for the target's columns, and some of these by name."""
    if not cursor.accept("RETURNING"):
        return ()
    names = [_returned(cursor)]
    while cursor.accept(","):
        names.append(_returned(cursor))
    return tuple(names)


def _returned(cursor: Cursor) -> str:
    if cursor.accept("*"):
        return EVERY_COLUMN
    if not cursor.sees_kind(Kind.WORD, Kind.QUOTED):
        raise _refused()
    name = cursor.name("a column name")
    if name.casefold() == MERGE_ACTION and cursor.accept("("):
        cursor.expect(")")
    if not (cursor.at_end or cursor.sees(",")):
        raise _refused()
    return name


def _refused() -> NotSupported:
    return NotSupported(
        "RETURNING takes merge_action, * and names of the target's columns.",
        remedy="Write RETURNING merge_action, *; SHOW CHANGES t FROM VERSION .. TO VERSION .. has more.",
    )
