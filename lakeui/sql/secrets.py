"""Texts that may hold a password or a token. What is not sure counts as one. Pure."""

from __future__ import annotations

import re

from lakeui.common.errors import LakeError
from lakeui.sql.lexer import Kind, Word, read_words

_NAMES = re.compile(
    r"passw|passphrase|pwd|secret|token|credential|bearer|api[-_]?key|access[-_]?key|private[-_]?key|identified\s+by",
    re.IGNORECASE,
)
"""Of these one is named, and a value stands somewhere: it may be that of the name."""
_VALUES = re.compile(
    r"\blake_[\w-]{20,}|\bAKIA[0-9A-Z]{16}\b|-----BEGIN |\beyJ[\w-]+\.eyJ|\bgh[a-z]_\w{20,}|\bxox[a-z]-|\bsk-[\w-]{20,}"
    r"|://[^\s/@'\"]+:[^\s/@'\"]+@"
)
"""They are secrets wherever they stand."""
_COUNTS = {"LIMIT", "OFFSET", "OF"}
"""The number behind one of them is no secret."""


def may_hold_secret(text: str) -> bool:
    """Whether the text may hold a password or a token: in a literal, or in a comment."""
    if _VALUES.search(text):
        return True
    if not _NAMES.search(text):
        return False
    try:
        words = read_words(text)
    except LakeError:
        return True
    return _has_comment(text, words) or any(_is_value(word, words[place - 1]) for place, word in enumerate(words))


def _is_value(word: Word, before: Word) -> bool:
    if word.kind is Kind.NUMBER:
        return before.kind is not Kind.WORD or before.value.upper() not in _COUNTS
    return word.kind is Kind.STRING


def _has_comment(text: str, words: tuple[Word, ...]) -> bool:
    """What stands between words is space, or a comment."""
    ends = [0, *(word.end for word in words)]
    starts = [*(word.start for word in words), len(text)]
    return any(text[end:start].strip() for end, start in zip(ends, starts, strict=True))
