"""The most that one statement joins by words or signs: Spark's planner takes minutes for thousands of terms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from lakeui.common.errors import InvalidValue
from lakeui.sql.lexer import Kind, Word

MOST_CHAINED = 2_000
_PARTS = frozenset(["WHEN", "JOIN", "UNION", "INTERSECT", "EXCEPT", "MINUS", "LATERAL"])
"""Counted in the whole statement."""
_TERMS = frozenset(["AND", "OR"])
_SIGNS = frozenset("+-*/%|&^")
"""These and the terms are counted in one expression: up to a comma, with what stands in brackets."""


def chains_check(words: Iterable[Word]) -> None:
    """Raise InvalidValue where something is joined more often than ``MOST_CHAINED`` times."""
    parts: Counter[str] = Counter()
    frames = [_Frame()]
    for word in words:
        text = word.value.upper() if word.kind in (Kind.WORD, Kind.SYMBOL) else ""
        if text in _PARTS:
            parts[text] += 1
            _refuse_many(parts[text], text)
        elif text in _TERMS or (word.kind == Kind.SYMBOL and text in _SIGNS):
            frames[-1].count[text] += 1
            _refuse_many(frames[-1].count[text], text)
        elif text == ",":
            frames[-1] = _Frame(is_list=True)
        elif text == "(":
            frames.append(_Frame())
        elif text == ")" and len(frames) > 1:
            inner = frames.pop()
            if not inner.is_list:
                frames[-1].count += inner.count
                for found in inner.count:
                    _refuse_many(frames[-1].count[found], found)


class _Frame:
    """What one pair of brackets has joined since its last comma."""

    def __init__(self, *, is_list: bool = False) -> None:
        self.count: Counter[str] = Counter()
        self.is_list = is_list


def _refuse_many(count: int, text: str) -> None:
    if count > MOST_CHAINED:
        raise InvalidValue(
            f"The statement has {text} more than {MOST_CHAINED:,} times.",
            remedy="Compare with an IN list, or put the values into a table and join it.",
            field="statement",
            nearest=None,
        )
