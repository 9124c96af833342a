"""Expressions of a statement resolved and typed before a row is read: one plan over tables without rows.

So the answer is the same for empty tables and full ones. The plan has only columns that people made: what an error
names, and what it proposes, is theirs. Where it fails, each expression is tried alone, to name the one that is wrong.
Spark's optimizer computes constants, without rows too: those that have no value, such as 1/0, are refused by the same.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any

from catalog_app.domain.files import TableScan
from catalog_app.engine.assigning import Matching, assigned_value
from catalog_app.engine.constants import constants_failure, value_checks
from catalog_app.engine.expressions import Analysis, Expression, Reads, Role, Side
from catalog_app.engine.failures import null_refused, reason
from catalog_app.engine.known import Known
from catalog_app.engine.literals import without_values
from catalog_app.engine.reading import selected
from catalog_app.engine.sources import require_assignable
from catalog_app.engine.types import quoted, storage_type, type_text, unknown_null
from catalog_app.engine.values import FileSource, QuerySource
from lakeui.common.errors import InvalidValue, LakeError

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession

    from catalog_app.storage.warehouse import Warehouse

Select = Callable[[Sequence[str]], "DataFrame"]
"""Computes expressions, with their names, over the rows of a table without rows."""
_RESULT = "__lake_x"
_HARMLESS = re.compile(
    r"(?i)(?>[\s.,()=<>!]|\b(?:and|or|not|in|between)\b|`[^`]*`|\b[^\W\d]\w*\b(?!\s*\()|\b\d{1,9}\b)*+|\s*'[^'\\]*'\s*"
)
"""Comparisons of names and small numbers, and a text: no constant in them can fail."""
_BARE_NAME = re.compile(r"\s*(?:`[^`]*`|[^\W\d]\w*)(?:\.(?:`[^`]*`|[^\W\d]\w*))*\s*")
Form = tuple[Side, Side | None, tuple[tuple[str, Reads], ...]]
"""The tables and texts of a statement, with what each text reads."""
_known_kinds: Known[Form, Sequence[str]] = Known()
_sound_constants: Known[Form, bool] = Known()
_QUOTED_NAME = re.compile(r"`(?:[^`]|``)*`(?:\.`(?:[^`]|``)*`)*")
_NAME_PART = re.compile(r"`((?:[^`]|``)*)`|([^.`]+)")


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
    # What a subquery gives depends on tables that are no part of the form.
    found = _known_kinds.get(form) if analysis.tables is None else None
    if found is None:
        try:
            kinds = _types(reduce(lambda one, other: one.crossJoin(other), selects))
        except (AnalysisException, ParseException) as error:
            raise _first_problem(frames, analysis, error) from error
        found = [kinds[f"{_RESULT}{number}"] for number, _ in numbered]
        if analysis.tables is None:
            _known_kinds.keep(form, found, length=_length(form))
    for expression, kind in zip(analysis.expressions, found, strict=True):
        _require_fit(expression, kind, Matching.FILLED if analysis.fills_fields else Matching.BY_NAME)
    _require_constants(frames, analysis, found)
    return list(found)


def _form(analysis: Analysis) -> Form:
    """What the types of a statement depend on: not on the values that it compares with."""
    texts = (
        (without_values(item.text) if _HARMLESS.fullmatch(item.text) else item.text, item.reads)
        for item in analysis.expressions
    )
    return analysis.target, analysis.source, tuple(texts)


def _length(form: Form) -> int:
    return sum(len(text) for text, _ in form[2])


def _require_constants(frames: Mapping[Reads, Select], analysis: Analysis, kinds: Sequence[str]) -> None:
    """Refuse the first expression with a constant part that has no value, or none that its column can hold."""
    stored = [
        (expression, text)
        for expression, kind in zip(analysis.expressions, kinds, strict=True)
        if (text := constants_of(expression, kind))
    ]
    if not stored:
        return
    texts = {reads: [text for item, text in stored if item.reads is reads] for reads in Reads}
    selects = [_numbered(frames[reads], some) for reads, some in texts.items() if some]
    form = analysis.target, analysis.source, tuple((text, item.reads) for item, text in stored)
    if analysis.tables is None and _sound_constants.get(form):
        return
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
    message = f"{_sentence_start(expression.part)}: {error.message}"
    return type(error)(message, remedy=error.remedy, **{**error.details, **_details(expression)})


def constants_of(expression: Expression, kind: str) -> str:
    """The expression as its column stores it, empty where no part of it can fail as a constant."""
    column, text = expression.column, f"({expression.text}\n)"
    is_harmless = _HARMLESS.fullmatch(expression.text) is not None
    if column is None:
        return "" if is_harmless else expression.text
    is_stored_as_is = bool(column.parsed.fields) or storage_type(column.type) == kind
    checks = [] if _is_bare(expression.text) else value_checks(text, kind, column)
    if is_stored_as_is and not checks:
        return "" if is_harmless else expression.text
    stored = text if is_stored_as_is else f"CAST({text} AS {storage_type(column.type)})"
    return f"struct({', '.join([stored, *checks])})" if checks else stored


def _is_bare(text: str) -> bool:
    """Whether it only names a column."""
    return _BARE_NAME.fullmatch(text) is not None


def _numbered(select: Select, texts: Sequence[str]) -> DataFrame:
    return select([f"({text}\n) AS {_RESULT}{number}" for number, text in enumerate(texts)])


def _frames(spark: SparkSession, warehouse: Warehouse, analysis: Analysis) -> dict[Reads, Select]:
    """What computes expressions over the rows that they read."""
    target = _empty(spark, analysis.target)
    if analysis.tables is not None:
        tables = {name: _without_rows(relation) for name, relation in analysis.tables.items()}
        return {Reads.TARGET: lambda texts: selected(spark, warehouse, target, analysis.target.alias, texts, tables)}
    if analysis.source is None:
        return {Reads.TARGET: _plain(target)}
    source = _empty(spark, analysis.source)
    return {Reads.TARGET: _plain(target), Reads.SOURCE: _plain(source), Reads.BOTH: _plain(target.crossJoin(source))}


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
            f"{_sentence_start(expression.part)} needs a condition, which is boolean; this is of type {kind}.",
            remedy="Compare it with something.",
            **_details(expression),
        )
    if expression.role is Role.VALUE and expression.column is not None:
        if kind == "void" and not expression.column.nullable:
            raise _in_part(null_refused(expression.column.name), expression)
        try:
            require_assignable(expression.column, kind)
            assigned_value(expression.column, "v", kind, matching)
        except InvalidValue as error:
            error.details.update(_details(expression))
            raise


# -- errors -----------------------------------------------------------------------------------------------------------


def _first_problem(frames: Mapping[Reads, Select], analysis: Analysis, whole: Exception) -> LakeError:
    """The error of the first expression that fails by itself."""
    from pyspark.errors import AnalysisException, ParseException

    for expression in analysis.expressions:
        try:
            _types(_selected(frames[expression.reads], [(0, expression)]))
        except (AnalysisException, ParseException) as error:
            return _problem(analysis, expression, error)
    return InvalidValue(reason(whole))


def _problem(analysis: Analysis, expression: Expression, error: Any) -> LakeError:
    kind, parameters = str(error.getCondition() or ""), error.getMessageParameters() or {}
    where = _sentence_start(expression.part)
    if kind.startswith("UNRESOLVED_COLUMN"):
        known = _names(analysis, expression.reads)
        if analysis.tables is not None:
            # The name may stand in a subquery, which has other columns: Spark proposes those of its place.
            known = [".".join(name_parts(item)) for item in _QUOTED_NAME.findall(parameters.get("proposal", ""))]
        return _unknown(analysis, expression, name_parts(parameters["objectName"]), known)
    if kind == "AMBIGUOUS_REFERENCE":
        name = ".".join(name_parts(parameters["name"]))
        meant = [".".join(name_parts(item)) for item in parameters["referenceNames"].strip("[]").split(", ")]
        return InvalidValue(
            f"{where}: {name} is ambiguous; it may be {' or '.join(sorted(meant))}.",
            remedy=f"Say of which table it is, for example {sorted(meant)[0]}.",
            **_details(expression, name_parts(parameters["name"])),
        )
    return InvalidValue(f"{where}: {reason(error)}", spark_class=kind, **_details(expression))


def _unknown(analysis: Analysis, expression: Expression, parts: list[str], known: Sequence[str]) -> LakeError:
    """A name that is no column here; perhaps one of the table that has no row where the expression stands. ``known``:
    columns that are.
    """
    name, where = ".".join(parts), _sentence_start(expression.part)
    details = _details(expression, parts)
    for reads, side in ((Reads.SOURCE, analysis.target), (Reads.TARGET, analysis.source)):
        if side is not None and analysis.source is not None and expression.reads is reads and _is_of(side, parts):
            owner, here = ("target", "source") if reads is Reads.SOURCE else ("source", "target")
            return InvalidValue(
                f"{name} is of the {owner}, and {expression.part} has no {owner} row.",
                remedy=f"Use columns of the {here} only.",
                **details,
            )
    nearest = _nearest(name, known)
    listed = f"Columns here are {', '.join(known[:10])}." if known else "Check the name where it stands."
    remedy = f"Did you mean {nearest}?" if nearest else listed
    return InvalidValue(f"{where}: there is no column {name}.", remedy=remedy, nearest=nearest, **details)


def _nearest(name: str, known: Sequence[str]) -> str | None:
    """The known name that was most likely meant: compared as a whole, then by what is behind the dot."""
    for part in (str, lambda item: item.rpartition(".")[2]):
        by_key = {part(item).casefold(): item for item in known}
        close = difflib.get_close_matches(part(name).casefold(), by_key, n=1, cutoff=0.6)
        if close:
            return by_key[close[0]]
    return None


def _is_of(side: Side, parts: Sequence[str]) -> bool:
    names = {name.casefold() for name, _ in side.columns}
    if len(parts) > 1 and parts[0].casefold() == side.alias.casefold():
        return parts[1].casefold() in names
    return parts[0].casefold() in names


def _names(analysis: Analysis, reads: Reads) -> list[str]:
    """What a person could write here: columns behind the alias, alone where the source has none."""
    sides = [
        side
        for side, unread in ((analysis.target, Reads.SOURCE), (analysis.source, Reads.TARGET))
        if side is not None and reads is not unread
    ]
    return [
        name if side.alias.startswith("__lake_") or len(sides) == 1 else f"{side.alias}.{name}"
        for side in sides
        for name, _ in side.columns
    ]


def name_parts(name: str) -> list[str]:
    """The parts of a name as Spark writes it, quoted with dots between; without what stands for a nameless source."""
    parts = [(quoted_part or bare).replace("``", "`") for quoted_part, bare in _NAME_PART.findall(name)]
    return [part for part in parts if not part.startswith("__lake_")]


def _sentence_start(part: str) -> str:
    return part[:1].upper() + part[1:]


def _details(expression: Expression, named: Sequence[str] = ()) -> dict[str, Any]:
    details: dict[str, Any] = {"part": expression.part}
    if named:
        details["name"] = ".".join(named)
    if expression.clause is not None:
        details["clause"] = expression.clause + 1
    return details
