"""Statements on views."""

from __future__ import annotations

from dataclasses import dataclass

from lakeui.sql.statements.names import DatabaseName, Properties, Query, TableName


@dataclass(frozen=True, slots=True)
class ViewColumn:
    """A column as the view calls it."""

    name: str
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class NamedInView:
    """A table or view that a view's query names, and the columns that may be meant of it, folded."""

    name: TableName
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CreateView:
    """``text`` is the SELECT as the user wrote it, to keep and to read again whenever the view is. ``columns``: the
    names of all columns, in order; () leaves them to the query. The comment is one of the properties.
    """

    view: TableName
    query: Query
    text: str
    or_replace: bool = False
    if_not_exists: bool = False
    columns: tuple[ViewColumn, ...] = ()
    properties: Properties = ()
    reads: tuple[NamedInView, ...] = ()


@dataclass(frozen=True, slots=True)
class CreateTemporaryView:
    """A view of the session. ``text`` holds all that it needs but tables of databases."""

    name: str
    query: Query
    text: str
    or_replace: bool = False


@dataclass(frozen=True, slots=True)
class DropTemporaryView:
    name: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class CreateTemporaryFunction:
    """A function of the session. ``text``: its parameters and body. ``query`` calls it on a row without values."""

    name: str
    query: Query
    text: str
    or_replace: bool = False


@dataclass(frozen=True, slots=True)
class DropTemporaryFunction:
    name: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class DescribeFunction:
    name: str
    is_extended: bool = False


@dataclass(frozen=True, slots=True)
class DescribeQuery:
    """The columns that a query answers."""

    query: Query


@dataclass(frozen=True, slots=True)
class SetPartitionOverwrite:
    """Whether INSERT OVERWRITE without values of partitions replaces those alone of which it has rows."""

    is_dynamic: bool


@dataclass(frozen=True, slots=True)
class AlterView:
    """Another query; names of columns are those of the query then."""

    view: TableName
    query: Query
    text: str
    reads: tuple[NamedInView, ...] = ()


@dataclass(frozen=True, slots=True)
class RenameView:
    view: TableName
    new: TableName


@dataclass(frozen=True, slots=True)
class SetViewProperties:
    view: TableName
    properties: Properties


@dataclass(frozen=True, slots=True)
class UnsetViewProperties:
    view: TableName
    keys: tuple[str, ...]
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class DropView:
    view: TableName
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class ShowViews:
    """``like`` as in ShowTables."""

    database: DatabaseName | None = None
    like: str | None = None
