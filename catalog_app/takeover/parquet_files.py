"""A folder of Parquet files, or one file, as a table: the union of their columns, partitions as Hive names folders."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import unquote

from catalog_app.domain.schema import Column
from catalog_app.domain.types import widens
from catalog_app.takeover.footers import FileFooter, FoundColumn, footers_read, name_check
from catalog_app.takeover.found_tables import FoundFile, FoundTable
from catalog_app.takeover.locations import Locations, OutsideFile
from lakeui.common.errors import InvalidValue, NotSupported

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""How Hive names the folder of rows without a value."""
_WHOLE = re.compile(r"0|-?[1-9][0-9]*")
_INT, _BIGINT = 2**31, 2**63


def parquet_find(locations: Locations, path: str) -> FoundTable:
    """The table at an allowed path. Raises, by name, what cannot be read as it lies."""
    files = _data_files(locations.files(path), path)
    values = [_folder_values(file.path, path) for file in files]
    footers = footers_read(locations.warehouse, files)
    names = _partition_names(files, values)
    columns = columns_merge(footers)
    for name in names:
        name_check(name, f"The folder of {files[0].path}")
        if any(column.name.casefold() == name.casefold() for column in columns):
            raise NotSupported(
                f"The column {name} stands in the files and in the names of their folders.",
                remedy="Write the files without it, or put them into folders of other names.",
                column=name,
            )
    identified = bool(columns) and bool(columns[0].id)
    if names and identified:
        raise NotSupported(
            "The files give ids to their columns, and the names of their folders are columns without one.",
            remedy="Write the files without field ids.",
        )
    texts = [tuple(value for _, value in given) for given in values]
    partition = [Column(0, name, _type_of([text[place] for text in texts])) for place, name in enumerate(names)]
    found = [
        FoundFile(
            footer.file.path,
            footer.rows,
            footer.file.bytes,
            footer.statistics,
            text,
            by_name=not identified,
            lacks_partition=bool(names),
        )
        for footer, text in zip(footers, texts, strict=True)
        if footer.rows
    ]
    return FoundTable((*columns, *partition), tuple(found), names)


def _data_files(files: Sequence[OutsideFile], path: str) -> list[OutsideFile]:
    """The files that hold rows. What begins with a dot or an underscore holds none, as for Spark and Hive."""
    base = path.rstrip("/")
    within = [(file, file.path[len(base) :].lstrip("/").split("/")) for file in files]
    for file, parts in within:
        if parts[0] == "_delta_log":
            raise NotSupported(f"{path} is a table of Delta.", remedy="Say FROM DELTA.")
        if parts[-1].endswith(".metadata.json"):
            raise NotSupported(f"{path} is a table of Iceberg: {file.path}.", remedy="Say FROM ICEBERG.")
    shown = [
        file for file, parts in within if not any(part.startswith((".", "_")) and "=" not in part for part in parts)
    ]
    for file in shown:
        if not file.path.endswith((".parquet", ".parq")):
            raise InvalidValue(
                f"The file {file.path} is not called as Parquet files are.",
                remedy="Take it out of the folder, or begin its name with an underscore.",
            )
    if not shown:
        raise InvalidValue(f"There is no Parquet file at {path}.", remedy="Name a folder with Parquet files.")
    return shown


def _folder_values(path: str, root: str) -> list[tuple[str, str | None]]:
    """Names and values of the folders between the root and the file."""
    found = []
    for folder in path[len(root) :].strip("/").split("/")[:-1]:
        name, sign, value = folder.partition("=")
        if sign:
            found.append((unquote(name), None if value == NO_VALUE else unquote(value)))
    return found


def _partition_names(
    files: Sequence[OutsideFile], values: Sequence[Sequence[tuple[str, str | None]]]
) -> tuple[str, ...]:
    names = tuple(name for name, _ in values[0])
    for file, given in zip(files, values, strict=True):
        if tuple(name for name, _ in given) != names:
            raise NotSupported(
                f"The folders of {file.path} name other partition columns than those of {files[0].path}.",
                remedy="Take over the folders one by one.",
            )
    return names


def _type_of(texts: Sequence[str | None]) -> str:
    """The type whose values are written as all of these texts are, so that each text is the value's own."""
    known = [text for text in texts if text is not None]
    if known and all(_WHOLE.fullmatch(text) for text in known):
        largest = max(abs(int(text)) for text in known)
        if largest < _BIGINT:
            return "int" if largest < _INT else "bigint"
    if known and all(_is_date(text) for text in known):
        return "date"
    return "string"


def _is_date(text: str) -> bool:
    try:
        return len(text) == len("2026-01-31") and datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def columns_merge(footers: Sequence[FileFooter]) -> tuple[Column, ...]:
    """The columns of all files, each with the widest type that a file has for it. Raises NotSupported where types do
    not fit, and where files know a column by different ids.
    """
    identified = footers[0].is_identified
    found: dict[str, tuple[FoundColumn, FileFooter]] = {}
    owners: dict[int, str] = {}
    for footer in footers:
        if footer.is_identified != identified:
            raise NotSupported(
                f"The file {footer.file.path} has field ids and {footers[0].file.path} has none, or the other way.",
                remedy="Write the files anew in one form.",
            )
        for column in footer.columns:
            name = column.name.casefold()
            known = found.get(name)
            if known is None:
                found[name] = (column, footer)
            else:
                found[name] = _wider(known, (column, footer))
            if identified and owners.setdefault(column.id, name) != name:
                raise _other_ids(column.name, footer)
    return tuple(_column(column) for column, _ in found.values())


def _wider(
    known: tuple[FoundColumn, FileFooter], given: tuple[FoundColumn, FileFooter]
) -> tuple[FoundColumn, FileFooter]:
    (one, first), (other, second) = known, given
    if one.id != other.id or one.name != other.name:
        raise _other_ids(other.name, second)
    if one.type == other.type:
        return known
    if not one.type.fields and not other.type.fields:
        if widens(other.type.text, one.type.text):
            return known
        if widens(one.type.text, other.type.text):
            return replace(one, type=other.type), first
    raise NotSupported(
        f"The column {one.name} is {one.type.text} in {first.file.path} and {other.type.text} in {second.file.path}.",
        remedy="Write the files anew with one type, or load them by an import.",
        column=one.name,
    )


def _other_ids(name: str, footer: FileFooter) -> NotSupported:
    return NotSupported(
        f"The file {footer.file.path} knows the column {name} by another id or spelling than another file.",
        remedy="Write the files anew in one form.",
        column=name,
    )


def _column(found: FoundColumn) -> Column:
    column = Column(found.id, found.name, found.type.text)
    return column.with_fields(found.type) if found.type.fields else column
