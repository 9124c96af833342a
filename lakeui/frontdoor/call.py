"""Where a statement acts: names of the session and the statement, looked up once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from catalog_app.domain.agents import Account
from catalog_app.domain.files import TableScan, own_facts_open
from catalog_app.domain.restrictions import Restriction
from catalog_app.domain.roles import Principal
from catalog_app.domain.state import DatabaseState, TableState
from catalog_app.engine.inputs_outputs import FileSource, QuerySource
from catalog_app.models import Branch, Catalog, Transaction
from catalog_app.selectors.agents import account_of_user
from catalog_app.selectors.dropped_catalogs import dropped_catalog_get
from catalog_app.selectors.objects import database_get, table_find, tables_named
from catalog_app.selectors.people import catalog_visible, catalog_visible_with, catalogs_known
from catalog_app.selectors.protection import Asked, Bypass
from catalog_app.selectors.restrictions import restrictions_of, restrictions_refuse
from catalog_app.selectors.segments import SegmentState, segments_list
from catalog_app.selectors.snapshots import (
    Snapshot,
    branch_get,
    branch_snapshot,
    moment_parse,
    tag_find,
    version_at,
    version_check,
)
from catalog_app.selectors.views import ViewState, views_list
from catalog_app.services.transactions import transaction_use
from lakeui.common.errors import InvalidValue, NotFound
from lakeui.frontdoor.inputs_outputs import Session
from lakeui.frontdoor.rehearsal import Rehearsal
from lakeui.sql.statements import BranchName, DatabaseName, TableName
from merge_app.audit.bypasses import bypass_record
from merge_app.execution.apply import CommitHeader
from merge_app.execution.reads import TableRead
from merge_app.jobs.context import Context
from merge_app.pipelines.definition.templates import TableAddress


@dataclass(frozen=True)
class Call:
    """One statement on its way: its text, who asks, and who watches. ``temporary_tables`` are what a pipeline's run
    holds, by names that only its own statements use. ``names_task``: what it commits ends the task that it runs in.
    ``rehearsal``: of a dry run, where its commit is looked at before it is taken back. ``publishes``: as of a commit.
    ``reader``: whom `current_user()` names in what restricts rows, where that is not who asks.
    ``reads`` gains what its queries read. ``keeps``: it shows no more of a table than its reader may see; of all others
    nothing gets at a catalog in which rows are restricted for who asks.
    """

    session: Session
    context: Context
    text: str
    temporary_tables: Mapping[TableAddress, FileSource | TableScan | QuerySource] = field(
        default_factory=dict, repr=False, compare=False
    )
    names_task: bool = True
    rehearsal: Rehearsal | None = field(default=None, repr=False, compare=False)
    publishes: bool = False
    keeps: bool = False
    reader: str = ""
    reads: set[TableRead] = field(default_factory=set, repr=False, compare=False)
    _catalogs: dict[str, Catalog] = field(default_factory=dict, repr=False, compare=False)
    _branches: dict[tuple[int, str], Branch] = field(default_factory=dict, repr=False, compare=False)
    _found: dict[tuple[int, str], Branch] = field(default_factory=dict, repr=False, compare=False)
    _segments: dict[tuple[Snapshot, int], list[SegmentState]] = field(default_factory=dict, repr=False, compare=False)
    _restrictions: dict[int, tuple[Restriction, ...]] = field(default_factory=dict, repr=False, compare=False)
    _restricted: set[int] = field(default_factory=set, repr=False, compare=False)

    def with_aside(self, name: TableAddress, rows: FileSource | TableScan | QuerySource) -> Call:
        """The same statement, on the same snapshot of each branch, with these rows under that name."""
        return replace(self, temporary_tables={**self.temporary_tables, name: rows})

    @cached_property
    def principal(self) -> Principal:
        return self.session.principal

    @cached_property
    def account(self) -> Account:
        """Who asks, as the doors of agents see it when the statement begins."""
        return account_of_user(self.session.user)

    @cached_property
    def catalog(self) -> Catalog:
        if not self.session.catalog:
            raise InvalidValue("No catalog is chosen.", remedy="Send `catalog`, or write catalog.database.table.")
        if (key := self.session.catalog.casefold()) in self._catalogs:
            return self._catalogs[key]
        catalog, branch = catalog_visible_with(self.principal, self.session.catalog, self.session.branch)
        self._restrictions_refuse(catalog)
        self._catalogs[key] = catalog
        if branch is not None:
            self._found[catalog.pk, self.session.branch.casefold()] = branch
        return catalog

    def catalog_named(self, name: str | None) -> Catalog:
        """The catalog of that name, the session's where there is no name. What the person cannot see is not found: no
        handler gets at a catalog in another way.
        """
        return self._visible(name) if name else self.catalog

    def dropped_catalog(self, name: str, identity: str | None) -> Catalog:
        """The dropped catalog of that name that can come back, among those that the person knew."""
        return dropped_catalog_get(catalogs_known(self.principal), name, identity)

    def _visible(self, name: str) -> Catalog:
        key = name.casefold()
        if key not in self._catalogs:
            catalog = catalog_visible(self.principal, name)
            self._restrictions_refuse(catalog)
            self._catalogs[key] = catalog
        return self._catalogs[key]

    def _restrictions_refuse(self, catalog: Catalog) -> None:
        if not self.keeps:
            restrictions_refuse(self.principal, catalog)

    def restrictions(self, catalog_id: int, table_id: int) -> tuple[Restriction, ...]:
        """What of the table is hidden from who asks."""
        if catalog_id not in self._restrictions:
            self._restrictions[catalog_id] = restrictions_of(self.principal, catalog_id)
        found = tuple(item for item in self._restrictions[catalog_id] if item.table_id == table_id)
        self._restricted.update(item.table_id for item in found)
        return found

    def seen_by(self, reader: str, catalog_id: int, restrictions: tuple[Restriction, ...]) -> Call:
        """The same statement, with these restrictions in the catalog instead of those of who asks."""
        return replace(self, reader=reader, _restrictions={catalog_id: restrictions})

    @property
    def reader_name(self) -> str:
        return self.reader or self.session.user_name

    @property
    def is_restricted(self) -> bool:
        """Whether something is hidden from who asks of a table that was read."""
        return bool(self._restricted)

    @property
    def catalog_ids(self) -> frozenset[int]:
        """The catalogs that were looked up so far."""
        return frozenset(catalog.pk for catalog in self._catalogs.values())

    @cached_property
    def branch(self) -> Branch:
        return self.branch_at(self.catalog, self.session.branch)

    def branch_at(self, catalog: Catalog, name: str) -> Branch:
        """A branch as the statement first saw it: one statement reads one snapshot of each branch. In a transaction
        the workspace stands for its target.
        """
        key = (catalog.pk, name.casefold())
        if key not in self._branches:
            found = self._found.get(key) or branch_get(catalog, name)
            opened = self.open_transaction
            if opened and opened.target.dropped_at is not None and key == _key_of(opened.target):
                raise InvalidValue(
                    f"The branch of the transaction was dropped or reset; {name} is another branch now.",
                    remedy="ROLLBACK, and begin again.",
                )
            self._branches[key] = opened.workspace if opened and opened.target_id == found.pk else found
        return self._branches[key]

    @cached_property
    def open_transaction(self) -> Transaction | None:
        """The session's transaction, which is open and of the session's branch."""
        if not self.session.transaction:
            return None
        opened = transaction_use(identity=self.session.transaction, principal=self.principal)
        target = opened.target
        asked = (self.session.catalog or target.catalog.name, self.session.branch)
        if (asked[0].casefold(), asked[1].casefold()) != (target.catalog.name.casefold(), target.name.casefold()):
            raise InvalidValue(
                f"The transaction is of branch {target.name} of catalog {target.catalog.name}.",
                remedy="Send that catalog and branch with it.",
            )
        return opened

    @cached_property
    def snapshot(self) -> Snapshot:
        return branch_snapshot(self.branch)

    def segments(self, snapshot: Snapshot, table_id: int) -> list[SegmentState]:
        """What the snapshot shows of the table, looked up once a statement."""
        if (key := (snapshot, table_id)) not in self._segments:
            self._segments[key] = segments_list(snapshot, table_id)
        return self._segments[key]

    def named_branch(self, name: BranchName) -> Branch:
        return self.branch_at(self.catalog_named(name.catalog), name.branch)

    def header(self, operation: str) -> CommitHeader:
        """How the commit of this statement shows in the history, and what gets it past a protection."""
        return CommitHeader(
            operation,
            self.text,
            self.session.user_id,
            self.session.user_name,
            self.context.task_id if self.names_task else None,
            bypass_reason=self.session.bypass_reason,
            publishes=self.publishes,
            reads=tuple(sorted(self.reads)),
            message=self.session.message,
        )

    @property
    def asked(self) -> Asked:
        """What the protection of a branch is asked with, where the statement makes no commit."""
        return Asked(self.session.user_id, bypass_reason=self.session.bypass_reason)

    def record_bypass(self, branch: Branch, bypass: Bypass) -> None:
        """Write into the audit that this statement went past a protection."""
        session = self.session
        bypass_record(
            bypass,
            branch=branch,
            statement=self.text,
            actor_id=session.user_id,
            actor_name=session.user_name,
            task_id=self.context.task_id,
        )


def _key_of(branch: Branch) -> tuple[int, str]:
    return branch.catalog_id, branch.name.casefold()


@dataclass(frozen=True, slots=True)
class Place:
    """A branch as of a version, and a database there."""

    branch: Branch
    snapshot: Snapshot
    database: DatabaseState


@dataclass(frozen=True, slots=True)
class ResolvedTable:
    """``definition_id``: of the schema that the table was found with; 0 of one that is being made."""

    place: Place
    table: TableState
    definition_id: int = 0

    @property
    def label(self) -> str:
        return f"{self.place.database.name}.{self.table.name}"


def scan_for_copies(place: Place, scan: TableScan) -> TableScan:
    """The scan for files that keep facts of rows: what a transaction decided gets its stamp when it commits."""
    return own_facts_open(scan, place.branch.fork_version) if place.branch.is_workspace else scan


def branch_of(call: Call, name: TableName | DatabaseName) -> Branch:
    """The branch that a name points at: its own catalog and branch where given, else the session's."""
    catalog = call.catalog_named(name.catalog)
    at = name.at if isinstance(name, TableName) else None
    if at is None and catalog.pk == (call.catalog.pk if call.session.catalog else catalog.pk):
        return call.branch_at(catalog, call.session.branch)
    return call.branch_at(catalog, at or "main")


def place_of(call: Call, name: TableName) -> Place:
    """Branch, version and database of a table name, for reading."""
    branch, snapshot = _seen_by(call, name)
    return Place(branch, snapshot, database_get(snapshot, name.database))


def _seen_by(call: Call, name: TableName) -> tuple[Branch, Snapshot]:
    """Branch and version that a name is looked up at. What stands behind @ is a tag or a branch."""
    tag = tag_find(call.catalog_named(name.catalog), name.at) if name.at else None
    branch = branch_of(call, name) if tag is None else tag.branch
    snapshot = branch_snapshot(branch) if tag is None else branch_snapshot(branch).at(tag.version)
    if name.version is not None:
        snapshot = snapshot.at(version_check(branch, name.version))
    elif name.timestamp is not None:
        snapshot = snapshot.at(version_at(branch, moment_parse(name.timestamp)))
    return branch, snapshot


def table_for_reading(call: Call, name: TableName) -> ResolvedTable:
    branch, snapshot = _seen_by(call, name)
    found = table_find(snapshot, name.database, name.table)
    return ResolvedTable(Place(branch, snapshot, found.database), found.table, found.definition_id)


def table_for_writing(call: Call, name: TableName) -> ResolvedTable:
    """A table at the head of the session's branch; other branches and past versions are read only."""
    if name.at is not None or name.version is not None or name.timestamp is not None:
        raise InvalidValue(
            "Only the head of the session's branch can be written.",
            remedy="Choose the branch by USE BRANCH or in the request, and write without @ and AS OF.",
        )
    try:
        return table_for_reading(call, name)
    except NotFound as missing:
        found = view_asked(call, name) if missing.details["kind"] == "table" else None
        if found is not None:
            missing.remedy = (
                f"{found[0].database.name}.{found[1].name} is a view, which holds no rows: write into the tables that"
                " its query names. ALTER VIEW and DROP VIEW change it."
            )
        raise


def view_find(place: Place, name: str) -> ViewState | None:
    views = views_list(place.snapshot, [place.database.database_id])
    return next((view for view in views if view.name.casefold() == name.casefold()), None)


def table_exists(place: Place, name: str) -> bool:
    return bool(tables_named(place.snapshot, [(place.database.database_id, name)]))


def view_asked(call: Call, name: TableName) -> tuple[Place, ViewState] | None:
    """The view of that name, where there is no table of it."""
    place = place_of(call, name)
    view = None if table_exists(place, name.table) else view_find(place, name.table)
    return None if view is None else (place, view)
