"""How far branches are apart, against a walk over the commits."""

from __future__ import annotations

import itertools
import random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalog_app.models import Branch, Commit
from catalog_app.selectors.ahead_behind import Divergence, divergences_load
from tests.benchmarks.metadata import Bench

pytestmark = pytest.mark.django_db


class History(Bench):
    """Branches that grow, are cut anywhere, and merge with each other at random. No merge can conflict; some decide the
    comment of the database.
    """

    def __init__(self, seed: int) -> None:
        super().__init__(1)
        self.random = random.Random(seed)
        self.numbers = itertools.count()

    def names(self) -> list[str]:
        return [branch.name for branch in self.branches()]

    def branches(self) -> list[Branch]:
        return list(Branch.objects.filter(catalog__name=self.catalog).order_by("pk"))

    def step(self) -> None:
        what = self.random.choice(["commit", "commit", "cut", "cut early", "merge", "merge"])
        one = self.random.choice(self.names())
        match what:
            case "commit":
                number = next(self.numbers)
                statement = f"CREATE TABLE d.n{number} (id INT)"
                self.sql(f"COMMENT ON DATABASE d IS '{number}'" if number % 3 == 0 else statement, one)
            case "cut":
                self.sql(f"CREATE BRANCH b{next(self.numbers)} FROM {one}")
            case "cut early":
                version = self.random.randint(1, self.branch(one).head_version)
                self.sql(f"CREATE BRANCH b{next(self.numbers)} FROM {one} VERSION AS OF {version}")
            case "merge":
                other = self.random.choice(self.names())
                if other != one:
                    self.sql(f"MERGE BRANCH {one} TO {other}", other)

    def walked(self) -> dict[int, set[int]]:
        """The commits with news that each branch's head reaches, by walking."""
        parents = {
            pk: [p for p in both if p] for pk, *both in Commit.objects.values_list("pk", "parent", "merge_parent")
        }
        news = set(Commit.objects.filter(decides=True).values_list("pk", flat=True))
        found: dict[int, set[int]] = {}
        for branch in self.branches():
            reached: set[int] = set()
            ahead = [branch.head_commit_id] if branch.head_commit_id else []
            while ahead:
                commit = ahead.pop()
                if commit not in reached:
                    reached.add(commit)
                    ahead += parents[commit]
            found[branch.pk] = reached & news
        return found


MERGING = (1, 3)
"""Seeds of which some merges decide and some do not."""


@pytest.mark.parametrize("seed", range(4))
def test_counts_equal_a_walk_over_the_commits(seed: int) -> None:
    history = History(seed)
    for _ in range(30):
        history.step()
    walked = history.walked()
    pairs = list(itertools.permutations(history.branches(), 2))
    found = divergences_load(pairs)
    wanted = {
        (one.pk, other.pk): Divergence(len(walked[one.pk] - walked[other.pk]), len(walked[other.pk] - walked[one.pk]))
        for one, other in pairs
    }
    assert found == wanted
    merges = [*Commit.objects.filter(merge_parent__isnull=False).values_list("decides", flat=True)]
    assert seed not in MERGING or {*merges} == {True, False}
    assert any(item.ahead and item.behind for item in wanted.values())


def test_all_pairs_take_two_statements() -> None:
    history = History(7)
    for _ in range(10):
        history.step()
    pairs = list(itertools.permutations(history.branches(), 2))
    with CaptureQueriesContext(connection) as captured:
        divergences_load(pairs)
    assert len(captured) == 2


def test_no_pairs_take_none() -> None:
    with CaptureQueriesContext(connection) as captured:
        assert divergences_load([]) == {}
    assert len(captured) == 0
