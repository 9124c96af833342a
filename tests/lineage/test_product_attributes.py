"""Random histories of attributes on lakeui and on the reference model: same verdicts, same objects and columns."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from catalog_app.selectors.objects import databases_list, tables_list
from catalog_app.selectors.snapshots import branch_get, branch_snapshot, catalog_get
from lakeui.common.errors import MergeConflict
from tests.lineage.journal import journal_noted
from tests.reference.facts import Refused
from tests.reference.lake import Lake as Model
from tests.reference.state import State
from tests.reference.statements import Statement, put_attributes
from tests.support.lake import Lake
from tests.support.soak import IS_SOAK

STEPS = 24
SEEDS = range(300) if IS_SOAK else (0, 1, 3, 4, 5, 6, 7, 8)
"""Of the first 12, those that together pass each pair of following lines of the product that any of them passes."""
TYPES = {1: "int", 2: "bigint"}
Step = tuple[str, Statement]


class Both:
    """A lake and its model: databases D1 and D2, a table T1. Rows come by INSERT alone."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.lake, self.model = Lake(), Model("file")
        self.versions: dict[str, list[int]] = {"main": [0]}
        self.journal: list[str] = []
        self.number = 0
        columns = {"column__id__exists": (None,), "column__id__name": "id", "column__id__type": 1}
        for database in ("D1", "D2"):
            made = put_attributes(database, exists=True, name=database.lower())
            self.both("main", [(f"CREATE DATABASE {database.lower()}", made)])
        made = put_attributes("T1", exists=True, name="t", home="D1", **columns)
        self.both("main", [("CREATE TABLE d1.t (id INT)", made)])
        for name in ("b1", "b2", "mirror"):
            self.lake.sql(f"CREATE BRANCH {name}")
            self.model.branch(name, self.model.branches["main"])
            self.versions[name] = [self.lake.head()]

    def both(self, b: str, steps: list[Step]) -> None:
        """One statement, or several as a transaction."""
        self.journal.append(f"{b}: {'; '.join(text for text, _ in steps)}")
        before = self.lake.head(b)
        if len(steps) == 1:
            self.lake.sql(steps[0][0], b)
        else:
            identity = str(self.lake.sql("BEGIN", b).extra["transaction"])
            for text, _ in steps:
                self.lake.sql(text, b, transaction=identity)
            self.lake.sql("COMMIT", b, transaction=identity)
        assert self.lake.head(b) > before, "a statement that the model knows made no version"
        self.model.commit(b, *(statement for _, statement in steps))
        self.versions.setdefault(b, []).append(self.lake.head(b))

    def step(self) -> None:
        self.number += 1
        b = self.rng.choice(("main", "b1", "b2"))
        kind = self.rng.random()
        if kind < 0.3:
            self.merge(self.rng.choice([name for name in ("main", "b1", "b2") if name != b]), b)
        elif kind < 0.38:
            self.restore(b)
        elif found := self.statement(self.model.branches[b], f"s{self.number}"):
            steps = [found]
            if self.rng.random() < 0.2:
                after = self.model.branches[b].copy()
                found[1](after, self.model.branches[b].fact("D1", "exists").stamp)
                other = self.statement(after, f"z{self.number}")
                steps += [other] if other else []
            self.both(b, steps)
        self.merge("main", "mirror")
        for name in (b, "mirror"):
            assert self.shown(name) == self.modelled(name), f"objects of {name}"

    def statement(self, state: State, value: str) -> Step | None:
        choices = [*self.of_databases(state, value), *self.undrops(state)]
        if state.is_alive("T1"):
            choices += self.of_table(state, value)
        return self.rng.choice(choices) if choices else None

    def of_table(self, state: State, value: str) -> list[Step]:
        rng = self.rng
        name = f"{state.value('D1' if state.value('T1', 'home') == 'D1' else 'D2', 'name')}.{state.value('T1', 'name')}"
        table = f"ALTER TABLE {name}"
        key = rng.choice("xy")
        found: list[Step] = [
            (f"{table} SET TBLPROPERTIES ('{key}' = '{value}')", put_attributes("T1", **{f"property__{key}": value}))
        ] * 2
        if state.value("T1", "property", key) is not None:
            gone = put_attributes("T1", **{f"property__{key}": None})
            found += [(f"{table} UNSET TBLPROPERTIES ('{key}')", gone)] * 2
        home = next(d for d in ("D1", "D2") if d != state.value("T1", "home"))
        database = state.value(state.value("T1", "home"), "name")
        new = rng.choice([f"t{value}", "common"])
        if new != state.value("T1", "name"):
            found.append((f"{table} RENAME TO {database}.{new}", put_attributes("T1", name=new)))
        if state.is_alive(home):
            other = f"{state.value(home, 'name')}.{state.value('T1', 'name')}"
            found.append((f"{table} RENAME TO {other}", put_attributes("T1", home=home)))
        if rng.random() < 0.3:
            found.append((f"DROP TABLE {name}", put_attributes("T1", exists=None)))
        return [*found, *self.of_columns(state, table, value)]

    def of_columns(self, state: State, table: str, value: str) -> Iterator[Step]:
        def put(column: str, **of: Any) -> Statement:
            return put_attributes("T1", **{f"column__{column}__{name}": item for name, item in of.items()})

        for kind in self.rng.sample(list(TYPES), 2):
            yield f"{table} ADD COLUMN {value} {TYPES[kind]}", put(value, exists=(None,), name=value, type=kind)
        columns = state.columns("T1")
        for column in self.rng.sample([c for c in columns if c != "id"], min(3, len(columns) - 1)):
            name = columns[column].name
            yield f"{table} RENAME COLUMN {name} TO {column}_{value}", put(column, name=f"{column}_{value}")
            yield f"{table} ALTER COLUMN {name} COMMENT '{value}'", put(column, comment=value)
            yield f"{table} DROP COLUMN {name}", put(column, exists=None)
            if columns[column].type == 1:
                yield f"{table} ALTER COLUMN {name} TYPE BIGINT", put(column, type=2)

    def of_databases(self, state: State, value: str) -> Iterator[Step]:
        for d in ("D1", "D2"):
            if not state.is_alive(d):
                continue
            name = state.value(d, "name")
            put = put_attributes(d, property__x=value)
            yield f"ALTER DATABASE {name} SET DBPROPERTIES ('x' = '{value}')", put
            if state.value(d, "property", "x") is not None:
                yield f"ALTER DATABASE {name} UNSET DBPROPERTIES ('x')", put_attributes(d, property__x=None)
            yield f"ALTER DATABASE {name} RENAME TO {d.lower()}_{value}", put_attributes(d, name=f"{d.lower()}_{value}")
            if self.rng.random() < 0.1:
                yield f"DROP DATABASE {name} CASCADE", put_attributes(d, exists=None)

    def undrops(self, state: State) -> Iterator[Step]:
        for d in ("D1", "D2"):
            if not state.value(d, "exists"):
                yield f"UNDROP DATABASE {state.value(d, 'name')}", put_attributes(d, exists=True)
        home = state.value("T1", "home")
        if not state.value("T1", "exists") and state.is_alive(home):
            name = f"{state.value(home, 'name')}.{state.value('T1', 'name')}"
            yield f"UNDROP TABLE {name}", put_attributes("T1", exists=True)

    def restore(self, b: str) -> None:
        """Of the table, where the database that it lay in is there."""
        state, past = self.model.branches[b], self.model.past[b]
        at = self.rng.randrange(len(past))
        home = past[at].value("T1", "home")
        if not (state.is_alive("T1") and past[at].is_alive("T1") and state.is_alive(home)):
            return
        name = f"{state.value(state.value('T1', 'home'), 'name')}.{state.value('T1', 'name')}"
        sql = f"RESTORE TABLE {name} TO VERSION AS OF {self.versions[b][at]}"
        self.journal.append(f"{b}: {sql}")
        before = self.lake.head(b)
        self.lake.sql(sql, b)
        if self.lake.head(b) != before:
            self.model.restore(b, at, ["T1"])
            self.versions[b].append(self.lake.head(b))

    def merge(self, source: str, target: str) -> None:
        if target != "mirror":
            self.journal.append(f"{target}: MERGE BRANCH {source}")
        try:
            self.model.merge(source, target)
            expected: object = "merged"
        except Refused as refused:
            expected = set(refused.codes)
        try:
            self.lake.merge(source, target)
            got: object = "merged"
        except MergeConflict as refused:
            got = {item["code"] for item in refused.details["conflicts"]}
        assert got == expected, f"{source} into {target}"
        if expected == "merged" and len(self.model.past[target]) > len(self.versions[target]):
            self.versions[target].append(self.lake.head(target))

    def shown(self, b: str) -> Any:
        snapshot = branch_snapshot(branch_get(catalog_get(self.lake.catalog), b))
        databases = {d.database_id: d for d in databases_list(snapshot) if not d.is_dropped}
        tables = [t for t in tables_list(snapshot, list(databases)) if not t.is_dropped]
        return (
            {d.name.lower(): dict(d.properties) for d in databases.values()},
            [
                (
                    databases[t.database_id].name.lower(),
                    t.name,
                    dict(t.properties),
                    {c.name: (c.type, c.comment) for c in t.schema.columns},
                )
                for t in tables
            ],
        )

    def modelled(self, b: str) -> Any:
        state = self.model.branches[b]

        def properties(o: str) -> dict[str, Any]:
            found = {key[1]: fact.value for key, fact in state.facts[o].items() if key[0] == "property"}
            return {key: value for key, value in found.items() if value is not None}

        databases = {state.value(d, "name"): properties(d) for d in ("D1", "D2") if state.is_alive(d)}
        if not state.is_alive("T1"):
            return databases, []
        columns = {
            column.name: (TYPES[column.type], state.value("T1", "column", c, "comment"))
            for c, column in state.columns("T1").items()
        }
        home = state.value(state.value("T1", "home"), "name")
        return databases, [(home, state.value("T1", "name"), properties("T1"), columns)]


@pytest.mark.parametrize("seed", SEEDS)
def test_attributes_are_merged_as_by_the_model(services: None, seed: int) -> None:
    both = Both(seed)
    with journal_noted(both.journal):
        for _ in range(STEPS):
            both.step()
        assert both.lake.breaches() == []
