"""Names and databases judged on what comes out of a plan, so that swaps work (semantics P3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from catalog_app.domain.operations import ObjectKind
from catalog_app.domain.state import DatabaseState, ObjectState, TableState
from catalog_app.rules.codes import VerdictCode
from merge_app.planning.findings import outside_finding
from merge_app.planning.merge_plan import Finding, ObjectPlan, PlanInput
from merge_app.planning.net_changes import ObjectChanges, ObjectKey

Changes = Mapping[ObjectKey, ObjectChanges]


def names_judge(
    plans: Sequence[ObjectPlan], given: PlanInput, *, source: Changes, destination: Changes
) -> list[Finding]:
    """NAME_EXISTS for each object that the plan names like another valid one, OBJECT_DROPPED_ON_DEST for each table
    that the plan puts into a database that is not valid.
    """
    databases: dict[int, DatabaseState] = dict(given.databases)
    tables: dict[int, TableState] = dict(given.tables)
    for plan in plans:
        if isinstance(plan.after, DatabaseState):
            databases[plan.object_id] = plan.after
        else:
            tables[plan.object_id] = plan.after
    holders: dict[tuple[int | None, str], list[ObjectState]] = {}
    states: list[ObjectState] = [*databases.values(), *tables.values()]
    for state in states:
        if not state.is_dropped:
            holders.setdefault(_place(state), []).append(state)
    findings = []
    for plan in plans:
        if plan.after.is_dropped or not _claims(plan):
            continue
        changes, target_changes = source[plan.kind, plan.object_id], destination.get((plan.kind, plan.object_id))
        if _is_dropped(target_changes) or _is_dropped(_of_database(plan, source)):
            continue
        if isinstance(plan.after, TableState):
            database = databases.get(plan.after.database_id)
            if database is None or database.is_dropped:
                findings.append(_without_database(plan, changes, database, destination))
        findings += _taken(plan, changes, holders[_place(plan.after)], destination)
    return findings


def _of_database(plan: ObjectPlan, source: Changes) -> ObjectChanges | None:
    """What the source did to the database of a table: below a drop of its own, the table is not alive there (R5)."""
    return source.get((ObjectKind.DATABASE, plan.after.database_id)) if isinstance(plan.after, TableState) else None


def _is_dropped(changes: ObjectChanges | None) -> bool:
    return changes is not None and changes.dropped


def homes_judge(findings: Iterable[Finding], plans: Sequence[ObjectPlan], given: PlanInput) -> list[Finding]:
    """The findings; one of a table that the target dropped together with its database names that database."""
    homes: dict[int, DatabaseState] = dict(given.databases)
    homes |= {plan.object_id: plan.after for plan in plans if isinstance(plan.after, DatabaseState)}
    lies_in = {plan.object_id: plan.after.database_id for plan in plans if isinstance(plan.after, TableState)}

    def named(finding: Finding) -> Finding:
        home = homes.get(lies_in.get(finding.object_id, -1))
        is_of_table = finding.code == VerdictCode.OBJECT_DROPPED_ON_DEST and finding.object_kind is ObjectKind.TABLE
        return _with_home(finding, home) if is_of_table and home is not None and home.is_dropped else finding

    return [named(finding) for finding in findings]


def _with_home(finding: Finding, home: DatabaseState) -> Finding:
    return replace(
        finding,
        remedy=f"Undrop the database {home.name} on the target, or drop the table on the source too, then merge again.",
        details={**finding.details, "database_id": home.database_id, "database": home.name},
    )


def _claims(plan: ObjectPlan) -> bool:
    """Whether the plan gives the object a name or a database that it had not as a valid object."""
    return plan.before is None or plan.before.is_dropped or _place(plan.before) != _place(plan.after)


def _place(state: ObjectState) -> tuple[int | None, str]:
    return (state.database_id if isinstance(state, TableState) else None, state.name.casefold())


def _identity(state: ObjectState) -> int:
    return state.table_id if isinstance(state, TableState) else state.database_id


def _claim(plan: ObjectPlan) -> str:
    if plan.before is None:
        return "create"
    return "undrop" if plan.before.is_dropped else "rename"


def _taken(
    plan: ObjectPlan, changes: ObjectChanges, others: Iterable[ObjectState], destination: Changes
) -> list[Finding]:
    for other in others:
        identity = _identity(other)
        if identity == plan.object_id:
            continue
        target_changes = destination.get((plan.kind, identity))
        return [
            outside_finding(
                (plan.kind, plan.object_id),
                plan.name,
                VerdictCode.NAME_EXISTS,
                f"The source's {plan.kind.value} {plan.name} (id {plan.object_id}) would bear the name {other.name},"
                f" which is that of another {plan.kind.value} of the target (id {identity}).",
                operations=(_claim(plan), _naming(target_changes)),
                changes=(changes, target_changes),
                details={"name": other.name, "taken_by": identity},
            )
        ]
    return []


def _naming(changes: ObjectChanges | None) -> str:
    if changes is None:
        return ""
    if changes.created:
        return "create"
    return "rename" if changes.rename else ""


def _without_database(
    plan: ObjectPlan, changes: ObjectChanges, database: DatabaseState | None, destination: Changes
) -> Finding:
    assert isinstance(plan.after, TableState)
    database_id = plan.after.database_id
    target_changes = destination.get((ObjectKind.DATABASE, database_id))
    name = database.name if database is not None else f"with id {database_id}"
    return outside_finding(
        (plan.kind, plan.object_id),
        plan.name,
        VerdictCode.OBJECT_DROPPED_ON_DEST,
        f"The source's table {plan.name} lies in database {name}, which the target dropped.",
        operations=(_claim(plan), "drop"),
        changes=(changes, target_changes),
        details={"database_id": database_id},
    )
