"""Random histories of partitions: two branches add, fill, overwrite, rename, drop and compact them and merge, against
rows that are followed by the name of their partition (semantics §3 P).

Each run plays the same few histories; ``LAKEUI_SOAK=1`` plays many fresh ones, ``LAKEUI_SEED=<number>`` others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, given, note, seed, settings
from hypothesis import strategies as st

from tests.e2e.lake import Lake
from tests.soak import IS_SOAK
from tests.stateful.test_histories import SEED

pytestmark = pytest.mark.usefixtures("by_replays")

VALUES = st.integers(1, 4)
STEPS = st.tuples(
    st.sampled_from(["insert", "insert", "add", "drop", "rename", "rename", "overwrite", "optimize"]),
    st.sampled_from(["main", "b"]),
    VALUES,
    VALUES,
)
Step = tuple[str, str, int, int]
ROUNDS = st.lists(
    st.tuples(st.lists(STEPS, min_size=1, max_size=6), st.sampled_from(["main", "b"])), min_size=1, max_size=4
)
Round = tuple[list[Step], str]


@dataclass(frozen=True, slots=True)
class Change:
    """A partition declared (``before`` None), dropped (``after`` None) or renamed; with ``is_overwrite`` emptied."""

    before: int | None
    after: int | None
    is_overwrite: bool = False


@dataclass(slots=True)
class Side:
    """A branch: the partition of each row by its id, partitions declared, and what was done since the branches parted.
    ``base`` are the ids that both had then.
    """

    rows: dict[int, int] = field(default_factory=dict)
    declared: set[int] = field(default_factory=set)
    changes: list[Change] = field(default_factory=list)
    base: frozenset[int] = frozenset()

    @property
    def partitions(self) -> set[int]:
        return self.declared | set(self.rows.values())

    def parted(self) -> Side:
        """The same, where nothing was done yet."""
        return Side(dict(self.rows), set(self.declared), [], frozenset(self.rows))

    def net(self) -> set[Change]:
        """Declarations, drops and renames from what each partition was called when the branches parted."""
        origins: dict[int, int | None] = {}
        found = set()
        for change in self.changes:
            if change.is_overwrite:
                continue
            if change.before is None:
                origins.setdefault(change.after or 0, None)
                continue
            origin = origins.pop(change.before, change.before)
            if change.after is not None:
                origins[change.after] = origin
            elif origin is not None:
                found.add(Change(origin, None))
        return found | {Change(origin, name) for name, origin in origins.items() if origin != name}

    def goal(self, value: int) -> int | None:
        """Where rows of a partition go when this is redone over them: along with its name, until another takes it. What
        became of a partition that this side itself had declared is nothing to them.
        """
        own: set[int | None] = set()
        for change in self.changes:
            if change.before is None:
                own.add(change.after)
            elif change.before in own and not change.is_overwrite:
                own.remove(change.before)
                own |= {change.after} - {None}
            elif change.before == value:
                if change.after is None:
                    return None
                value = change.after
            elif change.before is not None and change.after == value:
                return value
        return value


def refusals(source: Side, destination: Side) -> set[str]:
    mine, theirs = source.net(), destination.net()
    freed = {change.before for change in mine}
    filled = set(destination.rows.values()) | {change.after for change in theirs}
    found = set()
    for change in mine - theirs:
        if change.before is None or change.after is None:
            continue
        if change.before in {other.before for other in theirs}:
            found.add("PARTITION_DROPPED_ON_DEST")
        if change.after in filled and change.after not in freed:
            found.add("PARTITION_EXISTS")
    return found


def redone(source: Side, destination: Side) -> Side:
    """The destination after the merge."""
    # Of a partition that both renamed alike rows lie where the source found them under the name before.
    alike = {change.after: change.before for change in source.net() & destination.net() if change.before is not None}
    goals = {number: source.goal(alike.get(value, value)) for number, value in destination.rows.items()}
    rows = {number: goal for number, goal in goals.items() if goal is not None}
    rows |= {number: value for number, value in source.rows.items() if number not in source.base}
    net = source.net()
    gone = {change.before for change in net}
    come = {change.after for change in net if change.before is None or change.before in destination.declared}
    return Side(rows, (destination.declared - gone) | {value for value in come if value is not None})


class Twins:
    """A lake with one partitioned table, and what it should hold on both branches."""

    def __init__(self) -> None:
        self.lake = Lake()
        self.lake.sql("CREATE DATABASE d")
        self.lake.sql("CREATE TABLE d.p (id INT, k INT) PARTITIONED BY (k)")
        self.lake.sql("INSERT INTO d.p VALUES (1, 1), (2, 1), (3, 2)")
        self.sides = {"main": Side({1: 1, 2: 1, 3: 2})}
        self.next = 4
        self.names = {"main": "main"}

    def play(self, number: int, played: Round) -> None:
        steps, source = played
        self.names["b"] = f"b{number}"
        self.lake.sql(f"CREATE BRANCH {self.names['b']}")
        parted = self.sides["main"].parted()
        self.sides = {"main": parted, "b": parted.parted()}
        for step in steps:
            self.take(step)
        self.merge(source, "main" if source == "b" else "b")

    def take(self, step: Step) -> None:
        what, branch, value, other = step
        side = self.sides[branch]
        match what:
            case "insert":
                self._run(branch, f"INSERT INTO d.p VALUES ({self.next}, {value})")
                self._written(side, value)
            case "overwrite":
                self._run(branch, f"INSERT OVERWRITE d.p PARTITION (k = {value}) VALUES ({self.next})")
                side.changes.append(Change(value, None, is_overwrite=True))
                side.rows = {number: k for number, k in side.rows.items() if k != value}
                self._written(side, value)
            case "add" if value not in side.partitions:
                self._run(branch, f"ALTER TABLE d.p ADD PARTITION (k = {value})")
                side.changes.append(Change(None, value))
                side.declared.add(value)
            case "drop" if value in side.partitions:
                self._run(branch, f"ALTER TABLE d.p DROP PARTITION (k = {value})")
                side.changes.append(Change(value, None))
                side.rows = {number: k for number, k in side.rows.items() if k != value}
                side.declared.discard(value)
            case "rename" if value in side.partitions and other not in side.partitions:
                self._run(branch, f"ALTER TABLE d.p PARTITION (k = {value}) RENAME TO PARTITION (k = {other})")
                side.changes.append(Change(value, other))
                side.rows = {number: other if k == value else k for number, k in side.rows.items()}
                side.declared = {other if k == value else k for k in side.declared}
            case "optimize":
                self._run(branch, "OPTIMIZE d.p")
        self.compare(branch)

    def _written(self, side: Side, value: int) -> None:
        side.rows[self.next] = value
        self.next += 1

    def _run(self, branch: str, text: str) -> None:
        note(f"{self.names[branch]}: {text}")
        self.lake.sql(text, self.names[branch])

    def merge(self, source: str, destination: str) -> None:
        mine, theirs = self.sides[source], self.sides[destination]
        expected = refusals(mine, theirs)
        names = self.names[source], self.names[destination]
        note(f"MERGE BRANCH {names[0]} TO {names[1]}: {expected or 'ok'}")
        if expected:
            assert self.lake.codes(*names) == expected
        else:
            assert self.lake.dry_run(*names)["mergeable"]
            self.lake.merge(*names)
            self.sides[destination] = redone(mine, theirs)
        self.compare(destination)
        self.compare(source)

    def compare(self, branch: str) -> None:
        side, name = self.sides[branch], self.names[branch]
        assert sorted(self.lake.rows("d.p", name)) == sorted(side.rows.items())
        shown = self.lake.sql("SHOW PARTITIONS d.p", name).rows
        assert {row[0] for row in shown} == {f"k={value}" for value in side.partitions}


@settings(
    max_examples=1000 if IS_SOAK else 40,
    deadline=None,
    derandomize=not IS_SOAK,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(rounds=ROUNDS)
def _play(rounds: Sequence[Round]) -> None:
    twins = Twins()
    for number, played in enumerate(rounds):
        twins.play(number, played)
    assert twins.lake.breaches() == []


def test_partitions_hold_the_rows_that_their_names_lead_to(database: None, memory_engine: object) -> None:
    play = _play if SEED is None else seed(int(SEED))(_play)
    play()
