"""``…/branches/{branch}/history/``."""

from __future__ import annotations

from typing import Any

import pytest

from catalog_app.models import CommitOperation
from catalog_app.selectors.objects import databases_list
from catalog_app.selectors.snapshots import branch_snapshot
from merge_app.execution.apply import CommitHeader
from merge_app.execution.views import ViewChange, view_commit
from tests.api.conftest import Caller
from tests.api.sql.test_statements import problem
from tests.support.resource_lake import Lake


@pytest.fixture
def lake(alice: Caller) -> Lake:
    return Lake(alice)


def commits(lake: Lake, branch: str = "main", query: str = "") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = lake.read(f"branches/{branch}/history/{query}")["results"]
    return found


def operations(lake: Lake, branch: str = "main", query: str = "") -> list[str]:
    return [entry["operation"] for entry in commits(lake, branch, query)]


def test_history_is_newest_first_with_each_commits_changes(lake: Lake) -> None:
    newest, created, database = commits(lake)
    assert [newest["operation"], created["operation"], database["operation"]] == [
        "INSERT",
        "CREATE TABLE",
        "CREATE DATABASE",
    ]
    assert (newest["parent_version"], database["parent_version"]) == (created["version"], None)
    assert (created["statement"], created["message"]) == ("CREATE TABLE d.t (id INT)", "")
    (done,) = created["operations"]
    assert (done["kind"], done["object_kind"], done["object_id"], done["object"]) == (
        "create",
        "table",
        lake.table_id,
        "d.t",
    )


def test_a_branch_shows_inherited_not_later_parent_commits(lake: Lake) -> None:
    lake.sql("CREATE BRANCH b")
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')")
    lake.sql("DROP TABLE d.t", "b")
    assert operations(lake, "b") == ["DROP TABLE", "INSERT", "CREATE TABLE", "CREATE DATABASE"]
    assert [entry["branch"] for entry in commits(lake, "b")] == ["b", "main", "main", "main"]


def test_a_merge_names_both_parents(lake: Lake) -> None:
    lake.sql("CREATE BRANCH b")
    lake.insert("b", 1)
    source = lake.branch("b").head_version
    lake.sql("MERGE BRANCH b")
    merge = commits(lake)[0]
    assert merge["merge_parent"] == {"branch": "b", "version": source}
    assert commits(lake)[1]["merge_parent"] is None


def test_changed_rows_are_summed_over_the_operations(lake: Lake) -> None:
    branch = lake.branch("main")
    for kind, rows in (("delete", {"rows_deleted": 3}), ("update", {"rows_updated": 4, "files_added": 9})):
        CommitOperation.objects.create(
            commit=branch.head_commit, branch=branch, version=branch.head_version, object_kind="table",
            object_id=lake.table_id, kind=kind, metrics=rows, origin_branch=branch, origin_version=branch.head_version,
        )  # fmt: skip
    assert commits(lake)[0]["rows_changed"] == 7


def _operations_add(lake: Lake, count: int) -> None:
    branch = lake.branch("main")
    CommitOperation.objects.bulk_create(
        CommitOperation(
            commit=branch.head_commit, branch=branch, version=branch.head_version, object_kind="table",
            object_id=10**6 + number, kind="update", metrics={"rows_updated": 1}, origin_branch=branch,
            origin_version=branch.head_version,
        ) for number in range(count)
    )  # fmt: skip


def test_a_commit_counts_operations_it_does_not_show(lake: Lake) -> None:
    _operations_add(lake, 150)
    newest = commits(lake)[0]
    assert (len(newest["operations"]), newest["operation_count"]) == (100, 151)
    assert newest["rows_changed"] == 150


def test_operations_of_a_commit_are_paged_without_gaps(lake: Lake) -> None:
    _operations_add(lake, 150)
    version = lake.branch("main").head_version
    lake.sql("CREATE BRANCH b")
    pages = lake.pages(f"branches/b/history/{version}/operations/?limit=60")
    assert [len(page) for page in pages] == [60, 60, 31]
    shown = [entry["object_id"] for page in pages for entry in page]
    assert shown == [lake.table_id, *range(10**6, 10**6 + 150)]
    assert pages[0][0]["object"] == "d.t"


def test_only_versions_of_the_branch_have_operations(lake: Lake) -> None:
    lake.sql("CREATE BRANCH b")
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')")
    version = lake.branch("main").head_version
    assert len(lake.read(f"branches/main/history/{version}/operations/")["results"]) == 1
    problem(lake.get(f"branches/b/history/{version}/operations/"), 404, "NOT_FOUND")


def test_a_tables_history_shows_its_operation_before_others(lake: Lake) -> None:
    branch = lake.branch("main")
    _operations_add(lake, 150)
    CommitOperation.objects.create(
        commit=branch.head_commit, branch=branch, version=branch.head_version, object_kind="table",
        object_id=7, kind="delete", metrics={}, origin_branch=branch, origin_version=branch.head_version,
    )  # fmt: skip
    newest = commits(lake, query="?object=table:7")[0]
    assert newest["operations"][0]["object_id"] == 7


def test_a_renamed_table_shows_its_present_name(lake: Lake) -> None:
    lake.sql("ALTER TABLE d.t RENAME TO d.u")
    assert {done["object"] for entry in commits(lake)[:3] for done in entry["operations"]} == {"d.u"}


def test_views_are_named_too(lake: Lake) -> None:
    seen = branch_snapshot(lake.branch("main"))
    (database,) = databases_list(seen)
    change = ViewChange(0, database.database_id, "v", "SELECT 1 AS one")
    view_commit(seen, lake.branch("main").pk, change, CommitHeader("CREATE VIEW"))
    (done,) = commits(lake)[0]["operations"]
    assert (done["object_kind"], done["object"]) == ("view", "d.v")


def test_a_history_is_filtered(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.other (id INT)")
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('colour' = 'RED')")
    assert operations(lake, query="?operation=create table") == ["CREATE TABLE", "CREATE TABLE"]
    assert operations(lake, query="?search=red") == ["SET TBLPROPERTIES"]
    assert operations(lake, query=f"?object=table:{lake.table_id}") == ["SET TBLPROPERTIES", "INSERT", "CREATE TABLE"]
    assert operations(lake, query="?author=nobody") == []


def test_history_can_be_seen_from_old_version(lake: Lake) -> None:
    version = lake.branch("main").head_version
    lake.sql("DROP TABLE d.t")
    assert operations(lake, query=f"?version={version}")[0] == "INSERT"
    problem(lake.get("branches/main/history/?version=999999"), 404, "NOT_FOUND")


def test_history_is_paged_without_gaps_over_branches(lake: Lake) -> None:
    for name, parent in (("a", "main"), ("b", "a")):
        lake.sql(f"CREATE BRANCH {name} FROM {parent}")
        lake.insert(name, 1)
        lake.insert(name, 1)
    pages = lake.pages("branches/b/history/?limit=3")
    versions = [entry["version"] for page in pages for entry in page]
    assert [len(page) for page in pages] == [3, 3, 1]
    assert versions == sorted(set(versions), reverse=True)


def test_a_malformed_filter_is_refused(lake: Lake) -> None:
    problem(lake.get("branches/main/history/?object=table"), 400, "INVALID_VALUE")


def test_history_statement_count_does_not_grow_with_commits(lake: Lake) -> None:
    few = lake.queries("branches/main/history/")
    for _ in range(20):
        lake.insert("main", 1)
    assert lake.queries("branches/main/history/") == few == 6
