"""How many statements a merge takes that looks into rows: as many whatever the number of files and rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from catalog_app.selectors.snapshots import branch_get, catalog_get
from lakeui.frontdoor import compute
from merge_app.execution.apply import CommitHeader
from merge_app.execution.merge import merge_run
from merge_app.execution.merge_command import MergeCommand
from merge_app.jobs.context import Context
from tests.support.lake import Lake
from tests.support.rows import run

BY_ROW = "(id INT, v STRING, w STRING) TBLPROPERTIES ('merge.conflicts' = 'row')"
BY_CELL = "(id INT, v STRING, w STRING) TBLPROPERTIES ('merge.conflicts' = 'cell')"
BY_KEY = "(id INT PRIMARY KEY, v STRING, w STRING)"


def statements(lake: Lake, columns: str, *, files: int) -> list[str]:
    """Those of a merge of two branches that updated rows of each file of a table: other ones, or other cells."""
    run(lake, "main", f"CREATE TABLE d.t {columns}")
    for number in range(files):
        run(lake, "main", f"INSERT INTO d.t VALUES ({number}, 's', 'o'), ({number + 100}, 'm', 'o')")
    run(lake, "main", "CREATE BRANCH b")
    run(lake, "b", "UPDATE d.t SET v = 'b' WHERE v = 's'")
    run(lake, "main", f"UPDATE d.t SET w = 'm' WHERE v = '{'m' if columns == BY_ROW else 's'}'")
    catalog = catalog_get(lake.catalog)
    source, target = (branch_get(catalog, lake.named(name)).pk for name in ("b", "main"))
    found: list[str] = []

    def noted(execute: Callable[..., Any], text: str, *arguments: Any) -> Any:
        found.append(text)
        return execute(text, *arguments)

    with connection.execute_wrapper(noted):
        done = merge_run(MergeCommand(source, target, CommitHeader("MERGE")), compute.engine, Context())
    assert done["outcome"] == "merged"
    return found


@pytest.mark.parametrize(("columns", "most"), [(BY_ROW, 25), (BY_CELL, 30), (BY_KEY, 30)])
@pytest.mark.parametrize("files", [2, 6])
def test_files_add_no_statements_to_a_row_merge(lake: Lake, columns: str, most: int, files: int) -> None:
    assert len(statements(lake, columns, files=files)) == most
