"""``/api/v1/catalogs/`` and ``…/branches/``."""

from __future__ import annotations

import pytest

from tests.api.conftest import Caller
from tests.api.sql.test_statements import problem
from tests.support.resource_lake import Lake


@pytest.fixture
def lake(alice: Caller) -> Lake:
    return Lake(alice)


def names(lake: Lake, query: str = "") -> list[str]:
    return [entry["name"] for entry in lake.read(f"branches/{query}")["results"]]


def apart(lake: Lake, name: str) -> tuple[int, int]:
    branch = lake.read(f"branches/{name}/")
    return branch["ahead"], branch["behind"]


def test_a_catalog_is_listed_with_counts_and_activity(lake: Lake) -> None:
    lake.sql("CREATE BRANCH b")
    version = lake.insert("b", 1) and lake.branch("b").head_version
    (entry,) = lake.caller.get("/api/v1/catalogs/").json()["results"]
    assert (entry["name"], entry["branch_count"], entry["commit_count"]) == (lake.catalog, 2, 4)
    assert (entry["last_commit"]["version"], entry["last_commit"]["branch"]) == (version, "b")


def test_work_of_open_transactions_is_not_counted(lake: Lake) -> None:
    before = lake.read()
    opened = lake.sql("BEGIN").extra["transaction"]
    lake.sql("DROP TABLE d.t", transaction=opened)
    assert lake.read() == before
    lake.sql("COMMIT", transaction=opened)
    after = lake.read()
    assert after["commit_count"] == before["commit_count"] + 1
    assert (after["last_commit"]["branch"], after["last_commit"]["operation"]) == ("main", "TRANSACTION")


def test_a_catalog_shows_main_branch_and_merges(lake: Lake) -> None:
    lake.sql("CREATE BRANCH b")
    lake.sql("DROP TABLE d.t", "b")
    lake.sql("MERGE BRANCH b DRY RUN")
    lake.sql("MERGE BRANCH b")
    found = lake.read()
    assert (found["merge_count"], found["refused_count"], found["running_task_count"]) == (1, 0, 0)
    assert (found["main"]["name"], found["main"]["is_main"], found["main"]["ahead"]) == ("main", True, None)


def test_an_unknown_name_is_answered_with_the_nearest(lake: Lake) -> None:
    assert problem(lake.caller.get(f"/api/v1/catalogs/{lake.catalog}x/"), 404, "NOT_FOUND")["nearest"] == lake.catalog
    assert problem(lake.get("branches/mian/"), 404, "NOT_FOUND")["nearest"] == "main"


def test_a_branch_shows_its_origin_and_last_change(lake: Lake) -> None:
    fork = lake.branch("main").head_version
    lake.sql("CREATE BRANCH b")
    fresh = lake.read("branches/b/")
    assert (fresh["parent"], fresh["fork_version"], fresh["head_version"]) == ("main", fork, fork)
    assert (fresh["last_commit"]["branch"], fresh["last_commit"]["operation"]) == ("main", "INSERT")
    lake.sql("DROP TABLE d.t", "b")
    assert lake.read("branches/b/")["last_commit"]["operation"] == "DROP TABLE"


def test_a_branch_name_may_hold_a_slash(lake: Lake) -> None:
    lake.sql("CREATE BRANCH `feature/delays`")
    assert lake.read("branches/feature/delays/")["name"] == "feature/delays"
    assert lake.read("branches/feature%2Fdelays/")["name"] == "feature/delays"


def test_ahead_and_behind_count_commits_on_both_sides(lake: Lake) -> None:
    lake.sql("CREATE BRANCH b")
    assert apart(lake, "b") == (0, 0)
    lake.insert("b", 1)
    lake.insert("b", 1)
    lake.insert("main", 1)
    assert apart(lake, "b") == (2, 1)


def test_merge_to_parent_leaves_nothing_ahead_or_behind(lake: Lake) -> None:
    """A merge that decides nothing is no news."""
    lake.sql("CREATE BRANCH b")
    lake.insert("b", 1)
    lake.sql("MERGE BRANCH b TO main")
    assert apart(lake, "b") == (0, 0)


def test_pull_from_parent_leaves_nothing_behind_or_ahead(lake: Lake) -> None:
    lake.sql("CREATE BRANCH b")
    lake.insert("main", 1)
    lake.sql("MERGE BRANCH main TO b", "b")
    assert apart(lake, "b") == (0, 0)


def test_commits_from_siblings_count_as_ahead_of_parent(lake: Lake) -> None:
    lake.sql("CREATE BRANCH a")
    lake.sql("CREATE BRANCH b")
    lake.insert("a", 1)
    lake.insert("a", 1)
    lake.sql("MERGE BRANCH a TO b", "b")
    assert apart(lake, "b") == (2, 0)
    lake.sql("MERGE BRANCH a TO main")
    assert apart(lake, "b") == (0, 0)


def test_an_early_cut_is_behind_the_grandparent_too(lake: Lake) -> None:
    early = lake.branch("main").head_version
    lake.insert("main", 1)
    lake.sql("CREATE BRANCH a")
    lake.insert("a", 1)
    lake.sql(f"CREATE BRANCH b FROM a VERSION AS OF {early}")
    assert apart(lake, "b") == (0, 2)


def test_branches_are_paged_by_name_without_gaps(lake: Lake) -> None:
    for number in range(5):
        lake.sql(f"CREATE BRANCH B{number}")
    pages = lake.pages("branches/?limit=2")
    assert [len(page) for page in pages] == [2, 2, 2]
    assert [entry["name"] for page in pages for entry in page] == ["B0", "B1", "B2", "B3", "B4", "main"]


@pytest.mark.parametrize(("order", "wanted"), [("-created_at", ["b", "a", "main"]), ("-activity", ["a", "b", "main"])])
def test_branches_are_ordered_by_age_or_activity(lake: Lake, order: str, wanted: list[str]) -> None:
    for name in ("a", "b"):
        lake.sql(f"CREATE BRANCH {name}")
    for name in ("b", "a"):
        lake.insert(name, 1)
    pages = lake.pages(f"branches/?order={order}&limit=1")
    assert [entry["name"] for page in pages for entry in page] == wanted


def test_dropped_branches_are_listed_apart(lake: Lake) -> None:
    lake.sql("CREATE BRANCH gone")
    lake.sql("DROP BRANCH gone")
    assert names(lake) == ["main"]
    (entry,) = lake.read("branches/?dropped=1")["results"]
    assert (entry["name"], entry["is_dropped"]) == ("gone", True)
    assert entry["dropped_at"]


def test_branches_are_searched_by_name(lake: Lake) -> None:
    lake.sql("CREATE BRANCH spring_Fares")
    assert names(lake, "?search=fares") == ["spring_Fares"]


def test_a_made_up_cursor_is_refused(lake: Lake) -> None:
    problem(lake.get("branches/?cursor=nonsense"), 400, "INVALID_VALUE")
    problem(lake.get("branches/?order=-activity&cursor=WyJhIiwxXQ"), 400, "INVALID_VALUE")


def test_the_etag_of_a_branch_begins_with_head(lake: Lake) -> None:
    first = lake.get("branches/main/")
    assert first["ETag"].startswith(f'"{lake.branch("main").head_version}-')
    assert lake.get("branches/main/", If_None_Match=first["ETag"]).status_code == 304
    lake.insert("main", 1)
    assert lake.get("branches/main/", If_None_Match=first["ETag"]).status_code == 200


def test_statement_count_does_not_grow_with_branches(lake: Lake) -> None:
    lake.sql("CREATE BRANCH b0")
    few = lake.queries("branches/")
    for number in range(1, 20):
        lake.sql(f"CREATE BRANCH b{number} FROM b{number - 1}")
        lake.insert(f"b{number}", 1)
    assert lake.queries("branches/") == few == 5
