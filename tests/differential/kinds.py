"""Types of columns as trees: their SQL text, how it is read, and where values lie in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scalar:
    name: str


@dataclass(frozen=True, slots=True)
class Array:
    item: Kind


@dataclass(frozen=True, slots=True)
class Map:
    key: Kind
    value: Kind


@dataclass(frozen=True, slots=True)
class Struct:
    fields: tuple[tuple[str, Kind], ...]


Kind = Scalar | Array | Map | Struct

_SIZED = re.compile(r"^(var)?char\b")
_TOKEN = re.compile(r"`[^`]*`|[A-Za-z_]\w*(?:\(\s*\d+\s*(?:,\s*\d+\s*)?\))?|[<>:,]")


def text(kind: Kind, *, stored: bool = False) -> str:
    """The type as SQL; ``stored`` writes CHAR and VARCHAR as STRING, as which casts know them."""
    match kind:
        case Scalar(name):
            return "string" if stored and _SIZED.match(name) else name
        case Array(item):
            return f"array<{text(item, stored=stored)}>"
        case Map(key, value):
            return f"map<{text(key, stored=stored)},{text(value, stored=stored)}>"
        case Struct(fields):
            return f"struct<{','.join(f'{name}:{text(kind, stored=stored)}' for name, kind in fields)}>"


def read(words: str) -> Kind:
    """The type of an SQL text."""
    kind, rest = _read(_TOKEN.findall(words))
    assert not rest, words
    return kind


def _read(tokens: list[str]) -> tuple[Kind, list[str]]:
    word, rest = tokens[0].lower().replace(" ", ""), tokens[1:]
    if word == "array":
        item, rest = _read(rest[1:])
        return Array(item), rest[1:]
    if word == "map":
        key, rest = _read(rest[1:])
        value, rest = _read(rest[1:])
        return Map(key, value), rest[1:]
    if word == "struct":
        fields = []
        while rest[0] != ">":
            name, rest = rest[1], rest[2:]
            kind, rest = _read(rest[1:] if rest[0] == ":" else rest)
            fields.append((name, kind))
        return Struct(tuple(fields)), rest[1:]
    return Scalar(word), rest


def paths(expression: str, kind: Kind) -> Iterator[tuple[str, Kind]]:
    """Every value inside of one of ``kind``, as an expression that never fails, with its type; itself first."""
    yield expression, kind
    match kind:
        case Array(item):
            yield from paths(f"get({expression}, 0)", item)
        case Map(key, value):
            yield from paths(f"get(map_keys({expression}), 0)", key)
            yield from paths(f"get(map_values({expression}), 0)", value)
        case Struct(fields):
            for name, inner in fields:
                yield from paths(f"{expression}.{name}", inner)


def is_ordered(kind: Kind) -> bool:
    """Whether Spark compares two values of the type."""
    match kind:
        case Map():
            return False
        case Array(item):
            return is_ordered(item)
        case Struct(fields):
            return all(is_ordered(inner) for _, inner in fields)
    return True
