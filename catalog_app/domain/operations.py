"""What a commit did, as values: the input of the rule tables (semantics §2 "Commit", P1).

One ``Operation`` is one kind of change to one object in one commit. Changes carry the value before and after, so
that the net effect of a side is found without looking up the merge base (P7): first before against last after.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from catalog_app.domain.files import PartitionValues
from catalog_app.domain.schema import Column
from lakeui.common.records import record


class ObjectKind(StrEnum):
    DATABASE = "database"
    TABLE = "table"
    VIEW = "view"


class OperationKind(StrEnum):
    CREATE = "create"
    DROP = "drop"
    UNDROP = "undrop"
    RENAME = "rename"
    SET_PROPERTIES = "set properties"
    UNSET_PROPERTIES = "unset properties"
    COLUMN = "column"
    PARTITION = "partition"
    INSERT = "insert"
    DELETE = "delete"
    UPDATE = "update"
    OVERWRITE = "overwrite"
    COMPACTION = "compaction"


OBJECT_KINDS = {kind.value: kind for kind in ObjectKind}
OPERATION_KINDS = {kind.value: kind for kind in OperationKind}
"""By stored text. A call of the class takes ten times as long as this."""


DATA_KINDS = frozenset(
    {
        OperationKind.INSERT,
        OperationKind.DELETE,
        OperationKind.UPDATE,
        OperationKind.OVERWRITE,
        OperationKind.COMPACTION,
    }
)


class ColumnAttribute(StrEnum):
    """What of a column changed. EXISTS carries the whole column as JSON: before None = added, after None = dropped.
    POSITION carries the id of the column that precedes it, 0 for first. NESTED is the type of a column with fields
    inside, with their ids; TYPE that of any other.
    """

    EXISTS = "exists"
    NAME = "name"
    TYPE = "type"
    NULLABLE = "nullable"
    DEFAULT = "default"
    INITIAL_DEFAULT = "initial_default"
    COMMENT = "comment"
    NESTED = "nested"
    POSITION = "position"


COLUMN_FIELDS = (
    ColumnAttribute.NAME,
    ColumnAttribute.TYPE,
    ColumnAttribute.NULLABLE,
    ColumnAttribute.DEFAULT,
    ColumnAttribute.INITIAL_DEFAULT,
    ColumnAttribute.COMMENT,
    ColumnAttribute.NESTED,
)
"""The attributes that a column, and its JSON, holds under their own name."""


@dataclass(frozen=True, slots=True)
class ObjectName:
    """A name as an attribute of an object: a table's includes the database it lies in (None for a database)."""

    name: str
    database_id: int | None = None


@dataclass(frozen=True, slots=True)
class Rename:
    before: ObjectName
    after: ObjectName


@record(frozen=True, slots=True)
class PropertyChange:
    key: str
    before: str | None
    after: str | None

    @property
    def setting(self) -> tuple[Any, ...]:
        """What of its object it sets."""
        return ("property", self.key)


@dataclass(frozen=True, slots=True)
class ColumnChange:
    column_id: int
    attribute: ColumnAttribute
    before: Any
    after: Any

    @property
    def setting(self) -> tuple[Any, ...]:
        """What of its object it sets."""
        return ("column", self.column_id, self.attribute)

    @property
    def column_ids(self) -> tuple[int, ...]:
        """The column's ids: of one that begins or ends, also those that merges made one with it."""
        definition = (self.before or self.after or {}) if self.attribute is ColumnAttribute.EXISTS else {}
        ids = (self.column_id, definition.get("id", self.column_id), *definition.get("aliases", ()))
        return tuple(dict.fromkeys(ids))


def attributes_changed(column_id: int, before: Column, after: Column) -> Iterator[ColumnChange]:
    """What makes the column ``after`` of the one before, attribute by attribute. NESTED says the type too."""
    is_nested = before.nested is not None and after.nested is not None
    for attribute in COLUMN_FIELDS:
        old, new = getattr(before, attribute.value), getattr(after, attribute.value)
        if old != new and not (is_nested and attribute is ColumnAttribute.TYPE):
            yield ColumnChange(column_id, attribute, old, new)


@dataclass(frozen=True, slots=True)
class PartitionChange:
    """before None = added, after None = dropped, both = renamed."""

    before: PartitionValues | None
    after: PartitionValues | None


Change = Rename | PropertyChange | ColumnChange | PartitionChange


@dataclass(frozen=True, slots=True)
class AddedFile:
    """A data file that an operation made visible. Row ids of a file that stores none are ``[base, base + rows)``."""

    file_id: int
    base: int
    rows: int
    partition: PartitionValues
    stores_row_ids: bool
    smallest_row_id: int
    largest_row_id: int


@dataclass(frozen=True, slots=True)
class AttachedDelete:
    """A delete file that an operation attached to a data file."""

    delete_file_id: int
    data_file_id: int
    rows: int


@dataclass(frozen=True, slots=True)
class FileEffects:
    """What one data operation did to files. ``removed``: data files that it took away."""

    added: tuple[AddedFile, ...] = ()
    removed: tuple[int, ...] = ()
    deletes: tuple[AttachedDelete, ...] = ()

    @property
    def touched(self) -> frozenset[int]:
        """Existing data files whose rows it removed or masked."""
        return frozenset(self.removed) | frozenset(item.data_file_id for item in self.deletes)


@dataclass(frozen=True, slots=True)
class OverwriteScope:
    """``partitions`` None: the whole table."""

    partitions: tuple[PartitionValues, ...] | None = None


@record(frozen=True, slots=True)
class Operation:
    """One kind of change to one object in one commit.

    ``version`` and ``branch`` say where it was committed (0 and "" while staged). ``operation_id`` is its row (None
    while staged); ``origin_id`` the operation that it replays, itself when it is no replay. ``origin`` is branch and
    version of the commit that made it, or of the state that it lays over another: whoever reaches that has what it
    does. ``effects`` is None for what is no data operation, and for data operations whose files were not needed.
    """

    kind: OperationKind
    object_kind: ObjectKind
    object_id: int
    changes: tuple[Change, ...] = ()
    created: dict[str, Any] | None = None
    overwrite: OverwriteScope | None = None
    effects: FileEffects | None = None
    metrics: dict[str, int] = field(default_factory=dict)
    version: int = 0
    branch: str = ""
    statement: str = ""
    operation_id: int | None = None
    origin_id: int | None = None
    origin: tuple[int, int] | None = field(default=None, compare=False)

    @property
    def is_data(self) -> bool:
        return self.kind in DATA_KINDS

    @property
    def is_replay(self) -> bool:
        return self.origin_id is not None and self.origin_id != self.operation_id
