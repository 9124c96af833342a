"""Databases and tables as one branch sees them at one version: the values that plans start from and end in."""

from __future__ import annotations

from dataclasses import field

from catalog_app.domain.checks import is_stored
from catalog_app.domain.files import PartitionValues
from catalog_app.domain.schema import Schema
from lakeui.common.records import record


@record(frozen=True, slots=True)
class DatabaseState:
    database_id: int
    name: str
    comment: str = ""
    properties: dict[str, str] = field(default_factory=dict)
    is_dropped: bool = False


@record(frozen=True, slots=True)
class TableState:
    """``declared_partitions`` are those added by ADD PARTITION; others exist by the rows in them.
    ``schema_version`` is the version of the commit that made ``schema``.
    """

    table_id: int
    database_id: int
    name: str
    schema: Schema
    schema_version: int
    comment: str = ""
    properties: dict[str, str] = field(default_factory=dict)
    declared_partitions: frozenset[PartitionValues] = frozenset()
    is_dropped: bool = False


ObjectState = DatabaseState | TableState
COMMENT = "comment"
"""The property that is an object's comment, once one is set after the object was made."""


def comment_of(state: ObjectState) -> str:
    """The comment that is shown."""
    return state.properties.get(COMMENT, state.comment)


def own_properties(state: ObjectState) -> dict[str, str]:
    """The properties without the one that is the comment, and without constraints and layout."""
    return {key: value for key, value in stated_properties(state).items() if key != COMMENT}


def stated_properties(state: ObjectState) -> dict[str, str]:
    """The properties that statements on properties set."""
    return {key: value for key, value in state.properties.items() if not is_stored(key)}
