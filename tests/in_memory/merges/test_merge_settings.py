"""Verdicts of ``merge.conflicts``, and what is refused. ``tests/stories/settings_of_conflicts.toml`` has merges."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from lakeui.common.errors import InvalidValue, MergeConflict
from tests.support.lake import Lake
from tests.support.rows import delete, row_ids, rows, set_v

ANCESTOR = ["INSERT INTO d.t VALUES (1, 'o'), (2, 'o'), (3, 'o')"]


def lake_of(lake: Lake, conflicts: str, ancestor: Sequence[str] = ANCESTOR) -> Lake:
    """Table d.t by this setting with these rows, and branch b."""
    lake.sql(f"CREATE TABLE d.t (id INT, v STRING) TBLPROPERTIES ('merge.conflicts' = '{conflicts}')")
    for statement in ancestor:
        lake.sql(statement)
    lake.sql("CREATE BRANCH b")
    return lake


def test_rows_that_merge_keep_their_ids(lake: Lake) -> None:
    lake_of(lake, "row")
    before = row_ids(lake)
    lake.sql(set_v("B", 1), "b")
    lake.sql(set_v("M", 2))
    lake.merge("b")
    assert row_ids(lake) == before


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


@pytest.mark.parametrize(
    ("source", "target", "reported"),
    [
        ([set_v("B", 1)], [set_v("M", 2)], {"SAME_FILE_UPDATE_UPDATE": ["By row this merges."]}),
        ([set_v("B", 1)], [delete(2)], {"SAME_FILE_UPDATE_DELETE": ["By row this merges."]}),
        ([set_v("B", 1, 2)], [delete(1)], {"SAME_FILE_UPDATE_DELETE": ["By row: 1 row in conflict."]}),
    ],
)
def test_a_verdict_by_file_names_rows_in_conflict(
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
