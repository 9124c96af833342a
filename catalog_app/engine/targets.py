"""Where rows go, and what a file of them says beside its rows."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from catalog_app.domain.files import FACT_FIELDS, ROW_ID_COLUMN, ROW_ID_FIELD, PartitionValues
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.transforms import FileLayout, LaidBy, Transform, is_whole
from catalog_app.domain.types import ParsedType
from catalog_app.engine.decoding import file_name, internal_name
from catalog_app.engine.reading import FACTS, ROW_ID
from catalog_app.engine.transforms import transform_sql
from catalog_app.engine.types import quoted
from catalog_app.storage.footers import FileFacts

PARTITION = "__lake_p"
"""What the columns of partition texts are called, each with its place behind."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where rows go: the table, the schema they are written under, and whether row ids, and facts of rows beside them,
    are stored with them.
    """

    table_id: int
    schema: Schema
    with_row_ids: bool = False
    with_facts: bool = False

    @property
    def columns(self) -> list[str]:
        """Internal names in order."""
        return [internal for internal, _, _ in self.fields()]

    @property
    def inputs(self) -> list[str]:
        """SQL that gives rows their internal names."""
        named = [f"{quoted(column.name)} AS {internal_name(column)}" for column in self.schema.columns]
        hidden = [ROW_ID, *FACTS] if self.with_facts else [ROW_ID] if self.with_row_ids else []
        names = [ROW_ID_COLUMN, *FACT_FIELDS]
        return [*named, *(f"{value} AS {name}" for value, name in zip(hidden, names, strict=False))]

    @property
    def partition_texts(self) -> list[str]:
        """SQL of each partition value as text, those of the layout behind those of columns."""
        return [
            *(f"CAST({internal_name(column)} AS STRING)" for column in self.schema.partition_columns),
            *(f"CAST({transform_sql(one, column.type, internal_name(column))} AS STRING)" for one, column in self.laid),
        ]

    @property
    def laid(self) -> list[tuple[Transform, Column]]:
        """The transforms by which files are laid, with their columns."""
        found = ((one, self.schema.column(one.column_id)) for one in self.schema.layout)
        return [(one, column) for one, column in found if column is not None]

    @property
    def clustered(self) -> list[str]:
        """Internal names of the columns by which rows are sorted."""
        found = (self.schema.column(identifier) for identifier in self.schema.clustered_by)
        return [internal_name(column) for column in found if column is not None]

    def staged(
        self,
        path: str,
        texts: PartitionValues,
        content: pa.Buffer | None = None,
        facts: FileFacts | None = None,
        *,
        base: int | None = None,
    ) -> Staged:
        """A file of rows that all have these ``partition_texts``."""
        count = len(self.schema.partition_by)
        layout = (
            LaidBy(one, column.type, text if text is None or not is_whole(one, column.type) else int(text))
            for (one, column), text in zip(self.laid, texts[count:], strict=True)
        )
        return Staged(path, texts[:count], tuple(layout), content, facts, base)

    @property
    def sources(self) -> list[tuple[Transform | None, Column]]:
        """What ``partition_texts`` are made of."""
        return [*((None, column) for column in self.schema.partition_columns), *self.laid]

    def arrow_schema(self, read: pa.Schema) -> pa.Schema:
        """How rows that come in these types under internal names lie in a file."""
        kinds = {internal_name(column): column.parsed for column in self.schema.columns}
        return pa.schema(
            [
                _arrow_field(pa.field(name, read.field(internal).type), identifier, kinds.get(internal))
                for internal, name, identifier in self.fields()
            ]
        )

    def stored(self, table: pa.Table) -> pa.Table:
        """Rows under internal names as they lie in a file."""
        schema = self.arrow_schema(table.schema)
        return table.select(self.columns).rename_columns([name for _, name, _ in self.fields()]).cast(schema)

    def fields(self) -> list[tuple[str, str, int]]:
        """Internal name, name in the file, field id."""
        named = [(internal_name(column), file_name(column), column.id) for column in self.schema.columns]
        facts = [(name, name, identifier) for name, identifier in FACT_FIELDS.items()]
        hidden = [(ROW_ID_COLUMN, ROW_ID_COLUMN, ROW_ID_FIELD), *(facts if self.with_facts else [])]
        return [*named, *hidden] if self.with_row_ids else named


@dataclass(frozen=True, slots=True)
class Staged:
    """A file with its partition value, and what transforms of columns are for each of its rows. It is ``content`` that
    is yet to be written, or lies at its place where it has a ``base``, else in staging. Without ``facts`` its footer is
    read.
    """

    path: str
    partition: PartitionValues
    layout: FileLayout = ()
    content: pa.Buffer | None = None
    facts: FileFacts | None = None
    base: int | None = None


def _arrow_field(field: pa.Field, identifier: int | None, kind: ParsedType | None) -> pa.Field:
    """The field with its id, and the fields inside of it with theirs."""
    found = field if kind is None else field.with_type(_arrow_type(field.type, kind))
    return found if identifier is None else found.with_metadata({"PARQUET:field_id": str(identifier)})


def _arrow_type(given: pa.DataType, kind: ParsedType) -> pa.DataType:
    if not kind.fields:
        return given
    if pa.types.is_map(given):
        found = [given.key_field, given.item_field]
    else:
        found = [given.field(place) for place in range(given.num_fields)]
    inside = [
        _arrow_field(item, field.ids[0] if field.ids else None, field.type)
        for item, field in zip(found, kind.fields, strict=True)
    ]
    if pa.types.is_struct(given):
        return pa.struct(inside)
    return pa.map_(*inside) if pa.types.is_map(given) else pa.list_(*inside)
