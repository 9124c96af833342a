"""Column types: from words to canonical text."""

from __future__ import annotations

from catalog_app.domain.other_types import way_out
from catalog_app.domain.quoting import quote_name
from catalog_app.domain.types import DEEPEST_TYPE
from lakeui.common.errors import InvalidValue, NestedTooDeeply
from lakeui.sql.cursor import Cursor
from lakeui.sql.lexer import Kind

_PLAIN = {
    "boolean": "boolean",
    "byte": "tinyint",
    "tinyint": "tinyint",
    "short": "smallint",
    "smallint": "smallint",
    "int": "int",
    "integer": "int",
    "long": "bigint",
    "bigint": "bigint",
    "real": "float",
    "float": "float",
    "double": "double",
    "date": "date",
    "timestamp": "timestamp",
    "timestamp_ltz": "timestamp",
    "timestamp_ntz": "timestamp_ntz",
    "string": "string",
    "binary": "binary",
}
_DECIMALS = frozenset({"decimal", "dec", "numeric"})
_SIZED = {"varchar": "varchar", "char": "char", "character": "char"}
_LARGEST_PRECISION = 38
_DEFAULT_PRECISION = 10


def read_type(cursor: Cursor, depth: int = 0) -> str:
    """The canonical text of a type: lower case, no blanks, ``decimal`` with both numbers. ``depth``: how many types it
    lies in.
    """
    if depth > DEEPEST_TYPE:
        raise NestedTooDeeply("The type", deepest=DEEPEST_TYPE, field="statement")
    if not cursor.sees_kind(Kind.WORD):
        cursor.fail("Expected a type")
    word = cursor.take().value.lower()
    if word in _PLAIN:
        return _PLAIN[word]
    if word in _DECIMALS:
        return _decimal(cursor)
    if word in _SIZED:
        cursor.expect("(")
        size = cursor.integer("a length")
        cursor.expect(")")
        if size < 1:
            raise InvalidValue(f"A {word} needs a length of at least 1.", remedy="Give a larger length.")
        return f"{_SIZED[word]}({size})"
    if word in _NESTED:
        return _NESTED[word](cursor, depth + 1)
    raise InvalidValue(
        f"{word.upper()} is no type that a column can have.",
        remedy=way_out(word, (*_PLAIN, *_DECIMALS, *_SIZED, *_NESTED)),
        type=word,
    )


def _decimal(cursor: Cursor) -> str:
    precision, scale = _DEFAULT_PRECISION, 0
    if cursor.accept("("):
        precision = cursor.integer("a precision")
        if cursor.accept(","):
            scale = cursor.integer("a scale")
        cursor.expect(")")
    if not (1 <= precision <= _LARGEST_PRECISION and scale <= precision):
        raise InvalidValue(
            f"decimal({precision},{scale}) is out of range.",
            remedy=f"The precision is 1 to {_LARGEST_PRECISION}, the scale at most the precision.",
        )
    return f"decimal({precision},{scale})"


def _array(cursor: Cursor, depth: int) -> str:
    cursor.expect("<")
    element = read_type(cursor, depth)
    cursor.expect(">")
    return f"array<{element}>"


def _map(cursor: Cursor, depth: int) -> str:
    cursor.expect("<")
    key = read_type(cursor, depth)
    cursor.expect(",")
    value = read_type(cursor, depth)
    cursor.expect(">")
    return f"map<{key},{value}>"


def _struct(cursor: Cursor, depth: int) -> str:
    cursor.expect("<")
    fields: list[str] = []
    seen: set[str] = set()
    while not cursor.sees(">"):
        if fields:
            cursor.expect(",")
        name = cursor.name("a field's name")
        if name.casefold() in seen:
            raise InvalidValue(f"The field {name} is there twice.", remedy="Give each field its own name.")
        seen.add(name.casefold())
        cursor.accept(":")
        fields.append(f"{_field_name(name)}:{read_type(cursor, depth)}")
        if cursor.accept("NOT", "NULL") or cursor.sees("COMMENT"):
            raise InvalidValue(f"The field {name} can only have a name and a type.", remedy="Leave out the rest.")
    cursor.expect(">")
    return f"struct<{','.join(fields)}>"


def _field_name(name: str) -> str:
    return name if name.isascii() and name.isidentifier() else quote_name(name)


_NESTED = {"array": _array, "map": _map, "struct": _struct}
