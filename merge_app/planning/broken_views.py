"""Views of the target that name what the merge takes away: a table or database, its name, or a column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from catalog_app.domain.state import DatabaseState, TableState
from catalog_app.rules.codes import VerdictCode
from merge_app.planning.findings import outside_finding
from merge_app.planning.merge_plan import Action, Finding, NamedByView, ObjectPlan, PlanInput, ViewNames

_Name = tuple[str, str]
"""Database and table, folded."""


@dataclass(frozen=True, slots=True)
class _Loss:
    """What of a name is gone: all of it, or ``columns``, which stand by their folded names. ``item``: by what."""

    item: ObjectPlan
    what: str
    columns: Mapping[str, str] | None = None
    is_view: bool = False


@dataclass(slots=True)
class _Names:
    """Losses by the names that tables, databases and views of the target had."""

    tables: dict[_Name, _Loss] = field(default_factory=dict)
    databases: dict[str, _Loss] = field(default_factory=dict)

    def of(self, read: NamedByView) -> _Loss | None:
        """What of the read is gone; of columns only those that it names."""
        found = self.tables.get((read.database, read.table)) or self.databases.get(read.database)
        if found is None or found.columns is None:
            return found
        named = {key: name for key, name in found.columns.items() if key in read.columns}
        return replace(found, columns=named) if named else None


def broken_views_judge(given: PlanInput, objects: Sequence[ObjectPlan]) -> Iterator[Finding]:
    """BREAKS_VIEW for each view, with what it names that is gone. A view over such a view is one too."""
    if not given.views:
        return
    names = _lost(given, objects)
    dropped = {item.name.casefold() for item in objects if item.action is Action.DROP}
    left = [view for view in given.views if view.database.casefold() not in dropped]
    while True:
        broken = [(view, loss) for view in left if (loss := _loss(names, view)) is not None]
        if not broken:
            return
        for view, loss in broken:
            yield _finding(view, loss)
            through = _Loss(loss.item, f"the view {view.database}.{view.name}", is_view=True)
            names.tables.setdefault((view.database.casefold(), view.name.casefold()), through)
        gone = {(view.database, view.name) for view, _ in broken}
        left = [view for view in left if (view.database, view.name) not in gone]


def _loss(names: _Names, view: ViewNames) -> _Loss | None:
    return next((loss for read in view.reads if (loss := names.of(read)) is not None), None)


def _lost(given: PlanInput, objects: Sequence[ObjectPlan]) -> _Names:
    database_names = {i: state.name for i, state in {**given.source_databases, **given.databases}.items()}
    databases_after, tables_after = _names_after(database_names, objects)
    found = _Names()
    for item in objects:
        before = item.before
        if before is None or before.is_dropped or item.action is Action.UNTOUCHED:
            continue
        if isinstance(before, DatabaseState):
            if before.name.casefold() not in databases_after:
                found.databases[before.name.casefold()] = _Loss(item, f"the database {before.name}")
            continue
        database = database_names.get(before.database_id, "")
        name = (database.casefold(), before.name.casefold())
        if name not in tables_after:
            found.tables[name] = _Loss(item, f"the table {database}.{before.name}")
        elif isinstance(item.after, TableState) and (columns := _columns_lost(before, item.after)):
            found.tables[name] = _Loss(item, f"the table {database}.{before.name}", columns)
    return found


def _names_after(database_names: Mapping[int, str], objects: Sequence[ObjectPlan]) -> tuple[set[str], set[_Name]]:
    """The names that databases and tables of the plan have then."""
    stay = [item.after for item in objects if not item.after.is_dropped]
    databases = {state.database_id: state.name for state in stay if isinstance(state, DatabaseState)}
    named = {**database_names, **databases}
    tables = {
        (named.get(state.database_id, "").casefold(), state.name.casefold())
        for state in stay
        if isinstance(state, TableState)
    }
    return {name.casefold() for name in databases.values()}, tables


def _columns_lost(before: TableState, after: TableState) -> dict[str, str]:
    stay = {column.name.casefold() for column in after.schema.columns}
    named = {column.name.casefold(): column.name for column in before.schema.columns}
    return {key: name for key, name in named.items() if key not in stay}


def _finding(view: ViewNames, loss: _Loss) -> Finding:
    label = f"{view.database}.{view.name}"
    columns = sorted((loss.columns or {}).values())
    called = ", ".join(columns)
    gone = f"column {called} of {loss.what}" if columns else loss.what
    end = "which breaks too" if loss.is_view else "which the merge takes away"
    item = loss.item
    return outside_finding(
        (item.kind, item.object_id),
        item.name,
        VerdictCode.BREAKS_VIEW,
        f"On {item.name}: the view {label} of the target names {gone}, {end}.",
        operations=("drop" if item.action is Action.DROP else "column" if columns else "rename", "view"),
        details={"view": label, "columns": columns},
    )
