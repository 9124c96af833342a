"""Generated and identity columns: what CREATE TABLE says of them, and the values that statements leave to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from catalog_app.domain.checks import columns_read, marks_replaced
from catalog_app.domain.generated import generated_property, identity_property
from catalog_app.domain.identity_columns import value_refused
from catalog_app.domain.schema import Column, Schema
from catalog_app.engine.types import is_default, quoted, storage_type
from lakeui.common.errors import InvalidValue, NotSupported
from lakeui.frontdoor.expressions.analysis import condition_analyse
from lakeui.frontdoor.expressions.checks import condition_stored
from lakeui.sql import statements as sql
from lakeui.sql.allowlist import is_deterministic
from lakeui.sql.dialect import read_expression

Given = Sequence[tuple[str, str]]
"""Columns with the texts of what goes into them."""


def generated_stated(
    definitions: Iterable[sql.ColumnDefinition], schema: Schema, table: str, *, known: Iterable[str] = ()
) -> dict[str, str]:
    """The properties that the generated and identity columns of a statement are, beside generated columns that are
    ``known``. Raises where one cannot be.
    """
    counted = {item.name.casefold(): item.identity for item in definitions if item.identity is not None}
    stated = {item.name.casefold(): item.generated for item in definitions if item.generated is not None}
    generated = {*stated, *map(str.casefold, known)}
    found: dict[str, str] = {}
    for column in schema.columns:
        name = column.name.casefold()
        if identity := counted.get(name):
            _place_check(column, schema)
            found |= [identity_property(column, identity)]
        text = stated.get(name)
        if text is None:
            continue
        _column_check(column, schema)
        value = condition_stored(text, schema, table, "A generated column")
        _reads_check(column, columns_read(value), schema, generated)
        key, condition = generated_property(column, f"CAST(({value}) AS {storage_type(column.type)})")
        condition_analyse(_shown(condition, schema), schema, table, f"GENERATED ALWAYS AS of {column.name}")
        found[key] = condition
    return found


def _place_check(column: Column, schema: Schema) -> None:
    if column.id in schema.partition_by:
        raise NotSupported(
            f"The identity column {column.name} cannot be a partition column: each row would get a partition.",
            remedy=f"Leave {column.name} out of PARTITIONED BY, or use bucket(16, {column.name}).",
        )


def _column_check(column: Column, schema: Schema) -> None:
    if column.id in schema.primary_key:
        raise NotSupported(
            f"{column.name} is part of the primary key, which cannot be generated.",
            remedy="Make the columns of which it is computed the key.",
        )
    if "<" in column.type or column.type.startswith(("char", "varchar")):
        raise NotSupported(
            f"A generated column cannot be {column.type}.",
            remedy="Make it STRING, or of another type without length and fields.",
        )


def _reads_check(column: Column, read: Iterable[int], schema: Schema, generated: set[str]) -> None:
    for item in (found for i in read if (found := schema.column(i)) is not None):
        if item.name.casefold() in generated:
            raise NotSupported(
                f"The generated column {column.name} reads {item.name}, which is generated too.",
                remedy="Write the other's expression in its place.",
            )
        if item.type.startswith("char"):
            raise NotSupported(
                f"The generated column {column.name} reads {item.name}, which pads its values.",
                remedy=f"Make {item.name} VARCHAR or STRING.",
            )


def _shown(stored: str, schema: Schema) -> str:
    return marks_replaced(stored, lambda i: quoted(column.name) if (column := schema.column(i)) is not None else None)


# -- values -------------------------------------------------------------------------------------------------------


def with_generated(schema: Schema, given: Given, alias: str | None) -> Given:
    """What an UPDATE sets, or with ``alias`` None an INSERT of MERGE gives, with the generated columns that follow from
    it. One that the statement gives is asked afterwards, like any constraint. Identity columns without a value are left
    out: whoever inserts the rows numbers them.
    """
    given = _without_identities(schema, given, is_update=alias is not None)
    if not any(column.generated for column in schema.columns):
        return given
    kept = [(name, text) for name, text in given if not (_is_generated(schema, name) and is_default(text))]
    asked = {name.casefold() for name, _ in given} - {name.casefold() for name, _ in kept}
    texts = {column.id: text for name, text in kept if (column := schema.named(name)) is not None}
    found = list(kept)
    for column in schema.columns:
        if column.generated is None or column.id in texts:
            continue
        read = columns_read(column.generated)
        if alias is None or column.name.casefold() in asked or not texts.keys().isdisjoint(read):
            _require_same_twice(column, texts, read, schema)
            found.append((column.name, _computed(column.generated, texts, schema, alias)))
    return found


def _without_identities(schema: Schema, given: Given, *, is_update: bool) -> Given:
    kept = []
    for name, text in given:
        column = schema.named(name)
        if column is None or column.identity is None:
            kept.append((name, text))
        elif not is_default(text):
            if column.identity.always:
                raise value_refused(column)
            kept.append((name, text))
        elif is_update:
            raise NotSupported(
                f"UPDATE gives the identity column {column.name} no new number.",
                remedy="Delete the rows, and insert them again without it.",
                column=column.name,
            )
    return kept


def _is_generated(schema: Schema, name: str) -> bool:
    column = schema.named(name)
    return column is not None and column.generated is not None


def _computed(stored: str, texts: Mapping[int, str], schema: Schema, alias: str | None) -> str:
    """The expression over what its columns become."""

    def value(identifier: int) -> str | None:
        column = schema.column(identifier)
        if column is None:
            return None
        text = texts.get(column.id)
        if text is None and alias is not None:
            return f"{quoted(alias)}.{quoted(column.name)}"
        if text is None or is_default(text):
            text = column.default or "NULL"
        # A line break ends what may be a comment at the end of an expression.
        return f"CAST(({text}\n) AS {storage_type(column.type)})"

    return marks_replaced(stored, value)


def _require_same_twice(column: Column, texts: Mapping[int, str], read: Iterable[int], schema: Schema) -> None:
    """A value from which another is computed is computed twice."""
    for identifier in read:
        text = texts.get(identifier)
        if text is not None and not is_default(text) and not is_deterministic(read_expression(text)):
            source = schema.column(identifier)
            raise InvalidValue(
                f"{source.name if source else ''} gets a value that differs each time, and the generated column"
                f" {column.name} is computed of it.",
                remedy="Compute the value in a query first: MERGE INTO .. USING (SELECT ..).",
                column=column.name,
            )


def values_without_generated(statement: sql.Insert, schema: Schema) -> sql.Insert:
    """An INSERT of literals without generated and identity columns for which every row says DEFAULT."""
    generated = {column.name.casefold() for column in schema.columns if column.generated or column.identity}
    if statement.values is None or not generated:
        return statement
    fixed = {name.casefold() for name, text in statement.partition or () if text is not None}
    names = statement.columns or tuple(c.name for c in schema.columns if c.name.casefold() not in fixed)
    if any(len(row) != len(names) for row in statement.values):
        return statement
    left_out = set()
    for place, name in enumerate(names):
        says = [is_default(row[place]) for row in statement.values]
        if name.casefold() in generated and any(says):
            if not all(says):
                raise NotSupported(
                    f"Some rows give the generated column {name} a value, and others DEFAULT.",
                    remedy=f"Leave {name} out of the INSERT, or write one INSERT for each kind.",
                    column=name,
                )
            left_out.add(place)
    if not left_out:
        return statement
    kept = [place for place in range(len(names)) if place not in left_out]
    return replace(
        statement,
        columns=tuple(names[place] for place in kept),
        values=tuple(tuple(row[place] for place in kept) for row in statement.values),
    )
