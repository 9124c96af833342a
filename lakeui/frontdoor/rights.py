"""Whether somebody may do what a statement, a load of a file or a run of a pipeline says.

Judged here and nowhere else, for every way in. ``statements`` says what right each takes.

What a statement reads is not listed: names of catalogs that a person cannot see are not found (``places.Call``).
Whether a branch is protected is decided where the change becomes real; here it is only looked at early, to spare work.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from catalog_app.domain.protection import Change
from catalog_app.domain.roles import Action
from catalog_app.models import Branch, Catalog
from catalog_app.selectors.agents import agent_statement_require
from catalog_app.selectors.people import action_require, catalogs_known, scope_require
from catalog_app.selectors.protection import bypass_reason_check, protection_judge
from catalog_app.services.transactions import transaction_get
from lakeui.common.errors import PermissionDenied
from lakeui.frontdoor.call import Call, branch_of
from lakeui.sql import statements as sql


@dataclass(frozen=True, slots=True)
class Requirement:
    """The right that a statement takes, and where. ``named_by``: the fields that may name where it acts. The first that
    is given counts, and without any it is the session. ``change``: what it does to that branch, where nothing but its
    end would say that it may not.
    """

    action: Action
    named_by: tuple[str, ...] = ()
    change: Change | None = None


def statement_kind(statement: type) -> str:
    """``merge_branch`` of MergeBranch: the kind of a statement in logs, metrics and limits."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", statement.__name__).lower()


_QUERIES = (sql.Select, sql.DescribeQuery, sql.CreateTemporaryView, sql.CreateTemporaryFunction)


def rights_judge(call: Call, statement: Any, required: Requirement) -> None:
    """Raises NotFound where the statement acts on a catalog that the person cannot see, PermissionDenied where role or
    token do not allow it, and BranchProtected where its commit would be refused anyhow.
    """
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
    if reads_nothing and not catalogs_known(call.principal).exists():
        raise PermissionDenied(
            "Queries need a role in a catalog, and you have none.",
            remedy="Ask an owner of a catalog to make you a member, or create a catalog.",
        )


def _named(statement: Any, required: Requirement) -> Any:
    """The name of what the statement acts on; None where it is the session's."""
    given = (getattr(statement, field) for field in required.named_by)
    return next((name for name in given if name is not None), None)


def _catalog(call: Call, statement: Any, required: Requirement) -> Catalog:
    if isinstance(statement, sql.CommitTransaction) and call.session.transaction:
        opened = transaction_get(identity=call.session.transaction, principal=call.principal)
        return call.catalog_named(opened.target.catalog.name)
    if isinstance(statement, sql.UndropCatalog):
        return call.dropped_catalog(statement.name, statement.catalog_id)
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
