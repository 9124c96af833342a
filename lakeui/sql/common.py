"""Clauses that several statements share."""

from __future__ import annotations

import re
from typing import NoReturn

from catalog_app.domain.names import name_check
from lakeui.common.errors import ForbiddenStatement, InvalidValue, NotSupported
from lakeui.sql.cursor import Cursor
from lakeui.sql.lexer import Kind
from lakeui.sql.statements import PartitionValuesByColumn, Properties

_NUMBER = re.compile(r"(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)(?:BD|[LSYDF])?", re.IGNORECASE)
"""A number of Spark, with the letters that say its type behind it."""


def forbid(phrase: str) -> NoReturn:
    raise ForbiddenStatement(
        f"{phrase} could reach the host or another system and is not allowed.",
        remedy="Work with managed tables; files come in by upload or import.",
        statement=phrase,
    )


def accept_if_exists(cursor: Cursor) -> bool:
    return cursor.accept("IF", "EXISTS")


def accept_if_not_exists(cursor: Cursor) -> bool:
    return cursor.accept("IF", "NOT", "EXISTS")


def accept_comment(cursor: Cursor) -> str | None:
    """``COMMENT 'text'``, if it comes next."""
    return cursor.string("the comment in quotes") if cursor.accept("COMMENT") else None


def accept_limit(cursor: Cursor) -> int | None:
    """``LIMIT n``, if it comes next."""
    return cursor.integer("a number of rows") if cursor.accept("LIMIT") else None


def read_properties(cursor: Cursor) -> Properties:
    """``('key' = 'value', other.key = 3)``; a key given twice is an error."""
    cursor.expect("(")
    found: dict[str, str] = {}
    while True:
        key = read_property_key(cursor)
        cursor.accept("=")
        if key in found:
            raise InvalidValue(f"The property {key} is given twice.", remedy="Give it once.", property=key)
        name_check("property", key)
        found[key] = _property_value(cursor)
        if not cursor.accept(","):
            break
    cursor.expect(")")
    return tuple(found.items())


def read_property_keys(cursor: Cursor) -> tuple[str, ...]:
    cursor.expect("(")
    keys = [read_property_key(cursor)]
    while cursor.accept(","):
        keys.append(read_property_key(cursor))
    cursor.expect(")")
    return tuple(dict.fromkeys(keys))


def read_property_key(cursor: Cursor) -> str:
    """A string, or names joined by dots."""
    if cursor.sees_kind(Kind.STRING):
        return cursor.string()
    parts = [cursor.name("a property's name")]
    while cursor.accept("."):
        parts.append(cursor.name("a property's name"))
    return ".".join(parts)


def _property_value(cursor: Cursor) -> str:
    if cursor.sees("TRUE") or cursor.sees("FALSE"):
        return cursor.take().value.lower()
    if cursor.sees_kind(Kind.STRING, Kind.NUMBER):
        return cursor.take().value
    raise cursor.problem("Expected the property's value in quotes")


def read_partition_values(cursor: Cursor) -> PartitionValuesByColumn:
    """``(column = literal, …)`` as text; NULL is None. The word PARTITION has been read."""
    cursor.expect("(")
    found: dict[str, str | None] = {}
    while True:
        column = cursor.name("a partition column")
        _expect_equals(cursor, column)
        if column.casefold() in {name.casefold() for name in found}:
            raise InvalidValue(f"The partition column {column} is given twice.", remedy="Give it once.", column=column)
        found[column] = _partition_literal(cursor)
        if not cursor.accept(","):
            break
    cursor.expect(")")
    return tuple(found.items())


def _partition_literal(cursor: Cursor) -> str | None:
    """A literal's text. Typed literals (``DATE '…'``, ``7L``) give the text of their value."""
    if cursor.accept("NULL"):
        return None
    if cursor.sees("TRUE") or cursor.sees("FALSE"):
        return cursor.take().value.lower()
    for kind in ("DATE", "TIMESTAMP", "TIMESTAMP_NTZ"):
        if cursor.accept(kind):
            return cursor.string()
    sign = "-" if cursor.accept("-") else ""
    number = _accept_number(cursor)
    if number is not None:
        return sign + number
    if not sign and cursor.sees_kind(Kind.STRING):
        return cursor.take().value
    raise cursor.problem("Expected the partition's value")


def _expect_equals(cursor: Cursor, column: str) -> None:
    if any(cursor.sees(word) for word in ("<", ">", "!", "IN", "NOT", "IS", "LIKE", "BETWEEN")):
        raise NotSupported(
            f"PARTITION takes one value of {column}, behind =, and no condition.",
            remedy=f"Write PARTITION ({column} = value). DELETE FROM and OPTIMIZE take conditions, behind WHERE.",
            column=column,
        )
    cursor.expect("=")
    cursor.accept("=")  # ``==`` is the same sign in Spark.


def _accept_number(cursor: Cursor) -> str | None:
    """The value of a number, which is taken if it comes next. Its letters may be words of their own to the lexer."""
    word = cursor.current
    found = _NUMBER.match(cursor.text, word.start) if word is not None else None
    if found is None or re.match(r"\w", cursor.text[found.end() : found.end() + 1]):
        return None
    while (word := cursor.current) is not None and word.end <= found.end():
        cursor.take()
    return found.group(1)
