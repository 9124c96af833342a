"""Expressions of a statement resolved and typed before a row is read: one plan over tables without rows.

So the answer is the same for empty tables and full ones. The plan has only columns that people made: what an error
names, and what it proposes, is theirs. Where it fails, each expression is tried alone, to name the one that is wrong.
Spark's optimizer computes constants, without rows too: those that have no value, such as 1/0, are refused by the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING

from catalog_app.domain.files import TableScan
from catalog_app.engine.assigning import Matching, assigned_value
from catalog_app.engine.cached_answers import Known
from catalog_app.engine.constants import constants_failure, value_checks, without_rows
from catalog_app.engine.describing import query_form
from catalog_app.engine.expressions import Analysis, Expression, Reads, Role, Side
from catalog_app.engine.failures import null_refused, reason
from catalog_app.engine.inputs_outputs import FileSource, QuerySource
from catalog_app.engine.literals import without_values
from catalog_app.engine.reading import query_dataframe, selected
from catalog_app.engine.sources import require_assignable
from catalog_app.engine.types import quoted, storage_type, type_text, unknown_null
from catalog_app.engine.unresolved import part_details, problem, sentence_start
from lakeui.common.errors import InvalidValue, LakeError

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession

    from catalog_app.storage.warehouse import Warehouse

Select = Callable[[Sequence[str]], "DataFrame"]
"""Computes expressions, with their names, over the rows of a table without rows."""
_RESULT, _BESIDE = "__lake_x", "__lake_beside"
_HARMLESS = re.compile(
    r"(?i)(?>[\s.,()=<>!]|\b(?:and|or|not|in|between|exists)\b|`[^`]*`|\b[^\W\d]\w*\b(?!\s*\()|\b\d{1,9}\b)*+|\s*'[^'\\]*'\s*"
)
"""Comparisons of names and small numbers, and a text: no constant in them can fail."""
_BARE_NAME = re.compile(r"\s*(?:`[^`]*`|[^\W\d]\w*)(?:\.(?:`[^`]*`|[^\W\d]\w*))*\s*")
Form = tuple[Side, Side | None, tuple[tuple[str, Reads], ...], Hashable]
"""Tables and texts of a statement, with what each text reads; then the form of what subqueries read, or of the source's
query where it counts.
"""
Columns = Sequence[tuple[str, str]]
_known_kinds: Known[Form, Sequence[str]] = Known()
_sound_constants: Known[Form, bool] = Known()


def analyse(spark: SparkSession, warehouse: Warehouse, analysis: Analysis) -> list[str]:
    """The Spark type text of every expression. Raises InvalidValue for the first that cannot be resolved, is no
    condition where one is needed, or has a value that its column cannot hold.
    """
    from pyspark.errors import AnalysisException, ParseException

    frames = _frames(spark, warehouse, analysis)
    numbered = list(enumerate(analysis.expressions))
    groups = [[item for item in numbered if item[1].reads is reads] for reads in Reads]
    selects = [_selected(frames[group[0][1].reads], group) for group in groups if group]
    if not selects:
        return []
    form = _form(analysis)
    found = _known_kinds.get(form)
    if found is None:
        try:
            kinds = _types(reduce(lambda one, other: one.crossJoin(other), selects))
        except (AnalysisException, ParseException) as error:
            raise _first_problem(frames, analysis, error) from error
        found = [kinds[f"{_RESULT}{number}"] for number, _ in numbered]
        _known_kinds.keep(form, found, length=_length(form))
    for expression, kind in zip(analysis.expressions, found, strict=True):
        _require_fit(expression, kind, Matching.FILLED if analysis.fills_fields else Matching.BY_NAME)
    _require_constants(spark, warehouse, analysis, found)
    return list(found)


def _form(analysis: Analysis) -> Form:
    """What the types of a statement depend on: not on the values that it compares with. Of tables that subqueries
    read, on their columns.
    """
    texts = (
        (without_values(item.text) if _HARMLESS.fullmatch(item.text) else item.text, item.reads)
        for item in analysis.expressions
    )
    tables = None if analysis.tables is None else tuple((n, query_form(table)) for n, table in analysis.tables.items())
    return analysis.target, analysis.source, tuple(texts), tables


def _length(form: Form) -> int:
    return sum(len(text) for text, _ in form[2])


def _require_constants(spark: SparkSession, warehouse: Warehouse, analysis: Analysis, kinds: Sequence[str]) -> None:
    """Refuse the first expression with a constant part that has no value, or none that its column can hold. A column
    of the source that its query gives one value is a constant.
    """
    stored = [
        (expression, text)
        for expression, kind in zip(analysis.expressions, kinds, strict=True)
        if (text := constants_of(expression, kind, _constant_columns(analysis, expression)))
    ]
    if not stored:
        return
    query = None if analysis.source_query is None else query_form(analysis.source_query)
    form = analysis.target, analysis.source, tuple((text, item.reads) for item, text in stored), query
    # What a constant subquery gives depends on rows, which are no part of the form.
    if analysis.tables is None and _sound_constants.get(form):
        return
    frames = _frames(spark, warehouse, analysis, computes_source=True)
    texts = {reads: [text for item, text in stored if item.reads is reads] for reads in Reads}
    selects = [_numbered(frames[reads], some) for reads, some in texts.items() if some]
    if constants_failure(reduce(lambda one, other: one.crossJoin(other), selects)) is None:
        if analysis.tables is None:
            _sound_constants.keep(form, True, length=_length(form))
        return
    for expression, text in stored:
        error = constants_failure(_numbered(frames[expression.reads], [text]))
        if error is not None:
            raise _in_part(error, expression)


def _in_part(error: LakeError, expression: Expression) -> LakeError:
    """The error with the part of the statement that it is about."""
    assigned = expression.column if expression.part == "SET" and "spark_class" in error.details else None
    column = "" if assigned is None else f" {assigned.name}"
    message = f"{sentence_start(expression.part)}{column}: {error.message}"
    found = type(error)(message, remedy=error.remedy, **{**error.details, **part_details(expression)})
    if isinstance(error, InvalidValue) and isinstance(found, InvalidValue) and "spark_class" in error.details:
        # A cast to the column's type is ours: of it the statement has the expression alone.
        found.fragments = (*error.fragments, expression.text)
    return found


def _constant_columns(analysis: Analysis, expression: Expression) -> Columns:
    """Columns that the expression reads and whose values may be constants of the source's query."""
    if analysis.source is None or analysis.source_query is None or expression.reads is Reads.TARGET:
        return ()
    return analysis.source.columns


def constants_of(expression: Expression, kind: str, columns: Columns = ()) -> str:
    """The expression as its column stores it, empty where no part of it can fail as a constant. ``columns`` may be
    constants too: where the source is computed, it is known that each of them has a value.
    """
    column, text = expression.column, f"({expression.text}\n)"
    is_harmless = _HARMLESS.fullmatch(expression.text) is not None and not _compares_text(expression.text, columns)
    if column is None:
        return "" if is_harmless else expression.text
    is_bare = _is_bare(expression.text)
    is_stored_as_is = bool(column.parsed.fields) or storage_type(column.type) == kind
    checks = [] if is_bare and not columns else value_checks(text, kind, column)
    if is_stored_as_is and not checks:
        return "" if is_harmless or is_bare else expression.text
    stored = text if is_stored_as_is else f"CAST({text} AS {storage_type(column.type)})"
    return f"struct({', '.join([stored, *checks])})" if checks else stored


def _compares_text(text: str, columns: Columns) -> bool:
    """Whether it names a column of texts: a number, a time or a truth that it is compared with has it cast."""
    folded = text.casefold()
    return any(kind == "string" and name.casefold() in folded for name, kind in columns)


def _is_bare(text: str) -> bool:
    """Whether it only names a column."""
    return _BARE_NAME.fullmatch(text) is not None


def _numbered(select: Select, texts: Sequence[str]) -> DataFrame:
    return select([f"({text}\n) AS {_RESULT}{number}" for number, text in enumerate(texts)])


def _frames(
    spark: SparkSession, warehouse: Warehouse, analysis: Analysis, *, computes_source: bool = False
) -> dict[Reads, Select]:
    """What computes expressions over the rows that they read. ``computes_source``: by the source's query, where that is
    given, as it says which columns are constants. Else by its columns alone.
    """
    target = _empty(spark, analysis.target)
    if analysis.tables is not None:
        tables = {name: _without_rows(relation) for name, relation in analysis.tables.items()}
        return {Reads.TARGET: lambda texts: selected(spark, warehouse, target, analysis.target.alias, texts, tables)}
    if analysis.source is None:
        return {Reads.TARGET: _plain(target)}
    source = _empty(spark, analysis.source)
    if computes_source and analysis.source_query is not None:
        source = _computed(spark, warehouse, analysis.source, analysis.source_query)
    return {Reads.TARGET: _plain(target), Reads.SOURCE: _plain(source), Reads.BOTH: _plain(target.crossJoin(source))}


def _computed(spark: SparkSession, warehouse: Warehouse, side: Side, query: QuerySource) -> DataFrame:
    """The query over tables without rows. Beside no row, so that the optimizer takes the value of a column from the
    query only where the whole query has that one. Else it would compute expressions over each part of a UNION, or each
    row of VALUES, that no clause may ever take.
    """
    found = query_dataframe(spark, warehouse, query.text, without_rows(query).tables)
    named = found.toDF(*(name for name, _ in side.columns))
    return spark.range(0).selectExpr(f"id AS {_BESIDE}").crossJoin(named).drop(_BESIDE).alias(side.alias)


def _plain(frame: DataFrame) -> Select:
    return lambda texts: frame.selectExpr(*texts)


def _without_rows(relation: TableScan | FileSource | QuerySource) -> TableScan | FileSource | QuerySource:
    if isinstance(relation, TableScan):
        return replace(relation, files=())
    if isinstance(relation, QuerySource):
        return replace(relation, tables={name: _without_rows(inner) for name, inner in relation.tables.items()})
    return relation


def _empty(spark: SparkSession, side: Side) -> DataFrame:
    columns = (f"{unknown_null(kind)} AS {quoted(name)}" for name, kind in side.columns)
    return spark.range(0).selectExpr(*columns).alias(side.alias)


def _selected(select: Select, group: Sequence[tuple[int, Expression]]) -> DataFrame:
    # A line break ends what may be a comment at the end of an expression.
    return select([f"({expression.text}\n) AS {_RESULT}{number}" for number, expression in group])


def _types(frame: DataFrame) -> dict[str, str]:
    return {field.name: type_text(field.dataType) for field in frame.schema.fields}


def _require_fit(expression: Expression, kind: str, matching: Matching) -> None:
    if expression.role is Role.CONDITION and kind not in ("boolean", "void"):
        raise InvalidValue(
            f"{sentence_start(expression.part)} needs a condition, which is boolean; this is of type {kind}.",
            remedy="Compare it with something.",
            **part_details(expression),
        )
    if expression.role is Role.VALUE and expression.column is not None:
        if kind == "void" and not expression.column.nullable:
            raise _in_part(null_refused(expression.column.name), expression)
        try:
            require_assignable(expression.column, kind)
            assigned_value(expression.column, "v", kind, matching)
        except InvalidValue as error:
            error.details.update(part_details(expression))
            raise


def _first_problem(frames: Mapping[Reads, Select], analysis: Analysis, whole: Exception) -> LakeError:
    """The error of the first expression that fails by itself."""
    from pyspark.errors import AnalysisException, ParseException

    for expression in analysis.expressions:
        try:
            _types(_selected(frames[expression.reads], [(0, expression)]))
        except (AnalysisException, ParseException) as error:
            return problem(analysis, expression, error)
    message, remedy = reason(whole)
    return InvalidValue(message, remedy=remedy)
