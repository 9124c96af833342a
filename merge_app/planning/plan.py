"""The one planner: what a merge, a dry run or a statement on a moved branch will do, or why it may not (P1-P8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from catalog_app.domain.operations import ObjectKind
from catalog_app.domain.state import DatabaseState
from catalog_app.rules.loader import Rules, load_rules
from merge_app.planning.broken_views import broken_views_judge
from merge_app.planning.change_sets import change_sets_of
from merge_app.planning.databases import database_plan
from merge_app.planning.decisions import decision_notes
from merge_app.planning.findings import ordered
from merge_app.planning.fingerprint import fingerprint
from merge_app.planning.left_out_before import left_out_judge
from merge_app.planning.merge_plan import Action, Finding, MergePlan, ObjectPlan, PlanInput, Verdict
from merge_app.planning.names import homes_judge, names_judge
from merge_app.planning.net_changes import ObjectKey
from merge_app.planning.resolutions import decided, resolve
from merge_app.planning.tables import table_plan
from merge_app.planning.written_tables import written_tables_judge


def plan(given: PlanInput) -> MergePlan:
    """Apply the source's operations to the target's state. The input alone decides; nothing is read or written.

    Every object that the source changed appears, databases first; others never do (P4). Raises ValueError where the
    input lacks the source's state of a new object. A conflict that a resolution of the input takes away is a decided
    finding; a new object that is left out does not appear.
    """
    rules = load_rules()
    undecided = replace(given, resolutions=()) if given.resolutions else given
    findings, objects = _judged(undecided, rules)
    if given.resolutions:
        conflicts = [finding for finding in findings if finding.verdict is Verdict.CONFLICT]
        resolved = resolve(given)
        before = objects
        findings, objects = _judged(resolved, rules)
        objects = sorted([*objects, *_left_out(before, objects)], key=_place)
        findings = _without_decided(findings, taken := decided(conflicts, findings, given.resolutions))
        names = {(item.kind, item.object_id): item.name for item in objects}
        findings += [*taken, *decision_notes(given.resolutions, names)]
    judged = ordered(findings)
    digest = fingerprint(
        judged,
        tuple(objects),
        source_head=given.source_head,
        destination_head=given.destination_head,
        rules_digest=rules.digest,
        resolutions=given.resolutions,
    )
    return MergePlan(judged, tuple(objects), digest)


def _without_decided(findings: Iterable[Finding], taken: Sequence[Finding]) -> list[Finding]:
    """Without the cells that are fine only because a person decided them."""
    cells = {_cell(finding) for finding in taken if finding.rule_table}
    return [finding for finding in findings if finding.verdict is not Verdict.OK or _cell(finding) not in cells]


def _cell(finding: Finding) -> tuple[object, ...]:
    place = finding.source_operation, finding.destination_operation
    return finding.object_kind, finding.object_id, finding.rule_table, *place


def _judged(given: PlanInput, rules: Rules) -> tuple[list[Finding], list[ObjectPlan]]:
    change_sets = change_sets_of(given)
    objects: list[ObjectPlan] = []
    findings: list[Finding] = []
    merged = ((ObjectKind.TABLE, i) for i, facts in given.facts.items() if facts.rows_plan is not None)
    for key in dict.fromkeys((*change_sets.source, *merged)):
        planned, found = _object_plan(key, given, rules)
        objects.append(planned)
        findings += found
    objects.sort(key=_place)
    remade = {item.object_id: item.after for item in objects if isinstance(item.after, DatabaseState)}
    databases = {**given.source_databases, **given.databases, **remade}
    objects = [_named(item, databases) for item in objects]
    findings += names_judge(objects, given, source=change_sets.source, destination=change_sets.destination)
    findings = homes_judge(findings, objects, given)
    findings += left_out_judge(given, change_sets)
    findings += written_tables_judge(given, objects)
    findings += broken_views_judge(given, objects)
    return findings, objects


def _place(item: ObjectPlan) -> tuple[bool, int]:
    return item.kind is not ObjectKind.DATABASE, item.object_id


def _left_out(before: Sequence[ObjectPlan], after: Sequence[ObjectPlan]) -> list[ObjectPlan]:
    """Objects of the target that resolutions left without anything to apply."""
    planned = {(item.kind, item.object_id) for item in after}
    return [
        replace(item, action=Action.UNTOUCHED, after=item.before, operations=(), data=None)
        for item in before
        if item.before is not None and (item.kind, item.object_id) not in planned
    ]


def _object_plan(key: ObjectKey, given: PlanInput, rules: Rules) -> tuple[ObjectPlan, list[Finding]]:
    kind, object_id = key
    if kind is ObjectKind.DATABASE:
        return database_plan(given, object_id, rules.tables["database"])
    return table_plan(given, object_id, rules)


def _named(item: ObjectPlan, databases: Mapping[int, DatabaseState]) -> ObjectPlan:
    """The object's plan with the full name that it will have."""
    name = item.after.name
    if not isinstance(item.after, DatabaseState):
        database = databases.get(item.after.database_id)
        name = f"{database.name}.{name}" if database else name
    return item if item.name == name else replace(item, name=name)
