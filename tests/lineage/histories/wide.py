"""Histories over everything that SQL can do here: the first statements and those of ``chance_wide``, interleaved
transactions, rollbacks, merges that are reverted, and merges that are decided.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

from catalog_app.domain.quoting import quote_name, quote_text
from lakeui.common.errors import LakeError, MergeConflict, NotSupported
from tests.lineage.histories import history as histories
from tests.lineage.histories.chance import statement_by_chance
from tests.lineage.histories.chance_more import further_statement
from tests.lineage.histories.chance_wide import Elsewhere, wide_statement, wide_table_created
from tests.lineage.histories.history import History, Law
from tests.lineage.histories.states import State

REFUSALS = histories.REFUSALS | {"CHECK_VIOLATED", "FORBIDDEN_STATEMENT", "CARDINALITY", "BRANCH_MOVED"}
COUNTED = ("INSERT INTO", "INSERT OVERWRITE", "UPDATE ", "DELETE FROM", "MERGE INTO", "TRUNCATE TABLE")
Taken = tuple[str, int, str]
"""Of a decision: kind and name of the object, and what was decided of the whole of it."""


class WideHistory(History):
    """``decides``: whether people decide conflicts. Laws of the way back do not hold of what they leave out."""

    def __init__(
        self, seed: str, steps: Sequence[int], laws: Sequence[Law], *, layout: str = "drawn", decides: bool = False
    ) -> None:
        super().__init__(seed, steps, laws, layout=layout)
        self.decides = decides
        self.merge_ids: dict[str, list[str]] = {}
        self.notes: list[dict[str, Any]] = []

    def begin(self) -> None:
        paths = ["d1.t0", "d2.t1"][: self.rng.choice([1, 1, 2])]
        sql = ["CREATE DATABASE d1", "CREATE DATABASE d2", *(wide_table_created(self.rng, path) for path in paths)]
        for path in paths:
            rows = [f"({i}, 'o', 'o', 0, array('o'), '{'ab'[i % 2]}')" for i in range(1, 5)]
            sql += [f"INSERT INTO {path} (id, v, w, n, tags, p) VALUES {', '.join(rows[at : at + 2])}" for at in (0, 2)]
        self.begin_by(sql, self.names)

    def draw(self, rng: Random, b: str, word: str) -> str | None:
        chance = rng.random()
        if chance < 0.35:
            return wide_statement(rng, self.states[b], word, Elsewhere(self._readable(), self.versions[b][-6:]))
        if chance < 0.6:
            return further_statement(rng, self.states[b], word)
        return statement_by_chance(rng, self.states[b], word, self.theme)

    def _readable(self) -> dict[str, State]:
        return {name: self.states[name] for name in self.names}

    def step(self, number: int) -> None:
        rng = Random(f"{self.seed} wide step {number}")
        b, chance = rng.choice(self.names), rng.random()
        if chance < 0.4:
            if text := self.draw(rng, b, f"s{number}"):
                self.run(b, text)
        elif chance < 0.45:
            self.meanwhile(b, rng, number)
        elif chance < 0.5:
            self.rolled_back(b, rng, number)
        elif chance < 0.55 and self.merge_ids.get(b):
            self.run(b, f"RESTORE MERGE '{rng.choice(self.merge_ids[b][-2:])}'")
        else:
            super().step(number)
            return
        self.stepped(b, number)

    def run(self, b: str, *texts: str) -> None:
        """A statement first runs dry: it says what the statement then does."""
        said = self._dry(b, texts[0]) if len(texts) == 1 else None
        before, head, outcomes = self.states[b], self.lake.head(b), len(self.outcomes)
        self.answer: Any = None
        super().run(b, *texts)
        if said is None:
            return
        refused = self.outcomes[-1] if len(self.outcomes) > outcomes else None
        assert said[0] == refused, f"the dry run says {said[0]}, the statement {refused}"
        if refused is None and texts[0].startswith(COUNTED):
            self._counted(texts[0], said[1], before, self.states[b], self.lake.head(b) != head)

    def _dry(self, b: str, text: str) -> tuple[str | None, dict[str, int]]:
        """The code that refuses it, and the metrics."""
        head = self.lake.head(b)
        try:
            found = self.lake.sql(f"{text} DRY RUN", b).metrics
        except LakeError as refused:
            return refused.code, {}
        assert self.lake.head(b) == head, "a dry run moves a head"
        return None, found

    def _counted(self, text: str, metrics: dict[str, int], before: State, after: State, is_moved: bool) -> None:
        """The counts of the dry run are the rows that differ. What is taken and written under one key is both."""
        rows = 0
        for number in before.tables.keys() & after.tables.keys():
            rows += len(after.tables[number].rows) - len(before.tables[number].rows)
        inserted, deleted = (metrics.get(f"rows_{name}", 0) for name in ("inserted", "deleted"))
        if text.startswith(("INSERT OVERWRITE", "TRUNCATE")):
            return
        assert inserted - deleted == rows, f"counts {metrics}, and {rows:+} rows: {text}"
        if not any(metrics.get(f"rows_{name}", 0) for name in ("inserted", "deleted", "updated")):
            assert not is_moved, f"nothing is counted, and there is a version: {text}"

    def meanwhile(self, b: str, rng: Random, number: int) -> None:
        """A transaction whose branch moves before it ends. Whatever it comes to, the laws hold."""
        texts = [text for word in (f"s{number}", f"z{number}") if (text := self.draw(rng, b, word))]
        other = self.draw(rng, b, f"y{number}")
        if not texts:
            return
        identity = str(self.lake.sql("BEGIN", b).extra["transaction"])
        done = []
        for text in texts:
            try:
                self.lake.sql(text, b, transaction=identity)
                done.append(text)
            except LakeError as refused:
                if refused.code not in REFUSALS:
                    raise
        if other:
            self.run(b, other)
        before = self.states[b]
        self.say(b, f"COMMIT of {'; '.join(done)}")
        try:
            self.lake.sql("COMMIT", b, transaction=identity)
        except LakeError as refused:
            if refused.code not in REFUSALS:
                raise
            self.journal[-1] += f"  -- {refused.code}"
            self.outcomes.append(refused.code)
            self.count(f"COMMIT {refused.code}")
            assert self.look(b) == before, "a refused COMMIT changed a branch"
            self.lake.sql("ROLLBACK", b, transaction=identity)
            return
        self.count("COMMIT beside others")
        after = self.look(b)
        for law in self.laws:
            law.changed(self, b, "; ".join(done), before, after)

    def rolled_back(self, b: str, rng: Random, number: int) -> None:
        texts = [text for word in (f"s{number}", f"z{number}") if (text := self.draw(rng, b, word))]
        self.say(b, f"ROLLBACK of {'; '.join(texts)}")
        head = self.lake.head(b)
        identity = str(self.lake.sql("BEGIN", b).extra["transaction"])
        for text in texts:
            try:
                self.lake.sql(text, b, transaction=identity)
            except LakeError as refused:
                if refused.code not in REFUSALS:
                    raise
        self.lake.sql("ROLLBACK", b, transaction=identity)
        before = self.states[b]
        assert (self.lake.head(b), self.look(b)) == (head, before), "ROLLBACK leaves something"

    def merged(self, source: str, target: str) -> frozenset[str]:
        try:
            done = self.lake.merge(source, target)
        except MergeConflict as refused:
            conflicts = refused.details["conflicts"]
            codes = frozenset(item["code"] for item in conflicts)
            if self.decides and target in self.names:
                return self.decided(source, target, conflicts, codes)
            return codes
        except NotSupported as refused:
            return frozenset({refused.code})
        self._merged(target, done)
        return frozenset()

    def _merged(self, target: str, done: dict[str, Any]) -> None:
        self.notes = list(done.get("notes", ()))
        if done.get("version"):
            self.merge_ids.setdefault(target, []).append(str(done["merge_id"]))

    # -- decisions --------------------------------------------------------------------------------------------------

    def decided(
        self, source: str, target: str, conflicts: Sequence[dict[str, Any]], codes: frozenset[str]
    ) -> frozenset[str]:
        """Decide each conflict by one of the decisions that it names, as long as any is left. The codes that are."""
        rng = Random(f"{self.seed} decide {len(self.journal)}")
        chosen: dict[tuple[Any, ...], tuple[str, Taken]] = {}
        into = self.states[target]
        before = self.states[source]
        for _ in range(4):
            for item in conflicts:
                # One decision of a part, the last one: two that say otherwise are refused.
                place, text, taken = _drawn(rng, item, len(self.journal))
                chosen[place] = text, taken
            texts = ", ".join(text for text, _ in chosen.values())
            sql = f"MERGE BRANCH {source} TO {target} RESOLVE ({texts})"
            self.say(target, sql)
            heads = self.lake.head(source), self.lake.head(target)
            try:
                plan = self.lake.sql(f"{sql} DRY RUN", target).extra
            except LakeError as refused:
                if refused.code not in {*REFUSALS, "RESOLUTION_CLASH", "NO_OPEN_CONFLICT"}:
                    raise
                self.journal[-1] += f"  -- {refused.code}"
                self.count(f"decided {refused.code}")
                return codes
            assert heads == (self.lake.head(source), self.lake.head(target)), "a dry run moves a head"
            try:
                done = self.lake.sql(sql, target).extra
            except MergeConflict as refused:
                conflicts = refused.details["conflicts"]
                left = frozenset(item["code"] for item in conflicts)
                assert not plan["mergeable"], "the dry run merges, and the merge is refused"
                assert {item["code"] for item in plan["conflicts"]} == left, "other conflicts than the dry run says"
                assert self.reader.state(target) == into, "a refused merge changes a branch"
                codes = left
                continue
            assert plan["mergeable"], f"the merge does what the dry run refuses: {plan['conflicts']}"
            self.count("decided")
            self._merged(target, done)
            self._as_decided(before, into, self.reader.state(target), [taken for _, taken in chosen.values()])
            return frozenset()
        return codes

    def _as_decided(self, before: State, into: State, after: State, taken: Any) -> None:
        """What was decided of a whole table is what it shows."""
        for kind, object_id, decision in taken:
            if kind != "table" or decision not in ("TAKE SOURCE", "TAKE TARGET", "SKIP"):
                continue
            side, number = before if decision == "TAKE SOURCE" else into, self.reader.numbers.get(object_id)
            if number in side.tables and number in after.tables:
                was, now = side.tables[number], after.tables[number]
                assert was.plain()["rows"] == now.plain()["rows"], f"{decision} of {now.path} shows other rows"
                self.count(f"checked {decision}")


_DECISIONS = {
    "source": "TAKE SOURCE",
    "destination": "TAKE TARGET",
    "larger": "TAKE LARGER",
    "both": "KEEP BOTH",
    "rerun": "RUN AGAIN",
    "leave_out": "SKIP",
}


def _drawn(rng: Random, conflict: dict[str, Any], number: int) -> tuple[tuple[Any, ...], str, Taken]:
    """One decision of those that a conflict names, as SQL, with the part that it is of."""
    option = rng.choice(conflict["decisions"])
    kind, name, object_id = conflict["kind"], conflict["object"], conflict["object_id"]
    text = f"{kind.upper()} {'.'.join(quote_name(part) for part in name.split('.', 1))}"
    part, key, decision = option["part"], option["part_key"], option["decision"]
    match part:
        case "property":
            text += f" PROPERTY {quote_text(key)}"
        case "column":
            text += f" COLUMN {quote_name(conflict['details']['column'])}"
        case "partition":
            values = ("NULL" if value is None else quote_text(value) for value in json.loads(key))
            text += f" PARTITION ({', '.join(values)})"
        case "rows":
            text += " ROWS"
        case "row":
            text += f" ROW {quote_text(key)}"
    place = text, decision == "rename"
    if decision == "rename":
        return place, f"{text} RENAME TO n{number}_{rng.randrange(1000)}", (kind, object_id, "RENAME")
    if decision == "newest":
        return place, f"{text} TAKE NEWEST BY n", (kind, object_id, "NEWEST")
    if decision == "edited":
        return place, f"{text} SET {quote_text(json.dumps({'v': 'edited'}))}", (kind, object_id, "EDITED")
    word = _DECISIONS[decision]
    return place, f"{text} {word}", (kind, object_id, word if part == "object" else f"{part} {word}")
