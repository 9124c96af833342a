"""A table of Apache Iceberg, as its newest metadata or the named ones say: files, ids, partitions, position deletes."""

from __future__ import annotations

import datetime
import decimal
import importlib.util
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.schema import Column
from catalog_app.domain.transforms import (
    DAYS,
    HOURS,
    MONTHS,
    SPOKEN,
    YEARS,
    decimal_parameters,
    is_taken,
    scaled,
    unscaled_of,
)
from catalog_app.domain.types import Field, ParsedType, nested_type, value_type
from catalog_app.takeover.footers import FileFooter, footers_read, name_check
from catalog_app.takeover.found_tables import FoundField, FoundFile, FoundTable, partition_text
from catalog_app.takeover.iceberg_deletes import deleted_positions
from catalog_app.takeover.iceberg_metadata import metadata_file, metadata_table, planned_files
from catalog_app.takeover.locations import Locations, OutsideFile
from lakeui.common.errors import NotSupported

if TYPE_CHECKING:
    from pyiceberg.table import FileScanTask, Table

_TYPES = {
    "boolean": "boolean",
    "int": "int",
    "long": "bigint",
    "float": "float",
    "double": "double",
    "string": "string",
    "binary": "binary",
    "date": "date",
    "timestamp": "timestamp_ntz",
    "timestamptz": "timestamp",
}
_DECIMAL = re.compile(r"decimal\((\d+), ?(\d+)\)")
_TRANSFORM = re.compile(r"(\w+)(?:\[(\d+)\])?")
_WHOLE = "identity"
_OF_TIME = frozenset({YEARS, MONTHS, DAYS, HOURS})
_EPOCH = datetime.date(1970, 1, 1)


def iceberg_find(locations: Locations, path: str) -> FoundTable:
    """The table at an allowed path. Raises, by name, what cannot be read as it lies."""
    if importlib.util.find_spec("pyiceberg") is None:
        raise NotSupported(
            "Tables of Iceberg are taken over by PyIceberg, which is not installed beside lakeui.",
            remedy="Ask who runs lakeui to install lakeui[iceberg]. Or name the files with FROM PARQUET, if none"
            " of their rows was deleted.",
        )
    table = metadata_table(locations, metadata_file(locations, path))
    schema = table.schema()
    for field in schema.fields:
        name_check(field.name, path)
        _default_refuse(field, field.name)
    columns = tuple(_column(field) for field in schema.fields)
    tasks = planned_files(table)
    files = [OutsideFile(locations.find(task.file.file_path), task.file.file_size_in_bytes) for task in tasks]
    footers = footers_read(locations.warehouse, files)
    lies = _lies(table, tasks, columns)
    deletes = deleted_positions(locations, tasks)
    found = _found_files(table, zip(tasks, footers, strict=True), columns, lies, deletes)
    return FoundTable(columns, tuple(item for item in found if item.rows), lies.names, lies.notices, lies.layout)


def _found_files(
    table: Table,
    files: Iterable[tuple[FileScanTask, FileFooter]],
    columns: Sequence[Column],
    lies: _Lies,
    deletes: Mapping[str, Any],
) -> Iterator[FoundFile]:
    """The data files as tables take them over. ``deletes``: as ``deleted_positions`` answers them."""
    for (task, footer), partition, layout in zip(files, lies.values, lies.layouts, strict=True):
        by_name = not footer.is_identified
        if by_name:
            _names_check(table, footer)
        lacks = _lacks_partition(table, footer, lies.names, by_name=by_name)
        yield FoundFile(
            footer.file.path,
            footer.rows,
            footer.file.bytes,
            _statistics(footer, columns, by_name=by_name),
            partition,
            by_name,
            lacks,
            deletes.get(task.file.file_path, ()),
            layout,
        )


def _column(field: Any) -> Column:
    kind = _type(field.field_type, field.name)
    column = Column(field.field_id, field.name, kind.text, nullable=not field.required, comment=field.doc or None)
    return column.with_fields(kind) if kind.fields else column


def _default_refuse(field: Any, path: str) -> None:
    if field.initial_default is not None:
        raise NotSupported(
            f"Rows older than the column {path} read as a default, which lakeui does not take over.",
            remedy="Write the table's files anew.",
            column=path,
        )


def _type(kind: Any, path: str) -> ParsedType:
    from pyiceberg.types import ListType, MapType, StructType

    if isinstance(kind, StructType):
        for inner in kind.fields:
            _default_refuse(inner, f"{path}.{inner.name}")
        fields = (Field(f.name, _type(f.field_type, f"{path}.{f.name}"), ids=(f.field_id,)) for f in kind.fields)
        return nested_type("struct", fields)
    if isinstance(kind, ListType):
        element = _type(kind.element_type, f"{path}.element")
        return nested_type("array", [Field("element", element, ids=(kind.element_id,))])
    if isinstance(kind, MapType):
        key = Field("key", _type(kind.key_type, f"{path}.key"), ids=(kind.key_id,))
        value = Field("value", _type(kind.value_type, f"{path}.value"), ids=(kind.value_id,))
        return nested_type("map", [key, value])
    text = str(kind)
    decimal = _DECIMAL.fullmatch(text)
    if decimal:
        return value_type(f"decimal({decimal[1]},{decimal[2]})")
    if text not in _TYPES:
        raise NotSupported(
            f"{path} has the type {text}, which lakeui does not have.",
            remedy="Leave the column out of a copy of the table, and take that over.",
            column=path,
        )
    return value_type(_TYPES[text])


@dataclass(frozen=True, slots=True)
class _Lies:
    """By what the files of a table lie apart. ``names``: columns of which each file has one value, in ``values``;
    ``layout``: transforms for new files; ``layouts``: what transforms are for each row of a file.
    """

    names: tuple[str, ...]
    values: list[PartitionValues]
    layout: tuple[FoundField, ...]
    layouts: list[tuple[tuple[FoundField, int | str | None], ...]]
    notices: tuple[str, ...]


def _lies(table: Table, tasks: Sequence[FileScanTask], columns: Sequence[Column]) -> _Lies:
    """A file lies by the specification under which it was written, and new ones by that of the table."""
    specs, now = table.specs(), table.spec()
    by_id = {column.id: column for column in columns}
    used = [now, *(specs[number] for number in sorted({task.file.spec_id for task in tasks} - {now.spec_id}))]
    whole = [
        {field.source_id for field in spec.fields if str(field.transform) == _WHOLE and field.source_id in by_id}
        for spec in used
    ]
    partitions = [
        by_id[field.source_id]
        for field in now.fields
        if str(field.transform) == _WHOLE and field.source_id in set.intersection(*whole)
    ]
    names = tuple(column.name for column in partitions)
    fields = {spec.spec_id: [_found_field(field, by_id, names) for field in spec.fields] for spec in used}
    layout = _apart(field for field in fields[now.spec_id] if field is not None)
    known = {(_WHOLE, column.id) for column in partitions}
    left = {
        field.name
        for spec in used
        for field, found in zip(spec.fields, fields[spec.spec_id], strict=True)
        if str(field.transform) != "void"
        and (str(field.transform), field.source_id) not in known
        and (found is None or (spec is now and found not in layout))
    }
    values, layouts = [], []
    for task in tasks:
        spec, given = specs[task.file.spec_id], task.file.partition
        at = {f.source_id: given[place] for place, f in enumerate(spec.fields) if str(f.transform) == _WHOLE}
        values.append(tuple(partition_text(at[column.id], column.type, column.name) for column in partitions))
        laid = ((found, given[place]) for place, found in enumerate(fields[spec.spec_id]) if found is not None)
        layouts.append(tuple(_laid(found, value, by_id) for found, value in laid if not _is_doubtful(found, value)))
    return _Lies(names, values, layout, layouts, _notices(left))


def _found_field(field: Any, columns: Mapping[int, Column], names: Collection[str]) -> FoundField | None:
    """The field as a transform of a column of today; None where it is none that lakeui has."""
    parsed = _TRANSFORM.fullmatch(str(field.transform))
    column = columns.get(field.source_id)
    name = SPOKEN.get(parsed[1]) if parsed else None
    if parsed is None or column is None or name is None or column.name in names or not is_taken(name, column.type):
        return None
    return FoundField(name, int(parsed[2] or 0), column.name)


def _apart(fields: Iterable[FoundField]) -> tuple[FoundField, ...]:
    """Of several transforms of one column that a table cannot have beside each other the first."""
    found: dict[tuple[str, str], FoundField] = {}
    for field in fields:
        found.setdefault((field.column, "time" if field.name in _OF_TIME else field.name), field)
    return tuple(found.values())


def _laid(field: FoundField, value: Any, columns: Mapping[int, Column]) -> tuple[FoundField, int | str | None]:
    kind = next(column.type for column in columns.values() if column.name == field.column)
    if value is None or isinstance(value, str):
        return field, value
    if isinstance(value, datetime.date):
        return field, (value - _EPOCH).days
    if isinstance(value, decimal.Decimal):
        scale = decimal_parameters(kind)[1]
        return field, scaled(unscaled_of(value, scale), scale)
    return field, int(value)


def _is_doubtful(field: FoundField, value: Any) -> bool:
    """Early writers of Iceberg rounded times before 1970 up. Which did, their metadata do not say."""
    if field.name not in _OF_TIME or value is None:
        return False
    return bool(value <= (_EPOCH if isinstance(value, datetime.date) else 0))


def _notices(left: Collection[str]) -> tuple[str, ...]:
    if not left:
        return ()
    return (
        f"Partition fields that do not come along: {', '.join(sorted(left))}. A whole column is a partition here where"
        " all files lie by it. So is a transform where lakeui has it for such a column.",
    )


def _lacks_partition(table: Table, footer: FileFooter, names: Iterable[str], *, by_name: bool) -> bool:
    """Whether the file leaves the columns of its partition to the metadata."""
    held = {column.name if by_name else column.id for column in footer.columns}
    wanted = [name if by_name else table.schema().find_field(name).field_id for name in names]
    return any(item not in held for item in wanted)


def _names_check(table: Table, footer: FileFooter) -> None:
    """A file without ids is read by names: those of the table's name mapping must be the names of today."""
    mapping = table.name_mapping()
    if mapping is None:
        raise NotSupported(
            f"The file {footer.file.path} has no field ids, and the table has no name mapping.",
            remedy="Give the table a schema.name-mapping.default, or write its files anew.",
        )
    today: Mapping[int, str] = {field.field_id: field.name for field in table.schema().fields}
    ids = {name: item.field_id for item in mapping.root for name in item.names}
    for column in footer.columns:
        identifier = ids.get(column.name)
        is_same = identifier is not None and today.get(identifier) == column.name
        hides = identifier is not None and identifier in today
        if (hides and not is_same) or (identifier is None and column.name in today.values()):
            raise NotSupported(
                f"The file {footer.file.path} holds the column {column.name} under a name of earlier days.",
                remedy="Write the file anew with the engine that writes the table.",
                column=column.name,
            )


def _statistics(footer: FileFooter, columns: Sequence[Column], *, by_name: bool) -> dict[str, Any]:
    """By the names of today."""
    if by_name:
        return dict(footer.statistics)
    names = {column.id: column.name for column in columns}
    known = ((names.get(column.id), footer.statistics.get(column.name)) for column in footer.columns)
    return {name: bounds for name, bounds in known if name is not None and bounds is not None}
