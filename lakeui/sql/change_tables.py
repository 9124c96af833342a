"""Tables of changes in a query: ``table_changes('d.t', a, b)`` and ``table_difference('d.t', a, b)``.

Their arguments are constants, read with the text: which tables and versions a query reads is known before it runs.
"""

from __future__ import annotations

from sqlglot import exp

from lakeui.common.errors import ForbiddenStatement, InvalidValue, SyntaxProblem
from lakeui.sql.cursor import Cursor
from lakeui.sql.names import read_table
from lakeui.sql.statements import ChangePoint, NamedPoint, TableChanges, TableName

TABLE_CHANGES, TABLE_DIFFERENCE = "table_changes", "table_difference"
_FORMS = {
    TABLE_CHANGES: ((2, 3), "table_changes('d.t', first [, last]) takes a table and versions, tags or times."),
    TABLE_DIFFERENCE: ((3,), "table_difference('d.t', from, to) takes a table and versions, tags, times or branches."),
}


def is_change_table(node: exp.Expr | None) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.lower() in _FORMS


_NAMED = ("branch", "tag")
"""What a point may be said to be."""


def check_change_table(call: exp.Anonymous) -> None:
    """Raises where the call is no table of a FROM, or lacks an argument."""
    counts, form = _FORMS[call.name.lower()]
    if not isinstance(call.parent, exp.Table):
        raise ForbiddenStatement(
            f"{call.name} is a table, no value.", remedy=f"Write SELECT .. FROM {call.name}(..).", function=call.name
        )
    if len(call.expressions) not in counts:
        raise InvalidValue(form, remedy="Give it these arguments.", function=call.name)


def changes_of(call: exp.Anonymous) -> tuple[TableName, TableChanges]:
    """The table, and which of its changes are meant."""
    name, first, *last = call.expressions
    found = TableChanges(
        _point(call, first), _point(call, last[0]) if last else None, is_net=call.name.lower() == TABLE_DIFFERENCE
    )
    return _table(call, name), found


def _constant(call: exp.Anonymous, node: exp.Expr) -> exp.Literal:
    """The literal of an argument, which may say its type: ``TIMESTAMP '..'``, or a value that was bound."""
    inner = node.this if isinstance(node, exp.Cast) else node
    if not isinstance(inner, exp.Literal):
        raise InvalidValue(
            f"The arguments of {call.name} are constants.",
            remedy="Write a name or a time in quotes, and versions as numbers.",
            function=call.name,
        )
    return inner


def _table(call: exp.Anonymous, node: exp.Expr) -> TableName:
    literal = _constant(call, node)
    text = literal.name
    try:
        if not literal.is_string:
            raise InvalidValue("A number is no name.", remedy="Write 'd.t'.")
        cursor = Cursor(text)
        name = read_table(cursor)
        cursor.end()
    except SyntaxProblem:
        raise InvalidValue(
            f"{text!r} is no name of a table.",
            remedy="Write it as in FROM, in quotes: 'd.t', 'c.d.t' or 'd.`t@branch`'.",
        ) from None
    return name


def _point(call: exp.Anonymous, node: exp.Expr) -> ChangePoint:
    if isinstance(node, exp.Kwarg):
        return _named_point(call, node)
    literal = _constant(call, node)
    if literal.is_string:
        return literal.name
    if not literal.name.isdecimal():
        raise InvalidValue(f"{literal.name} is no version.", remedy="Versions are whole numbers.", function=call.name)
    return int(literal.name)


def _named_point(call: exp.Anonymous, node: exp.Kwarg) -> NamedPoint:
    kind, literal = node.name.lower(), _constant(call, node.expression)
    if kind not in _NAMED or not literal.is_string:
        raise InvalidValue(
            f"{call.name} knows no argument {node.sql(dialect='spark')}.",
            remedy="Write tag => 'name' or branch => 'name'.",
            function=call.name,
        )
    return NamedPoint(literal.name, is_tag=kind == "tag")
