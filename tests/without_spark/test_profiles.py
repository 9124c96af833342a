"""Profiles over HTTP: of the rows that the merge looks at, and of a table by the statistics of its files."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from catalog_app.domain.column_bounds import column_bounds
from catalog_app.domain.files import ColumnStatistics, Statistics
from catalog_app.domain.schema import Column, Schema
from catalog_app.models import Catalog
from lakeui.api.compare import table_readers
from merge_app.pipelines.models import Pipeline
from merge_app.review.models import Check
from tests.support.http import Http
from tests.support.lake import Lake


@pytest.fixture
def client(lake: Lake) -> Client:
    lake.sql("CREATE TABLE d.t (id int, name string, amount int, PRIMARY KEY (id))")
    lake.sql("INSERT INTO d.t VALUES (1, 'a', 15), (2, 'b', 25), (3, 'c', 35), (4, 'd', 40)")
    lake.sql("CREATE BRANCH b")
    return Http(lake).client


def profile(client: Client, lake: Lake) -> Any:
    table = lake.sql("SHOW TABLES IN d").rows[0][2]
    response = client.get(f"/api/v1/catalogs/{lake.catalog}/compare/b...main/objects/table/{table}/profile/")
    assert response.status_code == 200, response.content
    return response.json()


def counted(found: Any, column: str) -> Any:
    (entry,) = (entry for entry in found["columns"] if entry["column"]["name"] == column)
    return entry


def test_only_rows_that_the_source_changed_are_counted(lake: Lake, client: Client) -> None:
    lake.sql("UPDATE d.t SET amount = NULL WHERE id <= 2", "b")
    lake.sql("DELETE FROM d.t WHERE id = 3", "b")
    lake.sql("INSERT INTO d.t VALUES (5, 'e', 9)", "b")
    lake.sql("INSERT INTO d.t VALUES (6, 'f', 99)")
    found = profile(client, lake)
    assert [found[name] for name in ("inserted", "updated", "deleted", "open", "is_whole")] == [1, 2, 1, 0, True]
    amount = counted(found, "amount")
    assert (amount["updated"], amount["changed"]) == (2, 2)
    assert amount["before"] == {
        "rows": 3, "nulls": 0, "distinct": 3, "least": 15, "largest": 35, "mean": 25.0,
        "top": [{"value": value, "count": 1} for value in (15, 25, 35)],
        "histogram": [{"at": pytest.approx(at), "count": 1} for at in (14.85, 25.25, 34.35)],
    }  # fmt: skip
    assert amount["after"] == {
        "rows": 3, "nulls": 2, "distinct": 1, "least": 9, "largest": 9, "mean": 9.0,
        "top": [{"value": 9, "count": 1}], "histogram": [{"at": pytest.approx(9.65), "count": 1}],
    }  # fmt: skip
    assert amount["merged"] == amount["after"]
    assert counted(found, "name")["changed"] == 0
    assert [risk["code"] for risk in found["risks"]] == ["ROWS_LOST", "NULLS_RISEN"]


def test_rows_in_open_conflict_have_no_merged_values(lake: Lake, client: Client) -> None:
    lake.sql("UPDATE d.t SET name = 'x' WHERE id <= 2", "b")
    lake.sql("UPDATE d.t SET name = 'y' WHERE id = 1")
    found = profile(client, lake)
    assert (found["updated"], found["open"]) == (2, 1)
    name = counted(found, "name")
    assert (name["after"]["rows"], name["merged"]["rows"]) == (2, 1)


def test_dropped_column_readers_come_first_recent_reads_last(lake: Lake, client: Client) -> None:
    lake.sql("CREATE VIEW d.v AS SELECT amount FROM d.t")
    lake.sql("CREATE TABLE d.z AS SELECT id FROM d.t")
    catalog, author = Catalog.objects.get(name=lake.catalog), get_user_model().objects.latest("pk")
    for name, query in (("no_debt", "SELECT id FROM d.t WHERE Amount < 0"), ("other", "SELECT amounts FROM d.t")):
        Check.objects.create(catalog=catalog, name=name, query=query, created_by=author)
    for name, branch in (("sums", "main"), ("elsewhere", "b")):
        source = "SELECT sum(amount) AS s FROM {{ ref('t') }}"
        Pipeline.objects.create(catalog=catalog, name=name, branch=branch, database="d", table="s", source=source)
    lake.sql("ALTER TABLE d.t DROP COLUMN amount", "b")
    lake.sql("DELETE FROM d.t WHERE id = 1", "b")
    risks = [(risk["code"], risk["column"], risk["message"]) for risk in profile(client, lake)["risks"]]
    assert risks == [
        ("COLUMN_READ", "amount", "It is dropped, and the view d.v reads it."),
        ("COLUMN_READ", "amount", "It is dropped, and the check no_debt reads it."),
        ("COLUMN_READ", "amount", "It is dropped, and the pipeline sums reads it."),
        ("ROWS_LOST", "", "1 row is deleted."),
        ("TABLE_READ", "", "In the last 24 hours 1 statement wrote rows of this table into other tables."),
    ]


def test_older_reads_are_no_news(lake: Lake, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    lake.sql("CREATE TABLE d.z AS SELECT id FROM d.t")
    monkeypatch.setattr(table_readers, "RECENT", timedelta(0))
    lake.sql("UPDATE d.t SET amount = amount + 1", "b")
    assert profile(client, lake)["risks"] == []


def test_the_statistics_of_the_files_bound_each_column(lake: Lake, client: Client) -> None:
    lake.sql("CREATE TABLE d.s (id INT, day DATE, tags ARRAY<INT>)")
    lake.sql("INSERT INTO d.s VALUES (9, DATE '2026-01-02', NULL), (NULL, NULL, NULL)")
    lake.sql("INSERT INTO d.s VALUES (-3, DATE '2025-12-31', NULL)")
    lake.sql("ALTER TABLE d.s ADD COLUMN late INT")
    address = f"/api/v1/catalogs/{lake.catalog}/branches/main/databases/d/tables/s/profile/"
    found = client.get(address).json()
    known = ("nulls", "minimum", "maximum", "is_exact")
    shown = {entry["name"]: tuple(entry[name] for name in known) for entry in found["columns"]}
    assert (found["rows"], found["deleted_rows"]) == (3, 0)
    assert shown["id"] == (1, -3, 9, True)
    assert shown["day"] == (1, "2025-12-31", "2026-01-02", True)
    assert shown["late"] == (None, None, None, False)
    lake.sql("DELETE FROM d.s WHERE id = 9")
    after = client.get(address).json()
    (number,) = (entry for entry in after["columns"] if entry["name"] == "id")
    assert number["minimum"] <= -3
    assert number["nulls"] >= 1


@dataclass(frozen=True)
class File:
    statistics: Statistics
    rows: int = 2
    deleted_rows: int = 0


def test_decimals_compare_numerically_and_missing_statistics_bound_nothing() -> None:
    schema = Schema((Column(1, "price", "decimal(9,2)"),))
    known = [File({1: ColumnStatistics(value, value, 0)}) for value in ("9.50", "10.25", "-1.00")]
    empty = File({1: ColumnStatistics(None, None, 2)})

    def bounds(*files: File) -> tuple[Any, ...]:
        (found,) = column_bounds(schema, files)
        return found.minimum, found.maximum, found.nulls

    assert bounds(*known, empty) == ("-1.00", "10.25", 2)
    assert bounds(*known, File({})) == (None, None, None)
    assert bounds(*known, File({}, rows=0)) == ("-1.00", "10.25", 0)
    assert bounds() == (None, None, 0)
