"""Files that statistics rule out: every statement acts on the rows that a SELECT with its condition finds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from catalog_app.domain.files import TableScan
from catalog_app.engine.engine import Engine
from catalog_app.engine.inputs_outputs import PlainRead, QueryResult, Tables
from tests.support.lake import Lake, OwnBranch


@pytest.fixture(scope="module")
def shared(services: None) -> Iterator[Lake]:
    """Amounts, and times of long ago and of now, in a file each."""
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql("CREATE TABLE d.t (id INT, amount DECIMAL(10,2))")
    lake.sql("INSERT INTO d.t VALUES (1, 9.00), (2, 9.50), (3, 10.00), (4, 25.00)")
    lake.sql("CREATE TABLE d.times (id INT, at TIMESTAMP)")
    lake.sql("INSERT INTO d.times VALUES (1, TIMESTAMP '2020-01-01 00:00:00')")
    lake.sql("INSERT INTO d.times SELECT 2, greatest(current_timestamp(), TIMESTAMP '2026-11-11 00:00:00')")
    yield lake
    assert lake.breaches() == []


@pytest.fixture
def amounts(shared: Lake) -> Lake:
    return OwnBranch(shared)


TEXTS_BESIDE_DECIMALS = ["amount = '9.5'", "amount BETWEEN '9' AND '9.99'", "amount IN ('9.5')", "amount >= '20'"]


@pytest.mark.parametrize("condition", TEXTS_BESIDE_DECIMALS)
def test_a_text_beside_a_decimal_is_a_number(amounts: Lake, condition: str) -> None:
    found = amounts.sql(f"SELECT id FROM d.t WHERE {condition}").rows
    assert found
    assert amounts.sql(f"UPDATE d.t SET id = id + 100 WHERE {condition}").metrics["rows_updated"] == len(found)
    assert amounts.sql(f"DELETE FROM d.t WHERE {condition}").metrics["rows_deleted"] == len(found)


def test_merges_compare_texts_with_decimals_as_numbers(amounts: Lake) -> None:
    amounts.sql(
        """MERGE INTO d.t USING (SELECT '9.5' AS a) s ON t.amount = s.a AND t.amount = '9.5'
        WHEN MATCHED THEN UPDATE SET id = 20 WHEN NOT MATCHED THEN INSERT (id) VALUES (0)
        WHEN NOT MATCHED BY SOURCE AND t.amount >= '20' THEN DELETE"""
    )
    assert [id_ for id_, _ in amounts.rows("d.t")] == [1, 20, 3]


def test_a_text_beside_a_date_is_a_date(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id INT, day STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, '2024-01-10'), (2, '2024-1-5'), (3, '2024-12-31')")
    updated = lake.sql("UPDATE d.t SET id = 20 WHERE day = DATE '2024-01-05'").metrics["rows_updated"]
    deleted = lake.sql("DELETE FROM d.t WHERE day < DATE '2024-01-07'").metrics["rows_deleted"]
    assert (updated, deleted) == (1, 1)


def test_whole_keys_beside_doubles_are_doubles(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (k DOUBLE, v INT)")
    lake.sql("INSERT INTO d.t VALUES (9007199254740992, 1)")
    lake.sql(
        """MERGE INTO d.t USING (SELECT 9007199254740993L AS k, 2 AS v) s ON t.k = s.k
        WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *"""
    )
    assert lake.rows("d.t") == [(9007199254740992.0, 2)]


TIMES = [
    "t.at > timestamp'2026-11-10'",
    "t.at > dateadd(day, -7, current_date)",
    "t.at > current_timestamp() - INTERVAL 7 DAYS",
]


@pytest.mark.parametrize("condition", TIMES)
def test_times_of_the_statement_leave_old_files_out(shared: Lake, condition: str) -> None:
    lake = OwnBranch(shared)
    merged = lake.sql(
        f"""MERGE INTO d.times AS t USING (SELECT explode(array(1, 2)) AS id) s ON t.id = s.id AND {condition}
        WHEN MATCHED THEN UPDATE SET id = t.id + 10"""
    )
    assert {name: merged.metrics[name] for name in ("files_scanned", "files_skipped", "rows_updated")} == {
        "files_scanned": 1,
        "files_skipped": 1,
        "rows_updated": 1,
    }
    updated = lake.sql(f"UPDATE d.times AS t SET id = 0 WHERE {condition}").metrics
    assert (updated["files_skipped"], updated["rows_updated"]) == (1, 1)


def test_a_query_leaves_files_out_too(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    lake.sql("CREATE TABLE d.t (id INT)")
    for number in (1, 2):
        lake.sql(f"INSERT INTO d.t VALUES ({number})")
    read: list[int] = []
    select = Engine.select

    def counting(self: Engine, text: str, tables: Tables, *, limit: int, plain: PlainRead | None) -> QueryResult:
        read.extend(len(scan.files) for scan in tables.values() if isinstance(scan, TableScan))
        return select(self, text, tables, limit=limit, plain=plain)

    monkeypatch.setattr(Engine, "select", counting)
    assert lake.sql("SELECT id FROM d.t WHERE id = 2").rows == [[2]]
    assert lake.sql("SELECT id FROM d.t WHERE id = 5").rows == []
    assert read == [1, 0]


def test_smallest_numbers_of_each_type_can_be_written(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (id BIGINT)")
    for literal in ("-128Y", "-32768S", "-9223372036854775808L", "- 128y"):
        lake.sql(f"INSERT OVERWRITE d.t SELECT {literal}")
        lake.sql(f"UPDATE d.t SET id = {literal} WHERE id = {literal}")
        assert lake.sql(f"SELECT {literal}").rows == lake.sql(f"SELECT id FROM d.t WHERE id = {literal}").rows
