"""The histories of three branches once more, with a fourth that does nothing but merge main: merging it comes
to the same as merging main, and merging into it comes to the same as into main.
"""

from __future__ import annotations

import itertools

import pytest

from lakeui.common.errors import MergeConflict
from tests.stories.test_three_branch_histories import Branches, Row, Step, keep_the_laws, play
from tests.support.lake import Lake
from tests.support.soak import IS_SOAK


class Forwarded(Branches):
    """``forward`` holds what main holds before main and another branch merge."""

    def __init__(self, lake: Lake) -> None:
        super().__init__(lake)
        lake.sql("CREATE BRANCH forward")
        self.copies = itertools.count()
        self.has_restored = False

    def take(self, step: Step) -> None:
        super().take(step)
        self.has_restored = self.has_restored or step[:2] == ("restore", "main")

    def merge(self, source: str, destination: str) -> bool:
        self._comes_to_the_same(source, destination)
        return super().merge(source, destination)

    def take_over(self, source: str, destination: str) -> None:
        self._comes_to_the_same(source, destination)
        super().take_over(source, destination)

    def _comes_to_the_same(self, source: str, destination: str) -> None:
        if "main" not in (source, destination):
            return
        self.lake.merge("main", "forward")
        assert self.rows("forward") == self.rows("main"), "a branch that only merges another differs from it"
        if source == "main":
            plain, forwarded = (self._outcome(teller, destination) for teller in ("main", "forward"))
        else:
            plain, forwarded = (self._outcome(source, hearer) for hearer in ("main", "forward"))
        if self.is_swept and (plain is None or forwarded is None):
            # What a side did before it swept partitions is judged by its files where these are left to look at.
            return
        if source == "main" and self.has_restored and forwarded == self.rows("forward"):
            # What main took back is nothing to who knew nothing of it. That its restore took nothing else where it was
            # merged cannot be seen there: it is the overwrite that it was (P7).
            return
        assert plain == forwarded, f"{source} to {destination}, by way of another: {forwarded} instead of {plain}"

    def _outcome(self, source: str, destination: str) -> dict[int, Row] | None:
        """The rows after a merge into a branch of the target's; None where it is refused."""
        copy = f"copy_{next(self.copies)}"
        self.lake.sql(f"CREATE BRANCH {copy}", destination)
        try:
            self.lake.merge(source, copy)
        except MergeConflict:
            return None
        return self.rows(copy)


@pytest.mark.parametrize("number", range(250 if IS_SOAK else 5))
def test_branch_forwards_changes_of_another_unaltered(database: None, memory_engine: object, number: int) -> None:
    keep_the_laws(number, kind=Forwarded)


FOUND: dict[str, list[Step]] = {
    "a sweep that was merged together with what it was made on counts": [
        ("insert", "main", 4, 0),
        ("merge", "main", 1, 1),
        ("move", "w", 1, 0),
        ("merge", "w", 2, 1),
        ("overwrite", "main", 1, 1),
        ("merge", "w", 1, 0),
    ],
    "a deleted row that the other side had updated and compacted stays": [
        ("set many", "main", 1, 1),
        ("delete many", "b", 2, 0),
        ("optimize", "main", 1, 0),
        ("merge", "b", 2, 1),
    ],
    "also where it shared its file with others": [
        ("set", "main", 1, 1),
        ("delete", "b", 1, 0),
        ("optimize", "main", 1, 0),
        ("merge", "b", 2, 1),
    ],
    "an update takes no rows of its file that a restore had put back": [
        ("delete", "main", 1, 1),
        ("merge", "main", 2, 1),
        ("restore", "main", 6, 1),
        ("set", "w", 3, 0),
        ("merge", "w", 1, 1),
    ],
    "an overwrite under a former name takes nothing that had left with a rename": [
        ("rename", "main", 3, 1),
        ("set", "b", 6, 0),
        ("merge", "b", 1, 1),
        ("overwrite", "main", 5, 1),
        ("merge", "main", 2, 1),
    ],
    "a drop of a partition takes rows that had left it also where it is merged further": [
        ("rename", "w", 3, 0),
        ("merge", "w", 1, 1),
        ("move", "main", 1, 1),
        ("empty", "w", 4, 1),
        ("merge", "main", 2, 0),
        ("merge", "w", 1, 1),
    ],
    "an update of a file that the other side had updated whole, by key, and renamed is seen": [
        ("insert", "w", 5, 1),
        ("merge", "w", 2, 1),
        ("set many", "main", 1, 1),
        ("merge", "main", 2, 0),
        ("rename", "main", 5, 1),
        ("set", "b", 3, 1),
        ("merge", "main", 2, 1),
        ("merge", "b", 1, 0),
    ],
    "two renames that were merged together move rows once where a restore had put these back": [
        ("move", "main", 1, 0),
        ("rename", "b", 2, 0),
        ("merge", "main", 2, 0),
        ("rename", "b", 3, 1),
        ("merge", "b", 1, 0),
        ("restore", "main", 6, 0),
        ("merge", "w", 1, 1),
    ],
    "a rename that was merged by key leaves rows of others under the old name": [
        ("insert", "w", 6, 0),
        ("insert", "b", 5, 0),
        ("set", "main", 2, 0),
        ("merge", "w", 1, 1),
        ("rename", "main", 1, 1),
        ("merge", "w", 2, 1),
        ("merge", "main", 1, 1),
    ],
}
"""Histories that once came to something else, made small."""


@pytest.mark.parametrize("steps", FOUND.values(), ids=FOUND)
def test_what_once_came_to_something_else(database: None, memory_engine: object, steps: list[Step]) -> None:
    play(steps, kind=Forwarded)
