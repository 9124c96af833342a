"""Random histories with CHECK constraints: the laws of merging hold, and every row of every branch fits."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from catalog_app.domain.checks import check_name
from tests.lineage.histories import history as histories
from tests.lineage.histories.history import STEPS, History, Law
from tests.lineage.histories.laws import FastForward, Forwarding, Mirror, PlanIsResult, Rest, ThereAndBack
from tests.lineage.histories.states import Shown
from tests.lineage.test_laws import DRAWN, services
from tests.support.expressions import evaluate
from tests.support.soak import IS_SOAK

__all__ = ["services"]

LAWS: tuple[type[Law], ...] = (FastForward, ThereAndBack, Mirror, Forwarding, Rest, PlanIsResult)


def of_checks(rng: Random, table: Shown, word: str) -> str | None:
    """A constraint more or less."""
    alter = f"ALTER TABLE {table.path}"
    if table.checks and rng.random() < 0.35:
        return f"{alter} DROP CONSTRAINT {check_name(rng.choice(sorted(table.checks)))}"
    columns = [column for column in table.columns.values() if column.type in ("int", "bigint", "string")]
    column = rng.choice(columns)
    name = rng.choice(["common", f"c{word}"])
    if column.type == "string":
        return f"{alter} ADD CONSTRAINT {name} CHECK ({column.name} <> '{rng.choice('abo')}')"
    return f"{alter} ADD CONSTRAINT {name} CHECK ({column.name} < {rng.choice([3, 6, 50, 500])})"


class Constrained(History):
    """Each table begins with a constraint, and every fourth step is about constraints."""

    def begin_by(self, sql: Sequence[str], names: Sequence[str]) -> None:
        tables = [text.split()[2] for text in sql if text.startswith("CREATE TABLE ")]
        first = [f"ALTER TABLE {path} ADD CONSTRAINT first CHECK (v <> 'never')" for path in tables]
        super().begin_by([*sql, *first], names)

    def step(self, number: int) -> None:
        rng = Random(f"{self.seed} constraint {number}")
        b = rng.choice(self.names)
        tables = [table for _, table in sorted(self.states[b].tables.items())]
        text = of_checks(rng, rng.choice(tables), f"s{number}") if tables and rng.random() < 0.25 else None
        if text is None:
            super().step(number)
            return
        self.run(b, text)
        self.stepped(b, number)


class Fits(Law):
    """No row of a branch makes a constraint of its table false. ``asked``: how many rows and constraints met."""

    def __init__(self) -> None:
        self.asked = 0

    def stepped(self, history: History, b: str, rng: Random) -> None:
        for table in history.states[b].tables.values():
            for key, condition in table.checks.items():
                for cells in table.rows.values():
                    row: dict[str, Any] = {c.name.casefold(): cells[c.id] for c in table.columns.values()}
                    assert evaluate(condition, row) is not False, f"{table.path}: a row violates {key}, {condition}"
                    self.asked += 1


@pytest.mark.parametrize("number", range(200 if IS_SOAK else 1))
@pytest.mark.parametrize("law", LAWS)
def test_the_laws_hold_beside_constraints(
    services: None, monkeypatch: pytest.MonkeyPatch, law: type[Law], number: int
) -> None:
    monkeypatch.setattr(histories, "REFUSALS", histories.REFUSALS | {"CHECK_VIOLATED"})
    fits = Fits()
    history = Constrained(f"{DRAWN} constraints {law.__name__} {number}", range(STEPS), [law(), fits])
    try:
        history.play()
    except Exception as error:
        # Whatever ends the history, its statements play it again.
        error.add_note("\n  ".join([f"{history.seed}:", *history.journal]))
        raise
    assert fits.asked
