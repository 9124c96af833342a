"""What MERGE INTO gives to the engine and gets back, as values without PySpark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from catalog_app.domain.files import NewDataFile, NewDeleteFile, TableScan
from catalog_app.domain.identity import Identity
from catalog_app.engine.inputs_outputs import PlainRead, QuerySource

if TYPE_CHECKING:
    import pyarrow as pa

    from catalog_app.engine.staging import HeldRows, Staging


class Family(StrEnum):
    MATCHED = "matched"
    NOT_MATCHED = "not matched"
    NOT_MATCHED_BY_SOURCE = "not matched by source"


class Act(StrEnum):
    UPDATE = "update"
    DELETE = "delete"
    INSERT = "insert"


@dataclass(frozen=True, slots=True)
class Rule:
    """One WHEN clause. ``values`` by target column (name as in the schema): checked expression texts or ``DEFAULT``.
    Columns that are absent keep their value in an update and get their default in an insert. ``kinds``: by the same
    names the Spark type texts of expressions.
    """

    family: Family
    act: Act
    condition: str | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SourceRows:
    """The source as the statement names it. ``keys`` are expressions over its columns whose values prune files.
    ``described`` are its columns under these names, and ``key_types`` what the keys are, where that is known.
    ``plain``: the query as columns of a table, where it is no more than that. ``is_distinct``: rows that are alike
    stand there once.
    """

    query: QuerySource
    alias: str
    columns: tuple[str, ...] | None = None
    keys: tuple[str, ...] = ()
    described: tuple[tuple[str, str], ...] | None = None
    key_types: tuple[str, ...] = ()
    plain: PlainRead | None = None
    is_distinct: bool = False


@dataclass(frozen=True, slots=True)
class FrozenSource:
    """The source's rows, computed once, in files of ``staging`` (``paths``); every row has a number. Few rows, which
    this process read, are ``held`` there only when Spark is about to read them.

    ``columns`` are (name, Spark type text) in order. ``keys`` are the distinct values of the asked expressions with
    their type texts, None where they are too many. ``table``: the rows themselves while they are few. ``described``:
    the columns with the types that the query gives them, which a column of nothing but NULL keeps; empty where unknown.
    ``chars``: the type of each column that is CHAR, by its place. ``key_types``: the types of the asked expressions.
    ``rows_before``: where tasks of Spark numbered the rows, how many rows lie before those of each task.
    """

    folder: str
    alias: str
    columns: tuple[tuple[str, str], ...]
    rows: int
    bytes: int
    keys: tuple[tuple[str, pa.Array] | None, ...] = ()
    table: pa.Table | None = None
    described: tuple[tuple[str, str], ...] = ()
    chars: Mapping[int, str] = field(default_factory=dict)
    key_types: tuple[str, ...] = ()
    rows_before: tuple[int, ...] = ()
    staging: Staging | None = None
    paths: Sequence[str] = ()
    held: list[HeldRows] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class MergeTask:
    """``scan`` are the files that can hold rows to act on, in the schema that the merge writes. ``copies``: touched
    files will be written anew, so that a file which loses its last row to an update is marked like any other.
    ``supersedes``: a source row that updates a row comes after it, and is inserted as those without match are.
    ``fills_fields``: a field that a struct of the source lacks is NULL. ``identities``: by id the columns whose values
    are numbered in rows that are inserted without one. ``compares``: where ``on`` says no more than that columns equal
    expressions over the source, the id of each and the text of the expression; else empty. ``beside``: a condition over
    the target alone that ``on`` has beside these; None for none.
    """

    scan: TableScan
    alias: str
    on: str
    rules: tuple[Rule, ...]
    copies: bool = False
    supersedes: bool = False
    fills_fields: bool = False
    identities: Mapping[int, Identity] = field(default_factory=dict)
    compares: tuple[tuple[int, str], ...] = ()
    beside: str | None = None


@dataclass(frozen=True, slots=True)
class MergeChanges:
    """What a merge staged. ``emptied_by_update`` and ``emptied_by_delete`` are files that have no live row left; of a
    file that both emptied together, ``updated`` marks the updated rows and the delete takes it away.
    """

    updated: tuple[NewDeleteFile, ...] = ()
    deleted: tuple[NewDeleteFile, ...] = ()
    emptied_by_update: tuple[int, ...] = ()
    emptied_by_delete: tuple[int, ...] = ()
    images: tuple[NewDataFile, ...] = ()
    inserted: tuple[NewDataFile, ...] = ()
    rows_updated: int = 0
    rows_deleted: int = 0
    rows_inserted: int = 0
