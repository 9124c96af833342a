"""Text to words: the small lexer of statement heads. Queries inside are read again by the query grammar.

It knows just what is needed to find where things begin and end: comments, strings, quoted names, numbers, words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from lakeui.common.errors import InvalidValue, SyntaxProblem

MOST_WORDS = 100_000
"""Words, numbers, strings and signs of one statement: it is read in seconds."""


class Kind(StrEnum):
    WORD = "word"
    QUOTED = "quoted name"
    STRING = "string"
    NUMBER = "number"
    SYMBOL = "symbol"


@dataclass(frozen=True, slots=True)
class Word:
    """One lexeme. ``value`` is what it means (unescaped), ``start`` and ``end`` the slice of the text."""

    kind: Kind
    value: str
    start: int
    end: int


_PATTERN = re.compile(
    r"""
      (?P<space>\s+)
    | (?P<line>--[^\n]*)
    | (?P<block>/\*)
    | (?P<raw>[rR](?:'[^']*'|"[^"]*"))
    | (?P<string>'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*")
    | (?P<quoted>`(?:[^`]|``)+`)
    | (?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![A-Za-z_0-9]))
    | (?P<word>[^\W]\w*)
    | (?P<open>['"`])
    | (?P<symbol>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_KINDS = {
    "raw": Kind.STRING,
    "string": Kind.STRING,
    "quoted": Kind.QUOTED,
    "number": Kind.NUMBER,
    "word": Kind.WORD,
    "symbol": Kind.SYMBOL,
}
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([01][0-7]{2})|(.))", re.DOTALL)
_NAMED_ESCAPES = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}


def locate(text: str, position: int) -> tuple[int, int]:
    """Line and column of a position, both from 1."""
    return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)


def syntax_problem(text: str, position: int, message: str, *, near: str = "") -> SyntaxProblem:
    """The error that points at a place in the text."""
    line, column = locate(text, position)
    shown = near or "the end of the statement"
    return SyntaxProblem(
        f"{message} at line {line}, column {column}, near {shown}.",
        remedy="Check the statement at that place.",
        line=line,
        column=column,
        near=near,
    )


def read_words(text: str) -> tuple[Word, ...]:
    """The words of a text, without space and comments."""
    words: list[Word] = []
    position = 0
    while position < len(text):
        match = _PATTERN.match(text, position)
        assert match is not None
        group, end = match.lastgroup or "symbol", match.end()
        if group == "line" and text.startswith("\\\n", end - 1):
            said = "A comment ends with a backslash, and Spark would take the next line for a part of it; it stands"
            raise syntax_problem(text, end - 1, said, near="\\")
        if group == "block":
            end = _end_of_comment(text, position)
        elif group == "open":
            raise syntax_problem(
                text, position, f"A {match.group()} is never closed", near=text[position : position + 20]
            )
        elif group in _KINDS:
            if len(words) >= MOST_WORDS:
                raise InvalidValue(
                    f"The statement has more than {MOST_WORDS:,} words and signs.",
                    remedy="Split it up, or load the values from a file (import).",
                    field="statement",
                    nearest=None,
                )
            words.append(Word(_KINDS[group], _meaning(group, match.group()), position, end))
        position = end
    return tuple(words)


def _end_of_comment(text: str, start: int) -> int:
    """Comments nest, as in Spark."""
    depth = 0
    for match in re.compile(r"/\*|\*/").finditer(text, start):
        depth += 1 if match.group() == "/*" else -1
        if depth == 0:
            return match.end()
    raise syntax_problem(text, start, "A comment is never closed", near="/*")


def _meaning(group: str, lexeme: str) -> str:
    if group == "raw":
        return lexeme[2:-1]
    if group == "string":
        quote = lexeme[0]
        return unescape(lexeme[1:-1].replace(quote * 2, quote) if "\\" not in lexeme else _halve(lexeme[1:-1], quote))
    if group == "quoted":
        return lexeme[1:-1].replace("``", "`")
    return lexeme


def _halve(body: str, quote: str) -> str:
    """Doubled quotes to single ones, leaving alone what a backslash escapes."""
    return re.sub(r"(\\.)|" + quote * 2, lambda match: match.group(1) or quote, body, flags=re.DOTALL)


def unescape(body: str) -> str:
    """What Spark makes of the backslashes of a string."""

    def replacement(match: re.Match[str]) -> str:
        short, long, octal, other = match.groups()
        if short or long:
            return chr(int(short or long, 16))
        if octal:
            return chr(int(octal, 8))
        return _NAMED_ESCAPES.get(other, other)

    plain = _ESCAPE.sub(replacement, body)
    # Two escapes can be the halves of one character; a half alone is none.
    return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
