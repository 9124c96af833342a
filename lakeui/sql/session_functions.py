"""Functions of the session: a name and parameters for an expression, which takes the place of each call in the tree.

A call becomes the body with its arguments as typed values, never text in text: precedence stays, and nothing of the
call is read as anything else. Whoever keeps the session sends the functions along, as it does temporary views.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from sqlglot import exp

from lakeui.common.errors import ForbiddenStatement, InvalidValue, NotSupported

MOST_NODES = 20_000
"""Parts of the expressions that the calls of one statement become."""


@dataclass(frozen=True, slots=True)
class SessionFunction:
    """``parameters``: names and canonical types. ``returns``: canonical type, None where the body's is meant. ``body``:
    an expression of the parameters alone, with no call of another such function.
    """

    name: str
    parameters: tuple[tuple[str, str], ...]
    returns: str | None
    body: str


_GIVEN: ContextVar[Mapping[str, str]] = ContextVar("functions of the session", default=MappingProxyType({}))
_REASON: ContextVar[str] = ContextVar("why no function of the session may stand", default="")


@contextmanager
def functions_given(functions: Iterable[tuple[str, str]]) -> Iterator[None]:
    """What is read inside may call these: by name their texts."""
    token = _GIVEN.set({name.casefold(): text for name, text in functions})
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
    token = _GIVEN.set({known: text for known, text in _GIVEN.get().items() if known != name.casefold()})
    try:
        yield
    finally:
        _GIVEN.reset(token)


def function_names_given() -> tuple[str, ...]:
    return tuple(_GIVEN.get())


def with_functions(tree: exp.Expr) -> exp.Expr:
    """The tree with bodies in the place of calls, the innermost first; an output column keeps the name of its call."""
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
        function = _function(call.name, given[call.name.casefold()])
        value = _expanded(function, call, left)
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


@lru_cache(maxsize=256)
def _function(name: str, text: str) -> SessionFunction:
    from lakeui.sql.functions import function_read

    return function_read(name, text)


def _expanded(function: SessionFunction, call: exp.Anonymous, left: int) -> exp.Expr:
    from lakeui.sql.dialect import read_expression

    arguments = call.expressions
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
    with functions_given(()):
        body = read_expression(function.body)
    places = parameter_places(body, function.name, given)
    _require_once(function, [name for _, name, _ in places], given)
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
    return holder if function.returns is None else _cast(holder.this, function.returns)


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


def _require_once(function: SessionFunction, used: list[str], given: Mapping[str, tuple[exp.Expr, exp.Expr]]) -> None:
    """Raise NotSupported where an argument that differs each time would be computed several times."""
    from lakeui.sql.allowlist import is_deterministic

    for name, (argument, _) in given.items():
        differs = argument.find(exp.Query) is not None or not is_deterministic(argument)
        if used.count(name) > 1 and differs:
            raise NotSupported(
                f"{function.name} names {name} several times, and this argument may differ each time.",
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


def refuse_name(name: str, builtin: Iterable[str]) -> None:
    """Raise where a function of the session cannot be called so."""
    if name.casefold() in builtin:
        raise ForbiddenStatement(
            f"{name} is a function of Spark SQL, or a word of the grammar.",
            remedy="Choose another name.",
            function=name,
        )
