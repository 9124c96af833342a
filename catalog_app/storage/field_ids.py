"""Field ids of what lies inside of nested columns, put into the footer of a Parquet file that Spark wrote.

A footer is one Thrift structure in the compact protocol (FileMetaData of parquet-format). Only its list of schema
elements is read and made anew; everything else is copied as it is. The new footer goes behind the old one: a reader
begins at the end of the file.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from catalog_app.domain.types import ParsedType
from catalog_app.storage.thrift import (
    Member,
    Members,
    integer_member,
    integer_of,
    members_read,
    members_write,
    structures_read,
    structures_write,
    text_of,
)
from catalog_app.storage.warehouse import COPIED_BYTES, Warehouse

_MAGIC = b"PAR1"
_SCHEMA = 2
_NAME, _CHILDREN, _FIELD_ID = 4, 5, 9
"""Members of FileMetaData and of SchemaElement, by their numbers in parquet-format."""


def field_ids_add(warehouse: Warehouse, path: str, columns: Mapping[str, ParsedType]) -> None:
    """Write the ids of all fields inside of the columns, by the columns' names in the file."""
    with warehouse.filesystem.open_input_file(warehouse.absolute(path)) as file:
        size = file.size()
        file.seek(size - 8)
        length = int.from_bytes(file.read(4), "little")
        file.seek(size - 8 - length)
        footer = file.read(length)
    changed = footer_with_ids(footer, columns)
    _append(warehouse, path, changed + len(changed).to_bytes(4, "little") + _MAGIC)


def footer_with_ids(footer: bytes, columns: Mapping[str, ParsedType]) -> bytes:
    """The footer in which the columns' fields have ids."""
    members, _ = members_read(footer, 0)
    found = []
    for member in members:
        if member.number == _SCHEMA:
            elements = structures_read(member.value)
            _Elements(elements).identify(columns)
            found.append(Member(member.number, member.kind, structures_write(elements)))
        else:
            found.append(member)
    return members_write(found)


@dataclass(slots=True)
class _Elements:
    """The schema as Parquet has it: every element followed by its children."""

    elements: list[Members]
    at: int = 0

    def identify(self, columns: Mapping[str, ParsedType]) -> None:
        for _ in range(self._children(self._next())):
            name = self._name(self.at)
            self._within(columns.get(name))

    def _within(self, kind: ParsedType | None, ids: tuple[int, ...] = ()) -> None:
        """One element with all that is below it; it gets the first of the ids."""
        place = self._next()
        if ids:
            self._set_id(place, ids[0])
        count = self._children(place)
        if kind is None or not kind.fields:
            for _ in range(count):
                self._within(None)
        elif kind.name == "struct":
            for field in kind.fields:
                self._within(field.type, field.ids)
        else:
            # A repeated group without a meaning of its own stands around the element, or the key and the value.
            self._next()
            for field in kind.fields:
                self._within(field.type, field.ids)

    def _next(self) -> int:
        self.at += 1
        return self.at - 1

    def _children(self, place: int) -> int:
        return next((integer_of(item) for item in self.elements[place] if item.number == _CHILDREN), 0)

    def _name(self, place: int) -> str:
        return next(text_of(item) for item in self.elements[place] if item.number == _NAME)

    def _set_id(self, place: int, identifier: int) -> None:
        kept = [item for item in self.elements[place] if item.number != _FIELD_ID]
        self.elements[place] = sorted([*kept, integer_member(_FIELD_ID, identifier)], key=lambda item: item.number)


def _append(warehouse: Warehouse, path: str, tail: bytes) -> None:
    absolute = warehouse.absolute(path)
    try:
        stream = warehouse.filesystem.open_append_stream(absolute)
    except (NotImplementedError, pa.ArrowNotImplementedError):
        _copy_with(warehouse, absolute, tail)
        return
    with stream:
        stream.write(tail)


def _copy_with(warehouse: Warehouse, absolute: str, tail: bytes) -> None:
    """Object stores append nothing: the file is written anew in place of itself, which they do at once."""
    with (
        warehouse.filesystem.open_input_stream(absolute) as source,
        warehouse.filesystem.open_output_stream(absolute) as target,
    ):
        shutil.copyfileobj(source, target, COPIED_BYTES)
        target.write(tail)
