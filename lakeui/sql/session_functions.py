"""Functions of the session: a name and parameters for an expression, which takes the place of each call in the tree.

A call becomes the body with its arguments as typed values, never text in text: precedence stays, and nothing of the
call is read as anything else. Whoever keeps the session sends the functions along, as it does temporary views.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import MappingProxyType

from sqlglot import exp

from lakeui.common.errors import InvalidValue, NotSupported

MOST_NODES = 5_000
"""Parts of the expressions that the calls of one statement become."""
# An identifier alone is the variable of a lambda around the call.
_VALUES = (exp.Condition, exp.Identifier, exp.Subquery, exp.Tuple, exp.Interval, exp.Filter, exp.WithinGroup)
_NO_VALUES = (exp.Kwarg, exp.PropertyEQ)
_NULLS = (exp.IgnoreNulls, exp.RespectNulls)
_NO_PLACES: dict[tuple[type | None, str | None], str] = {
    (exp.Window, "this"): "OVER",
    (exp.Filter, "this"): "FILTER",
    (exp.WithinGroup, "this"): "WITHIN GROUP",
    (exp.IgnoreNulls, "this"): "IGNORE NULLS",
    (exp.RespectNulls, "this"): "RESPECT NULLS",
    (exp.Lateral, "this"): "LATERAL VIEW",
    (exp.In, "field"): "IN without parentheses",
    (exp.Extract, "this"): "the unit of EXTRACT",
    (exp.Collate, "expression"): "COLLATE",
    (exp.Star, "except_"): "EXCEPT",
}
"""By what stands around a call, and where in it: no place for a value, or what says more about a call."""
_INTS = range(-(1 << 31), 1 << 31)


@dataclass(frozen=True, slots=True)
class SessionFunction:
    """``parameters``: names and canonical types. ``returns``: canonical type, None where the body's is meant. ``body``:
    an expression of the parameters alone, with no call of another such function.
    """

    name: str
    parameters: tuple[tuple[str, str], ...]
    returns: str | None
    body: str


FunctionReader = Callable[[str], tuple[SessionFunction, exp.Expr]]
"""Of a name as a call has it: the function, and its body as a tree of its own."""

_GIVEN: ContextVar[Mapping[str, FunctionReader]] = ContextVar("functions of the session", default=MappingProxyType({}))
_REASON: ContextVar[str] = ContextVar("why no function of the session may stand", default="")


@contextmanager
def functions_given(functions: Iterable[tuple[str, FunctionReader]]) -> Iterator[None]:
    """What is read inside may call these. ``functions.functions_of_texts`` makes them of what a session keeps."""
    token = _GIVEN.set({name.casefold(): reader for name, reader in functions})
    try:
        yield
    finally:
        _GIVEN.reset(token)


@contextmanager
def functions_refused(reason: str) -> Iterator[None]:
    """A call of one inside raises NotSupported with this reason."""
    token = _REASON.set(reason)
    try:
        yield
    finally:
        _REASON.reset(token)


@contextmanager
def function_hidden(name: str) -> Iterator[None]:
    """What is read inside does not know this one."""
    token = _GIVEN.set({known: reader for known, reader in _GIVEN.get().items() if known != name.casefold()})
    try:
        yield
    finally:
        _GIVEN.reset(token)


def function_names_given() -> tuple[str, ...]:
    return tuple(_GIVEN.get())


def with_functions(tree: exp.Expr) -> exp.Expr:
    """The tree with bodies in the place of calls, the innermost first. An output column keeps the name of its call."""
    given = _GIVEN.get()
    if not given:
        return tree
    left = MOST_NODES
    # Breadth first gives what is outside before what is inside.
    for call in reversed(list(tree.find_all(exp.Anonymous))):
        if call.name.casefold() not in given or isinstance(call.parent, exp.Table):
            continue
        if _REASON.get():
            raise NotSupported(
                f"The function {call.name} of the session cannot stand here: {_REASON.get()}",
                remedy="Write its expression.",
                function=call.name,
            )
        _require_place(call)
        value = _expanded(*given[call.name.casefold()](call.name), call, left)
        left -= sum(1 for _ in value.walk())
        if isinstance(call.parent, exp.Select) and call.arg_key == "expressions":
            value = exp.Alias(
                this=value, alias=exp.to_identifier(call.sql("spark", normalize_functions=False), quoted=True)
            )
        if call is tree:
            tree = value
        else:
            call.replace(value)
    return tree


def _expanded(function: SessionFunction, body: exp.Expr, call: exp.Anonymous, left: int) -> exp.Expr:
    arguments = call.expressions
    _require_values(function, arguments)
    if len(arguments) != len(function.parameters):
        raise InvalidValue(
            f"{function.name} takes {len(function.parameters)} arguments, and {len(arguments)} are given.",
            remedy=f"DESCRIBE FUNCTION {function.name} shows them.",
            function=function.name,
        )
    given = {
        name.casefold(): (argument, _cast(argument, kind))
        for argument, (name, kind) in zip(arguments, function.parameters, strict=True)
    }
    places = parameter_places(body, function.name, given)
    _require_once(function, [(column, name) for column, name, _ in places], given)
    size = sum(1 for _ in body.walk())
    size += sum(sum(1 for _ in given[name][1].walk()) for _, name, _ in places)
    if size > left:
        raise InvalidValue(
            f"The calls of functions of the session become more than {MOST_NODES:,} parts.",
            remedy="Compute a part in a subquery first, and call the function on its column.",
            function=function.name,
        )
    holder = exp.Paren(this=body)
    for column, name, rest in places:
        _require_free(function, column, given[name][0])
        value: exp.Expr = given[name][1].copy()
        for part in rest:
            value = exp.Dot(this=value, expression=part.copy())
        column.replace(value)
    if function.returns is not None:
        return _cast(holder.this, function.returns)
    if _is_ordinal(holder):
        return exp.Paren(this=_cast(holder.this, "INT"))
    return holder


def _is_ordinal(value: exp.Expr) -> bool:
    """Whether Spark takes the value, as it stands, for the place of a column in GROUP BY and ORDER BY."""
    sign = ""
    while isinstance(value, exp.Paren | exp.Neg):
        sign += "-" if isinstance(value, exp.Neg) else ""
        value = value.this
    if not isinstance(value, exp.Literal) or value.is_string or not value.name.isdecimal():
        return False
    return int(value.name) * (-1) ** len(sign) in _INTS


def parameter_places(
    body: exp.Expr, function: str, known: Iterable[str]
) -> list[tuple[exp.Column, str, list[exp.Expr]]]:
    """Where the body names a parameter: the column, the parameter, and the fields of it that are meant. Raises
    InvalidValue for a column that is no parameter.
    """
    names = set(known)
    found = []
    for column in body.find_all(exp.Column):
        parts = list(column.parts)
        if len(parts) > 1 and parts[0].name.casefold() == function.casefold():
            parts = parts[1:]
        name = parts[0].name.casefold()
        if name not in names:
            raise InvalidValue(
                f"{column.sql('spark')} is no parameter of the function.",
                remedy="A function sees its parameters alone: add one, and pass the column.",
                column=column.name,
            )
        found.append((column, name, parts[1:]))
    return found


def _cast(value: exp.Expr, kind: str) -> exp.Expr:
    return exp.Cast(this=value.copy(), to=exp.DataType.build(kind, dialect="spark"))


def _require_place(call: exp.Anonymous) -> None:
    """Raise NotSupported where more than a value is meant: the body, put there, would be read otherwise."""
    what = _NO_PLACES.get((type(call.parent), call.arg_key))
    if isinstance(call.find_ancestor(exp.Pivot, exp.Query), exp.Pivot):
        what = "PIVOT"
    if what is not None:
        raise NotSupported(
            f"The function {call.name} of the session is a value, and does not go with {what}.",
            remedy="Write its expression, or compute it in a subquery.",
            function=call.name,
        )


def _require_values(function: SessionFunction, arguments: Iterable[exp.Expr]) -> None:
    """Raise NotSupported for DISTINCT, a star, a name or an order in the place of a value."""
    for argument in arguments:
        inner = argument.expression if isinstance(argument, exp.Dot) else argument
        is_value = isinstance(argument, _VALUES) and not isinstance(argument, _NO_VALUES) and not inner.is_star
        # ``first(a) IGNORE NULLS`` says something of first; ``a IGNORE NULLS`` would say it of this function.
        is_value |= isinstance(argument, _NULLS) and isinstance(argument.this, exp.Func)
        if not is_value:
            raise NotSupported(
                f"{function.name} takes values alone, and {argument.sql('spark')[:80]} is none.",
                remedy="Pass one value for each parameter, in their order.",
                function=function.name,
            )


def _require_once(
    function: SessionFunction, used: list[tuple[exp.Column, str]], given: Mapping[str, tuple[exp.Expr, exp.Expr]]
) -> None:
    """Raise NotSupported where an argument that differs each time would be computed several times. A lambda computes
    what is inside of it for each element.
    """
    from lakeui.sql.allowlist import is_deterministic

    times: Counter[str] = Counter()
    for column, name in used:
        times[name] += 1 if column.find_ancestor(exp.Lambda) is None else 2
    for name, (argument, _) in given.items():
        differs = argument.find(exp.Query) is not None or not is_deterministic(argument)
        if times[name] > 1 and differs:
            raise NotSupported(
                f"{function.name} computes {name} several times, and this argument may differ each time.",
                remedy="Compute it in a subquery, and pass the column.",
                function=function.name,
            )


def _require_free(function: SessionFunction, column: exp.Expr, argument: exp.Expr) -> None:
    """Raise NotSupported where a variable of a lambda of the body has the name of something in the argument."""
    around = column.find_ancestor(exp.Lambda)
    if around is None:
        return
    bound: set[str] = set()
    while around is not None:
        bound |= {variable.name.casefold() for variable in around.expressions}
        around = around.find_ancestor(exp.Lambda)
    for name in argument.find_all(exp.Identifier):
        if name.name.casefold() in bound:
            raise NotSupported(
                f"{name.name} is a variable inside of {function.name}, and a name of the argument.",
                remedy="Give the column another name in a subquery.",
                function=function.name,
            )
