"""Checks of templates on real rows: what they count, and which rows they show."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.reviewed import Reviewed, reviewed

__all__ = ["reviewed"]

NULL_V = {"template": "not_null", "parameters": {"table": "d.o", "column": "v"}}


@pytest.fixture
def orders(reviewed: Reviewed) -> int:
    """A request that brings to d.o a row without v, an unknown customer and a second row of id 2, and d.fresh."""
    lake = reviewed.lake
    lake.sql("CREATE TABLE d.o (id INT, v STRING, customer INT, price DECIMAL(9, 2))")
    lake.sql("CREATE TABLE d.c (id INT)")
    lake.sql("INSERT INTO d.c VALUES (1), (2)")
    lake.sql("INSERT INTO d.o VALUES (1, 'a', 1, 1.00), (2, 'b', 2, 2.00), (3, NULL, NULL, -3.00), (4, 'd', 1, 4.00)")
    lake.sql("CREATE BRANCH orders")
    for statement in (
        "INSERT INTO d.o VALUES (2, NULL, 9, 5.00), (6, 'x', 1, 6.00)",
        "UPDATE d.o SET v = 'A' WHERE id = 1",
        "DELETE FROM d.o WHERE id = 4",
        "CREATE TABLE d.fresh AS SELECT current_timestamp() AS at, CAST('2001-01-01' AS DATE) AS day",
    ):
        lake.sql(statement, branch="orders")
    return reviewed.open("orders")


def checked(reviewed: Reviewed, number: int, checks: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """State, rows seen, bad rows and samples of each check."""
    for name, body in checks.items():
        made = reviewed.dora.post("checks/", {"name": name, **body})
        assert made.status_code == 201, made.content
    ran = reviewed.alice.post(f"merge-requests/{number}/checks/")
    assert ran.status_code == 200, ran.content
    found = reviewed.alice.get(f"merge-requests/{number}/checks/")["results"]
    assert all(entry["is_current"] for entry in found)
    return {
        entry["name"]: (result["state"], result["rows_seen"], result["rows_bad"], _shown(result))
        for entry in found
        for result in [entry["result"]]
    }


def _shown(result: dict[str, Any]) -> Any:
    return sorted(result["sample"], key=repr) or result["problem"]


def of(template: str, table: str = "d.o", **parameters: Any) -> dict[str, Any]:
    return {"template": template, "parameters": {"table": table, **parameters}}


def test_templates_judge_the_merged_state(reviewed: Reviewed, orders: int) -> None:
    found = checked(
        reviewed,
        orders,
        {
            "null": of("not_null", column="v"),
            "null of id": of("not_null", column="id"),
            "unique": of("unique", columns=["id"]),
            "unique pair": of("unique", columns=["id", "v"]),
            "values": of("accepted_values", column="v", values=["A", "b"]),
            "customers": of("relationships", column="customer", to_table="d.c", to_column="id"),
            "prices": of("bad_share", condition="price < 0", at_most=0.2),
            "no negative price": of("bad_share", condition="price < 0"),
            "fewer": of("row_count_change", at_least=1.5),
            "about the same": of("row_count_change", at_least=1, at_most=1.25),
            "new table": of("row_count_change", "d.fresh", at_least=0.9),
            "fresh": of("freshness", "d.fresh", column="at", at_most="1 hour"),
            "old": of("freshness", "d.fresh", column="day", at_most="2 days"),
        },
    )
    assert found == {
        "null": ("failed", 5, 2, [[2, None, 9, "5.00"], [3, None, None, "-3.00"]]),
        "null of id": ("passed", 5, 0, ""),
        "unique": ("failed", 5, 2, [[2, 2]]),
        "unique pair": ("passed", 3, 0, ""),
        "values": ("failed", 5, 1, [[6, "x", 1, "6.00"]]),
        "customers": ("failed", 4, 1, [[2, None, 9, "5.00"]]),
        "prices": ("passed", 5, 1, ""),
        "no negative price": ("failed", 5, 1, [[3, None, None, "-3.00"]]),
        "fewer": ("failed", 5, 1, [[5, 4]]),
        "about the same": ("passed", 5, 0, ""),
        "new table": ("passed", 1, 0, ""),
        "fresh": ("passed", 1, 0, ""),
        "old": ("failed", 1, 1, [["2001-01-01"]]),
    }


def test_changed_rows_are_those_that_the_merge_brings(reviewed: Reviewed, orders: int) -> None:
    found = checked(
        reviewed,
        orders,
        {
            "null": of("not_null", column="v", rows="changed"),
            "unique": of("unique", columns=["id"], rows="changed"),
            "customers": of("relationships", column="customer", to_table="d.c", to_column="id", rows="changed"),
            "price": of("bad_share", condition="price < 0", rows="changed"),
            "of a new table": of("not_null", "d.fresh", column="at", rows="changed"),
        },
    )
    assert found == {
        "null": ("failed", 3, 1, [[2, None, 9, "5.00"]]),
        "unique": ("failed", 4, 2, [[2, 2]]),
        "customers": ("failed", 3, 1, [[2, None, 9, "5.00"]]),
        "price": ("passed", 3, 0, ""),
        "of a new table": ("passed", 1, 0, ""),
    }


def test_a_broken_check_breaks_no_other(reviewed: Reviewed, orders: int) -> None:
    found = checked(
        reviewed,
        orders,
        {
            "good": of("not_null", column="id"),
            "no column": of("not_null", column="gone"),
            "no table": of("unique", "d.gone", columns=["id"]),
        },
    )
    assert found["good"] == ("passed", 5, 0, "")
    assert found["no column"][0] == found["no table"][0] == "broken"
    assert "gone" in found["no column"][3]
    assert "gone" in found["no table"][3]
