"""Compares the merge by lineage with the reference model: same facts, same verdicts, for each merge that is played."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from merge_app.lineage import facts as inputs
from merge_app.lineage.cells import column_merge
from merge_app.lineage.facts import ABSENT, Commits, Facts, Granularity, Kind, News, Scope, ScopeKind
from merge_app.lineage.objects import ObjectsOutcome, objects_merge
from merge_app.lineage.outcomes import CONFLICT, NO_BASE, Outcome, TableOutcome
from merge_app.lineage.tables import table_merge
from tests.lineage.row_facts import fact_columns
from tests.reference import facts as reference
from tests.reference.breaches import breaches
from tests.reference.merge import merge, sides_merge
from tests.reference.sides import Decisions, Sides
from tests.reference.stamps import NEVER, Stamp, Vector
from tests.reference.state import State


def widens(narrow: Any, wide: Any) -> bool:
    return bool(narrow <= wide)


class Codes:
    """Equal values have equal codes."""

    def __init__(self) -> None:
        self.by_value: dict[Hashable, int] = {None: ABSENT}
        self.values: dict[int, Any] = {ABSENT: None}

    def __call__(self, value: Any) -> int:
        code = self.by_value.setdefault(value, len(self.values))
        self.values[code] = value
        return code

    def again(self, value: Any) -> int:
        """A code that equals no other one."""
        code = len(self.values)
        self.values[code] = value
        return code


def kind_of(text: str) -> Kind:
    return Kind[text.upper()]


OF_ROWS = ("row", "partition", "id")
"""First parts of keys of facts of rows. The core has no ids of keys (R14)."""


def attributes(state: State, other: Vector) -> dict[str, dict[reference.Key, inputs.Fact]]:
    """As a merge with a side that knows ``other`` is given them."""
    return {
        o: {key: attribute(fact, other) for key, fact in of.items() if key[0] not in OF_ROWS}
        for o, of in state.facts.items()
    }


def attribute(fact: reference.Fact, other: Vector) -> inputs.Fact:
    past = tuple((item.stamp.version, item.value) for item in fact.newest_for(other))
    return inputs.Fact(fact.value, fact.stamp.version, kind_of(fact.kind), past)


def plain(facts: Facts) -> dict[Any, dict[Any, tuple[Any, ...]]]:
    """The facts of a result, without what they were."""
    return {o: {key: (f.value, f.stamp, f.kind) for key, f in of.items()} for o, of in facts.items()}


@dataclass
class Comparison:
    """One merge of the model, converted. ``leave_out``: rows whose facts are equal are not given."""

    merge: Sides
    leave_out: bool
    images: Codes = field(default_factory=Codes)
    partitions: Codes = field(default_factory=Codes)
    cells: Codes = field(default_factory=Codes)
    ranges: Codes = field(default_factory=Codes)
    placed: set[tuple[str, reference.Key]] = field(default_factory=set)
    """By table, partitions of rows that the model decides and the core does not."""

    def news(self) -> News:
        source, target = self.merge.source, self.merge.target
        stamps = {each.stamp for each in source.journal}
        for state in (source, target):
            for of in state.facts.values():
                for fact in of.values():
                    stamps |= {fact.stamp, *(item.stamp for item in fact.past)}
                    stamps |= {fact.brings[0]} if fact.brings else set()
        of_source = {s.version for s in stamps if source.known.knows(s) and not target.known.knows(s)}
        of_target = {s.version for s in stamps if target.known.knows(s) and not source.known.knows(s)}
        return News(*(np.array(sorted(each), dtype=np.int64) for each in (of_source, of_target)))

    def commits(self) -> Commits:
        """All that the source knows of rows."""
        facts = (fact for of in self.merge.source.facts.values() for fact in of.values())
        stamps = sorted({fact.stamp for fact in facts if fact.stamp != NEVER})
        versions = np.array([stamp.version for stamp in stamps], dtype=np.int64)
        return Commits(versions, np.array([stamp.branch for stamp in stamps], dtype=object))

    def columns(self, found: list[reference.Fact], code: Codes, other: Vector) -> inputs.FactColumns:
        brings = [fact.brings or (NEVER, "never") for fact in found]
        newest = [sorted(fact.newest_for(other), key=lambda item: item.stamp)[-1:] for fact in found]
        # Of several values that did not know each other none is the one before (P7).
        is_one = [len({item.value for item in fact.newest_for(other)}) <= 1 for fact in found]
        known = [items if one or items[0].value is not None else [] for items, one in zip(newest, is_one, strict=True)]
        ints = {
            "stamp": [fact.stamp.version for fact in found],
            "value": [code(fact.value) for fact in found],
            "brings_stamp": [stamp.version for stamp, _ in brings],
            "was": [
                (code(item[0].value) if one else code.again(item[0].value)) if item else ABSENT
                for item, one in zip(known, is_one, strict=True)
            ],
            "was_stamp": [item[0].stamp.version if item else 0 for item in known],
        }
        return fact_columns(
            **{name: np.array(values, dtype=np.int64) for name, values in ints.items()},
            kind=np.array([kind_of(fact.kind) for fact in found], dtype=np.int8),
            brings_kind=np.array([kind_of(kind) for _, kind in brings], dtype=np.int8),
            was_known=np.array([bool(item) for item in known], dtype=np.bool_),
        )

    def rows(self, t: str, ids: dict[Any, int], side: State, other: State) -> inputs.RowFacts:
        def is_equal(r: Any) -> bool:
            return all(side.fact(t, of, r) == other.fact(t, of, r) for of in ("row", "partition"))

        of = side.facts.get(t, {})
        held = [r for r in ids if ("row", r) in of and not (self.leave_out and is_equal(r))]
        assert all(("partition", r) in of for r in held)
        return inputs.RowFacts(
            np.array([ids[r] for r in held], dtype=np.int64),
            self.columns([of["row", r] for r in held], self.images, other.known),
            self.columns([of["partition", r] for r in held], self.partitions, other.known),
            np.array([0 if self.is_keyed(t) else self.ranges((r.inserted, r.file)) for r in held], dtype=np.int64),
            np.array([0 if self.is_keyed(t) else r.inserted for r in held], dtype=np.int64),
        )

    def is_keyed(self, t: str) -> bool:
        return self.merge.target.is_keyed(t)

    def scopes(self, t: str, side: State) -> list[Scope]:
        def code(partition: str | None) -> int | None:
            return None if partition is None else self.partitions(partition)

        return [
            Scope(each.stamp.version, each.stamp.branch, ScopeKind(each.kind), each.knows.newest,
                  code(each.partition), code(each.to), each.then and each.then.newest)
            for each in side.journal if each.table == t and side.known.knows(each.stamp)
        ]  # fmt: skip

    def merged_images(self, t: str) -> Callable[..., Any]:
        """Cells by column, over codes of cells."""

        def merge(source: Any, target: Any, base: Any) -> Any:
            columns = self.merge.result.columns(t)
            has_base = base != NO_BASE
            images, refused = [[] for _ in source], np.zeros(len(source), dtype=np.bool_)
            for c, column in columns.items():
                read = [
                    pa.array([None if cell is None else self.cells(cell) for cell in (
                        None if image < 0 else column.read(self.images.values[int(image)], c) for image in side
                    )], type=pa.int64())
                    for side in (source, target, base)
                ]  # fmt: skip
                merged = column_merge(*read, has_base)
                refused |= merged.conflicts
                for image, cell in zip(images, merged.values.to_pylist(), strict=True):
                    image.append((c, None if cell is None else self.cells.values[cell]))
            return np.array(
                [CONFLICT if no else self.images(tuple(image)) for image, no in zip(images, refused, strict=True)]
            )

        return merge

    def run(self) -> set[str]:
        """Codes of all verdicts, ours; compares facts on the way."""
        merge = self.merge
        source, target = (
            attributes(side, other.known)
            for side, other in ((merge.source, merge.target), (merge.target, merge.source))
        )
        news = self.news()
        stamp = merge.stamp.version
        objects = objects_merge(source, target, news, stamp=stamp, widens=widens)
        assert plain(objects.facts) == plain(attributes(merge.result, Vector())), "attributes"
        tables = {o: self.table(o, objects, news) for o in objects.alive if not o.startswith("D")}
        found = [*objects.findings, *(finding for table in tables.values() for finding in table.findings)]
        self.compare_decides(objects, tables)
        return {str(finding.code) for finding in found if finding.is_conflict}

    def table(self, t: str, objects: ObjectsOutcome, news: News) -> TableOutcome:
        source, target = self.merge.source, self.merge.target
        ids = {r: at * 3 for at, r in enumerate(sorted(
            {key[1] for side in (source, target) for key in side.facts.get(t, {}) if key[0] == "row"}, key=str
        ))}  # fmt: skip
        given = inputs.TableFacts(
            self.rows(t, ids, source, target),
            self.rows(t, ids, target, source),
            objects.alive[t],
            Granularity(self.merge.conflicts),
            self.is_keyed(t),
            self.scopes(t, source),
            self.scopes(t, target),
            {each.stamp.version for each in target.journal if each.table == t and each.kind == "overwrite"},
            self.commits(),
        )
        outcome = table_merge(t, given, news, stamp=self.merge.stamp.version, cells=self.merged_images(t))
        self.compare_rows(t, ids, given, outcome)
        return outcome

    def compare_rows(self, t: str, ids: dict[Any, int], given: inputs.TableFacts, outcome: TableOutcome) -> None:
        stamp, merge = self.merge.stamp.version, self.merge
        at = {int(row_id): at for at, row_id in enumerate(outcome.pairs.row_id)}
        for of, result, codes in (
            ("row", outcome.row_facts(given.source, given.target, stamp), self.images),
            ("partition", outcome.partition_facts(given.source, given.target, stamp), self.partitions),
        ):
            for r, number in ids.items():
                if number in at:
                    i = at[number]
                    ours = codes.values[int(result.value[i])], int(result.stamp[i]), Kind(result.kind[i])
                else:
                    fact = merge.target.fact(t, of, r)
                    assert fact == merge.source.fact(t, of, r)
                    ours = fact.value, fact.stamp.version, kind_of(fact.kind)
                fact = merge.result.fact(t, of, r)
                if of == "partition" and fact.stamp == merge.stamp and ours[1] in self.placed_by(t, r):
                    # Where the image decides the place, the core leaves the fact of a side as it is.
                    ours = ours[0], stamp, kind_of(fact.kind)
                    self.placed.add((t, ("partition", r)))
                assert ours == (fact.value, fact.stamp.version, kind_of(fact.kind)), (t, of, r, ours, fact)

    def placed_by(self, t: str, r: Any) -> set[int]:
        """The stamps of both sides for where the row lies."""
        return {side.fact(t, "partition", r).stamp.version for side in (self.merge.source, self.merge.target)}

    def compare_decides(self, objects: ObjectsOutcome, tables: dict[str, TableOutcome]) -> None:
        merge = self.merge
        if merge.source.known.dot is None:  # else the statement's own facts have that stamp
            decides = any(fact.stamp == merge.stamp for o, of in merge.result.facts.items()
                          for key, fact in of.items() if key[0] != "id" and (o, key) not in self.placed)  # fmt: skip
            stamped = any(fact.stamp == merge.stamp.version for of in objects.facts.values() for fact in of.values())
            rows = (part.outcome for table in tables.values() for part in (table.rows, table.partitions))
            assert decides == (stamped or any((part >= Outcome.TARGET_DECIDED).any() for part in rows)), "decides"


OF_OBJECTS_AND_VALUES = {
    "NAME_EXISTS",
    "OBJECT_DROPPED_ON_DEST",
    "UNSET_SAME_PROPERTY",
    "NOT_NULL_WITHOUT_VALUE",
    "COLUMN_TYPE_NARROWING",
    "COLUMN_MISSING",
}
"""Verdicts on objects together with their rows, and on values of rows. The core sees neither; the planner judges them,
and the tests of the product compare these with the model.
"""


@dataclass
class Watch:
    """Every merge of the model is run by lineage too, but those that a person decided: the core knows no decisions."""

    rng: random.Random
    merges: int = 0
    refused: int = 0
    codes: set[str] = field(default_factory=set)

    def merge(
        self, source: State, target: State, stamp: Stamp, conflicts: str = "file", decisions: Decisions | None = None
    ) -> State:
        """In place of the model's merge."""
        if not decisions:
            sides = sides_merge(source, target, stamp, conflicts)
            # That no row id lives under two keys (R14) is judged on ids, which the core does not have.
            expected = sides.verdicts | (breaches(sides.result) - {"PRIMARY_KEY_CLASH"})
            got = Comparison(sides, leave_out=self.rng.random() < 0.5).run()
            assert got <= expected <= got | OF_OBJECTS_AND_VALUES, ("verdicts", got, expected)
            self.merges += 1
            self.refused += bool(got)
            self.codes |= got
        return merge(source, target, stamp, conflicts, decisions)
