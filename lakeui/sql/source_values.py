"""Subqueries in the values of MERGE INTO: computed with the source, once for each of its rows.

So they may name columns of the source and of their own tables. A value that depends on the target's row has no place
there and is refused by name. Conditions take no subqueries, as in Spark (UNSUPPORTED_MERGE_CONDITION).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from catalog_app.domain.quoting import quote_name
from lakeui.common.errors import NotSupported
from lakeui.sql.allowlist import PLACEHOLDER_PREFIX, check
from lakeui.sql.common_tables import outer_queries, with_common_tables
from lakeui.sql.dialect import write
from lakeui.sql.growth import growth_named
from lakeui.sql.mentions import Mention, localise, take_tables, wheres
from lakeui.sql.one_row import refuse_many_rows
from lakeui.sql.statements import Query, TableName

_JOIN = "Join it in the source, USING (SELECT ..) AS s, and use the column."
_QUERIES = (exp.Select, exp.SetOperation, exp.Values)


def has_subquery(tree: exp.Expr) -> bool:
    return tree.find(*_QUERIES) is not None


def condition_refused() -> NotSupported:
    return NotSupported("A condition of MERGE INTO takes no subquery, as in Spark.", remedy=_JOIN)


class SourceValues:
    """The subqueries of one statement's values, which its source computes as columns of names that no statement can
    write.
    """

    def __init__(self, tables: int, common: exp.With | None, sides: Sequence[tuple[TableName, str | None]]) -> None:
        """``tables``: how many tables the source mentions."""
        self._tables = tables
        self._common = common
        self._sides = sides
        self._mentions: list[Mention] = []
        self._texts: list[str] = []

    @property
    def are_there(self) -> bool:
        return bool(self._texts)

    def taken(self, tree: exp.Expr, *, target: str, source: str | None, has_source: bool) -> exp.Expr:
        """The checked value with columns of the source in the place of its subqueries. ``target`` and ``source``: what
        the two sides are called.
        """
        if not has_source:
            raise NotSupported(
                "A value of WHEN NOT MATCHED BY SOURCE takes no subquery: no source row could hold it.",
                remedy="Use an UPDATE of its own with the subquery.",
            )
        holder = exp.Paren(this=with_common_tables(tree, self._common))
        names = []
        for query in outer_queries(holder):
            whole, name = _whole(query), exp.to_identifier("value", quoted=True)
            names.append((name, f"{PLACEHOLDER_PREFIX}value_{len(self._texts)}"))
            owner = None if source is None else exp.to_identifier(source, quoted=True)
            whole.replace(exp.Column(this=name, table=owner))
            self._take(whole, target)
        check(holder, allow_queries=False)
        # Only now, as no statement may write such a name.
        for name, hidden in names:
            name.set("this", hidden)
        found: exp.Expr = holder.this
        found.pop()
        return found

    def _take(self, whole: exp.Expr, target: str) -> None:
        check(whole)
        refuse_many_rows(whole)
        for select in whole.find_all(exp.Select):
            growth_named(select)
        self._mentions += take_tables(whole, first=self._tables + len(self._mentions))
        whole = localise(whole, list(self._sides))
        for column in whole.find_all(exp.Column):
            if column.table.casefold() == target.casefold():
                raise NotSupported(
                    f"{column.sql()} is of the target; a subquery in a value of MERGE INTO reads its tables and the "
                    "source.",
                    remedy=f"{_JOIN} Or give the target another alias, where another table is meant.",
                    column=column.name,
                )
        self._texts.append(write(whole))

    def source(self, given: Query, alias: str | None, columns: tuple[str, ...] | None) -> Query:
        """The source with these columns behind its own."""
        named = f" AS {quote_name(alias)}" if alias is not None else ""
        renamed = f"({', '.join(map(quote_name, columns))})" if columns is not None else ""
        values = "".join(
            f", ({text}) AS {quote_name(f'{PLACEHOLDER_PREFIX}value_{number}')}"
            for number, text in enumerate(self._texts)
        )
        tables = (*given.tables, *(mention.reference for mention in self._mentions))

        def around(text: str) -> str:
            return f"SELECT *{values} FROM ({text}){named}{renamed}"

        return replace(
            given,
            text=around(given.text),
            tables=tables,
            where={**given.where, **wheres(self._mentions)},
            beside=around(given.beside) if given.beside else "",
        )


def _whole(query: exp.Expr) -> exp.Expr:
    """The smallest value that the query is a part of: itself in parentheses, EXISTS, or IN with what is looked for."""
    node = query
    while isinstance(node.parent, exp.Subquery):
        node = node.parent
    around = node.parent
    if isinstance(around, exp.Exists) or (isinstance(around, exp.In) and node.arg_key == "query"):
        return around
    if isinstance(node, exp.Subquery) and not isinstance(around, exp.Any | exp.All):
        return node
    raise NotSupported("A subquery in this place of a value of MERGE INTO is not supported.", remedy=_JOIN)
