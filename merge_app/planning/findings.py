"""Cells in which two changes meet, and findings made of them in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field
from typing import Any

from catalog_app.domain.operations import ObjectKind
from catalog_app.domain.schema import Schema
from catalog_app.rules.codes import CODE_TABLE, VerdictCode
from catalog_app.rules.loader import CellVerdict, RuleTable
from lakeui.common.records import record
from merge_app.lineage.outcomes import Finding as AttributeFinding
from merge_app.planning.merge_plan import Finding, TableFacts, Verdict
from merge_app.planning.net_changes import ObjectChanges, ObjectKey

CellKey = tuple[str, str]

ROW_AXES = ("insert", "update", "overwrite")
"""The operations that bring rows into a table."""
ROW_PLACING_AXES = (*ROW_AXES, "partition")
"""Those, and what keeps rows from being swept away: a partition's new name."""


@record(frozen=True, slots=True)
class Problem:
    """A reason for a conflict or a note, in the cell that it belongs to. ``message`` is a whole sentence."""

    cell: CellKey
    code: VerdictCode
    note: str
    message: str
    details: Mapping[str, Any] = field(default_factory=dict)


@record(frozen=True, slots=True)
class Pair:
    """What both sides did to one object, and the rule table that judges it. ``homes``: names of databases by id. Of a
    table, ``schema`` and ``properties`` are those of the result, ``findings`` what its facts found.
    """

    rules: RuleTable
    name: str
    source: ObjectChanges
    destination: ObjectChanges
    homes: Mapping[int, str] = field(default_factory=dict)
    source_schema: Schema = Schema()
    target_schema: Schema = Schema()
    schema: Schema = Schema()
    properties: Mapping[str, str] = field(default_factory=dict)
    facts: TableFacts = TableFacts()
    findings: tuple[AttributeFinding, ...] = ()

    def met_cells(self) -> list[CellKey]:
        """The pairs of operations that met, in the order of the rule table."""
        if not (self.source.versions and self.destination.versions):
            return []
        rows = [axis.key for axis in self.rules.axes if axis.key in self.source.versions]
        columns = [axis.key for axis in self.rules.axes if axis.key in self.destination.versions]
        return [(row, column) for row in rows for column in columns]


def judge(pair: Pair, problems: Sequence[Problem], *, allowed: AbstractSet[str] = frozenset()) -> list[Finding]:
    """One finding for each cell met that is fine, one for each conflict; ``problems`` are what conditions found. Cells
    whose conflict has one of the ``allowed`` codes conflict only by ``problems``: a person decided them, or rows do.
    """
    placed: dict[CellKey, list[Problem]] = {}
    for problem in problems:
        placed.setdefault(problem.cell, []).append(problem)
    findings = []
    for key in pair.met_cells():
        cell = pair.rules.cell(*key)
        found = placed.pop(key, [])
        if cell.code in allowed:
            findings += [problem_finding(pair, problem) for problem in found]
            continue
        if cell.verdict is CellVerdict.CONFLICT:
            found = [Problem(key, VerdictCode(cell.code), cell.note, cell.sentence)]
        if found:
            findings += [problem_finding(pair, problem) for problem in found]
        else:
            findings.append(_fine(pair, key))
    for found in placed.values():
        findings += [problem_finding(pair, problem) for problem in found]
    return findings


def problem_finding(pair: Pair, problem: Problem) -> Finding:
    """The finding of a conflict or a note in a cell of the rule table."""
    text = CODE_TABLE[problem.code]
    return _finding(
        pair,
        problem.cell,
        Verdict.CONFLICT if text.is_conflict else Verdict.NOTE,
        code=problem.code.value,
        note=problem.note,
        sentence=problem.message,
        remedy=text.remedy,
        details=dict(problem.details),
    )


def outside_finding(
    thing: ObjectKey,
    name: str,
    code: VerdictCode,
    message: str,
    *,
    operations: tuple[str, str] = ("", ""),
    changes: tuple[ObjectChanges | None, ObjectChanges | None] = (None, None),
    details: Mapping[str, Any],
) -> Finding:
    """A conflict or a note that no cell covers. ``operations``: what met, of source and target. ``changes``: those of
    both sides that led to it.
    """
    text = CODE_TABLE[code]
    source, target = (
        tuple(dict.fromkeys(operation.version for operation in side.operations)) if side is not None else ()
        for side in changes
    )
    return Finding(
        verdict=Verdict.CONFLICT if text.is_conflict else Verdict.NOTE,
        code=code.value,
        object_kind=thing[0],
        object_id=thing[1],
        object_name=name,
        rule_table="",
        source_operation=operations[0],
        destination_operation=operations[1],
        note="",
        message=message,
        remedy=text.remedy,
        source_versions=source,
        destination_versions=target,
        details=dict(details),
    )


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Conflicts first, then decided ones, then notes, then what is fine; databases before tables, each by id."""
    rank = {Verdict.CONFLICT: 0, Verdict.DECIDED: 1, Verdict.NOTE: 2, Verdict.OK: 3}
    kinds = {ObjectKind.DATABASE: 0, ObjectKind.TABLE: 1, ObjectKind.VIEW: 2}
    return tuple(sorted(findings, key=lambda item: (rank[item.verdict], kinds[item.object_kind], item.object_id)))


def side_phrase(rules: RuleTable, changes: ObjectChanges, axis: str, side: str) -> str:
    """What one side did, in words: ``dev inserted rows (versions 5, 7)``. ``side``: what it is called where it has no
    operation of its own that names its branch: it decided what others did.
    """
    versions = [version for version in changes.versions.get(axis, ()) if version]
    where = ""
    if versions:
        where = f" (version{'s' if len(versions) > 1 else ''} {', '.join(map(str, versions))})"
    past = rules.past(axis) or "created it"
    return f"{changes.branch or ('the statement' if changes.operations else side)} {past}{where}"


def _fine(pair: Pair, key: CellKey) -> Finding:
    cell = pair.rules.cell(*key)
    return _finding(pair, key, Verdict.OK, code="", note=cell.note, sentence=cell.sentence, remedy="", details={})


def _finding(
    pair: Pair,
    key: CellKey,
    verdict: Verdict,
    *,
    code: str,
    note: str,
    sentence: str,
    remedy: str,
    details: dict[str, Any],
) -> Finding:
    row, column = key
    source = side_phrase(pair.rules, pair.source, row, "the source")
    target = side_phrase(pair.rules, pair.destination, column, "the target")
    return Finding(
        verdict=verdict,
        code=code,
        object_kind=pair.source.kind,
        object_id=pair.source.object_id,
        object_name=pair.name,
        rule_table=pair.rules.name,
        source_operation=row,
        destination_operation=column,
        note=note,
        message=f"On {pair.name}: {source}; {target}. {sentence}",
        remedy=remedy,
        source_versions=pair.source.versions.get(row, ()),
        destination_versions=pair.destination.versions.get(column, ()),
        details=details,
    )
