"""Changes of columns and of fields inside of them, as new columns and the expressions that fill them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.differential.kinds import Array, Kind, Map, Struct, text
from tests.differential.statements import Add, Alter, Drop, Move, Rename, Widen

Member = tuple[str, Kind, str]
"""A column or field: name, type, and the expression of its value."""


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    kind: Kind


def altered(columns: Sequence[Column], change: Alter) -> tuple[tuple[Column, ...], list[str]]:
    members = [(column.name, column.kind, column.name) for column in columns]
    made = _members(members, change.path, change)
    return tuple(Column(name, kind) for name, kind, _ in made), [value for _, _, value in made]


def _members(members: list[Member], path: Sequence[str], change: Alter) -> list[Member]:
    """The members after a change at ``path``, which begins with the name of one of them."""
    if len(path) == 1:
        return _changed(members, path[0], change)
    return [
        (name, *_within(kind, value, path[1:], change)) if name == path[0] else (name, kind, value)
        for name, kind, value in members
    ]


def _changed(members: list[Member], name: str, change: Alter) -> list[Member]:
    if isinstance(change, Add):
        return [*members, (name, change.kind, f"CAST(NULL AS {text(change.kind, stored=True)})")]
    own = next(member for member in members if member[0] == name)
    others = [member for member in members if member[0] != name]
    match change:
        case Drop():
            return others
        case Move(after=after):
            place = 1 + [member[0] for member in others].index(after) if after else 0
            return [*others[:place], own, *others[place:]]
        case Rename(name=new):
            fresh = (new, own[1], own[2])
        case Widen(kind=kind):
            fresh = (name, kind, f"CAST({own[2]} AS {text(kind, stored=True)})")
    return [fresh if member[0] == name else member for member in members]


def _within(kind: Kind, value: str, path: Sequence[str], change: Alter) -> tuple[Kind, str]:
    """A value's type and expression after a change inside of it."""
    variable = f"v{len(path)}"
    if isinstance(kind, Struct):
        made = _members([(name, inner, f"{value}.{name}") for name, inner in kind.fields], path, change)
        parts = ", ".join(f"'{name}', {inner}" for name, _, inner in made)
        fields = tuple((name, inner) for name, inner, _ in made)
        return Struct(fields), f"IF({value} IS NULL, NULL, named_struct({parts}))"

    def deeper(inner: Kind) -> tuple[Kind, str]:
        return _element(inner, variable, path[1:], change)

    if isinstance(kind, Array):
        item, expression = deeper(kind.item)
        return Array(item), f"transform({value}, {variable} -> {expression})"
    assert isinstance(kind, Map)
    key, item = (deeper(kind.key), kind.value) if path[0] == "key" else (kind.key, deeper(kind.value))
    if path[0] == "key":
        return Map(key[0], kind.value), f"transform_keys({value}, ({variable}, __) -> {key[1]})"
    return Map(kind.key, item[0]), f"transform_values({value}, (__, {variable}) -> {item[1]})"


def _element(kind: Kind, value: str, path: Sequence[str], change: Alter) -> tuple[Kind, str]:
    """The element of an array, or the key or value of a map, is itself widened or changed inside."""
    if path:
        return _within(kind, value, path, change)
    assert isinstance(change, Widen)
    return change.kind, f"CAST({value} AS {text(change.kind, stored=True)})"
