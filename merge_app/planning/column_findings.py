"""What the merge of facts says of columns, with the sentences that changes of columns have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from catalog_app.domain.operations import ColumnAttribute
from catalog_app.domain.schema import Schema
from catalog_app.rules.codes import VerdictCode
from merge_app.lineage.facts import column_of
from merge_app.lineage.outcomes import Finding
from merge_app.planning.columns import AppliedColumns, ColumnProblem
from merge_app.planning.conditions import ROW_AXES
from merge_app.planning.merge_plan import SIDE_NAMES
from merge_app.planning.net_changes import ObjectChanges

_JUDGED = (VerdictCode.COLUMN_MISSING, VerdictCode.COLUMN_NAME_TAKEN, VerdictCode.COLUMN_TYPE_NARROWING)
_OF_COLUMNS = (*_JUDGED, VerdictCode.COLUMNS_JOINED)


def columns_by_facts(
    applied: AppliedColumns,
    schema: Schema,
    findings: Sequence[Finding],
    source: ObjectChanges,
    target: ObjectChanges,
    *,
    shown: Mapping[str, Schema],
) -> AppliedColumns:
    """The schema of the facts. Their findings decide what is a conflict; ``applied`` has the sentences. Fields inside
    of columns are judged by ``applied`` alone. ``shown``: the columns of source and target, by these words.
    """
    findings = [finding for finding in findings if finding.code in _OF_COLUMNS]
    if not (findings or applied.problems):
        return applied if applied.schema is schema else AppliedColumns(schema)
    judged = [finding for finding in findings if finding.code in _JUDGED]
    named = {(finding.code, key[1]) for finding in judged for key in finding.keys}
    problems = [
        problem
        for problem in applied.problems
        if (problem.code, problem.details["column_id"]) in named
        or (problem.code, problem.details.get("taken_by")) in named
        or (problem.code, problem.details.get("destination_column_id")) in named
        or _is_of_field(problem)
        or _narrows_rows(problem, source, target)
    ]
    known = {problem.code for problem in problems}
    for finding in judged:
        if finding.code not in known:
            problems += _problems(finding, schema)
    problems += (_parted(finding, schema, shown) for finding in findings if finding.code is VerdictCode.COLUMNS_JOINED)
    return replace(applied, schema=schema, problems=tuple(problems))


def with_what_is_left(applied: AppliedColumns, sides: Mapping[str, Schema]) -> AppliedColumns:
    """With a problem where the result has no column, or a struct without a field, and no side has it so (A6). A table
    has a column, and Parquet writes no struct without a field. ``sides``: the columns of source and target.
    """
    found = []
    if not applied.schema.columns and all(side.columns for side in sides.values()):
        found.append(_nothing_left("Source and target together drop every column of the table.", "", 0))
    for column in applied.schema.columns:
        held = [side.column(column.id) for side in sides.values()]
        if _EMPTY in column.type and not any(_EMPTY in other.type for other in held if other is not None):
            sentence = f"Source and target together drop every field of a struct in column {column.name}."
            found.append(_nothing_left(sentence, column.name, column.id))
    return replace(applied, problems=(*applied.problems, *found)) if found else applied


_EMPTY = "struct<>"


def _nothing_left(sentence: str, name: str, identifier: int) -> ColumnProblem:
    details = {"column": name, "column_id": identifier}
    return ColumnProblem(VerdictCode.NO_COLUMN_LEFT, "A6", sentence, details)


def _parted(finding: Finding, schema: Schema, shown: Mapping[str, Schema]) -> ColumnProblem:
    """The sentence names the side with several columns: the other one shows at most one of them."""
    ids = [column_of(key) for key in finding.keys]
    of_sides = {side: _leading(columns, ids) for side, columns in shown.items()}
    side, names = max(of_sides.items(), key=lambda found: len(found[1]))
    other = next(word for word in shown if word != side)
    one = next((column.name for i in ids if (column := schema.column(i)) is not None), names[0])
    several = f"columns {' and '.join(names)}" if len(names) > 1 else f"column {names[0]}, and dropped another"
    return ColumnProblem(
        finding.code,
        finding.rule,
        f"The {SIDE_NAMES[side]} has {several}. They are one column on the {SIDE_NAMES[other]}.",
        {"column": one, "column_id": ids[0], "columns": names, "side": side},
    )


def _leading(columns: Schema, ids: Sequence[int]) -> list[str]:
    return [column.name for column in columns.columns if column.id in ids]


def _is_of_field(problem: ColumnProblem) -> bool:
    return "." in str(problem.details["column"])


def _narrows_rows(problem: ColumnProblem, source: ObjectChanges, target: ObjectChanges) -> bool:
    """A type that one side made narrower holds the rows that it knows, but not all that the other wrote (R6)."""
    column = problem.details["column_id"]
    is_changed_by_both = any(
        (column, attribute) in target.columns for attribute in (ColumnAttribute.TYPE, ColumnAttribute.NESTED)
    )
    return (
        problem.code is VerdictCode.COLUMN_TYPE_NARROWING
        and not is_changed_by_both
        and target.has(*ROW_AXES)
        and not source.overwrites_all
    )


def _problems(finding: Finding, schema: Schema) -> Iterator[ColumnProblem]:
    seen = set()
    for key in finding.keys:
        column = schema.column(column_of(key))
        name = column.name if column is not None else f"with id {key[1]}"
        if key[1] in seen:
            continue
        seen.add(key[1])
        yield ColumnProblem(
            finding.code, finding.rule, _SENTENCES[finding.code].format(name), {"column": name, "column_id": key[1]}
        )


_SENTENCES = {
    VerdictCode.COLUMN_MISSING: "The source changed column {}, which the target dropped.",
    VerdictCode.COLUMN_NAME_TAKEN: "Two columns of the result would be called {}.",
    VerdictCode.COLUMN_TYPE_NARROWING: "Source and target changed the type of column {}, and the target's does not"
    " widen to the source's.",
}
