"""Conditions and values of DELETE and UPDATE: over the columns of one table, with subqueries over others."""

from __future__ import annotations

from sqlglot import exp

from lakeui.common.errors import NotSupported
from lakeui.sql.allowlist import check
from lakeui.sql.common_tables import with_common_tables
from lakeui.sql.dialect import read_expression, write
from lakeui.sql.growth import growth_named
from lakeui.sql.mentions import Mention, localise, take_tables, wheres
from lakeui.sql.one_row import refuse_many_rows
from lakeui.sql.query import DEFAULT, is_default
from lakeui.sql.semi_joins import semi_join
from lakeui.sql.statements import Condition, SemiJoin, Subqueries, TableName
from lakeui.sql.terms import predicate_of

_QUERIES = (exp.Select, exp.SetOperation, exp.Values)


class RowExpressions:
    """Reads the expressions of one statement. Placeholders of its subqueries' tables are numbered from 1: the engine
    puts the target under number 0.
    """

    def __init__(self, target: TableName, alias: str | None, common: exp.With | None) -> None:
        self._target = target
        self._alias = alias
        self._common = common
        self._mentions: list[Mention] = []
        self._has_queries = False
        self._where: tuple[exp.Expr, Condition] | None = None

    @property
    def subqueries(self) -> Subqueries:
        """What the subqueries of all expressions read so far mention."""
        tables = tuple(mention.reference for mention in self._mentions)
        return Subqueries(tables, wheres(self._mentions), self._has_queries)

    @property
    def semi_join(self) -> SemiJoin | None:
        """What the condition compares, where one subquery decides it and the statement has no other."""
        if self._where is None or len(self._mentions) != 1:
            return None
        tree, condition = self._where
        return semi_join(tree, condition.predicate, self._called, self.subqueries)

    @property
    def _called(self) -> str:
        return self._alias or self._target.table

    def condition(self, text: str) -> Condition:
        """A boolean expression; what decides about rows is the same whenever it is asked."""
        tree = self._read(read_expression(text), deterministic=True)
        _refuse_chance(tree)
        own = self._called.casefold()
        found = Condition(
            write(tree), predicate_of(tree, lambda column: column.table.casefold() in ("", own) and not column.db)
        )
        self._where = tree, found
        return found

    def value(self, text: str) -> str:
        """The right side of ``SET column =``: an expression, or DEFAULT."""
        tree = read_expression(text)
        return DEFAULT if is_default(tree) else write(self._read(tree, deterministic=False))

    def _read(self, tree: exp.Expr, *, deterministic: bool) -> exp.Expr:
        tree = with_common_tables(tree, self._common)
        check(tree, deterministic=deterministic)
        refuse_many_rows(tree)
        if tree.find(*_QUERIES) is None:
            _refuse_bare_queries(tree)
        else:
            self._has_queries = True
            for select in tree.find_all(exp.Select):
                growth_named(select)
            self._mentions += take_tables(tree, first=1 + len(self._mentions))
        return localise(tree, [(self._target, self._alias)])


def _refuse_bare_queries(tree: exp.Expr) -> None:
    """Outside of a query its parts mean nothing."""
    check(tree, allow_queries=False)


def _refuse_chance(tree: exp.Expr) -> None:
    """Refuse subqueries that may answer with other rows each time: samples, and a LIMIT of rows in no order."""
    for query in tree.find_all(exp.Select, exp.SetOperation):
        is_cut = query.args.get("limit") is not None or query.args.get("offset") is not None
        if is_cut and query.args.get("order") is None and not isinstance(query.parent, exp.Exists):
            raise NotSupported(
                "LIMIT and OFFSET without ORDER BY give other rows each time; they cannot decide what a statement "
                "changes.",
                remedy="Add ORDER BY to the subquery, or leave LIMIT and OFFSET out.",
            )
    if tree.find(exp.TableSample) is not None:
        raise NotSupported(
            "A sample gives other rows each time; it cannot decide what a statement changes.",
            remedy="Leave TABLESAMPLE out.",
        )
