"""Where in a statement a name stands: for errors that are found after it was read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lakeui.sql.lexer import Kind, Word, locate, read_words

_CAST = re.compile(r"CAST\((.*) AS (.*)\)", re.DOTALL)
_BEFORE_TABLES = frozenset({"FROM", "JOIN", "INTO", "UPDATE", "TABLE", "USING", "DESCRIBE", "DESC", "OVERWRITE"})
_NAMES = (Kind.WORD, Kind.QUOTED)


def name_position(text: str, parts: Sequence[str], *, start: int = 0, end: int | None = None) -> tuple[int, int] | None:
    """Line and column, from 1, of the first place between ``start`` and ``end`` where an expression names these parts,
    with dots between them. A name that SET assigns to is no such place. None where there is none.
    """
    words = read_words(text)
    folded = [part.casefold() for part in parts]
    for index, word in enumerate(words):
        is_inside = start <= word.start and (end is None or word.end <= end)
        if is_inside and _names(words, index) == folded and not _is_assigned(words, index, len(parts)):
            return locate(text, word.start)
    return None


def table_position(text: str, name: str) -> tuple[int, int] | None:
    """Start and end of the first place that names the table without a database; None where there is none."""
    words = read_words(text)
    for index, word in enumerate(words):
        before = words[index - 1].value.upper() if index else ""
        if before in _BEFORE_TABLES and _names(words, index) == [name.casefold()]:
            return word.start, word.end
    return None


def fragment_position(text: str, fragment: str) -> tuple[int, int] | None:
    """Start and end of the only place in the text with the words of the fragment, which Spark was given: names have
    backquotes there, and ``x::T`` is a cast. ``..`` is anything. None where there is no such place, or more than one.
    """
    words = read_words(text)
    cast = _CAST.fullmatch(fragment)
    forms = [fragment] if cast is None else [fragment, f"{cast[1]}::{cast[2]}"]
    found = {place for form in forms for place in _places(words, form)}
    return found.pop() if len(found) == 1 else None


def _places(words: Sequence[Word], form: str) -> Iterator[tuple[int, int]]:
    before, dots, after = form.partition("..")
    wanted, rest = _folded(before), _folded(after)
    values = [word.value.casefold() for word in words]
    for index in range(len(words)):
        if not wanted or values[index : index + len(wanted)] != wanted:
            continue
        end = index + len(wanted)
        if dots:
            end = next((at + len(rest) for at in range(end, len(words)) if values[at : at + len(rest)] == rest), 0)
        if end:
            yield words[index].start, words[end - 1].end


def _folded(text: str) -> list[str]:
    return [word.value.casefold() for word in read_words(text)]


def _names(words: Sequence[Word], index: int) -> list[str]:
    """The whole dotted name that begins at the word, folded; empty where none does."""
    if words[index].kind not in _NAMES or (index and words[index - 1].value == "."):
        return []
    found = [words[index].value.casefold()]
    while index + 2 < len(words) and words[index + 1].value == "." and words[index + 2].kind in _NAMES:
        index += 2
        found.append(words[index].value.casefold())
    return found


def _is_assigned(words: Sequence[Word], index: int, parts: int) -> bool:
    """Whether the name stands on the left of an assignment."""
    before = words[index - 1].value.upper() if index else ""
    following = index + 2 * parts - 1
    return before in ("SET", ",") and following < len(words) and words[following].value == "="
