"""RESTORE BRANCH brings the branch's views back as they were."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from catalog_app.models import Branch
from catalog_app.selectors.objects import databases_list
from catalog_app.selectors.snapshots import branch_snapshot
from catalog_app.selectors.views import views_list
from lakeui.common.errors import BranchMoved
from merge_app.execution.apply import CommitHeader
from merge_app.execution.restore import Scope, recovery_run, restore_plan
from merge_app.execution.views import ViewChange, view_commit
from tests.stories.conftest import database, lake, memory_engine, stored
from tests.support.lake import Lake

__all__ = ["database", "lake", "memory_engine", "stored"]


def change(lake: Lake, name: str, query: str = "", *, view_id: int = 0, branch: str = "main") -> int:
    """Set a view, or drop it where it has no query; its id."""
    found = Branch.objects.get(catalog__name=lake.catalog, name=branch)
    (database_state,) = databases_list(branch_snapshot(found))
    made = ViewChange(view_id, database_state.database_id, name, query, is_dropped=not query)
    view_commit(branch_snapshot(found), found.pk, made, CommitHeader("CREATE VIEW"))
    return next((identity for identity, known in views(lake, branch).items() if known[0] == name), view_id)


def views(lake: Lake, branch: str = "main") -> dict[int, tuple[str, str]]:
    snapshot = branch_snapshot(Branch.objects.get(catalog__name=lake.catalog, name=branch))
    found = views_list(snapshot, [item.database_id for item in databases_list(snapshot)])
    return {view.view_id: (view.name, view.query) for view in found}


def created(lake: Lake, view: int) -> None:
    change(lake, "w", "SELECT 2")


def replaced(lake: Lake, view: int) -> None:
    change(lake, "v", "SELECT 2", view_id=view)


def dropped(lake: Lake, view: int) -> None:
    change(lake, "v", view_id=view)


def dropped_and_made_anew(lake: Lake, view: int) -> None:
    change(lake, "v", view_id=view)
    change(lake, "v", "SELECT 2")


CHANGES = [created, replaced, dropped, dropped_and_made_anew]


@pytest.mark.parametrize("changed", CHANGES)
def test_views_go_back_with_their_branch(lake: Lake, changed: Callable[[Lake, int], None]) -> None:
    view = change(lake, "v", "SELECT 1")
    version = lake.head()
    changed(lake, view)
    result = lake.sql(f"RESTORE BRANCH main TO VERSION AS OF {version}")
    assert result.version == lake.head()
    assert views(lake) == {view: ("v", "SELECT 1")}


@pytest.mark.parametrize("changed", CHANGES)
def test_parent_views_go_back_on_the_branch_alone(lake: Lake, changed: Callable[[Lake, int], None]) -> None:
    view = change(lake, "v", "SELECT 1")
    lake.sql("CREATE BRANCH c")
    version = lake.head("c")
    change(lake, "v", "SELECT 3", view_id=view, branch="c")
    changed(lake, view)
    present = views(lake)
    lake.sql(f"RESTORE BRANCH c TO VERSION AS OF {version}")
    assert views(lake, "c") == {view: ("v", "SELECT 1")}
    assert views(lake) == present


def test_views_and_tables_go_back_as_one_commit(lake: Lake) -> None:
    version = lake.head()
    lake.sql("INSERT INTO d.t VALUES (2, 'b')")
    change(lake, "v", "SELECT 1")
    before = lake.head()
    lake.sql(f"RESTORE BRANCH main TO VERSION AS OF {version}")
    assert (lake.rows("d.t"), views(lake)) == ([(1, "a")], {})
    assert lake.head() == before + 1


def test_a_view_changed_meanwhile_is_not_overwritten(lake: Lake) -> None:
    view = change(lake, "v", "SELECT 1")
    version = lake.head()
    change(lake, "v", "SELECT 2", view_id=view)
    planned = restore_plan(Branch.objects.get(catalog__name=lake.catalog, name="main"), version, Scope())
    change(lake, "v", "SELECT 3", view_id=view)
    head = lake.head()
    with pytest.raises(BranchMoved):
        recovery_run(planned, CommitHeader("RESTORE BRANCH"), lambda: pytest.fail("no row is read"))
    assert (lake.head(), views(lake)) == (head, {view: ("v", "SELECT 3")})


def test_a_restored_table_leaves_views_alone(lake: Lake) -> None:
    version = lake.head()
    lake.sql("INSERT INTO d.t VALUES (2, 'b')")
    view = change(lake, "v", "SELECT 1")
    lake.sql(f"RESTORE TABLE d.t TO VERSION AS OF {version}")
    assert views(lake) == {view: ("v", "SELECT 1")}
