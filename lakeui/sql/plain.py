"""Queries that show columns of one table as they are: no expression, no condition, no order. A LIMIT may stand."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlglot import exp

from lakeui.sql.dialect import read_query
from lakeui.sql.statements import Query

_MAY_BE_PLAIN = re.compile(r"\s*SELECT\b[^()|]*", re.IGNORECASE)
"""No function, no query inside, and no pipe. Other queries are not read again, and not all of them can be. Its time
grows with the text alone, so it looks for no second word.
"""
_LARGEST_LIMIT = 2**31 - 1
"""Spark refuses a larger one."""


@dataclass(frozen=True, slots=True)
class PlainColumns:
    """``columns``: what each is called in the answer and in the table; None for all of the table's. ``limit``: the most
    rows that the query asks for; None for all.
    """

    placeholder: str
    columns: tuple[tuple[str, str], ...] | None
    limit: int | None = None


def plain_columns(query: Query) -> PlainColumns | None:
    """What the query shows of which table; None where it does more than that."""
    if len(query.tables) != 1 or not _MAY_BE_PLAIN.fullmatch(query.text):
        return None
    tree = read_query(query.text)
    if not isinstance(tree, exp.Select):
        return None
    said = {name for name, value in tree.args.items() if value}
    source = table_alone(tree)
    if source is None or source.name != query.tables[0].placeholder or said - {"expressions", "from", "from_", "limit"}:
        return None
    try:
        limit = _limit(tree)
    except ValueError:
        return None
    table = source.name
    if len(tree.expressions) == 1 and _is_star(tree.expressions[0]):
        return PlainColumns(table, None, limit)
    called = ("", source.alias_or_name.casefold())
    columns = [_column(item, called) for item in tree.expressions]
    found = tuple(column for column in columns if column is not None)
    return PlainColumns(table, found, limit) if len(found) == len(columns) else None


def _limit(tree: exp.Select) -> int | None:
    """Raises ValueError for a LIMIT that is no whole number as it stands, or one that Spark refuses."""
    limit = tree.args.get("limit")
    if limit is None:
        return None
    said = limit.expression if isinstance(limit, exp.Limit) else None
    if (
        not isinstance(said, exp.Literal)
        or said.is_string
        or {name for name, value in limit.args.items() if value} - {"expression"}
    ):
        raise ValueError
    most = int(said.this)
    if most > _LARGEST_LIMIT:
        raise ValueError
    return most


def table_alone(tree: exp.Select) -> exp.Table | None:
    """The one table that stands behind FROM, where nothing is said of it but an alias. Joins stand elsewhere."""
    source = tree.args.get("from_") or tree.args.get("from")
    table = source.this if source is not None else None
    if not isinstance(table, exp.Table):
        return None
    alias = table.args.get("alias")
    said = {name for name, value in table.args.items() if value}
    if said - {"this", "alias"} or (alias is not None and alias.args.get("columns")):
        return None
    return table


def _is_star(item: exp.Expr) -> bool:
    return isinstance(item, exp.Star) and not any(item.args.values())


def _column(item: exp.Expr, called: tuple[str, ...]) -> tuple[str, str] | None:
    column = item.this if isinstance(item, exp.Alias) else item
    if not isinstance(column, exp.Column) or not isinstance(column.this, exp.Identifier):
        return None
    if column.args.get("db") or column.table.casefold() not in called:
        return None
    return item.alias if isinstance(item, exp.Alias) else column.name, column.name
