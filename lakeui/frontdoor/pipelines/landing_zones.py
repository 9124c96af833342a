"""Files of landing zones as relations of a run's query: ``landing('orders')`` is what waits in the zone orders.

Files are joined by the names of their columns. A column that a file lacks is NULL there, and the log says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow.parquet as pq
from django.conf import settings

from catalog_app.domain.quoting import quote_name
from catalog_app.engine.inputs_outputs import FileSource, QuerySource
from catalog_app.engine.types import storage_type
from catalog_app.importing.plain_files import file_made_plain
from catalog_app.importing.scanning import batches_write, converted_writer, file_batches
from catalog_app.importing.spec import ColumnChoice, FileFormat, Reading
from catalog_app.services.imports import largest_import
from catalog_app.storage.warehouse import NO_TABLE, Warehouse
from lakeui.common.counts import counted
from lakeui.common.errors import InvalidValue
from lakeui.frontdoor.call import Call
from lakeui.frontdoor.pipelines.work import PipelineWork
from lakeui.frontdoor.rows.keyed_merges import typed_rows
from lakeui.sql import statements as sql
from merge_app.pipelines.definition.landing import DATABASE, lacking, zone_columns
from merge_app.pipelines.definition.templates import TableAddress
from merge_app.pipelines.landing import claims_settle, files_claim, files_waiting, landed, last_archived
from merge_app.pipelines.models import LandingFile

MOST_SAID = 10
"""So many files that lack columns are named in the log."""
Columns = Sequence[tuple[str, str]]


@dataclass(slots=True)
class _Part:
    """Rows of files that have the same columns in the same types, as one file."""

    choices: tuple[ColumnChoice, ...]
    path: str
    rows: int = 0


def zones_of(query: sql.Query) -> list[str]:
    """The landing zones that a query reads."""
    names = (item.name for item in query.tables)
    return list(dict.fromkeys(name.table for name in names if name.database == DATABASE and name.catalog is None))


@contextmanager
def zones_bound(call: Call, work: PipelineWork, query: sql.Query) -> Iterator[Call | None]:
    """The call with the files of each zone under its name, for as long as they are needed. What a run archives is
    claimed first. None where a zone never had a file, so that its columns are not known.
    """
    zones = zones_of(query)
    if not zones:
        yield call
        return
    if work.makes_view:
        raise InvalidValue("A view reads no landing zone.", remedy="Choose materialized: table, or read a table.")
    task_id = None if call.rehearsal is not None else call.context.task_id
    if task_id is not None:
        claims_settle(work.pipeline_id, but=task_id)
    waiting = {zone: files_waiting(work.pipeline_id, zone) for zone in zones}
    unknown = [zone for zone, files in waiting.items() if not files and not last_archived(work.pipeline_id, zone)]
    if unknown:
        message = f"The landing zone {unknown[0]} never had a file, so nothing is read or written."
        work.reporter.say("read", message, level="warning")
        yield None
        return
    archives = work.configuration.settings["archive_landing_zones"].value is True
    if archives and task_id is not None:
        files_claim([file for files in waiting.values() for file in files], task_id=task_id)
    with ExitStack() as stack:
        for zone, files in waiting.items():
            relation = stack.enter_context(_zone(call, work, zone, files))
            call = call.with_aside(TableAddress(DATABASE, zone), relation)
        yield call


@contextmanager
def _zone(call: Call, work: PipelineWork, zone: str, files: Sequence[LandingFile]) -> Iterator[QuerySource]:
    known = [landed(file) for file in files]
    if not files:
        archived = last_archived(work.pipeline_id, zone)
        yield _without_rows(zone_columns(zone, [landed(file) for file in archived]))
        return
    columns = zone_columns(zone, known)
    for name, missing in lacking(known, columns)[:MOST_SAID]:
        message = f"{name} of the landing zone {zone} lacks {', '.join(missing)}: NULL is read there."
        work.reporter.say("read", message, level="warning")
    warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])
    folder = warehouse.new_staging(NO_TABLE)
    call.context.step("read", f"{counted(len(files), 'file')} of the landing zone {zone}")
    try:
        warehouse.make_folder(folder)
        parts = _converted(warehouse, folder, files, dict(columns))
        rows = sum(part.rows for part in parts)
        work.reporter.say("read", f"{counted(rows, 'row')} of {counted(len(files), 'file')} of the landing zone {zone}")
        yield _joined(parts, columns)
    finally:
        warehouse.discard(folder)


def _converted(warehouse: Warehouse, folder: str, files: Sequence[LandingFile], types: dict[str, str]) -> list[_Part]:
    """The rows of all files. Raises InvalidValue with the file of a value that its type would change."""
    folded = {name.casefold(): kind for name, kind in types.items()}
    parts: dict[tuple[object, ...], tuple[_Part, pq.ParquetWriter]] = {}
    with ExitStack() as stack:
        for file in files:
            reading = Reading.from_json(file.reading)
            typed = tuple(replace(choice, type=folded[choice.name.casefold()]) for choice in reading.columns)
            reading = replace(reading, columns=typed)
            with (
                _opened(warehouse, file, reading) as path,
                file_batches(path, FileFormat(file.format), reading) as (schema, batches),
            ):
                key = (schema, tuple(choice.name.casefold() for choice in typed))
                if key not in parts:
                    made = f"{folder}/part-{len(parts)}.parquet"
                    target = stack.enter_context(warehouse.filesystem.open_output_stream(warehouse.absolute(made)))
                    parts[key] = _Part(typed, made), stack.enter_context(converted_writer(target, schema))
                part, writer = parts[key]
                part.rows += batches_write(writer, batches)
    return [part for part, _ in parts.values()]


@contextmanager
def _opened(warehouse: Warehouse, file: LandingFile, reading: Reading) -> Iterator[Path]:
    """The file, plain. What goes wrong in it says which file it is."""
    try:
        with (
            warehouse.local_copy(file.path) as local,
            file_made_plain(local, reading, most=largest_import()) as plain,
        ):
            yield plain
    except FileNotFoundError:
        raise InvalidValue(
            f"{file.name} was removed from the landing zone {file.zone} while the run read it.",
            remedy="Run the pipeline again.",
            file=file.name,
        ) from None
    except InvalidValue as error:
        raise InvalidValue(f"{file.name}: {error.message}", remedy=error.remedy, file=file.name) from error


def _joined(parts: Sequence[_Part], columns: Columns) -> QuerySource:
    texts, tables = [], {}
    for number, part in enumerate(parts):
        own = {choice.name.casefold() for choice in part.choices}
        listed = (
            quote_name(name) if name.casefold() in own else f"{_null(kind)} AS {quote_name(name)}"
            for name, kind in columns
        )
        texts.append(f"SELECT {', '.join(listed)} FROM __lake_{number}")
        names = tuple(choice.name for choice in part.choices)
        tables[f"__lake_{number}"] = typed_rows(FileSource(part.path, names, part.rows), part.choices)
    return QuerySource(" UNION ALL ".join(texts), tables)


def _without_rows(columns: Columns) -> QuerySource:
    values = ", ".join(f"{_null(kind)} AS {quote_name(name)}" for name, kind in columns)
    return QuerySource(f"SELECT {values} WHERE false")


def _null(kind: str) -> str:
    return f"CAST(NULL AS {storage_type(kind)})"
