"""The delay before a part starts again, and when it is given up."""

from __future__ import annotations

from lakeui.runtime.restarts import LONGEST_DELAY_SECONDS, MOST_ENDS, WINDOW_SECONDS, RestartPolicy


def test_delays_grow_until_the_part_is_given_up() -> None:
    policy = RestartPolicy()
    delays = [policy.delay("worker", now=float(second)) for second in range(MOST_ENDS)]
    assert delays == [0.5, 1.0, 2.0, 4.0, 8.0, None]
    assert max(delay for delay in delays if delay) <= LONGEST_DELAY_SECONDS


def test_only_recent_ends_of_same_part_count() -> None:
    policy = RestartPolicy()
    for second in range(MOST_ENDS - 1):
        policy.delay("worker", now=float(second))
    assert policy.delay("web", now=5.0) == 0.5
    assert policy.delay("worker", now=WINDOW_SECONDS + MOST_ENDS) == 0.5
