"""A run of a pipeline in a history: by its name and strategy, whatever the name holds."""

from __future__ import annotations

import pytest

from catalog_app.domain.pipeline_commits import pipeline_of, run_text


@pytest.mark.parametrize("name", ["totals", "a b", "a`b", "``", "a (b)", "`x` (y)"])
def test_a_run_is_named_by_its_pipeline(name: str) -> None:
    assert pipeline_of(run_text(name, "delete_insert")) == f"{name} (delete_insert)"


@pytest.mark.parametrize(
    ("statement", "expected"),
    [("RUN PIPELINE `totals`", "totals"), ("MERGE BRANCH b", ""), ("", ""), ("SELECT 'RUN PIPELINE `x` (y)'", "")],
)
def test_older_runs_have_a_name_alone(statement: str, expected: str) -> None:
    assert pipeline_of(statement) == expected
