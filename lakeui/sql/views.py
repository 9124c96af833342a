"""Readers of statements on views."""

from __future__ import annotations

from dataclasses import replace

from lakeui.common.errors import InvalidValue, NotSupported
from lakeui.sql import statements as s
from lakeui.sql.alter_table import read_new_name
from lakeui.sql.common import (
    accept_comment,
    accept_if_exists,
    accept_if_not_exists,
    read_properties,
    read_property_keys,
)
from lakeui.sql.common_tables import sees_common_table
from lakeui.sql.cursor import Cursor
from lakeui.sql.names import full_names, read_present_table
from lakeui.sql.query import build_view


def create_view(cursor: Cursor) -> s.CreateView:
    return _create(cursor, or_replace=False)


def create_or_replace_view(cursor: Cursor) -> s.CreateView:
    return _create(cursor, or_replace=True)


def _create(cursor: Cursor, *, or_replace: bool) -> s.CreateView:
    if_not_exists = not or_replace and accept_if_not_exists(cursor)
    view = read_present_table(cursor)
    columns = read_view_columns(cursor) if cursor.sees("(") else ()
    properties = read_view_properties(cursor)
    cursor.expect("AS")
    made = _query(cursor, view)
    return s.CreateView(
        view, made.query, made.text, or_replace, if_not_exists, columns, tuple(properties.items()), made.reads
    )


def _query(cursor: Cursor, view: s.TableName) -> s.AlterView:
    text = cursor.rest()
    with full_names("The query of a view is read again in other sessions."):
        query, reads = build_view(text)
    return s.AlterView(view, query, text.strip(), reads)


def read_view_columns(cursor: Cursor) -> tuple[s.ViewColumn, ...]:
    """Read ``(a [COMMENT 'text'], ..)``."""
    cursor.expect("(")
    found: list[s.ViewColumn] = []
    while True:
        column = s.ViewColumn(cursor.name("a column's name"))
        if cursor.sees("COMMENT"):
            column = replace(column, comment=accept_comment(cursor))
        elif not (cursor.sees(",") or cursor.sees(")")):
            cursor.fail("A column of a view has a name and a COMMENT; its type is that of the query")
        if column.name.casefold() in {known.name.casefold() for known in found}:
            raise InvalidValue(f"The column {column.name} is there twice.", remedy="Give each column its own name.")
        found.append(column)
        if not cursor.accept(","):
            break
    cursor.expect(")")
    return tuple(found)


def read_view_properties(cursor: Cursor) -> dict[str, str]:
    """``[COMMENT 'text'] [TBLPROPERTIES (..)]`` in any order."""
    properties: dict[str, str] = {}
    while True:
        if cursor.sees("COMMENT"):
            properties[s.COMMENT] = accept_comment(cursor) or ""
        elif cursor.accept("TBLPROPERTIES"):
            properties |= dict(read_properties(cursor))
        elif cursor.sees("WITH", "SCHEMA"):
            raise _schema_mode()
        elif cursor.sees("PARTITIONED"):
            raise NotSupported("A view has no partitions.", remedy="Partition the tables that it reads.")
        else:
            return properties


def _schema_mode() -> NotSupported:
    return NotSupported(
        "WITH SCHEMA is not supported: a view has the types that its query gives when it is read.",
        remedy="Leave it out, and CAST the columns in the query that have to keep their types.",
    )


def alter_view(cursor: Cursor) -> s.AlterView | s.RenameView | s.SetViewProperties | s.UnsetViewProperties:
    view = read_present_table(cursor)
    if cursor.accept("RENAME", "TO"):
        return s.RenameView(view, read_new_name(cursor, view, "A view"))
    if cursor.accept("SET", "TBLPROPERTIES"):
        return s.SetViewProperties(view, read_properties(cursor))
    if cursor.accept("UNSET", "TBLPROPERTIES"):
        if_exists = accept_if_exists(cursor)
        return s.UnsetViewProperties(view, read_property_keys(cursor), if_exists)
    if cursor.sees("WITH", "SCHEMA"):
        raise _schema_mode()
    if not cursor.accept("AS") and not cursor.sees("SELECT") and not cursor.sees("WITH"):
        raise cursor.problem("Expected AS, RENAME TO, SET TBLPROPERTIES or UNSET TBLPROPERTIES")
    return _query(cursor, view)


def drop_view(cursor: Cursor) -> s.DropView | s.DropTemporaryView:
    if_exists = accept_if_exists(cursor)
    if sees_common_table(cursor):
        return s.DropTemporaryView(cursor.name(), if_exists)
    return s.DropView(read_present_table(cursor), if_exists)
