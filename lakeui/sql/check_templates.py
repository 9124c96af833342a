"""Templates of checks: assertions about a table, each as the SQL that measures it and the SQL that finds bad rows.

A template that judges rows one by one is an aggregate. All of them over the same rows of a table are one query, so
that many checks read a table once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from catalog_app.domain.quoting import quote_name, quote_text
from lakeui.common.errors import InvalidValue
from lakeui.sql.dialect import read_expression, write
from lakeui.sql.names import table_name
from lakeui.sql.statements import TableName

Parameters = Mapping[str, Any]

_AGE = re.compile(r"([1-9][0-9]{0,5}) (minute|hour|day)s?")
MOST_VALUES = 1000


class Rows(StrEnum):
    """Which rows a check looks at: all of the merged table, or those that the merge inserts or updates."""

    ALL = "all"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Part:
    """A parameter: what it is called, how a value is read, and whether it may be left out."""

    name: str
    read: Callable[[str, Any], Any]
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class Versions:
    """The table in a query, as of the merged state and of the target before it."""

    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Measure:
    """How a check is measured.

    ``aggregate``: SQL of the number of bad rows, over the rows of a table; ``bad``: the condition of these, where each
    row is judged by itself. ``query``: in its place, where one pass over the rows is not enough, a query of the number
    of rows and of the number of bad ones. ``sample``: a query of the bad rows. ``most``: the share of all rows that may
    be bad. ``query_of_new``: the query where the target lacks the table.
    """

    table: TableName
    rows: Rows
    sample: str
    aggregate: str = ""
    bad: str = ""
    query: str = ""
    query_of_new: str = ""
    most: float = 0.0


@dataclass(frozen=True, slots=True)
class CheckTemplate:
    """``measure`` builds the SQL of read parameters; ``versions`` is None for the text that people see and try.
    ``by_changed_rows``: whether the check can be of changed rows alone.
    """

    name: str
    summary: str
    parts: tuple[Part, ...]
    measure: Callable[[Parameters, Versions | None], Measure]
    by_changed_rows: bool = True


def parameters_read(template: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters as they are stored. Raises InvalidValue for a template, a parameter or a value that is unknown."""
    known = _template(template)
    parts = {part.name: part for part in (*known.parts, *_COMMON)}
    for name in given:
        if name not in parts:
            raise InvalidValue(
                f"The template {template} has no parameter {name}.",
                remedy=f"Its parameters are {', '.join(parts)}.",
                field="parameters",
            )
    read = {}
    for name, part in parts.items():
        if given.get(name) is not None:
            read[name] = part.read(name, given[name])
        elif not part.is_optional:
            raise _invalid(f"The template {template} needs the parameter {name}.", f"Give {name}.")
    if read.get("rows") == Rows.CHANGED and not known.by_changed_rows:
        raise _invalid(f"The template {template} looks at all rows of a table.", "Leave out `rows`.")
    known.measure(read, None)
    return read


def measure_of(template: str, parameters: Parameters, versions: Versions) -> Measure:
    """How the check is measured on a merged state."""
    return _template(template).measure(parameters, versions)


def query_shown(template: str, parameters: Parameters) -> str:
    """The query of bad rows that people see. A comment says what the query does not."""
    found = _template(template).measure(parameters, None)
    notes = []
    if found.rows is Rows.CHANGED:
        notes.append("of the rows that the merge inserts or updates")
    if found.most:
        notes.append(f"at most {found.most!r} of the rows may be bad")
    if template == "row_count_change":
        notes.append(_count_words(parameters))
    return "\n".join([f"-- {note}" for note in notes] + [found.sample])


def scan_query(table: TableName, rows: Rows, measures: Sequence[Measure], versions: Versions) -> str:
    """One query of the number of rows, then of the bad rows of each measure: aggregates over the same rows."""
    counts = [f", {measure.aggregate} AS b{number}" for number, measure in enumerate(measures)]
    return f"SELECT count(*) AS n{''.join(counts)} FROM {_source(table, rows, versions)}"


# -- values of parameters ---------------------------------------------------------------------------------------------


def _invalid(message: str, remedy: str) -> InvalidValue:
    return InvalidValue(message, remedy=remedy, field="parameters")


def _table(name: str, value: Any) -> str:
    parts = value.split(".") if isinstance(value, str) else []
    if len(parts) != 2 or not all(parts) or "@" in value:
        raise _invalid(f"The parameter {name} is no name of a table.", "Write database.table, of the merged state.")
    table_name(tuple(parts))
    return ".".join(parts)


def _column(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _invalid(f"The parameter {name} is no name of a column.", "Write the column's name.")
    return value


def _columns(name: str, value: Any) -> list[str]:
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list) or not found:
        raise _invalid(f"The parameter {name} lists no columns.", "Write a list of names.")
    return [_column(name, item) for item in found]


def _values(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list) or not value or len(value) > MOST_VALUES:
        raise _invalid(f"The parameter {name} is no list of 1 to {MOST_VALUES} values.", "Write a list.")
    for item in value:
        if not isinstance(item, str | int | float | bool):
            raise _invalid(f"The parameter {name} holds {item!r}.", "Write texts, numbers, true or false.")
    return value


def _share(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1_000_000:
        raise _invalid(f"The parameter {name} is no share.", "Write a number from 0; 0.1 is 10 %.")
    return float(value)


def _bad_share(name: str, value: Any) -> float:
    share = _share(name, value)
    if share >= 1:
        raise _invalid(f"The parameter {name} allows that all rows are bad.", "Write a number below 1; 0.1 is 10 %.")
    return share


def _age(name: str, value: Any) -> str:
    found = _AGE.fullmatch(value.strip().lower()) if isinstance(value, str) else None
    if found is None:
        raise _invalid(f"The parameter {name} is no time span.", "Write for example 24 hours, 30 minutes or 2 days.")
    return f"{found[1]} {found[2]}{'s' if found[1] != '1' else ''}"


def _predicate(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _invalid(f"The parameter {name} is no condition.", "Write a condition of bad rows, such as price < 0.")
    return write(read_expression(value))


def _rows(name: str, value: Any) -> str:
    if value not in list(Rows):
        raise _invalid(f"The parameter {name} is {value!r}.", "Write all or changed.")
    return str(value)


_COMMON = (Part("rows", _rows, is_optional=True),)


# -- templates --------------------------------------------------------------------------------------------------------


def _named(table: str) -> TableName:
    return table_name(tuple(table.split(".")))


def _text(table: TableName) -> str:
    return f"{quote_name(table.database)}.{quote_name(table.table)}"


def _source(table: TableName, rows: Rows, versions: Versions | None) -> str:
    """The rows that are looked at, as SQL of ``FROM``."""
    if rows is Rows.ALL or versions is None:
        return _text(table)
    changes = f"table_difference({quote_text(_text(table))}, {versions.before}, {versions.after})"
    kept = "_change_type IN ('insert', 'update_postimage')"
    return f"(SELECT * EXCEPT (_change_type, _row_id) FROM {changes} WHERE {kept})"


def _of_rows(
    bad: Callable[[Parameters], str], most: Callable[[Parameters], float] = lambda _: 0.0
) -> Callable[[Parameters, Versions | None], Measure]:
    """A template that judges each row by itself."""

    def measure(given: Parameters, versions: Versions | None) -> Measure:
        table, rows, condition = _named(given["table"]), Rows(given.get("rows", Rows.ALL)), bad(given)
        sample = f"SELECT * FROM {_source(table, rows, versions)} WHERE {condition}"
        return Measure(table, rows, sample, aggregate=f"count_if({condition})", bad=condition, most=most(given))

    return measure


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return quote_text(value) if isinstance(value, str) else repr(value)


def _outside(given: Parameters) -> str:
    values = ", ".join(_literal(value) for value in given["values"])
    return f"{quote_name(given['column'])} NOT IN ({values})"


def _unique(given: Parameters, versions: Versions | None) -> Measure:
    """Rows with a NULL in the key are no duplicates, as in a unique constraint of SQL."""
    table, rows = _named(given["table"]), Rows(given.get("rows", Rows.ALL))
    names = [quote_name(column) for column in given["columns"]]
    key, source = ", ".join(names), _text(table)
    if rows is Rows.CHANGED and versions is not None:
        changed = f"(SELECT DISTINCT {key} FROM {_source(table, rows, versions)})"
        source += f" LEFT SEMI JOIN {changed} USING ({key})"
    whole = " AND ".join(f"{name} IS NOT NULL" for name in names)
    sample = f"SELECT {key}, count(*) AS `rows` FROM {source} WHERE {whole} GROUP BY {key} HAVING count(*) > 1"
    counted = f"SELECT count(*) AS r FROM {source} WHERE {whole} GROUP BY {key}"
    query = f"SELECT coalesce(sum(r), 0) AS n, coalesce(sum(CASE WHEN r > 1 THEN r END), 0) AS b FROM ({counted})"
    return Measure(table, rows, sample, query=query)


def _relationships(given: Parameters, versions: Versions | None) -> Measure:
    table, rows = _named(given["table"]), Rows(given.get("rows", Rows.ALL))
    column, other = quote_name(given["column"]), quote_name(given["to_column"])
    source = f"{_source(table, rows, versions)} s"
    keys = f"(SELECT DISTINCT {other} AS k FROM {_text(_named(given['to_table']))} WHERE {other} IS NOT NULL) o"
    sample = f"SELECT s.* FROM {source} LEFT ANTI JOIN {keys} ON s.{column} = o.k WHERE s.{column} IS NOT NULL"
    query = (
        f"SELECT count(*) AS n, count_if(o.k IS NULL) AS b FROM {source} LEFT JOIN {keys} ON s.{column} = o.k"
        f" WHERE s.{column} IS NOT NULL"
    )
    return Measure(table, rows, sample, query=query)


def _row_count_change(given: Parameters, versions: Versions | None) -> Measure:
    """Of a table that the target lacks or that is empty there, any number is right."""
    least, most = given.get("at_least"), given.get("at_most")
    if least is None and most is None:
        raise _invalid("The template row_count_change needs at_least, at_most or both.", "Give at_least, such as 0.9.")
    if least is not None and most is not None and least > most:
        raise _invalid("The parameter at_least is larger than at_most.", "Change one of them.")
    table = _named(given["table"])
    if versions is None:
        return Measure(table, Rows.ALL, f"SELECT count(*) AS `rows` FROM {_text(table)}")
    before = f"(SELECT count(*) FROM {_text(table)} VERSION AS OF {versions.before})"
    counts = f"(SELECT count(*) AS n, {before} AS n_before FROM {_text(table)})"
    bad = [f"n < {least!r} * n_before"] if least is not None else []
    bad += [f"n > {most!r} * n_before"] if most is not None else []
    condition = f"n_before > 0 AND ({' OR '.join(bad)})"
    return Measure(
        table,
        Rows.ALL,
        f"SELECT n AS `rows`, n_before AS rows_before FROM {counts} WHERE {condition}",
        query=f"SELECT n, CASE WHEN {condition} THEN 1 ELSE 0 END AS b FROM {counts}",
        query_of_new=f"SELECT count(*) AS n, 0 AS b FROM {_text(table)}",
    )


def _count_words(given: Parameters) -> str:
    bounds = [(given.get("at_least"), "at least"), (given.get("at_most"), "at most")]
    words = " and ".join(f"{word} {bound!r}" for bound, word in bounds if bound is not None)
    return f"{words} times the rows that the target has before the merge"


def _freshness(given: Parameters, versions: Versions | None) -> Measure:
    table, column = _named(given["table"]), quote_name(given["column"])
    number, unit = given["at_most"].split(" ")
    oldest = f"current_timestamp() - INTERVAL '{number}' {unit.rstrip('s').upper()}"
    fresh = f"coalesce(max({column}) >= {oldest}, false)"
    return Measure(
        table,
        Rows.ALL,
        f"SELECT max({column}) AS newest FROM {_text(table)} HAVING NOT {fresh}",
        aggregate=f"CASE WHEN {fresh} THEN 0 ELSE 1 END",
    )


_TABLE, _COLUMN, _COLUMNS = Part("table", _table), Part("column", _column), Part("columns", _columns)
TEMPLATES = {
    template.name: template
    for template in (
        CheckTemplate(
            "not_null",
            "The column has no NULL.",
            (_TABLE, _COLUMN),
            _of_rows(lambda given: f"{quote_name(given['column'])} IS NULL"),
        ),
        CheckTemplate("unique", "No two rows have the same values in the columns.", (_TABLE, _COLUMNS), _unique),
        CheckTemplate(
            "accepted_values",
            "The column has only these values, or NULL.",
            (_TABLE, _COLUMN, Part("values", _values)),
            _of_rows(_outside),
        ),
        CheckTemplate(
            "relationships",
            "Each value of the column is in a column of another table, or NULL.",
            (_TABLE, _COLUMN, Part("to_table", _table), Part("to_column", _column)),
            _relationships,
        ),
        CheckTemplate(
            "row_count_change",
            "The number of rows changes by no more than these shares of the target's.",
            (_TABLE, Part("at_least", _share, is_optional=True), Part("at_most", _share, is_optional=True)),
            _row_count_change,
            by_changed_rows=False,
        ),
        CheckTemplate(
            "freshness",
            "The newest value of the column is at most so old.",
            (_TABLE, _COLUMN, Part("at_most", _age)),
            _freshness,
            by_changed_rows=False,
        ),
        CheckTemplate(
            "bad_share",
            "At most this share of the rows meets the condition.",
            (_TABLE, Part("condition", _predicate), Part("at_most", _bad_share, is_optional=True)),
            _of_rows(lambda given: f"({given['condition']})", lambda given: given.get("at_most", 0.0)),
        ),
    )
}


def _template(name: str) -> CheckTemplate:
    known = TEMPLATES.get(name)
    if known is None:
        raise InvalidValue(
            f"There is no template {name}.", remedy=f"The templates are {', '.join(TEMPLATES)}.", field="template"
        )
    return known
