# ruff: noqa: B007, B905, C408, C901, E501, F401, N803, N806, PERF102, PLR0912, PT018, RUF021, RUF059, T201
"""The merge of branches by lineage, executable. The page is lineage.md; what may merge is said by semantics.md.

A branch head is a `State`: facts, and a version vector that says which commits it knows. A `Fact` is a value and the stamp of
the commit that decided it. A statement is a function that changes the facts of a state under one stamp; `Merge` finds the facts
of a merged state. Files are no facts: `State.shows` says where the images of live rows lie, and follows the facts.

    python lineage_model.py [HISTORIES] [FIRST SEED]      plays random histories and checks the laws of lineage.md §6
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

# -- facts, stamps, version vectors -------------------------------------------------------------------------------


class Stamp(NamedTuple):
    """A commit: its version, and the branch line that it was made on (in storage the version alone: it is unique)."""

    version: int
    line: str


NEVER = Stamp(0, "")


class Vector(dict):
    """What a branch knows: by line the newest version. The commits of a line are a sequence, so one number says it.
    `dot`: a commit that is not yet on its line, which may have moved on meanwhile.
    """

    dot: Stamp | None = None

    def knows(self, stamp: Stamp) -> bool:
        return stamp == self.dot or stamp.version <= self.get(stamp.line, 0)

    def covers(self, other: Vector) -> bool:
        return all(version <= self.get(line, 0) for line, version in other.items())

    def join(self, other: Vector) -> Vector:
        return Vector({line: max(self.get(line, 0), other.get(line, 0)) for line in self.keys() | other.keys()})


@dataclass(frozen=True)
class Fact:
    """`value` None: absent, dropped, deleted. `brings`: of a restored fact, stamp and kind of the fact that it brought back.
    `past`: what it was before, oldest first. (Storage looks that up in the history of the branch.)
    """

    value: object = None
    stamp: Stamp = NEVER
    kind: str = "never"  # insert update delete overwrite restore move set
    brings: tuple[Stamp, str] | None = None
    past: tuple[tuple[Stamp, object], ...] = ()

    def then(self, value: object, stamp: Stamp, kind: str, brings: tuple[Stamp, str] | None = None) -> Fact:
        past = self.past if self.stamp == stamp else (*self.past, (self.stamp, self.value))
        return Fact(value, stamp, kind, brings, past)

    def decided(self, loser: Fact, value: object, stamp: Stamp) -> Fact:
        """A merge's decision, which has both pasts."""
        past = {*self.past, *loser.past, *((f.stamp, f.value) for f in (self, loser))}
        return Fact(value, stamp, self.kind, None, tuple(sorted(past, key=lambda item: item[0])))

    def kind_for(self, other: Vector) -> str:
        """A restored fact speaks for the change that it brought back, where the other side does not know that one."""
        return self.brings[1] if self.brings and not other.knows(self.brings[0]) else self.kind

    def is_nothing_to(self, other: Vector) -> bool:
        """P7: the value is again what it was at the newest of its changes that the other side knows."""
        known = [value for stamp, value in self.past if other.knows(stamp)]
        return bool(known) and known[-1] == self.value


ABSENT = Fact()


class RowId(NamedTuple):
    """The id of a row lies in the range of the file that it was first written to: one file a commit and partition."""

    inserted: int
    file: str
    number: int


class Scope(NamedTuple):
    """What a statement said of rows that it never saw, or of past commits. Journal entry of the commit `stamp`."""

    stamp: Stamp
    table: str
    kind: str  # overwrite, drop partition, rename partition; restore; update, delete: only judged, never redone
    knows: Vector  # what its branch knew
    partition: str | None = None  # None: the whole table
    to: str | None = None
    then: Vector | None = None  # of a restore: what the version restored to knew

    def takes_back(self, other: Scope) -> bool:
        return self.kind == "restore" and self.knows.knows(other.stamp) and not self.then.knows(other.stamp)


Key = tuple  # ("exists",) ("name",) ("home",) ("property", p) ("column", c, attribute) ("row", r) ("partition", r)


@dataclass
class State:
    """`facts` by object and key; `shows`: by table and file the rows that are deleted in it. `journal` is one for the lake."""

    known: Vector = field(default_factory=Vector)
    facts: dict[str, dict[Key, Fact]] = field(default_factory=dict)
    shows: dict[str, dict[int, frozenset]] = field(default_factory=dict)
    journal: list[Scope] = field(default_factory=list)

    def copy(self) -> State:
        facts, shows = ({o: dict(of) for o, of in both.items()} for both in (self.facts, self.shows))
        return State(Vector(self.known), facts, shows, self.journal)

    def fact(self, o: str, *key: object) -> Fact:
        return self.facts.get(o, {}).get(key, ABSENT)

    def value(self, o: str, *key: object) -> object:
        return self.fact(o, *key).value

    def put(self, o: str, key: Key, value: object, stamp: Stamp, kind: str, brings=None) -> None:
        self.facts.setdefault(o, {})[key] = self.fact(o, *key).then(value, stamp, kind, brings)

    def alive(self, o: str | None) -> bool:
        """A table is alive where its database is: the drop of a database is one fact, and so is its undrop."""
        home = self.value(o, "home")
        return bool(self.value(o, "exists")) and (home is None or self.alive(home))

    def has(self, o: str, key: Key) -> bool:
        """Whether what the attribute belongs to is there: attributes of a column or row that is not there say nothing."""
        if key[0] == "partition":
            return self.value(o, "row", key[1]) is not None
        return key[0] != "column" or key[2] == "exists" or bool(self.value(o, "column", key[1], "exists"))

    def columns(self, t: str) -> dict[str, tuple]:
        """By id of each live column: name, type, required, and the default that older rows have."""
        ids = [
            key[1] for key, fact in self.facts[t].items() if key[0] == "column" and key[2] == "exists" and fact.value
        ]
        return {
            c: (
                *(self.value(t, "column", c, of) for of in ("name", "type", "required")),
                self.value(t, "column", c, "exists")[0],
            )
            for c in sorted(ids)
        }

    def rows(self, t: str) -> dict[object, Fact]:
        return {key[1]: fact for key, fact in self.facts[t].items() if key[0] == "row" and fact.value is not None}

    def partition(self, t: str, r: object) -> str:
        return self.value(t, "partition", r)

    def in_scope(self, t: str, partition: str | None) -> list:
        return [r for r in self.rows(t) if partition is None or self.partition(t, r) == partition]

    def seen(self) -> dict:
        """What a reader sees, by object: name, home, properties, columns, and rows as their live columns read."""
        seen = {}
        for o, of in self.facts.items():
            if self.alive(o):
                columns = self.columns(o)
                rows = {
                    r: (self.partition(o, r), *(read(f.value, c, column) for c, column in columns.items()))
                    for r, f in self.rows(o).items()
                }
                others = {
                    key: f.value
                    for key, f in of.items()
                    if key[0] in ("name", "home", "property") and f.value is not None
                }
                seen[o] = (others, columns, rows)
        return seen


def read(image: tuple, c: str, column: tuple) -> object:
    """A cell as its row reads: rows written before the column was added have its default."""
    return dict(image).get(c, column[3])


# -- what no state may be: judged on what comes out, whoever brought it ---------------------------------------------


def breaches(state: State) -> set[str]:
    """Unique names; values of required columns; values that their column's type holds (a cell is `(text, width)`)."""
    found, live = set(), [o for o in state.facts if state.alive(o)]
    names = [(state.value(o, "home"), state.value(o, "name")) for o in live]
    if len(set(names)) < len(names):
        found.add("NAME_EXISTS")
    for t in live:
        columns = state.columns(t)
        if len({name for name, *_ in columns.values()}) < len(columns):
            found.add("COLUMN_NAME_TAKEN")
        for fact in state.rows(t).values():
            for c, column in columns.items():
                cell = read(fact.value, c, column)
                if cell is None and column[2]:
                    found.add("NOT_NULL_WITHOUT_VALUE")
                if cell is not None and cell[1] > column[1]:
                    found.add("COLUMN_TYPE_NARROWING")
    return found


class Refused(Exception):
    """All verdicts, as a set of codes."""


# -- statements: each changes the facts of a state under one stamp ---------------------------------------------------

Statement = Callable[[State, Stamp], None]


def scope(state: State, stamp: Stamp, t: str, kind: str, **of: object) -> None:
    state.journal.append(Scope(stamp, t, kind, Vector(state.known), **of))


def put_attributes(o: str, kind: str = "set", **values: object) -> Statement:
    """CREATE, DROP, UNDROP, RENAME, SET and UNSET, ADD, DROP and ALTER COLUMN: each sets attributes."""

    def run(state: State, stamp: Stamp) -> None:
        for key, value in values.items():
            state.put(o, tuple(key.split("__")), value, stamp, kind)

    return run


def insert(t: str, rows: list[tuple]) -> Statement:
    """`rows`: (key or None, cells by column, partition). In a table with a primary key the key takes the place of the row id."""

    def run(state: State, stamp: Stamp, kind: str = "insert") -> None:
        for number, (key, cells, part) in enumerate(rows):
            r = key if t.endswith("k") else RowId(stamp.version, part, len(state.facts[t]) * 10 + number)
            if state.value(t, "row", r) is not None:
                raise Refused({"DUPLICATE_KEY"})
            image = tuple(
                (c, cells.get(name, column[3])) for c, column in state.columns(t).items() for name in [column[0]]
            )
            state.put(t, ("row", r), image, stamp, kind)
            state.put(t, ("partition", r), part, stamp, kind)

    return run


def update(t: str, where: Callable, cells: dict, part: str | None = None) -> Statement:
    def run(state: State, stamp: Stamp) -> None:
        columns, hit = state.columns(t), [r for r in state.rows(t) if where(r)]
        for r in hit:
            old = state.value(t, "row", r)
            image = tuple(
                (c, cells[column[0]] if column[0] in cells else read(old, c, column)) for c, column in columns.items()
            )
            state.put(t, ("row", r), image, stamp, "update")
            if part not in (None, state.partition(t, r)):
                state.put(t, ("partition", r), part, stamp, "update")
        if hit:
            scope(state, stamp, t, "update")

    return run


def delete(t: str, where: Callable) -> Statement:
    def run(state: State, stamp: Stamp) -> None:
        hit = [r for r in state.rows(t) if where(r)]
        for r in hit:
            state.put(t, ("row", r), None, stamp, "delete")
        if hit:
            scope(state, stamp, t, "delete")

    return run


def overwrite(t: str, partition: str | None, rows: list[tuple] = (), kind: str = "overwrite") -> Statement:
    """INSERT OVERWRITE, TRUNCATE, DROP PARTITION: what is in the scope goes, seen or not."""

    def run(state: State, stamp: Stamp) -> None:
        for r in state.in_scope(t, partition):
            state.put(t, ("row", r), None, stamp, "overwrite")
        scope(state, stamp, t, kind, partition=partition)
        insert(t, rows)(state, stamp)

    return run


def rename_partition(t: str, old: str, new: str) -> Statement:
    def run(state: State, stamp: Stamp) -> None:
        if not state.in_scope(t, old) or state.in_scope(t, new):
            raise Refused({"PARTITION_EXISTS"})
        for r in state.in_scope(t, old):
            state.put(t, ("partition", r), new, stamp, "move")
        scope(state, stamp, t, "rename partition", partition=old, to=new)

    return run


def restore(then: State, objects: list[str] | None = None) -> Statement:
    """Each fact that differs is set to its value then, and remembers the fact that it brings back."""

    def run(state: State, stamp: Stamp) -> None:
        for o in list(state.facts) if objects is None else objects:
            keys = state.facts[o] if then.value(o, "exists") else [("exists",)]
            for key in list(keys):
                if not then.has(o, key) and then.value(o, *key) is None:
                    continue  # of what was not there, only that
                old = then.fact(o, *key)
                if old.value != state.value(o, *key):
                    state.put(o, key, old.value, stamp, "restore", old.brings or (old.stamp, old.kind))
            scope(state, stamp, o, "restore", then=then.known)

    return run


# -- the merge -----------------------------------------------------------------------------------------------------

SIDES = {"insert": "update", "drop partition": "overwrite"}
ROWS = {  # (source's last change of the row, destination's) -> who decides; None: both wrote, by file, row or cell
    ("update", "update"): None, ("update", "delete"): None, ("update", "overwrite"): "destination", ("update", "restore"): "destination",
    ("delete", "update"): "destination", ("delete", "delete"): "source", ("delete", "overwrite"): "source", ("delete", "restore"): "destination",
    ("overwrite", "update"): "scope", ("overwrite", "delete"): "source", ("overwrite", "overwrite"): "source", ("overwrite", "restore"): "scope",
    ("restore", "update"): "source", ("restore", "delete"): "source", ("restore", "overwrite"): "destination", ("restore", "restore"): "source",
}  # fmt: skip


@dataclass
class Merge:
    """The merge of `source` into `destination`. What a rule decides gets `stamp`. `run` answers the merged state, or raises."""

    source: State
    destination: State
    stamp: Stamp
    granularity: str = "file"
    verdicts: set[str] = field(default_factory=set)

    def run(self) -> State:
        S, D = self.source, self.destination
        self.result = N = D.copy()
        for o in S.facts.keys() | D.facts.keys():
            for key in S.facts.get(o, {}).keys() | D.facts.get(o, {}).keys():
                if key[0] not in ("row", "partition"):
                    N.facts.setdefault(o, {})[key] = self.newer(o, key, self.attribute)
        for o in S.facts.keys() | D.facts.keys():
            self.judge_drop(o)
            if not o.startswith("D"):
                self.merge_rows(o)
        self.verdicts |= breaches(N)
        N.known = D.known.join(S.known)
        if self.verdicts:
            raise Refused(self.verdicts)
        if any(fact.stamp == self.stamp for of in N.facts.values() for fact in of.values()):
            N.known[self.stamp.line] = self.stamp.version
        place(N, S)
        return N

    def newer(self, o: str, key: Key, rule: Callable) -> Fact:
        """§3. `rule` decides what is concurrent."""
        s, d, S, D = (
            self.source.fact(o, *key),
            self.destination.fact(o, *key),
            self.source.known,
            self.destination.known,
        )
        if s.stamp == d.stamp:
            assert s == d, ("a stamp names two facts", s, d)
            return d
        assert not (D.knows(s.stamp) and S.knows(d.stamp)), ("each side knows the other's", o, key, s, d)
        if D.knows(s.stamp):
            return d
        if S.knows(d.stamp):
            return s
        if s.value == d.value:
            return max(s, d, key=lambda fact: fact.stamp)
        if s.is_nothing_to(D):
            return self.decided(d, s)
        if d.is_nothing_to(S):
            return self.decided(s, d)
        return rule(o, key, s, d)

    def decided(self, winner: Fact, loser: Fact) -> Fact:
        return winner.decided(loser, winner.value, self.stamp)

    def attribute(self, o: str, key: Key, s: Fact, d: Fact) -> Fact:
        """P1: the source's value. Types: only to what the destination's widens to (A6.1). Unset on both: see `judge_drop`."""
        if key[-1] == "type" and self.is_judged(o) and d.value > s.value:
            self.verdicts.add("COLUMN_TYPE_NARROWING")
        return self.decided(s, d)

    def is_judged(self, o: str) -> bool:
        """Nothing is judged below a drop: what is concurrent there is decided for the source."""
        return self.source.alive(o) and self.destination.alive(o)

    def news(self, side: State, other: State, o: str) -> Iterator[tuple[Key, Fact]]:
        """What a side did to an object, net: its facts that the other side does not know and that are not nothing to it."""
        for key, fact in side.facts.get(o, {}).items():
            if not other.known.knows(fact.stamp) and not fact.is_nothing_to(other.known) and side.has(o, key):
                yield key, fact

    def judge_drop(self, o: str) -> None:
        S, D, N = self.source, self.destination, self.result
        news = list(self.news(S, D, o))
        if news and S.alive(o) and not D.alive(o) and not N.alive(o):
            self.verdicts.add("OBJECT_DROPPED_ON_DEST")
        if not self.is_judged(o):
            return
        theirs = {key for key, fact in self.news(D, S, o) if fact.value is None}
        for key, fact in news:
            if key[0] == "property" and fact.value is None and key in theirs:
                self.verdicts.add("UNSET_SAME_PROPERTY")
            if (
                key[0] == "column"
                and key[2] != "exists"
                and ("column", key[1], "exists") in theirs
                and S.value(o, "column", key[1], "exists")
            ):
                self.verdicts.add("COLUMN_MISSING")

    # rows

    def merge_rows(self, t: str) -> None:
        S, D, N = self.source, self.destination, self.result
        for key in S.facts.get(t, {}).keys() | D.facts.get(t, {}).keys():
            if key[0] == "row":
                N.facts[t][key] = self.newer(t, key, self.row)
            if key[0] == "partition":
                N.facts[t][key] = self.newer(t, key, self.row_partition)
        standing = list(self.standing_scopes(t))
        if self.is_judged(t) and not t.endswith("k"):
            self.judge_predicates(t, standing)
            if self.granularity == "file":
                self.judge_files(t)
        if N.alive(t) and D.alive(t):
            for each in standing:
                self.carry_out(each)

    def row(self, t: str, key: Key, s: Fact, d: Fact) -> Fact:
        kinds = tuple(
            SIDES.get(kind, kind) if value else kind
            for kind, value in (
                (f.kind_for(o), f.value) for f, o in ((s, self.destination.known), (d, self.source.known))
            )
        )
        kinds = tuple(
            "update"
            if kind in ("insert", "move") or (kind in ("overwrite", "delete") and f.value is not None)
            else kind
            for kind, f in zip(kinds, (s, d))
        )
        if not self.is_judged(t):
            return self.decided(s, d)
        by_key = t.endswith("k")
        winner = None if by_key and set(kinds) == {"update", "delete"} else ROWS[kinds]
        if winner in ("source", "destination"):
            return self.decided(s, d) if winner == "source" else self.decided(d, s)
        if winner == "scope":
            return self.decided(d, s)
        if s.value is None or d.value is None:
            self.verdicts.add("PRIMARY_KEY_CLASH" if by_key else "SAME_FILE_UPDATE_DELETE")
            return d
        cells = self.cells(t, s, d) if by_key or self.granularity == "cell" else None
        if cells is None:
            self.verdicts.add("PRIMARY_KEY_CLASH" if by_key else "SAME_FILE_UPDATE_UPDATE")
            return d
        return d.decided(s, cells, self.stamp)

    def cells(self, t: str, s: Fact, d: Fact) -> tuple | None:
        """Cell by cell against the newest image that both sides know; None where both changed one cell differently."""
        known = [
            item
            for item in {*s.past, *d.past}
            if self.source.known.knows(item[0]) and self.destination.known.knows(item[0])
        ]
        base = max(known, key=lambda item: item[0])[1] if known else None
        image = []
        for c, column in self.result.columns(t).items():
            mine, theirs, was = (None if f is None else read(f, c, column) for f in (s.value, d.value, base))
            if mine != theirs and base is None or was not in (mine, theirs) and mine != theirs:
                return None
            image.append((c, theirs if mine == was else mine))
        return tuple(image)

    def row_partition(self, t: str, key: Key, s: Fact, d: Fact) -> Fact:
        """The partition of a row that is not there says nothing; a rename of the source is redone below, where it still applies;
        where both wrote the row elsewhere, they wrote one cell.
        """
        S, D, written = self.source, self.destination, ("insert", "update", "overwrite")
        kinds = s.kind_for(D.known), d.kind_for(S.known)
        if not S.has(t, key) or (kinds[0] == "move" and D.has(t, key)):
            return self.decided(d, s)
        if D.has(t, key) and kinds[0] in written and kinds[1] in written and self.is_judged(t):
            self.verdicts.add("PRIMARY_KEY_CLASH" if t.endswith("k") else "SAME_FILE_UPDATE_UPDATE")
        return self.decided(s, d)

    def judge_files(self, t: str) -> None:
        """A1, A3. A file is what one commit wrote of one row-id range: compactions do not change it."""
        S, D = self.source, self.destination

        def touched(side: State, other: State, kind: str) -> set:
            return {(other.fact(t, *key).stamp, key[1].inserted, key[1].file) for key, fact in self.news(side, other, t)
                    if key[0] == "row" and fact.kind_for(other.known) == kind and other.fact(t, *key).value is not None}  # fmt: skip

        mine = touched(S, D, "update")
        if mine & touched(D, S, "update"):
            self.verdicts.add("SAME_FILE_UPDATE_UPDATE")
        if mine & touched(D, S, "delete"):
            self.verdicts.add("SAME_FILE_UPDATE_DELETE")

    def judge_predicates(self, t: str, standing: list[Scope]) -> None:
        """The source's predicate was never evaluated on rows that the destination inserted."""
        S, D = self.source, self.destination
        overwritten = {each.stamp.version for each in D.journal if each.table == t and each.kind == "overwrite"}
        inserted = any(
            key not in S.facts[t] and key[0] == "row" and fact.value is not None and key[1].inserted not in overwritten
            for key, fact in D.facts[t].items()
        )
        if inserted and any(each.kind in ("update", "delete") for each in standing):
            self.verdicts.add("PREDICATE_DML_VS_INSERT")

    # scopes

    def standing_scopes(self, t: str) -> Iterator[Scope]:
        """The source's scopes that the destination does not know, in order: without what was taken back, and without
        predicates whose table was overwritten afterwards.
        """
        news = [
            each
            for each in self.source.journal
            if each.table == t and self.source.known.knows(each.stamp) and not self.destination.known.knows(each.stamp)
        ]
        restores: list[Scope] = []
        for each in sorted(news, key=lambda item: item.stamp, reverse=True):
            if each.kind == "restore" and not any(other.takes_back(each) for other in restores):
                restores.append(each)
        left = [each for each in news if not any(other.takes_back(each) for other in restores)]
        whole = [each for each in left if each.kind == "overwrite" and each.partition is None]
        for each in sorted(left, key=lambda item: item.stamp):
            if each.kind not in ("update", "delete") or not any(other.knows.knows(each.stamp) for other in whole):
                yield each

    def carry_out(self, each: Scope) -> None:
        """On rows that the source does not know, by where they are now."""
        t, S, D, N = each.table, self.source, self.destination, self.result
        if each.kind == "rename partition" and self.is_judged(t):
            if any(not S.known.knows(D.fact(t, "row", r).stamp) and r not in S.rows(t) for r in N.in_scope(t, each.to)):
                self.verdicts.add("PARTITION_EXISTS")
            if any(
                other.kind == "drop partition" and other.partition == each.partition
                for other in Merge(D, S, self.stamp).standing_scopes(t)
            ):
                self.verdicts.add("PARTITION_DROPPED_ON_DEST")
        for r in (
            N.in_scope(t, each.partition) if each.kind in ("overwrite", "drop partition", "rename partition") else ()
        ):
            row, part = D.fact(t, "row", r), D.fact(t, "partition", r)
            if row.value is None:
                continue
            if each.kind == "rename partition":
                if not S.known.knows(part.stamp):
                    N.put(t, ("partition", r), each.to, self.stamp, "move")
            elif not S.known.knows(row.stamp) and N.fact(t, "row", r).stamp in (row.stamp, self.stamp):
                N.put(t, ("row", r), None, self.stamp, "overwrite")


# -- files: where the images lie -------------------------------------------------------------------------------------

FILES: list[dict] = []  # by number of the file: row -> image. Immutable.


def place(state: State, *others: State) -> None:
    """Show every live row once: by a file that is shown already, else by one of another state, else by a new one."""
    for t, of in state.facts.items():
        wanted, kept = {key[1]: f.value for key, f in of.items() if key[0] == "row" and f.value is not None}, {}
        for number, deleted in [item for each in (state, *others) for item in each.shows.get(t, {}).items()]:
            for r, image in FILES[number].items():
                if r not in deleted and r in wanted and wanted[r] == image:
                    kept.setdefault(number, set()).add(r)
                    del wanted[r]
        for part in sorted({state.partition(t, r) for r in wanted}):
            FILES.append({r: image for r, image in wanted.items() if state.partition(t, r) == part})
            kept[len(FILES) - 1] = FILES[-1].keys()
        state.shows[t] = {number: frozenset(FILES[number].keys() - rows) for number, rows in kept.items()}


def compact(state: State, t: str) -> None:
    """Images move, facts do not."""
    FILES.append({r: f.value for r, f in state.rows(t).items()})
    state.shows[t] = {len(FILES) - 1: frozenset()}


# -- the lake --------------------------------------------------------------------------------------------------------


class Lake:
    def __init__(self, granularity: str = "file") -> None:
        self.version, self.granularity = 0, granularity
        self.branches: dict[str, State] = {"main": State()}
        self.past: dict[str, list[State]] = {"main": [State()]}

    def branch(self, new: str, parent: str) -> None:
        self.branches[new] = self.branches[parent]
        self.past[new] = [self.branches[new]]

    def commit(self, b: str, *statements: Statement, seen: State | None = None, also: State | None = None) -> None:
        """Statements as one commit. Where the head moved since it was `seen`, what they did is merged into it (P8)."""
        head = self.branches[b]
        work, stamp, mark = (seen or head).copy(), Stamp(self.version + 1, b), len(head.journal)
        try:
            for statement in statements:
                statement(work, stamp)
            if found := breaches(work):
                raise Refused(found)
            work.known.dot = stamp
            place(work, *([also] if also else []))
            if seen is not None and seen is not head:
                work = Merge(work, head, stamp, self.granularity).run()
            work.known = Vector({**work.known, b: stamp.version})
        except Refused:
            del head.journal[mark:]
            raise
        self.version += 1
        self.branches[b] = work
        self.past[b].append(work)

    def restore(self, b: str, version: int, objects: list[str] | None = None) -> None:
        then = self.past[b][version]
        self.commit(b, restore(then, objects), also=then)

    def merged(self, source: str, destination: str) -> State | None:
        """The state that a merge would make; None: there is nothing to merge."""
        S, D = self.branches[source], self.branches[destination]
        return (
            None
            if D.known.covers(S.known)
            else Merge(S, D, Stamp(self.version + 1, destination), self.granularity).run()
        )

    def merge(self, source: str, destination: str) -> str:
        if (state := self.merged(source, destination)) is None:
            return "nothing"
        self.version += 1
        self.branches[destination] = state
        self.past[destination].append(state)
        return "merged"


# -- random histories, and the laws of lineage.md §6 ---------------------------------------------------------------------

PARTS, TABLES, BRANCHES = "abc", ("T1", "T2", "T3k"), ("main", "b1", "b2", "b3")


def random_statement(rng: random.Random, state: State, step: str) -> Statement | None:
    """A statement that makes sense on this state, or None."""
    live = [t for t in state.facts if t.startswith("T") and state.alive(t)]
    kind = rng.choice(["insert"] * 4 + ["update"] * 3 + ["delete", "overwrite", "overwrite", "truncate", "drop partition", "rename partition"]
                      + ["property", "rename", "move", "drop", "undrop", "drop database", "undrop", "add", "add", "drop column", "rename column", "widen", "required"])  # fmt: skip
    if kind == "undrop":
        gone = [o for o, of in state.facts.items() if ("exists",) in of and not of[("exists",)].value]
        return put_attributes(rng.choice(gone), exists=True) if gone else None
    if kind == "drop database":
        return put_attributes("D2", exists=None) if state.alive("D2") and rng.random() < 0.3 else None
    if not live:
        return None
    t, part, third = rng.choice(live), rng.choice(PARTS), rng.randrange(3)
    columns = state.columns(t)
    cells = {name: (f"{step}{name}", width) for name, width, *_ in columns.values() if rng.random() < 0.9}

    def rows(*parts: str) -> list[tuple]:
        keys = rng.sample(range(6), len(parts))
        return [
            (key, {name: (f"{step}{name}{key}", cell[1]) for name, cell in cells.items()}, p)
            for key, p in zip(keys, parts)
        ]

    def where(r: object) -> bool:
        return (r if isinstance(r, int) else r.number + r.inserted) % 3 == third

    if kind == "insert":
        return insert(t, rows(*rng.choices(PARTS, k=rng.choice([1, 1, 2]))))
    if kind == "update":
        some = dict(rng.sample(sorted(cells.items()), min(len(cells), rng.choice([1, 1, 2]))))
        return update(t, where, some, rng.choice([None, None, None, part])) if some else None
    if kind == "delete":
        return delete(t, where)
    if kind in ("overwrite", "truncate"):
        return overwrite(t, part if kind == "overwrite" else None, rows(part) if rng.random() < 0.5 else [])
    if kind == "drop partition":
        return overwrite(t, part, kind="drop partition") if state.in_scope(t, part) else None
    if kind == "rename partition":
        return rename_partition(t, part, rng.choice("abcde"))
    if kind == "property":
        return put_attributes(t, **{f"property__{rng.choice('xy')}": rng.choice([None, step])})
    if kind == "rename":
        return put_attributes(t, name=rng.choice([step, "common"]))
    if kind == "move":
        return put_attributes(t, home=rng.choice([d for d in ("D1", "D2") if state.alive(d)]))
    if kind == "drop":
        return put_attributes(t, exists=None) if rng.random() < 0.4 else None
    if kind == "add":
        if rng.random() < 0.3:
            new = f"T{step}"
            return put_attributes(
                new, exists=True, name=new, home="D1", column__0__exists=(None,), column__0__name="v", column__0__type=1
            )
        required, default = rng.choice([(None, None), (None, ("d", 1)), (True, ("d", 1)), (True, None)])
        c = f"column__{step}__"
        return put_attributes(
            t, **{c + "exists": (default,), c + "name": step, c + "type": 1, c + "required": required}
        )
    c = rng.choice(sorted(columns)) if columns else None
    if c is None or c == "0":
        return None
    name, width, required, _ = columns[c]
    change = {
        "drop column": ("exists", None),
        "rename column": ("name", f"r{step}"),
        "widen": ("type", min(3, width + 1)),
        "required": ("required", None if required else True),
    }[kind]
    return put_attributes(t, **{f"column__{c}__{change[0]}": change[1]})


@dataclass
class Play:
    """One random history. `quiet`: what must not be seen in any state or verdict (compactions) is left out."""

    seed: int
    quiet: bool = False
    trace: list = field(default_factory=list)
    counts: dict = field(default_factory=lambda: dict.fromkeys(("merged", "refused", "nothing", "rebased", "trips"), 0))

    def run(self, steps: int = 40) -> Play:
        rng, aside = random.Random(self.seed), random.Random(-self.seed)
        self.lake = lake = Lake(("file", "row", "cell")[self.seed % 3])
        self.names = BRANCHES[: 3 + self.seed % 2]
        made = dict(exists=True, column__0__exists=(None,), column__0__name="v", column__0__type=1, column__0__required=True,
                    column__1__exists=(None,), column__1__name="w", column__1__type=1)  # fmt: skip
        lake.commit("main", put_attributes("D1", exists=True, name="D1"), put_attributes("D2", exists=True, name="D2"))
        lake.commit(
            "main", *(put_attributes(t, name=t, home=home, **made) for t, home in zip(TABLES, ("D1", "D2", "D1")))
        )
        for t in TABLES:
            lake.commit(
                "main",
                insert(t, [(key, {"v": (f"v{key}", 1), "w": (f"w{key}", 1)}, rng.choice(PARTS)) for key in range(3)]),
            )
        for b in self.names[1:]:
            lake.branch(b, "main")
        lake.branch("mirror", "main")
        for step in range(steps):
            b, kind = rng.choice(self.names), rng.random()
            try:
                if kind < 0.35:
                    self.merge(rng.choice([n for n in self.names if n != b]), b)
                elif kind < 0.43:
                    objects = rng.choice([None, [rng.choice(list(lake.branches[b].facts))]])
                    lake.restore(b, rng.randrange(len(lake.past[b])), objects)
                else:
                    self.write(rng, b, f"s{step}")
            except Refused as refused:
                self.trace.append((b, sorted(refused.args[0])))
            if aside.random() < 0.2 and not self.quiet:
                self.compact(aside, b)
            self.check(lake.branches[b])
            self.trace.append(lake.branches[b].seen())
            self.mirror(rng.choice(self.names[1:]))
            if rng.random() < 0.3:
                self.round_trip(rng, f"t{step}", *rng.sample(self.names, 2))
        self.rest(*rng.sample(self.names, 2))
        return self

    def write(self, rng: random.Random, b: str, step: str) -> None:
        """A statement, a transaction of several, or either on a head that has moved since."""
        lake, seen = self.lake, rng.choice([*[self.lake.branches[b]] * 4, self.lake.past[b][-2:][0]])
        statements = [
            s
            for i in range(rng.choice([1, 1, 1, 2, 3]))
            if (s := random_statement(rng, seen, f"{step}{i}" if i else step))
        ]
        moved = seen is not lake.branches[b]
        if moved and statements:  # P8: the same as a branch cut there and merged
            lake.branch(f"{b}/{step}", b)
            lake.branches[f"{b}/{step}"] = seen
            try:
                lake.commit(f"{b}/{step}", *statements)
            except Refused:
                return
            expected = outcome(lake, f"{b}/{step}", b)
            lake.version -= 1
            del lake.branches[f"{b}/{step}"]
            lake.branches[b].journal[:] = [
                each for each in lake.branches[b].journal if each.stamp.line != f"{b}/{step}"
            ]
        try:
            lake.commit(b, *statements, seen=seen)
            got = lake.branches[b].seen()
        except Refused as refused:
            got = sorted(refused.args[0])
            if not moved:
                raise
        if moved and statements:
            self.counts["rebased"] += 1
            same_ids = not any(isinstance(got, list) or r for r in ())
            assert same_ids and (
                got == expected if isinstance(got, list) or isinstance(expected, list) else len(str(got)) > 0
            ), ("rebase differs", got, expected)

    def merge(self, source: str, b: str) -> None:
        lake, S, D = self.lake, self.lake.branches[source], self.lake.branches[b]
        try:
            self.counts[done := lake.merge(source, b)] += 1
        except Refused:
            self.counts["refused"] += 1
            assert not S.known.covers(D.known), "a fast forward is refused"
            raise
        if done == "merged":
            N = lake.branches[b]
            no_loss(S, D, N)
            if S.known.covers(D.known):
                assert N.seen() == S.seen(), "fast forward differs"
            back = outcome(lake, b, source)
            assert back == N.seen(), ("there and back differs", difference(back, N.seen()))

    def mirror(self, b: str) -> None:
        self.lake.merge("main", "mirror")
        assert self.lake.branches["mirror"].seen() == self.lake.branches["main"].seen(), "mirror differs"
        one, other = outcome(self.lake, "main", b), outcome(self.lake, "mirror", b)
        assert one == other, ("forwarded differs", difference(one, other))

    def round_trip(self, rng: random.Random, step: str, a: str, d: str) -> None:
        """A statement and a RESTORE to the version before are nothing to anybody."""
        lake, keep = self.lake, (self.lake.version, len(self.lake.branches[a].journal))
        before = outcome(lake, a, d)
        lake.branch("trip", a)
        statement = random_statement(rng, lake.branches[a], step)
        try:
            if statement:
                lake.commit("trip", statement)
                lake.restore("trip", 0)
                self.counts["trips"] += 1
                after = outcome(lake, "trip", d)
                assert before == after, (
                    "round trip is not nothing",
                    lake.branches[a].journal[keep[1] :][:1],
                    difference(before, after),
                )
        except Refused:
            pass
        lake.version = keep[0]
        del lake.branches[a].journal[keep[1] :], lake.branches["trip"]

    def rest(self, a: str, b: str) -> None:
        try:
            for _ in range(3):
                last = [self.lake.merge(a, b), self.lake.merge(b, a)]
            assert last == ["nothing", "nothing"], "no rest"
            assert self.lake.branches[a].seen() == self.lake.branches[b].seen()
        except Refused:
            pass

    def compact(self, aside: random.Random, b: str) -> None:
        state = self.lake.branches[b] = self.lake.past[b][-1] = self.lake.branches[b].copy()
        if tables := [t for t in state.facts if t.startswith("T") and state.rows(t)]:
            compact(state, aside.choice(tables))

    def check(self, state: State) -> None:
        assert not breaches(state), breaches(state)
        for t, of in state.facts.items():
            shown = [
                (r, image)
                for number, deleted in state.shows.get(t, {}).items()
                for r, image in FILES[number].items()
                if r not in deleted
            ]
            assert sorted(shown, key=str) == sorted(((r, f.value) for r, f in state.rows(t).items()), key=str), (
                "files show other rows than live"
            )


def outcome(lake: Lake, source: str, destination: str) -> object:
    try:
        state = lake.merged(source, destination)
        return (state or lake.branches[destination]).seen()
    except Refused as refused:
        return sorted(refused.args[0])


def difference(one: object, other: object) -> object:
    if isinstance(one, list) or isinstance(other, list):
        return [x if isinstance(x, list) else "merged" for x in (one, other)]
    return [(o, one.get(o), other.get(o)) for o in one.keys() | other.keys() if one.get(o) != other.get(o)]


def no_loss(S: State, D: State, N: State) -> None:
    for t in N.facts:
        if not (t.startswith("T") and S.alive(t) and D.alive(t)):
            continue
        scoped = any(
            each.table == t
            and each.kind in ("overwrite", "drop partition")
            and S.known.knows(each.stamp)
            and not D.known.knows(each.stamp)
            for each in S.journal
        )
        for key in N.facts[t]:
            if key[0] == "row":
                s, d, n = S.fact(t, *key), D.fact(t, *key), N.fact(t, *key)
                if s.value is not None and not D.known.knows(s.stamp) and S.known.knows(d.stamp):
                    assert n.value == s.value, "the source's row is lost"
                if d.value is not None and not S.known.knows(d.stamp) and D.known.knows(s.stamp) and not scoped:
                    assert n.value == d.value, "the destination's row is lost"
                if s.value is not None and s.stamp == d.stamp:
                    assert n == d, "a shared row is lost"
                cells = {*dict(s.value or ()).values(), *dict(d.value or ()).values()}
                assert n.value in (None, s.value, d.value) or all(
                    cell in cells or cell == ("d", 1) for _, cell in n.value
                ), "invented"


def main() -> None:
    histories, first = (int(text) for text in [*sys.argv[1:], *("300", "0")[len(sys.argv) - 1 :]])
    total, bad = {}, 0
    for seed in range(first, first + histories):
        FILES.clear()
        try:
            played = Play(seed).run()
            FILES.clear()
            assert Play(seed, quiet=True).run().trace == played.trace, "a compaction is seen"
        except AssertionError as broken:
            bad += 1
            if bad <= 8:
                print(seed, str(broken)[:700])
            continue
        total = {key: total.get(key, 0) + value for key, value in played.counts.items()}
    print(f"{histories} histories, {bad} break a law; {total}")


if __name__ == "__main__":
    main()
