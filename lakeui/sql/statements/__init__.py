"""Statements as values: what the grammar makes of a text, and what the front door dispatches on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from lakeui.sql.statements.alterations import (
    AddColumns,
    AddConstraint,
    AddPartition,
    AlterColumn,
    AlterColumns,
    ChangeLayout,
    ChangeRestriction,
    ChangeType,
    ClusterBy,
    ColumnAlteration,
    DropColumns,
    DropConstraint,
    DropDefault,
    DropNotNull,
    DropPartition,
    MoveColumn,
    RenameColumn,
    RenamePartition,
    ReplaceColumns,
    SetComment,
    SetDefault,
    SetNotNull,
    SetTableProperties,
    ShowRestrictions,
    SyncIdentity,
    UnsetTableProperties,
)
from lakeui.sql.statements.catalogs import (
    BeginTransaction,
    CommitTransaction,
    ConflictDecision,
    CreateBranch,
    CreateCatalog,
    CreateTag,
    DescribeCatalog,
    DropBranch,
    DropCatalog,
    DropTag,
    MergeBranch,
    PointInTime,
    RenameBranch,
    RenameCatalog,
    RenameTag,
    ResetBranch,
    RestoreBranch,
    RestoreDatabase,
    RestoreMerge,
    RestoreTable,
    RollbackTransaction,
    SetBranchExpiry,
    SetCatalogProperties,
    ShowBranches,
    ShowCatalogs,
    ShowDroppedCatalogs,
    ShowTags,
    UndropBranch,
    UndropCatalog,
    UndropDatabase,
    UndropTable,
    UnsetCatalogProperties,
    UseBranch,
    UseCatalog,
    UseDatabase,
    Vacuum,
)
from lakeui.sql.statements.history import (
    CancelQuery,
    DescribeHistory,
    ShowChanges,
    ShowHistory,
    ShowMerges,
    ShowQueries,
    ShowSegments,
)
from lakeui.sql.statements.names import (
    COMMENT,
    BranchName,
    ChangePoint,
    Condition,
    DatabaseName,
    NamedPoint,
    PartitionValuesByColumn,
    Properties,
    Query,
    SnapshotPoint,
    Subqueries,
    TableChanges,
    TableName,
    TableReference,
)
from lakeui.sql.statements.rows import (
    CopyInto,
    Delete,
    FieldAssignments,
    Insert,
    MergeAction,
    MergeClause,
    MergeDelete,
    MergeFamily,
    MergeInsert,
    MergeInto,
    MergeKey,
    MergeUpdate,
    Optimize,
    Select,
    SemiJoin,
    Truncate,
    Update,
)
from lakeui.sql.statements.tables import (
    CheckConstraint,
    ColumnDefinition,
    CreateDatabase,
    CreateTable,
    DescribeColumn,
    DescribeDatabase,
    DescribeDetail,
    DescribeTable,
    DropDatabase,
    DropTable,
    OutsideTable,
    PartitionField,
    Position,
    RenameDatabase,
    RenameTable,
    SetDatabaseProperties,
    ShowColumns,
    ShowCreateTable,
    ShowDatabases,
    ShowFunctions,
    ShowPartitions,
    ShowProfile,
    ShowSchemaVersions,
    ShowTableExtended,
    ShowTableProperties,
    ShowTables,
    UnsetDatabaseProperties,
)
from lakeui.sql.statements.views import (
    AlterView,
    CreateTemporaryFunction,
    CreateTemporaryView,
    CreateView,
    DescribeFunction,
    DescribeQuery,
    DropTemporaryFunction,
    DropTemporaryView,
    DropView,
    NamedInView,
    RenameView,
    SetPartitionOverwrite,
    SetViewProperties,
    ShowViews,
    UnsetViewProperties,
    ViewColumn,
)


class ExplainMode(Enum):
    """What is shown beside tables and files: Spark's plan of a query, or what running the query took."""

    FILES = auto()
    PLAN = auto()
    ANALYZE = auto()


@dataclass(frozen=True, slots=True)
class Explain:
    """Tell what the statement reads; do nothing, but for ANALYZE, which runs the query."""

    statement: Statement
    mode: ExplainMode = ExplainMode.FILES


@dataclass(frozen=True, slots=True)
class DryRun:
    """``<statement> DRY RUN``; ``EXPLAIN ANALYZE <write>`` is one that is ``measured``. Merges of branches and VACUUM
    have a dry run of their own.
    """

    statement: Statement
    measured: bool = False


Statement = (
    CreateCatalog
    | DropCatalog
    | ShowDroppedCatalogs
    | UndropCatalog
    | RenameCatalog
    | SetCatalogProperties
    | UnsetCatalogProperties
    | DescribeCatalog
    | ShowCatalogs
    | UseCatalog
    | CreateBranch
    | DropBranch
    | RenameBranch
    | ResetBranch
    | SetBranchExpiry
    | ShowBranches
    | UseBranch
    | UseDatabase
    | MergeBranch
    | UndropBranch
    | CreateTag
    | DropTag
    | RenameTag
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
    | AlterColumns
    | ReplaceColumns
    | AddConstraint
    | DropConstraint
    | ChangeLayout
    | ChangeRestriction
    | ShowRestrictions
    | ClusterBy
    | AddPartition
    | DropPartition
    | RenamePartition
    | ShowTables
    | ShowTableExtended
    | ShowTableProperties
    | ShowColumns
    | ShowSchemaVersions
    | ShowFunctions
    | DescribeColumn
    | DescribeDetail
    | DescribeTable
    | ShowCreateTable
    | ShowPartitions
    | ShowProfile
    | CreateView
    | CreateTemporaryFunction
    | DropTemporaryFunction
    | DescribeFunction
    | CreateTemporaryView
    | DropTemporaryView
    | DescribeQuery
    | SetPartitionOverwrite
    | AlterView
    | RenameView
    | SetViewProperties
    | UnsetViewProperties
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
    | CopyInto
    | Truncate
    | Optimize
    | Explain
    | DryRun
)

__all__ = [
    "COMMENT",
    "AddColumns",
    "AddConstraint",
    "AddPartition",
    "AlterColumn",
    "AlterColumns",
    "AlterView",
    "BeginTransaction",
    "BranchName",
    "CancelQuery",
    "ChangeLayout",
    "ChangePoint",
    "ChangeRestriction",
    "ChangeType",
    "CheckConstraint",
    "ClusterBy",
    "ColumnAlteration",
    "ColumnDefinition",
    "CommitTransaction",
    "Condition",
    "ConflictDecision",
    "CopyInto",
    "CreateBranch",
    "CreateCatalog",
    "CreateDatabase",
    "CreateTable",
    "CreateTag",
    "CreateTemporaryFunction",
    "CreateTemporaryView",
    "CreateView",
    "DatabaseName",
    "Delete",
    "DescribeCatalog",
    "DescribeColumn",
    "DescribeDatabase",
    "DescribeDetail",
    "DescribeFunction",
    "DescribeHistory",
    "DescribeQuery",
    "DescribeTable",
    "DropBranch",
    "DropCatalog",
    "DropColumns",
    "DropConstraint",
    "DropDatabase",
    "DropDefault",
    "DropNotNull",
    "DropPartition",
    "DropTable",
    "DropTag",
    "DropTemporaryFunction",
    "DropTemporaryView",
    "DropView",
    "DryRun",
    "Explain",
    "ExplainMode",
    "FieldAssignments",
    "Insert",
    "MergeAction",
    "MergeBranch",
    "MergeClause",
    "MergeDelete",
    "MergeFamily",
    "MergeInsert",
    "MergeInto",
    "MergeKey",
    "MergeUpdate",
    "MoveColumn",
    "NamedInView",
    "NamedPoint",
    "Optimize",
    "OutsideTable",
    "PartitionField",
    "PartitionValuesByColumn",
    "PointInTime",
    "Position",
    "Properties",
    "Query",
    "RenameBranch",
    "RenameCatalog",
    "RenameColumn",
    "RenameDatabase",
    "RenamePartition",
    "RenameTable",
    "RenameTag",
    "RenameView",
    "ReplaceColumns",
    "ResetBranch",
    "RestoreBranch",
    "RestoreDatabase",
    "RestoreMerge",
    "RestoreTable",
    "RollbackTransaction",
    "Select",
    "SemiJoin",
    "SetBranchExpiry",
    "SetCatalogProperties",
    "SetComment",
    "SetDatabaseProperties",
    "SetDefault",
    "SetNotNull",
    "SetPartitionOverwrite",
    "SetTableProperties",
    "SetViewProperties",
    "ShowBranches",
    "ShowCatalogs",
    "ShowChanges",
    "ShowColumns",
    "ShowCreateTable",
    "ShowDatabases",
    "ShowDroppedCatalogs",
    "ShowFunctions",
    "ShowHistory",
    "ShowMerges",
    "ShowPartitions",
    "ShowProfile",
    "ShowQueries",
    "ShowRestrictions",
    "ShowSchemaVersions",
    "ShowSegments",
    "ShowTableExtended",
    "ShowTableProperties",
    "ShowTables",
    "ShowTags",
    "ShowViews",
    "SnapshotPoint",
    "Statement",
    "Subqueries",
    "SyncIdentity",
    "TableChanges",
    "TableName",
    "TableReference",
    "Truncate",
    "UndropBranch",
    "UndropCatalog",
    "UndropDatabase",
    "UndropTable",
    "UnsetCatalogProperties",
    "UnsetDatabaseProperties",
    "UnsetTableProperties",
    "UnsetViewProperties",
    "Update",
    "UseBranch",
    "UseCatalog",
    "UseDatabase",
    "Vacuum",
    "ViewColumn",
]
