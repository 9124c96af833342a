"""UNDROP brings an object back under its old id (semantics §5)."""

from __future__ import annotations

import pytest

from lakeui.common.errors import AlreadyExists, InvalidValue, MergeConflict, NotFound
from tests.support.lake import Lake


def table_id(lake: Lake, name: str, branch: str = "main") -> str:
    return next(row[2] for row in lake.sql("SHOW TABLES", branch).rows if row[1] == name)


def test_a_table_returns_with_its_id_and_rows(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (a int)")
    lake.sql("INSERT INTO d.t VALUES (1)")
    identity = table_id(lake, "t")
    lake.sql("DROP TABLE d.t")
    result = lake.sql("UNDROP TABLE d.t")
    assert lake.rows("d.t") == [(1,)]
    assert table_id(lake, "t") == identity
    assert lake.audit(result.extra["audit_id"])["kind"] == "undrop"


def test_a_table_comes_back_under_another_name(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (a int)")
    lake.sql("DROP TABLE d.t")
    lake.sql("CREATE TABLE d.t (b int)")
    with pytest.raises(MergeConflict) as refusal:
        lake.sql("UNDROP TABLE d.t")
    assert [item["code"] for item in refusal.value.details["conflicts"]] == ["NAME_EXISTS"]
    lake.sql("UNDROP TABLE d.t AS old")
    assert [row[0] for row in lake.sql("DESCRIBE TABLE d.old").rows] == ["a"]


def test_one_of_several_dropped_tables_returns_by_id(lake: Lake) -> None:
    identities = []
    for column in ("a", "b"):
        lake.sql(f"CREATE TABLE d.t ({column} int)")
        identities.append(table_id(lake, "t"))
        lake.sql("DROP TABLE d.t")
    with pytest.raises(InvalidValue) as refusal:
        lake.sql("UNDROP TABLE d.t")
    assert sorted(refusal.value.details["candidates"]) == sorted(identities)
    lake.sql(f"UNDROP TABLE d.t WITH ID '{identities[0]}' AS first")
    assert [row[0] for row in lake.sql("DESCRIBE TABLE d.first").rows] == ["a"]


def test_what_was_never_dropped_cannot_come_back(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.orders (a int)")
    lake.sql("DROP TABLE d.orders")
    with pytest.raises(NotFound) as unknown:
        lake.sql("UNDROP TABLE d.order")
    assert unknown.value.details["nearest"] == "orders"


def test_a_database_returns_with_tables_its_drop_took(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.kept (a int)")
    lake.sql("INSERT INTO d.kept VALUES (1)")
    lake.sql("CREATE TABLE d.earlier (a int)")
    lake.sql("DROP TABLE d.earlier")
    lake.sql("DROP DATABASE d CASCADE")
    with pytest.raises(InvalidValue):
        lake.sql("UNDROP TABLE d.kept")
    lake.sql("UNDROP DATABASE d AS e")
    assert [row[1] for row in lake.sql("SHOW TABLES IN e").rows] == ["kept"]
    assert lake.rows("e.kept") == [(1,)]


def test_a_database_dropped_by_merge_returns_with_tables(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (a int)")
    lake.sql("CREATE BRANCH dev")
    lake.sql("DROP DATABASE d CASCADE", "dev")
    lake.sql("INSERT INTO d.t VALUES (1)")
    lake.merge("dev")
    lake.sql("UNDROP DATABASE d")
    assert lake.rows("d.t") == [(1,)]


def test_a_merge_ignores_a_drop_with_its_undrop(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (a int)")
    lake.sql("CREATE BRANCH dev")
    lake.sql("DROP TABLE d.t", "dev")
    lake.sql("UNDROP TABLE d.t", "dev")
    lake.sql("ALTER TABLE d.t ADD COLUMN b int")
    lake.merge("dev")
    assert [row[0] for row in lake.sql("DESCRIBE TABLE d.t").rows] == ["a", "b"]


def test_an_undrop_merges(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (a int)")
    lake.sql("INSERT INTO d.t VALUES (1)")
    lake.sql("DROP TABLE d.t")
    lake.sql("CREATE BRANCH dev")
    lake.sql("UNDROP TABLE d.t", "dev")
    lake.merge("dev")
    assert lake.rows("d.t") == [(1,)]


def test_a_branch_comes_back_with_its_commits(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (a int)")
    lake.sql("CREATE BRANCH dev")
    lake.sql("INSERT INTO d.t VALUES (1)", "dev")
    lake.sql("DROP BRANCH dev")
    with pytest.raises(NotFound):
        lake.sql("UNDROP BRANCH nothing")
    lake.sql("UNDROP BRANCH dev")
    assert lake.rows("d.t", "dev") == [(1,)]
    with pytest.raises(NotFound):
        lake.sql("UNDROP BRANCH dev")


def test_a_branch_does_not_come_back_over_another(lake: Lake) -> None:
    lake.sql("CREATE BRANCH dev")
    lake.sql("DROP BRANCH dev")
    lake.sql("CREATE BRANCH dev")
    with pytest.raises(AlreadyExists):
        lake.sql("UNDROP BRANCH dev")


def test_one_of_several_dropped_branches_returns_by_id(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (a int)")
    identities = []
    for number in (1, 2):
        lake.sql("CREATE BRANCH dev")
        lake.sql(f"INSERT INTO d.t VALUES ({number})", "dev")
        identities.append(lake.branch("dev").pk)
        lake.sql("DROP BRANCH dev")
    lake.sql("CREATE BRANCH dev")
    lake.sql(f"UNDROP BRANCH dev WITH ID '{identities[0]}' AS first")
    lake.sql("UNDROP BRANCH dev AS second")
    assert [lake.rows("d.t", name) for name in ("first", "second", "dev")] == [[(1,)], [(2,)], []]
    assert [lake.branch(name).pk for name in ("first", "second")] == identities


def test_a_wrong_branch_id_names_the_nearest_one(lake: Lake) -> None:
    lake.sql("CREATE BRANCH dev")
    identity = lake.branch("dev").pk
    lake.sql("DROP BRANCH dev")
    with pytest.raises(NotFound) as unknown:
        lake.sql("UNDROP BRANCH dev WITH ID '0'")
    assert unknown.value.details["nearest"] == str(identity)
    with pytest.raises(InvalidValue):
        lake.sql("UNDROP BRANCH dev AS ` `")
