"""Values that a template prints as literals of their type, whether quotes stand around them or not.

``t > {{ watermark_value }}`` and ``t > '{{ watermark_value }}'`` come to the same literal. As a text beside a column of
numbers it would be compared as a DOUBLE, which loses digits (F13).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Self

from merge_app.pipelines.definition.literals import text_literal

_NUMBERS = ("tinyint", "smallint", "int", "bigint", "decimal")
_PREFIXES = {"date": "DATE", "timestamp": "TIMESTAMP", "timestamp_ntz": "TIMESTAMP_NTZ"}
_TEXTS = ("string", "varchar", "char")
_NESTED = ("struct", "array", "map", "variant", "interval")
_MARK = "\ue000{}\ue001"
"""Stands for a value in what a template makes, until it is known what is around it."""
_PARTS = re.compile(
    r"""'(?:\\.|[^'\\])*' | "(?:\\.|[^"\\])*" | `[^`]*` | --[^\n]* | /\*.*?(?:\*/|\Z) | \ue000\d+\ue001""",
    re.VERBOSE | re.DOTALL,
)
_INSIDE = re.compile("\ue000(\\d+)\ue001")
_NAMED_TYPE = re.compile(r"\b(?:date|timestamp(?:_ltz|_ntz)?|interval)\s*\Z", re.IGNORECASE)


class TypedText(str):
    """A value as text, escaped for quotes, with its literal. Whatever a template makes of it is a plain text."""

    __slots__ = ("literal",)
    literal: str

    def __new__(cls, text: str, kind: str) -> Self:
        made = super().__new__(cls, text_literal(text)[1:-1])
        made.literal = typed_literal(text, kind)
        return made


def has_literal(kind: str) -> bool:
    """Whether values of that Spark type can be written as literals."""
    return not kind.startswith(_NESTED)


def typed_literal(text: str, kind: str) -> str:
    """SQL of the value of that Spark type that Spark casts to this text; of binary values the text is hexadecimal."""
    family = kind.partition("(")[0]
    if family in _NUMBERS:
        return f"({text})" if text.startswith("-") else text
    if family in _PREFIXES:
        return f"{_PREFIXES[family]} {text_literal(text)}"
    if family == "binary":
        return f"X'{text}'"
    return text_literal(text) if family in _TEXTS else f"CAST({text_literal(text)} AS {kind})"


class TypedTexts:
    """The values that one template has printed."""

    def __init__(self) -> None:
        self._printed: list[TypedText] = []

    def mark(self, value: TypedText) -> str:
        """What stands for the value until ``settled``."""
        self._printed.append(value)
        return _MARK.format(len(self._printed) - 1)

    def settled(self, text: str) -> str:
        """The text with each value as it has to be where it stands. That is a literal by itself and alone in quotes,
        its text inside of longer quotes, in a comment, and behind the name of a type.
        """
        return "".join(self._parts(text))

    def _parts(self, text: str) -> Iterable[str]:
        end = 0
        for part in _PARTS.finditer(text):
            yield text[end : part.start()]
            end = part.end()
            yield self._settled_part(part[0], before=text[: part.start()])
        yield text[end:]

    def _settled_part(self, part: str, *, before: str) -> str:
        alone = _INSIDE.fullmatch(part.strip("'\""))
        is_typed = part[0] in "'\"" and _NAMED_TYPE.search(before[-40:]) is not None
        if alone is not None and not is_typed:
            return self._value(alone).literal
        return _INSIDE.sub(self._value, part)

    def _value(self, found: re.Match[str]) -> TypedText:
        return self._printed[int(found[1])]
