"""Objects of JSON as maps, where the type of a column says MAP, at any depth.

Arrow reads an object as a struct and has no reader of maps. So an object that is a map is written as a list of pairs
before Arrow reads it, and the pairs become a map afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from json.encoder import encode_basestring_ascii
from typing import Any

import pyarrow as pa

from catalog_app.domain.assignment import NUMBERS
from catalog_app.domain.types import Field, ParsedType, nested_type, value_type
from catalog_app.importing.json_numbers import KEY, VALUE, Number
from lakeui.common.errors import InvalidValue

_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_NESTED = ("array", "map", "struct")
_WORDS = ("true", "false")
_NOTHING = value_type("void")


def holds_map(kind: ParsedType) -> bool:
    return kind.name == "map" or any(holds_map(field.type) for field in kind.fields)


def pairs_written(row: Mapping[str, Any], kinds: Mapping[str, ParsedType], line: int) -> str:
    """The text of a row with the objects that are maps as lists of pairs. Numbers are as they were written.

    Raises InvalidValue for what no map can be of, with line and path.
    """
    none = _NOTHING
    members = ((name, _written(value, kinds.get(name, none), name, line)) for name, value in row.items())
    return _object(members)


def _object(members: Iterator[tuple[str, str]]) -> str:
    return "{" + ",".join(f"{encode_basestring_ascii(name)}:{text}" for name, text in members) + "}"


def _written(value: Any, kind: ParsedType, path: str, line: int) -> str:
    if value is None:
        return "null"
    if kind.name == "map":
        return _pairs(value, kind, path, line)
    if isinstance(value, dict):
        known = {field.name.casefold(): field.type for field in kind.fields} if kind.name == "struct" else {}
        kinds = ((name, item, known.get(name.casefold(), _NOTHING)) for name, item in value.items())
        return _object((name, _written(item, inner, f"{path}.{name}", line)) for name, item, inner in kinds)
    if isinstance(value, list):
        inner = kind.fields[0].type if kind.name == "array" else _NOTHING
        return "[" + ",".join(_written(item, inner, f"{path}.element", line) for item in value) + "]"
    if isinstance(value, Number):
        return str(value)
    return encode_basestring_ascii(value) if isinstance(value, str) else "true" if value else "false"


def _pairs(value: Any, kind: ParsedType, path: str, line: int) -> str:
    if not isinstance(value, dict):
        found = "an array" if isinstance(value, list) else _written(value, _NOTHING, path, line)
        raise InvalidValue(
            f"Line {line:,} of the JSON: {path} is {kind.text}, and the file has {found} there.",
            remedy='Write a map as an object: {"key": value}.',
            line=line,
            column=path,
        )
    key, item = (field.type for field in kind.fields)
    keys, name = encode_basestring_ascii(KEY), encode_basestring_ascii(VALUE)
    pairs = (
        f"{{{keys}:{_key(text, key, path, line)},{name}:{_written(inner, item, f'{path}.value', line)}}}"
        for text, inner in value.items()
    )
    return "[" + ",".join(pairs) + "]"


def _key(text: str, kind: ParsedType, path: str, line: int) -> str:
    """A key as a value of JSON that is of its type: keys of objects are texts only."""
    is_number = kind.name in NUMBERS
    is_word = kind.name == "boolean"
    if kind.name in _NESTED or (is_number and not _NUMBER.fullmatch(text)) or (is_word and text not in _WORDS):
        raise InvalidValue(
            f"Line {line:,} of the JSON: the key {text} of {path} is no {kind.text}.",
            remedy="JSON has keys that are texts: write keys of other types in Parquet or Arrow."
            if kind.name in _NESTED
            else f"Write each key as JSON writes {kind.text}.",
            line=line,
            column=f"{path}.key",
        )
    return text if is_number or is_word else encode_basestring_ascii(text)


def with_needed_maps(found: pa.DataType, wanted: ParsedType) -> ParsedType:
    """What to read values of the type ``found`` as: the maps of ``wanted``, and a map where an object has names that
    differ in case only, which no struct has.
    """
    if pa.types.is_list(found):
        if wanted.name == "map":
            return _with_needed_values(found.value_type, wanted)
        inner = wanted.fields[0].type if wanted.name == "array" else _NOTHING
        return nested_type("array", [Field("element", with_needed_maps(found.value_type, inner))])
    if not pa.types.is_struct(found):
        return wanted
    known = {field.name.casefold(): field.type for field in wanted.fields} if wanted.name == "struct" else {}
    names = {field.name.casefold() for field in found}
    if len(names) < found.num_fields and not known:
        return nested_type("map", [Field("key", value_type("string")), Field("value", _NOTHING)])
    fields = (Field(f.name, with_needed_maps(f.type, known.get(f.name.casefold(), _NOTHING))) for f in found)
    return nested_type("struct", fields)


def _with_needed_values(pair: pa.DataType, wanted: ParsedType) -> ParsedType:
    if not _is_pair(pair):
        return wanted
    key, value = wanted.fields
    return nested_type("map", [key, Field("value", with_needed_maps(pair.field(VALUE).type, value.type))])


def _is_pair(kind: pa.DataType) -> bool:
    return pa.types.is_struct(kind) and [field.name for field in kind] == [KEY, VALUE]


def maps_made(values: pa.Array, shape: ParsedType) -> pa.Array:
    """The values with lists of pairs as the maps that ``shape`` says.

    An object without any member is a struct of NULLs where ``shape`` is a struct, else an empty map.
    """
    kind = values.type
    if pa.types.is_null(kind):
        return pa.nulls(len(values), _empty(shape))
    if pa.types.is_struct(kind):
        return _structs(values, shape)
    if not pa.types.is_list(kind):
        return values
    validity, offsets = values.buffers()[:2]
    if shape.name == "map":
        pairs = _entries(values.values, shape)
        kind = pa.map_(pairs.type.field(0).type, pairs.type.field(1).type)
    else:
        inner = shape.fields[0].type if shape.name == "array" else _NOTHING
        pairs = maps_made(values.values, inner)
        kind = pa.list_(pairs.type)
    return pa.Array.from_buffers(kind, len(values), [validity, offsets], children=[pairs])


def _entries(pairs: pa.Array, shape: ParsedType) -> pa.StructArray:
    key, value = (field.type for field in shape.fields)
    if not _is_pair(pairs.type):
        return pa.nulls(0, _empty(shape)).values.slice(0, 0) if not len(pairs) else pairs
    fields = [maps_made(pairs.field(0), key), maps_made(pairs.field(1), value)]
    kinds = [pa.field("key", fields[0].type, nullable=False), pa.field("value", fields[1].type)]
    return pa.StructArray.from_arrays(fields, fields=kinds)


def _structs(values: pa.StructArray, shape: ParsedType) -> pa.Array:
    known = {field.name.casefold(): field.type for field in shape.fields} if shape.name == "struct" else {}
    kind, validity = values.type, values.buffers()[0]
    if kind.num_fields:
        fields = [maps_made(values.field(i), known.get(f.name.casefold(), _NOTHING)) for i, f in enumerate(kind)]
        named = pa.struct([item.with_type(field.type) for item, field in zip(kind, fields, strict=True)])
        return pa.Array.from_buffers(named, len(values), [validity], children=fields)
    if known:
        fields = [pa.nulls(len(values), _empty(field.type)) for field in shape.fields]
        named = pa.struct([(item.name, field.type) for item, field in zip(shape.fields, fields, strict=True)])
        return pa.Array.from_buffers(named, len(values), [validity], children=fields)
    made = pa.map_(pa.string(), pa.string())
    offsets = pa.py_buffer(bytes(4 * (len(values) + 1)))
    return pa.Array.from_buffers(made, len(values), [validity, offsets], children=[pa.array([], made.field(0).type)])


def _empty(shape: ParsedType) -> pa.DataType:
    """Arrow's type of NULL, with the fields that the shape has."""
    fields = [(field.name, _empty(field.type)) for field in shape.fields]
    match shape.name:
        case "struct" if fields:
            return pa.struct(fields)
        case "array":
            return pa.list_(fields[0][1])
        case "map":
            return pa.map_(pa.string(), fields[1][1])
        case _:
            return pa.null()
