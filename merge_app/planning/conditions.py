"""The conditions that cells of the rule tables name (semantics §3: same key, A1, A3, A6, P), as pure functions.

A condition looks at one object's changes on both sides and answers its problems, each placed in a cell that names it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping

from catalog_app.domain.checks import (
    LAYOUT,
    Violation,
    check_name,
    checks_of,
    columns_read,
    condition_shown,
    is_check,
    is_stored,
    property_shown,
    stored_of,
)
from catalog_app.domain.files import PartitionValues
from catalog_app.domain.generated import is_generated
from catalog_app.domain.layout import layout_of
from catalog_app.domain.operations import ColumnAttribute, PropertyChange
from catalog_app.domain.schema import Column
from catalog_app.domain.transforms import is_taken
from catalog_app.rules.codes import VerdictCode
from catalog_app.rules.loader import CONDITIONS
from lakeui.common.counts import counted
from merge_app.planning.column_findings import column_problems
from merge_app.planning.findings import ROW_AXES, ROW_PLACING_AXES, Pair, Problem
from merge_app.planning.merge_plan import SIDE_NAMES
from merge_app.planning.net_changes import ObjectChanges
from merge_app.planning.row_merges import row_problems

OF_ROWS = frozenset({"partitions", "same file deleted", "same file updated"})
"""Conditions that the merge of rows by lineage judges."""
_WHERE_ROWS_MET = frozenset({"values of constraints"})
"""Conditions whose problem may stand in a cell that names another: rows of both sides break what neither made."""


def problems(pair: Pair) -> list[Problem]:
    """Every problem that the conditions named in its rule table find."""
    found = []
    for name in pair.rules.conditions:
        if name in OF_ROWS:
            continue
        for problem in _BY_NAME[name](pair):
            if pair.rules.cell(*problem.cell).condition != name and name not in _WHERE_ROWS_MET:
                raise ValueError(f"condition {name!r} judged the cell {problem.cell}, which does not name it")
            found.append(problem)
    return found


def _same_key_unset(pair: Pair) -> Iterator[Problem]:
    if not (pair.source.properties and pair.destination.properties):
        return
    axis = "properties" if "properties" in pair.source.versions else "unset properties"
    source, target = _unset(pair.source.properties), _unset(pair.destination.properties)
    for key in source:
        if key in target:
            yield Problem(
                (axis, axis),
                VerdictCode.UNSET_SAME_PROPERTY,
                "same key",
                f"Source and target both unset the property {key}.",
                {"property": key},
            )


def _unset(changes: Mapping[str, PropertyChange]) -> list[str]:
    # A constraint that both sides dropped is gone on both.
    return [key for key, change in changes.items() if change.after is None and not is_check(key)]


def _of_properties(pair: Pair) -> Iterator[Problem]:
    yield from _same_key_unset(pair)
    for key, source in pair.source.properties.items():
        target = pair.destination.properties.get(key)
        if is_stored(key) and target is not None and None not in (source.after, target.after):
            yield from _differing(pair, key, source, target)
    yield from _generated_twice(pair)


def _generated_twice(pair: Pair) -> Iterator[Problem]:
    """One column that each side added as a generated one, of another expression: the ids, and so the keys, differ."""
    found: dict[int, dict[str, str]] = {}
    for key, stored in checks_of(pair.properties).items():
        column = pair.schema.column(columns_read(stored)[0]) if is_generated(key) else None
        if column is not None:
            found.setdefault(column.id, {})[key] = condition_shown(stored, pair.schema)
    for shown in found.values():
        source = next((key for key in shown if key in pair.source.properties), None)
        other = next((text for key, text in shown.items() if key != source and text != shown.get(source or "")), None)
        if source is not None and other is not None:
            yield Problem(
                ("properties", "properties"),
                VerdictCode.CHECK_DIFFERS,
                "",
                f"A generated column is {shown[source]} on the source and {other} on the target.",
                {"constraint": check_name(source), "property": source, "source": shown[source], "destination": other},
            )


def _differing(pair: Pair, key: str, source: PropertyChange, target: PropertyChange) -> Iterator[Problem]:
    ours, other = _shown(pair, source.after), _shown(pair, target.after)
    if ours != other and not is_check(key):
        what = property_shown(key)
        yield Problem(
            ("properties", "properties"),
            VerdictCode.LAYOUT_DIFFERS,
            "",
            f"Source and target changed {what}: to {ours or 'none'} on the source, to {other or 'none'} on the target.",
            {"property": key, "source": ours, "destination": other},
        )
    elif ours != other:
        yield Problem(
            ("properties", "properties"),
            VerdictCode.CHECK_DIFFERS,
            "",
            f"The constraint {check_name(key)} is {ours} on the source and {other} on the target.",
            {"constraint": check_name(key), "property": key, "source": ours, "destination": other},
        )


def _shown(pair: Pair, stored: str | None) -> str:
    return condition_shown(stored or "", pair.schema)


def _columns_read(pair: Pair) -> Iterator[Problem]:
    yield from _columns_of_constraints(pair)
    yield from _types_of_layout(pair)


def _columns_of_constraints(pair: Pair) -> Iterator[Problem]:
    """A constraint, or the layout, of the result reads a column that the result lacks: one side made it, the other
    dropped that.
    """
    for key, stored in stored_of(pair.properties).items():
        missing = [i for i in columns_read(stored) if pair.schema.column(i) is None]
        if not missing:
            continue
        is_of_source = key in pair.source.properties
        drops = (pair.destination if is_of_source else pair.source).columns
        gone = drops.get((missing[0], ColumnAttribute.EXISTS))
        name = gone.before["name"] if gone is not None and gone.before else f"with id {missing[0]}"
        side, other = ("source", "destination") if is_of_source else ("destination", "source")
        yield Problem(
            ("properties", "column") if is_of_source else ("column", "properties"),
            VerdictCode.CHECK_COLUMN_MISSING if is_check(key) else VerdictCode.LAYOUT_COLUMN_MISSING,
            "",
            f"{_subject(key)} of the {SIDE_NAMES[side]} reads column {name}, which the {SIDE_NAMES[other]} dropped.",
            {
                **({"constraint": check_name(key)} if is_check(key) else {}),
                "property": key,
                "side": side,
                "column": name,
                "column_id": missing[0],
            },
        )


def _types_of_layout(pair: Pair) -> Iterator[Problem]:
    """One side made a transform of a column, the other gave the column a type that the transform does not take."""
    for one in layout_of(pair.properties):
        column = pair.schema.column(one.column_id)
        if column is None or is_taken(one.name, column.type):
            continue
        is_of_source = LAYOUT in pair.source.properties
        side, other = ("source", "destination") if is_of_source else ("destination", "source")
        yield Problem(
            ("properties", "column") if is_of_source else ("column", "properties"),
            VerdictCode.LAYOUT_COLUMN_MISSING,
            "",
            f"The partition field {one.shown(column.name)} of the {SIDE_NAMES[side]} takes no column of type"
            f" {column.type}, as the {SIDE_NAMES[other]} made it.",
            {"property": LAYOUT, "side": side, "column": column.name, "column_id": column.id},
        )


def _subject(key: str) -> str:
    return f"The constraint {check_name(key)}" if is_check(key) else f"A field of {property_shown(key)}"


def _values_of_constraints(pair: Pair) -> Iterator[Problem]:
    """Rows of the result that do not fit a constraint of the result, whichever side each comes from."""
    for (side, key), found in pair.facts.violated.items():
        stored = pair.properties.get(key)
        if stored is None:
            continue
        condition = _shown(pair, stored)
        rows = counted(found.rows, "row")
        count = f"{rows}, such as {found.example}" if not found.reason else f"a row has no value: {found.reason}"
        yield Problem(
            _met(pair, side, key, found),
            VerdictCode.CHECK_VIOLATED,
            "",
            f"Rows of the {SIDE_NAMES[side]} violate the constraint {check_name(key)}, {condition}: {count}",
            {
                "constraint": check_name(key),
                "property": key,
                "condition": condition,
                "side": side,
                "rows": found.rows,
                "example": found.example,
                "examples": list(found.examples),
                "is_new": key in pair.source.properties,
            },
        )


def _met(pair: Pair, side: str, key: str, found: Violation) -> tuple[str, str]:
    """The cell of what broke the constraint: what brought the rows, and what made the constraint. Where neither side
    made it, the other side's rows or partitions.
    """
    own, other = (pair.source, pair.destination) if side == "source" else (pair.destination, pair.source)
    brought, met = _placing_axis(pair, own, found), "properties"
    if not _makes(other, key):
        met = _placing_axis(pair, other, found)
        brought = "properties" if _makes(own, key) else brought
    return (brought, met) if side == "source" else (met, brought)


def _makes(changes: ObjectChanges, key: str) -> bool:
    change = changes.properties.get(key)
    return change is not None and change.after is not None


def _placing_axis(pair: Pair, changes: ObjectChanges, found: Violation) -> str:
    """What brought the rows that do not fit. Beside written rows it is a partition's new name where the example has
    that.
    """
    axes = [axis for axis in ROW_PLACING_AXES if changes.has(axis)] or [ROW_AXES[0]]
    if axes[-1] == "partition" and _is_placed_by(pair, changes, found):
        return "partition"
    return axes[0]


def _is_placed_by(pair: Pair, changes: ObjectChanges, found: Violation) -> bool:
    if not found.example:
        return False
    row, schema = json.loads(found.example), pair.schema
    names = [column.name if (column := schema.column(i)) is not None else "" for i in schema.partition_by]
    for change in changes.partitions:
        if change.before is None or change.after is None:
            continue
        given = [(row[name], value) for name, value in zip(names, change.after, strict=True) if name in row]
        if given and all(value == _as_text(cell) for cell, value in given):
            return True
    return False


def _as_text(cell: object) -> str | None:
    """A value of an example as a partition is called."""
    return cell if cell is None or isinstance(cell, str) else json.dumps(cell)


def _rows_of_one_key(pair: Pair) -> Iterator[Problem]:
    if pair.facts.rows is not None:
        yield from row_problems(pair.facts.rows)


def _required_values(pair: Pair) -> Iterator[Problem]:
    """A6.2, in both directions: rows of the one side against the column that the other side made required."""
    for (side, column_id), rows in pair.facts.lacking.items():
        column = pair.schema.column(column_id)
        if column is None or column.nullable:
            continue
        changes = pair.source if side == "source" else pair.destination
        axis = changes.first_of(ROW_AXES, ROW_AXES[0])
        yield _without_value((axis, "column") if side == "source" else ("column", axis), column, side, rows)


def _without_value(cell: tuple[str, str], column: Column, side: str, rows: int) -> Problem:
    return Problem(
        cell,
        VerdictCode.NOT_NULL_WITHOUT_VALUE,
        "A6.2",
        f"Column {column.name} is NOT NULL without a default; rows of the {SIDE_NAMES[side]} without a value: {rows}.",
        {"column": column.name, "column_id": column.id, "side": side, "rows": rows},
    )


def partition_text(values: PartitionValues | None) -> str:
    """Partition values for people: ``(2013, NULL)``."""
    return "(" + ", ".join("NULL" if value is None else value for value in values or ()) + ")"


_BY_NAME: dict[str, Callable[[Pair], Iterator[Problem]]] = {
    "same key unset": _same_key_unset,
    "properties": _of_properties,
    "columns of constraints": _columns_read,
    "values of constraints": _values_of_constraints,
    "columns": column_problems,
    "values of required columns": _required_values,
    "rows of one key": _rows_of_one_key,
}

if set(_BY_NAME) != CONDITIONS - OF_ROWS:
    raise AssertionError(f"conditions without a function: {set(_BY_NAME) ^ CONDITIONS}")
