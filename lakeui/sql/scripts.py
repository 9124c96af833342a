"""The statements of a script: what stands between its semicolons, outside of strings, quoted names and comments."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from lakeui.common.counts import counted
from lakeui.common.errors import InvalidValue
from lakeui.sql.growth import words
from lakeui.sql.lexer import Kind, Word, locate, read_words, syntax_problem

MOST_STATEMENTS = 100
_BEFORE_VALUES = words(
    """ALL AND AS BETWEEN BY CASE DISTINCT DIV ELSE ESCAPE HAVING ILIKE IN INTERVAL LIKE LIMIT NOT OF OFFSET ON OR RLIKE
    SELECT SET THEN VALUES WHEN WHERE"""
)
"""Words behind which a value stands, so that a colon is that of a marker."""


@dataclass(frozen=True, slots=True)
class ScriptStatement:
    """``number`` counts from 1, as do ``line`` and ``column`` of where it begins. ``padded`` is the text where it
    stands in the script, behind blanks. ``names`` are the ``:name`` markers that it may hold.
    """

    number: int
    line: int
    column: int
    text: str
    padded: str
    names: frozenset[str]


def script_split(text: str) -> tuple[ScriptStatement, ...]:
    """The statements of the script in their order; empty ones are left out.

    Raises SyntaxProblem where a string or comment is never closed or there is no statement, InvalidValue where there
    are too many.
    """
    groups: list[list[Word]] = [[]]
    for word in read_words(text):
        if word.kind is Kind.SYMBOL and word.value == ";":
            groups.append([])
        else:
            groups[-1].append(word)
    filled = [group for group in groups if group]
    if not filled:
        raise syntax_problem(text, 0, "There is no statement")
    if len(filled) > MOST_STATEMENTS:
        raise InvalidValue(
            f"The script has {counted(len(filled), 'statement')}; at most {MOST_STATEMENTS} are taken.",
            remedy="Send it in parts.",
            field="script",
            nearest=None,
        )
    return tuple(_statement(text, number, group) for number, group in enumerate(filled, 1))


def _statement(text: str, number: int, group: list[Word]) -> ScriptStatement:
    start, end = group[0].start, group[-1].end
    line, column = locate(text, start)
    body = text[start:end]
    return ScriptStatement(number, line, column, body, "\n" * (line - 1) + " " * (column - 1) + body, _markers(group))


def _markers(group: list[Word]) -> frozenset[str]:
    """Names behind a colon. ``v:a`` without a blank is a path into a VARIANT."""
    before: list[Word | None] = [None, *group]
    return frozenset(
        name.value
        for operand, (colon, name) in zip(before, pairwise(group), strict=False)
        if colon.kind is Kind.SYMBOL and colon.value == ":" and name.kind is Kind.WORD and name.start == colon.end
        if operand is None or operand.end < colon.start or not _ends_an_operand(operand)
    )


def _ends_an_operand(word: Word) -> bool:
    if word.kind is Kind.SYMBOL:
        return word.value in (")", "]")
    return word.kind is Kind.QUOTED or (word.kind is Kind.WORD and word.value.upper() not in _BEFORE_VALUES)
