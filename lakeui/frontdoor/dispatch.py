"""From a statement's type to what carries it out."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from lakeui.common.errors import LakeError, NotFound, NotSupported
from lakeui.frontdoor import (
    altering,
    branches,
    columns,
    constraints,
    copying,
    data,
    ddl,
    describing,
    explaining,
    layouts,
    maintenance,
    merge_settings,
    merging,
    partitions,
    recovery,
    replacing,
    row_changes,
    running,
    show,
    table_replacing,
    temporary,
    transactions,
    views,
)
from lakeui.frontdoor.asking_session import asking_session
from lakeui.frontdoor.compute import reading
from lakeui.frontdoor.pipeline_values import PipelineWork, PublishedWork
from lakeui.frontdoor.places import Call
from lakeui.frontdoor.recording import recorded
from lakeui.frontdoor.rehearsing import rehearsal_refuse, rehearse
from lakeui.frontdoor.resuming import earlier_outcome
from lakeui.frontdoor.rights import REQUIREMENTS, catalog_of, rights_judge
from lakeui.frontdoor.values import ImportLoad, Session, StatementResult
from lakeui.sql import statements as sql
from lakeui.sql.parameters import Parameters
from lakeui.sql.parse import parse
from merge_app.execution.commit import ATTEMPTS, StatementOvertaken, branch_moved_error, pause_seconds
from merge_app.jobs.context import Context

Handler = Callable[[Call, Any], StatementResult]


def _explain(call: Call, statement: sql.Explain) -> StatementResult:
    inner = statement.statement
    return explaining.explain(call, statement, lambda rehearsed: _run(rehearsed, HANDLERS[type(inner)], inner))


HANDLERS: dict[type, Handler] = {
    sql.CreateCatalog: branches.create_catalog,
    sql.DropCatalog: branches.drop_catalog,
    sql.SetCatalogProperties: merge_settings.set_catalog_properties,
    sql.UnsetCatalogProperties: merge_settings.unset_catalog_properties,
    sql.DescribeCatalog: show.describe_catalog,
    sql.ShowCatalogs: show.show_catalogs,
    sql.UseCatalog: branches.use_catalog,
    sql.CreateBranch: branches.create_branch,
    sql.DropBranch: branches.drop_branch,
    sql.RenameBranch: branches.rename_branch,
    sql.ShowBranches: show.show_branches,
    sql.UseBranch: branches.use_branch,
    sql.UseDatabase: branches.use_database,
    sql.MergeBranch: branches.merge_branch,
    sql.UndropBranch: recovery.undrop_branch,
    sql.CreateTag: branches.create_tag,
    sql.DropTag: branches.drop_tag,
    sql.ShowTags: show.show_tags,
    sql.RestoreTable: recovery.restore_table,
    sql.RestoreDatabase: recovery.restore_database,
    sql.RestoreBranch: recovery.restore_branch,
    sql.RestoreMerge: recovery.restore_merge,
    sql.UndropTable: recovery.undrop_table,
    sql.UndropDatabase: recovery.undrop_database,
    sql.Vacuum: maintenance.vacuum,
    sql.BeginTransaction: transactions.begin,
    sql.CommitTransaction: transactions.commit,
    sql.RollbackTransaction: transactions.rollback,
    sql.CreateDatabase: ddl.create_database,
    sql.DropDatabase: ddl.drop_database,
    sql.RenameDatabase: ddl.rename_database,
    sql.SetDatabaseProperties: ddl.set_database_properties,
    sql.UnsetDatabaseProperties: ddl.unset_database_properties,
    sql.ShowDatabases: show.show_databases,
    sql.DescribeDatabase: show.describe_database,
    sql.CreateTable: table_replacing.create_table,
    sql.DropTable: ddl.drop_table,
    sql.RenameTable: ddl.rename_table,
    sql.AddConstraint: constraints.add_constraint,
    sql.DropConstraint: constraints.drop_constraint,
    sql.SetTableProperties: ddl.set_table_properties,
    sql.UnsetTableProperties: ddl.unset_table_properties,
    sql.AddColumns: columns.add_columns,
    sql.DropColumns: columns.drop_columns,
    sql.RenameColumn: columns.rename_column,
    sql.AlterColumn: columns.alter_column,
    sql.AlterColumns: altering.alter_columns,
    sql.ChangeLayout: layouts.change_layout,
    sql.ClusterBy: layouts.cluster_by,
    sql.AddPartition: partitions.add_partition,
    sql.DropPartition: partitions.drop_partition,
    sql.RenamePartition: partitions.rename_partition,
    sql.ShowTables: show.show_tables,
    sql.DescribeTable: describing.describe_table,
    sql.ShowTableExtended: describing.show_table_extended,
    sql.ShowTableProperties: describing.show_properties,
    sql.ShowColumns: describing.show_columns,
    sql.ShowSchemaVersions: describing.show_schema_versions,
    sql.ShowFunctions: describing.show_functions,
    sql.DescribeColumn: describing.describe_column,
    sql.DescribeDetail: describing.describe_detail,
    sql.ShowCreateTable: show.show_create_table,
    sql.ShowPartitions: show.show_partitions,
    sql.CreateView: views.create_view,
    sql.CreateTemporaryView: temporary.create_temporary_view,
    sql.DropTemporaryView: temporary.drop_temporary_view,
    sql.CreateTemporaryFunction: temporary.create_temporary_function,
    sql.DropTemporaryFunction: temporary.drop_temporary_function,
    sql.DescribeFunction: temporary.describe_function,
    sql.SetPartitionOverwrite: temporary.set_partition_overwrite,
    sql.DescribeQuery: temporary.describe_query,
    sql.AlterView: views.alter_view,
    sql.RenameView: views.rename_view,
    sql.SetViewProperties: views.set_view_properties,
    sql.UnsetViewProperties: views.unset_view_properties,
    sql.DropView: views.drop_view,
    sql.ShowViews: show.show_views,
    sql.DescribeHistory: show.describe_history,
    sql.ShowHistory: show.show_history,
    sql.ShowSegments: show.show_segments,
    sql.ShowMerges: show.show_merges,
    sql.ShowChanges: row_changes.show_changes,
    sql.ShowQueries: running.show_queries,
    sql.CancelQuery: running.cancel_query,
    sql.Select: data.select,
    sql.Explain: _explain,
    sql.Insert: replacing.insert,
    sql.Delete: data.delete,
    sql.Update: data.update,
    sql.MergeInto: merging.merge_into,
    sql.CopyInto: copying.copy_into,
    sql.Truncate: data.truncate,
    sql.Optimize: data.optimize,
}

_WORK = {ImportLoad, PipelineWork, PublishedWork}
"""What comes another way than as a statement."""

assert REQUIREMENTS.keys() == HANDLERS.keys() | _WORK, "every statement takes a right"

TASKS = (
    *(sql.Insert, sql.Delete, sql.Update, sql.MergeInto, sql.Truncate, sql.Optimize, sql.MergeBranch),
    *(sql.AddConstraint, sql.CommitTransaction, sql.CopyInto),
    *(sql.RestoreTable, sql.RestoreDatabase, sql.RestoreBranch, sql.RestoreMerge),
    *(sql.UndropTable, sql.UndropDatabase, sql.UndropBranch),
)

_ON_VIEWS = (
    *(sql.CreateView, sql.AlterView, sql.RenameView, sql.DropView),
    *(sql.SetViewProperties, sql.UnsetViewProperties),
)

UNRECORDED = (
    *(sql.CreateCatalog, sql.DropCatalog, sql.CreateTag, sql.DropTag, *_ON_VIEWS),
    *(sql.SetCatalogProperties, sql.UnsetCatalogProperties),
    *(sql.CreateBranch, sql.DropBranch, sql.RenameBranch, sql.UndropBranch),
    *(sql.BeginTransaction, sql.RollbackTransaction),
)

OUTSIDE_TRANSACTIONS = (
    *(sql.CreateCatalog, sql.DropCatalog, sql.CreateBranch, sql.DropBranch, sql.RenameBranch, sql.UndropBranch),
    *(sql.CreateTag, sql.DropTag, sql.MergeBranch, sql.RestoreBranch, sql.RestoreMerge, sql.Vacuum),
    *(*_ON_VIEWS, sql.SetCatalogProperties, sql.UnsetCatalogProperties, sql.UseCatalog, sql.UseBranch),
)
"""What acts on more than the tables of one branch, and views, which no merge carries."""


QUERIES = (sql.Select, sql.ShowChanges)
"""What reads rows on Spark and writes nothing."""

READING = (
    *(*QUERIES, sql.CreateView, sql.AlterView, sql.CreateTemporaryView, sql.CreateTemporaryFunction),
    *(sql.DescribeTable, sql.DescribeQuery, sql.ShowColumns),
)
"""Statements for which Spark only reads. They run on the server of queries, all others on that of writes."""


def dispatch(text: str, session: Session, context: Any = None) -> StatementResult:
    """Parse and run one statement."""
    with recorded(session, context) as record:
        statement, session = _read(text, session)
        record.is_a(statement, session)
        handler = HANDLERS.get(type(statement))
        if handler is None:
            raise NotSupported(f"{type(statement).__name__} is not supported yet.")
        if session.transaction and isinstance(statement, OUTSIDE_TRANSACTIONS):
            raise NotSupported(
                "This statement cannot be part of a transaction.", remedy="COMMIT or ROLLBACK first, then run it alone."
            )
        return record.answers(carry_out(asking_session(statement, handler), statement, text, session, context))


def _read(text: str, session: Session) -> tuple[Any, Session]:
    """The statement, and the session with what its text says of it: a dry run is one whoever asks for it. A merge and a
    VACUUM have dry runs of their own, which plan and do no more.
    """
    statement = parse(text, session.parameters)
    if isinstance(statement, sql.DryRun):
        statement, session = statement.statement, replace(session, dry_run=True)
    if not session.dry_run:
        return statement, session
    if isinstance(statement, sql.MergeBranch | sql.Vacuum):
        return replace(statement, dry_run=True), replace(session, dry_run=False)
    rehearsal_refuse(statement)
    return statement, session


def carry_out(handler: Handler, statement: Any, text: str, session: Session, context: Any = None) -> StatementResult:
    """Do what ``statement`` says, again where others came in between; once where an earlier attempt had done it."""
    for number in range(ATTEMPTS):
        if number:
            time.sleep(pause_seconds(number))
        call = Call(session, context or Context(), text)
        try:
            if session.dry_run:
                return rehearse(call, statement, lambda rehearsed: _run(rehearsed, handler, statement))
            run = _run if call.context.attempt <= 1 else _run_again
            return run(call, handler, statement)
        except StatementOvertaken:
            call.context.step("look again", "others changed the same rows meanwhile")
    raise branch_moved_error()


def _run(call: Call, handler: Handler, statement: Any) -> StatementResult:
    if not _is_allowed(call, statement):
        return StatementResult()
    with reading() if isinstance(statement, READING) else nullcontext():
        return handler(call, statement)


def _is_allowed(call: Call, statement: Any) -> bool:
    """Judge the statement's rights, which raises; False where it drops a catalog, IF EXISTS, and there is none."""
    try:
        rights_judge(call, statement)
    except NotFound:
        if isinstance(statement, sql.DropCatalog) and statement.if_exists:
            return False
        raise
    return True


def _run_again(call: Call, handler: Handler, statement: Any) -> StatementResult:
    """A later attempt. The earlier one may have committed; or be alive after all, and commit while this one works."""
    done = earlier_outcome(call)
    if done is not None:
        return done
    try:
        found = _run(call, handler, statement)
    except LakeError:
        done = earlier_outcome(call)
        if done is None:
            raise
        return done
    return earlier_outcome(call) or found


def admit(text: str, session: Session) -> int | None:
    statement, session = _read(text, session)
    return statement_admit(statement, text, session)


def statement_admit(statement: Any, text: str, session: Session) -> int | None:
    """Judge what is about to be queued, as it will be judged again when it runs. Answers the catalog whose members may
    see the task, None where only its author may.
    """
    call = Call(session, Context(), text)
    return catalog_of(call, statement) if _is_allowed(call, statement) else None


def runs_as_task(text: str, parameters: Parameters) -> bool:
    statement = parse(text, parameters)
    if isinstance(statement, sql.DryRun):
        statement = statement.statement
    if isinstance(statement, sql.CreateTable):
        return (statement.query or statement.taken) is not None
    if isinstance(statement, sql.MergeBranch | sql.Vacuum):
        return not statement.dry_run
    return isinstance(statement, TASKS)


def is_query(text: str, parameters: Parameters) -> bool:
    """Whether the statement reads rows on Spark and writes nothing."""
    return isinstance(parse(text, parameters), QUERIES)


def takes_query_place(text: str, parameters: Parameters) -> bool:
    """Whether the statement takes one of the places of queries: it reads rows on Spark."""
    statement = parse(text, parameters)
    is_measured = isinstance(statement, sql.Explain) and statement.mode is sql.ExplainMode.ANALYZE
    return is_measured or isinstance(statement, QUERIES)


def leaves_no_commit(text: str, parameters: Parameters) -> bool:
    return isinstance(parse(text, parameters), UNRECORDED)
