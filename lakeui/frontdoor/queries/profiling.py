"""SHOW PROFILE: exact counts of each column of a table."""

from __future__ import annotations

import json
from typing import Any

from catalog_app.selectors.segments import segments_list, table_scan
from lakeui.common.counts import counted
from lakeui.common.errors import EngineError
from lakeui.frontdoor.call import Call, table_for_reading
from lakeui.frontdoor.compute import engine, interruptible
from lakeui.frontdoor.inputs_outputs import StatementResult, answer
from lakeui.sql import statements as sql

_COLUMNS = [
    *(("column", "string"), ("type", "string")),
    *((name, "bigint") for name in ("rows", "nulls", "distinct_values")),
    *((name, "string") for name in ("minimum", "maximum")),
    ("histogram", "array<struct<at:double,count:bigint>>"),
    ("frequent_values", "array<struct<value:string,count:bigint>>"),
]


def show_profile(call: Call, statement: sql.ShowProfile) -> StatementResult:
    """A row a column, in the order of the table. ``histogram``: how many numbers lie in intervals of one width.
    ``frequent_values``: the most frequent values, each with the number of its rows.
    """
    found = table_for_reading(call, statement.table)
    table, snapshot = found.table, found.place.snapshot
    scan = table_scan(snapshot, table, segments_list(snapshot, table.table_id))
    rows: list[list[Any]] = []
    call.context.step("profile", f"{counted(len(table.schema.columns), 'column')} of {found.label}")
    with interruptible(call.context):
        try:
            for counts in engine().profile(scan, call.context.on_cancel):
                bins = [{"at": item.at, "count": item.count} for item in counts.bins]
                bounds = [_text(counts.least), _text(counts.largest)]
                top = [{"value": _text(item.value), "count": item.count} for item in counts.top]
                known = [counts.rows, counts.nulls, counts.distinct, *bounds, bins, top]
                rows.append([counts.column.name, counts.column.type, *known])
                call.context.progress(len(rows) / len(table.schema.columns), counts.column.name)
                call.context.check_cancelled()
        except EngineError:
            call.context.check_cancelled()
            raise
    return answer(_COLUMNS, rows, snapshot.version)


def _text(value: Any) -> str | None:
    """A JSON value in a column of texts."""
    return value if value is None or isinstance(value, str) else json.dumps(value)
