"""Bind parameters: values that stand for ``?`` and ``:name`` in a statement, as typed constants of its tree.

A value never becomes part of the text that is read: it takes the place of a marker in the tree, where an expression
stands. Names of tables and columns, aliases and types are no such places. What is written for the engine is a literal.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from sqlglot import exp

from catalog_app.domain.types import canonical_type
from catalog_app.pruning.comparison import digits
from catalog_app.pruning.constants import date_of, moment_of
from lakeui.common.counts import counted
from lakeui.common.errors import InvalidValue, LakeError
from lakeui.common.nearest import nearest_name
from lakeui.sql.growth import words
from lakeui.sql.lexer import Kind, Word

MOST_PARAMETERS = 10_000
LONGEST_TEXTS = 1 << 20
"""Characters of all texts together."""
START = "lakeui.start"
"""Under this name a marker keeps where it stands in the text that was read."""

_BITS = {"tinyint": 7, "smallint": 15, "int": 31, "bigint": 63}
_FLOATS = {"float", "double"}
_ODD_FLOATS = {"NaN", "Infinity", "-Infinity"}
_TIMES = {"date", "timestamp", "timestamp_ntz"}
_KNOWN = "BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, DECIMAL(p,s), STRING, DATE, TIMESTAMP, TIMESTAMP_NTZ"

_AROUND = words(
    """Select Where Having Limit Offset Version Tuple Paren Cast TryCast Interval Case If Anonymous Bracket Extract Trim
    Substring StrPosition Overlay Filter In Between Like ILike RegexpLike Escape Is Not And Or EQ NEQ GT GTE LT LTE
    NullSafeEQ NullSafeNEQ Add Sub Mul Div IntDiv Mod BitwiseAnd BitwiseOr BitwiseXor BitwiseNot BitwiseLeftShift
    BitwiseRightShift BitwiseUnsignedRightShift Neg DPipe Collate Alias Join Kwarg Lambda Qualify"""
)
"""The kinds of nodes that an expression, and so a value, may stand in."""
_EXPRESSIONS_OF = {
    **dict.fromkeys(("Alias", "Lambda", "Cast", "TryCast", "Interval", "Collate"), "this"),
    **dict.fromkeys(("Kwarg", "Extract"), "expression"),
    "Join": "on",
    "Select": "expressions",
}
"""Of these kinds, the part that is an expression."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """``type`` is canonical Spark SQL type text; None: as the value's kind has it."""

    value: Any
    type: str | None = None


@dataclass(frozen=True, slots=True)
class Parameters:
    """What a statement is read with. The values of its markers: of ``?`` in order, or of ``:name`` by name, never both.
    ``database``: where tables lie that are named without one. ``views``: the temporary views of the session, name and
    query. ``functions``: its functions, name and text. ``overwrites_dynamically``: as in ``SetPartitionOverwrite``.
    """

    positional: tuple[Parameter, ...] = ()
    named: Mapping[str, Parameter] = field(default_factory=dict)
    database: str | None = None
    views: tuple[tuple[str, str], ...] = ()
    functions: tuple[tuple[str, str], ...] = ()
    overwrites_dynamically: bool = False

    @property
    def are_there(self) -> bool:
        return bool(self.positional or self.named)


NO_PARAMETERS = Parameters()


# -- from JSON --------------------------------------------------------------------------------------------------------


def parameters_read(given: Any) -> Parameters:
    """The parameters of a JSON array or object. Raises InvalidValue, naming the one that is none."""
    if given is None:
        return NO_PARAMETERS
    if not isinstance(given, list | dict):
        raise _problem("`parameters` is neither an array nor an object.", "Send an array for ?, an object for :name.")
    if len(given) > MOST_PARAMETERS:
        raise _problem(f"There are more than {MOST_PARAMETERS:,} parameters.", "Load the values from a file (import).")
    if isinstance(given, list):
        read = Parameters(tuple(_parameter(f"Parameter {number}", item) for number, item in enumerate(given, 1)))
    else:
        read = Parameters(named={name: _parameter(f"Parameter :{name}", item) for name, item in given.items()})
    every = (*read.positional, *read.named.values())
    if sum(len(item.value) for item in every if isinstance(item.value, str)) > LONGEST_TEXTS:
        raise _problem(
            f"The parameters have more than {LONGEST_TEXTS:,} characters.", "Load the values from a file (import)."
        )
    return read


def _parameter(called: str, given: Any) -> Parameter:
    if not isinstance(given, dict):
        found = Parameter(given)
    elif not {"value"} <= given.keys() <= {"value", "type"}:
        raise _problem(
            f"{called} is an object without `value`, or with other members.", "Send a value, or value and type."
        )
    elif "type" not in given:
        found = Parameter(given["value"])
    elif not isinstance(given["type"], str):
        raise _problem(f"The type of {called} is no text.", f"Known are {_KNOWN}.")
    else:
        found = Parameter(given["value"], _type(called, given["type"]))
    constant(called, found)
    return found


def _type(called: str, text: str) -> str:
    try:
        kind = canonical_type(text)
    except LakeError as error:
        raise _problem(f"{called} has the type {text[:60]}, which is none.", f"Known are {_KNOWN}.") from error
    is_known = kind in _BITS or kind in _FLOATS or kind in _TIMES or kind in ("boolean", "string")
    if not is_known and not kind.startswith("decimal("):
        raise _problem(f"{called} has the type {kind}, which no parameter has.", f"Known are {_KNOWN}.")
    return kind


def _problem(message: str, remedy: str, nearest: str | None = None) -> InvalidValue:
    return InvalidValue(message, remedy=remedy, field="parameters", nearest=nearest)


# -- from values to constants -----------------------------------------------------------------------------------------


def constant(called: str, given: Parameter) -> exp.Expr:
    """The value as a constant of its type. Raises InvalidValue where the type does not hold it."""
    value, kind = given.value, given.type
    if isinstance(value, list | dict):
        raise _problem(f"{called} is an array or object.", "Send one value a marker.")
    if value is None:
        return exp.Null() if kind is None else _cast(exp.Null(), kind)
    if kind is None:
        return _untyped(called, value)
    if kind == "boolean":
        return exp.Boolean(this=_require(called, given, value if isinstance(value, bool) else None))
    if kind == "string":
        return exp.Literal.string(_require(called, given, value if isinstance(value, str) else None))
    if kind in _BITS:
        return _signed(_whole(called, given, _BITS[kind]), kind)
    if kind in _FLOATS:
        return _double(_require(called, given, _float(value)), kind)
    if kind in _TIMES:
        return _cast(exp.Literal.string(_require(called, given, _time(value, kind))), kind)
    return _signed(_require(called, given, _decimal(value, kind)), kind)


def _untyped(called: str, value: Any) -> exp.Expr:
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if isinstance(value, int):
        return _signed(_whole(called, Parameter(value, "bigint"), _BITS["bigint"]), None)
    if isinstance(value, float):
        return _double(_require(called, Parameter(value, "double"), value if math.isfinite(value) else None), "double")
    return exp.Literal.string(value)


def _require(called: str, given: Parameter, value: Any) -> Any:
    if value is None:
        shown = repr(given.value)[:60]
        raise _problem(f"{called} is {shown}, which is no {(given.type or '').upper()}.", "Send another value or type.")
    return value


def _whole(called: str, given: Parameter, bits: int) -> int:
    value = given.value
    if isinstance(value, str) and value.removeprefix("-").isdecimal() and value.isascii() and len(value) < 30:
        value = int(value)
    is_whole = isinstance(value, int) and not isinstance(value, bool) and -(1 << bits) <= value < 1 << bits
    return int(_require(called, given, value if is_whole else None))


def _float(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if abs(value) < 1 << 1023 else None
    if isinstance(value, str) and value in _ODD_FLOATS:
        return float(value)
    return None


def _decimal(value: Any, kind: str) -> Decimal | None:
    """A number with no more digits than the type has. A JSON number with a point may have lost some: it is none."""
    if isinstance(value, bool | float) or not isinstance(value, int | str) or len(str(value)) > 60:
        return None
    try:
        number = Decimal(value)
    except InvalidOperation:
        return None
    room = digits(kind)
    if not number.is_finite() or room is None:
        return None
    _, own, exponent = number.as_tuple()
    places = max(-int(exponent), 0)
    before = max(len(own) + int(exponent), 0) if any(own) else 0
    return number if places <= room[1] and before <= room[0] - room[1] else None


def _time(value: Any, kind: str) -> str | None:
    if not isinstance(value, str):
        return None
    moment = date_of(value) if kind == "date" else moment_of(value, may_have_zone=kind == "timestamp")
    return None if moment is None else value


def _signed(number: int | Decimal, kind: str | None) -> exp.Expr:
    # Not abs(): of a Decimal it keeps 28 digits.
    literal: exp.Expr = exp.Literal.number(
        format(number.copy_abs(), "f") if isinstance(number, Decimal) else str(abs(number))
    )
    if number < 0:
        literal = exp.Neg(this=literal)
    return literal if kind is None else _cast(literal, kind)


def _double(value: float, kind: str) -> exp.Expr:
    if not math.isfinite(value):
        return _cast(exp.Literal.string(str(value).replace("inf", "Infinity").replace("nan", "NaN")), kind)
    found = _cast(exp.Literal.number(repr(abs(value))), kind)
    # A DOUBLE takes its sign after the cast: before, the zero of -0.0 is a DECIMAL, which has none.
    return exp.Neg(this=found) if math.copysign(1.0, value) < 0 else found


def _cast(value: exp.Expr, kind: str) -> exp.Expr:
    return exp.Cast(this=value, to=exp.DataType.build(kind, dialect="spark"))


# -- in a statement ---------------------------------------------------------------------------------------------------


class Binding:
    """The parameters of the statement that is read, and which of them it used."""

    def __init__(self, text: str, lexemes: Sequence[Word], parameters: Parameters) -> None:
        self._parameters = parameters
        marks = [word.start for word in lexemes if word.kind is Kind.SYMBOL and word.value == "?"]
        self._numbers = {place: number for number, place in enumerate(_places(text, marks))}
        self._used: set[str | int] = set()
        given = len(parameters.positional)
        if given and given != len(marks):
            raise _problem(
                f"{counted(given, 'value is', 'values are')} given, and the statement has the marker ?"
                f" {counted(len(marks), 'time')}.",
                "Send one value for each, in their order.",
            )

    @property
    def is_used(self) -> bool:
        return bool(self._used)

    def value(self, marker: exp.Expr, place: tuple[int, int]) -> exp.Expr:
        """What stands for the marker. Raises InvalidValue where nothing is given for it."""
        name = marker.args.get("this")
        if name:
            if name not in self._parameters.named:
                known = nearest_name(name, list(self._parameters.named))
                raise _problem(
                    f"The statement has :{name}, and no value is given for it.",
                    f"Send `parameters` with {name}.",
                    known,
                )
            self._used.add(name)
            return constant(f"Parameter :{name}", self._parameters.named[name])
        number = self._numbers.get(place)
        if number is None or number >= len(self._parameters.positional):
            raise _problem(
                "The statement has the marker ?, and no value is given for it.", "Send `parameters` as an array."
            )
        self._used.add(number)
        return constant(f"Parameter {number + 1}", self._parameters.positional[number])

    def end(self) -> None:
        """Raise InvalidValue where a value is given that the statement does not use."""
        for name in self._parameters.named:
            if name not in self._used:
                used = nearest_name(name, [str(item) for item in self._used])
                raise _problem(
                    f"A value is given for :{name}, which the statement does not have.", "Leave it out.", used
                )
        for number in range(len(self._parameters.positional)):
            if number not in self._used:
                raise _problem(
                    f"The marker ? number {number + 1} stands where no value can.",
                    "Write it where an expression stands.",
                )


_BINDING: ContextVar[Binding | None] = ContextVar("binding", default=None)


@contextmanager
def binding_of(text: str, lexemes: Sequence[Word], parameters: Parameters) -> Iterator[Binding]:
    """Markers that are read inside become values."""
    binding = Binding(text, lexemes, parameters)
    token = _BINDING.set(binding)
    try:
        yield binding
    finally:
        _BINDING.reset(token)


def with_values(tree: exp.Expr, text: str, behind: int) -> exp.Expr:
    """The tree with values in the place of its markers. ``text`` holds each word at its place in the statement; the
    tree was read behind so many of its characters.
    """
    markers = [node for node in tree.find_all(exp.Placeholder) if not node.args.get("widget")]
    if not markers:
        return tree
    binding = _BINDING.get()
    if binding is None:
        raise _problem("A parameter stands where no value can.", "Write the value.")
    places = _places(text, [behind + marker.meta.get(START, 0) for marker in markers])
    for marker, place in zip(markers, places, strict=True):
        _require_expression(marker)
        value = binding.value(marker, place)
        if marker is tree:
            tree = value
        else:
            marker.replace(exp.Paren(this=value) if isinstance(value, exp.Neg) and _binds(marker) else value)
    return tree


def _require_expression(marker: exp.Expr) -> None:
    around = marker.parent
    if around is None:
        return
    kind = type(around).__name__
    if kind in _AROUND and _EXPRESSIONS_OF.get(kind, marker.arg_key) == marker.arg_key:
        return
    name = marker.args.get("this")
    called = f":{name}" if name else "?"
    raise _problem(
        f"The parameter {called} stands for a name, a type or an order, and a parameter is a value.",
        "Write it where an expression stands.",
    )


def _binds(marker: exp.Expr) -> bool:
    """Whether a sign before the value could be taken for an operator of what stands around it."""
    return not isinstance(marker.parent, exp.Tuple | exp.Anonymous | exp.Select | exp.Paren)


def _places(text: str, offsets: Sequence[int]) -> list[tuple[int, int]]:
    """Line and column of each."""
    lines = [0, *(index + 1 for index, character in enumerate(text) if character == "\n")] if offsets else []
    found = []
    for offset in offsets:
        line = bisect_right(lines, offset) - 1
        found.append((line, offset - lines[line]))
    return found
