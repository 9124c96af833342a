"""Statements that read and write rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from lakeui.sql.statements.names import (
    NO_SUBQUERIES,
    Condition,
    PartitionValuesByColumn,
    Properties,
    Query,
    Subqueries,
    TableName,
)


@dataclass(frozen=True, slots=True)
class Select:
    query: Query


@dataclass(frozen=True, slots=True)
class Insert:
    """``values`` where the source is a plain VALUES list: rows of checked expression texts, ``DEFAULT`` kept as that.

    ``query`` is the same source as a query; None only where some value is DEFAULT. ``partition`` by column: checked
    expression text, None where the value comes from the source. ``replaces``: the rows of which it is true go, and new
    rows must be such. ``is_dynamic``: an overwrite replaces the partitions of which it has rows, as the session says.
    ``with_schema_evolution``: the table gains columns that only the query has, and wider types.
    """

    table: TableName
    query: Query | None = None
    columns: tuple[str, ...] | None = None
    by_name: bool = False
    overwrite: bool = False
    partition: PartitionValuesByColumn | None = None
    values: tuple[tuple[str, ...], ...] | None = None
    replaces: Condition | None = None
    is_dynamic: bool = False
    with_schema_evolution: bool = False


@dataclass(frozen=True, slots=True)
class SemiJoin:
    """A condition that a row fits whose column has one of the values of a query, as the ON of a merge. It is that one
    where ``names`` are columns of the one table that the query reads, and none there is called as the target is.
    ``column``: what the query calls its only one, which is ``read`` of that table. ``beside``: what else the condition
    says, of the target alone; empty where nothing.
    """

    source: Query
    source_alias: str
    on: Condition
    key: MergeKey
    column: str
    read: str
    names: tuple[str, ...]
    beside: str = ""


@dataclass(frozen=True, slots=True)
class Delete:
    """``semi_join``: the condition in another form, where it has that."""

    table: TableName
    alias: str | None = None
    where: Condition | None = None
    subqueries: Subqueries = NO_SUBQUERIES
    semi_join: SemiJoin | None = field(default=None, compare=False)


FieldAssignments = tuple[tuple[tuple[str, ...], str], ...]
"""Paths of fields inside of columns, each beginning with the column's name, and checked expression texts."""


@dataclass(frozen=True, slots=True)
class Update:
    """``assignments`` are column names and checked expression texts over the target's columns, or ``DEFAULT``;
    ``fields`` those of fields inside of columns. ``owned``: the paths as they were written of which the first name was
    taken for the table's. A struct column may have the same name. ``semi_join`` as in Delete.
    """

    table: TableName
    assignments: tuple[tuple[str, str], ...]
    alias: str | None = None
    where: Condition | None = None
    fields: FieldAssignments = ()
    owned: tuple[tuple[str, ...], ...] = field(default=(), compare=False)
    subqueries: Subqueries = NO_SUBQUERIES
    semi_join: SemiJoin | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class MergeKey:
    """A conjunct of ON that sets a bare column of the target equal to an expression over the source's columns."""

    column: str
    source: str
    null_safe: bool = False


@dataclass(frozen=True, slots=True)
class MergeUpdate:
    """``assignments`` None: every column of the target from the source's column of that name (``SET *``). ``fields``
    and ``owned`` as in Update.
    """

    assignments: tuple[tuple[str, str], ...] | None = None
    fields: FieldAssignments = ()
    owned: tuple[tuple[str, ...], ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class MergeInsert:
    """Columns and checked expression texts, or ``DEFAULT``; None: from the source's columns by name (``INSERT *``)."""

    assignments: tuple[tuple[str, str], ...] | None = None


@dataclass(frozen=True, slots=True)
class MergeDelete:
    """The row goes."""


MergeAction = MergeUpdate | MergeInsert | MergeDelete


class MergeFamily(StrEnum):
    MATCHED = "matched"
    NOT_MATCHED = "not matched"
    NOT_MATCHED_BY_SOURCE = "not matched by source"


@dataclass(frozen=True, slots=True)
class MergeClause:
    """The first clause of a row's family whose condition is true acts; no condition is true of every row. ``start`` is
    where its WHEN stands in the statement's text.
    """

    family: MergeFamily
    action: MergeAction
    condition: Condition | None = None
    start: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class MergeInto:
    """``source`` gives the source's rows, which expressions call by ``source_alias``; ``source_columns`` rename its
    columns. ``keys`` are conjuncts of ``on``; ``is_by_keys_alone`` where there are no others. ``on_present``: ``on``
    with = for the <=> of keys, which says the same of source rows without NULL in them; empty where none is null safe.
    ``returning``: what of the changed rows is answered. ``beside``: all of ``on`` but the keys, where that is known to
    read the target alone.
    """

    table: TableName
    source: Query
    on: Condition
    clauses: tuple[MergeClause, ...]
    alias: str
    source_alias: str | None = None
    source_columns: tuple[str, ...] | None = None
    keys: tuple[MergeKey, ...] = ()
    is_by_keys_alone: bool = False
    with_schema_evolution: bool = False
    on_present: str = ""
    returning: tuple[str, ...] = ()
    beside: str = ""


@dataclass(frozen=True, slots=True)
class CopyInto:
    """Load the files below ``uri`` that were not loaded before. ``form``: PARQUET, CSV or JSON. ``files``: their names
    below it; ``pattern``: a pattern for these names; without both: all. ``options``: how CSV is read. ``force``: files
    that were loaded before too.
    """

    table: TableName
    uri: str
    form: str
    files: tuple[str, ...] = ()
    pattern: str | None = None
    options: Properties = ()
    force: bool = False


@dataclass(frozen=True, slots=True)
class Truncate:
    table: TableName


@dataclass(frozen=True, slots=True)
class Optimize:
    """``order_by``: the columns of ZORDER BY."""

    table: TableName
    where: Condition | None = None
    order_by: tuple[str, ...] = ()
