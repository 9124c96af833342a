"""One pass over a file: its columns, their types, its first rows, and what is wrong with it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pajson
import pyarrow.parquet as pq

from catalog_app.domain.types import ParsedType, value_type
from catalog_app.engine.answers import json_rows
from catalog_app.importing.arrow_types import taken_type, type_text
from catalog_app.importing.delimited import delimited_open
from catalog_app.importing.formats import ARROW_FILE
from catalog_app.importing.json_lines import json_lines_write
from catalog_app.importing.text_types import EVERY, TIMES, TextProfile
from catalog_app.importing.values import ColumnChoice, FileFormat, FoundColumn, Reading, Scan
from lakeui.common.errors import InvalidValue

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
        table = _json_table(path, reading)
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


def _opened(
    reading: Reading, schema: pa.Schema, batches: Iterator[pa.RecordBatch], inferred_as: Sequence[str]
) -> OpenedFile:
    """Columns by place, in types that tables can hold."""
    taken = pa.schema([(f"c{index}", taken_type(item.type, item.name)) for index, item in enumerate(schema)])
    changed = [item.name for item in schema if pa.types.is_time(item.type)]
    warnings = [f"Column {name} holds times of day, which become text." for name in changed]
    warnings += [
        f"Column {item.name} holds nanoseconds; what is finer than a microsecond is cut off."
        for item in schema
        if pa.types.is_timestamp(item.type) and item.type.unit == "ns"
    ]
    return OpenedFile(
        reading,
        tuple(schema.names),
        taken,
        (_cast(batch, taken) for batch in batches),
        inferred_as,
        tuple(warnings),
    )


def _cast(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    columns = [
        column if column.type == item.type else pc.cast(column, item.type, safe=False)
        for column, item in zip(batch.columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _json_table(path: Path, reading: Reading) -> pa.Table:
    """All objects of the file. Texts stay texts: what looks like a time is told by the pass over the column."""
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as lines:
        if not json_lines_write(path, Path(lines.name)):
            raise InvalidValue("The file holds no object.", remedy="Choose a file with at least one row.")
        try:
            inferred = pajson.read_json(lines.name).schema
            wanted = {column.source: column.type for column in reading.columns}
            explicit = pa.schema([item.with_type(_json_type(item, wanted)) for item in inferred])
            options = pajson.ParseOptions(explicit_schema=explicit)
            return pajson.read_json(lines.name, parse_options=options)
        except pa.ArrowInvalid as error:
            raise InvalidValue(
                f"The JSON cannot be made a table: {_said(error)}.",
                remedy="Give every value of a column the same type.",
            ) from None


def _said(error: pa.ArrowInvalid) -> str:
    """Arrow's sentence without its place, which is one inside of a block."""
    text = str(error).removeprefix("JSON parse error: ")
    return text.rpartition(" in row ")[0] or text


def _json_type(item: pa.Field, wanted: Mapping[str, str]) -> pa.DataType:
    return _read_as(item.type, value_type(wanted.get(item.name, "")))


def _read_as(kind: pa.DataType, wanted: ParsedType) -> pa.DataType:
    """Decimals are read as such where they are asked for: a double in between would change them."""
    if wanted.name == "decimal" and (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
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
    """What is in the file; choices of columns that it does not have are dropped, missing ones made."""
    with file_open(path, file_format, reading) as opened:
        texts = [index for index, item in enumerate(opened.schema) if pa.types.is_string(item.type)]
        tried = texts if opened.inferred_as else []
        gathered = _Pass({index: TextProfile(opened.inferred_as) for index in tried})
        for batch in opened.batches:
            gathered.add(batch)
        sources, warnings = _named_apart(opened.names)
        columns = tuple(
            _column(source, item.type, gathered.profiles.get(index))
            for index, (source, item) in enumerate(zip(sources, opened.schema, strict=True))
        )
    chosen = replace(opened.reading, columns=_choices(columns, reading))
    notes = (*opened.warnings, *warnings, *([] if gathered.rows else ["The file has no rows."]))
    return Scan(chosen, columns, gathered.rows, gathered.sample, notes)


def _column(source: str, kind: pa.DataType, profile: TextProfile | None) -> FoundColumn:
    if profile is None:
        return FoundColumn(source, type_text(kind), is_text=pa.types.is_string(kind))
    return FoundColumn(source, profile.inferred, is_text=True, misfits=profile.misfits)


def _choices(columns: Sequence[FoundColumn], reading: Reading) -> tuple[ColumnChoice, ...]:
    known = {choice.source: choice for choice in reading.columns}
    return tuple(known.get(item.source, ColumnChoice(item.source, item.source, item.inferred)) for item in columns)


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


def file_convert(path: Path, file_format: FileFormat, reading: Reading, target: Any) -> int:
    """Write the file's rows as Parquet to ``target`` (a path, or a file that Arrow writes to): the chosen columns as
    ``c0``, ``c1``, .. by their place in ``reading.chosen``. Answers how many rows.
    """
    rows = 0
    with file_open(path, file_format, reading) as opened:
        sources, _ = _named_apart(opened.names)
        places = [sources.index(choice.source) for choice in reading.chosen]
        schema = pa.schema([(f"c{index}", opened.schema.field(place).type) for index, place in enumerate(places)])
        with pq.ParquetWriter(target, schema, compression="zstd", store_schema=False) as writer:
            for batch in opened.batches:
                writer.write_batch(pa.RecordBatch.from_arrays([batch.column(place) for place in places], schema=schema))
                rows += batch.num_rows
    return rows
