"""A table of Delta Lake, as the newest version of its log says: which files count, and the values of their partitions.

The package deltalake reads the log. What of the protocol is not understood is refused, as the files alone would show
other rows.
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pyarrow as pa

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.schema import Column
from catalog_app.domain.stores import delta_options, speaks_s3
from catalog_app.domain.types import Field, ParsedType, nested_type, value_type
from catalog_app.takeover.footers import FileFooter, footers_read, name_check
from catalog_app.takeover.found_tables import FoundFile, FoundTable, partition_text
from catalog_app.takeover.locations import Locations, OutsideFile
from lakeui.common.errors import InvalidValue, NotSupported

if TYPE_CHECKING:
    from deltalake import DeltaTable

_TYPES = {
    "boolean": "boolean",
    "byte": "tinyint",
    "short": "smallint",
    "integer": "int",
    "long": "bigint",
    "float": "float",
    "double": "double",
    "string": "string",
    "binary": "binary",
    "date": "date",
    "timestamp": "timestamp",
    "timestamp_ntz": "timestamp_ntz",
}
_DECIMAL = re.compile(r"decimal\((\d+), ?(\d+)\)")
_UNDERSTOOD = frozenset({"timestampNtz", "columnMapping", "vacuumProtocolCheck", "v2Checkpoint"})
"""Features of readers. Column mapping is understood where it is off."""
_WAYS_OUT = {
    "deletionVectors": "Rewrite its files (REORG TABLE .. APPLY (PURGE)) and drop the feature deletionVectors.",
}
_MAPPING = "delta.columnMapping.mode"


def delta_find(locations: Locations, path: str) -> FoundTable:
    """The table at an allowed path. Raises, by name, what cannot be read as it lies."""
    if importlib.util.find_spec("deltalake") is None:
        raise NotSupported(
            "The log of a table of Delta is read by the package deltalake, which is not installed beside lakeui.",
            remedy="Ask who runs lakeui to install lakeui[delta]; or write the rows as Parquet or Iceberg.",
        )
    if not locations.is_local and not speaks_s3(path):
        raise NotSupported(
            "Tables of Delta are taken over from folders and from s3://, and not from another store.",
            remedy="Write the rows as Parquet or Iceberg, and take these over.",
        )
    # Each file of the log is one at an allowed place, before anything reads them.
    locations.files(f"{path}/_delta_log")
    table = _table(path, {} if locations.is_local else delta_options(locations.warehouse.options))
    _protocol_check(table)
    names = tuple(table.metadata().partition_columns)
    columns = _columns(json.loads(table.schema().to_json())["fields"], path)
    added = pa.table(table.get_add_actions(flatten=False))
    files = _files(locations, path, added)
    footers = footers_read(locations.warehouse, files)
    for footer in footers:
        _columns_check(footer, columns, names)
    values = added.column("partition").to_pylist() if names else [{}] * added.num_rows
    kinds = {column.name: column.type for column in columns}
    found = [
        FoundFile(
            footer.file.path,
            footer.rows,
            footer.file.bytes,
            footer.statistics,
            _partition(given, names, kinds),
            by_name=True,
            lacks_partition=bool(names),
        )
        for footer, given in zip(footers, values, strict=True)
        if footer.rows
    ]
    return FoundTable(columns, tuple(found), names)


def _table(path: str, options: dict[str, str]) -> DeltaTable:
    from deltalake import DeltaTable
    from deltalake.exceptions import DeltaError

    try:
        return DeltaTable(path.removeprefix("file://"), storage_options=options)
    except (DeltaError, OSError, ValueError) as error:
        raise InvalidValue(
            f"The log of the table of Delta at {path} cannot be read.", remedy="Name the folder that holds _delta_log."
        ) from error


def _protocol_check(table: DeltaTable) -> None:
    protocol, settings = table.protocol(), table.metadata().configuration
    if settings.get(_MAPPING, "none") != "none":
        raise NotSupported(
            f"The table has {_MAPPING} = {settings[_MAPPING]}: its files call columns otherwise.",
            remedy="Write the rows as Parquet or Iceberg, and take these over.",
        )
    unknown = sorted(set(protocol.reader_features or ()) - _UNDERSTOOD)
    if unknown or protocol.min_reader_version > _NEWEST_READER:
        feature = unknown[0] if unknown else f"reader version {protocol.min_reader_version}"
        raise NotSupported(
            f"The table has the feature {feature}, which lakeui does not read.",
            remedy=_WAYS_OUT.get(feature, "Write the rows as Parquet or Iceberg, and take these over."),
        )


_NEWEST_READER = 3


def _files(locations: Locations, path: str, added: pa.Table) -> list[OutsideFile]:
    """The data files that count. Their paths are relative to the table, or absolute, and encoded as addresses are."""
    places = [unquote(place) for place in added.column("path").to_pylist()]
    sizes = added.column("size_bytes").to_pylist()
    whole = (place if "://" in place or place.startswith("/") else f"{path}/{place}" for place in places)
    return [OutsideFile(locations.find(place), size) for place, size in zip(whole, sizes, strict=True)]


def _columns(fields: Sequence[Mapping[str, Any]], path: str) -> tuple[Column, ...]:
    columns = []
    for field in fields:
        name_check(field["name"], path)
        kind = _type(field["type"], field["name"])
        comment = field["metadata"].get("comment")
        column = Column(0, field["name"], kind.text, nullable=field["nullable"], comment=comment)
        columns.append(column.with_fields(kind) if kind.fields else column)
    return tuple(columns)


def _type(kind: Any, path: str) -> ParsedType:
    if isinstance(kind, str):
        decimal = _DECIMAL.fullmatch(kind)
        if decimal:
            return value_type(f"decimal({decimal[1]},{decimal[2]})")
        if kind in _TYPES:
            return value_type(_TYPES[kind])
    elif kind["type"] == "struct":
        fields = (Field(item["name"], _type(item["type"], f"{path}.{item['name']}")) for item in kind["fields"])
        return nested_type("struct", fields)
    elif kind["type"] == "array":
        return nested_type("array", [Field("element", _type(kind["elementType"], f"{path}.element"))])
    elif kind["type"] == "map":
        key, value = _type(kind["keyType"], f"{path}.key"), _type(kind["valueType"], f"{path}.value")
        return nested_type("map", [Field("key", key), Field("value", value)])
    raise NotSupported(
        f"{path} has the type {kind}, which lakeui does not have.",
        remedy="Leave the column out of a copy of the table, and take that over.",
        column=path,
    )


def _columns_check(footer: FileFooter, columns: Sequence[Column], names: Sequence[str]) -> None:
    """Raises NotSupported where a file holds a column otherwise than the log says, or ids beside names."""
    known = {column.name: column for column in columns}
    folded = {column.name.casefold() for column in columns}
    if any(column.id for column in footer.columns):
        raise NotSupported(
            f"The file {footer.file.path} has field ids, and the log goes by names.",
            remedy="Write the rows as Parquet or Iceberg, and take these over.",
        )
    for column in footer.columns:
        stated = known.get(column.name)
        if stated is None and column.name.casefold() not in folded:
            # A column that the log does not name any more.
            continue
        if stated is None or column.name in names or stated.parsed.text != column.type.text:
            raise NotSupported(
                f"The file {footer.file.path} holds the column {column.name} as {column.type.text},"
                " otherwise than the log says.",
                remedy="Write the table's files anew with the engine that writes it.",
                column=column.name,
            )


def _partition(given: Mapping[str, Any], names: Sequence[str], kinds: Mapping[str, str]) -> PartitionValues:
    return tuple(partition_text(given[name], kinds[name], name) for name in names)
