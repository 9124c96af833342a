"""Questions to a table: conditions, projections of what lies inside of columns, aggregates, joins, explode."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.differential.conditions import condition
from tests.differential.kinds import Array, Kind, Map, Scalar, Struct, is_ordered
from tests.differential.literals import SUFFIXES, WHOLE_BITS
from tests.differential.shapes import Place, Shape
from tests.differential.statements import Find, Query, Question


def questions(random: Random, shape: Shape, other: Shape, *, finds: int, queries: int) -> Iterator[Question]:
    places = shape.values("t")
    for _ in range(finds):
        yield Find(shape.table, condition(random, places))
    makers = [_projection, _aggregate, _join, _explode, _literals, _grouped]
    for maker in random.sample(makers, min(queries, len(makers))):
        text_made = maker(random, shape, other)
        if text_made:
            yield Query(text_made)


def _projection(random: Random, shape: Shape, other: Shape) -> str:
    """One value inside of each of a few columns, so that not all of a column is read."""
    chosen = random.sample(shape.values("t"), min(4, len(shape.values("t"))))
    parts = [f"{place.expression} AS p{number}" for number, place in enumerate(chosen)]
    parts += [f"{_function(random, place)} AS f{number}" for number, place in enumerate(chosen[:2])]
    return f"SELECT t.k, {', '.join(parts)} FROM {shape.table} AS t"


def _function(random: Random, place: Place) -> str:
    name, kind = place.expression, place.kind
    match kind:
        case Array(Struct(fields)):
            return f"transform({name}, e -> e.{random.choice(fields)[0]})"
        case Array():
            return f"array_compact({name})"
        case Map():
            return random.choice((f"map_keys({name})", f"map_entries({name})", f"size({name})"))
        case Struct():
            return f"struct({name}, {name} IS NULL AS gone)"
        case Scalar("string"):
            return random.choice((f"upper({name})", f"length({name})", f"reverse({name})"))
        case Scalar("binary"):
            return f"CAST({name} AS STRING)"
    return f"CAST({name} AS STRING)"


def _aggregate(random: Random, shape: Shape, other: Shape) -> str:
    """Sums of doubles depend on the order of rows, and are left out."""
    parts = ["count(*) AS n"]
    for number, place in enumerate(random.sample(shape.values("t"), min(4, len(shape.values("t"))))):
        parts.append(f"count({place.expression}) AS c{number}")
        if is_ordered(place.kind):
            parts += [f"min({place.expression}) AS least{number}", f"max({place.expression}) AS most{number}"]
            parts.append(f"count(DISTINCT {place.expression}) AS d{number}")
    return f"SELECT {', '.join(parts)} FROM {shape.table} AS t"


def _grouped(random: Random, shape: Shape, other: Shape) -> str:
    place = random.choice([place for place in shape.values("t") if is_ordered(place.kind)])
    return (
        f"SELECT {place.expression} AS g, count(*) AS n, max(t.k) AS most FROM {shape.table} AS t "
        f"GROUP BY {place.expression} HAVING count(*) > {random.choice((0, 1))}"
    )


def _join(random: Random, shape: Shape, other: Shape) -> str:
    theirs = {place.expression[2:]: place for place in other.values("s") if is_ordered(place.kind)}
    shared = [place for place in shape.values("t") if place.expression[2:] in theirs and is_ordered(place.kind)]
    place = random.choice(shared)
    kind = random.choice(("JOIN", "LEFT JOIN", "FULL JOIN", "LEFT ANTI JOIN"))
    columns = "t.k AS k" if "ANTI" in kind else "t.k AS k, s.k AS other"
    on = f"{place.expression} {random.choice(('=', '<=>'))} s.{place.expression[2:]}"
    return f"SELECT {columns} FROM {shape.table} AS t {kind} {other.table} AS s ON {on}"


def _explode(random: Random, shape: Shape, other: Shape) -> str:
    nested = [place for place in shape.values("t") if isinstance(place.kind, Array | Map)]
    if not nested:
        return ""
    place = random.choice(nested)
    outer = random.choice(("", "OUTER "))
    exploded = f"FROM {shape.table} AS t LATERAL VIEW {outer}explode({place.expression}) e"
    if isinstance(place.kind, Map):
        return f"SELECT t.k, e.q AS q, {_field(random, 'e.v', place.kind.value)} AS v {exploded} AS q, v"
    assert isinstance(place.kind, Array)
    return f"SELECT t.k, {_field(random, 'e.v', place.kind.item)} AS v {exploded} AS v"


def _field(random: Random, name: str, kind: Kind) -> str:
    return f"{name}.{random.choice(kind.fields)[0]}" if isinstance(kind, Struct) else name


def _literals(random: Random, shape: Shape, other: Shape) -> str:
    """Literals alone: the least of each type, bytes that are no text."""
    least = [f"-{2**bits}{SUFFIXES[name]} AS {name}" for name, bits in WHOLE_BITS.items()]
    late = "date_add(DATE'9999-12-31', 1) AS late"
    more = ("CAST(X'FF' AS STRING) AS bad", "-0.0D AS zero", "1e308D * 10 AS endless", late)
    return f"SELECT {', '.join([*random.sample(least, 2), random.choice(more)])}"
