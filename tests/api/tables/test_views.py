"""Views as resources: a list by database, and what one view is made of."""

from __future__ import annotations

from typing import Any

import pytest

from catalog_app.domain.roles import Role
from catalog_app.services.files import addresses_allocate
from lakeui.frontdoor import compute
from tests.api.conftest import Caller
from tests.api.http.test_answers_match_the_document import VIEWS, check
from tests.api.sql.test_statements import problem
from tests.support.lake_memory_engine import LakeMemoryEngine
from tests.support.members import join
from tests.support.resource_lake import Lake


@pytest.fixture
def lake(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> Lake:
    """The views d.named, d.plain of it, and d.gone, which is dropped."""
    engine = LakeMemoryEngine(addresses_allocate)
    monkeypatch.setattr(compute, "engine_make", lambda: engine)
    made = Lake(alice)
    made.sql("CREATE TABLE d.n (id INT)")
    made.sql("CREATE VIEW d.named (`the id`) COMMENT 'all' TBLPROPERTIES ('k' = '1') AS SELECT id FROM d.n")
    made.sql("CREATE VIEW d.plain AS SELECT * FROM d.named")
    made.sql("CREATE VIEW d.gone AS SELECT 1 AS one")
    made.sql("DROP VIEW d.gone")
    return made


def read(lake: Lake, path: str = VIEWS, query: str = "", **names: Any) -> Any:
    return check(lake.caller, path, query, **{"catalog": lake.catalog, "branch": "main", "database": "d", **names})


def test_views_are_listed_by_name(lake: Lake) -> None:
    found = [(entry["name"], entry["database"], entry["comment"]) for entry in read(lake)["results"]]
    assert found == [("named", "d", "all"), ("plain", "d", "")]
    first = read(lake, query="?limit=1")
    assert ([entry["name"] for entry in first["results"]], first["next"] is None) == (["named"], False)
    rest = lake.caller.get(first["next"]).json()
    assert ([entry["name"] for entry in rest["results"]], rest["next"]) == (["plain"], None)
    assert [entry["name"] for entry in read(lake, query="?search=LAI")["results"]] == ["plain"]


def test_view_says_query_columns_and_reads(lake: Lake) -> None:
    found = read(lake, VIEWS + "{view}/", view="NAMED")
    assert (found["name"], found["query"], found["column_names"]) == ("named", "SELECT id FROM d.n", ["the id"])
    assert (found["comment"], found["properties"]) == ("all", {"k": "1"})
    assert [(entry["database"], entry["table"]) for entry in found["reads"]] == [("d", "n")]
    assert found["made_version"] == found["version"] - 3
    plain = read(lake, VIEWS + "{view}/", view="plain")
    assert (plain["column_names"], [entry["table"] for entry in plain["reads"]]) == ([], ["named"])


def test_view_is_as_the_version_had_it(lake: Lake) -> None:
    then = read(lake, VIEWS + "{view}/", view="named")["version"]
    lake.sql("ALTER VIEW d.named AS SELECT 2 AS two")
    assert read(lake, VIEWS + "{view}/", view="named")["query"] == "SELECT 2 AS two"
    assert read(lake, VIEWS + "{view}/", f"?version={then}", view="named")["query"] == "SELECT id FROM d.n"


def test_missing_view_is_refused_by_name(lake: Lake) -> None:
    address = VIEWS.format(catalog=lake.catalog, branch="main", database="d")
    refused = problem(lake.caller.get(f"{address}plian/"), 404, "NOT_FOUND")
    assert (refused["kind"], refused["name"], refused["nearest"]) == ("view", "d.plian", "d.plain")
    problem(lake.caller.get(f"{address}gone/"), 404, "NOT_FOUND")


def test_query_is_hidden_where_rows_are_restricted(lake: Lake, bob: Caller) -> None:
    join(bob.user, lake.catalog, Role.VIEWER)
    hidden = {"database": "d", "table": "n", "role": "viewer", "masks": {"id": "NULL"}}
    assert lake.caller.post(f"{lake.address}restrictions/", hidden).status_code == 201
    address = VIEWS.format(catalog=lake.catalog, branch="main", database="d")
    assert len(bob.get(address).json()["results"]) == 2
    problem(bob.get(f"{address}named/"), 403, "ROWS_RESTRICTED")
