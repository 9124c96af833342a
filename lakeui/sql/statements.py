"""Statements as values: what the grammar makes of a text, and what the front door dispatches on."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from catalog_app.pruning.predicates import ANYTHING, Predicate

Properties = tuple[tuple[str, str], ...]
PartitionValuesByColumn = tuple[tuple[str, str | None], ...]

# -- names ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TableName:
    """``catalog.database.`table@at` ``, as it was at ``version`` or ``timestamp`` (text of the user's)."""

    table: str
    database: str
    catalog: str | None = None
    at: str | None = None
    version: int | None = None
    timestamp: str | None = None


@dataclass(frozen=True, slots=True)
class BranchName:
    branch: str
    catalog: str | None = None


@dataclass(frozen=True, slots=True)
class DatabaseName:
    database: str
    catalog: str | None = None


# -- queries ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TableReference:
    """A managed table in a query: the identifier that stands for it in the text, and what it is."""

    placeholder: str
    name: TableName


@dataclass(frozen=True, slots=True)
class Query:
    """Checked Spark SQL. ``text`` holds each table as its placeholder (`` `__lake_0` ``), one per mention.

    ``where`` by placeholder: what is true of every row of that mention that can matter to the answer.
    """

    text: str
    tables: tuple[TableReference, ...] = ()
    where: dict[str, Predicate] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Condition:
    """A checked boolean expression over the columns of one table, whose alias (its name where none is given) it uses.

    ``predicate`` is true of every row for which it is. Without subqueries ``query_tables`` is empty.
    """

    text: str
    predicate: Predicate = ANYTHING
    has_subquery: bool = False
    query_tables: tuple[TableReference, ...] = ()


# -- catalogs and branches --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CreateCatalog:
    name: str
    if_not_exists: bool = False
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class DropCatalog:
    name: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class SetCatalogProperties:
    name: str
    properties: Properties


@dataclass(frozen=True, slots=True)
class UnsetCatalogProperties:
    name: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DescribeCatalog:
    name: str


@dataclass(frozen=True, slots=True)
class ShowCatalogs:
    pass


@dataclass(frozen=True, slots=True)
class UseCatalog:
    name: str


@dataclass(frozen=True, slots=True)
class CreateBranch:
    """``parent`` None: the session's branch."""

    branch: BranchName
    if_not_exists: bool = False
    parent: BranchName | None = None
    version: int | None = None
    timestamp: str | None = None


@dataclass(frozen=True, slots=True)
class DropBranch:
    branch: BranchName
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class RenameBranch:
    branch: BranchName
    new_name: str


@dataclass(frozen=True, slots=True)
class ShowBranches:
    pass


@dataclass(frozen=True, slots=True)
class UseBranch:
    branch: BranchName


@dataclass(frozen=True, slots=True)
class ConflictDecision:
    """What becomes of a conflict of an object, ``name`` being its full one, or of a part of it. ``column`` names the
    column of a part; ``part_key``, ``new_name`` and ``value`` are as REST has them.
    """

    kind: str
    name: str
    decision: str
    part: str = "object"
    part_key: str = ""
    column: str = ""
    new_name: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class MergeBranch:
    """``destination`` None: the session's branch."""

    source: BranchName
    destination: BranchName | None = None
    dry_run: bool = False
    decisions: tuple[ConflictDecision, ...] = ()


@dataclass(frozen=True, slots=True)
class UndropBranch:
    branch: BranchName


# -- tags -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CreateTag:
    """``branch`` None: the session's branch; neither version nor timestamp: its head."""

    tag: BranchName
    branch: BranchName | None = None
    version: int | None = None
    timestamp: str | None = None


@dataclass(frozen=True, slots=True)
class DropTag:
    tag: BranchName


@dataclass(frozen=True, slots=True)
class ShowTags:
    pass


# -- restore ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PointInTime:
    """A version, or a timestamp as the user wrote it."""

    version: int | None = None
    timestamp: str | None = None


@dataclass(frozen=True, slots=True)
class RestoreTable:
    table: TableName
    to: PointInTime


@dataclass(frozen=True, slots=True)
class RestoreDatabase:
    database: DatabaseName
    to: PointInTime


@dataclass(frozen=True, slots=True)
class RestoreBranch:
    branch: BranchName
    to: PointInTime


@dataclass(frozen=True, slots=True)
class RestoreMerge:
    merge_id: str


@dataclass(frozen=True, slots=True)
class UndropTable:
    """``table_id`` chooses among several dropped ones of that name; ``new_name`` None: the old name."""

    table: TableName
    table_id: str | None = None
    new_name: str | None = None


@dataclass(frozen=True, slots=True)
class UndropDatabase:
    database: DatabaseName
    database_id: str | None = None
    new_name: str | None = None


@dataclass(frozen=True, slots=True)
class Vacuum:
    dry_run: bool = False


# -- transactions -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BeginTransaction:
    pass


@dataclass(frozen=True, slots=True)
class CommitTransaction:
    pass


@dataclass(frozen=True, slots=True)
class RollbackTransaction:
    pass


# -- databases --------------------------------------------------------------------------------------------------------


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


# -- tables -----------------------------------------------------------------------------------------------------------


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


ColumnAlteration = ChangeType | SetNotNull | DropNotNull | SetDefault | DropDefault | SetComment | MoveColumn


@dataclass(frozen=True, slots=True)
class AlterColumn:
    """``fields`` as in RenameColumn."""

    table: TableName
    column: str
    change: ColumnAlteration
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AddPartition:
    """Values are the text that the user wrote, unquoted; None is NULL."""

    table: TableName
    values: PartitionValuesByColumn
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class DropPartition:
    table: TableName
    values: PartitionValuesByColumn
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class RenamePartition:
    table: TableName
    before: PartitionValuesByColumn
    after: PartitionValuesByColumn


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


# -- history ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DescribeHistory:
    table: TableName


@dataclass(frozen=True, slots=True)
class ShowHistory:
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class ShowSegments:
    table: TableName


@dataclass(frozen=True, slots=True)
class ShowQueries:
    """What runs or waits now."""


@dataclass(frozen=True, slots=True)
class CancelQuery:
    """``query_id`` is a UUID."""

    query_id: str


@dataclass(frozen=True, slots=True)
class ShowMerges:
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class ShowChanges:
    """The row diff of a table between two versions."""

    table: TableName
    from_version: int
    to_version: int


# -- data -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Select:
    query: Query


@dataclass(frozen=True, slots=True)
class Insert:
    """``values`` where the source is a plain VALUES list: rows of checked expression texts, ``DEFAULT`` kept as that.

    ``query`` is the same source as a query; None only where some value is DEFAULT. ``partition`` by column: checked
    expression text, None where the value comes from the source.
    """

    table: TableName
    query: Query | None = None
    columns: tuple[str, ...] | None = None
    by_name: bool = False
    overwrite: bool = False
    partition: PartitionValuesByColumn | None = None
    values: tuple[tuple[str, ...], ...] | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    table: TableName
    alias: str | None = None
    where: Condition | None = None


FieldAssignments = tuple[tuple[tuple[str, ...], str], ...]
"""Paths of fields inside of columns, each beginning with the column's name, and checked expression texts."""


@dataclass(frozen=True, slots=True)
class Update:
    """``assignments`` are column names and checked expression texts over the target's columns, or ``DEFAULT``;
    ``fields`` those of fields inside of columns. ``owned``: the paths as they were written of which the first name was
    taken for the table's; a struct column may have the same name.
    """

    table: TableName
    assignments: tuple[tuple[str, str], ...]
    alias: str | None = None
    where: Condition | None = None
    fields: FieldAssignments = ()
    owned: tuple[tuple[str, ...], ...] = field(default=(), compare=False)


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


@dataclass(frozen=True, slots=True)
class Truncate:
    table: TableName


@dataclass(frozen=True, slots=True)
class Optimize:
    table: TableName
    where: Condition | None = None


@dataclass(frozen=True, slots=True)
class DryRun:
    """``<statement> DRY RUN``. Merges of branches and VACUUM have a dry run of their own."""

    statement: Statement


Statement = (
    CreateCatalog
    | DropCatalog
    | SetCatalogProperties
    | UnsetCatalogProperties
    | DescribeCatalog
    | ShowCatalogs
    | UseCatalog
    | CreateBranch
    | DropBranch
    | RenameBranch
    | ShowBranches
    | UseBranch
    | MergeBranch
    | UndropBranch
    | CreateTag
    | DropTag
    | ShowTags
    | RestoreTable
    | RestoreDatabase
    | RestoreBranch
    | RestoreMerge
    | UndropTable
    | UndropDatabase
    | Vacuum
    | BeginTransaction
    | CommitTransaction
    | RollbackTransaction
    | CreateDatabase
    | DropDatabase
    | RenameDatabase
    | SetDatabaseProperties
    | UnsetDatabaseProperties
    | ShowDatabases
    | DescribeDatabase
    | CreateTable
    | DropTable
    | RenameTable
    | SetTableProperties
    | UnsetTableProperties
    | AddColumns
    | DropColumns
    | RenameColumn
    | AlterColumn
    | AddPartition
    | DropPartition
    | RenamePartition
    | ShowTables
    | DescribeTable
    | ShowCreateTable
    | ShowPartitions
    | CreateView
    | DropView
    | ShowViews
    | DescribeHistory
    | ShowHistory
    | ShowSegments
    | ShowMerges
    | ShowQueries
    | CancelQuery
    | ShowChanges
    | Select
    | Insert
    | Delete
    | Update
    | MergeInto
    | Truncate
    | Optimize
    | DryRun
)
