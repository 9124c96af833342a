"""Random histories of two tables with primary keys: two branches that merge in both directions, against dictionaries.

Each run plays the same few histories; ``LAKEUI_SOAK=1`` plays many fresh ones, ``LAKEUI_SEED=<number>`` others.
"""

from __future__ import annotations

import json

from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from catalog_app.domain.schema import Column
from lakeui.common.errors import MergeConflict
from tests.support.lake import Lake
from tests.support.row_model import Row, row_merged
from tests.support.soak import IS_SOAK, SEED

COLUMNS = [Column(1, "id", "int"), Column(2, "v", "int"), Column(3, "n", "int")]
Rows = dict[int, tuple[int, int, int]]

NAMES = ("d.k", "d.m")
TABLES = st.sampled_from(NAMES)
BRANCHES = st.sampled_from(["main", "b"])
KEYS = st.integers(1, 5)
CELLS = st.integers(0, 2)
WRITES = st.tuples(st.sampled_from(["insert", "delete", "v", "n"]), BRANCHES, TABLES, KEYS, CELLS)
STEPS = st.one_of(
    WRITES,
    WRITES,
    WRITES,
    st.tuples(st.just("optimize"), BRANCHES, TABLES, st.just(0), st.just(0)),
    st.tuples(st.just("merge"), BRANCHES, TABLES, st.just(0), st.just(0)),
)
Step = tuple[str, str, str, int, int]


class Twins:
    """A lake and what its rows should be, by table. ``base`` is what the source of the last merge held."""

    def __init__(self, lake: Lake) -> None:
        self.lake = lake
        first = {key: (key, 0, 0) for key in (1, 2, 3)}
        for table in NAMES:
            lake.sql(f"CREATE TABLE {table} (id INT PRIMARY KEY, v INT, n INT)")
            lake.sql(f"INSERT INTO {table} VALUES (1, 0, 0), (2, 0, 0), (3, 0, 0)")
        lake.sql("CREATE BRANCH w")
        self.rows: dict[str, dict[str, Rows]] = {
            branch: {table: dict(first) for table in NAMES} for branch in ("main", "b")
        }
        self.base: dict[str, Rows] = {table: dict(first) for table in NAMES}

    def branch(self, name: str) -> str:
        return "w" if name == "b" else name

    def take(self, step: Step) -> None:
        what, branch, table, key, cell = step
        own = self.rows[branch][table]
        if what == "merge":
            self._merge(branch)
        elif what == "optimize":
            self.lake.sql(f"OPTIMIZE {table}", self.branch(branch))
        elif what == "insert" and key not in own:
            own[key] = (key, cell, cell)
            self.lake.sql(f"INSERT INTO {table} VALUES ({key}, {cell}, {cell})", self.branch(branch))
        elif what == "delete":
            own.pop(key, None)
            self.lake.sql(f"DELETE FROM {table} WHERE id = {key}", self.branch(branch))
        elif what in ("v", "n"):
            if key in own:
                old = own[key]
                own[key] = (key, cell, old[2]) if what == "v" else (key, old[1], cell)
            self.lake.sql(f"UPDATE {table} SET {what} = {cell} WHERE id = {key}", self.branch(branch))
        self._compare(branch, table)

    def _compare(self, branch: str, table: str) -> None:
        assert sorted(self.lake.rows(table, self.branch(branch))) == sorted(self.rows[branch][table].values())

    def _merge(self, source: str) -> None:
        """Both tables or none: what clashes in one refuses the other too."""
        destination = "b" if source == "main" else "main"
        of_source, of_target = self.rows[source], self.rows[destination]
        judged = {table: three_way(self.base[table], of_source[table], of_target[table]) for table in NAMES}
        clashes = {table: keys for table, (_, keys) in judged.items() if keys}
        try:
            self.lake.merge(self.branch(source), self.branch(destination))
        except MergeConflict as refusal:
            conflicts = refusal.details["conflicts"]
            assert {item["code"] for item in conflicts} == {"PRIMARY_KEY_CLASH"}
            found = {
                table: [k for c in conflicts if c["object"] == table for k in c["details"]["keys"]] for table in NAMES
            }
            assert {table: sorted(keys) for table, keys in found.items() if keys} == clashes
        else:
            assert not clashes
            self.rows[destination] = {table: merged for table, (merged, _) in judged.items()}
            self.base = {table: dict(rows) for table, rows in of_source.items()}
        for table in NAMES:
            self._compare(destination, table)


def three_way(base: Rows, source: Rows, destination: Rows) -> tuple[Rows, list[str]]:
    """The merged rows, and the keys that conflict, sorted."""
    found, clashes = {}, []
    for key in sorted({**base, **source, **destination}):
        text = json.dumps({"id": key}, separators=(",", ":"))
        merged = row_merged(COLUMNS, text, (_row(base, key), _row(source, key), _row(destination, key)))
        if merged.conflicting:
            clashes.append(text)
        elif merged.row is not None:
            found[key] = (key, merged.row[2], merged.row[3])
    return found, sorted(clashes)


def _row(rows: Rows, key: int) -> Row:
    return dict(zip((1, 2, 3), rows[key], strict=True)) if key in rows else None


@settings(
    max_examples=1000 if IS_SOAK else 40,
    deadline=None,
    derandomize=not IS_SOAK,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=st.lists(STEPS, min_size=4, max_size=18))
def _play(steps: list[Step]) -> None:
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    twins = Twins(lake)
    for step in steps:
        twins.take(step)
    assert lake.breaches() == []


def test_branches_of_keyed_tables_hold_what_dictionaries_hold(database: None, memory_engine: object) -> None:
    play = _play if SEED is None else seed(int(SEED))(_play)
    play()
