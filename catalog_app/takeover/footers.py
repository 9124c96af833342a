"""What the footers of Parquet files of others say: columns, ids, rows and bounds. No data are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from catalog_app.domain.files import FACT_FIELDS, ROW_ID_COLUMN, ColumnStatistics
from catalog_app.domain.types import Field, ParsedType, nested_type, value_type
from catalog_app.importing.arrow_types import taken_type, type_text
from catalog_app.storage.footers import PARQUET_FIELD_ID, leaf_statistics, leaves
from catalog_app.storage.warehouse import Warehouse
from catalog_app.takeover.locations import OutsideFile
from lakeui.common.errors import InvalidValue, NotSupported

_OURS = ("__lake_", "_metadata", "_tmp_metadata_row_index", ROW_ID_COLUMN, *FACT_FIELDS)
_OLD_CALENDAR = (b"org.apache.spark.legacyDateTime", b"org.apache.spark.legacyINT96")
READERS = 8


@dataclass(frozen=True, slots=True)
class FoundColumn:
    """A column as a file has it. ``id``: its field id, 0 for none; fields inside have theirs in ``type``."""

    name: str
    type: ParsedType
    id: int


@dataclass(frozen=True, slots=True)
class FileFooter:
    file: OutsideFile
    rows: int
    columns: tuple[FoundColumn, ...]
    statistics: dict[str, ColumnStatistics]

    @property
    def is_identified(self) -> bool:
        """Whether all columns, and all fields in them, have ids. Raises NotSupported where some have."""
        ids = [identifier for column in self.columns for identifier in (column.id, *_ids(column.type))]
        if any(ids) and not all(ids):
            raise NotSupported(
                f"The file {self.file.path} gives ids to some of its columns and fields only.",
                remedy="Write the files anew, with an id for each column and field or for none.",
            )
        return bool(ids) and all(ids)


def footers_read(warehouse: Warehouse, files: Sequence[OutsideFile]) -> list[FileFooter]:
    """The footers of all files, several at a time. Raises by name what a table cannot hold."""
    with ThreadPoolExecutor(max_workers=READERS) as pool:
        return list(pool.map(lambda file: _footer(warehouse, file), files))


def _footer(warehouse: Warehouse, file: OutsideFile) -> FileFooter:
    try:
        opened = pq.ParquetFile(warehouse.absolute(file.path), filesystem=warehouse.filesystem)
    except FileNotFoundError as error:
        raise InvalidValue(
            f"The file {file.path} is not there any more.", remedy="Name a table whose files are all there."
        ) from error
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        # Arrow says the first of other and broken files, the second of Parquet that it does not read.
        raise InvalidValue(
            f"The file {file.path} is no Parquet file that can be read.", remedy="Take it out of the folder."
        ) from error
    with opened:
        metadata, schema = opened.metadata, opened.schema_arrow
        physical = [metadata.schema.column(leaf).physical_type for leaf in range(metadata.num_columns)]
        columns, statistics = [], {}
        first = 0
        for field in schema:
            count = leaves(field.type)
            name_check(field.name, file.path)
            kind = _type(field.type, iter(physical[first : first + count]), field.name, file.path)
            columns.append(FoundColumn(field.name, kind, _id(field)))
            if not kind.fields and _are_bounds_known(metadata, field.type, kind.text, physical[first]):
                known = leaf_statistics(metadata, first, field.type)
                if known is not None:
                    statistics[field.name] = known
            first += count
        _refuse_same_names(columns, file.path)
        return FileFooter(file, metadata.num_rows, tuple(columns), statistics)


def _are_bounds_known(metadata: pq.FileMetaData, kind: pa.DataType, text: str, physical: str) -> bool:
    """Whether what the footer says of a column holds for what Spark reads of it."""
    if physical == "INT96" or pa.types.is_uint64(kind) or pa.types.is_date64(kind):
        return False
    if pa.types.is_floating(kind):
        # Others leave NaN out, which is above every number for Spark.
        return str(metadata.created_by).startswith("parquet-mr")
    if text in ("date", "timestamp", "timestamp_ntz"):
        return not any(key in (metadata.metadata or {}) for key in _OLD_CALENDAR)
    return True


def _id(field: pa.Field) -> int:
    return max(int((field.metadata or {}).get(PARQUET_FIELD_ID, 0)), 0)


def _ids(kind: ParsedType) -> Iterator[int]:
    for field in kind.fields:
        yield field.ids[0] if field.ids else 0
        yield from _ids(field.type)


def name_check(name: str, where: str) -> None:
    """Raises NotSupported for a name that Spark or lakeui has for columns of its own."""
    folded = name.casefold()
    if folded.startswith(_OURS[0]) or folded in _OURS or (folded.startswith("__c") and folded[3:].isdecimal()):
        raise NotSupported(
            f"{where} has a column {name}, which is a name that lakeui or Spark keeps for itself.",
            remedy="Write the rows under another name.",
            column=name,
        )


def _refuse_same_names(columns: Iterable[FoundColumn], where: str) -> None:
    seen: set[str] = set()
    for column in columns:
        if column.name.casefold() in seen:
            raise NotSupported(
                f"{where} has two columns {column.name}; case makes no difference.",
                remedy="Write the rows under names of their own.",
                column=column.name,
            )
        seen.add(column.name.casefold())


def _type(kind: pa.DataType, physical: Iterator[str], name: str, where: str) -> ParsedType:
    """The type that Spark reads the column as. Raises NotSupported where there is none, or another one."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_struct(kind):
        fields = [_inside(field, physical, f"{name}.{field.name}", where) for field in kind]
        taken_type(kind, name)
        return nested_type("struct", fields)
    if pa.types.is_map(kind):
        key = _inside(kind.key_field.with_name("key"), physical, f"{name}.key", where)
        return nested_type("map", [key, _inside(kind.item_field.with_name("value"), physical, f"{name}.value", where)])
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return nested_type(
            "array", [_inside(kind.value_field.with_name("element"), physical, f"{name}.element", where)]
        )
    stored = next(physical)
    if stored == "INT96":
        return value_type("timestamp")
    is_other = (
        pa.types.is_time(kind)
        or pa.types.is_float16(kind)
        or pa.types.is_null(kind)
        or pa.types.is_fixed_size_binary(kind)
        or pa.types.is_fixed_size_list(kind)
        or (pa.types.is_timestamp(kind) and kind.unit == "ns")
        or isinstance(kind, pa.BaseExtensionType)
    )
    if is_other:
        raise NotSupported(
            f"Column {name} of {where} holds values of type {kind}, which lakeui does not read in place.",
            remedy="Load the files by an import or COPY INTO, or write the column as another type.",
            column=name,
        )
    return value_type(type_text(taken_type(kind, name)))


def _inside(field: pa.Field, physical: Iterator[str], name: str, where: str) -> Field:
    identifier = _id(field)
    kind = _type(field.type, physical, name, where)
    return Field(field.name, kind, ids=(identifier,) if identifier else ())
