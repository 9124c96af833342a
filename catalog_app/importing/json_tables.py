"""Objects of JSON as a table of Arrow: texts stay texts, numbers keep their digits."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.json as pajson

from catalog_app.domain.types import ParsedType, value_type
from catalog_app.importing.json_lines import json_lines_write
from catalog_app.importing.json_maps import holds_map, maps_made, with_needed_maps
from catalog_app.importing.json_numbers import NumberProfiles, numbers_profile, path_text
from catalog_app.importing.spec import Reading
from lakeui.common.errors import InvalidValue

_NONE = value_type("void")
_CHANGED = re.compile(r"Column\(/(?P<path>.*)\) changed from (?P<one>\w+) to (?P<other>\w+)")


def json_table(path: Path, reading: Reading) -> pa.Table:
    """All objects of the file. Texts stay texts: what looks like a time is found by the pass over the column. Objects
    are maps where the reading says so, and where they can be nothing else.
    """
    kinds = {column.source: value_type(column.type) for column in reading.columns}
    shapes = {name: kind for name, kind in kinds.items() if holds_map(kind)}
    table = _with_pairs(path, kinds, shapes)
    while (needed := _needed(table.schema, kinds, shapes)) != shapes:
        try:
            table = _with_pairs(path, kinds, needed)
        except InvalidValue:
            # Values of several types are no map either: the struct is refused by its names.
            break
        shapes = needed
    made = [_maps_made(table.column(name), shapes.get(name, kinds.get(name, _NONE))) for name in table.column_names]
    return pa.table(made, names=table.column_names)


def _needed(
    schema: pa.Schema, kinds: Mapping[str, ParsedType], shapes: Mapping[str, ParsedType]
) -> dict[str, ParsedType]:
    found = {i.name: with_needed_maps(i.type, shapes.get(i.name, kinds.get(i.name, _NONE))) for i in schema}
    return {**shapes, **{name: kind for name, kind in found.items() if holds_map(kind)}}


def _maps_made(column: pa.ChunkedArray, shape: ParsedType) -> pa.ChunkedArray:
    chunks = [maps_made(pa.concat_arrays([chunk]) if chunk.offset else chunk, shape) for chunk in column.chunks]
    return pa.chunked_array(chunks) if chunks else column


def _with_pairs(path: Path, kinds: Mapping[str, ParsedType], maps: Mapping[str, ParsedType]) -> pa.Table:
    """All objects of the file, with lists of pairs for maps."""
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as lines:
        written = json_lines_write(path, Path(lines.name), maps)
        if not written.objects:
            return pa.table({})
        numbers = NumberProfiles() if written.is_sure else numbers_profile(Path(lines.name))
        numbers.require()
        try:
            inferred = pajson.read_json(lines.name).schema
            explicit = pa.schema([item.with_type(_json_type(item, kinds, numbers)) for item in inferred])
            options = pajson.ParseOptions(explicit_schema=explicit)
            return pajson.read_json(lines.name, parse_options=options)
        except pa.ArrowInvalid as error:
            raise _unlike(error) from None


def _unlike(error: pa.ArrowInvalid) -> InvalidValue:
    """The refusal of values that are not of one type; Arrow's place of them is one inside of a block."""
    text = str(error).removeprefix("JSON parse error: ")
    said = text.rpartition(" in row ")[0] or text
    remedy = "Give every value of a column the same type."
    changed = _CHANGED.fullmatch(said)
    if changed is None:
        return InvalidValue(f"The JSON cannot be made a table: {said}.", remedy=remedy)
    where = path_text(changed["path"].split("/"))
    return InvalidValue(
        f"Values of column {where} are of the types {changed['one']} and {changed['other']}.",
        remedy=f"{remedy} Numbers that are meant as text stand in quotes.",
        column=where,
    )


def _json_type(item: pa.Field, kinds: Mapping[str, ParsedType], numbers: NumberProfiles) -> pa.DataType:
    kept = numbers.kept(_without_times(item.type), (item.name,))
    return _read_as(kept, kinds.get(item.name, _NONE))


def _read_as(kind: pa.DataType, wanted: ParsedType) -> pa.DataType:
    """Decimals are read as such where they are asked for: a double in between would change them."""
    is_number = pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind)
    if wanted.name == "decimal" and is_number:
        return pa.decimal128(*wanted.parameters)
    if wanted.name == "array" and pa.types.is_list(kind):
        return pa.list_(_read_as(kind.value_type, wanted.fields[0].type))
    if wanted.name == "map" and pa.types.is_list(kind) and pa.types.is_struct(kind.value_type):
        pair = zip(kind.value_type, wanted.fields, strict=False)
        return pa.list_(pa.struct([item.with_type(_read_as(item.type, field.type)) for item, field in pair]))
    if wanted.name == "struct" and pa.types.is_struct(kind):
        known = {field.name.casefold(): field.type for field in wanted.fields}
        return pa.struct([i.with_type(_read_as(i.type, known.get(i.name.casefold(), _NONE))) for i in kind])
    return _without_times(kind)


def _without_times(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_timestamp(kind):
        return pa.string()
    if pa.types.is_list(kind):
        return pa.list_(_without_times(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([item.with_type(_without_times(item.type)) for item in kind])
    return kind
