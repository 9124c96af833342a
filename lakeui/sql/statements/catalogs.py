"""Statements on catalogs, branches and tags, restores, and transactions."""

from __future__ import annotations

from dataclasses import dataclass

from lakeui.sql.statements.names import BranchName, DatabaseName, Properties, TableName


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
class RenameCatalog:
    name: str
    new_name: str


@dataclass(frozen=True, slots=True)
class UndropCatalog:
    """``catalog_id`` None: the one of that name that was dropped last. ``new_name`` None: as it was."""

    name: str
    catalog_id: str | None = None
    new_name: str | None = None


@dataclass(frozen=True, slots=True)
class ShowDroppedCatalogs:
    pass


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
    """``parent`` None: the session's branch. ``expires``: in how long it is dropped, or when; None: never."""

    branch: BranchName
    if_not_exists: bool = False
    parent: BranchName | None = None
    version: int | None = None
    timestamp: str | None = None
    expires: str | None = None


@dataclass(frozen=True, slots=True)
class SetBranchExpiry:
    """``expires``: in how long the branch is dropped, or when; None: never."""

    branch: BranchName
    expires: str | None


@dataclass(frozen=True, slots=True)
class DropBranch:
    branch: BranchName
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class RenameBranch:
    branch: BranchName
    new_name: str


@dataclass(frozen=True, slots=True)
class ResetBranch:
    """``head``: the version that the branch has to be at; None: whatever it is at."""

    branch: BranchName
    head: int | None = None


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
    """``branch_id`` chooses among several dropped ones of that name, None: the last dropped; ``new_name`` None: the
    old name.
    """

    branch: BranchName
    branch_id: str | None = None
    new_name: str | None = None


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
class RenameTag:
    tag: BranchName
    new_name: str


@dataclass(frozen=True, slots=True)
class ShowTags:
    pass


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
class UseDatabase:
    database: DatabaseName


@dataclass(frozen=True, slots=True)
class Vacuum:
    """``table``: only its files go."""

    dry_run: bool = False
    table: TableName | None = None


@dataclass(frozen=True, slots=True)
class BeginTransaction:
    pass


@dataclass(frozen=True, slots=True)
class CommitTransaction:
    pass


@dataclass(frozen=True, slots=True)
class RollbackTransaction:
    pass
