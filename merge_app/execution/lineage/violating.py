"""Live rows of a merged table that do not fit its CHECK constraints, counted on the result.

A side's own rows fit the constraints that it has. So only rows of the other side are asked, those that come into
another partition, and images that the merge makes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace

from catalog_app.domain.checks import RowCheck, Violation, check_name, checks_enforced, columns_read, row_check
from catalog_app.domain.files import FileScan, TableScan
from catalog_app.domain.schema import Schema
from catalog_app.domain.state import TableState
from catalog_app.selectors.snapshots import Snapshot
from merge_app.execution.engine_source import EngineSource
from merge_app.execution.lineage.cell_reader import CellReader
from merge_app.execution.lineage.lacking import SOURCE, TARGET, ResultTable, ShownRows, result_rows
from merge_app.execution.lineage.readers import Reader
from merge_app.lineage.facts import image_codes
from merge_app.lineage.steps import TableSteps

Violated = Mapping[tuple[str, str], Violation]
"""By side whose image it is, and constraint."""


def _unproved(given: ResultTable, own: TableState | None) -> frozenset[str]:
    """The constraints that rows of a side are not known to fit."""
    return frozenset(key for key, stored in given.checks.items() if not _is_proved(stored, given.schema, own))


def _by_partition(given: ResultTable) -> frozenset[str]:
    """The constraints that read a column of the partition."""
    placing = set(given.schema.partition_by)
    return frozenset(key for key, stored in given.checks.items() if not placing.isdisjoint(columns_read(stored)))


def _row_checks(given: ResultTable, keys: Iterable[str]) -> list[RowCheck]:
    return [row_check(key, given.checks[key], given.schema) for key in sorted(keys)]


def _is_proved(stored: str, merged: Schema, own: TableState | None) -> bool:
    """Whether the side has the table and the same condition, over columns that its rows show as the result does."""
    # Merges below a drop bring rows and constraints unjudged.
    if own is None or own.is_dropped or stored not in checks_enforced(own.properties).values():
        return False
    for identifier in columns_read(stored):
        merged_column, own_column = merged.column(identifier), own.schema.column(identifier)
        if merged_column is None or own_column is None:
            return False
        if (merged_column.type, merged_column.initial_default) != (own_column.type, own_column.initial_default):
            return False
    return True


def rows_violating(
    table_id: int,
    given: ResultTable,
    steps: TableSteps,
    target: Snapshot,
    engine: EngineSource,
    besides: AbstractSet[int] = frozenset(),
) -> Violated:
    """``besides``: files of the target whose rows are not asked here."""
    of_side = {SOURCE: _unproved(given, given.source), TARGET: _unproved(given, given.target)}
    if not given.checks or not (any(of_side.values()) or _by_partition(given) or steps.images):
        return {}
    found: dict[tuple[str, str], Violation] = {}
    whole: dict[tuple[str, frozenset[str]], list[FileScan]] = {}
    schema = given.source.schema if given.source is not None else None
    for shown in result_rows(table_id, steps, target, schema, with_target=bool(of_side[TARGET])):
        if shown.side == TARGET and shown.scan.file_id in besides:
            continue
        keys = _asked(given, shown, of_side)
        if not keys:
            continue
        if shown.at is None and not shown.marked:
            whole.setdefault((shown.side, keys), []).append(_scan(shown))
        else:
            _add(found, shown.side, keys, _in_part(table_id, given, shown, keys, engine))
    for (side, keys), files in whole.items():
        scan = TableScan(table_id, given.schema, tuple(files))
        _add(found, side, keys, engine().rows_check(scan, _row_checks(given, keys)))
    for image in steps.images:
        checked = engine().cells_violating(given.schema, image.cells, _row_checks(given, given.checks))
        _add(found, SOURCE, given.checks, checked)
    return found


def _asked(given: ResultTable, shown: ShownRows, of_side: Mapping[str, frozenset[str]]) -> frozenset[str]:
    if shown.at is not None:
        return of_side[SOURCE] | of_side[TARGET] | _by_partition(given)
    is_placed_anew = shown.side == SOURCE and shown.partition != shown.scan.partition
    return of_side[shown.side] | (_by_partition(given) if is_placed_anew else frozenset())


def _scan(shown: ShownRows) -> FileScan:
    is_moved = shown.scan.is_moved or shown.partition != shown.scan.partition
    deletes = tuple(shown.deletes)
    return replace(shown.scan, partition=shown.partition, is_moved=is_moved, delete_paths=deletes)


def _in_part(
    table_id: int, given: ResultTable, shown: ShownRows, keys: frozenset[str], engine: EngineSource
) -> dict[str, Violation]:
    """Of a file of which the result shows some rows only. Most often all of its rows fit."""
    file, checks = _scan(shown), _row_checks(given, keys)
    everything = engine().rows_check(TableScan(table_id, given.schema, (file,)), checks)
    left = [check for check in checks if check.name in everything]
    if not left:
        return {}
    positions = shown.positions(engine)
    reader = Reader(table_id, {file.file_id: replace(file, delete_paths=())}, {}, engine)
    cells = CellReader(given.schema, reader).read(image_codes(file.file_id, positions))
    return engine().cells_violating(given.schema, cells, left) if len(positions) else {}


def _add(
    found: dict[tuple[str, str], Violation], side: str, keys: Iterable[str], more: Mapping[str, Violation]
) -> None:
    for key in keys:
        violation = more.get(check_name(key))
        if violation is not None:
            found[side, key] = found.get((side, key), Violation(0)).beside(violation)
