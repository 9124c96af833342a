"""Which tables of a query show the metadata of their rows, and the query that shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from catalog_app.domain.files import SHOWN_COMMIT, SHOWN_FILE, SHOWN_ROW_ID, TableScan
from catalog_app.domain.schema import Schema
from catalog_app.engine.inputs_outputs import QuerySource
from catalog_app.engine.types import quoted
from lakeui.common.errors import InvalidValue, RowsRestricted
from lakeui.frontdoor.call import Call, Place, place_of, scan_for_copies, table_exists, table_for_reading
from lakeui.sql import statements as sql
from lakeui.sql.metadata_columns import COMMIT_VERSION, FILE, ROW_ID, row_id_as
from merge_app.pipelines.definition.templates import TableAddress

_SHOWN = {ROW_ID: SHOWN_ROW_ID, COMMIT_VERSION: SHOWN_COMMIT, FILE: SHOWN_FILE}
_VALUES = {
    ROW_ID: quoted(SHOWN_ROW_ID),
    COMMIT_VERSION: quoted(SHOWN_COMMIT),
    FILE: f"struct({quoted(SHOWN_FILE)} AS file_path, regexp_extract({quoted(SHOWN_FILE)}, '[^/]*$', 0) AS file_name)",
}


def has_metadata_columns(call: Call, query: sql.Query) -> bool:
    """Whether what the query asks is metadata of rows. A view, and a table with such a column, have their own. Raises
    InvalidValue where it is both, as a star can leave out one of them only.
    """
    if not query.beside:
        return False
    asked = [(item.name, name) for item in query.tables for name in item.asked]
    shown = [pair for pair in asked if _shows(call, *pair)]
    if shown and len(shown) < len(asked):
        table, name = next(pair for pair in asked if pair not in shown)
        raise InvalidValue(
            f"{table.database}.{table.table} has a column {name} of its own, and the query asks metadata of rows"
            " beside it.",
            remedy=f"Read one of them in a subquery: FROM (SELECT {name} AS x, a FROM t) AS q.",
            column=name,
        )
    return bool(shown)


def _shows(call: Call, name: sql.TableName, column: str) -> bool:
    if TableAddress(name.database, name.table) in call.temporary_tables:
        return False
    if not table_exists(place_of(call, name), name.table):
        return False
    return table_for_reading(call, name).table.schema.named(column) is None


def with_row_id(schema: Schema, where: sql.Condition | None, alias: str) -> sql.Condition | None:
    """The condition of an UPDATE or a DELETE over rows that show their row id, unless the table has such a column."""
    if where is None or schema.named(ROW_ID) is not None:
        return where
    return replace(where, text=row_id_as(where.text, alias, SHOWN_ROW_ID))


def metadata_shown(place: Place, scan: TableScan, asked: Sequence[str]) -> TableScan:
    """The scan with these columns behind its own. Rows that an open transaction wrote have no version yet."""
    return replace(scan_for_copies(place, scan), shows=tuple(_SHOWN[name] for name in asked))


def with_metadata(scan: TableScan, asked: Sequence[str]) -> QuerySource:
    """The rows of the scan, each with its metadata behind its columns."""
    columns = [quoted(column.name) for column in scan.schema.columns]
    return QuerySource(f"SELECT {', '.join([*columns, *metadata_texts(asked)])} FROM __lake_0", {"__lake_0": scan})


def metadata_texts(asked: Sequence[str]) -> list[str]:
    """SQL of these columns over a scan that shows them."""
    return [f"{_VALUES[name]} AS {quoted(name)}" for name in asked]


def files_refuse(asked: Sequence[str]) -> None:
    """Raise RowsRestricted where a file is asked of a table of which something is hidden: its path may say what."""
    if FILE in asked:
        raise RowsRestricted(
            f"{FILE} cannot be read here: rows or columns of the table are restricted for you.",
            remedy=f"Leave {FILE} out; {ROW_ID} and {COMMIT_VERSION} are shown.",
        )


def without_metadata(query: sql.Query) -> sql.Query:
    """The query of a view: what it names is a column of the table, and breaks with it."""
    return replace(query, beside="")
