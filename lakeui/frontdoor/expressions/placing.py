"""Values that Spark refuses, at their place in the statement that a person wrote."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from lakeui.common.errors import InvalidValue, LakeError
from lakeui.sql.lexer import locate
from lakeui.sql.positions import fragment_position
from lakeui.sql.query import columns_named

Result = TypeVar("Result")


def at_its_place(text: str, work: Callable[[], Result]) -> Result:
    """What ``work`` gives for the statement. A value that is refused has its place in the text where that is sure."""
    try:
        return work()
    except InvalidValue as error:
        if not error.fragments or not text:
            raise
        raise _placed(error, text) from error


def _placed(error: InvalidValue, text: str) -> InvalidValue:
    place = next(filter(None, (_position(text, fragment) for fragment in error.fragments)), None)
    if place is None:
        return error
    near = text[slice(*place)]
    line, column = locate(text, place[0])
    details: dict[str, Any] = {**error.details, "line": line, "column": column, "near": near}
    message = f"{_subject(error, near)}{error.message.removesuffix('.')} (line {line}, column {column})."
    return InvalidValue(message, remedy=error.remedy, **details)


def _position(text: str, fragment: str) -> tuple[int, int] | None:
    try:
        return fragment_position(text, fragment)
    except LakeError:
        # Spark writes some values in ways that no statement may.
        return None


def _subject(error: InvalidValue, near: str) -> str:
    """The column whose value it is, where the place names one; the part of the statement says more."""
    if "part" in error.details or not str(error.details.get("spark_class", "")).startswith("CAST_"):
        return ""
    named = columns_named(near)
    return f"{named.pop()}: " if len(named) == 1 else ""
