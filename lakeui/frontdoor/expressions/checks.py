"""CHECK constraints: what statements say of them, and whether the rows that statements write fit."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from catalog_app.domain.checks import (
    check_key,
    check_name,
    checks_enforced,
    columns_read,
    condition_shown,
    row_check,
    violations_refuse,
)
from catalog_app.domain.checks import column_mark as mark_of
from catalog_app.domain.files import FileScan, NewDataFile, PartitionValues, TableScan
from catalog_app.domain.generated import is_generated
from catalog_app.domain.names import name_check
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.types import ParsedType
from catalog_app.pruning.predicates import Predicate, Pruner
from catalog_app.selectors.segments import SegmentState, segments_list, table_scan
from lakeui.common.errors import InvalidValue, NotFound, NotSupported
from lakeui.common.nearest import nearest_name
from lakeui.frontdoor.call import ResolvedTable
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.expressions.analysis import condition_analyse
from lakeui.frontdoor.expressions.keys import refuse_duplicate_keys
from lakeui.frontdoor.expressions.pruning import pruner_of
from lakeui.sql import statements as sql
from lakeui.sql.dialect import read_expression, write
from lakeui.sql.terms import predicate_of

_LONGEST_STEM = 200
"""So much of a table's name begins the name that a constraint gets."""

# -- what a statement says of constraints -----------------------------------------------------------------------------


def checks_stated(checks: Iterable[sql.CheckConstraint], schema: Schema, table: str) -> dict[str, str]:
    """The properties that the constraints of a statement are. Raises where one cannot be kept by a table with this
    schema.
    """
    found: dict[str, str] = {}
    for check in checks:
        if check.name is not None:
            name_check("constraint", check.name)
            if is_generated(check_key(check.name)):
                raise InvalidValue(
                    f"Names like {check.name} are those of generated columns.", remedy="Give the constraint another."
                )
        key = check_key(check.name or _name_made(table, check.condition))
        if key in found:
            raise InvalidValue(
                f"The constraint {check_name(key)} is there twice.", remedy="Give each constraint its own name."
            )
        found[key] = condition_stored(check.condition, schema, table)
        condition_analyse(condition_shown(found[key], schema), schema, table, "CHECK")
    return found


def _name_made(table: str, condition: str) -> str:
    return f"{table[:_LONGEST_STEM]}_chk_{hashlib.sha256(condition.encode()).hexdigest()[:7]}"


def condition_stored(condition: str, schema: Schema, table: str, what: str = "A CHECK") -> str:
    """The condition, or another expression, with marks for its columns. Raises NotFound, NotSupported."""
    tree = exp.Paren(this=read_expression(condition))
    for node in list(tree.find_all(exp.Column)):
        parts = [part.name for part in node.parts]
        if len(parts) > 1 and parts[0].casefold() == table.casefold() and schema.named(parts[1]) is not None:
            del parts[0]
        column = _column(parts, schema, table, what)
        node.replace(exp.Column(this=exp.to_identifier(mark_of(column), quoted=True)))
    return write(tree.this)


def _column(parts: Sequence[str], schema: Schema, table: str, what: str) -> Column:
    column = schema.named(parts[0])
    if column is None:
        nearest = nearest_name(parts[0], [item.name for item in schema.columns])
        raise NotFound("column", parts[0], nearest=nearest, where=f"in table {table}")
    if len(parts) > 1 or _has_struct(column.parsed):
        raise NotSupported(
            f"{what} cannot read {'.'.join(parts)}: fields inside of a column may be renamed or dropped.",
            remedy="Keep the value in a column of its own.",
        )
    return column


def _has_struct(kind: ParsedType) -> bool:
    return kind.name == "struct" or any(_has_struct(field.type) for field in kind.fields)


# -- rows ---------------------------------------------------------------------------------------------------------


def staged_rows_check(target: ResolvedTable, staged: Sequence[NewDataFile], segments: Sequence[SegmentState]) -> None:
    """What every statement asks of the rows that it staged: they fit the constraints of the table, and no key would
    exist twice beside the live rows of these segments.
    """
    staged_fit(target, staged)
    refuse_duplicate_keys(target, staged, segments)


def appended_rows_check(target: ResolvedTable, staged: Sequence[NewDataFile]) -> None:
    """The same of rows that come beside all rows of the table. Where it has no key, its files are not looked at, so
    that what a small write costs does not grow with them.
    """
    staged_fit(target, staged)
    if target.table.schema.primary_key and staged:
        refuse_duplicate_keys(target, staged, segments_list(target.place.snapshot, target.table.table_id))


def staged_fit(target: ResolvedTable, staged: Sequence[NewDataFile]) -> None:
    """Refuse staged rows that do not fit the constraints of the table."""
    schema, checks = target.table.schema, checks_enforced(target.table.properties)
    if not (checks and staged):
        return
    unsure = [file for file in staged if _may_violate(checks.values(), schema, file)]
    files = tuple(
        FileScan(0, file.path, file.base, file.rows, schema, stores_row_ids=file.stores_row_ids) for file in unsure
    )
    _rows_check(target, checks, TableScan(target.table.table_id, schema, files))


def segments_check(target: ResolvedTable, checks: Mapping[str, str], segments: Sequence[SegmentState]) -> None:
    """Refuse these constraints where live rows of the segments do not fit them."""
    schema = target.table.schema
    unsure = [segment for segment in segments if _may_violate(checks.values(), schema, segment)]
    if checks and unsure:
        _rows_check(target, checks, table_scan(target.place.snapshot, target.table, unsure))


def partition_check(target: ResolvedTable, segments: Sequence[SegmentState], values: PartitionValues) -> None:
    """Refuse other values of the partition columns where rows of the segments would not fit with them."""
    by_partition = set(target.table.schema.partition_by)
    checks = {
        key: stored
        for key, stored in checks_enforced(target.table.properties).items()
        if not by_partition.isdisjoint(columns_read(stored))
    }
    if checks and segments:
        moved = [replace(segment, partition=values, is_moved=True) for segment in segments]
        _rows_check(target, checks, table_scan(target.place.snapshot, target.table, moved))


def _may_violate(checks: Iterable[str], schema: Schema, file: NewDataFile | SegmentState) -> bool:
    """Whether statistics do not rule out that a row of the file makes one of the conditions false."""
    if file.statistics is None:
        return True
    return any(_pruner(stored, schema).may_match(file.statistics, file.rows) for stored in checks)


def _pruner(stored: str, schema: Schema) -> Pruner:
    return pruner_of(_false_of(condition_shown(stored, schema)), schema.columns)


def _false_of(condition: str) -> Predicate:
    return predicate_of(exp.Not(this=exp.Paren(this=read_expression(condition))), lambda column: not column.table)


def _rows_check(target: ResolvedTable, checks: Mapping[str, str], scan: TableScan) -> None:
    if not scan.files:
        return
    asked = [row_check(key, stored, target.table.schema) for key, stored in checks.items()]
    violations_refuse(asked, engine().rows_check(scan, asked), target.label)
