"""A table as the generator knows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from zlib import crc32

from tests.differential.altering import Column
from tests.differential.kinds import Array, Kind, Map, Struct, paths
from tests.differential.literals import FLAVOURS


@dataclass(frozen=True, slots=True)
class Place:
    """A value inside of a row: its expression, its type, and which texts the column holds."""

    expression: str
    kind: Kind
    flavour: str


@dataclass(frozen=True, slots=True)
class Shape:
    """``salt`` decides which texts a column holds."""

    table: str
    columns: tuple[Column, ...]
    salt: int = 0

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    @property
    def members(self) -> tuple[tuple[str, Kind], ...]:
        return tuple((column.name, column.kind) for column in self.columns)

    def kind(self, name: str) -> Kind:
        return next(column.kind for column in self.columns if column.name == name)

    def flavour(self, name: str) -> str:
        """A column keeps the texts that it holds when it is renamed."""
        return tuple(FLAVOURS)[crc32(f"{self.salt} {name[1:]}".encode()) % len(FLAVOURS)]

    def values(self, alias: str) -> list[Place]:
        """Every value that an expression over a row can name."""
        return [
            Place(expression, kind, self.flavour(column.name) if expression == f"{alias}.{column.name}" else "any")
            for column in self.columns
            for expression, kind in paths(f"{alias}.{column.name}", column.kind)
        ]

    def places(self) -> Iterator[tuple[tuple[str, ...], Kind]]:
        """Every column and what it holds, by the path that ALTER TABLE names."""
        for column in self.columns:
            yield from _places((column.name,), column.kind)


def _places(path: tuple[str, ...], kind: Kind) -> Iterator[tuple[tuple[str, ...], Kind]]:
    yield path, kind
    match kind:
        case Array(item):
            yield from _places((*path, "element"), item)
        case Map(_, value):
            yield from _places((*path, "value"), value)
        case Struct(fields):
            for name, inner in fields:
                yield from _places((*path, name), inner)
