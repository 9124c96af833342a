"""What catalogs, branches, tags, databases, tables, columns, properties, constraints and pipelines can be called."""

from __future__ import annotations

import unicodedata

from lakeui.common.errors import InvalidValue

LONGEST_NAME = 255
RESERVED_PREFIX = "__lake_"
"""What the engine adds beside the columns of a table begins like this."""

OTHER_LETTERS = r"[^\x01-\x7F]"
"""What a name that is not of ASCII letters alone holds, as PostgreSQL reads patterns."""

_UNSEEN = {"Cc": "a control character", "Cf": "a character without width or of direction", "Cs": "half a character",
           "Zl": "a line break", "Zp": "a line break"}  # fmt: skip
_WITH_SLASHES = frozenset({"branch", "tag", "column", "property", "constraint", "pipeline"})
"""What an address can hold although it has a slash, or what is in no address."""

_WITHOUT_ADDRESS = frozenset({"column", "property", "constraint"})


def name_folded(name: str) -> str:
    """The one form (NFC) of a name that can be written in several ways that look the same."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def name_check(kind: str, name: str) -> None:
    """Raise InvalidValue where nothing new can be called so: what cannot be seen, opened by its address, or
    distinguished from another name.
    """
    fault = _fault(kind, name)
    if fault:
        shown = name if len(name) <= 60 else f"{name[:60]}…"
        raise InvalidValue(
            f"{shown!r} cannot be the name of a {kind}: {fault}.",
            remedy="Choose another name.",
            field=kind,
            nearest=None,
        )


def column_name_check(name: str) -> None:
    """Raise InvalidValue where no new column can be called so. The engine keeps addresses and placeholders beside a
    table's columns under names of one prefix. What else it adds is called by numbers of columns.
    """
    name_check("column", name)
    if name.casefold().startswith(RESERVED_PREFIX):
        raise InvalidValue(
            f"The column name {name} is reserved.", remedy=f"Choose one that does not begin with {RESERVED_PREFIX}."
        )


def _fault(kind: str, name: str) -> str:
    unseen = next((char for char in name if unicodedata.category(char) in _UNSEEN), "")
    parts = name.split("/")
    if unseen:
        return f"it holds U+{ord(unseen):04X}, {_UNSEEN[unicodedata.category(unseen)]}"
    if len(name) > LONGEST_NAME:
        return f"it has {len(name):,} characters, and at most {LONGEST_NAME} are possible"
    if name != name.strip() or not name:
        return "it is empty" if not name.strip() else "it begins or ends with a blank"
    if name_folded(name) != name:
        return "it is not in the form NFC"
    if kind in _WITHOUT_ADDRESS:
        return ""
    if len(parts) > 1 and kind not in _WITH_SLASHES:
        return "it holds a slash, so that no address leads to it"
    if any(part in ("", ".", "..") for part in parts):
        return "a part of it is empty, a dot or two, so that no address leads to it"
    return ""
