"""Fields inside of columns: which field of a type is which field of another, by id or, without ids, by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from catalog_app.domain.types import Field, ParsedType, nested_type, widens


def read_type(wanted: ParsedType, written: ParsedType) -> ParsedType:
    """The type under which to read values of type ``written``: Leaves are of the types wanted where they widen to
    these. Fields are in the order wanted and have the names that they have in files. A reader by name gives NULL for a
    name that files do not have.
    """
    if wanted.name != written.name or not wanted.fields:
        return wanted if widens(written.text, wanted.text) else written
    if wanted.name != "struct":
        pairs = zip(wanted.fields, written.fields, strict=True)
        return nested_type(wanted.name, (replace(f, type=read_type(f.type, w.type)) for f, w in pairs))
    taken = {field.name.casefold() for field in (*written.fields, *wanted.fields)}
    return nested_type("struct", (_read_field(field, written.fields, taken) for field in wanted.fields))


def _read_field(wanted: Field, written: tuple[Field, ...], taken: set[str]) -> Field:
    held = field_of(wanted, written)
    if held is not None:
        return Field(held.name, read_type(wanted.type, held.type))
    if all(field.name.casefold() != wanted.name.casefold() for field in written):
        return Field(wanted.name, wanted.type)
    # A field of this name lies in the files, but it is another one.
    name = next(name for number in range(len(taken) + 1) if (name := f"__missing{number}") not in taken)
    taken.add(name)
    return Field(name, wanted.type)


def field_of(wanted: Field, others: Iterable[Field]) -> Field | None:
    """The field among the others that is the wanted one: one of the same id. Where ids are not known, of its name."""
    candidates = list(others)
    for identifier in wanted.ids:
        for field in candidates:
            if identifier in field.ids:
                return field
    folded = wanted.name.casefold()
    by_name = (field for field in candidates if not (wanted.ids and field.ids) and field.name.casefold() == folded)
    return next(by_name, None)


def typed_like(given: ParsedType, known: ParsedType) -> ParsedType:
    """The fields that are given, in their order, with the types that they have where they are known. What is nested
    on one side only stays as it is given.
    """
    if not given.fields and not known.fields:
        return known
    if given.name != known.name:
        return given
    if given.name != "struct":
        pairs = zip(given.fields, known.fields, strict=True)
        return nested_type(given.name, (replace(f, type=typed_like(f.type, k.type)) for f, k in pairs))
    by_name = {field.name.casefold(): field.type for field in known.fields}
    return nested_type(
        "struct",
        (replace(f, type=typed_like(f.type, by_name.get(f.name.casefold(), f.type))) for f in given.fields),
    )


def numbered(kind: ParsedType, ids: Iterator[int]) -> ParsedType:
    """The type with an id for every field that has none, in the order of its text."""
    if not kind.fields:
        return kind
    fields = []
    for field in kind.fields:
        own = field.ids or (next(ids),)
        fields.append(replace(field, ids=own, type=numbered(field.type, ids)))
    return nested_type(kind.name, fields)


def joined(kind: ParsedType, other: ParsedType) -> ParsedType:
    """The type whose fields are also those that ``other`` has under their names, which it was added as elsewhere."""
    if kind.name != other.name or not kind.fields:
        return kind
    by_name = {field.name.casefold(): field for field in other.fields}
    fields = []
    for field in kind.fields:
        same = by_name.get(field.name.casefold())
        if same is None:
            fields.append(field)
            continue
        ids = (*field.ids, *(identifier for identifier in same.ids if identifier not in field.ids))
        fields.append(replace(field, ids=ids, type=joined(field.type, same.type)))
    return nested_type(kind.name, fields)


def unnumbered(kind: ParsedType) -> int:
    """How many fields have no id yet."""
    return sum(not field.ids for field in fields_within(kind))


def fields_within(kind: ParsedType) -> Iterator[Field]:
    """Every field at every depth, in the order of the type's text."""
    for field in kind.fields:
        yield field
        yield from fields_within(field.type)
