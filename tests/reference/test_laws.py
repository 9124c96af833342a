"""The laws of merging hold in random histories of the reference model.

Each run plays the same histories; ``LAKEUI_SOAK=1`` plays 2,000 a law. A failure shows its seed and short history.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from tests.reference import laws
from tests.reference.history import History, Law
from tests.reference.shrinking import law_check
from tests.support.soak import IS_SOAK

HISTORIES = 2_000 if IS_SOAK else 35


def check(law: Callable[[], Law]) -> None:
    law_check(law, range(HISTORIES))


def test_histories_reset_branches_and_merge_what_was_discarded() -> None:
    counts: Counter[str] = Counter()
    for seed in range(35):
        counts.update(History(seed).play().counts)
    assert min(counts["reset"], counts["discarded merged"], counts["discarded nothing"]) >= 3, counts


def test_fast_forward() -> None:
    check(laws.FastForward)


def test_there_and_back() -> None:
    check(laws.ThereAndBack)


def test_mirror() -> None:
    check(laws.Mirror)


def test_forwarding() -> None:
    check(laws.Forwarding)


def test_rest() -> None:
    check(laws.Rest)


def test_round_trip() -> None:
    check(laws.RoundTrip)


def test_no_loss() -> None:
    check(laws.NoLoss)


def test_no_invention() -> None:
    check(laws.NoInvention)


def test_compaction_is_invisible() -> None:
    check(laws.CompactionIsInvisible)


def test_plan_is_result() -> None:
    check(laws.PlanIsResult)


def test_retention() -> None:
    check(laws.Retention)


def test_serial() -> None:
    check(laws.Serial)


def test_moved_head() -> None:
    check(laws.MovedHead)
