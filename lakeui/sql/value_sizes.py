"""How large the value of an expression may become, in bytes. A stored value counts as ``STORED``, whatever its size."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from lakeui.common.errors import InvalidValue
from lakeui.sql.growth import LARGEST_JOINED_BYTES, number_in, size_of_growing, words

STORED = 64.0
SMALL = 16.0
FEWEST_ELEMENTS = 1_000
"""Of an array whose length the text does not give."""
FEWEST_ROWS = 16
ELEMENT_BYTES = 8
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
FOLDING = words("aggregate reduce")
_ADDITIVE = (exp.DPipe, exp.Paren, exp.Cast, exp.TryCast, exp.Alias, exp.Bracket, exp.Filter, exp.WithinGroup)


@dataclass(frozen=True, slots=True)
class Columns:
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


SizeOfQuery = Callable[[exp.Expr, Mapping[str, Columns]], Columns]


@dataclass(frozen=True, slots=True)
class Scope:
    """What expressions of one SELECT may name, and how many rows the aggregates of it see. ``query`` estimates a
    subquery, which may name the tables.
    """

    query: SizeOfQuery
    sources: Mapping[str, Columns]
    tables: Mapping[str, Columns]
    local: Mapping[str, float] = field(default_factory=dict)
    rows: float = 1.0

    def column(self, name: str, source: str) -> float:
        name, source = name.lower(), source.lower()
        if not source and name in self.local:
            return self.local[name]
        candidates = [self.sources[source]] if source in self.sources else list(self.sources.values())
        return max((columns.named.get(name, columns.unnamed) for columns in candidates), default=STORED)

    def with_local(self, more: Mapping[str, float]) -> Scope:
        return replace(self, local={**self.local, **more})


def repeated(sizes: list[float], times: float) -> float:
    """What comes after ``times`` repetitions of the step that made each of three sizes of the one before."""
    first, second, third = sizes
    if third <= second:
        return third
    grown, more = second - first, third - second
    if grown > 0 and more > 1.01 * grown:
        # Spark's values have at most 2 GiB: what the estimate says beyond is too large in any case.
        return third * math.exp(min(times * math.log(more / grown), 100.0))
    return third + more * times


def bounded(node: exp.Expr, scope: Scope) -> float:
    return bounded_size(_size(node, scope))


def bounded_size(size: float) -> float:
    if size > LARGEST_JOINED_BYTES:
        raise InvalidValue(
            f"One expression joins values that together have more than {LARGEST_JOINED_BYTES} bytes.",
            remedy="Ask for smaller values: write the size of each as a number, and keep fewer in one value.",
        )
    return size


def _size(node: exp.Expr, scope: Scope) -> float:
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


def _of_one(node: exp.Expr, scope: Scope) -> float:
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
        return scope.query(node, scope.tables).largest
    if isinstance(node, exp.Anonymous):
        return _call(node, scope)
    return _of_operator(node, scope)


def _of_operator(node: exp.Expr, scope: Scope) -> float:
    if isinstance(node, exp.Connector):
        # Thousands of terms nest: each is judged by itself.
        for term in node.flatten():
            bounded(term, scope)
        return SMALL
    if isinstance(node, exp.Case | exp.If):
        return max((_size(inner, scope) for inner in _children(node)), default=SMALL)
    if isinstance(node, exp.Window):
        # Once each: windows inside of windows would be estimated again and again.
        sizes = {id(inner): bounded(inner, scope) for inner in _children(node)}
        return sizes[id(node.this)]
    if isinstance(node, exp.Binary) and not isinstance(node, exp.Dot | exp.Collate):
        for inner in _operands(node):
            bounded(inner, scope)
        return SMALL
    if isinstance(node, exp.Predicate):
        for inner in _children(node):
            bounded(inner, scope)
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


def _call(call: exp.Anonymous, scope: Scope) -> float:
    name = call.name.lower()
    if name in _BY_ELEMENT or name in FOLDING:
        return _with_lambda(call, scope)
    sizes = [bounded(argument, scope) for argument in call.expressions]
    total = sum(sizes)
    growing = size_of_growing(call, sizes)
    if growing is not None:
        return growing
    if name in _SMALL_FUNCTIONS:
        return SMALL
    if name in _LARGEST_OF:
        return max(sizes, default=SMALL)
    if name in _COLLECTING:
        return bounded_size(max(total, SMALL) * max(scope.rows, FEWEST_ROWS))
    if name in _KEEPING:
        bounded_size(max(total, SMALL) * max(scope.rows, FEWEST_ROWS))
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


def _with_lambda(call: exp.Anonymous, scope: Scope) -> float:
    """The body counts once for each element. What ``aggregate`` carries grows with each."""
    plain = [argument for argument in call.expressions if not isinstance(argument, exp.Lambda)]
    bodies = [argument for argument in call.expressions if isinstance(argument, exp.Lambda)]
    sizes = [bounded(argument, scope) for argument in plain]
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
    total = bounded_size(repeated(carried[1:], elements))
    return max([total, *(_body(body, scope, [total]) for body in bodies[1:])])


def _body(body: exp.Lambda, scope: Scope, sizes: list[float]) -> float:
    names = [name.name.lower() for name in body.expressions]
    return bounded(body.this, scope.with_local(dict(zip(names, sizes, strict=False))))
