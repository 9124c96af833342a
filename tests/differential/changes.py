"""INSERT, UPDATE, DELETE, MERGE INTO and OPTIMIZE of a table, as people write them."""

from __future__ import annotations

from random import Random

from tests.differential.conditions import condition
from tests.differential.kinds import Kind, Scalar, Struct, text
from tests.differential.literals import literal, named_struct, value
from tests.differential.shapes import Shape
from tests.differential.statements import (
    BY_SOURCE,
    MATCHED,
    NOT_MATCHED,
    Change,
    Clause,
    Delete,
    Insert,
    Merge,
    Optimize,
    Update,
)
from tests.differential.subqueries import COMMON, common_table, condition_of, value_of

_MADE = {"delete": 5, "update": 6, "merge": 6, "insert": 4, "optimize": 1}
MISFITS = (
    "'123'",
    "'true'",
    "'x'",
    "true",
    "9.5",
    "1",
    "128",
    "2147483648L",
    "DATE'2024-01-05'",
    "1e1",
    "NULL",
    "X'00'",
)


def change(random: Random, shape: Shape, other: Shape, without: frozenset[str]) -> Change:
    match random.choices(tuple(_MADE), tuple(_MADE.values()))[0]:
        case "delete":
            return _delete(random, shape, other)
        case "update":
            return _update(random, shape, other, sets_fields="set fields" not in without)
        case "merge":
            return _merge(random, shape, other)
        case "insert":
            return _insert(random, shape, other)
    return Optimize(shape.table)


# -- assigned values ---------------------------------------------------------------------------------------------------


def _assigned(random: Random, shape: Shape, name: str, side: str = "t", own: str = "t") -> str:
    """A value for a column: its own, a literal of its type or of another, one that may not fit."""
    kind = shape.kind(name)
    chance = random.random()
    if chance < 0.15:
        return f"{own}.{name}"
    if chance < 0.3 and side != own:
        return f"{side}.{name}"
    if chance < 0.4:
        return random.choice(MISFITS)
    if chance < 0.6:
        return literal(random, kind, flavour=shape.flavour(name))
    if chance < 0.65:
        return "NULL"
    return shuffled(random, kind, value(random, kind, flavour=shape.flavour(name)))


def shuffled(random: Random, kind: Kind, written: str) -> str:
    """A struct as somebody writes it who thinks of fields by name."""
    if not isinstance(kind, Struct) or written.startswith("CAST") or random.random() < 0.3:
        return written
    fields = list(kind.fields)
    random.shuffle(fields)
    return named_struct([(name, value(random, inner)) for name, inner in fields])


def _by_subquery(random: Random, shape: Shape, other: Shape, name: str, own: str, source: str = "") -> str | None:
    """A value of a column by a subquery, one in eight."""
    return value_of(random, shape, other, name, own, source) if random.random() < 0.12 else None


def _common(random: Random, other: Shape) -> tuple[str, str]:
    """A common table and its name, one in eight."""
    return (common_table(random, other), COMMON) if random.random() < 0.12 else ("", "")


def _where(random: Random, shape: Shape, other: Shape, source: str) -> str:
    if source or random.random() < 0.12:
        return condition_of(random, other, source)
    return condition(random, shape.values("t"))


def _delete(random: Random, shape: Shape, other: Shape) -> Delete:
    common, source = _common(random, other)
    return Delete(shape.table, _where(random, shape, other, source), common=common)


def _update(random: Random, shape: Shape, other: Shape, *, sets_fields: bool) -> Update:
    names = random.sample([name for name in shape.names if name != "k"], random.choice((1, 1, 2)))
    common, source = _common(random, other)
    assignments = [
        (name, _by_subquery(random, shape, other, name, "t", source) or _assigned(random, shape, name))
        for name in names
    ]
    structs = [column for column in shape.columns if isinstance(column.kind, Struct) and column.name not in names]
    if sets_fields and structs and random.random() < 0.15:
        column = random.choice(structs)
        assert isinstance(column.kind, Struct)
        field, kind = random.choice(column.kind.fields)
        assignments.append((f"{column.name}.{field}", value(random, kind)))
    where = _where(random, shape, other, source) if source or random.random() < 0.9 else ""
    return Update(shape.table, tuple(assignments), where, common=common)


# -- INSERT ------------------------------------------------------------------------------------------------------------


def _insert(random: Random, shape: Shape, other: Shape) -> Insert:
    match random.choice(("values", "list", "by name", "table", "void")):
        case "values":
            row = [_written(random, column.kind, shape.flavour(column.name)) for column in shape.columns]
            return Insert(shape.table, (tuple(row),))
        case "list":
            chosen = random.sample(shape.columns, random.randint(1, len(shape.columns)))
            row = [_written(random, column.kind, shape.flavour(column.name)) for column in chosen]
            return Insert(shape.table, (tuple(row),), into=f"({', '.join(column.name for column in chosen)})")
        case "by name":
            chosen = random.sample(shape.columns, random.randint(1, len(shape.columns)))
            values = [
                f"{shuffled(random, column.kind, value(random, column.kind))} AS {column.name}" for column in chosen
            ]
            return Insert(shape.table, query=f"SELECT {', '.join(values)}", into="BY NAME")
        case "table":
            names = ", ".join(f"s.{name}" for name in shape.names)
            common, source = _common(random, other)
            return Insert(shape.table, query=f"SELECT {names} FROM {source or other.table} AS s", common=common)
    empty = ", ".join(f"CAST(NULL AS {text(column.kind, stored=True)})" for column in shape.columns)
    return Insert(shape.table, query=f"SELECT {empty} WHERE false")


def _written(random: Random, kind: Kind, flavour: str) -> str:
    if isinstance(kind, Scalar) and random.random() < 0.15:
        return random.choice(MISFITS)
    return value(random, kind, flavour=flavour)


# -- MERGE INTO --------------------------------------------------------------------------------------------------------


def _merge(random: Random, shape: Shape, other: Shape) -> Merge:
    clauses = [_matched(random, shape, other) for _ in range(random.choice((0, 1, 1, 2)))]
    clauses += [_not_matched(random, shape, other) for _ in range(random.choice((0, 1, 1)))]
    clauses += [_by_source(random, shape) for _ in range(random.choice((0, 0, 1)))]
    if not clauses:
        clauses = [Clause(MATCHED, "", "DELETE")]
    return Merge(shape.table, other.table, _on(random, shape, other), _last_alone_unconditional(clauses))


def _on(random: Random, shape: Shape, other: Shape) -> str:
    on = "t.k = s.k"
    scalars = [column.name for column in shape.columns if isinstance(column.kind, Scalar) and column.name != "k"]
    if scalars and random.random() < 0.35:
        name = random.choice(scalars)
        on = f"t.{name} {random.choice(('=', '<=>'))} s.{name}"
        if random.random() < 0.6:
            on += " AND t.k = s.k"
    if random.random() < 0.25:
        on += f" AND {condition(random, shape.values('t'), depth=0)}"
    return on


def _matched(random: Random, shape: Shape, other: Shape) -> Clause:
    when = ""
    if random.random() < 0.6:
        when = condition(random, [*shape.values("t"), *other.values("s")])
        when = "NULL" if random.random() < 0.08 else when
    match random.choice(("star", "set", "set", "delete")):
        case "star":
            return Clause(MATCHED, when, "UPDATE", None)
        case "set":
            names = random.sample([name for name in shape.names if name != "k"], random.choice((1, 2)))
            values = [
                (
                    name,
                    _by_subquery(random, shape, other, name, "s") or _assigned(random, shape, name, side="s"),
                )
                for name in names
            ]
            return Clause(MATCHED, when, "UPDATE", tuple(values))
    return Clause(MATCHED, when, "DELETE")


def _not_matched(random: Random, shape: Shape, other: Shape) -> Clause:
    # A column of the target has no value here, and is an error even where no row is inserted.
    places = shape.values("t") if random.random() < 0.1 else other.values("s")
    when = condition(random, places) if random.random() < 0.5 else ""
    if random.random() < 0.5:
        return Clause(NOT_MATCHED, when, "INSERT", None)
    names = ["k", *random.sample([n for n in shape.names if n != "k"], random.choice((1, 2)))]
    values = [
        (
            name,
            _by_subquery(random, shape, other, name, "s") or _assigned(random, shape, name, side="s", own="s"),
        )
        for name in names
    ]
    return Clause(NOT_MATCHED, when, "INSERT", tuple(values))


def _by_source(random: Random, shape: Shape) -> Clause:
    when = condition(random, shape.values("t"))
    if random.random() < 0.5:
        return Clause(BY_SOURCE, when, "DELETE")
    name = random.choice([name for name in shape.names if name != "k"])
    return Clause(BY_SOURCE, when, "UPDATE", ((name, _assigned(random, shape, name)),))


def _last_alone_unconditional(clauses: list[Clause]) -> tuple[Clause, ...]:
    """Only the last clause of a family may lack a condition."""
    kept: list[Clause] = []
    for place, clause in enumerate(clauses):
        is_last = all(later.family != clause.family for later in clauses[place + 1 :])
        kept.append(
            clause
            if clause.condition or is_last
            else Clause(clause.family, "t.k > 3", clause.action, clause.assignments)
        )
    return tuple(kept)
