"""``…/branches/{branch}/trash/``: what UNDROP can bring back, with real metadata and the real front door."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from catalog_app.models import Branch
from tests.api.branches.test_resource_writes import made, names, send
from tests.api.conftest import Caller
from tests.api.sql.test_statements import problem
from tests.support.resource_lake import Lake


@pytest.fixture
def lake(alice: Caller) -> Lake:
    return Lake(alice)


def trash(lake: Lake, query: str = "", branch: str = "main") -> list[dict[str, Any]]:
    return list(lake.read(f"branches/{branch}/trash/{query}")["results"])


def labels(entries: list[dict[str, Any]]) -> list[str]:
    return [f"{entry['database']}.{entry['table']}" if entry["table"] else entry["database"] for entry in entries]


def test_a_dropped_table_says_who_and_when(lake: Lake) -> None:
    assert trash(lake) == []
    lake.sql("DROP TABLE d.t")
    (entry,) = trash(lake)
    dropped_at = datetime.fromisoformat(entry.pop("dropped_at"))
    kept_until = datetime.fromisoformat(entry.pop("kept_until"))
    assert kept_until - dropped_at == timedelta(days=settings.LAKEUI["RETENTION_DAYS"])
    assert timezone.now() - dropped_at < timedelta(minutes=1)
    assert isinstance(entry.pop("id"), int)
    assert isinstance(entry.pop("author"), str)
    assert entry == {
        "kind": "table",
        "database": "d",
        "table": "t",
        "branch": "main",
        "version": lake.branch("main").head_version,
        "operation": "DROP TABLE",
        "statement": "DROP TABLE d.t",
        "tables": 0,
        "needs_database": False,
        "name_taken": False,
    }


@pytest.mark.usefixtures("local_worker")
def test_a_listed_entry_is_undropped_by_its_id(lake: Lake) -> None:
    lake.sql("DROP TABLE d.t")
    lake.sql("CREATE TABLE d.t (other int)")
    lake.sql("DROP TABLE d.t")
    second, first = trash(lake)
    assert first["id"] != second["id"]
    made(lake, "undrops/", branch="main", database="d", table="t", id=str(first["id"]))
    (left,) = trash(lake)
    assert (left["id"], left["name_taken"]) == (second["id"], True)
    refusal = send(
        lake,
        "POST",
        "undrops/",
        {"branch": "main", "database": "d", "table": "t", "id": str(left["id"])},
        Prefer="wait=20",
    )
    assert refusal.status_code == 409
    assert "NAME_EXISTS" in refusal.content.decode()
    made(lake, "undrops/", branch="main", database="d", table="t", id=str(left["id"]), name="u")
    assert trash(lake) == []
    assert names(lake, "branches/main/databases/d/tables/") == ["t", "u"]


def test_a_dropped_database_stands_for_its_tables(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.earlier (a int)")
    lake.sql("DROP TABLE d.earlier")
    lake.sql("DROP DATABASE d CASCADE")
    database, table = trash(lake)
    assert (database["kind"], database["database"], database["tables"]) == ("database", "d", 1)
    assert (table["table"], table["needs_database"]) == ("earlier", True)
    lake.sql("UNDROP DATABASE d AS e")
    (table,) = trash(lake)
    assert (labels([table]), table["needs_database"]) == (["e.earlier"], False)


def test_a_drop_by_merge_names_the_merge(lake: Lake) -> None:
    lake.sql("CREATE BRANCH dev")
    lake.sql("DROP TABLE d.t", "dev")
    assert labels(trash(lake, branch="dev")) == ["d.t"]
    assert trash(lake) == []
    lake.sql("MERGE BRANCH dev TO main")
    (entry,) = trash(lake)
    assert (entry["branch"], entry["operation"]) == ("main", "MERGE BRANCH")


def test_a_branch_inherits_drops_from_before_its_cut(lake: Lake) -> None:
    lake.sql("DROP TABLE d.t")
    lake.sql("CREATE BRANCH dev")
    (entry,) = trash(lake, branch="dev")
    assert (entry["branch"], entry["table"]) == ("main", "t")
    lake.sql("UNDROP TABLE d.t", "dev")
    assert (trash(lake, branch="dev"), labels(trash(lake))) == ([], ["d.t"])


def test_pages_hold_entries_once_and_searches_narrow_them(lake: Lake) -> None:
    for number in range(5):
        lake.sql(f"CREATE TABLE d.u{number} (a int)")
        lake.sql(f"DROP TABLE d.u{number}")
    pages = lake.pages("branches/main/trash/?limit=2")
    assert [labels(page) for page in pages] == [["d.u4", "d.u3"], ["d.u2", "d.u1"], ["d.u0"]]
    assert labels(trash(lake, "?search=D.U3")) == ["d.u3"]
    problem(lake.get("branches/main/trash/?cursor=WzFd"), 400, "INVALID_VALUE")
    problem(lake.get("branches/nowhere/trash/"), 404, "NOT_FOUND")


def test_what_the_retention_took_is_not_listed(lake: Lake) -> None:
    lake.sql("DROP TABLE d.t")
    main = lake.branch("main")
    Branch.objects.filter(pk=main.pk).update(oldest_version=main.head_version)
    assert trash(lake) == []


def test_the_cost_does_not_grow_with_the_trash(lake: Lake) -> None:
    def drop(number: int) -> None:
        lake.sql(f"CREATE DATABASE e{number}")
        lake.sql(f"CREATE TABLE e{number}.t (a int)")
        lake.sql(f"DROP DATABASE e{number} CASCADE")
        lake.sql(f"CREATE TABLE d.u{number} (a int)")
        lake.sql(f"DROP TABLE d.u{number}")

    drop(0)
    few = lake.queries("branches/main/trash/")
    for number in range(1, 4):
        drop(number)
    assert len(trash(lake)) == 8
    assert lake.queries("branches/main/trash/") == few


def test_dropped_branches_show_until_when_they_can_return(lake: Lake) -> None:
    for name in ("a", "b", "gone"):
        lake.sql(f"CREATE BRANCH {name}")
        lake.sql(f"DROP BRANCH {name}")
    # A transaction's own branch is in no trash, and what VACUUM took cannot come back.
    lake.sql("ROLLBACK", transaction=lake.sql("BEGIN").extra["transaction"])
    Branch.objects.filter(name="gone").update(expired_at=timezone.now())
    pages = lake.pages("branches/?dropped=true&limit=1")
    assert [[entry["name"] for entry in page] for page in pages] == [["a"], ["b"]]
    (entry,) = pages[0]
    days = datetime.fromisoformat(entry["kept_until"]) - datetime.fromisoformat(entry["dropped_at"])
    assert days == timedelta(days=settings.LAKEUI["RETENTION_DAYS"])
    assert lake.read("branches/main/")["kept_until"] is None
