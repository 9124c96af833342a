"""Statements on databases, tables and views as a whole."""

from __future__ import annotations

from dataclasses import dataclass

from catalog_app.domain.identity import Identity
from lakeui.sql.statements.names import DatabaseName, PartitionValuesByColumn, Properties, Query, TableName


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
    """``like``: a pattern as in SHOW TABLES LIKE; None: all."""

    like: str | None = None


@dataclass(frozen=True, slots=True)
class DescribeDatabase:
    database: DatabaseName


@dataclass(frozen=True, slots=True)
class ColumnDefinition:
    """``type`` is canonical Spark SQL text, lower case; ``default`` checked SQL text of a constant expression,
    ``generated`` of one over the other columns. ``identity``: how the column counts, where it is such a one.

    ``within``: the column, and the fields inside of it, to which ADD COLUMN adds a field.
    """

    name: str
    type: str
    nullable: bool = True
    default: str | None = None
    comment: str | None = None
    within: tuple[str, ...] = ()
    generated: str | None = None
    identity: Identity | None = None


@dataclass(frozen=True, slots=True)
class CheckConstraint:
    """``condition``: checked SQL over the columns of the table. ``name`` None: it gets one."""

    condition: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class PartitionField:
    """A transform of a column: ``number`` of buckets, or the width; 0 for others."""

    name: str
    number: int
    column: str


@dataclass(frozen=True, slots=True)
class Position:
    """``after`` None: first."""

    after: str | None = None


@dataclass(frozen=True, slots=True)
class OutsideTable:
    """A table outside of the warehouse: its form (PARQUET, ICEBERG, DELTA) and where it lies."""

    form: str
    uri: str


@dataclass(frozen=True, slots=True)
class CreateTable:
    """``query`` is the SELECT after AS. Columns of the primary key are never nullable. ``like``: the table
    whose columns, primary key, partitioning and comment the new one has. ``clone``: the table of which it has all,
    rows too, ``properties`` beside. ``asked_format``: another than Parquet that
    USING names. ``replaces``: a table of that name becomes this one and stays the same object; with ``must_exist``
    there has to be one. ``taken``: the table outside whose files, columns and partitions it takes over. ``layout``: the
    transforms among what PARTITIONED BY names; columns are in ``partition_by``.
    """

    table: TableName
    if_not_exists: bool = False
    columns: tuple[ColumnDefinition, ...] = ()
    primary_key: tuple[str, ...] = ()
    partition_by: tuple[str, ...] = ()
    comment: str | None = None
    properties: Properties = ()
    query: Query | None = None
    like: TableName | None = None
    clone: TableName | None = None
    asked_format: str | None = None
    replaces: bool = False
    must_exist: bool = False
    checks: tuple[CheckConstraint, ...] = ()
    taken: OutsideTable | None = None
    layout: tuple[PartitionField, ...] = ()
    cluster_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DropTable:
    """``purge``: the person wants the files gone, which only VACUUM does."""

    table: TableName
    if_exists: bool = False
    purge: bool = False


@dataclass(frozen=True, slots=True)
class RenameTable:
    table: TableName
    new: TableName


@dataclass(frozen=True, slots=True)
class ShowTables:
    """``database`` None: of every database. ``like``: a pattern, in which a star stands for any text and a bar parts
    names; None: all.
    """

    database: DatabaseName | None = None
    like: str | None = None


@dataclass(frozen=True, slots=True)
class ShowTableExtended:
    """Tables and views whose names are like the pattern."""

    database: DatabaseName | None
    like: str


@dataclass(frozen=True, slots=True)
class ShowTableProperties:
    """``key`` None: all."""

    table: TableName
    key: str | None = None


@dataclass(frozen=True, slots=True)
class ShowColumns:
    table: TableName


@dataclass(frozen=True, slots=True)
class ShowSchemaVersions:
    table: TableName


@dataclass(frozen=True, slots=True)
class ShowFunctions:
    """The functions that queries may call."""

    like: str | None = None
    of_session: bool = False


@dataclass(frozen=True, slots=True)
class DescribeColumn:
    """``path``: the column's name, and the fields inside of it that lead to the one that is asked for."""

    table: TableName
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DescribeDetail:
    """One row on the whole table."""

    table: TableName


@dataclass(frozen=True, slots=True)
class DescribeTable:
    table: TableName
    extended: bool = False


@dataclass(frozen=True, slots=True)
class ShowCreateTable:
    table: TableName


@dataclass(frozen=True, slots=True)
class ShowProfile:
    """Counts of each column of a table, at a version of it."""

    table: TableName


@dataclass(frozen=True, slots=True)
class ShowPartitions:
    """``partition``: values of some or all of the partition columns, which those that are listed have."""

    table: TableName
    partition: PartitionValuesByColumn = ()
