"""The whole result of a query as files of the warehouse, from which it is fetched in pieces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from catalog_app.domain.results import KeptRows
from lakeui.common.errors import InvalidValue
from lakeui.frontdoor.call import Call
from lakeui.frontdoor.compute import engine, interruptible, reading
from lakeui.frontdoor.inputs_outputs import Session, StatementResult
from lakeui.frontdoor.parsing import ParsedStatement, parsed
from lakeui.frontdoor.queries.plain_reads import plain_read
from lakeui.frontdoor.queries.queries import query_source
from lakeui.frontdoor.queries.session_functions import parse_for
from lakeui.frontdoor.recording import recorded
from lakeui.frontdoor.statements import is_allowed
from lakeui.sql import statements as sql
from merge_app.jobs.context import Context


@dataclass(frozen=True, slots=True)
class KeptQuery:
    """``catalogs``: ids of those that the query looked into."""

    rows: KeptRows
    catalogs: frozenset[int]
    version: int | None


def query_keep(said: ParsedStatement | str, session: Session, folder: str, context: Any = None) -> KeptQuery:
    """Write the rows of a SELECT into the folder, which is new. Raises LakeError."""
    with recorded(session, context) as record:
        read = parsed(said, session.parameters) if isinstance(said, str) else said
        record.is_a(read.statement, session)
        select_require(read)
        call = Call(session, context or Context(), read.text)
        is_allowed(call, read.statement)
        query = parse_for(call, read.text, session.parameters).query
        source = query_source(call, query)
        plain = plain_read(query, source)
        with reading(), interruptible(call.context):
            rows = engine().keep(source.text, source.tables, folder, plain=plain)
        version = call.snapshot.version if session.catalog else None
        record.answers(StatementResult(row_count=rows.rows, version=version))
        return KeptQuery(rows, call.catalog_ids, version)


def select_require(read: ParsedStatement) -> None:
    """Raises InvalidValue for what has no result that is kept."""
    if read.is_dry_run or not isinstance(read.statement, sql.Select):
        raise InvalidValue("Only the result of a SELECT is kept.", remedy="POST /api/v1/sql/ runs every statement.")
