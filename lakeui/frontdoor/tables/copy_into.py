"""``COPY INTO t FROM 'uri'``: files below an allowed location are loaded, each once, in one commit.

Which files were loaded is kept with the commit, as deletes of pipelines are. Branches see it, merges bring it, a
restore goes back to what counted then, and what replaces all rows of the table forgets it. A file is known by its path,
size and time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from uuid import uuid4

import pyarrow as pa
from django.conf import settings

from catalog_app.domain.files import NewDataFile
from catalog_app.domain.operations import FileEffects, Operation, OperationKind
from catalog_app.importing.plain_files import file_looked_into
from catalog_app.importing.scanning import file_scan
from catalog_app.importing.spec import FileFormat, Reading
from catalog_app.models import Branch, FileImport
from catalog_app.selectors.segments import segments_list
from catalog_app.selectors.snapshots import branch_snapshot
from catalog_app.services import alterations
from catalog_app.services.deleted_keys import COLUMNS, COPIED, deleted_keys_register
from catalog_app.services.files import data_files_register
from catalog_app.services.imports import largest_import
from catalog_app.storage.warehouse import Warehouse
from catalog_app.takeover.locations import Locations, OutsideFile
from lakeui.common.counts import counted
from lakeui.common.errors import CheckViolated, InvalidValue, LakeError, NotFound, NotNullViolation
from lakeui.common.faults import fault_point
from lakeui.frontdoor.call import Call, ResolvedTable, table_for_writing
from lakeui.frontdoor.expressions.checks import staged_fit, staged_rows_check
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.rows.imported_rows import rows_stage, staged_metrics
from lakeui.frontdoor.rows.json_columns import map_choices
from lakeui.frontdoor.rows.writes import rows_commit
from lakeui.frontdoor.tables.tables import with_notice
from lakeui.sql import statements as sql
from merge_app.execution.apply import Applied
from merge_app.execution.commit import SerializationConflict
from merge_app.execution.deleted_keys import tombstones_came, tombstones_find, tombstones_read

OPERATION = "COPY INTO"


def copy_into(call: Call, statement: sql.CopyInto) -> StatementResult:
    """Raises SerializationConflict where another COPY INTO came first: it is looked again which files are left."""
    target = table_for_writing(call, statement.table)
    warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])
    locations = Locations.of(warehouse, settings.LAKEUI["IMPORT_LOCATIONS"])
    uri = locations.find(statement.uri)
    found = _asked(locations, uri, statement)
    known = frozenset[tuple[str, str]]() if statement.force else _loaded(target)
    fresh = [file for file in found if _identity(file) not in known]
    by_file = {file.path: _stage(call, target, warehouse, statement, file) for file in fresh}
    staged = [part for parts in by_file.values() for part in parts]
    metrics = staged_metrics(staged)
    said = (
        f"{counted(len(fresh), 'file was', 'files were')} loaded, {len(found) - len(fresh):,} had been loaded before."
    )
    if not fresh:
        return with_notice(StatementResult(version=target.place.snapshot.version, metrics=metrics), said)
    _require_unchanged(fresh, locations.files(uri))
    added = data_files_register(target.table.table_id, staged)
    try:
        staged_rows_check(target, staged, segments_list(target.place.snapshot, target.table.table_id))
    except CheckViolated:
        _name_the_file(target, by_file)
        raise
    operations: list[Operation | None] = []
    if added:
        effects = FileEffects(added)
        operations.append(alterations.operation(target.table, OperationKind.INSERT, effects=effects, metrics=metrics))
    fault_point("write.registered")
    call.context.step("commit", "write one version")
    result = rows_commit(call, target, OPERATION, operations, metrics=metrics, keep=_Kept(target, fresh).write)
    return with_notice(result, said)


def _asked(locations: Locations, path: str, statement: sql.CopyInto) -> list[OutsideFile]:
    """The files that the statement names. Hidden ones are none, unless they are named."""
    files = locations.files(path)
    names = {file.path[len(path) :].lstrip("/") or file.path.rpartition("/")[2]: file for file in files}
    if statement.files:
        missing = [name for name in statement.files if name not in names]
        if missing:
            raise NotFound("file", missing[0], where=f"at {path}")
        return [names[name] for name in statement.files]
    shown = {name: file for name, file in names.items() if not _is_hidden(name)}
    if statement.pattern is not None:
        shown = {name: file for name, file in shown.items() if fnmatchcase(name, statement.pattern)}
    if not shown:
        raise InvalidValue(
            f"No file at {path} is one of those that are asked for.", remedy="Look at FILES and PATTERN."
        )
    return list(shown.values())


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "_")) for part in name.split("/"))


def _identity(file: OutsideFile) -> tuple[str, str]:
    return file.path, f"{file.bytes} {file.modified_ns}"


def _require_unchanged(read: Sequence[OutsideFile], now: Sequence[OutsideFile]) -> None:
    """Raise where a file is not what it was listed as before it was read: what was read of it could be loaded again."""
    known = {_identity(file) for file in now}
    for file in read:
        if _identity(file) not in known:
            raise InvalidValue(
                f"{file.path} changed while it was read. Nothing was written.",
                remedy="Run the statement again when the file is complete.",
                file=file.path,
            )


def _loaded(target: ResolvedTable) -> frozenset[tuple[str, str]]:
    """The files that count as loaded where the statement begins."""
    found = tombstones_find(target.place.snapshot, target.table.table_id)
    kept = tombstones_read(item for item in found if list(item.columns) == COPIED)
    return frozenset(pair for part in kept for pair in zip(*(c.to_pylist() for c in part.columns), strict=True))


def _stage(
    call: Call, target: ResolvedTable, warehouse: Warehouse, statement: sql.CopyInto, file: OutsideFile
) -> list[NewDataFile]:
    call.context.step("read", file.path)
    try:
        made, reading = _looked_into(call, target, warehouse, statement, file)
        return rows_stage(call, target, reading, made)
    except (InvalidValue, NotFound) as error:
        raise InvalidValue(f"{file.path}: {error.message}", remedy=error.remedy, file=file.path) from error
    except NotNullViolation as error:
        raise _of_file(error, file.path) from error


def _name_the_file(target: ResolvedTable, by_file: Mapping[str, Sequence[NewDataFile]]) -> None:
    """Raise for the first file with a row that does not fit the constraints of the table."""
    for path, staged in by_file.items():
        try:
            staged_fit(target, staged)
        except CheckViolated as error:
            raise _of_file(error, path) from error


def _of_file(error: LakeError, path: str) -> LakeError:
    """The same refusal, which says which of the files it is of."""
    return type(error)(f"{path}: {error.message}", remedy=error.remedy, **{**error.details, "file": path})


def _looked_into(
    call: Call, target: ResolvedTable, warehouse: Warehouse, statement: sql.CopyInto, file: OutsideFile
) -> tuple[FileImport, Reading]:
    """The file as one to be imported, which is not kept, and how it is read."""
    options = dict(statement.options)
    with (
        warehouse.local_copy(file.path) as copy,
        file_looked_into(copy, declared=options.get("encoding"), most=largest_import()) as plain,
    ):
        if plain.format.value != statement.form.lower():
            raise InvalidValue(
                f"The file holds {plain.format.value.upper()}, not {statement.form}.",
                remedy="Say its FILEFORMAT, or leave it out by FILES or PATTERN.",
            )
        known = map_choices(target.table.schema) if plain.format is FileFormat.JSON else ()
        reading = _layout(replace(plain.reading, columns=known), options)
        scan = file_scan(plain.path, plain.format, reading)
    if scan.doubled:
        raise InvalidValue(
            f"The column {scan.doubled[0]} is there more than once; case makes no difference.",
            remedy="Give each column a name of its own.",
        )
    made = FileImport(
        id=uuid4(),
        branch=target.place.branch,
        name=file.path.rpartition("/")[2],
        format=plain.format.value,
        bytes=file.bytes,
        path=file.path,
    )
    return made, scan.reading


def _layout(reading: Reading, options: dict[str, str]) -> Reading:
    """The reading with what the options say of CSV."""
    for key, value in options.items():
        if key == "header":
            reading = replace(reading, header=value.casefold() == "true")
        elif key in ("delimiter", "sep"):
            reading = replace(reading, delimiter=value)
        elif key == "nullvalue":
            reading = replace(reading, null_text=value)
    return reading


@dataclass(frozen=True, slots=True)
class _Kept:
    """The files that a commit loads, which are written with it."""

    target: ResolvedTable
    files: Sequence[OutsideFile]

    def write(self, applied: Applied) -> None:
        """Raises SerializationConflict where others loaded files meanwhile, maybe these."""
        table, branch = self.target.table, Branch.objects.get(pk=self.target.place.branch.pk)
        if tombstones_came(self.target.place.snapshot, branch_snapshot(branch), table.table_id):
            raise SerializationConflict
        paths, marks = zip(*map(_identity, self.files), strict=True)
        part = pa.table([pa.array(paths, pa.string()), pa.array(marks, pa.string())], names=list(COLUMNS))
        deleted_keys_register(
            table_id=table.table_id, branch_id=branch.pk, version=applied.version, columns=COPIED, parts=[part]
        )
