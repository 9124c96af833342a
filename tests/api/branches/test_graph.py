"""``…/graph/``."""

from __future__ import annotations

from typing import Any

import pytest

from lakeui.common.errors import MergeConflict
from tests.api.conftest import Caller
from tests.api.sql.test_statements import problem
from tests.support.resource_lake import Lake


@pytest.fixture
def lake(alice: Caller) -> Lake:
    return Lake(alice)


def graph(lake: Lake, query: str = "") -> dict[str, Any]:
    found: dict[str, Any] = lake.read(f"graph/{query}")
    return found


def lanes(found: dict[str, Any]) -> list[str]:
    return [entry["name"] for entry in found["branches"]]


def test_commits_of_all_branches_come_newest_first(lake: Lake) -> None:
    lake.sql("CREATE BRANCH b")
    lake.insert("b", 1)
    lake.insert("main", 1)
    found = graph(lake)
    assert [entry["branch"] for entry in found["commits"]] == ["main", "b", "main", "main", "main"]
    on_main, on_b, fork = found["commits"][:3]
    assert on_b["parent"] == on_main["parent"] == {"branch": "main", "version": fork["version"]}
    assert (found["next_before"], found["tags"], found["failed_merges"]) == (None, [], [])
    assert found["commits"][-1]["parent"] is None


def test_a_commit_names_changed_objects_as_then_named(lake: Lake) -> None:
    lake.sql("CREATE BRANCH b")
    lake.sql("CREATE TABLE d.v (id INT) COMMIT MESSAGE 'for the board'")
    lake.sql("ALTER TABLE d.t RENAME TO d.u")
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = 'v')", "b")
    lake.sql("CREATE DATABASE e")
    lake.sql("DROP TABLE d.u")
    found = [(entry["object"], entry["object_count"], entry["message"]) for entry in graph(lake)["commits"][:5]]
    names = ["d.u", "e", "d.t", "d.u", "d.v"]
    assert found == [(name, 1, "for the board" if name == "d.v" else "") for name in names]


def test_a_merge_counts_what_it_changed(lake: Lake) -> None:
    lake.sql("CREATE BRANCH b")
    for name in ("u", "v"):
        lake.sql(f"CREATE TABLE d.{name} (id INT)", "b")
    lake.sql("MERGE BRANCH b TO main COMMIT MESSAGE 'two tables'")
    newest = graph(lake)["commits"][0]
    assert (newest["object_count"], newest["message"]) == (2, "two tables")


def test_a_lane_shows_its_cut_and_its_head(lake: Lake) -> None:
    fork = lake.branch("main").head_version
    lake.sql("CREATE BRANCH b")
    lake.insert("b", 1)
    main, b = graph(lake)["branches"]
    assert (main["name"], main["parent"], main["parent_id"]) == ("main", None, None)
    assert (b["name"], b["parent"], b["parent_id"]) == ("b", "main", main["branch_id"])
    assert (b["fork_version"], b["head_version"]) == (fork, fork + 1)


def test_a_merge_joins_two_lanes(lake: Lake) -> None:
    lake.sql("CREATE BRANCH b")
    lake.insert("b", 1)
    source = lake.branch("b").head_version
    lake.sql("MERGE BRANCH b")
    assert graph(lake)["commits"][0]["merge_parent"] == {"branch": "b", "version": source}


def test_branch_without_commits_is_lane_at_its_cut(lake: Lake) -> None:
    lake.sql("CREATE BRANCH b")
    assert lanes(graph(lake)) == ["main", "b"]


def test_dropped_branches_stay_lanes_only_with_commits(lake: Lake) -> None:
    for name in ("worked", "idle"):
        lake.sql(f"CREATE BRANCH {name}")
    lake.insert("worked", 1)
    for name in ("worked", "idle"):
        lake.sql(f"DROP BRANCH {name}")
    found = graph(lake)
    assert [(entry["name"], entry["is_dropped"]) for entry in found["branches"]] == [("main", False), ("worked", True)]


def test_a_reused_name_is_another_lane(lake: Lake) -> None:
    for _ in range(2):
        lake.sql("CREATE BRANCH b")
        lake.insert("b", 1)
        lake.sql("DROP BRANCH b")
    found = graph(lake)
    assert lanes(found) == ["main", "b", "b"]
    assert {entry["branch_id"] for entry in found["commits"]} == {entry["branch_id"] for entry in found["branches"]}


def test_pages_have_no_gaps_and_bring_ancestors(lake: Lake) -> None:
    lake.sql("CREATE BRANCH a")
    lake.insert("a", 1)
    lake.sql("CREATE BRANCH b FROM a")
    for _ in range(3):
        lake.insert("b", 1)
    seen: list[int] = []
    before: int | None = None
    stretches: list[list[str]] = []
    while True:
        found = graph(lake, "?limit=2" + (f"&before={before}" if before else ""))
        seen += [entry["version"] for entry in found["commits"]]
        stretches.append(lanes(found))
        before = found["next_before"]
        if before is None:
            break
    assert seen == sorted(set(seen), reverse=True)
    assert len(seen) == 7
    assert stretches[0] == ["main", "a", "b"]
    assert stretches[-1] == ["main"]


def test_a_refused_merge_is_shown_where_refused(lake: Lake) -> None:
    lake.sql("CREATE BRANCH b")
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')", "b")
    lake.sql("DROP TABLE d.t")
    head = lake.branch("main").head_version
    with pytest.raises(MergeConflict):
        lake.sql("MERGE BRANCH b")
    lake.sql("MERGE BRANCH b DRY RUN")
    (failed,) = graph(lake)["failed_merges"]
    assert (failed["source"], failed["destination"], failed["outcome"]) == ("b", "main", "refused")
    assert (failed["destination_head"], failed["conflict_count"]) == (head, 1)
    assert graph(lake, f"?before={head}")["failed_merges"] == []


def test_a_tag_stands_at_its_commit(lake: Lake) -> None:
    inherited = lake.branch("main").head_version
    lake.sql("CREATE BRANCH b")
    lake.sql("CREATE TAG early FROM b")
    lake.insert("b", 1)
    lake.insert("main", 1)
    lake.sql("CREATE TAG late FROM b")
    own = lake.branch("b").head_version
    late = {"name": "late", "branch": "b", "version": own}
    early = {"name": "early", "branch": "main", "version": inherited}
    assert graph(lake)["tags"] == [late, early]
    assert graph(lake, f"?before={own}")["tags"] == [early]
    assert graph(lake, "?limit=2")["tags"] == [late]


def test_a_tag_between_commits_stands_at_the_older(lake: Lake) -> None:
    older = lake.branch("main").head_version
    lake.sql("CREATE BRANCH b")
    lake.insert("b", 1)
    lake.insert("main", 1)
    lake.sql(f"CREATE TAG between FROM main VERSION AS OF {lake.branch('b').head_version}")
    assert graph(lake)["tags"] == [{"name": "between", "branch": "main", "version": older}]


def test_the_length_of_a_stretch_is_limited(lake: Lake) -> None:
    problem(lake.get("graph/?limit=1001"), 400, "INVALID_VALUE")


def test_graph_statement_count_does_not_grow_with_commits(lake: Lake) -> None:
    few = lake.queries("graph/")
    for number in range(15):
        lake.sql(f"CREATE BRANCH b{number}")
        lake.insert(f"b{number}", 1)
    assert lake.queries("graph/") == few == 6
