"""How large the values of a query may become: estimated from its text, before the engine makes them.

What counts is how often a statement joins values with each other: through functions, subqueries, common table
expressions, lambdas and aggregates. Where the text gives rows (``range``, VALUES), an aggregate that keeps them all
counts each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlglot import exp

from lakeui.common.errors import InvalidValue
from lakeui.sql.growth import number_in
from lakeui.sql.value_sizes import (
    ELEMENT_BYTES,
    FOLDING,
    SMALL,
    STORED,
    Columns,
    Scope,
    bounded,
    bounded_size,
    repeated,
)

RECURSIONS = 100
"""Spark's limit on the levels of a recursive common table expression."""
DEEPEST_REPETITION = 5


def sizes_check(tree: exp.Expr) -> None:
    """Raises InvalidValue where the text makes a value of more than LARGEST_JOINED_BYTES."""
    _repetitions_check(tree)
    if isinstance(tree, exp.Query | exp.Values):
        _query(tree, {})
    else:
        bounded(tree, _scope({}, {}))


def _repetitions_check(tree: exp.Expr) -> None:
    """Each estimate of a repetition takes several of what is inside, so they nest only so deep."""
    for node in tree.walk():
        depth, above = 0, node if _repeats(node) else None
        while above is not None:
            depth += _repeats(above)
            above = above.parent
        if depth > DEEPEST_REPETITION:
            raise InvalidValue(
                f"aggregate and WITH RECURSIVE stand in more than {DEEPEST_REPETITION} others.",
                remedy="Write the statement in steps.",
            )


def _repeats(node: exp.Expr) -> bool:
    if isinstance(node, exp.Anonymous):
        return node.name.lower() in FOLDING
    above = node.args.get("with_")
    return above is not None and bool(above.args.get("recursive"))


def _scope(sources: Mapping[str, Columns], tables: Mapping[str, Columns], rows: float = 1.0) -> Scope:
    return Scope(_query, sources, tables, rows=rows)


def _query(query: exp.Expr, tables: Mapping[str, Columns]) -> Columns:
    if isinstance(query, exp.Subquery):
        tables = _with_tables(query, tables)
        return _limited(query, _renamed(_query(query.this, tables), query))
    if isinstance(query, exp.SetOperation):
        tables = _with_tables(query, tables)
        return _limited(query, _united(_branches(query), tables))
    if isinstance(query, exp.Values):
        return _values(query, tables)
    if isinstance(query, exp.Select):
        return _limited(query, _select(query, _with_tables(query, tables)))
    return Columns()


def _branches(query: exp.Expr) -> list[exp.Expr]:
    """The queries that UNION, EXCEPT and INTERSECT put together: thousands of them nest, so by a loop."""
    found: list[exp.Expr] = []
    open_ones = [query]
    while open_ones:
        node = open_ones.pop()
        if isinstance(node, exp.SetOperation):
            open_ones += [node.expression, node.this]
        else:
            found.append(node)
    return found


def _united(queries: Iterable[exp.Expr], tables: Mapping[str, Columns]) -> Columns:
    parts = [_query(query, tables) for query in queries]
    first = parts[0]
    order = tuple(max(sizes) for sizes in zip(*(part.order for part in parts), strict=False))
    names = list(first.named)
    named = dict(zip(names, order, strict=False)) if len(names) == len(order) else {}
    return Columns(named, order, max(part.largest for part in parts), sum(part.rows for part in parts))


def _values(query: exp.Values, tables: Mapping[str, Columns]) -> Columns:
    scope = _scope({}, tables)
    sizes = [[bounded(value, scope) for value in _row(row)] for row in query.expressions]
    order = tuple(max(column) for column in zip(*sizes, strict=False))
    columns = Columns({}, order, max(order, default=STORED), float(len(sizes)))
    return _renamed(columns, query)


def _row(row: exp.Expr) -> list[exp.Expr]:
    return list(row.expressions) if isinstance(row, exp.Tuple) else [row]


def _with_tables(query: exp.Expr, tables: Mapping[str, Columns]) -> Mapping[str, Columns]:
    """The tables that the query may name: those around it, and those of its WITH."""
    above = query.args.get("with_")
    if above is None:
        return tables
    known = dict(tables)
    for table in above.expressions:
        name = table.alias.lower()
        if above.args.get("recursive") and any(part.name.lower() == name for part in table.find_all(exp.Table)):
            known[name] = _recursive(table, name, known)
        else:
            known[name] = _renamed(_query(table.this, known), table)
    return known


def _recursive(table: exp.Expr, name: str, known: Mapping[str, Columns]) -> Columns:
    steps = [Columns(other=SMALL)]
    for _ in range(3):
        steps.append(_renamed(_query(table.this, {**known, name: steps[-1]}), table))
    order = tuple(
        bounded_size(repeated([float(size) for size in sizes], RECURSIONS))
        for sizes in zip(*(step.order for step in steps[1:]), strict=False)
    )
    last = steps[-1]
    named = dict(zip(last.named, order, strict=False)) if len(last.named) == len(order) else {}
    return Columns(named, order, max(order, default=STORED), last.rows)


def _renamed(columns: Columns, owner: exp.Expr) -> Columns:
    """The columns under the names of an alias such as ``t(a, b)``."""
    alias = owner.args.get("alias")
    names = [name.name.lower() for name in alias.args.get("columns") or []] if alias is not None else []
    if not names:
        return columns
    named = dict(zip(names, columns.order or (columns.largest,) * len(names), strict=False))
    return Columns(named, columns.order, columns.largest, columns.rows)


def _limited(query: exp.Expr, columns: Columns) -> Columns:
    limit = query.args.get("limit")
    most = None if limit is None else number_in(limit.expression)
    rows = columns.rows if most is None else min(columns.rows, most)
    return Columns(columns.named, columns.order, columns.other, rows)


def _select(query: exp.Select, tables: Mapping[str, Columns]) -> Columns:
    sources, rows = _sources(query, tables)
    is_grouped = query.args.get("group") is not None
    scope = _scope(sources, tables, 1.0 if is_grouped else rows)
    named: dict[str, float] = {}
    order: list[float] = []
    for column in query.expressions:
        if column.is_star:
            for source in sources.values():
                named |= source.named
                order += source.order or (source.other,)
            continue
        size = bounded(column, scope.with_local(named))
        order.append(size)
        if name := column.alias_or_name.lower():
            named[name] = max(size, named.get(name, 0.0))
    for key in ("where", "having", "qualify", "order", "group"):
        part = query.args.get(key)
        for inner in [] if part is None else [part.this, *part.expressions]:
            if isinstance(inner, exp.Expr):
                bounded(inner, scope.with_local(named))
    return Columns(named, tuple(order), max(order, default=STORED), rows)


def _sources(query: exp.Select, tables: Mapping[str, Columns]) -> tuple[dict[str, Columns], float]:
    """What FROM, JOIN and LATERAL offer by their names, and how many rows the text says that they have together."""
    sources: dict[str, Columns] = {}
    rows = 1.0
    start = query.args.get("from_")
    joins = [*(query.args.get("joins") or []), *((start.this.args.get("joins") or []) if start is not None else [])]
    for place, source in enumerate([*([start.this] if start is not None else []), *(join.this for join in joins)]):
        columns = _source(source, tables, sources)
        sources[source.alias_or_name.lower() or f" {place}"] = columns
        rows *= max(columns.rows, 1.0)
    for join in joins:
        if (on := join.args.get("on")) is not None:
            bounded(on, _scope(sources, tables))
    first = [] if start is None else start.this.args.get("laterals") or []
    for place, lateral in enumerate([*(query.args.get("laterals") or []), *first]):
        columns = _source(lateral, tables, sources)
        sources[lateral.alias_or_name.lower() or f" lateral {place}"] = columns
        rows *= max(columns.rows, 1.0)
    return sources, rows


def _source(source: exp.Expr, tables: Mapping[str, Columns], beside: Mapping[str, Columns]) -> Columns:
    columns = _plain_source(source, tables, beside)
    if source.args.get("pivots"):
        return Columns({}, columns.order, columns.largest, columns.rows)
    return columns


def _plain_source(source: exp.Expr, tables: Mapping[str, Columns], beside: Mapping[str, Columns]) -> Columns:
    if isinstance(source, exp.Table):
        if isinstance(source.this, exp.Anonymous):
            return _table_function(source.this, source, _scope(beside, tables))
        known = None if source.db else tables.get(source.name.lower())
        return _renamed(known or Columns(), source)
    if isinstance(source, exp.Lateral):
        if isinstance(source.this, exp.Anonymous):
            return _table_function(source.this, source, _scope(beside, tables))
        return _renamed(_query(source.this, tables), source)
    return _query(source, tables)


def _table_function(call: exp.Anonymous, owner: exp.Expr, scope: Scope) -> Columns:
    sizes = [bounded(argument, scope) for argument in call.expressions]
    if call.name.lower() == "range":
        numbers = [number_in(argument) for argument in call.expressions[:3]]
        known = [number for number in numbers if number is not None]
        span = abs(known[1] - known[0]) / abs(known[2] if len(known) > 2 and known[2] else 1) if len(known) > 1 else 0.0
        rows = span or (known[0] if known else 1.0)
        return _renamed(Columns({"id": SMALL}, (SMALL,), SMALL, max(rows, 1.0)), owner)
    names = (argument.name.lower() for argument in call.expressions if isinstance(argument, exp.Anonymous))
    if "sequence" in names:
        return _renamed(Columns({}, (), SMALL, max(sizes) / ELEMENT_BYTES), owner)
    return _renamed(Columns({}, (), max(SMALL, *sizes), 1.0), owner)
