"""What each statement, load of a file and run of a pipeline takes: the action, and where it acts.

Judged here and nowhere else, for every way in.

What a statement reads is not listed: names of catalogs that a person cannot see are not found (``places.Call``).
Whether a branch is protected is decided where the change becomes real; here it is only looked at early, to spare work.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from catalog_app.domain.agents import ACTIONS as AGENT_ACTIONS
from catalog_app.domain.protection import Change
from catalog_app.domain.roles import Action
from catalog_app.models import Branch, Catalog
from catalog_app.selectors.agents import agent_statement_require
from catalog_app.selectors.people import action_require, catalogs_visible, scope_require
from catalog_app.selectors.protection import bypass_reason_check, protection_judge
from catalog_app.services.transactions import transaction_get
from lakeui.common.errors import PermissionDenied
from lakeui.frontdoor.pipeline_values import PipelineWork, PublishedWork
from lakeui.frontdoor.places import Call, branch_of
from lakeui.frontdoor.values import ImportLoad
from lakeui.sql import statements as sql


@dataclass(frozen=True, slots=True)
class Requirement:
    """``named_by``: the fields that may name where the statement acts, the first that is given counts; without any it
    is the session. ``change``: what it does to that branch, where nothing but its end would say that it may not.
    """

    action: Action
    named_by: tuple[str, ...] = ()
    change: Change | None = None


_READ = Requirement(Action.READ)
_WRITE_TABLE = Requirement(Action.WRITE, ("table",), Change.WRITE)
_WRITE_VIEW = Requirement(Action.WRITE, ("view",), Change.WRITE)
_WRITE_DATABASE = Requirement(Action.WRITE, ("database",), Change.WRITE)
_DROP_BRANCH = Requirement(Action.DROP_BRANCH, ("branch",))

REQUIREMENTS: dict[type, Requirement] = {
    sql.CreateCatalog: Requirement(Action.CREATE_CATALOG),
    sql.DropCatalog: Requirement(Action.DROP_CATALOG, ("name",)),
    sql.SetCatalogProperties: Requirement(Action.MANAGE_SETTINGS, ("name",)),
    sql.UnsetCatalogProperties: Requirement(Action.MANAGE_SETTINGS, ("name",)),
    sql.DescribeCatalog: _READ,
    sql.ShowCatalogs: _READ,
    sql.UseCatalog: _READ,
    sql.CreateBranch: Requirement(Action.CREATE_BRANCH, ("parent", "branch")),
    sql.DropBranch: _DROP_BRANCH,
    sql.RenameBranch: _DROP_BRANCH,
    sql.UndropBranch: _DROP_BRANCH,
    sql.ShowBranches: _READ,
    sql.UseBranch: _READ,
    sql.UseDatabase: _READ,
    sql.MergeBranch: Requirement(Action.MERGE, ("destination",)),
    sql.CreateTag: Requirement(Action.CREATE_TAG, ("branch",)),
    sql.DropTag: Requirement(Action.DROP_TAG, ("tag",)),
    sql.ShowTags: _READ,
    # Restores, undrops and COMMIT are recorded when a protection refuses them, so they are judged as they commit.
    sql.RestoreTable: Requirement(Action.WRITE, ("table",)),
    sql.RestoreDatabase: Requirement(Action.WRITE, ("database",)),
    sql.RestoreBranch: Requirement(Action.WRITE, ("branch",)),
    sql.RestoreMerge: Requirement(Action.WRITE),
    sql.UndropTable: Requirement(Action.WRITE, ("table",)),
    sql.UndropDatabase: Requirement(Action.WRITE, ("database",)),
    sql.Vacuum: Requirement(Action.VACUUM),
    sql.BeginTransaction: Requirement(Action.WRITE, change=Change.WRITE),
    sql.CommitTransaction: Requirement(Action.WRITE),
    sql.RollbackTransaction: _READ,
    sql.CreateDatabase: _WRITE_DATABASE,
    sql.DropDatabase: _WRITE_DATABASE,
    sql.RenameDatabase: _WRITE_DATABASE,
    sql.SetDatabaseProperties: _WRITE_DATABASE,
    sql.UnsetDatabaseProperties: _WRITE_DATABASE,
    sql.ShowDatabases: _READ,
    sql.DescribeDatabase: _READ,
    sql.CreateTable: _WRITE_TABLE,
    sql.DropTable: _WRITE_TABLE,
    sql.RenameTable: _WRITE_TABLE,
    sql.SetTableProperties: _WRITE_TABLE,
    sql.UnsetTableProperties: _WRITE_TABLE,
    sql.AddColumns: _WRITE_TABLE,
    sql.DropColumns: _WRITE_TABLE,
    sql.RenameColumn: _WRITE_TABLE,
    sql.AlterColumn: _WRITE_TABLE,
    sql.AlterColumns: _WRITE_TABLE,
    sql.AddConstraint: _WRITE_TABLE,
    sql.DropConstraint: _WRITE_TABLE,
    sql.ChangeLayout: _WRITE_TABLE,
    sql.ClusterBy: _WRITE_TABLE,
    sql.AddPartition: _WRITE_TABLE,
    sql.DropPartition: _WRITE_TABLE,
    sql.RenamePartition: _WRITE_TABLE,
    sql.ShowTables: _READ,
    sql.DescribeTable: _READ,
    sql.ShowTableExtended: _READ,
    sql.ShowTableProperties: _READ,
    sql.ShowColumns: _READ,
    sql.ShowSchemaVersions: _READ,
    sql.ShowFunctions: _READ,
    sql.DescribeColumn: _READ,
    sql.DescribeDetail: _READ,
    sql.ShowCreateTable: _READ,
    sql.ShowPartitions: _READ,
    sql.CreateView: _WRITE_VIEW,
    sql.CreateTemporaryView: _READ,
    sql.DropTemporaryView: _READ,
    sql.CreateTemporaryFunction: _READ,
    sql.DropTemporaryFunction: _READ,
    sql.DescribeFunction: _READ,
    sql.SetPartitionOverwrite: _READ,
    sql.DescribeQuery: _READ,
    sql.AlterView: _WRITE_VIEW,
    sql.RenameView: _WRITE_VIEW,
    sql.SetViewProperties: _WRITE_VIEW,
    sql.UnsetViewProperties: _WRITE_VIEW,
    sql.DropView: _WRITE_VIEW,
    sql.ShowViews: _READ,
    sql.DescribeHistory: _READ,
    sql.ShowHistory: _READ,
    sql.ShowSegments: _READ,
    sql.ShowMerges: _READ,
    sql.ShowChanges: _READ,
    sql.ShowQueries: _READ,
    sql.CancelQuery: _READ,
    sql.Select: _READ,
    sql.Explain: _READ,
    ImportLoad: _WRITE_TABLE,
    PipelineWork: _WRITE_TABLE,
    PublishedWork: Requirement(Action.WRITE, ("table",), Change.MERGE),
    sql.Insert: _WRITE_TABLE,
    sql.Delete: _WRITE_TABLE,
    sql.Update: _WRITE_TABLE,
    sql.MergeInto: _WRITE_TABLE,
    sql.CopyInto: _WRITE_TABLE,
    sql.Truncate: _WRITE_TABLE,
    sql.Optimize: _WRITE_TABLE,
}


def statement_kind(statement: type) -> str:
    """``merge_branch`` of MergeBranch: the kind of a statement in logs, metrics and limits."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", statement.__name__).lower()


CHANGING_KINDS = sorted(
    statement_kind(kind) for kind, required in REQUIREMENTS.items() if required.action in AGENT_ACTIONS - {Action.READ}
)
"""Kinds of statements that an agent may be held to: those that change something, and that one may run at all."""

_QUERIES = (sql.Select, sql.DescribeQuery, sql.CreateTemporaryView, sql.CreateTemporaryFunction)


def rights_judge(call: Call, statement: Any) -> None:
    """Raises NotFound where the statement acts on a catalog that the person cannot see, PermissionDenied where role or
    token do not allow it, and BranchProtected where its commit would be refused anyhow.
    """
    required = _requirement(statement)
    if required.action is Action.CREATE_CATALOG:
        scope_require(call.principal, required.action, call.account)
        return
    if required.action is Action.READ:
        _require_some_role(call, statement)
        return
    catalog = _catalog(call, statement, required)
    agent_statement_require(call.account, statement_kind(type(statement)))
    action_require(call.principal, catalog, required.action, call.account)
    if call.session.bypass_reason:
        bypass_reason_check(call.session.bypass_reason)
        action_require(call.principal, catalog, Action.BYPASS_PROTECTION, call.account)
    if required.change is not None and (branch := _branch(call, statement, required)) is not None:
        protection_judge(branch, required.change, dataclasses.replace(call.asked, account=call.account))


def _require_some_role(call: Call, statement: Any) -> None:
    """A query that reads no table costs the engine's time too: only members of some catalog may run one."""
    reads_nothing = isinstance(statement, _QUERIES) and not statement.query.tables
    if reads_nothing and not catalogs_visible(call.principal).exists():
        raise PermissionDenied(
            "Queries need a role in a catalog, and you have none.",
            remedy="Ask an owner of a catalog to make you a member, or create a catalog.",
        )


def _requirement(statement: Any) -> Requirement:
    if isinstance(statement, sql.MergeBranch) and statement.dry_run:
        return _READ
    return REQUIREMENTS[type(statement)]


def _named(statement: Any, required: Requirement) -> Any:
    """The name of what the statement acts on; None where it is the session's."""
    given = (getattr(statement, field) for field in required.named_by)
    return next((name for name in given if name is not None), None)


def _catalog(call: Call, statement: Any, required: Requirement) -> Catalog:
    if isinstance(statement, sql.CommitTransaction) and call.session.transaction:
        opened = transaction_get(identity=call.session.transaction, user_id=call.session.user_id)
        return call.catalog_named(opened.target.catalog.name)
    name = _named(statement, required)
    return call.catalog_named(name if name is None or isinstance(name, str) else name.catalog)


def _branch(call: Call, statement: Any, required: Requirement) -> Branch | None:
    """The branch that is written; None where the name is none that can be (``t@branch``), as its handler will say."""
    name = _named(statement, required)
    if isinstance(name, sql.TableName) and name.at is not None:
        return None
    return call.branch if name is None else branch_of(call, name)


def catalog_of(call: Call, statement: Any) -> int | None:
    """The one catalog that the statement is about, whose members may see it as a task. None where there are several:
    a member of one learns nothing of the others.
    """
    names = {name.casefold() for name in catalogs_named(statement)}
    if call.session.catalog:
        names.add(call.session.catalog.casefold())
    return call.catalog_named(names.pop()).pk if len(names) == 1 else None


def catalogs_named(value: Any) -> Iterator[str]:
    """Every catalog that some name in the statement begins with."""
    if isinstance(value, sql.TableName | sql.DatabaseName | sql.BranchName):
        if value.catalog:
            yield value.catalog
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from catalogs_named(getattr(value, field.name))
    elif isinstance(value, tuple):
        for item in value:
            yield from catalogs_named(item)
