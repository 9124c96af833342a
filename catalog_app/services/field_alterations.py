"""ALTER TABLE on fields inside of columns, as operations: pure, from the state that the statement saw.

A change is the column's type before and after it. New fields come without ids: whoever commits the change gives them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from catalog_app.domain.operations import ColumnAttribute, ColumnChange
from catalog_app.domain.schema import Column
from catalog_app.domain.type_ranges import change_refused
from catalog_app.domain.types import Field, ParsedType, nested_type, widens
from lakeui.common.errors import AlreadyExists, InvalidValue, NotFound, TypeNarrowing

Edit = Callable[[ParsedType, str], ParsedType]
"""A type, and the path at which it stands, into another."""


def fields_change(column: Column, kind: ParsedType) -> ColumnChange | None:
    """What makes the column one of this type, whose fields have ids; None where it is that already."""
    if kind.identified == column.nested:
        return None
    return ColumnChange(column.id, ColumnAttribute.NESTED, column.nested, kind.identified)


def field_added(
    column: Column, within: Sequence[str], field: Field, after: str | None, *, is_first: bool
) -> ParsedType:
    """The column's type with one more field in the struct at ``within``: behind ``after``, first, or last."""

    def edit(kind: ParsedType, path: str) -> ParsedType:
        _require_struct(kind, path)
        _refuse_taken(kind, field.name, path)
        place = 0 if is_first else len(kind.fields)
        if after is not None:
            place = _place(kind, after, path) + 1
        return nested_type("struct", (*kind.fields[:place], field, *kind.fields[place:]))

    return _edited(column.parsed, within, edit, column.name)


def field_dropped(column: Column, fields: Sequence[str]) -> ParsedType:
    def edit(kind: ParsedType, path: str) -> ParsedType:
        place = _member(kind, fields[-1], path)
        if len(kind.fields) == 1:
            raise InvalidValue(f"{path} would have no field left.", remedy=f"Drop {path} instead.")
        return nested_type("struct", (*kind.fields[:place], *kind.fields[place + 1 :]))

    return _edited(column.parsed, fields[:-1], edit, column.name)


def field_renamed(column: Column, fields: Sequence[str], name: str) -> ParsedType:
    def edit(kind: ParsedType, path: str) -> ParsedType:
        place = _member(kind, fields[-1], path)
        others = nested_type("struct", (*kind.fields[:place], *kind.fields[place + 1 :]))
        _refuse_taken(others, name, path)
        return _with_field(kind, place, replace(kind.fields[place], name=name))

    return _edited(column.parsed, fields[:-1], edit, column.name)


def field_moved(column: Column, fields: Sequence[str], after: str | None) -> ParsedType:
    """``after`` None: to the front."""

    def edit(kind: ParsedType, path: str) -> ParsedType:
        moved = kind.fields[_member(kind, fields[-1], path)]
        rest = nested_type("struct", (field for field in kind.fields if field is not moved))
        if after is not None and after.casefold() == moved.name.casefold():
            return kind
        place = 0 if after is None else _place(rest, after, path) + 1
        return nested_type("struct", (*rest.fields[:place], moved, *rest.fields[place:]))

    return _edited(column.parsed, fields[:-1], edit, column.name)


def field_retyped(column: Column, fields: Sequence[str], wanted: ParsedType) -> ParsedType:
    """The column's type with that of one field, or without ``fields`` its own, as wanted."""
    return _edited(column.parsed, fields, lambda kind, path: _as_wanted(kind, wanted, path), column.name)


def type_grown(present: ParsedType, given: ParsedType) -> ParsedType:
    """The present type with the fields that ``given`` has beside them, and types of it where these are wider."""
    if not present.fields or present.name != given.name:
        is_wider = not present.fields and widens(present.text, given.text)
        return given if is_wider else present
    if present.name != "struct":
        pairs = zip(present.fields, given.fields, strict=True)
        return nested_type(present.name, (replace(f, type=type_grown(f.type, g.type)) for f, g in pairs))
    by_name = {field.name.casefold(): field for field in given.fields}
    grown = [
        replace(field, type=type_grown(field.type, by_name[field.name.casefold()].type))
        if field.name.casefold() in by_name
        else field
        for field in present.fields
    ]
    known = {field.name.casefold() for field in present.fields}
    return nested_type("struct", (*grown, *(f for f in given.fields if f.name.casefold() not in known)))


def _as_wanted(present: ParsedType, wanted: ParsedType, path: str) -> ParsedType:
    """The type wanted, whose fields are the present ones by name; what is not among these is new."""
    if not present.fields or present.name != wanted.name:
        if not widens(present.text, wanted.text):
            raise change_refused(path, present.text, wanted.text, column=path)
        return wanted
    if present.name != "struct":
        pairs = zip(present.fields, wanted.fields, strict=True)
        return nested_type(
            present.name, (replace(f, type=_as_wanted(f.type, w.type, f"{path}.{f.name}")) for f, w in pairs)
        )
    names = {field.name.casefold() for field in wanted.fields}
    missing = next((field.name for field in present.fields if field.name.casefold() not in names), None)
    if missing is not None:
        raise TypeNarrowing(
            f"The new type of {path} lacks its field {missing}.",
            remedy=f"Drop it by ALTER TABLE .. DROP COLUMN {path}.{missing}, or name it.",
            column=f"{path}.{missing}",
        )
    by_name = {field.name.casefold(): field for field in present.fields}
    return nested_type("struct", (_field_as_wanted(by_name.get(f.name.casefold()), f, path) for f in wanted.fields))


def _field_as_wanted(present: Field | None, wanted: Field, path: str) -> Field:
    if present is None:
        return wanted
    return replace(present, name=wanted.name, type=_as_wanted(present.type, wanted.type, f"{path}.{present.name}"))


def _edited(kind: ParsedType, names: Sequence[str], edit: Edit, path: str) -> ParsedType:
    """The type with what stands at ``names`` edited."""
    if not names:
        return edit(kind, path)
    place = _place(kind, names[0], path)
    field = kind.fields[place]
    return _with_field(kind, place, replace(field, type=_edited(field.type, names[1:], edit, f"{path}.{field.name}")))


def _with_field(kind: ParsedType, place: int, field: Field) -> ParsedType:
    return nested_type(kind.name, (*kind.fields[:place], field, *kind.fields[place + 1 :]))


def _place(kind: ParsedType, name: str, path: str) -> int:
    """Where in the type the field stands. Raises NotFound, with the names of those that are there."""
    names = [field.name.casefold() for field in kind.fields]
    if name.casefold() in names:
        return names.index(name.casefold())
    error = NotFound("field", f"{path}.{name}", where=f"in {kind.text}")
    known = ", ".join(field.name for field in kind.fields)
    error.remedy = f"The fields of {path} are {known}." if known else f"{path} has no fields."
    raise error


def _member(kind: ParsedType, name: str, path: str) -> int:
    """The place of a struct's field: what an array or a map holds has no name that could change."""
    place = _place(kind, name, path)
    _require_struct(kind, path)
    return place


def _require_struct(kind: ParsedType, path: str) -> None:
    if kind.name != "struct":
        raise InvalidValue(
            f"{path} is {kind.text}; only a STRUCT has fields that can be added, dropped, renamed or moved.",
            remedy="Change its type as a whole, or name a field inside: a.element.x, m.value.x.",
            column=path,
        )


def _refuse_taken(kind: ParsedType, name: str, path: str) -> None:
    if any(field.name.casefold() == name.casefold() for field in kind.fields):
        raise AlreadyExists("field", f"{path}.{name}")
