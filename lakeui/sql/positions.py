"""Where in a statement a name stands: for errors that are found after it was read."""

from __future__ import annotations

from collections.abc import Sequence

from lakeui.sql.lexer import Kind, Word, locate, read_words

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
