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
from catalog_app.importing.json_numbers import NumberProfiles, numbers_profile
from catalog_app.importing.values import Reading
from lakeui.common.errors import InvalidValue

_CHANGED = re.compile(r"Column\(/(?P<path>.*)\) changed from (?P<one>\w+) to (?P<other>\w+)")


def json_table(path: Path, reading: Reading) -> pa.Table:
    """All objects of the file. Texts stay texts: what looks like a time is told by the pass over the column."""
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as lines:
        written = json_lines_write(path, Path(lines.name))
        if not written.objects:
            return pa.table({})
        numbers = NumberProfiles() if written.is_sure else numbers_profile(Path(lines.name))
        numbers.require()
        try:
            inferred = pajson.read_json(lines.name).schema
            wanted = {column.source: column.type for column in reading.columns}
            explicit = pa.schema([item.with_type(_json_type(item, wanted, numbers)) for item in inferred])
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
    column, *inner = changed["path"].split("/")
    where = ".".join([column, *("element" if part == "[]" else part for part in inner)])
    return InvalidValue(
        f"Values of column {where} are of the types {changed['one']} and {changed['other']}.",
        remedy=f"{remedy} Numbers that are meant as text stand in quotes.",
        column=where,
    )


def _json_type(item: pa.Field, wanted: Mapping[str, str], numbers: NumberProfiles) -> pa.DataType:
    kept = numbers.kept(_without_times(item.type), (item.name,))
    return _read_as(kept, value_type(wanted.get(item.name, "")))


def _read_as(kind: pa.DataType, wanted: ParsedType) -> pa.DataType:
    """Decimals are read as such where they are asked for: a double in between would change them."""
    is_number = pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind)
    if wanted.name == "decimal" and is_number:
        return pa.decimal128(*wanted.parameters)
    if wanted.name == "array" and pa.types.is_list(kind):
        return pa.list_(_read_as(kind.value_type, wanted.fields[0].type))
    if wanted.name == "struct" and pa.types.is_struct(kind):
        known = {field.name.casefold(): field.type for field in wanted.fields}
        none = value_type("")
        return pa.struct([i.with_type(_read_as(i.type, known.get(i.name.casefold(), none))) for i in kind])
    return _without_times(kind)


def _without_times(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_timestamp(kind):
        return pa.string()
    if pa.types.is_list(kind):
        return pa.list_(_without_times(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([item.with_type(_without_times(item.type)) for item in kind])
    return kind
