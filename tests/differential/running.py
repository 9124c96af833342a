"""A history on both sides, statement by statement, and every difference between their answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.differential.answers import Answer, Done, Refused, Rows, difference
from tests.differential.differences import intended, open_reason
from tests.differential.lake_side import LakeSide
from tests.differential.peer import Peer
from tests.differential.statements import (
    Change,
    Find,
    History,
    Merge,
    Optimize,
    Query,
    Question,
    Setup,
    Statement,
    Update,
)

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession


@dataclass(frozen=True, slots=True)
class Difference:
    statement: Statement
    text: str

    @property
    def kind(self) -> str:
        """What must stay the same while a history is made smaller."""
        return self.text.partition(":")[0]


def compared(spark: SparkSession, history: History) -> list[Difference]:
    """Every difference of the history that is not on the lists of ``differences``."""
    with closing(Peer(spark)) as peer:
        lake = LakeSide()
        found, are_alike = setup_compare(lake, peer, history.setup)
        # A table that neither side made has no rows to compare.
        if are_alike and all(peer.has(statement.table) for statement in history.setup):
            found += _questions(lake, peer, history.questions)
            found += _trials(lake, peer, history.trials)
    return found


def setup_compare(lake: LakeSide, peer: Peer, statements: Sequence[Setup]) -> tuple[list[Difference], bool]:
    """The differences, and whether both have the same tables: with others nothing more can be compared. A zero of a
    changed table may have another sign (see ``_one_zero``); that is no difference, but other tables.
    """
    changed: dict[str, Setup] = {}
    for statement in statements:
        theirs, ours = peer.run(statement), lake.run(statement)
        found = _found(statement, ours, theirs)
        if found:
            return [found], False
        changed[statement.table] = _deciding(changed.get(statement.table), statement)
    differences, are_alike = [], True
    for table, last in changed.items():
        if not peer.has(table):
            continue
        ours, theirs = lake.rows(table), peer.rows(table)
        are_alike &= ours == theirs
        differences += _each(last, *_one_zero(last, ours, theirs))
    return differences, are_alike


def _deciding(before: Setup | None, statement: Setup) -> Setup:
    """What a table is compared as changed by: an UPDATE or MERGE among its statements, else the last."""
    is_kept = isinstance(before, Update | Merge) and not isinstance(statement, Update | Merge)
    return before if is_kept and before is not None else statement


def _questions(lake: LakeSide, peer: Peer, questions: Sequence[Question]) -> Iterator[Difference]:
    """Conditions that Spark resolves are asked together; what only fails with values is asked again, one by one."""
    together: list[Find] = []
    for question in questions:
        resolved = peer.analyses(question)
        if isinstance(question, Find) and isinstance(resolved, Done):
            together.append(question)
            continue
        theirs = peer.ask(question.text) if isinstance(resolved, Done) else resolved
        yield from _each(question, *_one_zero(question, lake.ask(question.text), theirs))
    if together:
        yield from _finds(lake, peer, together)


def _finds(lake: LakeSide, peer: Peer, finds: Sequence[Find]) -> Iterator[Difference]:
    text = " UNION ALL ".join(
        f"SELECT {number} AS q, {find.key} AS found FROM {find.table} AS t WHERE {find.where}"
        for number, find in enumerate(finds)
    )
    ours, theirs = lake.ask(text), peer.ask(text)
    for number, find in enumerate(finds):
        if isinstance(ours, Rows) and isinstance(theirs, Rows):
            yield from _each(find, ours.only(number), theirs.only(number))
        else:
            yield from _each(find, lake.ask(find.text), peer.ask(find.text))


def _trials(lake: LakeSide, peer: Peer, trials: Sequence[Change]) -> Iterator[Difference]:
    carried: dict[int, Change] = {}
    for number, statement in enumerate(trials):
        theirs, ours = peer.try_out(number, statement), lake.try_out(number, statement)
        if isinstance(theirs, Done):
            carried[number] = statement
        else:
            yield from _each(statement, ours, theirs)
    before = {table: peer.rows(table) for table in {statement.table for statement in carried.values()}}
    expected, got = peer.trial_rows(carried), lake.trial_rows(carried)
    for number, statement in carried.items():
        is_needless = expected[number] == before[statement.table] and not isinstance(statement, Optimize)
        if is_needless and not lake.is_unchanged(number):
            yield from _each(statement, Refused("VERSION", "a version although no row changed"), Done())
        yield from _each(statement, *_one_zero(statement, got[number], expected[number]))


def _one_zero(statement: Setup | Change | Question, ours: Answer, theirs: Answer) -> tuple[Answer, Answer]:
    """0.0 equals -0.0. A row whose new values equal its old ones is not written (rows.md §1.5), so its zero keeps its
    sign. The least of equal values is the one that Spark reads first.
    """
    is_open = isinstance(statement, Update | Merge) or (isinstance(statement, Query) and "min(" in statement.text)
    if is_open and isinstance(ours, Rows) and isinstance(theirs, Rows):
        return ours.with_one_zero(), theirs.with_one_zero()
    return ours, theirs


def _each(statement: Statement, ours: Answer, theirs: Answer) -> Iterator[Difference]:
    found = _found(statement, ours, theirs)
    if found:
        yield found


def _found(statement: Statement, ours: Answer, theirs: Answer) -> Difference | None:
    text = difference(ours, theirs)
    if text is None or intended(statement.text, text) or open_reason(statement.text, text) is not None:
        return None
    return Difference(statement, text)
