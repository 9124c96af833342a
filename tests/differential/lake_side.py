"""lakeui through its front door, in this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lakeui.common.errors import EngineError, LakeError
from lakeui.frontdoor import Session, StatementResult, execute
from tests.differential.answers import Answer, Done, Refused, Rows, rows_of
from tests.differential.binding import bound
from tests.differential.statements import Change, Setup
from tests.support.lake import Lake


class LakeSide:
    """The tables of one history in a catalog of their own; each trial has a branch."""

    def __init__(self) -> None:
        self._lake = Lake()
        self._lake.sql("CREATE DATABASE d")
        self._heads: dict[int, int] = {}
        self._outcomes: dict[int, Answer] = {}

    def run(self, statement: Setup) -> Answer:
        return _asked(lambda: self._sql(statement.text), lambda _: Done())

    def rows(self, table: str) -> Answer:
        return self.ask(f"SELECT * FROM {table}")

    def ask(self, question: str) -> Answer:
        return _asked(lambda: self._sql(question), _rows)

    def try_out(self, number: int, statement: Change) -> Answer:
        branch = f"b{number}"
        self._lake.sql(f"CREATE BRANCH {branch}")
        self._heads[number] = self._lake.head(branch)
        answer = _asked(lambda: self._sql(statement.text, branch), lambda _: Done())
        self._outcomes[number] = answer
        return answer

    def _sql(self, statement: str, branch: str = "main") -> StatementResult:
        written, parameters = bound(statement)
        return execute(written, Session(catalog=self._lake.catalog, branch=branch, parameters=parameters))

    def is_unchanged(self, number: int) -> bool:
        """Whether the trial made no version."""
        return number not in self._heads or self._lake.head(f"b{number}") == self._heads[number]

    def trial_rows(self, trials: Mapping[int, Change]) -> dict[int, Answer]:
        """Of each trial its refusal, or the rows of its table after it, read together where that can be done."""
        found = {number: self._outcomes[number] for number in trials}
        done = [number for number, answer in found.items() if isinstance(answer, Done)]
        for table in {trials[number].table for number in done}:
            numbers = [number for number in done if trials[number].table == table]
            found |= self._trial_rows(table.removeprefix("d."), numbers)
        return found

    def _trial_rows(self, table: str, numbers: Sequence[int]) -> dict[int, Answer]:
        parts = [f"SELECT {number} AS trial, * FROM d.`{table}@b{number}`" for number in numbers]
        try:
            result = self._lake.sql(" UNION ALL ".join(parts))
        except Exception:  # noqa: BLE001 -- asked one by one, each says what is wrong
            return {number: self.ask(f"SELECT * FROM d.`{table}@b{number}`") for number in numbers}
        columns = [(column[0], column[1]) for column in result.columns[1:]]
        return {number: rows_of(columns, [row[1:] for row in result.rows if row[0] == number]) for number in numbers}


def _rows(result: StatementResult) -> Rows:
    assert not result.truncated
    return rows_of([(column[0], column[1]) for column in result.columns], result.rows)


def _asked(work: Callable[[], StatementResult], answer: Callable[[StatementResult], Answer]) -> Answer:
    try:
        return answer(work())
    except EngineError as failure:
        return Refused(failure.code, failure.message, is_failure=True)
    except LakeError as refusal:
        return Refused(refusal.code, refusal.message)
    except Exception as failure:  # noqa: BLE001 -- any other exception is a fault of the product, and reported as one
        return Refused(type(failure).__name__, str(failure)[:400], is_failure=True)
