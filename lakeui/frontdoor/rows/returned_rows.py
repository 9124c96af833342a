"""RETURNING of MERGE INTO: the rows that the merge changed, as its commit left them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from catalog_app.domain.schema import Schema
from catalog_app.engine.inputs_outputs import QueryResult
from catalog_app.models import Branch
from catalog_app.selectors.snapshots import branch_snapshot
from catalog_app.services.alterations import column_get
from lakeui.common.errors import LakeError
from lakeui.frontdoor.call import Call, ResolvedTable
from lakeui.frontdoor.changed_files import state_valid
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.queries.row_changes import row_differences
from lakeui.frontdoor.queries.select import ROW_LIMIT
from lakeui.sql.merge_words import EVERY_COLUMN, MERGE_ACTION

_ACTIONS = {"insert": "INSERT", "update_after": "UPDATE", "delete": "DELETE"}
"""By the kind of a change; the row before an update is not returned."""


def returning_check(names: Sequence[str], target: ResolvedTable) -> None:
    """Raise NotFound where a column is named that the target lacks, before a row is written."""
    for name in names:
        if name != EVERY_COLUMN and name.casefold() != MERGE_ACTION:
            column_get(target.table, name)


def returned(call: Call, names: Sequence[str], target: ResolvedTable, done: StatementResult) -> StatementResult:
    """The answer with at most ``ROW_LIMIT`` rows. They are read after the commit, which stands where that fails: then a
    notice says so. A dry run shows examples instead.
    """
    if not names or call.rehearsal is not None:
        return done
    schema = target.table.schema
    found = QueryResult((), [], truncated=False)
    seen = target.place.snapshot.version
    if done.version is not None and done.version != seen:
        try:
            schema, found = _read(call, target, done.version)
        except LakeError as failure:
            notice = (
                f"The merge is done, and its rows could not be read: {failure.message} SHOW CHANGES {target.label}"
                f" FROM VERSION {seen} TO VERSION {done.version} lists them."
            )
            return replace(done, extra={**done.extra, "notices": [*done.extra.get("notices", ()), notice]})
    return _answer(names, schema, found, done)


def _read(call: Call, target: ResolvedTable, version: int) -> tuple[Schema, QueryResult]:
    """The rows in which the branch before and at the version differ, both sides of each update."""
    now = branch_snapshot(Branch.objects.get(pk=target.place.branch.pk))
    after = now.at(version)
    state = state_valid(after, target.table.table_id)
    assert state is not None, "the merge wrote the table in this version"
    return state.schema, row_differences(call.context, now.at(version - 1), after, state, limit=2 * ROW_LIMIT).found


def _answer(names: Sequence[str], schema: Schema, found: QueryResult, done: StatementResult) -> StatementResult:
    columns = [(MERGE_ACTION, "string"), *((column.name, column.type) for column in schema.columns)]
    places: list[int] = []
    for name in names:
        every = name == EVERY_COLUMN
        folded = name.casefold()
        wanted = range(1, len(columns)) if every else [i for i, (n, _) in enumerate(columns) if n.casefold() == folded]
        places += wanted if every else wanted[:1]
    rows: list[list[Any]] = []
    for change, _, *values in found.rows:
        if change in _ACTIONS:
            whole = [_ACTIONS[change], *values]
            rows.append([whole[place] for place in places])
    shown = rows[:ROW_LIMIT]
    return replace(
        done,
        columns=[columns[place] for place in places],
        rows=shown,
        row_count=len(shown),
        truncated=found.truncated or len(rows) > len(shown),
    )
