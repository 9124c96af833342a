"""Maps whose keys were cast: two keys that were different may be one then, which a cast does not look at."""

from __future__ import annotations

from catalog_app.domain.types import ParsedType
from catalog_app.engine.types import quoted, text_literal

_LOSSLESS = ("string", "boolean", "tinyint", "smallint", "int", "bigint", "decimal", "double", "binary")


def with_single_keys(value: str, kind: ParsedType, depth: int = 0) -> str:
    """SQL of the same value, which fails where a map in it has one key twice. ``value`` may stand in it more often
    than once. A value without maps whose keys may be written in several ways stays as it is.
    """
    if not _may_merge(kind):
        return value
    item = f"k{depth}"
    if kind.name == "struct":
        parts = (
            f"{text_literal(field.name)}, {with_single_keys(f'{value}.{quoted(field.name)}', field.type, depth)}"
            for field in kind.fields
        )
        return f"IF({value} IS NULL, NULL, named_struct({', '.join(parts)}))"
    if kind.name == "array":
        return f"transform({value}, {item} -> {with_single_keys(item, kind.fields[0].type, depth + 1)})"
    key, entry = (with_single_keys(f"{item}.{field.name}", field.type, depth + 1) for field in kind.fields)
    return f"map_from_entries(transform(map_entries({value}), {item} -> struct({key}, {entry})))"


def _may_merge(kind: ParsedType) -> bool:
    is_open = kind.name == "map" and kind.fields[0].type.name not in _LOSSLESS
    return is_open or any(_may_merge(field.type) for field in kind.fields)
