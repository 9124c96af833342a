"""How a group of files holds a column, and SQL that makes it the column of the schema read.

Columns are found by field id, and in files without ids by name, fields inside of columns too. Spark forgets the id of a
column of which a query reads only some fields, and then finds it by name. A nested column is therefore read under the
name that it has in the files, its fields under theirs.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from catalog_app.domain.files import FACT_FIELDS, ROW_ID_COLUMN
from catalog_app.domain.nested import read_type
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.types import ParsedType, value_type
from catalog_app.engine.types import quoted, storage_type, text_literal

# The last is the column under which Spark counts the rows of a file: it refuses to where the file has one of that name.
_RESERVED = re.compile(rf"(?:{'|'.join([ROW_ID_COLUMN, *FACT_FIELDS])})$|__lake_|__c\d+$|_tmp_metadata_row_index$")


@dataclass(frozen=True, slots=True)
class Held:
    """A column in files: its field id there, the type under which it is read, and of a nested column its name. Without
    an id it is found by the name.
    """

    id: int | None
    type: str
    name: str | None = None


def internal_name(column: Column) -> str:
    """The name of a column between reading and writing: no name that a user chose can meet it."""
    return f"__c{column.id}"


def file_name(column: Column) -> str:
    """The name of a column in files: its own, unless that is reserved."""
    return internal_name(column) if _RESERVED.match(column.name.casefold()) else column.name


def held(column: Column, written: Schema, *, by_name: bool = False) -> Held | None:
    """How files of the schema ``written`` hold the column; None if they do not. ``by_name``: they have no ids."""
    found = _written(column, written)
    if found is None:
        return None
    identifier, other = found
    kind = other.type if "<" not in column.type else read_type(column.parsed, other.parsed).text
    if by_name:
        return Held(None, kind, other.name)
    return Held(identifier, kind, file_name(other) if "<" in column.type else None)


def _written(column: Column, written: Schema) -> tuple[int, Column] | None:
    exact = {item.id: item for item in written.columns}
    for identifier in column.ids:
        if identifier in exact:
            return identifier, exact[identifier]
    for identifier in column.ids:
        # The file's own schema may know the column under an id that it only aliases.
        other = written.column(identifier)
        if other is not None:
            return other.id, other
    return None


def read_name(column: Column, found: Held, taken: AbstractSet[str]) -> str:
    """What the column is called while files are read: as in the files, unless another column is called so. Files
    without ids are taken over only where no column is.
    """
    if found.id is None and found.name is not None:
        return found.name
    is_free = found.name is not None and found.name.casefold() not in taken
    return found.name if is_free and found.name is not None else internal_name(column)


def decoded(column: Column, found: Held | None, name: str) -> str:
    """SQL of the column under its internal name, from what is called ``name``."""
    kind = storage_type(column.type)
    if found is None:
        return f"CAST({column.initial_default or 'NULL'} AS {kind}) AS {internal_name(column)}"
    value = quoted(name)
    if found.name is not None and name != found.name:
        # Only the whole column is found by its id. Spark keeps it whole if which rows there are is not fixed.
        value = f"IF(monotonically_increasing_id() >= 0, {value}, NULL)"
    if storage_type(found.type) != kind:
        value = _converted(value, value_type(found.type), value_type(column.type))
    return f"{value} AS {internal_name(column)}"


def _converted(value: str, read: ParsedType, wanted: ParsedType) -> str:
    """SQL that gives a value the type wanted, field by field in their order.

    Of a struct Spark still reads only fields that a query asks for; of what an array or a map holds it reads all.
    """
    if read.text == wanted.text:
        return value
    if read.name != "struct" or wanted.name != "struct":
        return f"CAST({value} AS {storage_type(wanted.text)})"
    fields = ", ".join(
        f"{text_literal(after.name)}, {_converted(f'{value}.{quoted(before.name)}', before.type, after.type)}"
        for before, after in zip(read.fields, wanted.fields, strict=True)
    )
    return f"IF({value} IS NULL, NULL, named_struct({fields}))"
