"""Statements of a merge's source run on rows that the target inserted, and staged like any write."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from catalog_app.domain.checks import row_checks, violations_refuse
from catalog_app.domain.files import FileScan, NewDataFile, NewDeleteFile, TableScan
from catalog_app.domain.operations import OperationKind
from catalog_app.domain.schema import Schema
from catalog_app.domain.state import TableState
from catalog_app.engine.inputs_outputs import RowChanges
from catalog_app.engine.port import RowEngine
from catalog_app.selectors.segments import files_load
from catalog_app.selectors.snapshots import Snapshot
from catalog_app.services.files import data_files_register, delete_files_register
from merge_app.lineage.segments import AS_WRITTEN, DOT, Marked, Stamp
from merge_app.lineage.steps import AttachDeletes, CarrySegments, Step
from merge_app.planning.data import shown_file
from merge_app.planning.merge_plan import RecordedStatement, RerunStatements


def statements_rerun(
    table_id: int, work: RerunStatements, destination: Snapshot, engine: RowEngine, after: TableState, label: str
) -> tuple[Step, ...]:
    """Run the statements one after the other, each on what the one before it left: steps that carry them out.
    ``after``: the table as the merge leaves it, ``label`` its full name. Raises CheckViolated where a row does not fit
    its constraints then.
    """
    table = _Table(table_id, work.schema, _files(table_id, work, destination), engine)
    for statement in work.statements:
        table.run(statement)
    checks = row_checks(after.properties, work.schema)
    if checks and table.files:
        found = engine.rows_check(TableScan(table_id, work.schema, table.files), checks)
        violations_refuse(checks, found, label)
    return tuple(table.steps)


def rows_matched(table_id: int, work: RerunStatements, destination: Snapshot, engine: RowEngine) -> list[int]:
    """How many rows each statement would change if it were run alone. What that stages belongs to nothing."""
    scan = TableScan(table_id, work.schema, _files(table_id, work, destination))
    return [_changes(engine, scan, statement).rows for statement in work.statements]


def _files(table_id: int, work: RerunStatements, destination: Snapshot) -> tuple[FileScan, ...]:
    return tuple(files_load(table_id, work.files, [destination]).values()) if work.files else ()


def _changes(engine: RowEngine, scan: TableScan, statement: RecordedStatement) -> RowChanges:
    if statement.kind is OperationKind.DELETE:
        return engine.delete(scan, statement.condition, alias=statement.alias)
    return engine.update(scan, statement.assignments, statement.condition, alias=statement.alias)


@dataclass(slots=True)
class _Table:
    """The table's files as the statements leave them, and the steps of what was staged."""

    table_id: int
    schema: Schema
    files: tuple[FileScan, ...]
    engine: RowEngine
    steps: list[Step] = field(default_factory=list)

    def run(self, statement: RecordedStatement) -> None:
        scan = TableScan(self.table_id, self.schema, self.files)
        changes = _changes(self.engine, scan, statement)
        emptied = [file for file in self.files if file.file_id in changes.emptied]
        # A file that keeps no row is marked whole: the history knows then which operation took which rows.
        marks = [mark for file in emptied if (mark := self.engine.mark_live_rows(self.table_id, file)) is not None]
        staged, stamp = [*changes.delete_files, *marks], Stamp(DOT, statement.kind.value)
        for item in delete_files_register(self.table_id, staged):
            self.steps.append(AttachDeletes(item.data_file_id, Marked(item.delete_file_id, stamp)))
        images = list(zip(changes.images, data_files_register(self.table_id, changes.images), strict=True))
        self.steps += (CarrySegments(shown_file(added, stamp, AS_WRITTEN)) for _, added in images)
        self.files = (*self._masked(staged), *(self._image(new, added.file_id) for new, added in images))

    def _masked(self, staged: Iterable[NewDeleteFile]) -> Iterable[FileScan]:
        paths: dict[int, tuple[str, ...]] = {}
        for mark in staged:
            paths[mark.data_file_id] = (*paths.get(mark.data_file_id, ()), mark.path)
        for file in self.files:
            yield replace(file, delete_paths=(*file.delete_paths, *paths.get(file.file_id, ())))

    def _image(self, new: NewDataFile, file_id: int) -> FileScan:
        return FileScan(
            file_id=file_id,
            path=new.path,
            base=new.base,
            rows=new.rows,
            schema=self.schema,
            partition=new.partition,
            statistics=new.statistics,
            stores_row_ids=new.stores_row_ids,
            stores_stamps=new.stamps is not None,
            bytes=new.bytes,
        )
