"""ALTER TABLE on the layout of new files. No file changes: OPTIMIZE lays those that are there."""

from __future__ import annotations

from catalog_app.domain.checks import CLUSTERING, LAYOUT
from catalog_app.domain.layout import layout_shown
from catalog_app.services import alterations
from lakeui.common.errors import NotFound
from lakeui.frontdoor.call import Call, ResolvedTable, table_for_writing
from lakeui.frontdoor.columns.layout_properties import clustering_kept, column_named, fields_stored, layout_stating
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.tables.tables import commit_table
from lakeui.sql import statements as sql


def change_layout(call: Call, statement: sql.ChangeLayout) -> StatementResult:
    target = table_for_writing(call, statement.table)
    fields = list(layout_stating(target.table))
    place = len(fields)
    if statement.drop is not None:
        place = _place(target, fields, statement.drop)
        del fields[place]
    if statement.add is not None:
        fields.insert(place, statement.add)
    stored = fields_stored(fields, target.table.schema, target.label)
    words = ("ADD", "DROP", "REPLACE")[(statement.drop is not None) + (None not in (statement.drop, statement.add))]
    return _set(call, target, f"{words} PARTITION FIELD", LAYOUT, stored)


def cluster_by(call: Call, statement: sql.ClusterBy) -> StatementResult:
    target = table_for_writing(call, statement.table)
    return _set(
        call, target, "CLUSTER BY", CLUSTERING, clustering_kept(statement.columns, target.table.schema, target.label)
    )


def _set(call: Call, target: ResolvedTable, operation: str, key: str, stored: str) -> StatementResult:
    """That there is none is a value, so that a merge sees it beside what the other side chose."""
    if target.table.properties.get(key, "") == stored:
        return StatementResult(version=target.place.snapshot.version)
    return commit_table(call, target, operation, [alterations.properties_set(target.table, {key: stored})])


def _place(target: ResolvedTable, fields: list[sql.PartitionField], wanted: sql.PartitionField) -> int:
    column = column_named(wanted.column, target.table.schema, target.label)
    for place, item in enumerate(fields):
        if (item.name, item.number, item.column) == (wanted.name, wanted.number, column.name):
            return place
    text = f"{wanted.name}({f'{wanted.number}, ' if wanted.number else ''}{column.name})"
    listed = ", ".join(layout_shown(target.table)) or "none"
    raise NotFound("partition field", text, where=f"on table {target.label}, which has {listed}")
