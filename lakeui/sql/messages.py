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
