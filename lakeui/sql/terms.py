"""From condition trees to terms: the conjunctive comparisons of bare columns with literals."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from decimal import Decimal

from sqlglot import exp

from lakeui.sql.predicates import Scalar, Term

_COMPARISONS: dict[type[exp.Expr], tuple[str, str]] = {
    exp.EQ: ("=", "="),
    exp.NullSafeEQ: ("=", "="),
    exp.LT: ("<", ">"),
    exp.LTE: ("<=", ">="),
    exp.GT: (">", "<"),
    exp.GTE: (">=", "<="),
}
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_ISO_MOMENT = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)?)?")
_WHOLE_TYPES = {"TINYINT", "SMALLINT", "INT", "BIGINT"}
_MOMENT_TYPES = {"TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMPLTZ", "TIMESTAMPNTZ"}

Belongs = Callable[[exp.Column], bool]


def terms_of(condition: exp.Expr, belongs: Belongs) -> tuple[Term, ...]:
    """Terms that a true condition implies, of the columns for which ``belongs`` holds. What yields none is left out."""
    return tuple(_terms(condition, belongs))


def _terms(node: exp.Expr, belongs: Belongs) -> Iterator[Term]:
    node = node.unnest()
    if isinstance(node, exp.And):
        for part in node.flatten():
            yield from _terms(part, belongs)
    elif type(node) in _COMPARISONS:
        yield from _comparison(node, belongs)
    elif isinstance(node, exp.Between) and not node.args.get("symmetric"):
        for operator, bound in ((">=", node.args["low"]), ("<=", node.args["high"])):
            yield from _term(node.this, operator, [bound], belongs)
    elif isinstance(node, exp.In) and node.expressions and not node.args.get("query"):
        yield from _term(node.this, "in", node.expressions, belongs)
    elif (test := _null_test(node)) is not None:
        yield from _term(test.this, "isnull", [], belongs)
    elif isinstance(node, exp.Not) and (test := _null_test(node.this.unnest())) is not None:
        yield from _term(test.this, "isnotnull", [], belongs)


def _null_test(node: exp.Expr) -> exp.Is | None:
    return node if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null) else None


def _comparison(node: exp.Expr, belongs: Belongs) -> Iterator[Term]:
    straight, flipped = _COMPARISONS[type(node)]
    yield from _term(node.this, straight, [node.expression], belongs)
    yield from _term(node.expression, flipped, [node.this], belongs)


def _term(side: exp.Expr, operator: str, literals: list[exp.Expr], belongs: Belongs) -> Iterator[Term]:
    column = side.unnest()
    if not (isinstance(column, exp.Column) and isinstance(column.this, exp.Identifier) and belongs(column)):
        return
    values = [_scalar(literal) for literal in literals]
    if not any(value is None for value in values):
        yield Term(column.name, operator, tuple(value for value in values if value is not None))


def _scalar(node: exp.Expr) -> Scalar | None:
    """The value of a literal; None for anything else, null included."""
    node = node.unnest()
    if isinstance(node, exp.Boolean):
        return bool(node.this)
    if isinstance(node, exp.Literal):
        return node.name if node.is_string else _number(node.name)
    if isinstance(node, exp.Neg):
        value = _scalar(node.this)
        return -value if isinstance(value, int | float | Decimal) and not isinstance(value, bool) else None
    if type(node) is exp.Cast and isinstance(node.this, exp.Literal):
        return _typed(node.this, node.to)
    return None


def _number(text: str) -> Scalar:
    if text.isdecimal():
        return int(text)
    return float(text) if "e" in text.lower() else Decimal(text)


def _typed(literal: exp.Literal, kind: exp.DataType) -> Scalar | None:
    """``DATE '…'``, ``TIMESTAMP '…'`` and numbers with a suffix; texts that are not plain ISO 8601 are left alone."""
    name, text = kind.this.name, literal.name
    if literal.is_string:
        if name == "DATE":
            return text if _ISO_DATE.fullmatch(text) else None
        if name in _MOMENT_TYPES:
            return text if _ISO_MOMENT.fullmatch(text) else None
    elif name in _WHOLE_TYPES and text.isdecimal():
        return int(text)
    elif name == "DOUBLE":
        return float(text)
    return None
