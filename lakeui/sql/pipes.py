"""``query |> operator ..``: each operator becomes a SELECT over all that stands before it.

Where a clause of the SELECT before means the same, the operator becomes that clause. So a WHERE still leaves out files.
Columns go by the names of their tables behind every operator. A SELECT around one table has that table's name. A SELECT
around several is written as the operator that it was (``pipe_sql``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp
from sqlglot.parsers.spark import SparkParser
from sqlglot.tokenizer_core import TokenType

from lakeui.common.errors import InvalidValue, NotSupported

_SOURCES = frozenset({"expressions", "from_", "joins", "laterals"})
_ORDERS = {
    TokenType.ORDER_BY: "order",
    TokenType.SORT_BY: "sort",
    TokenType.CLUSTER_BY: "cluster",
    TokenType.DISTRIBUTE_BY: "distribute",
}
_OPERATORS = {
    "WHERE": "_where",
    "SELECT": "_selected",
    "EXTEND": "_extended",
    "DROP": "_dropped",
    "AGGREGATE": "_aggregated",
    "LIMIT": "_limited",
    "OFFSET": "_limited",
    "AS": "_named",
    "PIVOT": "_pivoted",
    "UNPIVOT": "_pivoted",
    "TABLESAMPLE": "_sampled",
}
"""The method that reads each operator."""
_CLAUSES = frozenset(
    {
        *(TokenType.COMMA, TokenType.JOIN, TokenType.LEFT, TokenType.RIGHT, TokenType.FULL, TokenType.INNER),
        *(TokenType.CROSS, TokenType.NATURAL, TokenType.LATERAL),
    }
)
_ROWS = ("limit", "offset")
_PIPED = "lakeui.piped"
"""Under this name a subquery keeps that an operator stands behind it."""
_ELSEWHERE = {
    "SET": "Write |> EXTEND value AS another_name, or |> SELECT with all columns.",
    "RENAME": "Write |> SELECT a AS b, with all columns.",
    "WINDOW": "Write the window behind OVER, in brackets.",
    "DISTINCT": "Write |> SELECT DISTINCT *.",
}
"""Operators that are not there, with a way out."""


def _around(query: exp.Expr, alias: str = "") -> exp.Select:
    """A SELECT around the query: under a name, or as an operator behind it."""
    inner = query if isinstance(query, exp.Subquery) else exp.Subquery(this=query)
    if alias:
        inner.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
    inner.meta[_PIPED] = not inner.alias
    return exp.Select(expressions=[exp.Star()], from_=exp.From(this=inner))


def _piped_query(query: exp.Expr) -> exp.Subquery | None:
    """What stands before the pipe, where the query is an operator behind one."""
    start = query.args.get("from_") if isinstance(query, exp.Select) else None
    source = None if start is None else start.this
    return source if isinstance(source, exp.Subquery) and source.meta.get(_PIPED) else None


def pipe_sql(query: exp.Select, sql: Callable[[exp.Expr | None], str]) -> str | None:
    """The query as ``query |> operator``, where it is one operator; None where it is another SELECT."""
    before = _piped_query(query)
    operator = "" if before is None else _operator_sql(query, sql)
    if before is None or not operator:
        return None
    start = sql(before.this if _piped_query(before.this) is not None else before)
    return f"{start} |> {operator}"


def _operator_sql(query: exp.Select, sql: Callable[[exp.Expr | None], str]) -> str:
    group, distinct = query.args.get("group"), query.args.get("distinct")
    if group is not None or query.args.get("having") is not None:
        count = len(group.expressions) if group is not None else 0
        found = ", ".join(map(sql, query.expressions[count:]))
        keys = ", ".join(map(sql, query.expressions[:count]))
        return " ".join(filter(None, ("AGGREGATE", found, f"GROUP BY {keys}" if keys else "")))
    if distinct is not None or not all(map(_is_star, query.expressions)):
        return f"SELECT {'DISTINCT ' if distinct is not None else ''}{', '.join(map(sql, query.expressions))}"
    rest = [*query.args.get("joins", ()), *(query.args.get(part) for part in ("where", *_ORDERS.values(), *_ROWS))]
    return " ".join(filter(None, (sql(part).strip() for part in rest if part is not None)))


def _wrapped(query: exp.Select) -> exp.Select:
    """A SELECT around the query, which has the name of its table if that is the only one."""
    source = _only_source(query)
    return _around(query, source.alias_or_name.partition("@")[0] if source is not None else "")


def _over(query: exp.Select, *clauses: str) -> exp.Select:
    """The query where it is nothing but its sources and those clauses, else a SELECT around it. Behind a pipe stands
    one operator.
    """
    said = {name for name, value in query.args.items() if value}
    is_open = len(query.expressions) == 1 and _is_star(query.expressions[0])
    if _piped_query(query) is not None:
        return query if is_open and said <= {"expressions", "from_"} else _around(query)
    return query if is_open and said <= _SOURCES.union(clauses) else _wrapped(query)


def _only_source(query: exp.Select) -> exp.Expr | None:
    """The table or subquery that the query reads, where that is one and has all its rows and columns."""
    start = query.args.get("from_")
    if start is None or query.args.get("joins") or query.args.get("laterals"):
        return None
    source: exp.Expr = start.this
    changed = any(source.args.get(part) for part in ("joins", "laterals", "pivots", "sample"))
    return None if changed or not isinstance(source, exp.Table | exp.Subquery) else source


def _around_source(query: exp.Select, part: str, value: Any) -> exp.Select:
    """A SELECT around the query, whose one source has the part."""
    query = _over(query)
    if _only_source(query) is None:
        query = _wrapped(query)
    source = query.args["from_"].this
    source.set(part, value)
    source.meta.pop(_PIPED, None)
    return _around(query)


def _is_star(item: exp.Expr) -> bool:
    return isinstance(item, exp.Star) and not any(item.args.values())


def _under_columns(query: exp.Select, said: exp.Select) -> exp.Select:
    """The query as one whose columns can be replaced: ORDER BY and LIMIT of a join stay with plain columns, so that
    these still go by the names of their tables.
    """
    if _only_source(query) is not None or said.args.get("distinct"):
        return _over(query, "where")
    order = query.args.get("order")
    ordering = {column.name.casefold() for column in order.find_all(exp.Column)} if order is not None else set()
    positions = order is not None and any(isinstance(item.this, exp.Literal) for item in order.expressions)
    are_plain = not positions and all(_is_plain(item, ordering) for item in said.expressions)
    return _over(query, "where", *(("order", "limit", "offset") if are_plain else ()))


def _is_plain(item: exp.Expr, ordering: set[str]) -> bool:
    if isinstance(item, exp.Alias):
        return isinstance(item.this, exp.Column) and item.alias.casefold() not in ordering
    return isinstance(item, exp.Column) or _is_star(item)


class PipeParser(SparkParser):
    """Spark's parser, with each operator behind a pipe as a clause of the SELECT before, or as a SELECT around it."""

    def _parse_select(self, *arguments: Any, **named: Any) -> exp.Expr | None:
        """Also ``VALUES .. |> operator``. What stands behind ``LATERAL (query)`` is none of that query's."""
        named.setdefault("consume_pipe", not named.get("table"))
        query = super()._parse_select(*arguments, **named)
        is_piped = named["consume_pipe"] and self._match(TokenType.PIPE_GT, advance=False)
        return self.piped(query) if is_piped and isinstance(query, exp.Values) else query

    def _parse_pipe_syntax_query(self, query: exp.Query) -> exp.Query | None:
        return self.piped(query)

    def piped(self, query: exp.Expr) -> exp.Select:
        """The query with every operator behind it."""
        made = query if isinstance(query, exp.Select) else _around(query)
        while self._match(TokenType.PIPE_GT):
            made = self._operator(made)
        if self._curr is not None and self._curr.token_type in _CLAUSES.union(self.QUERY_MODIFIER_PARSERS):
            self.raise_error("Each clause stands behind a |> of its own")
        return made

    def _operator(self, query: exp.Select) -> exp.Select:
        token = self._curr
        word = token.text.upper() if token is not None else ""
        if token is not None and token.token_type in _ORDERS:
            return self._ordered(query, token.token_type)
        if word in _OPERATORS:
            made: exp.Select = getattr(self, _OPERATORS[word])(query)
            return made
        if word in _ELSEWHERE:
            raise NotSupported(f"|> {word} is not supported.", remedy=_ELSEWHERE[word])
        return self._united(query) or self._joined(query) or self._unknown(query)

    def _unknown(self, query: exp.Select) -> exp.Select:
        known = ", ".join((*_OPERATORS, "ORDER BY", "JOIN", "UNION", "EXCEPT", "INTERSECT"))
        self.raise_error(f"Behind |> stands one of {known}")
        return query

    def _where(self, query: exp.Select) -> exp.Select:
        query = _over(query, "where")
        where = self._parse_where()
        condition = where.this if where is not None else exp.true()
        before = query.args.get("where")
        both = condition if before is None else exp.and_(before.this, condition, copy=False)
        query.set("where", exp.Where(this=both))
        return query

    def _ordered(self, query: exp.Select, kind: TokenType) -> exp.Select:
        if _piped_query(query) is not None:
            query = _over(query)
        elif any(query.args.get(part) for part in (*_ORDERS.values(), *_ROWS)):
            query = _wrapped(query)
        readers: dict[TokenType, Callable[[], Any]] = {
            TokenType.ORDER_BY: self._parse_order,
            TokenType.SORT_BY: lambda: self._parse_sort(exp.Sort, TokenType.SORT_BY),
            TokenType.CLUSTER_BY: lambda: self._parse_sort(exp.Cluster, TokenType.CLUSTER_BY),
            TokenType.DISTRIBUTE_BY: lambda: self._parse_sort(exp.Distribute, TokenType.DISTRIBUTE_BY),
        }
        query.set(_ORDERS[kind], readers[kind]())
        return query

    def _limited(self, query: exp.Select) -> exp.Select:
        limit = self._parse_limit()
        offset = self._parse_offset()
        # OFFSET comes before LIMIT, wherever it stands in one SELECT.
        if _piped_query(query) is not None:
            query = _over(query)
        elif query.args.get("limit") or (offset is not None and query.args.get("offset")):
            query = _wrapped(query)
        if limit is not None:
            query.set("limit", limit)
        if offset is not None:
            query.set("offset", offset)
        return query

    def _joined(self, query: exp.Select) -> exp.Select | None:
        join = self._parse_join()
        if join is None:
            return None
        # A condition before it must not become one of the joined rows.
        query = _over(query)
        query.append("joins", join)
        return query

    def _sampled(self, query: exp.Select) -> exp.Select:
        sample = self._parse_table_sample()
        if sample is None:
            return self._unknown(query)
        return _around_source(query, "sample", sample)

    def _pivoted(self, query: exp.Select) -> exp.Select:
        pivots = self._parse_pivots()
        if not pivots:
            return self._unknown(query)
        return _around_source(query, "pivots", pivots)

    def _named(self, query: exp.Select) -> exp.Select:
        self._advance()
        alias = self._parse_id_var()
        if alias is None:
            return self._unknown(query)
        query = _over(query)
        source = _only_source(query)
        if source is None or set(query.args) - {"expressions", "from_"}:
            return _around(query, alias.name)
        source.set("alias", exp.TableAlias(this=alias))
        source.meta.pop(_PIPED, None)
        return query

    def _selected(self, query: exp.Select) -> exp.Select:
        said = self._parse_select_query(parse_set_operation=False)
        assert isinstance(said, exp.Select)
        extra = {name for name, value in said.args.items() if value} - {"expressions", "distinct"}
        if extra:
            self.raise_error("Behind |> SELECT stand columns only; other clauses come behind a |> of their own")
        query = _under_columns(query, said)
        query.set("expressions", said.expressions)
        query.set("distinct", said.args.get("distinct"))
        return query

    def _extended(self, query: exp.Select) -> exp.Select:
        self._advance()
        found = self._parse_expressions()
        if not found:
            self.raise_error("Expected a column that is added")
        query = _over(query, "where")
        query.set("expressions", [exp.Star(), *found])
        return query

    def _dropped(self, query: exp.Select) -> exp.Select:
        self._advance()
        found = self._parse_csv(self._parse_column)
        names = [item for item in found if isinstance(item, exp.Column)]
        if not names or len(names) < len(found):
            self.raise_error("Expected the names of columns")
        query = _over(query, "where")
        query.set("expressions", [exp.Star(except_=[name if name.table else name.this for name in names])])
        return query

    def _aggregated(self, query: exp.Select) -> exp.Select:
        self._advance()
        is_grouping = self._match(TokenType.GROUP_BY)
        found = [] if is_grouping else self._parse_expressions()
        groups = self._parse_expressions() if is_grouping or self._match(TokenType.GROUP_BY) else []
        keys = [item.unalias() for item in groups]
        if any(isinstance(key.unnest(), exp.Literal) and not key.unnest().is_string for key in keys):
            raise InvalidValue("|> AGGREGATE takes no position in GROUP BY.", remedy="Write the column.")
        query = _over(query, "where")
        query.set("expressions", [*groups, *found])
        if keys:
            query.set("group", exp.Group(expressions=[key.copy() for key in keys]))
        else:
            # Without it a list without an aggregate would be columns.
            query.set("having", exp.Having(this=exp.true()))
        return query

    def _united(self, query: exp.Select) -> exp.Select | None:
        made = self.parse_set_operation(exp.Subquery(this=query))
        return None if made is None else _around(made)
