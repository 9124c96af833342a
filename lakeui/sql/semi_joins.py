"""Conditions that one subquery over one table decides, as what a merge compares: ``k IN (SELECT ..)``, and ``EXISTS``
with an equality. A row of the target fits or not, however many rows of the subquery it meets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlglot import exp

from catalog_app.domain.quoting import quote_name
from catalog_app.pruning.predicates import Predicate
from lakeui.sql.allowlist import PLACEHOLDER_PREFIX
from lakeui.sql.dialect import write
from lakeui.sql.plain import table_alone
from lakeui.sql.statements import Condition, MergeKey, Query, SemiJoin, Subqueries

_SOURCE, _KEY = f"{PLACEHOLDER_PREFIX}source", f"{PLACEHOLDER_PREFIX}key"
"""Names that no statement can write."""


def conjuncts(condition: exp.Expr) -> list[exp.Expr]:
    """The conditions that have to be true together."""
    whole = condition.unnest()
    if not isinstance(whole, exp.And):
        return [whole]
    return [conjunct for part in whole.flatten() for conjunct in conjuncts(part)]


def semi_join(where: exp.Expr, predicate: Predicate, target: str, subqueries: Subqueries) -> SemiJoin | None:
    """What the condition compares; None where it is another one. ``target``: what columns call the target.
    ``subqueries``: those of the whole statement, which may have others.
    """
    parts = conjuncts(where)
    asked = [part for part in parts if part.find(exp.Select) is not None]
    if len(asked) != 1 or len(subqueries.tables) != 1 or subqueries.tables[0].changes is not None:
        return None
    found = _membership(asked[0], target) or _existence(asked[0], target)
    if found is None:
        return None
    column, read, select = found
    names = [read, *(item.name for item in select.find_all(exp.Column))]
    select.set("expressions", [exp.alias_(exp.column(read), _KEY, quoted=True)])
    key = MergeKey(column, f"{quote_name(_SOURCE)}.{quote_name(_KEY)}")
    beside = " AND ".join(_written(part) for part in parts if part is not asked[0])
    on = f"{quote_name(target)}.{quote_name(column)} = {key.source}" + (f" AND {beside}" if beside else "")
    query = Query(write(select), subqueries.tables, subqueries.where)
    return SemiJoin(query, _SOURCE, Condition(on, predicate), key, _KEY, read, tuple(names), beside)


def _written(part: exp.Expr) -> str:
    return f"({write(part)})" if isinstance(part, exp.Or) else write(part)


def _membership(part: exp.Expr, target: str) -> tuple[str, str, exp.Select] | None:
    """``k IN (SELECT c FROM s WHERE ..)``: the target's column, the source's, and the query without what it selects. In
    parentheses of its own the query stands for one value.
    """
    query = part.args.get("query") if isinstance(part, exp.In) else None
    select = query.this if isinstance(query, exp.Subquery) else None
    alias = _source_of(select) if isinstance(select, exp.Select) else None
    if not isinstance(select, exp.Select) or alias is None or len(select.expressions) != 1:
        return None
    column = _owned(part.this, ("", target))
    read = _owned(select.expressions[0].unalias(), ("", alias))
    conditions = _conditions(select)
    if column is None or read is None or not _all_owned(conditions, alias):
        return None
    return column, read, _limited(select, conditions)


def _existence(part: exp.Expr, target: str) -> tuple[str, str, exp.Select] | None:
    """The same of ``EXISTS (SELECT 1 FROM s WHERE s.c = t.k AND ..)``. Both columns have to name their table."""
    select = part.this if isinstance(part, exp.Exists) else None
    alias = _source_of(select) if isinstance(select, exp.Select) else None
    if not isinstance(select, exp.Select) or alias is None or not all(map(_says_nothing, select.expressions)):
        return None
    if alias.casefold() == target.casefold():
        return None
    conditions = _conditions(select)
    inner = [item for item in conditions if _all_owned([item], alias)]
    outer = [item for item in conditions if item not in inner]
    if len(outer) != 1 or not isinstance(outer[0], exp.EQ):
        return None
    for one, other in ((outer[0].this, outer[0].expression), (outer[0].expression, outer[0].this)):
        column, read = _owned(one, (target,)), _owned(other, (alias,))
        if column is not None and read is not None:
            return column, read, _limited(select, inner)
    return None


def _source_of(select: exp.Select) -> str | None:
    """What the query calls its table, where it is a table with a WHERE and no more. DISTINCT changes nothing."""
    said = {name for name, value in select.args.items() if value}
    table, distinct = table_alone(select), select.args.get("distinct")
    if said - {"expressions", "from", "from_", "where", "distinct"} or (distinct and distinct.args.get("on")):
        return None
    if table is None or len(list(select.find_all(exp.Select))) > 1:
        return None
    return str(table.alias_or_name)


def _conditions(select: exp.Select) -> list[exp.Expr]:
    where = select.args.get("where")
    return [] if where is None else conjuncts(where.this)


def _limited(select: exp.Select, conditions: Sequence[exp.Expr]) -> exp.Select:
    """The query with these conditions and no columns."""
    limited = select.copy()
    where = exp.and_(*(item.copy() for item in conditions)) if conditions else None
    limited.set("where", None if where is None else exp.Where(this=where))
    limited.set("expressions", [])
    limited.set("distinct", None)
    return limited


def _all_owned(conditions: Iterable[exp.Expr], alias: str) -> bool:
    columns = (column for item in conditions for column in item.find_all(exp.Column))
    return all(_owned(column, ("", alias)) is not None for column in columns)


def _owned(side: exp.Expr, owners: Sequence[str]) -> str | None:
    """The name of a bare column of one of these."""
    column = side.unnest()
    if not isinstance(column, exp.Column) or not isinstance(column.this, exp.Identifier) or column.args.get("db"):
        return None
    return str(column.name) if column.table.casefold() in {owner.casefold() for owner in owners} else None


def _says_nothing(item: exp.Expr) -> bool:
    """Whether it is a literal or *: EXISTS asks for rows alone."""
    return isinstance(item, exp.Literal) or (isinstance(item, exp.Star) and not any(item.args.values()))
