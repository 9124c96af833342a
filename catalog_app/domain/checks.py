"""CHECK constraints of tables: what is stored of them, and what is shown.

A constraint is a property of its table, so it has facts, merges, restores and clones as properties do. Its name is in
the key. Its value is the condition, with the ids of columns in the place of their names: it follows a renamed column.
A row fits where the condition is not false: NULL passes, as in the SQL standard.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from catalog_app.domain.identity import identity_read
from catalog_app.domain.quoting import quote_name, write_name
from catalog_app.domain.row_counts import telling_columns
from catalog_app.domain.schema import Column, Schema
from lakeui.common.counts import counted
from lakeui.common.errors import CheckViolated, InvalidValue

CHECK = "write.check."
"""Begins the key. No statement on properties sets such a key."""
LAYOUT, CLUSTERING = "write.layout", "write.clustering"
"""The keys of how rows lie in files, of which ``catalog_app.domain.layout`` tells; they name columns by id."""
_MARK = "__lake_c"
_PART = re.compile(rf"`{_MARK}(\d+)`|`(?:[^`]|``)*`|'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.|\"\")*\"", re.DOTALL)
"""A column, or a name or text in which none is looked for."""


@dataclass(frozen=True, slots=True)
class RowCheck:
    """A constraint over the columns of one schema. ``shown``: the columns by which an example names its row."""

    name: str
    condition: str
    shown: tuple[str, ...]


VIOLATIONS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Violation:
    """``rows``: how many rows do not fit; ``example``: one of them as JSON. ``reason``: why the condition has no value
    for some row; then nothing is counted. ``examples``: the first ``VIOLATIONS_SHOWN`` of them by their text.
    """

    rows: int
    example: str = ""
    reason: str = ""
    examples: tuple[str, ...] = ()

    def beside(self, other: Violation) -> Violation:
        """Of one constraint, the rows of both."""
        shown = sorted((*self.examples, *other.examples))[:VIOLATIONS_SHOWN]
        example, reason = self.example or other.example, self.reason or other.reason
        return Violation(self.rows + other.rows, example, reason, tuple(shown))


def check_key(name: str) -> str:
    """The key of the property; names differ by more than case."""
    return CHECK + name.casefold()


def is_check(key: str) -> bool:
    return key.startswith(CHECK)


def is_stored(key: str) -> bool:
    """Whether statements on properties neither set nor show it, and its value names columns by id."""
    return key.startswith(CHECK) or key in _NAMED


def check_name(key: str) -> str:
    return key.removeprefix(CHECK)


def property_shown(key: str) -> str:
    """What people call the property: ``the property k``, ``the constraint c``."""
    if key in _NAMED:
        return _NAMED[key]
    return f"the constraint {check_name(key)}" if is_check(key) else f"the property {key}"


_NAMED = {LAYOUT: "the partition fields", CLUSTERING: "the clustering"}


def stored_of(properties: Mapping[str, str]) -> dict[str, str]:
    """By key what names columns by id, constraints and layout, in the order of the keys."""
    return {key: properties[key] for key in sorted(properties) if is_stored(key)}


def checks_of(properties: Mapping[str, str]) -> dict[str, str]:
    """By key the stored conditions, in the order of their names."""
    return {key: properties[key] for key in sorted(properties) if is_check(key)}


def checks_enforced(properties: Mapping[str, str]) -> dict[str, str]:
    """The same without identity columns, which say how a column counts and nothing of its rows."""
    return {key: stored for key, stored in checks_of(properties).items() if identity_read(stored) is None}


def column_mark(column: Column) -> str:
    """What stands in a stored condition for the column."""
    return f"{_MARK}{column.id}"


def columns_read(stored: str) -> tuple[int, ...]:
    """The ids of the columns that a stored condition reads."""
    return tuple(dict.fromkeys(int(part[1]) for part in _PART.finditer(stored) if part[1]))


def condition_shown(stored: str, schema: Schema) -> str:
    """The condition with the names that its columns have. A column that is not there keeps its mark."""

    def named(identifier: int) -> str | None:
        column = schema.column(identifier)
        return None if column is None else quote_name(column.name)

    return marks_replaced(stored, named)


def marks_replaced(stored: str, text: Callable[[int], str | None]) -> str:
    """The stored condition with other text for its columns, given their ids; None leaves the mark."""

    def replaced(part: re.Match[str]) -> str:
        found = text(int(part[1])) if part[1] else None
        return part[0] if found is None else found

    return _PART.sub(replaced, stored)


def checks_shown(properties: Mapping[str, str], schema: Schema) -> dict[str, str]:
    """By name the conditions of a table, for people."""
    return {check_name(key): condition_shown(stored, schema) for key, stored in checks_of(properties).items()}


def row_check(key: str, stored: str, schema: Schema) -> RowCheck:
    read = columns_read(stored)
    chosen = {column.id: column for column in (*key_columns(schema), *map(schema.column, read)) if column is not None}
    return RowCheck(check_name(key), condition_shown(stored, schema), tuple(c.name for c in chosen.values()))


def row_checks(properties: Mapping[str, str], schema: Schema) -> list[RowCheck]:
    """All constraints of a table that its rows have to fit."""
    return [row_check(key, stored, schema) for key, stored in checks_enforced(properties).items()]


def violations_refuse(checks: Iterable[RowCheck], found: Mapping[str, Violation], table: str) -> None:
    """Raise CheckViolated for the first of the constraints that rows do not fit."""
    for check in checks:
        violation = found.get(check.name)
        if violation is not None:
            raise _violated(check, violation, table)


def _violated(check: RowCheck, found: Violation, table: str) -> CheckViolated:
    if found.reason:
        message = f"The constraint {check.name} of {table}, {check.condition}, has no value for a row: {found.reason}"
    else:
        rows = counted(found.rows, "row violates", "rows violate")
        message = f"{rows} the constraint {check.name} of {table}, {check.condition}; one is {found.example}."
    return CheckViolated(
        message,
        remedy="Change the rows, or drop the constraint.",
        constraint=check.name,
        rows=found.rows,
        example=found.example,
    )


def key_columns(schema: Schema) -> tuple[Column, ...]:
    return tuple(telling_columns(schema)) if schema.is_keyed else ()


def readers_of(properties: Mapping[str, str], column: Column) -> Iterator[str]:
    """The names of the constraints that read the column."""
    for key, stored in checks_of(properties).items():
        if not set(column.ids).isdisjoint(columns_read(stored)):
            yield check_name(key)


def column_free_check(properties: Mapping[str, str], column: Column) -> None:
    """Raise InvalidValue where a constraint reads the column."""
    name = next(readers_of(properties, column), None)
    if name is not None:
        raise InvalidValue(
            f"The constraint {name} reads column {column.name}.",
            remedy=f"Drop it first: ALTER TABLE .. DROP CONSTRAINT {write_name(name)}. Renaming needs no drop.",
            column=column.name,
            constraint=name,
        )
