"""Which tables of a query show the ids of their rows, and the query that shows them."""

from __future__ import annotations

from dataclasses import replace

from catalog_app.domain.files import SHOWN_ROW_ID, TableScan
from catalog_app.engine.inputs_outputs import QuerySource
from catalog_app.engine.types import quoted
from lakeui.common.errors import InvalidValue
from lakeui.frontdoor.call import Call, place_of, table_exists, table_for_reading
from lakeui.sql import statements as sql
from lakeui.sql.row_ids import ROW_ID
from merge_app.pipelines.definition.templates import TableAddress

SHOWN_AS_ROW_ID = f"{quoted(SHOWN_ROW_ID)} AS {quoted(ROW_ID)}"


def has_row_ids(call: Call, query: sql.Query) -> bool:
    """Whether ``_row_id`` of the query is that of rows. A view, and a table with such a column, have their own. Raises
    InvalidValue where it is both, as a star can leave out one of them only.
    """
    if not query.beside_ids:
        return False
    asked = [item for item in query.tables if item.asks_row_ids]
    shown = [item for item in asked if _shows(call, item.name)]
    if shown and len(shown) < len(asked):
        name = next(item.name for item in asked if item not in shown)
        raise InvalidValue(
            f"{name.database}.{name.table} has a column {ROW_ID} of its own, and the query asks another table for the"
            " ids of its rows.",
            remedy=f"Read one of them in a subquery: FROM (SELECT {ROW_ID} AS id, a FROM t) AS x.",
            column=ROW_ID,
        )
    return bool(shown)


def _shows(call: Call, name: sql.TableName) -> bool:
    if TableAddress(name.database, name.table) in call.temporary_tables:
        return False
    if not table_exists(place_of(call, name), name.table):
        return False
    return table_for_reading(call, name).table.schema.named(ROW_ID) is None


def with_row_ids(scan: TableScan) -> QuerySource:
    """The rows of the scan, each with its id behind its columns."""
    columns = [quoted(column.name) for column in scan.schema.columns]
    text = f"SELECT {', '.join([*columns, SHOWN_AS_ROW_ID])} FROM __lake_0"
    return QuerySource(text, {"__lake_0": replace(scan, shows_row_ids=True)})


def without_row_ids(query: sql.Query) -> sql.Query:
    """The query of a view: what it names is a column of the table, and breaks with it."""
    return replace(query, beside_ids="")
