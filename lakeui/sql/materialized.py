"""Materialised views: refused, with the pipeline that does the same.

A pipeline is of the catalog and writes to one branch by tasks of its own. So no branch carries it along, no transaction
holds it, and a merge brings its rows and not its query. A statement that made one would promise all three.
"""

from __future__ import annotations

from typing import NoReturn

from lakeui.common.errors import NotSupported
from lakeui.sql.common import accept_comment, accept_if_exists, accept_if_not_exists, read_properties
from lakeui.sql.cursor import Cursor
from lakeui.sql.names import read_present_table
from lakeui.sql.query import build_query
from lakeui.sql.statements import TableName
from lakeui.sql.views import read_view_columns

_CRON_FIELDS = 5
_OTHERS = {
    "ALTER": "Edit the pipeline that writes {table}: its schedule, its query and its strategy.",
    "REFRESH": "Run the pipeline that writes {table}: on its page, or by lake pipelines run.",
    "DROP": "Delete the pipeline that writes {table}; DROP TABLE {table} takes the rows away.",
}


def refuse_materialized_view(cursor: Cursor) -> None:
    """Raise NotSupported where the statement is one on materialised views."""
    for verb in ("CREATE OR REPLACE", "CREATE"):
        if cursor.accept(*verb.split(), "MATERIALIZED", "VIEW"):
            _refuse_create(cursor, f"{verb} MATERIALIZED VIEW")
    for verb, remedy in _OTHERS.items():
        if cursor.accept(verb, "MATERIALIZED", "VIEW"):
            accept_if_exists(cursor)
            named = _shown(read_present_table(cursor))
            raise _refusal(f"{verb} MATERIALIZED VIEW", remedy.format(table=named))
    if cursor.accept("SHOW", "MATERIALIZED", "VIEWS"):
        raise _refusal("SHOW MATERIALIZED VIEWS", "The page Pipelines and lake pipelines list them with their tables.")


def _refuse_create(cursor: Cursor, phrase: str) -> NoReturn:
    accept_if_not_exists(cursor)
    table = read_present_table(cursor)
    if cursor.sees("("):
        read_view_columns(cursor)
    cron, zone = "", "UTC"
    while True:
        if cursor.sees("COMMENT"):
            accept_comment(cursor)
        elif cursor.accept("TBLPROPERTIES"):
            read_properties(cursor)
        elif cursor.accept("SCHEDULE"):
            cursor.accept("REFRESH")
            cursor.expect("CRON")
            cron = cursor.string("a cron line in quotes")
            zone = cursor.string("a time zone in quotes") if cursor.accept("AT", "TIME", "ZONE") else zone
        else:
            break
    cursor.expect("AS")
    source = cursor.rest().strip()
    build_query(source)
    when = _when(cron, zone)
    raise _refusal(
        phrase,
        f"Make a pipeline named {table.table} that writes the table {_shown(table)} with merge_strategy full_refresh"
        f"{when}; the query behind AS is its source.",
    )


def _when(cron: str, zone: str) -> str:
    if not cron:
        return ""
    if len(cron.split()) == _CRON_FIELDS:
        return f", at {cron!r} in {zone}"
    return f", at a cron line of {_CRON_FIELDS} fields in {zone} (minute, hour, day, month, weekday)"


def _shown(table: TableName) -> str:
    return f"{table.database}.{table.table}"


def _refusal(phrase: str, remedy: str) -> NotSupported:
    return NotSupported(
        f"{phrase} is not supported: a pipeline writes what a query answers into a table.",
        remedy=remedy,
        statement=phrase,
    )
