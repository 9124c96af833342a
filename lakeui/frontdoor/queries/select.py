"""SELECT: rows of a query, as an answer."""

from __future__ import annotations

from lakeui.frontdoor.call import Call
from lakeui.frontdoor.compute import engine, interruptible
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.queries.plain_reads import plain_read
from lakeui.frontdoor.queries.queries import query_source
from lakeui.frontdoor.queries.restricted import errors_hidden
from lakeui.sql import statements as sql

ROW_LIMIT = 10_000
"""A SELECT answers with at most so many rows, and says when there were more."""


def select(call: Call, statement: sql.Select) -> StatementResult:
    source = query_source(call, statement.query)
    if call.is_restricted:
        # What Spark says of a query without rows, before values of rows can stand in an error.
        engine().describe(source.text, source.tables)
    with interruptible(call.context), errors_hidden(call):
        plain = plain_read(statement.query, source)
        found = engine().select(source.text, source.tables, limit=ROW_LIMIT, plain=plain)
    return StatementResult(
        columns=list(found.columns),
        rows=found.rows,
        row_count=len(found.rows),
        truncated=found.truncated,
        version=call.snapshot.version if call.session.catalog else None,
    )
