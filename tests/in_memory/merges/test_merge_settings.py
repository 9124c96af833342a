"""``merge.conflicts`` by row: stories as data, in both directions where the rule mirrors; and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from lakeui.common.errors import InvalidValue, MergeConflict
from tests.support.lake import Lake
from tests.support.rows import OPTIMIZE, delete, row_ids, rows, set_v

ANCESTOR = ["INSERT INTO d.t VALUES (1, 'o'), (2, 'o'), (3, 'o')"]


def lake_of(lake: Lake, conflicts: str, ancestor: Sequence[str] = ANCESTOR) -> Lake:
    """Table d.t by this setting with these rows, and branch b."""
    lake.sql(f"CREATE TABLE d.t (id INT, v STRING) TBLPROPERTIES ('merge.conflicts' = '{conflicts}')")
    for statement in ancestor:
        lake.sql(statement)
    lake.sql("CREATE BRANCH b")
    return lake


def story(source: list[str], target: list[str], merged: str | set[str], name: str = "") -> Any:
    """``merged``: rows, or the verdicts that refuse it."""
    return pytest.param(source, target, merged, id=name or None)


MIRRORED = [
    story([set_v("B", 1)], [set_v("M", 2)], "1B 2M 3o", "updates of different rows of one file"),
    story([set_v("B", 1)], [set_v("M", 1)], {"SAME_FILE_UPDATE_UPDATE"}, "updates of one row"),
    story([set_v("B", 1), OPTIMIZE], [OPTIMIZE, set_v("M", 2)], "1B 2M 3o", "through compactions"),
    story([OPTIMIZE, set_v("B", 1)], [set_v("M", 1), OPTIMIZE], {"SAME_FILE_UPDATE_UPDATE"}, "one row, compacted"),
    story([delete(1)], [set_v("M", 2)], "2M 3o", "a delete and an update of different rows"),
    story([delete(1)], [delete(1, 2)], "3o", "one row deleted twice"),
    story([set_v("B", 1)], [set_v("M", 2), delete(3)], "1B 2M", "several rows"),
]
ONE_WAY = [
    story([set_v("B", 1)], [delete(1)], {"SAME_FILE_UPDATE_DELETE"}, "an update meets a delete of its row"),
    story([delete(1)], [set_v("M", 1)], "1M 2o 3o", "a delete meets an update of its row"),
    story([set_v("B", 1)], ["INSERT INTO d.t VALUES (4, 'm')"], {"PREDICATE_DML_VS_INSERT"}, "an insert and an update"),
    story([delete(1)], ["INSERT INTO d.t VALUES (4, 'm')"], {"PREDICATE_DML_VS_INSERT"}, "an insert and a delete"),
    story(["INSERT INTO d.t VALUES (4, 'b')"], [set_v("M", 1)], "1M 2o 3o 4b", "an update and an insert"),
]


def check(lake: Lake, source: list[str], target: list[str], merged: str | set[str], flipped: bool) -> None:
    target_branch, source_branch = ("b", "main") if flipped else ("main", "b")
    for statement in source:
        lake.sql(statement, source_branch)
    for statement in target:
        lake.sql(statement, target_branch)
    if isinstance(merged, set):
        assert lake.codes(source_branch, target_branch) == merged
        return
    before = {**row_ids(lake, target_branch), **row_ids(lake, source_branch)}
    lake.merge(source_branch, target_branch)
    assert rows(lake, target_branch) == merged
    assert row_ids(lake, target_branch).items() <= before.items()
    lake.merge(target_branch, source_branch)
    assert rows(lake, source_branch) == merged
    assert lake.breaches() == []


@pytest.mark.parametrize("flipped", [False, True], ids=["", "flipped"])
@pytest.mark.parametrize(("source", "target", "merged"), MIRRORED)
def test_by_row_what_mirrors(lake: Lake, source: list[str], target: list[str], merged: Any, flipped: bool) -> None:
    check(lake_of(lake, "row"), source, target, merged, flipped)


@pytest.mark.parametrize(("source", "target", "merged"), ONE_WAY)
def test_by_row_what_has_a_direction(lake: Lake, source: list[str], target: list[str], merged: Any) -> None:
    check(lake_of(lake, "row"), source, target, merged, flipped=False)


def test_the_target_chooses_a_tables_merge_setting(lake: Lake) -> None:
    lake_of(lake, "file")
    lake.sql(set_v("B", 1), "b")
    lake.sql(set_v("M", 2))
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('merge.conflicts' = 'row')", "b")
    assert lake.codes("b") == {"SAME_FILE_UPDATE_UPDATE"}
    lake.merge("main", "b")
    assert rows(lake, "b") == "1B 2M 3o"


def test_a_table_inherits_from_its_catalog(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, v STRING)")
    lake.sql(ANCESTOR[0])
    lake.sql("CREATE BRANCH b")
    lake.sql(set_v("B", 1), "b")
    lake.sql(set_v("M", 2))
    assert lake.codes("b") == {"SAME_FILE_UPDATE_UPDATE"}
    lake.sql(f"ALTER CATALOG {lake.catalog} SET PROPERTIES ('merge.conflicts' = 'row')")
    assert ["merge.conflicts", "row"] in lake.sql(f"DESCRIBE CATALOG {lake.catalog}").rows
    assert lake.dry_run("b")["mergeable"]
    lake.sql(f"ALTER CATALOG {lake.catalog} UNSET PROPERTIES ('merge.conflicts')")
    assert lake.codes("b") == {"SAME_FILE_UPDATE_UPDATE"}
    lake.sql("ALTER TABLE d.t SET TBLPROPERTIES ('merge.conflicts' = 'row')")
    lake.merge("b")
    assert rows(lake) == "1B 2M 3o"


def test_a_transaction_merges_by_its_branchs_setting(lake: Lake) -> None:
    lake_of(lake, "row")
    opened = lake.sql("BEGIN").extra["transaction"]
    lake.sql(set_v("T", 1), transaction=opened)
    lake.sql(set_v("M", 2))
    lake.sql("COMMIT", transaction=opened)
    assert rows(lake) == "1T 2M 3o"


@pytest.mark.parametrize(
    ("source", "target", "reported"),
    [
        ([set_v("B", 1)], [set_v("M", 2)], {"SAME_FILE_UPDATE_UPDATE": ["By row this merges."]}),
        ([set_v("B", 1)], [delete(2)], {"SAME_FILE_UPDATE_DELETE": ["By row this merges."]}),
        ([set_v("B", 1, 2)], [delete(1)], {"SAME_FILE_UPDATE_DELETE": ["By row: 1 row in conflict."]}),
    ],
)
def test_a_verdict_by_file_tells_what_rows_say(
    lake: Lake, source: list[str], target: list[str], reported: dict[str, list[str]]
) -> None:
    lake_of(lake, "file")
    for statement in source:
        lake.sql(statement, "b")
    for statement in target:
        lake.sql(statement)
    report = lake.dry_run("b")
    found = {item["code"]: [finer["text"] for finer in item["details"]["finer"]][:1] for item in report["conflicts"]}
    assert found == reported
    shown = lake.sql("MERGE BRANCH b DRY RUN").rows
    assert any(row[4] in reported and reported[row[4]][0] in row[5] for row in shown)


# What is refused -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("properties", "said", "nearest"),
    [
        ("'merge.conflicts' = 'rows'", "cannot be 'rows'", "row"),
        ("'merge.conflict' = 'row'", "no table property", "merge.conflicts"),
        ("'merge.conflicts' = 'row', 'merge.column.n' = 'summ'", "cannot be 'summ'", "sum"),
        ("'merge.conflicts' = 'row', 'merge.column.n' = 'sum'", "needs merge.conflicts = 'cell'", None),
        ("'merge.column.n' = 'sum'", "needs merge.conflicts = 'cell'", None),
    ],
)
def test_impossible_properties_are_refused_by_name(lake: Lake, properties: str, said: str, nearest: str | None) -> None:
    lake.sql("CREATE TABLE d.there (id INT, n INT)")
    for statement in (
        f"CREATE TABLE d.t (id INT, n INT) TBLPROPERTIES ({properties})",
        f"ALTER TABLE d.there SET TBLPROPERTIES ({properties})",
    ):
        with pytest.raises(InvalidValue, match=said) as refused:
            lake.sql(statement)
        assert refused.value.details["field"].startswith("merge.")
        assert refused.value.details.get("nearest") == nearest


def test_tables_with_primary_key_refuse_settings_without_effect(lake: Lake) -> None:
    with pytest.raises(InvalidValue, match="merged by key and cell"):
        lake.sql("CREATE TABLE d.t (id INT PRIMARY KEY) TBLPROPERTIES ('merge.conflicts' = 'row')")


def test_a_catalog_refuses_what_it_does_not_know(lake: Lake) -> None:
    for properties, said in (
        ("'merge.conflicts' = 'lines'", "cannot be 'lines'"),
        ("'merge.conflict' = 'row'", "no property merge.conflict of a catalog"),
        ("'owner' = 'me'", "no property owner of a catalog"),
    ):
        with pytest.raises(InvalidValue, match=said):
            lake.sql(f"ALTER CATALOG {lake.catalog} SET PROPERTIES ({properties})")


@pytest.mark.parametrize(("setting", "codes"), [("file", {"SAME_FILE_UPDATE_UPDATE"}), ("row", set()), ("cell", set())])
def test_finer_settings_hold_between_catalogs(lake: Lake, setting: str, codes: set[str]) -> None:
    other = Lake()
    other.sql("CREATE DATABASE e")
    other.sql("CREATE TABLE e.t (id INT, v INT)")
    other.sql("INSERT INTO e.t VALUES (1, 0), (2, 0)")
    lake.sql(f"MERGE BRANCH {other.catalog}.main TO main")
    lake.sql(f"ALTER TABLE e.t SET TBLPROPERTIES ('merge.conflicts' = '{setting}')")
    lake.sql("UPDATE e.t SET v = 2 WHERE id = 2")
    other.sql("UPDATE e.t SET v = 1 WHERE id = 1")
    if codes:
        with pytest.raises(MergeConflict) as refusal:
            lake.sql(f"MERGE BRANCH {other.catalog}.main TO main")
        assert {item["code"] for item in refusal.value.details["conflicts"]} == codes
        return
    lake.sql(f"MERGE BRANCH {other.catalog}.main TO main")
    assert lake.rows("e.t") == [(1, 1), (2, 2)]
