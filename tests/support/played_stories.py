"""A story on a lake: each statement, what has to come of it, and what holds after every story."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from lakeui.common.errors import LakeError, MergeConflict
from lakeui.frontdoor import StatementResult
from tests.support.lake import Lake
from tests.support.story_files import Step, StoryError, rows_of


@dataclass(frozen=True, slots=True)
class Named:
    """What a step left under a name: a version, the id of its merge, or the rows of a query."""

    version: int
    merge: str
    rows: list[str] | None

    def text(self, member: str | None) -> str:
        return self.merge if member else str(self.version)


@dataclass
class Player:
    """One lake, and what the steps so far named."""

    lake: Lake
    is_foretold: bool = False
    """A dry run is asked what its last merge does."""
    names: dict[str, Named] = field(default_factory=dict)
    transactions: dict[str, str] = field(default_factory=dict)

    def play(self, steps: list[Step]) -> None:
        """All steps, up to one that ends the story."""
        last = next((step for step in reversed(steps) if self.is_foretold and step.is_plain_merge), None)
        for step in steps:
            foretold = self._foretold(step) if step is last else None
            self._step(step, foretold)
            if step.of("end"):
                return

    def settle(self, steps: list[Step]) -> None:
        """The last merge brings nothing where it is made again. No invariant of the catalog is broken."""
        ended = next((place for place, step in enumerate(steps, 1) if step.of("end")), len(steps))
        wrote: set[str] = set()
        for step in reversed(steps[:ended]):
            if step.is_plain_merge and step.source not in wrote and not step.of("refused"):
                again = Lake.sql(self.lake, step.sql)
                assert again.extra["outcome"] == "nothing to merge", f"{step.place}\nmade again it brings something"
                break
            wrote.update(step.branches)
        assert self.lake.breaches() == []

    def _foretold(self, step: Step) -> dict[str, Any] | None:
        """What a dry run says of the merge."""
        return Lake.sql(self.lake, f"{step.sql} DRY RUN").extra

    def _step(self, step: Step, foretold: dict[str, Any] | None) -> None:
        if step.sql.startswith("SELECT") and not step.outcomes:
            return  # A case in which nothing happens here.
        sql = self._spelled(step)
        answers = [(branch, self._run(step, branch, sql, foretold) if sql else None) for branch in step.branches]
        for outcome in step.of("alike"):
            assert not outcome.value
            assert len({str(_listed(answer)) for _, answer in answers}) == 1, f"{step.place}\n{answers}"
        for branch, answer in answers:
            self._compare(step, branch, answer)

    def _spelled(self, step: Step) -> str:
        """The statement with versions and merges in place of their names."""

        def find(found: re.Match[str]) -> str:
            if found[1] not in self.names:
                raise StoryError(f"{step.place}\nNothing before it is called {found[1]!r}.")
            return self.names[found[1]].text(found[2])

        return re.sub(r"\{(\w+)(\.merge)?\}", find, step.sql)

    def _run(self, step: Step, branch: str, sql: str, foretold: dict[str, Any] | None) -> StatementResult | None:
        refused = [code for outcome in step.of("refused") for code in outcome.codes]
        head = self.lake.head(branch) if refused else 0
        try:
            answer = self._execute(step, branch, sql)
        except LakeError as error:
            got = _codes(error.details["conflicts"]) if isinstance(error, MergeConflict) else [error.code]
            assert got == refused, f"{step.place}\nrefused with {got} on {branch}"
            assert self.lake.head(branch) == head, f"{step.place}\nrefused, and {branch} moved"
            if foretold:
                assert _codes(foretold["conflicts"]) == got, f"{step.place}\nthe dry run said {foretold['conflicts']}"
            return None
        assert not refused, f"{step.place}\nnot refused on {branch}"
        if foretold:
            assert foretold["conflicts"] == [], f"{step.place}\nthe dry run said {foretold['conflicts']}"
            assert _notes(foretold) == _notes(answer.extra), f"{step.place}\nthe dry run said {foretold['notes']}"
        return answer

    def _execute(self, step: Step, branch: str, sql: str) -> StatementResult:
        if step.source:
            return self.lake.sql(sql)
        opened = self.transactions.get(step.transaction) if step.transaction else None
        answer = self.lake.sql(sql, branch, **({"transaction": opened} if opened else {}))
        if step.transaction and sql == "BEGIN":
            self.transactions[step.transaction] = answer.extra["transaction"]
        return answer

    def _compare(self, step: Step, branch: str, answer: StatementResult | None) -> None:
        for outcome in step.outcomes:
            match outcome.kind:
                case "rows":
                    wanted = rows_of(outcome.value)
                    found, expected = _listed(answer, wanted, step.sql), sorted(map(repr, wanted))
                    assert found == expected, f"{step.place}\n{branch} shows {found}"
                case "like":
                    expected = self.names[outcome.value].rows or []
                    assert _listed(answer) == expected, (
                        f"{step.place}\n{branch} shows {_listed(answer)}, not {expected}"
                    )
                case "as":
                    merge = str(answer.extra.get("merge_id")) if answer and answer.extra else ""
                    rows = None if answer is None else _listed(answer)
                    self.names[outcome.value] = Named(self.lake.head(branch), merge, rows)
                case "notes":
                    assert answer is not None
                    notes = _notes(answer.extra)
                    assert notes == outcome.codes, f"{step.place}\nits notes are {notes}"
                case "nothing to merge":
                    assert answer is not None
                    assert answer.extra["outcome"] == outcome.kind, f"{step.place}\nit merged"


def _listed(answer: StatementResult | None, wanted: Sequence[tuple[Any, ...]] = (), sql: str = "") -> list[str]:
    """The rows. Of what SHOW and DESCRIBE list, as many columns as the story names."""
    is_list = wanted and sql.startswith(("SHOW", "DESCRIBE"))
    columns = len(wanted[0]) if is_list else None
    return sorted(repr(tuple(row[:columns])) for row in answer.rows) if answer else []


def _codes(found: Iterable[dict[str, Any]]) -> list[str]:
    return sorted({item["code"] for item in found})


def _notes(extra: dict[str, Any]) -> list[str]:
    return sorted(note["code"] for note in extra["notes"])
