"""Cases in files: a history, and below each trial and question what plain Spark answered.

A case is a paragraph. Its first statements make tables; ``TRY`` changes them on a branch of its own, ``ASK`` reads.
Lines that begin with ``--`` are the title, or the answer of the statement above them: a refusal, or columns and rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tests.differential.answers import Answer, Done, Refused, Rows
from tests.differential.reading import statement
from tests.differential.statements import Change, Query, Setup, Statement

if TYPE_CHECKING:
    from tests.differential.lake_side import LakeSide
    from tests.differential.peer import Peer

FOLDER = Path(__file__).with_name("cases")
REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Expected:
    """A statement that is tried or asked, with the lines of its answer, sorted."""

    kind: str
    statement: Statement
    answer: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    title: str
    setup: tuple[Setup, ...]
    expected: tuple[Expected, ...]

    @property
    def text(self) -> str:
        lines = [f"-- {self.title}", *(f"{made.text};" for made in self.setup)]
        for item in self.expected:
            lines += [f"{item.kind} {item.statement.text};", *(f"-- {line}" for line in item.answer)]
        return "\n".join(lines) + "\n"


def cases_of(path: Path) -> list[Case]:
    return [_case(part.strip().split("\n")) for part in path.read_text(encoding="utf-8").split("\n\n") if part.strip()]


def write(path: Path, cases: Sequence[Case]) -> None:
    path.write_text("\n".join(case.text for case in cases), encoding="utf-8")


def answered(case: Case, side: LakeSide | Peer) -> Case:
    """The case with the answers of a side."""
    for made in case.setup:
        outcome = side.run(made)
        if not isinstance(outcome, Done):
            return replace(case, expected=tuple(replace(item, answer=_lines(outcome, True)) for item in case.expected))
    answers: dict[int, Answer] = {}
    trials: dict[int, Change] = {}
    for number, item in enumerate(case.expected):
        if isinstance(item.statement, Query):
            answers[number] = side.ask(item.statement.text)
        else:
            answers[number] = side.try_out(number, item.statement)
            trials |= {number: item.statement} if isinstance(answers[number], Done) else {}
    before = {table: side.rows(table) for table in {trial.table for trial in trials.values()}}
    for number, answer in side.trial_rows(trials).items():
        answers[number] = Done() if answer == before[trials[number].table] else answer
    return replace(
        case,
        expected=tuple(
            replace(item, answer=_lines(answers[number], side.is_unchanged(number)))
            for number, item in enumerate(case.expected)
        ),
    )


def differences(case: Case, got: Case) -> list[tuple[str, str]]:
    """Each statement that a side answered otherwise than the case says, and what differs, in words."""
    return [
        (want.statement.text, f"lakeui: {' '.join(have.answer)}\n  Spark: {' '.join(want.answer)}")
        for want, have in zip(case.expected, got.expected, strict=True)
        if not _agree(want.answer, have.answer)
    ]


def _agree(want: tuple[str, ...], have: tuple[str, ...]) -> bool:
    """A refusal agrees with a refusal; why it is one is for the reader."""
    if want[:1] and want[0].startswith(REFUSED):
        return have[:1] != () and have[0].startswith(REFUSED)
    return want == have


def _lines(answer: Answer, is_unchanged: bool) -> tuple[str, ...]:
    match answer:
        case Refused(code, message, is_failure):
            what = "failed" if is_failure else REFUSED
            return (f"{what}: {code} {' '.join(message.split())[:120]}",)
        case Done():
            return ("no version",) if is_unchanged else ("a version although no row changed",)
        case Rows(columns, rows):
            names = ", ".join(f"{name} {kind}" for name, kind in columns)
            return (f"columns: {names}", *sorted(rows.elements()))


def _case(lines: list[str]) -> Case:
    setup: list[Setup] = []
    expected: list[Expected] = []
    for text, answer in _statements(lines[1:]):
        kind, _, rest = text.partition(" ")
        if kind in ("TRY", "ASK"):
            expected.append(Expected(kind, statement(rest), answer))
        else:
            setup.append(statement(text))
    return Case(lines[0].removeprefix("--").strip(), tuple(setup), tuple(expected))


def _statements(lines: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each statement, which ends with a semicolon, with the lines below it."""
    text, answer = "", []
    for line in lines:
        if line.startswith("--"):
            answer.append(line.removeprefix("--").strip())
            continue
        if text.endswith(";"):
            yield text[:-1], tuple(answer)
            text, answer = "", []
        text = f"{text}\n{line}" if text else line
    yield text.removesuffix(";"), tuple(answer)
