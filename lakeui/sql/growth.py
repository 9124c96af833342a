"""Functions whose argument says how large their value becomes: the size is bounded before a value is made.

A size that the text gives is judged here. A size that a row gives is judged by the engine: the argument itself becomes
``IF(too large, RAISE_ERROR(..), size)``, so that no optimizer can compute the value before the check.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from lakeui.common.errors import InvalidValue

LARGEST_VALUE_BYTES = 16 * 1024 * 1024
LARGEST_JOINED_BYTES = 4 * LARGEST_VALUE_BYTES
MOST_ELEMENTS = 1_000_000
DEEPEST = 3
_BYTES_A_CHARACTER = 4
_SPAN_SECONDS = {"HOUR": 3600.0, "MINUTE": 60.0, "SECOND": 1.0, "MILLISECOND": 1e-3, "MICROSECOND": 1e-6}

Render = Callable[[exp.Expr], str]


@dataclass(frozen=True, slots=True)
class _Growing:
    """``size``: index of the argument that is the size; ``content``: of the argument that is repeated."""

    size: int
    content: int | None = None
    most: int = LARGEST_VALUE_BYTES


_FUNCTIONS = {
    "repeat": _Growing(1, content=0),
    "space": _Growing(0),
    "lpad": _Growing(1, most=LARGEST_VALUE_BYTES // _BYTES_A_CHARACTER),
    "rpad": _Growing(1, most=LARGEST_VALUE_BYTES // _BYTES_A_CHARACTER),
    "randstr": _Growing(0),
    "array_repeat": _Growing(1, content=0, most=MOST_ELEMENTS),
    "sequence": _Growing(1, most=MOST_ELEMENTS),
    "array_insert": _Growing(1, most=MOST_ELEMENTS),
    "format_number": _Growing(1),
}
_ADDING = frozenset({"array_insert", "format_number"})
"""Their size adds to the value, and may be negative or a text."""


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


def growth_check(call: exp.Anonymous, *, is_random: Callable[[str], bool]) -> None:
    """Raises InvalidValue where the text gives too large a size, or a size that cannot be checked."""
    growing = _FUNCTIONS.get(call.name.lower())
    if growing is None or len(call.expressions) <= growing.size:
        return
    size = call.expressions[growing.size]
    if call.name.lower() in _ADDING and isinstance(size, exp.Literal) and size.is_string:
        return
    sizes = call.expressions if call.name.lower() == "sequence" else [size]
    if any(is_random(inner.name.lower()) for part in sizes for inner in part.find_all(exp.Anonymous)):
        raise InvalidValue(
            f"The size that {call.name} takes answers differently each time, so it cannot be checked.",
            remedy="Write a number, or compute the size in a subquery of its own.",
        )
    if _depth(call) > DEEPEST:
        raise InvalidValue(
            f"{call.name} stands in more than {DEEPEST} functions that repeat values.", remedy="Write it in steps."
        )
    known = number_in(size)
    first = number_in(call.expressions[0]) if call.name.lower() == "sequence" else None
    if known is None and size.find(exp.Column) is None and call.name.lower() != "sequence":
        raise InvalidValue(
            f"The size that {call.name} takes is neither a number nor of a column.", remedy="Write the number."
        )
    if known is not None and abs(known - (first or 0)) > _most(call, growing):
        raise _too_large(call.name, growing)


def size_of_growing(call: exp.Anonymous, sizes: list[float]) -> float | None:
    """The most bytes that the text lets the call make, given those of its arguments; None for other functions."""
    growing = _FUNCTIONS.get(call.name.lower())
    if growing is None or len(sizes) <= growing.size:
        return None
    known = number_in(call.expressions[growing.size])
    if call.name.lower() == "sequence":
        first = number_in(call.expressions[0])
        count = MOST_ELEMENTS if known is None or first is None else abs(known - first) + 1
        return 8.0 * min(count, MOST_ELEMENTS)
    if call.name.lower() in _ADDING:
        return sum(sizes) + abs(known or 0) * 8
    if known is None:
        return float(LARGEST_VALUE_BYTES)
    once = _BYTES_A_CHARACTER if growing.content is None else sizes[growing.content]
    return min(max(known, 0) * once, LARGEST_VALUE_BYTES)


def growth_guarded(call: exp.Anonymous, render: Render) -> list[str]:
    """The texts of the arguments; a size that a row gives is checked by the engine."""
    arguments = [render(argument) for argument in call.expressions]
    growing = _FUNCTIONS.get(call.name.lower())
    if growing is None or len(arguments) <= growing.size:
        return arguments
    if call.name.lower() == "sequence":
        condition = _sequence_condition(call, arguments)
    else:
        condition = _size_condition(call, growing, arguments)
    if condition:
        message = _too_large(call.name, growing).message
        arguments[growing.size] = f"IF({condition}, RAISE_ERROR('{message}'), {arguments[growing.size]})"
    return arguments


def growth_named(select: exp.Select) -> None:
    """Give columns that hold a check the name that they would have without it."""
    for column in list(select.expressions):
        if isinstance(column, exp.Alias) or not any(map(_is_checked_by_row, column.find_all(exp.Anonymous))):
            continue
        column.replace(exp.alias_(column.copy(), column.sql(dialect="spark", normalize_functions=False), quoted=True))


def _is_checked_by_row(call: exp.Anonymous) -> bool:
    plain = [""] * len(call.expressions)
    return growth_guarded(call, lambda _: "") != plain


def _size_condition(call: exp.Anonymous, growing: _Growing, arguments: list[str]) -> str:
    size = f"CAST({arguments[growing.size]} AS DOUBLE)"
    if call.name.lower() in _ADDING:
        text = isinstance(call.expressions[growing.size], exp.Literal)
        is_known = text or number_in(call.expressions[growing.size]) is not None
        return "" if is_known else f"ABS(TRY_CAST({arguments[growing.size]} AS DOUBLE)) > {growing.most}"
    conditions = []
    if number_in(call.expressions[growing.size]) is None:
        conditions.append(f"{size} > {growing.most}")
    if growing.content is not None and not isinstance(call.expressions[growing.content], exp.Literal):
        content = f"OCTET_LENGTH(CAST({arguments[growing.content]} AS STRING))"
        conditions.append(f"{content} * {size} > {LARGEST_VALUE_BYTES}")
    elif growing.content is not None and conditions:
        conditions = [f"{size} > {_most(call, growing)}"]
    return " OR ".join(conditions)


def _sequence_condition(call: exp.Anonymous, arguments: list[str]) -> str:
    """By the count of numbers, or by the span of times; steps of a day and more cannot count to a million."""
    start, stop, step = [*call.expressions, None][:3]
    if step is None or not isinstance(step, exp.Interval):
        if number_in(start) is not None and number_in(stop) is not None and step is None:
            return ""
        width = f"ABS(TRY_CAST(CAST({arguments[2]} AS STRING) AS DOUBLE))" if step is not None else "1"
        first, last = (f"TRY_CAST(CAST({text} AS STRING) AS DOUBLE)" for text in arguments[:2])
        condition = f"ABS({last} - {first}) > {MOST_ELEMENTS} * {width}"
        unknown = f"{arguments[2]} IS NOT NULL AND {width} IS NULL" if step is not None else ""
        return f"{condition} OR ({unknown})" if unknown else condition
    seconds = _SPAN_SECONDS.get(step.text("unit").upper().removesuffix("S"))
    if seconds is None:
        return ""
    first, last = (f"UNIX_MICROS(TRY_CAST({text} AS TIMESTAMP))" for text in arguments[:2])
    return f"ABS({last} - {first}) > {MOST_ELEMENTS * seconds * 1e6:.0f}"


def _most(call: exp.Anonymous, growing: _Growing) -> float:
    """The largest size for the content that the text gives."""
    content = None if growing.content is None else call.expressions[growing.content]
    if not isinstance(content, exp.Literal):
        return growing.most
    return min(growing.most, LARGEST_VALUE_BYTES / max(len(content.name.encode()), 1))


def number_in(node: exp.Expr) -> float | None:
    """The value of a number that is written out, with +, - and * over such."""
    match node:
        case exp.Paren():
            return number_in(node.this)
        case exp.Literal() if not node.is_string:
            return float(node.name)
        case exp.Neg():
            inner = number_in(node.this)
            return None if inner is None else -inner
        case exp.Add() | exp.Sub() | exp.Mul():
            one, other = number_in(node.this), number_in(node.expression)
            if one is None or other is None:
                return None
            return (
                one + other if isinstance(node, exp.Add) else one - other if isinstance(node, exp.Sub) else one * other
            )
        case _:
            return None


def _depth(call: exp.Expr) -> int:
    depth = 0
    above: exp.Expr | None = call
    while above is not None:
        depth += isinstance(above, exp.Anonymous) and above.name.lower() in _FUNCTIONS
        above = above.parent
    return depth


def _too_large(name: str, growing: _Growing) -> InvalidValue:
    most = f"{MOST_ELEMENTS} elements" if growing.most == MOST_ELEMENTS else f"{LARGEST_VALUE_BYTES} bytes"
    return InvalidValue(
        f"{name} would make a value of more than {most}.", remedy="Ask for a smaller value, or for more rows."
    )
