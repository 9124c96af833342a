"""Conditions that no row of a table meets, as statistics say without a file that is read."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from lakeui.frontdoor.call import Call, table_for_reading, view_asked
from lakeui.frontdoor.expressions.pruning import pruned
from lakeui.frontdoor.inputs_outputs import Session
from lakeui.sql.constants import constant_of
from lakeui.sql.dialect import read_expression
from lakeui.sql.ordered_calls import ordered_call
from lakeui.sql.statements import TableName
from lakeui.sql.terms import predicate_of
from merge_app.jobs.context import Context


def ruled_out(session: Session, name: TableName, conditions: Sequence[str]) -> list[bool]:
    """Of each condition over the columns of a table, whether statistics rule it out for every row. Never for a view,
    nor where the condition names what is no column of the table or calls what statistics do not know: Spark judges
    whether there is such a function. Raises NotFound, and RowsRestricted where something
    is hidden from who asks.
    """
    call = Call(session, Context(), "")
    if view_asked(call, name) is not None:
        return [False] * len(conditions)
    found = table_for_reading(call, name)
    columns, segments = found.table.schema.columns, call.segments(found.place.snapshot, found.table.table_id)
    names = {column.name.casefold() for column in columns}

    def is_out(condition: exp.Expr) -> bool:
        if not all(named.name.casefold() in names and not named.table for named in condition.find_all(exp.Column)):
            return False
        if any(map(_is_unknown, condition.walk())):
            return False
        return not pruned(segments, columns, predicate_of(condition, lambda column: not column.table))

    return [is_out(read_expression(text)) for text in conditions]


def _is_unknown(node: exp.Expr) -> bool:
    """Whether the node is a query or a call of which statistics say nothing."""
    if not isinstance(node, exp.Func) or isinstance(node, exp.Connector | exp.Cast):
        return isinstance(node, exp.Query | exp.Window)
    is_known = isinstance(node, exp.Anonymous) and node.name.lower() in _KNOWN_CALLS
    return not is_known and constant_of(node) is None and ordered_call(node) is None


_KNOWN_CALLS = ("startswith", "date", "to_date")
