"""Names and types of what a query answers with. They depend on its text and on the columns of its tables only."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from catalog_app.domain.files import TableScan
from catalog_app.engine.cached_answers import Known
from catalog_app.engine.inputs_outputs import FileSource, QuerySource
from catalog_app.engine.reading import declared_dataframe
from catalog_app.engine.types import CHAR_TYPE, type_text

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession

    from catalog_app.storage.warehouse import Warehouse

Described = tuple[tuple[str, str], ...]
_known: Known[Hashable, Described] = Known()
_made: Known[Hashable, Described] = Known()


def described(frame: DataFrame, source: QuerySource) -> Described:
    """The columns of ``frame``, which is this query; Spark is asked once a process."""
    form = query_form(source)
    known = _known.get(form)
    if known is None:
        found = tuple((field.name, type_text(field.dataType)) for field in frame.schema.fields)
        known = _known.keep(form, found, length=_length(source))
    return known


def columns_made(spark: SparkSession, warehouse: Warehouse, source: QuerySource) -> Described:
    """The columns of a table that is made of the query. A query knows CHAR(n) and VARCHAR(n) as STRING. The table has
    them where the query passes a column on, as in Spark.
    """
    form = query_form(source)
    known = _made.get(form)
    if known is None:
        fields = declared_dataframe(spark, warehouse, source.text, source.tables).schema.fields
        found = tuple(
            (field.name, (field.metadata or {}).get(CHAR_TYPE) or type_text(field.dataType)) for field in fields
        )
        known = _made.keep(form, found, length=_length(source))
    return known


def query_form(source: TableScan | FileSource | QuerySource) -> Hashable:
    """What the columns and the constants of a query depend on."""
    if isinstance(source, TableScan):
        return tuple((column.name, column.type) for column in source.schema.columns)
    if isinstance(source, FileSource):
        return source.path, source.names
    return source.text, tuple((name, query_form(relation)) for name, relation in source.tables.items())


def _length(source: TableScan | FileSource | QuerySource) -> int:
    if not isinstance(source, QuerySource):
        return 0
    return len(source.text) + sum(_length(relation) for relation in source.tables.values())
