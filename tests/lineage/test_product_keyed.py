"""Random histories of a table with a primary key on lakeui and on the reference model: same verdicts, same rows.

``make soak`` plays fresh ones beside those of every run, ``LAKEUI_SEED=<number>`` others; an error names the number.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.lineage.journal import journal_noted
from tests.lineage.test_product import Both
from tests.reference.lake import Lake as Model
from tests.reference.state import State
from tests.reference.statements import NewRow, change_key, delete, insert, overwrite, put_attributes, update
from tests.support.soak import IS_SOAK, SEED

STEPS = 20
SEEDS = range(500) if IS_SOAK else (0, 2, 3, 5, 7, 12, 13, 17, 18, 19)
"""Of the first 20, those that together pass each pair of following lines of the product that any of them passes."""
KEYS = 6
DRAWN = SEED or (str(random.SystemRandom().randrange(10**6)) if IS_SOAK else "0")


class Keyed(Both):
    """Few keys, and few values: what meets is often alike, and often again as it was."""

    def begin(self) -> None:
        self.lake, self.model = self.lake_kind(), Model("file")
        self.lake.sql("CREATE DATABASE d")
        self.lake.sql("CREATE TABLE d.t (id INT PRIMARY KEY, v STRING, w STRING, p STRING) PARTITIONED BY (p)")
        self.model.commit("main", put_attributes("D1", exists=True, name="D1"))
        columns = {
            f"column__{c}__{of}": value
            for c, name in (("0", "id"), ("1", "v"), ("2", "w"))
            for of, value in {"exists": (None,), "name": name, "type": 1}.items()
        }
        self.model.commit("main", put_attributes("T1", exists=True, name="T1", home="D1", keyed=True, **columns))
        self.versions["main"] = [0, 1, self.lake.head()]
        self.put("main", [1, 2, 3], "a")

    def put(self, b: str, ids: list[int], part: str) -> None:
        value, other = self.rng.choice("xyz"), self.rng.choice("xyz")
        rows = ", ".join(f"({i}, '{value}', '{other}', '{part}')" for i in ids)
        self.both(b, f"INSERT INTO d.t VALUES {rows}", insert("T1", new_rows(ids, value, other, part)))

    def insert(self, b: str, count: int, part: str = "a") -> None:
        live = self.model.branches[b].rows("T1")
        free = [key for key in range(1, KEYS + 1) if key not in live]
        if free:
            self.put(b, self.rng.sample(free, min(len(free), count)), part)

    def step(self, number: int) -> None:
        rng, b = self.rng, self.rng.choice(("main", "b1", "b2"))
        kind = rng.choice(
            ["insert"] * 4
            + ["update"] * 6
            + ["delete"] * 3
            + ["key"] * 2
            + ["truncate", "overwrite", "optimize", "restore", "restore"]
            + ["partition"] * 3
            + ["merge"] * 7
        )
        third = rng.randrange(3)
        ids = [i for i in range(1, KEYS + 1) if i % 3 == third]
        where = f"id IN ({', '.join(map(str, ids))})"
        if kind == "insert":
            self.insert(b, rng.choice([1, 1, 2]), rng.choice("aab"))
        elif kind in ("partition", "restore", "key"):
            getattr(self, kind)(b)
        elif kind == "update":
            column, value = rng.choice("vw"), rng.choice("xyz")
            self.update(b, column, value, where, ids)
        elif kind == "delete":
            self.both(b, f"DELETE FROM d.t WHERE {where}", delete("T1", lambda r: r in ids))
        elif kind == "truncate":
            self.both(b, "TRUNCATE TABLE d.t", overwrite("T1", None))
        elif kind == "overwrite":
            i = rng.randrange(1, KEYS + 1)
            gone = overwrite("T1", None, new_rows([i], "o", "o", "a"))
            self.both(b, f"INSERT OVERWRITE d.t VALUES ({i}, 'o', 'o', 'a')", gone)
        elif kind == "optimize":
            self.say(b, "OPTIMIZE")
            self.lake.sql("OPTIMIZE d.t", b)
        else:
            self.merge(rng.choice([n for n in ("main", "b1", "b2") if n != b]), b)
        self.merge("main", "mirror")
        self.compare(b, "mirror")

    def update(self, b: str, column: str, value: str, where: str, ids: list[int]) -> None:
        """Rows that have the value already are not written."""
        place = {"v": "1", "w": "2"}[column]
        state = self.model.branches[b]
        hit = {r for r, f in state.rows("T1").items() if r in ids and dict(f.value)[place] != (value, 1)}
        sql = f"UPDATE d.t SET {column} = '{value}' WHERE {where}"
        self.both(b, sql, update("T1", lambda r: r in hit, {column: (value, 1)}))

    def key(self, b: str) -> None:
        old, new = self.rng.sample(range(1, KEYS + 1), 2)
        live = self.model.branches[b].rows("T1")
        if old in live and new not in live:
            change = change_key("T1", old, new)

            def changed(state: State, stamp: Any) -> None:
                change(state, stamp)
                cells = (("0", (str(new), 1)), *state.value("T1", "row", new)[1:])
                state.facts["T1"]["row", new] = state.fact("T1", "row", new).then(cells, stamp, "insert")

            self.both(b, f"UPDATE d.t SET id = {new} WHERE id = {old}", changed)

    def overwrite_partition(self, b: str, part: str) -> None:
        state = self.model.branches[b]
        elsewhere = state.rows("T1").keys() - set(state.in_scope("T1", part))
        free = [key for key in range(1, KEYS + 1) if key not in elsewhere]
        if free:
            i = self.rng.choice(free)
            gone = overwrite("T1", part, new_rows([i], "o", "o", part))
            self.both(b, f"INSERT OVERWRITE d.t PARTITION (p = '{part}') VALUES ({i}, 'o', 'o')", gone)

    def model_rows(self, b: str) -> list[tuple[Any, ...]]:
        state = self.model.branches[b]
        found = []
        for r, f in state.rows("T1").items():
            cells = dict(f.value)
            found.append((int(cells["0"][0]), cells["1"][0], cells["2"][0], state.partition("T1", r)))
        return sorted(found)

    def rows(self, b: str) -> list[tuple[Any, ...]]:
        return sorted(tuple(row) for row in self.lake.sql("SELECT id, v, w, p FROM d.t", b).rows)


def new_rows(ids: list[int], v: str, w: str, part: str) -> list[NewRow]:
    return [NewRow(i, {"id": (str(i), 1), "v": (v, 1), "w": (w, 1)}, part) for i in ids]


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_merge_by_key_as_in_the_model(services: None, seed: int) -> None:
    play(Keyed(seed))


@pytest.mark.parametrize("number", range(300 if IS_SOAK else 1))
def test_fresh_rows_merge_by_key_as_modelled(services: None, number: int) -> None:
    both = Keyed(f"{DRAWN} {number}")
    both.journal.insert(0, f"LAKEUI_SEED={DRAWN}, history {number}")
    play(both)


def play(both: Keyed) -> None:
    with journal_noted(both.journal):
        for number in range(STEPS):
            both.step(number)
        both.compare("main", "b1", "b2")
        assert both.lake.breaches() == []
