"""ALTER TABLE on constraints."""

from __future__ import annotations

from catalog_app.domain.checks import check_key, check_name, checks_of
from catalog_app.selectors.segments import segments_list
from catalog_app.services import alterations
from lakeui.common.errors import AlreadyExists, NotFound
from lakeui.common.nearest import nearest_name
from lakeui.frontdoor.call import Call, table_for_writing
from lakeui.frontdoor.expressions.checks import checks_stated, segments_check
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.tables.tables import commit_table
from lakeui.sql import statements as sql


def add_constraint(call: Call, statement: sql.AddConstraint) -> StatementResult:
    target = table_for_writing(call, statement.table)
    table = target.table
    stated = checks_stated([statement.check], table.schema, table.name)
    taken = next((key for key in stated if key in table.properties), None)
    if taken is not None:
        raise AlreadyExists("constraint", check_name(taken), where=f"on table {target.label}")
    call.context.step("check rows", target.label)
    segments = segments_list(target.place.snapshot, table.table_id)
    segments_check(target, stated, segments)
    return commit_table(call, target, "ADD CONSTRAINT", [alterations.properties_set(table, stated)])


def drop_constraint(call: Call, statement: sql.DropConstraint) -> StatementResult:
    target = table_for_writing(call, statement.table)
    table, key = target.table, check_key(statement.name)
    if key not in table.properties and not statement.if_exists:
        names = [check_name(known) for known in checks_of(table.properties)]
        nearest = nearest_name(check_name(key), names)
        raise NotFound("constraint", statement.name, nearest=nearest, where=f"on table {target.label}")
    return commit_table(
        call, target, "DROP CONSTRAINT", [alterations.properties_unset(table, [key], if_exists=statement.if_exists)]
    )
