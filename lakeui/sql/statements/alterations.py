"""Statements that alter a table: properties, columns, partitions."""

from __future__ import annotations

from dataclasses import dataclass

from lakeui.sql.statements.names import PartitionValuesByColumn, Properties, TableName
from lakeui.sql.statements.tables import CheckConstraint, ColumnDefinition, PartitionField, Position


@dataclass(frozen=True, slots=True)
class SetTableProperties:
    table: TableName
    properties: Properties


@dataclass(frozen=True, slots=True)
class UnsetTableProperties:
    table: TableName
    keys: tuple[str, ...]
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class AddColumns:
    """``position`` None: at the end."""

    table: TableName
    columns: tuple[tuple[ColumnDefinition, Position | None], ...]

    @property
    def computes_rows(self) -> bool:
        """Whether rows that are there get a value: of a generated column."""
        return any(definition.generated is not None for definition, _ in self.columns)


@dataclass(frozen=True, slots=True)
class DropColumns:
    """``fields``: paths of fields inside of columns, each beginning with the column's name."""

    table: TableName
    names: tuple[str, ...]
    if_exists: bool = False
    fields: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class RenameColumn:
    """``fields``: the way from the column to a field inside of it, which is renamed instead."""

    table: TableName
    column: str
    new_name: str
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangeType:
    type: str


@dataclass(frozen=True, slots=True)
class SetNotNull:
    pass


@dataclass(frozen=True, slots=True)
class DropNotNull:
    pass


@dataclass(frozen=True, slots=True)
class SetDefault:
    expression: str


@dataclass(frozen=True, slots=True)
class DropDefault:
    pass


@dataclass(frozen=True, slots=True)
class SetComment:
    text: str


@dataclass(frozen=True, slots=True)
class MoveColumn:
    position: Position


@dataclass(frozen=True, slots=True)
class SyncIdentity:
    """Count on behind the values that the column has."""


ColumnAlteration = (
    ChangeType | SetNotNull | DropNotNull | SetDefault | DropDefault | SetComment | MoveColumn | SyncIdentity
)


@dataclass(frozen=True, slots=True)
class AlterColumn:
    """``fields`` as in RenameColumn."""

    table: TableName
    column: str
    change: ColumnAlteration
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AlterColumns:
    """Several alterations of one table, of different columns or of different attributes, in one commit."""

    table: TableName
    changes: tuple[AlterColumn, ...]


@dataclass(frozen=True, slots=True)
class ReplaceColumns:
    """The columns that the table has then, in their order; those of known names stay the same ones."""

    table: TableName
    columns: tuple[ColumnDefinition, ...]


@dataclass(frozen=True, slots=True)
class AddConstraint:
    table: TableName
    check: CheckConstraint


@dataclass(frozen=True, slots=True)
class DropConstraint:
    table: TableName
    name: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class ChangeLayout:
    """New files are not laid by ``drop`` any more, and by ``add`` from now on."""

    table: TableName
    drop: PartitionField | None = None
    add: PartitionField | None = None


@dataclass(frozen=True, slots=True)
class ClusterBy:
    """Without columns: rows are not ordered any more."""

    table: TableName
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AddPartition:
    """Values are the text that the user wrote, unquoted; None is NULL."""

    table: TableName
    partitions: tuple[PartitionValuesByColumn, ...]
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class DropPartition:
    """Each of ``partitions`` may name some of the partition columns only: every partition with these values goes.

    ``purge`` as in DropTable.
    """

    table: TableName
    partitions: tuple[PartitionValuesByColumn, ...]
    if_exists: bool = False
    purge: bool = False


@dataclass(frozen=True, slots=True)
class RenamePartition:
    table: TableName
    before: PartitionValuesByColumn
    after: PartitionValuesByColumn


@dataclass(frozen=True, slots=True)
class ChangeRestriction:
    """What a role or a group sees of a table: one of the two is given. ``column``: that whose mask it is, None for the
    row filter. ``expression`` None lifts it.
    """

    table: TableName
    role: str | None
    group: str | None
    column: str | None = None
    expression: str | None = None


@dataclass(frozen=True, slots=True)
class ShowRestrictions:
    """``table`` None: of all tables of the catalog."""

    table: TableName | None = None
