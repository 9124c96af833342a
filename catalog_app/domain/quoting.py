"""Names and texts as SQL writes them."""

from __future__ import annotations


def quote_name(name: str) -> str:
    """An identifier in backticks."""
    return "`" + name.replace("`", "``") + "`"


def write_name(name: str) -> str:
    """An identifier as a person types it: in backticks where it needs them."""
    return name if name.isascii() and name.isidentifier() else quote_name(name)


def quote_text(text: str) -> str:
    """A text as a literal."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
