"""Random histories of merges on files. The lake on disk shows at each step what the one in memory shows; and the laws
of merging hold for columns of all types, for fields inside of arrays and maps, and for partitions by two columns.
"""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from catalog_app.domain.files import TableScan
from catalog_app.services.files import addresses_allocate
from lakeui.frontdoor import compute
from tests.lineage.histories import history as histories
from tests.lineage.histories import laws as of_laws
from tests.lineage.histories.again import Again
from tests.lineage.histories.chance_typed import typed_statement, typed_table_created
from tests.lineage.histories.engine import HistoryEngine
from tests.lineage.histories.history import STEPS, History, Law
from tests.lineage.histories.laws import FastForward, Forwarding, Mirror, PlanIsResult, Rest, ThereAndBack
from tests.lineage.histories.row_laws import NoInvention, NoLoss
from tests.lineage.histories.shrinking import laws_check
from tests.lineage.histories.silence import NothingIsSilent
from tests.lineage.histories.states import Cells, Reader
from tests.lineage.histories.wide import REFUSALS, WideHistory
from tests.lineage.test_laws import DRAWN
from tests.on_spark.conftest import services
from tests.support.soak import IS_SOAK

__all__ = ["services"]

ID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")


@pytest.fixture(autouse=True)
def refusals(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(histories, "REFUSALS", REFUSALS)
    monkeypatch.setattr(of_laws, "REFUSALS", REFUSALS)
    logging.disable(logging.INFO)
    yield
    logging.disable(logging.NOTSET)


class Seen(Law):
    def __init__(self) -> None:
        self.seen: list[Any] = []

    def stepped(self, history: History, b: str, rng: Random) -> None:
        self.seen.append((ID.sub("", history.journal[-1]), list(history.outcomes), history.states[b].plain()))


class OnDisk(Reader):
    """Rows as a query gives them."""

    def rows_of(self, scan: TableScan, path: str) -> list[Cells]:
        found = self.lake.sql(f"SELECT * FROM {path}", self.branch)
        ids = [column.id for column in scan.schema.columns]
        return [dict(zip(ids, map(_comparable, row), strict=True)) for row in found.rows]


def _comparable(value: Any) -> Any:
    """NaN is equal to itself, as in Spark."""
    if isinstance(value, list):
        return [_comparable(item) for item in value]
    if isinstance(value, dict):
        return {key: _comparable(item) for key, item in value.items()}
    return "NaN" if isinstance(value, float) and math.isnan(value) else value


class HistoryOnDisk(WideHistory):
    reader_of = OnDisk


@pytest.mark.parametrize("number", range(100 if IS_SOAK else 1))
def test_files_show_what_memory_shows(services: None, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    seed = f"{DRAWN} on disk {number}"
    in_memory, on_disk = Seen(), Seen()
    with monkeypatch.context() as patch:
        engine = HistoryEngine(addresses_allocate)
        patch.setattr(compute, "engine_make", lambda: engine)
        WideHistory(seed, range(STEPS), [in_memory]).play()
    history = HistoryOnDisk(seed, range(STEPS), [on_disk])
    try:
        history.play()
    except Exception as error:
        # Whatever ends the history, its statements play it again. What it showed before says more, and is asked first.
        error.add_note("\n  ".join([f"{seed}:", *history.journal]))
        raise
    finally:
        for expected, found in zip(in_memory.seen, on_disk.seen, strict=False):
            assert found == expected, "\n  ".join([f"{seed}:", *history.journal])
    assert len(on_disk.seen) == len(in_memory.seen)


class TypedHistory(HistoryOnDisk):
    """Tables with columns of all types. Most statements that are no merges are about these."""

    def begin(self) -> None:
        paths = ["d1.t0", "d2.t1"][: self.rng.choice([1, 1, 2])]
        sql = ["CREATE DATABASE d1", "CREATE DATABASE d2", *(typed_table_created(self.rng, path) for path in paths)]
        for path in paths:
            rows = [f"({i}, 'o', 'o', 0, array('o'), '{'ab'[i % 2]}')" for i in range(1, 5)]
            sql += [f"INSERT INTO {path} (id, v, w, n, tags, p) VALUES {', '.join(rows[at : at + 2])}" for at in (0, 2)]
        self.begin_by(sql, self.names)

    def step(self, number: int) -> None:
        rng = Random(f"{self.seed} typed {number}")
        b = rng.choice(self.names)
        text = self.draw(rng, b, f"s{number}") if rng.random() < 0.3 else None
        if text is None:
            super().step(number)
            return
        self.run(b, text)
        self.stepped(b, number)

    def draw(self, rng: Random, b: str, word: str) -> str | None:
        tables = [self.states[b].tables[number] for number in sorted(self.states[b].tables)]
        if tables and rng.random() < 0.6:
            return typed_statement(rng, rng.choice(tables), word)
        return super().draw(rng, b, word)


ROWS: tuple[type[Law], ...] = (NoLoss, NoInvention, NothingIsSilent, PlanIsResult, Again)
STATES: tuple[type[Law], ...] = (FastForward, ThereAndBack, Mirror, Rest, Forwarding)
# The record of the last merge is asked for before other laws merge.
STEPS_OF_EACH = STEPS if IS_SOAK else STEPS // 2
GROUPS = {"states": STATES, "rows": ROWS} if IS_SOAK else {"all": (*ROWS, *STATES)}


@pytest.mark.parametrize("number", range(100 if IS_SOAK else 1))
@pytest.mark.parametrize("group", GROUPS)
def test_the_laws_hold_of_all_types(services: None, group: str, number: int) -> None:
    laws_check(lambda: [law() for law in GROUPS[group]], f"{DRAWN} typed {group} {number}", TypedHistory, STEPS_OF_EACH)
