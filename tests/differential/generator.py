"""Histories out of a seed: a schema, rows with awkward values, evolutions, then changes and questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from tests.differential.altering import Column, altered
from tests.differential.changes import change
from tests.differential.conditions import condition
from tests.differential.kinds import Array, Kind, Map, Scalar, Struct
from tests.differential.literals import value
from tests.differential.questions import questions
from tests.differential.shapes import Shape
from tests.differential.statements import (
    Add,
    Alter,
    Create,
    Drop,
    History,
    Insert,
    Move,
    Optimize,
    Rename,
    Replace,
    Setup,
    Widen,
)

SCALARS = (
    *("boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "string", "string", "binary", "date"),
    *("timestamp", "timestamp", "timestamp_ntz", "char(3)", "char(5)", "varchar(4)", "decimal(10,2)", "decimal(38,0)"),
    *("decimal(38,18)", "decimal(5,1)"),
)
KEYS = ("string", "int", "date", "bigint", "boolean", "decimal(10,2)")
WIDER = {
    "tinyint": "smallint",
    "smallint": "int",
    "int": "bigint",
    "float": "double",
    "decimal(10,2)": "decimal(14,2)",
    "decimal(5,1)": "decimal(7,1)",
    "varchar(4)": "varchar(6)",
    "date": "timestamp_ntz",
}
"""What lakeui widens (semantics §3, A6.1)."""
Place = tuple[tuple[str, ...], Kind]
"""The path of a column or field, and its type."""


@dataclass(frozen=True, slots=True)
class Size:
    columns: int = 5
    files: int = 3
    rows: int = 6
    trials: int = 8
    finds: int = 14
    queries: int = 3
    without: frozenset[str] = frozenset()
    """Of "char", "altered fields" and "set fields", what is left out."""


def history(seed: int, size: Size = Size()) -> History:
    random = Random(seed)
    shape = Shape("d.t", _columns(random, size), seed)
    setup: list[Setup] = [Create(shape.table, shape.members)]
    rows = _Rows(random)
    setup += [rows.insert(shape, size.rows) for _ in range(size.files)]
    for _ in range(random.choice((0, 1, 1, 2))):
        shape, alteration = _evolved(random, shape, size)
        setup += [alteration, rows.insert(shape, 3)]
    if random.random() < 0.25:
        shape, replacing = _replaced(random, shape, size)
        setup += [replacing, rows.insert(shape, size.rows)]
    other = _source(random, shape)
    setup += [Create(other.table, other.members), _source_rows(random, other, shape)]
    setup += [change(random, shape, other, size.without) for _ in range(random.choice((0, 0, 1)))]
    setup += [Optimize(shape.table)] if random.random() < 0.2 else []
    trials = tuple(change(random, shape, other, size.without) for _ in range(size.trials))
    asked = tuple(questions(random, shape, other, finds=size.finds, queries=size.queries))
    return History(seed, tuple(setup), trials, asked)


def _columns(random: Random, size: Size) -> tuple[Column, ...]:
    kinds = [_kind(random, depth, _scalars(size)) for depth in (3, 2, *[0] * (size.columns - 2))]
    names = [f"c{number}" for number in range(1, size.columns + 1)]
    columns = [Column(name, kind) for name, kind in zip(names, kinds, strict=True)]
    random.shuffle(columns)
    return (Column("k", Scalar("int")), *columns)


def _scalars(size: Size) -> tuple[str, ...]:
    return tuple(name for name in SCALARS if not (name.startswith("char") and "char" in size.without))


def _kind(random: Random, depth: int, scalars: Sequence[str]) -> Kind:
    """A type with nested ones down to ``depth``."""
    if depth == 0:
        return Scalar(random.choice(scalars))
    inner = depth - 1
    match random.choice(("struct", "struct", "array", "map")):
        case "struct":
            names = random.sample(("x", "y", "z"), random.choice((2, 3)))
            depths = [inner, *(random.choice((0, 0, inner)) for _ in names[1:])]
            return Struct(tuple((name, _kind(random, deep, scalars)) for name, deep in zip(names, depths, strict=True)))
        case "array":
            return Array(_kind(random, inner, scalars))
    return Map(Scalar(random.choice(KEYS)), _kind(random, inner, scalars))


class _Rows:
    """Rows of ``d.t``, each with a key of its own. A column holds texts of one flavour."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._next = 1

    def insert(self, shape: Shape, count: int) -> Insert:
        rows = []
        for _ in range(count):
            rows.append((str(self._next), *_values(self._random, shape, shape.columns[1:])))
            self._next += 1
        order = shape.names
        # The key may have moved from the front.
        into = "" if order[0] == "k" else f"({', '.join(['k', *(n for n in order if n != 'k')])})"
        if into:
            others = [column for column in shape.columns if column.name != "k"]
            rows = [(row[0], *_values(self._random, shape, others)) for row in rows]
        return Insert(shape.table, tuple(rows), into=into)


def _values(random: Random, shape: Shape, columns: tuple[Column, ...] | list[Column]) -> list[str]:
    return [value(random, column.kind, flavour=shape.flavour(column.name)) for column in columns]


def _evolved(random: Random, shape: Shape, size: Size) -> tuple[Shape, Alter]:
    alteration = _alteration(random, shape, size)
    columns, _ = altered(shape.columns, alteration)
    return replace(shape, columns=columns), alteration


def _replaced(random: Random, shape: Shape, size: Size) -> tuple[Shape, Replace]:
    """The table replaced by one with other columns, or by some rows and columns of its own."""
    if random.random() < 0.5:
        made = replace(shape, columns=_columns(random, size))
        return made, Replace(made.table, made.members)
    others = [column for column in shape.columns if column.name != "k"]
    chosen = [Column("k", shape.kind("k")), *random.sample(others, random.randint(2, len(others)))]
    names = ", ".join(f"t.{column.name}" for column in chosen)
    where = condition(random, shape.values("t"), depth=0)
    query = f"SELECT {names} FROM {shape.table} AS t WHERE {where}"
    return replace(shape, columns=tuple(chosen)), Replace(shape.table, query=query)


def _alteration(random: Random, shape: Shape, size: Size) -> Alter:
    """A change of a column; one in three of a field, at any depth."""
    places = [place for place in shape.places() if place[0] != ("k",)]
    inner = [place for place in places if len(place[0]) > 1]
    if inner and random.random() < 0.33 and "altered fields" not in size.without:
        found = _nested(random, shape, inner, size)
        if found is not None:
            return found
    columns = [place for place in places if len(place[0]) == 1]
    path = random.choice(columns)[0]
    others = [name for name in shape.names if name != path[0]]
    match random.choice(("add", "drop", "rename", "widen", "move")):
        case "drop" if len(columns) > 2:
            return Drop(shape.table, path)
        case "rename":
            return Rename(shape.table, path, f"n{path[0][1:]}")
        case "move":
            return Move(shape.table, path, random.choice(("", *others)))
        case "widen":
            wide = [(place, wider(inner)) for place, inner in columns if wider(inner) is not None]
            if wide:
                return Widen(shape.table, *random.choice(wide))
    return Add(
        shape.table, (f"a{random.randrange(10, 99)}",), _kind(random, random.choice((0, 0, 1, 2)), _scalars(size))
    )


def _nested(random: Random, shape: Shape, places: list[Place], size: Size) -> Alter | None:
    """A change of a field of a struct, or of what an array or map holds."""
    structs = [(path, kind) for path, kind in shape.places() if isinstance(kind, Struct) and "key" not in path]
    if not structs:
        return None
    path, kind = random.choice(structs)
    assert isinstance(kind, Struct)
    name, _ = random.choice(kind.fields)
    match random.choice(("add", "drop", "rename", "widen", "move")):
        case "add":
            return Add(shape.table, (*path, "w"), Scalar(random.choice(_scalars(size))))
        case "drop" if len(kind.fields) > 1:
            return Drop(shape.table, (*path, name))
        case "rename":
            return Rename(shape.table, (*path, name), "r")
        case "move" if kind.fields[0][0] != name:
            return Move(shape.table, (*path, name))
    wide = [(place, wider(inner)) for place, inner in places if wider(inner) is not None and "key" not in place]
    return Widen(shape.table, *random.choice(wide)) if wide else None


def wider(kind: Kind) -> Kind | None:
    return Scalar(WIDER[kind.name]) if isinstance(kind, Scalar) and kind.name in WIDER else None


def _source(random: Random, shape: Shape) -> Shape:
    """A table like the other: columns and fields in another order, some types narrower, one column more."""
    columns = [Column(column.name, _reordered(random, column.kind)) for column in shape.columns]
    random.shuffle(columns)
    if random.random() < 0.3:
        columns.append(Column("extra", Scalar("string")))
    return Shape("d.u", tuple(columns), shape.salt)


def _reordered(random: Random, kind: Kind) -> Kind:
    narrower = {wide: narrow for narrow, wide in WIDER.items()}
    match kind:
        case Scalar(name):
            return Scalar(narrower[name]) if name in narrower and random.random() < 0.2 else kind
        case Array(item):
            return Array(_reordered(random, item))
        case Map(key, inner):
            return Map(key, _reordered(random, inner))
        case Struct(fields):
            made = [(name, _reordered(random, inner)) for name, inner in fields]
            random.shuffle(made)
            return Struct(tuple(made))


def _source_rows(random: Random, other: Shape, shape: Shape) -> Insert:
    """Keys that the target has, and some that it lacks."""
    keys = random.sample(range(1, 30), 6)
    key_at = other.names.index("k")
    rows = []
    for key in keys:
        row = _values(random, other, other.columns)
        row[key_at] = str(key)
        rows.append(tuple(row))
    return Insert(other.table, tuple(rows))
