"""``…/databases/`` and the lists of their tables."""

from __future__ import annotations

from typing import Any

import pytest

from catalog_app.selectors import listing
from tests.api.conftest import Caller
from tests.api.sql.test_statements import problem
from tests.support.resource_lake import Lake

MAIN = "branches/main/databases/"


@pytest.fixture
def lake(alice: Caller) -> Lake:
    return Lake(alice)


def names(lake: Lake, query: str = "", branch: str = "main") -> list[str]:
    return [entry["name"] for entry in lake.read(f"branches/{branch}/databases/{query}")["results"]]


def tables(lake: Lake, query: str = "", branch: str = "main", database: str = "d") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = lake.read(f"branches/{branch}/databases/{database}/tables/{query}")["results"]
    return found


def table_names(lake: Lake, query: str = "", branch: str = "main") -> list[str]:
    return [entry["name"] for entry in tables(lake, query, branch)]


def test_databases_are_paged_and_searched_by_name(lake: Lake) -> None:
    for name in ("Alpha", "beta", "Gamma"):
        lake.sql(f"CREATE DATABASE {name}")
    pages = lake.pages(f"{MAIN}?limit=3")
    assert [[entry["name"] for entry in page] for page in pages] == [["Alpha", "beta", "d"], ["Gamma"]]
    assert names(lake, "?search=AM") == ["Gamma"]


def test_a_database_shows_properties_and_table_count(lake: Lake) -> None:
    lake.sql("CREATE DATABASE e COMMENT 'flights' WITH DBPROPERTIES ('owner' = 'ops')")
    found = lake.read(f"{MAIN}e/")
    assert (found["comment"], found["properties"], found["table_count"]) == ("flights", {"owner": "ops"}, 0)
    assert lake.read(f"{MAIN}d/")["table_count"] == 1


def test_tables_a_branch_dropped_or_renamed_stay_hidden(lake: Lake) -> None:
    for name in ("a", "b", "c"):
        lake.sql(f"CREATE TABLE d.{name} (id INT)")
    lake.sql("CREATE BRANCH x")
    lake.sql("CREATE BRANCH y FROM x")
    lake.sql("DROP TABLE d.a", "x")
    lake.sql("CREATE BRANCH z FROM x")
    lake.sql("ALTER TABLE d.b RENAME TO d.m", "z")
    assert table_names(lake) == ["a", "b", "c", "t"]
    assert table_names(lake, branch="x") == ["b", "c", "t"]
    assert table_names(lake, branch="y") == ["a", "b", "c", "t"]
    assert table_names(lake, branch="z") == ["c", "m", "t"]
    assert lake.read("branches/z/databases/d/")["table_count"] == 3


def test_what_the_parent_does_later_is_not_listed(lake: Lake) -> None:
    lake.sql("CREATE BRANCH x")
    lake.sql("CREATE TABLE d.later (id INT)")
    lake.sql("ALTER TABLE d.t RENAME TO d.u")
    assert table_names(lake, branch="x") == ["t"]


def test_old_versions_list_what_was_there_then(lake: Lake) -> None:
    version = lake.branch("main").head_version
    lake.sql("DROP TABLE d.t")
    assert table_names(lake) == []
    assert table_names(lake, f"?version={version}") == ["t"]


def test_tables_are_paged_by_name_over_branches(lake: Lake) -> None:
    for branch in ("x", "y"):
        lake.sql(f"CREATE BRANCH {branch} FROM {'main' if branch == 'x' else 'x'}")
        for number in range(3):
            lake.sql(f"CREATE TABLE d.{branch}{number} (id INT)", branch)
    pages = lake.pages("branches/y/databases/d/tables/?limit=3")
    assert [[entry["name"] for entry in page] for page in pages] == [["t", "x0", "x1"], ["x2", "y0", "y1"], ["y2"]]


def test_tables_are_searched_by_any_name_part(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.Air_ports (id INT)")
    assert table_names(lake, "?search=AIR_P") == ["Air_ports"]
    assert table_names(lake, "?search=%25") == []


def test_a_search_continues_past_outdated_table_names(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "NAMES_AT_ONCE", 2)
    for number in range(7):
        lake.sql(f"CREATE TABLE d.air{number} (id INT)")
    for value in range(3):
        lake.sql(f"ALTER TABLE d.air0 SET TBLPROPERTIES ('k' = '{value}')")
    for number in (1, 2, 3):
        lake.sql(f"DROP TABLE d.air{number}")
    pages = lake.pages(f"{MAIN}d/tables/?search=air&limit=3")
    assert [[entry["name"] for entry in page] for page in pages] == [["air0", "air4", "air5"], ["air6"]]


def test_an_entry_names_its_kind_of_table(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.k (id INT, m INT, PRIMARY KEY (id)) PARTITIONED BY (m) COMMENT 'keyed'")
    entry = next(entry for entry in tables(lake) if entry["name"] == "k")
    assert (entry["column_count"], entry["has_primary_key"], entry["is_partitioned"]) == (2, True, True)
    assert (entry["comment"], entry["sizes"]) == ("keyed", None)
    plain = next(entry for entry in tables(lake) if entry["name"] == "t")
    assert (plain["column_count"], plain["has_primary_key"], plain["is_partitioned"]) == (1, False, False)


def test_sizes_are_given_on_request(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.empty (id INT)")
    sizes = {entry["name"]: entry["sizes"] for entry in tables(lake, "?include=sizes")}
    assert sizes == {
        "empty": {"rows": 0, "bytes": 0, "files": 0},
        "t": {"rows": 1000, "bytes": 20000, "files": 1},
    }


def test_the_last_change_is_given_on_request(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.u (id INT)")
    lake.sql("CREATE BRANCH x")
    lake.insert("x", 10)
    lake.sql("ALTER TABLE d.u ADD COLUMN more INT", "x")
    lake.insert("main", 1)

    def changes(branch: str, query: str = "?include=sizes") -> dict[str, Any]:
        return {entry["name"]: entry["last_change"] for entry in tables(lake, query, branch)}

    assert changes("x", "") == {"t": None, "u": None}
    # Each with the newest entry of its own history: of the branch, or of the one that it was made from.
    for branch, expected in (("x", "x"), ("main", "main")):
        found = changes(branch)
        for name in ("t", "u"):
            newest = lake.read(f"branches/{branch}/databases/d/tables/{name}/history/")["results"][0]
            assert found[name] == {key: newest[key] for key in ("version", "branch", "time", "operation", "author")}
        assert found["t"]["branch"] == expected
    assert changes("main")["u"]["operation"] == "CREATE TABLE"
    assert changes("x")["u"]["operation"] != "CREATE TABLE"


def test_an_unknown_database_is_answered_with_the_nearest(lake: Lake) -> None:
    lake.sql("CREATE DATABASE flights")
    assert problem(lake.get(f"{MAIN}flihgts/tables/"), 404, "NOT_FOUND")["nearest"] == "flights"


def test_an_unmoved_head_is_answered_without_looking(lake: Lake) -> None:
    path = f"{MAIN}d/tables/"
    tag = lake.get(path)["ETag"]
    again = lake.get(path, If_None_Match=tag)
    assert (again.status_code, again.content) == (304, b"")
    lake.insert("main", 1)
    assert lake.get(path, If_None_Match=tag).status_code == 200
    assert lake.get(f"{path}?limit=1", If_None_Match=tag).status_code == 200


@pytest.mark.parametrize(("path", "wanted"), [("d/tables/", 5), ("d/tables/?include=sizes", 7), ("", 4)])
def test_statement_count_does_not_grow_with_entries(lake: Lake, path: str, wanted: int) -> None:
    few = lake.queries(MAIN + path)
    for number in range(20):
        lake.sql(f"CREATE DATABASE d{number}")
        lake.sql(f"CREATE TABLE d.t{number} (id INT)")
    assert lake.queries(MAIN + path) == few == wanted
