"""``SET s.x = ..``: assignments of fields inside of columns as assignments of the columns."""

from __future__ import annotations

from collections.abc import Sequence

from catalog_app.domain.schema import Schema
from catalog_app.domain.types import ParsedType
from catalog_app.engine.types import quoted, text_literal
from lakeui.common.errors import InvalidValue, NotFound
from lakeui.sql import statements as sql
from lakeui.sql.names import refuse_overlaps

_Given = Sequence[tuple[tuple[str, ...], str]]
"""Paths below a type, and values."""


def all_columns(schema: Schema, statement: sql.Update | sql.MergeUpdate, alias: str) -> list[tuple[str, str]]:
    """All that the statement assigns, as columns with expressions. A name in front is the table's where the table has
    the column behind it. Else it may be that of a struct column, as in Spark.
    """
    inside = {path[1:]: path for path in statement.owned if _is_field(schema, path)}
    columns = [(name, text) for name, text in statement.assignments or () if (name,) not in inside]
    fields = [((name,), text) for name, text in statement.assignments or () if (name,) in inside]
    paths = [(inside.get(path, path), text) for path, text in [*fields, *statement.fields]]
    if inside:
        refuse_overlaps([*((name,) for name, _ in columns), *(path for path, _ in paths)])
    return [*columns, *_whole_columns(schema, tuple(paths), alias)]


def _is_field(schema: Schema, path: Sequence[str]) -> bool:
    column = schema.named(path[0])
    return schema.named(path[1]) is None and column is not None and column.parsed.name == "struct"


def _whole_columns(schema: Schema, fields: sql.FieldAssignments, alias: str) -> list[tuple[str, str]]:
    """Columns with the expressions that give them with these fields set. Where the column is NULL, it then is a struct
    whose other fields are NULL.
    """
    by_column: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for (name, *path), text in fields:
        by_column.setdefault(name.casefold(), []).append((tuple(path), text))
    found = []
    for (name, *_), _ in fields:
        given = by_column.pop(name.casefold(), None)
        if given is None:
            continue
        column = schema.named(name)
        if column is None:
            raise NotFound("column", name, where="in the target table")
        value = f"{quoted(alias)}.{quoted(column.name)}"
        found.append((column.name, _with_fields(column.parsed, value, given, column.name)))
    return found


def _with_fields(kind: ParsedType, value: str, given: _Given, path: str) -> str:
    """SQL of the struct ``value`` with these fields set."""
    if kind.name != "struct":
        raise InvalidValue(
            f"{path} is {kind.text}; only a field of a STRUCT can be set by itself.",
            remedy=f"Set {path} as a whole.",
            column=path,
        )
    known = {field.name.casefold(): field for field in kind.fields}
    for (name, *_), _ in given:
        if name.casefold() not in known:
            error = NotFound("field", f"{path}.{name}", where=f"in {kind.text}")
            error.remedy = f"The fields of {path} are {', '.join(field.name for field in kind.fields)}."
            raise error
    parts = []
    for field in kind.fields:
        own = [(rest, text) for (name, *rest), text in given if name.casefold() == field.name.casefold()]
        old, label = f"{value}.{quoted(field.name)}", f"{path}.{field.name}"
        parts.append(f"{text_literal(field.name)}, {_field(field.type, old, own, label)}")
    return f"named_struct({', '.join(parts)})"


def _field(kind: ParsedType, old: str, given: Sequence[tuple[list[str], str]], path: str) -> str:
    if not given:
        return old
    rest, text = given[0]
    if rest:
        return _with_fields(kind, old, [(tuple(rest), text) for rest, text in given], path)
    if text.strip().casefold() == "default":
        raise InvalidValue(f"{path} is a field inside of a column and has no default.", remedy="Set it to NULL.")
    # A line break ends what may be a comment at the end of an expression.
    return f"({text}\n)"


def kept_beside(wanted: ParsedType, given: ParsedType, old: str, new: str) -> str:
    """SQL of the struct ``new``, with ``old``'s value in each field that ``new`` lacks, at every depth of structs.
    It is NULL where both are.
    """
    if not _lacks(wanted, given):
        return new
    by_name = {field.name.casefold(): field for field in given.fields}
    parts = []
    for field in wanted.fields:
        source, value = by_name.get(field.name.casefold()), f"{old}.{quoted(field.name)}"
        if source is not None:
            value = kept_beside(field.type, source.type, value, f"{new}.{quoted(source.name)}")
        parts.append(f"{text_literal(field.name)}, {value}")
    return f"IF({new} IS NULL AND {old} IS NULL, NULL, named_struct({', '.join(parts)}))"


def _lacks(wanted: ParsedType, given: ParsedType) -> bool:
    """Whether a struct has a field, at some depth of structs, that the other one lacks."""
    if (wanted.name, given.name) != ("struct", "struct"):
        return False
    by_name = {field.name.casefold(): field for field in given.fields}
    found = ((field, by_name.get(field.name.casefold())) for field in wanted.fields)
    return any(source is None or _lacks(field.type, source.type) for field, source in found)
