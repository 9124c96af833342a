"""Statements on databases, tables and views as a whole."""

from __future__ import annotations

from dataclasses import dataclass

from lakeui.sql.statements.names import DatabaseName, Properties, Query, TableName


@dataclass(frozen=True, slots=True)
class CreateDatabase:
    database: DatabaseName
    if_not_exists: bool = False
    comment: str | None = None
    properties: Properties = ()


@dataclass(frozen=True, slots=True)
class DropDatabase:
    database: DatabaseName
    if_exists: bool = False
    cascade: bool = False


@dataclass(frozen=True, slots=True)
class RenameDatabase:
    database: DatabaseName
    new_name: str


@dataclass(frozen=True, slots=True)
class SetDatabaseProperties:
    database: DatabaseName
    properties: Properties


@dataclass(frozen=True, slots=True)
class UnsetDatabaseProperties:
    database: DatabaseName
    keys: tuple[str, ...]
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class ShowDatabases:
    pass


@dataclass(frozen=True, slots=True)
class DescribeDatabase:
    database: DatabaseName


@dataclass(frozen=True, slots=True)
class ColumnDefinition:
    """``type`` is canonical Spark SQL text, lower case; ``default`` checked SQL text of a constant expression.

    ``within``: the column, and the fields inside of it, to which ADD COLUMN adds a field.
    """

    name: str
    type: str
    nullable: bool = True
    default: str | None = None
    comment: str | None = None
    within: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Position:
    """``after`` None: first."""

    after: str | None = None


@dataclass(frozen=True, slots=True)
class CreateTable:
    """``query`` is the SELECT after AS. Columns of the primary key are never nullable."""

    table: TableName
    if_not_exists: bool = False
    columns: tuple[ColumnDefinition, ...] = ()
    primary_key: tuple[str, ...] = ()
    partition_by: tuple[str, ...] = ()
    comment: str | None = None
    properties: Properties = ()
    query: Query | None = None


@dataclass(frozen=True, slots=True)
class DropTable:
    table: TableName
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class RenameTable:
    table: TableName
    new: TableName


@dataclass(frozen=True, slots=True)
class ShowTables:
    """``database`` None: of every database."""

    database: DatabaseName | None = None


@dataclass(frozen=True, slots=True)
class DescribeTable:
    table: TableName
    extended: bool = False


@dataclass(frozen=True, slots=True)
class ShowCreateTable:
    table: TableName


@dataclass(frozen=True, slots=True)
class ShowPartitions:
    table: TableName


@dataclass(frozen=True, slots=True)
class CreateView:
    """``text`` is the SELECT as the user wrote it, to keep and to read again whenever the view is."""

    view: TableName
    query: Query
    text: str
    or_replace: bool = False


@dataclass(frozen=True, slots=True)
class DropView:
    view: TableName
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class ShowViews:
    database: DatabaseName | None = None
