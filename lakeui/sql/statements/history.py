"""Statements that ask what happened, and what runs."""

from __future__ import annotations

from dataclasses import dataclass

from lakeui.sql.statements.names import SnapshotPoint, TableName


@dataclass(frozen=True, slots=True)
class DescribeHistory:
    table: TableName
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class ShowHistory:
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class ShowSegments:
    table: TableName


@dataclass(frozen=True, slots=True)
class ShowQueries:
    """What runs or waits now."""


@dataclass(frozen=True, slots=True)
class CancelQuery:
    """``query_id`` is a UUID."""

    query_id: str


@dataclass(frozen=True, slots=True)
class ShowMerges:
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class ShowChanges:
    """The row diff of a table between two points. Versions are those of the branch that its name is of."""

    table: TableName
    first: SnapshotPoint
    last: SnapshotPoint
