"""The step that brings a table that the target lacks. ``tests/stories/new_tables.toml`` has its rows."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from merge_app.execution import input_facts
from merge_app.execution.engine_source import EngineSource
from merge_app.execution.lineage.source_side import SourceSide
from merge_app.execution.lineage.table_cases import TableCase
from merge_app.lineage.steps import RowsPlan
from tests.support.lake import Lake
from tests.support.rows import rows, run


@pytest.fixture
def made(lake: Lake) -> Lake:
    """Branch b made d.t with rows 1 to 3, in files of 1 and 2, 3; c knows that. Main lacks the table."""
    lake.sql("CREATE BRANCH b")
    run(lake, "b", "CREATE TABLE d.t (id INT, v STRING)", "INSERT INTO d.t VALUES (1, 'o'), (2, 'o')")
    run(lake, "b", "INSERT INTO d.t VALUES (3, 'o')", "CREATE BRANCH c FROM b")
    return lake


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> list[RowsPlan]:
    """What merges plan for rows of tables."""
    found: list[RowsPlan] = []
    planned = input_facts.rows_plan

    def noted(
        cases: Sequence[TableCase], side: SourceSide, engine: EngineSource
    ) -> dict[int, tuple[RowsPlan, RowsPlan | None]]:
        result = planned(cases, side, engine)
        found.extend(plan for plan, _ in result.values())
        return result

    monkeypatch.setattr(input_facts, "rows_plan", noted)
    return found


def test_it_merges_in_one_step_without_deletes(made: Lake, plans: list[RowsPlan]) -> None:
    made.merge("b")
    assert [[type(step).__name__ for step in plan.steps.steps] for plan in plans] == [["CarryWritten"]]
    assert rows(made) == "1o 2o 3o"
