"""Names and queries: what statements are made of."""

from __future__ import annotations

from dataclasses import dataclass, field

from catalog_app.pruning.predicates import ANYTHING, Predicate

Properties = tuple[tuple[str, str], ...]
PartitionValuesByColumn = tuple[tuple[str, str | None], ...]
COMMENT = "comment"
"""The property of databases and tables that is their comment."""


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


@dataclass(frozen=True, slots=True)
class NamedPoint:
    """The head of the branch of that name, or what the tag of that name names."""

    name: str
    is_tag: bool = False

    def __str__(self) -> str:
        return f"{'tag' if self.is_tag else 'branch'} {self.name}"


SnapshotPoint = int | NamedPoint
"""A version, or a branch or tag that is said to be one."""

ChangePoint = SnapshotPoint | str
"""A version, a branch or tag that is said to be one, or the text of a tag, a time or a branch."""


@dataclass(frozen=True, slots=True)
class TableChanges:
    """Changes of a table's rows. With ``is_net`` those that make of the table at ``first`` what it is at ``last``. Else
    those of each commit from ``first`` to ``last``, both included, None being the head.
    """

    first: ChangePoint
    last: ChangePoint | None = None
    is_net: bool = False


@dataclass(frozen=True, slots=True)
class TableReference:
    """A managed table in a query: the identifier that stands for it in the text, and what it is. ``changes``: not its
    rows are meant, but these changes of them. ``asked``: which of ``METADATA_COLUMNS`` the query names of it, which may
    be columns of its own.
    """

    placeholder: str
    name: TableName
    changes: TableChanges | None = None
    asked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """Checked Spark SQL. ``text`` holds each table as its placeholder (`` `__lake_0` ``), one per mention.

    ``where`` by placeholder: what is true of every row of that mention that can matter to the answer. ``beside``:
    the text over tables that have what it asks of them beside their columns, where it asks something.
    """

    text: str
    tables: tuple[TableReference, ...] = ()
    where: dict[str, Predicate] = field(default_factory=dict)
    beside: str = ""


@dataclass(frozen=True, slots=True)
class Condition:
    """A checked boolean expression over the columns of one table, whose alias (its name where none is given) it uses.

    ``predicate`` is true of every row for which it is.
    """

    text: str
    predicate: Predicate = ANYTHING


@dataclass(frozen=True, slots=True)
class Subqueries:
    """What the subqueries in the expressions of a statement mention, as Query has it; ``are_there`` also where they
    mention no table.
    """

    tables: tuple[TableReference, ...] = ()
    where: dict[str, Predicate] = field(default_factory=dict)
    are_there: bool = False


NO_SUBQUERIES = Subqueries()
