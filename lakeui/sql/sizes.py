"""How large the values of a query may become: estimated from its text, before the engine makes them.

Sizes are bytes. A stored value counts as ``STORED``, however large it is, so what counts is how often a statement joins
values with each other: through functions, subqueries, common table expressions, lambdas and aggregates. Where the text
gives rows (``range``, VALUES), an aggregate that keeps them all counts each.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from lakeui.common.errors import InvalidValue
from lakeui.sql.growth import LARGEST_JOINED_BYTES, number_in, size_of_growing, words

STORED = 64.0
SMALL = 16.0
FEWEST_ELEMENTS = 1_000
"""Of an array whose length the text does not give."""
FEWEST_ROWS = 16
ELEMENT_BYTES = 8
RECURSIONS = 100
"""Spark's limit on the levels of a recursive common table expression."""
DEEPEST_REPETITION = 5
_SPLIT_FACTOR = 40
_FORMAT_WIDTH = re.compile(r"%(?:\d+\$)?[-#+ 0,(]*(\d+)?(?:\.(\d+))?")

_SMALL_FUNCTIONS = words(
    """length len char_length character_length octet_length bit_length hash xxhash64 md5 sha sha1 sha2 crc32 ascii instr
    locate position levenshtein soundex count count_if cardinality size array_size array_position array_contains
    contains startswith endswith typeof isnull isnotnull find_in_set json_array_length approx_count_distinct
    map_contains_key exists forall any every some bool_and bool_or regexp_like rlike regexp like ilike regexp_count
    regexp_instr raise_error assert_true luhn_check row_number rank dense_rank ntile"""
)
_LARGEST_OF = words("coalesce ifnull nvl nvl2 if nullif greatest least")
_COLLECTING = words("collect_list collect_set array_agg string_agg listagg collect_union")
_KEEPING = words("percentile percentile_cont percentile_disc median mode")
"""Aggregates that keep each value and answer one."""
_FACTORS = {
    "hex": 2.0,
    "quote": 2.0,
    "url_encode": 3.0,
    "to_json": 6.0,
    "to_csv": 2.0,
    "base64": 1.5,
    "to_base32": 2.0,
    "split": _SPLIT_FACTOR,
    "sentences": _SPLIT_FACTOR,
    "regexp_extract_all": _SPLIT_FACTOR,
    "str_to_map": _SPLIT_FACTOR,
}
_BY_ELEMENT = words("transform filter zip_with map_filter map_zip_with transform_keys transform_values")
_FOLDING = words("aggregate reduce")
_ADDITIVE = (exp.DPipe, exp.Paren, exp.Cast, exp.TryCast, exp.Alias, exp.Bracket, exp.Filter, exp.WithinGroup)


@dataclass(frozen=True, slots=True)
class _Columns:
    """What a source of rows offers. ``other``: the size of a column whose name is not known."""

    named: Mapping[str, float] = field(default_factory=dict)
    order: tuple[float, ...] = ()
    other: float = STORED
    rows: float = 1.0

    @property
    def unnamed(self) -> float:
        """The size of a column that has no name here."""
        return STORED if self.order and len(self.named) == len(self.order) else self.other

    @property
    def largest(self) -> float:
        return max((*self.order, self.other))

    @property
    def together(self) -> float:
        return sum(self.order) or self.other


@dataclass(frozen=True, slots=True)
class _Scope:
    """What expressions of one SELECT may name, and how many rows the aggregates of it see."""

    sources: Mapping[str, _Columns]
    tables: Mapping[str, _Columns]
    local: Mapping[str, float] = field(default_factory=dict)
    rows: float = 1.0

    def column(self, name: str, source: str) -> float:
        name, source = name.lower(), source.lower()
        if not source and name in self.local:
            return self.local[name]
        candidates = [self.sources[source]] if source in self.sources else list(self.sources.values())
        return max((columns.named.get(name, columns.unnamed) for columns in candidates), default=STORED)

    def with_local(self, more: Mapping[str, float]) -> _Scope:
        return _Scope(self.sources, self.tables, {**self.local, **more}, self.rows)


def sizes_check(tree: exp.Expr) -> None:
    """Raises InvalidValue where the text makes a value of more than LARGEST_JOINED_BYTES."""
    _repetitions_check(tree)
    if isinstance(tree, exp.Query | exp.Values):
        _query(tree, {})
    else:
        _bounded(tree, _Scope({}, {}))


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
        return node.name.lower() in _FOLDING
    above = node.args.get("with_")
    return above is not None and bool(above.args.get("recursive"))


def _query(query: exp.Expr, tables: Mapping[str, _Columns]) -> _Columns:
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
    return _Columns()


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


def _united(queries: Iterable[exp.Expr], tables: Mapping[str, _Columns]) -> _Columns:
    parts = [_query(query, tables) for query in queries]
    first = parts[0]
    order = tuple(max(sizes) for sizes in zip(*(part.order for part in parts), strict=False))
    names = list(first.named)
    named = dict(zip(names, order, strict=False)) if len(names) == len(order) else {}
    return _Columns(named, order, max(part.largest for part in parts), sum(part.rows for part in parts))


def _values(query: exp.Values, tables: Mapping[str, _Columns]) -> _Columns:
    scope = _Scope({}, tables)
    sizes = [[_bounded(value, scope) for value in _row(row)] for row in query.expressions]
    order = tuple(max(column) for column in zip(*sizes, strict=False))
    columns = _Columns({}, order, max(order, default=STORED), float(len(sizes)))
    return _renamed(columns, query)


def _row(row: exp.Expr) -> list[exp.Expr]:
    return list(row.expressions) if isinstance(row, exp.Tuple) else [row]


def _with_tables(query: exp.Expr, tables: Mapping[str, _Columns]) -> Mapping[str, _Columns]:
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


def _recursive(table: exp.Expr, name: str, known: Mapping[str, _Columns]) -> _Columns:
    steps = [_Columns(other=SMALL)]
    for _ in range(3):
        steps.append(_renamed(_query(table.this, {**known, name: steps[-1]}), table))
    order = tuple(
        _bounded_size(_repeated([float(size) for size in sizes], RECURSIONS))
        for sizes in zip(*(step.order for step in steps[1:]), strict=False)
    )
    last = steps[-1]
    named = dict(zip(last.named, order, strict=False)) if len(last.named) == len(order) else {}
    return _Columns(named, order, max(order, default=STORED), last.rows)


def _repeated(sizes: list[float], times: float) -> float:
    """What comes after ``times`` repetitions of the step that made each of three sizes of the one before."""
    first, second, third = sizes
    if third <= second:
        return third
    grown, more = second - first, third - second
    if grown > 0 and more > 1.01 * grown:
        # Spark's values have at most 2 GiB: what the estimate says beyond is too large in any case.
        return third * math.exp(min(times * math.log(more / grown), 100.0))
    return third + more * times


def _renamed(columns: _Columns, owner: exp.Expr) -> _Columns:
    """The columns under the names of an alias such as ``t(a, b)``."""
    alias = owner.args.get("alias")
    names = [name.name.lower() for name in alias.args.get("columns") or []] if alias is not None else []
    if not names:
        return columns
    named = dict(zip(names, columns.order or (columns.largest,) * len(names), strict=False))
    return _Columns(named, columns.order, columns.largest, columns.rows)


def _limited(query: exp.Expr, columns: _Columns) -> _Columns:
    limit = query.args.get("limit")
    most = None if limit is None else number_in(limit.expression)
    rows = columns.rows if most is None else min(columns.rows, most)
    return _Columns(columns.named, columns.order, columns.other, rows)


def _select(query: exp.Select, tables: Mapping[str, _Columns]) -> _Columns:
    sources, rows = _sources(query, tables)
    is_grouped = query.args.get("group") is not None
    scope = _Scope(sources, tables, {}, 1.0 if is_grouped else rows)
    named: dict[str, float] = {}
    order: list[float] = []
    for column in query.expressions:
        if column.is_star:
            for source in sources.values():
                named |= source.named
                order += source.order or (source.other,)
            continue
        size = _bounded(column, scope.with_local(named))
        order.append(size)
        if name := column.alias_or_name.lower():
            named[name] = max(size, named.get(name, 0.0)) if name in named else size
    for key in ("where", "having", "qualify", "order", "group"):
        part = query.args.get(key)
        for inner in [] if part is None else [part.this, *part.expressions]:
            if isinstance(inner, exp.Expr):
                _bounded(inner, scope.with_local(named))
    return _Columns(named, tuple(order), max(order, default=STORED), rows)


def _sources(query: exp.Select, tables: Mapping[str, _Columns]) -> tuple[dict[str, _Columns], float]:
    """What FROM, JOIN and LATERAL offer by their names, and how many rows the text says that they have together."""
    sources: dict[str, _Columns] = {}
    rows = 1.0
    start = query.args.get("from_")
    joins = [*(query.args.get("joins") or []), *((start.this.args.get("joins") or []) if start is not None else [])]
    for place, source in enumerate([*([start.this] if start is not None else []), *(join.this for join in joins)]):
        columns = _source(source, tables, sources)
        sources[source.alias_or_name.lower() or f" {place}"] = columns
        rows *= max(columns.rows, 1.0)
    for join in joins:
        if (on := join.args.get("on")) is not None:
            _bounded(on, _Scope(sources, tables))
    first = [] if start is None else start.this.args.get("laterals") or []
    for place, lateral in enumerate([*(query.args.get("laterals") or []), *first]):
        columns = _source(lateral, tables, sources)
        sources[lateral.alias_or_name.lower() or f" lateral {place}"] = columns
        rows *= max(columns.rows, 1.0)
    return sources, rows


def _source(source: exp.Expr, tables: Mapping[str, _Columns], beside: Mapping[str, _Columns]) -> _Columns:
    columns = _plain_source(source, tables, beside)
    if source.args.get("pivots"):
        return _Columns({}, columns.order, columns.largest, columns.rows)
    return columns


def _plain_source(source: exp.Expr, tables: Mapping[str, _Columns], beside: Mapping[str, _Columns]) -> _Columns:
    if isinstance(source, exp.Table):
        if isinstance(source.this, exp.Anonymous):
            return _table_function(source.this, source, _Scope(beside, tables))
        known = None if source.db else tables.get(source.name.lower())
        return _renamed(known or _Columns(), source)
    if isinstance(source, exp.Lateral):
        if isinstance(source.this, exp.Anonymous):
            return _table_function(source.this, source, _Scope(beside, tables))
        return _renamed(_query(source.this, tables), source)
    return _query(source, tables)


def _table_function(call: exp.Anonymous, owner: exp.Expr, scope: _Scope) -> _Columns:
    sizes = [_bounded(argument, scope) for argument in call.expressions]
    if call.name.lower() == "range":
        numbers = [number_in(argument) for argument in call.expressions[:3]]
        known = [number for number in numbers if number is not None]
        span = abs(known[1] - known[0]) / abs(known[2] if len(known) > 2 and known[2] else 1) if len(known) > 1 else 0.0
        rows = span or (known[0] if known else 1.0)
        return _renamed(_Columns({"id": SMALL}, (SMALL,), SMALL, max(rows, 1.0)), owner)
    names = (argument.name.lower() for argument in call.expressions if isinstance(argument, exp.Anonymous))
    if "sequence" in names:
        return _renamed(_Columns({}, (), SMALL, max(sizes) / ELEMENT_BYTES), owner)
    return _renamed(_Columns({}, (), max(SMALL, *sizes), 1.0), owner)


def _bounded(node: exp.Expr, scope: _Scope) -> float:
    return _bounded_size(_size(node, scope))


def _bounded_size(size: float) -> float:
    if size > LARGEST_JOINED_BYTES:
        raise InvalidValue(
            f"One expression joins values that together have more than {LARGEST_JOINED_BYTES} bytes.",
            remedy="Ask for smaller values: write the size of each as a number, and keep fewer in one value.",
        )
    return size


def _size(node: exp.Expr, scope: _Scope) -> float:
    """The estimate. Long chains of ``||`` nest deeply, so what only adds up is taken by a loop."""
    total = 0.0
    open_ones = [node]
    while open_ones:
        part = open_ones.pop()
        if isinstance(part, exp.Bracket):
            open_ones.append(part.this)
        elif isinstance(part, _ADDITIVE):
            open_ones += _children(part)
        else:
            total += _of_one(part, scope)
    return total


def _children(node: exp.Expr) -> list[exp.Expr]:
    return [inner for inner in node.iter_expressions() if not isinstance(inner, exp.DataType | exp.TableAlias)]


def _of_one(node: exp.Expr, scope: _Scope) -> float:
    if isinstance(node, exp.Column):
        if isinstance(node.this, exp.Star):
            return sum(columns.together for columns in scope.sources.values()) or STORED
        return scope.column(node.name, node.table)
    if isinstance(node, exp.Identifier):
        return scope.column(node.name, "")
    if isinstance(node, exp.Literal):
        return float(len(node.name.encode())) if node.is_string else SMALL
    if isinstance(node, exp.Star):
        return sum(columns.together for columns in scope.sources.values()) or STORED
    if isinstance(node, exp.Query):
        return _query(node, scope.tables).largest
    if isinstance(node, exp.Anonymous):
        return _call(node, scope)
    return _of_operator(node, scope)


def _of_operator(node: exp.Expr, scope: _Scope) -> float:
    if isinstance(node, exp.Connector):
        # Thousands of terms nest: each is judged by itself.
        for term in node.flatten():
            _bounded(term, scope)
        return SMALL
    if isinstance(node, exp.Case | exp.If):
        return max((_size(inner, scope) for inner in _children(node)), default=SMALL)
    if isinstance(node, exp.Window):
        # Once each: windows inside of windows would be estimated again and again.
        sizes = {id(inner): _bounded(inner, scope) for inner in _children(node)}
        return sizes[id(node.this)]
    if isinstance(node, exp.Binary) and not isinstance(node, exp.Dot | exp.Collate):
        for inner in _operands(node):
            _bounded(inner, scope)
        return SMALL
    if isinstance(node, exp.Predicate):
        for inner in _children(node):
            _bounded(inner, scope)
        return SMALL
    return sum(_size(inner, scope) for inner in _children(node))


def _operands(node: exp.Expr) -> list[exp.Expr]:
    """The operands of a chain such as ``a + b + c``."""
    found: list[exp.Expr] = []
    open_ones = [node]
    while open_ones:
        part = open_ones.pop()
        if isinstance(part, exp.Binary) and not isinstance(part, exp.DPipe | exp.Dot | exp.Collate):
            open_ones += [part.this, part.expression]
        else:
            found.append(part)
    return found


def _call(call: exp.Anonymous, scope: _Scope) -> float:
    name = call.name.lower()
    if name in _BY_ELEMENT or name in _FOLDING:
        return _with_lambda(call, scope)
    sizes = [_bounded(argument, scope) for argument in call.expressions]
    total = sum(sizes)
    growing = size_of_growing(call, sizes)
    if growing is not None:
        return growing
    if name in _SMALL_FUNCTIONS:
        return SMALL
    if name in _LARGEST_OF:
        return max(sizes, default=SMALL)
    if name in _COLLECTING:
        return _bounded_size(max(total, SMALL) * max(scope.rows, FEWEST_ROWS))
    if name in _KEEPING:
        _bounded_size(max(total, SMALL) * max(scope.rows, FEWEST_ROWS))
        return total
    special = _SPECIAL.get(name)
    return total * _FACTORS.get(name, 1.0) if special is None else special(call, sizes)


def _replaced(call: exp.Anonymous, sizes: list[float]) -> float:
    """Each place where the text is found becomes the new one; a pattern may find every character."""
    if len(sizes) < 3:
        return sizes[0] if sizes else SMALL
    sought = call.expressions[1]
    width = len(sought.name.encode()) if call.name.lower() == "replace" and isinstance(sought, exp.Literal) else 1
    return sizes[0] * max(1.0, sizes[2] / max(width, 1))


def _joined(_call: exp.Anonymous, sizes: list[float]) -> float:
    return sizes[0] + _elements(sizes[0]) * sizes[1] if len(sizes) > 1 else sum(sizes)


def _joined_with(_call: exp.Anonymous, sizes: list[float]) -> float:
    """``concat_ws``: the separator stands between all values, and between the elements of arrays."""
    return sum(sizes[1:]) + (len(sizes) + sum(sizes[1:]) / ELEMENT_BYTES) * sizes[0] if sizes else SMALL


def _formatted(call: exp.Anonymous, sizes: list[float]) -> float:
    """A width that the format gives counts; a format that is no literal may give any."""
    if not call.expressions:
        return SMALL
    form = call.expressions[0]
    if not isinstance(form, exp.Literal):
        raise InvalidValue(
            f"The format that {call.name} takes is no text in quotes, so its widths cannot be checked.",
            remedy="Write the format into the call.",
        )
    widths = [int(width) for found in _FORMAT_WIDTH.findall(form.name) for width in found if width]
    return sum(sizes) + sum(widths)


def _stacked(call: exp.Anonymous, sizes: list[float]) -> float:
    rows = number_in(call.expressions[0]) if call.expressions else None
    if rows is None or rows > max(len(sizes), FEWEST_ELEMENTS):
        raise InvalidValue("stack makes at most 1000 rows, and its number is written out.", remedy="Use range.")
    return sum(sizes)


def _sketched(call: exp.Anonymous, sizes: list[float]) -> float:
    """``count_min_sketch``: its table is 2 / eps wide, and as deep as the confidence asks for, about 40 at most."""
    error = call.expressions[1] if len(call.expressions) > 1 else None
    eps = None if error is None else _number_of(error)
    if eps is None or eps <= 0:
        raise InvalidValue("The error that count_min_sketch takes is no number above 0.", remedy="Write the number.")
    return sum(sizes) + 2 / eps * ELEMENT_BYTES * 40


def _number_of(node: exp.Expr) -> float | None:
    """The number also where it is cast, or has a suffix such as D."""
    while isinstance(node, exp.Cast | exp.Paren | exp.Alias):
        node = node.this
    return number_in(node)


_SPECIAL: dict[str, Callable[[exp.Anonymous, list[float]], float]] = {
    "replace": _replaced,
    "regexp_replace": _replaced,
    "array_join": _joined,
    "concat_ws": _joined_with,
    "format_string": _formatted,
    "printf": _formatted,
    "stack": _stacked,
    "count_min_sketch": _sketched,
}


def _elements(size: float) -> float:
    return max(float(FEWEST_ELEMENTS), size / ELEMENT_BYTES)


def _with_lambda(call: exp.Anonymous, scope: _Scope) -> float:
    """The body counts once for each element. What ``aggregate`` carries grows with each."""
    plain = [argument for argument in call.expressions if not isinstance(argument, exp.Lambda)]
    bodies = [argument for argument in call.expressions if isinstance(argument, exp.Lambda)]
    sizes = [_bounded(argument, scope) for argument in plain]
    name = call.name.lower()
    if name in _BY_ELEMENT:
        array = sum(sizes)
        elements = max(array, STORED) / ELEMENT_BYTES
        made = max((_body(body, scope, [ELEMENT_BYTES] * 3) for body in bodies), default=0.0)
        return array if name in {"filter", "map_filter"} else max(array, elements * made)
    elements = _elements(sizes[0] if sizes else STORED)
    element = max(sizes[0] / elements, SMALL) if sizes else SMALL
    carried = [sizes[1] if len(sizes) > 1 else SMALL]
    for _ in range(3):
        carried.append(_body(bodies[0], scope, [carried[-1], element]) if bodies else carried[-1])
    total = _bounded_size(_repeated(carried[1:], elements))
    return max([total, *(_body(body, scope, [total]) for body in bodies[1:])])


def _body(body: exp.Lambda, scope: _Scope, sizes: list[float]) -> float:
    names = [name.name.lower() for name in body.expressions]
    return _bounded(body.this, scope.with_local(dict(zip(names, sizes, strict=False))))
