"""``.. COMMIT MESSAGE 'text'`` at the end of a statement: what the person says of its commit."""

from __future__ import annotations

from lakeui.sql.cursor import Cursor
from lakeui.sql.lexer import Kind

_WORDS = ("COMMIT", "MESSAGE")


def accept_message(cursor: Cursor) -> str | None:
    """The message that ends the statement; it is taken off. Of COMMIT MESSAGE 'text' alone, COMMIT stays."""
    *_, first, second, text = (None, None, None, *cursor.words)
    if first is None or second is None or text is None or text.kind != Kind.STRING:
        return None
    if [(word.kind, word.value.upper()) for word in (first, second)] != [(Kind.WORD, word) for word in _WORDS]:
        return None
    cursor.words = cursor.words[: -2 if len(cursor.words) == 3 else -3]
    return text.value


def message_in(text: str) -> str | None:
    """The message that the statement ends with."""
    if _WORDS[1] not in text.upper():
        return None
    cursor = Cursor(text)
    cursor.accept_last("DRY", "RUN")
    return accept_message(cursor)
