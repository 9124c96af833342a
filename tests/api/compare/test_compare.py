"""``…/compare/{source}...{destination}/``."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection

from catalog_app.domain.schema import Schema
from catalog_app.rules.loader import load_rules
from lakeui.api.compare import comparing
from merge_app.comparison import compare
from tests.api.conftest import Caller
from tests.api.sql.test_statements import problem
from tests.support.resource_lake import Lake


@pytest.fixture
def lake(alice: Caller) -> Lake:
    """A lake with a branch b of main, nothing done on it yet."""
    fresh = Lake(alice, segments=2)
    fresh.sql("CREATE BRANCH b")
    return fresh


def compared(lake: Lake, query: str = "", pair: str = "b...main") -> Any:
    return lake.read(f"compare/{pair}/{query}")


def names(lake: Lake, query: str = "") -> list[str]:
    return [entry["name"] for entry in compared(lake, query)["results"]]


def of_object(lake: Lake, kind: str = "table", object_id: int | None = None, pair: str = "b...main") -> Any:
    return lake.read(f"compare/{pair}/objects/{kind}/{object_id or lake.table_id}/")


def entry_of(lake: Lake, name: str) -> dict[str, Any]:
    return next(entry for entry in compared(lake)["results"] if entry["name"] == name)


def test_branches_without_a_difference_compare_to_nothing(lake: Lake) -> None:
    found = compared(lake)
    assert (found["results"], found["is_empty"], found["mergeable"]) == ([], True, True)
    assert (found["ahead"], found["behind"]) == (0, 0)
    assert found["merge_base"] == lake.branch("b").fork_version


def test_changed_objects_are_listed_with_both_sides(lake: Lake) -> None:
    lake.insert("b", 1)
    lake.sql("CREATE TABLE d.fresh (id INT)", "b")
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')")
    found = compared(lake)
    assert [(entry["name"], entry["verdict"]) for entry in found["results"]] == [("d.fresh", "new"), ("d.t", "ok")]
    changed = entry_of(lake, "d.t")
    assert (changed["source_ops"], changed["dest_ops"]) == (["insert"], ["properties"])
    assert (changed["kind"], changed["object_id"], changed["database"]) == ("table", lake.table_id, "d")
    assert entry_of(lake, "d.fresh")["source_ops"] == ["create"]
    assert (found["ahead"], found["behind"]) == (2, 1)
    assert found["counts"] == {
        "objects": 2, "conflict": 0, "decided": 0, "note": 0, "ok": 1, "new": 1, "conflicts": 0,
        "tables_in_conflict": 0, "conflicting_rows": 0, "notes": 0,
    }  # fmt: skip


BRINGS = {
    "rows_inserted": 0, "rows_updated": 0, "rows_deleted": 0, "rows_are_exact": True,
    "columns_added": 0, "columns_dropped": 0, "columns_changed": 0,
}  # fmt: skip
BRINGS_IN_ALL = {
    **BRINGS,
    **{f"{kind}s_{done}": 0 for kind in ("table", "database") for done in ("created", "dropped", "changed")},
}


def test_it_counts_changes_per_object_and_in_all(lake: Lake) -> None:
    lake.sql("ALTER TABLE d.t ADD COLUMN extra INT", "b")
    lake.sql("ALTER TABLE d.t ADD COLUMN other INT", "b")
    lake.sql("ALTER TABLE d.t RENAME COLUMN other TO another", "b")
    lake.sql("CREATE TABLE d.fresh (id INT, name STRING)", "b")
    found = compared(lake)
    assert entry_of(lake, "d.t")["brings"] == {**BRINGS, "columns_added": 2}
    assert of_object(lake)["brings"] == {**BRINGS, "columns_added": 2}
    assert entry_of(lake, "d.fresh")["brings"] == BRINGS
    assert found["brings"] == {**BRINGS_IN_ALL, "columns_added": 2, "tables_changed": 1, "tables_created": 1}


def test_dropped_or_unchanged_objects_bring_no_rows(lake: Lake) -> None:
    lake.insert("b", 3)
    lake.sql("DROP TABLE d.t", "b")
    assert entry_of(lake, "d.t")["brings"] == BRINGS
    assert compared(lake)["brings"] == {**BRINGS_IN_ALL, "tables_dropped": 1}


def test_an_object_names_its_last_changing_commit(lake: Lake) -> None:
    lake.insert("b", 1)
    of_source = lake.branch("b").head_version
    assert entry_of(lake, "d.t")["newest_version"] == of_source
    lake.sql("CREATE TABLE d.fresh (id INT)", "b")
    assert entry_of(lake, "d.t")["newest_version"] == of_source
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')")
    assert entry_of(lake, "d.t")["newest_version"] > of_source


def test_what_only_the_target_changed_is_not_listed(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.theirs (id INT)")
    lake.insert("b", 1)
    assert names(lake) == ["d.t"]


def test_conflicts_come_first_then_notes(lake: Lake) -> None:
    for name in ("clash", "lost", "plain"):
        lake.sql(f"CREATE TABLE d.{name} (id INT)")
    lake.sql("CREATE BRANCH c")
    for name in ("plain", "lost", "clash"):
        lake.sql(f"ALTER TABLE d.{name} SET TBLPROPERTIES ('k' = 'c')", "c")
    lake.sql("ALTER TABLE d.lost SET TBLPROPERTIES ('k' = 'main')")
    lake.sql("DROP TABLE d.clash")
    found = compared(lake, pair="c...main")
    assert [(entry["name"], entry["verdict"], entry["codes"]) for entry in found["results"]] == [
        ("d.clash", "conflict", ["OBJECT_DROPPED_ON_DEST"]),
        ("d.lost", "note", ["OVERRIDDEN_BY_SOURCE"]),
        ("d.plain", "ok", []),
    ]
    assert found["mergeable"] is False
    assert (found["counts"]["conflict"], found["counts"]["conflicts"], found["counts"]["notes"]) == (1, 1, 1)


def test_objects_stand_by_database_with_conflicts_first(lake: Lake) -> None:
    for name in ("a.plain", "z.clash", "z.plain"):
        lake.sql(f"CREATE DATABASE IF NOT EXISTS {name[0]}")
        lake.sql(f"CREATE TABLE {name} (id INT)")
    lake.sql("CREATE BRANCH c")
    for name in ("a.plain", "z.clash", "z.plain"):
        lake.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('k' = 'c')", "c")
    lake.sql("CREATE DATABASE fresh", "c")
    lake.sql("DROP TABLE z.clash")
    found = compared(lake, pair="c...main")
    assert [entry["name"] for entry in found["results"]] == ["z.clash", "z.plain", "a.plain", "fresh"]
    assert [tuple(database.values()) for database in found["databases"]] == [("z", 2, 1), ("a", 1, 0), ("fresh", 1, 0)]
    plain = compared(lake, "?search=plain&limit=1", pair="c...main")
    assert [tuple(database.values()) for database in plain["databases"]] == [("z", 1, 0), ("a", 1, 0)]
    assert [entry["name"] for page in lake.pages("compare/c...main/?limit=3") for entry in page] == [
        entry["name"] for entry in found["results"]
    ]


def test_the_fingerprint_is_that_of_a_dry_run(lake: Lake) -> None:
    lake.insert("b", 1)
    lake.sql("ALTER TABLE d.t ADD COLUMN n INT", "b")
    lake.insert("main", 1)
    dry = lake.sql("MERGE BRANCH b DRY RUN").extra
    found = compared(lake)
    assert (found["fingerprint"], found["rules_digest"]) == (dry["fingerprint"], load_rules().digest)
    assert of_object(lake)["cells"] == [item for item in dry["findings"] if item["object_id"] == lake.table_id]


def test_a_comparison_records_no_attempt_and_moves_nothing(lake: Lake) -> None:
    lake.insert("b", 1)
    heads = lake.branch("b").head_version, lake.branch("main").head_version
    compared(lake)
    of_object(lake)
    assert lake.caller.get(f"/api/v1/merges/?catalog={lake.catalog}").json()["results"] == []
    assert (lake.branch("b").head_version, lake.branch("main").head_version) == heads


def test_the_list_is_filtered_and_paged(lake: Lake) -> None:
    for number in range(5):
        lake.sql(f"CREATE TABLE d.new{number} (id INT)", "b")
    lake.insert("b", 1)
    lake.sql("CREATE DATABASE e", "b")
    assert names(lake, "?kind=database") == ["e"]
    assert names(lake, "?verdict=ok") == ["d.t"]
    assert names(lake, "?search=NEW3") == ["d.new3"]
    pages = lake.pages("compare/b...main/?limit=3&verdict=new")
    assert [entry["name"] for page in pages for entry in page] == [f"d.new{n}" for n in range(5)] + ["e"]
    problem(lake.get("compare/b...main/?verdict=bad"), 400, "INVALID_VALUE")


def test_heads_that_did_not_move_are_planned_once(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    planned: list[int] = []
    real = compare.plan

    def counted(given: Any) -> Any:
        planned.append(given.destination_head)
        return real(given)

    monkeypatch.setattr(compare, "plan", counted)
    lake.insert("b", 1)
    first = compared(lake)
    assert compared(lake) == first
    of_object(lake)
    assert len(planned) == 1
    lake.insert("main", 1)
    assert compared(lake)["fingerprint"] != first["fingerprint"]
    assert len(planned) == 2


def test_unchanged_columns_are_not_read(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')", "b")
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '2')")
    read: list[Any] = []
    real = Schema.from_json

    def counted(value: dict[str, Any]) -> Schema:
        read.append(value)
        return real(value)

    monkeypatch.setattr(Schema, "from_json", counted)
    assert entry_of(lake, "d.t")["codes"] == ["OVERRIDDEN_BY_SOURCE"]
    assert read == []
    lake.sql("ALTER TABLE d.t ADD COLUMN extra INT", "b")
    read.clear()
    compared(lake)
    assert read != []


def test_requests_at_once_are_answered_by_one_plan(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    planned: list[int] = []
    real = compare.plan

    def slow(given: Any) -> Any:
        planned.append(given.destination_head)
        time.sleep(0.3)
        return real(given)

    monkeypatch.setattr(compare, "plan", slow)
    lake.insert("b", 1)
    answers = at_once(5, lambda: compared(lake))
    assert len(planned) == 1
    assert answers == [answers[0]] * 5


def test_a_plan_that_fails_delays_no_request(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    real = compare.plan
    monkeypatch.setattr(compare, "plan", lambda given: 1 / 0)
    lake.insert("b", 1)
    problem(lake.get("compare/b...main/"), 500, "INTERNAL_ERROR")
    monkeypatch.setattr(compare, "plan", real)
    began = time.monotonic()
    assert compared(lake)["counts"]["objects"] == 1
    assert time.monotonic() - began < comparing.MAKING_SECONDS / 2


def at_once(count: int, work: Callable[[], Any]) -> list[Any]:
    """What so many threads that start together answer."""
    answers: list[Any] = []
    start = threading.Barrier(count)

    def call() -> None:
        start.wait()
        answers.append(work())
        connection.close()

    threads = [threading.Thread(target=call) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def test_an_expired_cache_is_filled_again(lake: Lake) -> None:
    lake.insert("b", 1)
    lake.insert("main", 1)
    first, thing = compared(lake), of_object(lake)
    cache.clear()
    assert (of_object(lake), compared(lake)) == (thing, first)


def test_a_comparison_from_the_cache_takes_few_statements(lake: Lake) -> None:
    lake.insert("b", 1)
    assert lake.queries("compare/b...main/") == 4
    assert lake.queries(f"compare/b...main/objects/table/{lake.table_id}/") == 4


def test_statement_count_does_not_grow_with_objects(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing.cache, "get", lambda key: None)
    lake.sql("CREATE TABLE d.a (id INT)", "b")
    few = lake.queries("compare/b...main/")
    for number in range(20):
        lake.sql(f"CREATE TABLE d.n{number} (id INT)", "b")
    assert lake.queries("compare/b...main/") == few


def test_a_branch_is_not_compared_with_itself(lake: Lake) -> None:
    problem(lake.get("compare/b...b/"), 409, "SAME_BRANCH")


def test_unknown_branches_are_answered_with_the_nearest(lake: Lake) -> None:
    assert problem(lake.get("compare/b...mian/"), 404, "NOT_FOUND")["nearest"] == "main"
    problem(lake.get("compare/nope...main/"), 404, "NOT_FOUND")


def test_branch_names_may_hold_slashes_and_dots(lake: Lake) -> None:
    lake.sql("CREATE BRANCH `feature/a.b`")
    assert compared(lake, pair="feature/a.b...main")["source"]["name"] == "feature/a.b"
    assert compared(lake, pair="main...feature%2Fa.b")["destination"]["name"] == "feature/a.b"


def test_another_catalogs_branch_can_be_the_source(lake: Lake, alice: Caller) -> None:
    other = Lake(alice)
    other.sql("CREATE DATABASE only_there")
    found = compared(lake, pair=f"{other.catalog}.main...main")
    assert found["source"]["catalog"] == other.catalog
    assert "only_there" in [entry["name"] for entry in found["results"]]


def test_objects_the_source_left_alone_are_not_found(lake: Lake) -> None:
    problem(lake.get(f"compare/b...main/objects/table/{lake.table_id}/"), 404, "NOT_FOUND")
    problem(lake.get("compare/b...main/objects/view/1/"), 404, "NOT_FOUND")


def test_a_dropped_and_undropped_table_lists_no_change(lake: Lake) -> None:
    """P7: its one fact is again what the target knows. Its commits count as news."""
    lake.sql("DROP TABLE d.t", "b")
    lake.sql("UNDROP TABLE d.t", "b")
    found = compared(lake)
    assert (found["results"], found["is_empty"], found["mergeable"]) == ([], False, True)
    assert (found["ahead"], found["behind"]) == (2, 0)


def test_an_object_shows_the_commits_of_both_sides(lake: Lake) -> None:
    lake.sql("ALTER TABLE d.t ADD COLUMN n INT COMMENT 'new'", "b")
    lake.insert("b", 3)
    lake.insert("main", 1)
    found = of_object(lake)
    alter, insert = found["source_commits"]
    assert (alter["branch"], alter["statement"]) == ("b", "ALTER TABLE d.t ADD COLUMN n INT COMMENT 'new'")
    assert [done["kind"] for done in alter["operations"]] == ["column"]
    assert (insert["files_added"], insert["files_touched"]) == (3, 0)
    (of_target,) = found["dest_commits"]
    assert (of_target["branch"], of_target["operation"], of_target["files_added"]) == ("main", "INSERT", 1)
    assert {(cell["source_op"], cell["dest_op"]) for cell in found["cells"]} == {
        ("column", "insert"),
        ("insert", "insert"),
    }


def test_a_commit_names_changed_fields_by_path(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.n (s STRUCT<x: INT, y: STRUCT<p: INT>>)")
    lake.sql("CREATE BRANCH c")
    for statement in (
        "RENAME COLUMN s.x TO ex",
        "ADD COLUMN s.y.q INT",
        "ALTER COLUMN s.y.p TYPE BIGINT",
        "ALTER COLUMN s.y FIRST",
        "DROP COLUMN s.ex",
    ):
        lake.sql(f"ALTER TABLE d.n {statement}", "c")
    (table,) = compared(lake, pair="c...main")["results"]
    commits = of_object(lake, object_id=table["object_id"], pair="c...main")["source_commits"]
    changed = [done["changed"] for commit in commits for done in commit["operations"]]
    assert changed == [["s.ex"], ["s.y.q"], ["s.y.p"], ["s"], ["s.ex"]]


def test_a_commit_names_changed_columns_properties_and_partitions(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.p (id INT, m INT) PARTITIONED BY (m)")
    lake.sql("CREATE BRANCH c")
    for statement in (
        "ADD COLUMN extra INT",
        "RENAME COLUMN id TO key",
        "ALTER COLUMN key COMMENT 'of the row'",
        "SET TBLPROPERTIES ('owner' = 'alice')",
        "ADD PARTITION (m = 1)",
        "DROP COLUMN extra",
        "RENAME TO d.q",
    ):
        lake.sql(f"ALTER TABLE d.p {statement}", "c")
    (table,) = compared(lake, pair="c...main")["results"]
    commits = of_object(lake, object_id=table["object_id"], pair="c...main")["source_commits"]
    changed = [done["changed"] for commit in commits for done in commit["operations"]]
    assert changed == [["extra"], ["key"], ["key"], ["owner"], ["m=1"], ["extra"], []]


def test_a_commit_names_first_files_and_counts_all(lake: Lake) -> None:
    lake.insert("b", 21)
    (commit,) = of_object(lake)["source_commits"]
    assert (commit["files_added"], len(commit["files"])) == (21, 20)
    assert all(file["is_new"] for file in commit["files"])
    paths = [file["path"] for file in commit["files"]]
    known = lake.read("branches/b/databases/d/tables/t/segments/?limit=100")["results"]
    assert set(paths) < {segment["path"] for segment in known}
    assert len(set(paths)) == 20


def test_columns_are_aligned_by_id(lake: Lake) -> None:
    """The source's new column stands behind the one that it followed there, so that of the target moves on."""
    lake.sql("ALTER TABLE d.t RENAME COLUMN id TO key", "b")
    lake.sql("ALTER TABLE d.t ADD COLUMN mine INT", "b")
    lake.sql("ALTER TABLE d.t ADD COLUMN theirs INT")
    rows = of_object(lake)["columns"]
    shown = [
        tuple(row[side] and row[side]["name"] for side in ("base", "source", "destination", "result")) for row in rows
    ]
    assert sorted(shown, key=str) == sorted(
        [
            ("id", "key", "id", "key"),
            (None, "mine", None, "mine"),
            (None, None, "theirs", "theirs"),
        ],
        key=str,
    )
    assert {row["result"]["name"]: row["is_changed"] for row in rows} == {"key": True, "mine": True, "theirs": True}
    assert [row["result"]["name"] for row in rows] == ["key", "mine", "theirs"]


def test_column_added_on_both_sides_is_one_row(lake: Lake) -> None:
    lake.sql("ALTER TABLE d.t ADD COLUMN both INT", "b")
    lake.sql("ALTER TABLE d.t ADD COLUMN both INT")
    rows = [row for row in of_object(lake)["columns"] if row["result"]["name"] == "both"]
    assert len(rows) == 1
    assert (rows[0]["source"]["type"], rows[0]["destination"]["type"], rows[0]["base"]) == ("int", "int", None)


def test_the_base_is_the_target_when_last_pulled(lake: Lake) -> None:
    lake.sql("ALTER TABLE d.t RENAME COLUMN id TO key")
    lake.sql("MERGE BRANCH main TO b")
    lake.sql("ALTER TABLE d.t RENAME COLUMN key TO mine", "b")
    (row,) = of_object(lake)["columns"]
    assert [row[side]["name"] for side in ("base", "source", "destination", "result")] == ["key", "mine", "key", "mine"]


def test_the_base_has_what_both_took_from_another(lake: Lake) -> None:
    lake.sql("CREATE BRANCH c")
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = 'third')", "c")
    lake.sql("ALTER TABLE d.t RENAME COLUMN id TO third", "c")
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('m' = 'main')")
    for source, target in (("main", "b"), ("c", "b"), ("c", "main")):
        lake.sql(f"MERGE BRANCH {source} TO {target}")
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = 'mine')", "b")
    lake.sql("ALTER TABLE d.t RENAME TO d.u")
    found = of_object(lake)
    assert [(item["key"], item["base"], item["destination"]) for item in found["properties"]] == [
        ("k", "third", "third"),
        ("m", "main", "main"),
    ]
    assert [column["base"]["name"] for column in found["columns"]] == ["third"]
    assert (found["names"]["base"], found["names"]["destination"]) == ("d.t", "d.u")


def test_properties_and_names_stand_side_by_side(lake: Lake) -> None:
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = 'mine', 'a' = '1')", "b")
    lake.sql("ALTER TABLE d.t RENAME TO d.u", "b")
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = 'theirs')")
    found = of_object(lake)
    assert found["names"] == {"base": "d.t", "source": "d.u", "destination": "d.t", "result": "d.u"}
    assert found["properties"] == [
        {"key": "a", "base": None, "source": "1", "destination": None, "result": "1", "is_changed": True},
        {"key": "k", "base": None, "source": "mine", "destination": "theirs", "result": "mine", "is_changed": True},
    ]


def test_partition_changes_of_both_sides_name_the_column(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.p (id INT, m INT) PARTITIONED BY (m)")
    lake.sql("CREATE BRANCH c")
    lake.sql("ALTER TABLE d.p ADD PARTITION (m = 1)", "c")
    lake.sql("ALTER TABLE d.p ADD PARTITION (m = 2)")
    (entry,) = compared(lake, pair="c...main")["results"]
    found = of_object(lake, object_id=entry["object_id"], pair="c...main")
    assert found["partitions"] == {
        "source": [{"before": None, "after": {"m": "1"}}],
        "destination": [{"before": None, "after": {"m": "2"}}],
    }


def test_a_table_dropped_on_target_has_no_state(lake: Lake) -> None:
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')", "b")
    lake.sql("DROP TABLE d.t")
    found = of_object(lake)
    assert (found["verdict"], found["names"]["destination"], found["preview"]) == ("conflict", None, None)
    assert [commit["operation"] for commit in found["dest_commits"]] == ["DROP TABLE"]


def test_a_dropped_database_takes_its_tables(lake: Lake) -> None:
    lake.insert("main", 1)
    lake.sql("DROP DATABASE d CASCADE", "b")
    found = of_object(lake)
    assert (found["action"], found["names"]["source"], found["names"]["result"]) == ("drop", None, None)
    assert [commit["operation"] for commit in found["source_commits"]] == ["DROP DATABASE"]
    assert (found["preview"]["rows_before"], found["preview"]["rows_after"]) == (3000, 0)


def test_a_database_is_compared_too(lake: Lake) -> None:
    lake.sql("ALTER DATABASE d SET DBPROPERTIES ('owner' = 'ops')", "b")
    (entry,) = compared(lake)["results"]
    found = of_object(lake, "database", entry["object_id"])
    assert (found["rule_table"], found["files"], found["preview"], found["columns"]) == ("database", None, None, [])
    assert found["properties"][0]["result"] == "ops"


def test_the_preview_shows_what_the_merge_does(lake: Lake) -> None:
    for name in ("s1", "s2"):
        lake.sql(f"ALTER TABLE d.t ADD COLUMN {name} INT", "b")
    lake.insert("b", 3)
    lake.sql("ALTER TABLE d.t ADD COLUMN s3 INT", "b")
    lake.insert("main", 1)
    found = of_object(lake)
    preview, files = found["preview"], found["files"]
    assert (preview["rows_before"], preview["files_before"], preview["bytes_before"]) == (3000, 3, 60000)
    merged = lake.sql("MERGE BRANCH b").extra["merged"][0]
    after = lake.read("branches/main/databases/d/tables/t/")
    assert (preview["rows_after"], preview["files_after"], preview["bytes_after"]) == (
        after["rows"],
        after["files"],
        after["bytes"],
    )
    assert (preview["rows_are_exact"], preview["schema_changes"]) == (True, True)
    assert preview["invisible_schema_versions"] == merged["invisible_schema_versions"]
    assert preview["discarded_schema_versions"] == merged["discarded_schema_versions"]
    assert len(merged["discarded_schema_versions"]) == 1
    assert files["brought_count"] == merged["new_segment_count"] == 3
    assert [(item["path"], item["is_visible"]) for item in files["brought"]] == [
        (item["path"], item["is_visible"]) for item in merged["new_segments"]
    ]


def test_an_overwrite_preview_names_the_files_that_go(lake: Lake) -> None:
    lake.sql("TRUNCATE TABLE d.t", "b")
    lake.insert("main", 1)
    found = of_object(lake)
    assert (found["files"]["removed_count"], found["files"]["brought_count"]) == (3, 0)
    assert (found["preview"]["rows_before"], found["preview"]["rows_after"]) == (3000, 0)
    merged = lake.sql("MERGE BRANCH b").extra["merged"][0]
    assert [item["path"] for item in found["files"]["removed"]] == merged["removed_segments"]


def test_a_second_merge_is_compared_with_firsts_result(lake: Lake) -> None:
    lake.insert("b", 1)
    merged = lake.branch("b").head_version
    lake.sql("MERGE BRANCH b")
    assert compared(lake)["is_empty"] is True
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')", "b")
    found = compared(lake)
    # The merge took all as b has it, and is no news to b.
    assert (found["merge_base"], found["ahead"], found["behind"]) == (merged, 1, 0)
    (entry,) = found["results"]
    assert entry["source_ops"] == ["properties"]
    assert len(of_object(lake)["source_commits"]) == 1
