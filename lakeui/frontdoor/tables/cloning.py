"""``CREATE TABLE t CLONE u``: a new table with all that another is at a version, rows too. No file is written."""

from __future__ import annotations

from dataclasses import replace

from catalog_app.domain.checks import is_stored
from catalog_app.domain.operations import Operation, OperationKind
from catalog_app.domain.state import TableState
from catalog_app.models import Table
from catalog_app.selectors.segments import segments_list
from catalog_app.services import alterations
from catalog_app.services.registered import registered_note
from lakeui.common.errors import NotSupported
from lakeui.frontdoor.call import Call, Place, place_of, table_for_reading, view_asked
from lakeui.frontdoor.columns.merge_settings import table_properties_check
from lakeui.frontdoor.columns.new_table import create_operation, refuse_taken
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.rows.committing import commit_operations
from lakeui.frontdoor.rows.writes import write_metrics
from lakeui.sql import statements as sql
from merge_app.execution.cloning import TableClone
from merge_app.execution.reads import TableRead


def clone_table(call: Call, statement: sql.CreateTable, name: sql.TableName) -> StatementResult:
    """The clone's history begins here: every row is inserted by this commit, under the row id that it has."""
    asked = view_asked(call, name)
    if asked is not None:
        raise NotSupported(
            f"{asked[0].database.name}.{asked[1].name} is a view, which has no files to share.",
            remedy="Use CREATE TABLE .. AS SELECT * FROM it.",
        )
    source = table_for_reading(call, name)
    place = place_of(call, statement.table)
    refuse_taken(place, statement.table.table)
    state = _state(statement, place, source.table)
    snapshot = source.place.snapshot
    segments = segments_list(snapshot, source.table.table_id)
    call.reads.add(TableRead(source.table.table_id, snapshot.branch_ids[0], snapshot.version))
    rows = sum(segment.rows - segment.deleted_rows for segment in segments)
    metrics = write_metrics(rows_inserted=rows, files_added=len(segments))
    operations: list[Operation | None] = [create_operation(state)]
    if segments:
        operations.append(alterations.operation(state, OperationKind.INSERT, metrics=metrics))
    return commit_operations(
        call,
        branch=place.branch,
        seen=place.snapshot,
        operation="CREATE TABLE CLONE",
        operations=operations,
        databases={place.database.database_id: place.database},
        tables={state.table_id: state},
        metrics=metrics,
        clones={state.table_id: TableClone(source.table.table_id, snapshot)},
    )


def _state(statement: sql.CreateTable, place: Place, source: TableState) -> TableState:
    """The source's, as another table. It continues to count column ids, row addresses and numbers of identity columns
    where the source is now, as its files hold such ones.
    """
    properties = {**source.properties, **dict(statement.properties)}
    given = {key: value for key, value in properties.items() if not is_stored(key)}
    table_properties_check(given | dict(statement.properties), source.schema, place.branch)
    counters = Table.objects.get(pk=source.table_id)
    identity = Table.objects.create(
        catalog_id=place.branch.catalog_id,
        next_column_id=counters.next_column_id,
        next_address=counters.next_address,
        next_identity=counters.next_identity,
    )
    registered_note(tables=[identity.pk])
    return replace(
        source,
        table_id=identity.pk,
        database_id=place.database.database_id,
        name=statement.table.table,
        schema_version=0,
        properties=properties,
    )
