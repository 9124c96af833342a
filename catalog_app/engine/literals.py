"""Types of literals, which are the same whatever their values: Spark need not be asked for them."""

from __future__ import annotations

import re
from collections.abc import Iterable

_KINDS = {
    "void": re.compile(r"\s*null\s*", re.IGNORECASE),
    "boolean": re.compile(r"\s*(true|false)\s*", re.IGNORECASE),
    "int": re.compile(r"\s*-?\d{1,9}\s*"),
    "string": re.compile(r"\s*'[^'\\]*'\s*"),
    "date": re.compile(r"\s*date\s*'[^'\\]*'\s*", re.IGNORECASE),
}
_NUMBER_OR_QUOTED = re.compile(r"`[^`]*`|\b\d{1,9}\b")
_FRACTION = re.compile(r"\d\s*\.|\.\s*\d")


def literal_kind(text: str) -> str | None:
    """The type of a literal; None of any other expression, and of literals whose type depends on their digits."""
    return next((kind for kind, form in _KINDS.items() if form.fullmatch(text)), None)


def common_kind(kinds: Iterable[str | None]) -> str | None:
    """The type of a column of such literals; None where Spark has to say."""
    found = set(kinds)
    if len(found) > 1:
        found.discard("void")
    return found.pop() if len(found) == 1 else None


def without_values(text: str) -> str:
    """A comparison of names and small numbers, or one literal, with other values of the same types in their place."""
    if literal_kind(text) == "string":
        return "''"
    if _FRACTION.search(text):
        return text
    return _NUMBER_OR_QUOTED.sub(lambda found: found[0] if found[0].startswith("`") else "0", text)
