"""How tables merge, as properties of tables and of the catalog: what cannot be, or would do nothing, is refused."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from catalog_app.domain.checks import check_name, is_check, is_stored, property_shown
from catalog_app.domain.generated import generated_values
from catalog_app.domain.operations import Operation
from catalog_app.domain.schema import Schema
from catalog_app.domain.state import TableState
from catalog_app.domain.table_properties import (
    FILE,
    MERGE_COLUMN,
    MERGE_CONFLICTS,
    column_merge_renamed,
    merge_properties_check,
    merges_by,
    properties_check,
)
from catalog_app.models import Branch
from catalog_app.services import alterations
from catalog_app.services.catalogs import merge_conflicts_change
from lakeui.common.errors import InvalidValue
from lakeui.frontdoor.call import Call
from lakeui.frontdoor.inputs_outputs import StatementResult
from lakeui.sql import statements as sql
from merge_app.audit.settings import setting_recorder


def set_catalog_properties(call: Call, statement: sql.SetCatalogProperties) -> StatementResult:
    properties = dict(statement.properties)
    _catalog_keys_check(properties)
    properties_check(properties)
    return _change(call, statement.name, properties.get(MERGE_CONFLICTS, FILE))


def unset_catalog_properties(call: Call, statement: sql.UnsetCatalogProperties) -> StatementResult:
    _catalog_keys_check(statement.keys)
    return _change(call, statement.name, FILE)


def _change(call: Call, name: str, value: str) -> StatementResult:
    catalog = call.catalog_named(name)
    merge_conflicts_change(catalog=catalog, value=value, record=setting_recorder(call.principal))
    return StatementResult()


def _catalog_keys_check(keys: Iterable[str]) -> None:
    for key in keys:
        if key != MERGE_CONFLICTS:
            raise InvalidValue(
                f"There is no property {key} of a catalog.",
                remedy=f"Known is {MERGE_CONFLICTS}.",
                field=key,
                nearest=MERGE_CONFLICTS if key.casefold() == MERGE_CONFLICTS else None,
            )


def table_properties_check(
    given: Mapping[str, str], schema: Schema, branch: Branch, present: Mapping[str, str] | None = None
) -> None:
    """Raise InvalidValue where a table with this schema cannot be given these properties beside those
    that are ``present``.
    """
    properties_check(given)
    if any(key.startswith("merge.") for key in given):
        together = {**(present or {}), **given}
        merge_properties_check(together, schema, branch.catalog.merge_conflicts)
        _computed_check(given, schema, together)


def _computed_check(given: Mapping[str, str], schema: Schema, properties: Mapping[str, str]) -> None:
    """Raise InvalidValue for a rule of cells of a generated column, which has none of its own."""
    computed = generated_values(properties, schema)
    for column in schema.columns:
        key = MERGE_COLUMN + column.name
        if column.id in computed and key in given:
            raise InvalidValue(
                f"{key}: {column.name} is a generated column, which is computed of the merged row.",
                remedy="Set the property of a column that it reads.",
                field=key,
            )


def unset_check(table: TableState, keys: Collection[str], branch: Branch) -> None:
    """Raise InvalidValue where a property that stays would do nothing, and for a constraint, which is none."""
    for name in (check_name(key) for key in keys if is_check(key)):
        raise InvalidValue(
            f"{name} is a constraint of {table.name}.", remedy=f"Write ALTER TABLE .. DROP CONSTRAINT {name}."
        )
    for key in (key for key in keys if is_stored(key) and not is_check(key)):
        raise InvalidValue(
            f"{key} keeps {property_shown(key)} of {table.name}.",
            remedy="Write ALTER TABLE .. DROP PARTITION FIELD, or CLUSTER BY NONE.",
        )
    if MERGE_CONFLICTS in keys:
        left = {key: value for key, value in table.properties.items() if key not in set(keys)}
        merge_properties_check(left, table.schema, branch.catalog.merge_conflicts)


def properties_after_rename(table: TableState, old: str, new: str) -> list[Operation | None]:
    """The property of a column follows its name."""
    renamed = column_merge_renamed(table.properties, old, new)
    if not renamed:
        return []
    return [alterations.properties_unset(table, [MERGE_COLUMN + old]), alterations.properties_set(table, renamed)]


def properties_after_drop(table: TableState, names: Iterable[str]) -> Operation | None:
    """The property of a column goes with it."""
    gone = [key for name in names if (key := MERGE_COLUMN + name) in table.properties]
    return alterations.properties_unset(table, gone) if gone else None


def column_type_check(table: TableState, name: str, new_type: str) -> None:
    """Raise InvalidValue where cells of the new type cannot be merged as the table's properties say."""
    column = alterations.column_get(table, name)
    key = MERGE_COLUMN + column.name
    value = table.properties.get(key)
    if value is not None and not merges_by(value, new_type):
        raise InvalidValue(
            f"{key} is '{value}', which {new_type} does not allow.",
            remedy=f"UNSET the property {key} first.",
            field=key,
        )
