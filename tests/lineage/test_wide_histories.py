"""The laws of merging on random histories over all that came after the first ones: layouts, constraints, generated
columns, clones, rows and tables replaced, queries that write, interleaved transactions, reverted and decided merges;
runs of pipelines, branches of two catalogs, and VACUUM with no retention.

Every statement runs dry before it runs. ``make soak`` plays fresh histories; a seed is named with what it breaks, and
the history is made small.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from django.conf import settings

from catalog_app.storage.warehouse import Warehouse
from lakeui.frontdoor import compute
from lakeui.frontdoor.entries import pipeline_runs as pipelines
from merge_app.pipelines.definition.templates import template_render
from tests.lineage.histories import history as histories
from tests.lineage.histories import laws as of_laws
from tests.lineage.histories.again import Again
from tests.lineage.histories.apart import HistoryApart
from tests.lineage.histories.comparing import ComparisonIsResult
from tests.lineage.histories.history import Law
from tests.lineage.histories.kept import VacuumedHistory
from tests.lineage.histories.laws import FastForward, Forwarding, Mirror, PlanIsResult, Rest, RoundTrip, ThereAndBack
from tests.lineage.histories.piped import PipelineHistory
from tests.lineage.histories.row_laws import NoInvention, NoLoss
from tests.lineage.histories.shrinking import laws_check
from tests.lineage.histories.silence import NothingIsSilent
from tests.lineage.histories.wide import REFUSALS, WideHistory
from tests.lineage.test_laws import DRAWN, services
from tests.support.soak import IS_SOAK

__all__ = ["services"]

GROUPS: dict[str, tuple[type[Law], ...]] = {
    "states": (FastForward, ThereAndBack, Mirror, Rest),
    "verdicts": (Forwarding, RoundTrip, Mirror),
    "rows": (NoLoss, NoInvention, NothingIsSilent, Mirror),
    "plans": (PlanIsResult, ComparisonIsResult, Again),
}
"""Laws that are asked of one history together: to play it takes longer than to ask."""
DECIDED: tuple[type[Law], ...] = (Mirror, FastForward, Again)


@pytest.fixture(autouse=True)
def refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(histories, "REFUSALS", REFUSALS)
    monkeypatch.setattr(of_laws, "REFUSALS", REFUSALS)


@pytest.mark.parametrize("number", range(500 if IS_SOAK else 1))
@pytest.mark.parametrize("group", GROUPS)
def test_the_laws_hold(services: None, group: str, number: int) -> None:
    laws_check(lambda: [law() for law in GROUPS[group]], f"{DRAWN} wide {group} {number}", WideHistory)


def deciding(seed: str, steps: Sequence[int], laws: Sequence[Law]) -> WideHistory:
    return WideHistory(seed, steps, laws, decides=True)


@pytest.mark.parametrize("number", range(500 if IS_SOAK else 1))
def test_decided_merges_are_as_decided(services: None, number: int) -> None:
    laws_check(lambda: [law() for law in DECIDED], f"{DRAWN} decided {number}", deciding)


OF_ROWS: tuple[type[Law], ...] = (NoLoss, NoInvention, NothingIsSilent, PlanIsResult, Mirror)
FORWARD_AND_BACK: tuple[type[Law], ...] = (ThereAndBack, Forwarding, Rest, Again, Mirror)
APART = {"rows": OF_ROWS, "forward and back": FORWARD_AND_BACK}


@pytest.mark.parametrize("number", range(200 if IS_SOAK else 1))
@pytest.mark.parametrize("group", APART)
def test_branches_of_two_catalogs(services: None, group: str, number: int) -> None:
    laws_check(lambda: [law() for law in APART[group]], f"{DRAWN} apart {group} {number}", HistoryApart)


@pytest.mark.parametrize("number", range(200 if IS_SOAK else 1))
def test_pipelines_write_tables(services: None, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # A process for each template would cost more than all else.
    monkeypatch.setattr(pipelines, "bounded_render", template_render)
    laws_check(lambda: [law() for law in OF_ROWS], f"{DRAWN} piped {number}", PipelineHistory)


@pytest.mark.parametrize("number", range(200 if IS_SOAK else 1))
def test_what_vacuum_removes_is_not_missed(services: None, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    engine: Any = compute.engine()
    monkeypatch.setitem(settings.LAKEUI, "RETENTION_DAYS", 0)
    monkeypatch.setitem(settings.LAKEUI, "STAGED_HOURS", 0)

    def forget(_: Warehouse, paths: Sequence[str]) -> None:
        for path in paths:
            engine.forget(path)

    monkeypatch.setattr(Warehouse, "remove_all", forget)
    laws = (*OF_ROWS, ComparisonIsResult)
    laws_check(lambda: [law() for law in laws], f"{DRAWN} vacuumed {number}", VacuumedHistory)
