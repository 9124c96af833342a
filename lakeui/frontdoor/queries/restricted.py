"""A table as somebody reads it from whom rows or columns are hidden, and errors that say nothing of what is hidden."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from catalog_app.domain.files import TableScan
from catalog_app.domain.quoting import quote_text
from catalog_app.domain.restrictions import (
    USER,
    Restriction,
    expression_shown,
    restricted_columns,
)
from catalog_app.engine.inputs_outputs import QuerySource
from catalog_app.engine.types import quoted, storage_type
from lakeui.common.errors import EngineAway, EngineLost, LakeError, ResultTooLarge, RowsRestricted
from lakeui.frontdoor.call import Call, ResolvedTable

_TABLE = "__lake_0"
_BARRIER = "monotonically_increasing_id() >= 0"
"""Always true, which Spark does not know, and not the same twice: Spark moves no condition of a query below one that is
not. So none is asked of a row that the filter hides.
"""


def restricted_source(
    scan: TableScan, found: ResolvedTable, restrictions: Sequence[Restriction], user: str, further: Sequence[str] = ()
) -> QuerySource:
    """The rows of the scan that the restrictions let through, with their masks, and ``further`` columns. Raises
    RowsRestricted where a column that the restrictions read is not there.
    """
    schema, label = found.table.schema, found.label
    hidden = restricted_columns(restrictions, schema, label)
    names = {identifier: name for restriction in restrictions for identifier, name in restriction.names.items()}
    all_names = Restriction(found.table.table_id, names=names)

    def text(stored: str) -> str:
        return expression_shown(stored, all_names, schema, label).replace(USER, quote_text(user))

    columns = [
        f"CAST(({text(hidden[column.id])}\n) AS {storage_type(column.type)}) AS {quoted(column.name)}"
        if column.id in hidden
        else quoted(column.name)
        for column in schema.columns
    ]
    columns += further
    conditions = [f"({text(item.row_filter)}\n)" for item in restrictions if item.row_filter]
    where = " AND ".join([*conditions, _BARRIER])
    return QuerySource(f"SELECT {', '.join(columns)} FROM {_TABLE} WHERE {where}", {_TABLE: scan})


@contextmanager
def errors_hidden(call: Call) -> Iterator[None]:
    """Where something is hidden from who asks, what Spark says of values becomes an error without them. An error of a
    mask or a filter has the value in its text.
    """
    try:
        yield
    except (EngineAway, EngineLost, ResultTooLarge):
        raise
    except LakeError as error:
        if not call.is_restricted or error.details.get("spark_class") == "OPERATION_CANCELED":
            raise
        raise RowsRestricted(
            "The query has no answer for some row. Which one is not said, as rows or columns are restricted for you.",
            remedy="Use try_cast, try_divide or other functions that answer NULL instead of an error.",
        ) from None
