"""Columns and table schemas as values. A column is its id; the name is an attribute (semantics P3)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

from catalog_app.domain.identity import Identity
from catalog_app.domain.transforms import Transform
from catalog_app.domain.types import ParsedType, parse_identified, value_type


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    ``id`` is the Parquet field id, unique in the table across all branches, never reused.
    ``type`` is canonical Spark SQL type text, lower case (``bigint``, ``decimal(10,2)``, ``array<string>``).
    ``default`` is the SQL text new rows get; ``initial_default`` is what rows written before the column existed
    read as (null when None). ``aliases`` are the ids under which the same column was added on merged branches.
    ``nested`` is the type of a column with fields inside, with the ids of these (``struct<x#3:int>``); None of one
    without fields. ``generated``: of a column of ``writing_schema``, the stored SQL over the other columns that is its
    value. It is kept among the constraints of the table, not with the column. ``identity`` is what such a column counts
    by, likewise.
    """

    id: int
    name: str
    type: str
    nullable: bool = True
    default: str | None = None
    initial_default: str | None = None
    comment: str | None = None
    aliases: tuple[int, ...] = ()
    nested: str | None = None
    generated: str | None = field(default=None, compare=False)
    identity: Identity | None = field(default=None, compare=False)

    @property
    def parsed(self) -> ParsedType:
        """The type taken apart, its fields with their ids where these are known."""
        return value_type(self.type) if self.nested is None else parse_identified(self.nested)

    @property
    def holds_nothing(self) -> bool:
        """Whether a struct in it has no field: no file holds such a column."""
        return "struct<>" in self.type

    def with_fields(self, kind: ParsedType) -> Column:
        """The column with this type, whose fields have ids."""
        return replace(self, type=kind.text, nested=kind.identified)

    @property
    def ids(self) -> tuple[int, ...]:
        """Every field id under which files may hold this column."""
        return (self.id, *self.aliases)

    def as_json(self) -> dict[str, Any]:
        described = {
            "id": self.id,
            "name": self.name,
            "type": self.type,
            "nullable": self.nullable,
            "default": self.default,
            "initial_default": self.initial_default,
            "comment": self.comment,
            "aliases": list(self.aliases),
        }
        return described if self.nested is None else {**described, "nested": self.nested}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Column:
        nested = value.get("nested")
        # By position: large plans read hundreds of thousands of columns.
        return cls(
            value["id"],
            value["name"],
            value["type"] if nested is None else parse_identified(nested).text,
            value.get("nullable", True),
            value.get("default"),
            value.get("initial_default"),
            value.get("comment"),
            tuple(value.get("aliases", ())),
            nested,
        )


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns of a table in order, its primary key and its partition columns (by column id). ``layout``: of
    a schema under which rows are written, the transforms that lay its files; ``clustered_by`` the columns in whose
    order a large write lies. Both are kept among the table's properties.

    One made by ``from_text`` reads the text when it is first looked at. Of the tables that two branches changed, most
    kept their columns, and a comparison of very many never asks for these.
    """

    columns: tuple[Column, ...] = ()
    primary_key: tuple[int, ...] = ()
    partition_by: tuple[int, ...] = ()
    layout: tuple[Transform, ...] = field(default=(), compare=False)
    clustered_by: tuple[int, ...] = field(default=(), compare=False)
    _by_id: dict[int, Column] = field(default_factory=dict, init=False, repr=False, compare=False)
    _text: str = field(default="", init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        known = self._by_id
        for column in self.columns:
            known[column.id] = column
            for alias in column.aliases:
                known[alias] = column

    def __getattr__(self, name: str) -> Any:
        """Called only for an attribute that was not filled: one of a schema that has only its text yet."""
        if name not in _READ_FROM_TEXT:
            raise AttributeError(name)
        read = Schema.from_json(json.loads(self._text))
        for attribute in _READ_FROM_TEXT:
            object.__setattr__(self, attribute, getattr(read, attribute))
        return getattr(self, name)

    @property
    def is_keyed(self) -> bool:
        """Whether it has a primary key. Of one that has only its text yet, columns are not read to say no."""
        return _NO_KEY not in self._text and bool(self.primary_key)

    def column(self, column_id: int) -> Column | None:
        """The column with this id or alias."""
        return self._by_id.get(column_id)

    def named(self, name: str) -> Column | None:
        """The column with this name; case does not matter."""
        folded = name.casefold()
        return next((column for column in self.columns if column.name.casefold() == folded), None)

    def with_column(self, changed: Column) -> Schema:
        """The same schema with the column of that id replaced."""
        return replace(self, columns=tuple(changed if c.id == changed.id else c for c in self.columns))

    def moved(self, column_id: int, after: int) -> Schema:
        """The same schema with a column behind the column ``after`` (0: first); unchanged where either is missing."""
        column, previous = self.column(column_id), self.column(after)
        if column is None or column is previous or (after and previous is None):
            return self
        rest = [c for c in self.columns if c.id != column.id]
        index = rest.index(previous) + 1 if previous is not None else 0
        return replace(self, columns=(*rest[:index], column, *rest[index:]))

    @property
    def partition_columns(self) -> tuple[Column, ...]:
        return tuple(self._by_id[identifier] for identifier in self.partition_by)

    def as_json(self) -> dict[str, Any]:
        return {
            "columns": [column.as_json() for column in self.columns],
            "primary_key": list(self.primary_key),
            "partition_by": list(self.partition_by),
        }

    @classmethod
    def from_text(cls, text: str) -> Schema:
        """The schema whose JSON this is. Raises what ``json.loads`` and ``from_json`` raise, when it is looked at."""
        made = cls.__new__(cls)
        object.__setattr__(made, "_text", text)
        return made

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Schema:
        return cls(
            columns=tuple(Column.from_json(column) for column in value["columns"]),
            primary_key=tuple(value["primary_key"]),
            partition_by=tuple(value["partition_by"]),
        )


_NO_KEY = '"primary_key": []'
"""As PostgreSQL writes it; quotes inside of names and comments are escaped."""
_READ_FROM_TEXT = ("columns", "primary_key", "partition_by", "layout", "clustered_by", "_by_id")


def has_key_in_partition(schema: Schema) -> bool:
    """Whether a column of the primary key is a partition column: the rename of a partition changes keys."""
    return schema.is_keyed and not set(schema.primary_key).isdisjoint(schema.partition_by)
