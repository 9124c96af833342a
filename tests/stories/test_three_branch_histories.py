"""Random histories of a table with partitions and a primary key: three branches change rows, overwrite,
drop, rename and compact partitions, go back to earlier versions, and merge in every direction, against laws that hold
whichever way rows are merged.

Each run plays the same few histories; ``LAKEUI_SOAK=1`` plays many fresh ones, ``LAKEUI_SEED=<number>`` others.
"""

from __future__ import annotations

import itertools
import logging
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import pytest

from lakeui.common.errors import MergeConflict
from tests.support.lake import Lake
from tests.support.soak import IS_SOAK, SEED

logger = logging.getLogger(__name__)

DRAWN = str(random.SystemRandom().randrange(10**6)) if IS_SOAK and SEED is None else SEED
NAMES = ("main", "b", "w")
WRITES = ("insert", "insert", "delete", "set", "set", "set", "move", "optimize")
SWEEPS = ("overwrite", "empty")
RENAMES = ("rename", "rename")
MANY = ("set many", "set many", "delete many", "move many")
RESTORES = ("restore", "restore")
CELLS = {"main": "v", "b": "n", "w": "n"}
"""Each branch changes one cell, so that most merges are not refused."""
Step = tuple[str, str, int, int]
"""What, on which branch, which key, which cell; of a merge the target's place behind it, and whether back too;
of a restore how many of the branch's versions it goes back, by fours."""
Change = tuple[int, str]
"""Of one row: a number of its own, and what was done."""
Row = tuple[int, int, int, int]
"""Key, two cells, and the partition."""


def statement(step: Step, rows: dict[int, Row], new_key: int, new_name: int) -> str | None:
    """SQL of a step on a branch that holds these rows; None where it would be refused. ``new_key`` is that of a row
    which it adds, ``new_name`` what it calls a partition.
    """
    what, _branch, key, cell = step
    match what:
        case "insert":
            return None if new_key in rows else f"INSERT INTO d.k VALUES ({new_key}, 0, 0, {key % 2})"
        case "overwrite":
            is_there = new_key in rows and rows[new_key][3] != key % 2
            return (
                None
                if is_there
                else f"INSERT OVERWRITE d.k PARTITION (p = {key % 2}) VALUES ({new_key}, {cell}, {cell})"
            )
        case "empty":
            return f"ALTER TABLE d.k DROP PARTITION (p = {partition_of(cell, rows)})" if rows else None
        case "rename":
            old = partition_of(key, rows)
            return f"ALTER TABLE d.k PARTITION (p = {old}) RENAME TO PARTITION (p = {new_name})" if rows else None
        case "optimize":
            return "OPTIMIZE d.k"
        case _:
            return change_of_rows(step)


def change_of_rows(step: Step) -> str:
    """A delete, an update of one cell, or one that moves rows to another partition; of one row or of many."""
    what, branch, key, cell = step
    kind, _, many = what.partition(" ")
    if kind == "delete":
        return f"DELETE FROM d.k WHERE id {'>' if many else '='} {key}"
    column = "p" if kind == "move" else CELLS[branch]
    where = f"id < {key + 3}" if many else f"id = {key}"
    return f"UPDATE d.k SET {column} = {cell} WHERE {where}"


def changed_keys(step: Step, rows: dict[int, Row], new_key: int) -> list[int]:
    """The keys of rows that a step changes on a branch that holds these; a row that has the value already is not."""
    what, _, many = step[0].partition(" ")
    if what == "insert":
        return [new_key]
    if what == "delete":
        return [key for key in rows if (key > step[2] if many else key == step[2])]
    if what not in ("set", "move"):
        return []
    place = ("id", "v", "n", "p").index("p" if what == "move" else CELLS[step[1]])
    named = (key for key in rows if (key < step[2] + 3 if many else key == step[2]))
    return [key for key in named if rows[key][place] != step[3]]


def partition_of(place: int, rows: dict[int, Row]) -> int:
    """A partition that holds rows, by its place among them; the place itself where no row is left."""
    names = sorted({row[3] for row in rows.values()})
    return names[place % len(names)] if names else place


def history(number: int) -> Iterator[Step]:
    """The steps of one history. Numbers that are drawn evenly lead further than those that are to be made small."""
    draw = random.Random(f"{DRAWN}, {number}")
    writes = (*WRITES, *SWEEPS) if draw.random() < 0.5 else WRITES
    writes = (*writes, *RENAMES) if draw.random() < 0.5 else writes
    writes = (*writes, *MANY) if number % 2 else writes
    writes = (*writes, *RESTORES) if number % 3 == 2 else writes
    for _ in range(draw.randint(6, 24)):
        branch = draw.choice(NAMES)
        if draw.random() < 0.35:
            yield "merge", branch, draw.randint(1, 2), draw.randint(0, 1)
        else:
            yield draw.choice(writes), branch, draw.randint(1, 6), draw.randint(0, 1)


class Branches:
    """A lake whose branches are looked at after every step."""

    def __init__(self, lake: Lake) -> None:
        self.lake = lake
        self.changes = itertools.count()
        self.names: dict[int, int] = {}
        self.is_swept = False
        self.known: dict[str, defaultdict[int, frozenset[Change]]] = {name: defaultdict(frozenset) for name in NAMES}
        self.versions: dict[str, list[int]] = {name: [] for name in NAMES}
        self.make_table()
        lake.merge("main", "b")
        lake.sql("CREATE BRANCH w")
        self._note_versions()

    def make_table(self) -> None:
        self.lake.sql("CREATE TABLE d.k (id INT PRIMARY KEY, v INT, n INT, p INT) PARTITIONED BY (p)")
        self.lake.sql("INSERT INTO d.k VALUES (1, 0, 0, 1), (2, 0, 0, 0), (3, 0, 0, 1)")

    def _note_versions(self) -> None:
        for name, known in self.versions.items():
            head = self.lake.head(name)
            if head not in known:
                known.append(head)

    def rows(self, branch: str) -> dict[int, Row]:
        found = self.lake.rows("d.k", branch)
        rows = {row[0]: (row[0], row[1], row[2], row[3]) for row in found}
        assert len(rows) == len(found), f"{branch} holds a key twice: {found}"
        return rows

    def take(self, step: Step) -> None:
        self._carry_out(step)
        self._note_versions()

    def _carry_out(self, step: Step) -> None:
        what, branch, place, is_returned = step
        if what == "restore":
            known = self.versions[branch]
            version = known[-min(1 + place % 4, len(known))]
            logger.warning("%s: RESTORE to version %s", branch, version)
            self.lake.sql(f"RESTORE TABLE d.k TO VERSION AS OF {version}", branch)
            # As an overwrite of the whole table.
            self.is_swept = True
            return
        if what == "merge":
            other = NAMES[(NAMES.index(branch) + place) % len(NAMES)]
            if self.merge(branch, other) and is_returned:
                self.take_over(other, branch)
            return
        rows = self.rows(branch)
        key = step[2]
        # A name that no branch has used, so that a rename lands on no partition of another branch.
        name = 2 + len(self.names)
        text = statement(step, rows, key, name)
        if text is not None:
            if what == "rename":
                self.names[name] = partition_of(step[2], rows)
            logger.warning("%s: %s", branch, text)
            self.lake.sql(text, branch)
            self.is_swept = self.is_swept or step[0] in SWEEPS
            for changed in changed_keys(step, rows, key):
                self.known[branch][changed] |= {(next(self.changes), what.partition(" ")[0])}

    def merge(self, source: str, destination: str) -> bool:
        """Whether it was not refused."""
        of_source, of_target = self.rows(source), self.rows(destination)
        logger.warning("MERGE BRANCH %s TO %s", source, destination)
        try:
            self.lake.merge(source, destination)
        except MergeConflict:
            assert self.rows(destination) == of_target
            return False
        merged = self.rows(destination)
        sides = (sorted(rows.values()) for rows in (of_source, of_target, merged))
        logger.warning("%s and %s -> %s", *sides)
        self._holds_only_what_was_there(merged, of_source, of_target)
        self._knows_what_both_knew(source, destination, merged, of_source, of_target)
        assert self.rows(source) == of_source
        self.lake.merge(source, destination)
        assert self.rows(destination) == merged, "a second merge changed rows"
        return True

    def _holds_only_what_was_there(
        self, merged: dict[int, Row], of_source: dict[int, Row], of_target: dict[int, Row]
    ) -> None:
        for key, row in merged.items():
            sides = [side[key] for side in (of_source, of_target) if key in side]
            assert sides, f"key {key} was on neither branch"
            assert all(cell in {side[place] for side in sides} for place, cell in enumerate(row[:3]))
            assert {side[3] for side in sides} & set(self._names_of(row[3])), f"key {key} lies in neither partition"
        for key, row in of_source.items():
            # A rename moves rows that its side did not see, also where it wrote the same later (R12).
            is_left = of_target.get(key) != row or self._is_same(merged.get(key), row)
            assert is_left, f"key {key} was alike on both branches"

    def _knows_what_both_knew(
        self,
        source: str,
        destination: str,
        merged: dict[int, Row],
        of_source: dict[int, Row],
        of_target: dict[int, Row],
    ) -> None:
        """What one side alone changed is as it has it. Not for what sweeps and restores take away."""
        on_source, on_target = self.known[source], self.known[destination]
        for key in () if self.is_swept else on_source.keys() | on_target.keys():
            new, own = on_source[key] - on_target[key], on_target[key] - on_source[key]
            if new and not own:
                assert self._is_same(merged.get(key), of_source.get(key)), f"key {key}: the source's change was lost"
            elif own and not new:
                assert self._is_same(merged.get(key), of_target.get(key)), f"key {key}: the target's change was lost"
        for key, changes in on_source.items():
            on_target[key] |= changes

    def _is_same(self, merged: Row | None, side: Row | None) -> bool:
        if merged is None or side is None:
            return merged is side
        # Two branches may give one partition two names: the target's stays.
        is_there = not set(self._names_of(merged[3])).isdisjoint(self._names_of(side[3]))
        return merged[:3] == side[:3] and is_there

    def _names_of(self, name: int) -> Iterator[int]:
        """What a partition is called, and was before each rename."""
        yield name
        while name in self.names:
            name = self.names[name]
            yield name

    def take_over(self, source: str, destination: str) -> None:
        """What was merged has nothing to meet on the way back: the branches are alike then, unless one of them took
        away what the other still has elsewhere (A4).
        """
        of_source, of_target = self.rows(source), self.rows(destination)
        logger.warning("MERGE BRANCH %s TO %s, the way back", source, destination)
        try:
            self.lake.merge(source, destination)
        except MergeConflict as refusal:
            raise AssertionError(f"the way back is refused: {refusal.details['conflicts']}") from refusal
        merged = self.rows(destination)
        assert self.is_swept or merged == of_source, "the branches differ after the way back"
        self._knows_what_both_knew(source, destination, merged, of_source, of_target)


def play(steps: Iterable[Step], kind: type[Branches] = Branches) -> None:
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql("CREATE BRANCH b")
    branches = kind(lake)
    for step in steps:
        branches.take(step)
    assert lake.breaches() == []


def failure(steps: Sequence[Step], kind: type[Branches] = Branches) -> Exception | None:
    """What goes wrong, without a word of how it came to it."""
    logging.disable()
    try:
        play(steps, kind)
    except Exception as broken:  # noqa: BLE001 - a stack trace is made small as well
        return broken
    finally:
        logging.disable(logging.NOTSET)
    return None


def smallest(steps: Sequence[Step], kind: type[Branches] = Branches) -> list[Step]:
    """A failing history without the steps that it fails without: halves are tried first, single ones last."""
    kept, size = list(steps), max(1, len(steps) // 2)
    while True:
        before = len(kept)
        for end in range(len(kept), 0, -size):
            fewer = kept[: max(0, end - size)] + kept[end:]
            if failure(fewer, kind):
                kept = fewer
        if size == 1 and len(kept) == before:
            return kept
        size = max(1, size // 2)


def keep_the_laws(number: int, kind: type[Branches] = Branches) -> None:
    """Play one history; one that fails is made small and played again."""
    steps = list(history(number))
    if failure(steps, kind):
        small = smallest(steps, kind)
        logger.warning("LAKEUI_SEED=%s, history %s, made small:\n%s", DRAWN, number, small)
        play(small, kind)
        play(steps, kind)
        pytest.fail("It failed once, and did not fail again.")


@pytest.mark.parametrize("number", range(500) if IS_SOAK else (0, 1, 3, 4, 5, 7, 8, 9))
def test_branches_keep_the_laws(database: None, memory_engine: object, number: int) -> None:
    keep_the_laws(number)


class ClonedBranches(Branches):
    """The table is a clone with these rows. Its files store row ids, have deletes, or lie in a renamed partition."""

    def make_table(self) -> None:
        for text in (
            "CREATE TABLE d.s (id INT PRIMARY KEY, v INT, n INT, p INT) PARTITIONED BY (p)",
            "INSERT INTO d.s VALUES (1, 8, 0, 7), (2, 9, 0, 0), (4, 9, 0, 0)",
            "UPDATE d.s SET v = 0 WHERE id < 3",
            "OPTIMIZE d.s",
            "INSERT INTO d.s VALUES (3, 0, 0, 7), (5, 0, 0, 7)",
            "DELETE FROM d.s WHERE id > 3",
            "ALTER TABLE d.s PARTITION (p = 7) RENAME TO PARTITION (p = 1)",
            "CREATE TABLE d.k CLONE d.s",
            "DROP TABLE d.s",
        ):
            self.lake.sql(text)
        assert sorted(self.rows("main").values()) == [(1, 0, 0, 1), (2, 0, 0, 0), (3, 0, 0, 1)]


@pytest.mark.parametrize("number", range(500, 600) if IS_SOAK else (500, 502, 503, 505))
def test_branches_of_a_clone_keep_the_laws(database: None, memory_engine: object, number: int) -> None:
    keep_the_laws(number, ClonedBranches)


FOUND: dict[str, list[Step]] = {
    "both sides rename one partition, and one updates its row": [
        ("rename", "b", 2, 0),
        ("rename", "w", 2, 1),
        ("set", "b", 2, 1),
        ("merge", "b", 1, 0),
    ],
    "a key is not there twice where a renamed partition keeps a row that was merged and swept on the other side": [
        ("move", "main", 1, 1),
        ("overwrite", "b", 1, 0),
        ("rename", "main", 4, 0),
        ("merge", "main", 1, 0),
        ("rename", "main", 2, 1),
        ("merge", "b", 2, 1),
    ],
    "a deleted row stays away, which the newest of two places where the branches met last never had": [
        ("insert", "b", 5, 1),
        ("delete", "w", 3, 0),
        ("merge", "w", 1, 0),
        ("merge", "b", 2, 0),
        ("delete many", "b", 1, 0),
        ("merge", "b", 1, 1),
        ("merge", "b", 2, 0),
    ],
    "the partition that main overwrote is not the one that w overwrote, which has its name now": [
        ("overwrite", "main", 1, 0),
        ("rename", "w", 1, 0),
        ("overwrite", "w", 5, 0),
        ("merge", "w", 1, 0),
        ("merge", "main", 2, 0),
    ],
    "an update that was compacted went with its partition": [
        ("overwrite", "b", 1, 1),
        ("set", "main", 6, 1),
        ("optimize", "main", 1, 1),
        ("merge", "b", 2, 0),
        ("merge", "main", 2, 0),
        ("merge", "w", 2, 0),
    ],
    "a row that went with its file does not move with those that were beside it": [
        ("set", "b", 1, 0),
        ("merge", "b", 2, 0),
        ("delete", "b", 1, 0),
        ("set", "main", 3, 1),
        ("rename", "b", 5, 0),
        ("merge", "main", 1, 0),
        ("merge", "b", 2, 1),
    ],
    "a drop does not take the partition that had been renamed": [
        ("rename", "b", 5, 0),
        ("empty", "main", 5, 1),
        ("merge", "w", 2, 1),
        ("merge", "main", 2, 0),
        ("merge", "w", 2, 0),
    ],
    "an update finds the rows of a dropped partition that came back under another name": [
        ("set", "w", 5, 1),
        ("rename", "b", 6, 0),
        ("empty", "main", 4, 0),
        ("merge", "main", 1, 1),
        ("merge", "w", 1, 0),
        ("merge", "b", 1, 0),
        ("merge", "main", 2, 1),
    ],
    "a key in a partition that was renamed is not swept with the one that has its name now": [
        ("rename", "b", 6, 1),
        ("insert", "w", 4, 0),
        ("overwrite", "b", 4, 0),
        ("merge", "b", 1, 0),
    ],
    "rows that were overwritten after they had been updated do not come back with a rename": [
        ("move", "b", 1, 1),
        ("overwrite", "w", 5, 0),
        ("merge", "w", 2, 0),
        ("rename", "w", 1, 1),
        ("merge", "w", 2, 0),
    ],
    "rows that were overwritten under a name come back under another as they were": [
        ("rename", "main", 2, 0),
        ("set", "b", 5, 1),
        ("overwrite", "w", 2, 1),
        ("merge", "w", 1, 0),
        ("merge", "w", 2, 0),
        ("merge", "main", 1, 0),
    ],
    "a row that was kept although its branch had deleted it is not deleted elsewhere": [
        ("set", "w", 6, 1),
        ("delete", "b", 6, 1),
        ("merge", "main", 2, 1),
        ("merge", "b", 1, 1),
        ("merge", "b", 2, 0),
    ],
    "rows that were merged under the old name stay there where the other side compacted them with those renamed": [
        ("rename", "main", 5, 0),
        ("insert", "b", 3, 1),
        ("merge", "b", 1, 0),
        ("merge", "w", 1, 0),
        ("optimize", "w", 6, 0),
        ("merge", "main", 2, 0),
    ],
    "an update of a compacted file takes no row that a merge had taken out of it": [
        ("optimize", "w", 5, 1),
        ("set", "main", 5, 1),
        ("merge", "main", 1, 0),
        ("merge", "main", 2, 0),
        ("set", "w", 2, 1),
        ("merge", "w", 2, 0),
    ],
    "an update finds rows that their own branch has under a former name": [
        ("rename", "w", 4, 0),
        ("merge", "w", 2, 0),
        ("rename", "b", 1, 0),
        ("set", "w", 5, 1),
        ("merge", "w", 2, 0),
        ("optimize", "b", 4, 1),
        ("set", "b", 5, 1),
        ("merge", "b", 1, 0),
    ],
    "what a merge moved to where a partition was renamed goes on with the next rename": [
        ("optimize", "w", 5, 0),
        ("rename", "main", 1, 1),
        ("merge", "main", 2, 0),
        ("rename", "main", 5, 0),
        ("merge", "w", 1, 1),
    ],
    "an overwrite takes no rows that its branch had renamed before it merged that": [
        ("overwrite", "main", 3, 1),
        ("set", "b", 3, 1),
        ("rename", "w", 3, 0),
        ("merge", "w", 2, 0),
        ("merge", "main", 2, 0),
        ("merge", "w", 2, 0),
    ],
    "what what an applied drop of a partition leaves stays on the third branch too": [
        ("insert", "w", 4, 1),
        ("empty", "main", 1, 0),
        ("merge", "w", 2, 0),
        ("merge", "b", 2, 1),
        ("merge", "b", 1, 0),
    ],
    "a delete finds its rows where a merge renamed their partition twice at once": [
        ("rename", "main", 6, 0),
        ("merge", "main", 2, 0),
        ("rename", "main", 3, 0),
        ("merge", "main", 1, 0),
        ("delete", "w", 5, 1),
        ("merge", "main", 2, 0),
        ("merge", "w", 2, 1),
    ],
    "what a merge moved to where a partition was renamed takes no rows of another partition along": [
        ("optimize", "main", 5, 0),
        ("rename", "w", 5, 1),
        ("merge", "main", 1, 0),
        ("rename", "b", 6, 0),
        ("merge", "w", 1, 0),
        ("merge", "b", 1, 0),
        ("merge", "main", 2, 0),
    ],
    "nor does what was compacted before it was moved": [
        ("optimize", "b", 2, 1),
        ("rename", "main", 1, 0),
        ("merge", "main", 2, 0),
        ("insert", "b", 1, 0),
        ("merge", "b", 1, 0),
        ("optimize", "w", 3, 1),
        ("optimize", "b", 4, 0),
        ("merge", "main", 1, 0),
        ("merge", "b", 1, 0),
    ],
    "a rename of new rows under a former name takes no rows that had it before": [
        ("rename", "w", 1, 1),
        ("merge", "w", 2, 0),
        ("insert", "b", 5, 1),
        ("optimize", "main", 4, 1),
        ("rename", "b", 6, 1),
        ("rename", "b", 6, 0),
        ("merge", "main", 2, 1),
        ("merge", "b", 2, 0),
    ],
    "a compaction brings no row that a merge by key had left where it was": [
        ("insert", "main", 5, 0),
        ("merge", "main", 1, 0),
        ("move", "b", 3, 1),
        ("set", "main", 2, 1),
        ("merge", "b", 2, 0),
        ("merge", "main", 1, 0),
        ("optimize", "main", 5, 0),
        ("merge", "main", 1, 0),
    ],
    "nor does a rename": [
        ("delete", "b", 1, 1),
        ("set", "main", 3, 0),
        ("merge", "b", 2, 1),
        ("merge", "b", 2, 0),
        ("rename", "b", 5, 1),
        ("merge", "b", 2, 0),
    ],
    "a rename and an update that changes nothing": [
        ("rename", "b", 6, 0),
        ("move", "b", 3, 1),
        ("merge", "b", 2, 0),
        ("merge", "main", 1, 0),
        ("rename", "main", 4, 0),
        ("merge", "b", 2, 1),
    ],
    "rows that came back with a rename are not dropped elsewhere": [
        ("delete", "b", 4, 1),
        ("rename", "main", 3, 1),
        ("merge", "main", 1, 0),
        ("empty", "w", 2, 1),
        ("merge", "w", 1, 1),
        ("merge", "w", 2, 0),
    ],
    "a delete finds its rows where a merge moved what the other side had compacted": [
        ("optimize", "main", 6, 1),
        ("set", "b", 5, 1),
        ("merge", "b", 2, 1),
        ("delete", "b", 3, 1),
        ("rename", "w", 3, 1),
        ("merge", "main", 2, 1),
        ("merge", "b", 2, 0),
        ("merge", "main", 1, 1),
    ],
    "a compaction that left nothing of one partition did not put it into another": [
        ("optimize", "w", 6, 1),
        ("delete", "b", 5, 1),
        ("merge", "w", 2, 0),
        ("rename", "b", 4, 0),
        ("merge", "b", 1, 0),
        ("delete", "main", 2, 1),
        ("merge", "main", 1, 0),
        ("optimize", "b", 1, 1),
        ("merge", "w", 2, 0),
    ],
    "a row that one branch has in another file by key does not come back with the rename of its own": [
        ("rename", "w", 2, 1),
        ("merge", "w", 1, 0),
        ("insert", "b", 4, 1),
        ("merge", "b", 1, 0),
        ("merge", "main", 1, 1),
        ("rename", "w", 3, 0),
        ("merge", "w", 1, 0),
    ],
    "a row does not live on in the file that a merge back had brought renamed": [
        ("delete", "w", 6, 0),
        ("rename", "main", 1, 0),
        ("merge", "b", 1, 1),
        ("set", "w", 3, 1),
        ("merge", "b", 2, 1),
        ("merge", "w", 1, 1),
        ("optimize", "b", 4, 1),
        ("merge", "b", 1, 0),
    ],
    "rows that were renamed twice on the way are on the branch that they began on": [
        ("insert", "main", 3, 0),
        ("rename", "b", 1, 1),
        ("rename", "b", 2, 1),
        ("merge", "b", 2, 0),
        ("merge", "main", 2, 0),
        ("rename", "w", 2, 0),
        ("merge", "w", 2, 0),
        ("merge", "main", 1, 1),
    ],
    "a row whose image a restore put back under another file is replaced where the partition was renamed since": [
        ("set", "w", 4, 0),
        ("rename", "b", 5, 0),
        ("merge", "main", 1, 1),
        ("merge", "w", 1, 0),
        ("merge", "b", 1, 0),
        ("merge", "w", 1, 0),
        ("insert", "main", 1, 1),
        ("restore", "main", 6, 0),
        ("set", "w", 4, 0),
        ("rename", "main", 3, 1),
        ("merge", "w", 1, 0),
    ],
    "a rename that a merged restore undid takes no rows of a branch that knows of the restore": [
        ("insert", "main", 6, 0),
        ("merge", "main", 1, 0),
        ("restore", "b", 6, 0),
        ("merge", "b", 1, 0),
        ("rename", "main", 1, 0),
        ("merge", "w", 1, 0),
        ("merge", "main", 1, 0),
    ],
    "what was renamed twice lies once where the first rename was undone": [
        ("rename", "main", 6, 0),
        ("merge", "main", 2, 0),
        ("restore", "main", 1, 0),
        ("merge", "main", 1, 0),
        ("rename", "w", 5, 1),
        ("merge", "w", 2, 0),
    ],
    "what was compacted after a merged restore had spared rows lies once where the restore was made": [
        ("set", "main", 6, 1),
        ("set", "w", 4, 0),
        ("restore", "w", 1, 1),
        ("merge", "main", 2, 1),
        ("optimize", "main", 5, 0),
        ("merge", "main", 1, 0),
        ("merge", "w", 2, 1),
    ],
    "an update of a file that a restore took is not applied to the file which it put back": [
        ("set", "main", 3, 0),
        ("optimize", "w", 1, 1),
        ("merge", "w", 2, 0),
        ("merge", "w", 1, 1),
        ("restore", "b", 3, 0),
        ("merge", "w", 2, 0),
    ],
    "nor where it emptied that": [
        ("set", "main", 4, 0),
        ("optimize", "b", 3, 0),
        ("merge", "b", 1, 0),
        ("merge", "main", 2, 0),
        ("restore", "b", 2, 0),
        ("merge", "w", 2, 0),
    ],
    "a merged restore does not put back files whose rows it spared where they lie": [
        ("insert", "main", 5, 1),
        ("restore", "main", 1, 1),
        ("optimize", "b", 5, 0),
        ("set", "w", 1, 1),
        ("merge", "b", 2, 1),
        ("merge", "w", 2, 0),
    ],
    "a key lies in one partition where main renamed what b had overwritten alike": [
        ("overwrite", "w", 1, 0),
        ("merge", "w", 2, 0),
        ("delete", "main", 2, 0),
        ("merge", "b", 2, 1),
        ("overwrite", "b", 1, 0),
        ("merge", "b", 2, 1),
        ("rename", "main", 1, 0),
        ("merge", "main", 1, 0),
    ],
    "what a restore puts back is not spared beside that": [
        ("merge", "b", 1, 0),
        ("set", "main", 3, 1),
        ("delete many", "w", 1, 0),
        ("restore", "w", 3, 1),
        ("merge", "main", 2, 1),
    ],
    "rows that were moved under a former name stay where their branch compacted them with others": [
        ("rename", "w", 4, 1),
        ("move many", "b", 1, 0),
        ("merge", "b", 1, 0),
        ("move", "w", 3, 0),
        ("optimize", "w", 4, 1),
        ("merge", "w", 2, 0),
    ],
    "what a restore put back comes once although an update is followed into it": [
        ("optimize", "b", 2, 0),
        ("move", "b", 1, 0),
        ("delete", "main", 1, 0),
        ("merge", "main", 2, 0),
        ("restore", "w", 3, 0),
        ("merge", "b", 1, 0),
        ("merge", "main", 2, 1),
    ],
    "rows of a file that was updated whole stay where their partition was renamed before they were deleted": [
        ("rename", "b", 5, 1),
        ("set", "w", 6, 1),
        ("delete many", "b", 2, 1),
        ("optimize", "w", 4, 1),
        ("merge", "b", 1, 1),
    ],
    "a rename moves what was compacted before also where a delete was merged that had met it elsewhere": [
        ("rename", "main", 1, 1),
        ("optimize", "b", 2, 1),
        ("merge", "b", 1, 0),
        ("delete", "w", 6, 0),
        ("merge", "main", 2, 1),
        ("merge", "main", 1, 1),
    ],
    "a restored rename does not come by a branch that never had it": [
        ("rename", "main", 6, 1),
        ("move", "w", 1, 0),
        ("merge", "main", 2, 0),
        ("restore", "main", 6, 0),
        ("set many", "w", 4, 0),
        ("merge", "main", 1, 0),
        ("merge", "b", 1, 0),
        ("merge", "main", 2, 1),
    ],
    "nor where the branch that it was nothing to merged another meanwhile": [
        ("rename", "main", 6, 1),
        ("move", "w", 1, 0),
        ("merge", "main", 2, 0),
        ("restore", "main", 6, 0),
        ("set many", "w", 4, 0),
        ("merge", "b", 2, 1),
        ("merge", "b", 1, 0),
        ("merge", "main", 2, 1),
    ],
}
"""Histories that broke a law once, made small as ``smallest`` prints them."""


@pytest.mark.parametrize("steps", FOUND.values(), ids=FOUND)
def test_the_laws_hold_where_they_broke_once(database: None, memory_engine: object, steps: list[Step]) -> None:
    play(steps)
