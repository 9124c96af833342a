"""Materialised views: refused, with the pipeline that does the same.

A pipeline is of the catalog and writes to one branch by tasks of its own. So no branch carries it along, no transaction
holds it, and a merge brings its rows and not its query. A statement that made one would promise all three.
"""

from __future__ import annotations

from typing import NoReturn

from catalog_app.domain.quoting import quote_name
from lakeui.common.errors import NotSupported
from lakeui.sql.common import accept_comment, accept_if_exists, accept_if_not_exists, read_properties
from lakeui.sql.cursor import Cursor
from lakeui.sql.lexer import Kind
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
    columns = read_view_columns(cursor) if cursor.sees("(") else ()
    when, layout = "", ""
    while True:
        if cursor.sees("COMMENT"):
            accept_comment(cursor)
        elif cursor.accept("TBLPROPERTIES"):
            read_properties(cursor)
        elif cursor.accept("SCHEDULE"):
            cursor.accept("REFRESH")
            when = _every(cursor) if cursor.accept("EVERY") else _at(cursor)
        elif cursor.accept("TRIGGER", "ON", "UPDATE"):
            when = _every(cursor) if cursor.accept("AT", "MOST", "EVERY") else ""
        elif found := cursor.accept_phrase("PARTITIONED BY", "CLUSTER BY"):
            names = ", ".join(quote_name(name) for name in cursor.names_in_parentheses())
            layout += f" {found} ({names})"
        else:
            break
    cursor.expect("AS")
    source = cursor.rest().strip()
    build_query(source)
    if columns:
        source = f"SELECT * FROM ({source}) AS q ({', '.join(quote_name(column.name) for column in columns)})"
    raise _refusal(
        phrase,
        f"CREATE OR REPLACE TABLE {_shown(table)}{layout} AS {source} writes the rows once. A pipeline named"
        f" {table.table} that writes this table with merge_strategy full_refresh{when} writes them anew;"
        " the query is its source.",
    )


def _every(cursor: Cursor) -> str:
    """``n HOURS``, ``INTERVAL 1 DAY``: for people, as a pipeline takes a cron line."""
    cursor.accept("INTERVAL")
    number = cursor.string() if cursor.sees_kind(Kind.STRING) else str(cursor.integer("a number"))
    return f", by a cron line for every {number} {cursor.name('a unit of time').lower()}"


def _at(cursor: Cursor) -> str:
    cursor.expect("CRON")
    cron = cursor.string("a cron line in quotes")
    return _when(cron, cursor.string("a time zone in quotes") if cursor.accept("AT", "TIME", "ZONE") else "UTC")


def _when(cron: str, zone: str) -> str:
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
