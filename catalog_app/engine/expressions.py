"""What a statement wants of its rows: expressions as people wrote them, with the columns that they may read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from catalog_app.domain.schema import Column
from catalog_app.engine.inputs_outputs import QuerySource, Tables


class Reads(StrEnum):
    """Whose columns an expression may name."""

    BOTH = "both"
    SOURCE = "source"
    TARGET = "target"


class Role(StrEnum):
    """What an expression is for: a condition is true or not, a value goes into a column, a key is only computed."""

    CONDITION = "condition"
    VALUE = "value"
    KEY = "key"


@dataclass(frozen=True, slots=True)
class Side:
    """A table that expressions read under an alias; ``columns`` are (name, Spark type text)."""

    alias: str
    columns: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Expression:
    """One expression. ``part`` says in the statement's own words where it stands, such as ``WHEN MATCHED``; ``clause``
    is the number of that WHEN, None outside of them. ``column``: where a value goes.
    """

    text: str
    role: Role
    part: str
    reads: Reads = Reads.TARGET
    column: Column | None = None
    clause: int | None = None


@dataclass(frozen=True, slots=True)
class Analysis:
    """All expressions of one statement, and what they read. ``fills_fields``: a field that a struct lacks is NULL.
    ``tables``: what subqueries read, None where there are none; where there is a source, there are none.
    ``source_query``: the source's rows under the names of its columns, where some of them may be constants.
    """

    target: Side
    expressions: tuple[Expression, ...]
    source: Side | None = None
    fills_fields: bool = False
    tables: Tables | None = None
    source_query: QuerySource | None = None
