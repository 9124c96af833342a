"""The ten laws of merging by lineage (lineage §6), on random histories of everything together.

SQL in, states out: no model of merging stands beside. ``make soak`` plays fresh histories, ``LAKEUI_SEED=<number>``
others; a seed is named with what it breaks, and the history is made small.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Iterator

import pytest
from django.conf import settings

from catalog_app.services.files import addresses_allocate
from lakeui.frontdoor import compute
from tests.lineage.histories.engine import HistoryEngine
from tests.lineage.histories.history import Law
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
from tests.soak import IS_SOAK
from tests.stateful.test_histories import SEED

DRAWN = SEED or (str(random.SystemRandom().randrange(10**6)) if IS_SOAK else "0")
A_LAW = 2000 if IS_SOAK else 4
LAWS: dict[str, Callable[[], Law]] = {
    "1 fast forward": FastForward,
    "2 there and back": ThereAndBack,
    "3 mirror": Mirror,
    "4 forwarding": Forwarding,
    "5 rest": Rest,
    "6 round trip": RoundTrip,
    "7 no loss": NoLoss,
    "8 no invention": NoInvention,
    "9 compaction is invisible": CompactionIsInvisible,
    "10 plan is result": PlanIsResult,
}


@pytest.fixture(scope="module")
def services(open_database: None) -> Iterator[None]:
    engine = HistoryEngine(addresses_allocate)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compute, "engine_make", lambda: engine)
        patch.setitem(settings.LAKEUI, "MERGE_BY_LINEAGE", True)
        logging.disable(logging.INFO)
        yield
        logging.disable(logging.NOTSET)


@pytest.mark.parametrize("number", range(A_LAW))
@pytest.mark.parametrize("law", LAWS)
def test_law(services: None, law: str, number: int) -> None:
    laws_check(lambda: [LAWS[law]()], f"{DRAWN} {law} {number}")
