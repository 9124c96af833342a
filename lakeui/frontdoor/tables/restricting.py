"""Row filters and masks, set and lifted by statements, one at a time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.contrib.auth.models import Group

from catalog_app.domain.restrictions import Restriction, expression_stated
from catalog_app.domain.roles import Role
from catalog_app.selectors.people import group_get
from catalog_app.selectors.restrictions import restriction_value, stored_restrictions
from catalog_app.services.restrictions import restriction_amend
from lakeui.common.errors import InvalidValue, NotFound
from lakeui.common.nearest import nearest_name
from lakeui.frontdoor.call import Call, ResolvedTable, table_for_reading, table_for_writing
from lakeui.frontdoor.expressions.restrictions import restriction_stated
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.frontdoor.tables.show import answer, strings
from lakeui.sql import statements as sql
from merge_app.audit.settings import setting_recorder

ROLES = tuple(role.value for role in Role if role is not Role.OWNER)


def change_restriction(call: Call, statement: sql.ChangeRestriction) -> StatementResult:
    """One filter or one mask: what else is hidden of the table from the same people stays."""
    target = table_for_writing(call, statement.table)
    role, group = _whom(statement)
    stated = _stated(target, statement)
    place = target.place
    changed = restriction_amend(
        catalog=place.branch.catalog,
        table_name=target.label,
        table_id=target.table.table_id,
        role=role,
        group=group,
        user_id=call.session.user_id,
        value=lambda present: _amended(present, stated, statement, target),
        record=setting_recorder(call.principal),
    )
    return StatementResult(extra={"restriction_id": changed.pk if changed else None})


def _whom(statement: sql.ChangeRestriction) -> tuple[str, Group | None]:
    if statement.role is None:
        assert statement.group is not None, "the grammar takes one of the two"
        return "", group_get(statement.group)
    role = statement.role.casefold()
    if role not in ROLES:
        raise InvalidValue(
            f"There is no role {statement.role} that rows can be hidden from.",
            remedy=f"Name {', '.join(ROLES)}; owners see all rows.",
            nearest=nearest_name(role, ROLES),
        )
    return role, None


def _stated(target: ResolvedTable, statement: sql.ChangeRestriction) -> Restriction:
    """What the statement alone hides. Without an expression the column is looked up by no more than its name."""
    if statement.expression is None:
        return Restriction(target.table.table_id)
    row_filter = statement.expression if statement.column is None else ""
    masks = {} if statement.column is None else {statement.column: statement.expression}
    return restriction_stated(target.place.database, target.table, row_filter, masks)


def _amended(
    present: Restriction, stated: Restriction, statement: sql.ChangeRestriction, target: ResolvedTable
) -> Restriction:
    names = {**present.names, **stated.names}
    if statement.column is None:
        if statement.expression is None and not present.row_filter:
            raise NotFound("row filter", target.label, where="for these people")
        return replace(present, row_filter=stated.row_filter, names=names)
    column = target.table.schema.named(statement.column)
    known = {mask.name.casefold() for mask in present.masks}
    folded = {statement.column.casefold()} if column is None else {column.name.casefold()}
    same_id = set() if column is None else {column.id}
    others = tuple(mask for mask in present.masks if mask.column not in same_id and mask.name.casefold() not in folded)
    if statement.expression is None and len(others) == len(present.masks):
        nearest = nearest_name(statement.column, known)
        raise NotFound("mask", f"{target.label}.{statement.column}", nearest=nearest, where="for these people")
    return replace(present, masks=(*others, *stated.masks), names=names)


def show_restrictions(call: Call, statement: sql.ShowRestrictions) -> StatementResult:
    """One row a filter or mask."""
    catalog, of_table = call.catalog, {}
    if statement.table is not None:
        found = table_for_reading(call, statement.table)
        catalog, of_table = found.place.branch.catalog, {"table_id": found.table.table_id}
    rows: list[list[Any]] = []
    for stored in stored_restrictions(catalog).filter(**of_table).order_by("pk"):
        value, whom = restriction_value(stored), [stored.role or None, stored.group.name if stored.group else None]
        if value.row_filter:
            rows.append(
                [stored.table_name, *whom, "row filter", None, expression_stated(value.row_filter, value.names)]
            )
        for mask in value.masks:
            shown = expression_stated(mask.expression, value.names)
            rows.append([stored.table_name, *whom, "mask", mask.name, shown])
    return answer(strings("table", "role", "group", "kind", "column", "expression"), rows)
