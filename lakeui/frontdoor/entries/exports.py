"""The whole result of a query as a file, where an answer would be cut."""

from __future__ import annotations

from typing import Any

from lakeui.common.errors import InvalidValue
from lakeui.frontdoor.call import Call
from lakeui.frontdoor.compute import engine, interruptible, reading
from lakeui.frontdoor.expressions.placing import at_its_place
from lakeui.frontdoor.inputs_outputs import Session, StatementResult
from lakeui.frontdoor.parsing import ParsedStatement, parsed
from lakeui.frontdoor.queries.queries import query_source
from lakeui.frontdoor.queries.session_functions import parse_for
from lakeui.frontdoor.recording import recorded
from lakeui.frontdoor.rehearsing import rehearsal_refuse
from lakeui.sql import statements as sql
from merge_app.jobs.context import Context


def query_export(said: ParsedStatement | str, session: Session, target: Any, context: Any = None) -> StatementResult:
    """Write the rows of a SELECT to ``target`` (an ExportTarget); the answer counts them. Raises LakeError."""
    with recorded(session, context) as record:
        read = parsed(said, session.parameters) if isinstance(said, str) else said
        statement = read.statement
        record.is_a(statement, session)
        if session.dry_run and isinstance(statement, sql.Select):
            rehearsal_refuse(statement)
        if not isinstance(statement, sql.Select):
            raise InvalidValue("Only the result of a SELECT can be downloaded.", remedy="Ask for application/json.")
        call = Call(session, context or Context(), read.text)
        source = query_source(call, parse_for(call, read.text, session.parameters).query)
        with reading(), interruptible(call.context):
            rows = at_its_place(read.text, lambda: engine().export(source.text, source.tables, target))
        version = call.snapshot.version if session.catalog else None
        return record.answers(StatementResult(row_count=rows, version=version))
