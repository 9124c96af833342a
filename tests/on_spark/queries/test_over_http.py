"""Statements over HTTP that a real worker carries out on Spark. Others: ``tests/without_spark/test_over_http.py``."""

from __future__ import annotations

from typing import Any

from django.test import Client

from tests.support.http import Http, http

__all__ = ["http"]


def test_time_on_spark_is_counted_over_all_processes(http: Http) -> None:
    """The worker counts, the web server answers."""
    series = 'lakeui_spark_seconds_count{outcome="done"}'

    def counted() -> float:
        lines = Client().get("/metrics").content.decode().splitlines()
        return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(series))

    before = counted()
    http.sql("CREATE TABLE d.t (id INT)")
    assert http.sql("INSERT INTO d.t SELECT 1", Prefer="wait=60").status_code == 200
    assert counted() > before


def test_a_dry_run_over_http_writes_nothing(http: Http) -> None:
    http.sql("CREATE TABLE d.t (id INT)")
    http.sql("CREATE BRANCH b")
    http.sql("INSERT INTO d.t VALUES (1)", "b", Prefer="wait=60")

    def ask(statement: str) -> Any:
        body = {"catalog": http.catalog, "statement": statement, "dry_run": True}
        return http.client.post("/api/v1/sql/", body, content_type="application/json", headers={"Prefer": "wait=60"})

    assert ask("MERGE BRANCH b").json()["mergeable"] is True
    assert ask("INSERT INTO d.t VALUES (5)").json()["metrics"]["rows_inserted"] == 1
    refused = ask("SELECT 1")
    assert (refused.status_code, refused.json()["field"]) == (400, "dry_run")
    address = f"/api/v1/catalogs/{http.catalog}/branches/main/databases/d/tables/t/rows/merge/"
    merged = http.client.post(
        f"{address}?strategy=upsert&key_columns=id&dry_run=true",
        b'[{"id": 5}]',
        content_type="application/octet-stream",
        headers={"Prefer": "wait=60"},
    )
    assert (merged.status_code, merged.json()["metrics"]["rows_inserted"]) == (200, 1), merged.content
    assert http.sql("SELECT id FROM d.t").json()["rows"] == []
