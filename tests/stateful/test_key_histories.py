"""Random histories of a table with a primary key: two branches that merge in both directions, against dictionaries."""

from __future__ import annotations

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog_app.domain.schema import Column
from lakeui.common.errors import MergeConflict
from tests.e2e.lake import Lake
from tests.stateful.row_model import Row, row_merged

COLUMNS = [Column(1, "id", "int"), Column(2, "v", "int"), Column(3, "n", "int")]
Rows = dict[int, tuple[int, int, int]]

BRANCHES = st.sampled_from(["main", "b"])
KEYS = st.integers(1, 5)
CELLS = st.integers(0, 2)
WRITES = st.one_of(
    st.tuples(st.just("insert"), BRANCHES, KEYS, CELLS),
    st.tuples(st.just("delete"), BRANCHES, KEYS, CELLS),
    st.tuples(st.sampled_from(["v", "n"]), BRANCHES, KEYS, CELLS),
)
STEPS = st.one_of(
    WRITES,
    WRITES,
    WRITES,
    st.tuples(st.just("optimize"), BRANCHES, st.just(0), st.just(0)),
    st.tuples(st.just("merge"), BRANCHES, st.just(0), st.just(0)),
)
Step = tuple[str, str, int, int]


class Twins:
    """A lake and what its rows should be. ``base`` is what the source of the last merge held."""

    def __init__(self, lake: Lake) -> None:
        self.lake = lake
        lake.sql("CREATE TABLE d.k (id INT PRIMARY KEY, v INT, n INT)")
        lake.sql("INSERT INTO d.k VALUES (1, 0, 0), (2, 0, 0), (3, 0, 0)")
        lake.sql("CREATE BRANCH w")
        first = {key: (key, 0, 0) for key in (1, 2, 3)}
        self.rows: dict[str, Rows] = {"main": dict(first), "b": dict(first)}
        self.base: Rows = dict(first)

    def branch(self, name: str) -> str:
        return "w" if name == "b" else name

    def take(self, step: Step) -> None:
        what, branch, key, cell = step
        own = self.rows[branch]
        if what == "merge":
            self._merge(branch)
        elif what == "optimize":
            self.lake.sql("OPTIMIZE d.k", self.branch(branch))
        elif what == "insert" and key not in own:
            own[key] = (key, cell, cell)
            self.lake.sql(f"INSERT INTO d.k VALUES ({key}, {cell}, {cell})", self.branch(branch))
        elif what == "delete":
            own.pop(key, None)
            self.lake.sql(f"DELETE FROM d.k WHERE id = {key}", self.branch(branch))
        elif what in ("v", "n"):
            if key in own:
                old = own[key]
                own[key] = (key, cell, old[2]) if what == "v" else (key, old[1], cell)
            self.lake.sql(f"UPDATE d.k SET {what} = {cell} WHERE id = {key}", self.branch(branch))
        assert {row[0]: row for row in self.lake.rows("d.k", self.branch(branch))} == self.rows[branch]

    def _merge(self, source: str) -> None:
        destination = "b" if source == "main" else "main"
        merged, clashes = three_way(self.base, self.rows[source], self.rows[destination])
        try:
            self.lake.merge(self.branch(source), self.branch(destination))
        except MergeConflict as refusal:
            conflicts = refusal.details["conflicts"]
            assert {item["code"] for item in conflicts} == {"PRIMARY_KEY_CLASH"}
            assert sorted(key for item in conflicts for key in item["details"]["keys"]) == sorted(clashes)
        else:
            assert not clashes
            self.rows[destination], self.base = merged, dict(self.rows[source])
        found = {row[0]: row for row in self.lake.rows("d.k", self.branch(destination))}
        assert found == self.rows[destination]


def three_way(base: Rows, source: Rows, destination: Rows) -> tuple[Rows, list[str]]:
    """The merged rows, and the keys that conflict."""
    found, clashes = {}, []
    for key in sorted({**base, **source, **destination}):
        text = json.dumps({"id": key}, separators=(",", ":"))
        merged = row_merged(COLUMNS, text, (_row(base, key), _row(source, key), _row(destination, key)))
        if merged.conflicting:
            clashes.append(text)
        elif merged.row is not None:
            found[key] = (key, merged.row[2], merged.row[3])
    return found, clashes


def _row(rows: Rows, key: int) -> Row:
    return dict(zip((1, 2, 3), rows[key], strict=True)) if key in rows else None


@settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=st.lists(STEPS, min_size=4, max_size=14))
def test_branches_of_a_keyed_table_hold_what_the_dictionaries_hold(
    database: None, memory_engine: object, steps: list[Step]
) -> None:
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    twins = Twins(lake)
    for step in steps:
        twins.take(step)
    assert lake.breaches() == []
