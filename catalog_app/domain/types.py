"""Column types as text: one canonical spelling, and which type widens to which (semantics §3, A6.1)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache

from catalog_app.domain.other_types import way_out
from catalog_app.domain.quoting import write_name
from lakeui.common.errors import InvalidValue, NestedTooDeeply

_SYNONYMS = {
    "byte": "tinyint",
    "short": "smallint",
    "integer": "int",
    "long": "bigint",
    "real": "float",
    "dec": "decimal",
    "numeric": "decimal",
    "character": "char",
    "bool": "boolean",
    "timestamp_ltz": "timestamp",
}
_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_PLAIN = frozenset({*_INTEGERS, "boolean", "float", "double", "string", "binary", "date", "timestamp", "timestamp_ntz"})
_LARGEST_PRECISION = 38
DEEPEST_TYPE = 50
"""Types may lie in each other so often."""
_TOKEN = re.compile(r"\s*(`(?:[^`]|``)*`|'(?:[^'\\]|\\.|'')*'|#\d+(?:\+\d+)*|[A-Za-z_0-9\u0080-\U0010ffff]+|[<>(),:])")


@dataclass(frozen=True, slots=True)
class Field:
    """A field inside of a type: of a struct, the ``element`` of an array, the ``key`` or ``value`` of a map.

    ``suffix`` is what a struct's field says behind its type (`` not null``). ``ids`` are the field ids under which
    files hold it, its own first; none in a type that belongs to no column.
    """

    name: str
    type: ParsedType
    suffix: str = ""
    ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ParsedType:
    """A type taken apart. ``parameters`` are precision and scale, or the length; ``text`` is the canonical spelling."""

    name: str
    parameters: tuple[int, ...]
    text: str
    fields: tuple[Field, ...] = ()

    @property
    def identified(self) -> str:
        """The text with the ids of all fields: ``struct<x#3:int,l#4+9:array<#5:int>>``."""
        if not self.fields:
            return self.text
        texts = (_identified(field, self.name == "struct") for field in self.fields)
        return f"{self.name}<{','.join(texts)}>"


def _identified(field: Field, is_named: bool) -> str:
    name = write_name(field.name) if is_named else ""
    ids = "#" + "+".join(map(str, field.ids)) if field.ids else ""
    colon = ":" if name or ids else ""
    return f"{name}{ids}{colon}{field.type.identified}{field.suffix}"


def field_ids(kind: ParsedType) -> frozenset[int]:
    """The ids of all fields inside of a type, at every depth."""
    return frozenset(i for field in kind.fields for i in (*field.ids, *field_ids(field.type)))


def nested_type(name: str, fields: Iterable[Field]) -> ParsedType:
    """The array, map or struct of these fields."""
    chosen = tuple(fields)
    if name == "struct":
        texts = [f"{write_name(field.name)}:{field.type.text}{field.suffix}" for field in chosen]
    else:
        texts = [field.type.text for field in chosen]
    return ParsedType(name, (), f"{name}<{','.join(texts)}>", chosen)


@lru_cache(maxsize=4096)
def parse_type(text: str, *, of_value: bool = False) -> ParsedType:
    """The type that this text spells. Raises InvalidValue naming the part that is none. ``of_value``: it may be or
    hold ``void``, the type of NULL.
    """
    return _Parser(text, _PLAIN | {"void"} if of_value else _PLAIN).whole()


@lru_cache(maxsize=4096)
def parse_identified(text: str) -> ParsedType:
    """The type whose ``identified`` text this is."""
    return _Parser(text, _PLAIN, has_ids=True).whole()


def value_type(text: str) -> ParsedType:
    """The type of a value, also where no column can have it: such a type has no fields."""
    try:
        return parse_type(text, of_value=True)
    except InvalidValue:
        return ParsedType(re.split(r"[(<\s]", text.strip().lower(), maxsplit=1)[0], (), text)


def untyped_path(kind: ParsedType, path: str) -> str | None:
    """The first part of a value that is of no type (``void``), as a path from ``path`` on; None without any."""
    if kind.name == "void":
        return path
    found = (untyped_path(field.type, f"{path}.{field.name}") for field in kind.fields)
    return next((inner for inner in found if inner is not None), None)


def canonical_type(text: str) -> str:
    """Spark SQL's lower-case spelling: ``BIGINT`` and ``long`` are ``bigint``, ``DECIMAL`` is ``decimal(10,0)``."""
    return parse_type(text).text


def widens(narrow: str, wide: str) -> bool:
    """Whether every value of ``narrow`` is one of ``wide`` and files written as the one can be read as the other.
    A type widens to itself, a nested one where its fields have the same names in the same order and each widens (A6.1).
    """
    if narrow == wide:
        return True
    if wide == "void":
        return False
    first, second = parse_type(narrow), parse_type(wide)
    return first.text == second.text or _is_wider(first, second)


def _is_wider(first: ParsedType, second: ParsedType) -> bool:
    match first.name, second.name:
        case (a, b) if a in _INTEGERS and b in _INTEGERS:
            return _INTEGERS.index(a) < _INTEGERS.index(b)
        case ("decimal", "decimal"):
            return first.parameters[1] == second.parameters[1] and first.parameters[0] <= second.parameters[0]
        case ("varchar", "varchar"):
            return first.parameters[0] <= second.parameters[0]
        case ("array", "array") | ("map", "map") | ("struct", "struct") if first.fields:
            pairs = list(zip(first.fields, second.fields, strict=False))
            is_same = len(first.fields) == len(second.fields) and all(one.name == other.name for one, other in pairs)
            return is_same and all(widens(one.type.text, other.type.text) for one, other in pairs)
        case ("float", "double") | ("varchar", "string") | ("date", "timestamp_ntz"):
            return True
        case _:
            return False


class _Parser:
    """Recursive descent over one type text."""

    def __init__(self, text: str, plain: AbstractSet[str], *, has_ids: bool = False) -> None:
        self._text = text
        self._plain = plain
        self._has_ids = has_ids
        self._tokens: list[str] = []
        position = 0
        while text[position:].strip():
            found = _TOKEN.match(text, position)
            if found is None:
                raise self._error(text[position:].strip())
            self._tokens.append(found.group(1))
            position = found.end()
        self._next = 0
        self._depth = 0

    def whole(self) -> ParsedType:
        parsed = self.type()
        self.finish()
        return parsed

    def type(self) -> ParsedType:
        """The type that begins here, with all that lies in it."""
        self._depth += 1
        if self._depth > DEEPEST_TYPE + 1:
            raise NestedTooDeeply("The type", deepest=DEEPEST_TYPE, field="type")
        found = self._found()
        self._depth -= 1
        return found

    def _found(self) -> ParsedType:
        word = self._take().lower()
        name = _SYNONYMS.get(word, word)
        if name in self._plain:
            return ParsedType(name, (), name)
        match name:
            case "decimal":
                return self._decimal()
            case "varchar" | "char":
                (length,) = self._numbers(1)
                return ParsedType(name, (length,), f"{name}({length})")
            case "array":
                return self._nested("array", "element")
            case "map":
                return self._nested("map", "key", "value")
            case "struct":
                return self._struct()
            case _:
                raise self._error(word)

    def finish(self) -> None:
        if self._next < len(self._tokens):
            raise self._error(self._tokens[self._next])

    def _decimal(self) -> ParsedType:
        precision, scale = 10, 0
        if self._peek() == "(":
            numbers = self._numbers(2)
            precision, scale = numbers[0], numbers[1] if len(numbers) > 1 else 0
        if not (1 <= precision <= _LARGEST_PRECISION and scale <= precision):
            raise self._error(f"decimal({precision},{scale})")
        return ParsedType("decimal", (precision, scale), f"decimal({precision},{scale})")

    def _numbers(self, most: int) -> tuple[int, ...]:
        self._expect("(")
        numbers = [self._number()]
        while len(numbers) < most and self._peek() == ",":
            self._take()
            numbers.append(self._number())
        self._expect(")")
        return tuple(numbers)

    def _number(self) -> int:
        token = self._take()
        if not (token.isascii() and token.isdigit()):
            raise self._error(token)
        return int(token)

    def _nested(self, name: str, *parts: str) -> ParsedType:
        self._expect("<")
        fields: list[Field] = []
        for part in parts:
            if fields:
                self._expect(",")
            ids = self._ids()
            if ids:
                self._expect(":")
            fields.append(Field(part, self.type(), "", ids))
        self._expect(">")
        return nested_type(name, fields)

    def _struct(self) -> ParsedType:
        self._expect("<")
        fields: list[Field] = []
        while self._peek() != ">":
            if fields:
                self._expect(",")
            fields.append(self._field())
        self._expect(">")
        return nested_type("struct", fields)

    def _field(self) -> Field:
        name = self._take()
        if name.startswith("`"):
            name = name[1:-1].replace("``", "`")
        ids = self._ids()
        if self._peek() == ":":
            self._take()
        kind, suffix = self.type(), ""
        if self._peek().lower() == "not":
            self._take()
            self._expect("null")
            suffix += " not null"
        if self._peek().lower() == "comment":
            self._take()
            suffix += f" comment {self._take()}"
        return Field(name, kind, suffix, ids)

    def _ids(self) -> tuple[int, ...]:
        """The ids of a field, in the text that says them."""
        is_given = self._has_ids and self._peek().startswith("#")
        return tuple(map(int, self._take()[1:].split("+"))) if is_given else ()

    def _peek(self) -> str:
        return self._tokens[self._next] if self._next < len(self._tokens) else ""

    def _take(self) -> str:
        token = self._peek()
        if not token:
            raise self._error("")
        self._next += 1
        return token

    def _expect(self, wanted: str) -> None:
        found = self._take()
        if found.lower() != wanted:
            raise self._error(found)

    def _error(self, near: str) -> InvalidValue:
        where = f" near {near!r}" if near else ""
        return InvalidValue(
            f"{self._text!r} is not a type{where}.",
            remedy=way_out(near),
            type=self._text,
        )
