"""Generated columns: a column whose value is an expression over the other columns of its row.

Such a column is a CHECK constraint, `` `c` <=> CAST((expression) AS type) ``, whose name is made of the column's id,
and a value where a statement gives none. So it merges, restores and clones as constraints do, and no way to write gets
past it.

An identity column is kept under the same name. Its value says how it counts (``catalog_app.domain.identity``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from catalog_app.domain.checks import (
    CHECK,
    check_key,
    checks_of,
    checks_shown,
    column_mark,
    columns_read,
    condition_shown,
)
from catalog_app.domain.identity import Identity, identity_read
from catalog_app.domain.layout import with_layout
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.state import TableState

NAME = "generated column "
"""Begins the name of the constraint; no statement gives such a name."""
_SAME = " <=> "


def is_generated(key: str) -> bool:
    """Whether the property is the constraint of a generated column."""
    return key.startswith(CHECK + NAME)


def generated_keys(column_ids: Iterable[int]) -> frozenset[str]:
    """The keys of the constraints of columns that may be generated."""
    return frozenset(check_key(f"{NAME}{identifier}") for identifier in column_ids)


def generated_property(column: Column, value: str) -> tuple[str, str]:
    """Key and stored condition. ``value``: SQL of the column's type, with marks for columns."""
    return check_key(f"{NAME}{column.id}"), f"`{column_mark(column)}`{_SAME}{value}"


def identity_property(column: Column, identity: Identity) -> tuple[str, str]:
    """Key and what is stored of an identity column."""
    return check_key(f"{NAME}{column.id}"), identity.stored(column_mark(column))


def identities_of(properties: Mapping[str, str], schema: Schema) -> dict[int, Identity]:
    """By column id how the identity columns count."""
    found = {}
    for column, stored in _kept(properties, schema):
        identity = identity_read(stored)
        if identity is not None:
            found[column.id] = identity
    return found


def _kept(properties: Mapping[str, str], schema: Schema) -> Iterator[tuple[Column, str]]:
    """The generated and identity columns, and what is stored of each."""
    for key, stored in checks_of(properties).items():
        column = schema.column(columns_read(stored)[0]) if is_generated(key) else None
        if column is not None:
            yield column, stored


def generated_values(properties: Mapping[str, str], schema: Schema) -> dict[int, str]:
    """By column id the stored SQL of what the generated columns are."""
    return {
        column.id: stored.partition(_SAME)[2]
        for column, stored in _kept(properties, schema)
        if identity_read(stored) is None
    }


def generated_shown(table: TableState) -> dict[str, str]:
    """By the name of the column what it is, for people."""
    found = generated_values(table.properties, table.schema)
    return {c.name: condition_shown(found[c.id], table.schema) for c in table.schema.columns if c.id in found}


def identities_shown(table: TableState) -> dict[str, Identity]:
    """By the name of the column how the identity columns count."""
    found = identities_of(table.properties, table.schema)
    return {column.name: found[column.id] for column in table.schema.columns if column.id in found}


def checks_stated_shown(table: TableState) -> dict[str, str]:
    """By name the conditions of the constraints that statements made, for people."""
    stated = {key: stored for key, stored in table.properties.items() if not is_generated(key)}
    return checks_shown(stated, table.schema)


def writing_schema(table: TableState) -> Schema:
    """The schema under which rows are written: generated and identity columns know what they are, and it has the layout
    of files.
    """
    schema = with_layout(table.schema, table.properties)
    if not any(map(is_generated, table.properties)):
        return schema
    found, counted = generated_values(table.properties, schema), identities_of(table.properties, schema)
    columns = tuple(
        replace(column, generated=found.get(column.id), identity=counted.get(column.id)) for column in schema.columns
    )
    return replace(schema, columns=columns)


def generated_key_of(properties: Mapping[str, str], column: Column) -> Iterator[str]:
    """The keys of the constraints by which the column is a generated one."""
    for key, stored in checks_of(properties).items():
        if is_generated(key) and columns_read(stored)[0] in column.ids:
            yield key
