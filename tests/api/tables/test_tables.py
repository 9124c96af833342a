"""One table of a branch."""

from __future__ import annotations

from typing import Any

import pytest

from lakeui import frontdoor
from tests.api.conftest import Caller
from tests.api.sql.test_statements import problem
from tests.support.resource_lake import Lake

TABLE = "branches/main/databases/d/tables/t/"


@pytest.fixture
def lake(alice: Caller) -> Lake:
    return Lake(alice, segments=3)


def test_a_table_shows_columns_keys_and_sizes(lake: Lake) -> None:
    lake.sql(
        "CREATE TABLE d.k (id INT NOT NULL, m STRING DEFAULT 'x' COMMENT 'month', PRIMARY KEY (id))"
        " PARTITIONED BY (m) TBLPROPERTIES ('a' = '1')"
    )
    found = lake.read("branches/main/databases/d/tables/k/")
    assert (found["primary_key"], found["partition_by"], found["properties"]) == (["id"], ["m"], {"a": "1"})
    first, second = found["columns"]
    assert first == {
        "id": 1, "name": "id", "type": "int", "nullable": False, "default": None, "comment": None,
        "position": 0, "key_position": 0, "partition_position": None,
    }  # fmt: skip
    assert (second["default"], second["comment"], second["partition_position"]) == ("'x'", "month", 0)
    assert (found["rows"], found["files"], found["partitions"]) == (0, 0, 0)
    sized = lake.read(TABLE)
    assert (sized["rows"], sized["bytes"], sized["files"]) == (3000, 60000, 3)


def test_a_table_can_be_seen_at_old_versions(lake: Lake) -> None:
    version = lake.branch("main").head_version
    lake.sql("ALTER TABLE d.t ADD COLUMN late INT")
    lake.insert("main", 2)
    old, new = lake.read(f"{TABLE}?version={version}"), lake.read(TABLE)
    assert [column["name"] for column in old["columns"]] == ["id"]
    assert (old["version"], old["files"], old["head_version"]) == (version, 3, new["version"])
    assert [column["name"] for column in new["columns"]] == ["id", "late"]


def test_an_unknown_table_is_answered_with_the_nearest(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.flights (id INT)")
    path = "branches/main/databases/d/tables/flihgts/"
    assert problem(lake.get(path), 404, "NOT_FOUND")["nearest"] == "d.flights"


def test_a_tables_history_has_only_its_commits(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.other (id INT)")
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')")
    done = [entry["operation"] for entry in lake.read(f"{TABLE}history/")["results"]]
    assert done == ["SET TBLPROPERTIES", "INSERT", "CREATE TABLE"]


def test_segments_are_paged_in_order_of_addition(lake: Lake) -> None:
    lake.sql("CREATE BRANCH b")
    lake.insert("b", 2)
    pages = lake.pages("branches/b/databases/d/tables/t/segments/?limit=2")
    assert [len(page) for page in pages] == [2, 2, 1]
    found = [entry for page in pages for entry in page]
    assert len({entry["segment_id"] for entry in found}) == 5
    assert [entry["added_version"] for entry in found] == sorted(entry["added_version"] for entry in found)
    assert (found[0]["rows"], found[0]["bytes"], found[0]["is_visible"]) == (1000, 20000, True)
    assert len(lake.read(f"{TABLE}segments/")["results"]) == 3


def test_segments_a_branch_removed_are_omitted_only_there(lake: Lake) -> None:
    lake.sql("CREATE BRANCH b")
    lake.sql("TRUNCATE TABLE d.t", "b")
    assert lake.read("branches/b/databases/d/tables/t/segments/")["results"] == []
    assert lake.read("branches/b/databases/d/tables/t/")["rows"] == 0
    assert len(lake.read(f"{TABLE}segments/")["results"]) == 3


def test_the_schema_stores_of_the_worked_example(lake: Lake) -> None:
    lake.sql("CREATE BRANCH b")
    for name in ("s1", "s2"):
        lake.sql(f"ALTER TABLE d.t ADD COLUMN {name} INT", "b")
    lake.insert("b", 1)
    second = lake.branch("b").head_version - 1
    lake.sql("ALTER TABLE d.t ADD COLUMN s3 INT", "b")
    merged = lake.sql("MERGE BRANCH b")
    found = lake.read(f"{TABLE}schemas/")
    newest, first = found["visible"]
    assert (newest["version"], newest["is_current"], newest["segments"]) == (merged.version, True, 0)
    assert [column["name"] for column in newest["columns"]] == ["id", "s1", "s2", "s3"]
    assert (first["is_current"], first["segments"]) == (False, 3)
    (kept,) = found["invisible"]
    assert (kept["version"], kept["added_version"], kept["segments"]) == (second, merged.version, 1)
    (discarded,) = found["discarded"]
    assert (discarded["version"], discarded["merged_version"], discarded["source"]) == (
        second - 1,
        merged.version,
        "b",
    )
    assert [column["name"] for column in discarded["columns"]] == ["id", "s1"]


def test_declared_partitions_are_listed_without_rows(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.p (id INT, m INT, n STRING) PARTITIONED BY (m, n)")
    for values in ("m = 1, n = 'a'", "m = 2, n = NULL"):
        lake.sql(f"ALTER TABLE d.p ADD PARTITION ({values})")
    pages = lake.pages("branches/main/databases/d/tables/p/partitions/?limit=1")
    assert [entry["partition"] for page in pages for entry in page] == ["m=1/n=a", "m=2/n=null"]
    second = pages[1][0]
    assert (second["values"], second["rows"], second["is_declared"]) == ({"m": "2", "n": None}, 0, True)
    assert lake.read("branches/main/databases/d/tables/p/")["partitions"] == 2


def test_a_table_without_partition_columns_has_no_partitions(lake: Lake) -> None:
    assert lake.read(TABLE)["partitions"] == 0
    assert lake.read(f"{TABLE}partitions/")["results"] == []


def test_a_preview_asks_for_one_more_row(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str | None, str]] = []
    version = lake.branch("main").head_version

    def execute(text: str, session: Any, context: Any) -> frontdoor.StatementResult:
        asked.append((text, session.catalog, session.branch))
        return frontdoor.StatementResult(columns=[("id", "int")], rows=[[1], [2], [3]], row_count=3, version=version)

    monkeypatch.setattr(frontdoor, "execute", execute)
    found = lake.read(f"{TABLE}rows/?limit=2")
    assert (found["rows"], found["row_count"], found["truncated"], found["version"]) == ([[1], [2]], 2, True, version)
    old = lake.read(f"{TABLE}rows/?limit=5&version={version - 1}")
    assert (old["truncated"], old["version"]) == (False, version - 1)
    assert asked == [
        ("SELECT * FROM `d`.`t` LIMIT 3", lake.catalog, "main"),
        (f"SELECT * FROM `d`.`t` VERSION AS OF {version - 1} LIMIT 6", lake.catalog, "main"),
    ]
    problem(lake.get(f"{TABLE}rows/?limit=201"), 400, "INVALID_VALUE")


def test_changes_are_asked_by_show_changes(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def execute(text: str, session: Any, context: Any) -> frontdoor.StatementResult:
        asked.append(text)
        return frontdoor.StatementResult()

    monkeypatch.setattr(frontdoor, "execute", execute)
    lake.read(f"{TABLE}changes/?from=1&to=2")
    assert asked == ["SHOW CHANGES `d`.`t` FROM VERSION 1 TO VERSION 2"]
    lake.read(f"{TABLE}changes/?from_branch=a/b&to_tag=x`y")
    assert asked[1:] == ["SHOW CHANGES `d`.`t` FROM BRANCH `a/b` TO TAG `x``y`"]
    for missing in ("from=1", "from=1&from_tag=x&to=2", "from=1&to=2&to_branch=main", "from_branch=&to=1"):
        problem(lake.get(f"{TABLE}changes/?{missing}"), 400, "INVALID_VALUE")


def test_changes_since_what_is_not_there(lake: Lake) -> None:
    problem(lake.get(f"{TABLE}changes/?from=1&to=999999"), 404, "NOT_FOUND")
    problem(lake.get(f"{TABLE}changes/?from_branch=nowhere&to=1"), 404, "NOT_FOUND")
    problem(lake.get(f"{TABLE}changes/?from_tag=nowhere&to=1"), 404, "NOT_FOUND")


def merge_columns(lake: Lake, branch: str, count: int) -> None:
    """Merge a branch that added so many columns one by one, and then a segment."""
    lake.sql(f"CREATE BRANCH {branch}")
    for number in range(count):
        lake.sql(f"ALTER TABLE d.t ADD COLUMN {branch}{number} INT", branch)
    lake.insert(branch, count)
    lake.sql(f"MERGE BRANCH {branch}")


@pytest.mark.parametrize(("path", "wanted"), [("", 6), ("segments/", 6), ("schemas/", 10), ("history/", 8)])
def test_a_long_history_takes_no_more_statements(lake: Lake, path: str, wanted: int) -> None:
    merge_columns(lake, "x", 2)
    short = lake.queries(TABLE + path)
    merge_columns(lake, "y", 12)
    assert lake.queries(TABLE + path) == short == wanted


def test_statement_count_does_not_grow_with_partitions(lake: Lake) -> None:
    path = "branches/main/databases/d/tables/p/"
    lake.sql("CREATE TABLE d.p (id INT, m INT) PARTITIONED BY (m)")
    few = lake.queries(path), lake.queries(f"{path}partitions/")
    for number in range(10):
        lake.sql(f"ALTER TABLE d.p ADD PARTITION (m = {number})")
    assert (lake.queries(path), lake.queries(f"{path}partitions/")) == few == (7, 6)
