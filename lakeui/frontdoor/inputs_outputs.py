"""What goes into the front door and what comes out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from catalog_app.domain.names import name_folded
from catalog_app.domain.roles import LAKEUI, Principal, Scopes
from catalog_app.importing.spec import Reading
from lakeui.common.errors import InvalidValue
from lakeui.sql.parameters import NO_PARAMETERS, Parameters
from lakeui.sql.statements import TableName
from merge_app.upsert.inputs_outputs import ExtraColumns, Strategy


@dataclass(frozen=True, slots=True)
class Session:
    """Where and as whom a statement runs. ``user`` None is lakeui itself. ``scopes``: those of the token that was used,
    None where it was none. ``bypass_reason``: why an owner goes past the protection of a branch this once.
    ``dry_run``: everything is done but the commit. ``parameters``: the values of its markers. ``is_whole``: what it
    reads is refused where rows are restricted for who asks, as an answer about some of them would be wrong.
    ``message``: what the person says of the commit that the statement makes.
    """

    catalog: str | None = None
    branch: str = "main"
    user: Any = None
    transaction: str | None = None
    scopes: Scopes | None = None
    bypass_reason: str = ""
    dry_run: bool = False
    parameters: Parameters = NO_PARAMETERS
    is_whole: bool = False
    message: str = ""

    def __post_init__(self) -> None:
        if self.catalog is not None:
            object.__setattr__(self, "catalog", name_folded(self.catalog))
        object.__setattr__(self, "branch", name_folded(self.branch))

    @property
    def principal(self) -> Principal:
        if self.user is None:
            return LAKEUI
        return Principal(int(self.user.pk), self.user_name, bool(self.user.is_superuser), self.scopes)

    @property
    def user_id(self) -> int | None:
        return None if self.user is None else int(self.user.pk)

    @property
    def user_name(self) -> str:
        return "" if self.user is None else str(self.user.get_username())


@dataclass(frozen=True, slots=True)
class KeyedMerge:
    """What becomes of rows whose key the table has, and of those whose key it lacks. Keys are compared null-safely.

    Two rows of the batch with one key are an error, unless ``dedup_by`` names columns: the greatest row wins. Columns
    that the table lacks are an error without schema evolution, unless they are to be ignored.
    """

    strategy: Strategy
    key_columns: tuple[str, ...]
    dedup_by: tuple[str, ...] = ()
    schema_evolution: bool = False
    extra_columns: ExtraColumns = ExtraColumns.REFUSE

    def __post_init__(self) -> None:
        if not self.key_columns:
            raise InvalidValue("No key columns are named.", remedy="Name at least one in key_columns.")
        for listed in (self.key_columns, self.dedup_by):
            if len({name.casefold() for name in listed}) != len(listed):
                raise InvalidValue(f"A column is named twice: {', '.join(listed)}.", remedy="Name each column once.")


@dataclass(frozen=True, slots=True)
class ImportLoad:
    """Which import becomes rows of which table. ``is_new``: the table is made; key and partitions are of a new one.

    ``reading`` is that of the moment when the load was asked for. ``merge``: rows are matched by key; without it they
    are added.
    """

    import_id: UUID
    reading: Reading
    table: TableName
    is_new: bool
    primary_key: tuple[str, ...] = ()
    partition_by: tuple[str, ...] = ()
    merge: KeyedMerge | None = None


@dataclass(frozen=True, slots=True)
class StatementResult:
    """``columns`` are (name, Spark type text). ``extra`` goes into the top level of an answer's body."""

    columns: list[tuple[str, str]] = field(default_factory=list)
    rows: list[list[Any]] = field(default_factory=list)
    row_count: int = 0
    truncated: bool = False
    version: int | None = None
    metrics: dict[str, int] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)


def answer(columns: list[tuple[str, str]], rows: list[list[Any]], version: int | None = None) -> StatementResult:
    """A result that is all there."""
    return StatementResult(columns=columns, rows=rows, row_count=len(rows), version=version)
