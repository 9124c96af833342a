"""One row a kind of statement: what carries it out, the right that it takes, and how it runs.

A new statement is one more row; nothing else lists statements by kind.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from catalog_app.domain.agents import ACTIONS as AGENT_ACTIONS
from catalog_app.domain.protection import Change
from catalog_app.domain.roles import Action
from lakeui.common.errors import NotFound
from lakeui.frontdoor import running
from lakeui.frontdoor.branches import branches, resetting, transactions
from lakeui.frontdoor.call import Call
from lakeui.frontdoor.columns import merge_settings
from lakeui.frontdoor.compute import reading
from lakeui.frontdoor.expressions.placing import at_its_place
from lakeui.frontdoor.inputs_outputs import ImportLoad, StatementResult
from lakeui.frontdoor.pipelines.work import PipelineWork, PublishedWork
from lakeui.frontdoor.queries import explaining, profiling, row_changes, select, views
from lakeui.frontdoor.rights import Requirement, rights_judge, statement_kind
from lakeui.frontdoor.rows import delete_update, merge_into, replacing
from lakeui.frontdoor.sessions import temporary
from lakeui.frontdoor.tables import (
    altering,
    columns,
    columns_replacing,
    constraints,
    copy_into,
    databases,
    describing,
    layouts,
    maintenance,
    optimize,
    partitions,
    recovery,
    restricting,
    show,
    table_replacing,
    tables,
)
from lakeui.sql import statements as sql

Handler = Callable[[Call, Any], StatementResult]


class Trait(enum.Flag):
    """How a statement runs.

    TASK: a worker runs it, since it writes rows, merges, or reads all rows of a table itself. STAGES: it works on
    files before it commits, so only its commit is a transaction, which delays no others. UNRECORDED: it changes
    something in one short transaction, without a commit that names its task. ALONE: it is no part of a transaction,
    as it acts on more than the tables of one branch, or on views, which no merge carries. READS: Spark only reads,
    on the server of queries. QUERY: it reads rows there and writes nothing, so it takes one of the places of
    queries. EXPRESSIONS: it may ask the session, as ``current_user()`` does. KEPT: it changes what a session keeps.
    KEEPS: it shows names, schemas, or rows as their reader may see them. All other statements are refused in a catalog
    in which rows are restricted for who asks. TRIED: its dry run reads rows and leaves nothing, so it runs as a query.
    """

    NONE = 0
    TASK = enum.auto()
    STAGES = enum.auto()
    UNRECORDED = enum.auto()
    ALONE = enum.auto()
    READS = enum.auto()
    QUERY = enum.auto()
    EXPRESSIONS = enum.auto()
    KEPT = enum.auto()
    KEEPS = enum.auto()
    TRIED = enum.auto()


TASK, STAGES, UNRECORDED, ALONE = Trait.TASK, Trait.STAGES, Trait.UNRECORDED, Trait.ALONE
READS, QUERY, EXPRESSIONS, KEPT = Trait.READS, Trait.QUERY | Trait.READS, Trait.EXPRESSIONS, Trait.KEPT
KEEPS, TRIED = Trait.KEEPS, Trait.TRIED


@dataclass(frozen=True, slots=True)
class StatementRow:
    """``is_work``: whether this one is work, where some statements of its kind are none; TASK and STAGES count only
    then. ``dry_run_requires``: the right that its dry run takes, where that is less.
    """

    handler: Handler | None
    requires: Requirement
    traits: Trait = Trait.NONE
    is_work: Callable[[Any], bool] = lambda _: True
    dry_run_requires: Requirement | None = None


_row = StatementRow


def _is_meant(statement: sql.MergeBranch | sql.Vacuum) -> bool:
    return not statement.dry_run


def _brings_rows(statement: sql.CreateTable) -> bool:
    return (statement.query or statement.taken) is not None


def _computes_rows(statement: sql.AddColumns) -> bool:
    return statement.computes_rows


def _explain(call: Call, statement: sql.Explain) -> StatementResult:
    inner = statement.statement
    return explaining.explain(call, statement, lambda rehearsed: run(rehearsed, handler_of(inner), inner))


_READ = Requirement(Action.READ)
_WRITE_TABLE = Requirement(Action.WRITE, ("table",), Change.WRITE)
_WRITE_VIEW = Requirement(Action.WRITE, ("view",), Change.WRITE)
_WRITE_DATABASE = Requirement(Action.WRITE, ("database",), Change.WRITE)
_DROP_BRANCH = Requirement(Action.DROP_BRANCH, ("branch",))

STATEMENTS: dict[type, StatementRow] = {
    sql.CreateCatalog: _row(branches.create_catalog, Requirement(Action.CREATE_CATALOG), UNRECORDED | ALONE),
    sql.DropCatalog: _row(branches.drop_catalog, Requirement(Action.DROP_CATALOG, ("name",)), UNRECORDED | ALONE),
    sql.RenameCatalog: _row(
        branches.rename_catalog, Requirement(Action.MANAGE_SETTINGS, ("name",)), UNRECORDED | ALONE
    ),
    sql.UndropCatalog: _row(branches.undrop_catalog, Requirement(Action.DROP_CATALOG), UNRECORDED | ALONE),
    sql.ShowDroppedCatalogs: _row(show.show_dropped_catalogs, _READ, KEEPS),
    sql.SetCatalogProperties: _row(
        merge_settings.set_catalog_properties, Requirement(Action.MANAGE_SETTINGS, ("name",)), UNRECORDED | ALONE
    ),
    sql.UnsetCatalogProperties: _row(
        merge_settings.unset_catalog_properties, Requirement(Action.MANAGE_SETTINGS, ("name",)), UNRECORDED | ALONE
    ),
    sql.DescribeCatalog: _row(show.describe_catalog, _READ),
    sql.ShowCatalogs: _row(show.show_catalogs, _READ, KEEPS),
    sql.UseCatalog: _row(branches.use_catalog, _READ, ALONE | KEPT | KEEPS),
    sql.CreateBranch: _row(
        branches.create_branch, Requirement(Action.CREATE_BRANCH, ("parent", "branch")), UNRECORDED | ALONE
    ),
    sql.DropBranch: _row(branches.drop_branch, _DROP_BRANCH, UNRECORDED | ALONE),
    sql.RenameBranch: _row(branches.rename_branch, _DROP_BRANCH, UNRECORDED | ALONE),
    sql.ResetBranch: _row(resetting.reset_branch, _DROP_BRANCH, UNRECORDED | ALONE),
    sql.SetBranchExpiry: _row(branches.set_branch_expiry, _DROP_BRANCH, UNRECORDED | ALONE),
    sql.UndropBranch: _row(recovery.undrop_branch, _DROP_BRANCH, TASK | UNRECORDED | ALONE),
    sql.ShowBranches: _row(show.show_branches, _READ, KEEPS),
    sql.UseBranch: _row(branches.use_branch, _READ, ALONE | KEPT | KEEPS),
    sql.UseDatabase: _row(branches.use_database, _READ, KEPT | KEEPS),
    sql.MergeBranch: _row(
        branches.merge_branch,
        Requirement(Action.MERGE, ("destination",)),
        TASK | ALONE,
        is_work=_is_meant,
        dry_run_requires=_READ,
    ),
    sql.CreateTag: _row(branches.create_tag, Requirement(Action.CREATE_TAG, ("branch",)), UNRECORDED | ALONE),
    sql.DropTag: _row(branches.drop_tag, Requirement(Action.DROP_TAG, ("tag",)), UNRECORDED | ALONE),
    sql.RenameTag: _row(branches.rename_tag, Requirement(Action.DROP_TAG, ("tag",)), UNRECORDED | ALONE),
    sql.ShowTags: _row(show.show_tags, _READ, KEEPS),
    # Restores, undrops and COMMIT are recorded when a protection refuses them, so they are judged as they commit.
    sql.RestoreTable: _row(recovery.restore_table, Requirement(Action.WRITE, ("table",)), TASK),
    sql.RestoreDatabase: _row(recovery.restore_database, Requirement(Action.WRITE, ("database",)), TASK),
    sql.RestoreBranch: _row(recovery.restore_branch, Requirement(Action.WRITE, ("branch",)), TASK | ALONE),
    sql.RestoreMerge: _row(recovery.restore_merge, Requirement(Action.WRITE), TASK | ALONE),
    sql.UndropTable: _row(recovery.undrop_table, Requirement(Action.WRITE, ("table",)), TASK),
    sql.UndropDatabase: _row(recovery.undrop_database, Requirement(Action.WRITE, ("database",)), TASK),
    sql.Vacuum: _row(maintenance.vacuum, Requirement(Action.VACUUM, ("table",)), TASK | ALONE, is_work=_is_meant),
    sql.BeginTransaction: _row(transactions.begin, Requirement(Action.WRITE, change=Change.WRITE), UNRECORDED | KEPT),
    sql.CommitTransaction: _row(transactions.commit, Requirement(Action.WRITE), TASK | KEPT),
    sql.RollbackTransaction: _row(transactions.rollback, _READ, UNRECORDED | KEPT),
    sql.CreateDatabase: _row(databases.create_database, _WRITE_DATABASE),
    sql.DropDatabase: _row(databases.drop_database, _WRITE_DATABASE),
    sql.RenameDatabase: _row(databases.rename_database, _WRITE_DATABASE),
    sql.SetDatabaseProperties: _row(databases.set_database_properties, _WRITE_DATABASE),
    sql.UnsetDatabaseProperties: _row(databases.unset_database_properties, _WRITE_DATABASE),
    sql.ShowDatabases: _row(show.show_databases, _READ, KEEPS),
    sql.DescribeDatabase: _row(show.describe_database, _READ),
    sql.CreateTable: _row(
        table_replacing.create_table, _WRITE_TABLE, TASK | STAGES | EXPRESSIONS, is_work=_brings_rows
    ),
    sql.DropTable: _row(tables.drop_table, _WRITE_TABLE),
    sql.RenameTable: _row(tables.rename_table, _WRITE_TABLE),
    sql.SetTableProperties: _row(tables.set_table_properties, _WRITE_TABLE),
    sql.UnsetTableProperties: _row(tables.unset_table_properties, _WRITE_TABLE),
    sql.AddColumns: _row(columns.add_columns, _WRITE_TABLE, TASK | STAGES, is_work=_computes_rows),
    sql.DropColumns: _row(columns.drop_columns, _WRITE_TABLE),
    sql.RenameColumn: _row(columns.rename_column, _WRITE_TABLE),
    sql.AlterColumn: _row(columns.alter_column, _WRITE_TABLE),
    sql.AlterColumns: _row(altering.alter_columns, _WRITE_TABLE),
    sql.ReplaceColumns: _row(columns_replacing.replace_columns, _WRITE_TABLE),
    sql.AddConstraint: _row(constraints.add_constraint, _WRITE_TABLE, TASK),
    sql.DropConstraint: _row(constraints.drop_constraint, _WRITE_TABLE),
    sql.ChangeLayout: _row(layouts.change_layout, _WRITE_TABLE),
    sql.ChangeRestriction: _row(
        restricting.change_restriction,
        Requirement(Action.MANAGE_RESTRICTIONS, ("table",)),
        UNRECORDED | ALONE | READS,
    ),
    sql.ShowRestrictions: _row(restricting.show_restrictions, _READ),
    sql.ClusterBy: _row(layouts.cluster_by, _WRITE_TABLE),
    sql.AddPartition: _row(partitions.add_partition, _WRITE_TABLE),
    sql.DropPartition: _row(partitions.drop_partition, _WRITE_TABLE),
    sql.RenamePartition: _row(partitions.rename_partition, _WRITE_TABLE),
    sql.ShowTables: _row(show.show_tables, _READ, KEEPS),
    sql.DescribeTable: _row(describing.describe_table, _READ, READS),
    sql.ShowTableExtended: _row(describing.show_table_extended, _READ),
    sql.ShowTableProperties: _row(describing.show_properties, _READ),
    sql.ShowColumns: _row(describing.show_columns, _READ, READS),
    sql.ShowSchemaVersions: _row(describing.show_schema_versions, _READ),
    sql.ShowFunctions: _row(describing.show_functions, _READ),
    sql.DescribeColumn: _row(describing.describe_column, _READ),
    sql.DescribeDetail: _row(describing.describe_detail, _READ),
    sql.ShowCreateTable: _row(show.show_create_table, _READ),
    sql.ShowPartitions: _row(show.show_partitions, _READ),
    sql.ShowProfile: _row(profiling.show_profile, _READ, QUERY | TASK),
    sql.CreateView: _row(views.create_view, _WRITE_VIEW, UNRECORDED | ALONE | READS | EXPRESSIONS),
    sql.CreateTemporaryView: _row(temporary.create_temporary_view, _READ, READS | KEPT),
    sql.DropTemporaryView: _row(temporary.drop_temporary_view, _READ, KEPT),
    sql.CreateTemporaryFunction: _row(temporary.create_temporary_function, _READ, READS | KEPT),
    sql.DropTemporaryFunction: _row(temporary.drop_temporary_function, _READ, KEPT),
    sql.DescribeFunction: _row(temporary.describe_function, _READ),
    sql.SetPartitionOverwrite: _row(temporary.set_partition_overwrite, _READ, KEPT),
    sql.DescribeQuery: _row(temporary.describe_query, _READ, READS | EXPRESSIONS),
    sql.AlterView: _row(views.alter_view, _WRITE_VIEW, UNRECORDED | ALONE | READS | EXPRESSIONS),
    sql.RenameView: _row(views.rename_view, _WRITE_VIEW, UNRECORDED | ALONE),
    sql.SetViewProperties: _row(views.set_view_properties, _WRITE_VIEW, UNRECORDED | ALONE),
    sql.UnsetViewProperties: _row(views.unset_view_properties, _WRITE_VIEW, UNRECORDED | ALONE),
    sql.DropView: _row(views.drop_view, _WRITE_VIEW, UNRECORDED | ALONE),
    sql.ShowViews: _row(show.show_views, _READ, KEEPS),
    sql.DescribeHistory: _row(show.describe_history, _READ),
    sql.ShowHistory: _row(show.show_history, _READ),
    sql.ShowSegments: _row(show.show_segments, _READ),
    sql.ShowMerges: _row(show.show_merges, _READ),
    sql.ShowChanges: _row(row_changes.show_changes, _READ, QUERY),
    sql.ShowQueries: _row(running.show_queries, _READ),
    sql.CancelQuery: _row(running.cancel_query, _READ),
    sql.Select: _row(select.select, _READ, QUERY | EXPRESSIONS | KEEPS),
    sql.Explain: _row(_explain, _READ, EXPRESSIONS),
    # These come another way than as a text: each way has a handler of its own.
    ImportLoad: _row(None, _WRITE_TABLE, STAGES),
    PipelineWork: _row(None, _WRITE_TABLE, STAGES, is_work=lambda work: not work.makes_view),
    PublishedWork: _row(None, Requirement(Action.WRITE, ("table",), Change.MERGE)),
    sql.Insert: _row(replacing.insert, _WRITE_TABLE, TASK | STAGES | EXPRESSIONS | TRIED),
    sql.Delete: _row(delete_update.delete, _WRITE_TABLE, TASK | STAGES | EXPRESSIONS | TRIED),
    sql.Update: _row(delete_update.update, _WRITE_TABLE, TASK | STAGES | EXPRESSIONS | TRIED),
    sql.MergeInto: _row(merge_into.merge_into, _WRITE_TABLE, TASK | STAGES | EXPRESSIONS | TRIED),
    sql.CopyInto: _row(copy_into.copy_into, _WRITE_TABLE, TASK | STAGES),
    sql.Truncate: _row(delete_update.truncate, _WRITE_TABLE, TASK | STAGES | TRIED),
    sql.Optimize: _row(optimize.optimize, _WRITE_TABLE, TASK | STAGES | EXPRESSIONS),
}


def handler_of(statement: Any) -> Handler:
    handler = STATEMENTS[type(statement)].handler
    assert handler is not None, "what comes another way than as a text has a handler of its own"
    return handler


def has(statement: Any, trait: Trait) -> bool:
    row = STATEMENTS[type(statement)]
    return trait in row.traits and (trait not in TASK | STAGES or row.is_work(statement))


_COMMITTING = frozenset({Action.WRITE, Action.MERGE})


def takes_message(statement: Any) -> bool:
    """Whether a message can be of the commit that the statement makes."""
    is_begin = isinstance(statement, sql.BeginTransaction)
    return STATEMENTS[type(statement)].requires.action in _COMMITTING and not is_begin


def required(statement: Any) -> Requirement:
    row = STATEMENTS[type(statement)]
    return row.dry_run_requires if row.dry_run_requires and statement.dry_run else row.requires


CHANGING_KINDS = sorted(
    statement_kind(kind) for kind, row in STATEMENTS.items() if row.requires.action in AGENT_ACTIONS - {Action.READ}
)
"""Kinds of statements that an agent may be held to: those that change something, and that one may run at all."""


def run(call: Call, handler: Handler, statement: Any) -> StatementResult:
    """Judge the rights of the statement and do it, on the Spark server that it is for."""
    if not is_allowed(call, statement):
        return StatementResult()
    with reading() if has(statement, READS) else nullcontext():
        return at_its_place(call.text, lambda: handler(call, statement))


def is_allowed(call: Call, statement: Any) -> bool:
    """Judge the statement's rights, which raises; False where it drops a catalog, IF EXISTS, and there is none."""
    try:
        rights_judge(call, statement, required(statement))
    except NotFound:
        if isinstance(statement, sql.DropCatalog) and statement.if_exists:
            return False
        raise
    return True
