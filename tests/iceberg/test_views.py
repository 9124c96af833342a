"""Views at the REST catalog: the SQL of Spark that PyIceberg loads, and what is refused. Nothing runs on Spark."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from pyiceberg.view.metadata import ViewMetadata

from catalog_app.selectors.objects import database_get
from catalog_app.selectors.snapshots import branch_snapshot
from lakeui.frontdoor.queries import shown_views
from lakeui.sql.query import build_view
from merge_app.execution.apply import CommitHeader
from merge_app.execution.views import ViewChange, view_commit
from tests.iceberg.conftest import IcebergLake


class Types:
    """In the place of Spark: these are the columns of every query."""

    def __init__(self, columns: Iterable[tuple[str, str]]) -> None:
        self.columns = list(columns)

    def describe(self, text: str, tables: Any) -> list[tuple[str, str]]:
        return self.columns


@pytest.fixture(autouse=True)
def types(monkeypatch: pytest.MonkeyPatch) -> Types:
    found = Types([("id", "int"), ("s", "struct<a:int,l:array<string>>")])
    monkeypatch.setattr(shown_views, "engine", lambda: found)
    return found


def view(lake: IcebergLake, name: str, query: str, branch: str = "main", **more: Any) -> None:
    at = lake.branch(branch)
    database = database_get(branch_snapshot(at), "d")
    change = ViewChange(0, database.database_id, name, query, **more)
    view_commit(branch_snapshot(at), at.pk, change, CommitHeader("CREATE VIEW"))


def loaded(lake: IcebergLake, name: str = "v", ref: str = "main") -> dict[str, Any]:
    found: dict[str, Any] = lake.ask(f"namespaces/d/views/{name}", ref)
    return found


def text(answer: dict[str, Any]) -> str:
    (representation,) = answer["metadata"]["versions"][0]["representations"]
    assert representation["type"] == "sql"
    assert representation["dialect"] == "spark"
    return str(representation["sql"])


def test_a_view_is_one_of_iceberg(lake: IcebergLake) -> None:
    view(lake, "V", "SELECT id, '{x}' AS s FROM d.t WHERE id > 3", properties={"comment": "some", "k": "v"})
    answer = loaded(lake)
    metadata = ViewMetadata.model_validate(answer["metadata"])
    assert metadata.properties == {"comment": "some", "k": "v"}
    schema = metadata.schemas[0]
    assert [(field.field_id, field.name) for field in schema.fields] == [(1, "id"), (2, "s")]
    assert str(schema.find_field("s.l").field_type) == "list<string>"
    (version,) = metadata.versions
    assert (version.default_namespace, version.default_catalog) == (("d",), None)
    assert version.summary["lakeui-version"] == str(lake.branch("main").head_version)
    # What another engine reads is a query of lakeui as well, of the same table.
    query, named = build_view(text(answer))
    assert [(item.name.database, item.name.table, item.name.catalog) for item in named] == [("d", "t", None)]
    assert "'{x}'" in query.text
    assert answer["metadata-location"].endswith(f"/iceberg/{lake.catalog}/main/v1/namespaces/d/views/v")


def test_own_catalog_and_column_names_are_written_out(lake: IcebergLake) -> None:
    columns = (("key", "what it is"), ("other", None))
    view(lake, "v", f"SELECT t.id, 1 FROM {lake.catalog}.d.t", columns=columns)
    shown = text(loaded(lake))
    assert lake.catalog not in shown
    assert shown.startswith("SELECT * FROM (")
    assert shown.endswith("AS `v` (`key`, `other`)")


def test_each_reference_has_its_own_view(lake: IcebergLake) -> None:
    view(lake, "v", "SELECT id FROM d.t")
    version = lake.branch("main").head_version
    lake.sql("CREATE TAG first")
    lake.sql("CREATE BRANCH b")
    view(lake, "w", "SELECT id + 1 AS id FROM d.t", "b")
    for ref in ("tag:first", f"version:{version}", "b", "branch:b"):
        assert text(loaded(lake, "v", ref)) == text(loaded(lake))
    assert "+ 1" in text(loaded(lake, "w", "b"))
    assert lake.error("namespaces/d/views/w", 404)["type"] == "NoSuchViewException"
    assert lake.error("namespaces/d/views/w", 404, "tag:first")["type"] == "NoSuchViewException"


REFUSED = {
    "SELECT id FROM d.`t@other`": "another branch or version",
    "SELECT id FROM d.t VERSION AS OF 1": "another branch or version",
    "SELECT id FROM elsewhere.d.t": "another catalog",
    "SELECT * FROM table_changes('d.t', 1)": "changes of a table",
    "SELECT current_user() AS id FROM d.t": "other engines answer it otherwise",
}


@pytest.mark.parametrize("query", REFUSED)
def test_what_other_engines_answer_differently_is_refused(lake: IcebergLake, query: str) -> None:
    view(lake, "v", query)
    view(lake, "over", "SELECT id FROM d.v")
    for name in ("v", "over"):
        error = lake.error(f"namespaces/d/views/{name}", 400)
        assert error["type"] == "UnsupportedOperationException"
        assert error["message"].startswith("The view d.v is not shown to other engines: ")
        assert REFUSED[query] in error["message"]
        assert "CREATE TABLE" in error["message"]


def test_columns_without_iceberg_type_are_refused_by_name(lake: IcebergLake, types: Types) -> None:
    view(lake, "v", "SELECT id FROM d.t")
    types.columns = [("since", "interval day to second")]
    assert "since has the type interval" in lake.error("namespaces/d/views/v", 400)["message"]


def test_views_in_a_circle_end(lake: IcebergLake) -> None:
    view(lake, "v", "SELECT id FROM d.w")
    view(lake, "w", "SELECT id FROM d.v")
    assert "in a circle" in lake.error("namespaces/d/views/v", 400)["message"]
