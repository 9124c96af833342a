"""Names and types of what a query answers with. They depend on its text and on the columns of its tables only."""

from __future__ import annotations

import re
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
_PART = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`|--[^\n]*|/\*.*?\*/|\w+(?:\.\w+)*|.""", re.DOTALL)
_ENDS = frozenset(
    (
        *("SELECT", "FROM", "GROUP", "HAVING", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET", "WINDOW"),
        *(
            "UNION",
            "INTERSECT",
            "EXCEPT",
            "MINUS",
            "LATERAL",
            "QUALIFY",
            "PIVOT",
            "UNPIVOT",
            "VALUES",
            "TABLE",
            "|",
            ";",
        ),
    )
)
"""What no WHERE goes past, where it stands in no brackets."""


def described(frame: DataFrame, source: QuerySource) -> Described:
    """The columns of ``frame``, which is this query; Spark is asked once a process for each form."""
    form = columns_form(source)
    known = _known.get(form)
    if known is None:
        found = tuple((field.name, type_text(field.dataType)) for field in frame.schema.fields)
        known = _known.keep(form, found, length=_length(source))
    return known


def columns_made(spark: SparkSession, warehouse: Warehouse, source: QuerySource) -> Described:
    """The columns of a table that is made of the query. A query knows CHAR(n) and VARCHAR(n) as STRING. The table has
    them where the query passes a column on, as in Spark.
    """
    form = columns_form(source)
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
        return source
    return source.text, tuple((name, query_form(relation)) for name, relation in source.tables.items())


def columns_form(source: TableScan | FileSource | QuerySource) -> Hashable:
    """What the columns of a query depend on: on its text but for the literals of its WHERE."""
    if not isinstance(source, QuerySource):
        return query_form(source)
    tables = ((name, columns_form(relation)) for name, relation in source.tables.items())
    return without_compared(source.text), tuple(tables)


def without_compared(text: str) -> str:
    """A query with one mark for each number and each text in the WHERE that belongs to no part in brackets. It names no
    column of the answer and gives none a type.
    """
    parts, depth, is_after_from, is_where = [], 0, False, False
    for found in _PART.finditer(text):
        part = found[0]
        depth += (part == "(") - (part == ")")
        if depth == 0:
            word = part.upper()
            if word in _ENDS:
                is_after_from, is_where = word == "FROM", False
            elif word == "WHERE":
                is_where = is_after_from
            elif is_where and (part[0] == "'" or part[0].isdigit()):
                part = "?"
        parts.append(part)
    return "".join(parts)


def _length(source: TableScan | FileSource | QuerySource) -> int:
    if not isinstance(source, QuerySource):
        return 0
    return len(source.text) + sum(_length(relation) for relation in source.tables.values())
