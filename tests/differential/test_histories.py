"""Random histories here and in plain Spark: same answers, same refusals.

Each run plays the same history; ``LAKEUI_SEED=<number>`` plays one. ``LAKEUI_SOAK=1`` plays fresh ones for
``LAKEUI_SOAK_SECONDS``, an hour if nothing is said, and shows the seed of each.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from random import SystemRandom
from typing import TYPE_CHECKING

import pytest

from tests.differential.differences import left_out
from tests.differential.generator import Size, history
from tests.differential.running import Difference, compared
from tests.differential.shrinking import alone, shown, smaller
from tests.differential.statements import History
from tests.support.soak import IS_SOAK

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

SECONDS = float(os.environ.get("LAKEUI_SOAK_SECONDS", "3600"))
SIZE = replace(Size() if IS_SOAK else Size(trials=6, finds=12, queries=2), without=left_out())
SEEDS = (1,)
ATTEMPTS = 60 if IS_SOAK else 25
"""How many smaller histories are tried of one that shows a difference."""


def _seeds() -> Iterator[int]:
    if "LAKEUI_SEED" in os.environ:
        yield int(os.environ["LAKEUI_SEED"])
    elif IS_SOAK:
        ends = time.monotonic() + SECONDS
        while time.monotonic() < ends:
            yield SystemRandom().randrange(10**9)
    else:
        yield from SEEDS


def test_random_histories_are_answered_as_spark_answers(
    services: None, plain_spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    played = []
    for seed in _seeds():
        played.append(seed)
        made = history(seed, SIZE)
        found = compared(plain_spark, made)
        if found:
            pytest.fail(_report(plain_spark, made, found), pytrace=False)
        if IS_SOAK:
            with capsys.disabled():
                os.write(1, f"seed {seed}\n".encode())
    assert played


def _report(spark: SparkSession, made: History, found: list[Difference]) -> str:
    """The first difference made small, then the others as they are."""
    first = found[0]

    def shows(candidate: History) -> Difference | None:
        same = (item for item in compared(spark, candidate) if item.kind == first.kind)
        return next(same, None)

    small, difference = smaller(alone(made, first), shows, attempts=ATTEMPTS)
    others = "".join(f"\n\nalso {item.statement.text}\n=> {item.text}" for item in found[1:])
    return shown(small, difference or first) + others
