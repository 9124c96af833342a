"""One pass over a file: its columns, their types, its first rows, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from catalog_app.domain.names import name_folded
from catalog_app.engine.answers import json_rows
from catalog_app.importing.arrow_types import taken_type, type_text
from catalog_app.importing.delimited import delimited_open
from catalog_app.importing.formats import ARROW_FILE
from catalog_app.importing.json_tables import json_table
from catalog_app.importing.lossless import values_require
from catalog_app.importing.spec import ColumnChoice, FileFormat, FoundColumn, Reading, Scan
from catalog_app.importing.text_types import EVERY, TIMES, TextProfile
from lakeui.common.errors import InvalidValue
from lakeui.common.parquet import dictionary_columns

SAMPLE_ROWS = 50


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A file that is being read: ``names`` of its columns by place; batches hold them as ``c0``, ``c1``, ..

    ``inferred_as``: which types are tried for its columns of text.
    """

    reading: Reading
    names: tuple[str, ...]
    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]
    inferred_as: Sequence[str] = ()
    warnings: tuple[str, ...] = ()


@contextmanager
def file_open(path: Path, file_format: FileFormat, reading: Reading) -> Iterator[OpenedFile]:
    """Read a file as rows of types that tables can hold. Raises InvalidValue where it cannot be read."""
    if file_format is FileFormat.CSV:
        found = delimited_open(path, reading)
        fields = [(f"c{index}", pa.string()) for index in range(len(found.names))]
        yield OpenedFile(found.reading, found.names, pa.schema(fields), found.batches(), EVERY)
    elif file_format is FileFormat.JSON:
        table = json_table(path, reading)
        yield _opened(reading, table.schema, iter(table.to_batches()), TIMES)
    else:
        opened = _parquet_open if file_format is FileFormat.PARQUET else _arrow_open
        try:
            with opened(path) as (schema, batches):
                yield _opened(reading, schema, batches, ())
        except (pa.ArrowException, OSError) as error:
            name = file_format.value.capitalize()
            raise InvalidValue(f"The {name} file cannot be read: {error}", remedy="Write it again.") from None


@contextmanager
def _parquet_open(path: Path) -> Iterator[tuple[pa.Schema, Iterator[pa.RecordBatch]]]:
    with pq.ParquetFile(path) as file:
        yield file.schema_arrow, file.iter_batches()


@contextmanager
def _arrow_open(path: Path) -> Iterator[tuple[pa.Schema, Iterator[pa.RecordBatch]]]:
    """Arrow's IPC format: a file, or a stream, which has no index of its batches at the end.

    What a stranger wrote is checked before anything follows its offsets.
    """
    with pa.memory_map(str(path)) as source:
        is_file = source.read(len(ARROW_FILE)) == ARROW_FILE
        source.seek(0)
        if not is_file:
            with pa.ipc.open_stream(source) as stream:
                yield stream.schema, map(_checked, stream)
            return
        with pa.ipc.open_file(source) as file:
            yield file.schema, (_checked(file.get_batch(index)) for index in range(file.num_record_batches))


def _checked(batch: pa.RecordBatch) -> pa.RecordBatch:
    batch.validate(full=True)
    return batch


class _TooFine(Exception):
    """A column holds times that are finer than a microsecond."""

    def __init__(self, place: int, row: int, value: str) -> None:
        super().__init__(place)
        self.place, self.row, self.value = place, row, value


def _opened(
    reading: Reading, schema: pa.Schema, batches: Iterator[pa.RecordBatch], inferred_as: Sequence[str]
) -> OpenedFile:
    """Columns by place, in types that tables can hold."""
    sources, _ = _named_apart(schema.names)
    as_text = {choice.source for choice in reading.columns if choice.type == "string" or not choice.include}
    taken = pa.schema(
        [
            (f"c{index}", pa.string() if _is_finest(item.type) and source in as_text else taken_type(item.type, source))
            for index, (item, source) in enumerate(zip(schema, sources, strict=True))
        ]
    )
    clocks = [item.name for item in schema if pa.types.is_time(item.type)]
    warnings = [f"Column {name} holds times of day, which become text." for name in clocks]
    cast = _cast(batches, taken)
    return OpenedFile(reading, tuple(schema.names), taken, cast, inferred_as, tuple(warnings))


def _is_finest(kind: pa.DataType) -> bool:
    return bool(pa.types.is_timestamp(kind) and kind.unit == "ns")


def _cast(batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """The batches in these types. Raises _TooFine, and ArrowInvalid for any other value that a type cannot keep."""
    rows = 0
    for batch in batches:
        columns = []
        for place, (column, item) in enumerate(zip(batch.columns, schema, strict=True)):
            if _is_finest(column.type) and pa.types.is_timestamp(item.type):
                _require_microseconds(column, place, rows)
            columns.append(column if column.type == item.type else pc.cast(column, item.type))
        yield pa.RecordBatch.from_arrays(columns, schema=schema)
        rows += batch.num_rows


def _require_microseconds(column: pa.Array, place: int, rows: int) -> None:
    finer = pc.not_equal(pc.cast(pc.cast(column, pa.timestamp("us", column.type.tz), safe=False), column.type), column)
    if pc.any(finer).as_py():
        row = pc.index(finer, True).as_py()
        raise _TooFine(place, rows + row + 1, pc.cast(column[row : row + 1], pa.string())[0].as_py())


@dataclass(slots=True)
class _Pass:
    """What is gathered while the batches go by."""

    profiles: dict[int, TextProfile]
    rows: int = 0
    sample: list[list[Any]] = field(default_factory=list)

    def add(self, batch: pa.RecordBatch) -> None:
        for index, profile in self.profiles.items():
            profile.add(batch.column(index), first_row=self.rows + 1)
        if len(self.sample) < SAMPLE_ROWS:
            wanted = batch.slice(0, SAMPLE_ROWS - len(self.sample))
            self.sample += json_rows(pa.Table.from_batches([wanted]))
        self.rows += batch.num_rows


def file_scan(path: Path, file_format: FileFormat, reading: Reading) -> Scan:
    """What is in the file; choices of columns that it does not have are dropped, missing ones made. Times finer than a
    table keeps are read as text.
    """
    fine: list[str] = []
    while True:
        as_text = tuple(ColumnChoice(source, source, "string") for source in fine)
        try:
            scan = _scan(path, file_format, replace(reading, columns=(*reading.columns, *as_text)))
        except _TooFine as finer:
            fine.append(_named_apart(_names(path, file_format))[0][finer.place])
            continue
        notes = (f"Column {name} holds times finer than a microsecond, which become text." for name in fine)
        return scan.with_warnings(*notes)


def _names(path: Path, file_format: FileFormat) -> Sequence[str]:
    with file_open(path, file_format, Reading()) as opened:
        return opened.names


def _scan(path: Path, file_format: FileFormat, reading: Reading) -> Scan:
    with file_open(path, file_format, reading) as opened:
        texts = [index for index, item in enumerate(opened.schema) if pa.types.is_string(item.type)]
        tried = texts if opened.inferred_as else []
        gathered = _Pass({index: TextProfile(opened.inferred_as, opened.reading.local) for index in tried})
        for batch in opened.batches:
            gathered.add(batch)
        sources, warnings = _named_apart(opened.names)
        given = [name.strip() for name in opened.names]
        doubled = tuple(name for name, own in zip(given, sources, strict=True) if name and name != own)
        columns = tuple(
            _column(source, item.type, gathered.profiles.get(index))
            for index, (source, item) in enumerate(zip(sources, opened.schema, strict=True))
        )
    chosen = replace(opened.reading, columns=_choices(columns, reading))
    notes = (*opened.warnings, *warnings, *([] if gathered.rows else ["The file has no rows."]))
    return Scan(chosen, columns, gathered.rows, gathered.sample, notes, doubled)


def _column(source: str, kind: pa.DataType, profile: TextProfile | None) -> FoundColumn:
    if profile is None:
        return FoundColumn(source, type_text(kind), is_text=pa.types.is_string(kind))
    return FoundColumn(source, profile.inferred, is_text=True, misfits=profile.misfits, is_empty=not profile.has_values)


def _choices(columns: Sequence[FoundColumn], reading: Reading) -> tuple[ColumnChoice, ...]:
    known = {choice.source: choice for choice in reading.columns}
    return tuple(
        known.get(item.source, ColumnChoice(item.source, _offered(item.source), item.inferred)) for item in columns
    )


def _offered(source: str) -> str:
    """The name that a column of the file gets where no other is chosen."""
    return name_folded(source).strip() or source


def _named_apart(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names of their own for columns without one and for those whose name came before, and what to say of that."""
    taken: set[str] = set()
    found, warnings = [], []
    for place, name in enumerate(names, start=1):
        own = name.strip() or f"column_{place}"
        number = 2
        while own.casefold() in taken:
            own, number = f"{name.strip() or 'column'}_{number}", number + 1
        if name.strip() and own != name.strip():
            warnings.append(f"There is more than one column {name.strip()}; one is called {own}.")
        taken.add(own.casefold())
        found.append(own)
    return found, warnings


def file_types(path: Path, file_format: FileFormat, reading: Reading) -> dict[str, str]:
    """The types of the file's columns by their source, as the reading reads them."""
    with file_open(path, file_format, reading) as opened:
        sources, _ = _named_apart(opened.names)
        return {source: type_text(item.type) for source, item in zip(sources, opened.schema, strict=True)}


def untyped_columns(path: Path, file_format: FileFormat) -> frozenset[str]:
    """Columns of a Parquet or Arrow file that have no type, as they hold NULL only."""
    with (_parquet_open if file_format is FileFormat.PARQUET else _arrow_open)(path) as (schema, _):
        sources, _ = _named_apart(schema.names)
        return frozenset(source for item, source in zip(schema, sources, strict=True) if pa.types.is_null(item.type))


def file_convert(
    path: Path,
    file_format: FileFormat,
    reading: Reading,
    target: Any,
    *,
    kept_as: Mapping[str, str] | None = None,
    keep_kind: Collection[str] = (),
) -> int:
    """Write the file's rows as Parquet to ``target`` (a path, or a file that Arrow writes to): the chosen columns as
    ``c0``, ``c1``, .. by their place in ``reading.chosen``. Answers how many rows.

    ``kept_as``, ``keep_kind`` and errors as of ``file_batches``.
    """
    with (
        file_batches(path, file_format, reading, kept_as=kept_as, keep_kind=keep_kind) as (schema, batches),
        converted_writer(target, schema) as writer,
    ):
        return batches_write(writer, batches)


def converted_writer(target: Any, schema: pa.Schema) -> pq.ParquetWriter:
    """What writes converted rows to ``target``."""
    encoded = dictionary_columns(schema)
    return pq.ParquetWriter(target, schema, compression="zstd", use_dictionary=encoded, store_schema=False)


def batches_write(writer: pq.ParquetWriter, batches: Iterator[pa.RecordBatch]) -> int:
    """Answers how many rows."""
    rows = 0
    for batch in batches:
        writer.write_batch(batch)
        rows += batch.num_rows
    return rows


@contextmanager
def file_batches(
    path: Path,
    file_format: FileFormat,
    reading: Reading,
    *,
    kept_as: Mapping[str, str] | None = None,
    keep_kind: Collection[str] = (),
) -> Iterator[tuple[pa.Schema, Iterator[pa.RecordBatch]]]:
    """The chosen columns of a file as ``c0``, ``c1``, .. by their place in ``reading.chosen``.

    ``kept_as``: by the name of a column, the type that it is cast to later, if that is not the chosen one.
    ``keep_kind``: sources of columns in which a text does not become a number. Raises InvalidValue with the row of a
    value that the type would change.
    """
    chosen, local = reading.chosen, reading.local
    types = [(kept_as or {}).get(choice.name.casefold(), choice.type) for choice in chosen]
    with file_open(path, file_format, reading) as opened:
        sources, _ = _named_apart(opened.names)
        places = [sources.index(choice.source) for choice in chosen]
        schema = pa.schema([(f"c{index}", opened.schema.field(place).type) for index, place in enumerate(places)])

        def batches() -> Iterator[pa.RecordBatch]:
            rows = 0
            for batch in _required(opened, reading):
                columns = []
                for place, choice, kind in zip(places, chosen, types, strict=True):
                    column = local.require(batch.column(place), choice.name, kind, first_row=rows + 1)
                    keeps_kind = choice.source in keep_kind
                    values_require(column, choice.name, kind, first_row=rows + 1, keeps_kind=keeps_kind)
                    columns.append(column)
                yield pa.RecordBatch.from_arrays(columns, schema=schema)
                rows += batch.num_rows

        yield schema, batches()


def _required(opened: OpenedFile, reading: Reading) -> Iterator[pa.RecordBatch]:
    """The batches. Raises InvalidValue for a time that the chosen type would cut."""
    try:
        yield from opened.batches
    except _TooFine as finer:
        source = _named_apart(opened.names)[0][finer.place]
        raise InvalidValue(
            f"Row {finer.row:,}: {finer.value} of column {source} is finer than the microseconds that a table keeps.",
            remedy="Choose the type string, which keeps every digit; or leave the column out.",
            row=finer.row,
            column=source,
        ) from None
