"""A table as others see it: the rows that restrictions leave, read by whoever may set these."""

from __future__ import annotations

from catalog_app.domain.restrictions import Restriction
from catalog_app.engine.types import quoted
from lakeui.frontdoor.call import Call
from lakeui.frontdoor.compute import engine, interruptible
from lakeui.frontdoor.inputs_outputs import Session, StatementResult
from lakeui.frontdoor.parsing import parsed
from lakeui.frontdoor.queries.queries import query_source
from lakeui.sql import statements as sql
from merge_app.jobs.context import Context


def restriction_preview(
    session: Session,
    table: sql.TableName,
    restrictions: tuple[Restriction, ...],
    *,
    reader: str,
    limit: int,
    context: Context,
) -> StatementResult:
    """At most ``limit`` rows of the table or view on the session's branch. Its right is judged before: it takes one who
    may lift the restrictions, so errors are not hidden.
    """
    assert table.database is not None, "the request names it"
    text = f"SELECT * FROM {quoted(table.database)}.{quoted(table.table)}"
    read = parsed(text)
    asked = Call(session, context, text)
    call = asked.seen_by(reader, asked.catalog.pk, restrictions)
    source = query_source(call, read.statement.query)
    with interruptible(context):
        found = engine().select(source.text, source.tables, limit=limit)
    return StatementResult(
        columns=list(found.columns),
        rows=found.rows,
        row_count=len(found.rows),
        truncated=found.truncated,
        version=call.snapshot.version,
    )
