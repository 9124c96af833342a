"""Partition fields that are transforms, as Iceberg's metadata names them."""

from __future__ import annotations

import zlib

from catalog_app.domain.schema import Column
from catalog_app.domain.transforms import BUCKET, DAYS, TRUNCATE, Transform
from catalog_app.domain.types import ParsedType, parse_type

_FIRST, _COUNT = 1_000_000, 2_000_000_000
"""Where ids of such fields lie: behind those of partition columns, which follow the ids of columns."""


def transform_field(one: Transform) -> int:
    """The id of the field. It is made of what the field is, so that manifests of all versions and branches agree."""
    return _FIRST + zlib.crc32(f"{one.text} {one.column_id}".encode()) % _COUNT


def transform_name(one: Transform, column: str) -> str:
    """As Iceberg's own writers call it."""
    if one.name == BUCKET:
        return f"{column}_bucket_{one.number}"
    return f"{column}_trunc_{one.number}" if one.name == TRUNCATE else f"{column}_{one.text}"


def transform_type(one: Transform, column: Column) -> ParsedType:
    """The type of its values."""
    if one.name == TRUNCATE:
        return column.parsed
    return parse_type("date" if one.name == DAYS else "int")
