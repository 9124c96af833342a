"""Statements by chance: each makes sense on the state that it is made for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.reference.columns import ColumnIds
from tests.reference.state import State
from tests.reference.statements import (
    NewRow,
    Statement,
    add_partition,
    change_key,
    delete,
    insert,
    overwrite,
    put_attributes,
    rename_partition,
    update,
)

PARTITIONS = "abc"


@dataclass(frozen=True)
class Chance:
    """Chooses for table `t` of `state`. Values that it writes begin with `step`."""

    rng: Random
    state: State
    t: str
    step: str
    columns: ColumnIds

    def rows(self, *partitions: str) -> list[NewRow]:
        columns = self.state.columns(self.t).values()
        written = [column for column in columns if self.rng.random() < 0.9]
        keys = self.rng.sample(range(6), len(partitions))
        return [
            NewRow(key, {c.name: (f"{self.step}{c.name}{key}", c.type) for c in written}, part)
            for key, part in zip(keys, partitions, strict=True)
        ]

    def where(self) -> Callable[[Any], bool]:
        third = self.rng.randrange(3)
        return lambda r: (r if isinstance(r, int) else r.number) % 3 == third

    def insert(self) -> Statement:
        return insert(self.t, self.rows(*self.rng.choices(PARTITIONS, k=self.rng.choice([1, 1, 2]))))

    def update(self) -> Statement | None:
        columns = list(self.state.columns(self.t).values())
        if not columns:
            return None
        chosen = self.rng.sample(columns, min(len(columns), self.rng.choice([1, 1, 2])))
        cells = {column.name: (f"{self.step}{column.name}", column.type) for column in chosen}
        return update(self.t, self.where(), cells, self.rng.choice([None, None, None, self.rng.choice(PARTITIONS)]))

    def delete(self) -> Statement:
        return delete(self.t, self.where())

    def overwrite(self) -> Statement:
        part = self.rng.choice(PARTITIONS)
        return overwrite(self.t, part, self.rows(part) if self.rng.random() < 0.5 else [])

    def truncate(self) -> Statement:
        part = self.rng.choice(PARTITIONS)
        return overwrite(self.t, None, self.rows(part) if self.rng.random() < 0.5 else [])

    def drop_partition(self) -> Statement | None:
        part = self.rng.choice(PARTITIONS)
        return overwrite(self.t, part, kind="drop partition") if self.state.has_partition(self.t, part) else None

    def add_partition(self) -> Statement:
        return add_partition(self.t, self.rng.choice("abcde"))

    def change_key(self) -> Statement | None:
        rows = list(self.state.rows(self.t))
        if not rows or not self.state.is_keyed(self.t):
            return None
        return change_key(self.t, self.rng.choice(rows), self.rng.randrange(6))

    def rename_partition(self) -> Statement:
        return rename_partition(self.t, self.rng.choice(PARTITIONS), self.rng.choice("abcde"))

    def set_property(self) -> Statement:
        return put_attributes(self.t, **{f"property__{self.rng.choice('xy')}": self.rng.choice([None, self.step])})

    def rename(self) -> Statement:
        return put_attributes(self.t, name=self.rng.choice([self.step, "common"]))

    def move(self) -> Statement:
        return put_attributes(self.t, home=self.rng.choice([d for d in ("D1", "D2") if self.state.is_alive(d)]))

    def drop(self) -> Statement | None:
        return put_attributes(self.t, exists=None) if self.rng.random() < 0.4 else None

    def create(self) -> Statement:
        column = {"column__0__exists": (None,), "column__0__name": "v", "column__0__type": 1}
        return put_attributes(f"T{self.step}", exists=True, name=f"T{self.step}", home="D1", **column)

    def add_column(self) -> Statement | None:
        cases = [(None, None), (None, ("d", 1)), (True, ("d", 1)), (True, None)]
        required, default = self.rng.choice(cases)
        name = self.rng.choice([*"no", self.step])
        if any(column.name == name for column in self.state.columns(self.t).values()):
            return None
        c = self.columns.allocate(self.state, self.t, name, default)
        values = {"exists": (default,), "name": name, "type": self.rng.choice([1, 1, 2]), "required": required}
        return put_attributes(self.t, **{f"column__{c}__{of}": value for of, value in values.items()})

    def alter_column(self) -> Statement | None:
        columns = self.state.columns(self.t)
        c = self.rng.choice([None, *columns])
        if c in (None, "0"):
            return None
        changes = {
            "exists": None,
            "name": f"r{self.step}",
            "type": min(3, columns[c].type + 1),
            "required": None if columns[c].required else True,
        }
        of, value = self.rng.choice(list(changes.items()))
        return put_attributes(self.t, **{f"column__{c}__{of}": value})


OF_ROWS = (
    [Chance.change_key] * 2
    + [Chance.insert] * 4
    + [Chance.update] * 3
    + [Chance.delete, Chance.truncate]
    + [Chance.overwrite] * 2
)
OF_PARTITIONS = [Chance.add_partition, Chance.drop_partition, Chance.rename_partition]
OF_OBJECTS = [Chance.set_property, Chance.rename, Chance.move, Chance.drop, Chance.create]
OF_COLUMNS = [Chance.add_column] * 2 + [Chance.alter_column] * 4
OF_TABLES: list[Callable[[Chance], Statement | None]] = [*OF_ROWS, *OF_PARTITIONS, *OF_OBJECTS, *OF_COLUMNS]


def undrop(rng: Random, state: State) -> Statement | None:
    gone = [o for o, of in state.facts.items() if ("exists",) in of and not of["exists",].value]
    return put_attributes(rng.choice(gone), exists=True) if gone else None


def drop_database(rng: Random, state: State) -> Statement | None:
    return put_attributes("D2", exists=None) if state.is_alive("D2") and rng.random() < 0.3 else None


def database_property(rng: Random, state: State) -> Statement | None:
    live = [d for d in ("D1", "D2") if state.is_alive(d)]
    return put_attributes(rng.choice(live), property__x=rng.choice([None, "1", "2"])) if live else None


def statement_by_chance(rng: Random, state: State, step: str, columns: ColumnIds) -> Statement | None:
    """None: what chance chose makes no sense here."""
    of_tables = rng.choice(OF_TABLES)
    if rng.random() < 0.14:
        return rng.choice([undrop, undrop, drop_database, database_property])(rng, state)
    live = [t for t in state.facts if t.startswith("T") and state.is_alive(t)]
    return of_tables(Chance(rng, state, rng.choice(live), step, columns)) if live else None
