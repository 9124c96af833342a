"""Several alterations of columns in one statement: one commit, or none."""

from __future__ import annotations

from dataclasses import replace

from catalog_app.domain.operations import Operation
from lakeui.common.errors import NotSupported
from lakeui.frontdoor.call import Call, table_for_writing
from lakeui.frontdoor.columns.fields import changes_fields
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.tables.columns import column_operation
from lakeui.frontdoor.tables.tables import commit_table
from lakeui.sql import statements as sql


def alter_columns(call: Call, statement: sql.AlterColumns) -> StatementResult:
    target = table_for_writing(call, statement.table)
    whole: Operation | None = None
    for item in statement.changes:
        if changes_fields(target.table, item):
            raise NotSupported(
                f"The fields inside of {item.column} are altered by a statement of their own.",
                remedy="Write one statement each.",
            )
        change = column_operation(target, item.column, item.change)
        if change is not None:
            whole = change if whole is None else replace(whole, changes=(*whole.changes, *change.changes))
    return commit_table(call, target, "ALTER COLUMN", [whole])
