"""A table that the target of a merge lacks comes with its rows and their facts."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from merge_app.execution import input_facts
from merge_app.execution.engine_source import EngineSource
from merge_app.execution.lineage.table_cases import Parties, TableCase
from merge_app.lineage.steps import RowsPlan
from tests.support.lake import Lake
from tests.support.rows import OPTIMIZE, delete, rows, run, set_v


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
        cases: Sequence[TableCase], parties: Parties, engine: EngineSource
    ) -> dict[int, tuple[RowsPlan, RowsPlan | None]]:
        result = planned(cases, parties, engine)
        found.extend(plan for plan, _ in result.values())
        return result

    monkeypatch.setattr(input_facts, "rows_plan", noted)
    return found


def test_it_merges_in_one_step_without_deletes(made: Lake, plans: list[RowsPlan]) -> None:
    made.merge("b")
    assert [[type(step).__name__ for step in plan.steps.steps] for plan in plans] == [["CarryWritten"]]
    assert rows(made) == "1o 2o 3o"


@pytest.mark.parametrize("changed", [set_v("B", 1), delete(1)])
@pytest.mark.parametrize("is_compacted", [False, True])
def test_its_rows_have_their_facts(made: Lake, changed: str, is_compacted: bool) -> None:
    run(made, "b", changed, *([OPTIMIZE] if is_compacted else []))
    made.merge("b")
    assert rows(made) == rows(made, "b")
    run(made, "c", set_v("C", 1))
    assert made.codes("c") == {"SAME_FILE_UPDATE_UPDATE" if changed.startswith("UPDATE") else "SAME_FILE_UPDATE_DELETE"}
    run(made, "c", "RESTORE TABLE d.t TO VERSION AS OF 5", set_v("C", 3))
    made.merge("c")
    assert rows(made) == rows(made, "b").replace("3o", "3C")


def test_one_dropped_before_merging_comes_with_its_undrop(made: Lake) -> None:
    run(made, "b", set_v("B", 2), "DROP TABLE d.t")
    made.merge("b")
    run(made, "b", "UNDROP TABLE d.t")
    made.merge("b")
    assert rows(made) == rows(made, "b") == "1o 2B 3o"
    made.merge("main", "c")
    assert rows(made, "c") == "1o 2B 3o"


def test_one_of_a_transaction_comes_with_its_commit(lake: Lake) -> None:
    opened = lake.sql("BEGIN").extra["transaction"]
    for statement in (
        "CREATE TABLE d.t (id INT PRIMARY KEY, v STRING)",
        "INSERT INTO d.t VALUES (1, 'o'), (2, 'o')",
        delete(2),
        "COMMIT",
    ):
        lake.sql(statement, transaction=opened)
    assert rows(lake) == "1o"
