"""The few SQL expressions that random histories make, evaluated in Python with SQL's three-valued logic."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from operator import add, eq, ge, gt, le, lt, mul, ne, neg, sub
from typing import Any

import sqlglot
from sqlglot import expressions as sql

Row = Mapping[str, Any]
"""Values by folded column name; where two tables are at hand, also behind the table's name."""

_BINARY: dict[type[sql.Expression], Callable[[Any, Any], Any]] = {
    sql.Add: add,
    sql.Sub: sub,
    sql.Mul: mul,
    sql.EQ: eq,
    sql.NEQ: ne,
    sql.LT: lt,
    sql.LTE: le,
    sql.GT: gt,
    sql.GTE: ge,
}
_UNARY: dict[type[sql.Expression], Callable[[Any], Any]] = {sql.Neg: neg, sql.Upper: str.upper}


def evaluate(text: str, row: Row) -> Any:
    """The value of an expression over one row."""
    return _value(parsed(text), row)


@lru_cache(maxsize=4096)
def parsed(text: str) -> sql.Expression:
    """An expression or a query of Spark's SQL. It belongs to all who ask: no one changes it."""
    return sqlglot.parse_one(text, read="spark")


def _value(node: sql.Expression, row: Row) -> Any:
    operator = _BINARY.get(type(node))
    if operator is not None:
        left, right = _value(node.this, row), _value(node.expression, row)
        return None if left is None or right is None else operator(left, right)
    function = _UNARY.get(type(node))
    if function is not None:
        value = _value(node.this, row)
        return None if value is None else function(value)
    match node:
        case sql.Null():
            return None
        case sql.Boolean() | sql.Literal():
            return node.to_py()
        case sql.Column():
            return _column(node, row)
        case sql.Paren() | sql.Cast():
            return _value(node.this, row)
        case sql.Is() | sql.NullSafeEQ():
            return bool(_value(node.this, row) == _value(node.expression, row))
        case sql.Not():
            inner = _value(node.this, row)
            return None if inner is None else not inner
        case sql.And() | sql.Or() | sql.Case() | sql.In() | sql.Array() | sql.Struct():
            return _connected(node, row)
    raise NotImplementedError(node.sql())


def _column(node: sql.Column, row: Row) -> Any:
    """A column, or a field of one: what stands before the dot may be the table, or the column."""
    qualified = f"{node.table}.{node.name}".casefold()
    if qualified in row:
        return row[qualified]
    if node.table and isinstance(held := row.get(node.table.casefold()), dict | None) and node.table.casefold() in row:
        return None if held is None else held[node.name]
    return row[node.name.casefold()]


def _is_in(node: sql.In, row: Row) -> Any:
    value, others = _value(node.this, row), [_value(other, row) for other in node.expressions]
    if value is None or value in others:
        return None if value is None else True
    return None if None in others else False


def _case(node: sql.Case, row: Row) -> Any:
    chosen = next((branch.args["true"] for branch in node.args["ifs"] if _value(branch.this, row)), None)
    return _value(chosen or node.args["default"], row)


def _connected(node: sql.And | sql.Or | sql.Case | sql.In | sql.Array | sql.Struct, row: Row) -> Any:
    """AND is false as soon as one side is, OR is true as soon as one side is; NULL decides what is left open."""
    if isinstance(node, sql.Array):
        return [_value(item, row) for item in node.expressions]
    if isinstance(node, sql.Struct):
        return {item.name: _value(item.expression, row) for item in node.expressions}
    if isinstance(node, sql.Case):
        return _case(node, row)
    if isinstance(node, sql.In):
        return _is_in(node, row)
    decisive = isinstance(node, sql.Or)
    sides = (_value(node.this, row), _value(node.expression, row))
    if decisive in sides:
        return decisive
    return None if None in sides else not decisive
