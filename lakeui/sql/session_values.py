"""``current_user()`` and its kin: what a session answers, put as a constant into the tree before Spark sees it.

Spark's own functions of these names tell about the host. None of them ever reaches it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial

from sqlglot import exp

from lakeui.common.errors import InvalidValue

FUNCTIONS = {
    **dict.fromkeys(("current_user", "session_user", "user"), "string"),
    **dict.fromkeys(("current_catalog", "current_database", "current_schema", "current_branch"), "string"),
    "current_version": "bigint",
}
"""The functions, with the types of their values."""

SessionValues = Mapping[str, Callable[[], str | int | None]]
"""By function what gives its value, asked only where the statement has it."""

UNKNOWN: SessionValues = {name: lambda: None for name in FUNCTIONS}
"""For a look at a statement that is not run from here."""


def for_readers(user: str) -> SessionValues:
    """For an expression that is read again for each person who asks: ``user`` stands for who that is, and nothing else
    of a session is known.
    """

    def refuse(name: str) -> str:
        raise InvalidValue(
            f"{name}() cannot stand here: each session answers it otherwise.", remedy="Write the value.", function=name
        )

    users = dict.fromkeys(("current_user", "session_user", "user"), lambda: user)
    return {**{name: partial(refuse, name) for name in FUNCTIONS}, **users}


_VALUES: ContextVar[SessionValues] = ContextVar("session values", default=UNKNOWN)
_REASON: ContextVar[str] = ContextVar("why no session value may stand", default="")
_NAMES = re.compile(rf"\b(?:{'|'.join(FUNCTIONS)})\s*\(", re.IGNORECASE)


def may_ask_session(text: str) -> bool:
    """Whether a statement may have one of the functions; one in a comment or a string counts too."""
    return _NAMES.search(text) is not None


@contextmanager
def session_values_given(values: SessionValues) -> Iterator[None]:
    """What is read inside has these values."""
    token = _VALUES.set(values)
    try:
        yield
    finally:
        _VALUES.reset(token)


@contextmanager
def session_values_refused(reason: str) -> Iterator[None]:
    """Reading one of the functions inside raises InvalidValue with this reason."""
    token = _REASON.set(reason)
    try:
        yield
    finally:
        _REASON.reset(token)


def with_session_values(tree: exp.Expr) -> exp.Expr:
    """The tree with constants in the place of the functions; an output column keeps the name that Spark gives it."""
    for call in list(tree.find_all(exp.Anonymous)):
        name = call.name.lower()
        if name not in FUNCTIONS:
            continue
        if _REASON.get():
            raise InvalidValue(f"{name}() cannot stand here: {_REASON.get()}", remedy="Write the value.", function=name)
        if call.expressions:
            raise InvalidValue(f"{name}() takes no argument.", remedy="Leave it out.", function=name)
        value = _constant(_VALUES.get()[name](), FUNCTIONS[name])
        if isinstance(call.parent, exp.Select) and call.arg_key == "expressions":
            value = exp.Alias(this=value, alias=exp.to_identifier(f"{name}()", quoted=True))
        if call is tree:
            tree = value
        else:
            call.replace(value)
    return tree


def _constant(value: str | int | None, kind: str) -> exp.Expr:
    if isinstance(value, str):
        return exp.Literal.string(value)
    held = exp.Null() if value is None else exp.Literal.number(str(value))
    return exp.Cast(this=held, to=exp.DataType.build(kind, dialect="spark"))
