"""Columns of JSON files where the table has maps: JSON writes structs and maps alike."""

from __future__ import annotations

from dataclasses import replace

from django.conf import settings

from catalog_app.domain.schema import Schema
from catalog_app.domain.types import ParsedType, value_type
from catalog_app.importing.json_maps import holds_map
from catalog_app.importing.scanning import file_types
from catalog_app.importing.spec import ColumnChoice, FileFormat, Reading
from catalog_app.models import FileImport
from catalog_app.services.imports import import_opened
from catalog_app.storage.warehouse import Warehouse


def with_maps(schema: Schema, reading: Reading, made: FileImport) -> Reading:
    """The reading with the types that columns of JSON have once objects are maps, and structs, as the table says."""
    if made.format != FileFormat.JSON:
        return reading
    wanted = tuple(_as_known(schema, choice) for choice in reading.columns)
    changed = {choice.source for choice, given in zip(wanted, reading.columns, strict=True) if choice is not given}
    if not changed:
        return reading
    asked = replace(reading, columns=wanted)
    with import_opened(made, asked, warehouse=Warehouse(settings.LAKEUI["WAREHOUSE"])) as file:
        types = file_types(file, FileFormat.JSON, asked)
    columns = (replace(i, type=types[i.source]) if i.source in changed else i for i in reading.columns)
    return replace(reading, columns=tuple(columns))


def map_choices(schema: Schema) -> tuple[ColumnChoice, ...]:
    """How a file of JSON is first read that goes into the table: its objects may be maps."""
    kinds = ((column.name, column.type) for column in schema.columns)
    return tuple(ColumnChoice(name, name, kind) for name, kind in kinds if holds_map(value_type(kind)))


def _as_known(schema: Schema, choice: ColumnChoice) -> ColumnChoice:
    known = schema.named(choice.name)
    if known is None or not _is_open(value_type(choice.type), value_type(known.type)):
        return choice
    return replace(choice, type=known.type)


def _is_open(given: ParsedType, known: ParsedType) -> bool:
    """Whether the table decides what an object is: a map, or the struct of an object without members."""
    if known.name == "map":
        return given.name not in ("string", "void")
    if given.name == "map":
        return known.name == "struct"
    if given.name != known.name:
        return False
    by_name = {field.name.casefold(): field.type for field in known.fields}
    pairs = ((field.type, by_name.get(field.name.casefold())) for field in given.fields)
    return any(inner is not None and _is_open(own, inner) for own, inner in pairs)
