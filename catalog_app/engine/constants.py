"""Constants that a column cannot store, found before a row is read.

Spark's optimizer computes an expression whose parts are all constants, and fails where it has no value. It leaves a
branch of a condition alone, and ``raise_error``. So each check is one cast whose text a condition chooses: as a
constant it fails as a whole. The checks are a plan of their own; what is written stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from catalog_app.domain.files import TableScan
from catalog_app.domain.schema import Column
from catalog_app.domain.types import Field, ParsedType, value_type
from catalog_app.engine.cached_answers import Known
from catalog_app.engine.describing import query_form
from catalog_app.engine.failures import null_refused, translate
from catalog_app.engine.inputs_outputs import FileSource, QuerySource
from catalog_app.engine.reading import query_dataframe
from catalog_app.engine.types import NOT_NULL_MARK, length_limit, quoted, too_long_mark
from lakeui.common.errors import InvalidValue, NotNullViolation

if TYPE_CHECKING:
    from collections.abc import Hashable

    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession

    from catalog_app.storage.warehouse import Warehouse

Relation = TableScan | FileSource | QuerySource
_LITERAL = re.compile(r"['\"]|(?<!\w)\d|\bnull\b", re.IGNORECASE)
_sound: Known[Hashable, bool] = Known()


def may_have_constants(query: QuerySource) -> bool:
    """Whether the text of the query, or of a view that it reads, has a literal or a function in it."""
    views = (relation for relation in query.tables.values() if isinstance(relation, QuerySource))
    return _LITERAL.search(query.text) is not None or any(map(may_have_constants, views))


def without_rows(query: QuerySource) -> QuerySource:
    """The same over tables without rows, which say nothing of partitions and defaults."""
    return replace(query, tables={name: _without_rows(relation) for name, relation in query.tables.items()})


def _without_rows(relation: Relation) -> Relation:
    if isinstance(relation, TableScan):
        return replace(relation, files=())
    return without_rows(relation) if isinstance(relation, QuerySource) else relation


def value_checks(value: str, kind: str, column: Column, *, by_place: bool = False) -> list[str]:
    """SQL that fails as a constant where the column cannot store ``value``, of the type ``kind``: a text that is too
    long, also in a field of a struct, and NULL. ``by_place``: fields of structs go by place, else by name.
    """
    checks = list(_length_checks(value, value_type(kind), column.parsed, column.name, by_place=by_place))
    if not column.nullable:
        checks.append(_check(f"({value}) IS NULL", f"{NOT_NULL_MARK}:{column.name.encode().hex()};"))
    return checks


def _length_checks(value: str, given: ParsedType, wanted: ParsedType, path: str, *, by_place: bool) -> Iterator[str]:
    if wanted.name == "struct" and given.name == "struct":
        for field, found in _pairs(given, wanted, by_place=by_place):
            inner, label = f"{value}.{quoted(found.name)}", f"{path}.{field.name}"
            yield from _length_checks(inner, found.type, field.type, label, by_place=by_place)
    elif (length := length_limit(wanted.text)) is not None and not given.fields:
        long = f"char_length(rtrim(CAST({value} AS STRING))) > {length}"
        yield _check(long, too_long_mark(path, length))


def _pairs(given: ParsedType, wanted: ParsedType, *, by_place: bool) -> list[tuple[Field, Field]]:
    """Fields of a struct column, each with the one of the value that goes into it."""
    if by_place:
        return list(zip(wanted.fields, given.fields, strict=True))
    by_name = {field.name.casefold(): field for field in given.fields}
    return [(field, by_name[field.name.casefold()]) for field in wanted.fields if field.name.casefold() in by_name]


def _check(condition: str, mark: str) -> str:
    return f"CAST(IF({condition}, '{mark}', '0') AS INT)"


def stored_constants_check(
    spark: SparkSession,
    warehouse: Warehouse,
    query: QuerySource,
    assigned: Sequence[tuple[Column, str]],
    *,
    by_place: bool,
) -> None:
    """Refuse constants of a query that columns cannot store. ``assigned``: for each column of the query the one that it
    goes into, and its type, which fits. ``by_place`` as in ``value_checks``.
    """
    for column, kind in assigned:
        if kind == "void" and not column.nullable:
            raise null_refused(column.name)
    named = [(f"s{at}", column, kind) for at, (column, kind) in enumerate(assigned)]
    checks = tuple(
        check for name, column, kind in named for check in value_checks(name, kind, column, by_place=by_place)
    )
    if not checks or not may_have_constants(query):
        return
    asked = query_form(query), checks
    if _sound.get(asked):
        return
    empty = query_dataframe(spark, warehouse, query.text, without_rows(query).tables)
    frame = empty.toDF(*(name for name, _, _ in named))
    problem = constants_failure(frame.selectExpr(*(f"{check} AS c{at}" for at, check in enumerate(checks))))
    if problem is not None:
        raise problem
    _sound.keep(asked, True, length=len(query.text) + sum(map(len, checks)))


def constants_failure(frame: DataFrame) -> InvalidValue | NotNullViolation | None:
    """What is wrong with the frame's constants, found by its optimized plan; no row is read."""
    from pyspark.errors import PySparkException

    try:
        # The public explain() prints to standard output; nothing else optimizes without running a job.
        frame._explain_string()  # noqa: SLF001 - the text that explain() prints
    except PySparkException as error:
        problem = translate(error)
        if not isinstance(problem, InvalidValue | NotNullViolation):
            raise
        return problem
    return None
