"""From condition trees to predicates: what a condition says of bare columns, as far as statistics can answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import starmap

from sqlglot import exp

from catalog_app.pruning.constants import DAY, Constant, date_of
from catalog_app.pruning.predicates import ANYTHING, Beginning, Compared, NullTest, Predicate, all_of, any_of
from lakeui.sql.constants import constant_of
from lakeui.sql.ordered_calls import OrderedCall, ordered_call

_COMPARISONS: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_OPPOSITES = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_FLIPPED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

_DAY_CALLS = ("date", "to_date")
_WILDCARDS = re.compile(r"[%_\\]")

Belongs = Callable[[exp.Column], bool]


def predicate_of(condition: exp.Expr, belongs: Belongs) -> Predicate:
    """What is true of every row for which the condition is, by the columns for which ``belongs`` holds."""
    return _predicate(condition, belongs, is_true=True)


def _predicate(node: exp.Expr, belongs: Belongs, *, is_true: bool) -> Predicate:
    """What is true of rows for which the node is true, or false. Where it is NULL it is neither."""
    node = node.unnest()
    match node:
        case exp.Not():
            return _predicate(node.this, belongs, is_true=not is_true)
        case exp.And() | exp.Or():
            join = all_of if isinstance(node, exp.And) is is_true else any_of
            return join(_predicate(part, belongs, is_true=is_true) for part in node.flatten())
        case exp.Between() if not node.args.get("symmetric"):
            return _between(node, belongs, is_true=is_true)
        case exp.In() if node.expressions and not node.args.get("query"):
            return _membership(node, belongs, is_true=is_true)
        case exp.Is() if isinstance(node.expression, exp.Null):
            return _null_test(node.this, belongs, is_null=is_true)
        case exp.Like() if is_true and not node.args.get("negate"):
            return _beginning(node.this, node.expression, belongs, _WILDCARDS)
        case exp.Anonymous() if is_true and node.name.lower() == "startswith" and len(node.expressions) == 2:
            return _beginning(node.expressions[0], node.expressions[1], belongs)
        case exp.NullSafeEQ() | exp.NullSafeNEQ():
            return _sameness(node, belongs, is_same=isinstance(node, exp.NullSafeEQ) is is_true)
        case _ if type(node) in _COMPARISONS:
            operator = _COMPARISONS[type(node)]
            return _comparison(node, belongs, operator if is_true else _OPPOSITES[operator])
        case _:
            return ANYTHING


def _own_column(side: exp.Expr, belongs: Belongs) -> str | None:
    column = side.unnest()
    is_own = isinstance(column, exp.Column) and isinstance(column.this, exp.Identifier) and belongs(column)
    return str(column.name) if is_own else None


def _beginning(side: exp.Expr, text: exp.Expr, belongs: Belongs, wildcards: re.Pattern[str] | None = None) -> Predicate:
    """The column begins with the constant, or with what stands in it before the first wildcard."""
    name, constant = _own_column(side, belongs), text.unnest()
    if name is None or not isinstance(constant, exp.Literal) or not constant.is_string:
        return ANYTHING
    prefix = constant.name if wildcards is None else wildcards.split(constant.name, maxsplit=1)[0]
    return Beginning(name, prefix) if prefix else ANYTHING


def _own_day(side: exp.Expr, belongs: Belongs) -> str | None:
    """The column whose day the expression is: ``CAST(c AS DATE)``, ``date(c)``, ``to_date(c)``."""
    node = side.unnest()
    match node:
        case exp.Cast() if type(node) is exp.Cast and node.to.is_type("date"):
            return _own_column(node.this, belongs)
        case exp.Anonymous() if node.name.lower() in _DAY_CALLS and len(node.expressions) == 1:
            return _own_column(node.expressions[0], belongs)
        case _:
            return None


def _day_compared(name: str, operator: str, days: list[Constant | None]) -> Predicate:
    """What a comparison of the column's day with days says of its times. A text column keeps every file: its values
    are read row by row.
    """
    parts = [ANYTHING if (day := _as_day(one)) is None else _on_day(name, operator, day) for one in days]
    return parts[0] if len(parts) == 1 else any_of(parts)


def _as_day(constant: Constant | None) -> Constant | None:
    if constant is not None and constant.type == "string":
        value = date_of(constant.low)
        return None if value is None else Constant.of("date", value)
    return constant if constant is not None and constant.type == "date" else None


def _on_day(name: str, operator: str, day: Constant) -> Predicate:
    begins, ends = day.moved(0, 0, "timestamp"), day.moved(DAY, DAY, "timestamp")
    match operator:
        case "=" | "in":
            return all_of([Compared(name, ">=", (begins,)), Compared(name, "<", (ends,))])
        case ">=" | "<":
            return Compared(name, operator, (begins,))
        case ">":
            return Compared(name, ">=", (ends,))
        case "<=":
            return Compared(name, "<", (ends,))
        case _:
            return ANYTHING


def _ordered(call: OrderedCall, operator: str, others: list[Constant | None], belongs: Belongs) -> Predicate:
    """What a comparison of a call that keeps order says of its column. A text column keeps every file."""
    name = _own_column(call.argument, belongs)
    bounds = [[] if name is None or other is None else call.judge(operator, other) for other in others]
    parts = [all_of(Compared(name or "", sign, (constant,)) for sign, constant in found) for found in bounds]
    return parts[0] if len(parts) == 1 else any_of(parts)


def _compared(side: exp.Expr, operator: str, others: list[exp.Expr], belongs: Belongs, is_between: bool) -> Predicate:
    name = _own_column(side, belongs)
    if name is None and (day := _own_day(side, belongs)) is not None:
        return _day_compared(day, operator, [constant_of(other) for other in others])
    if name is None and (call := ordered_call(side)) is not None:
        return _ordered(call, operator, [constant_of(other) for other in others], belongs)
    constants = [] if name is None else [constant_of(other) for other in others]
    known: tuple[Constant, ...] = tuple(constant for constant in constants if constant is not None)
    if name is None or not known or len(known) < len(others):
        return ANYTHING
    return Compared(name, operator, known, is_between)


def _comparison(node: exp.Expr, belongs: Belongs, operator: str) -> Predicate:
    sides = ((node.this, operator, [node.expression]), (node.expression, _FLIPPED[operator], [node.this]))
    return all_of(starmap(lambda side, sign, others: _compared(side, sign, others, belongs, False), sides))


def _between(node: exp.Between, belongs: Belongs, *, is_true: bool) -> Predicate:
    low, high = (">=", "<=") if is_true else ("<", ">")
    ends = [
        _compared(node.this, sign, [node.args[name]], belongs, True) for sign, name in ((low, "low"), (high, "high"))
    ]
    return all_of(ends) if is_true else any_of(ends)


def _membership(node: exp.In, belongs: Belongs, *, is_true: bool) -> Predicate:
    # NULL in a list is equal to nothing; with it nothing is outside of the list either.
    others = [item for item in node.expressions if not (is_true and isinstance(item.unnest(), exp.Null))]
    return _compared(node.this, "in" if is_true else "not in", others, belongs, False) if others else ANYTHING


def _null_test(side: exp.Expr, belongs: Belongs, *, is_null: bool) -> Predicate:
    name = _own_column(side, belongs)
    return ANYTHING if name is None else NullTest(name, is_null)


def _sameness(node: exp.Expr, belongs: Belongs, *, is_same: bool) -> Predicate:
    """``a IS [NOT] DISTINCT FROM b``: NULL is the same as NULL, and as nothing else."""
    if isinstance(node.expression.unnest(), exp.Null):
        return _null_test(node.this, belongs, is_null=is_same)
    if is_same:
        return _comparison(node, belongs, "=")
    columns = [side for side in (node.this, node.expression) if _own_column(side, belongs)]
    return any_of([*(_null_test(side, belongs, is_null=True) for side in columns), _comparison(node, belongs, "<>")])
