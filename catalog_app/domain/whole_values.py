"""SQL that compares values whole and writes them down whole: every type at every depth, for all that merges rows.

Spark has no equality for maps, and its JSON cuts times to milliseconds: nothing else compares or encodes values.
"""

from __future__ import annotations

from collections.abc import Iterable

from catalog_app.domain.quoting import quote_name
from catalog_app.domain.types import ParsedType, value_type

JSON_OPTIONS = (
    "map('timestampFormat', 'yyyy-MM-dd\\'T\\'HH:mm:ss.SSSSSSXXX', "
    "'timestampNTZFormat', 'yyyy-MM-dd\\'T\\'HH:mm:ss.SSSSSS', "
    "'dateFormat', 'yyyy-MM-dd', 'ignoreNullFields', 'false')"
)


def json_text(value: str) -> str:
    """SQL of a struct, array or map as JSON without loss: times with their microseconds, decimals with their digits,
    NaN and infinities as texts, binary in base64, and NULL where it stands.
    """
    return f"to_json({value}, {JSON_OPTIONS})"


def row_text(fields: Iterable[tuple[str, str]]) -> str:
    """SQL of a JSON object of named values; both are SQL."""
    return json_text(f"named_struct({', '.join(f'{name}, {value}' for name, value in fields)})")


def is_comparable(type_text: str) -> bool:
    """Whether Spark itself can say of two values of that type whether they are the same."""
    return "map<" not in type_text and "variant" not in type_text


def comparable(value: str, type_text: str) -> str:
    """SQL of a value that Spark compares, sorts and groups whole. A map's entries stand in the order of its keys."""
    return value if is_comparable(type_text) else _ordered(value, value_type(type_text), 0)


def same_value(type_text: str, one: str, other: str) -> str:
    """SQL of whether two values are the same, NULL the same as NULL."""
    return f"{comparable(one, type_text)} <=> {comparable(other, type_text)}"


def _ordered(value: str, kind: ParsedType, depth: int) -> str:
    if is_comparable(kind.text):
        return value
    match kind.name, kind.fields:
        case "map", (_, held):
            return _ordered_map(value, held.type, depth)
        case "array", (element,):
            name = f"item{depth}"
            return f"transform({value}, {name} -> {_ordered(name, element.type, depth + 1)})"
        case "struct", fields if fields:
            parts = (
                f"'c{place}', {_ordered(f'{value}.{quote_name(field.name)}', field.type, depth)}"
                for place, field in enumerate(fields)
            )
            return f"CASE WHEN {value} IS NOT NULL THEN named_struct({', '.join(parts)}) END"
        case _:
            return row_text([("'value'", value)])


def _ordered_map(value: str, held: ParsedType, depth: int) -> str:
    if is_comparable(held.text):
        return f"array_sort(map_entries({value}))"
    # Entries with maps inside have no order of their own; their keys do.
    one, other, entry = f"one{depth}", f"other{depth}", f"entry{depth}"
    order = f"CASE WHEN {one}.key < {other}.key THEN -1 WHEN {one}.key > {other}.key THEN 1 ELSE 0 END"
    entries = f"array_sort(map_entries({value}), ({one}, {other}) -> {order})"
    inner = _ordered(f"{entry}.value", held, depth + 1)
    return f"transform({entries}, {entry} -> named_struct('key', {entry}.key, 'value', {inner}))"
