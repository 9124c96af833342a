"""The ten laws of merging by lineage (lineage §6), on random histories of everything together.

SQL in, states out: no model of merging stands beside. ``make soak`` plays fresh histories, ``LAKEUI_SEED=<number>``
others; a seed is named with what it breaks, and the history is made small.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Iterator

import pytest

from catalog_app.services.files import addresses_allocate
from lakeui.frontdoor import compute
from tests.lineage.histories.comparing import ComparisonIsResult
from tests.lineage.histories.engine import HistoryEngine
from tests.lineage.histories.history import MIRROR, History, Law
from tests.lineage.histories.laws import (
    CompactionIsInvisible,
    FastForward,
    Forwarding,
    Mirror,
    PlanIsResult,
    Rest,
    RoundTrip,
    ThereAndBack,
)
from tests.lineage.histories.row_laws import NoInvention, NoLoss
from tests.lineage.histories.shrinking import laws_check
from tests.support.soak import IS_SOAK, SEED

DRAWN = SEED or (str(random.SystemRandom().randrange(10**6)) if IS_SOAK else "0")
histories = pytest.mark.parametrize("number", range(2000 if IS_SOAK else 1))


@pytest.fixture(scope="module")
def services(open_database: None) -> Iterator[None]:
    engine = HistoryEngine(addresses_allocate)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compute, "engine_make", lambda: engine)
        logging.disable(logging.INFO)
        yield
        logging.disable(logging.NOTSET)


def keeps(law: Callable[[], Law], number: int) -> None:
    laws_check(lambda: [law()], f"{DRAWN} {law.__name__} {number}")


@histories
def test_law_1_fast_forward(services: None, number: int) -> None:
    keeps(FastForward, number)


@histories
def test_law_2_there_and_back(services: None, number: int) -> None:
    keeps(ThereAndBack, number)


@histories
def test_law_3_mirror(services: None, number: int) -> None:
    keeps(Mirror, number)


@histories
def test_law_4_forwarding(services: None, number: int) -> None:
    keeps(Forwarding, number)


@histories
def test_law_5_rest(services: None, number: int) -> None:
    keeps(Rest, number)


@histories
def test_law_6_round_trip(services: None, number: int) -> None:
    keeps(RoundTrip, number)


@histories
def test_law_7_no_loss(services: None, number: int) -> None:
    keeps(NoLoss, number)


@histories
def test_law_8_no_invention(services: None, number: int) -> None:
    keeps(NoInvention, number)


@histories
def test_law_9_compaction_is_invisible(services: None, number: int) -> None:
    keeps(CompactionIsInvisible, number)


@histories
def test_law_10_plan_is_result(services: None, number: int) -> None:
    keeps(PlanIsResult, number)


@histories
def test_law_10_comparison_is_result(services: None, number: int) -> None:
    keeps(ComparisonIsResult, number)


TABLE = (
    "CREATE TABLE d.t (id INT, v STRING, w STRING, tags ARRAY<STRING>, p STRING)"
    " TBLPROPERTIES ('merge.conflicts' = 'cell', 'merge.column.tags' = 'union')"
)
ROWS = "INSERT INTO d.t (id, v, w, tags, p) VALUES (1, 'o', 'o', array('o'), 'a'), (2, 'o', 'o', array('o'), 'a')"
FOUND: dict[str, list[tuple[str, str]]] = {
    "a row merged by cells holds an array that is merged as a set": [
        ("b1", "UPDATE d.t SET v = 's' WHERE id = 1"),
        ("b2", "UPDATE d.t SET w = 't' WHERE id = 1"),
        ("b1", "UPDATE d.t SET tags = array('o', 'x') WHERE id = 1"),
        ("b2", "UPDATE d.t SET tags = array('y') WHERE id = 1"),
        ("b2", "MERGE BRANCH b1"),
        ("main", "MERGE BRANCH b2"),
    ],
}
"""Histories that once broke, made small: a branch and a statement, or a branch that is merged into it."""


@pytest.mark.parametrize("name", FOUND)
def test_found(services: None, name: str) -> None:
    # The record of the last merge is asked for before other laws merge.
    laws = [PlanIsResult(), ThereAndBack(), Mirror(), Rest(), NoLoss(), NoInvention()]
    history = History(name, (), laws)
    history.begin_by(["CREATE DATABASE d", TABLE, ROWS], ("main", "b1", "b2"))
    for number, (b, text) in enumerate(FOUND[name]):
        if text.startswith("MERGE BRANCH "):
            assert not history.merge(text.split()[-1], b, number).is_refused
        else:
            history.run(b, text)
        history.stepped(b, number)
    history.end()
    (table,) = history.states[MIRROR].tables.values()
    assert table.cell(1, "tags") == ["y", "x"]
    assert [table.cell(1, name) for name in "vw"] == ["s", "t"]
